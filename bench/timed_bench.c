/*
 * timed_bench.c - how late commands with a due time are written, beside a timer with one hop.
 *
 * A driver posts commands through a grant; the motor's own thread waits for their times and writes
 * them. The control does it in the usual way, in the same run and between the same commands: a
 * thread waits with the same primitive until the time has come and hands the command to a second
 * thread, which writes it. Both have a command every 2 ms, 1 ms apart from each other, and they
 * change places after each round.
 *
 * In the second phase panics come and go and the owner lets its lease end, again and again.
 * docs/safety.md has the table.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bus/pool.h"
#include "device/hub.h"
#include "loop/inbox.h"
#include "platform/thread.h"
#include "server/spread.h"
#include "troupe/interfaces/position2d.h"

static const char help[] =
    "usage: ./troupe bench timed [--quick] [--json]\n\n"
    "Lateness of commands that are written at a time, through a grant and by a timer with one "
    "hop.\n"
    "Exits with 1 if one was early or from before a panic, or if the grant is over 1.3 times.\n";

enum { PERIOD_MS = 2, AHEAD_MS = 40, LEASE_MS = 200, MOST_ROUNDS = 16, MOST_ITEMS = 4096 };

static int64_t now_ns(void)
{
    return tp_clock_now_ns(tp_clock_real());
}

/* What is measured in a round; the loop's thread takes it while both sides pause. */
struct side {
    bench_spread late;
    uint64_t early;
};

static struct {
    int64_t begun_ns;
    tpi_hub *hub;
    atomic_bool measuring;
    struct side grant, control; /* each of the thread that writes */
    uint64_t old;               /* commands from before a panic that was seen; the motor's */
    unsigned panics;            /* that the motor has halted for */
    atomic_bool silent;         /* the owner does not renew */
    atomic_llong phase_ns;      /* of the grant's commands; the control's are half a period later */
    atomic_bool quit;
    atomic_ullong dropped_panic, dropped_end, ends_panic, ends_lease;
} all;

static unsigned panics_so_far(void)
{
    return (tpi_panic_epoch(tpi_panic_of(all.hub)) + 1) / 2;
}

/* The next time with this phase that is not before `at_ns`. */
static int64_t next_beat_ns(int64_t at_ns, int64_t phase_ns)
{
    const int64_t period_ns = PERIOD_MS * TP_NS_PER_MS;
    const int64_t behind_ns = (at_ns - phase_ns) % period_ns;

    return behind_ns == 0 ? at_ns : at_ns - behind_ns + period_ns;
}

static void note(struct side *side, int64_t due_ns)
{
    const int64_t late_ns = now_ns() - due_ns;

    side->early += late_ns < 0;
    if (atomic_load(&all.measuring)) {
        spread_add(&side->late, late_ns);
    }
}

/* ---- The motor and the owner of the grant ---------------------------------------------------- */

static tp_status drive(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    (void)device;
    (void)err;
    note(&all.grant, all.begun_ns + (int64_t)ask->vel.px);
    all.old += (unsigned)ask->vel.py < all.panics;
    return TP_OK;
}

static void halt(tp_device *device, tp_halt how)
{
    (void)how;
    if (tp_instance_halt_reason(tp_device_instance(device)) == TP_HALT_PANIC) {
        all.panics = panics_so_far();
    }
}

static tp_status motor_init(tp_instance *self, tp_error *err)
{
    static const tp_position2d_ops ops = {.cmd_vel = drive};

    return tp_offer(self, &tp_interface_position2d, NULL, &ops, NULL, NULL, err);
}

static const tp_driver_ops motor_ops = {.init = motor_init, .halt = halt};
static const tp_driver motor = {.abi = TP_DRIVER_ABI, .name = "motor", .ops = &motor_ops};

struct owner {
    tp_link *link;
    tp_grant *grant;
    bool asked;
    int64_t next_ns; /* when the next command is due */
};

static void decided(tp_instance *self, void *context, tp_status status, tp_grant *grant,
                    const char *why)
{
    struct owner *owner = context;

    (void)self;
    (void)status;
    (void)why;
    owner->asked = false;
    owner->grant = grant;
}

static void ended(tp_instance *self, void *context, tp_grant *grant, tp_status status,
                  const char *why)
{
    struct owner *owner = context;
    tp_grant_counts counts;

    (void)self;
    (void)why;
    tp_grant_look(grant, &counts);
    atomic_fetch_add(&all.dropped_panic, counts.dropped_panic);
    atomic_fetch_add(&all.dropped_end, counts.dropped_end);
    atomic_fetch_add(status == TP_E_PANIC ? &all.ends_panic : &all.ends_lease, 1);
    atomic_store(&all.silent, false);
    tp_grant_end(grant);
    owner->grant = NULL;
}

/* Commands for the next 40 ms. */
static void post_ahead(struct owner *owner)
{
    const int64_t period_ns = PERIOD_MS * TP_NS_PER_MS;
    const int64_t now = now_ns();
    const int64_t first_ns = owner->next_ns > now + period_ns ? owner->next_ns : now + period_ns;

    owner->next_ns = next_beat_ns(first_ns, atomic_load(&all.phase_ns));
    for (; owner->next_ns < now + AHEAD_MS * TP_NS_PER_MS; owner->next_ns += period_ns) {
        const tp_position2d_cmd_vel vel = {
            .vel = {.px = (double)(owner->next_ns - all.begun_ns), .py = panics_so_far()},
            .state = 1};
        (void)tp_grant_post(owner->grant, owner->next_ns, TP_POSITION2D_CMD_VEL, &vel);
    }
}

static tp_status owner_poll(tp_instance *self, tp_error *err)
{
    struct owner *owner = tp_instance_state(self);
    const tp_grant_options plan = {.capacity = 64,
                                   .lease_ns = LEASE_MS * TP_NS_PER_MS,
                                   .done = decided,
                                   .ended = ended,
                                   .context = owner};

    (void)err;
    if (owner->grant != NULL) {
        post_ahead(owner);
        if (!atomic_load(&all.silent)) {
            (void)tp_grant_renew(owner->grant);
        }
    } else if (!owner->asked && tp_link_grant(owner->link, &plan) == TP_OK) {
        owner->asked = true;
        owner->next_ns = 0;
    }
    return TP_OK;
}

static tp_status owner_init(tp_instance *self, tp_error *err)
{
    struct owner *owner = tp_instance_state(self);

    tp_instance_stay_on(self);
    tp_instance_set_period(self, 10 * TP_NS_PER_MS);
    return tp_require(self, &tp_interface_position2d, NULL, &owner->link, err);
}

static const tp_driver_ops owner_ops = {.init = owner_init, .poll = owner_poll};
static const tp_driver owner_driver = {
    .abi = TP_DRIVER_ABI, .name = "owner", .ops = &owner_ops, .state_size = sizeof(struct owner)};

/* ---- The control ----------------------------------------------------------------------------- */

struct timed_item {
    tpi_item item;
    int64_t due_ns;
};

static struct {
    tpi_bell timer_bell, writer_bell;
    tpi_inbox inbox;
    struct timed_item items[MOST_ITEMS]; /* many more than can be on their way */
    tpi_thread *timer, *writer;
} hop;

static void ring_writer(void *context)
{
    (void)context;
    tpi_bell_ring(&hop.writer_bell);
}

/* Waits until the time has come and hands over. As with the grant, no command
 * is left out when the machine is late. */
static void run_timer(void *context)
{
    const int64_t period_ns = PERIOD_MS * TP_NS_PER_MS;
    int64_t due_ns = now_ns();

    (void)context;
    for (unsigned i = 0; !atomic_load(&all.quit); i++) {
        struct timed_item *item = &hop.items[i % MOST_ITEMS];
        due_ns = next_beat_ns(due_ns + 1, atomic_load(&all.phase_ns) + period_ns / 2);
        item->due_ns = due_ns;
        if (tpi_wait(&hop.timer_bell.fd, 1, item->due_ns) == 0) { /* else it ends */
            tpi_inbox_post(&hop.inbox, &item->item);
        }
    }
}

static void run_writer(void *context)
{
    (void)context;
    while (!atomic_load(&all.quit)) {
        tpi_wait(&hop.writer_bell.fd, 1, TP_NEVER);
        tpi_bell_silence(&hop.writer_bell);
        for (tpi_item *item = tpi_inbox_take(&hop.inbox); item != NULL; item = item->next) {
            note(&all.control, ((struct timed_item *)item)->due_ns);
        }
    }
}

static void begin_control(void)
{
    tp_error err;

    tpi_inbox_init(&hop.inbox, ring_writer, NULL);
    if (tpi_bell_init(&hop.timer_bell, &err) != TP_OK ||
        tpi_bell_init(&hop.writer_bell, &err) != TP_OK ||
        tpi_thread_start(&hop.writer, "writer", run_writer, NULL, &err) != TP_OK ||
        tpi_thread_start(&hop.timer, "timer", run_timer, NULL, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

static void end_control(void)
{
    atomic_store(&all.quit, true);
    tpi_bell_ring(&hop.timer_bell);
    tpi_thread_join(hop.timer);
    tpi_bell_ring(&hop.writer_bell);
    tpi_thread_join(hop.writer);
    tpi_bell_fini(&hop.timer_bell);
    tpi_bell_fini(&hop.writer_bell);
}

/* ---- The server ------------------------------------------------------------------------------ */

static void add(const tp_driver *driver, const tpi_wanted *provides, const tpi_wanted *requires)
{
    const tpi_blueprint plan = {.driver = driver,
                                .provides = provides,
                                .provide_count = provides != NULL,
                                .requires = requires,
                                .require_count = requires != NULL};
    tp_error err;

    if (tpi_hub_add(all.hub, &plan, NULL, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
}

static tp_loop *begin_server(tp_catalogue **catalogue)
{
    static const tpi_wanted wanted = {
        .key = "",
        .addr = {.robot = 6665, .interf = TP_POSITION2D_CODE},
        .interface = &tp_interface_position2d,
    };
    tp_loop *loop;
    tp_error err;

    if (tp_loop_create(&loop, tp_clock_real(), &err) != TP_OK ||
        tp_catalogue_create(catalogue, &err) != TP_OK ||
        tpi_hub_create(&all.hub, loop, *catalogue, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    add(&motor, &wanted, NULL);
    add(&owner_driver, NULL, &wanted);
    tpi_hub_begin(all.hub, NULL, NULL);
    return loop;
}

static void fire(void *context)
{
    *(bool *)context = true;
}

static void turn_for(tp_loop *loop, int ms)
{
    tp_timer *timer;
    tp_error err;
    bool over = false;

    if (tp_timer_create(&timer, loop, fire, &over, &err) != TP_OK) {
        bench_give_up("%s", err.text);
    }
    tp_timer_at(timer, now_ns() + ms * TP_NS_PER_MS);
    while (!over) {
        tp_loop_turn(loop, true);
    }
    tp_timer_destroy(timer);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

struct figures {
    double p50_us[2], p99_us[2]; /* of the grant, and of the control */
    uint64_t count[2];
};

static void take(const struct side *side, struct figures *out, int i)
{
    out->p50_us[i] = spread_quantile(&side->late, 0.5) / 1e3;
    out->p99_us[i] = spread_quantile(&side->late, 0.99) / 1e3;
    out->count[i] = side->late.total;
}

/* Once every 300 ms a panic that is reset 20 ms later, or a lease that ends. */
static void disturb(tp_loop *loop, int ms)
{
    tpi_panic *panic = tpi_panic_of(all.hub);

    for (int i = 0; i * 300 < ms; i++) {
        if (i % 2 == 0) {
            tpi_panic_raise(panic, "bench", "in between");
            turn_for(loop, 20);
            tpi_panic_reset(panic, tpi_panic_epoch(panic));
        } else {
            atomic_store(&all.silent, true);
            turn_for(loop, 20);
        }
        turn_for(loop, 280);
    }
}

static void measure(tp_loop *loop, int ms, bool disturbed, struct figures *out)
{
    all.grant.late = (bench_spread){0}; /* nobody measures now */
    all.control.late = (bench_spread){0};
    atomic_store(&all.measuring, true);
    if (disturbed) {
        disturb(loop, ms);
    } else {
        turn_for(loop, ms);
    }
    atomic_store(&all.measuring, false);
    turn_for(loop, 20); /* what was being written is */
    take(&all.grant, out, 0);
    take(&all.control, out, 1);
}

static void print_round(bool json, const char *phase, const struct figures *f)
{
    if (json) {
        printf("{\"name\":\"timed\",\"parameters\":{\"phase\":\"%s\"},\"commands\":%llu,"
               "\"p50_us\":%.1f,\"p99_us\":%.1f,\"peer\":\"timer with one hop\","
               "\"peer_p50_us\":%.1f,\"peer_p99_us\":%.1f,\"ratio_p50\":%.3f,\"ratio_p99\":%.3f}\n",
               phase, (unsigned long long)f->count[0], f->p50_us[0], f->p99_us[0], f->p50_us[1],
               f->p99_us[1], f->p50_us[0] / f->p50_us[1], f->p99_us[0] / f->p99_us[1]);
    } else {
        printf("%-10s %9llu %9.1f %9.1f %12.1f %12.1f %10.2f %10.2f\n", phase,
               (unsigned long long)f->count[0], f->p50_us[0], f->p99_us[0], f->p50_us[1],
               f->p99_us[1], f->p50_us[0] / f->p50_us[1], f->p99_us[0] / f->p99_us[1]);
    }
    fflush(stdout);
}

/* The rounds of a phase; true if the medians of their ratios are within 1.3. */
static bool run_phase(tp_loop *loop, const char *phase, int rounds, int ms, bool disturbed,
                      bool json)
{
    double ratios_p50[MOST_ROUNDS];
    double ratios_p99[MOST_ROUNDS];

    for (int i = 0; i < rounds; i++) {
        struct figures f = {0};
        /* The two change places, since the machine has beats of its own. */
        atomic_store(&all.phase_ns, i % 2 * PERIOD_MS * TP_NS_PER_MS / 2);
        turn_for(loop, 2 * AHEAD_MS);
        measure(loop, ms, disturbed, &f);
        print_round(json, phase, &f);
        ratios_p50[i] = f.p50_us[0] / f.p50_us[1];
        ratios_p99[i] = f.p99_us[0] / f.p99_us[1];
    }
    const double p50 = spread_median(ratios_p50, rounds);
    const double p99 = spread_median(ratios_p99, rounds);
    if (!json) {
        printf("%s: median ratio p50 %.2f, p99 %.2f\n", phase, p50, p99);
    }
    return p50 <= 1.3 && p99 <= 1.3;
}

int main(int argc, char **argv)
{
    bool quick = false;
    int kept = 1;

    for (int i = 1; i < argc; i++) {
        quick = quick || strcmp(argv[i], "--quick") == 0;
        if (strcmp(argv[i], "--quick") != 0) {
            argv[kept++] = argv[i];
        }
    }
    const bool json = bench_wants_json(kept, argv, help);
    const int rounds = quick ? 3 : 10;
    const int ms = quick ? 1200 : 3000;
    tp_catalogue *catalogue;
    all.begun_ns = now_ns();
    tp_loop *loop = begin_server(&catalogue);
    begin_control();
    turn_for(loop, 200);
    static const char *const legend[] = {
        "p50, p99          how late a command is written through a grant",
        "hop p50, hop p99  how late a timer that needs one more hop writes it, in the same run",
        "ratio             lateness through a grant divided by that of the timer", NULL};
    bench_print_legend(json, legend);
    if (!json) {
        printf("%-10s %9s %9s %9s %12s %12s %10s %10s\n", "phase", "commands", "p50 us", "p99 us",
               "hop p50 us", "hop p99 us", "ratio p50", "ratio p99");
    }
    bool good = run_phase(loop, "calm", rounds, ms, false, json);
    good = run_phase(loop, "disturbed", rounds, ms, true, json) && good;
    tpi_hub_destroy(all.hub);
    end_control();
    tp_loop_destroy(loop);
    tp_catalogue_destroy(catalogue);
    tpi_pool_leave();
    fprintf(json ? stderr : stdout,
            "early: %llu of the grant, %llu of the control; from before a panic: %llu\n"
            "grants ended by panics: %llu, by their lease: %llu; commands dropped: %llu and %llu\n",
            (unsigned long long)all.grant.early, (unsigned long long)all.control.early,
            (unsigned long long)all.old, (unsigned long long)all.ends_panic,
            (unsigned long long)all.ends_lease, (unsigned long long)all.dropped_panic,
            (unsigned long long)all.dropped_end);
    return good && all.grant.early == 0 && all.old == 0 ? 0 : 1;
}
