/* video_controls.c - the controls of a camera; see video_controls.h. */
#include "platform/video_controls.h"

#include <errno.h>
#include <linux/videodev2.h>
#include <string.h>

static const struct {
    char name[5];
    uint32_t id;
} controls[] = {
    {"PANA", V4L2_CID_PAN_ABSOLUTE},
    {"TILA", V4L2_CID_TILT_ABSOLUTE},
    {"PANR", V4L2_CID_PAN_RELATIVE},
    {"TILR", V4L2_CID_TILT_RELATIVE},
    {"PANX", V4L2_CID_PAN_RESET},
    {"TILX", V4L2_CID_TILT_RESET},
    {"AWB ", V4L2_CID_AUTO_WHITE_BALANCE},
    {"AGC ", V4L2_CID_AUTOGAIN},
    {"GAIN", V4L2_CID_GAIN},
    {"AEXP", V4L2_CID_EXPOSURE_AUTO},
    {"EXPO", V4L2_CID_EXPOSURE},
    {"SHRP", V4L2_CID_SHARPNESS},
    {"BKLT", V4L2_CID_BACKLIGHT_COMPENSATION},
};

enum { COUNT = sizeof controls / sizeof controls[0] };

_Static_assert((int)COUNT <= (int)TPI_VIDEO_CONTROLS, "there is room for all");

static void put_i32(unsigned char *at, int32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (unsigned char)((uint32_t)value >> 8 * i);
    }
}

static int ask(const tpi_video_system *system, int fd, unsigned long request, void *argument)
{
    int result;

    do {
        result = system->control(fd, request, argument);
    } while (result < 0 && errno == EINTR);
    return result;
}

/* Some controls, such as a reset, have no value to read. */
size_t tpi_video_list_controls(const tpi_video_system *system, int fd, unsigned char *out)
{
    size_t length = 0;

    for (size_t i = 0; i < COUNT; i++) {
        struct v4l2_queryctrl found = {.id = controls[i].id};
        struct v4l2_control value = {.id = controls[i].id};
        if (ask(system, fd, VIDIOC_QUERYCTRL, &found) < 0 ||
            (found.flags & V4L2_CTRL_FLAG_DISABLED) != 0) {
            continue;
        }
        if (ask(system, fd, VIDIOC_G_CTRL, &value) < 0) {
            value.value = found.default_value;
        }
        memcpy(out + length, controls[i].name, 4);
        put_i32(out + length + 4, found.minimum);
        put_i32(out + length + 8, found.maximum);
        put_i32(out + length + 12, found.step);
        put_i32(out + length + 16, value.value);
        length += TPI_VIDEO_CONTROL;
    }
    return length;
}

int tpi_video_set_control(const tpi_video_system *system, int fd, const unsigned char *setting)
{
    const unsigned char *at = setting + 4;
    const uint32_t value =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;

    for (size_t i = 0; i < COUNT; i++) {
        if (memcmp(setting, controls[i].name, 4) == 0) {
            struct v4l2_control control = {.id = controls[i].id, .value = (int32_t)value};
            return ask(system, fd, VIDIOC_S_CTRL, &control);
        }
    }
    errno = EINVAL;
    return -1;
}
