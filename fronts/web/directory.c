/*
 * directory.c - the devices, their numbers, and what is advertised of them.
 *
 * A device gets a number when it is first seen, and the same one when it comes back. Ids of
 * channels and services follow from the number and the code of the message. What new clients are
 * told is made once and shared.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { MOST_DEVICES = 1 << 20 };

/* ---- Devices --------------------------------------------------------------------------------- */

const struct web_device *tpi_web_device_numbered(const struct web_front *front, uint32_t number)
{
    const bool there =
        number > 0 && number <= front->device_count && front->devices[number - 1].present;

    return there ? &front->devices[number - 1] : NULL;
}

/* `hint` is where it may be: the server lists its devices in the same order every time. */
static struct web_device *find(const struct web_front *front, const tp_devaddr *addr, size_t hint)
{
    if (hint < front->device_count && same_address(&front->devices[hint].addr, addr)) {
        return &front->devices[hint];
    }
    for (size_t i = 0; i < front->device_count; i++) {
        if (same_address(&front->devices[i].addr, addr)) {
            return &front->devices[i];
        }
    }
    return NULL;
}

const struct web_device *tpi_web_device_at(const struct web_front *front, const tp_devaddr *addr,
                                           uint32_t *number)
{
    const struct web_device *device = find(front, addr, number != NULL ? *number : 0);

    assert(front_is_current(front));
    if (device == NULL || !device->present) {
        return NULL;
    }
    if (number != NULL) {
        *number = (uint32_t)(device - front->devices) + 1;
    }
    return device;
}

/* The first device with this interface and index, of any robot if `robot` is 0. */
static const struct web_device *find_named(const struct web_front *front, unsigned robot,
                                           const char *interface, unsigned index)
{
    for (size_t i = 0; i < front->device_count; i++) {
        const struct web_device *device = &front->devices[i];

        if (device->present && device->addr.index == index &&
            (robot == 0 || device->addr.robot == robot) &&
            strcmp(device->interface->name, interface) == 0) {
            return device;
        }
    }
    return NULL;
}

const struct web_device *tpi_web_device_named(const struct web_front *front, const char *name)
{
    char interface[64];
    unsigned robot = 0, index = 0;
    int end = -1;

    assert(front_is_current(front));
    if (sscanf(name, "%9u:%63[a-z0-9_]:%5u%n", &robot, interface, &index, &end) == 3 &&
        name[end] == '\0') {
        return robot == 0 ? NULL : find_named(front, robot, interface, index);
    }
    end = -1;
    if (sscanf(name, "%63[a-z0-9_]:%5u%n", interface, &index, &end) == 2 && name[end] == '\0') {
        return find_named(front, 0, interface, index);
    }
    return NULL;
}

const struct web_device *tpi_web_device_topic(const struct web_front *front, const char *topic,
                                              const char **rest)
{
    char interface[64];
    unsigned robot = 0, index = 0;
    int end = -1;

    assert(front_is_current(front));
    if (sscanf(topic, "/%9u/%63[a-z0-9_]/%5u/%n", &robot, interface, &index, &end) != 3 ||
        end < 0) {
        return NULL;
    }
    *rest = topic + end;
    return robot == 0 ? NULL : find_named(front, robot, interface, index);
}

const tp_message *tpi_web_message(const struct web_device *device, tp_kind kind, unsigned code)
{
    const tp_message *own = tp_interface_message(device->interface, kind, code);

    return own != NULL ? own : tp_interface_message(&tp_interface_common, kind, code);
}

const tp_message *tpi_web_message_named(const struct web_device *device, tp_kind kind,
                                        const char *name)
{
    const tp_message *own = tp_interface_message_named(device->interface, kind, name);

    return own != NULL ? own : tp_interface_message_named(&tp_interface_common, kind, name);
}

/* ---- What is advertised ---------------------------------------------------------------------- */

/* What a text is made of. */
struct writer {
    tpi_buf text;
    bool brief;
    unsigned count; /* of channels or services so far */
};

typedef void put_message(struct writer *w, const struct web_device *device, uint32_t number,
                         const tp_message *what);

/* All messages of a kind: the interface's own, and the common ones that it does not replace. */
static void for_messages(struct writer *w, const struct web_device *device, uint32_t number,
                         tp_kind kind, put_message *put)
{
    for (uint32_t i = 0; i < device->interface->message_count; i++) {
        if (device->interface->messages[i].kind == kind) {
            put(w, device, number, &device->interface->messages[i]);
        }
    }
    for (uint32_t i = 0; i < tp_interface_common.message_count; i++) {
        const tp_message *what = &tp_interface_common.messages[i];

        if (what->kind == kind && tpi_web_message(device, kind, what->code) == what) {
            put(w, device, number, what);
        }
    }
}

static void put_schema(tpi_buf *out, const tp_struct *type, bool brief)
{
    char *schema = NULL;

    if (brief || type == NULL || tp_struct_outline(&schema, type) != TP_OK) {
        tpi_buf_puts(out,
                     brief ? "\"\"" : "\"{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{}}\"");
        return;
    }
    tpi_json_put_string(out, schema, strlen(schema));
    free(schema);
}

static void put_topic(tpi_buf *out, const char *prefix, const struct web_device *device,
                      const char *middle, const tp_message *what)
{
    tpi_buf_printf(out, "\"%s/%u/%s/%u/%s%s\"", prefix, (unsigned)device->addr.robot,
                   device->interface->name, (unsigned)device->addr.index, middle, what->name);
}

/* The channel of a type of ROS 2, if there is one. */
static void put_ros_channel(struct writer *w, const struct web_device *device, uint32_t number,
                            const tp_message *what, enum form form)
{
    const tpi_ros_type *ros = tpi_ros_type_of(device->addr.interf, what->code, form == FORM_SECOND);

    if (ros == NULL) {
        return;
    }
    tpi_buf_printf(&w->text, ",{\"id\":%u,\"topic\":\"/ros/%u/%s/%u/%s%s\"",
                   number * CHANNELS_OF_DEVICE + (unsigned)form * FORM_SIZE + what->code,
                   (unsigned)device->addr.robot, device->interface->name,
                   (unsigned)device->addr.index, what->name,
                   form == FORM_SECOND ? "/compressed" : "");
    tpi_buf_printf(&w->text,
                   ",\"encoding\":\"cdr\",\"schemaName\":\"%s\",\"schemaEncoding\":\"ros2msg\","
                   "\"schema\":",
                   ros->name);
    tpi_json_put_string(&w->text, w->brief ? "" : ros->definition,
                        w->brief ? 0 : strlen(ros->definition));
    tpi_buf_putc(&w->text, '}');
}

/* The whole map in JSON, beside OccupancyGrid. */
static void put_grid_channel(struct writer *w, const struct web_device *device, uint32_t number)
{
    tpi_buf schema = {0};

    if (!w->brief) {
        tpi_grid_put_schema(&schema);
    }
    tpi_buf_printf(&w->text,
                   ",{\"id\":%u,\"topic\":\"/%u/%s/%u/GRID\",\"encoding\":\"json\","
                   "\"schemaName\":\"troupe.grid\",\"schemaEncoding\":\"jsonschema\","
                   "\"schema\":",
                   number * CHANNELS_OF_DEVICE + GRID_CODE, (unsigned)device->addr.robot,
                   device->interface->name, (unsigned)device->addr.index);
    tpi_json_put_string(&w->text, tpi_buf_text(&schema), schema.length);
    tpi_buf_putc(&w->text, '}');
    w->text.failed = w->text.failed || schema.failed;
    tpi_buf_fini(&schema);
}

static bool begins_grid(const struct web_device *device, const tp_message *what)
{
    return tpi_web_has_grid(&device->addr) && what->code == TP_MAP_DATA_INFO;
}

static void put_channel(struct writer *w, const struct web_device *device, uint32_t number,
                        const tp_message *what)
{
    tpi_buf *out = &w->text;

    tpi_buf_printf(out, "%s{\"id\":%u,\"topic\":", w->count++ > 0 ? "," : "",
                   number * CHANNELS_OF_DEVICE + what->code);
    put_topic(out, "", device, "", what);
    tpi_buf_printf(out,
                   ",\"encoding\":\"json\",\"schemaName\":\"troupe.%s\",\"schemaEncoding\":"
                   "\"jsonschema\",\"schema\":",
                   what->ask != NULL ? what->ask->name : "nothing");
    put_schema(out, what->ask, w->brief);
    tpi_buf_putc(out, '}');
    put_ros_channel(w, device, number, what, FORM_CDR);
    put_ros_channel(w, device, number, what, FORM_SECOND);
    if (begins_grid(device, what)) {
        put_grid_channel(w, device, number);
    }
}

static void put_side(tpi_buf *out, const char *side, const tp_struct *type)
{
    const char *name = type != NULL ? type->name : "nothing";

    tpi_buf_printf(out,
                   ",\"%s\":{\"encoding\":\"json\",\"schemaName\":\"troupe.%s\","
                   "\"schemaEncoding\":\"jsonschema\",\"schema\":",
                   side, name);
    put_schema(out, type, false);
    tpi_buf_printf(out, "},\"%sSchema\":", side); /* clients before 2024 know only this */
    put_schema(out, type, false);
}

static void put_service_body(struct writer *w, const tp_message *what)
{
    tpi_buf_printf(&w->text, ",\"type\":\"troupe.%s\"", what->name);
    if (!w->brief) {
        put_side(&w->text, "request", what->ask);
        put_side(&w->text, "response", what->answer);
    }
    tpi_buf_putc(&w->text, '}');
}

static void put_service(struct writer *w, const struct web_device *device, uint32_t number,
                        const tp_message *what)
{
    tpi_buf_printf(&w->text, "%s{\"id\":%u,\"name\":", w->count++ > 0 ? "," : "",
                   number * SERVICES_OF_DEVICE + what->code);
    put_topic(&w->text, "", device, "req/", what);
    put_service_body(w, what);
}

static void put_own_channels(struct writer *w)
{
    const tp_message *panic =
        tp_interface_message(&tp_interface_player, TP_KIND_DATA, TP_PLAYER_DATA_PANIC);

    tpi_buf_printf(&w->text,
                   "{\"id\":%u,\"topic\":\"/server/PANIC\",\"encoding\":\"json\",\"schemaName\":"
                   "\"troupe.panic_state\",\"schemaEncoding\":\"jsonschema\",\"schema\":",
                   (unsigned)TP_PLAYER_DATA_PANIC);
    put_schema(&w->text, panic->ask, w->brief);
    tpi_buf_printf(&w->text,
                   "},{\"id\":%u,\"topic\":\"/tf\",\"encoding\":\"cdr\",\"schemaName\":\"%s\","
                   "\"schemaEncoding\":\"ros2msg\",\"schema\":",
                   (unsigned)CHANNELS_OF_DEVICE / 4, tpi_ros_tf.name);
    tpi_json_put_string(&w->text, w->brief ? "" : tpi_ros_tf.definition,
                        w->brief ? 0 : strlen(tpi_ros_tf.definition));
    tpi_buf_putc(&w->text, '}');
    w->count += 2;
}

static void put_own_services(struct writer *w)
{
    for (uint32_t i = 0; i < tp_interface_player.message_count; i++) {
        const tp_message *what = &tp_interface_player.messages[i];

        if (what->kind == TP_KIND_REQUEST && tpi_web_serves(what)) {
            tpi_buf_printf(&w->text, "%s{\"id\":%u,\"name\":\"/server/req/%s\"",
                           w->count++ > 0 ? "," : "", (unsigned)what->code, what->name);
            put_service_body(w, what);
        }
    }
}

/* A text about the devices that `seen` is set for, or about all if `all`. NULL if there are none.
 */
static struct note *make_note(const struct web_front *front, bool services, bool brief, bool all)
{
    struct writer w = {.brief = brief};
    struct note *note = NULL;

    tpi_buf_puts(&w.text, services ? "{\"op\":\"advertiseServices\",\"services\":["
                                   : "{\"op\":\"advertise\",\"channels\":[");
    if (all) {
        services ? put_own_services(&w) : put_own_channels(&w);
    }
    for (size_t i = 0; i < front->device_count; i++) {
        const struct web_device *device = &front->devices[i];

        if (device->present && (all || device->seen)) {
            for_messages(&w, device, (uint32_t)i + 1, services ? TP_KIND_REQUEST : TP_KIND_DATA,
                         services ? put_service : put_channel);
        }
    }
    tpi_buf_puts(&w.text, "]}");
    if (w.count > 0) {
        note = tpi_web_note_create(&w.text);
    }
    tpi_buf_fini(&w.text);
    return note;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static void drop_notes(struct web_front *front)
{
    for (int brief = 0; brief < 2; brief++) {
        tpi_web_note_unref(front->advertised[brief]);
        tpi_web_note_unref(front->services[brief]);
        front->advertised[brief] = front->services[brief] = NULL;
    }
}

static void send_to_all(struct web_front *front, struct note *note, int brief)
{
    if (note == NULL) {
        return;
    }
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_SOCKET && (brief < 0 || c->brief == (brief == 1))) {
            tpi_web_send_note(c, note);
        }
    }
    tpi_web_note_unref(note);
}

static void put_id(struct writer *w, const struct web_device *device, uint32_t number,
                   const tp_message *what)
{
    const uint32_t id = number * CHANNELS_OF_DEVICE + what->code;

    if (what->kind == TP_KIND_REQUEST) {
        tpi_buf_printf(&w->text, "%s%u", w->count++ > 0 ? "," : "",
                       number * SERVICES_OF_DEVICE + what->code);
        return;
    }
    tpi_buf_printf(&w->text, "%s%u", w->count++ > 0 ? "," : "", id);
    for (enum form form = FORM_CDR; form < FORMS; form++) {
        if (tpi_ros_type_of(device->addr.interf, what->code, form == FORM_SECOND) != NULL) {
            tpi_buf_printf(&w->text, ",%u", id + (unsigned)form * FORM_SIZE);
        }
    }
    if (begins_grid(device, what)) {
        tpi_buf_printf(&w->text, ",%u", number * CHANNELS_OF_DEVICE + GRID_CODE);
    }
}

static void tell_gone(struct web_front *front, const bool *gone)
{
    for (int services = 0; services < 2; services++) {
        struct writer w = {.brief = true};

        tpi_buf_puts(&w.text, services ? "{\"op\":\"unadvertiseServices\",\"serviceIds\":["
                                       : "{\"op\":\"unadvertise\",\"channelIds\":[");
        for (size_t i = 0; i < front->device_count; i++) {
            if (gone[i]) {
                for_messages(&w, &front->devices[i], (uint32_t)i + 1,
                             services ? TP_KIND_REQUEST : TP_KIND_DATA, put_id);
            }
        }
        tpi_buf_puts(&w.text, "]}");
        send_to_all(front, w.count > 0 ? tpi_web_note_create(&w.text) : NULL, -1);
        tpi_buf_fini(&w.text);
    }
}

static struct web_device *add(struct web_front *front, const tp_devaddr *addr,
                              const tp_interface *interface)
{
    if (front->device_count == front->device_capacity) {
        const size_t capacity = front->device_capacity == 0 ? 64 : front->device_capacity * 2;
        struct web_device *grown =
            capacity > MOST_DEVICES ? NULL : realloc(front->devices, capacity * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        front->devices = grown;
        front->device_capacity = capacity;
    }
    struct web_device *device = &front->devices[front->device_count++];
    *device = (struct web_device){.addr = *addr, .interface = interface};
    return device;
}

/* Compare the list with that of the server: `seen` is set for those that are new, `gone` for those
 * that are gone. */
static void compare(struct web_front *front, const tp_session *session, bool *gone)
{
    size_t place = 0;
    const size_t before = front->device_count;
    tp_device *at;

    for (size_t i = 0; i < before; i++) {
        gone[i] = front->devices[i].present;
        front->devices[i].seen = false;
    }
    while ((at = tp_session_next_device(session, &place)) != NULL) {
        const tp_devaddr *addr = tp_session_address(at);
        struct web_device *device = find(front, addr, place - 1);

        if (device == NULL) {
            device = add(front, addr, tp_device_interface(at));
        }
        if (device == NULL) {
            continue;
        }
        const size_t i = (size_t)(device - front->devices);
        if (i < before) {
            gone[i] = false;
        }
        device->seen = !device->present;
        device->present = true;
        device->interface = tp_device_interface(at);
    }
    for (size_t i = 0; i < before; i++) {
        front->devices[i].present = front->devices[i].present && !gone[i];
    }
}

void tpi_web_directory_look(struct web_front *front)
{
    const unsigned changes = tp_hub_changes(tp_front_hub(front->instance));
    bool *gone;

    assert(front_is_current(front));
    if (front->connections == NULL || (front->listed && changes == front->changes) ||
        (gone = calloc(front->device_count + 1, sizeof *gone)) == NULL) {
        return;
    }
    compare(front, front->connections->door->sessions[FORM_JSON], gone);
    if (front->listed) {
        tell_gone(front, gone);
        for (int brief = 0; brief < 2; brief++) {
            send_to_all(front, make_note(front, false, brief, false), brief);
            send_to_all(front, make_note(front, true, brief, false), brief);
        }
    }
    free(gone);
    drop_notes(front);
    front->listed = true;
    front->changes = changes;
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_SOCKET) {
            tpi_web_uses_look(c->door);
        }
    }
    for (struct client *visitor = front->visitors; visitor != NULL; visitor = visitor->next) {
        tpi_web_uses_look(visitor);
    }
    tpi_web_graph_changed(front);
}

void tpi_web_directory_clear(struct web_front *front)
{
    drop_notes(front);
    free(front->devices);
    front->devices = NULL;
    front->device_count = front->device_capacity = 0;
}

/* ---- For new clients ------------------------------------------------------------------------- */

void tpi_web_introduce(struct connection *c)
{
    struct web_front *front = c->front;
    tpi_buf text = {0};
    struct note **advertised = &front->advertised[c->brief];
    struct note **services = &front->services[c->brief];

    assert(front_is_current(c->front));
    tpi_web_directory_look(front);
    tpi_buf_printf(&text,
                   "{\"op\":\"serverInfo\",\"name\":\"troupe\",\"capabilities\":[\"clientPublish\","
                   "\"services\",\"parameters\",\"parametersSubscribe\",\"connectionGraph\"%s],"
                   "\"supportedEncodings\":[\"json\",\"cdr\"],\"metadata\":{\"version\":\"%s\"},"
                   "\"sessionId\":\"%s\"}",
                   tpi_web_has_world(front) ? ",\"time\"" : "", TROUPE_VERSION, front->session_id);
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
    if (*advertised == NULL) {
        *advertised = make_note(front, false, c->brief, true);
    }
    if (*services == NULL) {
        *services = make_note(front, true, c->brief, true);
    }
    tpi_web_send_note(c, *advertised);
    tpi_web_send_note(c, *services);
}

static void put_name_of(struct writer *w, const struct web_device *device, uint32_t number,
                        const tp_message *what)
{
    (void)device;
    (void)number;
    tpi_buf_printf(&w->text, "%s\"%s\"", w->count++ > 0 ? "," : "", what->name);
}

static void put_ros_of(struct writer *w, const struct web_device *device, uint32_t number,
                       const tp_message *what)
{
    const tpi_ros_type *ros = tpi_ros_type_of(device->addr.interf, what->code, false);

    (void)number;
    if (ros != NULL) {
        tpi_buf_printf(&w->text, "%s\"%s\":\"%s\"", w->count++ > 0 ? "," : "", what->name,
                       ros->name);
    }
}

static void make_messages(tpi_buf *out, const tp_interface *interface, unsigned kind)
{
    const struct web_device any = {.addr = {.interf = interface->code}, .interface = interface};
    struct writer w = {.text = *out};

    (void)kind;
    tpi_buf_puts(&w.text, ",\"data\":[");
    for_messages(&w, &any, 0, TP_KIND_DATA, put_name_of);
    tpi_buf_puts(&w.text, "],\"commands\":[");
    w.count = 0;
    for_messages(&w, &any, 0, TP_KIND_COMMAND, put_name_of);
    tpi_buf_puts(&w.text, "],\"requests\":[");
    w.count = 0;
    for_messages(&w, &any, 0, TP_KIND_REQUEST, put_name_of);
    tpi_buf_puts(&w.text, "],\"ros\":{");
    w.count = 0;
    for_messages(&w, &any, 0, TP_KIND_DATA, put_ros_of);
    tpi_buf_puts(&w.text, "}}");
    *out = w.text;
}

static void put_device(tpi_buf *out, struct web_front *front, const struct web_device *device,
                       uint32_t number, const tp_device *at)
{
    static const char *const no_names[PART_NAMES] = {"", "", ""};
    const char *name = device->interface->name;
    const char *driver = tp_session_driver_name(at), *label = tp_session_label(at);
    const unsigned robot = (unsigned)device->addr.robot, index = (unsigned)device->addr.index;

    tpi_buf_printf(out,
                   "{\"name\":\"%u:%s:%u\",\"robot\":%u,\"interface\":\"%s\",\"index\":%u,"
                   "\"number\":%u,\"driver\":",
                   robot, name, index, robot, name, index, number);
    tpi_json_put_string(out, driver, strlen(driver));
    tpi_buf_puts(out, ",\"label\":");
    tpi_json_put_string(out, label, strlen(label));
    tpi_web_put_part(out, tpi_web_part(front, device->interface, PART_LIST, make_messages),
                     no_names);
}

void tpi_web_put_devices(struct web_front *front, tpi_buf *out)
{
    size_t place = 0;
    bool first = true;
    tp_device *at;

    assert(front_is_current(front));
    tpi_buf_puts(out, "{\"devices\":[");
    while (front->connections != NULL &&
           (at = tp_session_next_device(front->connections->door->sessions[FORM_JSON], &place)) !=
               NULL) {
        uint32_t number = (uint32_t)place - 1;
        const struct web_device *device = tpi_web_device_at(front, tp_session_address(at), &number);

        if (device != NULL) {
            tpi_buf_puts(out, first ? "" : ",\n");
            put_device(out, front, device, number, at);
            first = false;
        }
    }
    tpi_buf_puts(out, "]}");
}
