/* buf_test.c - the buffer grows, ends in a NUL, and remembers a failure. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "support/memory.h"

static void an_empty_buffer_is_an_empty_text(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    assert_string_equal(tpi_buf_text(&buf), "");
    assert_int_equal(tpi_buf_status(&buf), TP_OK);
    tpi_buf_clear(&buf);
    assert_string_equal(tpi_buf_text(&buf), "");
    tpi_buf_fini(&buf);
    tpi_buf_fini(&buf);
    assert_null(buf.data);
}

static void pieces_follow_each_other(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_puts(&buf, "speed");
    tpi_buf_putc(&buf, ':');
    tpi_buf_indent(&buf, 3);
    tpi_buf_printf(&buf, "%d.%02d %s", 1, 5, "m/s");
    tpi_buf_put(&buf, "!?", 1);
    tpi_buf_indent(&buf, 0);
    tpi_buf_puts(&buf, "");
    tpi_buf_put(&buf, NULL, 0);
    tpi_buf_printf(&buf, "%s", "");
    assert_string_equal(tpi_buf_text(&buf), "speed:   1.05 m/s!");
    assert_int_equal(buf.length, 18);
    tpi_buf_fini(&buf);
}

static void bytes_may_be_nul(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_put(&buf, "a\0b", 3);
    tpi_buf_putc(&buf, '\0');
    tpi_buf_puts(&buf, "c");
    assert_int_equal(buf.length, 5);
    assert_memory_equal(buf.data, "a\0b\0c", 6);
    tpi_buf_fini(&buf);
}

static void it_grows_and_keeps_its_contents(void **state)
{
    enum { COUNT = 100000 };
    tpi_buf buf = {0};
    const size_t before = memory_allocations();

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        tpi_buf_putc(&buf, (char)('a' + i % 26));
        assert_int_equal(buf.length, i + 1);
        assert_int_equal(buf.data[i + 1], '\0');
        assert_true(buf.capacity > buf.length);
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(buf.data[i], 'a' + i % 26);
    }
    assert_true(memory_allocations() - before < 20);
    tpi_buf_fini(&buf);
}

static void a_large_piece_is_printed_whole(void **state)
{
    char text[5000];
    tpi_buf buf = {0};

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    tpi_buf_printf(&buf, "<%s>", text);
    assert_int_equal(buf.length, sizeof text + 1);
    assert_memory_equal(buf.data + 1, text, sizeof text - 1);
    assert_string_equal(buf.data + sizeof text, ">");
    tpi_buf_fini(&buf);
}

static void clear_empties_it_and_keeps_its_memory(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_puts(&buf, "first");
    const size_t before = memory_allocations();
    tpi_buf_clear(&buf);
    assert_int_equal(buf.length, 0);
    assert_string_equal(tpi_buf_text(&buf), "");
    tpi_buf_puts(&buf, "second");
    assert_string_equal(tpi_buf_text(&buf), "second");
    assert_int_equal(memory_allocations(), before);
    tpi_buf_fini(&buf);
}

static void reserve_gives_room_that_can_be_written(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_puts(&buf, "ab");
    char *at = tpi_buf_reserve(&buf, 1000);
    assert_ptr_equal(at, buf.data + 2);
    memset(at, 'c', 1000);
    at[1000] = '\0';
    buf.length += 1000;
    assert_int_equal(strlen(tpi_buf_text(&buf)), 1002);
    tpi_buf_fini(&buf);
}

static void reserve_alone_changes_no_contents(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    assert_non_null(tpi_buf_reserve(&buf, 0));
    assert_string_equal(tpi_buf_text(&buf), "");
    tpi_buf_puts(&buf, "ab");
    assert_non_null(tpi_buf_reserve(&buf, 10000));
    assert_int_equal(buf.length, 2);
    assert_string_equal(tpi_buf_text(&buf), "ab");
    tpi_buf_fini(&buf);
}

static void huge_sizes_are_refused_without_asking_for_memory(void **state)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, SIZE_MAX / 2,
                                   SIZE_MAX / 2 - 2};
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_puts(&buf, "ab");
    const size_t before = memory_allocations();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_null(tpi_buf_reserve(&buf, sizes[i]));
        assert_int_equal(tpi_buf_status(&buf), TP_E_NOMEM);
        tpi_buf_clear(&buf);
        tpi_buf_puts(&buf, "ab");
        tpi_buf_put(&buf, "x", sizes[i]);
        assert_int_equal(tpi_buf_status(&buf), TP_E_NOMEM);
        tpi_buf_clear(&buf);
        tpi_buf_puts(&buf, "ab");
    }
    assert_string_equal(tpi_buf_text(&buf), "ab");
    assert_int_equal(memory_allocations(), before);
    tpi_buf_fini(&buf);
}

static void after_a_failure_every_call_does_nothing(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_puts(&buf, "kept");
    assert_null(tpi_buf_reserve(&buf, SIZE_MAX));
    tpi_buf_put(&buf, "a", 1);
    tpi_buf_puts(&buf, "b");
    tpi_buf_putc(&buf, 'c');
    tpi_buf_printf(&buf, "%s", "d");
    tpi_buf_indent(&buf, 2);
    assert_null(tpi_buf_reserve(&buf, 1));
    assert_int_equal(tpi_buf_status(&buf), TP_E_NOMEM);
    assert_string_equal(tpi_buf_text(&buf), "");
    assert_int_equal(buf.length, 4);
    tpi_buf_fini(&buf);
    assert_int_equal(tpi_buf_status(&buf), TP_OK);
}

static void clear_forgets_a_failure(void **state)
{
    tpi_buf buf = {0};

    (void)state;
    assert_null(tpi_buf_reserve(&buf, SIZE_MAX));
    tpi_buf_clear(&buf);
    assert_int_equal(tpi_buf_status(&buf), TP_OK);
    tpi_buf_puts(&buf, "again");
    assert_string_equal(tpi_buf_text(&buf), "again");
    tpi_buf_fini(&buf);
}

static void what_cannot_be_printed_is_a_failure_too(void **state)
{
    static const wchar_t no_character[] = {(wchar_t)0x7fffffff, 0};
    tpi_buf buf = {0};

    (void)state;
    tpi_buf_puts(&buf, "before ");
    tpi_buf_printf(&buf, "%ls", no_character);
    tpi_buf_puts(&buf, " behind");
    assert_int_equal(tpi_buf_status(&buf), TP_E_NOMEM);
    assert_string_equal(tpi_buf_text(&buf), "");
    tpi_buf_fini(&buf);
}

static tp_status put_many(void *context)
{
    tpi_buf buf = {0};

    (void)context;
    for (int i = 0; i < 100; i++) {
        tpi_buf_put(&buf, "bytes", 5);
        tpi_buf_puts(&buf, "text");
        tpi_buf_putc(&buf, 'c');
        tpi_buf_printf(&buf, "%d", i);
        tpi_buf_indent(&buf, 4);
    }
    tp_status status = tpi_buf_status(&buf);
    assert_int_equal(strlen(tpi_buf_text(&buf)), status == TP_OK ? 1590 : 0);
    tpi_buf_fini(&buf);
    return status;
}

static tp_status print_first(void *context)
{
    tpi_buf buf = {0};

    tpi_buf_printf(&buf, "%s", (const char *)context);
    tp_status status = tpi_buf_status(&buf);
    tpi_buf_fini(&buf);
    return status;
}

static void running_out_of_memory_is_told_at_the_end(void **state)
{
    char context[] = "text";

    (void)state;
    memory_sweep(put_many, NULL);
    memory_sweep(print_first, context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(bytes_may_be_nul),
        cmocka_unit_test(it_grows_and_keeps_its_contents),
        cmocka_unit_test(a_large_piece_is_printed_whole),
        cmocka_unit_test(clear_empties_it_and_keeps_its_memory),
        cmocka_unit_test(reserve_gives_room_that_can_be_written),
        cmocka_unit_test(reserve_alone_changes_no_contents),
        cmocka_unit_test(huge_sizes_are_refused_without_asking_for_memory),
        cmocka_unit_test(after_a_failure_every_call_does_nothing),
        cmocka_unit_test(clear_forgets_a_failure),
        cmocka_unit_test(what_cannot_be_printed_is_a_failure_too),
        cmocka_unit_test(running_out_of_memory_is_told_at_the_end),
    };

    return cmocka_run_group_tests_name("base/buf", tests, NULL, NULL);
}
