/*
 * settings.c - the configuration: which device moves which dofs, and limits.
 *
 * A device of `requires` has a key. Devices with the same key are choices for the same dofs; the
 * first one is bound at the start. A position2d moves joint 0. Of the others, `joints` says which
 * joints they move; without it the key is the name of a joint, and the device moves the dofs from
 * there on, up to the next joint that another device moves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"
#include "troupe/interfaces/localize.h"

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The next word of a text; "" after the last. */
static const char *next_word(const char *text, char *word, size_t size)
{
    const size_t blanks = strspn(text, " \t");
    const size_t length = strcspn(text + blanks, " \t");

    (void)snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), text + blanks);
    return text + blanks + length;
}

/* The text of a list of texts whose first word is this one, behind that word; NULL for none. */
static const char *text_about(const tp_instance *self, const char *param, const char *first)
{
    char word[MOST_KEY + 1];

    for (size_t i = 0; tp_param_given(self, param) && i < tp_param_count(self, param); i++) {
        const char *rest = next_word(tp_param_string_at(self, param, i), word, sizeof word);

        if (strcmp(word, first) == 0) {
            return rest;
        }
    }
    return NULL;
}

/* ---- Dofs of an output ----------------------------------------------------------------------- */

static struct output *output_of(const struct motion *m, const char *key)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        if (strcmp(m->outputs[i]->key, key) == 0) {
            return m->outputs[i];
        }
    }
    return NULL;
}

static tp_status add_dof(struct motion *m, struct output *output, uint16_t dof, tp_error *err)
{
    tpi_motion_place *place = &m->places[dof];

    if (place->output != TPI_MOTION_NOWHERE) {
        return tp_fail(err, TP_E_INVALID, "two devices move dof %u", (unsigned)dof);
    }
    if (output->count == output_device(output)->kind->most_slots) {
        return tp_fail(err, TP_E_INVALID, "%s: a %s moves at most %u dofs", output->key,
                       output_device(output)->kind->interface->name, (unsigned)output->count);
    }
    *place = (tpi_motion_place){output->index, output->count};
    output->dofs[output->count++] = dof;
    return TP_OK;
}

static tp_status add_joint(struct motion *m, struct output *output, const tpi_motion_joint *joint,
                           tp_error *err)
{
    tp_status status = TP_OK;

    for (uint16_t i = 0; i < joint->dof_count && status == TP_OK; i++) {
        if (joint->dofs[i].mimics == 0) {
            status = add_dof(m, output, (uint16_t)(joint->first_dof + i), err);
        }
    }
    return status;
}

static tp_status find_joint(const struct motion *m, const char *key, const char *name, int *out,
                            tp_error *err)
{
    *out = tpi_motion_model_joint(m->model, name);
    if (*out < 0) {
        return tp_fail(err, TP_E_UNKNOWN, "%s: the robot has no joint \"%.60s\"", key, name);
    }
    if (*out == 0) {
        return tp_fail(err, TP_E_INVALID, "%s: joint 0 is moved by a position2d", key);
    }
    return TP_OK;
}

/* The joints that `joints` lists. One that no device can move would shift those behind it. */
static tp_status add_listed(struct motion *m, struct output *output, const char *list,
                            tp_error *err)
{
    char word[MOST_KEY + 1];
    tp_status status = TP_OK;
    int joint;

    for (list = next_word(list, word, sizeof word); word[0] != '\0' && status == TP_OK;
         list = next_word(list, word, sizeof word)) {
        status = find_joint(m, output->key, word, &joint, err);
        const uint16_t before = output->count;
        status = status == TP_OK ? add_joint(m, output, &m->robot.joints[joint], err) : status;
        if (status == TP_OK && output->count == before) {
            status = tp_fail(err, TP_E_INVALID, "%s: joint %s does not move by itself", output->key,
                             word);
        }
    }
    return status;
}

/* Whether a device has this joint for its key. */
static bool is_key(const struct motion *m, int joint)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        if (tpi_motion_model_joint(m->model, m->outputs[i]->key) == joint) {
            return true;
        }
    }
    return false;
}

/* The joints from the one with this name on, up to the next that another device moves. */
static tp_status add_from(struct motion *m, struct output *output, tp_error *err)
{
    int joint;
    tp_status status = find_joint(m, output->key, output->key, &joint, err);
    const uint16_t most = output_device(output)->kind->most_slots;

    for (int i = joint; status == TP_OK && i < m->robot.joint_count && output->count < most; i++) {
        const tpi_motion_joint *at = &m->robot.joints[i];

        if (i > joint && (is_key(m, i) || m->places[at->first_dof].output != TPI_MOTION_NOWHERE)) {
            break;
        }
        status = add_joint(m, output, at, err);
    }
    return status;
}

static tp_status add_base(struct motion *m, struct output *output, tp_error *err)
{
    tpi_motion_joint *base = &m->robot.joints[0];
    tp_status status = TP_OK;

    if (base->dof_count != 3) {
        return tp_fail(err, TP_E_INVALID,
                       "a position2d moves a planar base, and %s says that its base is another",
                       m->robot.name);
    }
    for (uint16_t i = 0; i < 3 && status == TP_OK; i++) {
        const double velocity = tp_param_double_at(m->instance, "base_velocity", i);
        tpi_motion_dof *dof = &base->dofs[i];

        dof->servo = velocity > 0 ? TPI_MOTION_SERVO_SPEED : 0;
        dof->velocity = velocity > 0 ? velocity : 1;
        dof->acceleration = tp_param_double_at(m->instance, "base_acceleration", i);
        status = add_dof(m, output, i, err);
    }
    m->robot.takes_goto = tp_param_bool(m->instance, "goto");
    return status;
}

static tp_status choose_dofs(struct motion *m, struct output *output, tp_error *err)
{
    const char *list = text_about(m->instance, "joints", output->key);

    if (output_device(output)->kind->is_base) {
        return add_base(m, output, err);
    }
    return list != NULL ? add_listed(m, output, list, err) : add_from(m, output, err);
}

/* ---- Limits and what a dof takes ------------------------------------------------------------- */

static tp_status read_acceleration(struct motion *m, const char *text, tp_error *err)
{
    char name[MOST_KEY + 1], number[64];
    char *end = NULL;

    next_word(next_word(text, name, sizeof name), number, sizeof number);
    const double value = strtod(number, &end);
    const int joint = tpi_motion_model_joint(m->model, name);

    if (joint < 0 || end == number || *end != '\0' || !(value > 0 && isfinite(value))) {
        tp_param_blame(m->instance, "acceleration");
        return tp_fail(err, TP_E_INVALID, "\"%.80s\" is not a joint and its acceleration", text);
    }
    for (uint16_t i = 0; i < m->robot.joints[joint].dof_count; i++) {
        m->robot.joints[joint].dofs[i].acceleration = value;
    }
    return TP_OK;
}

/* What devices take: positions and speeds, of which the driver makes the one they need, or forces.
 * A dof without a device takes nothing. */
static tp_status mask_servos(struct motion *m, tp_error *err)
{
    for (uint16_t j = 0; j < m->robot.joint_count; j++) {
        for (uint16_t i = 0; i < m->robot.joints[j].dof_count; i++) {
            tpi_motion_dof *dof = &m->robot.joints[j].dofs[i];
            const tpi_motion_place *place = &m->places[m->robot.joints[j].first_dof + i];
            const struct output *output =
                place->output < m->output_count ? m->outputs[place->output] : NULL;
            const bool forces = output != NULL && output->devices[0]->newtons > 0;

            if (forces && (dof->servo & TPI_MOTION_SERVO_FORCE) == 0) {
                tp_param_blame(m->instance, "control");
                return tp_fail(err, TP_E_INVALID,
                               "%s: joint %s takes no forces (servo=\"force\" in the URDF file)",
                               output->key, m->robot.joints[j].name);
            }
            dof->servo &= output == NULL ? 0
                          : forces       ? TPI_MOTION_SERVO_FORCE
                                         : TPI_MOTION_SERVO_POSITION | TPI_MOTION_SERVO_SPEED;
        }
    }
    return TP_OK;
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* "force 0.5": so many N or Nm for an ampere. */
static tp_status choose_force(struct motion *m, struct device *d, const char *text, tp_error *err)
{
    char word[32], *end = word;

    next_word(text, word, sizeof word);
    d->newtons = strtod(word, &end);
    if (end == word || *end != '\0' || !(d->newtons > 0 && d->newtons <= 1e6)) {
        tp_param_blame(m->instance, "control");
        return tp_fail(err, TP_E_INVALID,
                       "%s: after \"force\" comes the force of an ampere, in N or Nm",
                       d->output->key);
    }
    return TP_OK;
}

static tp_status choose_control(struct motion *m, struct device *d, tp_error *err)
{
    const char *text = text_about(m->instance, "control", d->output->key);
    char word[32];

    d->by_speed = !d->kind->takes_positions;
    if (text == NULL) {
        return TP_OK;
    }
    text = next_word(text, word, sizeof word);
    if (strcmp(word, "force") == 0 && d->kind->push != NULL) {
        return choose_force(m, d, text, err);
    }
    d->by_speed = strcmp(word, "speed") == 0;
    if ((!d->by_speed && strcmp(word, "position") != 0) ||
        (d->by_speed ? !d->kind->takes_speeds : !d->kind->takes_positions)) {
        tp_param_blame(m->instance, "control");
        return tp_fail(err, TP_E_INVALID, "%s: a %s has no control by \"%s\"", d->output->key,
                       d->kind->interface->name, word);
    }
    return TP_OK;
}

/* The output with this key, which may be new. */
static tp_status find_output(struct motion *m, const char *key, struct output **out, tp_error *err)
{
    *out = output_of(m, key);
    if (*out != NULL) {
        return TP_OK;
    }
    if (m->output_count == MOST_OUTPUTS) {
        return tp_fail(err, TP_E_LIMIT, "more than %u keys", MOST_OUTPUTS);
    }
    struct output *output = calloc(1, sizeof *output);
    if (output == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    output->motion = m;
    output->index = (uint16_t)m->output_count;
    (void)snprintf(output->key, sizeof output->key, "%s", key);
    m->outputs[m->output_count++] = *out = output;
    return TP_OK;
}

static tp_status make_device(struct output *output, const struct kind *kind, struct device **out,
                             tp_error *err)
{
    if (output->device_count == MOST_CHOICES) {
        return tp_fail(err, TP_E_LIMIT, "%s: more than %u devices", output->key, MOST_CHOICES);
    }
    struct device *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    output->devices[output->device_count++] = *out = d;
    d->output = output;
    d->kind = kind;
    d->behind_ns = d->wanted_ns = INT64_MAX;
    d->parked = calloc(MOST_PARKED, sizeof *d->parked);
    d->last = calloc(MOST_POSTED, sizeof *d->last);
    return d->parked != NULL && d->last != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

static tp_status add_device(struct motion *m, size_t i, tp_error *err)
{
    const tp_interface *interface = tp_requires_interface(m->instance, i);
    const struct kind *kind = tpi_motiond_kind(interface);
    const char *key = tp_requires_key(m->instance, i);

    if (interface == &tp_interface_localize) {
        return tpi_motiond_map_require(m, key, err);
    }
    if (kind == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "a %s moves no joints", interface->name);
    }
    if (key[0] == '\0' && !kind->is_base) {
        return tp_fail(err, TP_E_INVALID, "%s: it needs a key, the joint that it moves",
                       interface->name);
    }
    struct output *output = NULL;
    struct device *d = NULL;
    tp_status status = find_output(m, key[0] == '\0' ? "base" : key, &output, err);

    status = status == TP_OK ? make_device(output, kind, &d, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (kind->is_base != output->devices[0]->kind->is_base) {
        return tp_fail(err, TP_E_INVALID, "%s: a %s cannot take over from a %s", output->key,
                       kind->interface->name, output->devices[0]->kind->interface->name);
    }
    m->base = kind->is_base ? output : m->base;
    status = choose_control(m, d, err);
    return status == TP_OK ? tp_require(m->instance, interface, key, &d->link, err) : status;
}

/* Each text of a parameter begins with the key of a device. */
static tp_status check_keys(struct motion *m, const char *param, tp_error *err)
{
    char key[MOST_KEY + 1];

    for (size_t i = 0; tp_param_given(m->instance, param) && i < tp_param_count(m->instance, param);
         i++) {
        next_word(tp_param_string_at(m->instance, param, i), key, sizeof key);
        if (output_of(m, key) == NULL) {
            tp_param_blame(m->instance, param);
            return tp_fail(err, TP_E_UNKNOWN, "no device in `requires` has the key \"%.60s\"", key);
        }
    }
    return TP_OK;
}

static tp_status add_devices(struct motion *m, tp_error *err)
{
    tp_status status = TP_OK;

    if (tp_requires_count(m->instance) == 0) {
        return tp_fail(err, TP_E_INVALID, "`requires` names no device that moves joints");
    }
    for (size_t i = 0; i < tp_requires_count(m->instance) && status == TP_OK; i++) {
        status = add_device(m, i, err);
    }
    status = status == TP_OK ? check_keys(m, "joints", err) : status;
    status = status == TP_OK ? check_keys(m, "control", err) : status;
    for (unsigned i = 0; i < m->output_count && status == TP_OK; i++) {
        status = choose_dofs(m, m->outputs[i], err);
        for (unsigned k = 0; k < m->outputs[i]->device_count && status == TP_OK; k++) {
            const struct kind *kind = m->outputs[i]->devices[k]->kind;

            if (m->outputs[i]->count > kind->most_slots) {
                status =
                    tp_fail(err, TP_E_INVALID, "%s: a %s moves at most %u dofs", m->outputs[i]->key,
                            kind->interface->name, (unsigned)kind->most_slots);
            } else if (kind->by_tip) {
                status = tpi_motiond_limb_prepare(m->outputs[i]->devices[k], err);
            }
        }
    }
    return status;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static tp_status read_span(struct motion *m, const char *name, double least, double most,
                           double *out, tp_error *err)
{
    *out = tp_param_double(m->instance, name);
    if (!(*out >= least && *out <= most)) {
        tp_param_blame(m->instance, name);
        return tp_fail(err, TP_E_RANGE, "%s is a number from %g to %g", name, least, most);
    }
    return TP_OK;
}

static tp_status read_times(struct motion *m, tp_error *err)
{
    double period = 0, ahead = 0, lease = 0, longest = 0, device = 0;
    tp_status status = read_span(m, "period", 0.001, 1, &period, err);

    status = status == TP_OK ? read_span(m, "ahead", 0.002, 1, &ahead, err) : status;
    status = status == TP_OK ? read_span(m, "lease", 0.05, 3600, &lease, err) : status;
    status = status == TP_OK ? read_span(m, "max_lease", lease, 3600, &longest, err) : status;
    status = status == TP_OK ? read_span(m, "device_lease", 0.05, 60, &device, err) : status;
    m->device_lease_ns = (int64_t)(device * 1e9);
    m->period_ns = (int64_t)(period * 1e9 + 0.5);
    m->ahead_ns = (int64_t)(ahead * 1e9 + 0.5);
    m->settings.lease_ns = (int64_t)(lease * 1e9);
    m->settings.longest_lease_ns = (int64_t)(longest * 1e9);
    m->robot.period_ns = m->period_ns;
    return status;
}

static tp_status read_sizes(struct motion *m, tp_error *err)
{
    double clients = 0, frames = 0, realtime = 0, ignored = 0;
    tp_status status = read_span(m, "clients", 1, 1024, &clients, err);

    status = status == TP_OK ? read_span(m, "frames", 1, 65536, &frames, err) : status;
    status = status == TP_OK ? read_span(m, "gain", 0.01, 1000, &m->gain, err) : status;
    status = status == TP_OK ? read_span(m, "tolerance", 0, 10, &ignored, err) : status;
    status = status == TP_OK ? read_span(m, "realtime", 0, 99, &realtime, err) : status;
    m->realtime = (uint32_t)realtime;
    m->settings.clients = (uint32_t)clients;
    m->settings.frames = (uint32_t)frames;
    m->settings.confirms = true;
    m->tolerance[0] = tp_param_double_at(m->instance, "tolerance", 0);
    m->tolerance[1] = tp_param_double_at(m->instance, "tolerance", 1);
    if (status == TP_OK && !(m->tolerance[1] >= 0 && m->tolerance[1] <= 10)) {
        tp_param_blame(m->instance, "tolerance");
        return tp_fail(err, TP_E_RANGE, "tolerance is a length and an angle");
    }
    return status;
}

static tp_status read_lost(struct motion *m, tp_error *err)
{
    const char *lost = tp_param_string(m->instance, "on_lost");

    m->finishes = strcmp(lost, "finish") == 0;
    if (!m->finishes && strcmp(lost, "stop") != 0) {
        tp_param_blame(m->instance, "on_lost");
        return tp_fail(err, TP_E_INVALID, "on_lost is \"stop\" or \"finish\", not \"%.40s\"", lost);
    }
    return TP_OK;
}

/* The fields that UPDATE can set, by the names of the configuration. */
static tp_status read_updates(struct motion *m, tp_error *err)
{
    static const char *const fields[] = {"",      "mass",     "centre", "inertia",      "lower",
                                         "upper", "velocity", "force",  "acceleration", "pose"};

    for (size_t i = 0;
         tp_param_given(m->instance, "update") && i < tp_param_count(m->instance, "update"); i++) {
        const char *name = tp_param_string_at(m->instance, "update", i);
        unsigned field = 1;

        while (field < sizeof fields / sizeof fields[0] && strcmp(fields[field], name) != 0) {
            field++;
        }
        if (field == sizeof fields / sizeof fields[0]) {
            tp_param_blame(m->instance, "update");
            return tp_fail(err, TP_E_UNKNOWN, "there is no field \"%.40s\" to update", name);
        }
        m->robot.updates |= 1u << field;
    }
    return TP_OK;
}

/* Whether a device moves the base: files that others wrote do not say what their base is. */
static bool has_base(const struct motion *m)
{
    bool found = false;

    for (size_t i = 0; i < tp_requires_count(m->instance); i++) {
        const struct kind *kind = tpi_motiond_kind(tp_requires_interface(m->instance, i));

        found = found || (kind != NULL && kind->is_base);
    }
    return found;
}

static tp_status load_model(struct motion *m, tp_error *err)
{
    tp_status status = tpi_motion_load(&m->model, tp_instance_folder(m->instance),
                                       tp_param_string(m->instance, "urdf"), has_base(m), err);

    if (status != TP_OK) {
        tp_param_blame(m->instance, "urdf");
        return status;
    }
    tpi_motion_model_fill(m->model, &m->robot);
    m->places = calloc(tpi_motion_model_dofs(m->model) + 1u, sizeof *m->places);
    if (m->places == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint16_t i = 0; i < tpi_motion_model_dofs(m->model); i++) {
        m->places[i].output = TPI_MOTION_NOWHERE;
    }
    m->robot.places = m->places;
    return TP_OK;
}

tp_status tpi_motiond_configure(struct motion *m, tp_error *err)
{
    tp_status status = load_model(m, err);

    status = status == TP_OK ? read_times(m, err) : status;
    status = status == TP_OK ? read_sizes(m, err) : status;
    status = status == TP_OK ? read_lost(m, err) : status;
    status = status == TP_OK ? read_updates(m, err) : status;
    for (size_t i = 0; status == TP_OK && tp_param_given(m->instance, "acceleration") &&
                       i < tp_param_count(m->instance, "acceleration");
         i++) {
        status = read_acceleration(m, tp_param_string_at(m->instance, "acceleration", i), err);
    }
    status = status == TP_OK ? add_devices(m, err) : status;
    status = status == TP_OK ? mask_servos(m, err) : status;
    m->robot.outputs = (uint16_t)m->output_count;
    return status;
}

void tpi_motiond_forget_outputs(struct motion *m)
{
    for (unsigned i = 0; i < m->output_count; i++) {
        for (unsigned k = 0; k < m->outputs[i]->device_count; k++) {
            free(m->outputs[i]->devices[k]->parked);
            free(m->outputs[i]->devices[k]->last);
            tpi_motion_tip_destroy(m->outputs[i]->devices[k]->tip);
            free(m->outputs[i]->devices[k]);
        }
        free(m->outputs[i]);
    }
    m->output_count = 0;
}
