/* sim_crowd.h - worlds of many models in any order, with or without threads, for tests that all
 * results are the same. */
#ifndef TROUPE_TESTS_SIM_CROWD_H
#define TROUPE_TESTS_SIM_CROWD_H

#include "platform/crew.h"
#include "support/sim.h"

enum { SIM_CROWD_MOST = 512 };

struct sim_crowd_text {
    const char *definitions;
    const char *arena;
    int lines; /* at most SIM_CROWD_MOST */
    void (*put_line)(tpi_buf *text, int number);
};

/* The same models; unless `order` is 0 they stand in another order. */
static inline void sim_crowd_put(tpi_buf *text, const struct sim_crowd_text *crowd, uint64_t order)
{
    int lines[SIM_CROWD_MOST];
    struct sim_dice dice = {order};

    assert_in_range(crowd->lines, 1, SIM_CROWD_MOST);
    tpi_buf_puts(text, crowd->definitions);
    for (int i = 0; i < crowd->lines; i++) {
        const int at = order == 0 ? i : (int)sim_throw(&dice, 0, i + 1);
        lines[i] = lines[at];
        lines[at] = i;
    }
    for (int i = 0; i < crowd->lines; i++) {
        crowd->put_line(text, lines[i]);
    }
    tpi_buf_puts(text, crowd->arena);
}

static inline void sim_crowd_run(void *context, tpi_sim_work *work, void *argument, uint32_t count)
{
    tpi_crew_run(context, work, argument, count);
}

/* `crew` may be NULL. */
static inline tpi_sim *sim_crowd_make(const struct sim_crowd_text *crowd, uint64_t order,
                                      uint64_t seed, tpi_crew *crew, uint32_t workers)
{
    tpi_sim_options options = {.seed = seed};
    tpi_buf text = {0};
    tpi_sim *sim = NULL;
    tp_error err = {0};

    if (crew != NULL) {
        options.crew = (tpi_sim_crew){.workers = workers, .run = sim_crowd_run, .context = crew};
    }
    sim_crowd_put(&text, crowd, order);
    tp_status status = tpi_sim_parse(&sim, "x.world", text.data, text.length, &options, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, TP_OK);
    tpi_buf_fini(&text);
    return sim;
}

#endif
