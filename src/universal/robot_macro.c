/* robot_macro.c - compiles <do>: universal commands inside of a translation; see robot.h. */
#include <string.h>

#include "universal/robot_compile.h"

static tp_status call_value(tpi_compiling *in, const tpi_element *element, tpi_macro *call,
                            const tpi_attribute *attribute)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(call->command)->values;

    for (unsigned i = 0; slots[i].name != NULL; i++) {
        if (strcmp(slots[i].name, attribute->name) == 0) {
            call->given[i] = true;
            return tpi_compile_expression(in, element, attribute->name, attribute->value,
                                          &call->values[i]);
        }
    }
    return tpi_element_fail(in->document, element, "%s has no value \"%.30s\"; %s%s",
                            tpi_dictionary_entry(call->command)->name, attribute->name,
                            slots[0].name != NULL ? "the first is " : "it has none",
                            slots[0].name != NULL ? slots[0].name : "");
}

static tp_status call_result(tpi_compiling *in, const tpi_element *element, tpi_macro *call,
                             const char *name)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(call->command)->results;

    if (slots[0].name == NULL) {
        return tpi_element_fail(in->document, element, "%s has no result; remove result",
                                tpi_dictionary_entry(call->command)->name);
    }
    call->local = tpi_scope_local(&in->robot->scope, name, tpi_kind_is_text(slots[0].kind));
    return call->local >= 0 ? TP_OK : tpi_element_fail(in->document, element, "over 32 names");
}

tp_status tpi_compile_do(tpi_compiling *in, const tpi_element *element)
{
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_DO);
    const char *name = step != NULL ? tpi_element_need(in->document, element, "command") : NULL;
    tpi_macro *call = tpi_arena_alloc(&in->robot->document.arena, sizeof *call);
    tp_status status = name != NULL ? TP_OK : TP_E_INVALID;

    if (status != TP_OK || call == NULL) {
        return status != TP_OK ? status : tpi_document_no_memory(in->document);
    }
    step->call = call;
    *call =
        (tpi_macro){.command = tpi_dictionary_named(name), .device = "", .index = -1, .local = -1};
    if (call->command == TPI_COMMANDS) {
        return tpi_element_fail(in->document, element, "command=\"%.30s\" is no command", name);
    }
    for (const tpi_attribute *a = element->attributes; a->name != NULL && status == TP_OK; a++) {
        if (strcmp(a->name, "device") == 0) {
            call->device = a->value;
            call->index = tpi_robotfile_device(in->robot, a->value);
            status = call->index >= 0
                         ? TP_OK
                         : tpi_element_fail(in->document, element,
                                            "device=\"%.40s\" is no device of this file", a->value);
        } else if (strcmp(a->name, "result") == 0) {
            status = call_result(in, element, call, a->value);
        } else if (strcmp(a->name, "command") != 0) {
            status = call_value(in, element, call, a);
        }
    }
    return status;
}
