/* owner_test.c - ports of an owner that is no driver instance: a loop, a bell, and a script or a
 * line that notes what is written. */
#include "port/owner.h"

#include <stdlib.h>
#include <string.h>

#include "support/loop_bench.h"

struct tool {
    struct bench *b; /* borrowed */
    tpi_port_setup setup;
    tpi_bell bell;
    atomic_bool ending;
    tpi_port_owner owner;
    const char *refusal;
    unsigned served;
    unsigned stopped; /* lines that came back */
    bool is_cut;      /* lines take nothing */
    char noted[256];  /* what was written to lines that note it, '/' for each opening */
};

static struct tool tool;

static const char *refuses(const tpi_port_owner *owner)
{
    assert_ptr_equal(owner, &tool.owner);
    return tool.refusal;
}

static void ignore(tpi_port_owner *owner, const char *text)
{
    (void)owner;
    (void)text;
}

static void stopped(tpi_port_owner *owner)
{
    assert_ptr_equal(owner, &tool.owner);
    tool.stopped++;
}

static const tpi_port_owner_ops ops = {.refuses = refuses, .note = ignore, .stopped = stopped};

/* ---- A line that notes what is written ------------------------------------------------------- */

static tp_status hear_nothing(tpi_line *line, void *bytes, size_t size, size_t *length,
                              tp_error *err)
{
    (void)line;
    (void)bytes;
    (void)size;
    (void)err;
    *length = 0;
    return TP_OK;
}

static tp_status note_bytes(tpi_line *line, const void *bytes, size_t size, size_t *length,
                            tp_error *err)
{
    if (tool.is_cut) {
        return tp_fail(err, TP_E_CLOSED, "%s: it is cut", line->url);
    }
    strncat(tool.noted, bytes, size);
    *length = size;
    return TP_OK;
}

static int64_t never(const tpi_line *line)
{
    (void)line;
    return TP_NEVER;
}

static void close_noted(tpi_line *line)
{
    free(line);
}

static tp_status open_noted(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    static const tpi_line_ops line_ops = {
        .read = hear_nothing, .write = note_bytes, .due_ns = never, .close = close_noted};

    (void)err;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    **out = (tpi_line){.ops = &line_ops, .url = plan->url, .fd = -1};
    strcat(tool.noted, "/");
    return TP_OK;
}

static const tp_scheme noted_scheme = {"noted", open_noted};
static const tp_scheme *const schemes[] = {&noted_scheme, NULL};

static int begin(void **state)
{
    assert_int_equal(set_up(state), 0);
    tool = (struct tool){.b = *state};
    tool.setup.schemes = schemes;
    tool.setup.folder = TEST_ROOT "/tests/data/";
    assert_int_equal(tpi_bell_init(&tool.bell, NULL), TP_OK);
    tool.owner = (tpi_port_owner){.ops = &ops,
                                  .setup = &tool.setup,
                                  .loop = tool.b->loop,
                                  .name = "tool",
                                  .bell = &tool.bell,
                                  .ending = &tool.ending};
    return 0;
}

static int end(void **state)
{
    tpi_ports_close(&tool.owner);
    tpi_bell_fini(&tool.bell);
    return tear_down(state);
}

static tp_port *open_port(void)
{
    tp_port *port = NULL;
    tp_error err = {0};
    const tp_status status =
        tpi_port_open(&port, &tool.owner, "script:owner.script", NULL, TP_NEVER, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    return port;
}

static void a_tool_asks_and_reads(void **state)
{
    tp_port *port = open_port();
    char text[16];
    size_t length = 0;

    (void)state;
    assert_int_equal(tp_port_printf(port, NULL, "?\n"), TP_OK);
    assert_int_equal(tp_port_read_until(port, text, sizeof text, '\n', &length, TP_NEVER, NULL),
                     TP_OK);
    assert_string_equal(text, "tool\n");
}

static void the_owner_says_whether_bytes_are_written(void **state)
{
    tp_port *port = open_port();
    tp_error err = {0};

    (void)state;
    tool.refusal = "not now";
    assert_int_equal(tp_port_write(port, "?\n", 2, &err), TP_E_DENIED);
    assert_string_equal(err.text, "script:owner.script: not now");
    tool.refusal = NULL;
    assert_int_equal(tp_port_write(port, "?\n", 2, &err), TP_OK);
}

/* Stops the round. */
static bool serve(void *context, tp_port *port)
{
    (void)context;
    (void)port;
    tool.served++;
    return false;
}

static void a_round_ends_when_the_owner_says_so(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tp_port *port = open_port();
        tp_port_watch(port, true);
        assert_int_equal(tp_port_write(port, "?\n", 2, NULL), TP_OK);
    }
    assert_true(tpi_ports_due_ns(&tool.owner) <= tool.b->now_ns);
    tpi_ports_serve(&tool.owner, serve, NULL);
    assert_int_equal(tool.served, 1);
    tpi_ports_serve(&tool.owner, serve, NULL);
    assert_int_equal(tool.served, 2);
}

/* ---- Lines that come back -------------------------------------------------------------------- */

static tp_status open_line(const char *url, tp_port **out, tp_error *err)
{
    return tpi_port_open(out, &tool.owner, url, NULL, TP_NEVER, err);
}

/* Open a line, give its stop bytes, and lose it. */
static void lose_line(const char *url, const char *stop)
{
    tp_port *port = NULL;

    assert_int_equal(open_line(url, &port, NULL), TP_OK);
    assert_int_equal(tp_port_guard(port, stop, strlen(stop), NULL), TP_OK);
    assert_int_equal(tp_port_write(port, "go", 2, NULL), TP_OK);
    tp_port_close(port);
    tpi_ports_lost(&tool.owner);
}

static void a_line_that_was_lost_is_stopped_first(void **state)
{
    tp_port *port = NULL;

    (void)state;
    lose_line("noted:a", "STOP");
    tool.refusal = "there is a panic";
    for (unsigned i = 0; i < 2; i++) { /* until the hardware works */
        assert_int_equal(open_line("noted:a", &port, NULL), TP_OK);
        assert_int_equal(tp_port_write(port, "go", 2, NULL), TP_E_DENIED);
        tp_port_close(port);
    }
    assert_string_equal(tool.noted, "/go/STOP/STOP");
    assert_int_equal(tool.stopped, 2);
    tpi_ports_work(&tool.owner);
    assert_int_equal(open_line("noted:a", &port, NULL), TP_OK);
    assert_string_equal(tool.noted, "/go/STOP/STOP/");
}

static void each_line_has_its_own_stop_bytes(void **state)
{
    tp_port *port = NULL;

    (void)state;
    lose_line("noted:a", "A");
    tpi_ports_work(&tool.owner);
    lose_line("noted:b", "B");
    tool.noted[0] = '\0';
    assert_int_equal(open_line("noted:c", &port, NULL), TP_OK);
    assert_int_equal(open_line("noted:a", &port, NULL), TP_OK);
    assert_int_equal(open_line("noted:b", &port, NULL), TP_OK);
    assert_string_equal(tool.noted, "//A/B");
}

static void a_line_that_takes_no_stop_is_not_opened(void **state)
{
    tp_port *port = NULL;
    tp_error err = {0};

    (void)state;
    lose_line("noted:a", "STOP");
    tool.is_cut = true;
    assert_int_equal(open_line("noted:a", &port, &err), TP_E_CLOSED);
    assert_string_equal(err.text, "open noted:a: noted:a: it is cut");
    assert_int_equal(tool.stopped, 0);
    tool.is_cut = false;
    assert_int_equal(open_line("noted:a", &port, &err), TP_OK);
    assert_string_equal(tool.noted, "/go//STOP");
}

static void stop_bytes_of_the_section_come_first_too(void **state)
{
    tp_port *port = NULL;

    (void)state;
    tool.owner.guard = "HALT";
    tool.owner.guard_length = 4;
    lose_line("noted:a", "STOP");
    assert_int_equal(open_line("noted:a", &port, NULL), TP_OK);
    assert_string_equal(tool.noted, "/go/HALT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tool_asks_and_reads, begin, end),
        cmocka_unit_test_setup_teardown(the_owner_says_whether_bytes_are_written, begin, end),
        cmocka_unit_test_setup_teardown(a_round_ends_when_the_owner_says_so, begin, end),
        cmocka_unit_test_setup_teardown(a_line_that_was_lost_is_stopped_first, begin, end),
        cmocka_unit_test_setup_teardown(each_line_has_its_own_stop_bytes, begin, end),
        cmocka_unit_test_setup_teardown(a_line_that_takes_no_stop_is_not_opened, begin, end),
        cmocka_unit_test_setup_teardown(stop_bytes_of_the_section_come_first_too, begin, end),
    };

    return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
