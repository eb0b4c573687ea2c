/* advertise.c - what is advertised of devices: channels and services. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "advertise.h"

enum { MADE_AT_ONCE = 64 << 10 }; /* bytes of the texts of web_front.making in a turn */

/* All messages of a kind: the interface's own, and the common ones that it does not replace. */
void tpi_web_for_messages(struct writer *w, const struct web_device *device, uint32_t number,
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

static const char no_schema[] = "\"{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{}}\"";

static void make_schema(tpi_buf *out, const void *about, unsigned kind)
{
    char *schema = NULL;

    (void)kind;
    if (tp_struct_outline(&schema, about) != TP_OK) {
        tpi_buf_puts(out, no_schema);
        return;
    }
    tpi_json_put_string(out, schema, strlen(schema));
    free(schema);
}

static void put_schema(struct writer *w, const tp_struct *type, bool brief)
{
    if (brief || type == NULL) {
        tpi_buf_puts(&w->text, brief ? "\"\"" : no_schema);
    } else {
        tpi_web_put_part(&w->text, tpi_web_part(w->front, type, PART_SCHEMA, make_schema), NULL);
    }
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
    put_schema(w, what->ask, w->brief);
    tpi_buf_putc(out, '}');
    put_ros_channel(w, device, number, what, FORM_CDR);
    put_ros_channel(w, device, number, what, FORM_SECOND);
    if (begins_grid(device, what)) {
        put_grid_channel(w, device, number);
    }
}

static void put_side(struct writer *w, const char *side, const tp_struct *type)
{
    const char *name = type != NULL ? type->name : "nothing";

    tpi_buf_printf(&w->text,
                   ",\"%s\":{\"encoding\":\"json\",\"schemaName\":\"troupe.%s\","
                   "\"schemaEncoding\":\"jsonschema\",\"schema\":",
                   side, name);
    put_schema(w, type, false);
    tpi_buf_printf(&w->text, "},\"%sSchema\":", side); /* clients before 2024 know only this */
    put_schema(w, type, false);
}

static void put_service_body(struct writer *w, const tp_message *what)
{
    tpi_buf_printf(&w->text, ",\"type\":\"troupe.%s\"", what->name);
    if (!w->brief) {
        put_side(w, "request", what->ask);
        put_side(w, "response", what->answer);
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
    put_schema(w, panic->ask, w->brief);
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

/* ---- Whole texts ----------------------------------------------------------------------------- */

static void begin(struct writer *w, enum about about, bool services)
{
    static const char *const heads[2][2] = {
        {"{\"op\":\"advertise\",\"channels\":[", "{\"op\":\"advertiseServices\",\"services\":["},
        {"{\"op\":\"unadvertise\",\"channelIds\":[",
         "{\"op\":\"unadvertiseServices\",\"serviceIds\":["}};

    tpi_buf_indent(&w->text, TPI_FRAME_HEAD);
    tpi_buf_puts(&w->text, heads[about == ABOUT_GONE][services]);
    if (about == ABOUT_ALL) {
        services ? put_own_services(w) : put_own_channels(w);
    }
}

static bool is_about(const struct web_device *device, enum about about)
{
    return about == ABOUT_ALL ? device->told
                              : device->changes && device->told == (about == ABOUT_GONE);
}

static void put_device(struct writer *w, size_t number, enum about about, bool services)
{
    put_message *put = about == ABOUT_GONE ? put_id : services ? put_service : put_channel;

    tpi_web_for_messages(w, &w->front->devices[number - 1], (uint32_t)number,
                         services ? TP_KIND_REQUEST : TP_KIND_DATA, put);
}

bool tpi_web_advertise_some(struct web_front *front)
{
    struct making *making = &front->making;
    struct writer w = {front, making->text, making->brief, making->count};
    const size_t before = w.text.length;

    assert(front_is_current(front));
    if (before == 0) {
        begin(&w, making->about, making->of_services);
    }
    while (making->next < front->device_count && w.text.length - before < MADE_AT_ONCE &&
           !w.text.failed) {
        making->next++;
        if (is_about(&front->devices[making->next - 1], making->about)) {
            put_device(&w, making->next, making->about, making->of_services);
        }
    }
    const bool whole = making->next == front->device_count || w.text.failed;
    if (whole) {
        tpi_buf_puts(&w.text, "]}");
    }
    making->text = w.text;
    making->count = w.count;
    return whole;
}
