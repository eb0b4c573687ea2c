/*
 * create.h - the emulated iRobot Create 1 and 2: what their files share.
 *
 * A command is an opcode and its data; nothing is answered but questions for sensors. Numbers of
 * two bytes begin with the highest. Actuators work in the modes safe and full; in safe mode a cliff
 * ahead, a wheel that drops and a charger lead back to passive. A robot that is off hears nothing
 * but Start.
 */
#ifndef TROUPE_EMULATE_CREATE_H
#define TROUPE_EMULATE_CREATE_H

#include "emulate/robot.h"

enum create_mode { CREATE_OFF, CREATE_PASSIVE, CREATE_SAFE, CREATE_FULL };

enum {
    CREATE_LONGEST = 258, /* bytes of a command */
    CREATE_QUEUE = 1024,  /* bytes that come while it waits */
    CREATE_SONGS = 16,
    CREATE_NOTES = 16,
    CREATE_SCRIPT = 100,
    CREATE_STREAM = 64,  /* packets of a stream */
    CREATE_LARGEST = 80, /* bytes of a packet */
    CREATE_EYES = 7,
    CREATE_BUTTONS = 3,
};

struct create_song {
    uint8_t notes[CREATE_NOTES][2]; /* number, 1/64 s */
    uint8_t count;
};

/* Why it does not go on with its input. */
struct create_wait {
    enum { CREATE_GOES_ON, CREATE_TIME, CREATE_DISTANCE, CREATE_ANGLE, CREATE_EVENT } kind;
    int64_t until_us;
    double goal; /* mm or degrees, of the sums below; or the number of an event */
    bool beyond; /* the goal is reached from below */
};

struct create_script {
    uint8_t bytes[CREATE_SCRIPT];
    uint8_t length;
    uint8_t at;
    bool plays;
};

struct create_stream {
    uint8_t ids[CREATE_STREAM];
    uint8_t count;
    bool runs;
    int64_t next_us;
};

/* Where the wheels have been. */
struct create_travel {
    double distance_mm, angle_deg; /* since they were asked for */
    double sum_mm, sum_deg;        /* since it was switched on */
    double counts[2];              /* of the encoders, left and right */
};

/* The drive that was asked for, in mm/s and mm. */
struct create_drive {
    int16_t velocity, radius, right, left;
};

struct create_parts {
    tpi_sim_model eyes, bumpers, cliffs, speaker, led, cargo;
    tpi_sim_model buttons[CREATE_BUTTONS];
};

struct create {
    bool second; /* a Create 2 */
    enum create_mode mode;
    uint8_t command[CREATE_LONGEST];
    size_t length;
    uint8_t queue[CREATE_QUEUE];
    size_t queued;
    struct create_drive drive;
    struct create_song songs[CREATE_SONGS];
    uint8_t song;    /* that was played last */
    int64_t song_us; /* when it ends */
    struct create_wait wait;
    struct create_script script;
    struct create_stream stream;
    struct create_travel travel;
    struct create_parts parts;
    uint8_t outputs; /* digital outputs of the cargo bay */
    uint8_t drivers; /* low side drivers, or motors of a Create 2 */
};

static inline struct create *create_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- create.c -------------------------------------------------------------------------------- */

/* Change the mode; what stops with it stops. */
void tpi_create_set_mode(tpi_emu *emu, enum create_mode mode);

/* Drive, as far as the mode allows it. */
void tpi_create_drive(tpi_emu *emu, const struct create_drive *drive);

/* ---- create_command.c ------------------------------------------------------------------------ */

/* One byte of a command; does the command when it is complete. */
void tpi_create_feed(tpi_emu *emu, uint8_t byte);

/* ---- create_script.c ------------------------------------------------------------------------- */

/* Feed bytes of the script that plays and of the queue, until it waits. */
void tpi_create_pump(tpi_emu *emu);

/* Begin to wait: data of the commands 155 to 158. */
void tpi_create_begin_wait(tpi_emu *emu, uint8_t opcode, const uint8_t *data);

/* Play a song. */
void tpi_create_play(tpi_emu *emu, uint8_t number);

/* ---- create_packet.c ------------------------------------------------------------------------- */

/* The value of a simple packet (7 to 58); reading 19 and 20 resets them if `reading`. */
int tpi_create_value(tpi_emu *emu, unsigned id, bool reading);

/* The length of a packet or group; 0 if there is none with this number. */
size_t tpi_create_packet_size(const struct create *c, unsigned id);

/* Write a packet or group; its length, 0 if there is none with this number. At most
 * CREATE_LARGEST bytes. */
size_t tpi_create_put_packet(tpi_emu *emu, unsigned id, uint8_t *out);

/* Send a stream frame. */
void tpi_create_send_stream(tpi_emu *emu);

#endif
