/* video.c - cameras of Linux (V4L2); see video.h. */
#define _GNU_SOURCE
#include "platform/video.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/video_controls.h"

enum { BUFFERS = 4, LONGEST_PATH = 256 };

struct video {
    tpi_line line;
    const tpi_video_system *system; /* borrowed */
    struct v4l2_pix_format format;
    struct {
        void *memory;
        size_t length;
    } buffers[BUFFERS];
    unsigned count;
    unsigned char *picture; /* owned: the head and the picture that is being read */
    size_t size;            /* room in it */
    size_t begin, end;      /* of what was not read */
    bool has_controls;      /* they are listed and can be set */
};

static struct video *of(tpi_line *line)
{
    return (struct video *)line;
}

static int control(const struct video *v, unsigned long request, void *argument)
{
    int result;

    do {
        result = v->system->control(v->line.fd, request, argument);
    } while (result < 0 && errno == EINTR);
    return result;
}

static tp_status fail(const char *what, tp_error *err)
{
    char reason[96];

    return tp_fail(err, TP_E_IO, "%s: %s", what, tpi_line_reason(errno, reason, sizeof reason));
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void put_u32(unsigned char *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static void take_picture(struct video *v, const struct v4l2_buffer *buffer)
{
    const size_t room = v->size - TPI_VIDEO_HEAD;
    size_t length = buffer->bytesused;

    length = length < v->buffers[buffer->index].length ? length : v->buffers[buffer->index].length;
    length = length < room ? length : room;
    put_u32(v->picture, v->format.width);
    put_u32(v->picture + 4, v->format.height);
    put_u32(v->picture + 8, v->format.pixelformat);
    put_u32(v->picture + 12, (uint32_t)length);
    memcpy(v->picture + TPI_VIDEO_HEAD, v->buffers[buffer->index].memory, length);
    v->begin = 0;
    v->end = TPI_VIDEO_HEAD + length;
}

/* The next picture of the kernel, if there is one. Damaged ones are dropped. */
static tp_status fetch(struct video *v, tp_error *err)
{
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};

    if (control(v, VIDIOC_DQBUF, &buffer) < 0) {
        return errno == EAGAIN ? TP_OK
               : errno == ENODEV
                   ? tp_fail(err, TP_E_CLOSED, "%s: the camera was unplugged", v->line.url)
                   : fail(v->line.url, err);
    }
    if (buffer.index >= v->count) {
        return tp_fail(err, TP_E_IO, "%s: the kernel has no such buffer", v->line.url);
    }
    if ((buffer.flags & V4L2_BUF_FLAG_ERROR) == 0 && buffer.bytesused > 0) {
        take_picture(v, &buffer);
    }
    return control(v, VIDIOC_QBUF, &buffer) < 0 ? fail(v->line.url, err) : TP_OK;
}

static tp_status video_read(tpi_line *line, void *bytes, size_t size, size_t *length, tp_error *err)
{
    struct video *v = of(line);
    const tp_status status = v->begin < v->end ? TP_OK : fetch(v, err);
    const size_t left = v->end - v->begin;

    *length = left < size ? left : size;
    memcpy(bytes, v->picture + v->begin, *length);
    v->begin += *length;
    return status;
}

static tp_status video_write(tpi_line *line, const void *bytes, size_t size, size_t *length,
                             tp_error *err)
{
    const struct video *v = of(line);

    *length = 0;
    if (!v->has_controls || size % TPI_VIDEO_SETTING != 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s: nothing but controls can be written to a camera",
                       line->url);
    }
    for (; *length < size; *length += TPI_VIDEO_SETTING) {
        const unsigned char *setting = (const unsigned char *)bytes + *length;
        if (tpi_video_set_control(v->system, line->fd, setting) < 0) {
            char what[32];
            (void)snprintf(what, sizeof what, "control %.4s cannot be set", (const char *)setting);
            return errno == ENODEV
                       ? tp_fail(err, TP_E_CLOSED, "%s: the camera was unplugged", line->url)
                       : fail(what, err);
        }
    }
    return TP_OK;
}

static void video_close(tpi_line *line)
{
    struct video *v = of(line);
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

    (void)control(v, VIDIOC_STREAMOFF, &type);
    for (unsigned i = 0; i < v->count; i++) {
        if (v->buffers[i].memory != NULL) {
            (void)v->system->unmap(v->buffers[i].memory, v->buffers[i].length);
        }
    }
    (void)v->system->close(line->fd);
    free(v->picture);
    free(v);
}

static const tpi_line_ops video_ops = {
    .read = video_read,
    .write = video_write,
    .close = video_close,
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* What the URL asks for; 0 where it says nothing. */
struct wish {
    char path[LONGEST_PATH];
    unsigned width, height, rate, controls;
    uint32_t format;
};

static tp_status read_format(const char *text, uint32_t *out, tp_error *err)
{
    static const struct {
        const char *name;
        uint32_t format;
    } formats[] = {{"yuyv", V4L2_PIX_FMT_YUYV},
                   {"mjpeg", V4L2_PIX_FMT_MJPEG},
                   {"grey", V4L2_PIX_FMT_GREY},
                   {"rgb24", V4L2_PIX_FMT_RGB24},
                   {"yu12", V4L2_PIX_FMT_YUV420}};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, text) == 0) {
            *out = formats[i].format;
            return TP_OK;
        }
    }
    return tp_fail(err, TP_E_INVALID, "format is yuyv, mjpeg, grey, rgb24 or yu12, not \"%.20s\"",
                   text);
}

static tp_status read_number(const char *text, unsigned *out, tp_error *err)
{
    char end;

    return sscanf(text, "%u%c", out, &end) == 1 && *out <= 16384
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "\"%.20s\" is no number of a camera", text);
}

static tp_status read_wish(struct wish *w, const char *rest, tp_error *err)
{
    char *left = NULL;
    tp_status status = TP_OK;

    if (strlen(rest) >= sizeof w->path) {
        return tp_fail(err, TP_E_LIMIT, "a camera has at most %d characters", LONGEST_PATH - 1);
    }
    memcpy(w->path, rest, strlen(rest) + 1);
    char *question = strchr(w->path, '?');
    if (question != NULL) {
        *question++ = '\0';
    }
    char *word = question == NULL ? NULL : strtok_r(question, "&", &left);
    for (; word != NULL && status == TP_OK; word = strtok_r(NULL, "&", &left)) {
        status = strncmp(word, "width=", 6) == 0      ? read_number(word + 6, &w->width, err)
                 : strncmp(word, "height=", 7) == 0   ? read_number(word + 7, &w->height, err)
                 : strncmp(word, "rate=", 5) == 0     ? read_number(word + 5, &w->rate, err)
                 : strncmp(word, "controls=", 9) == 0 ? read_number(word + 9, &w->controls, err)
                 : strncmp(word, "format=", 7) == 0
                     ? read_format(word + 7, &w->format, err)
                     : tp_fail(err, TP_E_INVALID, "a camera has no setting \"%.20s\"", word);
    }
    return status;
}

/* The kernel chooses what is nearest to the wish; another format is refused. */
static tp_status set_format(struct video *v, const struct wish *w, tp_error *err)
{
    struct v4l2_capability can = {.capabilities = 0};
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};

    if (control(v, VIDIOC_QUERYCAP, &can) < 0 || (can.capabilities & V4L2_CAP_VIDEO_CAPTURE) == 0 ||
        (can.capabilities & V4L2_CAP_STREAMING) == 0) {
        return tp_fail(err, TP_E_IO, "it is no camera that sends pictures");
    }
    format.fmt.pix =
        (struct v4l2_pix_format){.width = w->width == 0 ? 640 : w->width,
                                 .height = w->height == 0 ? 480 : w->height,
                                 .pixelformat = w->format == 0 ? V4L2_PIX_FMT_YUYV : w->format,
                                 .field = V4L2_FIELD_ANY};
    const uint32_t wanted = format.fmt.pix.pixelformat;
    if (control(v, VIDIOC_S_FMT, &format) < 0) {
        return fail("its format cannot be set", err);
    }
    v->format = format.fmt.pix;
    if (v->format.pixelformat != wanted || v->format.sizeimage == 0 ||
        v->format.sizeimage > TPI_VIDEO_LARGEST) {
        return tp_fail(err, TP_E_IO, "the camera does not have this format");
    }
    struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    parameters.parm.capture.timeperframe = (struct v4l2_fract){1, w->rate};
    if (w->rate > 0) { /* a camera that has one rate only refuses, which does not matter */
        (void)control(v, VIDIOC_S_PARM, &parameters);
    }
    return TP_OK;
}

static tp_status map_buffers(struct video *v, tp_error *err)
{
    struct v4l2_requestbuffers request = {
        .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};

    if (control(v, VIDIOC_REQBUFS, &request) < 0 || request.count == 0) {
        return fail("it gives no buffers", err);
    }
    const unsigned count = request.count < BUFFERS ? request.count : BUFFERS;
    for (; v->count < count; v->count++) {
        struct v4l2_buffer buffer = {
            .index = v->count, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (control(v, VIDIOC_QUERYBUF, &buffer) < 0) {
            return fail("it gives no buffers", err);
        }
        v->buffers[v->count].length = buffer.length;
        v->buffers[v->count].memory =
            v->system->map(v->line.fd, buffer.length, (int64_t)buffer.m.offset);
        if (v->buffers[v->count].memory == NULL || control(v, VIDIOC_QBUF, &buffer) < 0) {
            v->count += v->buffers[v->count].memory != NULL;
            return fail("its buffers cannot be used", err);
        }
    }
    return TP_OK;
}

/* Before the first picture, as a picture of no size. */
static void list_controls(struct video *v)
{
    const size_t length =
        tpi_video_list_controls(v->system, v->line.fd, v->picture + TPI_VIDEO_HEAD);

    memset(v->picture, 0, TPI_VIDEO_HEAD);
    memcpy(v->picture + 8, "CTRL", 4);
    put_u32(v->picture + 12, (uint32_t)length);
    v->has_controls = true;
    v->begin = 0;
    v->end = TPI_VIDEO_HEAD + length;
}

static tp_status start(struct video *v, const struct wish *w, tp_error *err)
{
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    tp_status status = set_format(v, w, err);

    status = status == TP_OK ? map_buffers(v, err) : status;
    if (status == TP_OK) {
        const size_t least = TPI_VIDEO_CONTROL * TPI_VIDEO_CONTROLS;
        v->size = TPI_VIDEO_HEAD + (v->format.sizeimage > least ? v->format.sizeimage : least);
        v->picture = malloc(v->size);
        status = v->picture == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    }
    if (status == TP_OK && w->controls != 0) {
        list_controls(v);
    }
    return status == TP_OK && control(v, VIDIOC_STREAMON, &type) < 0
               ? fail("it sends no pictures", err)
               : status;
}

tp_status tpi_video_open(tpi_line **out, const tpi_line_options *plan,
                         const tpi_video_system *system, tp_error *err)
{
    struct wish w = {.width = 0};
    const tp_status understood = read_wish(&w, plan->rest, err);
    struct video *v = understood == TP_OK ? calloc(1, sizeof *v) : NULL;

    if (v == NULL) {
        return understood == TP_OK ? tp_fail(err, TP_E_NOMEM, "out of memory") : understood;
    }
    v->system = system;
    v->line = (tpi_line){.ops = &video_ops, .url = plan->url, .fd = system->open(w.path)};
    if (v->line.fd < 0) {
        free(v);
        return fail(w.path, err);
    }
    const tp_status status = start(v, &w, err);
    if (status != TP_OK) {
        video_close(&v->line);
        return status;
    }
    *out = &v->line;
    return TP_OK;
}

/* ---- The real system ------------------------------------------------------------------------- */

static int real_open(const char *path)
{
    return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

static int real_control(int fd, unsigned long request, void *argument)
{
    return ioctl(fd, request, argument);
}

static void *real_map(int fd, size_t length, int64_t offset)
{
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

    return memory == MAP_FAILED ? NULL : memory;
}

static const tpi_video_system real = {real_open, close, real_control, real_map, munmap};

static tp_status open_real(tpi_line **out, const tpi_line_options *plan, tp_error *err)
{
    return tpi_video_open(out, plan, &real, err);
}

const tp_scheme tpi_scheme_video = {.name = "video", .open = open_real, .is_special = true};
