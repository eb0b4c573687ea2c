/*
 * motion_play.c - troupe motion play: a file of timed motion, played in one of the modes.
 *
 * motion_play_file.c makes frames of the file, motion_play_send.c sends them.
 */
#include "motion_play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "output.h"

static const int64_t WATCH_NS = 50 * TP_NS_PER_MS; /* period of what is drawn */

/* ---- Options --------------------------------------------------------------------------------- */

static int read_mode(struct play *p, const char *word)
{
    static const struct {
        const char *word;
        tp_motion_mode mode;
    } modes[] = {{"playback", TP_MOTION_PLAYBACK},
                 {"adaptive", TP_MOTION_ADAPTIVE},
                 {"direct", TP_MOTION_DIRECT},
                 {"delay", TP_MOTION_DELAY}};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(word, modes[i].word) == 0) {
            p->mode = modes[i].mode;
            return EXIT_DONE;
        }
    }
    return command_fail(p->mover.remote.command, EXIT_USAGE,
                        "there is no mode \"%s\": playback, adaptive, direct or delay", word);
}

static int read_option(struct play *p, int argc, char **argv, int *i)
{
    static const char *const known[] = {"--mode", "--delay", "--plot", "--paper", "--within", NULL};
    const char *caller = p->mover.remote.command;

    if (strcmp(argv[*i], "--mode") == 0) {
        const char *word = command_value(caller, argc, argv, i);
        return word != NULL ? read_mode(p, word) : EXIT_USAGE;
    }
    if (strcmp(argv[*i], "--delay") == 0) {
        return command_positive(caller, argc, argv, i, &p->delay_s);
    }
    if (strcmp(argv[*i], "--within") == 0) {
        return command_positive(caller, argc, argv, i, &p->arrival.within);
    }
    if (strcmp(argv[*i], "--plot") == 0) {
        p->plot = command_value(caller, argc, argv, i);
        return p->plot != NULL ? EXIT_DONE : EXIT_USAGE;
    }
    if (strcmp(argv[*i], "--paper") == 0) {
        p->paper = true;
        return EXIT_DONE;
    }
    return mover_unexpected(&p->mover, argv[*i], known);
}

static int read_arguments(struct play *p, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (mover_has_option(argv[i])) {
            result = mover_option(&p->mover, argc, argv, &i);
        } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
            result = read_option(p, argc, argv, &i);
        } else if (p->file == NULL) {
            p->file = argv[i];
        } else {
            result = remote_set_url(&p->mover.remote, argv[i]);
        }
    }
    if (result == EXIT_DONE && p->file == NULL) {
        result = command_fail(p->mover.remote.command, EXIT_USAGE, "which file?");
    }
    return result;
}

/* ---- The picture ----------------------------------------------------------------------------- */

static tp_status watch(struct play *p, tp_error *err)
{
    tp_motion *robot = p->mover.robot;
    tp_motion_reply *state = NULL, *base = NULL;
    tp_status status = tp_motion_ask(robot, TP_MOTION_ASK_STATE, &state, err);

    status = status == TP_OK ? tp_motion_ask(robot, TP_MOTION_ASK_BASE, &base, err) : status;
    if (status == TP_OK) {
        paths_start(&p->paths, &state->as.state, &base->as.base);
        p->base = base->as.base;
        status = tp_motion_broadcast(robot, TP_MOTION_ASK_BASE, WATCH_NS, &p->base_tag, err);
    }
    if (status == TP_OK) {
        status = tp_motion_broadcast(robot, TP_MOTION_ASK_STATE, WATCH_NS, &p->state_tag, err);
    }
    free(state);
    free(base);
    return status;
}

static int draw(struct play *p)
{
    tpi_buf out = {0};
    tp_error err = {0};
    const uint64_t start_us = p->summed                   ? p->summary.start_us
                              : p->paths.sample_count > 0 ? p->paths.samples[0].time_us
                                                          : 0;
    tp_status status = paths_draw(&p->paths, start_us, &out, p->file, &err);

    status = status == TP_OK ? tpi_file_write(p->plot, out.data, out.length, &err) : status;
    tpi_buf_fini(&out);
    return status == TP_OK ? EXIT_DONE : mover_fail(&p->mover, &err);
}

/* ---- Playing --------------------------------------------------------------------------------- */

static tp_status prepare(struct play *p, tp_error *err)
{
    const tp_motion_robot *robot = tp_motion_describe(p->mover.robot);
    tp_status status = paths_init(&p->paths, &p->sequence, robot, err);

    status = status == TP_OK ? motion_play_find_goals(p, err) : status;
    status = status == TP_OK && p->plot != NULL ? watch(p, err) : status;
    return status == TP_OK ? tp_motion_broadcast(p->mover.robot, TP_MOTION_ASK_QUEUES,
                                                 2 * MOTION_PLAY_SLICE_NS, &p->queues_tag, err)
                           : status;
}

/* What was sent may not have been played: the server counts frames, not what they move. */
static int tell_refused(const struct play *p)
{
    return p->refused == 0
               ? EXIT_DONE
               : command_fail(p->mover.remote.command, EXIT_FAILED,
                              "the robot has not done what %s says: %u command%s refused or "
                              "interrupted",
                              p->file, p->refused, p->refused == 1 ? " was" : "s were");
}

static int report(struct play *p)
{
    const tp_motion_summary *s = &p->summary;

    mover_progress_end(&p->mover);
    if (!p->summed) {
        printf("sent %zu of %zu frame%s\n", p->sent, p->sequence.frame_count,
               output_plural(p->sequence.frame_count));
    } else if (s->start_us == 0) {
        printf("played none of %zu frame%s\n", p->sequence.frame_count,
               output_plural(p->sequence.frame_count));
    } else {
        printf("played %u of %zu frame%s in %.2f s; %u late, %u stall%s, held for %.2f s\n",
               s->played, p->sequence.frame_count, output_plural(p->sequence.frame_count),
               (double)(int64_t)(s->end_us - s->start_us) / 1e6, s->late, s->stalls,
               output_plural(s->stalls), (double)s->held_us / 1e6);
    }
    fflush(stdout);
    return p->summed && s->signal > TP_MOTION_MODIFIED ? EXIT_FAILED : tell_refused(p);
}

/* What was refused or ended by others has not arrived, and that has been said. */
static int arrive(struct play *p)
{
    const bool well = p->refused == 0 && (!p->summed || p->summary.signal <= TP_MOTION_MODIFIED);

    return well ? arrival_wait(&p->arrival, &p->mover, motion_play_handle, p) : EXIT_DONE;
}

static int run_play(struct play *p)
{
    tp_error err = {0};
    tp_status status = prepare(p, &err);
    int result = EXIT_DONE;

    if (status == TP_OK) {
        const bool timed = p->mode == TP_MOTION_DIRECT || p->mode == TP_MOTION_DELAY;

        p->mover.start_ns = tp_clock_now_ns(tp_clock_real());
        status = timed ? motion_play_in_time(p, &err) : motion_play_as_sequence(p, &err);
    }
    if (status == TP_E_INTERRUPTED) {
        result = mover_stop(&p->mover);
        (void)motion_play_listen(p, MOTION_PLAY_SLICE_NS, NULL); /* the summary, if it comes */
    } else if (status != TP_OK) {
        mover_progress_end(&p->mover);
        result = mover_fail(&p->mover, &err);
    } else {
        const int arrived = arrive(p);

        result = report(p);
        result = result == EXIT_DONE ? arrived : result;
    }
    if (p->plot != NULL && p->paths.count > 0) {
        const int drawn = draw(p);
        result = result == EXIT_DONE ? drawn : result;
    }
    return result;
}

int motion_play(int argc, char **argv)
{
    struct play p = {.mode = TP_MOTION_PLAYBACK, .arrival = {.within = ARRIVAL_USUAL}};

    mover_init(&p.mover);
    int result = read_arguments(&p, argc, argv);
    result = result == EXIT_DONE ? motion_play_load(&p) : result;
    result = result == EXIT_DONE ? mover_connect(&p.mover) : result;
    result = result == EXIT_DONE ? motion_play_find_names(&p) : result;
    result = result == EXIT_DONE ? run_play(&p) : result;
    paths_fini(&p.paths);
    arrival_fini(&p.arrival);
    sequence_fini(&p.sequence);
    free(p.targets);
    free(p.open.is);
    mover_fini(&p.mover);
    return result;
}
