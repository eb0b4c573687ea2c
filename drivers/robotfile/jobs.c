/* jobs.c - orders that wait for the line of the robot; see universal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotfile.h"

static const int64_t TRIGGER_NS = 10 * TP_NS_PER_MS; /* between the readings of a WaitTrigger */

struct job *tpi_robotfile_job_take(struct robotfile *r, enum job_rank rank)
{
    struct robotfile_universal *u = r->universal;
    struct job *found = NULL;
    unsigned looks = 0;

    for (unsigned i = 0; i < MOST_JOBS; i++) {
        struct job *job = &u->jobs[i];

        looks += job->is_used && job->rank == RANK_LOOK;
        found = found == NULL && !job->is_used ? job : found;
    }
    if (found == NULL || (rank == RANK_LOOK && looks == MOST_LOOKS)) {
        return NULL;
    }
    memset(found, 0, sizeof *found);
    found->is_used = true;
    found->rank = rank;
    found->number = u->number++;
    found->wait = TPI_COMMANDS;
    return found;
}

void tpi_robotfile_job_release(struct robotfile *r, struct job *job)
{
    (void)r;
    free(job->texts);
    job->texts = NULL;
    job->is_used = false;
}

/* Whether the job can be begun now. */
static bool is_due(const struct robotfile *r, const struct job *job, int64_t now_ns)
{
    if (!job->is_used || job->is_running || job->is_done || now_ns < job->next_ns) {
        return false;
    }
    if (job->wait == TPI_WAIT_TIME || job->rank != RANK_LOOK) {
        return true;
    }
    return now_ns >= r->universal->look_ns || tpi_dialog_knows(r->dialog, &job->order, now_ns);
}

static struct job *choose(struct robotfile *r, int64_t now_ns)
{
    struct job *best = NULL;

    for (unsigned i = 0; i < MOST_JOBS; i++) {
        struct job *job = &r->universal->jobs[i];

        if (is_due(r, job, now_ns) && (best == NULL || job->rank < best->rank ||
                                       (job->rank == best->rank && job->number < best->number))) {
            best = job;
        }
    }
    return best;
}

/* Nothing is written in a panic. */
static bool is_forbidden(const struct robotfile *r, const struct job *job, int64_t now_ns)
{
    return tp_instance_in_panic(r->self) && job->wait != TPI_WAIT_TIME &&
           !tpi_dialog_knows(r->dialog, &job->order, now_ns);
}

static void begin(struct robotfile *r, struct job *job, int64_t now_ns)
{
    struct robotfile_universal *u = r->universal;

    if (job->rank == RANK_LOOK && !tpi_dialog_knows(r->dialog, &job->order, now_ns)) {
        u->look_ns = now_ns + r->period_ns;
    }
    tpi_buf_clear(&u->trace);
    if (job->traces && job->order.part >= 0) {
        tpi_route_text(&u->trace, r->loaded->wired, job->order.command, job->order.part);
    }
    job->next_ns = now_ns + TRIGGER_NS;
    job->is_running = true;
    u->running = job;
    r->line.is_busy = true;
    tpi_dialog_begin(r->dialog, &job->order, now_ns);
}

bool tpi_robotfile_job_begin(struct robotfile *r, int64_t now_ns)
{
    struct robotfile_universal *u = r->universal;
    struct job *job = u != NULL && u->done == NULL ? choose(r, now_ns) : NULL;

    if (job == NULL) {
        return false;
    }
    if (job->wait == TPI_WAIT_TIME) {
        u->verdict.fault = TPI_FAULT_NONE;
        tpi_robotfile_universal_answer(r, job);
    } else if (is_forbidden(r, job, now_ns)) {
        u->verdict.fault = TPI_FAULT_STOPPED;
        snprintf(u->verdict.text, sizeof u->verdict.text, "%s: stopped: there is a panic",
                 r->loaded->robot->identity.name);
        tpi_robotfile_universal_answer(r, job);
    } else {
        begin(r, job, now_ns);
    }
    return true;
}

bool tpi_robotfile_job_moves(const struct robotfile *r)
{
    for (unsigned i = 0; r->universal != NULL && i < MOST_JOBS; i++) {
        const struct job *job = &r->universal->jobs[i];

        if (job->is_used && job->rank == RANK_MOVE && !job->is_running && !job->is_done) {
            return true;
        }
    }
    return false;
}
