/*
 * experiment_check.c - whether channels have ended; see sensor.h.
 *
 * A channel that counts events ends with the last one. If the line loses that sample, nothing else
 * comes: so the sensor is asked once a second. A channel whose end is known before is asked when
 * the clock of this computer says that it should have ended: that of the sensor can be slower, and
 * it does the timing. Sensors that do not know the question refuse it, and are not asked again in
 * this run.
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sensor.h"

enum { LATE_CHECK_MS = 50 };

/* Whether the sensor itself ends the channel, and may have done so. */
static bool is_open(const struct sensor *s, unsigned place, int64_t now_ns)
{
    const struct sensor_experiment *x = &s->experiment;
    const struct sensor_run *run = &x->runs[place];

    if (run->line == NULL || run->is_relayed || run->has_ended) {
        return false;
    }
    if (s->channels[place].acts) {
        return run->count > 0 && tpi_sensor_is_past(s, place, now_ns);
    }
    return (x->due_ns == INT64_MAX || now_ns >= x->due_ns) &&
           (run->count > 0 ||
            (run->line->end.kind == TPI_WHEN_CHANNEL && run->line->end.sensor == x->own));
}

bool tpi_sensor_ask_check(struct sensor *s, int64_t now_ns)
{
    struct sensor_experiment *x = &s->experiment;
    char command[32];

    if (x->phase != TP_EXPERIMENT_RUNNING || x->job != JOB_NONE || x->check.is_unknown ||
        now_ns < x->check.due_ns) {
        return false;
    }
    while (x->check.place < s->count && !is_open(s, x->check.place, now_ns)) {
        x->check.place++;
    }
    if (x->check.place >= s->count) {
        x->check.place = 0;
        x->check.due_ns =
            now_ns + (x->due_ns == INT64_MAX ? TP_NS_PER_S : LATE_CHECK_MS * TP_NS_PER_MS);
        return false;
    }
    (void)snprintf(command, sizeof command, "L,%u,state",
                   s->channels[x->check.place].transducer->channel);
    x->check.is_asked = true;
    s->asked = -1;
    tpi_sensor_host_ask(s->host, command, now_ns);
    return true;
}

void tpi_sensor_check_answer(struct sensor *s)
{
    struct sensor_experiment *x = &s->experiment;
    const char *ended = strstr(tpi_sensor_host_text(s->host), ",state,ended,");
    struct sensor_run *run = &x->runs[x->check.place];
    int64_t taken = 0;

    if (!x->check.is_asked) {
        return;
    }
    x->check.is_asked = false;
    x->check.place++;
    if (tpi_sensor_host_state_of(s->host) != TPI_HOST_DONE) {
        x->check.is_unknown = true;
    } else if (ended != NULL && run->line != NULL &&
               tpi_number_read_i64(ended + 13, strlen(ended + 13), &taken) && taken >= 0) {
        run->has_ended = run->is_told = true;
        run->count = (uint64_t)taken;
    }
}
