/* print_form.c - data messages as records. */
#include "print_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output.h"

static const struct {
    const char *option;
    print_form form;
} forms[] = {
    {"--human", PRINT_HUMAN}, {"--picture", PRINT_PICTURE}, {"--line", PRINT_LINE},
    {"--json", PRINT_JSON},   {"--hex", PRINT_HEX},
};

bool print_form_named(const char *option, print_form *form)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].option, option) == 0) {
            *form = forms[i].form;
            return true;
        }
    }
    return false;
}

/* "SCAN", or its number if nobody knows it. */
static const char *message_name(const tp_catalogue *catalogue, const tp_msg *msg, char *out,
                                size_t size)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const tp_message *what =
        tp_catalogue_message(catalogue, header->addr.interf, TP_KIND_DATA, header->subtype);

    snprintf(out, size, "%u", header->subtype);
    return what != NULL ? what->name : out;
}

/* A value in one of the text forms, without the name of its struct; "" for no value. */
static void put_value(tpi_buf *out, const tp_msg *msg, tp_text_form form)
{
    const tp_struct *type = tp_msg_type(msg);
    char *text = NULL;

    if (type == NULL || tp_msg_payload(msg) == NULL) {
        tpi_buf_puts(out, form == TP_TEXT_JSON ? "null" : "");
        return;
    }
    if (tp_value_text(&text, type, tp_msg_payload(msg), form) != TP_OK) {
        out->failed = true;
        return;
    }
    tpi_buf_puts(out, form == TP_TEXT_JSON ? text : text + strlen(type->name));
    free(text);
}

static void put_hex(tpi_buf *out, const tp_msg *msg)
{
    const tp_struct *type = tp_msg_type(msg);
    tpi_buf bytes = {0};
    size_t size = 0;

    if (type == NULL || tp_msg_payload(msg) == NULL ||
        tp_xdr_size(type, tp_msg_payload(msg), &size) != TP_OK) {
        return;
    }
    char *at = tpi_buf_reserve(&bytes, size);
    if (at != NULL && tp_xdr_encode(type, tp_msg_payload(msg), at, size, &size) == TP_OK) {
        tpi_hex_put(out, at, size);
    }
    out->failed = out->failed || bytes.failed;
    tpi_buf_fini(&bytes);
}

void print_form_head(tpi_buf *out, const tp_catalogue *catalogue, const tp_msg *msg)
{
    char number[16];

    tpi_buf_printf(out, "%s  %.6f s", message_name(catalogue, msg, number, sizeof number),
                   tp_msg_header(msg)->timestamp);
}

/* Other units at the end of a text, in place of volts. */
static void exchange_units(tpi_buf *text, const char *units)
{
    static const char volts[] = "] V";
    const size_t length = strlen(volts);

    if (text->length >= length && strcmp(tpi_buf_text(text) + text->length - length, volts) == 0) {
        text->length -= 2;
        tpi_buf_puts(text, units[0] != '\0' ? " " : "");
        tpi_buf_puts(text, units);
    }
}

void print_form_body(tpi_buf *out, const char *units, const tp_msg *msg)
{
    tpi_buf text = {0};

    put_value(&text, msg, TP_TEXT_BLOCK);
    if (units != NULL) {
        exchange_units(&text, units);
    }
    const char *lines = tpi_buf_text(&text);
    output_put_lines(out, lines + (*lines == '\n'));
    out->failed = out->failed || text.failed;
    tpi_buf_fini(&text);
}

static void put_json(tpi_buf *out, const char *device, const char *message, const tp_msg *msg)
{
    tpi_buf_puts(out, "{\"time\":");
    output_put_number(out, tp_msg_header(msg)->timestamp);
    tpi_buf_puts(out, ",\"device\":");
    output_put_json(out, device, strlen(device));
    tpi_buf_puts(out, ",\"message\":");
    output_put_json(out, message, strlen(message));
    tpi_buf_puts(out, ",\"value\":");
    put_value(out, msg, TP_TEXT_JSON);
    tpi_buf_puts(out, "}\n");
}

/* "TIME DEVICE MESSAGE REST". */
static void put_line(tpi_buf *out, const char *device, const char *message, const tp_msg *msg,
                     print_form form)
{
    tpi_buf rest = {0};

    if (form == PRINT_HEX) {
        put_hex(&rest, msg);
    } else {
        put_value(&rest, msg, TP_TEXT_LINE);
    }
    tpi_buf_printf(out, "%.6f %s %s%s", tp_msg_header(msg)->timestamp, device, message,
                   rest.length > 0 ? " " : "");
    output_put_clean(out, tpi_buf_text(&rest), rest.length);
    tpi_buf_putc(out, '\n');
    out->failed = out->failed || rest.failed;
    tpi_buf_fini(&rest);
}

void print_form_record(tpi_buf *out, print_form form, const tp_catalogue *catalogue,
                       const char *device, const char *units, const tp_msg *msg)
{
    char number[16];
    const char *message = message_name(catalogue, msg, number, sizeof number);

    if (form == PRINT_JSON) {
        put_json(out, device, message, msg);
    } else if (form == PRINT_HUMAN || form == PRINT_PICTURE) {
        tpi_buf_printf(out, "%s ", device);
        print_form_head(out, catalogue, msg);
        tpi_buf_putc(out, '\n');
        print_form_body(out, units, msg);
    } else {
        put_line(out, device, message, msg, form);
    }
}
