/* motion_move.c - troupe motion goto, set, rate, hold, resume, panic, reset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "motion_arrival.h"

/* ---- Driving the base ------------------------------------------------------------------------ */

struct drive {
    struct mover mover;
    double values[3];
    unsigned count;
    bool map;
    const char *odd; /* borrowed: the first word that is no number */
    unsigned before; /* numbers before it */
};

static bool looks_like_number(const char *text)
{
    return strspn(text, "+-.0123456789eE") == strlen(text) && strpbrk(text, "0123456789") != NULL;
}

static const char *const words[] = {"X", "Y", "THETA"};

/* A word that is no number is the server, unless there are two of them and a number is missing. */
static int read_odd(struct drive *d, const char *word)
{
    if (d->odd != NULL && d->count < 2) {
        return command_fail(d->mover.remote.command, EXIT_USAGE, "%s is no number: \"%s\"",
                            words[d->before], d->odd);
    }
    if (d->odd == NULL) {
        d->odd = word;
        d->before = d->count;
    }
    return remote_set_url(&d->mover.remote, word);
}

static int fail_short(const struct drive *d)
{
    const char *caller = d->mover.remote.command;

    return d->odd == NULL
               ? command_fail(caller, EXIT_USAGE, "where to? goto X Y [THETA], in m and rad")
               : command_fail(caller, EXIT_USAGE,
                              "where to? goto X Y [THETA], in m and rad; \"%s\" is taken as the "
                              "robot, since it is no number",
                              d->odd);
}

static int read_drive(struct drive *d, int argc, char **argv)
{
    static const char *const known[] = {"--map", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (mover_has_option(argv[i])) {
            result = mover_option(&d->mover, argc, argv, &i);
        } else if (strcmp(argv[i], "--map") == 0) {
            d->map = true;
        } else if (looks_like_number(argv[i]) && d->count < 3) {
            result = mover_number(&d->mover, words[d->count], argv[i], &d->values[d->count]);
            d->count++;
        } else if (argv[i][0] == '-') {
            result = mover_unexpected(&d->mover, argv[i], known);
        } else {
            result = read_odd(d, argv[i]);
        }
    }
    return result == EXIT_DONE && d->count < 2 ? fail_short(d) : result;
}

/* Send a frame and wait for its end. */
static int perform(struct mover *m, const tp_motion_command *commands, uint32_t count,
                   const char *what)
{
    uint32_t tag = 0;
    tp_error err = {0};
    const tp_status status = tp_motion_call(m->robot, commands, count, &tag, &err);

    if (status == TP_E_INTERRUPTED) {
        return mover_stop(m);
    }
    return status == TP_OK ? mover_wait(m, tag, count, what) : mover_fail(m, &err);
}

int motion_goto(int argc, char **argv)
{
    struct drive d = {0};

    mover_init(&d.mover);
    int result = read_drive(&d, argc, argv);
    tp_motion_command drive = tp_motion_goto(d.values[0], d.values[1], d.values[2]);
    drive.map = d.map;
    result = result == EXIT_DONE ? mover_connect(&d.mover) : result;
    result = result == EXIT_DONE ? perform(&d.mover, &drive, 1, "driving") : result;
    mover_fini(&d.mover);
    return result;
}

/* ---- Moving dofs ----------------------------------------------------------------------------- */

enum { MOST_TARGETS = 512 };

struct setting {
    struct mover mover;
    char *words[MOST_TARGETS]; /* borrowed: NAME=VALUE */
    const char *plain;         /* borrowed: the first word without a value; NULL if there is none */
    unsigned count;
    tp_motion_target targets[MOST_TARGETS];
    double in_s; /* 0: as fast as the limits allow */
    struct arrival arrival;
};

/* A word without a value is the server. If that is known already, it was meant as a dof. */
static int read_server(struct setting *s, const char *word)
{
    if (s->mover.remote.url != NULL) {
        return command_fail(s->mover.remote.command, EXIT_USAGE, "%s needs =VALUE, in rad or m",
                            s->plain != NULL ? s->plain : word);
    }
    s->plain = word;
    return remote_set_url(&s->mover.remote, word);
}

static int fail_without(const struct setting *s)
{
    static const char usage[] = "which dofs? set JOINT[:DOF]=VALUE..., in rad or m";

    return s->plain == NULL ? command_fail(s->mover.remote.command, EXIT_USAGE, "%s", usage)
                            : command_fail(s->mover.remote.command, EXIT_USAGE,
                                           "%s; \"%s\" has no =VALUE and is taken as the robot",
                                           usage, s->plain);
}

static int read_setting(struct setting *s, int argc, char **argv)
{
    static const char *const known[] = {"--in", "--within", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (mover_has_option(argv[i])) {
            result = mover_option(&s->mover, argc, argv, &i);
        } else if (strcmp(argv[i], "--in") == 0) {
            result = command_positive(s->mover.remote.command, argc, argv, &i, &s->in_s);
        } else if (strcmp(argv[i], "--within") == 0) {
            result = command_positive(s->mover.remote.command, argc, argv, &i, &s->arrival.within);
        } else if (argv[i][0] == '-') {
            result = mover_unexpected(&s->mover, argv[i], known);
        } else if (strchr(argv[i], '=') != NULL) {
            if (s->count == MOST_TARGETS) {
                return command_fail(s->mover.remote.command, EXIT_USAGE, "too many dofs");
            }
            s->words[s->count++] = argv[i];
        } else {
            result = read_server(s, argv[i]);
        }
    }
    return result == EXIT_DONE && s->count == 0 ? fail_without(s) : result;
}

static int find_targets(struct setting *s)
{
    const tp_motion_robot *robot = tp_motion_describe(s->mover.robot);
    tp_error err = {0};

    for (unsigned i = 0; i < s->count; i++) {
        char *equals = strchr(s->words[i], '=');

        *equals = '\0';
        if (mover_number(&s->mover, s->words[i], equals + 1, &s->targets[i].value) != EXIT_DONE) {
            return EXIT_USAGE;
        }
        if (tp_motion_find_dof(robot, s->words[i], &s->targets[i].joint, &s->targets[i].dof,
                               &err) != TP_OK) {
            return mover_fail(&s->mover, &err);
        }
    }
    return EXIT_DONE;
}

/* Move all of them, and wait until they are there. */
static int move_all(struct setting *s)
{
    const tp_motion_command move = tp_motion_move(
        s->targets, (uint16_t)s->count, TP_MOTION_POSITION, s->in_s > 0 ? command_ns(s->in_s) : 0);
    tp_error err = {0};

    if (arrival_init(&s->arrival, tp_motion_describe(s->mover.robot), &err) != TP_OK) {
        return mover_fail(&s->mover, &err);
    }
    for (unsigned i = 0; i < s->count; i++) {
        const tp_motion_target *t = &s->targets[i];

        arrival_expect(&s->arrival, t->joint, t->dof, t->value);
    }
    const int result = perform(&s->mover, &move, 1, "moving");
    return result == EXIT_DONE ? arrival_wait(&s->arrival, &s->mover, NULL, NULL) : result;
}

int motion_set(int argc, char **argv)
{
    struct setting *s = calloc(1, sizeof *s);

    if (s == NULL) {
        return command_fail("motion", EXIT_FAILED, "out of memory");
    }
    mover_init(&s->mover);
    s->arrival.within = ARRIVAL_USUAL;
    int result = read_setting(s, argc, argv);
    result = result == EXIT_DONE ? mover_connect(&s->mover) : result;
    result = result == EXIT_DONE ? find_targets(s) : result;
    result = result == EXIT_DONE ? move_all(s) : result;
    arrival_fini(&s->arrival);
    mover_fini(&s->mover);
    free(s);
    return result;
}

/* ---- Rates ----------------------------------------------------------------------------------- */

/* Options and a URL, nothing else. */
static int read_plain(struct mover *m, int argc, char **argv)
{
    static const char *const none[] = {NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (mover_has_option(argv[i])) {
            result = mover_option(m, argc, argv, &i);
        } else if (argv[i][0] == '-') {
            result = mover_unexpected(m, argv[i], none);
        } else {
            result = remote_set_url(&m->remote, argv[i]);
        }
    }
    return result;
}

/* The server forgets the rate when its last client leaves. Leave, and look whether it has. */
static int tell_forgotten(struct mover *m, double rate)
{
    tp_motion_reply *reply = NULL;
    tp_error err = {0};
    int result = mover_connect_again(m);

    if (result == EXIT_DONE &&
        tp_motion_ask(m->robot, TP_MOTION_ASK_QUEUES, &reply, &err) != TP_OK) {
        result = mover_fail(m, &err);
    }
    if (result == EXIT_DONE && reply->as.queues.robot_rate > rate) {
        command_fail(m->remote.command, EXIT_DONE,
                     "this has no effect: no other client is connected, and the robot forgets the "
                     "rate when the last one leaves");
    }
    free(reply);
    return result;
}

/* The rate of the robot: this command's own would end with it. */
static int set_rate(double rate, int argc, char **argv)
{
    struct mover m;
    tp_error err = {0};

    mover_init(&m);
    int result = read_plain(&m, argc, argv);
    result = result == EXIT_DONE ? mover_connect(&m) : result;
    if (result == EXIT_DONE && tp_motion_rate(m.robot, rate, true, NULL, &err) != TP_OK) {
        result = mover_fail(&m, &err);
    }
    result = result == EXIT_DONE && rate < 1 ? tell_forgotten(&m, rate) : result;
    mover_fini(&m);
    return result;
}

/* The server may be named before the rate, as with other commands. Of two words of which none is a
 * number, the first one is the rate that was meant: "rate abc robot.local". */
static void put_number_first(int argc, char **argv)
{
    if (argc > 1 && !looks_like_number(argv[0]) && argv[0][0] != '-' &&
        (looks_like_number(argv[1]) || strpbrk(argv[0], ":/") != NULL)) {
        char *server = argv[0];

        argv[0] = argv[1];
        argv[1] = server;
    }
}

int motion_rate(int argc, char **argv)
{
    struct mover m;
    double rate = 0;

    mover_init(&m);
    if (argc == 0) {
        return command_fail("motion", EXIT_USAGE, "which rate? 0 (hold) to 1 (full speed)");
    }
    put_number_first(argc, argv);
    if (mover_number(&m, "the rate", argv[0], &rate) != EXIT_DONE) {
        return EXIT_USAGE;
    }
    if (rate < 0 || rate > 1) {
        return command_fail("motion", EXIT_USAGE, "a rate is 0 to 1, not %s", argv[0]);
    }
    return set_rate(rate, argc - 1, argv + 1);
}

int motion_hold(int argc, char **argv)
{
    return set_rate(0, argc, argv);
}

int motion_resume(int argc, char **argv)
{
    return set_rate(1, argc, argv);
}

/* ---- Panic ----------------------------------------------------------------------------------- */

/* Everybody may raise a panic; with a wrong key nobody could. */
static int without_key(struct mover *m)
{
    free(m->remote.key);
    m->remote.key_file = NULL;
    m->remote.key = strdup("");
    return m->remote.key != NULL ? EXIT_DONE
                                 : command_fail(m->remote.command, EXIT_FAILED, "out of memory");
}

int motion_panic(int argc, char **argv)
{
    struct mover m;
    uint32_t epoch = 0;
    tp_error err = {0};

    mover_init(&m);
    int result = read_plain(&m, argc, argv);
    result = result == EXIT_DONE ? without_key(&m) : result;
    result = result == EXIT_DONE ? mover_connect(&m) : result;
    if (result == EXIT_DONE && tp_motion_panic(m.robot, &epoch, &err) != TP_OK) {
        result = mover_fail(&m, &err);
    }
    if (result == EXIT_DONE) {
        printf("panic %u: everything that moves is stopped; %s motion reset ends it\n", epoch,
               called());
    }
    mover_fini(&m);
    return result;
}

int motion_reset(int argc, char **argv)
{
    struct mover m;
    tp_motion_terms terms;
    tp_error err = {0};

    mover_init(&m);
    int result = read_plain(&m, argc, argv);
    result = result == EXIT_DONE ? mover_connect(&m) : result;
    if (result == EXIT_DONE) {
        tp_motion_get_terms(m.robot, &terms);
        if (!terms.panicked) {
            puts("there is no panic");
        } else if (tp_motion_reset(m.robot, terms.epoch, &err) != TP_OK) {
            result = mover_fail(&m, &err);
        } else {
            puts("the panic is over");
        }
    }
    mover_fini(&m);
    return result;
}
