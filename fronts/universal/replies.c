/* replies.c - what goes out on a connection: replies with their length. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* The length of the packet that begins at `start`, once it is whole. */
static void close_packet(struct connection *c, size_t start)
{
    if (c->out.failed) {
        tpi_universalf_give_up(c);
        return;
    }
    const size_t length = c->out.length - start - 4;
    for (unsigned i = 0; i < 4; i++) {
        c->out.data[start + i] = (char)(length >> (24 - 8 * i));
    }
    tp_session_count_sent(c->session, 1);
    tp_loop_after(c->front->loop, &c->flush);
}

static size_t open_packet(struct connection *c, tpi_packet_status status)
{
    const size_t start = c->out.length;

    tpi_packet_put_u32(&c->out, 0);
    tpi_packet_put_u8(&c->out, status);
    return start;
}

static void put_error(struct connection *c, tpi_fault fault, const char *why)
{
    const size_t start = open_packet(c, TPI_PACKET_ERROR);

    tpi_packet_put_u16(&c->out, fault);
    tpi_packet_put_text(&c->out, why, strlen(why));
    close_packet(c, start);
}

/* The failure of an earlier command. */
static void put_earlier(struct connection *c)
{
    struct failure *failure = &c->failure;
    char text[MOST_WHY + 60];

    snprintf(text, sizeof text, "%s", failure->why);
    if (failure->others > 0) {
        snprintf(text, sizeof text, "%s (and %u more failed)", failure->why, failure->others);
    }
    tpi_packet_put_u32(&c->out, failure->number);
    tpi_packet_put_u16(&c->out, failure->fault);
    tpi_packet_put_text(&c->out, text, strlen(text));
    *failure = (struct failure){0};
}

static void end_task(struct connection *c)
{
    free(c->task.bytes);
    c->task = (struct task){0};
    tp_loop_after(c->front->loop, &c->flush);
}

void tpi_universalf_done(struct connection *c, const tpi_buf *values)
{
    const size_t length = values != NULL ? values->length : 0;
    const bool has_earlier = c->failure.number != 0;

    if (values != NULL && values->failed) {
        tpi_universalf_give_up(c);
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
    const size_t start = open_packet(c, has_earlier ? TPI_PACKET_EARLIER : TPI_PACKET_DONE);
    if (has_earlier) {
        put_earlier(c);
    }
    if (length > 0) {
        tpi_buf_put(&c->out, values->data, length);
    }
    close_packet(c, start);
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
    const size_t start = open_packet(c, TPI_PACKET_DONE);
    tpi_buf_put(&c->out, values->data, values->length);
    close_packet(c, start);
}

void tpi_universalf_write(struct connection *c)
{
    while (!c->blocked && c->sent < c->out.length) {
        const tp_piece piece = {c->out.data + c->sent, c->out.length - c->sent};
        const long taken = tp_stream_try_write(c->stream, &piece, 1);

        if (taken < 0) {
            tpi_universalf_give_up(c);
            return;
        }
        c->sent += (size_t)taken;
        c->blocked = c->sent < c->out.length;
        if (taken > 0) {
            tp_session_goes_on(c->session);
        }
    }
    if (c->sent == c->out.length && c->out.capacity > READ_SIZE) {
        tpi_buf_fini(&c->out);
    }
    if (c->sent == c->out.length) {
        tpi_buf_clear(&c->out);
        c->sent = 0;
    }
}
