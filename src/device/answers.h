/* answers.h - what every device answers: properties, counters, geometry, and frames that follow
 * from it. */
#ifndef TROUPE_DEVICE_ANSWERS_H
#define TROUPE_DEVICE_ANSWERS_H

#include "device/inside.h"

/* property.c: which questions are about properties, whether a device has one that it can be used
 * for, and the answers. */
bool tpi_properties_own(const tp_message *what);
bool tpi_properties_can(const tp_device *device, const tp_message *what);
tp_status tpi_properties_answer(tp_device *device, const tp_message *what, const void *ask,
                                void *answer, tp_error *err);
void tpi_properties_clear(tp_device *device);
bool tpi_properties_exist(const tp_device *device);

/* On the loop: which of its kind it is; "" if nobody said. */
const char *tpi_properties_label(const tp_device *device);

/* counter.c: whether a question is about counters, the answer, and whether the device has any. */
bool tpi_counters_own(const tp_message *what);
tp_status tpi_counters_answer(const tp_device *device, const tp_counter_reading *ask,
                              tp_counter_reading *answer, tp_error *err);
bool tpi_counters_exist(const tp_device *device);

/* Whether a message is one of the common ones; whether it asks for a stop. */
static inline bool tpi_common_owns(const tp_message *what)
{
    return what >= tp_interface_common.messages &&
           what < tp_interface_common.messages + tp_interface_common.message_count;
}

static inline bool tpi_common_halts(const tp_message *what)
{
    return tpi_common_owns(what) && what->kind == TP_KIND_REQUEST &&
           (what->code == TP_COMMON_REQ_HALT || what->code == TP_COMMON_REQ_HALT_SO);
}

/* common.c: the common questions. */
tp_status tpi_common_answer(tp_device *device, const tp_message *what, const void *ask,
                            void *answer, unsigned epoch, tp_error *err);

/* geometry_told.c: send Player's own data about geometry, if the interface has it. */
void tpi_geometry_told_prepare(tp_device *device);
void tpi_geometry_tell(tp_device *device);

/* geometry.c. What is known of it, without asking anybody; texts are borrowed. */
void tpi_geometry_prepare(tp_device *device);

/* The code of the other interface of vehicles, which has the same frames; 0 for other devices. And
 * before the device is listed: such a vehicle with its index is there, so it gets another frame. */
unsigned tpi_geometry_other_vehicle(const tp_device *device);
void tpi_geometry_tell_apart(tp_device *device);

void tpi_geometry_now(const tp_device *device, tp_geometry *out);
bool tpi_geometry_is_vehicle(const tp_device *device);
bool tpi_geometry_is_localizer(const tp_device *device);

/* Whether the device itself may know it. */
bool tpi_geometry_can_ask(const tp_device *device);

/* Where the instance runs: the answer to GET_GEOMETRY (`what`), and one made from the answer to
 * `what`, NULL for none; texts are borrowed until the next one. */
tp_status tpi_geometry_answer(tp_device *device, const tp_message *what, tp_geometry *answer,
                              tp_error *err);
void tpi_geometry_convert(tp_device *device, const tp_message *what, const void *value,
                          tp_geometry *out);

/* frames.c, on the loop; frames_list.c lists them. */
void tpi_frames_add(tp_device *device);
void tpi_frames_follow(tp_device *device, const tp_msg *msg);
void tpi_frames_ask(tp_instance *instance);

/* odometry.c, on the loop: the vehicles and localizers whose odometry is in the frame of this name,
 * as they come in the registry; for as long as no device comes, goes or changes its frame. */
struct odometry {
    const tpi_hub *hub; /* borrowed, as is the name */
    unsigned robot;
    const char *name;
    tp_device **slot; /* NULL without a table */
    size_t at;
};
struct odometry tpi_odometry_begin(const tpi_hub *hub, unsigned robot, const char *name);
tp_device *tpi_odometry_next(struct odometry *walk); /* NULL for no more */

#endif
