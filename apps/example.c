/* example.c - what a message looks like on the command line. */
#include "example.h"

#include <string.h>

#include "called.h"

enum { MOST_FIXED = 8 }; /* longer arrays of fixed length are left out, which makes them zero */

static void put_struct(tpi_buf *out, const tp_struct *type, bool asks);

static void put_one(tpi_buf *out, const tp_field *field, bool asks)
{
    if (field->type == TP_TYPE_STRUCT) {
        put_struct(out, field->of, asks);
    } else if (field->values != NULL && field->values->member_count > 0) {
        tpi_buf_printf(out, "\"%s\"", field->values->members[0].name);
    } else if (field->unit != NULL && strcmp(field->unit, "bool") == 0) {
        tpi_buf_puts(out, "true");
    } else {
        tpi_buf_putc(out, '0');
    }
}

static void put_array(tpi_buf *out, const tp_field *field, bool asks)
{
    const uint32_t count = field->shape == TP_SHAPE_FIXED ? field->length : 1;

    if (field->type == TP_TYPE_CHAR) {
        tpi_buf_puts(out, "\"text\"");
        return;
    }
    tpi_buf_putc(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        tpi_buf_puts(out, i > 0 ? "," : "");
        put_one(out, field, asks);
    }
    tpi_buf_putc(out, ']');
}

/* Counts are taken from their arrays; and Player has one struct for a request and its answer, where
 * the sentences say what is for the answer only. */
static bool is_left_out(const tp_field *field, bool asks)
{
    const bool room = field->type != TP_TYPE_CHAR || field->shape == TP_SHAPE_POINTER ||
                      field->shape == TP_SHAPE_ONE || field->length > sizeof "text";

    return field->is_count || !room || (asks && strncmp(field->doc, "Answer:", 7) == 0) ||
           (field->shape == TP_SHAPE_FIXED && field->type != TP_TYPE_CHAR &&
            field->length > MOST_FIXED);
}

static void put_struct(tpi_buf *out, const tp_struct *type, bool asks)
{
    const char *glue = "";

    tpi_buf_putc(out, '{');
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (is_left_out(field, asks)) {
            continue;
        }
        tpi_buf_printf(out, "%s\"%s\":", glue, field->name);
        glue = ",";
        if (field->shape == TP_SHAPE_ONE) {
            put_one(out, field, asks);
        } else {
            put_array(out, field, asks);
        }
    }
    tpi_buf_putc(out, '}');
}

void example_put(tpi_buf *out, const tp_struct *type, bool asks)
{
    put_struct(out, type, asks);
}

static void put_message(tpi_buf *out, const tp_message *message, const char *command,
                        const char *device)
{
    static const char *const marks[] = {[TP_MARK_REQUIRED] = "",
                                        [TP_MARK_OPTIONAL] = " (optional)",
                                        [TP_MARK_EXTENSION] = " (extension)"};

    tpi_buf_printf(out, "\n%s - %s%s\n  %s %s %s %s", message->name, message->doc,
                   marks[message->mark], called(), command, device, message->name);
    if (message->ask != NULL) {
        tpi_buf_puts(out, " '");
        example_put(out, message->ask, true);
        tpi_buf_putc(out, '\'');
    }
    tpi_buf_putc(out, '\n');
    if (message->answer != NULL) {
        tpi_buf_puts(out, "  answer: ");
        example_put(out, message->answer, false);
        tpi_buf_putc(out, '\n');
    }
}

void example_put_messages(tpi_buf *out, const tp_interface *interface, tp_kind kind,
                          const char *command, const char *device, const char *url)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < interface->message_count; i++) {
        count += interface->messages[i].kind == kind;
    }
    tpi_buf_printf(out, "%s has %lu %s%s%s\n", interface->name, (unsigned long)count,
                   tp_kind_name(kind), count == 1 ? "" : "s", count > 0 ? ":" : ".");
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (interface->messages[i].kind == kind) {
            put_message(out, &interface->messages[i], command, device);
        }
    }
    if (count > 0 && (url == NULL || strncmp(url, "inproc:", 7) != 0)) {
        tpi_buf_printf(out, "\nWhat the fields mean: %s interfaces %s%s%s\n", called(),
                       interface->name, url != NULL ? " --url " : "", url != NULL ? url : "");
    }
}
