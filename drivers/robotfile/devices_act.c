/* devices_act.c - orders that move, switch, show or say something; see devices.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robotfile.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/audio.h"
#include "troupe/interfaces/blinkenlight.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/speech.h"

static const double DEG_TO_RAD = 0.017453292519943295;

static tp_status wheels(struct robotfile *r, struct devices_item *base, double left, double right)
{
    const double each = r->wheels.max_speed / 100;
    const tp_position2d_cmd_vel ask = {
        .vel = {.px = (left + right) / 2 * each, .pa = (right - left) * each / r->wheels.width},
        .state = 1};

    return tp_link_command(base->link, TP_POSITION2D_CMD_VEL, &ask);
}

static tp_status go_to(struct robotfile *r, struct devices_item *base, const double at[])
{
    const tp_position2d_cmd_pos ask = {
        .pos = {.px = at[0], .py = at[1], .pa = at[2] * DEG_TO_RAD},
        .vel = {.px = r->wheels.max_speed, .pa = 2 * r->wheels.max_speed / r->wheels.width},
        .state = 1};

    return tp_link_command(base->link, TP_POSITION2D_CMD_POS, &ask);
}

/* ---- Outputs --------------------------------------------------------------------------------- */

static tp_status set_voltage(struct devices_item *item, const double numbers[])
{
    const tp_aio_cmd ask = {.id = (uint32_t)fmax(numbers[1], 0), .voltage = (float)numbers[2]};

    return tp_link_command(item->link, TP_AIO_CMD_STATE, &ask);
}

/* The outputs of a dio are set together: the others stay what they were set to. */
static tp_status set_bit(struct devices_item *item, const double numbers[], const char **why)
{
    enum { BITS = 32 };

    if (!(numbers[1] >= 0 && numbers[1] < BITS)) {
        *why = "a dio has at most 32 outputs";
        return TP_E_RANGE;
    }
    const unsigned number = (unsigned)numbers[1];
    const uint32_t bit = (uint32_t)1 << number;
    item->outputs = numbers[2] >= 0.5 ? item->outputs | bit : item->outputs & ~bit;
    const tp_dio_cmd ask = {.count = number + 1, .digout = item->outputs};
    return tp_link_command(item->link, TP_DIO_CMD_VALUES, &ask);
}

static uint8_t part_of_255(double percent)
{
    return (uint8_t)lround(fmin(fmax(percent, 0), 100) * 2.55);
}

static tp_status light(struct devices_item *item, const double numbers[])
{
    const tp_blinkenlight_cmd ask = {.id = (uint16_t)fmin(fmax(numbers[1], 0), UINT16_MAX),
                                     .enable = numbers[2] + numbers[3] + numbers[4] > 0,
                                     .dutycycle = 1,
                                     .color = {.alpha = UINT8_MAX,
                                               .red = part_of_255(numbers[2]),
                                               .green = part_of_255(numbers[3]),
                                               .blue = part_of_255(numbers[4])}};

    return tp_link_command(item->link, TP_BLINKENLIGHT_CMD_STATE, &ask);
}

static tp_status say(struct devices_item *item, const struct order *order)
{
    char *text = malloc(order->text_length + 1);

    if (text == NULL) {
        return TP_E_NOMEM;
    }
    memcpy(text, order->text, order->text_length);
    text[order->text_length] = '\0';
    const tp_speech_cmd ask = {.string_count = (uint32_t)order->text_length + 1, .string = text};
    const tp_status status = tp_link_command(item->link, TP_SPEECH_CMD_SAY, &ask);
    free(text);
    return status;
}

static tp_status tone(struct devices_item *item, const double numbers[])
{
    tp_audio_seq_item one = {
        .freq = (float)numbers[0], .duration = (float)(numbers[1] / 1000), .amplitude = 1};
    const tp_audio_seq ask = {.tones_count = 1, .tones = &one};

    return tp_link_command(item->link, TP_AUDIO_CMD_SEQ_PLAY, &ask);
}

/* ---- Joints and hands ------------------------------------------------------------------------ */

/* A joint to an angle in degrees, or to percent of its reach. */
static tp_status turn(struct devices_item *item, const struct order *order, const char **why)
{
    const double number = order->numbers[1], to = order->numbers[2];

    if (!(number >= 0 && number < item->count && number < DEVICE_ELEMENTS)) {
        *why = item->count > 0 ? "it has no such joint" : "it has reported no joints";
        return TP_E_RANGE;
    }
    const struct devices_joint *joint = &item->joints[(unsigned)number];
    if (order->verb == ORDER_MOVE && !joint->is_known) {
        *why = "it does not say how far its joints go";
        return TP_E_RANGE;
    }
    if (order->verb == ORDER_TURN && joint->is_linear) {
        *why = "this joint slides; it takes percent of its reach, not degrees";
        return TP_E_RANGE;
    }
    const double position =
        order->verb == ORDER_TURN
            ? to * DEG_TO_RAD
            : joint->low + (joint->high - joint->low) * fmin(fmax(to, 0), 100) / 100;
    const tp_actarray_position_cmd ask = {.joint = (int32_t)number, .position = (float)position};
    return tp_link_command(item->link, TP_ACTARRAY_CMD_POS, &ask);
}

tp_status tpi_robotfile_devices_act(struct robotfile *r, struct devices_item *item,
                                    const struct order *order, const char **why)
{
    switch (order->verb) {
    case ORDER_WHEELS:
        return wheels(r, item, order->numbers[0], order->numbers[1]);
    case ORDER_GO_TO:
        return go_to(r, item, order->numbers);
    case ORDER_VOLTAGE:
        return set_voltage(item, order->numbers);
    case ORDER_SWITCH:
        return set_bit(item, order->numbers, why);
    case ORDER_LIGHT:
        return light(item, order->numbers);
    case ORDER_SAY:
        return say(item, order);
    case ORDER_TONE:
        return tone(item, order->numbers);
    case ORDER_TURN:
    case ORDER_MOVE:
        return turn(item, order, why);
    case ORDER_OPEN:
        return tp_link_command(item->link, TP_GRIPPER_CMD_OPEN, NULL);
    case ORDER_CLOSE:
        return tp_link_command(item->link, TP_GRIPPER_CMD_CLOSE, NULL);
    default:
        return TP_E_UNSUPPORTED;
    }
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* In a panic devices stop by themselves. Other outputs and lights stay as they are. */
void tpi_robotfile_devices_stop(struct robotfile *r)
{
    static const char *const movers[] = {"actarray", "gripper"};
    struct devices_item *item = tpi_robotfile_devices_find(r, "position2d", 0);

    if (item != NULL) {
        (void)wheels(r, item, 0, 0);
    }
    for (size_t i = 0; i < sizeof movers / sizeof movers[0]; i++) {
        for (unsigned k = 0; (item = tpi_robotfile_devices_find(r, movers[i], k)) != NULL; k++) {
            tp_link_halt(item->link);
        }
    }
    tpi_robotfile_sensors_stop(r);
}

void tpi_robotfile_devices_halt(struct robotfile *r)
{
    struct devices_item *base =
        r->devices != NULL ? tpi_robotfile_devices_find(r, "position2d", 0) : NULL;

    if (base != NULL) {
        tp_link_halt(base->link);
    }
}
