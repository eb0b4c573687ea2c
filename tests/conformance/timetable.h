/*
 * timetable.h - a motor whose commands are written down, and drivers that have grants for it.
 *
 * Times are milliseconds since timetable_begin(). The clock is the test's. What a test does with a
 * grant is done where the owner of the grant runs.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_TIMETABLE_H
#define TROUPE_TESTS_CONFORMANCE_TIMETABLE_H

#include "conformance/stage.h"

enum { TIMETABLE_OWNERS = 2, TIMETABLE_MOST = 64 };

/* A driver that asks for grants. */
typedef struct timetable_owner {
    tp_instance *instance; /* borrowed; NULL once it was removed */
    tp_link *link;         /* borrowed; where the owner runs */
    tp_grant *grant;       /* borrowed; where the owner runs */
    atomic_int decision;   /* TP_PENDING until it was made */
    atomic_int end;        /* why the grant has ended; TP_OK while it lasts */
    char why[256];         /* of the last of both */
} timetable_owner;

/* How the drivers of a test run. */
typedef struct timetable_cast {
    const tp_driver *target; /* motor_threaded or motor_on_loop */
    const tp_driver *owner;  /* owner_threaded or owner_on_loop */
} timetable_cast;

typedef struct timetable {
    bench b;
    visit visit;
    bench_plan *plans[TIMETABLE_OWNERS + 1];  /* owned */
    tp_instance *target;                      /* borrowed */
    tp_device *device;                        /* borrowed: position2d:0 of the motor */
    timetable_owner owners[TIMETABLE_OWNERS]; /* the first one has rank 0, the second one -1 */
    unsigned owner_count;
    tp_session *sessions[2]; /* owned: "joystick" has rank 1, "other" has rank 0 */
    int64_t begun_ns;
    char log[1024];     /* what the motor did: "100:1 200:2 " is speed 1 at 100 ms */
    atomic_bool shut;   /* commands do not come to an end */
    atomic_bool stuck;  /* one of these */
    atomic_int refused; /* speed in mm/s that the motor refuses; 0 for none */
    atomic_int kept;    /* speed in mm/s that the motor answers later; 0 for none */
    atomic_int fatal;   /* speed in mm/s that lets the motor fail; 0 for none */
    tp_ticket *ticket;  /* of the command that is answered later; where the motor runs */
} timetable;

extern const tp_driver owner_threaded;
extern const tp_driver owner_on_loop;

/* A motor and one owner, both running; and another owner. */
void timetable_begin(timetable *t, const timetable_cast *cast);
void timetable_begin_with(timetable *t, const timetable_cast *cast, int64_t lease_ns);
void timetable_add_owner(timetable *t, const tp_driver *driver);
void timetable_end(timetable *t);

/* Do something where the owner runs, and wait for its end. */
typedef void timetable_action(timetable_owner *owner, void *argument);
void timetable_do(timetable *t, unsigned who, timetable_action *action, void *argument);

/* Ask for a grant and wait for the decision. The lease is in milliseconds, 0 for no limit. */
tp_status timetable_ask(timetable *t, unsigned who, uint32_t capacity, int lease_ms);

/* The same without waiting. */
tp_status timetable_ask_only(timetable *t, unsigned who, uint32_t capacity, int lease_ms);
void timetable_await_decision(timetable *t, unsigned who);

/* Wait until the grant of the owner has ended. */
tp_status timetable_await_end(timetable *t, unsigned who);

tp_status timetable_post(timetable *t, unsigned who, int due_ms, double speed);
void timetable_must_post(timetable *t, unsigned who, int due_ms, double speed);
uint32_t timetable_cancel(timetable *t, unsigned who, int from_ms);
tp_grant_counts timetable_look(timetable *t, unsigned who);
tp_status timetable_renew(timetable *t, unsigned who);
void timetable_finish(timetable *t, unsigned who); /* tp_grant_end() */

/* Move the clock to this time and let everything happen that is due. */
void timetable_at(timetable *t, int ms);

/* Let everything happen that was begun. */
void timetable_settle(timetable *t);

/* What the motor did since the last time. */
void timetable_assert_log(timetable *t, const char *expected);

/* Begin with a grant and two commands: one that was carried out at 10, and one that waits for 500.
 */
void timetable_begin_moving(timetable *t, const timetable_cast *cast, int lease_ms);

/* The grant of that is over: nothing more comes of it, now or when the command would be due. */
void timetable_assert_over(timetable *t, tp_status status, const char *why);

/* A client that may move the motor; 0 is "joystick", 1 is "other". */
tp_session *timetable_client(timetable *t, unsigned i);

/* Remove an instance and wait until it is gone. */
void timetable_remove(timetable *t, tp_instance *instance);

/* Each test with all drivers on threads and on the loop. */
#define WITH_CAST(name, suffix, on_target, on_owner)                                               \
    static void name##_##suffix(void **state)                                                      \
    {                                                                                              \
        static const timetable_cast cast = {&(on_target), &(on_owner)};                            \
        (void)state;                                                                               \
        name(&cast);                                                                               \
    }
#define WITH_ALL_CASTS(name)                                                                       \
    WITH_CAST(name, on_threads, motor_threaded, owner_threaded)                                    \
    WITH_CAST(name, on_the_loop, motor_on_loop, owner_on_loop)                                     \
    WITH_CAST(name, with_a_target_on_the_loop, motor_on_loop, owner_threaded)                      \
    WITH_CAST(name, with_an_owner_on_the_loop, motor_threaded, owner_on_loop)
#define ALL_CASTS(name)                                                                            \
    cmocka_unit_test(name##_on_threads), cmocka_unit_test(name##_on_the_loop),                     \
        cmocka_unit_test(name##_with_a_target_on_the_loop),                                        \
        cmocka_unit_test(name##_with_an_owner_on_the_loop)

#endif
