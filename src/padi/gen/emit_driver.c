/* emit_driver.c - what a driver of an interface calls: offering a device, publishing its data. */
#include <ctype.h>

#include "padi/gen/gen.h"

static void put_guard(tpi_buf *out, const char *name)
{
    tpi_buf_puts(out, "TROUPE_DRIVER_");
    gen_upper(out, name);
    tpi_buf_puts(out, "_H");
}

static void put_lower(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        tpi_buf_putc(out, (char)tolower((unsigned char)*text));
    }
}

static void put_offer(tpi_buf *out, const tp_interface *interface)
{
    const char *name = interface->name;
    const bool operations = gen_has_operations(interface);

    tpi_buf_printf(out,
                   "\n/* Offer %s at the first free address of `provides` with this key (NULL for\n"
                   " * any); from init only. %s*/\n",
                   name, operations ? "`ops` is borrowed as long as the instance. " : "");
    tpi_buf_printf(out, "static inline tp_status tp_offer_%s(tp_instance *self, const char *key,\n",
                   name);
    if (operations) {
        tpi_buf_printf(out, "    const tp_%s_ops *ops,\n", name);
    }
    tpi_buf_puts(out, "    tp_device **out, tp_error *err)\n{\n");
    tpi_buf_printf(out,
                   "    return tp_offer(self, &tp_interface_%s, key, %s, NULL, out, err);\n}\n",
                   name, operations ? "ops" : "NULL");
}

static void put_publish(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    tpi_buf_putc(out, '\n');
    gen_comment(out, 0, message->doc);
    tpi_buf_printf(out, "static inline tp_status tp_%s_publish_", interface->name);
    put_lower(out, message->name);
    tpi_buf_puts(out, "(tp_device *device,\n");
    if (message->ask != NULL) {
        tpi_buf_printf(out, "    const tp_%s *value,\n", message->ask->name);
    }
    tpi_buf_puts(out, "    double timestamp_s)\n{\n    return tp_publish(device, TP_");
    gen_upper(out, interface->name);
    tpi_buf_printf(out, "_%s_%s, %s, timestamp_s);\n}\n", tpi_kind_infix(message->kind),
                   message->name, message->ask != NULL ? "value" : "NULL");
}

static void put_publishing(tpi_buf *out, const tp_interface *interface)
{
    bool told = false;

    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        if (message->kind != TP_KIND_DATA) {
            continue;
        }
        if (!told) {
            tpi_buf_puts(out, "\n/* Send data to all readers, as tp_publish() does: the value is "
                              "copied, `timestamp_s` is when\n"
                              " * it was measured, 0 for now. */\n");
            told = true;
        }
        put_publish(out, interface, message);
    }
}

void gen_driver_header(tpi_buf *out, const tpi_padi *padi, const gen_names *names)
{
    const tp_interface *interface = &padi->interface;

    tpi_buf_printf(out, "/* Generated from %s.padi by troupe-padi; do not edit. */\n",
                   interface->name);
    gen_comment(out, 0, "What a driver calls to be a device of this interface.");
    tpi_buf_puts(out, "#ifndef ");
    put_guard(out, interface->name);
    tpi_buf_puts(out, "\n#define ");
    put_guard(out, interface->name);
    tpi_buf_printf(out, "\n\n#include \"troupe/driver.h\"\n#include \"%s%s.h\"\n",
                   names->own_prefix, interface->name);
    tpi_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    put_offer(out, interface);
    put_publishing(out, interface);
    tpi_buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
