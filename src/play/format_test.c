/* format_test.c - the one layout: comments and blank lines stay, formatting twice changes nothing.
 */
#include "play/format.h"

#include "support/play.h"

static void format(tpi_buf *out, const char *text)
{
    static tpi_play_troubles troubles;
    tpi_play_tree tree = {0};

    memset(&troubles, 0, sizeof troubles);
    if (!tpi_play_parse(&tree, text, strlen(text), &troubles)) {
        tpi_play_trouble_put(out, "x", &troubles.list[0]);
        fail_msg("%s%s", text, tpi_buf_text(out));
    }
    tpi_play_format(out, &tree);
    tpi_play_tree_fini(&tree);
}

static void formats(const char *text, const char *expected)
{
    tpi_buf once = {0}, twice = {0};

    format(&once, text);
    assert_string_equal(tpi_buf_text(&once), expected);
    format(&twice, tpi_buf_text(&once));
    assert_string_equal(tpi_buf_text(&twice), expected);
    tpi_buf_fini(&once);
    tpi_buf_fini(&twice);
}

static void layout_is_canonical(void **state)
{
    (void)state;
    formats("", "");
    formats("\xef\xbb\xbfstop\r\n", "stop\n"); /* as editors of Windows write it */
    formats("drive   50   turn 20", "drive 50 turn 20\n");
    formats("forever\ndrive 50\n  if eye>30cm\nlet x,y be do Track   ball\nelse   if "
            "1<2\nelse\nend\nend",
            "forever\n    drive 50\n    if eye > 30 cm\n        let x, y be do Track ball\n    "
            "else if 1 < 2\n"
            "    else\n    end\nend\n");
    formats("to f( a,b )\nreturn a*-b\nend\nf( 1,2 )\nto g()\nend\ng()",
            "to f(a, b)\n    return a * -b\nend\nf(1, 2)\n"
            "to g\nend\ng()\n");
    formats("device  a is Light   Sensor,Take-off number 3\nchannel c is \"x\\ty\\\"\\\\\"",
            "device a is Light Sensor, Take-off number 3\nchannel c is \"x\\ty\\\"\\\\\"\n");
    formats("print not a=b and(c or d),-(1+2),a-(b-c),20%,5 deg/s\r\n",
            "print not a = b and (c or d), -(1 + 2), a - (b - c), 20 %, 5 deg/s\n");
    formats(
        "log x ,5\nwait until a at most 2s\nsend message from a to b\nprint (do ReadCount a), 1",
        "log x, 5\nwait until a at most 2 s\nsend message from a to b\nprint (do ReadCount a), "
        "1\n");
}

static void comments_and_blank_lines_stay(void **state)
{
    static const char text[] = "# A program.\n"
                               "#\n"
                               "\n"
                               "# the eye\n"
                               "device eye is Light Sensor  # in front\n"
                               "\n"
                               "forever  # always\n"
                               "    # drive\n"
                               "    drive 50\n"
                               "\n"
                               "    if eye > 5\n"
                               "        # nothing yet\n"
                               "    else  # or\n"
                               "        drive 5\n"
                               "\n"
                               "        # before the end\n"
                               "    end  # if\n"
                               "    # closes forever\n"
                               "end\n"
                               "\n"
                               "# the last words\n";

    (void)state;
    formats(text, text);
    formats("\n\n\n  #   first  \n\n\n\ndrive 5   #tail\n\n\n", "# first\n\ndrive 5  # tail\n");
}

static void needed_parentheses_are_added(void **state)
{
    static const struct {
        const char *text, *left, *operator;
        const char *expected;
    } cases[] = {{"1 + 2", "3", "*", "(1 + 2) * 3"},
                 {"1 < 2", "3", "<", "(1 < 2) < 3"},
                 {"not a", "b", "=", "(not a) = b"},
                 {"do ReadCount a", "1", "+", "(do ReadCount a) + 1"},
                 {"a or b", "c", "and", "(a or b) and c"},
                 {"1 * 2", "3", "+", "1 * 2 + 3"}};

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static tpi_play_troubles troubles;
        tpi_play_tree tree = {0};
        tpi_buf text = {0}, out = {0};
        tpi_buf_printf(&text, "print %s\nprint %s", cases[i].text, cases[i].left);
        assert_true(tpi_play_parse(&tree, text.data, text.length, &troubles));
        tpi_play_node *first = tree.body->slots[0];
        const tpi_play_node binary = {.kind = TPI_PLAY_BINARY,
                                      .text = cases[i].operator,
                                      .slots = {first->slots[0], first->next->slots[0]} };
        tpi_play_format_expression(&out, &binary);
        assert_string_equal(tpi_buf_text(&out), cases[i].expected);
        tpi_buf_fini(&text);
        tpi_buf_fini(&out);
        tpi_play_tree_fini(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_canonical),
        cmocka_unit_test(comments_and_blank_lines_stay),
        cmocka_unit_test(needed_parentheses_are_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
