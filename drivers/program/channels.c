/*
 * channels.c - messages between programs; see program.h.
 *
 * A blackboard carries them between the programs of a server, its clients and other fronts
 * (universal/channels.h). Without one they stay within the program.
 */
#include <string.h>

#include "play/show.h"
#include "program.h"
#include "troupe/interfaces/blackboard.h"

static const int64_t BOARD_NS = 5 * TP_NS_PER_S;

bool tpi_program_open_channels(struct program *p)
{
    const tpi_play_program *program = &p->loaded.program;

    tpi_channels_destroy(p->boxes);
    p->boxes = tpi_channels_create();
    for (unsigned i = 0; p->boxes != NULL && i < program->channel_count; i++) {
        if (!tpi_channels_open(p->boxes, i, program->channels[i].text,
                               strlen(program->channels[i].text))) {
            return false;
        }
    }
    return p->boxes != NULL;
}

static void on_written(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                       const char *why)
{
    (void)context;
    (void)answer;
    if (status != TP_OK) {
        tp_instance_note(self, why);
    }
}

/* Write to the blackboard, from where it comes back; or to ourselves. */
static void post(struct program *p, const char *name, const char *text, size_t length)
{
    tpi_channel_entry room;
    const tp_blackboard_entry *entry = tpi_channel_fill(&room, name, text, length);

    if (p->board == NULL || entry == NULL) {
        tpi_channels_take(p->boxes, name, strlen(name), text, length);
        return;
    }
    const tp_status status =
        tp_link_request(p->board, TP_BLACKBOARD_REQ_SET_ENTRY, entry, BOARD_NS, on_written, NULL);
    if (status != TP_OK) {
        tp_instance_note(p->instance, "a message could not be sent to the blackboard");
    }
}

void tpi_program_channel(struct program *p)
{
    const tpi_play_request *request = &p->runner->machine.request;
    const tpi_command command = tpi_dictionary_code(request->code);
    const char *name = tpi_channels_name(p->boxes, request->device);
    size_t length = 0;

    if (command == TPI_WRITE_MESSAGE && request->values > 0 && name != NULL) {
        tpi_buf_clear(&p->seen.room);
        tpi_play_put_cell(&p->seen.room, &p->runner->machine, &request->row[0]);
        length =
            p->seen.room.length < TPI_PLAY_SLOT_SIZE ? p->seen.room.length : TPI_PLAY_SLOT_SIZE - 1;
        post(p, name, tpi_buf_text(&p->seen.room), length);
    } else if (command == TPI_READ_MESSAGE && request->results > 0) {
        const char *text = tpi_channels_read(p->boxes, request->device, &length);
        length = length < TPI_PLAY_SLOT_SIZE ? length : TPI_PLAY_SLOT_SIZE - 1;
        tpi_play_put_text(&p->runner->machine, &request->row[0], text, (uint8_t)length);
    } else if (request->results > 0) {
        request->row[0].as.i = tpi_channels_waiting(p->boxes, request->device);
        request->row[0].tag = TPI_PLAY_INT;
    }
}

void tpi_program_heard(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct program *p = tp_instance_state(self);

    if (from == p->board && p->boxes != NULL && tp_msg_header(msg)->type == TP_MSGTYPE_DATA &&
        tp_msg_header(msg)->subtype == TP_BLACKBOARD_DATA_UPDATE) {
        tpi_channels_take_entry(p->boxes, tp_msg_payload(msg));
    }
}
