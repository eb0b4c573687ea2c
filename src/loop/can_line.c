/* can_line.c - interfaces of a CAN bus; see can_line.h. */
#define _DEFAULT_SOURCE
#include "loop/can_line.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>

enum { MOST_DATA = 8, HEAD = 8 };

void tpi_can_pack(unsigned char out[TPI_CAN_FRAME], const void *frame)
{
    const struct can_frame *from = frame;

    memset(out, 0, TPI_CAN_FRAME);
    for (unsigned i = 0; i < 4; i++) {
        out[i] = (unsigned char)(from->can_id >> 8 * i);
    }
    out[4] = from->can_dlc < MOST_DATA ? from->can_dlc : MOST_DATA;
    memcpy(out + HEAD, from->data, out[4]);
}

void tpi_can_unpack(void *frame, const unsigned char bytes[TPI_CAN_FRAME])
{
    struct can_frame out = {.can_dlc = bytes[4] < MOST_DATA ? bytes[4] : MOST_DATA};

    for (unsigned i = 0; i < 4; i++) {
        out.can_id |= (canid_t)bytes[i] << 8 * i;
    }
    memcpy(out.data, bytes + HEAD, out.can_dlc);
    memcpy(frame, &out, sizeof out);
}

static tp_status can_read(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err)
{
    struct can_frame frame = {0};
    size_t got = 0;
    const tp_status status = tpi_line_read_fd(line, &frame, sizeof frame, &got, err);

    *length = 0;
    if (status == TP_OK && got == sizeof frame && size >= TPI_CAN_FRAME) {
        tpi_can_pack(bytes, &frame);
        *length = TPI_CAN_FRAME;
    }
    return status;
}

static tp_status can_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                           tp_error *err)
{
    struct can_frame frame;
    size_t sent = 0;

    if (size != TPI_CAN_FRAME) {
        return tp_fail(err, TP_E_INVALID, "a frame has %d bytes, not %zu", TPI_CAN_FRAME, size);
    }
    tpi_can_unpack(&frame, bytes);
    const tp_status status = tpi_line_write_fd(line, &frame, sizeof frame, &sent, err);
    *length = sent == sizeof frame ? TPI_CAN_FRAME : 0;
    return status;
}

/* A guard writes one frame. */
static size_t can_wrap(const tpi_line *line, const void *bytes, size_t length, void *out,
                       size_t size)
{
    (void)line;
    if (length != TPI_CAN_FRAME || size < sizeof(struct can_frame)) {
        return 0;
    }
    tpi_can_unpack(out, bytes);
    return sizeof(struct can_frame);
}

static void can_close(tpi_line *line)
{
    close(line->fd);
    free(line);
}

static const tpi_line_ops can_ops = {
    .read = can_read,
    .write = can_write,
    .wrap = can_wrap,
    .close = can_close,
};

static tp_status cannot(const char *what, int error, const char *hint, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s%s", what, tpi_line_reason(error, reason, sizeof reason),
                   hint);
}

/* A socket that is bound to the interface, or -1. */
static int open_socket(const char *name, tp_error *err)
{
    struct sockaddr_can addr = {.can_family = AF_CAN};
    const int fd = socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);

    if (fd < 0) {
        cannot(name, errno, " (this system has no CAN: modprobe can_raw)", err);
        return -1;
    }
    addr.can_ifindex = (int)if_nametoindex(name);
    if (addr.can_ifindex == 0 || bind(fd, (struct sockaddr *)&addr, sizeof addr) != 0) {
        cannot(name, errno, " (ip link set NAME up type can bitrate 500000)", err);
        close(fd);
        return -1;
    }
    return fd;
}

static tp_status can_open(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    if (plan->rest[0] == '\0') {
        return tp_fail(err, TP_E_INVALID, "which interface? can:can0");
    }
    const int fd = open_socket(plan->rest, err);
    if (fd < 0) {
        return TP_E_IO;
    }
    tpi_line *line = calloc(1, sizeof *line);
    if (line == NULL) {
        close(fd);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *line = (tpi_line){.ops = &can_ops, .url = plan->url, .fd = fd, .is_packets = true};
    *out = line;
    return TP_OK;
}

const tp_scheme tpi_scheme_can = {.name = "can", .open = can_open, .is_special = true};
