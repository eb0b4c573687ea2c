/*
 * front_scene.h - a front on a bench with one motor, and what clients do there; for the suite of
 * fronts.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_FRONT_SCENE_H
#define TROUPE_TESTS_CONFORMANCE_FRONT_SCENE_H

#include "conformance/front_peer.h"
#include "conformance/stage.h"

#define FRONT_ANYWHERE "tcp:127.0.0.1:0"

struct front_scene {
    struct stage stage; /* with one motor on the loop */
    const suite_front *suite;
    tp_front_instance *front; /* owned; NULL when it is closed */
    tpi_buf bytes;            /* for messages that are made */
    bench_plan *behind;       /* owned; of the device behind the front, NULL for none */
};

/* Open the front of the scene at an address; `setting` and `blamed` may be NULL. */
tp_status front_scene_open(const struct front_scene *s, tp_front_instance **out,
                           const char *address, const tpi_setting *setting, const char **blamed,
                           tp_error *err);

/* A scene with the front open on any port; `state` points to a suite_front. */
struct front_scene *front_scene_begin(void **state);

/* Close the front; no session of it may be left. */
void front_scene_end(struct front_scene *s);

/* How many sessions the front has; and turn until there are so many. */
size_t front_scene_sessions(const struct front_scene *s);
void front_scene_await(const struct front_scene *s, size_t count);

/* Somebody else has the device open, so that it is halted and not stopped as a whole. */
void front_scene_keep_open(struct front_scene *s);

/* Connect a client to the front, or to another instance. */
void front_scene_enter(struct front_scene *s, peer *p);
void front_scene_enter_at(struct front_scene *s, peer *p, const tp_front_instance *front);

/* Open the device; ask it; both wait for the reply. */
void front_scene_open_device(struct front_scene *s, peer *p);
void front_scene_ask(struct front_scene *s, peer *p);

/* Command a speed. The answer to a question behind it shows that the command was handled. */
void front_scene_command(struct front_scene *s, peer *p, double speed);

/* Connect, open and ask: a client that behaves. */
void front_scene_visit(struct front_scene *s, peer *p);

#endif
