/*
 * emit_client.c - the typed calls of robot programs: one inline function for each message.
 *
 * They add nothing to troupe/client.h but types: the compiler sees to it that a message, its code
 * and its structs belong together. The server itself (`player`) is asked through the client, and
 * the common questions go to any proxy, so neither of them is opened.
 */
#include <ctype.h>

#include "padi/gen/gen.h"

enum { COMMON = 0, PLAYER = 1 };

static void put_lower(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        tpi_buf_putc(out, (char)tolower((unsigned char)*text));
    }
}

static void put_guard(tpi_buf *out, const char *name)
{
    tpi_buf_puts(out, "TROUPE_CLIENT_");
    gen_upper(out, name);
    tpi_buf_puts(out, "_H");
}

/* TP_LASER_DATA_SCAN */
static void put_code(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    tpi_buf_puts(out, "TP_");
    gen_upper(out, interface->name);
    tpi_buf_printf(out, "_%s_%s", tpi_kind_infix(message->kind), message->name);
}

/* static inline RESULT tp_laser_VERB_scan( */
static void put_start(tpi_buf *out, const tp_interface *interface, const tp_message *message,
                      const char *verb)
{
    tpi_buf_printf(out, "tp_%s_%s_", interface->name, verb);
    put_lower(out, message->name);
    tpi_buf_putc(out, '(');
}

static void put_open(tpi_buf *out, const tp_interface *interface)
{
    if (interface->code == COMMON || interface->code == PLAYER) {
        return;
    }
    tpi_buf_printf(out, "\n/* Open %s:INDEX and wait; see tp_client_open(). */\n", interface->name);
    tpi_buf_printf(out,
                   "static inline tp_status tp_%s_open(tp_client *client,\n"
                   "    unsigned index, tp_proxy **out, tp_error *err)\n{\n"
                   "    return tp_client_open_device(client, &tp_interface_%s, index,\n"
                   "        TP_OPEN_MODE, out, err);\n}\n",
                   interface->name, interface->name);
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* The newest one, and the next one. A message without a body is given itself. */
static void put_data(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    const char *type = message->ask != NULL ? message->ask->name : "msg";

    tpi_buf_putc(out, '\n');
    gen_comment(out, 0, message->doc);
    tpi_buf_printf(out, "static inline const tp_%s *", type);
    put_start(out, interface, message, "latest");
    tpi_buf_puts(out, "const tp_proxy *proxy)\n{\n    const tp_msg *msg = tp_proxy_latest(proxy, ");
    put_code(out, interface, message);
    tpi_buf_puts(out, ");\n\n");
    if (message->ask != NULL) {
        tpi_buf_printf(
            out, "    return msg != NULL ? (const tp_%s *)tp_msg_payload(msg) : NULL;\n}\n", type);
    } else {
        tpi_buf_puts(out, "    return msg;\n}\n");
    }
    tpi_buf_printf(out, "\nstatic inline const tp_%s *", type);
    put_start(out, interface, message, "wait");
    tpi_buf_puts(out, "tp_proxy *proxy,\n    int64_t timeout_ns, tp_error *err)\n{\n");
    if (message->ask != NULL) {
        tpi_buf_printf(out, "    return (const tp_%s *)tp_proxy_wait(proxy,\n        ", type);
        put_code(out, interface, message);
        tpi_buf_puts(out, ", timeout_ns, err);\n}\n");
    } else {
        tpi_buf_puts(out, "    return tp_proxy_wait(proxy, ");
        put_code(out, interface, message);
        tpi_buf_puts(out, ", timeout_ns, err) != NULL\n               ? tp_proxy_latest(proxy, ");
        put_code(out, interface, message);
        tpi_buf_puts(out, ") : NULL;\n}\n");
    }
}

/* ---- Commands and requests ------------------------------------------------------------------- */

static void put_command(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    tpi_buf_putc(out, '\n');
    gen_comment(out, 0, message->doc);
    tpi_buf_puts(out, "static inline tp_status ");
    put_start(out, interface, message, "command");
    tpi_buf_puts(out, "tp_proxy *proxy,\n    ");
    if (message->ask != NULL) {
        tpi_buf_printf(out, "const tp_%s *value, ", message->ask->name);
    }
    tpi_buf_puts(out, "tp_error *err)\n{\n    return tp_proxy_command(proxy, ");
    put_code(out, interface, message);
    tpi_buf_puts(out, message->ask != NULL ? ", value, err);\n}\n" : ", NULL, err);\n}\n");
}

static void put_request(tpi_buf *out, const tp_interface *interface, const tp_message *message)
{
    const char *whom = interface->code == PLAYER ? "client" : "proxy";
    const char *ask = message->ask != NULL ? "ask" : "NULL";

    tpi_buf_putc(out, '\n');
    gen_comment(out, 0, message->doc);
    tpi_buf_puts(out, "static inline tp_status ");
    put_start(out, interface, message, "request");
    tpi_buf_printf(out, "tp_%s *%s,\n    ", whom, whom);
    if (message->ask != NULL) {
        tpi_buf_printf(out, "const tp_%s *ask, ", message->ask->name);
    }
    if (message->answer != NULL) {
        tpi_buf_printf(out, "const tp_%s **answer, ", message->answer->name);
    }
    tpi_buf_puts(out, "tp_error *err)\n{\n");
    if (message->answer == NULL) {
        tpi_buf_printf(out, "    return tp_%s_request(%s, ", whom, whom);
        put_code(out, interface, message);
        tpi_buf_printf(out, ",\n        %s, NULL, err);\n}\n", ask);
        return;
    }
    tpi_buf_printf(out,
                   "    const void *got = NULL;\n    tp_status status = tp_%s_request(%s,\n"
                   "        ",
                   whom, whom);
    put_code(out, interface, message);
    tpi_buf_printf(out,
                   ", %s, answer != NULL ? &got : NULL, err);\n\n"
                   "    if (answer != NULL) {\n        *answer = (const tp_%s *)got;\n    }\n"
                   "    return status;\n}\n",
                   ask, message->answer->name);
}

static void put_calls(tpi_buf *out, const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        switch (message->kind) {
        case TP_KIND_DATA:
            put_data(out, interface, message);
            break;
        case TP_KIND_COMMAND:
            put_command(out, interface, message);
            break;
        case TP_KIND_REQUEST:
            put_request(out, interface, message);
            break;
        case TP_KIND_SYNCH:
            break;
        }
    }
}

void gen_client(tpi_buf *out, const tp_interface *interface, const gen_names *names)
{
    tpi_buf_printf(out,
                   "/* Calls of robot programs, generated from %s.padi by troupe-padi; do not edit."
                   " */\n",
                   interface->name);
    gen_comment(out, 0, interface->doc);
    tpi_buf_puts(out, "#ifndef ");
    put_guard(out, interface->name);
    tpi_buf_puts(out, "\n#define ");
    put_guard(out, interface->name);
    tpi_buf_printf(out, "\n\n#include \"troupe/client.h\"\n#include \"%s%s.h\"\n",
                   names->own_prefix, interface->name);
    tpi_buf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    put_open(out, interface);
    put_calls(out, interface);
    tpi_buf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

void gen_all_clients(tpi_buf *out, const tpi_padi *const *padis, size_t count)
{
    tpi_buf_puts(out, "/* all.h - generated by troupe-padi; the calls of every built-in interface."
                      " */\n#ifndef TROUPE_CLIENT_ALL_H\n#define TROUPE_CLIENT_ALL_H\n\n");
    for (size_t i = 0; i < count; i++) {
        tpi_buf_printf(out, "#include \"troupe/client/%s.h\"\n", padis[i]->interface.name);
    }
    tpi_buf_puts(out, "\n#endif\n");
}
