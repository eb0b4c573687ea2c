/* ask.c - what clients ask: each line is answered through the client's session. */
#include <stdlib.h>
#include <string.h>

#include "jsonlines.h"

/* ---- Answers --------------------------------------------------------------------------------- */

/* A header for answers of the front itself. */
static tp_msghdr header_for(const struct line *line)
{
    return (tp_msghdr){.addr = {.interf = TP_PLAYER_CODE}, .type = TP_MSGTYPE_REQ, .seq = line->id};
}

static void answer(struct client *client, const tp_msghdr *request, const tp_struct *type,
                   const void *value)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    header.type = TP_MSGTYPE_RESP_ACK;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(tp_front_hub(client->front)));
    if (tp_msg_create(&msg, &header, type, value) != TP_OK ||
        tp_session_queue(client->session, msg) != TP_OK) {
        jsonlines_give_up(client);
    }
    tp_msg_unref(msg);
}

static void refuse(struct client *client, const tp_msghdr *request, tp_status code,
                   const char *text)
{
    if (tp_session_refuse(client->session, request, code, text) != TP_OK) {
        jsonlines_give_up(client);
    }
}

static void finish(struct client *client, const tp_msghdr *request, tp_status status,
                   const tp_error *err)
{
    if (status == TP_OK) {
        answer(client, request, NULL, NULL);
    } else {
        refuse(client, request, status, err->text[0] != '\0' ? err->text : tp_status_text(status));
    }
}

/* ---- What clients ask ------------------------------------------------------------------------ */

static void do_list(struct client *client, const struct line *line, const tp_msghdr *request)
{
    tp_device_page *page = NULL;

    if (tp_session_page(client->session, line->first, &page) == TP_OK) {
        answer(client, request, &tp_desc_device_page, page);
    } else {
        jsonlines_give_up(client);
    }
    free(page);
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    (void)device;
    finish(context, request, status, err);
}

/* The device that a line is about; the client is told if there is none. */
static tp_device *find_device(struct client *client, const struct line *line,
                              const tp_msghdr *request)
{
    const tp_catalogue *catalogue = tp_hub_catalogue(tp_front_hub(client->front));
    tp_devaddr address;
    tp_device *device = jsonlines_address(&line->device, catalogue, &address)
                            ? tp_session_find_at(client->session, &address)
                            : NULL;

    if (device == NULL) {
        refuse(client, request, TP_E_UNKNOWN,
               "there is no such device; an address is ROBOT:INTERFACE:INDEX");
    }
    return device;
}

static void do_subscribe(struct client *client, const struct line *line, const tp_msghdr *request)
{
    tp_device *device = find_device(client, line, request);

    if (device != NULL &&
        tp_session_open(client->session, device, TP_OPEN_MODE, request, on_opened) != TP_OK) {
        jsonlines_give_up(client);
    }
}

static void do_unsubscribe(struct client *client, const struct line *line, const tp_msghdr *request)
{
    tp_device *device = find_device(client, line, request);
    const tp_error why = {.text = "the device is not subscribed"};

    if (device != NULL) {
        finish(client, request, tp_session_close(client->session, device), &why);
    }
}

/* By its name: one of the device's interface, or one that every device has. */
static const tp_message *find_message(const tp_device *device, tp_kind kind,
                                      const struct slice *name)
{
    char text[64] = "";

    if (name->text != NULL && name->length < sizeof text) {
        memcpy(text, name->text, name->length);
        text[name->length] = '\0';
    }
    const tp_message *own = tp_interface_message_named(tp_device_interface(device), kind, text);
    return own != NULL ? own : tp_interface_message_named(&tp_interface_common, kind, text);
}

/* The session checks that the device is open, and what the client may do. */
static tp_status send_message(struct client *client, const struct line *line,
                              const tp_message *what, const tp_msghdr *header, tp_error *err)
{
    static const struct slice nothing = {"{}", 2};
    const struct slice *json = line->value.text != NULL ? &line->value : &nothing;
    void *value = NULL;
    tp_msg *msg = NULL;
    tp_status status = TP_OK;

    if (what->ask != NULL) {
        status = tp_value_from_json(&value, what->ask, json->text, json->length, err);
    }
    status = status == TP_OK ? tp_msg_create(&msg, header, what->ask, value) : status;
    status = status == TP_OK ? tp_session_send(client->session, msg, what, err) : status;
    tp_msg_unref(msg);
    free(value);
    return status;
}

static void do_send(struct client *client, const struct line *line, const tp_msghdr *request)
{
    const tp_kind kind = jsonlines_is(&line->op, "command") ? TP_KIND_COMMAND : TP_KIND_REQUEST;
    const tp_device *device = find_device(client, line, request);
    const tp_message *what = device == NULL ? NULL : find_message(device, kind, &line->message);
    tp_msghdr header = *request;
    tp_error err = {0};

    if (device == NULL) {
        return;
    }
    if (what == NULL) {
        refuse(client, request, TP_E_UNSUPPORTED, "the device has no such message");
        return;
    }
    header.addr = *tp_device_addr(device);
    header.type = (uint8_t)kind;
    header.subtype = what->code;
    header.seq = kind == TP_KIND_REQUEST ? line->id : 0;
    const tp_status status = send_message(client, line, what, &header, &err);
    if (status != TP_OK) {
        finish(client, request, status, &err);
    }
}

static void do_key(struct client *client, const struct line *line, const tp_msghdr *request)
{
    tp_error err = {0};

    finish(client, request,
           tp_session_show_key(client->session, line->key.text == NULL ? "" : line->key.text,
                               line->key.length, &err),
           &err);
}

/* Every client may. */
static void do_panic(struct client *client, const struct line *line, const tp_msghdr *request)
{
    char why[80] = "";

    if (line->why.text != NULL && line->why.length < sizeof why) {
        memcpy(why, line->why.text, line->why.length);
        why[line->why.length] = '\0';
    }
    tp_session_panic(client->session, why);
    answer(client, request, NULL, NULL);
}

void jsonlines_handle(struct client *client, const char *text, size_t length)
{
    static const struct {
        const char *op;
        void (*run)(struct client *client, const struct line *line, const tp_msghdr *request);
    } ops[] = {
        {"list", do_list},    {"subscribe", do_subscribe}, {"unsubscribe", do_unsubscribe},
        {"command", do_send}, {"request", do_send},        {"key", do_key},
        {"panic", do_panic},
    };
    struct line line;
    tp_error err = {0};
    const tp_status status = jsonlines_read(&line, text, length, &err);
    const tp_msghdr request = header_for(&line);

    if (status != TP_OK) {
        refuse(client, &request, status, err.text);
        return;
    }
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (jsonlines_is(&line.op, ops[i].op)) {
            ops[i].run(client, &line, &request);
            return;
        }
    }
    refuse(client, &request, TP_E_INVALID, "there is no such op");
}
