/* script_test.c - scripts: what they say, what is wrong with them, and how they are played. */
#include "port/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "support/memory.h"
#include "support/unit.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static const char *const names[] = {">", "<", "silence", "hang-up", "repeat", "end"};

static void put_item(tpi_buf *out, const tpi_script_item *item)
{
    tpi_buf_printf(out, "%u%s", item->line, names[item->kind]);
    if (item->delay_ns == TP_NEVER) {
        tpi_buf_puts(out, "*");
    } else if (item->delay_ns > 0) {
        tpi_buf_printf(out, "+%lldus", (long long)(item->delay_ns / TP_NS_PER_US));
    }
    if (item->kind == TPI_SCRIPT_REPEAT) {
        tpi_buf_printf(out, "(%u to %u, prompt %u)", item->passes, item->partner, item->prompt);
    }
    for (size_t i = 0; i < item->length; i++) {
        tpi_buf_printf(out, "%s%02x", i == 0 ? "=" : "", (unsigned char)item->bytes[i]);
    }
    tpi_buf_putc(out, ' ');
}

static tp_status parse(tpi_script *script, const char *text, tp_error *err)
{
    const size_t length = strlen(text);
    char *exact = malloc(length + 1); /* one more, since malloc(0) may be NULL */

    if (exact == NULL) {
        return TP_E_NOMEM;
    }
    memcpy(exact, text, length);
    tp_status status = tpi_script_parse(script, "x", exact, length, err);
    free(exact);
    return status;
}

static void means(const char *text, const char *items)
{
    tpi_script script;
    tpi_buf out = {0};
    tp_error err = {0};

    tp_status status = parse(&script, text, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    for (uint32_t i = 0; i < script.count; i++) {
        put_item(&out, &script.items[i]);
    }
    assert_string_equal(tpi_buf_text(&out), items);
    tpi_buf_fini(&out);
    tpi_script_fini(&script);
}

static void is_refused(const char *text, const char *why)
{
    tpi_script script;
    tp_error err = {0};

    assert_int_equal(parse(&script, text, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, why);
}

static void lines_say_who_sends_what(void **state)
{
    (void)state;
    means("", "");
    means("# nothing\n\n   \t\n", "");
    means("> V\\n", "1>=560a ");
    means("< a b \n", "1<=61206220 ");
    means("<  a\r\n>b", "1<=2061 2>=62 ");
    means("  >> fa FB 0a\n<< 00\n", "1>=fafb0a 2<=00 ");
    means("> > >\n", "1>=3e203e ");
    means("> #\n", "1>=23 ");
    means("< \\n\\r\\t\\0\\\\\\\"\\'\\x7F\\xff", "1<=0a0d09005c22277fff ");
    means("< \xc3\xbc", "1<=c3bc ");
}

static void times_count_from_the_line_before(void **state)
{
    (void)state;
    means("0.5 > a\n0.75 < b\n1 < c\n", "1>+500000us=61 2<+250000us=62 3<+250000us=63 ");
    means("5 > a\n4 < b\n4.5 < c", "1>+5000000us=61 2<=62 3<+500000us=63 ");
    means("> a\n+0.1 < b\n< c\n0.3 < d", "1>=61 2<+100000us=62 3<=63 4<+200000us=64 ");
    means("+2 hang-up", "1hang-up+2000000us ");
    means("hang-up\nsilence\nsilence 0.5\n", "1hang-up 2silence* 3silence+500000us ");
}

static void sections_are_repeated(void **state)
{
    (void)state;
    means("repeat 3\n< a\nend\n", "1repeat(3 to 2, prompt 2) 2<=61 3end ");
    means("repeat\n< a\n> b\n> c\nend", "1repeat(0 to 4, prompt 2) 2<=61 3>=62 4>=63 5end ");
    means("repeat\n+1 < a\nend", "1repeat(0 to 2, prompt 2) 2<+1000000us=61 3end ");
    means("repeat\nrepeat 2\n> a\nend\nend\n> b\n",
          "1repeat(0 to 4, prompt 2) 2repeat(2 to 3, prompt 2) 3>=61 4end 5end 6>=62 ");
    means("repeat\nsilence 1\nend", "1repeat(0 to 2, prompt 2) 2silence+1000000us 3end ");
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    is_refused("\nhello", "x:2: a line is >, <, >>, <<, silence, hang-up, repeat or end");
    is_refused("repeated", "x:1: a line is >, <, >>, <<, silence, hang-up, repeat or end");
    is_refused("5 repeat", "x:1: a time stands before >, <, >>, << or hang-up");
    is_refused("1.2.3 > a", "x:1: \"1.2.3\" is no number of seconds");
    is_refused("+ > a", "x:1: \"\" is no number of seconds");
    is_refused("9999999 > a", "x:1: \"9999999\" is no number of seconds");
    is_refused(">", "x:1: which bytes?");
    is_refused("<< ", "x:1: which bytes?");
    is_refused("> \\q", "x:1: behind \\ stands n, r, t, 0, \\, \", ' or x and two hex digits");
    is_refused("> \\x4", "x:1: behind \\ stands n, r, t, 0, \\, \", ' or x and two hex digits");
    is_refused("> \\", "x:1: behind \\ stands n, r, t, 0, \\, \", ' or x and two hex digits");
    is_refused(">> 1", "x:1: bytes in hex have two digits each");
    is_refused(">> 1g", "x:1: bytes in hex have two digits each");
    is_refused("hang-up now", "x:1: nothing stands behind hang-up");
    is_refused("silence long", "x:1: \"\" is no number of seconds");
    is_refused("silence 1 2", "x:1: nothing stands behind the length of a silence");
    is_refused("repeat 0\n", "x:1: a repeat has from 1 to 1000000 passes");
    is_refused("repeat 99999999999999999999\n", "x:1: a repeat has from 1 to 1000000 passes");
    is_refused("repeat x\n", "x:1: nothing stands behind a repeat but a number");
    is_refused("repeat\nrepeat\nrepeat\nrepeat\nrepeat\nrepeat\nrepeat\nrepeat\nrepeat\n",
               "x:9: repeats are nested deeper than 8");
    is_refused("repeat 2\nrepeat 2\n> a\nend", "x:1: the repeat has no end");
    is_refused("repeat\nrepeat 3\n< a\nend\nend",
               "x:5: a repeat without end needs a > line or a time in it");
    is_refused("repeat 2\nend\n", "x:2: there is nothing to repeat");
    is_refused("\nrepeat 2\n< a\n", "x:2: the repeat has no end");
    is_refused("end", "x:1: there is no repeat to end");
    is_refused("repeat\n< a\nend", "x:3: a repeat without end needs a > line or a time in it");
    is_refused("repeat\n< a\nend of it", "x:3: nothing stands behind an end");
}

static tp_status read_much(void *context)
{
    tpi_script script;
    tp_error err = {0};
    tp_status status = parse(&script, context, &err);

    if (status == TP_OK) {
        tpi_script_fini(&script);
    }
    return status;
}

static void running_out_of_memory_is_told(void **state)
{
    char text[2048] = "";

    (void)state;
    for (int i = 0; i < 20; i++) {
        strcat(text, "> a long line that needs a place to stay\n");
    }
    memory_sweep(read_much, text);
}

/* ---- Playing --------------------------------------------------------------------------------- */

struct stage {
    tp_clock clock;
    int64_t now_ns;
    char path[64];
    char url[80];
    tpi_line *line;
    tp_error err;
};

static int64_t stage_now(const tp_clock *clock)
{
    return ((const struct stage *)clock->context)->now_ns;
}

static tp_status open_script(struct stage *s)
{
    const tpi_line_options plan = {
        .url = s->url, .rest = s->path, .folder = "nowhere/", .clock = &s->clock};

    return tpi_scheme_script.open(&s->line, &plan, &s->err);
}

static struct stage *begin(const char *text)
{
    struct stage *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->clock = (tp_clock){.now_ns = stage_now, .context = s};
    s->now_ns = TP_NS_PER_S;
    snprintf(s->path, sizeof s->path, "/tmp/troupe-script-XXXXXX");
    const int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(s->url, sizeof s->url, "script:%s", s->path);
    const tp_status status = open_script(s);
    assert_string_equal(s->err.text, "");
    assert_int_equal(status, TP_OK);
    return s;
}

static void end(struct stage *s)
{
    s->line->ops->close(s->line);
    unlink(s->path);
    free(s);
}

static void sends(struct stage *s, const char *text)
{
    size_t length = 0;
    const tp_status status = s->line->ops->write(s->line, text, strlen(text), &length, &s->err);

    assert_string_equal(s->err.text, "");
    assert_int_equal(status, TP_OK);
    assert_int_equal(length, strlen(text));
}

/* `why` follows the name of the file. */
static void must_not_send(struct stage *s, const char *text, tp_status code, const char *why)
{
    char wanted[256];
    size_t length = 0;

    assert_int_equal(s->line->ops->write(s->line, text, strlen(text), &length, &s->err), code);
    snprintf(wanted, sizeof wanted, "script %s:%s", s->path, why);
    assert_string_equal(s->err.text, wanted);
}

static void hears(struct stage *s, const char *text)
{
    char got[256];
    size_t length = 0;

    assert_int_equal(s->line->ops->read(s->line, got, sizeof got - 1, &length, &s->err), TP_OK);
    got[length] = '\0';
    assert_string_equal(got, text);
}

static void move(struct stage *s, double seconds)
{
    s->now_ns += (int64_t)(seconds * 1e9);
}

static int64_t due_ms(struct stage *s)
{
    const int64_t due_ns = s->line->ops->due_ns(s->line);

    return due_ns == TP_NEVER ? -1 : (due_ns - s->now_ns) / TP_NS_PER_MS;
}

static void answers_follow_what_is_written(void **state)
{
    struct stage *s = begin("> V\\n\n< V\\n\n< 0\\n\n> W\\n\n< W\\n\n");

    (void)state;
    hears(s, "");
    assert_int_equal(due_ms(s), -1);
    sends(s, "V");
    hears(s, "");
    sends(s, "\n");
    assert_int_equal(due_ms(s), 0);
    hears(s, "V\n0\n");
    assert_int_equal(due_ms(s), -1);
    sends(s, "W\n");
    hears(s, "W\n");
    end(s);
}

static void answers_can_be_read_in_pieces(void **state)
{
    struct stage *s = begin("< abc\n< def\n");
    char piece[2];
    size_t length = 0;

    (void)state;
    assert_int_equal(s->line->ops->read(s->line, piece, 2, &length, &s->err), TP_OK);
    assert_memory_equal(piece, "ab", 2);
    assert_int_equal(s->line->ops->read(s->line, piece, 2, &length, &s->err), TP_OK);
    assert_memory_equal(piece, "cd", 2);
    hears(s, "ef");
    end(s);
}

static void something_else_is_refused_and_shown(void **state)
{
    struct stage *s = begin("# first\n> V\\n\n");

    (void)state;
    must_not_send(s, "X\t\"\\\n\x01", TP_E_IO,
                  "2: expected \"V\\n\", got \"X\\t\\\"\\\\\\n\\x01\"");
    must_not_send(s, "V\n", TP_E_IO, "2: expected \"V\\n\", got \"X\\t\\\"\\\\\\n\\x01\"");
    end(s);
    s = begin("> GD01\\n\n");
    sends(s, "GD");
    must_not_send(s, "02\n", TP_E_IO, "1: expected \"GD01\\n\", got \"GD02\\n\"");
    end(s);
    s = begin("> a\n\n");
    must_not_send(s, "ab", TP_E_IO, "1: expected nothing more, got \"b\"");
    end(s);
    s = begin("> 0123456789012345678901234567890123456789012345678\n");
    must_not_send(s, "x123456789012345678901234567890123456789012345678", TP_E_IO,
                  "1: expected \"012345678901234567890123456789012345678901234567...\", "
                  "got \"x12345678901234567890123456789012345678901234567...\"");
    end(s);
}

static void answers_come_in_their_time(void **state)
{
    struct stage *s = begin("5 > a\n5.5 < b\n6 < c\n");

    (void)state;
    move(s, 100);
    sends(s, "a");
    assert_int_equal(due_ms(s), 500);
    hears(s, "");
    move(s, 0.5);
    hears(s, "b");
    hears(s, "");
    move(s, 0.7); /* too late for c */
    assert_int_equal(due_ms(s), -200);
    hears(s, "c");
    end(s);
}

static void time_can_pass_for_the_line_alone(void **state)
{
    struct stage *s = begin("+5 < a\n+5 < b\n");

    (void)state;
    s->line->ops->skip_to(s->line, s->now_ns + 5 * TP_NS_PER_S);
    hears(s, "a");
    assert_int_equal(due_ms(s), 10000);
    move(s, 10);
    hears(s, "b");
    end(s);
}

static void who_does_not_wait_gets_the_answer_at_once(void **state)
{
    struct stage *s = begin("> a\n+9 < b\n+9 < c\n> d\n< e\n");
    char byte;
    size_t length = 0;

    (void)state;
    sends(s, "ad");
    assert_int_equal(s->line->ops->read(s->line, &byte, 1, &length, &s->err), TP_OK);
    assert_int_equal(byte, 'b');
    assert_true(s->line->ops->due_ns(s->line) < s->now_ns);
    hears(s, "ce");
    end(s);
}

static void a_repeat_is_written_out(void **state)
{
    struct stage *s = begin("repeat 2\n> a\n< b\nend\n> c\n");

    (void)state;
    sends(s, "a");
    hears(s, "b");
    sends(s, "a");
    hears(s, "b");
    sends(s, "c");
    must_not_send(s, "a", TP_E_IO, "5: expected nothing more, got \"a\"");
    end(s);
}

static void a_repeat_without_end_ends_when_something_else_is_written(void **state)
{
    struct stage *s = begin("repeat\n> ask\\n\n< yes\n> thanks\\n\nend\n> quit\\n\n< bye\n");

    (void)state;
    for (int i = 0; i < 5; i++) {
        sends(s, "ask\n");
        hears(s, "yes");
        sends(s, "thanks\n");
    }
    sends(s, "qu");
    sends(s, "it\n");
    hears(s, "bye");
    end(s);
    s = begin("repeat\n> ask\\n\nend\n> quit\\n\n");
    must_not_send(s, "what\n", TP_E_IO, "2: expected \"ask\\n\", got \"what\\n\"");
    end(s);
    s = begin("repeat\n> ask\\n\n< yes\n> more\\n\nend\n> quit\\n\n"); /* in the middle too */
    sends(s, "ask\n");
    sends(s, "quit\n");
    hears(s, "yes");
    end(s);
    s = begin("repeat 2\n> ask\\n\nend\n> quit\\n\n"); /* but not one that has an end */
    sends(s, "ask\n");
    must_not_send(s, "quit\n", TP_E_IO, "2: expected \"ask\\n\", got \"quit\\n\"");
    end(s);
}

static void a_stream_of_answers_is_ended_by_any_write(void **state)
{
    struct stage *s = begin("> go\n< ok.\nrepeat\n+1 < one,\n+1 < two,\nend\n> stop\n< bye\n");
    char piece[2];
    size_t length = 0;

    (void)state;
    sends(s, "go");
    hears(s, "ok.");
    move(s, 3.5);
    hears(s, "one,two,one,");
    move(s, 1);
    assert_int_equal(s->line->ops->read(s->line, piece, 2, &length, &s->err), TP_OK);
    sends(s, "stop"); /* what was begun is completed */
    hears(s, "o,bye");
    end(s);
}

/* A device that is switched on and off: two repeats, one in the other. */
static void repeats_can_be_nested(void **state)
{
    struct stage *s =
        begin("repeat\n> on\n< ok,\nrepeat\n+1 < data,\nend\n> off\n< bye,\nend\n> quit\n");

    (void)state;
    for (int i = 0; i < 3; i++) {
        sends(s, "on");
        hears(s, "ok,");
        move(s, 2.5);
        hears(s, "data,data,");
        sends(s, "off");
        hears(s, "bye,");
    }
    sends(s, "quit");
    end(s);
    s = begin("repeat\nrepeat\n> a\nend\nend\n> b\n");
    sends(s, "aaa");
    sends(s, "b");
    end(s);
    s = begin("repeat\nrepeat\n> a\nend\nend\n> b\n");
    must_not_send(s, "c", TP_E_IO, "3: expected \"a\", got \"c\"");
    end(s);
    s = begin("repeat\nrepeat 2\n> a\nend\n> b\nend\n> c\n");
    sends(s, "aabaab");
    sends(s, "a");
    must_not_send(s, "b", TP_E_IO, "3: expected \"a\", got \"b\"");
    end(s);
    s = begin("repeat\n> a\nrepeat\n> b\nend\nend\n> c\n");
    sends(s, "abbbabc");
    end(s);
    s = begin("repeat\nrepeat\n+1 < x\nend\nend\n");
    must_not_send(s, "c", TP_E_IO, "5: expected nothing more, got \"c\"");
    end(s);
}

static void a_silence_swallows_everything(void **state)
{
    struct stage *s = begin("> a\nsilence 2\n< b\nsilence\n");

    (void)state;
    sends(s, "a");
    sends(s, "does anybody hear me?");
    hears(s, "");
    assert_int_equal(due_ms(s), 2000);
    move(s, 2);
    hears(s, "b");
    assert_int_equal(due_ms(s), -1);
    sends(s, "hello?");
    move(s, 1000000);
    hears(s, "");
    end(s);
}

static void a_hang_up_ends_reading_and_writing(void **state)
{
    struct stage *s = begin("> a\n< b\n+1 hang-up\n");
    char wanted[128];
    char byte;
    size_t length = 0;

    (void)state;
    sends(s, "a");
    hears(s, "b");
    hears(s, "");
    assert_int_equal(due_ms(s), 1000);
    move(s, 1);
    assert_int_equal(s->line->ops->read(s->line, &byte, 1, &length, &s->err), TP_E_CLOSED);
    snprintf(wanted, sizeof wanted, "script %s:3: the hardware hung up", s->path);
    assert_string_equal(s->err.text, wanted);
    must_not_send(s, "c", TP_E_CLOSED, "3: the hardware hung up");
    end(s);
}

static void a_driver_that_never_reads_is_stopped(void **state)
{
    struct stage *s = begin("repeat\n> a\n< 0123456789012345678901234567890123456789\nend\n");
    size_t length = 0;
    tp_status status = TP_OK;

    (void)state;
    for (int i = 0; i < 100000 && status == TP_OK; i++) {
        status = s->line->ops->write(s->line, "a", 1, &length, &s->err);
    }
    assert_int_equal(status, TP_E_LIMIT);
    end(s);
}

static void each_opening_begins_at_the_beginning(void **state)
{
    struct stage *s = begin("> a\n< b\n");

    (void)state;
    sends(s, "a");
    s->line->ops->close(s->line);
    assert_int_equal(open_script(s), TP_OK);
    sends(s, "a");
    hears(s, "b");
    end(s);
}

static void a_file_that_is_missing_or_wrong_is_told(void **state)
{
    struct stage s = {.path = "missing.script", .url = "script:missing.script"};

    (void)state;
    assert_int_equal(open_script(&s), TP_E_IO);
    assert_string_equal(s.err.text, "nowhere/missing.script: No such file or directory");
    s.path[0] = '\0';
    assert_int_equal(open_script(&s), TP_E_INVALID);
    assert_string_equal(s.err.text, "which file? script:FILE");
}

static tp_status play_all(void *context)
{
    struct stage *s = context;
    char got[64];
    size_t length = 0;
    tp_status status = open_script(s);

    if (status != TP_OK) {
        return status;
    }
    status = s->line->ops->write(s->line, "ab", 2, &length, &s->err);
    status =
        status == TP_OK ? s->line->ops->read(s->line, got, sizeof got, &length, &s->err) : status;
    s->line->ops->close(s->line);
    s->line = NULL;
    return status;
}

static void playing_without_memory_is_told(void **state)
{
    struct stage *s = begin("> a\n< an answer\n> b\n");

    (void)state;
    s->line->ops->close(s->line);
    memory_sweep(play_all, s);
    unlink(s->path);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say_who_sends_what),
        cmocka_unit_test(times_count_from_the_line_before),
        cmocka_unit_test(sections_are_repeated),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(answers_follow_what_is_written),
        cmocka_unit_test(answers_can_be_read_in_pieces),
        cmocka_unit_test(something_else_is_refused_and_shown),
        cmocka_unit_test(answers_come_in_their_time),
        cmocka_unit_test(time_can_pass_for_the_line_alone),
        cmocka_unit_test(who_does_not_wait_gets_the_answer_at_once),
        cmocka_unit_test(a_repeat_is_written_out),
        cmocka_unit_test(a_repeat_without_end_ends_when_something_else_is_written),
        cmocka_unit_test(a_stream_of_answers_is_ended_by_any_write),
        cmocka_unit_test(repeats_can_be_nested),
        cmocka_unit_test(a_silence_swallows_everything),
        cmocka_unit_test(a_hang_up_ends_reading_and_writing),
        cmocka_unit_test(a_driver_that_never_reads_is_stopped),
        cmocka_unit_test(each_opening_begins_at_the_beginning),
        cmocka_unit_test(a_file_that_is_missing_or_wrong_is_told),
        cmocka_unit_test(playing_without_memory_is_told),
    };

    return cmocka_run_group_tests_name("device/script", tests, NULL, NULL);
}
