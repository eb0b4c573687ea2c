/*
 * directory.c - the list of devices, and its changes.
 *
 * A device gets a number when it is first seen, and the same one when it comes back. Ids of
 * channels and services follow from the number and the code of the message.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "advertise.h"

enum { MOST_DEVICES = 1 << 20 };

/* ---- Changes --------------------------------------------------------------------------------- */

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

/* Compare the list with that of the server. */
static void compare(struct web_front *front, const tp_session *session)
{
    size_t place = 0, hint = 0;
    tp_device *at;

    for (size_t i = 0; i < front->device_count; i++) {
        front->devices[i].present = false;
    }
    while ((at = tp_session_next_device(session, &place)) != NULL) {
        const tp_devaddr *addr = tp_session_address(at);
        struct web_device *device = tpi_web_find_device(front, addr, hint);

        if (device == NULL) {
            device = add(front, addr, tp_device_interface(at));
        }
        if (device != NULL) {
            device->present = true;
            device->interface = tp_device_interface(at);
            hint = (size_t)(device - front->devices) + 1;
        }
    }
}

/* Nobody has been told of devices yet. */
static void begin_list(struct web_front *front)
{
    for (size_t i = 0; i < front->device_count; i++) {
        front->devices[i].told = front->devices[i].present;
    }
    front->listed = true;
}

void tpi_web_directory_look(struct web_front *front)
{
    const unsigned changes = tp_hub_changes(tp_front_hub(front->instance));

    assert(front_is_current(front));
    if (front->connections == NULL || (front->listed && changes == front->changes)) {
        return;
    }
    compare(front, front->connections->door->sessions[FORM_JSON]);
    front->changes = changes;
    if (front->listed) {
        tpi_web_tell_changes(front);
    } else {
        begin_list(front);
    }
    for (struct client *visitor = front->visitors; visitor != NULL; visitor = visitor->next) {
        tpi_web_uses_look(visitor);
    }
}

void tpi_web_directory_clear(struct web_front *front)
{
    free(front->devices);
    front->devices = NULL;
    front->device_count = front->device_capacity = 0;
}

/* ---- The list in JSON ------------------------------------------------------------------------ */

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
