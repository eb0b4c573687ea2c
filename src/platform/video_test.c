/* video_test.c - the lines of cameras, with a camera of the test's own instead of the kernel's. */
#include "platform/video.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

enum { WIDTH = 4, HEIGHT = 2, SIZE = WIDTH * HEIGHT * 2, BUFFERS = 2 };

/* A camera with two buffers. */
static struct camera {
    unsigned char memory[BUFFERS][SIZE];
    bool queued[BUFFERS];
    unsigned mapped;
    bool streams, gone, damaged;
    unsigned char next;  /* fills the next picture; 0 for none */
    uint32_t capability; /* what it says that it can do */
    uint32_t format;     /* the only one it has */
    unsigned open;
    int pan;
} camera;

static int fake_open(const char *path)
{
    if (strcmp(path, "/dev/video7") != 0) {
        errno = ENOENT;
        return -1;
    }
    camera.open++;
    return 7;
}

static int fake_close(int fd)
{
    assert_int_equal(fd, 7);
    camera.open--;
    return 0;
}

static int take(struct v4l2_buffer *buffer)
{
    if (camera.gone || camera.next == 0 || !camera.streams) {
        errno = camera.gone ? ENODEV : EAGAIN;
        return -1;
    }
    for (unsigned i = 0; i < BUFFERS; i++) {
        if (camera.queued[i]) {
            memset(camera.memory[i], camera.next, SIZE);
            camera.queued[i] = false;
            camera.next = 0;
            buffer->index = i;
            buffer->bytesused = SIZE;
            buffer->flags = camera.damaged ? V4L2_BUF_FLAG_ERROR : 0;
            return 0;
        }
    }
    errno = EAGAIN;
    return -1;
}

static int set_format(struct v4l2_format *format)
{
    format->fmt.pix.width = WIDTH;
    format->fmt.pix.height = HEIGHT;
    format->fmt.pix.pixelformat = camera.format;
    format->fmt.pix.sizeimage = SIZE;
    return 0;
}

/* The only control is a motor. */
static int query(struct v4l2_queryctrl *found)
{
    if (found->id != V4L2_CID_PAN_ABSOLUTE) {
        errno = EINVAL;
        return -1;
    }
    found->minimum = -3600;
    found->maximum = 3600;
    found->step = 1;
    found->default_value = 5;
    return 0;
}

static int fake_control(int fd, unsigned long request, void *argument)
{
    struct v4l2_buffer *buffer = argument;

    assert_int_equal(fd, 7);
    switch (request) {
    case VIDIOC_QUERYCAP:
        ((struct v4l2_capability *)argument)->capabilities = camera.capability;
        return 0;
    case VIDIOC_S_FMT:
        return set_format(argument);
    case VIDIOC_REQBUFS:
        ((struct v4l2_requestbuffers *)argument)->count = BUFFERS;
        return 0;
    case VIDIOC_QUERYBUF:
        buffer->length = SIZE;
        buffer->m.offset = buffer->index * 4096;
        return 0;
    case VIDIOC_QBUF:
        camera.queued[buffer->index] = true;
        return 0;
    case VIDIOC_DQBUF:
        return take(buffer);
    case VIDIOC_STREAMON:
        camera.streams = true;
        return 0;
    case VIDIOC_STREAMOFF:
        camera.streams = false;
        return 0;
    case VIDIOC_QUERYCTRL:
        return query(argument);
    case VIDIOC_S_CTRL:
        camera.pan = ((struct v4l2_control *)argument)->value;
        return 0;
    default:
        errno = ENOTTY;
        return -1;
    }
}

static void *fake_map(int fd, size_t length, int64_t offset)
{
    assert_int_equal(fd, 7);
    assert_int_equal(length, SIZE);
    camera.mapped++;
    return camera.memory[offset / 4096];
}

static int fake_unmap(void *memory, size_t length)
{
    assert_non_null(memory);
    assert_int_equal(length, SIZE);
    camera.mapped--;
    return 0;
}

static const tpi_video_system fake = {fake_open, fake_close, fake_control, fake_map, fake_unmap};

static tp_status open_it(tpi_line **line, const char *rest, tp_error *err)
{
    const tpi_line_options plan = {.url = "video:/dev/video7", .rest = rest, .folder = ""};

    camera = (struct camera){.capability = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING,
                             .format = V4L2_PIX_FMT_YUYV};
    return tpi_video_open(line, &plan, &fake, err);
}

/* Pictures come whole behind a head, however small the pieces are that are asked for. */
static void pictures_have_a_head(void **state)
{
    tpi_line *line = NULL;
    unsigned char bytes[TPI_VIDEO_HEAD + SIZE];
    size_t length = 1;

    (void)state;
    assert_int_equal(open_it(&line, "/dev/video7?width=4&height=2&rate=30", NULL), TP_OK);
    assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, NULL), TP_OK);
    assert_int_equal(length, 0);
    for (unsigned char fill = 1; fill < 20; fill++) { /* more often than there are buffers */
        size_t have = 0;
        camera.next = fill;
        while (have < sizeof bytes) {
            assert_int_equal(line->ops->read(line, bytes + have, fill, &length, NULL), TP_OK);
            assert_true(length > 0);
            have += length;
        }
        assert_memory_equal(bytes, "\4\0\0\0\2\0\0\0YUYV\20\0\0\0", TPI_VIDEO_HEAD);
        assert_int_equal(bytes[TPI_VIDEO_HEAD], fill);
        assert_int_equal(bytes[sizeof bytes - 1], fill);
    }
    camera.damaged = true; /* dropped */
    camera.next = 99;
    assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, NULL), TP_OK);
    assert_int_equal(length, 0);
    line->ops->close(line);
    assert_int_equal(camera.mapped + camera.open + camera.streams, 0);
}

static void an_unplugged_camera_is_told(void **state)
{
    tpi_line *line = NULL;
    unsigned char byte;
    size_t length = 0;
    tp_error err = {0};

    (void)state;
    assert_int_equal(open_it(&line, "/dev/video7", NULL), TP_OK);
    camera.gone = true;
    assert_int_equal(line->ops->read(line, &byte, 1, &length, &err), TP_E_CLOSED);
    assert_string_equal(err.text, "video:/dev/video7: the camera was unplugged");
    assert_int_equal(line->ops->write(line, "x", 1, &length, &err), TP_E_UNSUPPORTED);
    line->ops->close(line);
}

static void fails(const char *rest, const char *why)
{
    tpi_line *line = NULL;
    tp_error err = {0};

    assert_true(open_it(&line, rest, &err) != TP_OK);
    assert_string_equal(err.text, why);
    assert_int_equal(camera.mapped + camera.open, 0);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    fails("/dev/video1", "/dev/video1: no such file or directory");
    fails("/dev/video7?width=x", "\"x\" is no number of a camera");
    fails("/dev/video7?format=png", "format is yuyv, mjpeg, grey, rgb24 or yu12, not \"png\"");
    fails("/dev/video7?colour=1", "a camera has no setting \"colour=1\"");
    fails("/dev/video7?format=mjpeg", "the camera does not have this format");
}

/* They come before the first picture, and are set by name. */
static void controls_are_listed_and_set(void **state)
{
    static const unsigned char listed[] = {
        0,   0,   0,    0,    0,    0,    0,    0,    'C', 'T', 'R', 'L', 20, 0, 0, 0, 'P', 'A',
        'N', 'A', 0xf0, 0xf1, 0xff, 0xff, 0x10, 0x0e, 0,   0,   1,   0,   0,  0, 5, 0, 0,   0};
    tpi_line *line = NULL;
    unsigned char bytes[64];
    size_t length = 0;
    tp_error err;

    (void)state;
    assert_int_equal(open_it(&line, "/dev/video7?controls=1", NULL), TP_OK);
    assert_int_equal(line->ops->read(line, bytes, sizeof bytes, &length, NULL), TP_OK);
    assert_int_equal(length, sizeof listed);
    assert_memory_equal(bytes, listed, sizeof listed);
    assert_int_equal(line->ops->write(line, "PANA\x07\0\0\0", 8, &length, NULL), TP_OK);
    assert_int_equal(camera.pan, 7);
    assert_int_equal(line->ops->write(line, "WHAT\x07\0\0\0", 8, &length, &err), TP_E_IO);
    assert_string_equal(err.text, "control WHAT cannot be set: invalid argument");
    line->ops->close(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_listed_and_set),
        cmocka_unit_test(pictures_have_a_head),
        cmocka_unit_test(an_unplugged_camera_is_told),
        cmocka_unit_test(what_is_wrong_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
