/* motion_state.c - troupe motion state and record: what a robot measures, once or repeatedly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mover.h"
#include "output.h"
#include "table.h"

struct look {
    struct mover mover;
    const char *file; /* borrowed; of record */
    double hz;        /* 0: once */
    double for_s;     /* 0: for ever */
    int64_t count;    /* 0: any */
    bool json;
    FILE *out; /* of record; owned */
    tp_motion_base base;
    uint64_t first_us, last_us; /* of what was recorded; 0 for none */
    int64_t taken;              /* states so far */
    int64_t lines;              /* that were recorded */
    double length_s;            /* of what was recorded */
    struct screen screen;
};

/* ---- Options --------------------------------------------------------------------------------- */

static int read_look(struct look *l, int argc, char **argv, const char *rate, bool recording)
{
    const char *caller = l->mover.remote.command;
    const char *const known[] = {rate, "--count", "--for", recording ? NULL : "--json", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (mover_has_option(argv[i])) {
            result = mover_option(&l->mover, argc, argv, &i);
        } else if (strcmp(argv[i], rate) == 0) {
            result = command_positive(caller, argc, argv, &i, &l->hz);
        } else if (strcmp(argv[i], "--for") == 0) {
            result = command_positive(caller, argc, argv, &i, &l->for_s);
        } else if (strcmp(argv[i], "--count") == 0) {
            result = command_whole(caller, argc, argv, &i, &l->count);
        } else if (!recording && strcmp(argv[i], "--json") == 0) {
            l->json = true;
        } else if (argv[i][0] == '-') {
            result = mover_unexpected(&l->mover, argv[i], known);
        } else if (recording && l->file == NULL) {
            l->file = argv[i];
        } else {
            result = remote_set_url(&l->mover.remote, argv[i]);
        }
    }
    if (result == EXIT_DONE && l->hz > 1e4) {
        result = command_fail(caller, EXIT_USAGE, "%g times a second is too often", l->hz);
    }
    return result;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static const char *unit_of(const tp_motion_dof *dof)
{
    return dof->type == 2 ? "m" : "rad";
}

static void put_table(struct look *l, const tp_motion_state *state, tpi_buf *out)
{
    static const char *const headings[] = {"DOF", ">POSITION", ">SPEED", ">FORCE", "UNIT", NULL};
    const tp_motion_robot *robot = tp_motion_describe(l->mover.robot);
    struct table table;
    char text[48];

    table_init(&table, headings);
    for (uint16_t j = 0; j < robot->joint_count; j++) {
        for (uint16_t d = 0; d < robot->joints[j].dof_count; d++) {
            const uint16_t at = (uint16_t)(robot->joints[j].first_dof + d);
            const tp_motion_dof_state none = {0, 0, 0};
            const tp_motion_dof_state *s = at < state->count ? &state->dofs[at] : &none;

            table_cell(&table, "%s", mover_dof_name(robot, j, d, text));
            table_cell(&table, "%.4f", s->position);
            table_cell(&table, "%.4f", s->velocity);
            table_cell(&table, "%.3f", s->force);
            table_cell(&table, "%s", unit_of(&robot->joints[j].dofs[d]));
        }
    }
    tpi_buf_printf(out, "%s at %.3f s", robot->name, (double)state->time_us / 1e6);
    if (l->base.known) {
        tpi_buf_printf(out, ", base at %.3f %.3f m, %.3f rad", l->base.pose[0], l->base.pose[1],
                       l->base.pose[2]);
    }
    tpi_buf_puts(out, "\n");
    table_put(out, &table, 2, 0);
    table_fini(&table);
}

static void put_json(struct look *l, const tp_motion_state *state, tpi_buf *out)
{
    const tp_motion_robot *robot = tp_motion_describe(l->mover.robot);
    const char *comma = "";
    char text[48];

    tpi_buf_puts(out, "{\"time\":");
    output_put_number(out, (double)state->time_us / 1e6);
    if (l->base.known) {
        tpi_buf_puts(out, ",\"base\":[");
        for (int i = 0; i < 3; i++) {
            tpi_buf_puts(out, i > 0 ? "," : "");
            output_put_number(out, l->base.pose[i]);
        }
        tpi_buf_putc(out, ']');
    }
    tpi_buf_puts(out, ",\"dofs\":{");
    for (uint16_t j = 0; j < robot->joint_count; j++) {
        for (uint16_t d = 0; d < robot->joints[j].dof_count; d++) {
            const uint16_t at = (uint16_t)(robot->joints[j].first_dof + d);

            if (at < state->count) {
                tpi_buf_puts(out, comma);
                mover_dof_name(robot, j, d, text);
                output_put_json(out, text, strlen(text));
                tpi_buf_puts(out, ":{\"position\":");
                output_put_number(out, state->dofs[at].position);
                tpi_buf_puts(out, ",\"speed\":");
                output_put_number(out, state->dofs[at].velocity);
                tpi_buf_puts(out, ",\"force\":");
                output_put_number(out, state->dofs[at].force);
                tpi_buf_putc(out, '}');
                comma = ",";
            }
        }
    }
    tpi_buf_puts(out, "}}\n");
}

static tp_status print(struct look *l, const tp_motion_state *state)
{
    tpi_buf out = {0};
    tp_status status = TP_OK;

    (l->json ? put_json : put_table)(l, state, &out);
    if (!l->json && l->hz > 0 && output_is_live()) {
        status = screen_show(&l->screen, tpi_buf_text(&out));
    } else {
        status = output_write(tpi_buf_text(&out), out.length);
    }
    tpi_buf_fini(&out);
    return status;
}

/* ---- Recording ------------------------------------------------------------------------------- */

/* Dofs are recorded by their speeds, which play smoothly, and by their positions at the end. */
typedef enum column { COLUMN_SPEED, COLUMN_POSITION } column;

/* Whether a dof has such a column: it takes the command. Joint 0 is the base. */
static bool has_column(const tp_motion_robot *robot, uint16_t joint, uint16_t dof, column kind)
{
    const tp_motion_dof *d = &robot->joints[joint].dofs[dof];
    const unsigned servo = kind == COLUMN_SPEED ? TP_MOTION_SPEED : TP_MOTION_POSITION;

    return joint > 0 && d->mimics == 0 && (d->servo & servo) != 0;
}

/* Put a cell for each column of a kind: its name, or a value of the state; or nothing. */
static void put_cells(struct look *l, column kind, const tp_motion_state *state, bool names)
{
    const tp_motion_robot *robot = tp_motion_describe(l->mover.robot);
    char text[48];

    for (uint16_t j = 0; j < robot->joint_count; j++) {
        for (uint16_t d = 0; d < robot->joints[j].dof_count; d++) {
            const uint16_t at = (uint16_t)(robot->joints[j].first_dof + d);

            if (!has_column(robot, j, d, kind)) {
                continue;
            }
            fputc(',', l->out);
            if (names) {
                fprintf(l->out, kind == COLUMN_SPEED ? "%s.speed" : "%s",
                        mover_dof_name(robot, j, d, text));
            } else if (state != NULL && at < state->count) {
                fprintf(l->out, "%.9g",
                        kind == COLUMN_SPEED ? state->dofs[at].velocity : state->dofs[at].position);
            }
        }
    }
}

static void put_headings(struct look *l)
{
    fprintf(l->out, "# %s, recorded by troupe motion record\ntime",
            tp_motion_describe(l->mover.robot)->name);
    fputs(l->base.known ? ",base.vx,base.vy,base.omega" : "", l->out);
    put_cells(l, COLUMN_SPEED, NULL, true);
    put_cells(l, COLUMN_POSITION, NULL, true);
    fputc('\n', l->out);
}

/* A line; `last`: positions instead of speeds. */
static void put_line(struct look *l, const tp_motion_state *state, double time_s, bool last)
{
    l->lines++;
    l->length_s = time_s;
    fprintf(l->out, "%.6f", time_s);
    if (l->base.known) {
        const tp_motion_base still = {0};
        const double *speed = last ? still.speed : l->base.speed;

        fprintf(l->out, ",%.6g,%.6g,%.6g", speed[0], speed[1], speed[2]);
    }
    put_cells(l, COLUMN_SPEED, last ? NULL : state, false);
    put_cells(l, COLUMN_POSITION, last ? state : NULL, false);
    fputc('\n', l->out);
}

static tp_status record(struct look *l, const tp_motion_state *state)
{
    if (l->first_us == 0) {
        l->first_us = state->time_us;
        put_headings(l);
    } else if (state->time_us <= l->last_us) {
        return TP_OK;
    }
    l->last_us = state->time_us;
    const double time_s = (double)(l->last_us - l->first_us) / 1e6;
    put_line(l, state, time_s, false);
    mover_progress(&l->mover, "recording: %lld states, %.1f s", (long long)l->lines, time_s);
    return ferror(l->out) != 0 ? TP_E_IO : TP_OK;
}

/* The end of a recording: where the robot is. */
static tp_status record_end(struct look *l, tp_error *err)
{
    tp_motion_reply *reply = NULL;

    if (l->first_us == 0) {
        return TP_OK;
    }
    const tp_status status = tp_motion_ask(l->mover.robot, TP_MOTION_ASK_STATE, &reply, err);
    if (status == TP_OK) {
        put_line(l, &reply->as.state, (double)(l->last_us - l->first_us) / 1e6 + 1 / l->hz, true);
        free(reply);
    }
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static tp_status take(struct look *l, const tp_motion_reply *reply)
{
    if (reply->kind == TP_MOTION_IS_BASE) {
        l->base = reply->as.base;
    }
    if (reply->kind != TP_MOTION_IS_STATE) {
        return TP_OK;
    }
    l->taken++;
    return l->out != NULL ? record(l, &reply->as.state) : print(l, &reply->as.state);
}

static tp_status look_once(struct look *l, tp_error *err)
{
    tp_motion_reply *reply = NULL;
    tp_status status = tp_motion_ask(l->mover.robot, TP_MOTION_ASK_BASE, &reply, err);

    if (status == TP_OK) {
        l->base = reply->as.base;
        free(reply);
        status =
            l->hz > 0 ? TP_OK : tp_motion_ask(l->mover.robot, TP_MOTION_ASK_STATE, &reply, err);
    }
    if (status == TP_OK && l->hz <= 0) {
        status = take(l, reply);
        free(reply);
    }
    return status;
}

static bool is_enough(const struct look *l)
{
    const int64_t passed = tp_clock_now_ns(tp_clock_real()) - l->mover.start_ns;

    return (l->count > 0 && l->taken >= l->count) ||
           (l->for_s > 0 && passed >= command_ns(l->for_s));
}

static tp_status look_again(struct look *l, tp_error *err)
{
    const int64_t period_ns = command_ns(1 / l->hz);
    uint32_t base = 0, state = 0;
    tp_motion_reply *reply = NULL;
    tp_status status =
        tp_motion_broadcast(l->mover.robot, TP_MOTION_ASK_BASE, period_ns, &base, err);

    status = status == TP_OK
                 ? tp_motion_broadcast(l->mover.robot, TP_MOTION_ASK_STATE, period_ns, &state, err)
                 : status;
    while (status == TP_OK && !is_enough(l)) {
        const int64_t slice = l->for_s > 0 ? 20 * TP_NS_PER_MS : period_ns + 5 * TP_NS_PER_S;

        status = tp_motion_await(l->mover.robot, 0, slice, &reply, err);
        if (status == TP_OK) {
            status = take(l, reply);
            free(reply);
        } else if (status == TP_E_TIMEOUT && l->for_s > 0) {
            status = TP_OK;
        }
    }
    return status;
}

/* The end by Ctrl-C is the usual one here: nothing was moved. */
static int finish(struct look *l, tp_status status, const tp_error *err)
{
    mover_progress_end(&l->mover);
    screen_leave(&l->screen);
    if (status == TP_OK || status == TP_E_INTERRUPTED || output_is_gone()) {
        return EXIT_DONE;
    }
    return status == TP_E_IO
               ? command_fail(l->mover.remote.command, EXIT_FAILED, "%s cannot be written", l->file)
               : mover_fail(&l->mover, err);
}

/* Only when there is something to record: an older recording is lost by that. */
static int open_file(struct look *l)
{
    l->out = strcmp(l->file, "-") == 0 ? stdout : fopen(l->file, "w");
    return l->out != NULL ? EXIT_DONE
                          : command_fail(l->mover.remote.command, EXIT_FAILED,
                                         "%s cannot be written", l->file);
}

static int run_look(struct look *l)
{
    tp_error err = {0};
    int result = mover_connect(&l->mover);

    result = result == EXIT_DONE && l->file != NULL ? open_file(l) : result;
    if (result != EXIT_DONE) {
        return result;
    }
    l->mover.start_ns = tp_clock_now_ns(tp_clock_real());
    tp_status status = look_once(l, &err);
    status = status == TP_OK && l->hz > 0 ? look_again(l, &err) : status;
    if (l->out != NULL && (status == TP_OK || status == TP_E_INTERRUPTED)) {
        status = record_end(l, &err);
    }
    return finish(l, status, &err);
}

int motion_state(int argc, char **argv)
{
    struct look l = {0};

    mover_init(&l.mover);
    int result = read_look(&l, argc, argv, "--broadcast", false);
    result = result == EXIT_DONE ? run_look(&l) : result;
    mover_fini(&l.mover);
    return result;
}

int motion_record(int argc, char **argv)
{
    struct look l = {.hz = 20};

    mover_init(&l.mover);
    int result = read_look(&l, argc, argv, "--hz", true);
    if (result == EXIT_DONE && l.file == NULL) {
        result = command_fail(l.mover.remote.command, EXIT_USAGE, "into which file?");
    }
    result = result == EXIT_DONE ? run_look(&l) : result;
    if (l.out != NULL && fflush(l.out) != 0 && result == EXIT_DONE) {
        result = command_fail(l.mover.remote.command, EXIT_FAILED, "%s cannot be written", l.file);
    }
    if (l.out != NULL && l.out != stdout) {
        fclose(l.out);
    }
    if (result == EXIT_DONE) { /* not between the lines of the table */
        fprintf(l.out == stdout ? stderr : stdout, "recorded %lld state%s, %.2f s\n",
                (long long)l.lines, output_plural((uint64_t)l.lines), l.length_s);
    }
    mover_fini(&l.mover);
    return result;
}
