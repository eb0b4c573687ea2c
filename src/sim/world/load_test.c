/*
 * load_test.c - loading world files: what they include, how long they may be, and how memory
 * may run out meanwhile.
 */
#include <unistd.h>

#include "base/file.h"
#include "support/memory.h"
#include "support/sim.h"

/* ---- Includes -------------------------------------------------------------------------------- */

/* At the top and in a model, beside the world or in folders as those of STAGEPATH. */
static void files_are_included_anywhere(void **state)
{
    static const char text[] = "include \"x.inc\"\nbot ( name \"r\" include \"y.inc\"\n)";
    static const char elsewhere[] = "include \"lib/x.inc\"\nbot ( name \"r\" )";
    static const char outer[] = "define bot position ( size [1 2 3] )";
    static const char inner[] = "pose [1 2 0 0] ranger ( name \"eye\" )";
    char folder[] = "/tmp/troupe-world-XXXXXX";
    char path[3][64];
    tp_error err = {0};
    tpi_sim *sim = NULL;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path[0], sizeof path[0], "%s/x.world", folder);
    snprintf(path[1], sizeof path[1], "%s/x.inc", folder);
    snprintf(path[2], sizeof path[2], "%s/y.inc", folder);
    assert_int_equal(tpi_file_write(path[1], outer, strlen(outer), &err), TP_OK);
    assert_int_equal(tpi_file_write(path[2], inner, strlen(inner), &err), TP_OK);
    tpi_sim_parse(&sim, path[0], text, strlen(text), NULL, &err);
    assert_string_equal(err.text, "");
    sim_assert_close(sim_info(sim, "r").size[1], 2);
    sim_assert_at(sim, "r.eye", 1, 2, 3, 0);
    tpi_sim_destroy(sim);
    const tpi_sim_options options = {.path = folder};
    tpi_sim_parse(&sim, "x.world", elsewhere, strlen(elsewhere), &options, &err);
    assert_string_equal(err.text, "");
    sim_assert_close(sim_info(sim, "r").size[2], 3);
    tpi_sim_destroy(sim);
    unlink(path[1]);
    unlink(path[2]);
    rmdir(folder);
}

/* ---- Many, and little memory ----------------------------------------------------------------- */

static void long_comments_and_many_models_are_no_trouble(void **state)
{
    enum { LENGTH = 10 << 20, MODELS = 5000 };
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    char *comment = malloc(LENGTH + 1);

    (void)state;
    assert_non_null(comment);
    memset(comment, 'x', LENGTH);
    comment[LENGTH] = '\0';
    tpi_buf_printf(&text, "# %s\n", comment);
    free(comment);
    for (int i = 0; i < MODELS; i++) {
        tpi_buf_printf(&text, "position ( name \"r%d\" pose [%d %d 0 0] )\n", i, i % 70, i / 70);
    }
    assert_int_equal(tpi_sim_parse(&sim, "x", text.data, text.length, NULL, NULL), TP_OK);
    assert_int_equal(tpi_sim_model_count(sim), MODELS);
    sim_assert_at(sim, "r4999", 29, 71, 0, 0);
    tpi_sim_destroy(sim);
    tpi_buf_fini(&text);
}

static tp_status load_and_step(void *context)
{
    tpi_sim *sim = NULL;
    tp_error err = {0};
    tp_status status = tpi_sim_parse(&sim, "x", context, strlen(context), NULL, &err);

    if (status == TP_OK) {
        tpi_sim_step(sim);
    } else if (status == TP_E_NOMEM) {
        assert_non_null(strstr(err.text, "out of memory"));
    }
    tpi_sim_destroy(sim);
    return status;
}

static void memory_may_run_out_at_any_time(void **state)
{
    (void)state;
    memory_sweep(load_and_step,
                 "define bot position ( ctrl \"wander\" ranger ( sensor ( samples 30 ) ) )"
                 "bot ( name \"a\" model ( name \"in\" ) ) bot ( pose [3 0 0 0] )"
                 "model ( pose [0 5 0 0] boundary 1 block ( points 3 point[0] [0 0] point[1] [1 0] "
                 "point[2] [0 1] ) )");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_included_anywhere),
        cmocka_unit_test(long_comments_and_many_models_are_no_trouble),
        cmocka_unit_test(memory_may_run_out_at_any_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
