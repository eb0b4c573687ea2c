/* vectors_test.c - every recorded encoding of Player's own library, in tests/data. */
#include "vectors/vectors.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "support/unit.h"

static void print_failure(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static void every_recorded_encoding_passes(void **state)
{
    (void)state;
    tpi_vector_report report = {.note = print_failure};
    tpi_buf text = {0};
    tp_catalogue *catalogue = NULL;

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    assert_int_equal(
        tpi_file_read(&text, TEST_ROOT "/tests/data/player_vectors.json", 1 << 22, NULL), TP_OK);
    assert_int_equal(tpi_vectors_check(&report, catalogue, tpi_buf_text(&text), text.length, NULL),
                     TP_OK);
    assert_int_equal(report.failed, 0);
    assert_int_equal(report.passed, 858);
    tpi_buf_fini(&text);
    tp_catalogue_destroy(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_encoding_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
