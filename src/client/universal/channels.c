/* channels.c - messages between programs; see troupe/universal.h. */
#include <stdio.h>
#include <string.h>

#include "client/universal/inside.h"
#include "troupe/client/blackboard.h"

/* ---- The blackboard -------------------------------------------------------------------------- */

static void on_update(tp_proxy *proxy, const tp_msg *msg)
{
    const tp_universal *robot = tp_proxy_context(proxy);

    if (tp_msg_header(msg)->subtype == TP_BLACKBOARD_DATA_UPDATE) {
        tpi_channels_take_entry(robot->channels, tp_msg_payload(msg));
    }
}

/* Open it when it is first needed. */
static tp_status open_board(tp_universal *robot, tp_error *err)
{
    if (robot->board != NULL) {
        return TP_OK;
    }
    robot->channels = robot->channels != NULL ? robot->channels : tpi_channels_create();
    if (robot->channels == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tp_status status = tp_blackboard_open(robot->client, 0, &robot->board, err);
    if (status == TP_E_UNKNOWN) {
        return tp_fail(err, status,
                       "%s has no blackboard for channels; write driver ( name \"localbb\" "
                       "provides [ \"blackboard:0\" ] )",
                       tp_client_url(robot->client));
    }
    if (status == TP_OK) {
        tp_proxy_set_context(robot->board, robot);
        tp_proxy_on_data(robot->board, on_update);
    }
    return status;
}

/* The number of a mailbox; the number of the next one if there is none with this name. */
static unsigned number_of(const tp_universal *robot, const char *channel)
{
    const char *name;
    unsigned i = 0;

    while ((name = tpi_channels_name(robot->channels, i)) != NULL && strcmp(name, channel) != 0) {
        i++;
    }
    return i;
}

static tp_status fail_closed(const char *channel, tp_error *err)
{
    return tp_fail(err, TP_E_INVALID, "channel %s is not open: call tp_universal_listen() first",
                   channel);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

tp_status tp_universal_listen(tp_universal *robot, const char *channel, tp_error *err)
{
    const size_t length = strlen(channel);

    if (robot->client->mode != TP_CLIENT_EVERYTHING) {
        return tp_fail(err, TP_E_INVALID,
                       "messages would be lost: connect the client with TP_CLIENT_EVERYTHING");
    }
    const tp_status status = open_board(robot, err);
    if (status != TP_OK) {
        return status;
    }
    const unsigned number = number_of(robot, channel);
    if (tpi_channels_name(robot->channels, number) != NULL) {
        return TP_OK;
    }
    if (length == 0 || length >= TPI_CHANNEL_NAME) {
        return tp_fail(err, TP_E_RANGE, "the name of a channel has 1 to %d bytes",
                       TPI_CHANNEL_NAME - 1);
    }
    return tpi_channels_open(robot->channels, number, channel, length)
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "a program listens to at most %d channels",
                         TPI_MOST_CHANNELS);
}

tp_status tp_universal_say(tp_universal *robot, const char *channel, const char *text,
                           size_t length, tp_error *err)
{
    tpi_channel_entry room;
    const tp_blackboard_entry *entry = tpi_channel_fill(&room, channel, text, length);

    if (entry == NULL) {
        return tp_fail(err, TP_E_RANGE,
                       "the name of a channel has 1 to %d bytes, a message at most %d",
                       TPI_CHANNEL_NAME - 1, TPI_CHANNEL_TEXT);
    }
    const tp_status status = open_board(robot, err);
    return status == TP_OK ? tp_blackboard_request_set_entry(robot->board, entry, err) : status;
}

int tp_universal_waiting(const tp_universal *robot, const char *channel)
{
    return tpi_channels_waiting(robot->channels, number_of(robot, channel));
}

struct heard {
    const tp_universal *robot;
    unsigned number;
};

static bool is_heard(void *context)
{
    const struct heard *heard = context;

    return tpi_channels_waiting(heard->robot->channels, heard->number) > 0;
}

tp_status tp_universal_hear(tp_universal *robot, const char *channel, int64_t timeout_ns,
                            const char **text, size_t *length, tp_error *err)
{
    struct heard heard = {robot, number_of(robot, channel)};
    char late[TPI_CHANNEL_NAME + 40];

    *text = "";
    *length = 0;
    if (tpi_channels_name(robot->channels, heard.number) == NULL) {
        return fail_closed(channel, err);
    }
    tp_status status = tpi_client_may_wait(robot->client, channel, err);
    if (status != TP_OK) {
        return status;
    }
    status = tpi_client_wait_data(robot->client, tpi_client_deadline(robot->client, timeout_ns),
                                  is_heard, &heard);
    if (!is_heard(&heard)) {
        (void)snprintf(late, sizeof late, "no message on channel %s in time", channel);
        return tpi_proxy_fail_wait(robot->board, status, late, err);
    }
    *text = tpi_channels_read(robot->channels, heard.number, length);
    return TP_OK;
}
