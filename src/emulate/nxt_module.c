/*
 * nxt_module.c - the identity of an NXT, its buttons and its display: system commands 88 to A2.
 *
 * Two modules of the firmware have memory here: the buttons, and the screen of the display.
 */
#include <stdio.h>
#include <string.h>

#include "emulate/nxt.h"

enum { BUTTON_MODULE = 0x00040001, DISPLAY_MODULE = 0x000a0001 };
enum { COUNTS = 8, STATES_AT = NXT_BUTTONS * COUNTS, BUTTON_MEMORY = STATES_AT + NXT_BUTTONS };
enum { BUTTON_PRESSED = 0x80 };

static const struct module {
    const char *name;
    uint32_t id;
    uint16_t memory;
} modules[] = {
    {"Button.mod", BUTTON_MODULE, BUTTON_MEMORY},
    {"Display.mod", DISPLAY_MODULE, NXT_SCREEN_AT + NXT_SCREEN},
};
enum { MODULES = sizeof modules / sizeof modules[0] };

/* ---- Buttons --------------------------------------------------------------------------------- */

void tpi_nxt_buttons_tick(tpi_emu *emu)
{
    struct nxt *nxt = nxt_of(emu);

    for (unsigned i = 0; i < NXT_BUTTONS; i++) {
        const uint8_t is = tpi_body_button(&emu->body, nxt->parts.buttons[i]) ? 1 : 0;
        if (is != 0 && nxt->button_was[i] == 0) {
            nxt->button_counts[i]++;
            nxt->awake_us = emu->now_us;
        }
        nxt->button_was[i] = is;
    }
}

/* ---- Memory of modules ----------------------------------------------------------------------- */

static uint8_t button_byte(const struct nxt *nxt, size_t at)
{
    if (at >= STATES_AT) {
        return nxt->button_was[at - STATES_AT] != 0 ? BUTTON_PRESSED : 0;
    }
    return at % COUNTS == 0 ? nxt->button_counts[at / COUNTS] : 0;
}

static uint8_t module_byte(const struct nxt *nxt, uint32_t id, size_t at)
{
    if (id == BUTTON_MODULE) {
        return button_byte(nxt, at);
    }
    return at >= NXT_SCREEN_AT ? nxt->screen[at - NXT_SCREEN_AT] : 0;
}

static const struct module *module_of(uint32_t id)
{
    for (size_t i = 0; i < MODULES; i++) {
        if (modules[i].id == id) {
            return &modules[i];
        }
    }
    return NULL;
}

/* The module, place and length at the beginning of a request, checked; the reply repeats them. */
static uint8_t open_memory(struct nxt_call *call, size_t most, const struct module **module)
{
    const size_t length = tpi_get_le16(call->data + 6);

    *module = module_of(tpi_get_le32(call->data));
    call->reply_length = 6;
    memcpy(call->reply, call->data, 4);
    if (*module == NULL) {
        return NXT_NO_MODULE;
    }
    if (tpi_get_le16(call->data + 4) + length > (*module)->memory || length > most) {
        return NXT_OUT_OF_BOUNDS;
    }
    tpi_put_le16(call->reply + 4, (uint32_t)length);
    return NXT_OK;
}

static uint8_t read_module(tpi_emu *emu, struct nxt_call *call)
{
    const size_t at = tpi_get_le16(call->data + 4);
    const size_t length = tpi_get_le16(call->data + 6);
    const struct module *module = NULL;
    const uint8_t status = open_memory(call, NXT_REPLY - 6, &module);

    if (status != NXT_OK) {
        return status;
    }
    for (size_t i = 0; i < length; i++) {
        call->reply[6 + i] = module_byte(nxt_of(emu), module->id, at + i);
    }
    call->reply_length += length;
    return NXT_OK;
}

/* Only the screen keeps what is written. */
static uint8_t write_module(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);
    const size_t at = tpi_get_le16(call->data + 4);
    const size_t length = tpi_get_le16(call->data + 6);
    const struct module *module = NULL;
    const uint8_t status = open_memory(call, call->length - 8, &module);

    if (status != NXT_OK) {
        return status;
    }
    for (size_t i = 0; i < length && module->id == DISPLAY_MODULE; i++) {
        if (at + i >= NXT_SCREEN_AT) {
            nxt->screen[at + i - NXT_SCREEN_AT] = call->data[8 + i];
        }
    }
    return NXT_OK;
}

/* The module at which the search is, as the data of a reply: handle, name, id, size, size of its
 * memory. There is one search, with the handle 0. */
static uint8_t put_module(struct nxt *nxt, struct nxt_call *call)
{
    call->reply_length = 1 + NXT_NAME + 10;
    if (nxt->module_at >= MODULES) {
        return NXT_NO_MODULE;
    }
    const struct module *module = &modules[nxt->module_at++];
    (void)snprintf((char *)call->reply + 1, NXT_NAME, "%s", module->name);
    tpi_put_le32(call->reply + 1 + NXT_NAME, module->id);
    tpi_put_le16(call->reply + 9 + NXT_NAME, module->memory);
    return NXT_OK;
}

static uint8_t first_module(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);

    nxt->module_at = 0;
    while (nxt->module_at < MODULES && call->data[0] != '*' &&
           strncmp((const char *)call->data, modules[nxt->module_at].name, NXT_NAME) != 0) {
        nxt->module_at++;
    }
    return put_module(nxt, call);
}

static uint8_t next_module(tpi_emu *emu, struct nxt_call *call)
{
    return put_module(nxt_of(emu), call);
}

static uint8_t close_module(tpi_emu *emu, struct nxt_call *call)
{
    (void)emu;
    call->reply_length = 1;
    call->reply[0] = call->data[0];
    return NXT_OK;
}

/* ---- Identity ------------------------------------------------------------------------------- */

static uint8_t get_versions(tpi_emu *emu, struct nxt_call *call)
{
    static const uint8_t versions[] = {124, 1, 29, 1}; /* protocol 1.124, firmware 1.29 */

    (void)emu;
    call->reply_length = sizeof versions;
    memcpy(call->reply, versions, sizeof versions);
    return NXT_OK;
}

static uint8_t set_brick_name(tpi_emu *emu, struct nxt_call *call)
{
    struct nxt *nxt = nxt_of(emu);

    memcpy(nxt->brick_name, call->data, sizeof nxt->brick_name);
    nxt->brick_name[sizeof nxt->brick_name - 1] = '\0';
    return NXT_OK;
}

static uint8_t get_device_info(tpi_emu *emu, struct nxt_call *call)
{
    const struct nxt *nxt = nxt_of(emu);

    call->reply_length = 30;
    memcpy(call->reply, nxt->brick_name, sizeof nxt->brick_name);
    tpi_put_le32(call->reply + 26, NXT_FLASH - nxt->disk.used);
    return NXT_OK;
}

/* Nothing waits in the buffers that hosts poll. */
static uint8_t poll_length(tpi_emu *emu, struct nxt_call *call)
{
    (void)emu;
    call->reply_length = 2;
    call->reply[0] = call->data[0];
    return NXT_OK;
}

const struct nxt_command tpi_nxt_module_commands[] = {
    {0x88, "GETFIRMWAREVERSION", 0, get_versions},
    {0x90, "FINDFIRSTMODULE", NXT_NAME, first_module},
    {0x91, "FINDNEXTMODULE", 1, next_module},
    {0x92, "CLOSEMODULE", 1, close_module},
    {0x94, "IOMAPREAD", 8, read_module},
    {0x95, "IOMAPWRITE", 8, write_module},
    {0x98, "SETBRICKNAME", 16, set_brick_name},
    {0x9b, "GETDEVICEINFO", 0, get_device_info},
    {0xa1, "POLLLENGTH", 1, poll_length},
    {0xa2, "POLL", 2, poll_length},
    {0},
};
