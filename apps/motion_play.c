/*
 * motion_play.c - troupe motion play: a file of timed motion, played in one of the modes.
 *
 * Sequences (playback, adaptive) are sent as fast as the server has room for frames; direct and
 * delay frames at their times. Everything that comes back goes through one place, handle().
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "motion_arrival.h"
#include "motion_paths.h"
#include "output.h"

static const int64_t SLICE_NS = 100 * TP_NS_PER_MS;
static const int64_t WATCH_NS = 50 * TP_NS_PER_MS; /* period of what is drawn */
enum { MOST_TOLD = 8 };                            /* refusals that are printed, and changes */
enum { CLOSED, OPEN, TOLD };                       /* commands: TOLD what is not done as asked */

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
    unsigned told;      /* refusals */
    unsigned changed;   /* commands that were not done as asked */
    struct {            /* direct and delay: commands without their last signal */
        uint32_t first; /* tag; 0 before the first one */
        uint8_t *is;    /* owned; by tag */
        size_t count, room;
    } open;
    int64_t begun_ns; /* direct and delay: when the first frame was sent */
};

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

/* ---- The file -------------------------------------------------------------------------------- */

static int load(struct play *p)
{
    tpi_buf text = {0};
    tp_error err = {0};
    tp_status status = tpi_file_read(&text, p->file, SEQUENCE_BYTES, &err);

    if (status == TP_OK) {
        status = sequence_read(&p->sequence, text.data != NULL ? text.data : "", text.length,
                               p->file, &err);
    }
    if (status == TP_OK && !sequence_add_rest(&p->sequence)) {
        status = tp_fail(&err, TP_E_NOMEM, "out of memory");
    }
    tpi_buf_fini(&text);
    return status == TP_OK ? EXIT_DONE : mover_fail(&p->mover, &err);
}

/* Which dofs the names of the file are. */
static int find_names(struct play *p)
{
    const tp_motion_robot *robot = tp_motion_describe(p->mover.robot);
    struct sequence *s = &p->sequence;

    for (size_t i = 0; i < s->name_count; i++) {
        struct sequence_name *name = &s->names[i];
        tp_error err = {0};

        if (tp_motion_find_dof(robot, name->text, &name->joint, &name->dof, &err) != TP_OK) {
            return command_fail(p->mover.remote.command, EXIT_FAILED, "%s:%u:%u: %s", p->file,
                                name->line, name->column, err.text);
        }
    }
    p->targets = calloc(s->name_count + 1, sizeof *p->targets);
    return p->targets != NULL ? EXIT_DONE
                              : command_fail(p->mover.remote.command, EXIT_FAILED, "out of memory");
}

/* Where the file sends each dof at last. */
static tp_status find_goals(struct play *p, tp_error *err)
{
    const struct sequence *s = &p->sequence;
    const tp_status status = arrival_init(&p->arrival, tp_motion_describe(p->mover.robot), err);

    for (size_t i = 0; status == TP_OK && i < s->frame_count; i++) {
        for (size_t k = 0; k < s->frames[i].count; k++) {
            const struct sequence_target *t = &s->targets[s->frames[i].first + k];
            const struct sequence_name *n = &s->names[t->name];

            if (n->servo == TP_MOTION_POSITION) {
                arrival_expect(&p->arrival, n->joint, n->dof, t->value);
            } else {
                arrival_forget(&p->arrival, n->joint, n->dof);
            }
        }
    }
    return status;
}

/* The commands of a frame: at most one for the base and one for each kind of servo. */
static size_t commands_of(struct play *p, size_t index, tp_motion_command out[4])
{
    const struct sequence_frame *f = &p->sequence.frames[index];
    const int64_t duration_ns = (int64_t)(paths_duration(&p->sequence, index) * 1e9);
    size_t count = 0, used = 0;

    if (f->base != BASE_NOTHING) {
        out[count++] =
            f->base == BASE_GOTO   ? tp_motion_goto(f->values[0], f->values[1], f->values[2])
            : f->base == BASE_STOP ? tp_motion_brake()
                                   : tp_motion_set_speed(f->values[0], f->values[1], f->values[2]);
    }
    for (uint8_t servo = TP_MOTION_POSITION; servo <= TP_MOTION_FORCE;
         servo = (uint8_t)(servo * 2)) {
        const size_t first = used;

        for (size_t i = 0; i < f->count; i++) {
            const struct sequence_target *t = &p->sequence.targets[f->first + i];
            const struct sequence_name *n = &p->sequence.names[t->name];

            if (n->servo == servo) {
                p->targets[used++] = (tp_motion_target){n->joint, n->dof, t->value};
            }
        }
        if (used > first) {
            out[count++] = tp_motion_move(p->targets + first, (uint16_t)(used - first), servo,
                                          servo == TP_MOTION_POSITION ? duration_ns : 0);
        }
    }
    return count;
}

/* ---- What comes back ------------------------------------------------------------------------- */

/* The place of a tag; NULL if its command is not waited for. */
static uint8_t *open_at(struct play *p, uint32_t tag)
{
    const size_t at = tag - p->open.first;

    return p->open.first != 0 && at < p->open.room ? &p->open.is[at] : NULL;
}

/* What is not done as asked, once for a command. A speed that is replaced by the next one is. */
static void tell_change(struct play *p, uint32_t tag, const tp_motion_signalled *signal)
{
    static const char replaced[] = "replaced by a newer command";
    uint8_t *at = open_at(p, tag);
    const char *text = signal->text;

    if (strncmp(text, replaced, sizeof replaced - 1) == 0) {
        text += sizeof replaced - 1;
        text += strspn(text, "; ");
    }
    if (signal->signal != TP_MOTION_MODIFIED || text[0] == '\0' || (at != NULL && *at == TOLD) ||
        p->changed++ >= MOST_TOLD) {
        return;
    }
    mover_progress_end(&p->mover);
    printf("modified: %s\n", strncmp(text, "started; ", 9) == 0 ? text + 9 : text);
    if (at != NULL) {
        *at = TOLD;
    }
}

/* A command has its last signal. */
static void close_tag(struct play *p, uint32_t tag)
{
    uint8_t *at = open_at(p, tag);

    if (at != NULL && *at != CLOSED) {
        *at = CLOSED;
        p->open.count--;
    }
}

static void tell(struct play *p, const tp_motion_signalled *signal)
{
    if (tp_motion_signal_name(signal->signal) != NULL && signal->signal > TP_MOTION_MODIFIED &&
        p->told++ < MOST_TOLD) {
        mover_progress_end(&p->mover);
        command_fail(p->mover.remote.command, EXIT_FAILED, "%s: %s",
                     tp_motion_signal_name(signal->signal), signal->text);
    }
}

static void handle(struct play *p, const tp_motion_reply *reply)
{
    switch (reply->kind) {
    case TP_MOTION_IS_SIGNAL:
        tell_change(p, reply->tag, &reply->as.signal);
        tell(p, &reply->as.signal);
        if (reply->as.signal.final) {
            close_tag(p, reply->tag);
        }
        break;
    case TP_MOTION_IS_SUMMARY:
        p->summed = true;
        p->summary = reply->as.summary;
        p->summary.text = NULL;
        if (reply->as.summary.signal != TP_MOTION_SUCCESS) {
            mover_progress_end(&p->mover);
            printf("%s: %s\n", tp_motion_signal_name(reply->as.summary.signal),
                   reply->as.summary.text);
        } else if (strcmp(reply->as.summary.text, "done") != 0) { /* what was not done as asked */
            mover_progress_end(&p->mover);
            printf("%s\n", reply->as.summary.text);
        }
        break;
    case TP_MOTION_IS_BASE:
        p->base = reply->as.base;
        break;
    case TP_MOTION_IS_STATE:
        (void)paths_add(&p->paths, &reply->as.state, &p->base);
        break;
    case TP_MOTION_IS_QUEUES:
        p->waiting = reply->as.queues.playback + reply->as.queues.command;
        break;
    default:
        break;
    }
}

static void handle_later(void *user, const tp_motion_reply *reply)
{
    handle(user, reply);
}

/* Handle what has come, and wait for more until a time. TP_E_TIMEOUT then. */
static tp_status listen(struct play *p, int64_t wait_ns, tp_error *err)
{
    tp_motion_reply *reply = NULL;
    const int64_t until = tp_clock_now_ns(tp_clock_real()) + wait_ns;
    tp_status status = TP_OK;

    while (status == TP_OK && !p->summed) {
        const int64_t left = until - tp_clock_now_ns(tp_clock_real());

        status = left > 0 ? tp_motion_await(p->mover.robot, 0, left, &reply, err) : TP_E_TIMEOUT;
        if (status == TP_OK) {
            handle(p, reply);
            free(reply);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static void show(struct play *p, const char *what)
{
    const struct sequence *s = &p->sequence;
    const size_t played = p->sent > p->waiting ? p->sent - p->waiting : 0;

    mover_progress(&p->mover, "%s: frame %zu of %zu, %.1f of %.1f s", what, played, s->frame_count,
                   s->frames[played > 0 ? played - 1 : 0].time_s - s->frames[0].time_s,
                   s->frames[s->frame_count - 1].time_s - s->frames[0].time_s);
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Forces last; everything else has an end. */
static void open_tags(struct play *p, uint32_t first, const tp_motion_command *commands,
                      size_t count)
{
    p->open.first = p->open.first == 0 ? first : p->open.first;
    for (size_t i = 0; i < count; i++) {
        const size_t at = first + i - p->open.first;
        const bool ends =
            commands[i].verb != TP_MOTION_DO_MOVE || commands[i].servo != TP_MOTION_FORCE;

        if (ends && at < p->open.room) {
            p->open.is[at] = OPEN;
            p->open.count++;
        }
    }
}

/* A frame at its time. Its commands are answered when they end. */
static tp_status send_now(struct play *p, const tp_motion_command *commands, size_t count,
                          tp_error *err)
{
    const tp_motion_when when = {.size = sizeof when, .mode = p->mode, .ack = true};
    uint32_t first = 0;
    const tp_status status =
        count > 0 ? tp_motion_send(p->mover.robot, commands, count, &when, &first, err) : TP_OK;

    if (status == TP_OK) {
        open_tags(p, first, commands, count);
    }
    return status;
}

static tp_status send_one(struct play *p, tp_error *err)
{
    tp_motion_command commands[4];
    const size_t count = commands_of(p, p->sent, commands);
    const double at_s = p->sequence.frames[p->sent].time_s;
    tp_status status;

    if (p->mode == TP_MOTION_DIRECT || p->mode == TP_MOTION_DELAY) {
        status = send_now(p, commands, count, err);
    } else {
        status =
            tp_motion_add(p->mover.robot, p->number, (int64_t)(at_s * 1e9), commands, count, err);
    }
    p->sent += status == TP_OK;
    return status;
}

/* As many frames as the server has room for; half of that, so that others can come between. */
static tp_status send_sequence(struct play *p, tp_error *err)
{
    tp_motion_terms terms;
    tp_status status = TP_OK;

    tp_motion_get_terms(p->mover.robot, &terms);
    while (status == TP_OK && p->sent < p->sequence.frame_count && !p->summed) {
        for (uint32_t free = terms.frames / 2;
             p->waiting < free && status == TP_OK && p->sent < p->sequence.frame_count;
             p->waiting++) {
            status = send_one(p, err);
        }
        if (status == TP_E_LIMIT || (status == TP_OK && p->sent < p->sequence.frame_count)) {
            status = listen(p, SLICE_NS, err);
            show(p, "sending");
        }
    }
    return status;
}

static tp_status play_sequence(struct play *p, tp_error *err)
{
    const struct sequence *s = &p->sequence;
    const double length_s = s->frames[s->frame_count - 1].time_s - s->frames[0].time_s;
    const tp_motion_sequence what = {.size = sizeof what,
                                     .mode = p->mode,
                                     .frames = (uint32_t)s->frame_count,
                                     .duration_ns = length_s > 0 ? (int64_t)(length_s * 1e9) : 1000,
                                     .paper = p->paper};
    tp_status status = tp_motion_begin(p->mover.robot, &what, &p->number, NULL, err);

    status = status == TP_OK ? send_sequence(p, err) : status;
    if (status == TP_OK && !p->summed) {
        status = tp_motion_end(p->mover.robot, p->number, NULL, err);
    }
    while (status == TP_OK && !p->summed) {
        status = listen(p, SLICE_NS, err);
        show(p, "playing");
    }
    return status;
}

/* Direct and delay: each frame at its time; then all motions come to their ends. */
static tp_status play_in_time(struct play *p, tp_error *err)
{
    const struct sequence *s = &p->sequence;
    const double first = s->frames[0].time_s;
    tp_status status = tp_motion_set_mode(p->mover.robot, p->mode, TP_MOTION_LATE_USUAL,
                                          (int64_t)(p->delay_s * 1e9), NULL, err);

    p->open.room = 4 * s->frame_count;
    p->open.is = calloc(p->open.room + 1, sizeof *p->open.is);
    if (p->open.is == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    p->begun_ns = tp_clock_now_ns(tp_clock_real());
    while (status == TP_OK && (p->sent < s->frame_count || p->open.count > 0)) {
        const bool all = p->sent == s->frame_count;
        const double at_s = all ? 0 : s->frames[p->sent].time_s - first;
        const int64_t left = p->begun_ns + (int64_t)(at_s * 1e9) - tp_clock_now_ns(tp_clock_real());

        if (all || left > 0) {
            status = listen(p, all || left > SLICE_NS ? SLICE_NS : left, err);
            show(p, "playing");
        } else {
            status = send_one(p, err);
        }
    }
    return status;
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

    status = status == TP_OK ? find_goals(p, err) : status;
    status = status == TP_OK && p->plot != NULL ? watch(p, err) : status;
    return status == TP_OK ? tp_motion_broadcast(p->mover.robot, TP_MOTION_ASK_QUEUES, 2 * SLICE_NS,
                                                 &p->queues_tag, err)
                           : status;
}

static int report(struct play *p)
{
    const tp_motion_summary *s = &p->summary;

    mover_progress_end(&p->mover);
    if (!p->summed) {
        printf("sent %zu of %zu frames\n", p->sent, p->sequence.frame_count);
        return p->told == 0 ? EXIT_DONE : EXIT_FAILED;
    }
    printf("played %u of %zu frames in %.2f s; %u late, %u stalls, held for %.2f s\n", s->played,
           p->sequence.frame_count, (double)(int64_t)(s->end_us - s->start_us) / 1e6, s->late,
           s->stalls, (double)s->held_us / 1e6);
    return s->signal <= TP_MOTION_MODIFIED ? EXIT_DONE : EXIT_FAILED;
}

/* What was refused or ended by others has not arrived, and that has been said. */
static int arrive(struct play *p)
{
    const bool well = p->told == 0 && (!p->summed || p->summary.signal <= TP_MOTION_MODIFIED);

    return well ? arrival_wait(&p->arrival, &p->mover, handle_later, p) : EXIT_DONE;
}

static int run_play(struct play *p)
{
    tp_error err = {0};
    tp_status status = prepare(p, &err);
    int result = EXIT_DONE;

    if (status == TP_OK) {
        const bool timed = p->mode == TP_MOTION_DIRECT || p->mode == TP_MOTION_DELAY;

        p->mover.start_ns = tp_clock_now_ns(tp_clock_real());
        status = timed ? play_in_time(p, &err) : play_sequence(p, &err);
    }
    if (status == TP_E_INTERRUPTED) {
        result = mover_stop(&p->mover);
        (void)listen(p, SLICE_NS, NULL); /* the summary, if it comes */
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
    result = result == EXIT_DONE ? load(&p) : result;
    result = result == EXIT_DONE ? mover_connect(&p.mover) : result;
    result = result == EXIT_DONE ? find_names(&p) : result;
    result = result == EXIT_DONE ? run_play(&p) : result;
    paths_fini(&p.paths);
    arrival_fini(&p.arrival);
    sequence_fini(&p.sequence);
    free(p.targets);
    free(p.open.is);
    mover_fini(&p.mover);
    return result;
}
