/* wave_test.c - the driver of the page about commands at a time, with a camera that remembers. */
#include <math.h>

#include "conformance/puppet.h"
#include "support/unit.h"
#include "troupe/interfaces/ptz.h"

extern const tp_driver tp_driver_wave;

static void pass(play *p, double seconds)
{
    puppet_wait(&p->b, seconds);
    for (int i = 0; i < 4; i++) { /* what that has begun comes to its end */
        puppet_wait(&p->b, 0);
    }
}

static void the_camera_follows_the_times(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &tp_driver_wave, NULL, "ptz:0", "amplitude=0.4");
    play_add(p, &puppet_driver, "ptz:0", NULL, NULL);
    play_open(p);
    tpi_hub_begin(p->b.hub, NULL, NULL);
    pass(p, 0);   /* it starts */
    pass(p, 0.1); /* it asks */
    pass(p, 0.1); /* it posts: from 1.2 s on */
    for (int i = 0; i < 100; i++) {
        const tp_ptz_cmd *look = puppet_last(&p->b, "ptz:0", TP_PTZ_CMD_STATE);
        const double now_s = (double)tp_clock_now_ns(&p->b.clock) / (double)TP_NS_PER_S;
        play_assert_near((double)look->pan, 0.4 * sin(now_s));
        pass(p, 0.02);
    }
    assert_int_equal(puppet_at(&p->b, "ptz:0")->commands[TP_PTZ_CMD_STATE], 101);
    tpi_panic_raise(tpi_panic_of(p->b.hub), "test", "because");
    pass(p, 0.02);
    pass(p, 1);
    assert_int_equal(puppet_at(&p->b, "ptz:0")->commands[TP_PTZ_CMD_STATE], 101);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_camera_follows_the_times)};

    return cmocka_run_group_tests_name("examples/wave", tests, NULL, NULL);
}
