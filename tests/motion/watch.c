/* watch.c - what no write of the motion engine may do. */
#include "watch.h"

#include <math.h>
#include <stdio.h>

static void complain(const struct watch *w, const tpi_motion_write *write, const char *what,
                     double value)
{
    printf("x output %u at %lld ns, planned to %lld: %s: %.9g\n", write->output,
           (long long)write->due_ns, (long long)w->front_ns, what, value);
}

static void check_limits(struct watch *w, const tpi_motion_write *write, const struct watched *d)
{
    double value = write->values[d->slot], speed = write->speeds[d->slot];
    uint8_t servo = write->servo[d->slot];

    if (!isfinite(value) || !isfinite(speed)) {
        complain(w, write, "not finite", value);
    }
    if (servo == TPI_MOTION_SERVO_POSITION &&
        (value < d->dof.lower - 1e-9 || value > d->dof.upper + 1e-9)) {
        complain(w, write, "position", value);
    }
    if (servo == TPI_MOTION_SERVO_FORCE && fabs(value) > d->dof.force * (1 + 1e-9)) {
        complain(w, write, "force", value);
    }
    if (fabs(speed) > d->dof.velocity * (1 + 1e-6)) {
        complain(w, write, "speed", speed);
    }
    if (servo == TPI_MOTION_SERVO_SPEED && fabs(value) > d->dof.velocity * (1 + 1e-6)) {
        complain(w, write, "speed", value);
    }
    if (servo != 0 && (d->dof.servo & servo) == 0 && value != 0) {
        complain(w, write, "servo command", servo);
    }
}

/* What an excess that the engine counts, and that is excused for two periods, may be. A time line
 * that has to stop, and a speed that another time line cannot take over, only slow a dof down,
 * which ends at 0: that has no other bound. Where a time line gets faster while the acceleration of
 * a dof is at its limit, a fifth of the limit is added (LEAST_GRIP of axis.c). Positions, speeds
 * and jumps are checked in any case, and so is this. */
static const double MOST_GAIN = 1.2;

/* How much faster a dof gets, also if it turns around. */
static double gain(double from, double to)
{
    return from * to >= 0 ? fabs(to) - fabs(from) : fabs(to);
}

static void check_change(struct watch *w, const tpi_motion_write *write, const struct watched *d)
{
    double dt = (double)(write->due_ns - d->due_ns) * 1e-9;
    double change = fabs(write->speeds[d->slot] - d->speed);

    if (!d->known || dt <= 0 || d->servo == TPI_MOTION_SERVO_FORCE ||
        write->servo[d->slot] == TPI_MOTION_SERVO_FORCE) {
        return;
    }
    /* A speed that begins is that of the end of its first period. While time is slowed, a speed is
     * scaled by the mean rate of a step, and it may have grown by some percent since that was
     * planned. */
    const double most = d->dof.acceleration * (dt + 1.1 * w->period_s);
    const double gained = gain(d->speed, write->speeds[d->slot]);
    if (gained > MOST_GAIN * most + 1e-9) {
        complain(w, write, "gains speed", gained);
    }
    if (change > most + 1e-9 && write->due_ns > w->excused_ns) {
        snprintf(w->hasty, sizeof w->hasty, "output %u slot %u at %lld ns: %.9g to %.9g in %.9g s",
                 d->output, d->slot, (long long)write->due_ns, d->speed, write->speeds[d->slot],
                 dt);
    }
    if (write->servo[d->slot] == TPI_MOTION_SERVO_POSITION &&
        d->servo == TPI_MOTION_SERVO_POSITION &&
        fabs(write->values[d->slot] - d->value) > d->dof.velocity * dt * (1 + 1e-6) + 1e-9) {
        complain(w, write, "jump", write->values[d->slot] - d->value);
    }
}

/* Print when a dof comes to rest, and when it leaves. */
static void note_rest(const tpi_motion_write *write, struct watched *d, unsigned index)
{
    const double value = write->values[d->slot];
    const uint8_t servo = write->servo[d->slot];
    const bool moves = write->speeds[d->slot] != 0 || servo == TPI_MOTION_SERVO_FORCE;
    const long long due_us = (long long)(write->due_ns / 1000);

    if (moves && (!d->moves || !d->known)) {
        printf("m %u %lld\n", index, due_us);
    } else if (!moves && (d->moves || !d->known || d->servo != servo || d->value != value)) {
        printf("s %u %lld %u %.17g\n", index, due_us, servo, value);
    }
    d->moves = moves;
}

/* Values that are written again, with those of another dof, have been there before. */
static void keep(const tpi_motion_write *write, struct watched *d)
{
    const double value = write->values[d->slot], speed = write->speeds[d->slot];
    const uint8_t servo = write->servo[d->slot];

    if (!d->known || d->servo != servo || d->value != value || d->speed != speed) {
        d->due_ns = write->due_ns;
    }
    d->known = true;
    d->servo = servo;
    d->value = value;
    d->speed = speed;
}

/* The device moves by itself. */
static void leave_to_device(struct watch *w, const tpi_motion_write *write)
{
    watch_forget(w, write->output);
    for (uint16_t i = 0; i < w->count; i++) {
        if (w->dofs[i].output == write->output) {
            printf("u %u %lld\n", i, (long long)(write->due_ns / 1000));
        }
    }
}

void watch_write(void *user, const tpi_motion_write *write)
{
    struct watch *w = user;

    if (w->panicked) {
        complain(w, write, "in a panic", 0);
    }
    if (write->due_ns < w->front_ns) {
        complain(w, write, "too late", (double)(w->front_ns - write->due_ns));
    }
    if (write->due_ns < w->due_ns[write->output] ||
        (write->what == TPI_MOTION_WRITE_DOFS && write->due_ns == w->due_ns[write->output])) {
        complain(w, write, "after a write at", (double)w->due_ns[write->output]);
    }
    w->due_ns[write->output] = write->due_ns;
    if (write->what != TPI_MOTION_WRITE_DOFS) {
        leave_to_device(w, write);
        return;
    }
    for (uint16_t i = 0; i < w->count; i++) {
        struct watched *d = &w->dofs[i];

        if (d->output == write->output && d->slot < write->count) {
            check_limits(w, write, d);
            check_change(w, write, d);
            note_rest(write, d, i);
            keep(write, d);
        }
    }
}

void watch_planned(struct watch *w, int64_t front_ns, uint64_t excesses)
{
    if (w->hasty[0] != 0 && excesses == w->excesses) {
        printf("x too much acceleration, not counted: %s\n", w->hasty);
    }
    if (excesses != w->excesses) {
        w->excused_ns = front_ns + (int64_t)(2e9 * w->period_s);
    }
    w->hasty[0] = 0;
    w->excesses = excesses;
    w->front_ns = front_ns > w->front_ns ? front_ns : w->front_ns;
}

void watch_forget(struct watch *w, uint16_t output)
{
    for (uint16_t i = 0; i < w->count; i++) {
        if (output == TPI_MOTION_NOWHERE || w->dofs[i].output == output) {
            w->dofs[i].known = false;
        }
    }
}

void watch_print(const struct watch *w)
{
    for (uint16_t i = 0; i < w->count; i++) {
        printf(" %u:%.9g:%.9g", w->dofs[i].servo, w->dofs[i].value, w->dofs[i].speed);
    }
    putchar('\n');
}
