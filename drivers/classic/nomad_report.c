/* nomad_report.c - the bytes of a Nomad's server, and what they say about the robot. */
#include <math.h>
#include <string.h>

#include "nomad.h"

/* Words of the state. */
enum {
    INFRARED = 1,
    SONAR = 17,
    BUMPER = 33,
    PLACE = 34, /* x, y, the direction of the wheels, that of the turret */
    VELOCITY = 38,
    COMPASS = 43,
};

static const double pi = 3.14159265358979323846;
static const double tenth_inch = 0.00254, inch = 0.0254,
                    tenth_degree = 3.14159265358979323846 / 1800;
static const double radius = 0.225;

/* ---- Bytes ----------------------------------------------------------------------------------- */

static unsigned u16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

unsigned tpi_nomad_type(const struct nomad *n)
{
    return u16(n->bytes);
}

unsigned tpi_nomad_words(const struct nomad *n)
{
    return u16(n->bytes + 2);
}

int32_t tpi_nomad_word(const struct nomad *n, unsigned i)
{
    const uint8_t *at = n->bytes + NOMAD_HEAD + 4 * (size_t)i;

    return (int32_t)((uint32_t)u16(at) << 16 | u16(at + 2));
}

bool tpi_nomad_take(struct nomad *n, uint8_t byte)
{
    if (n->length < sizeof n->bytes) {
        n->bytes[n->length++] = byte;
    }
    if (n->length < NOMAD_HEAD) {
        return false;
    }
    if (n->length == NOMAD_HEAD) {
        n->rest = 4 * (size_t)tpi_nomad_words(n);
    } else {
        n->rest--;
    }
    if (n->rest > 0) {
        return false;
    }
    n->length = 0;
    return true;
}

size_t tpi_nomad_put(uint8_t *out, unsigned type, const int *words, size_t count)
{
    const uint8_t head[NOMAD_HEAD] = {(uint8_t)(type >> 8), (uint8_t)type, (uint8_t)(count >> 8),
                                      (uint8_t)count};

    memcpy(out, head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        const uint32_t word = (uint32_t)words[i];
        const uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16),
                                  (uint8_t)(word >> 8), (uint8_t)word};
        memcpy(out + NOMAD_HEAD + 4 * i, bytes, sizeof bytes);
    }
    return NOMAD_HEAD + 4 * count;
}

/* ---- The state ------------------------------------------------------------------------------- */

static void take_place(struct nomad *n)
{
    memcpy(n->pose,
           (const double[3]){tpi_nomad_word(n, PLACE) * tenth_inch,
                             tpi_nomad_word(n, PLACE + 1) * tenth_inch,
                             tpi_nomad_word(n, PLACE + 2) * tenth_degree},
           sizeof n->pose);
    n->turned = tpi_nomad_word(n, PLACE + 3) * tenth_degree;
    if (!n->known) {
        n->known = true;
        memcpy(n->origin, n->pose, sizeof n->origin);
        n->turret_origin = n->turned;
    }
}

static void report_vehicle(const struct nomad *n)
{
    const double x = n->pose[0] - n->origin[0], y = n->pose[1] - n->origin[1];
    const double turn = n->origin[2];
    const tp_position2d_data data = {.pos = {.px = x * cos(turn) + y * sin(turn),
                                             .py = -x * sin(turn) + y * cos(turn),
                                             .pa = remainder(n->pose[2] - turn, 2 * pi)},
                                     .vel = {.px = tpi_nomad_word(n, VELOCITY) * tenth_inch,
                                             .pa = tpi_nomad_word(n, VELOCITY + 1) * tenth_degree}};

    tp_position2d_publish_state(n->vehicle, &data, 0);
}

static void report_turret(const struct nomad *n)
{
    const tp_position1d_data data = {.pos = (float)remainder(n->turned - n->turret_origin, 2 * pi),
                                     .vel =
                                         (float)(tpi_nomad_word(n, VELOCITY + 2) * tenth_degree)};

    tp_position1d_publish_state(n->turret, &data, 0);
}

static void report_bumpers(const struct nomad *n)
{
    const uint32_t bits = (uint32_t)tpi_nomad_word(n, BUMPER);
    uint8_t pressed[NOMAD_BUMPERS];

    for (unsigned i = 0; i < NOMAD_BUMPERS; i++) {
        pressed[i] = (uint8_t)(bits >> i & 1);
    }
    const tp_bumper_data data = {.bumpers_count = NOMAD_BUMPERS, .bumpers = pressed};
    tp_bumper_publish_state(n->bumper, &data, 0);
}

static void read_ranges(const struct nomad *n, unsigned first, float ranges[NOMAD_EYES])
{
    for (unsigned i = 0; i < NOMAD_EYES; i++) {
        ranges[i] = (float)(tpi_nomad_word(n, first + i) * inch);
    }
}

void tpi_nomad_report(struct nomad *n)
{
    float ranges[NOMAD_EYES];

    take_place(n);
    if (n->vehicle != NULL) {
        report_vehicle(n);
    }
    if (n->turret != NULL) {
        report_turret(n);
    }
    if (n->compass != NULL) {
        const tp_position1d_data data = {.pos = (float)(tpi_nomad_word(n, COMPASS) * tenth_degree)};
        tp_position1d_publish_state(n->compass, &data, 0);
    }
    if (n->bumper != NULL) {
        report_bumpers(n);
    }
    if (n->sonar != NULL) {
        read_ranges(n, SONAR, ranges);
        const tp_sonar_data data = {.ranges_count = NOMAD_EYES, .ranges = ranges};
        tp_sonar_publish_ranges(n->sonar, &data, 0);
    }
    if (n->ir != NULL) {
        read_ranges(n, INFRARED, ranges);
        const tp_ir_data data = {.ranges_count = NOMAD_EYES, .ranges = ranges};
        tp_ir_publish_ranges(n->ir, &data, 0);
    }
}

/* ---- Where the sensors sit ------------------------------------------------------------------- */

static tp_pose3d on_ring(double angle)
{
    return (tp_pose3d){.px = radius * cos(angle), .py = radius * sin(angle), .pyaw = angle};
}

/* Sonars and infrared sensors turn with the turret. */
static tp_pose3d *place_eyes(tp_device *device)
{
    struct nomad *n = tp_instance_state(tp_device_instance(device));

    for (unsigned i = 0; i < NOMAD_EYES; i++) {
        n->eyes[i] = on_ring(remainder(i * 2 * pi / NOMAD_EYES + n->turned - n->pose[2], 2 * pi));
    }
    return n->eyes;
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = NOMAD_EYES;
    answer->poses = place_eyes(device);
    return TP_OK;
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = NOMAD_EYES;
    answer->poses = place_eyes(device);
    return TP_OK;
}

/* The base does not turn, its wheels do. */
static tp_status bumper_geom(tp_device *device, tp_bumper_geom *answer, tp_error *err)
{
    struct nomad *n = tp_instance_state(tp_device_instance(device));

    (void)err;
    for (unsigned i = 0; i < NOMAD_BUMPERS; i++) {
        n->bumpers[i] = (tp_bumper_define){
            .pose = on_ring(remainder(i * 2 * pi / NOMAD_BUMPERS - n->pose[2], 2 * pi)),
            .length = (float)(radius * 2 * pi / (NOMAD_BUMPERS / 2)), /* two rows */
            .radius = (float)radius};
    }
    answer->bumper_def_count = NOMAD_BUMPERS;
    answer->bumper_def = n->bumpers;
    return TP_OK;
}

const tp_bumper_ops tpi_nomad_bumper_ops = {.req_get_geom = bumper_geom};
const tp_sonar_ops tpi_nomad_sonar_ops = {.req_get_geom = sonar_geom};
const tp_ir_ops tpi_nomad_ir_ops = {.req_pose = ir_pose};
