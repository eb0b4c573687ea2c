/*
 * robot_steps.c - compiles the steps of translations, setups and stops; see robot.h.
 *
 * Steps become one row with jumps. <use> is replaced by the steps of its instruction, compiled
 * again in the names of the translation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "universal/robot_compile.h"

enum { MOST_USES = 4 };

static tp_status compile(tpi_compiling *in, const tpi_element *parent);

static const char *const all_steps[] = {"send", "reply", "use", "set", "check",  "wait",
                                        "poll", "await", "do",  "if",  "result", NULL};

/* ---- Help ---- */

tpi_step *tpi_compile_add(tpi_compiling *in, const tpi_element *element, tpi_step_code code)
{
    if (in->count == TPI_MOST_STEPS) {
        tpi_element_fail(in->document, element, "over %d steps", TPI_MOST_STEPS);
        return NULL;
    }
    tpi_step *step = &in->steps[in->count++];
    *step = (tpi_step){.code = code, .line = element->line, .target = -1};
    return step;
}

tp_status tpi_compile_expression(const tpi_compiling *in, const tpi_element *element,
                                 const char *where, const char *text, tpi_expression *out)
{
    char why[140];
    const tp_status status = tpi_expression_read(out, text, strlen(text), &in->robot->scope,
                                                 &in->robot->document.arena, why, sizeof why);

    return status == TP_OK        ? TP_OK
           : status == TP_E_NOMEM ? tpi_document_no_memory(in->document)
                                  : tpi_element_fail(in->document, element, "%s: %s", where, why);
}

/* An attribute that is an expression of a number. */
static tp_status number(const tpi_compiling *in, const tpi_element *element, const char *name,
                        bool needed, tpi_expression *out)
{
    const char *text =
        needed ? tpi_element_need(in->document, element, name) : tpi_element_get(element, name);

    if (text == NULL) {
        return needed ? TP_E_INVALID : TP_OK;
    }
    tp_status status = tpi_compile_expression(in, element, name, text, out);
    if (status == TP_OK && out->is_text) {
        status = tpi_element_fail(in->document, element, "%s: a text is no number", name);
    }
    return status;
}

static tp_status pattern(tpi_compiling *in, const tpi_element *element, const char *text,
                         bool is_template, tpi_pattern *out)
{
    char why[160];
    const tp_status status =
        tpi_pattern_read(out, text, is_template, tpi_robotfile_reads_frames(in->robot),
                         &in->robot->scope, &in->robot->document.arena, why, sizeof why);

    if (status == TP_E_NOMEM) {
        return tpi_document_no_memory(in->document);
    }
    return status == TP_OK ? TP_OK
                           : tpi_element_fail(in->document, element, "%s: %s",
                                              is_template ? "send" : "reply", why);
}

/* ---- Steps ---- */

static tp_status send(tpi_compiling *in, const tpi_element *element, const char *text)
{
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_SEND);

    return step != NULL ? pattern(in, element, text, true, &step->pattern) : TP_E_INVALID;
}

static tp_status reply(tpi_compiling *in, const tpi_element *element, const char *text)
{
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_REPLY);
    tp_status status =
        step != NULL ? pattern(in, element, text, false, &step->pattern) : TP_E_INVALID;

    if (status == TP_OK) {
        status = tpi_element_number(in->document, element, "timeout", 1, 600000,
                                    in->robot->timing.reply_ms, &step->timeout_ms);
    }
    return status;
}

static tp_status result(tpi_compiling *in, const tpi_element *element, const char *text,
                        const char *name)
{
    const tpi_entry_value *slots =
        in->command < TPI_COMMANDS ? tpi_dictionary_entry(in->command)->results : NULL;
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_RESULT);

    if (step == NULL) {
        return TP_E_INVALID;
    }
    for (int i = 0; slots != NULL && slots[i].name != NULL; i++) {
        if (name == NULL ? i == 0 && slots[1].name == NULL : strcmp(name, slots[i].name) == 0) {
            step->target = i;
        }
    }
    if (slots == NULL || slots[0].name == NULL) {
        return tpi_element_fail(in->document, element, "result: this command has none; remove it");
    }
    if (step->target < 0) {
        return tpi_element_fail(in->document, element,
                                "result: name=\"%.20s\" is no result; the first is \"%s\"",
                                name != NULL ? name : "", slots[0].name);
    }
    step->says = text;
    tp_status status = tpi_compile_expression(in, element, "result", text, &step->value);
    const bool wants_text = tpi_kind_is_text(slots[step->target].kind);
    if (status == TP_OK && step->value.is_text != wants_text) {
        status = tpi_element_fail(in->document, element, "result: \"%.30s\" must be a %s", text,
                                  wants_text ? "text" : "number");
    }
    return status;
}

static tp_status step_send(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {NULL};
    const tp_status status = tpi_element_only(in->document, element, names);

    return status == TP_OK ? send(in, element, element->text) : status;
}

static tp_status step_reply(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"timeout", NULL};
    const tp_status status = tpi_element_only(in->document, element, names);

    return status == TP_OK ? reply(in, element, element->text) : status;
}

static tp_status step_result(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"name", NULL};
    const tp_status status = tpi_element_only(in->document, element, names);

    return status == TP_OK ? result(in, element, element->text, tpi_element_get(element, "name"))
                           : status;
}

/* In <incoming>, a name that is nearly a register is a mistyped one: nothing else can use it. */
static tp_status check_register(const tpi_compiling *in, const tpi_element *element,
                                const char *name)
{
    const tpi_scope *scope = &in->robot->scope;
    const bool only_sets =
        in->only != NULL && strcmp(in->only[0], "set") == 0 && in->only[1] == NULL;
    tpi_nearest nearest;
    char hint[80];

    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; only_sets && i < scope->register_count; i++) {
        tpi_nearest_offer(&nearest, scope->registers[i].name);
    }
    return nearest.best == NULL
               ? TP_OK
               : tpi_element_fail(in->document, element, "there is no register \"%.30s\"%s", name,
                                  tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status step_set(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"name", "at", "to", NULL};
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_SET);
    const char *name = step != NULL ? tpi_element_need(in->document, element, "name") : NULL;
    tp_status status = name != NULL ? tpi_element_only(in->document, element, names) : TP_E_INVALID;

    if (status == TP_OK) {
        status = number(in, element, "to", true, &step->value);
    }
    if (status == TP_OK) {
        status = number(in, element, "at", false, &step->at);
    }
    if (status != TP_OK) {
        return status;
    }
    step->target = tpi_scope_register(&in->robot->scope, name);
    step->is_register = step->target >= 0;
    if (step->is_register) {
        const tpi_register *r = &in->robot->scope.registers[step->target];
        if ((r->size > 0) != (step->at.ops != NULL)) {
            return tpi_element_fail(in->document, element,
                                    r->size > 0
                                        ? "the register \"%.30s\" has a size; write at=\"...\""
                                        : "the register \"%.30s\" has no size; remove at",
                                    name);
        }
        return TP_OK;
    }
    if (check_register(in, element, name) != TP_OK) {
        return TP_E_INVALID;
    }
    step->target = tpi_scope_local(&in->robot->scope, name, false);
    return step->target >= 0 && step->at.ops == NULL
               ? TP_OK
               : tpi_element_fail(in->document, element,
                                  step->target < 0 ? "over 32 names (\"%.30s\")"
                                                   : "\"%.30s\" is no register; remove at",
                                  name);
}

static tp_status step_check(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"that", "error", "says", NULL};
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_CHECK);
    const char *error = tpi_element_get(element, "error");
    tp_status status = step != NULL ? tpi_element_only(in->document, element, names) : TP_E_INVALID;

    if (status != TP_OK) {
        return status;
    }
    step->says = tpi_element_get(element, "says");
    step->fault = error == NULL || strcmp(error, "refused") == 0 ? TPI_FAULT_REFUSED
                  : strcmp(error, "value") == 0                  ? TPI_FAULT_VALUE
                  : strcmp(error, "silent") == 0                 ? TPI_FAULT_SILENT
                                                                 : TPI_FAULT_NONE;
    if (step->fault == TPI_FAULT_NONE) {
        return tpi_element_fail(in->document, element,
                                "error=\"%.20s\": expected refused, value or silent", error);
    }
    return number(in, element, "that", true, &step->value);
}

static tp_status step_wait(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"ms", NULL};
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_WAIT);
    const tp_status status =
        step != NULL ? tpi_element_only(in->document, element, names) : TP_E_INVALID;

    return status == TP_OK ? number(in, element, "ms", true, &step->value) : status;
}

static tp_status step_poll(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"until", "every", "timeout", "says", "patient", NULL};
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_POLL);
    const int begin = (int)in->count;
    tp_status status = step != NULL ? tpi_element_only(in->document, element, names) : TP_E_INVALID;

    if (status == TP_OK && in->polls == TPI_MOST_POLLS) {
        status = tpi_element_fail(in->document, element, "nested over %d deep", TPI_MOST_POLLS);
    }
    if (status == TP_OK) {
        in->polls++;
        status = compile(in, element);
        in->polls--;
    }
    step = status == TP_OK ? tpi_compile_add(in, element, TPI_STEP_UNTIL) : NULL;
    if (step == NULL) {
        return status == TP_OK ? TP_E_INVALID : status;
    }
    step->target = begin;
    step->says = tpi_element_get(element, "says");
    status = number(in, element, "until", true, &step->value);
    if (status == TP_OK) {
        status = tpi_element_number(in->document, element, "every", 0, 60000, 10, &step->every_ms);
    }
    if (status == TP_OK) {
        status = tpi_element_number(in->document, element, "timeout", 1, 600000, 1000,
                                    &step->timeout_ms);
    }
    return status == TP_OK ? tpi_element_flag(in->document, element, "patient", &step->is_patient)
                           : status;
}

static tp_status step_await(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"name", "at", "fresh", "timeout", NULL};
    tpi_step *step = tpi_compile_add(in, element, TPI_STEP_AWAIT);
    const char *name = step != NULL ? tpi_element_need(in->document, element, "name") : NULL;
    tp_status status = name != NULL ? tpi_element_only(in->document, element, names) : TP_E_INVALID;

    if (status != TP_OK) {
        return status;
    }
    step->target = tpi_scope_register(&in->robot->scope, name);
    if (step->target < 0) {
        return tpi_element_fail(in->document, element,
                                "name=\"%.30s\" is no register; write <register name=\"%.30s\"/>",
                                name, name);
    }
    status =
        number(in, element, "at", in->robot->scope.registers[step->target].size > 0, &step->at);
    if (status == TP_OK) {
        status = tpi_element_flag(in->document, element, "fresh", &step->is_fresh);
    }
    return status == TP_OK ? tpi_element_number(in->document, element, "timeout", 1, 600000,
                                                in->robot->timing.reply_ms, &step->timeout_ms)
                           : status;
}

/* ---- Choices ---- */

static tp_status step_if(tpi_compiling *in, const tpi_element *element)
{
    static const char *const names[] = {"that", NULL};
    tpi_step *unless = tpi_compile_add(in, element, TPI_STEP_UNLESS), *go;
    const tpi_element *other = element->first;
    tp_status status =
        unless != NULL ? tpi_element_only(in->document, element, names) : TP_E_INVALID;

    while (other != NULL && strcmp(other->name, "else") != 0) {
        other = other->next;
    }
    if (status == TP_OK && other != NULL && other->next != NULL) {
        status = tpi_element_fail(in->document, other->next, "nothing may stand behind <else>");
    }
    if (status == TP_OK) {
        status = number(in, element, "that", true, &unless->value);
    }
    if (status == TP_OK) {
        status = compile(in, element);
    }
    go = status == TP_OK && other != NULL ? tpi_compile_add(in, element, TPI_STEP_GO) : NULL;
    if (status != TP_OK || (other != NULL && go == NULL)) {
        return status != TP_OK ? status : TP_E_INVALID;
    }
    unless->target = (int)in->count;
    if (other != NULL) {
        status = compile(in, other);
        go->target = (int)in->count;
    }
    return status;
}

/* ---- Instructions ---- */

static const tpi_element *instruction(const tpi_compiling *in, const char *name,
                                      tpi_nearest *nearest)
{
    tpi_nearest_init(nearest, name);
    for (const tpi_element *e = in->robot->document.root->first; e != NULL; e = e->next) {
        const char *other = strcmp(e->name, "instruction") == 0 ? tpi_element_get(e, "name") : NULL;
        if (other != NULL && strcmp(other, name) == 0) {
            return e;
        }
        if (other != NULL) {
            tpi_nearest_offer(nearest, other);
        }
    }
    return NULL;
}

static tp_status step_use(tpi_compiling *in, const tpi_element *element)
{
    const char *name = tpi_element_need(in->document, element, "instruction");
    tpi_nearest nearest;
    char hint[80];

    if (name == NULL) {
        return TP_E_INVALID;
    }
    const tpi_element *body = instruction(in, name, &nearest);
    if (body == NULL || in->uses == MOST_USES) {
        return tpi_element_fail(in->document, element,
                                body == NULL ? "there is no <instruction name=\"%.30s\">%s"
                                             : "<instruction name=\"%.30s\"> uses itself%s",
                                name, tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    for (const tpi_attribute *a = element->attributes; a->name != NULL; a++) {
        if (strcmp(a->name, "instruction") == 0) {
            continue;
        }
        tpi_step *step = tpi_compile_add(in, element, TPI_STEP_SET);
        tp_status status =
            step != NULL ? tpi_compile_expression(in, element, a->name, a->value, &step->value)
                         : TP_E_INVALID;
        if (status != TP_OK) {
            return status;
        }
        step->target = tpi_scope_local(&in->robot->scope, a->name, step->value.is_text);
        if (step->target < 0) {
            return tpi_element_fail(in->document, element, "over 32 names");
        }
    }
    in->uses++;
    const tp_status status = compile(in, body);
    in->uses--;
    return status;
}

/* ---- Rows of steps ---- */

static const struct {
    const char *name;
    tp_status (*compile)(tpi_compiling *in, const tpi_element *element);
} kinds[] = {
    {"send", step_send},    {"reply", step_reply}, {"use", step_use},       {"set", step_set},
    {"check", step_check},  {"wait", step_wait},   {"poll", step_poll},     {"await", step_await},
    {"do", tpi_compile_do}, {"if", step_if},       {"result", step_result},
};

static tp_status compile_step(tpi_compiling *in, const tpi_element *element)
{
    if (in->only != NULL && !tpi_text_among(in->only, element->name)) {
        return tpi_element_unexpected(in->document, element, in->only);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, element->name) == 0) {
            return kinds[i].compile(in, element);
        }
    }
    return tpi_element_unexpected(in->document, element, all_steps);
}

/* The children that are steps; up to <else>, and without examples. */
static tp_status compile(tpi_compiling *in, const tpi_element *parent)
{
    tp_status status = TP_OK;

    for (const tpi_element *e = parent->first; e != NULL && status == TP_OK; e = e->next) {
        if (strcmp(e->name, "else") == 0 && strcmp(parent->name, "if") == 0) {
            break;
        }
        if (strcmp(e->name, "example") != 0 || strcmp(parent->name, "translate") != 0) {
            status = compile_step(in, e);
        }
    }
    return status;
}

static tp_status compile_all(tpi_compiling *in, const tpi_element *element)
{
    const char *sends = tpi_element_get(element, "send");
    const char *replies = tpi_element_get(element, "reply");
    const char *matches = tpi_element_get(element, "match"); /* of <incoming> and <refusal> */
    const char *results = tpi_element_get(element, "result");
    tp_status status = sends != NULL ? send(in, element, sends) : TP_OK;

    replies = replies != NULL ? replies : matches;
    if (status == TP_OK && replies != NULL) {
        status = reply(in, element, replies);
    }
    if (status == TP_OK) {
        status = compile(in, element);
    }
    return status == TP_OK && results != NULL ? result(in, element, results, NULL) : status;
}

tp_status tpi_steps_read(tpi_steps *out, tpi_robotfile *robot, const tpi_element *element,
                         tpi_command command, const char *const *only)
{
    tpi_compiling *in = calloc(1, sizeof *in);
    tp_status status = TP_OK;

    if (in == NULL) {
        return tpi_document_no_memory(&robot->document);
    }
    in->robot = robot;
    in->document = &robot->document;
    in->command = command;
    in->only = only;
    robot->scope.local_count = 0;
    robot->scope.entry = command < TPI_COMMANDS ? tpi_dictionary_entry(command) : NULL;
    status = compile_all(in, element);
    tpi_step *steps = status == TP_OK
                          ? tpi_arena_array(&robot->document.arena, in->count + 1, sizeof *steps)
                          : NULL;
    if (status == TP_OK && steps == NULL) {
        status = tpi_document_no_memory(&robot->document);
    }
    if (status == TP_OK) {
        memcpy(steps, in->steps, in->count * sizeof *steps);
        *out = (tpi_steps){.steps = steps, .count = in->count};
    }
    free(in);
    return status;
}
