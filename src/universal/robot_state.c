/* robot_state.c - reads registers, counters and messages that come unasked; see robot.h. */
#include "universal/robot.h"

/* ---- Registers ---- */

static tp_status add_register(tpi_robotfile *robot, const tpi_element *element, tpi_register *r)
{
    const char *name = tpi_element_need(&robot->document, element, "name");
    tpi_scope *scope = &robot->scope;
    const unsigned words = r->size > 0 ? r->size : 1;

    if (name == NULL) {
        return TP_E_INVALID;
    }
    if (tpi_scope_register(scope, name) >= 0) {
        return tpi_element_fail(&robot->document, element,
                                "the register \"%.30s\" is there twice; names are unique", name);
    }
    if (scope->register_count == TPI_MOST_REGISTERS || scope->word_count + words > TPI_MOST_WORDS) {
        return tpi_element_fail(&robot->document, element,
                                "over %d registers, or %d numbers in all", TPI_MOST_REGISTERS,
                                TPI_MOST_WORDS);
    }
    r->name = name;
    r->offset = scope->word_count;
    scope->word_count += words;
    scope->registers[scope->register_count++] = *r;
    return TP_OK;
}

tp_status tpi_robotfile_read_register(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"name", "start", "size", NULL};
    tpi_register r = {0};
    double size = 0;
    tp_status status = tpi_element_only(&robot->document, element, names);

    if (status == TP_OK) {
        status = tpi_element_number(&robot->document, element, "start", -1e15, 1e15, 0, &r.start);
    }
    if (status == TP_OK) {
        status = tpi_element_number(&robot->document, element, "size", 1, 256, 0, &size);
    }
    r.size = (unsigned)size;
    return status == TP_OK ? add_register(robot, element, &r) : status;
}

tp_status tpi_robotfile_read_counter(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"name", "from", "to", NULL};
    tpi_register r = {.is_counter = true};
    tp_status status = tpi_element_only(&robot->document, element, names);

    if (status == TP_OK) {
        status = tpi_element_number(&robot->document, element, "from", 0, 1e9, 0, &r.from);
    }
    if (status == TP_OK) {
        status = tpi_element_number(&robot->document, element, "to", 1, 4294967295.0, 255, &r.to);
    }
    if (status == TP_OK && !(r.from < r.to)) {
        status = tpi_element_fail(&robot->document, element, "from must be below to");
    }
    r.start = r.to; /* next() gives `from` first */
    return status == TP_OK ? add_register(robot, element, &r) : status;
}

/* ---- Messages that come unasked ---- */

tp_status tpi_robotfile_read_incoming(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"match", NULL}, *const only[] = {"set", NULL};
    tpi_incoming *incoming = &robot->incoming[robot->incoming_count];
    tp_status status = tpi_element_only(&robot->document, element, names);

    if (status != TP_OK || tpi_element_need(&robot->document, element, "match") == NULL) {
        return TP_E_INVALID;
    }
    if (robot->incoming_count == TPI_MOST_INCOMING) {
        return tpi_element_fail(&robot->document, element, "over %d of these", TPI_MOST_INCOMING);
    }
    robot->incoming_count++;
    incoming->line = element->line;
    return tpi_steps_read(&incoming->steps, robot, element, TPI_COMMANDS, only);
}

tp_status tpi_robotfile_read_refusal(tpi_robotfile *robot, const tpi_element *element)
{
    static const char *const names[] = {"match", "says", NULL}, *const only[] = {NULL};
    tpi_incoming *refusal = &robot->refusals[robot->refusal_count];
    tp_status status = tpi_element_only(&robot->document, element, names);

    if (status != TP_OK || tpi_element_need(&robot->document, element, "match") == NULL ||
        (refusal->says = tpi_element_need(&robot->document, element, "says")) == NULL) {
        return TP_E_INVALID;
    }
    if (robot->refusal_count == TPI_MOST_INCOMING) {
        return tpi_element_fail(&robot->document, element, "over %d of these", TPI_MOST_INCOMING);
    }
    robot->refusal_count++;
    return tpi_steps_read(&refusal->steps, robot, element, TPI_COMMANDS, only);
}
