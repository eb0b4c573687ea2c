/*
 * nxt_box.c - programs, mailboxes, sound and power of an NXT.
 *
 * A program is a file that was started. The emulator does not execute it; it makes mailboxes work,
 * as a program that waits for messages does.
 */
#include <string.h>

#include "emulate/nxt.h"

enum { INBOXES = 10, SLEEP_MS = 600000 };
enum { FULL_MV = 7832, EMPTY_MV = 5600 };

/* ---- Programs -------------------------------------------------------------------------------- */

static bool runs(const struct nxt *nxt)
{
    return nxt->program[0] != '\0';
}

static uint8_t start_program(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);

    if (!tpi_nxt_file_exists(nxt, call->data)) {
        return NXT_RANGE; /* what the real firmware answers */
    }
    memcpy(nxt->program, call->data, NXT_NAME);
    memset(nxt->boxes, 0, sizeof nxt->boxes);
    return NXT_OK;
}

static uint8_t stop_program(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);
    const bool ran = runs(nxt);

    (void)call;
    memset(nxt->program, 0, sizeof nxt->program);
    if (ran) {
        tpi_nxt_motors_stop(emu);
    }
    return ran ? NXT_OK : NXT_NO_PROGRAM;
}

static uint8_t get_program_name(tpi_emu *emu, struct nxt_call *call)
{
    const struct nxt *nxt = nxt_of(emu);

    call->reply_length = NXT_NAME;
    memcpy(call->reply, nxt->program, NXT_NAME);
    return runs(nxt) ? NXT_OK : NXT_NO_PROGRAM;
}

/* ---- Mailboxes ------------------------------------------------------------------------------- */

/* The oldest goes first. */
static void drop_first(struct nxt_box *box)
{
    box->count--;
    memmove(box->bytes[0], box->bytes[1], (size_t)box->count * NXT_MESSAGE);
    memmove(box->sizes, box->sizes + 1, box->count);
}

static uint8_t write_message(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);
    const uint8_t number = call->data[0];
    const size_t size = call->data[1];

    if (number >= INBOXES || size == 0 || size > NXT_MESSAGE || size > call->length - 2 ||
        call->data[2 + size - 1] != 0) {
        return NXT_RANGE;
    }
    if (!runs(nxt)) {
        return NXT_NO_PROGRAM;
    }
    struct nxt_box *box = &nxt->boxes[number];
    if (box->count == NXT_BOX_DEPTH) {
        drop_first(box);
    }
    memcpy(box->bytes[box->count], call->data + 2, size);
    box->sizes[box->count++] = (uint8_t)size;
    return NXT_OK;
}

static uint8_t read_message(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);

    call->reply_length = 2 + NXT_MESSAGE;
    if (!runs(nxt)) {
        return NXT_NO_PROGRAM;
    }
    call->reply[0] = call->data[1];
    if (call->data[0] >= NXT_BOXES || call->data[1] >= INBOXES) {
        return NXT_ILLEGAL_BOX;
    }
    struct nxt_box *box = &nxt->boxes[call->data[0]];
    if (box->count == 0) {
        return NXT_BOX_EMPTY;
    }
    call->reply[1] = box->sizes[0];
    memcpy(call->reply + 2, box->bytes[0], box->sizes[0]);
    if (call->data[2] != 0) {
        drop_first(box);
    }
    return NXT_OK;
}

/* ---- Sound ----------------------------------------------------------------------------------- */

static uint8_t play_tone(tpi_emu *emu, struct nxt_call *call)
{
    tpi_body_tone(&emu->body, nxt_of(emu)->parts.speaker, tpi_get_le16(call->data),
                  tpi_get_le16(call->data + 2) * 1e-3);
    return NXT_OK;
}

static uint8_t play_file(tpi_emu *emu, struct nxt_call *call)
{
    if (!tpi_nxt_file_exists(nxt_of(emu), call->data + 1)) {
        return NXT_RANGE;
    }
    tpi_body_tone(&emu->body, nxt_of(emu)->parts.speaker, 440, 1);
    return NXT_OK;
}

static uint8_t stop_sound(tpi_emu *emu, struct nxt_call *call)
{
    (void)call;
    tpi_body_tone(&emu->body, nxt_of(emu)->parts.speaker, 0, 0);
    return NXT_OK;
}

/* ---- Power ----------------------------------------------------------------------------------- */

static uint8_t get_battery(tpi_emu *emu, struct nxt_call *call)
{
    call->reply_length = 2;
    tpi_put_le16(call->reply, emu->body.empty ? EMPTY_MV : FULL_MV);
    return NXT_OK;
}

static uint8_t keep_alive(tpi_emu *emu, struct nxt_call *call)
{
    nxt_of(emu)->awake_us = emu->now_us;
    call->reply_length = 4;
    tpi_put_le32(call->reply, SLEEP_MS);
    return NXT_OK;
}

const struct nxt_command tpi_nxt_box_commands[] = {
    {0x00, "STARTPROGRAM", NXT_NAME, start_program},
    {0x01, "STOPPROGRAM", 0, stop_program},
    {0x02, "PLAYSOUNDFILE", 1 + NXT_NAME, play_file},
    {0x03, "PLAYTONE", 4, play_tone},
    {0x09, "MESSAGEWRITE", 2, write_message},
    {0x0b, "GETBATTERYLEVEL", 0, get_battery},
    {0x0c, "STOPSOUND", 0, stop_sound},
    {0x0d, "KEEPALIVE", 0, keep_alive},
    {0x11, "GETCURRENTPROGRAMNAME", 0, get_program_name},
    {0x13, "MESSAGEREAD", 3, read_message},
    {0},
};
