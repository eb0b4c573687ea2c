/*
 * serial.c - serial lines on Linux.
 *
 * The kernel's own struct termios2 is used, since it takes every speed and not only those that have
 * a name; the C library's header cannot be included beside it.
 */
#define _GNU_SOURCE
#include "platform/serial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "platform/thread.h"

/* ---- What the URL says ----------------------------------------------------------------------- */

/* One of the words that an option takes, and the letter or number that it stands for. */
struct choice {
    const char *word; /* NULL ends the list */
    unsigned value;
};

static const struct choice parities[] = {{"none", 'n'}, {"even", 'e'}, {"odd", 'o'}, {NULL, 0}};
static const struct choice flows[] = {
    {"none", 'n'}, {"hardware", 'h'}, {"software", 's'}, {NULL, 0}};
static const struct choice widths[] = {{"7", 7}, {"8", 8}, {NULL, 0}};
static const struct choice stops[] = {{"1", 1}, {"2", 2}, {NULL, 0}};

static tp_status choose(const struct choice *choices, const char *name, const char *value,
                        unsigned *out, tp_error *err)
{
    const struct choice *at = choices;
    tpi_buf words = {0};

    while (at->word != NULL && strcmp(at->word, value) != 0) {
        at++;
    }
    if (at->word != NULL) {
        *out = at->value;
        return TP_OK;
    }
    for (at = choices; at->word != NULL; at++) {
        tpi_buf_printf(&words, "%s%s",
                       at == choices        ? ""
                       : at[1].word == NULL ? " or "
                                            : ", ",
                       at->word);
    }
    tp_fail(err, TP_E_INVALID, "%s is %s, not \"%.40s\"", name, tpi_buf_text(&words), value);
    tpi_buf_fini(&words);
    return TP_E_INVALID;
}

static tp_status read_baud(const char *value, unsigned *baud, tp_error *err)
{
    int64_t number = 0;

    if (!tpi_number_read_i64(value, strlen(value), &number) || number < 1 || number > 100000000) {
        return tp_fail(err, TP_E_INVALID, "baud is a speed in bits per second, not \"%.40s\"",
                       value);
    }
    *baud = (unsigned)number;
    return TP_OK;
}

static tp_status unknown_option(const char *name, tp_error *err)
{
    static const char *const names[] = {"baud", "parity", "bits", "stop", "flow"};
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tpi_nearest_offer(&nearest, names[i]);
    }
    return tp_fail(err, TP_E_INVALID, "there is no setting \"%.40s\"%s", name,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status read_option(const char *name, const char *value, tpi_line_settings *settings,
                             tp_error *err)
{
    unsigned letter = 0;
    tp_status status = TP_OK;

    if (strcmp(name, "baud") == 0) {
        return read_baud(value, &settings->baud, err);
    }
    if (strcmp(name, "bits") == 0) {
        return choose(widths, name, value, &settings->bits, err);
    }
    if (strcmp(name, "stop") == 0) {
        return choose(stops, name, value, &settings->stop_bits, err);
    }
    if (strcmp(name, "parity") == 0) {
        status = choose(parities, name, value, &letter, err);
        settings->parity = (char)letter;
        return status;
    }
    if (strcmp(name, "flow") == 0) {
        status = choose(flows, name, value, &letter, err);
        settings->flow = (char)letter;
        return status;
    }
    return unknown_option(name, err);
}

/* "baud=57600&parity=even" */
static tp_status read_options(const char *text, tpi_line_settings *settings, tp_error *err)
{
    char option[64];
    tp_status status = TP_OK;

    while (*text != '\0' && status == TP_OK) {
        const size_t length = strcspn(text, "&");
        if (length >= sizeof option) {
            return tp_fail(err, TP_E_INVALID, "the setting \"%.20s...\" is too long", text);
        }
        memcpy(option, text, length);
        option[length] = '\0';
        char *equals = strchr(option, '=');
        if (equals == NULL) {
            return tp_fail(err, TP_E_INVALID, "a setting is NAME=VALUE, not \"%s\"", option);
        }
        *equals = '\0';
        status = read_option(option, equals + 1, settings, err);
        text += length + (text[length] == '&');
    }
    return status;
}

static void fill_in(tpi_line_settings *settings)
{
    settings->baud = settings->baud == 0 ? 9600 : settings->baud;
    settings->bits = settings->bits == 0 ? 8 : settings->bits;
    settings->stop_bits = settings->stop_bits == 0 ? 1 : settings->stop_bits;
    settings->parity = settings->parity == 0 ? 'n' : settings->parity;
    settings->flow = settings->flow == 0 ? 'n' : settings->flow;
}

tp_status tpi_serial_parse(const char *text, char path[TPI_SERIAL_PATH],
                           tpi_line_settings *settings, tp_error *err)
{
    const size_t length = strcspn(text, "?");
    tp_status status = TP_OK;

    if (length == 0) {
        return tp_fail(err, TP_E_INVALID, "which line? serial:/dev/ttyUSB0");
    }
    if (length >= TPI_SERIAL_PATH) {
        return tp_fail(err, TP_E_INVALID, "the path is longer than %d characters",
                       TPI_SERIAL_PATH - 1);
    }
    memcpy(path, text, length);
    path[length] = '\0';
    if (text[length] == '?') {
        status = read_options(text + length + 1, settings, err);
    }
    fill_in(settings);
    return status;
}

/* ---- Setting the line ------------------------------------------------------------------------ */

static void make_raw(struct termios2 *t, const tpi_line_settings *s)
{
    t->c_iflag = s->flow == 's' ? IXON | IXOFF : 0;
    t->c_iflag |= s->parity == 'n' ? IGNPAR : INPCK;
    t->c_oflag = 0;
    t->c_lflag = 0;
    t->c_cflag = CREAD | CLOCAL | HUPCL | (s->bits == 7 ? CS7 : CS8);
    t->c_cflag |= s->stop_bits == 2 ? CSTOPB : 0;
    t->c_cflag |= s->parity == 'n' ? 0 : s->parity == 'o' ? PARENB | PARODD : PARENB;
    t->c_cflag |= s->flow == 'h' ? CRTSCTS : 0;
    t->c_cc[VMIN] = 1; /* so that reading nothing means that the line is gone */
    t->c_cc[VTIME] = 0;
}

static void set_speed(struct termios2 *t, unsigned baud)
{
    t->c_cflag &= ~(tcflag_t)(CBAUD | CBAUD << IBSHIFT);
    t->c_cflag |= BOTHER | (tcflag_t)BOTHER << IBSHIFT;
    t->c_ispeed = baud;
    t->c_ospeed = baud;
}

static tp_status cannot_set(int error, tp_error *err)
{
    char reason[96];

    if (error == ENOTTY || error == EINVAL) {
        return tp_fail(err, TP_E_IO, "it is no serial line");
    }
    return tp_fail(err, TP_E_IO, "cannot set the line: %s",
                   tpi_line_reason(error, reason, sizeof reason));
}

/* The kernel takes the nearest speed that the hardware has; within 3 % they understand each other.
 */
static tp_status check_speed(int fd, unsigned baud, tp_error *err)
{
    struct termios2 t;

    if (ioctl(fd, TCGETS2, &t) != 0) {
        return cannot_set(errno, err);
    }
    const double ratio = (double)t.c_ospeed / (double)baud;
    return ratio > 0.97 && ratio < 1.03
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "the line cannot do %u baud", baud);
}

static tp_status set_line(int fd, const tpi_line_settings *settings, tp_error *err)
{
    struct termios2 t;

    if (ioctl(fd, TCGETS2, &t) != 0) {
        return cannot_set(errno, err);
    }
    make_raw(&t, settings);
    set_speed(&t, settings->baud);
    if (ioctl(fd, TCSETS2, &t) != 0) {
        return cannot_set(errno, err);
    }
    ioctl(fd, TCFLSH, TCIOFLUSH); /* what came before is nobody's */
    return check_speed(fd, settings->baud, err);
}

static void wait_until_sent(int fd)
{
    const int64_t end_ns = tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_S;
    int left = 0;

    while (ioctl(fd, TIOCOUTQ, &left) == 0 && left > 0) {
        const int64_t now_ns = tp_clock_now_ns(tp_clock_real());
        if (now_ns >= end_ns) {
            return;
        }
        tpi_wait(NULL, 0, now_ns + TP_NS_PER_MS);
    }
}

static tp_status set_baud(tpi_line *line, unsigned baud, tp_error *err)
{
    struct termios2 t;

    wait_until_sent(line->fd);
    tp_status status = ioctl(line->fd, TCGETS2, &t) == 0 ? TP_OK : cannot_set(errno, err);
    if (status == TP_OK) {
        set_speed(&t, baud);
        status = ioctl(line->fd, TCSETS2, &t) == 0 ? check_speed(line->fd, baud, err)
                                                   : cannot_set(errno, err);
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, line->url);
}

/* ---- Opening --------------------------------------------------------------------------------- */

tp_status tpi_serial_explain(const char *path, int error, tp_error *err)
{
    struct stat about;
    char reason[96];
    char block[1024];
    struct group group;
    struct group *found = NULL;

    tpi_line_reason(error, reason, sizeof reason);
    if (error == EACCES && stat(path, &about) == 0 &&
        getgrgid_r(about.st_gid, &group, block, sizeof block, &found) == 0 && found != NULL) {
        return tp_fail(err, TP_E_IO, "%s (are you in the group %s?)", reason, found->gr_name);
    }
    if (error == ENOENT) {
        return tp_fail(err, TP_E_IO, "%s (is it plugged in?)", reason);
    }
    return tp_fail(err, TP_E_IO, "%s", reason);
}

static tp_status lock(int fd, tp_error *err)
{
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return tp_fail(err, TP_E_IO, "another program has it open");
    }
    ioctl(fd, TIOCEXCL); /* for programs that do not ask for the lock */
    return TP_OK;
}

static void close_line(tpi_line *line)
{
    ioctl(line->fd, TIOCNXCL);
    close(line->fd);
    free(line);
}

static const tpi_line_ops serial_ops = {
    .read = tpi_line_read_fd,
    .write = tpi_line_write_fd,
    .set_baud = set_baud,
    .close = close_line,
};

static tp_status open_serial(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    tpi_line_settings settings = plan->settings;
    char path[TPI_SERIAL_PATH];
    tp_status status = tpi_serial_parse(plan->rest, path, &settings, err);

    if (status != TP_OK) {
        return status;
    }
    const int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno == EBUSY ? tp_fail(err, TP_E_IO, "another program has it open")
                              : tpi_serial_explain(path, errno, err);
    }
    status = lock(fd, err);
    status = status == TP_OK ? set_line(fd, &settings, err) : status;
    tpi_line *line = status == TP_OK ? calloc(1, sizeof *line) : NULL;
    if (line == NULL) {
        close(fd);
        return status == TP_OK ? tp_fail(err, TP_E_NOMEM, "out of memory") : status;
    }
    *line = (tpi_line){.ops = &serial_ops, .url = plan->url, .fd = fd};
    *out = line;
    return TP_OK;
}

static tp_status check_serial(const char *url, const char *rest, tp_error *err)
{
    tpi_line_settings settings = {0};
    char path[TPI_SERIAL_PATH];

    (void)url;
    return tpi_serial_parse(rest, path, &settings, err);
}

const tp_scheme tpi_scheme_serial = {.name = "serial", .open = open_serial, .check = check_serial};
