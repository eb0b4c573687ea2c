/*
 * many_test.c - a configuration of very many sections: each device is there, and reading the file
 * again takes over or exchanges them all.
 *
 * No limit here is one of the wall clock. What needs work for each pair of sections, let alone
 * more, would not come to an end while anybody waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "server/inside.h"
#include "support/unit.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/server.h"

enum { MANY = 20000 };

static unsigned inits;

static tp_status link_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};
    tp_link *link = NULL;
    tp_status status = tp_offer(self, &tp_interface_ptz, NULL, &ops, NULL, NULL, err);

    inits++;
    return status == TP_OK && tp_requires_count(self) > 0
               ? tp_require(self, &tp_interface_ptz, NULL, &link, err)
               : status;
}

static const tp_param link_params[] = {{"label", NULL, "", "a text"}, {NULL, NULL, NULL, NULL}};
static const tp_driver_ops link_ops = {.init = link_init};
static const tp_driver link_driver = {.abi = TP_DRIVER_ABI,
                                      .name = "link",
                                      .summary = "one of a tree",
                                      .params = link_params,
                                      .ops = &link_ops,
                                      .flags = TP_DRIVER_ON_LOOP};
static const tp_driver *const drivers[] = {&link_driver, NULL};

/* A tree: each requires another one before it, and sits in it. */
static void write_tree(tpi_buf *text, const char *label)
{
    text->length = 0;
    for (unsigned i = 0; i < MANY; i++) {
        tpi_buf_printf(text, "driver ( name \"link\" provides [ \"ptz:%u\" ] label \"%s\"", i,
                       label);
        if (i > 0) {
            tpi_buf_printf(text,
                           " requires [ \"ptz:%u\" ] geometry ( frame \"f%u\" parent \"f%u\" )",
                           i / 2, i, i / 2);
        }
        tpi_buf_puts(text, " )\n");
    }
    assert_false(text->failed);
}

static void reload(tp_server *server)
{
    tp_error err = {0};

    assert_int_equal(tp_server_reload(server, &err), TP_OK);
    while (server->reloading) {
        tp_server_step(server, true);
    }
    assert_int_equal(tp_server_device_count(server), MANY);
}

static void very_many_sections_are_read_and_exchanged(void **state)
{
    tpi_buf text = {0};
    tp_server *server = NULL;
    tp_error err = {0};
    char name[64];

    (void)state;
    write_tree(&text, "a");
    tp_server_options options = {
        .drivers = drivers, .path = "x.cfg", .text = tpi_buf_text(&text), .listen = ""};
    assert_int_equal(tp_server_create(&server, &options, &err), TP_OK);
    assert_int_equal(tp_server_device_count(server), MANY);
    snprintf(name, sizeof name, "link%d", MANY - 1);
    assert_string_equal(tp_instance_name(tp_device_instance(tp_server_device_at(server, MANY - 1))),
                        name);
    assert_int_equal(inits, MANY);
    reload(server);
    assert_int_equal(inits, MANY);
    write_tree(&text, "b");
    server->options.text = tpi_buf_text(&text);
    reload(server);
    assert_int_equal(inits, 2 * MANY);
    tp_server_destroy(server);
    tpi_buf_fini(&text);
}

/* ---- While the server serves ----------------------------------------------------------------- */

extern const tp_driver tp_driver_fake;
extern const tp_driver tp_driver_sim;

enum { SECTIONS = 2000, LONGEST_TURN_NS = 20 * TP_NS_PER_MS };

/* The time for which this thread has had a processor: other programs do not count. */
static int64_t busy_ns(void)
{
    struct timespec at;

    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at), 0);
    return at.tv_sec * TP_NS_PER_S + at.tv_nsec;
}

static void write_sections(tpi_buf *text, int rate)
{
    text->length = 0;
    tpi_buf_puts(text, "driver ( name \"fake\" provides [ \"laser:0\" ] )\n");
    for (unsigned i = 0; i < SECTIONS && rate > 0; i++) {
        tpi_buf_printf(text, "driver ( name \"fake\" provides [ \"ptz:%u\" ] rate %d )\n", i, rate);
    }
    assert_false(text->failed);
}

static void note_end(void *context, tp_status status, const tp_error *err)
{
    (void)err;
    assert_int_equal(status, TP_OK);
    *(bool *)context = true;
}

/* The most time that a turn of the loop takes until the reload is over. */
static int64_t longest_turn_ns(tp_server *server)
{
    int64_t longest_ns = 0;
    bool ended = false;

    tp_server_reload_later(server, note_end, &ended);
    while (!ended) {
        const int64_t begun_ns = busy_ns();
        tp_server_step(server, true);
        const int64_t turn_ns = busy_ns() - begun_ns;
        longest_ns = turn_ns > longest_ns ? turn_ns : longest_ns;
    }
    return longest_ns;
}

/* The same change on the loop's own thread, all at once: what a turn would take without the thread
 * and the portions. */
static int64_t whole_ns(tp_server *server)
{
    tp_error err = {0};
    const int64_t begun_ns = busy_ns();

    assert_int_equal(tp_server_reload(server, &err), TP_OK);
    return busy_ns() - begun_ns;
}

static void no_turn_of_the_loop_is_long_during_a_reload(void **state)
{
    static const tp_driver *const fakes[] = {&tp_driver_fake, NULL};
    static const int rates[] = {5, 6, 0}; /* all come, change, and go */
    tpi_buf text = {0};
    tp_server *server = NULL;
    tp_error err = {0};
    int64_t longest_ns = 0;

    (void)state;
    write_sections(&text, 0);
    tp_server_options options = {
        .drivers = fakes, .path = "x.cfg", .text = tpi_buf_text(&text), .listen = ""};
    assert_int_equal(tp_server_create(&server, &options, &err), TP_OK);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        write_sections(&text, rates[i]);
        server->options.text = tpi_buf_text(&text);
        const int64_t turn_ns = longest_turn_ns(server);
        longest_ns = turn_ns > longest_ns ? turn_ns : longest_ns;
        assert_int_equal(tp_server_device_count(server), rates[i] > 0 ? SECTIONS + 1 : 1);
    }
    write_sections(&text, 7);
    server->options.text = tpi_buf_text(&text);
    const int64_t control_ns = whole_ns(server);
    print_message("# the longest turn: %.1f ms, all in one turn: %.1f ms\n",
                  (double)longest_ns / (double)TP_NS_PER_MS,
                  (double)control_ns / (double)TP_NS_PER_MS);
    assert_true(longest_ns <= LONGEST_TURN_NS);
    assert_true(control_ns > 4 * longest_ns);
    tp_server_destroy(server);
    tpi_buf_fini(&text);
}

/* A world that takes long to load. */
static void write_world(const char *path)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (unsigned i = 0; i < 20000; i++) {
        (void)fprintf(file, "model ( pose [%g %g 0 %u] size [0.3 0.2 1] )\n", i % 150 * 0.5,
                      i / 150 * 0.5, i % 90);
    }
    (void)fputs("position ( name \"r\" pose [-5 -5 0 0] )\n", file);
    assert_int_equal(fclose(file), 0);
}

static void no_turn_of_the_loop_is_long_while_a_world_is_loaded(void **state)
{
    static const tp_driver *const both[] = {&tp_driver_fake, &tp_driver_sim, NULL};
    static const char fake[] = "driver ( name \"fake\" provides [ \"laser:0\" ] )\n";
    char path[] = "/tmp/troupe-many-XXXXXX";
    char world[256];
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_world(path);
    (void)snprintf(world, sizeof world, "%sdriver ( name \"sim\" worldfile \"%s\" sleep yes )\n",
                   fake, path);
    tp_server_options options = {.drivers = both, .path = "x.cfg", .text = fake, .listen = ""};
    assert_int_equal(tp_server_create(&server, &options, &err), TP_OK);
    server->options.text = world;
    int64_t longest_ns = longest_turn_ns(server);
    assert_true(tp_server_device_count(server) > 1);
    server->options.text = fake;
    const int64_t leaving_ns = longest_turn_ns(server);
    longest_ns = leaving_ns > longest_ns ? leaving_ns : longest_ns;
    assert_int_equal(tp_server_device_count(server), 1);
    server->options.text = world;
    const int64_t control_ns = whole_ns(server);
    print_message("# the longest turn: %.1f ms, all in one turn: %.1f ms\n",
                  (double)longest_ns / (double)TP_NS_PER_MS,
                  (double)control_ns / (double)TP_NS_PER_MS);
    assert_true(longest_ns <= LONGEST_TURN_NS);
    assert_true(control_ns > longest_ns);
    tp_server_destroy(server);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_turn_of_the_loop_is_long_during_a_reload),
        cmocka_unit_test(no_turn_of_the_loop_is_long_while_a_world_is_loaded),
        cmocka_unit_test(very_many_sections_are_read_and_exchanged),
    };

    return cmocka_run_group_tests_name("server/many", tests, NULL, NULL);
}
