/* find_test.c - finding devices by what they are like, and properties as text. */
#include <math.h>

#include "client/find.h"
#include "support/client_bench.h"

#include "troupe/interfaces/ranger.h"

/* A robot: two position2d, three rangers, a laser of Player's kind, and a thing nobody knows. */
static const struct device {
    unsigned interf;
    unsigned index;
    const char *driver;
    double x;         /* unknown if it is not a number */
    double max_range; /* no such property if it is 0 */
    bool indoor;
    const char *maker;
} robot[] = {
    {TP_POSITION2D_CODE, 0, "wheels", 0, 0, false, NULL},
    {TP_RANGER_CODE, 0, "sonars", -0.2, 5, true, "acme"},
    {TP_RANGER_CODE, 1, "sick", 0.3, 80, false, "sick ag"},
    {TP_RANGER_CODE, 4, "urg", 0.1, 30, true, "hokuyo"},
    {TP_LASER_CODE, 0, "sick", NAN, 8, true, NULL},
    {777, 3, "odd", 0, 0, false, NULL},
};
enum { DEVICES = sizeof robot / sizeof robot[0] };

static const struct device *find_device(unsigned interf, unsigned index)
{
    for (size_t i = 0; i < DEVICES; i++) {
        if (robot[i].interf == interf && robot[i].index == index) {
            return &robot[i];
        }
    }
    return NULL;
}

/* ---- The server ------------------------------------------------------------------------------ */

static void reply(fake_server *server, const tp_msghdr *header, const tp_struct *type,
                  const void *value)
{
    fake_server_reply(server, header, TP_MSGTYPE_RESP_ACK, type, value);
}

static void refuse(fake_server *server, const tp_msghdr *header)
{
    fake_server_reply(server, header, TP_MSGTYPE_RESP_NACK, NULL, NULL);
}

static void list_devices(fake_server *server, const tp_msghdr *header)
{
    static tp_device_devlist list;

    list.devices_count = DEVICES;
    for (size_t i = 0; i < DEVICES; i++) {
        list.devices[i] =
            (tp_devaddr){.interf = (uint16_t)robot[i].interf, .index = (uint16_t)robot[i].index};
    }
    reply(server, header, &tp_desc_device_devlist, &list);
}

static void name_driver(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    tp_device_driverinfo info;

    tp_xdr_decode(&tp_desc_device_driverinfo, body, header->size, &info, sizeof info);
    const struct device *device = find_device(info.addr.interf, info.addr.index);
    strcpy(info.driver_name, device->driver);
    info.driver_name_count = (uint32_t)strlen(device->driver) + 1;
    reply(server, header, &tp_desc_device_driverinfo, &info);
}

static void tell_geometry(fake_server *server, const tp_msghdr *header, const struct device *device)
{
    static char parent[] = "base";
    static char frame[] = "sensor";
    tp_geometry geometry = {.known = TP_GEOMETRY_UNKNOWN};

    if (!isnan(device->x)) {
        geometry = (tp_geometry){.known = TP_GEOMETRY_CONFIGURED,
                                 .pose = {.px = device->x, .py = 1, .pz = 2},
                                 .size = {.sw = 3, .sl = 4, .sh = 5},
                                 .parent_count = sizeof parent,
                                 .parent = parent,
                                 .frame_count = sizeof frame,
                                 .frame = frame};
    }
    reply(server, header, &tp_desc_geometry, &geometry);
}

static void list_properties(fake_server *server, const tp_msghdr *header,
                            const struct device *device)
{
    static char keys[][12] = {"max_range", "indoor", "maker", "beams"};
    static char none[] = "";
    static const uint8_t types[] = {TP_PROPERTY_DOUBLE, TP_PROPERTY_BOOL, TP_PROPERTY_STRING,
                                    TP_PROPERTY_INT};
    tp_property properties[4];
    const tp_property_list list = {.properties_count = device->max_range > 0 ? 4 : 0,
                                   .properties = properties};

    for (size_t i = 0; i < 4; i++) {
        properties[i] = (tp_property){.type = types[i],
                                      .writable = 1,
                                      .key_count = (uint32_t)strlen(keys[i]) + 1,
                                      .key = keys[i],
                                      .unit_count = 1,
                                      .unit = none,
                                      .doc_count = 1,
                                      .doc = none};
    }
    reply(server, header, &tp_desc_property_list, &list);
}

/* The key of a property request: its length, twice, then its letters. */
static const char *key_of(const unsigned char *body)
{
    return (const char *)body + 8;
}

static void get_property(fake_server *server, const tp_msghdr *header, const unsigned char *body,
                         const struct device *device)
{
    const char *key = key_of(body);
    char text[64];
    char key_copy[16];

    strcpy(key_copy, key);
    if (header->subtype == TP_COMMON_REQ_GET_DBLPROP && strcmp(key, "max_range") == 0 &&
        device->max_range > 0) {
        const tp_dblprop_req answer = {10, key_copy, device->max_range};
        reply(server, header, &tp_desc_dblprop_req, &answer);
    } else if (header->subtype == TP_COMMON_REQ_GET_BOOLPROP && strcmp(key, "indoor") == 0) {
        const tp_boolprop_req answer = {7, key_copy, device->indoor};
        reply(server, header, &tp_desc_boolprop_req, &answer);
    } else if (header->subtype == TP_COMMON_REQ_GET_INTPROP && strcmp(key, "beams") == 0) {
        const tp_intprop_req answer = {6, key_copy, -361};
        reply(server, header, &tp_desc_intprop_req, &answer);
    } else if (header->subtype == TP_COMMON_REQ_GET_STRPROP && strcmp(key, "maker") == 0 &&
               device->maker != NULL) {
        strcpy(text, device->maker);
        const tp_strprop_req answer = {6, key_copy, (uint32_t)strlen(text) + 1, text};
        reply(server, header, &tp_desc_strprop_req, &answer);
    } else {
        refuse(server, header);
    }
}

static bool serve_server(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    switch (header->subtype) {
    case TP_PLAYER_REQ_DEVLIST:
        list_devices(server, header);
        return true;
    case TP_PLAYER_REQ_DRIVERINFO:
        name_driver(server, header, body);
        return true;
    default:
        return false;
    }
}

static bool serve_robot(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    const tp_ranger_geom own = {.pose = {.px = 7}, .size = {.sl = 8}};

    if (header->addr.interf == TP_PLAYER_CODE) {
        return serve_server(server, header, body);
    }
    const struct device *device = find_device(header->addr.interf, header->addr.index);
    if (header->subtype == TP_COMMON_REQ_GET_GEOMETRY && !server->plain) {
        tell_geometry(server, header, device);
    } else if (header->subtype == TP_COMMON_REQ_GET_PROPERTIES && !server->plain) {
        list_properties(server, header, device);
    } else if (header->addr.interf == TP_RANGER_CODE && header->subtype == TP_RANGER_REQ_GET_GEOM) {
        reply(server, header, &tp_desc_ranger_geom, &own);
    } else if (header->subtype >= TP_COMMON_REQ_SET_BOOLPROP && header->subtype % 2 == 0) {
        get_property(server, header, body, device);
    } else if (header->subtype >= TP_COMMON_REQ_SET_BOOLPROP) {
        return false; /* refused, but noted */
    } else {
        refuse(server, header);
    }
    return true;
}

static int set_up_robot(void **state)
{
    struct bench *b;

    set_up_connected(state);
    b = *state;
    b->server.handle = serve_robot;
    return 0;
}

static int set_up_plain_robot(void **state)
{
    struct bench *b;

    set_up_plain(state);
    b = *state;
    b->server.handle = serve_robot;
    return 0;
}

/* ---- Listing --------------------------------------------------------------------------------- */

static void devices_are_listed(void **state)
{
    struct bench *b = *state;
    tp_client_device *devices = NULL;
    size_t count = 0;

    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_OK);
    assert_int_equal(count, DEVICES);
    assert_string_equal(devices[0].name, "position2d:0");
    assert_string_equal(devices[0].driver, "wheels");
    assert_ptr_equal(devices[0].interface, &tp_interface_position2d);
    assert_string_equal(devices[3].name, "ranger:4");
    assert_string_equal(devices[3].driver, "urg");
    assert_string_equal(devices[5].name, "777:3");
    assert_null(devices[5].interface);
    free(devices);
}

/* ---- Finding --------------------------------------------------------------------------------- */

static void finds(struct bench *b, const char *interface, const char *wanted, const char *name)
{
    tp_proxy *proxy = NULL;
    tp_status status = tp_client_find(b->client, interface, wanted, TP_OPEN_MODE, &proxy, &b->err);

    assert_string_equal(status == TP_OK ? "" : b->err.text, "");
    assert_string_equal(tp_proxy_name(proxy), name);
    assert_ptr_equal(b->client->proxies, proxy); /* and all others are closed */
    assert_null(proxy->next);
    tp_proxy_close(proxy);
    turn(b);
    fake_server_log(&b->server);
}

static void finds_nothing(struct bench *b, const char *interface, const char *wanted,
                          tp_status status, const char *why)
{
    tp_proxy *proxy = NULL;

    assert_int_equal(tp_client_find(b->client, interface, wanted, TP_OPEN_MODE, &proxy, &b->err),
                     status);
    assert_string_equal(b->err.text, why);
    assert_null(b->client->proxies);
}

static void the_best_device_is_found(void **state)
{
    struct bench *b = *state;

    finds(b, "ranger", "", "ranger:0");
    finds(b, "ranger", "x > 0", "ranger:1");
    finds(b, "ranger", "x > 0, least x", "ranger:4");
    finds(b, "ranger", "most max_range", "ranger:1");
    finds(b, "ranger", "least max_range", "ranger:0");
    finds(b, "ranger", "indoor = yes, most max_range", "ranger:4");
    finds(b, "ranger", "most indoor, most max_range", "ranger:4");
    finds(b, "ranger", "maker = 'sick ag'", "ranger:1");
    finds(b, "ranger", "driver = urg", "ranger:4");
    finds(b, "ranger", "most index", "ranger:4");
    finds(b, "ranger", "index != 0, parent = base, frame = sensor, width=3, length=4, height=5",
          "ranger:1");
    finds(b, "ranger", "y = 1, z = 2, roll = 0, pitch = 0, yaw = 0, known = yes", "ranger:0");
    finds(b, "laser", "known = no", "laser:0");
    finds(b, "laser", "most nonsense", "laser:0");
}

static void only_devices_that_have_to_be_asked_are_opened(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;

    assert_int_equal(
        tp_client_find(b->client, "ranger", "driver = urg", TP_EXCLUSIVE_MODE, &proxy, &b->err),
        TP_OK);
    assert_sent(b, "server:214 server:213 open:62:4 access:19");
    tp_proxy_close(proxy);
    turn(b);
    fake_server_log(&b->server);
    assert_int_equal(
        tp_client_find(b->client, "ranger", "x > 0", TP_EXCLUSIVE_MODE, &proxy, &b->err), TP_OK);
    turn(b);
    char *log = strdup(fake_server_log(&b->server));
    assert_non_null(strstr(log, "open:62:1 access:16"));
    assert_non_null(strstr(log, "open:62:1 access:19 close:62:1"));
    free(log);
}

static void what_is_lacking_is_told(void **state)
{
    struct bench *b = *state;

    finds_nothing(b, "ranger", "x > 1", TP_E_UNKNOWN,
                  "no ranger meets \"x > 1\": ranger:0 has x = -0.2; ranger:1 has x = 0.3; "
                  "ranger:4 has x = 0.1");
    finds_nothing(b, "ranger", "x > 0, colour = red", TP_E_UNKNOWN,
                  "no ranger meets \"x > 0, colour = red\": ranger:0 has x = -0.2; "
                  "ranger:1 does not know its colour; it has max_range, indoor, maker, beams; "
                  "ranger:4 does not know its colour; it has max_range, indoor, maker, beams");
    finds_nothing(b, "laser", "nmae = front", TP_E_UNKNOWN,
                  "no laser meets \"nmae = front\": laser:0 does not know its nmae; did you mean "
                  "\"name\"?");
    finds_nothing(b, "ranger", "index = 0, widht > 1", TP_E_UNKNOWN,
                  "no ranger meets \"index = 0, widht > 1\": ranger:0 does not know its widht; did "
                  "you mean \"width\"?; ranger:1 has index = 1; ranger:4 has index = 4");
    finds_nothing(b, "laser", "x != 0", TP_E_UNKNOWN,
                  "no laser meets \"x != 0\": laser:0 does not know its x");
    finds_nothing(b, "camera", "", TP_E_UNKNOWN, "the server has no camera");
    finds_nothing(b, "rangr", "", TP_E_UNKNOWN,
                  "there is no interface \"rangr\"; did you mean \"ranger\"?");
    finds_nothing(b, "ranger", "x >", TP_E_SYNTAX, "column 4: expected a value, found the end");
    b->server.refuses_opening = true;
    finds_nothing(b, "laser", "x != 0", TP_E_UNKNOWN,
                  "no laser meets \"x != 0\": laser:0 cannot be opened");
}

static void player_is_asked_by_the_interfaces_own_request(void **state)
{
    struct bench *b = *state;

    finds(b, "ranger", "x = 7, length = 8", "ranger:0");
    finds(b, "ranger", "max_range > 50, indoor = no, maker != acme", "ranger:1");
    finds_nothing(b, "position2d", "x = 0", TP_E_UNKNOWN,
                  "no position2d meets \"x = 0\": position2d:0 does not know its x");
    finds_nothing(b, "laser", "parent = base", TP_E_UNKNOWN,
                  "no laser meets \"parent = base\": laser:0 does not know its parent");
}

/* ---- Many at once ---------------------------------------------------------------------------- */

enum { RANGERS = 3, ROUNDS = 50 }; /* more than are asked at once */

/* The rangers again and again; which of them meet the conditions, as letters. */
static tp_status ask_many(struct bench *b, const char *conditions, char *out)
{
    tp_client_device *devices = NULL;
    tpi_asked asked[RANGERS * ROUNDS] = {0};
    tpi_conditions wanted;
    size_t count = 0;

    assert_int_equal(tp_client_list(b->client, &devices, &count, &b->err), TP_OK);
    assert_int_equal(tpi_conditions_parse(&wanted, conditions, &b->err), TP_OK);
    turn(b);
    fake_server_log(&b->server);
    for (size_t i = 0; i < RANGERS * ROUNDS; i++) {
        asked[i].device = &devices[1 + i % RANGERS];
    }
    const tp_status status =
        tpi_client_meet(b->client, &wanted, asked, RANGERS * ROUNDS, NULL, &b->err);
    for (size_t i = 0; i < RANGERS * ROUNDS && status == TP_OK; i++) {
        assert_int_equal(asked[i].meets, asked[i % RANGERS].meets);
    }
    for (size_t i = 0; i < RANGERS; i++) {
        out[i] = asked[i].meets ? 'y' : 'n';
    }
    out[RANGERS] = '\0';
    tpi_conditions_fini(&wanted);
    free(devices);
    assert_null(b->client->proxies); /* all are closed */
    return status;
}

static void meet(struct bench *b, const char *conditions, const char *which)
{
    char found[RANGERS + 1];

    assert_int_equal(ask_many(b, conditions, found), TP_OK);
    assert_string_equal(found, which);
}

static void who_meets_conditions_is_known_of_all(void **state)
{
    struct bench *b = *state;

    meet(b, "", "yyy");
    meet(b, "driver = urg", "nny");
    meet(b, "max_range > 10", "nyy");
    meet(b, "indoor = yes, index > 0", "nny");
    meet(b, "maker = 'sick ag', max_range = 80", "nyn");
    meet(b, "colour = red", "nnn");
    meet(b, "x = 7, length = 8", b->client->troupe ? "nnn" : "yyy");
    meet(b, "x > 0", b->client->troupe ? "nyy" : "yyy");
    meet(b, "parent = base, known = yes", b->client->troupe ? "yyy" : "nnn");
    b->server.refuses_opening = true;
    meet(b, "max_range > 10", "nnn");
    meet(b, "driver = urg", "nny");
}

static unsigned count_of(const char *log, const char *what, const char *end)
{
    unsigned count = 0;

    for (log = strstr(log, what); log != NULL && log < end; log = strstr(log + 1, what)) {
        count++;
    }
    return count;
}

static void many_are_asked_at_once(void **state)
{
    struct bench *b = *state;

    meet(b, "x > 0", "nyy");
    turn(b);
    char *log = strdup(fake_server_log(&b->server));
    const char *first_close = strstr(log, "close:");
    assert_non_null(first_close);
    assert_int_equal(count_of(log, "open:", first_close), 64);
    assert_int_equal(count_of(log, "open:", log + strlen(log)), RANGERS * ROUNDS);
    assert_int_equal(count_of(log, "close:", log + strlen(log)), RANGERS * ROUNDS);
    free(log);
}

static bool hang_up_when_asked(fake_server *server, const tp_msghdr *header,
                               const unsigned char *body)
{
    if (header->addr.interf != TP_PLAYER_CODE) {
        fake_server_hang_up(server);
        return true;
    }
    return serve_robot(server, header, body);
}

static void a_server_that_goes_ends_it(void **state)
{
    struct bench *b = *state;
    char found[RANGERS + 1];

    b->server.handle = hang_up_when_asked;
    assert_int_equal(ask_many(b, "x > 0", found), TP_E_CLOSED);
    assert_memory_equal(b->err.text, "ranger:0: ", 10); /* closed or reset, as it comes */
}

static void nothing_is_asked_that_the_list_tells(void **state)
{
    struct bench *b = *state;

    meet(b, "driver = urg, index != 3", "nny");
    turn(b);
    assert_string_equal(fake_server_log(&b->server), "");
}

/* ---- Round trips ----------------------------------------------------------------------------- */

enum { CROWD = 300, LONGEST_BODY = 256 };

/* A server far away: what arrives in a turn of the loop is answered together, which is one round
 * trip. It has CROWD rangers. */
static struct {
    struct {
        tp_msghdr header;
        unsigned char body[LONGEST_BODY];
    } requests[2 * CROWD];
    size_t count;
    unsigned round_trips;
    fake_server *server;
    tp_after answer;
} far;

static void list_crowd(const tp_msghdr *header)
{
    static tp_device_devlist list;

    list.devices_count = CROWD;
    for (unsigned i = 0; i < CROWD; i++) {
        list.devices[i] = (tp_devaddr){.interf = TP_RANGER_CODE, .index = (uint16_t)i};
    }
    reply(far.server, header, &tp_desc_device_devlist, &list);
}

static void open_one(const tp_msghdr *header, const unsigned char *body)
{
    tp_device_req request;

    tp_xdr_decode(&tp_desc_device_req, body, header->size, &request, sizeof request);
    reply(far.server, header, &tp_desc_device_req, &request);
}

/* The ranger with the number i is i metres ahead, and the last two are equally far. */
static void answer_one(const tp_msghdr *header, const unsigned char *body)
{
    if (header->addr.interf == TP_RANGER_CODE) {
        const double x = header->addr.index < CROWD - 1 ? header->addr.index : CROWD - 2;
        const struct device device = {.x = x};
        tell_geometry(far.server, header, &device);
    } else if (header->subtype == TP_PLAYER_REQ_DEV) {
        open_one(header, body);
    } else if (header->subtype == TP_PLAYER_REQ_DRIVERINFO) {
        const tp_device_driverinfo info = {.driver_name_count = 1};
        reply(far.server, header, &tp_desc_device_driverinfo, &info);
    } else {
        list_crowd(header);
    }
}

static void answer_all(tp_after *after)
{
    (void)after;
    far.round_trips++;
    for (size_t i = 0; i < far.count; i++) {
        answer_one(&far.requests[i].header, far.requests[i].body);
    }
    far.count = 0;
}

static bool keep(fake_server *server, const tp_msghdr *header, const unsigned char *body)
{
    assert_true(far.count < 2 * CROWD && header->size <= LONGEST_BODY);
    far.server = server;
    far.requests[far.count].header = *header;
    memcpy(far.requests[far.count++].body, body, header->size);
    tp_loop_after(server->loop, &far.answer);
    return true;
}

/* Each device needs two, one after the other: it is opened and asked. Two more read the list. How
 * the machine cuts the stream of bytes can add a few. */
static void finding_takes_few_round_trips(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = NULL;
    const unsigned least = 2 + 2 * ((CROWD + 63) / 64);

    memset(&far, 0, sizeof far);
    far.answer.run = answer_all;
    b->server.handle = keep;
    assert_int_equal(
        tp_client_find(b->client, "ranger", "x > 2, most x", TP_OPEN_MODE, &proxy, &b->err), TP_OK);
    assert_string_equal(tp_proxy_name(proxy), "ranger:298"); /* the first of the last two */
    assert_ptr_equal(b->client->proxies, proxy);             /* and all others are closed */
    assert_null(proxy->next);
    assert_in_range(far.round_trips, least, 4 * least);
    tp_loop_after_cancel(b->loop, &far.answer);
}

/* ---- Properties ------------------------------------------------------------------------------ */

static void property_is(tp_proxy *proxy, const char *key, const char *wanted)
{
    char *value = NULL;
    tp_error err = {0};

    assert_string_equal((tp_proxy_get_property(proxy, key, &value, &err), err.text), "");
    assert_string_equal(value, wanted);
    free(value);
}

static void properties_are_texts(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "ranger:1");
    char *value = NULL;

    property_is(proxy, "max_range", "80");
    property_is(proxy, "indoor", "no");
    property_is(proxy, "maker", "sick ag");
    property_is(proxy, "beams", "-361");
    assert_int_equal(tp_proxy_get_property(proxy, "colour", &value, &b->err), TP_E_UNKNOWN);
    assert_string_equal(b->err.text,
                        tp_client_is_troupe(b->client)
                            ? "ranger:1 has no property \"colour\"; it has max_range, indoor, "
                              "maker, beams"
                            : "ranger:1 has no property \"colour\"");
    if (tp_client_is_troupe(b->client)) {
        assert_int_equal(tp_proxy_get_property(proxy, "beems", &value, &b->err), TP_E_UNKNOWN);
        assert_string_equal(b->err.text,
                            "ranger:1 has no property \"beems\"; did you mean \"beams\"?");
    }
}

static void sets(struct bench *b, tp_proxy *proxy, const char *key, const char *value,
                 const char *sent)
{
    fake_server_log(&b->server);
    assert_int_equal(tp_proxy_set_property(proxy, key, value, &b->err), TP_E_DEVICE);
    assert_true(fake_server_has(&b->server, sent));
}

static void does_not_set(struct bench *b, tp_proxy *proxy, const char *key, const char *value,
                         const char *why)
{
    fake_server_log(&b->server);
    assert_int_equal(tp_proxy_set_property(proxy, key, value, &b->err), TP_E_SYNTAX);
    assert_string_equal(b->err.text, why);
    assert_sent(b, "");
}

static void properties_are_set_by_their_kind(void **state)
{
    struct bench *b = *state;
    tp_proxy *proxy = open_device(b, "ranger:1");

    sets(b, proxy, "max_range", "2.5e1", "req:62:1:251");
    sets(b, proxy, "indoor", "yes", "req:62:1:247");
    sets(b, proxy, "maker", "", "req:62:1:249");
    sets(b, proxy, "beams", "12", "req:62:1:253");
    does_not_set(b, proxy, "max_range", "far",
                 "ranger:1: property \"max_range\" is a number, not \"far\"");
    does_not_set(b, proxy, "beams", "2.5",
                 "ranger:1: property \"beams\" is a whole number, not \"2.5\"");
    does_not_set(b, proxy, "beams", "2147483648",
                 "ranger:1: property \"beams\" is a whole number, not \"2147483648\"");
    does_not_set(b, proxy, "indoor", "maybe",
                 "ranger:1: property \"indoor\" is yes or no, not \"maybe\"");
    assert_int_equal(tp_proxy_set_property(proxy, "colour", "red", &b->err), TP_E_UNKNOWN);
}

int main(void)
{
#define OURS(name) cmocka_unit_test_setup_teardown(name, set_up_robot, tear_down)
#define PLAIN(name) cmocka_unit_test_setup_teardown(name, set_up_plain_robot, tear_down)
    const struct CMUnitTest tests[] = {
        OURS(devices_are_listed),
        PLAIN(devices_are_listed),
        OURS(the_best_device_is_found),
        OURS(only_devices_that_have_to_be_asked_are_opened),
        OURS(what_is_lacking_is_told),
        PLAIN(player_is_asked_by_the_interfaces_own_request),
        OURS(who_meets_conditions_is_known_of_all),
        PLAIN(who_meets_conditions_is_known_of_all),
        OURS(many_are_asked_at_once),
        OURS(a_server_that_goes_ends_it),
        OURS(nothing_is_asked_that_the_list_tells),
        OURS(finding_takes_few_round_trips),
        OURS(properties_are_texts),
        PLAIN(properties_are_texts),
        OURS(properties_are_set_by_their_kind),
        PLAIN(properties_are_set_by_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
