/* replies.c - what goes out on a connection: replies with their length. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* Send a packet: its length, then `body`, which is released. */
static void send_packet(struct connection *c, tpi_buf *body)
{
    const size_t length = body->length;
    unsigned char *at = body->failed ? NULL : tp_connection_reserve(c->base, length + 4);

    if (body->failed) {
        tp_connection_give_up(c->base);
    } else if (at != NULL) {
        for (unsigned i = 0; i < 4; i++) {
            at[i] = (unsigned char)(length >> (24 - 8 * i));
        }
        memcpy(at + 4, body->data, length);
        tp_connection_commit(c->base, length + 4);
        tp_session_count_sent(c->session, 1);
    }
    tpi_buf_fini(body);
}

static void put_error(struct connection *c, tpi_fault fault, const char *why)
{
    tpi_buf out = {0};

    tpi_packet_put_u8(&out, TPI_PACKET_ERROR);
    tpi_packet_put_u16(&out, fault);
    tpi_packet_put_text(&out, why, strlen(why));
    send_packet(c, &out);
}

/* The failure of an earlier command. */
static void put_earlier(struct connection *c, tpi_buf *out)
{
    struct failure *failure = &c->failure;
    char text[MOST_WHY + 60];

    snprintf(text, sizeof text, "%s", failure->why);
    if (failure->others > 0) {
        snprintf(text, sizeof text, "%s (and %u more failed)", failure->why, failure->others);
    }
    tpi_packet_put_u32(out, failure->number);
    tpi_packet_put_u16(out, failure->fault);
    tpi_packet_put_text(out, text, strlen(text));
    *failure = (struct failure){0};
}

static void end_task(struct connection *c)
{
    free(c->task.bytes);
    c->task = (struct task){0};
    tp_connection_soon(c->base);
}

void tpi_universalf_done(struct connection *c, const tpi_buf *values)
{
    const size_t length = values != NULL ? values->length : 0;
    const bool has_earlier = c->failure.number != 0;

    if (values != NULL && values->failed) {
        tp_connection_give_up(c->base);
        return;
    }
    if (!c->task.packet.waits) {
        end_task(c);
        return;
    }
    if (length > c->task.packet.most) {
        tpi_universalf_failed(c, TPI_FAULT_TOO_LONG,
                              "reply too long: it has %zu bytes, the client takes %u", length,
                              c->task.packet.most);
        return;
    }
    tpi_buf out = {0};
    tpi_packet_put_u8(&out, has_earlier ? TPI_PACKET_EARLIER : TPI_PACKET_DONE);
    if (has_earlier) {
        put_earlier(c, &out);
    }
    if (length > 0) {
        tpi_buf_put(&out, values->data, length);
    }
    send_packet(c, &out);
    end_task(c);
}

void tpi_universalf_failed(struct connection *c, tpi_fault fault, const char *format, ...)
{
    struct failure *failure = &c->failure;
    char why[MOST_WHY];
    va_list values;

    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    if (c->task.adds) { /* it was not registered */
        tpi_universalf_drop_ports(c, c->port_count - 1);
    }
    if (c->task.packet.waits) {
        put_error(c, fault, why);
    } else if (failure->number == 0) {
        *failure = (struct failure){.number = c->task.number, .fault = fault};
        memcpy(failure->why, why, sizeof why);
    } else {
        failure->others++;
    }
    end_task(c);
}

void tpi_universalf_unasked(struct connection *c, tpi_fault fault, const char *why,
                            const tpi_buf *values)
{
    if (fault != TPI_FAULT_NONE) {
        put_error(c, fault, why);
        return;
    }
    tpi_buf out = {0};
    tpi_packet_put_u8(&out, TPI_PACKET_DONE);
    tpi_buf_put(&out, values->data, values->length);
    send_packet(c, &out);
}
