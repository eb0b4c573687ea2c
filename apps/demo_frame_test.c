/* demo_frame_test.c - pictures on order, and a world that is not held up by them. */
#include "demo_frame.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "platform/thread.h"

enum { WIDTH = 40, HEIGHT = 32 };

/* worlds.c has it for those who load long. */
void command_catch(int number, void (*handler)(int number))
{
    signal(number, handler);
}

/* A clock that moves on by `step_ns` each time that somebody looks at it. */
struct ticking {
    tp_clock clock;
    int64_t now_ns, step_ns;
};

static int64_t ticking_now(const tp_clock *clock)
{
    struct ticking *t = clock->context;

    t->now_ns += t->step_ns;
    return t->now_ns;
}

static struct demo_member members[] = {{.name = (char[]){"r"}, .device = 4}};
static const struct demo_crew crew = {members, 1};

struct stage {
    struct ticking time;
    tpi_sim *sim;
    demo_frame *frame;
    struct demo_picture picture;
    tp_status status;
    atomic_bool enough;
};

static void set_up(struct stage *s, const char *file)
{
    static const char text[] =
        "position ( name \"r\" ranger ( sensor ( ) ) ctrl \"follow\" )\nmodel ( pose [3 0 0 0] )";
    tp_error err = {0};

    *s = (struct stage){.time = {.clock = {.now_ns = ticking_now}, .step_ns = 10}};
    s->time.clock.context = &s->time;
    assert_int_equal(tpi_sim_parse(&s->sim, "x.world", text, strlen(text), NULL, &err), TP_OK);
    assert_int_equal(demo_frame_create(&s->frame, file, &s->time.clock, &err), TP_OK);
    demo_frame_know(s->frame, &crew);
}

static void tear_down(struct stage *s)
{
    demo_frame_destroy(s->frame);
    tpi_buf_fini(&s->picture.pixels);
    tpi_sim_destroy(s->sim);
}

static bool take(struct stage *s)
{
    return demo_frame_take(s->frame, &s->picture, &s->status);
}

static void a_picture_comes_when_the_world_passes_by(void **state)
{
    struct stage s;

    (void)state;
    set_up(&s, "/no/x.png");
    demo_frame_watch(s.frame, s.sim);
    assert_false(take(&s));
    demo_frame_order(s.frame, WIDTH, HEIGHT, 0);
    assert_false(take(&s));
    tpi_sim_step(s.sim);
    demo_frame_watch(s.frame, s.sim);
    assert_true(take(&s));
    assert_int_equal(s.status, TP_OK);
    assert_int_equal(s.picture.pixels.length, 3 * WIDTH * HEIGHT);
    assert_int_equal(s.picture.robot_count, 1);
    assert_int_equal(s.picture.own_count, 1);
    assert_string_equal(s.picture.robots[0].name, "r");
    assert_int_equal(s.picture.robots[0].device, 4);
    assert_true(s.picture.robots[0].place[0] > 0 && s.picture.robots[0].place[0] < 0.5);
    assert_true(s.picture.robots[0].place[1] > 0.3 && s.picture.robots[0].place[1] < 0.7);
    assert_true(s.picture.time_s == 0.1);
    assert_false(take(&s));
    tear_down(&s);
}

/* A picture took 10 ns: the next one is not begun before the world had four times that. */
static void the_world_has_most_of_the_time_for_itself(void **state)
{
    struct stage s;
    int visits = 0;

    (void)state;
    set_up(&s, "/no/x.png");
    demo_frame_order(s.frame, WIDTH, HEIGHT, 0);
    demo_frame_watch(s.frame, s.sim);
    assert_true(take(&s));
    demo_frame_order(s.frame, WIDTH, HEIGHT, 0);
    while (!take(&s)) {
        demo_frame_watch(s.frame, s.sim);
        visits++;
    }
    assert_int_equal(visits, 4);
    tear_down(&s);
}

static void an_open_order_is_not_changed(void **state)
{
    struct stage s;

    (void)state;
    set_up(&s, "/no/x.png");
    demo_frame_order(s.frame, WIDTH, HEIGHT, 0);
    demo_frame_order(s.frame, 2 * WIDTH, HEIGHT, 0);
    demo_frame_watch(s.frame, s.sim);
    assert_true(take(&s));
    assert_int_equal(s.picture.width, WIDTH);
    tear_down(&s);
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
    struct stage s;
    tp_error err = {0};
    double time_s = -1;

    (void)state;
    set_up(&s, "/no/x.png");
    tpi_sim_step(s.sim);
    demo_frame_save(s.frame, s.sim);
    assert_int_equal(demo_frame_saved(s.frame, &time_s, &err), TP_E_IO);
    assert_string_equal(err.text, "cannot write /no/x.png: No such file or directory");
    assert_true(time_s == 0.1);
    tear_down(&s);
}

/* ---- Two threads ----------------------------------------------------------------------------- */

enum { PICTURES = 50 };

/* Until enough was seen of it. */
static void run_world(void *context)
{
    struct stage *s = context;

    while (!atomic_load(&s->enough)) {
        tpi_sim_step(s->sim);
        demo_frame_watch(s->frame, s->sim);
    }
}

static void world_and_terminal_are_threads_of_their_own(void **state)
{
    struct stage s;
    tpi_thread *world = NULL;
    tp_error err = {0};
    double last_s = 0;

    (void)state;
    set_up(&s, "/no/x.png");
    assert_int_equal(tpi_thread_start(&world, "world", run_world, &s, &err), TP_OK);
    for (int taken = 0; taken < PICTURES;) {
        demo_frame_order(s.frame, WIDTH, HEIGHT, 0);
        if (take(&s)) {
            assert_true(s.picture.time_s > last_s);
            assert_int_equal(s.picture.pixels.length, 3 * WIDTH * HEIGHT);
            last_s = s.picture.time_s;
            taken++;
        }
    }
    atomic_store(&s.enough, true);
    tpi_thread_join(world);
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_comes_when_the_world_passes_by),
        cmocka_unit_test(the_world_has_most_of_the_time_for_itself),
        cmocka_unit_test(an_open_order_is_not_changed),
        cmocka_unit_test(a_file_that_cannot_be_written_is_told),
        cmocka_unit_test(world_and_terminal_are_threads_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
