/* moving.h - what moves, what stops it, and who moves it before whom. */
#ifndef TROUPE_SAFETY_MOVING_H
#define TROUPE_SAFETY_MOVING_H

#include "device/inside.h"

/* emergency.c, on the loop. */
void tpi_emergency_tell_all(tpi_hub *hub);
struct emergency {
    tpi_panic_state state;
    char owing[512]; /* drivers that have not stopped yet, with commas between */
};
void tpi_emergency_look(const tpi_hub *hub, struct emergency *found,
                        tp_panic_state *out); /* borrows */
void tpi_emergency_forget(tp_session *session);

/* motion.c: leases and panic, on the loop and where the instance runs. */
tp_status tpi_motion_begin(tp_instance *self, tp_error *err); /* after init */
void tpi_motion_end(tp_instance *self);
void tpi_motion_leave_in_order(tp_device *device, const void *who);
bool tpi_motion_is_late(const tpi_call *call);
/* A command of his was carried out, or refused; it will be answered later; and now it is. */
void tpi_motion_note(tp_device *device, const void *mover, tp_status status);
void tpi_motion_defer(tpi_call *call);
void tpi_motion_settle(tpi_call *call, tp_status status);
bool tpi_motion_may_write(const tp_instance *self);
bool tpi_motion_owes_a_stop(const tp_instance *self); /* it has not acted on a panic yet */
int64_t tpi_motion_deadline_ns(const tp_instance *self);
void tpi_motion_serve(tp_instance *self); /* stop what has to be stopped */

/* On the loop: a writer takes the device without a message; see tpi_device_call_for(). */
void tpi_motion_take(tp_device *device, const tpi_mover *mover, unsigned epoch);

/* Where the instance runs: stop what `who` has set in motion; readers are told why. */
void tpi_motion_stop(tp_device *device, const void *who, tpi_leaving why);

/* Where the instance runs: stop what anybody but `who` has set in motion. */
void tpi_motion_stop_others(tp_device *device, const void *who);
/* `epoch` is that of the panic when it was asked. */
tp_status tpi_motion_halt(tp_device *device, const tp_message *what, const void *ask,
                          unsigned epoch, tp_error *err);
void tpi_motion_tell_end(tp_device *device, int leaving); /* why it stands still */
bool tpi_motion_panicked_since(const tp_instance *self, unsigned epoch);

/* halting.c: stops that take their time; where the instance runs. */
bool tpi_halting_owns(const tp_message *what);     /* it asks for a stop */
bool tpi_halting_is_open(const tp_instance *self); /* on the loop too */
tp_status tpi_halting_answer(tp_device *device);   /* of such a request: now, or later */
void tpi_halting_end(tp_instance *self);           /* it was stopped as a whole */

/* The same on the loop: a request was answered; and whether it was stopped since it was moved. */
void tpi_halting_finished(const tpi_call *call);
bool tpi_halting_is_over(const tp_device *device);

/* rank.c, on the loop: the rank of a writer; whether his message may go to the device, and that it
 * goes; the name of who moves it, "" for nobody; and for how long he keeps others out. */
void tpi_rank_of_session(const tp_session *session, const tp_device *device, tpi_mover *mover);
void tpi_rank_of_driver(const tp_instance *user, const tp_device *device, tpi_mover *mover);
tp_status tpi_rank_check(const tp_device *device, const tp_message *what, const tpi_mover *mover,
                         tp_error *err);
void tpi_rank_take(tp_device *device, const tp_message *what, const tpi_mover *mover);
void tpi_rank_name(const tpi_hub *hub, const void *who, char *out, size_t size);
double tpi_rank_left_s(const tp_device *device);
bool tpi_rank_matters(const tp_device *device); /* not all who write to it are equals */

/* access.c: whether one client has it for itself, and was heard of in time. */
bool tpi_access_is_held(const tp_device *device);

/* hold.c, on the loop: whether somebody moves it, and for how long without another word. */
bool tpi_hold_is_moved(const tp_device *device);
double tpi_hold_lease_left_s(const tp_device *device);

#endif
