/*
 * robot.h - how to write an emulated robot.
 *
 * A robot is a constant table (struct tpi_emu_kind) and a state that tpi_emu_create() allocates,
 * zeroed. The calls of the table come one at a time: start once, reset once, then input and tick.
 * A robot answers with tpi_emu_say() and reports what it understood with tpi_emu_heard(); faults
 * and the trace are made there.
 */
#ifndef TROUPE_EMULATE_ROBOT_H
#define TROUPE_EMULATE_ROBOT_H

#include "emulate/body.h"
#include "emulate/emulate.h"

enum { TPI_EMU_MOST_WAITING = 256 * 1024 }; /* bytes for a host that does not read */

struct tpi_emu_kind {
    const char *name;    /* as users write it */
    const char *alias;   /* another name for it; NULL for none */
    const char *summary; /* one line */
    const char *file;    /* that has the macro of its body */
    const char *macro;
    double radius;     /* of the body */
    double track;      /* between the wheels, in metres */
    unsigned baud;     /* 0 if the line has no speed */
    bool line_powered; /* switched off while it is unplugged */
    bool is_packets;   /* its line has packets: each input and each message is one */
    size_t state_size;

    /* Find the parts of the body. Fails if one is missing. */
    tp_status (*start)(tpi_emu *emu, tp_error *err);
    /* Plug a part into a slot; NULL if the robot has no slots. */
    tp_status (*wire)(tpi_emu *emu, const char *slot, const char *part, tp_error *err);
    /* It was switched on: the state as it is then; may say something. */
    void (*reset)(tpi_emu *emu);
    /* Bytes came. */
    void (*input)(tpi_emu *emu, const uint8_t *bytes, size_t length);
    /* The world made a step. */
    void (*tick)(tpi_emu *emu);
    /* What it sends unasked to `report_port` of its host now; how many bytes, 0 for nothing. NULL
     * if it never does. */
    size_t (*report)(tpi_emu *emu, char *out, size_t size);
    unsigned report_port;
};

struct tpi_emu {
    const tpi_emu_kind *kind; /* a constant */
    struct tpi_body body;
    int64_t now_us;
    int64_t step_us; /* how long the last step of the world was */
    unsigned baud;
    tpi_buf out;     /* for the host */
    size_t taken;    /* of these */
    uint64_t damage; /* chooses the bytes that are wrong */
    tpi_emu_fault faults[TPI_EMU_MOST_FAULTS];
    size_t fault_count;
    bool has[TPI_EMU_FAULTS]; /* now */
    tpi_emu_trace *trace;     /* may be NULL */
    void *context;            /* of `trace`; borrowed */
    void *state;              /* owned: the robot's own */
};

/* A message to the host, with its meaning for the trace. */
void tpi_emu_say(tpi_emu *emu, const void *bytes, size_t length, const char *meaning, ...)
    TP_PRINTF(4, 5);

/* A message of the host was understood, or not: its meaning for the trace. */
void tpi_emu_heard(tpi_emu *emu, const void *bytes, size_t length, const char *meaning, ...)
    TP_PRINTF(4, 5);

/* A part of the body, and where to keep it. */
struct tpi_emu_part {
    tpi_sim_model *part;
    const char *name; /* on the robot */
};

/* Find parts of the body and work with them from now on; an error names the one that is missing. */
tp_status tpi_emu_find_parts(tpi_emu *emu, const struct tpi_emu_part *parts, size_t count,
                             tp_error *err);

/* Fail because a robot has no such slot or part: "SLOT=PART: there is no slot ...". */
tp_status tpi_emu_no_slot(const char *slot, const char *slots, tp_error *err);
tp_status tpi_emu_no_part(const char *part, const char *parts, tp_error *err);

/* ---- Numbers in messages --------------------------------------------------------------------- */

static inline uint16_t tpi_get_le16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t tpi_get_le32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline int16_t tpi_get_be16(const uint8_t *at)
{
    return (int16_t)(uint16_t)(at[0] << 8 | at[1]);
}

static inline void tpi_put_le16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void tpi_put_le32(uint8_t *at, uint32_t value)
{
    tpi_put_le16(at, value);
    tpi_put_le16(at + 2, value >> 16);
}

static inline void tpi_put_be16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* ---- The robots ------------------------------------------------------------------------------ */

extern const tpi_emu_kind tpi_emu_nxt;
extern const tpi_emu_kind tpi_emu_finch;
extern const tpi_emu_kind tpi_emu_create1;
extern const tpi_emu_kind tpi_emu_create2;
extern const tpi_emu_kind tpi_emu_firmata;
extern const tpi_emu_kind tpi_emu_lifa;
extern const tpi_emu_kind tpi_emu_srv1;
extern const tpi_emu_kind tpi_emu_tello;
extern const tpi_emu_kind tpi_emu_p2os;
extern const tpi_emu_kind tpi_emu_sick;
extern const tpi_emu_kind tpi_emu_rover;
extern const tpi_emu_kind tpi_emu_urg;
extern const tpi_emu_kind tpi_emu_nmea;
extern const tpi_emu_kind tpi_emu_evid30;

#endif
