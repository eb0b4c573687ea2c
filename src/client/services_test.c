/* services_test.c - every service of the interface `player`, over TCP and inside the program: the
 * answers are the same. Only times and what names the connection may differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/inside.h"
#include "support/unit.h"
#include "troupe/client/player.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/server.h"

/* Far beyond anything that a server needs on a machine that is awake. */
#define PATIENCE (60 * TP_NS_PER_S)

/* Two equal servers: one has a client over TCP, the other one a client inside the program. */
enum { OVER_TCP, INSIDE, TRANSPORTS };

struct side {
    tp_server *server;
    tp_client *client;
    tp_status status; /* of the last request */
    tp_error err;
    tp_msg *answer; /* owned: its answer; NULL for none */
};

struct both {
    struct side sides[TRANSPORTS];
    bool asked[256]; /* by the code of the request */
};

static void connect_side(struct side *side, bool tcp)
{
    tp_client_options options = {.name = "test", .timeout_ns = PATIENCE};
    char url[64];
    unsigned robot;
    unsigned port = 0;

    if (tcp) {
        assert_true(tp_server_port(side->server, 0, &robot, &port));
        (void)snprintf(url, sizeof url, "tcp:127.0.0.1:%u", port);
        options.loop = tp_server_loop(side->server);
        assert_int_equal(tp_client_connect(&side->client, url, &options, &side->err), TP_OK);
    } else {
        assert_int_equal(tp_client_attach(&side->client, side->server, 0, &options, &side->err),
                         TP_OK);
    }
}

static int set_up(void **state)
{
    struct both *both = calloc(1, sizeof *both);
    tp_server_options options = {
        .path = "x.cfg",
        .text = "driver ( name \"fake\" provides [ \"position2d:0\" \"laser:0\" ] )",
        .any_port = true,
        .kit = &tp_full_kit};

    assert_non_null(both);
    for (int i = 0; i < TRANSPORTS; i++) {
        struct side *side = &both->sides[i];
        options.listen = i == OVER_TCP ? "127.0.0.1" : "";
        assert_int_equal(tp_server_create(&side->server, &options, &side->err), TP_OK);
        tp_server_begin(side->server);
        connect_side(side, i == OVER_TCP);
    }
    *state = both;
    return 0;
}

static int tear_down(void **state)
{
    struct both *both = *state;

    for (int i = 0; i < TRANSPORTS; i++) {
        tp_msg_unref(both->sides[i].answer);
        tp_client_destroy(both->sides[i].client);
        tp_server_destroy(both->sides[i].server);
    }
    free(both);
    return 0;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Names of the connection, and numbers that depend on how fast threads are. */
static bool may_differ(const tp_struct *of, const tp_field *field)
{
    static const struct {
        const tp_struct *of;
        const char *name;
    } fields[] = {
        {&tp_desc_client_stat, "name"},     {&tp_desc_client_stat, "name_count"},
        {&tp_desc_client_stat, "sent"},     {&tp_desc_client_stat, "received"},
        {&tp_desc_client_stat, "waiting"},  {&tp_desc_client_stat, "right"},
        {&tp_desc_auth_right, "right"},     {&tp_desc_device_stat, "published"},
        {&tp_desc_device_stat, "dropped"},  {&tp_desc_device_stat, "state"},
        {&tp_desc_panic_state, "who"},      {&tp_desc_panic_state, "who_count"},
        {&tp_desc_panic_state, "last_who"}, {&tp_desc_panic_state, "last_who_count"},
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i].of == of && strcmp(fields[i].name, field->name) == 0) {
            return true;
        }
    }
    return field->unit != NULL && strcmp(field->unit, "s") == 0;
}

static size_t size_of(const tp_field *field)
{
    static const size_t sizes[] = {
        [TP_TYPE_U8] = 1,  [TP_TYPE_I8] = 1,  [TP_TYPE_U16] = 2, [TP_TYPE_I16] = 2,
        [TP_TYPE_U32] = 4, [TP_TYPE_I32] = 4, [TP_TYPE_I64] = 8, [TP_TYPE_F32] = 4,
        [TP_TYPE_F64] = 8, [TP_TYPE_CHAR] = 1};

    return field->type == TP_TYPE_STRUCT ? field->of->size : sizes[field->type];
}

static const char *elements(const tp_field *field, const void *value)
{
    const char *at = (const char *)value + field->offset;

    return field->shape == TP_SHAPE_POINTER ? *(const char *const *)(const void *)at : at;
}

static void assert_same(const tp_struct *type, const void *a, const void *b);

static void assert_same_field(const tp_struct *type, const tp_field *field, const void *a,
                              const void *b)
{
    const uint32_t count = tp_field_count(field, a);
    const size_t size = size_of(field);

    if (count != tp_field_count(field, b)) {
        fail_msg("%s.%s: %u and %u elements", type->name, field->name, count,
                 tp_field_count(field, b));
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *first = elements(field, a) + i * size;
        const char *second = elements(field, b) + i * size;
        if (field->type == TP_TYPE_STRUCT) {
            assert_same(field->of, first, second);
        } else if (memcmp(first, second, size) != 0) {
            fail_msg("%s.%s[%u] differs", type->name, field->name, i);
        }
    }
}

static void assert_same(const tp_struct *type, const void *a, const void *b)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!may_differ(type, &type->fields[i])) {
            assert_same_field(type, &type->fields[i], a, b);
        }
    }
}

static void assert_same_header(const tp_msghdr *a, const tp_msghdr *b)
{
    assert_int_equal(a->addr.host, b->addr.host);
    assert_int_equal(a->addr.robot, b->addr.robot);
    assert_int_equal(a->addr.interf, b->addr.interf);
    assert_int_equal(a->addr.index, b->addr.index);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->subtype, b->subtype);
    assert_true(a->timestamp > 0 && b->timestamp > 0);
}

static void assert_same_answer(const struct both *both)
{
    const struct side *a = &both->sides[OVER_TCP];
    const struct side *b = &both->sides[INSIDE];

    assert_int_equal(a->status, b->status);
    assert_string_equal(a->err.text, b->err.text);
    assert_int_equal(a->answer != NULL, b->answer != NULL);
    if (a->answer != NULL) {
        assert_same_header(tp_msg_header(a->answer), tp_msg_header(b->answer));
        assert_ptr_equal(tp_msg_type(a->answer), tp_msg_type(b->answer));
        assert_same(tp_msg_type(a->answer), tp_msg_payload(a->answer), tp_msg_payload(b->answer));
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void ask(struct both *both, unsigned code, const void *value)
{
    both->asked[code] = true;
    for (int i = 0; i < TRANSPORTS; i++) {
        struct side *side = &both->sides[i];
        tp_msg_unref(side->answer);
        side->answer = NULL;
        side->err = (tp_error){0};
        side->status = tpi_client_ask(side->client, NULL, tpi_client_server_message(code), value,
                                      &side->answer, &side->err);
    }
}

/* Ask both servers, compare, and see that this is the answer that was meant. */
static void expect(struct both *both, unsigned code, const void *value, tp_status status,
                   const char *text)
{
    ask(both, code, value);
    assert_same_answer(both);
    assert_int_equal(both->sides[INSIDE].status, status);
    assert_string_equal(both->sides[INSIDE].err.text, text);
}

static const void *payload(const struct both *both)
{
    return tp_msg_payload(both->sides[INSIDE].answer);
}

static const tp_devaddr base = {.interf = TP_POSITION2D_CODE};
static const tp_devaddr laser = {.interf = TP_LASER_CODE};
static const tp_devaddr missing = {.interf = TP_LASER_CODE, .index = 7};

static void devices_are_listed_alike(struct both *both)
{
    expect(both, TP_PLAYER_REQ_DEVLIST, NULL, TP_OK, "");
    assert_int_equal(((const tp_device_devlist *)payload(both))->devices_count, 2);
    expect(both, TP_PLAYER_REQ_DEVICES, &(tp_device_page){.first = 1}, TP_OK, "");
    assert_int_equal(((const tp_device_page *)payload(both))->total, 2);
    expect(both, TP_PLAYER_REQ_DEVICES, &(tp_device_page){.first = 9}, TP_OK, "");
    expect(both, TP_PLAYER_REQ_DRIVERINFO, &(tp_device_driverinfo){.addr = laser}, TP_OK, "");
    const tp_device_driverinfo *info = payload(both);
    assert_string_equal(info->driver_name, "fake");
    assert_int_equal(info->addr.robot, 6665);
    expect(both, TP_PLAYER_REQ_DRIVERINFO, &(tp_device_driverinfo){.addr = missing}, TP_E_UNKNOWN,
           "there is no such device");
    expect(both, TP_PLAYER_REQ_NAMESERVICE, &(tp_device_nameservice_req){0}, TP_E_UNSUPPORTED,
           "the server does not know this request");
}

static void expect_access(struct both *both, tp_devaddr addr, uint8_t asked, uint8_t granted)
{
    expect(both, TP_PLAYER_REQ_DEV, &(tp_device_req){.addr = addr, .access = asked}, TP_OK, "");
    assert_int_equal(((const tp_device_req *)payload(both))->access, granted);
}

static void devices_are_opened_alike(struct both *both)
{
    expect_access(both, base, TP_OPEN_MODE, TP_OPEN_MODE);
    expect_access(both, laser, TP_EXCLUSIVE_MODE, TP_EXCLUSIVE_MODE);
    expect_access(both, laser, 99, TP_ERROR_MODE);
    expect_access(both, laser, TP_CLOSE_MODE, TP_CLOSE_MODE);
    expect_access(both, laser, TP_CLOSE_MODE, TP_ERROR_MODE);
    expect(both, TP_PLAYER_REQ_DEV, &(tp_device_req){.addr = missing, .access = TP_OPEN_MODE},
           TP_E_UNKNOWN, "there is no such device");
    expect(both, TP_PLAYER_REQ_RATE, &(tp_rate_req){base, 5}, TP_OK, "");
    expect(both, TP_PLAYER_REQ_RATE, &(tp_rate_req){base, -1}, TP_E_RANGE,
           "a rate is a number from 0 up");
    expect(both, TP_PLAYER_REQ_RATE, &(tp_rate_req){laser, 5}, TP_E_INVALID,
           "the device is not open");
    expect(both, TP_PLAYER_REQ_RATE, &(tp_rate_req){missing, 5}, TP_E_UNKNOWN,
           "there is no such device");
}

static void data_comes_alike(struct both *both)
{
    expect(both, TP_PLAYER_REQ_ADD_REPLACE_RULE, &(tp_add_replace_rule_req){-1, -1, -1, -1, 1},
           TP_OK, "");
    expect(both, TP_PLAYER_REQ_DATAMODE, &(tp_device_datamode_req){TP_DATAMODE_PULL}, TP_OK, "");
    expect(both, TP_PLAYER_REQ_DATA, NULL, TP_OK, "");
    expect(both, TP_PLAYER_REQ_DATAMODE, &(tp_device_datamode_req){9}, TP_OK, "");
    expect(both, TP_PLAYER_REQ_DATAMODE, &(tp_device_datamode_req){TP_DATAMODE_PUSH}, TP_OK, "");
}

/* The place of a vehicle is known when its first data has come from the driver's thread. */
static bool vehicle_is_known(const struct side *side)
{
    const tp_frame_list *list = tp_msg_payload(side->answer);
    bool known = false;

    for (uint32_t i = 0; i < list->frames_count; i++) {
        known = known || (list->frames[i].moves != 0 && list->frames[i].known != 0);
    }
    return known;
}

static void await_vehicles(struct both *both)
{
    do {
        ask(both, TP_PLAYER_REQ_FRAMES, NULL);
    } while (!vehicle_is_known(&both->sides[OVER_TCP]) || !vehicle_is_known(&both->sides[INSIDE]));
}

static void questions_are_answered_alike(struct both *both)
{
    static char name[] = "test";
    static char no_frame[] = "moon";
    const tp_transform_req moon = {
        .from_count = sizeof no_frame, .from = no_frame, .to_count = sizeof name, .to = name};

    expect(both, TP_PLAYER_REQ_HELLO,
           &(tp_hello){.version = 1,
                       .features = TP_HELLO_ERRORS | TP_HELLO_LEASES,
                       .name_count = sizeof name,
                       .name = name},
           TP_OK, "");
    assert_string_equal(((const tp_hello *)payload(both))->name, "troupe");
    expect(both, TP_PLAYER_REQ_STATISTICS, NULL, TP_OK, "");
    assert_int_equal(((const tp_statistics *)payload(both))->clients_count, 1);
    expect(both, TP_PLAYER_REQ_DEVICE_STATISTICS, &(tp_device_stat_page){.first = 1}, TP_OK, "");
    assert_int_equal(((const tp_device_stat_page *)payload(both))->devices_count, 1);
    expect(both, TP_PLAYER_REQ_DESCRIPTION, &(tp_description_page){.place = 7}, TP_OK, "");
    assert_int_equal(((const tp_description_page *)payload(both))->text_count, 0);
    await_vehicles(both);
    expect(both, TP_PLAYER_REQ_FRAMES, NULL, TP_OK, "");
    ask(both, TP_PLAYER_REQ_TRANSFORM, &moon);
    assert_same_answer(both);
    assert_int_equal(both->sides[INSIDE].status, TP_E_UNKNOWN);
    expect(both, TP_PLAYER_REQ_TRANSFORM, &(tp_transform_req){0}, TP_E_INVALID,
           "the name of a frame has 1 to 127 characters");
}

/* Drivers stop on their own threads. */
static void await_stops(struct both *both)
{
    bool owing = true;

    while (owing) {
        ask(both, TP_PLAYER_REQ_GET_PANIC, NULL);
        owing = false;
        for (int i = 0; i < TRANSPORTS; i++) {
            const tp_panic_state *panic = tp_msg_payload(both->sides[i].answer);
            owing = owing || panic->owing_count > 1;
        }
    }
}

static void panics_are_raised_and_reset_alike(struct both *both)
{
    static char why[] = "a cat";
    static char none[] = "";
    tp_panic_reset reset = {.epoch = 7, .key_count = 1, .key = none};

    expect(both, TP_PLAYER_REQ_RESET_PANIC, &reset, TP_E_INVALID, "there is no panic");
    expect(both, TP_PLAYER_REQ_PANIC, &(tp_panic){.why_count = sizeof why, .why = why}, TP_OK, "");
    await_stops(both);
    expect(both, TP_PLAYER_REQ_GET_PANIC, NULL, TP_OK, "");
    const tp_panic_state *panic = payload(both);
    assert_true(panic->active);
    assert_string_equal(panic->why, "a cat");
    reset.epoch = panic->epoch;
    expect(both, TP_PLAYER_REQ_RESET_PANIC, &(tp_panic_reset){.epoch = reset.epoch + 1},
           TP_E_INVALID, "there is another panic by now: its number is 1");
    expect(both, TP_PLAYER_REQ_RESET_PANIC, &reset, TP_OK, "");
    expect(both, TP_PLAYER_REQ_GET_PANIC, NULL, TP_OK, "");
    assert_false(((const tp_panic_state *)payload(both))->active);
}

static void rights_are_asked_alike(struct both *both)
{
    ask(both, TP_PLAYER_REQ_AUTH, &(tp_device_auth_req){0});
    assert_same_answer(both);
    ask(both, TP_PLAYER_REQ_CHALLENGE, NULL);
    assert_same_answer(both);
    assert_int_equal(both->sides[INSIDE].status, TP_E_UNSUPPORTED); /* there are no keys */
    ask(both, TP_PLAYER_REQ_PROVE, &(tp_auth_proof){.digest_count = TP_AUTH_DIGEST_LENGTH});
    assert_same_answer(both);
    assert_int_not_equal(both->sides[INSIDE].status, TP_OK);
    expect(both, TP_PLAYER_REQ_RIGHT, NULL, TP_OK, "");
    expect(both, TP_PLAYER_REQ_KICK, &(tp_kick){77}, TP_E_UNKNOWN, "there is no client 77");
    expect(both, TP_PLAYER_REQ_KICK, &(tp_kick){1}, TP_E_INVALID, "client 1 is the one that asks");
}

static void assert_all_were_asked(const struct both *both)
{
    for (uint32_t i = 0; i < tp_interface_player.message_count; i++) {
        const tp_message *message = &tp_interface_player.messages[i];
        if (message->kind == TP_KIND_REQUEST && !both->asked[message->code]) {
            fail_msg("%s is not compared", message->name);
        }
    }
}

/* One after the other, on the same servers: what one changes the next ones see. */
static void every_service_answers_alike(void **state)
{
    devices_are_listed_alike(*state);
    devices_are_opened_alike(*state);
    data_comes_alike(*state);
    questions_are_answered_alike(*state);
    panics_are_raised_and_reset_alike(*state);
    rights_are_asked_alike(*state);
    assert_all_were_asked(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_service_answers_alike, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
