/*
 * motion_play.h - the parts of troupe motion play.
 *
 * Functions that return int return an exit code; unless it is EXIT_DONE they have said why.
 */
#ifndef TROUPE_APPS_MOTION_PLAY_H
#define TROUPE_APPS_MOTION_PLAY_H

#include "motion_arrival.h"
#include "motion_paths.h"

enum {
    MOTION_PLAY_REASONS = 8,  /* why commands were refused; each is printed once */
    MOTION_PLAY_REASON = 200, /* characters */
};

struct play {
    struct mover mover;
    const char *file, *plot; /* borrowed */
    tp_motion_mode mode;
    double delay_s;
    bool paper;
    struct sequence sequence;
    struct paths paths;
    struct arrival arrival;
    tp_motion_target *targets; /* owned: room for those of one frame */

    size_t sent;     /* frames */
    uint32_t number; /* of the sequence */
    uint32_t state_tag, base_tag, queues_tag;
    uint32_t room;    /* frames that the server can still take */
    uint32_t waiting; /* frames that wait there */
    size_t asked;     /* frames that were sent when the queues were asked */
    tp_motion_base base;
    bool summed; /* the summary has come */
    tp_motion_summary summary;
    bool end_refused;   /* END was, and no summary will come */
    tp_error end_error; /* why */
    uint32_t end_tag;   /* of END; 0 before it was sent */
    unsigned refused;   /* commands that were refused, or ended by others */
    unsigned told;      /* of the reasons, those in `reasons` */
    char reasons[MOTION_PLAY_REASONS][MOTION_PLAY_REASON];
    unsigned changed;   /* commands that were not done as asked */
    struct {            /* direct and delay: commands without their last signal */
        uint32_t first; /* tag; 0 before the first one */
        uint8_t *is;    /* owned; by tag */
        size_t count, room;
    } open;
    int64_t begun_ns; /* direct and delay: when the first frame was sent */
};

static const int64_t MOTION_PLAY_SLICE_NS = 100 * TP_NS_PER_MS; /* between two looks */

/* ---- motion_play_file.c: the file as frames for this robot ---- */

/* Read the file. */
int motion_play_load(struct play *play);

/* Find the dofs that the file names. */
int motion_play_find_names(struct play *play);

/* Find where the file sends each dof at last. */
tp_status motion_play_find_goals(struct play *play, tp_error *err);

/* The commands of a frame: at most one for the base and one for each kind of servo. Their targets
 * are valid until the next call. Returns how many there are. */
size_t motion_play_commands(struct play *play, size_t index, tp_motion_command out[4]);

/* ---- motion_play_send.c: frames to the server, and what comes back ---- */

/* Something has come; `user` is the struct play. */
void motion_play_handle(void *user, const tp_motion_reply *reply);

/* Handle what has come, and wait for more until the time is over or the summary has come. */
tp_status motion_play_listen(struct play *play, int64_t wait_ns, tp_error *err);

/* Playback and adaptive: as fast as the server has room for frames, until it has played them. */
tp_status motion_play_as_sequence(struct play *play, tp_error *err);

/* Direct and delay: each frame at its time, until all motions have come to their ends. */
tp_status motion_play_in_time(struct play *play, tp_error *err);

#endif
