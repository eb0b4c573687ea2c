/*
 * srv1.h - the emulated Surveyor SRV-1 (Blackfin): what its files share.
 *
 * A command is a character with arguments of fixed length, binary or digits. The answer is "#" and
 * the character, or "##" and a line. What comes before the answer is flushed, as the firmware does:
 * a host waits for the answer before it sends the next command.
 */
#ifndef TROUPE_EMULATE_SRV1_H
#define TROUPE_EMULATE_SRV1_H

#include "emulate/robot.h"

enum {
    SRV1_LONGEST = 24, /* bytes of a command */
    SRV1_CAMERAS = 3,
    SRV1_BINS = 16,     /* of colours */
    SRV1_COLUMNS = 160, /* of the picture in which blobs are looked for */
    SRV1_ROWS = 120,
    SRV1_CHANNELS = 6, /* y1 y2 u1 u2 v1 v2 */
};

struct srv1_parts {
    tpi_sim_model cameras[SRV1_CAMERAS]; /* 160x120, 320x240, 640x480 */
    tpi_sim_model light_left, light_right, line, laser, sonar, compass, lasers;
};

/* A command that takes time: its answer comes at the end. */
struct srv1_busy {
    int64_t until_us; /* 0 for none */
    char answer;      /* the character */
};

struct srv1_failsafe {
    bool on;
    int8_t left, right;
};

struct srv1_vision {
    unsigned camera;  /* that is used */
    unsigned quality; /* 1, which is best, to 8 */
    bool owes;        /* a picture, as soon as the camera has looked */
    uint8_t bins[SRV1_BINS][SRV1_CHANNELS];
    bool mask[SRV1_COLUMNS * SRV1_ROWS];
    uint16_t stack[SRV1_COLUMNS * SRV1_ROWS];
};

struct srv1 {
    uint8_t command[SRV1_LONGEST];
    size_t length;
    int64_t heard_us; /* the last command */
    int base;         /* speed of the digits */
    bool enabled;     /* digits work after the first M */
    bool external;    /* the servo outputs turn the wheels */
    struct srv1_busy busy;
    struct srv1_failsafe failsafe;
    double counts[2]; /* of the encoders */
    struct srv1_parts parts;
    struct srv1_vision vision;
};

static inline struct srv1 *srv1_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- srv1.c ---------------------------------------------------------------------------------- */

/* Answer with a line: "##" is put before it and a line end behind. */
void tpi_srv1_say(tpi_emu *emu, const char *format, ...) TP_PRINTF(2, 3);

/* ---- srv1_vision.c --------------------------------------------------------------------------- */

/* Use another camera from now on. */
void tpi_srv1_use_camera(tpi_emu *emu, unsigned camera);

/* Send a picture, as soon as the camera has looked. */
void tpi_srv1_send_frame(tpi_emu *emu);

/* A command that begins with v: its letter and arguments; false if there is none. */
bool tpi_srv1_see(tpi_emu *emu, const uint8_t *command);

/* How many bytes a command has that begins with v. */
size_t tpi_srv1_vision_length(uint8_t letter);

/* ---- srv1_jpeg.c, srv1_nojpeg.c -------------------------------------------------------------- */

/* Append a picture (red, green, blue) as JPEG; false if that is not possible. */
bool tpi_srv1_put_jpeg(tpi_buf *out, const uint8_t *rgb, uint32_t width, uint32_t height,
                       unsigned quality);

#endif
