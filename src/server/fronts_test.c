/* fronts_test.c - which fronts a server opens, where, and what a changed configuration does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/unit.h"
#include "troupe/interfaces/ptz.h"
#include "troupe/server.h"
#include "troupe/stream.h"

/* ---- Two fronts that count ------------------------------------------------------------------- */

static int opens;
static int closes;

struct door {
    tp_listener *listener; /* owned */
};

static void turn_away(void *context, tp_stream *stream)
{
    (void)context;
    tp_stream_close(stream);
}

static tp_status door_check(tp_front_instance *self, tp_error *err)
{
    if (tp_front_double(self, "width") > 2) {
        tp_front_blame(self, "width");
        return tp_fail(err, TP_E_RANGE, "width is over 2 m");
    }
    return TP_OK;
}

static tp_status door_open(tp_front_instance *self, tp_error *err)
{
    struct door *door = tp_front_state(self);

    opens++;
    if (tp_front_given(self, "colour")) {
        tp_front_note(self, tp_front_string(self, "colour"));
    }
    return tp_listener_open(&door->listener, tp_front_loop(self), tp_front_where(self)->address,
                            turn_away, self, err);
}

static void door_close(tp_front_instance *self)
{
    closes++;
    tp_listener_close(((struct door *)tp_front_state(self))->listener);
}

static unsigned door_bound(const tp_front_instance *self)
{
    return tp_listener_port(((const struct door *)tp_front_state(self))->listener);
}

static const char *const door_schemes[] = {"tcp", NULL};
static const char *const gate_schemes[] = {"tcp", "unix", NULL};
static const tp_param door_params[] = {
    {"width", "m", "1", "how wide"}, {"colour", NULL, "", "a text"}, {NULL, NULL, NULL, NULL}};

/* The port is that of a listener of the test. */
static tp_front door = {.abi = TP_FRONT_ABI,
                        .name = "door",
                        .summary = "one for all robots",
                        .state_size = sizeof(struct door),
                        .schemes = door_schemes,
                        .params = door_params,
                        .check = door_check,
                        .open = door_open,
                        .close = door_close,
                        .bound = door_bound};
static const tp_front gate = {.abi = TP_FRONT_ABI,
                              .name = "gate",
                              .summary = "one for each robot",
                              .state_size = sizeof(struct door),
                              .schemes = gate_schemes,
                              .open = door_open,
                              .close = door_close,
                              .bound = door_bound,
                              .flags = TP_FRONT_PER_ROBOT};
static const char *window_page(const tp_front_instance *self)
{
    (void)self;
    return "http";
}

/* Usual ones: for all devices, with a page; and for devices that there are not. */
static tp_front window = {.abi = TP_FRONT_ABI,
                          .name = "window",
                          .summary = "a page",
                          .state_size = sizeof(struct door),
                          .schemes = door_schemes,
                          .params = door_params,
                          .check = door_check,
                          .open = door_open,
                          .close = door_close,
                          .bound = door_bound,
                          .flags = TP_FRONT_NAMED,
                          .usual_for = "",
                          .page = window_page};
static tp_front hatch = {.abi = TP_FRONT_ABI,
                         .name = "hatch",
                         .summary = "for one kind of device",
                         .state_size = sizeof(struct door),
                         .schemes = door_schemes,
                         .open = door_open,
                         .close = door_close,
                         .bound = door_bound,
                         .flags = TP_FRONT_NAMED,
                         .usual_for = "laser"};
static const tp_front *const usual_fronts[] = {&window, &hatch, NULL};
static const tp_kit usual_kit = {.fronts = usual_fronts};
static const tp_front *const fronts[] = {&door, &gate, NULL};
static const tp_kit kit = {.fronts = fronts};

/* ---- A driver -------------------------------------------------------------------------------- */

static tp_status still_init(tp_instance *self, tp_error *err)
{
    static const tp_ptz_ops ops = {0};
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = tp_offer(self, &tp_interface_ptz, NULL, &ops, NULL, NULL, err);
    }
    return status;
}

static const tp_driver_ops still_ops = {.init = still_init};
static const tp_driver still = {
    .abi = TP_DRIVER_ABI, .name = "still", .ops = &still_ops, .flags = TP_DRIVER_ON_LOOP};
static const tp_driver *const drivers[] = {&still, NULL};

#define DEVICE "driver ( name \"still\" provides [ \"ptz:0\" ] )\n"
#define DEVICES "driver ( name \"still\" provides [ \"ptz:0\" \"7000:ptz:0\" ] )\n"

/* ---- Servers --------------------------------------------------------------------------------- */

static char text[1024];
static char notes[1024];

static void keep(void *context, const char *note)
{
    const size_t length = strlen(notes);

    (void)context;
    (void)snprintf(notes + length, sizeof notes - length, "%s%s", length == 0 ? "" : "; ", note);
}

static tp_server_options options_of(const char *configuration)
{
    notes[0] = '\0';
    opens = closes = 0;
    (void)snprintf(text, sizeof text, "%s", configuration);
    return (tp_server_options){.kit = &kit,
                               .drivers = drivers,
                               .path = "x.cfg",
                               .text = text,
                               .any_port = true,
                               .note = keep};
}

static tp_server *begin_with(const tp_server_options *options)
{
    tp_server *server = NULL;
    tp_error err = {0};

    if (tp_server_create(&server, options, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    tp_server_begin(server);
    return server;
}

static tp_server *begin(const char *configuration)
{
    const tp_server_options options = options_of(configuration);

    return begin_with(&options);
}

static void is_refused(const char *configuration, const char *why)
{
    const tp_server_options options = options_of(configuration);
    tp_server *server = NULL;
    tp_error err = {0};

    assert_true(tp_server_create(&server, &options, &err) < 0);
    assert_string_equal(err.text, why);
    assert_int_equal(opens, closes);
}

/* "door tcp 127.0.0.1 all, gate tcp 127.0.0.1 6665" */
static const char *list(const tp_server *server)
{
    static char out[512];
    size_t length = 0;
    tp_server_front front;

    out[0] = '\0';
    for (size_t i = 0; tp_server_front_at(server, i, &front); i++) {
        char robot[16] = "all";
        if (front.robot != TP_EVERY_ROBOT) {
            (void)snprintf(robot, sizeof robot, "%u", (unsigned)front.robot);
        }
        length += (size_t)snprintf(out + length, sizeof out - length, "%s%s %s %s %s",
                                   i == 0 ? "" : ", ", front.name, front.scheme,
                                   front.reach == TP_REACH_UNIX ? "-" : front.listen, robot);
    }
    return out;
}

static unsigned port_at(const tp_server *server, size_t i)
{
    tp_server_front front = {0};

    assert_true(tp_server_front_at(server, i, &front));
    return front.port;
}

static void turn_to(tp_server *server, const char *configuration, const char *wanted_notes)
{
    tp_error err = {0};

    notes[0] = '\0';
    opens = closes = 0;
    (void)snprintf(text, sizeof text, "%s", configuration);
    if (tp_server_reload(server, &err) != TP_OK) {
        fail_msg("%s", err.text);
    }
    while (strlen(notes) < strlen(wanted_notes)) { /* until what is removed has gone */
        tp_server_step(server, true);
    }
    assert_string_equal(notes, wanted_notes);
}

static void cannot_turn_to(tp_server *server, const char *configuration, const char *why)
{
    tp_error err = {0};

    opens = closes = 0;
    (void)snprintf(text, sizeof text, "%s", configuration);
    assert_true(tp_server_reload(server, &err) < 0);
    assert_string_equal(err.text, why);
}

/* A port that is taken, and will be free again. */
struct taken {
    tp_loop *loop;
    tp_listener *listener;
    unsigned port;
    char address[64];
};

static void take_port(struct taken *t)
{
    assert_int_equal(tp_loop_create(&t->loop, tp_clock_real(), NULL), TP_OK);
    assert_int_equal(
        tp_listener_open(&t->listener, t->loop, "tcp:127.0.0.1:0", turn_away, NULL, NULL), TP_OK);
    t->port = tp_listener_port(t->listener);
    (void)snprintf(t->address, sizeof t->address, "tcp:127.0.0.1:%u", t->port);
}

static void free_port(struct taken *t)
{
    tp_listener_close(t->listener);
    t->listener = NULL;
}

static void end_taking(struct taken *t)
{
    free_port(t);
    tp_loop_destroy(t->loop);
}

/* ---- Which are opened ------------------------------------------------------------------------ */

static void all_of_the_kit_open_by_default(void **state)
{
    tp_server *server = begin(DEVICES);

    (void)state;
    assert_string_equal(list(server), "door tcp 127.0.0.1 all, gate tcp 127.0.0.1 6665, "
                                      "gate tcp 127.0.0.1 7000");
    assert_true(port_at(server, 0) != 0);
    unsigned robot = 0;
    unsigned port = 0;
    assert_true(tp_server_port(server, 1, &robot, &port));
    assert_int_equal(robot, 7000);
    assert_int_equal(port, port_at(server, 2));
    tp_server_destroy(server);
    assert_int_equal(opens, 3);
    assert_int_equal(closes, 3);
    assert_string_equal(notes, "");
}

static void a_section_takes_the_place_of_the_default(void **state)
{
    (void)state;
    tp_server *server = begin(DEVICES "front ( name \"gate\" robot 7000 )\n"
                                      "front ( name \"door\" robot 6665 listen \"127.0.0.2\" )\n"
                                      "front ( name \"door\" )\n");
    assert_string_equal(list(server), "gate tcp 127.0.0.1 7000, door tcp 127.0.0.2 6665, "
                                      "door tcp 127.0.0.1 all");
    tp_server_destroy(server);
    server = begin(DEVICE "front ( name \"door\" enabled no )");
    assert_string_equal(list(server), "gate tcp 127.0.0.1 6665");
    tp_server_destroy(server);
    server = begin(DEVICE "front ( name \"door\" enabled no ) front ( name \"gate\" enabled no )");
    assert_string_equal(list(server), "");
    assert_string_equal(notes, "no front is open: clients cannot connect");
    tp_server_destroy(server);
}

static tp_server_options usual_options_of(const char *configuration)
{
    tp_server_options options = options_of(configuration);

    options.size = sizeof options;
    options.kit = &usual_kit;
    options.usual_fronts = true;
    return options;
}

static void usual_fronts_open_if_the_owner_wants_them_and_devices_are_there(void **state)
{
    tp_server_options options = usual_options_of(DEVICE);
    tp_server_front front = {0};

    (void)state;
    tp_server *server = begin_with(&options);
    assert_string_equal(list(server), "window tcp 127.0.0.1 all");
    assert_true(tp_server_front_at(server, 0, &front));
    assert_string_equal(front.page, "http");
    assert_int_equal(front.taken, 0);
    hatch.usual_for = "ptz";
    turn_to(server, DEVICE " ", "nothing has changed");
    assert_string_equal(list(server), "window tcp 127.0.0.1 all, hatch tcp 127.0.0.1 all");
    turn_to(server, DEVICE "front ( name \"hatch\" enabled no )", "removed front hatch");
    assert_string_equal(list(server), "window tcp 127.0.0.1 all");
    tp_server_destroy(server);
    options.no_page = true;
    (void)snprintf(text, sizeof text, "%s", DEVICE);
    server = begin_with(&options);
    assert_string_equal(list(server), "hatch tcp 127.0.0.1 all");
    tp_server_destroy(server);
    hatch.usual_for = "laser";
    options.usual_fronts = false;
    server = begin_with(&options);
    assert_string_equal(list(server), "");
    tp_server_destroy(server);
}

static void a_usual_front_gets_the_next_port_if_its_own_is_taken(void **state)
{
    tp_server_options options = usual_options_of(DEVICE);
    tp_server_front front = {0};
    struct taken taken;
    char section[160];
    char why[200];
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    take_port(&taken);
    window.port = taken.port;
    options.any_port = false;
    server = begin_with(&options);
    assert_true(tp_server_front_at(server, 0, &front));
    assert_int_equal(front.taken, taken.port);
    assert_in_range(front.port, taken.port + 1, taken.port + 20);
    assert_string_equal(notes, "");
    turn_to(server, DEVICE " ", "nothing has changed"); /* and it stays where it is */
    assert_int_equal(port_at(server, 0), front.port);
    tp_server_destroy(server);
    options = usual_options_of(DEVICE "front ( name \"window\" )");
    options.any_port = false;
    server = begin_with(&options);
    assert_in_range(port_at(server, 0), taken.port + 1, taken.port + 20);
    tp_server_destroy(server);
    (void)snprintf(section, sizeof section, DEVICE "front ( name \"window\" port %u )", taken.port);
    options = usual_options_of(section);
    options.any_port = false;
    assert_true(tp_server_create(&server, &options, &err) < 0);
    (void)snprintf(why, sizeof why,
                   "x.cfg:2:1: window: listen on %s: another program listens there", taken.address);
    assert_string_equal(err.text, why);
    end_taking(&taken);
}

static tp_status window_fails(tp_front_instance *self, tp_error *err)
{
    (void)self;
    opens++;
    return tp_fail(err, TP_E_IO, "the glass is broken");
}

static void a_usual_front_that_cannot_be_opened_is_left_out(void **state)
{
    tp_server_options options = usual_options_of(DEVICE);

    (void)state;
    window.open = window_fails;
    window.close = door_close;
    tp_server *server = begin_with(&options);
    assert_string_equal(list(server), "");
    assert_string_equal(notes, "the glass is broken; the front window is left out; "
                               "no front is open: clients cannot connect");
    tp_server_destroy(server);
    window.open = door_open;
}

static void without_a_network_none_opens_but_all_are_checked(void **state)
{
    tp_server_options options = options_of(DEVICE "front ( name \"door\" width 1 )");
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    options.listen = "";
    server = begin_with(&options);
    assert_int_equal(opens, 0);
    tp_server_destroy(server);
    options = options_of(DEVICE "front ( name \"door\" width \"wide\" )");
    options.listen = "";
    assert_true(tp_server_create(&server, &options, &err) < 0);
    assert_string_equal(err.text, "x.cfg:2:27: width is a number, not \"wide\"");
}

static void a_unix_socket_is_for_the_first_front_that_can(void **state)
{
    char path[] = "/tmp/troupe-fronts-XXXXXX";
    char socket[64];
    tp_server_options options = options_of(DEVICE);

    (void)state;
    assert_non_null(mkdtemp(path));
    (void)snprintf(socket, sizeof socket, "%s/s", path);
    options.listen = "";
    options.unix_path = socket;
    tp_server *server = begin_with(&options);
    assert_string_equal(list(server), "gate unix - 6665");
    tp_server_destroy(server);
    assert_int_equal(remove(path), 0);
}

static void clients_of_a_public_address_only_read(void **state)
{
    tp_server *server = begin(DEVICE "front ( name \"door\" listen \"0.0.0.0\" )");
    tp_server_front front = {0};

    (void)state;
    assert_true(tp_server_front_at(server, 0, &front));
    assert_int_equal(front.reach, TP_REACH_NETWORK);
    assert_int_equal(tp_server_guests(server, front.reach), TP_RIGHT_READ);
    assert_true(tp_server_front_at(server, 1, &front));
    assert_int_equal(front.reach, TP_REACH_LOOPBACK);
    assert_int_equal(tp_server_guests(server, front.reach), TP_RIGHT_MOVE);
    tp_server_destroy(server);
}

/* ---- Ports that are taken -------------------------------------------------------------------- */

static void a_default_front_whose_port_is_taken_is_left_out(void **state)
{
    struct taken taken = {0};
    char wanted[256];
    const char *configuration = DEVICE "front ( name \"gate\" enabled no )";
    tp_server_options options = options_of(configuration);

    (void)state;
    take_port(&taken);
    door.port = taken.port;
    options.any_port = false;
    tp_server *server = begin_with(&options);
    (void)snprintf(wanted, sizeof wanted,
                   "listen on %s: another program listens there; the front door is left out; "
                   "no front is open: clients cannot connect",
                   taken.address);
    assert_string_equal(notes, wanted);
    assert_int_equal(opens, 1);
    assert_int_equal(closes, 1);
    free_port(&taken);
    turn_to(server, configuration, "nothing has changed"); /* it opens when it can */
    assert_int_equal(opens, 1);
    tp_server_destroy(server);
    end_taking(&taken);
    door.port = 0;
}

static void a_front_with_a_section_or_of_robots_needs_its_port(void **state)
{
    struct taken taken = {0};
    char configuration[128];
    char wanted[256];
    tp_server_options options = options_of("");
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    take_port(&taken);
    (void)snprintf(configuration, sizeof configuration,
                   "front ( name \"gate\" enabled no )\nfront ( name \"door\" port %u )\n" DEVICE,
                   taken.port);
    options = options_of(configuration);
    options.any_port = false;
    assert_true(tp_server_create(&server, &options, &err) < 0);
    (void)snprintf(wanted, sizeof wanted,
                   "x.cfg:2:1: door: listen on %s: another program listens "
                   "there",
                   taken.address);
    assert_string_equal(err.text, wanted);
    options = options_of(DEVICE);
    options.any_port = false;
    options.port = taken.port;
    assert_int_equal(tp_server_create(&server, &options, &err), TP_E_EXISTS);
    (void)snprintf(wanted, sizeof wanted, "listen on %s: another program listens there",
                   taken.address);
    assert_string_equal(err.text, wanted);
    end_taking(&taken);
}

/* On an address that no other program uses, with a port that none gets meanwhile. */
static void a_port_of_the_same_server_is_named(void **state)
{
    struct taken taken = {0};
    tp_server *server = NULL;
    char wanted[256];
    char file[256];
    tp_error err = {0};

    (void)state;
    take_port(&taken);
    (void)snprintf(file, sizeof file,
                   DEVICE "front ( name \"door\" port %u )\n"
                          "front ( name \"gate\" robot %u )",
                   taken.port, taken.port);
    tp_server_options options = options_of(file);
    options.any_port = false;
    options.listen = "127.0.3.7";
    options.port = taken.port;
    assert_true(tp_server_create(&server, &options, &err) < 0);
    (void)snprintf(wanted, sizeof wanted,
                   "x.cfg:3:1: gate: listen on tcp:127.0.3.7:%u: the front door of this server "
                   "listens there",
                   taken.port);
    assert_string_equal(err.text, wanted);
    (void)snprintf(file, sizeof file,
                   "front ( name \"gate\" )\nfront ( name \"door\" port %u )\n" DEVICE, taken.port);
    (void)snprintf(text, sizeof text, "%s", file);
    assert_true(tp_server_create(&server, &options, &err) < 0);
    (void)snprintf(wanted, sizeof wanted,
                   "x.cfg:2:1: door: listen on tcp:127.0.3.7:%u: the front gate of this server "
                   "listens there for robot %u",
                   taken.port, taken.port);
    assert_string_equal(err.text, wanted);
    end_taking(&taken);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static void mistakes_are_named_with_their_place(void **state)
{
    (void)state;
    is_refused(
        DEVICE "front ( name \"doar\" )",
        "x.cfg:2:9: there is no front \"doar\"; did you mean \"door\"? Built in: door, gate");
    is_refused(DEVICE "front ( name \"xyz\" )",
               "x.cfg:2:9: there is no front \"xyz\"; built in: door, gate");
    is_refused(DEVICE "front ( port 1 )", "x.cfg:2:1: the front has no name");
    is_refused(DEVICE "front ( name \"door\" with 1 )",
               "x.cfg:2:21: the front door has no \"with\"; did you mean \"width\"?");
    is_refused(DEVICE "front ( name \"door\" zzzzzz 1 )",
               "x.cfg:2:21: the front door has no \"zzzzzz\"");
    is_refused(DEVICE "front ( name \"door\" part ( ) )",
               "x.cfg:2:21: the front door has no section \"part\"");
    is_refused(DEVICE "front ( name \"door\" port 70000 )",
               "x.cfg:2:21: port is a number from 0 to 65535");
    is_refused(DEVICE "front ( name \"door\" robot 0 )",
               "x.cfg:2:21: robot is a number from 1 to 65535");
    is_refused(DEVICE "front ( name \"door\" listen \"\" )",
               "x.cfg:2:21: listen is an address; \"enabled no\" closes a front");
    is_refused(DEVICE "front ( name \"gate\" port 7 )",
               "x.cfg:2:21: port needs robot: the front gate has one port for each robot");
    is_refused(DEVICE "front ( name \"door\" robot 7 )",
               "x.cfg:2:21: no device of this file belongs to robot 7");
    is_refused(DEVICE "front ( name \"door\" width 3 )", "x.cfg:2:21: door: width is over 2 m");
    is_refused(DEVICE "front ( name \"door\" listen \"256.1.1.1\" )",
               "x.cfg:2:1: door: listen on tcp:256.1.1.1:0: there is no such host");
}

static void units_and_notes_are_as_those_of_drivers(void **state)
{
    tp_server *server =
        begin("unit_length \"cm\"\n" DEVICE "front ( name \"door\" width 150 colour \"red\" )");

    (void)state;
    assert_string_equal(notes, "door: red");
    tp_server_destroy(server);
    is_refused("unit_length \"cm\"\n" DEVICE "front ( name \"door\" width 250 )",
               "x.cfg:3:21: door: width is over 2 m");
}

/* ---- Files that change ----------------------------------------------------------------------- */

static void only_what_changes_is_opened_and_closed(void **state)
{
    tp_server *server = begin(DEVICE "front ( name \"door\" width 1 )");
    const unsigned gate_port = port_at(server, 1);

    (void)state;
    turn_to(server, DEVICE "front ( width 1.0 name \"door\" )", "nothing has changed");
    assert_int_equal(opens + closes, 0);
    turn_to(server, DEVICE "front ( name \"door\" width 2 )",
            "removed front door; added front door");
    assert_int_equal(opens, 1);
    assert_int_equal(closes, 1);
    assert_int_equal(port_at(server, 0), gate_port);
    turn_to(server, DEVICE "front ( name \"door\" enabled no )", "removed front door");
    assert_string_equal(list(server), "gate tcp 127.0.0.1 6665");
    turn_to(server, DEVICE, "added front door");
    turn_to(server, DEVICE "front ( name \"door\" )", "nothing has changed");
    turn_to(server, DEVICES "front ( name \"door\" )",
            "removed still0 (ptz:0); added still1 (ptz:0, ptz:0)");
    assert_int_equal(opens, 1);
    assert_string_equal(list(server), "gate tcp 127.0.0.1 6665, door tcp 127.0.0.1 all, "
                                      "gate tcp 127.0.0.1 7000");
    tp_server_destroy(server);
}

static void a_changed_front_keeps_its_port_and_a_wrong_one_changes_nothing(void **state)
{
    struct taken taken = {0};
    char configuration[256];
    tp_server_options options = options_of("");

    (void)state;
    take_port(&taken);
    const unsigned port = taken.port;
    end_taking(&taken);
    (void)snprintf(configuration, sizeof configuration,
                   DEVICE "front ( name \"gate\" enabled no ) front ( name \"door\" port %u )",
                   port);
    options = options_of(configuration);
    options.any_port = false;
    tp_server *server = begin_with(&options);
    (void)snprintf(
        configuration, sizeof configuration,
        DEVICE "front ( name \"gate\" enabled no ) front ( name \"door\" width 2 port %u )", port);
    turn_to(server, configuration, "removed front door; added front door");
    assert_int_equal(port_at(server, 0), port);
    (void)snprintf(
        configuration, sizeof configuration,
        DEVICE "front ( name \"gate\" enabled no )\nfront ( name \"door\" width 3 port %u )", port);
    cannot_turn_to(server, configuration, "x.cfg:3:21: door: width is over 2 m");
    assert_int_equal(port_at(server, 0), port);
    assert_int_equal(opens, 0); /* the wrong one is only checked, and that comes first */
    assert_int_equal(closes, 0);
    tp_server_destroy(server);
    assert_int_equal(closes, 1);
}

static void a_front_that_cannot_open_leaves_the_port_to_the_one_before(void **state)
{
    struct taken taken = {0};
    char configuration[256];
    char wanted[256];
    tp_server_options options = options_of("");

    (void)state;
    take_port(&taken);
    const unsigned port = taken.port;
    end_taking(&taken);
    (void)snprintf(configuration, sizeof configuration,
                   DEVICE "front ( name \"gate\" enabled no ) front ( name \"door\" port %u )",
                   port);
    options = options_of(configuration);
    options.any_port = false;
    tp_server *server = begin_with(&options);
    (void)snprintf(configuration, sizeof configuration,
                   DEVICE "front ( name \"gate\" enabled no )\n"
                          "front ( name \"door\" listen \"192.0.2.1\" port %u )",
                   port);
    (void)snprintf(wanted, sizeof wanted,
                   "x.cfg:3:1: door: listen on tcp:192.0.2.1:%u: address not available", port);
    cannot_turn_to(server, configuration, wanted);
    assert_int_equal(port_at(server, 0), port);
    assert_int_equal(opens, 2); /* the wrong one, then the one before again */
    tp_server_destroy(server);
    assert_int_equal(closes, 3);
}

static void a_wrong_file_opens_nothing(void **state)
{
    tp_server *server = begin(DEVICE);

    (void)state;
    cannot_turn_to(server, DEVICES "front ( name \"door\" ) front ( name \"door\" width 3 )",
                   "x.cfg:2:43: door: width is over 2 m");
    assert_string_equal(list(server), "door tcp 127.0.0.1 all, gate tcp 127.0.0.1 6665");
    unsigned robot = 0;
    unsigned port = 0;
    assert_false(tp_server_port(server, 1, &robot, &port));
    turn_to(server, DEVICE, "nothing has changed");
    tp_server_destroy(server);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static tp_status create_and_destroy(void *context)
{
    const tp_server_options options =
        options_of(DEVICE "front ( name \"door\" width 1 ) front ( name \"gate\" robot 6665 )");
    tp_server *server = NULL;
    tp_error err = {0};
    const tp_status status = tp_server_create(&server, &options, &err);

    (void)context;
    tp_server_destroy(server);
    assert_int_equal(opens, closes);
    return status == TP_OK || strstr(err.text, "out of memory") == NULL ? status : TP_E_NOMEM;
}

static void a_server_without_memory_leaves_no_front(void **state)
{
    (void)state;
    memory_sweep(create_and_destroy, NULL);
}

/* Without a network, as `troupe check` has it. */
static void fronts_check_their_parameters_without_opening(void **state)
{
    tp_server_options options = options_of(DEVICE "front ( name \"door\" width 3 )");
    tp_server *server = NULL;
    tp_error err = {0};

    (void)state;
    options.listen = "";
    assert_true(tp_server_create(&server, &options, &err) < 0);
    assert_string_equal(err.text, "x.cfg:2:21: door: width is over 2 m");
    options = options_of(DEVICE "front ( name \"door\" width 3 enabled no )");
    options.listen = "";
    tp_server_destroy(begin_with(&options));
    assert_int_equal(opens + closes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_the_kit_open_by_default),
        cmocka_unit_test(a_section_takes_the_place_of_the_default),
        cmocka_unit_test(usual_fronts_open_if_the_owner_wants_them_and_devices_are_there),
        cmocka_unit_test(a_usual_front_gets_the_next_port_if_its_own_is_taken),
        cmocka_unit_test(a_usual_front_that_cannot_be_opened_is_left_out),
        cmocka_unit_test(without_a_network_none_opens_but_all_are_checked),
        cmocka_unit_test(a_unix_socket_is_for_the_first_front_that_can),
        cmocka_unit_test(clients_of_a_public_address_only_read),
        cmocka_unit_test(a_default_front_whose_port_is_taken_is_left_out),
        cmocka_unit_test(a_front_with_a_section_or_of_robots_needs_its_port),
        cmocka_unit_test(a_port_of_the_same_server_is_named),
        cmocka_unit_test(fronts_check_their_parameters_without_opening),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(units_and_notes_are_as_those_of_drivers),
        cmocka_unit_test(only_what_changes_is_opened_and_closed),
        cmocka_unit_test(a_changed_front_keeps_its_port_and_a_wrong_one_changes_nothing),
        cmocka_unit_test(a_front_that_cannot_open_leaves_the_port_to_the_one_before),
        cmocka_unit_test(a_wrong_file_opens_nothing),
        cmocka_unit_test(a_server_without_memory_leaves_no_front),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
