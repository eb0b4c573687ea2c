/* vectors_fuzz.c - any text as a file of recorded encodings. */
#include "fuzz.h"
#include "vectors/vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_vector_report report = {0};
    tp_error err = {0};

    if (tpi_vectors_check(&report, fuzz_catalogue(), (const char *)data, size, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
    }
    return 0;
}
