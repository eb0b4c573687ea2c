/*
 * rflex.h - what the files of the driver rflex share.
 *
 *     rflex_packet.c    packets
 *     rflex_settings.c  what the configuration says of the robot
 *     rflex.c           devices, reports and life
 */
#ifndef CLASSIC_RFLEX_H
#define CLASSIC_RFLEX_H

#include "numbers.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/position2d.h"

enum {
    RFLEX_MOST_DATA = 255,
    RFLEX_MOST_PACKET = RFLEX_MOST_DATA + 9,
    RFLEX_MOST_SONARS = 256,
    RFLEX_MOST_BUMPERS = 32,
    RFLEX_MOST_IRS = 64,
    RFLEX_MOST_BANKS = 32,
};

/* Parts of the controller. */
enum { RFLEX_SYSTEM = 1, RFLEX_MOTORS = 2, RFLEX_SONARS = 4, RFLEX_INPUTS = 5, RFLEX_IRS = 6 };

/* ---- rflex_packet.c -------------------------------------------------------------------------- */

struct rflex_reader {
    uint8_t bytes[RFLEX_MOST_PACKET];
    size_t length;
    uint64_t damaged;
};

/* Take a byte; whether a packet with a right sum is whole. It stays until the next byte: bytes[2]
 * is the part, bytes[4] what it says, bytes[5] the length of the data, which begin at bytes[6]. */
bool tpi_rflex_read(struct rflex_reader *reader, uint8_t byte);

/* Write a packet; its length. */
size_t tpi_rflex_write(uint8_t out[RFLEX_MOST_PACKET], uint8_t part, uint8_t id, uint8_t code,
                       const uint8_t *data, size_t length);

uint32_t tpi_rflex_u32(const uint8_t *at);
void tpi_rflex_put_u32(uint8_t *at, uint32_t value);

/* ---- rflex_settings.c ------------------------------------------------------------------------ */

/* Sonars are on boards, which have gaps in their numbers. */
struct rflex_sonars {
    double per_metre, most;
    double echo, ping, set; /* delays */
    double count, banks, per_bank, second;
    unsigned in_bank[RFLEX_MOST_BANKS];
    tp_pose3d poses[RFLEX_MOST_SONARS];
};

struct rflex_irs {
    double count, base, banks, least, most;
    unsigned in_bank[RFLEX_MOST_BANKS];
    double a[RFLEX_MOST_IRS], b[RFLEX_MOST_IRS];
    tp_pose3d poses[RFLEX_MOST_IRS];
};

/* What the configuration says. Lengths are in metres. */
struct rflex_plan {
    double length, width;
    double per_metre, per_radian; /* units of the odometry */
    double acceleration, turn_acceleration;
    double max_speed, max_turn;
    struct rflex_sonars sonar;
    struct rflex_irs ir;
    double bumpers, bumper_address;
    bool bumper_bits; /* one address has eight bumpers */
    tp_bumper_define bumper_places[RFLEX_MOST_BUMPERS];
    double power_offset, baud, timeout_s;
};

extern const tp_param tpi_rflex_params[];

tp_status tpi_rflex_read_plan(tp_instance *self, struct rflex_plan *plan, tp_error *err);

#endif
