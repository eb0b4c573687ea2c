/*
 * main.c - check-vectors FILE.json [FILE.padi ...]: checks a file of recorded encodings.
 *
 * Needs nothing but the codecs, so that it can be built for any processor. The interfaces of the
 * .padi files are known in addition to the built-in ones. Exits with 1 if an entry differs.
 */
#include <stdio.h>

#include "base/file.h"
#include "vectors/vectors.h"

enum { LARGEST_FILE = 256 << 20 };

static void print_note(void *context, const char *text)
{
    (void)context;
    puts(text);
}

static tp_status load(tp_catalogue **catalogue, int count, char **paths, tp_error *err)
{
    tp_status status = tp_catalogue_create(catalogue, err);

    for (int i = 0; status == TP_OK && i < count; i++) {
        status = tp_catalogue_load(*catalogue, paths[i], err);
    }
    return status;
}

int main(int argc, char **argv)
{
    tpi_vector_report report = {.note = print_note};
    tpi_buf text = {0};
    tp_catalogue *catalogue = NULL;
    tp_error err = {0};

    if (argc < 2) {
        fputs("usage: check-vectors FILE.json [FILE.padi ...]\n", stderr);
        return 2;
    }
    tp_status status = tpi_file_read(&text, argv[1], LARGEST_FILE, &err);
    status = status == TP_OK ? load(&catalogue, argc - 2, argv + 2, &err) : status;
    status = status == TP_OK
                 ? tpi_vectors_check(&report, catalogue, tpi_buf_text(&text), text.length, &err)
                 : status;
    if (status != TP_OK) {
        fprintf(stderr, "check-vectors: %s\n", err.text);
    } else {
        printf("%u passed, %u failed\n", report.passed, report.failed);
    }
    tpi_buf_fini(&text);
    tp_catalogue_destroy(catalogue);
    return status == TP_OK && report.failed == 0 ? 0 : 1;
}
