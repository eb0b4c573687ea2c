/*
 * directory.c - the list of devices, its changes, and what new clients are told.
 *
 * A device gets a number when it is first seen, and the same one when it comes back. Ids of
 * channels and services follow from the number and the code of the message. What new clients are
 * told is made once and shared.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "advertise.h"

enum { MOST_DEVICES = 1 << 20 };

/* ---- Changes --------------------------------------------------------------------------------- */

static void drop_notes(struct web_front *front)
{
    for (int brief = 0; brief < 2; brief++) {
        tpi_web_note_unref(front->making.advertised[brief]);
        tpi_web_note_unref(front->making.services[brief]);
        front->making.advertised[brief] = front->making.services[brief] = NULL;
    }
    tpi_buf_fini(&front->making.text); /* it begins anew */
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

static void tell_gone(struct web_front *front, const bool *gone)
{
    send_to_all(front, tpi_web_gone_note(front, gone, false), -1);
    send_to_all(front, tpi_web_gone_note(front, gone, true), -1);
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
        struct web_device *device = tpi_web_find_device(front, addr, place - 1);

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
            send_to_all(front, tpi_web_news_note(front, false, brief), brief);
            send_to_all(front, tpi_web_news_note(front, true, brief), brief);
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
    tpi_buf_fini(&front->making.text);
    free(front->devices);
    front->devices = NULL;
    front->device_count = front->device_capacity = 0;
}

/* ---- For new clients ------------------------------------------------------------------------- */

/* The texts are there, or cannot be made: those that wait for them go on, or end. */
static void end_making(struct web_front *front, bool brief)
{
    front->making.wanted[brief] = false;
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        if (c->phase == PHASE_GREETED && c->brief == brief) {
            if (front->making.advertised[brief] == NULL || front->making.services[brief] == NULL) {
                tpi_web_give_up(c);
            } else {
                tp_loop_later(front->loop, &c->flush);
            }
        }
    }
}

/* A text is whole. */
static void end_text(struct web_front *front)
{
    struct making *making = &front->making;
    struct note **note =
        &(making->of_services ? front->making.services : front->making.advertised)[making->brief];

    *note = tpi_web_note_adopt(&making->text);
    if (*note == NULL || making->of_services) {
        end_making(front, making->brief);
    }
}

static bool begin_text(struct web_front *front)
{
    struct making *making = &front->making;

    if (!making->wanted[0] && !making->wanted[1]) {
        return false;
    }
    making->brief = making->wanted[1];
    making->of_services = front->making.advertised[making->brief] != NULL;
    making->next = 0;
    making->count = 0;
    return true;
}

bool tpi_web_directory_step(struct web_front *front)
{
    assert(front_is_current(front));
    if (front->making.text.length == 0 && !begin_text(front)) {
        return false;
    }
    if (tpi_web_advertise_some(front)) {
        end_text(front);
    }
    return true;
}

bool tpi_web_can_introduce(struct connection *c)
{
    struct web_front *front = c->front;

    assert(front_is_current(front));
    tpi_web_directory_look(front);
    if (front->making.advertised[c->brief] != NULL && front->making.services[c->brief] != NULL) {
        return true;
    }
    front->making.wanted[c->brief] = true;
    tp_loop_later(front->loop, &front->making.step);
    return false;
}

void tpi_web_introduce(struct connection *c)
{
    struct web_front *front = c->front;
    tpi_buf text = {0};

    assert(front_is_current(c->front));
    tpi_buf_printf(&text,
                   "{\"op\":\"serverInfo\",\"name\":\"troupe\",\"capabilities\":[\"clientPublish\","
                   "\"services\",\"parameters\",\"parametersSubscribe\",\"connectionGraph\"%s],"
                   "\"supportedEncodings\":[\"json\",\"cdr\"],\"metadata\":{\"version\":\"%s\"},"
                   "\"sessionId\":\"%s\"}",
                   tpi_web_has_world(front) ? ",\"time\"" : "", TROUPE_VERSION, front->session_id);
    tpi_web_text(c, tpi_buf_text(&text), text.length);
    tpi_buf_fini(&text);
    tpi_web_send_note(c, front->making.advertised[c->brief]);
    tpi_web_send_note(c, front->making.services[c->brief]);
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

static void make_messages(tpi_buf *out, const void *about, unsigned kind)
{
    const tp_interface *interface = about;
    const struct web_device any = {.addr = {.interf = interface->code}, .interface = interface};
    struct writer w = {.text = *out};

    (void)kind;
    tpi_buf_puts(&w.text, ",\"data\":[");
    tpi_web_for_messages(&w, &any, 0, TP_KIND_DATA, put_name_of);
    tpi_buf_puts(&w.text, "],\"commands\":[");
    w.count = 0;
    tpi_web_for_messages(&w, &any, 0, TP_KIND_COMMAND, put_name_of);
    tpi_buf_puts(&w.text, "],\"requests\":[");
    w.count = 0;
    tpi_web_for_messages(&w, &any, 0, TP_KIND_REQUEST, put_name_of);
    tpi_buf_puts(&w.text, "],\"ros\":{");
    w.count = 0;
    tpi_web_for_messages(&w, &any, 0, TP_KIND_DATA, put_ros_of);
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
