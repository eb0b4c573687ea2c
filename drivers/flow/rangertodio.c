/*
 * rangertodio, blobtodio - what a sensor sees as bits.
 *
 * Of a ranger, the readings are cut into as many parts as there are bits; a bit is 1 if at least
 * half of its part are nearer than a threshold. Of a blobfinder, a bit is 1 if there are enough
 * blobs of its colour. The bits go out as data, and as commands to a dio if there is one behind.
 * HALT ends the commands until the device is opened again; so does a panic.
 */
#include <math.h>
#include <stdio.h>

#include "forward.h"
#include "troupe/driver/dio.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/ranger.h"

enum { MOST_BITS = 32 };

struct todio {
    tp_device *device; /* borrowed */
    tp_link *source;   /* borrowed */
    tp_link *out;      /* borrowed; NULL if there is none */
    uint32_t count;    /* of bits */
    bool halted;
    int64_t first, last; /* readings; last -1 for all */
    double threshold;
    bool power;
    uint32_t colors[MOST_BITS];
    uint32_t least; /* blobs of a colour */
};

static const tp_param rangertodio_params[] = {
    {"start_idx", "1", "0", "first reading to use"},
    {"end_idx", "1", "-1", "last one; -1 for all"},
    {"bits", "1", "32", "number of bits, 1 to 32"},
    {"threshold", "m", "1", "a bit is 1 if at least half of its readings are nearer"},
    {"turn_power_on", "1", "0", "1 to switch the ranger on at the start"},
    {NULL, NULL, NULL, NULL},
};

#define COLOR(i)                                                                                   \
    {                                                                                              \
        "color[" #i "]", "1", "", "red, green and blue of a bit, 0 to 255"                         \
    }

static const tp_param blobtodio_params[] = {
    {"threshold", "1", "1", "a bit is 1 if there are so many blobs of its colour"},
    COLOR(0),
    COLOR(1),
    COLOR(2),
    COLOR(3),
    COLOR(4),
    COLOR(5),
    COLOR(6),
    COLOR(7),
    COLOR(8),
    COLOR(9),
    COLOR(10),
    COLOR(11),
    COLOR(12),
    COLOR(13),
    COLOR(14),
    COLOR(15),
    COLOR(16),
    COLOR(17),
    COLOR(18),
    COLOR(19),
    COLOR(20),
    COLOR(21),
    COLOR(22),
    COLOR(23),
    COLOR(24),
    COLOR(25),
    COLOR(26),
    COLOR(27),
    COLOR(28),
    COLOR(29),
    COLOR(30),
    COLOR(31),
    {NULL, NULL, NULL, NULL},
};

/* ---- Bits ------------------------------------------------------------------------------------ */

static void tell(tp_instance *self, uint32_t bits)
{
    struct todio *t = tp_instance_state(self);
    const tp_dio_data data = {.count = t->count, .bits = bits};
    const tp_dio_cmd command = {.count = t->count, .digout = bits};

    t->halted = t->halted || tp_instance_in_panic(self);
    if (t->out != NULL && !t->halted) {
        tp_link_command(t->out, TP_DIO_CMD_VALUES, &command);
    }
    tp_dio_publish_values(t->device, &data, 0);
}

/* Whether at least half of the readings from `i` to before `end` are near. */
static bool is_near(const struct todio *t, const double *ranges, int64_t i, int64_t end)
{
    const int64_t all = end - i;
    int64_t near = 0;

    for (; i < end; i++) {
        near += ranges[i] < t->threshold;
    }
    return 2 * near >= all;
}

static void rangertodio_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct todio *t = tp_instance_state(self);
    const tp_ranger_data_range *data = tp_msg_payload(msg);
    uint32_t bits = 0;

    if (from != t->source || tp_msg_header(msg)->subtype != TP_RANGER_DATA_RANGE || data == NULL) {
        return;
    }
    const int64_t end = t->last < 0 ? data->ranges_count : t->last + 1;
    const int64_t size = end - t->first;
    if (end > data->ranges_count || size < 1) {
        return; /* it has fewer readings than the file says */
    }
    for (uint32_t i = 0; i < t->count; i++) {
        const int64_t begin = i * size / t->count;
        const int64_t behind = ((i + 1) * size + t->count - 1) / t->count; /* rounded up */
        bits |= (uint32_t)is_near(t, data->ranges, t->first + begin, t->first + behind) << i;
    }
    tell(self, bits);
}

static void blobtodio_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct todio *t = tp_instance_state(self);
    const tp_blobfinder_data *data = tp_msg_payload(msg);
    uint32_t bits = 0;

    if (from != t->source || tp_msg_header(msg)->subtype != TP_BLOBFINDER_DATA_BLOBS ||
        data == NULL) {
        return;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < data->blobs_count; k++) {
            found += (data->blobs[k].color & 0xffffff) == t->colors[i];
        }
        bits |= (uint32_t)(found >= t->least) << i;
    }
    tell(self, bits);
}

/* ---- Settings -------------------------------------------------------------------------------- */

static tp_status fail_at(tp_instance *self, const char *name, const char *what, tp_error *err)
{
    tp_param_blame(self, name);
    return tp_fail(err, TP_E_RANGE, "%s %s", name, what);
}

static tp_status read_ranger(tp_instance *self, struct todio *t, tp_error *err)
{
    const int64_t bits = tp_param_int(self, "bits");

    t->first = tp_param_int(self, "start_idx");
    t->last = tp_param_int(self, "end_idx");
    t->threshold = tp_param_double(self, "threshold");
    t->power = tp_param_double(self, "turn_power_on") != 0;
    if (t->first < 0 || t->first > INT32_MAX) {
        return fail_at(self, "start_idx", "is not the number of a reading", err);
    }
    if (t->last != -1 && (t->last < t->first || t->last > INT32_MAX)) {
        return fail_at(self, "end_idx", "is neither -1 nor a reading after start_idx", err);
    }
    if (bits < 1 || bits > MOST_BITS) {
        return fail_at(self, "bits", "is not 1 to 32", err);
    }
    t->count = (uint32_t)bits;
    return t->threshold > 0 && isfinite(t->threshold)
               ? TP_OK
               : fail_at(self, "threshold", "is not a distance", err);
}

static tp_status read_color(tp_instance *self, const char *name, uint32_t *out, tp_error *err)
{
    *out = 0;
    if (tp_param_count(self, name) != 3) {
        return fail_at(self, name, "is not three numbers: red, green, blue", err);
    }
    for (size_t i = 0; i < 3; i++) {
        const double part = tp_param_double_at(self, name, i);
        if (!(part >= 0 && part <= 255)) {
            return fail_at(self, name, "has a number that is not 0 to 255", err);
        }
        *out = *out << 8 | (uint32_t)part;
    }
    return TP_OK;
}

/* Colours after one that is missing do not count, as in Player. */
static tp_status read_blobs(tp_instance *self, struct todio *t, tp_error *err)
{
    const int64_t least = tp_param_int(self, "threshold");
    tp_status status = TP_OK;
    char name[16] = "color[0]";

    while (status == TP_OK && t->count < MOST_BITS && tp_param_given(self, name)) {
        status = read_color(self, name, &t->colors[t->count++], err);
        snprintf(name, sizeof name, "color[%u]", t->count);
    }
    if (status == TP_OK && t->count == 0) {
        return fail_at(self, "color[0]", "is missing: [ red green blue ]", err);
    }
    if (status == TP_OK && (least < 1 || least > INT32_MAX)) {
        return fail_at(self, "threshold", "is not a number of blobs", err);
    }
    t->least = (uint32_t)least;
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static const tp_dio_ops no_commands = {0};

static tp_status offer(tp_instance *self, struct todio *t, const tp_interface *source,
                       tp_error *err)
{
    tp_status status = tp_require(self, source, NULL, &t->source, err);

    if (status == TP_OK) {
        status = tp_require(self, &tp_interface_dio, NULL, &t->out, NULL);
        status = status == TP_E_UNKNOWN ? TP_OK : status;
    }
    if (t->out != NULL) {
        tp_link_report(t->out);
    }
    return status == TP_OK ? tp_offer_dio(self, NULL, &no_commands, &t->device, err) : status;
}

static tp_status rangertodio_init(tp_instance *self, tp_error *err)
{
    struct todio *t = tp_instance_state(self);
    const tp_status status = read_ranger(self, t, err);

    return status == TP_OK ? offer(self, t, &tp_interface_ranger, err) : status;
}

static tp_status blobtodio_init(tp_instance *self, tp_error *err)
{
    struct todio *t = tp_instance_state(self);
    const tp_status status = read_blobs(self, t, err);

    return status == TP_OK ? offer(self, t, &tp_interface_blobfinder, err) : status;
}

static void ignore(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                   const char *why)
{
    (void)self;
    (void)context;
    (void)status;
    (void)answer;
    (void)why;
}

/* A ranger without a switch refuses the request, which does not matter. */
static tp_status todio_start(tp_instance *self, tp_error *err)
{
    struct todio *t = tp_instance_state(self);
    const tp_ranger_power_config on = {.state = 1};

    (void)err;
    t->halted = false;
    if (t->power) {
        (void)tp_link_request(t->source, TP_RANGER_REQ_POWER, &on, FORWARD_TIMEOUT_NS, ignore,
                              NULL);
    }
    return TP_OK;
}

static void todio_halt(tp_device *device, tp_halt how)
{
    struct todio *t = tp_instance_state(tp_device_instance(device));

    (void)how; /* the other device's own configuration says */
    t->halted = true;
    if (t->out != NULL) {
        tp_link_halt(t->out);
    }
}

static const tp_driver_ops rangertodio_ops = {
    .init = rangertodio_init,
    .start = todio_start,
    .data = rangertodio_data,
    .halt = todio_halt,
};

static const tp_driver_ops blobtodio_ops = {
    .init = blobtodio_init,
    .start = todio_start,
    .data = blobtodio_data,
    .halt = todio_halt,
};

TP_API const tp_driver tp_driver_rangertodio = {
    .abi = TP_DRIVER_ABI,
    .name = "rangertodio",
    .summary = "which parts of a ranger's readings are near, as bits",
    .state_size = sizeof(struct todio),
    .params = rangertodio_params,
    .ops = &rangertodio_ops,
    .flags = TP_DRIVER_ON_LOOP,
};

TP_API const tp_driver tp_driver_blobtodio = {
    .abi = TP_DRIVER_ABI,
    .name = "blobtodio",
    .summary = "which colours a blobfinder sees, as bits",
    .state_size = sizeof(struct todio),
    .params = blobtodio_params,
    .ops = &blobtodio_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
