/* url_fuzz.c - any text as the place of a server: what is accepted is complete, and stays as it is
 * when it is completed once more. */
#include <stdlib.h>
#include <string.h>

#include "client/url.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *url = malloc(size + 1);
    char *full = NULL;
    char *again = NULL;
    tp_error err = {0};

    fuzz_require(url != NULL, "no memory");
    memcpy(url, data, size);
    url[size] = '\0';
    if (tpi_url_complete(&full, url, &err) == TP_OK) {
        const bool file = tpi_url_file(full) != NULL;
        fuzz_require(file == (strncmp(url, "inproc:", 7) == 0), "a file that is none");
        fuzz_require(tpi_url_complete(&again, full, &err) == TP_OK, "what is complete is refused");
        fuzz_require(strcmp(full, again) == 0, "completing changes what is complete");
    } else {
        fuzz_require(err.code == TP_E_SYNTAX && err.text[0] != '\0', "a failure without a reason");
    }
    free(url);
    free(full);
    free(again);
    return 0;
}
