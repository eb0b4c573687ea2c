/* offer.c - offers the devices of a robot that the configuration asks for; see robotfile.h. */
#include <stdio.h>
#include <string.h>

#include "outputs.h"
#include "troupe/driver/bumper.h"
#include "troupe/driver/power.h"
#include "troupe/driver/ranger.h"
#include "troupe/driver/sonar.h"

/* ---- Geometry: robot files do not say where sensors sit ----------------------------------------
 */

static tp_pose3d nowhere[MOST_LISTED];          /* zeros */
static tp_bbox3d unknown[MOST_LISTED];          /* zeros */
static tp_bumper_define undefined[MOST_LISTED]; /* zeros */

static tp_status ranger_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    const uint32_t count = tpi_robotfile_of(device)->in.lists[LIST_RANGE].count;

    (void)err;
    answer->element_poses_count = answer->element_sizes_count = count;
    answer->element_poses = nowhere;
    answer->element_sizes = unknown;
    return TP_OK;
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = tpi_robotfile_of(device)->in.lists[LIST_SONAR].count;
    answer->poses = nowhere;
    return TP_OK;
}

static tp_status bumper_geom(tp_device *device, tp_bumper_geom *answer, tp_error *err)
{
    (void)err;
    answer->bumper_def_count = tpi_robotfile_of(device)->in.lists[LIST_BUMP].count;
    answer->bumper_def = undefined;
    return TP_OK;
}

/* ---- Properties: what is behind the numbers ----------------------------------------------------
 */

/* The text is the instance's, and so is what the plan points to. */
static tp_status tell_names(tp_device *device, const char *key, const char *names, tp_error *err)
{
    static const tp_property_plan inputs = {.key = "inputs",
                                            .type = TP_PROPERTY_STRING,
                                            .unit = "",
                                            .doc = "What the inputs are, by their numbers.",
                                            .value = ""};
    static const tp_property_plan outputs = {.key = "outputs",
                                             .type = TP_PROPERTY_STRING,
                                             .unit = "",
                                             .doc = "What the outputs are, by their numbers.",
                                             .value = ""};
    const tp_property_plan *plan = key[0] == 'i' ? &inputs : &outputs;
    tp_status status = tp_device_add_property(device, plan, err);

    if (status == TP_OK && tp_device_set_property_text(device, key, names) != TP_OK) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return status;
}

static tp_status tell_inputs(struct robotfile *r, enum robotfile_list_kind kind, tp_error *err)
{
    const struct robotfile_list *list = &r->in.lists[kind];

    return list->count > 0 ? tell_names(list->device, "inputs", list->names, err) : TP_OK;
}

static tp_status tell_outputs(struct robotfile *r, enum robotfile_row_kind kind, tp_device *device,
                              tp_error *err)
{
    const struct robotfile_row *row = &r->out.rows[kind];

    return row->count > 0 ? tell_names(device, "outputs", row->names, err) : TP_OK;
}

/* ---- Offering -------------------------------------------------------------------------------- */

/* What shares pins with the wheels cannot be used beside them. */
static void take_pins(struct robotfile *r)
{
    const tpi_wired *wired = r->loaded->wired;

    for (unsigned i = 0; i < r->out.count; i++) {
        r->out.all[i].is_taken = tpi_parts_overlap(wired, r->wheels.axis, r->out.all[i].part);
    }
}

static tp_status offer_wheels(struct robotfile *r, tp_error *err)
{
    const tp_geometry geometry = {.known = TP_GEOMETRY_CONFIGURED,
                                  .size = {r->wheels.width, r->wheels.width, 0}};

    if (r->wheels.axis < 0 || !tp_provides(r->self, &tp_interface_position2d, NULL)) {
        return TP_OK;
    }
    const tp_status status =
        tp_offer_position2d(r->self, NULL, &tpi_robotfile_wheels_ops, &r->wheels.device, err);
    if (status != TP_OK) {
        return status;
    }
    take_pins(r);
    return tp_device_set_geometry(r->wheels.device, &geometry) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* A device with readings. */
static tp_status offer_list(struct robotfile *r, enum robotfile_list_kind kind,
                            const tp_interface *interface, const void *ops, bool is_there,
                            tp_error *err)
{
    struct robotfile_list *list = &r->in.lists[kind];

    if (!is_there || !tp_provides(r->self, interface, NULL)) {
        return TP_OK;
    }
    const tp_status status = tp_offer(r->self, interface, NULL, ops, NULL, &list->device, err);
    return status == TP_OK ? tell_inputs(r, kind, err) : status;
}

static tp_status offer_inputs(struct robotfile *r, tp_error *err)
{
    static const tp_power_ops power_ops = {0};
    static const tp_ranger_ops ranger_ops = {.req_get_geom = ranger_geom};
    static const tp_sonar_ops sonar_ops = {.req_get_geom = sonar_geom};
    static const tp_bumper_ops bumper_ops = {.req_get_geom = bumper_geom};
    static const struct {
        enum robotfile_list_kind kind;
        const tp_interface *interface;
        const void *ops;
    } plans[] = {{LIST_POWER, &tp_interface_power, &power_ops},
                 {LIST_RANGE, &tp_interface_ranger, &ranger_ops},
                 {LIST_SONAR, &tp_interface_sonar, &sonar_ops},
                 {LIST_BUMP, &tp_interface_bumper, &bumper_ops}};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof plans / sizeof plans[0] && status == TP_OK; i++) {
        status = offer_list(r, plans[i].kind, plans[i].interface, plans[i].ops,
                            r->in.lists[plans[i].kind].count > 0, err);
    }
    return status;
}

/* dio, aio and actarray: inputs and outputs at once. */
static tp_status offer_both(struct robotfile *r, tp_error *err)
{
    static const struct {
        enum robotfile_list_kind kind;
        enum robotfile_row_kind row;
        const tp_interface *interface;
        const void *ops;
    } plans[] = {{LIST_ANALOG, ROW_ANALOG, &tp_interface_aio, &tpi_robotfile_aio_ops},
                 {LIST_DIGITAL, ROW_DIGITAL, &tp_interface_dio, &tpi_robotfile_dio_ops}};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof plans / sizeof plans[0] && status == TP_OK; i++) {
        const struct robotfile_list *list = &r->in.lists[plans[i].kind];
        const bool is_there = list->count > 0 || r->out.rows[plans[i].row].count > 0;
        status = offer_list(r, plans[i].kind, plans[i].interface, plans[i].ops, is_there, err);
        if (status == TP_OK && list->device != NULL) {
            status = tell_outputs(r, plans[i].row, list->device, err);
        }
    }
    return status;
}

static tp_status offer_joints(struct robotfile *r, tp_error *err)
{
    struct robotfile_list *list = &r->in.lists[LIST_JOINTS];

    if (r->out.rows[ROW_JOINTS].count == 0 || !tp_provides(r->self, &tp_interface_actarray, NULL)) {
        return TP_OK;
    }
    const tp_status status =
        tp_offer_actarray(r->self, NULL, &tpi_robotfile_joint_ops, &list->device, err);
    return status == TP_OK ? tell_outputs(r, ROW_JOINTS, list->device, err) : status;
}

static tp_status offer_lights(struct robotfile *r, tp_error *err)
{
    if (r->out.rows[ROW_LIGHTS].count == 0 ||
        !tp_provides(r->self, &tp_interface_blinkenlight, NULL)) {
        return TP_OK;
    }
    const tp_status status =
        tp_offer_blinkenlight(r->self, NULL, &tpi_robotfile_light_ops, &r->out.lights, err);
    return status == TP_OK ? tell_outputs(r, ROW_LIGHTS, r->out.lights, err) : status;
}

static tp_status offer_speech(struct robotfile *r, tp_error *err)
{
    tp_device *speech = NULL;

    return r->out.voice >= 0 && tp_provides(r->self, &tp_interface_speech, NULL)
               ? tp_offer_speech(r->self, NULL, &tpi_robotfile_speech_ops, &speech, err)
               : TP_OK;
}

/* What the robot can offer, and what it needs for that. */
static bool can_offer(const struct robotfile *r, const char *interface, const char **needs)
{
    const struct robotfile_list *lists = r->in.lists;
    const struct robotfile_row *rows = r->out.rows;
    const struct {
        const char *interface, *needs;
        bool is_there;
    } all[] = {
        {"position2d", "pair of wheels", r->wheels.axis >= 0},
        {"power", "battery to read", lists[LIST_POWER].count > 0},
        {"ranger", "distance sensor", lists[LIST_RANGE].count > 0},
        {"sonar", "distance sensor that is a sonar", lists[LIST_SONAR].count > 0},
        {"bumper", "contact sensor", lists[LIST_BUMP].count > 0},
        {"aio", "analog device", lists[LIST_ANALOG].count > 0 || rows[ROW_ANALOG].count > 0},
        {"dio", "digital device", lists[LIST_DIGITAL].count > 0 || rows[ROW_DIGITAL].count > 0},
        {"actarray", "motor or servo beside its wheels", rows[ROW_JOINTS].count > 0},
        {"blinkenlight", "light", rows[ROW_LIGHTS].count > 0},
        {"speech", "device that says texts", r->out.voice >= 0},
        {"universal", "", true},
    };

    *needs = NULL;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i].interface, interface) == 0) {
            *needs = all[i].needs;
            return all[i].is_there;
        }
    }
    return false;
}

/* An address of `provides` that is left is nothing that this robot has. */
static tp_status refuse_rest(const struct robotfile *r, tp_error *err)
{
    static const char *const names[] = {"position2d",   "power",  "ranger",   "sonar",
                                        "bumper",       "aio",    "dio",      "actarray",
                                        "blinkenlight", "speech", "universal"};
    const char *robot = r->loaded->robot->identity.name, *needs = NULL, *other;
    char all[160] = "";

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t at = strlen(all);
        if (can_offer(r, names[i], &other)) {
            (void)snprintf(all + at, sizeof all - at, "%s%s", at > 0 ? ", " : "", names[i]);
        }
    }
    for (size_t i = 0; i < tp_provides_count(r->self); i++) {
        const tp_interface *interface = tp_provides_interface(r->self, i);
        if (tp_provides(r->self, interface, tp_provides_key(r->self, i)) &&
            !can_offer(r, interface->name, &needs)) {
            return needs != NULL
                       ? tp_fail(err, TP_E_UNSUPPORTED, "%s has no %s for %s; it can offer %s",
                                 robot, needs, interface->name, all)
                       : tp_fail(err, TP_E_UNSUPPORTED,
                                 "a robot file offers no %s; %s can offer %s", interface->name,
                                 robot, all);
        }
    }
    return TP_OK;
}

tp_status tpi_robotfile_offer(struct robotfile *r, tp_error *err)
{
    static tp_status (*const offers[])(struct robotfile *,
                                       tp_error *) = {offer_wheels,
                                                      offer_inputs,
                                                      offer_both,
                                                      offer_joints,
                                                      offer_lights,
                                                      offer_speech,
                                                      tpi_robotfile_universal_offer};
    tp_status status = TP_OK;

    tpi_robotfile_sort_parts(r);
    for (size_t i = 0; i < sizeof offers / sizeof offers[0] && status == TP_OK; i++) {
        status = offers[i](r, err);
    }
    return status == TP_OK ? refuse_rest(r, err) : status;
}
