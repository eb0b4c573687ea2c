/* owner_test.c - ports of an owner that is no driver instance: a loop, a bell and a script. */
#include "port/owner.h"
#include "support/loop_bench.h"

struct tool {
    struct bench *b; /* borrowed */
    tpi_port_setup setup;
    tpi_bell bell;
    atomic_bool ending;
    tpi_port_owner owner;
    const char *refusal;
    unsigned served;
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

static const tpi_port_owner_ops ops = {.refuses = refuses, .note = ignore};

static int begin(void **state)
{
    assert_int_equal(set_up(state), 0);
    tool = (struct tool){.b = *state};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tool_asks_and_reads, begin, end),
        cmocka_unit_test_setup_teardown(the_owner_says_whether_bytes_are_written, begin, end),
        cmocka_unit_test_setup_teardown(a_round_ends_when_the_owner_says_so, begin, end),
    };

    return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
