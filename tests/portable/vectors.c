/* vectors.c - the recorded encodings, in a program that needs nothing but the codecs, so that it
 * can be built for any processor. */
#include <stdio.h>

#include "base/file.h"
#include "padi/vectors.h"

static void print_note(void *context, const char *text)
{
    (void)context;
    puts(text);
}

int main(int argc, char **argv)
{
    tpi_vector_report report = {.note = print_note};
    tpi_buf text = {0};
    tp_catalogue *catalogue = NULL;
    tp_error err = {0};
    tp_status status = argc == 2 ? tpi_file_read(&text, argv[1], 1 << 24, &err) : TP_E_INVALID;

    status = status == TP_OK ? tp_catalogue_create(&catalogue, &err) : status;
    status = status == TP_OK
                 ? tpi_vectors_check(&report, catalogue, tpi_buf_text(&text), text.length, &err)
                 : status;
    printf("%s\n%u passed, %u failed\n", err.text, report.passed, report.failed);
    tpi_buf_fini(&text);
    tp_catalogue_destroy(catalogue);
    return status == TP_OK && report.failed == 0 ? 0 : 1;
}
