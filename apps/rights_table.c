/* rights_table.c - which right every message of every interface needs, by the code that asks. */
#include "rights_table.h"

#include "troupe/front.h"

/* Modes of opening; the others close, or are answers. */
static bool opens(const tp_constant *mode)
{
    return mode->value == TP_OPEN_MODE || mode->value >= TP_READ_MODE;
}

/* Interfaces of devices; the others are the server's own and the common messages of all. */
static bool has_devices(const tp_interface *interface)
{
    return interface->code != 0 && interface->code != TP_PLAYER_CODE;
}

/* ---- A page ---------------------------------------------------------------------------------- */

static void put_heading(tpi_buf *out, const char *what)
{
    tpi_buf_printf(out, "\n| %s | code |", what);
    for (tp_right right = TP_RIGHT_READ; right <= TP_RIGHT_OPERATE; right++) {
        tpi_buf_printf(out, " %s |", tp_right_name(right));
    }
    tpi_buf_puts(out, "\n|---|---|---|---|---|---|\n");
}

static void put_rights(tpi_buf *out, tp_right needed)
{
    for (tp_right right = TP_RIGHT_READ; right <= TP_RIGHT_OPERATE; right++) {
        tpi_buf_puts(out, right >= needed ? " yes |" : " - |");
    }
    tpi_buf_putc(out, '\n');
}

static void put_interface(tpi_buf *out, const tp_interface *interface)
{
    tpi_buf_printf(out, "\n## %s %u\n", interface->name, interface->code);
    put_heading(out, "message");
    if (has_devices(interface)) {
        tpi_buf_printf(out, "| open with EXCLUSIVE_MODE | %u |", TP_EXCLUSIVE_MODE);
        put_rights(out, tp_right_to_open(interface, TP_EXCLUSIVE_MODE));
    }
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        tpi_buf_printf(out, "| %s %s | %u |", tp_kind_name(message->kind), message->name,
                       message->code);
        put_rights(out, tp_right_needed(message));
    }
}

static void put_introduction(tpi_buf *out)
{
    tpi_buf_puts(
        out,
        "# Rights\n\n"
        "Made by `troupe interfaces --rights`, from the interfaces and by the code that decides; a "
        "test compares them.\n\n"
        "A client may read, write, move or operate; each includes those before it. What it may do "
        "without a key,\nand how keys are configured, is in "
        "[configuration.md](../reference/configuration.md). "
        "A message that the table does not\nallow is refused. Data and synchs go the other way: "
        "clients that may read receive them.\n\n"
        "RESET_PANIC is also allowed to the client that raised the panic. If there is no "
        "operator's key, messages that need the\nright to operate are also allowed to clients on "
        "the same machine that may move. PANIC and HALT stop things, so\neverybody may send "
        "them.\n\n"
        "A driver section can raise the right that writing to its devices needs, with "
        "`write_needs`. The table is without it.\n\n"
        "## Opening a device\n\n"
        "EXCLUSIVE_MODE needs the right to move if the interface has a message that needs it: a "
        "client that may not move a\ndevice keeps no other client from moving it. Each interface "
        "below says which right that is.\n");
    put_heading(out, "access");
    for (uint32_t i = 0; i < tp_desc_access_mode.member_count; i++) {
        const tp_constant *mode = &tp_desc_access_mode.members[i];
        if (opens(mode) && mode->value != TP_EXCLUSIVE_MODE) {
            tpi_buf_printf(out, "| %s | %u |", mode->name, (unsigned)mode->value);
            put_rights(out, tp_right_to_open(&tp_interface_common, (unsigned)mode->value));
        }
    }
}

void rights_table_page(tpi_buf *out, const tp_catalogue *catalogue, const tp_interface *only)
{
    if (only != NULL) {
        put_interface(out, only);
        return;
    }
    put_introduction(out);
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        if (tp_catalogue_at(catalogue, i)->message_count > 0) {
            put_interface(out, tp_catalogue_at(catalogue, i));
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_messages(tpi_buf *out, const tp_interface *interface)
{
    tpi_buf_printf(out, "\"%s\":[", interface->name);
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        tpi_buf_printf(out, "%s\n {\"kind\":\"%s\",\"name\":\"%s\",\"code\":%u,\"right\":\"%s\"}",
                       i == 0 ? "" : ",", tp_kind_name(message->kind), message->name, message->code,
                       tp_right_name(tp_right_needed(message)));
    }
    tpi_buf_putc(out, ']');
}

static void put_modes(tpi_buf *out, const tp_interface *interface)
{
    const char *glue = "";

    tpi_buf_printf(out, "\"%s\":{", interface->name);
    for (uint32_t i = 0; i < tp_desc_access_mode.member_count; i++) {
        const tp_constant *mode = &tp_desc_access_mode.members[i];
        if (opens(mode)) {
            tpi_buf_printf(out, "%s\"%u\":\"%s\"", glue, (unsigned)mode->value,
                           tp_right_name(tp_right_to_open(interface, (unsigned)mode->value)));
            glue = ",";
        }
    }
    tpi_buf_putc(out, '}');
}

static void put_openings(tpi_buf *out, const tp_catalogue *catalogue, const tp_interface *only)
{
    const char *glue = "";

    tpi_buf_puts(out, "\"opening\":{");
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (has_devices(interface) && (only == NULL || only == interface)) {
            tpi_buf_puts(out, glue);
            put_modes(out, interface);
            glue = ",\n";
        }
    }
    tpi_buf_puts(out, "},\n");
}

void rights_table_json(tpi_buf *out, const tp_catalogue *catalogue, const tp_interface *only)
{
    const char *glue = "";

    tpi_buf_putc(out, '{');
    put_openings(out, catalogue, only);
    tpi_buf_puts(out, "\"interfaces\":{");
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (only == NULL || only == interface) {
            tpi_buf_puts(out, glue);
            put_messages(out, interface);
            glue = ",\n";
        }
    }
    tpi_buf_puts(out, "}}\n");
}
