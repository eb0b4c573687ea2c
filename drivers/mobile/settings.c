/*
 * settings.c - what the robot can do: by the configuration, or by what the device under it says.
 */
#include <math.h>
#include <string.h>

#include "forward.h"
#include "mobile.h"

struct number {
    const char *name; /* of a parameter and of a property */
    double *value;
};

enum { NUMBERS = 5 };

static void list_numbers(struct mobile *m, struct number out[NUMBERS])
{
    const struct number numbers[NUMBERS] = {
        {"max_speed", &m->max_speed[0]},
        {"max_turn_speed", &m->max_speed[1]},
        {"max_acceleration", &m->max_acceleration[0]},
        {"max_turn_acceleration", &m->max_acceleration[1]},
        {"min_turn_radius", &m->min_turn_radius},
    };

    memcpy(out, numbers, sizeof numbers);
}

/* ---- The configuration ----------------------------------------------------------------------- */

static tp_status read_numbers(const tp_instance *self, struct mobile *m, tp_error *err)
{
    const double rate_hz = tp_param_double(self, "rate");
    struct number numbers[NUMBERS];

    list_numbers(m, numbers);
    for (size_t i = 0; i < NUMBERS; i++) {
        const double value = tp_param_double(self, numbers[i].name);
        const bool may_be_0 = numbers[i].value == &m->min_turn_radius;
        if (!(may_be_0 ? value >= 0 : value > 0) || value > 1e6) {
            return tp_fail(err, TP_E_RANGE, "%s \"%s\" is not a number %s", numbers[i].name,
                           tp_param_string(self, numbers[i].name),
                           may_be_0 ? "of at least 0" : "above 0");
        }
        *numbers[i].value = value;
    }
    m->tolerance[0] = tp_param_double_at(self, "tolerance", 0);
    m->tolerance[1] = tp_param_double_at(self, "tolerance", 1);
    if (!(m->tolerance[0] > 0 && m->tolerance[1] > 0)) {
        return tp_fail(err, TP_E_RANGE, "tolerance is a length and an angle, both above 0");
    }
    m->period_ns = (int64_t)((double)TP_NS_PER_S / rate_hz);
    return rate_hz >= 0.1 && rate_hz <= 1000
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "rate \"%s\" is not between 0.1 and 1000",
                         tp_param_string(self, "rate"));
}

static tp_status read_axis(struct mobile *m, const char *word, size_t length, tp_error *err)
{
    unsigned axis = 0;

    while (axis < AXES && (strlen(tpi_mobile_axis_names[axis]) != length ||
                           memcmp(tpi_mobile_axis_names[axis], word, length) != 0)) {
        axis++;
    }
    if (axis == AXES || (m->under->axis_mask >> axis & 1) == 0) {
        return tp_fail(err, TP_E_INVALID, "a %s has no axis %.*s", m->under->interface->name,
                       (int)length, word);
    }
    m->axis_mask |= (uint8_t)(1u << axis);
    return TP_OK;
}

/* As several values, or as one text with blanks. */
static tp_status read_axes(const tp_instance *self, struct mobile *m, tp_error *err)
{
    const size_t count = tp_param_count(self, "axes");
    tp_status status = TP_OK;

    for (size_t i = 0; i < count + (count == 0) && status == TP_OK; i++) {
        const char *at = count == 0 ? m->under->axes : tp_param_string_at(self, "axes", i);
        for (at += strspn(at, " "); *at != '\0' && status == TP_OK; at += strspn(at, " ")) {
            const size_t length = strcspn(at, " ");
            status = read_axis(m, at, length, err);
            at += length;
        }
    }
    const bool one = m->axis_mask != 0 && (m->axis_mask & (m->axis_mask - 1)) == 0;
    if (status == TP_OK && (m->axis_mask == 0 || (tpi_mobile_under_is_line(m) && !one))) {
        return tp_fail(err, TP_E_INVALID, "axes: %s",
                       m->axis_mask == 0 ? "there is none" : "a position1d has one axis");
    }
    return status;
}

static tp_status require_base(tp_instance *self, struct mobile *m, tp_error *err)
{
    const size_t count = tp_requires_count(self);

    if (count != 1) {
        return tp_fail(err, TP_E_INVALID, "`requires` has %zu devices in place of one", count);
    }
    m->under = tpi_mobile_unders;
    while (m->under->interface != NULL && m->under->interface != tp_requires_interface(self, 0)) {
        m->under++;
    }
    if (m->under->interface == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "a %s does not move: give a position1d, position2d or position3d",
                       tp_requires_interface(self, 0)->name);
    }
    const tp_status status = tp_require(self, m->under->interface, NULL, &m->base, err);
    if (status == TP_OK) {
        tp_link_report(m->base);
    }
    return status;
}

tp_status tpi_mobile_read(tp_instance *self, struct mobile *m, tp_error *err)
{
    tp_status status = read_numbers(self, m, err);

    status = status == TP_OK ? require_base(self, m, err) : status;
    return status == TP_OK ? read_axes(self, m, err) : status;
}

/* ---- Questions at the start ------------------------------------------------------------------ */

static void settle(tp_instance *self)
{
    struct mobile *m = tp_instance_state(self);

    m->open_questions--;
    if (m->open_questions == 0) {
        tp_instance_started(self, TP_OK, NULL);
    }
}

static void got_property(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                         const char *why)
{
    const tp_dblprop_req *told = status == TP_OK ? tp_msg_payload(answer) : NULL;
    double *value = context;

    (void)why;
    if (told != NULL && told->value > 0 && isfinite(told->value)) {
        *value = told->value;
    }
    settle(self);
}

static void got_capability(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                           const char *why)
{
    struct mobile *m = tp_instance_state(self);

    (void)context;
    (void)answer;
    (void)why;
    m->takes_places = status == TP_OK;
    settle(self);
}

/* What the configuration does not say the device may know as a property. */
static tp_status ask_numbers(tp_instance *self, struct mobile *m)
{
    struct number numbers[NUMBERS];
    tp_status status = TP_OK;

    list_numbers(m, numbers);
    for (size_t i = 0; i < NUMBERS && status == TP_OK; i++) {
        const tp_dblprop_req ask = {.key_count = (uint32_t)strlen(numbers[i].name) + 1,
                                    .key = (char *)(uintptr_t)numbers[i].name};
        if (!tp_param_given(self, numbers[i].name)) {
            status = tp_link_request(m->base, TP_COMMON_REQ_GET_DBLPROP, &ask, FORWARD_TIMEOUT_NS,
                                     got_property, numbers[i].value);
            m->open_questions += status == TP_OK;
        }
    }
    return status;
}

tp_status tpi_mobile_ask(tp_instance *self, struct mobile *m, tp_error *err)
{
    const tp_capabilities_req places = {TP_KIND_COMMAND, m->under->cmd_place};
    tp_status status = tp_link_request(m->base, TP_COMMON_REQ_CAPABILITIES, &places,
                                       FORWARD_TIMEOUT_NS, got_capability, NULL);

    m->open_questions = 1;
    status = status == TP_OK ? ask_numbers(self, m) : status;
    return status == TP_OK
               ? TP_PENDING
               : tp_fail(err, status, "the %s under it cannot be asked", m->under->interface->name);
}
