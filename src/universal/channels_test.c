/* channels_test.c - mailboxes of a program: names, order, bounds. */
#include "universal/channels.h"

#include <stdio.h>
#include <string.h>

#include "support/memory.h"
#include "support/unit.h"

static void say(tpi_channels *channels, const char *name, const char *text)
{
    tpi_channels_take(channels, name, strlen(name), text, strlen(text));
}

static void assert_reads(tpi_channels *channels, unsigned number, const char *text)
{
    size_t length = 99;
    const char *got = tpi_channels_read(channels, number, &length);

    assert_int_equal(length, strlen(text));
    assert_memory_equal(got, text, length);
}

static void messages_wait_in_order_under_their_names(void **state)
{
    tpi_channels *channels = tpi_channels_create();

    (void)state;
    assert_non_null(channels);
    assert_int_equal(tpi_channels_waiting(channels, 0), -1);
    assert_reads(channels, 0, "");
    assert_true(tpi_channels_open(channels, 0, "crew", 4));
    assert_true(tpi_channels_open(channels, 7, "crew", 4));
    assert_true(tpi_channels_open(channels, 2, "other", 5));
    assert_string_equal(tpi_channels_name(channels, 7), "crew");
    assert_null(tpi_channels_name(channels, 1));
    say(channels, "crew", "one");
    say(channels, "crew", "");
    say(channels, "cre", "not for us");
    say(channels, "crews", "not for us");
    assert_int_equal(tpi_channels_waiting(channels, 0), 2);
    assert_int_equal(tpi_channels_waiting(channels, 2), 0);
    assert_reads(channels, 0, "one");
    assert_reads(channels, 0, "");
    assert_int_equal(tpi_channels_waiting(channels, 0), 0);
    assert_int_equal(tpi_channels_waiting(channels, 7), 2);
    assert_true(tpi_channels_open(channels, 7, "other", 5)); /* another name: what waits is over */
    assert_int_equal(tpi_channels_waiting(channels, 7), 0);
    tpi_channels_destroy(channels);
    tpi_channels_destroy(NULL);
}

static void everything_is_bounded(void **state)
{
    static char longest[2 * TPI_CHANNEL_TEXT];
    tpi_channels *channels = tpi_channels_create();
    char text[16];
    size_t length = 0;

    (void)state;
    assert_non_null(channels);
    assert_false(tpi_channels_open(channels, 0, "", 0));
    assert_false(tpi_channels_open(channels, 0, longest, TPI_CHANNEL_NAME));
    assert_false(tpi_channels_open(channels, 0, "a\0b", 3));
    for (unsigned i = 0; i < TPI_MOST_CHANNELS; i++) {
        assert_true(tpi_channels_open(channels, i, "c", 1));
    }
    assert_false(tpi_channels_open(channels, TPI_MOST_CHANNELS, "c", 1));
    for (unsigned i = 0; i < TPI_CHANNEL_MAIL + 3; i++) { /* the oldest are lost */
        snprintf(text, sizeof text, "%u", i);
        say(channels, "c", text);
    }
    assert_int_equal(tpi_channels_waiting(channels, 0), TPI_CHANNEL_MAIL);
    assert_reads(channels, 0, "3");
    memset(longest, 'x', sizeof longest);
    tpi_channels_take(channels, "c", 1, longest, sizeof longest);
    for (unsigned i = 0; i < TPI_CHANNEL_MAIL; i++) {
        (void)tpi_channels_read(channels, 0, &length);
    }
    assert_int_equal(length, TPI_CHANNEL_TEXT);
    tpi_channels_destroy(channels);
}

static void without_memory_nothing_is_opened(void **state)
{
    tpi_channels *channels = tpi_channels_create();

    (void)state;
    assert_non_null(channels);
    memory_fail_at(1);
    const bool opened = tpi_channels_open(channels, 0, "c", 1);
    memory_fail_at(0);
    assert_false(opened);
    assert_int_equal(tpi_channels_waiting(channels, 0), -1);
    tpi_channels_destroy(channels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_wait_in_order_under_their_names),
        cmocka_unit_test(everything_is_bounded),
        cmocka_unit_test(without_memory_nothing_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
