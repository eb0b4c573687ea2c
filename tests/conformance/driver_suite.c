/* driver_suite.c - see driver_suite.h. */
#include "conformance/driver_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "fronts/player/player.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/unit.h"
#include "troupe/server.h"

enum { ROUNDS = 8, OPENINGS = 100, MOST_DEVICES = 128 };

static const char *const fast = "rate=1000"; /* of the devices behind */

/* ---- Instances ------------------------------------------------------------------------------- */

/* A driver under test with all it needs. */
struct stage {
    bench b;
    const suite_driver *driver;
    bench_plan *plans[4];
    size_t plan_count;
    tp_device *devices[MOST_DEVICES]; /* of the driver under test */
    size_t device_count;
};

static const tp_driver *find_driver(const char *name)
{
    const tp_driver *const *at = tp_full_kit.drivers;

    while (*at != NULL && strcmp((*at)->name, name) != 0) {
        at++;
    }
    return *at;
}

static bench_section section_behind(const suite_driver *driver)
{
    const bool is_fake = driver->behind_driver == NULL;

    return (bench_section){.driver = find_driver(is_fake ? "fake" : driver->behind_driver),
                           .provides = driver->behind,
                           .settings = is_fake ? fast : driver->behind_settings};
}

static const tpi_blueprint *plan(struct stage *s, const bench_section *section, unsigned shift)
{
    bench_plan *made = bench_plan_create(s->b.catalogue, section, shift);

    s->plans[s->plan_count++] = made;
    return bench_plan_blueprint(made);
}

/* Add an instance of the driver, and before it what it uses. */
static void add_instance(struct stage *s, unsigned shift)
{
    const bench_section behind = section_behind(s->driver);

    if (s->driver->behind != NULL) {
        assert_int_equal(tpi_hub_add(s->b.hub, plan(s, &behind, shift), NULL, &s->b.err), TP_OK);
    }
    const size_t before = tpi_hub_device_count(s->b.hub);
    tp_status status = tpi_hub_add(s->b.hub, plan(s, &s->driver->section, shift), NULL, &s->b.err);
    if (status != TP_OK) {
        fail_msg("%s", s->b.err.text);
    }
    for (size_t i = before; i < tpi_hub_device_count(s->b.hub); i++) {
        assert_true(s->device_count < MOST_DEVICES);
        s->devices[s->device_count++] = tpi_hub_device_at(s->b.hub, i);
    }
}

static struct stage *raise_curtain(const suite_driver *driver)
{
    struct stage *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->driver = driver;
    bench_init(&s->b);
    return s;
}

static void drop_curtain(struct stage *s)
{
    bench_fini(&s->b);
    for (size_t i = 0; i < s->plan_count; i++) {
        bench_plan_destroy(s->plans[i]);
    }
    free(s);
}

static void open_device(struct stage *s, bench_reader *r, tp_device *device)
{
    if (bench_open(&s->b, r, device) != TP_OK) {
        fail_msg("%s", s->b.err.text);
    }
}

/* ---- Parameters ------------------------------------------------------------------------------ */

/* Adding the section fails with a sentence that begins with the instance's name. */
static void assert_refused(struct stage *s, const bench_section *section)
{
    char name[64];
    bench_plan *wrong = bench_plan_create(s->b.catalogue, section, 0);
    const size_t devices = tpi_hub_device_count(s->b.hub);

    snprintf(name, sizeof name, "%s0: ", section->driver->name);
    assert_true(tpi_hub_add(s->b.hub, bench_plan_blueprint(wrong), NULL, &s->b.err) < 0);
    assert_memory_equal(s->b.err.text, name, strlen(name));
    assert_int_equal(tpi_hub_device_count(s->b.hub), devices);
    bench_plan_destroy(wrong);
}

static void refuses_bad_and_missing_settings(void **state)
{
    struct stage *s = raise_curtain(*state);
    bench_section section = s->driver->section;

    for (size_t i = 0; s->driver->bad_settings != NULL && s->driver->bad_settings[i] != NULL; i++) {
        section.settings = s->driver->bad_settings[i];
        assert_refused(s, &section);
    }
    const tp_param *param = section.driver->params;
    for (; param != NULL && param->name != NULL; param++) {
        section.settings = NULL; /* whatever has no fallback is missing now */
        if (param->fallback == NULL) {
            assert_refused(s, &section);
        }
    }
    drop_curtain(s);
}

static void refuses_what_it_cannot_offer_or_lacks(void **state)
{
    struct stage *s = raise_curtain(*state);
    bench_section section = s->driver->section;

    if (s->driver->foreign != NULL) {
        section.provides = s->driver->foreign;
        assert_refused(s, &section);
    }
    section = s->driver->section;
    if (section.requires != NULL) {
        section.requires = NULL;
        assert_refused(s, &section);
    }
    section = s->driver->section;
    section.provides = "player:0";
    section.requires = section.requires == NULL ? NULL : "player:0";
    assert_refused(s, &section);
    drop_curtain(s);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static bool is_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words; at != NULL && (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Some things are sent only now and then. */
static const void *await_data(const struct stage *s, bench_reader *r, unsigned code)
{
    return s->driver->follows_clock ? bench_await_by_and_by(r, code)
                                    : bench_await_later(r, 10, code);
}

static void sends_all_required_data(void **state)
{
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    for (size_t i = 0; i < s->device_count && !s->driver->refuses_requests; i++) {
        const tp_interface *interface = tp_device_interface(s->devices[i]);
        bench_reader r;
        open_device(s, &r, s->devices[i]);
        for (uint32_t k = 0; k < interface->message_count; k++) {
            const tp_message *what = &interface->messages[k];
            if (what->kind == TP_KIND_DATA && what->mark == TP_MARK_REQUIRED &&
                !is_word(s->driver->quiet, interface->name)) {
                const void *bytes = NULL;
                size_t length = 0;
                assert_non_null(await_data(s, &r, what->code));
                assert_ptr_equal(tp_msg_type(r.last[what->code]), what->ask);
                assert_int_equal(
                    tp_msg_encode(r.last[what->code], &tp_encoding_player, &bytes, &length), TP_OK);
            }
        }
        bench_close(&r);
    }
    drop_curtain(s);
}

/* An answer has the body that its message promises, and can be sent. */
static void check_answer(const tp_message *what, tp_msg *answer)
{
    const void *bytes = NULL;
    size_t length = 0;

    assert_non_null(answer);
    assert_ptr_equal(tp_msg_type(answer), what->answer);
    assert_int_equal(tp_msg_encode(answer, &tp_encoding_player, &bytes, &length), TP_OK);
}

/* Refusals that are about what was asked, or about asking at all. */
static bool is_refusal(tp_status status)
{
    switch (status) {
    case TP_E_INVALID:
    case TP_E_RANGE:
    case TP_E_UNKNOWN:
    case TP_E_EXISTS:
    case TP_E_LIMIT:
    case TP_E_DENIED:
        return true;
    default:
        return false;
    }
}

static const tp_message *capabilities_question(void)
{
    return tp_interface_message(&tp_interface_common, TP_KIND_REQUEST, TP_COMMON_REQ_CAPABILITIES);
}

/* Send one message and judge what comes of it. */
static void try_message(struct stage *s, tp_device *device, const tp_message *what, const void *ask)
{
    tp_msg *answer = NULL;
    tp_status status = bench_call(&s->b, device, what, ask, &answer);
    /* "No" is an answer to the question what the device can do. */
    const bool may_lack = what->mark != TP_MARK_REQUIRED || what == capabilities_question();
    const bool by_design = s->driver->refuses_requests && what->kind == TP_KIND_REQUEST;

    if (status == TP_OK && what->kind == TP_KIND_REQUEST) {
        check_answer(what, answer);
    }
    if (status != TP_OK) {
        assert_true(s->b.err.text[0] != '\0');
        if (!is_refusal(status) && !(status == TP_E_UNSUPPORTED && (may_lack || by_design))) {
            fail_msg("%s %s of %s: %s", tp_kind_name(what->kind), what->name,
                     tp_device_interface(device)->name, s->b.err.text);
        }
    }
    assert_true(status == TP_OK || answer == NULL);
    tp_msg_unref(answer);
}

/* With nothing in it, then with all kinds of things. */
static void try_often(struct stage *s, tp_device *device, const tp_message *what,
                      random_source *source)
{
    if (what->kind != TP_KIND_COMMAND && what->kind != TP_KIND_REQUEST) {
        return;
    }
    if (what->ask == NULL) {
        try_message(s, device, what, NULL);
        return;
    }
    void *zero = calloc(1, what->ask->size);
    assert_non_null(zero);
    try_message(s, device, what, zero);
    free(zero);
    for (int i = 0; i < ROUNDS; i++) {
        void *ask = random_value(source, what->ask);
        try_message(s, device, what, ask);
        free(ask);
    }
}

static void try_all(struct stage *s, tp_device *device, const tp_interface *interface)
{
    random_source source = {tp_device_addr(device)->interf};

    for (uint32_t i = 0; i < interface->message_count; i++) {
        try_often(s, device, &interface->messages[i], &source);
    }
}

/* The first data of a device that answers only then. */
static void await_others(struct stage *s, bench_reader *r, const tp_interface *interface)
{
    if (s->driver->waits_for_others) {
        assert_non_null(bench_await_later(r, 1, interface->messages[0].code));
    }
}

static void answers_every_message(void **state)
{
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    for (size_t i = 0; i < s->device_count; i++) {
        bench_reader r;
        open_device(s, &r, s->devices[i]);
        await_others(s, &r, tp_device_interface(s->devices[i]));
        try_all(s, s->devices[i], tp_device_interface(s->devices[i]));
        try_all(s, s->devices[i], &tp_interface_common);
        bench_close(&r);
    }
    drop_curtain(s);
}

static void refuses_requests_that_nobody_knows(void **state)
{
    static const tp_message unknown[] = {
        {.name = "NOBODY_KNOWS", .kind = TP_KIND_REQUEST, .code = 238},
        {.name = "NOBODY_KNOWS",
         .ask = &tp_desc_pose2d,
         .answer = &tp_desc_pose2d,
         .kind = TP_KIND_REQUEST,
         .code = 238},
    };
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    for (size_t i = 0; i < s->device_count; i++) {
        const tp_pose2d pose = {0};
        bench_reader r;
        open_device(s, &r, s->devices[i]);
        assert_true(bench_call(&s->b, s->devices[i], &unknown[0], NULL, NULL) < 0);
        assert_true(bench_call(&s->b, s->devices[i], &unknown[1], &pose, NULL) < 0);
        bench_close(&r);
    }
    drop_curtain(s);
}

/* A message that should have a body and has none. */
static void refuses_requests_without_their_body(void **state)
{
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    for (size_t i = 0; i < s->device_count; i++) {
        const tp_interface *interface = tp_device_interface(s->devices[i]);
        bench_reader r;
        open_device(s, &r, s->devices[i]);
        for (uint32_t k = 0; k < interface->message_count; k++) {
            const tp_message *what = &interface->messages[k];
            if (what->kind == TP_KIND_REQUEST && what->ask != NULL) {
                assert_true(bench_call(&s->b, s->devices[i], what, NULL, NULL) < 0);
            }
        }
        bench_close(&r);
    }
    drop_curtain(s);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Command everything and go away without waiting for anything. */
static void command_and_leave(struct stage *s, tp_device *device, random_source *source)
{
    const tp_interface *interface = tp_device_interface(device);
    const tp_msghdr header = {.addr = *tp_device_addr(device)};
    bench_reader r;

    open_device(s, &r, device);
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *what = &interface->messages[i];
        tp_msg *msg = NULL;
        if (what->kind != TP_KIND_COMMAND) {
            continue;
        }
        void *ask = what->ask == NULL ? NULL : random_value(source, what->ask);
        assert_int_equal(tp_msg_create(&msg, &header, what->ask, ask), TP_OK);
        assert_int_equal(tpi_device_call(device, what, msg, NULL, NULL, NULL), TP_OK);
        tp_msg_unref(msg);
        free(ask);
    }
    bench_close(&r);
}

static void stops_while_it_is_commanded(void **state)
{
    struct stage *s = raise_curtain(*state);
    random_source source = {1};

    add_instance(s, 0);
    for (size_t i = 0; i < s->device_count; i++) {
        command_and_leave(s, s->devices[i], &source);
        while (tpi_device_is_running(s->devices[i]) && !s->driver->stays_on) {
            tp_loop_turn(s->b.loop, true);
        }
        command_and_leave(s, s->devices[i], &source); /* it starts again, and again goes on */
    }
    drop_curtain(s);
}

static void opens_and_closes_a_hundred_times(void **state)
{
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    for (int i = 0; i < OPENINGS; i++) {
        bench_reader r;
        open_device(s, &r, s->devices[(size_t)i % s->device_count]);
        bench_close(&r);
    }
    drop_curtain(s);
}

/* Opening that is given up at once, and one that stays behind it. A device that runs is open at
 * once: there is nothing to give up. */
static void survives_an_opening_that_is_given_up(void **state)
{
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    for (int i = 0; i < OPENINGS && !s->driver->stays_on; i++) {
        bench_reader left = {.b = &s->b};
        bench_reader kept;
        tp_device *device = s->devices[(size_t)i % s->device_count];
        left.opening.reader = &left.reader;
        left.opening.context = &left;
        tpi_device_open(device, &left.opening);
        tpi_device_give_up(&left.opening);
        open_device(s, &kept, device);
        bench_close(&kept);
    }
    drop_curtain(s);
}

/* Two at once: each has its own devices and goes on when the other stops. */
static void two_instances_live_side_by_side(void **state)
{
    struct stage *s = raise_curtain(*state);

    add_instance(s, 0);
    const size_t count = s->device_count;
    add_instance(s, 100);
    assert_int_equal(s->device_count, 2 * count);
    for (size_t i = 0; i < count; i++) {
        bench_reader first;
        bench_reader second;
        open_device(s, &first, s->devices[i]);
        open_device(s, &second, s->devices[count + i]);
        await_others(s, &first, tp_device_interface(s->devices[i]));
        await_others(s, &second, tp_device_interface(s->devices[i]));
        try_all(s, s->devices[i], tp_device_interface(s->devices[i]));
        bench_close(&first);
        try_all(s, s->devices[count + i], tp_device_interface(s->devices[i]));
        bench_close(&second);
    }
    drop_curtain(s);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

struct creation {
    const tpi_blueprint *behind; /* may be NULL */
    const tpi_blueprint *under_test;
    const tp_catalogue *catalogue;
};

static tp_status make_hub(const struct creation *c, tp_loop *loop)
{
    tpi_hub *hub = NULL;
    tp_error err = {0};
    tp_status status = tpi_hub_create(&hub, loop, c->catalogue, &err);

    if (status == TP_OK && c->behind != NULL) {
        status = tpi_hub_add(hub, c->behind, NULL, &err);
    }
    if (status == TP_OK) {
        status = tpi_hub_add(hub, c->under_test, NULL, &err);
    }
    tpi_hub_destroy(hub);
    return status;
}

static tp_status create_and_destroy(void *context)
{
    tp_loop *loop = NULL;
    tp_error err = {0};
    tp_status status = tp_loop_create(&loop, tp_clock_real(), &err);

    status = status == TP_OK ? make_hub(context, loop) : status;
    tp_loop_destroy(loop);
    tpi_pool_leave();
    return status;
}

static void survives_memory_that_runs_out_while_it_is_made(void **state)
{
    const suite_driver *driver = *state;
    const bench_section section = section_behind(driver);
    tp_catalogue *catalogue = NULL;

    assert_int_equal(tp_catalogue_create(&catalogue, NULL), TP_OK);
    bench_plan *behind = driver->behind == NULL ? NULL : bench_plan_create(catalogue, &section, 0);
    bench_plan *under_test = bench_plan_create(catalogue, &driver->section, 0);
    struct creation creation = {.behind = behind == NULL ? NULL : bench_plan_blueprint(behind),
                                .under_test = bench_plan_blueprint(under_test),
                                .catalogue = catalogue};
    memory_sweep(create_and_destroy, &creation);
    bench_plan_destroy(behind);
    bench_plan_destroy(under_test);
    tp_catalogue_destroy(catalogue);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    CMUnitTestFunction run;
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    /* First, while no thread of the test itself still tidies up after another case. */
    CASE(survives_memory_that_runs_out_while_it_is_made),
    CASE(refuses_bad_and_missing_settings),
    CASE(refuses_what_it_cannot_offer_or_lacks),
    CASE(sends_all_required_data),
    CASE(answers_every_message),
    CASE(refuses_requests_that_nobody_knows),
    CASE(refuses_requests_without_their_body),
    CASE(stops_while_it_is_commanded),
    CASE(opens_and_closes_a_hundred_times),
    CASE(survives_an_opening_that_is_given_up),
    CASE(two_instances_live_side_by_side),
#undef CASE
};

enum { CASES = sizeof cases / sizeof cases[0], MOST_DRIVERS = 128 };

static size_t listed; /* drivers on the list */
static const char *const *not_listed;

static bool is_hidden(const char *name)
{
    const char *const *at = not_listed;

    while (*at != NULL && strcmp(*at, name) != 0) {
        at++;
    }
    return *at != NULL;
}

static void every_built_in_driver_is_listed(void **state)
{
    const suite_driver *drivers = *state;

    for (const tp_driver *const *at = tp_full_kit.drivers; *at != NULL; at++) {
        bool found = is_hidden((*at)->name);
        for (size_t k = 0; k < listed; k++) {
            found = found || drivers[k].section.driver == *at;
        }
        if (!found) {
            fail_msg("%s is not listed", (*at)->name);
        }
    }
}

int driver_suite_run(const suite_driver *drivers, size_t count, const char *const *hidden)
{
    static char names[MOST_DRIVERS * CASES][128];
    static struct CMUnitTest tests[MOST_DRIVERS * CASES + 1];
    size_t made = 0;

    if (count > MOST_DRIVERS) { /* none is left out */
        (void)fprintf(stderr, "more than %d drivers\n", MOST_DRIVERS);
        return 1;
    }
    listed = count;
    not_listed = hidden;
    for (size_t k = 0; k < CASES; k++) {
        for (size_t i = 0; i < count; i++, made++) {
            snprintf(names[made], sizeof names[made], "%s %s", drivers[i].section.driver->name,
                     cases[k].name);
            tests[made] = (struct CMUnitTest){.name = names[made], .test_func = cases[k].run};
            tests[made].initial_state = (void *)(uintptr_t)&drivers[i];
        }
    }
    tests[made] = (struct CMUnitTest){.name = "every_built_in_driver_is_listed",
                                      .test_func = every_built_in_driver_is_listed,
                                      .initial_state = (void *)(uintptr_t)drivers};
    return _cmocka_run_group_tests("drivers", tests, made + 1, NULL, NULL);
}
