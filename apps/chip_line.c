/* chip_line.c - packets to and from a chip; see chip_line.h. */
#include "chip_line.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "platform/serial.h"
#include "troupe/clock.h"

enum { BAUD = 57600, HEAD = 4, NEWS = 3, TRIES = 4, KEPT = 16384, STATE_BYTES = 17 };
static const int64_t MS_NS = 1000000;
static const int64_t REPLY_NS = 700 * 1000000LL; /* a block is written in less than 0.3 s */
static const int64_t QUIET_NS = 80 * 1000000LL;  /* then the chip begins a packet anew */

struct chip_line {
    tpi_line *line;
    char *url; /* owned */
    uint8_t bytes[HEAD + CHIP_LONGEST];
    size_t have;
    uint8_t news[KEPT]; /* packets that came while a reply was awaited: length u16, bytes */
    size_t kept;
};

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

tp_status chip_line_open(chip_line **out, const char *url, tp_error *err)
{
    static const char scheme[] = "serial:";
    const bool has_scheme = strncmp(url, scheme, strlen(scheme)) == 0;
    chip_line *line = calloc(1, sizeof *line);
    tp_error why = {0};

    *out = NULL;
    if (line == NULL || (line->url = strdup(url)) == NULL) {
        free(line);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    const tpi_line_options plan = {.url = line->url,
                                   .rest = line->url + (has_scheme ? strlen(scheme) : 0),
                                   .folder = "",
                                   .settings = {.baud = BAUD},
                                   .clock = tp_clock_real(),
                                   .deadline_ns = now_ns() + 5000 * MS_NS};
    if (tpi_scheme_serial.open(&line->line, &plan, &why) != TP_OK) {
        tp_fail(err, why.code, "%s: %s", url, why.text);
        free(line->url);
        free(line);
        return err->code;
    }
    *out = line;
    return TP_OK;
}

void chip_line_close(chip_line *line)
{
    if (line != NULL) {
        line->line->ops->close(line->line);
        free(line->url);
        free(line);
    }
}

/* ---- Bytes ---- */

static tp_status write_all(chip_line *line, const uint8_t *bytes, size_t length, tp_error *err)
{
    const int64_t deadline_ns = now_ns() + 2000 * MS_NS;

    while (length > 0) {
        size_t done = 0;
        const tp_status status = line->line->ops->write(line->line, bytes, length, &done, err);
        if (status != TP_OK) {
            return status;
        }
        bytes += done;
        length -= done;
        if (length > 0 &&
            (now_ns() > deadline_ns || !tpi_line_wait_writable(line->line->fd, deadline_ns))) {
            return tp_fail(err, TP_E_TIMEOUT, "%s takes nothing", line->url);
        }
    }
    return TP_OK;
}

static tp_status read_more(chip_line *line, int64_t deadline_ns, tp_error *err)
{
    struct pollfd input = {.fd = line->line->fd, .events = POLLIN};
    const int64_t left_ns = deadline_ns - now_ns();
    size_t got = 0;

    if (left_ns <= 0 || poll(&input, 1, (int)(left_ns / MS_NS) + 1) <= 0) {
        return tp_fail(err, TP_E_TIMEOUT, "%s: no answer", line->url);
    }
    const tp_status status = line->line->ops->read(line->line, line->bytes + line->have,
                                                   sizeof line->bytes - line->have, &got, err);
    line->have += got;
    return status;
}

/* The next packet, without its length. Bytes that can be none are dropped. */
static tp_status next_packet(chip_line *line, uint8_t *out, size_t size, size_t *length,
                             int64_t deadline_ns, tp_error *err)
{
    for (;;) {
        const uint8_t *bytes = line->bytes;
        *length = line->have >= HEAD ? (size_t)bytes[2] << 8 | bytes[3] : 0;
        if (line->have >= HEAD && (bytes[0] != 0 || bytes[1] != 0 || *length == 0 ||
                                   *length > CHIP_LONGEST || *length > size)) {
            memmove(line->bytes, line->bytes + 1, --line->have);
        } else if (line->have >= HEAD && line->have >= HEAD + *length) {
            memcpy(out, bytes + HEAD, *length);
            line->have -= HEAD + *length;
            memmove(line->bytes, line->bytes + HEAD + *length, line->have);
            return TP_OK;
        } else {
            const tp_status status = read_more(line, deadline_ns, err);
            if (status != TP_OK) {
                return status;
            }
        }
    }
}

static void keep(chip_line *line, const uint8_t *packet, size_t length)
{
    if (line->kept + 2 + length <= sizeof line->news) {
        line->news[line->kept] = (uint8_t)(length >> 8);
        line->news[line->kept + 1] = (uint8_t)length;
        memcpy(line->news + line->kept + 2, packet, length);
        line->kept += 2 + length;
    }
}

/* The reply to what was sent; news are kept. */
static tp_status await_reply(chip_line *line, uint8_t *out, size_t size, size_t *length,
                             int64_t deadline_ns, tp_error *err)
{
    tp_status status;

    while ((status = next_packet(line, out, size, length, deadline_ns, err)) == TP_OK &&
           out[0] == NEWS) {
        keep(line, out, *length);
    }
    return status;
}

/* Forget what has come and let the chip forget half a packet. */
static void settle(chip_line *line)
{
    tp_error ignored = {0};
    const int64_t deadline_ns = now_ns() + QUIET_NS;

    while (read_more(line, deadline_ns, &ignored) == TP_OK) {
        line->have = 0;
    }
    line->have = 0;
}

/* ---- Functions ---- */

static tp_status send_call(chip_line *line, uint8_t function, const uint8_t *body, size_t length,
                           tp_error *err)
{
    uint8_t packet[HEAD + 128] = {0, 0, 0, (uint8_t)(12 + length), 1,       0, 0, 1, 0, 0x50, 0,
                                  0, 0, 0, (uint8_t)(1 + length),  function};

    if (length > 100) {
        return tp_fail(err, TP_E_LIMIT, "a block of %zu bytes is too long", length);
    }
    if (length > 0) {
        memcpy(packet + 16, body, length);
    }
    return write_all(line, packet, 16 + length, err);
}

/* The error of a reply. */
static tp_status refused(const chip_line *line, const uint8_t *packet, size_t length, tp_error *err)
{
    const size_t text = length > 7 ? length - 7 : 0;

    return tp_fail(err,
                   packet[0] == 1 && length > 2 && packet[2] == 3 ? TP_E_INVALID : TP_E_UNSUPPORTED,
                   "%s: the chip refuses: %.*s", line->url, (int)text, (const char *)packet + 7);
}

/* Call a function whose answer has at least so many bytes. A shorter one is the late answer to an
 * earlier call, after which nobody waited any more: the right one follows. */
static tp_status call(chip_line *line, uint8_t function, const uint8_t *body, size_t length,
                      size_t least, uint8_t *out, size_t size, size_t *got, tp_error *err)
{
    uint8_t packet[CHIP_LONGEST];
    size_t count = 0;
    tp_status status = TP_E_TIMEOUT;

    for (int i = 0; i < TRIES; i++) {
        *err = (tp_error){0};
        status = send_call(line, function, body, length, err);
        if (status == TP_OK) {
            const int64_t deadline_ns = now_ns() + REPLY_NS;
            do {
                status = await_reply(line, packet, sizeof packet, &count, deadline_ns, err);
            } while (status == TP_OK && packet[0] == 0 && count < 5 + least);
        }
        if (status == TP_OK && packet[0] == 0) {
            *got = count > 5 ? count - 5 : 0;
            *got = *got < size ? *got : size;
            memcpy(out, packet + 5, *got);
            return TP_OK;
        }
        if (status == TP_OK) {
            status = refused(line, packet, count, err);
        }
        if (status == TP_E_CLOSED) {
            return status;
        }
        settle(line);
    }
    return status;
}

tp_status chip_line_call(chip_line *line, uint8_t function, const uint8_t *body, size_t length,
                         uint8_t *out, size_t size, size_t *got, tp_error *err)
{
    return call(line, function, body, length, 0, out, size, got, err);
}

tp_status chip_line_knock(chip_line *line, int64_t patience_ns, tp_error *err)
{
    const int64_t end_ns = now_ns() + patience_ns;
    uint8_t packet[CHIP_LONGEST];
    size_t length;

    for (;;) {
        tp_status status = send_call(line, CHIP_HALT, NULL, 0, err);
        if (status == TP_OK) {
            status = await_reply(line, packet, sizeof packet, &length, now_ns() + 250 * MS_NS, err);
        }
        if (status == TP_OK) {
            settle(line);
            return TP_OK;
        }
        if (status != TP_E_TIMEOUT) {
            return status;
        }
        if (now_ns() > end_ns) {
            return tp_fail(err, TP_E_TIMEOUT,
                           "%s: no answer; is Troupe's firmware on the board (firmware/README.md), "
                           "and is this its line?",
                           line->url);
        }
        settle(line);
    }
}

tp_status chip_line_state(chip_line *line, uint8_t function, uint8_t watch, chip_state *out,
                          tp_error *err)
{
    uint8_t b[64] = {0};
    size_t got = 0;
    const tp_status status = call(line, function, &watch, function == CHIP_RUN ? 1 : 0, STATE_BYTES,
                                  b, sizeof b, &got, err);

    if (status != TP_OK) {
        return status;
    }
    *out = (chip_state){.version = b[0],
                        .state = b[1],
                        .reason = b[2],
                        .at = (unsigned)(b[3] << 8 | b[4]),
                        .checksum = (unsigned)(b[5] | b[6] << 8),
                        .length = (unsigned)(b[9] | b[10] << 8),
                        .bytes = (unsigned)(b[11] << 8 | b[12]),
                        .cells = b[13],
                        .frames = b[14],
                        .untouched = (unsigned)(b[15] << 8 | b[16])};
    return TP_OK;
}

tp_status chip_line_news(chip_line *line, uint8_t *out, size_t size, size_t *length,
                         int64_t patience_ns, tp_error *err)
{
    if (line->kept > 0) {
        const size_t first = (size_t)(line->news[0] << 8 | line->news[1]);
        *length = first < size ? first : size;
        memcpy(out, line->news + 2, *length);
        line->kept -= 2 + first;
        memmove(line->news, line->news + 2 + first, line->kept);
        return TP_OK;
    }
    return next_packet(line, out, size, length, now_ns() + patience_ns, err);
}
