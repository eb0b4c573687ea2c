/*
 * session_scene.h - a client whose queue has little room, and two devices for which the test
 * speaks: for tests of what becomes of a client that does not read.
 */
#ifndef TROUPE_TESTS_SUPPORT_SESSION_SCENE_H
#define TROUPE_TESTS_SUPPORT_SESSION_SCENE_H

#include <stdlib.h>

#include "conformance/idle.h"
#include "device/inside.h"
#include "session/session.h"
#include "troupe/interfaces/ptz.h"

enum { ROOM = 16 };

struct scene {
    play *p;               /* owned */
    tp_device *devices[2]; /* borrowed */
    tp_session *session;   /* owned */
    int opened;
    int woken; /* how often the client was told that there is something */
};

static inline void scene_count_ready(void *context)
{
    ((struct scene *)context)->woken++;
}

static inline void scene_ignore(void *context)
{
    (void)context;
}

static inline void scene_count_opened(void *context, const tp_msghdr *request, tp_device *device,
                                      tp_status status, const tp_error *err)
{
    (void)request;
    (void)device;
    (void)err;
    assert_int_equal(status, TP_OK);
    ((struct scene *)context)->opened++;
}

static inline void scene_open(struct scene *s, int which)
{
    const int before = s->opened;

    assert_int_equal(tp_session_open(s->session, s->devices[which], TP_OPEN_MODE, &(tp_msghdr){0},
                                     scene_count_opened),
                     TP_OK);
    while (s->opened == before) {
        tp_loop_turn(s->p->b.loop, false);
    }
}

/* A client more, instead of the one before, whom the caller keeps. It has the first device open. */
static inline void scene_add_client(struct scene *s)
{
    static const tp_session_limits limits = {.data = ROOM, .replies = 100, .requests = 100};
    static const tp_session_events events = {.ready = scene_count_ready, .lost = scene_ignore};

    assert_int_equal(
        tp_session_create(&s->session, s->p->b.hub, BENCH_ROBOT, &limits, &events, s, &s->p->b.err),
        TP_OK);
    scene_open(s, 0);
}

static inline struct scene *scene_begin(void)
{
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->p = play_create();
    play_add(s->p, &idle_driver, "ptz:0", NULL, NULL);
    play_add(s->p, &idle_driver, "ptz:1", NULL, NULL);
    s->devices[0] = bench_find(&s->p->b, "ptz:0");
    s->devices[1] = bench_find(&s->p->b, "ptz:1");
    scene_add_client(s);
    return s;
}

/* The client leaves. */
static inline void scene_leave(struct scene *s)
{
    tp_session_destroy(s->session);
    s->session = NULL;
}

static inline void scene_end(struct scene *s)
{
    if (s->session != NULL) {
        scene_leave(s);
    }
    play_destroy(s->p);
    free(s);
}

static inline void scene_publish(struct scene *s, int which, int times)
{
    const tp_ptz_data data = {0};

    for (int i = 0; i < times; i++) { /* each in an operation of its own */
        tpi_output_begin(tp_device_instance(s->devices[which]));
        assert_int_equal(tp_publish(s->devices[which], TP_PTZ_DATA_STATE, &data, 0), TP_OK);
    }
}

static inline void scene_take(struct scene *s, int times)
{
    for (int i = 0; i < times; i++) {
        tp_msg *msg = tp_session_take(s->session);
        assert_non_null(msg);
        tp_msg_unref(msg);
    }
}

#endif
