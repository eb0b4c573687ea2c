/*
 * robot_universal.c - robots of the kind universal: their firmware executes universal commands.
 *
 * Such a file has devices and no translations. The bytes are those of docs/universal-protocol.md;
 * dialog_packet.c writes and reads them. Framing, stop bytes and keep-alive follow from the kind.
 */
#include <string.h>

#include "base/text.h"
#include "universal/robot.h"

enum { KEEPALIVE_MS = 1000 };

bool tpi_robotfile_may_stand(const tpi_robotfile *robot, const char *element)
{
    static const char *const others[] = {
        "framing",  "register", "counter",   "error",       "incoming",  "refusal", "setup",
        "shutdown", "stop",     "keepalive", "instruction", "translate", NULL};

    return !robot->is_universal || !tpi_text_among(others, element);
}

tp_status tpi_device_read_does(tpi_device *out, const tpi_robotfile *robot,
                               const tpi_document *document, tpi_arena *arena,
                               const tpi_element *element)
{
    const char *list = tpi_element_get(element, "commands");
    bool failed = false;
    const char *word;

    if (!robot->is_universal) {
        return list == NULL ? TP_OK
                            : tpi_element_fail(document, element,
                                               "commands belongs to robots of kind=\"universal\"; "
                                               "write a <translate> for each command");
    }
    if (tpi_dictionary_type_number(out->type) < 0) {
        return tpi_element_fail(document, element,
                                "type=\"%.30s\": expected a default type such as Analog_Input, or "
                                "a number from 64 to 254",
                                out->type);
    }
    out->does = (uint64_t)1 << out->base;
    while (list != NULL && (word = tpi_list_next(arena, &list, &failed)) != NULL) {
        const tpi_command command = tpi_dictionary_named(word);
        if (command == TPI_COMMANDS || !tpi_dictionary_entry(command)->has_port) {
            return tpi_element_fail(document, element,
                                    "commands: \"%.30s\" is no command for a device", word);
        }
        out->does |= (uint64_t)1 << command;
    }
    return failed ? tpi_document_no_memory(document) : TP_OK;
}

/* Steps that are the same for all such robots. */
static tp_status compile(tpi_robotfile *robot, tpi_steps *out, const char *name, const char *send,
                         const char *reply)
{
    tpi_attribute attributes[] = {{"send", send}, {reply != NULL ? "reply" : NULL, reply}, {0}};
    const tpi_element element = {
        .name = name, .line = robot->document.root->line, .attributes = attributes, .text = ""};

    return tpi_steps_read(out, robot, &element, TPI_COMMANDS, NULL);
}

tp_status tpi_robotfile_speak_universal(tpi_robotfile *robot)
{
    static const char length[] = "u32be";

    robot->framing.is_used = true;
    (void)tpi_format_read(&robot->framing.length, length, strlen(length));
    robot->has_stop = true;
    robot->timing.keepalive_ms = KEEPALIVE_MS;
    /* Stop of everything, without a reply; NoOp, with any reply. */
    const tp_status status = compile(robot, &robot->stop, "stop", "00 30 12 FF FF", NULL);
    return status == TP_OK
               ? compile(robot, &robot->keepalive, "keepalive", "01 00 00 00 00 00 00", "{:u8} ...")
               : status;
}
