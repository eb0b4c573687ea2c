/* server.c - requests to the player interface: devices, subscriptions, data modes. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inside.h"
#include "troupe/interfaces/map.h"

/* ---- Replies --------------------------------------------------------------------------------- */

/* The header of a reply is the request's, with our host and robot, and the time of the reply. */
void tpi_player_serve_reply(struct client *client, const tp_msghdr *request, unsigned type,
                            const tp_struct *body_type, const void *body)
{
    tp_msghdr header = *request;
    tp_msg *msg = NULL;

    header.type = (uint8_t)type;
    header.timestamp = tp_clock_wall_s(tp_hub_clock(client->front->hub));
    tp_status status = tp_msg_create_encoded(&msg, &tp_encoding_player, &header, body_type, body);
    if (status == TP_OK) {
        tp_session_queue(client->session, msg);
        tp_msg_unref(msg);
    } else if (tp_session_refuse(client->session, request, status,
                                 status == TP_E_LIMIT ? "the answer is too large for one message"
                                                      : tp_status_text(status)) != TP_OK) {
        tpi_player_client_give_up(client);
    }
}

static void acknowledge(struct client *client, const tp_msghdr *request)
{
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
}

static void refuse(struct client *client, const tp_msghdr *request, tp_status code,
                   const char *text)
{
    tp_session_refuse(client->session, request, code, text);
}

static void put_name(uint32_t *count, char *name, const char *driver)
{
    size_t length = strlen(driver);

    length = length < TP_MAX_DRIVER_STRING_LEN - 1 ? length : TP_MAX_DRIVER_STRING_LEN - 1;
    memcpy(name, driver, length);
    name[length] = '\0';
    *count = (uint32_t)length + 1;
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void serve_device_list(struct client *client, const tp_msghdr *request, const void *body)
{
    (void)body;
    tp_device_devlist *list = calloc(1, sizeof *list);
    const tp_device *device;
    size_t place = 0;

    if (list == NULL) {
        tpi_player_client_give_up(client);
        return;
    }
    while (list->devices_count < TP_MAX_DEVICES &&
           (device = tp_session_next_device(client->session, &place)) != NULL) {
        list->devices[list->devices_count++] = *tp_session_address(device);
    }
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_devlist, list);
    free(list);
}

static void serve_driver_info(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_device_driverinfo *asked = body;
    tp_device *device = tp_session_find(client->session, asked->addr.interf, asked->addr.index);
    tp_device_driverinfo info = {0};

    if (device == NULL) {
        refuse(client, request, TP_E_UNKNOWN, "there is no such device");
        return;
    }
    info.addr = *tp_session_address(device);
    put_name(&info.driver_name_count, info.driver_name, tp_session_driver_name(device));
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_driverinfo, &info);
}

/* ACK with the granted access, or 3 for a known device that could not be opened. */
static void reply_access(struct client *client, const tp_msghdr *request, tp_device *device,
                         unsigned access)
{
    tp_device_req granted = {.addr = *tp_session_address(device), .access = (uint8_t)access};

    put_name(&granted.driver_name_count, granted.driver_name, tp_session_driver_name(device));
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_device_req, &granted);
}

static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    struct client *client = context;

    if (status == TP_OK) {
        reply_access(client, request, device, request->size); /* the access that was asked for */
    } else if (tp_session_explains_failures(client->session)) {
        refuse(client, request, status, err->text);
    } else {
        reply_access(client, request, device, TP_ERROR_MODE);
    }
}

static void refuse_unknown_device(struct client *client, const tp_msghdr *request,
                                  const tp_devaddr *addr)
{
    tp_device_req none = {.addr = *addr, .access = TP_ERROR_MODE};

    if (tp_session_explains_failures(client->session)) {
        refuse(client, request, TP_E_UNKNOWN, "there is no such device");
        return;
    }
    none.addr.host = request->addr.host;
    none.addr.robot = request->addr.robot;
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_NACK, &tp_desc_device_req, &none);
}

static bool opens(unsigned access)
{
    return access == TP_OPEN_MODE || (access >= TP_READ_MODE && access <= TP_EXCLUSIVE_MODE);
}

static void serve_subscription(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_device_req *asked = body;
    tp_device *device = tp_session_find(client->session, asked->addr.interf, asked->addr.index);

    if (device == NULL) {
        refuse_unknown_device(client, request, &asked->addr);
    } else if (opens(asked->access)) {
        tp_msghdr remembered = *request;
        remembered.size = asked->access;
        if (tp_session_open(client->session, device, asked->access, &remembered, opened) != TP_OK) {
            tpi_player_client_give_up(client);
        }
    } else if (asked->access == TP_CLOSE_MODE &&
               tp_session_close(client->session, device) == TP_OK) {
        reply_access(client, request, device, TP_CLOSE_MODE);
    } else {
        reply_access(client, request, device, TP_ERROR_MODE);
    }
}

/* ---- Modes ----------------------------------------------------------------------------------- */

static void serve_data(struct client *client, const tp_msghdr *request, const void *body)
{
    (void)body;
    tpi_player_output_pull(client, request);
}

static void serve_data_mode(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_device_datamode_req *asked = body;

    if (asked->mode == TP_DATAMODE_PUSH || asked->mode == TP_DATAMODE_PULL) {
        client->pull = asked->mode == TP_DATAMODE_PULL;
        client->armed = false;
        tp_session_set_pulls(client->session, client->pull);
    }
    acknowledge(client, request);
}

static void serve_rule(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_add_replace_rule_req *rule = body;

    if (tp_session_add_rule(client->session, rule->interf, rule->index, rule->type, rule->subtype,
                            rule->replace) == TP_OK) {
        acknowledge(client, request);
    } else {
        refuse(client, request, TP_E_LIMIT, "too many rules");
    }
}

/* ---- Dispatch -------------------------------------------------------------------------------- */

static const struct {
    unsigned code;
    const tp_struct *type; /* NULL if it asks nothing */
    void (*serve)(struct client *client, const tp_msghdr *request, const void *body);
    bool checks; /* whether the client may, by itself: there can be a key in the body */
} services[] = {
    {TP_PLAYER_REQ_DEVLIST, NULL, serve_device_list},
    {TP_PLAYER_REQ_DRIVERINFO, &tp_desc_device_driverinfo, serve_driver_info},
    {TP_PLAYER_REQ_DEV, &tp_desc_device_req, serve_subscription},
    {TP_PLAYER_REQ_DATA, NULL, serve_data},
    {TP_PLAYER_REQ_DATAMODE, &tp_desc_device_datamode_req, serve_data_mode},
    {TP_PLAYER_REQ_AUTH, &tp_desc_device_auth_req, tpi_player_serve_auth},
    {TP_PLAYER_REQ_ADD_REPLACE_RULE, &tp_desc_add_replace_rule_req, serve_rule},
    {TP_PLAYER_REQ_HELLO, &tp_desc_hello, tpi_player_serve_hello},
    {TP_PLAYER_REQ_RATE, &tp_desc_rate_req, tpi_player_serve_rate},
    {TP_PLAYER_REQ_STATISTICS, NULL, tpi_player_serve_statistics},
    {TP_PLAYER_REQ_FRAMES, NULL, tpi_player_serve_frames},
    {TP_PLAYER_REQ_TRANSFORM, &tp_desc_transform_req, tpi_player_serve_transform},
    {TP_PLAYER_REQ_PANIC, &tp_desc_panic, tpi_player_serve_panic},
    {TP_PLAYER_REQ_RESET_PANIC, &tp_desc_panic_reset, tpi_player_serve_reset_panic, .checks = true},
    {TP_PLAYER_REQ_GET_PANIC, NULL, tpi_player_serve_get_panic},
    {TP_PLAYER_REQ_CHALLENGE, NULL, tpi_player_serve_challenge},
    {TP_PLAYER_REQ_PROVE, &tp_desc_auth_proof, tpi_player_serve_prove},
    {TP_PLAYER_REQ_RIGHT, NULL, tpi_player_serve_right},
    {TP_PLAYER_REQ_KICK, &tp_desc_kick, tpi_player_serve_kick},
    {TP_PLAYER_REQ_DEVICES, &tp_desc_device_page, tpi_player_serve_devices},
    {TP_PLAYER_REQ_DEVICE_STATISTICS, &tp_desc_device_stat_page,
     tpi_player_serve_device_statistics},
};

static void serve_with_body(struct client *client, const tp_msghdr *header, size_t service,
                            const unsigned char *body, size_t length)
{
    void *value = NULL;
    tp_status status = tp_xdr_decode_new(&value, services[service].type, body, length);

    if (status == TP_OK) {
        services[service].serve(client, header, value);
    } else {
        refuse(client, header, status, tp_status_text(status));
    }
    free(value);
}

/* Whether the client may ask this; if not, it is told. */
static bool may(struct client *client, const tp_msghdr *header, size_t service)
{
    const tp_message *what =
        tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, services[service].code);
    tp_error err = {0};

    if (services[service].checks || tp_session_may(client->session, what, &err) == TP_OK) {
        return true;
    }
    refuse(client, header, err.code, err.text);
    return false;
}

void tpi_player_serve(struct client *client, const tp_msghdr *header, const unsigned char *body,
                      size_t length)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++) {
        if (header->type != TP_MSGTYPE_REQ || header->subtype != services[i].code) {
            continue;
        }
        if (!may(client, header, i)) {
            return;
        }
        if (services[i].type == NULL) {
            services[i].serve(client, header, NULL);
        } else {
            serve_with_body(client, header, i, body, length);
        }
        return;
    }
    refuse(client, header, TP_E_UNSUPPORTED, "the server does not know this request");
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* Player compresses the cells of a map tile, in this one reply only. */
tp_msg *tpi_player_serve_compressed_map(tp_msg *original)
{
    const tp_msghdr *header = tp_msg_header(original);
    const tp_map_data *tile = tp_msg_payload(original);
    if (header->addr.interf != TP_MAP_CODE || header->subtype != TP_MAP_REQ_GET_DATA ||
        tile == NULL || tile->data_count == 0) {
        return NULL;
    }
    uLongf length = compressBound(tile->data_count);
    unsigned char *packed = malloc(length);
    tp_map_data small = *tile;
    tp_msg *msg = NULL;
    if (packed != NULL &&
        compress(packed, &length, (const unsigned char *)tile->data, tile->data_count) == Z_OK) {
        small.data_count = (uint32_t)length;
        small.data = (int8_t *)packed;
        if (tp_msg_create(&msg, header, &tp_desc_map_data, &small) != TP_OK) {
            msg = NULL;
        }
    }
    free(packed);
    return msg;
}
