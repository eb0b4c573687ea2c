/* run.c - see run.h. */
#include "run.h"

#include <string.h>

#include "bench.h"
#include "reader.h"
#include "troupe/clock.h"

static const int64_t LONGEST_NS = 400 * TP_NS_PER_S, REST_NS = 2 * TP_NS_PER_S;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Let time pass until the motion and what the neighbour asks for have ended. */
static void pass(struct player *p, struct neighbour *n)
{
    while (!p->over || neighbour_next(n) != TP_NEVER || house_now() < p->over_ns + REST_NS) {
        const int64_t next_ns = least(house_next(), least(player_next(p), neighbour_next(n)));

        if (next_ns > p->start_ns + LONGEST_NS) {
            bench_give_up("%s: the motion does not end", play_name(p->mode));
        }
        house_set(next_ns);
        for (bool sent = true; sent;) {
            house_serve();
            sent = player_turn(p);
            sent = neighbour_turn(n) || sent;
        }
    }
}

static void keep(struct run *run, const struct player *p, const struct neighbour *n)
{
    const bool sequence = p->summary.frames > 0;
    size_t count;
    const int64_t *arrivals = reader_arrivals(&count);

    run->arrival_count = count < ROUTE_FRAMES ? count : ROUTE_FRAMES;
    memcpy(run->arrivals, arrivals, run->arrival_count * sizeof *arrivals);
    run->late = sequence ? p->summary.late : (uint32_t)p->queues.late;
    run->stalls = p->summary.stalls;
    run->held_s = (double)p->summary.held_us * 1e-6;
    run->errors = p->errors;
    run->complete =
        p->errors == 0 && (sequence ? p->summary.played : p->queues.played) == ROUTE_FRAMES;
    run->answers = n->answers;
    run->answer_ns = n->longest_ns;
    run->neighbour_errors = n->errors;
}

void run_play(struct run *out, play_mode mode, unsigned polls, uint64_t seed)
{
    static struct player player;
    static struct neighbour neighbour;

    *out = (struct run){.mode = mode, .polls = polls, .seed = seed};
    house_open();
    player_open(&player, mode);
    neighbour_open(&neighbour);
    out->start_ns = house_now() + TP_NS_PER_S;
    reader_slow(polls, seed);
    player_start(&player, out->start_ns);
    neighbour_start(&neighbour, out->start_ns);
    pass(&player, &neighbour);
    keep(out, &player, &neighbour);
    player_close(&player);
    neighbour_close(&neighbour);
    house_close(&out->notes);
    path_of(&out->path, &out->notes.way);
}

void run_free(struct run *run)
{
    house_forget(&run->notes);
    path_free(&run->path);
}

/* ---- Beside the run without congestion ------------------------------------------------------- */

static int64_t first_ns(const struct run *run)
{
    return run->notes.base.items[0].at_ns;
}

static int64_t last_ns(const struct run *run)
{
    return run->notes.base.items[run->notes.base.count - 1].at_ns;
}

/* The head is moved at the same times, and answers come as fast. */
static bool neighbour_is_unmoved(const struct run *run, const struct run *reference)
{
    return writes_equal(&run->notes.head, &reference->notes.head) &&
           run->notes.head.items[0].at_ns - run->start_ns ==
               reference->notes.head.items[0].at_ns - reference->start_ns &&
           run->answers == reference->answers && run->answer_ns == reference->answer_ns &&
           run->neighbour_errors == 0;
}

void run_compare(struct result *out, const struct run *run, const struct run *reference)
{
    const int64_t whole_ns = last_ns(reference) - first_ns(reference);
    const int64_t best_ns = route_best(run->arrivals, run->arrival_count, whole_ns) - run->start_ns;

    *out = (struct result){
        .distance = path_distance(&run->path, &reference->path) / path_length(&reference->path),
        .gap_m = path_gap(&run->path),
        .start_s = (double)(first_ns(run) - run->start_ns) * 1e-9,
        .finish = (double)(last_ns(run) - run->start_ns) / (double)best_ns,
        .acceleration = writes_acceleration(&run->notes.base),
        .slowed = run->held_s > 0,
        .same = writes_equal(&run->notes.base, &reference->notes.base),
        .unmoved = neighbour_is_unmoved(run, reference),
        .held_s = run->held_s,
        .right_s = path_right_s(&run->path, &reference->path, 0.005 * ROUTE_LENGTH_M),
        .late = run->late,
        .stalls = run->stalls,
    };
}
