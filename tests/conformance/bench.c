/* bench.c - see bench.h. */
#include "conformance/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "device/inside.h"
#include "sensors/host/line.h"
#include "support/unit.h"

/* ---- The bench ------------------------------------------------------------------------------- */

static int64_t now_ns(const tp_clock *clock)
{
    bench *b = clock->context;

    return atomic_load(&b->now_ns);
}

static double wall_s(const tp_clock *clock)
{
    return (double)now_ns(clock) / (double)TP_NS_PER_S;
}

/* To the instance and back; `instance` is NULL while it is not under way. */
struct bench_poll {
    job job;
    tpi_task task;
    tp_instance *instance;
};

/* The same without a poll. */
struct bench_errand {
    job job;
    tpi_task task;
    bool under_way;
};

void bench_init(bench *b)
{
    static const tp_scheme *const schemes[] = {&tpi_scheme_sensor, NULL};

    memset(b, 0, sizeof *b);
    b->clock = (tp_clock){.now_ns = now_ns, .wall_s = wall_s, .context = b};
    atomic_init(&b->now_ns, TP_NS_PER_S);
    assert_int_equal(tp_loop_create(&b->loop, &b->clock, &b->err), TP_OK);
    assert_int_equal(tp_catalogue_create(&b->catalogue, &b->err), TP_OK);
    assert_int_equal(tpi_hub_create(&b->hub, b->loop, b->catalogue, &b->err), TP_OK);
    tpi_hub_set_lines(b->hub, schemes, "");
    b->polls = calloc(BENCH_MOST_POLLED, sizeof *b->polls);
    b->errands = calloc(BENCH_MOST_POLLED, sizeof *b->errands);
    assert_non_null(b->polls);
    assert_non_null(b->errands);
}

void bench_fini(bench *b)
{
    tpi_hub_destroy(b->hub);
    tp_loop_destroy(b->loop);
    tp_catalogue_destroy(b->catalogue);
    tpi_pool_leave();
    free(b->polls);
    free(b->errands);
}

void bench_move_clock(bench *b, double by_s)
{
    atomic_fetch_add(&b->now_ns, (long long)(by_s * (double)TP_NS_PER_S));
}

/* ---- Polls ----------------------------------------------------------------------------------- */

static void polled(tpi_task *task)
{
    ((bench_poll *)((char *)task - offsetof(bench_poll, task)))->instance = NULL;
}

/* The worker polls next, after it has looked at its lines. */
static void run_poll(job *next, tp_instance *self)
{
    bench_poll *poll = (bench_poll *)next;

    self->worker.next_poll_ns = tp_clock_now_ns(tp_instance_clock(self));
    poll->task.run = polled;
    tpi_loop_post(self->hub->loop, &poll->task);
}

static bench_poll *poll_of(bench *b, const tp_instance *instance)
{
    bench_poll *unused = NULL;

    for (size_t i = 0; i < BENCH_MOST_POLLED; i++) {
        if (b->polls[i].instance == instance) {
            return &b->polls[i];
        }
        unused = b->polls[i].instance == NULL ? &b->polls[i] : unused;
    }
    assert_non_null(unused);
    return unused;
}

/* One turn, which waits for something to happen; every thread that is not at it already polls. */
static void turn_polling(bench *b)
{
    for (tp_instance *instance = b->hub->instances; instance != NULL; instance = instance->next) {
        bench_poll *poll = poll_of(b, instance);
        if (poll->instance == NULL && !instance->on_loop && instance_phase(instance) == RUNNING) {
            poll->instance = instance;
            poll->job.run = run_poll;
            tpi_instance_submit(instance, &poll->job);
        }
    }
    tp_loop_turn(b->loop, true);
}

static void come_back(tpi_task *task)
{
    ((bench_errand *)((char *)task - offsetof(bench_errand, task)))->under_way = false;
}

static void run_errand(job *next, tp_instance *self)
{
    bench_errand *errand = (bench_errand *)next;

    errand->task.run = come_back;
    tpi_loop_post(self->hub->loop, &errand->task);
}

static bench_errand *send_errand(bench *b, const tp_device *device)
{
    bench_errand *errand = b->errands;

    while (errand->under_way) {
        errand++;
        assert_true(errand < b->errands + BENCH_MOST_POLLED);
    }
    *errand = (bench_errand){.job.run = run_errand, .under_way = true};
    tpi_instance_submit(device->instance, &errand->job);
    return errand;
}

/* The first errand comes back from the turn of the thread that is under way, the second one from a
 * whole turn after it. */
bool bench_settle(bench *b, const tp_device *device, const atomic_bool *hangs)
{
    for (int i = 0; i < 2; i++) {
        if (hangs != NULL && atomic_load(hangs)) {
            return false;
        }
        const bench_errand *errand = send_errand(b, device);

        while (errand->under_way) {
            if (hangs != NULL && atomic_load(hangs)) {
                return false;
            }
            turn_polling(b);
        }
    }
    return true;
}

/* ---- Drivers --------------------------------------------------------------------------------- */

enum { MOST_ITEMS = 64, MOST_VALUES = 8, MOST_TEXT = 64 };

/* All in one block, and the texts with it. */
struct bench_plan {
    tpi_blueprint blueprint;
    tpi_wanted provides[MOST_ITEMS];
    tpi_wanted requires[MOST_ITEMS];
    tpi_setting settings[MOST_ITEMS];
    tpi_setting_value values[MOST_ITEMS][MOST_VALUES];
    char *texts; /* owned: copies of the section's, cut into words */
    char *end;
};

/* A copy of a text that is cut into words. */
static char *copy_text(bench_plan *plan, const char *text)
{
    char *copy = plan->end;

    text = text == NULL ? "" : text;
    strcpy(copy, text);
    plan->end += strlen(text) + 1;
    return copy;
}

/* "key@interface:index" */
static void read_wanted(const tp_catalogue *catalogue, char *text, unsigned shift, tpi_wanted *out)
{
    char *at = strchr(text, '@');
    char *name = at == NULL ? text : at + 1;
    char *colon = strrchr(name, ':');

    assert_non_null(colon);
    *colon = '\0';
    if (at != NULL) {
        *at = '\0';
    }
    out->key = at == NULL ? "" : text;
    out->interface = tp_catalogue_named(catalogue, name);
    assert_non_null(out->interface);
    out->addr = (tp_devaddr){.robot = BENCH_ROBOT,
                             .interf = out->interface->code,
                             .index = (uint16_t)(strtoul(colon + 1, NULL, 10) + shift)};
}

static uint32_t read_all_wanted(const tp_catalogue *catalogue, char *text, unsigned shift,
                                tpi_wanted *out)
{
    uint32_t count = 0;
    char *rest = NULL;

    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        assert_true(count < MOST_ITEMS);
        read_wanted(catalogue, word, shift, &out[count++]);
    }
    return count;
}

/* A number, or a word with a NaN. */
static tpi_setting_value read_value(const char *text)
{
    char *end = NULL;
    const double number = strtod(text, &end);

    return (tpi_setting_value){.text = text,
                               .number = *text != '\0' && *end == '\0' ? number : (double)NAN};
}

static void read_setting(char *word, tpi_setting *out, tpi_setting_value *values)
{
    char *equals = strchr(word, '=');
    char *rest = NULL;

    assert_non_null(equals);
    *equals = '\0';
    *out = (tpi_setting){.name = word, .values = values};
    for (char *value = strtok_r(equals + 1, ",", &rest); value != NULL;
         value = strtok_r(NULL, ",", &rest)) {
        assert_true(out->value_count < MOST_VALUES);
        values[out->value_count++] = read_value(value);
    }
}

bench_plan *bench_plan_create(const tp_catalogue *catalogue, const bench_section *section,
                              unsigned shift)
{
    bench_plan *plan = calloc(1, sizeof *plan);
    tpi_blueprint *blueprint = &plan->blueprint;
    char *rest = NULL;

    assert_non_null(plan);
    plan->texts = calloc(1, 8192);
    assert_non_null(plan->texts);
    plan->end = plan->texts;
    blueprint->driver = section->driver;
    blueprint->robot = BENCH_ROBOT;
    blueprint->provides = plan->provides;
    blueprint->provide_count =
        read_all_wanted(catalogue, copy_text(plan, section->provides), shift, plan->provides);
    blueprint->requires = plan->requires;
    blueprint->require_count =
        read_all_wanted(catalogue, copy_text(plan, section->requires), shift, plan->requires);
    blueprint->settings = plan->settings;
    for (char *word = strtok_r(copy_text(plan, section->settings), " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        const uint32_t i = blueprint->setting_count++;
        read_setting(word, &plan->settings[i], plan->values[i]);
    }
    return plan;
}

void bench_plan_destroy(bench_plan *plan)
{
    if (plan != NULL) {
        free(plan->texts);
        free(plan);
    }
}

const tpi_blueprint *bench_plan_blueprint(const bench_plan *plan)
{
    return &plan->blueprint;
}

tp_device *bench_find(const bench *b, const char *address)
{
    char text[MOST_TEXT];
    tpi_wanted wanted;

    snprintf(text, sizeof text, "%s", address);
    read_wanted(b->catalogue, text, 0, &wanted);
    return tpi_hub_find(b->hub, BENCH_ROBOT, wanted.addr.interf, wanted.addr.index);
}

/* ---- Readers --------------------------------------------------------------------------------- */

static void deliver(tpi_reader *reader, tp_msg *msg)
{
    bench_reader *r = reader->context;
    const unsigned code = tp_msg_header(msg)->subtype;

    r->counts[code]++;
    tp_msg_unref(r->last[code]);
    r->last[code] = tp_msg_ref(msg);
}

static void settled(tpi_opening *opening, tp_status status, const tp_error *err)
{
    bench_reader *r = opening->context;

    r->settled = true;
    r->status = status;
    if (err != NULL) {
        r->b->err = *err;
    }
}

tp_status bench_open(bench *b, bench_reader *r, tp_device *device)
{
    memset(r, 0, sizeof *r);
    r->b = b;
    r->reader = (tpi_reader){.deliver = deliver, .context = r};
    r->opening = (tpi_opening){.reader = &r->reader, .done = settled, .context = r};
    tpi_device_open(device, &r->opening);
    while (!r->settled) {
        tp_loop_turn(b->loop, true);
    }
    return r->status;
}

void bench_close(bench_reader *r)
{
    tpi_device_close(&r->reader);
    for (size_t i = 0; i < 256; i++) {
        tp_msg_unref(r->last[i]);
        r->last[i] = NULL;
    }
}

const void *bench_await(bench_reader *r, unsigned code)
{
    const uint32_t before = r->counts[code];

    while (r->counts[code] == before) {
        turn_polling(r->b);
    }
    return tp_msg_payload(r->last[code]);
}

/* To the instance and back. */
struct move {
    job job;
    tpi_task task;
    bench *b;
    double by_s;
    bool made;
};

static void note_move(tpi_task *task)
{
    ((struct move *)((char *)task - offsetof(struct move, task)))->made = true;
}

static void run_move(job *next, tp_instance *self)
{
    struct move *move = (struct move *)next;

    bench_move_clock(move->b, move->by_s);
    tpi_loop_post(self->hub->loop, &move->task);
}

const void *bench_await_later(bench_reader *r, double by_s, unsigned code)
{
    struct move move = {.job.run = run_move, .task.run = note_move, .b = r->b, .by_s = by_s};
    const uint32_t before = r->counts[code];

    tpi_instance_submit(r->reader.device->instance, &move.job);
    while (!move.made || r->counts[code] == before) {
        turn_polling(r->b);
    }
    return tp_msg_payload(r->last[code]);
}

const void *bench_await_by_and_by(bench_reader *r, unsigned code)
{
    const uint32_t before = r->counts[code];

    while (r->counts[code] == before) {
        bench_move_clock(r->b, 0.05);
        turn_polling(r->b);
    }
    return tp_msg_payload(r->last[code]);
}

const void *bench_await_fresh(bench_reader *r, unsigned code)
{
    /* Behind this every message that was on its way has arrived. */
    bench_request(r->b, r->reader.device, TP_COMMON_REQ_GET_PROPERTIES, NULL, NULL);
    return bench_await(r, code);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

struct ending {
    bench *b;
    bool done;
    tp_status status;
    tp_msg *answer;
};

static void ended(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    struct ending *ending = context;

    ending->done = true;
    ending->status = status;
    ending->answer = answer == NULL ? NULL : tp_msg_ref(answer);
    if (status != TP_OK) {
        ending->b->err = *err;
    }
}

tp_status bench_call(bench *b, tp_device *device, const tp_message *what, const void *ask,
                     tp_msg **answer)
{
    static uint32_t sequence;
    struct ending ending = {.b = b};
    const tp_msghdr header = {.addr = *tp_device_addr(device),
                              .type = (uint8_t)what->kind,
                              .subtype = what->code,
                              .seq = ++sequence};
    tp_msg *msg = NULL;
    tpi_call *call = NULL;

    assert_int_equal(tp_msg_create(&msg, &header, what->ask, ask), TP_OK);
    assert_int_equal(tpi_device_call(device, what, msg, ended, &ending, &call), TP_OK);
    while (!ending.done) {
        tp_loop_turn(b->loop, true);
    }
    assert_null(call);
    tp_msg_unref(msg);
    if (ending.answer != NULL) {
        const tp_msghdr *told = tp_msg_header(ending.answer);
        assert_int_equal(told->type, TP_MSGTYPE_RESP_ACK);
        assert_int_equal(told->subtype, header.subtype);
        assert_int_equal(told->seq, header.seq);
        assert_memory_equal(&told->addr, &header.addr, sizeof header.addr);
    }
    if (answer != NULL) {
        *answer = ending.answer;
    } else {
        tp_msg_unref(ending.answer);
    }
    return ending.status;
}

static tp_status call_by_code(bench *b, tp_device *device, tp_kind kind, unsigned code,
                              const void *ask, tp_msg **answer)
{
    const tp_message *what =
        tp_catalogue_message(b->catalogue, tp_device_addr(device)->interf, kind, code);

    assert_non_null(what);
    return bench_call(b, device, what, ask, answer);
}

tp_status bench_command(bench *b, tp_device *device, unsigned code, const void *ask)
{
    return call_by_code(b, device, TP_KIND_COMMAND, code, ask, NULL);
}

tp_status bench_request(bench *b, tp_device *device, unsigned code, const void *ask,
                        tp_msg **answer)
{
    return call_by_code(b, device, TP_KIND_REQUEST, code, ask, answer);
}
