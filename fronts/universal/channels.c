/*
 * channels.c - channels of the server: named mailboxes between programs.
 *
 * SetupChannel with a name opens a mailbox under the id of its port; the messages are entries of
 * the server's first blackboard. Channel commands with another id, with a registered device, or
 * SetupChannel without a name, are for the robot, which may have mailboxes of its own.
 */
#include <string.h>

#include "inside.h"
#include "troupe/interfaces/blackboard.h"

/* ---- The blackboard -------------------------------------------------------------------------- */

static tp_device *find_board(const struct connection *c)
{
    size_t place = 0;
    tp_device *device;

    while ((device = tp_session_next_device(c->session, &place)) != NULL) {
        if (tp_session_address(device)->interf == TP_BLACKBOARD_CODE) {
            return device;
        }
    }
    return NULL;
}

static void set_up(struct connection *c);

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct connection *c = tp_connection_state(context);

    (void)request;
    if (tp_connection_is_ending(c->base) || device != c->channels.board) {
        return;
    }
    c->channels.is_open = status == TP_OK;
    if (!c->task.on) {
        return;
    }
    if (status != TP_OK) {
        c->channels.board = NULL;
        tpi_universalf_failed(c, tpi_universalf_fault(status), "%s", err->text);
        return;
    }
    set_up(c);
}

static void open_board(struct connection *c)
{
    static const tp_msghdr request = {.type = TP_MSGTYPE_REQ};

    c->channels.board = find_board(c);
    if (c->channels.board == NULL) {
        tpi_universalf_failed(c, TPI_FAULT_NOT_AVAILABLE,
                              "not available: the server has no blackboard for channels; write "
                              "driver ( name \"localbb\" provides [ \"blackboard:0\" ] )");
    } else if (tp_session_open(c->session, c->channels.board, TP_OPEN_MODE, &request, on_opened) !=
               TP_OK) {
        c->channels.board = NULL;
        tpi_universalf_failed(c, TPI_FAULT_REFUSED, "the blackboard cannot be opened");
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void set_up(struct connection *c)
{
    const tpi_packet *packet = &c->task.packet;
    const tpi_value *name = &packet->values[0];

    if (!c->channels.is_open) {
        open_board(c);
        return;
    }
    if (c->channels.boxes == NULL) {
        c->channels.boxes = tpi_channels_create();
    }
    if (c->channels.boxes == NULL ||
        !tpi_channels_open(c->channels.boxes, packet->id, name->text, name->length)) {
        tpi_universalf_failed(c, TPI_FAULT_VALUE,
                              "bad value: a connection has at most %d channels, with names of up "
                              "to %d bytes",
                              TPI_MOST_CHANNELS, TPI_CHANNEL_NAME - 1);
        return;
    }
    tpi_universalf_done(c, NULL);
}

static void write_message(struct connection *c)
{
    const tpi_value *text = &c->task.packet.values[0];
    const char *name = tpi_channels_name(c->channels.boxes, c->task.packet.id);
    const size_t length = c->task.packet.count > 0 ? text->length : 0;
    tpi_channel_entry room;
    const tp_blackboard_entry *entry = tpi_channel_fill(&room, name, text->text, length);

    if (entry == NULL) { /* the name fits: it is that of a mailbox */
        tpi_universalf_failed(c, TPI_FAULT_VALUE, "bad value: a message has at most %d bytes",
                              TPI_CHANNEL_TEXT);
        return;
    }
    tpi_universalf_ask_of(c, c->channels.board, &tp_interface_blackboard,
                          TP_BLACKBOARD_REQ_SET_ENTRY, entry);
}

static void answer(struct connection *c)
{
    const unsigned id = c->task.packet.id;
    tpi_buf values = {0};

    if (c->task.packet.command == TPI_READ_MESSAGE) {
        size_t length = 0;
        const char *text = tpi_channels_read(c->channels.boxes, id, &length);
        tpi_packet_put_text(&values, text, length);
    } else {
        tpi_packet_put_u32(&values, (uint32_t)tpi_channels_waiting(c->channels.boxes, id));
    }
    tpi_universalf_done(c, &values);
    tpi_buf_fini(&values);
}

bool tpi_universalf_channel(struct connection *c)
{
    const tpi_packet *packet = &c->task.packet;

    if (tpi_dictionary_entry(packet->command)->sort != TPI_SORT_CHANNEL ||
        (packet->has_port && packet->type >= FIRST_TYPE)) {
        return false;
    }
    if (packet->command == TPI_SETUP_CHANNEL) {
        if (packet->count == 0 || packet->values[0].length == 0) {
            return false;
        }
        set_up(c);
        return true;
    }
    if (tpi_channels_name(c->channels.boxes, packet->id) == NULL) {
        return false;
    }
    if (packet->command == TPI_WRITE_MESSAGE) {
        write_message(c);
    } else {
        answer(c);
    }
    return true;
}

/* ---- Messages that come ---------------------------------------------------------------------- */

void tpi_universalf_heard(struct connection *c, const tp_msg *msg)
{
    if (tp_msg_header(msg)->type == TP_MSGTYPE_DATA &&
        tp_msg_header(msg)->subtype == TP_BLACKBOARD_DATA_UPDATE) {
        tpi_channels_take_entry(c->channels.boxes, tp_msg_payload(msg));
    }
}

void tpi_universalf_channels_end(struct connection *c)
{
    tpi_channels_destroy(c->channels.boxes);
    c->channels.boxes = NULL;
}
