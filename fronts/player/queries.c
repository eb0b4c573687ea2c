/* queries.c - requests to the player interface that Player does not have: who a client is, how much
 * it wants, and what the server does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { LONGEST_NAME = 128 };

/* A text of the wire, which need not have an end. False if it is empty or too long. */
static bool read_text(char out[LONGEST_NAME], const char *text, uint32_t count)
{
    const size_t length = count == 0 ? 0 : strnlen(text, count);

    if (length == 0 || length >= LONGEST_NAME) {
        return false;
    }
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

void tpi_player_serve_hello(struct client *client, const tp_msghdr *request, const void *body)
{
    static char name[] = "troupe";
    const tp_hello *theirs = body;
    const bool read_only = tp_session_right(client->session) == TP_RIGHT_READ;
    const tp_hello ours = {.version = 1,
                           .features = TP_HELLO_ERRORS | TP_HELLO_LEASES | TP_HELLO_EXTENSIONS |
                                       (read_only ? TP_HELLO_READ_ONLY : 0U),
                           .name_count = sizeof name,
                           .name = name};
    char software[LONGEST_NAME];

    tp_session_explain_failures(client->session, (theirs->features & TP_HELLO_ERRORS) != 0);
    tp_session_speak_leases(client->session, (theirs->features & TP_HELLO_LEASES) != 0);
    tp_session_allow_extensions(client->session, (theirs->features & TP_HELLO_EXTENSIONS) != 0);
    if (read_text(software, theirs->name, theirs->name_count)) {
        tp_session_set_software(client->session, software);
    }
    tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_hello, &ours);
}

void tpi_player_serve_rate(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_rate_req *asked = body;
    tp_device *device = tp_session_find(client->session, asked->addr.interf, asked->addr.index);
    tp_status status = TP_E_UNKNOWN;
    const char *why = "there is no such device";

    if (device != NULL && !(asked->rate >= 0 && isfinite(asked->rate))) {
        status = TP_E_RANGE;
        why = "a rate is a number from 0 up";
    } else if (device != NULL) {
        status = tp_session_set_rate(client->session, device, asked->rate);
        why = status == TP_E_INVALID ? "the device is not open" : tp_status_text(status);
    }
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, NULL, NULL);
    } else {
        tp_session_refuse(client->session, request, status, why);
    }
}

/* What was asked for, one block that is freed here; or why there is none. */
static void reply_once(struct client *client, const tp_msghdr *request, tp_status status,
                       const tp_struct *type, void *value)
{
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, type, value);
    } else {
        tp_session_refuse(client->session, request, status, tp_status_text(status));
    }
    free(value);
}

void tpi_player_serve_statistics(struct client *client, const tp_msghdr *request, const void *body)
{
    tp_statistics *value = NULL;
    const tp_status status = tp_hub_statistics(client->front->hub, &value);

    (void)body;
    reply_once(client, request, status, &tp_desc_statistics, value);
}

void tpi_player_serve_device_statistics(struct client *client, const tp_msghdr *request,
                                        const void *body)
{
    const tp_device_stat_page *asked = body;
    tp_device_stat_page *value = NULL;
    const tp_status status = tp_hub_device_statistics(client->front->hub, asked->first, &value);

    reply_once(client, request, status, &tp_desc_device_stat_page, value);
}

void tpi_player_serve_devices(struct client *client, const tp_msghdr *request, const void *body)
{
    const tp_device_page *asked = body;
    tp_device_page *value = NULL;
    const tp_status status = tp_session_page(client->session, asked->first, &value);

    reply_once(client, request, status, &tp_desc_device_page, value);
}

void tpi_player_serve_frames(struct client *client, const tp_msghdr *request, const void *body)
{
    tp_frame_list *value = NULL;
    const tp_status status = tp_hub_frames(client->front->hub, &value);

    (void)body;
    reply_once(client, request, status, &tp_desc_frame_list, value);
}

void tpi_player_serve_transform(struct client *client, const tp_msghdr *request, const void *body)
{
    tp_transform_req answer = *(const tp_transform_req *)body;
    char from[LONGEST_NAME];
    char to[LONGEST_NAME];
    tp_error err = {0};

    if (!read_text(from, answer.from, answer.from_count) ||
        !read_text(to, answer.to, answer.to_count)) {
        tp_session_refuse(client->session, request, TP_E_INVALID,
                          "the name of a frame has 1 to 127 characters");
        return;
    }
    tp_status status = tp_hub_transform(client->front->hub, client->front->robot, from, to,
                                        &answer.pose, &answer.timestamp, &err);
    if (status == TP_OK) {
        tpi_player_serve_reply(client, request, TP_MSGTYPE_RESP_ACK, &tp_desc_transform_req,
                               &answer);
    } else {
        tp_session_refuse(client->session, request, status, err.text);
    }
}
