/* cfg_notes_test.c - many notes that are alike become few. */
#include "convert/cfg_notes.h"

#include <string.h>

#include "support/cfg_files.h"
#include "support/memory.h"

static void collect_lines(void *context, const char *text)
{
    tpi_buf_printf(context, "%s\n", text);
}

/* What is told of notes; each ends with a newline. */
static void assert_told(tpi_cfg_notes *notes, tpi_buf *told, const char *wanted)
{
    assert_string_equal(tpi_buf_text(told), ""); /* not before the end */
    tpi_cfg_notes_tell(notes);
    assert_string_equal(tpi_buf_text(told), wanted);
    tpi_buf_fini(told);
}

static void add_at(tpi_cfg_notes *notes, unsigned line, const char *what)
{
    char text[128];

    snprintf(text, sizeof text, "x.world:%u:1: %s", line, what);
    tpi_cfg_notes_add(notes, text);
}

static void notes_are_told_in_their_order(void **state)
{
    tpi_buf told = {0};
    tpi_cfg_notes notes = {.note = collect_lines, .context = &told};

    (void)state;
    tpi_cfg_notes_tell(&notes); /* none */
    tpi_cfg_notes_add(&notes, "b");
    tpi_cfg_notes_add(&notes, "x.world:1:2: a");
    tpi_cfg_notes_add(&notes, "x.world:1:3: a");
    assert_told(&notes, &told, "b\nx.world:1:2: a\nx.world:1:3: a\n");
    tpi_cfg_notes_add(&notes, "x.world:1:2: a"); /* a new beginning */
    assert_told(&notes, &told, "x.world:1:2: a\n");
}

static void the_same_of_one_place_is_told_once(void **state)
{
    tpi_buf told = {0};
    tpi_cfg_notes notes = {.note = collect_lines, .context = &told};

    (void)state;
    for (int i = 0; i < 10; i++) {
        add_at(&notes, 7, "a");
    }
    assert_told(&notes, &told, "x.world:7:1: a\n");
}

static void of_equal_ones_three_are_told_and_how_many_more(void **state)
{
    tpi_buf told = {0};
    tpi_cfg_notes notes = {.note = collect_lines, .context = &told};

    (void)state;
    for (unsigned i = 1; i <= 20; i++) {
        add_at(&notes, i, "no");
        add_at(&notes, i, i < 3 ? "a" : "no");
    }
    for (int i = 0; i < 4; i++) {
        tpi_cfg_notes_add(&notes, "sim0: 10:30 x:1 y:1:");
    }
    assert_told(&notes, &told,
                "x.world:1:1: no\nx.world:1:1: a\nx.world:2:1: no\nx.world:2:1: a\n"
                "x.world:3:1: no (and 17 more like it)\nsim0: 10:30 x:1 y:1:\n"
                "sim0: 10:30 x:1 y:1:\nsim0: 10:30 x:1 y:1: (and 1 more like it)\n");
}

static void of_those_with_other_names_twenty_are_told(void **state)
{
    tpi_buf told = {0};
    tpi_buf wanted = {0};
    tpi_cfg_notes notes = {.note = collect_lines, .context = &told};

    (void)state;
    for (unsigned i = 1; i <= 1000; i++) {
        char what[64];
        snprintf(what, sizeof what, "\"r%u\" is %u.%u m, not -%g m", i, i, i, (double)i / 7);
        add_at(&notes, i, what);
        if (i <= 20) {
            tpi_buf_printf(&wanted, "x.world:%u:1: %s%s\n", i, what,
                           i == 20 ? " (and 980 more like it)" : "");
        }
    }
    assert_told(&notes, &told, tpi_buf_text(&wanted));
    tpi_buf_fini(&wanted);
}

static void count_line(void *context, const char *text)
{
    unsigned *seen = context;

    assert_int_equal(strncmp(text, "x.world:", 8), 0);
    seen[text[8] - '0']++;
}

static void without_memory_they_are_told_all_the_same(void **state)
{
    const long live = memory_live();
    bool failed = true;

    (void)state;
    for (size_t n = 1; failed; n++) {
        unsigned seen[10] = {0};
        tpi_cfg_notes notes = {.note = count_line, .context = seen};
        memory_fail_at(n);
        add_at(&notes, 1, "a");
        add_at(&notes, 2, "a");
        add_at(&notes, 3, "b");
        failed = memory_has_failed();
        memory_fail_at(0);
        tpi_cfg_notes_tell(&notes);
        assert_int_equal(memory_live(), live);
        for (int i = 1; i <= 3; i++) {
            assert_int_equal(seen[i], 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_told_in_their_order),
        cmocka_unit_test(the_same_of_one_place_is_told_once),
        cmocka_unit_test(of_equal_ones_three_are_told_and_how_many_more),
        cmocka_unit_test(of_those_with_other_names_twenty_are_told),
        cmocka_unit_test(without_memory_they_are_told_all_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
