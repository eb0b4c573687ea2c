/* hid.c - USB-HID devices on Linux (hidraw); see hid.h. */
#define _GNU_SOURCE
#include "platform/hid.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LARGEST_REPORT = 4096, MOST_HIDRAW = 256 };

static const char system_folder[] = "/sys/class/hidraw";

/* ---- Finding --------------------------------------------------------------------------------- */

/* "HID_ID=0003:00002354:00001111" among the lines of a device. */
static bool is_device(const char *root, unsigned number, unsigned vendor, unsigned product)
{
    char path[TPI_HID_PATH + 64];
    char line[256];
    unsigned bus, v, p;
    bool found = false;

    (void)snprintf(path, sizeof path, "%s/hidraw%u/device/uevent", root, number);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        found = sscanf(line, "HID_ID=%x:%x:%x", &bus, &v, &p) == 3 && v == vendor && p == product;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

bool tpi_hid_find(const char *root, unsigned vendor, unsigned product, unsigned nth,
                  char path[TPI_HID_PATH])
{
    for (unsigned i = 0; i < MOST_HIDRAW; i++) {
        if (is_device(root, i, vendor, product) && nth-- == 0) {
            (void)snprintf(path, TPI_HID_PATH, "/dev/hidraw%u", i);
            return true;
        }
    }
    return false;
}

/* ---- The line -------------------------------------------------------------------------------- */

/* The number of the report stands in front of it. */
static size_t hid_wrap(const tpi_line *line, const void *bytes, size_t length, void *out,
                       size_t size)
{
    (void)line;
    if (length + 1 > size) {
        return 0;
    }
    memset(out, 0, 1);
    memcpy((char *)out + 1, bytes, length);
    return length + 1;
}

static tp_status hid_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                           tp_error *err)
{
    char report[LARGEST_REPORT + 1];
    const size_t wrapped = hid_wrap(line, bytes, size, report, sizeof report);

    *length = 0;
    if (wrapped == 0) {
        return tp_fail(err, TP_E_SPACE, "%s: a report has at most %d bytes", line->url,
                       LARGEST_REPORT);
    }
    const tp_status status = tpi_line_write_fd(line, report, wrapped, length, err);
    *length = *length > 0 ? size : 0; /* a report is taken as a whole */
    return status;
}

static void hid_close(tpi_line *line)
{
    close(line->fd);
    free(line);
}

static const tpi_line_ops hid_ops = {
    .read = tpi_line_read_fd,
    .write = hid_write,
    .wrap = hid_wrap,
    .close = hid_close,
};

/* ---- Opening --------------------------------------------------------------------------------- */

static tp_status cannot_open(const char *path, int error, tp_error *err)
{
    char reason[96];

    tpi_line_reason(error, reason, sizeof reason);
    if (error == EACCES) {
        return tp_fail(err, TP_E_IO,
                       "%s: %s (a udev rule grants it: SUBSYSTEM==\"hidraw\", MODE=\"0666\")", path,
                       reason);
    }
    return tp_fail(err, TP_E_IO, "%s: %s%s", path, reason,
                   error == ENOENT ? " (is it plugged in?)" : "");
}

static tp_status check_device(int fd, const char *path, tp_error *err)
{
    struct hidraw_devinfo info;

    if (ioctl(fd, HIDIOCGRAWINFO, &info) != 0 && isatty(fd) != 1) {
        return tp_fail(err, TP_E_IO, "%s: it is no HID device", path);
    }
    return flock(fd, LOCK_EX | LOCK_NB) == 0
               ? TP_OK
               : tp_fail(err, TP_E_IO, "%s: another program has it open", path);
}

static tp_status open_path(tpi_line **out, const tpi_line_options *plan, const char *path,
                           tp_error *err)
{
    const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return cannot_open(path, errno, err);
    }
    const tp_status status = check_device(fd, path, err);
    tpi_line *line = status == TP_OK ? calloc(1, sizeof *line) : NULL;
    if (line == NULL) {
        close(fd);
        return status == TP_OK ? tp_fail(err, TP_E_NOMEM, "out of memory") : status;
    }
    *line = (tpi_line){.ops = &hid_ops, .url = plan->url, .fd = fd, .is_packets = true};
    *out = line;
    return TP_OK;
}

/* Of several equal devices the first one that nobody has open. */
static tp_status open_by_number(tpi_line **out, const tpi_line_options *plan, unsigned vendor,
                                unsigned product, tp_error *err)
{
    char path[TPI_HID_PATH];
    tp_status status = tp_fail(err, TP_E_IO, "no device %04x:%04x is plugged in", vendor, product);

    for (unsigned i = 0; status != TP_OK && tpi_hid_find(system_folder, vendor, product, i, path);
         i++) {
        status = open_path(out, plan, path, err);
    }
    return status;
}

/* The numbers of hid:VENDOR:PRODUCT; none of a path. */
static tp_status read_numbers(const char *rest, unsigned *vendor, unsigned *product, tp_error *err)
{
    char end;

    return rest[0] == '/' || sscanf(rest, "%4x:%4x%c", vendor, product, &end) == 2
               ? TP_OK
               : tp_fail(err, TP_E_INVALID,
                         "which device? hid:/dev/hidraw0 or hid:VENDOR:PRODUCT, as hid:2354:1111");
}

static tp_status check_hid(const char *url, const char *rest, tp_error *err)
{
    unsigned vendor, product;

    (void)url;
    return read_numbers(rest, &vendor, &product, err);
}

static tp_status open_hid(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    unsigned vendor = 0, product = 0;
    const tp_status status = read_numbers(plan->rest, &vendor, &product, err);

    if (status != TP_OK) {
        return status;
    }
    return plan->rest[0] == '/' ? open_path(out, plan, plan->rest, err)
                                : open_by_number(out, plan, vendor, product, err);
}

const tp_scheme tpi_scheme_hid = {
    .name = "hid", .open = open_hid, .check = check_hid, .is_special = true};
