/* command.c - one packet: a universal command, its order for the robot, its reply. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* ---- Orders ---------------------------------------------------------------------------------- */

/* An order of this connection for the robot, with these values. */
static void fill_order(struct connection *c, const tpi_packet *packet, tp_universal_order *order,
                       tp_universal_value *values)
{
    const tpi_entry *entry = tpi_dictionary_entry(packet->command);
    const struct port *port = packet->has_port ? tpi_universalf_port(c, packet->type) : NULL;

    *order = (tp_universal_order){.command = entry->code,
                                  .part = port != NULL ? port->part : TP_UNIVERSAL_ANY_PART,
                                  .revision = c->revision,
                                  .type = packet->has_port ? packet->type : (uint8_t)entry->type,
                                  .id = packet->id,
                                  .inverted = port != NULL && port->is_inverted,
                                  .values_count = packet->count,
                                  .values = values};
    for (unsigned i = 0; i < packet->count && i < TPI_MOST_VALUES; i++) {
        const tpi_value *value = &packet->values[i];

        values[i] = (tp_universal_value){.number = value->number, .is_text = value->text != NULL};
        if (value->text != NULL) {
            values[i].text_count = value->length;
            memcpy(&values[i].text, &value->text, sizeof values[i].text); /* sent, not changed */
        }
    }
}

/* The message that a command goes with. */
static unsigned message_of(const struct connection *c, const tpi_packet *packet)
{
    const struct port *port = packet->has_port ? tpi_universalf_port(c, packet->type) : NULL;
    const tpi_risk risk = tpi_dictionary_risk(packet->command);
    const bool writes = tpi_dictionary_entry(packet->command)->sort == TPI_SORT_WRITE ||
                        packet->command == TPI_SETUP_OUTPUT;

    if (risk == TPI_RISK_LOOK) {
        return tp_session_right(c->session) < TP_RIGHT_WRITE ? TP_UNIVERSAL_REQ_LOOK
                                                             : TP_UNIVERSAL_REQ_RUN;
    }
    if (packet->command == TPI_RAW) {
        return TP_UNIVERSAL_REQ_MOVE;
    }
    return writes && (port != NULL ? port->moves : risk == TPI_RISK_MOVE) ? TP_UNIVERSAL_REQ_MOVE
                                                                          : TP_UNIVERSAL_REQ_RUN;
}

/* Whether the packet is Stop for everything. */
static bool stops_all(const tpi_packet *packet)
{
    return packet->command == TPI_STOP && (!packet->has_port || packet->type == TPI_TYPE_ALL);
}

static void send_order(struct connection *c)
{
    const tpi_packet *packet = &c->task.packet;
    tp_universal_value values[TPI_MOST_VALUES];
    tp_universal_order order;

    if (packet->has_port && packet->type >= FIRST_TYPE && packet->type != TPI_TYPE_ALL) {
        const struct port *port = tpi_universalf_port(c, packet->type);

        if (port == NULL || port->part < 0) {
            tpi_universalf_failed(c, TPI_FAULT_NO_MATCH, "no match: %s",
                                  port != NULL ? port->explanation
                                               : "no device is registered with this type");
            return;
        }
    }
    if (stops_all(packet)) {
        tpi_universalf_ask(c, TP_COMMON_REQ_HALT, NULL);
        return;
    }
    fill_order(c, packet, &order, values);
    tpi_universalf_ask(c, message_of(c, packet), &order);
}

/* ---- Results --------------------------------------------------------------------------------- */

void tpi_universalf_outcome(struct connection *c, const tp_universal_outcome *outcome)
{
    const tpi_entry_value *slots = tpi_dictionary_entry(c->task.packet.command)->results;
    tpi_buf values = {0};

    if (outcome != NULL && c->task.packet.command == TPI_CHECK_STATUS &&
        (outcome->fault == TP_UNIVERSAL_NOT_AVAILABLE || outcome->fault == TP_UNIVERSAL_NO_MATCH)) {
        tpi_packet_put_u32(&values, UINT32_MAX); /* -1: no such channel */
        tpi_universalf_done(c, &values);
        tpi_buf_fini(&values);
        return;
    }
    if (outcome == NULL || outcome->fault != TP_UNIVERSAL_DONE) {
        const bool has_text = outcome != NULL && outcome->text_count > 0;
        const bool is_stale = outcome != NULL && outcome->fault == TP_UNIVERSAL_NO_MATCH;

        c->is_stale = c->is_stale || (is_stale && c->port_count > 0);
        tpi_universalf_failed(c, outcome != NULL ? (tpi_fault)outcome->fault : TPI_FAULT_REFUSED,
                              "%s", has_text ? outcome->text : "the answer is empty");
        return;
    }
    for (uint32_t i = 0; i < outcome->results_count && i < TPI_MOST_RESULTS && slots[i].name; i++) {
        const tp_universal_value *result = &outcome->results[i];
        const tpi_value value = {.number = result->number,
                                 .text = (const char *)result->text,
                                 .length = result->is_text ? result->text_count : 0};

        tpi_packet_put_value(&values, slots[i].kind, &value);
    }
    tpi_universalf_done(c, &values);
    tpi_buf_fini(&values);
}

/* ---- Packets --------------------------------------------------------------------------------- */

void tpi_universalf_go_on(struct connection *c)
{
    if (!tpi_universalf_prepare(c)) {
        return;
    }
    if (c->task.function != 0) {
        tpi_universalf_extended_go_on(c);
    } else {
        send_order(c);
    }
}

void tpi_universalf_handle(struct connection *c, const unsigned char *bytes, size_t length)
{
    struct task *task = &c->task;
    char why[MOST_WHY] = "";

    *task = (struct task){.on = true, .number = ++c->number, .bytes = malloc(length + 1)};
    if (task->bytes == NULL) {
        tp_connection_give_up(c->base);
        return;
    }
    memcpy(task->bytes, bytes, length);
    const tpi_fault fault = tpi_packet_read(&task->packet, task->bytes, length, why, sizeof why);
    if (fault != TPI_FAULT_NONE) {
        tpi_universalf_failed(c, fault, "%s", why);
        return;
    }
    if (task->packet.command == TPI_EXTENDED) {
        if (tpi_universalf_extended(c)) {
            tpi_universalf_go_on(c);
        }
        return;
    }
    if (!c->stream_of.on && tpi_universalf_channel(c)) {
        return;
    }
    if (c->stream_of.on) {
        tpi_universalf_failed(c, TPI_FAULT_NOT_AVAILABLE,
                              "not available: pictures are streamed here; end the stream, or use "
                              "another connection");
        return;
    }
    tpi_universalf_go_on(c);
}
