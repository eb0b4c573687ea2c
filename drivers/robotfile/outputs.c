/*
 * outputs.c - what a robot can write besides its wheels; see robotfile.h.
 *
 * Each output has one wanted value. A command that comes before the last one was written replaces
 * it, so nothing queues up. The wheels go first, then joints, then everything else in turn.
 */
#include "outputs.h"

#include <math.h>
#include <string.h>

static const double radians = 3.14159265358979323846 / 180;

/* ---- What is next ---------------------------------------------------------------------------- */

bool tpi_robotfile_next_output(struct robotfile *r, tpi_dialog_order *out)
{
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < r->out.rows[row].count; i++) {
            struct robotfile_output *output = &r->out.all[r->out.rows[row].at[i]];
            if (output->is_wanted) {
                output->is_wanted = false;
                *out = (tpi_dialog_order){.command = output->command,
                                          .part = output->part,
                                          .count = 1,
                                          .values = {{.number = output->value}}};
                return true;
            }
        }
    }
    if (!r->out.wants_saying) {
        return false;
    }
    r->out.wants_saying = false;
    memcpy(r->out.said, r->out.saying, sizeof r->out.said);
    *out = (tpi_dialog_order){
        .command = r->out.say,
        .part = r->out.voice,
        .count = 1,
        .values = {{.text = r->out.said, .length = (uint32_t)strlen(r->out.said)}}};
    return true;
}

void tpi_robotfile_drop_outputs(struct robotfile *r)
{
    for (unsigned i = 0; i < r->out.count; i++) {
        r->out.all[i].is_wanted = false;
    }
    r->out.wants_saying = false;
}

static void rest_row(struct robotfile *r, const struct robotfile_row *row, bool all)
{
    for (unsigned i = 0; i < row->count; i++) {
        struct robotfile_output *output = &r->out.all[row->at[i]];
        if (all) {
            output->value = 0;
        }
        output->is_wanted = !all && output->value != 0;
    }
}

void tpi_robotfile_rest_outputs(struct robotfile *r, bool joints, bool others)
{
    for (unsigned i = 0; i < ROWS; i++) {
        rest_row(r, &r->out.rows[i], i == ROW_JOINTS ? joints : others);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Inputs at the pins of an output are not read any more: that would make the pin an input. */
static void block_inputs(struct robotfile *r, int part)
{
    for (unsigned i = 0; i < r->in.count; i++) {
        r->in.all[i].is_blocked =
            r->in.all[i].is_blocked || tpi_parts_overlap(r->loaded->wired, r->in.all[i].part, part);
    }
}

static tp_status check_free(const struct robotfile *r, const struct robotfile_output *output,
                            tp_error *err)
{
    return output->is_taken ? tp_fail(err, TP_E_DENIED, "%s: its pins belong to the wheels",
                                      r->loaded->wired->parts[output->part].device->label)
                            : TP_OK;
}

static tp_status want(struct robotfile *r, const struct robotfile_row *row, unsigned index,
                      double value, tp_error *err)
{
    struct robotfile_output *output = &r->out.all[row->at[index]];
    const tp_status status = check_free(r, output, err);

    if (!isfinite(value)) {
        return tp_fail(err, TP_E_RANGE, "the value is no number");
    }
    if (status == TP_OK) {
        output->value = value;
        output->is_wanted = true;
        block_inputs(r, output->part);
    }
    return status;
}

static tp_status no_such(const char *what, unsigned index, unsigned count, tp_error *err)
{
    return tp_fail(err, TP_E_RANGE, "there is no %s %u; there are %u", what, index, count);
}

/* ---- dio and aio ----------------------------------------------------------------------------- */

static bool changes(const struct robotfile *r, const tp_dio_cmd *ask, unsigned i)
{
    return r->out.all[r->out.rows[ROW_DIGITAL].at[i]].value != (ask->digout >> i & 1);
}

/* Outputs that stay as they are are not written: their pins may be inputs. */
static tp_status dio_values(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    const struct robotfile_row *row = &r->out.rows[ROW_DIGITAL];
    tp_status status = TP_OK;

    if (ask->count > row->count) {
        return no_such("digital output", ask->count - 1, row->count, err);
    }
    for (unsigned i = 0; i < ask->count && status == TP_OK; i++) {
        status = changes(r, ask, i) ? check_free(r, &r->out.all[row->at[i]], err) : TP_OK;
    }
    for (unsigned i = 0; i < ask->count && status == TP_OK; i++) {
        status = changes(r, ask, i) ? want(r, row, i, ask->digout >> i & 1, err) : TP_OK;
    }
    return status == TP_OK ? tpi_robotfile_work(r, err) : status;
}

static tp_status aio_state(tp_device *device, const tp_aio_cmd *ask, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    const struct robotfile_row *row = &r->out.rows[ROW_ANALOG];

    if (ask->id >= row->count) {
        return no_such("analog output", ask->id, row->count, err);
    }
    const int part = r->out.all[row->at[ask->id]].part;
    const double *volts = tpi_robotfile_volts(r, part);
    const double value = ((double)ask->voltage - volts[0]) / (volts[1] - volts[0]) * 100;
    const tp_status status = want(r, row, ask->id, value, err);
    return status == TP_OK ? tpi_robotfile_work(r, err) : status;
}

const tp_dio_ops tpi_robotfile_dio_ops = {.cmd_values = dio_values};
const tp_aio_ops tpi_robotfile_aio_ops = {.cmd_state = aio_state};

/* ---- blinkenlight ---------------------------------------------------------------------------- */

/* A light that is none of the three coloured ones shows colours with these. */
static bool has_colours(const struct robotfile *r, unsigned id)
{
    const struct robotfile_row *colours = &r->out.rows[ROW_COLOURS];
    bool is_one = false;

    for (unsigned i = 0; i < colours->count; i++) {
        is_one = is_one ||
                 r->out.all[colours->at[i]].part == r->out.all[r->out.rows[ROW_LIGHTS].at[id]].part;
    }
    return colours->count == 3 && !is_one;
}

static tp_status show(tp_device *device, unsigned id, bool on, const tp_color *color, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    const struct robotfile_row *lights = &r->out.rows[ROW_LIGHTS];
    const uint8_t rgb[3] = {color->red, color->green, color->blue};
    const uint8_t most = (uint8_t)fmax(fmax(rgb[0], rgb[1]), rgb[2]);
    tp_status status = TP_OK;

    if (id >= lights->count) {
        return no_such("light", id, lights->count, err);
    }
    if (has_colours(r, id) && most > 0) {
        for (unsigned i = 0; i < 3 && status == TP_OK; i++) {
            status = want(r, &r->out.rows[ROW_COLOURS], i, on ? rgb[i] / 2.55 : 0, err);
        }
    } else {
        status = want(r, lights, id, !on ? 0 : most > 0 ? most / 2.55 : 100, err);
    }
    if (status != TP_OK) {
        return status;
    }
    r->out.light = (tp_blinkenlight_data){.enable = on, .dutycycle = 1, .color = *color};
    return tpi_robotfile_work(r, err);
}

/* Lights do not flash: the data shows a steady one. */
static tp_status light_state(tp_device *device, const tp_blinkenlight_cmd *ask, tp_error *err)
{
    return show(device, ask->id, ask->enable != 0, &ask->color, err);
}

static tp_status light_power(tp_device *device, const tp_blinkenlight_cmd_power *ask, tp_error *err)
{
    const tp_color none = {0};

    return show(device, ask->id, ask->enable != 0, &none, err);
}

static tp_status light_color(tp_device *device, const tp_blinkenlight_cmd_color *ask, tp_error *err)
{
    const bool on = ask->color.red > 0 || ask->color.green > 0 || ask->color.blue > 0;

    return show(device, ask->id, on, &ask->color, err);
}

const tp_blinkenlight_ops tpi_robotfile_light_ops = {
    .cmd_state = light_state, .cmd_power = light_power, .cmd_color = light_color};

/* ---- speech ---------------------------------------------------------------------------------- */

static tp_status speech_say(tp_device *device, const tp_speech_cmd *ask, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    const size_t length = ask->string_count > 0 ? strnlen(ask->string, ask->string_count) : 0;

    if (length >= LONGEST_SAYING) {
        return tp_fail(err, TP_E_SPACE, "a text has at most %d bytes", LONGEST_SAYING - 1);
    }
    if (length > 0) {
        memcpy(r->out.saying, ask->string, length);
    }
    r->out.saying[length] = '\0';
    r->out.wants_saying = true;
    return tpi_robotfile_work(r, err);
}

const tp_speech_ops tpi_robotfile_speech_ops = {.cmd_say = speech_say};

/* ---- actarray -------------------------------------------------------------------------------- */

static tp_status find_joint(struct robotfile *r, int32_t joint, bool by_position, tp_error *err)
{
    const struct robotfile_row *row = &r->out.rows[ROW_JOINTS];

    if (joint < 0 || (unsigned)joint >= row->count) {
        return no_such("joint", (unsigned)joint, row->count, err);
    }
    if ((r->out.all[row->at[joint]].command == TPI_WRITE_SERVO) != by_position) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       by_position ? "joint %d is a motor: it takes a speed, not a position"
                                   : "joint %d is a servo: it takes a position, not a speed",
                       (int)joint);
    }
    return TP_OK;
}

static tp_status joint_pos(tp_device *device, const tp_actarray_position_cmd *ask, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    tp_status status = find_joint(r, ask->joint, true, err);

    status = status == TP_OK ? want(r, &r->out.rows[ROW_JOINTS], (unsigned)ask->joint,
                                    (double)ask->position / radians, err)
                             : status;
    return status == TP_OK ? tpi_robotfile_work(r, err) : status;
}

static tp_status joint_speed(tp_device *device, const tp_actarray_speed_cmd *ask, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    const double percent = fmin(fmax((double)ask->speed / r->motor_speed * 100, -100), 100);
    tp_status status = find_joint(r, ask->joint, false, err);

    if (!isfinite(ask->speed)) {
        return tp_fail(err, TP_E_RANGE, "the value is no number");
    }
    status = status == TP_OK ? want(r, &r->out.rows[ROW_JOINTS], (unsigned)ask->joint, percent, err)
                             : status;
    return status == TP_OK ? tpi_robotfile_work(r, err) : status;
}

static tp_status joint_get_geom(tp_device *device, tp_actarray_geom *answer, tp_error *err)
{
    struct robotfile *r = tpi_robotfile_of(device);
    tp_actarray_actuatorgeom *geoms = r->out.geoms;
    const struct robotfile_row *row = &r->out.rows[ROW_JOINTS];

    (void)err;
    for (unsigned i = 0; i < row->count; i++) {
        const struct robotfile_output *joint = &r->out.all[row->at[i]];
        const double *degrees = r->loaded->wired->parts[joint->part].device->degrees;
        const bool is_servo = joint->command == TPI_WRITE_SERVO;
        geoms[i] = (tp_actarray_actuatorgeom){
            .type = TP_ACTARRAY_TYPE_ROTARY,
            .axis = {0, 0, 1},
            .min = is_servo ? (float)(degrees[0] * radians) : 0,
            .centre = is_servo ? (float)((degrees[0] + degrees[1]) / 2 * radians) : 0,
            .max = is_servo ? (float)(degrees[1] * radians) : 0};
    }
    answer->actuators_count = row->count;
    answer->actuators = geoms;
    return TP_OK;
}

const tp_actarray_ops tpi_robotfile_joint_ops = {
    .req_get_geom = joint_get_geom, .cmd_pos = joint_pos, .cmd_speed = joint_speed};
