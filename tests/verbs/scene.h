/* scene.h - the devices and clients of model.h on a hub: verbs are said to the sessions. */
#ifndef TROUPE_TESTS_VERBS_SCENE_H
#define TROUPE_TESTS_VERBS_SCENE_H

#include "verbs/model.h"

typedef struct scene scene;

scene *scene_begin(void);
void scene_end(scene *s);

/* Says a verb that fits, and lets what follows happen. */
tp_status scene_say(scene *s, const verb *v);

/* What everybody can see. */
typedef struct scene_view {
    bool panic;
    struct {
        unsigned speed; /* as in model_motion */
        int holder;
        bool holder_silent;
        int64_t lease_left_ns;
    } devices[MODEL_DEVICES];
    struct {
        bool here;
        tp_right right;
        const char *key;
    } clients[MODEL_CLIENTS];
    /* The answer to the last VERB_LEASE or VERB_RANK that was accepted. */
    struct {
        bool given;
        int64_t lease_ns;
        int32_t rank;
        bool mine;
    } terms;
} scene_view;
void scene_look(const scene *s, scene_view *out);

#endif
