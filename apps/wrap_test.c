/* wrap_test.c - long lines go on below their last column. */
#include "wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_wrapped(const char *text, size_t columns, const char *wanted)
{
    tpi_buf out = {0};

    wrap_put(&out, text, columns);
    assert_string_equal(tpi_buf_text(&out), wanted);
    tpi_buf_fini(&out);
}

static void what_fits_stays_as_it_is(void **state)
{
    (void)state;
    assert_wrapped("", 40, "");
    assert_wrapped("a line\n\n  another\nthe last", 40, "a line\n\n  another\nthe last");
}

static void lines_go_on_below_their_last_column(void **state)
{
    (void)state;
    assert_wrapped("rate     10  Hz  how often data is sent, per second\n", 40,
                   "rate     10  Hz  how often data is sent,\n"
                   "                 per second\n");
    assert_wrapped("rate     10  Hz                   write  how often data is sent\n", 50,
                   "rate     10  Hz                   write  how often\n"
                   "    data is sent\n"); /* no room below */
    assert_wrapped("  größe    m  wie groß es ist und wie breit\n", 40,
                   "  größe    m  wie groß es ist und wie\n"
                   "              breit\n");
}

static void lines_that_were_broken_are_joined(void **state)
{
    (void)state;
    assert_wrapped(
        "  --listen HOST  the address on which the server listens, instead of this machine\n"
        "                 alone\n"
        "  --udp          also datagrams\n"
        "\n"
        "Example: troupe run\n",
        60,
        "  --listen HOST  the address on which the server listens,\n"
        "                 instead of this machine alone\n"
        "  --udp          also datagrams\n"
        "\n"
        "Example: troupe run\n");
}

static void options_share_a_column(void **state)
{
    (void)state;
    assert_wrapped("  --rank N        give way to writers\n"
                   "  --lease SECONDS the time after which the device stops\n",
                   50,
                   "  --rank N        give way to writers\n"
                   "  --lease SECONDS the time after which the device\n"
                   "                  stops\n");
    assert_wrapped(
        "  --any-port  listen on ports that the system chooses, and print them; the same as\n"
        "              --port 0\n",
        60,
        "  --any-port  listen on ports that the system chooses, and\n"
        "              print them; the same as --port 0\n");
}

static void commands_keep_lines_of_their_own(void **state)
{
    (void)state;
    assert_wrapped(
        "  troupe send position2d:0 VEL '{\"vel\":{\"px\":0.2,\"pa\":0.4},\"state\":1}' --for 2 "
        "-q\n"
        "  troupe list\n",
        80,
        "  troupe send position2d:0 VEL '{\"vel\":{\"px\":0.2,\"pa\":0.4},\"state\":1}' --for 2\n"
        "      -q\n"
        "  troupe list\n");
}

static void a_word_without_room_stays_whole(void **state)
{
    (void)state;
    assert_wrapped("see https://example.org/a/very/long/address/without/blanks for more\n", 40,
                   "see\n"
                   "https://example.org/a/very/long/address/without/blanks\n"
                   "for more\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays_as_it_is),
        cmocka_unit_test(lines_go_on_below_their_last_column),
        cmocka_unit_test(lines_that_were_broken_are_joined),
        cmocka_unit_test(options_share_a_column),
        cmocka_unit_test(commands_keep_lines_of_their_own),
        cmocka_unit_test(a_word_without_room_stays_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
