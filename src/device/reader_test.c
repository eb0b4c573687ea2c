/* reader_test.c - readers that close each other, themselves, or open more, while they are told. */
#include <stdlib.h>

#include "conformance/play.h"
#include "troupe/interfaces/ptz.h"

struct speaker {
    tp_device *device;
};

static tp_status speaker_command(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    const tp_ptz_data data = {.pan = ask->pan};

    (void)err;
    return tp_publish(device, TP_PTZ_DATA_STATE, &data, 0);
}

static const tp_ptz_ops speaker_device = {.cmd_state = speaker_command};

static tp_status speaker_init(tp_instance *self, tp_error *err)
{
    struct speaker *s = tp_instance_state(self);

    return tp_offer(self, &tp_interface_ptz, NULL, &speaker_device, NULL, &s->device, err);
}

static const tp_driver_ops speaker_ops = {.init = speaker_init};
static const tp_driver speaker = {.abi = TP_DRIVER_ABI,
                                  .name = "speaker",
                                  .state_size = sizeof(struct speaker),
                                  .ops = &speaker_ops,
                                  .flags = TP_DRIVER_ON_LOOP};

/* A reader that does something when it hears. */
struct listener {
    tpi_reader reader;
    tpi_opening opening;
    int heard;
    struct listener *closes; /* NULL for nobody */
    struct listener *opens;
    tp_device *device;
};

static void opened(tpi_opening *opening, tp_status status, const tp_error *err)
{
    (void)opening;
    (void)err;
    assert_int_equal(status, TP_OK);
}

static void open_listener(struct listener *l, tp_device *device)
{
    l->device = device;
    l->opening = (tpi_opening){.reader = &l->reader, .done = opened, .context = l};
    tpi_device_open(device, &l->opening);
}

static void hear(tpi_reader *reader, tp_msg *msg)
{
    struct listener *l = reader->context;

    (void)msg;
    l->heard++;
    if (l->closes != NULL) {
        tpi_device_close(&l->closes->reader);
        l->closes = NULL;
    }
    if (l->opens != NULL) {
        open_listener(l->opens, l->device);
        l->opens = NULL;
    }
}

enum { LISTENERS = 5 };

/* The readers of a device are told newest first: the last one here is the first to hear. */
static play *begin(struct listener listeners[LISTENERS], int count)
{
    play *p = play_begin(&speaker, "ptz:0", NULL);

    for (int i = 0; i < LISTENERS; i++) {
        listeners[i] = (struct listener){.reader = {.deliver = hear, .context = &listeners[i]}};
    }
    for (int i = 0; i < count; i++) {
        open_listener(&listeners[i], p->device);
    }
    return p;
}

static void end(play *p, struct listener listeners[LISTENERS])
{
    for (int i = 0; i < LISTENERS; i++) {
        tpi_device_close(&listeners[i].reader);
    }
    play_destroy(p);
}

static void speak(play *p)
{
    const tp_ptz_cmd ask = {0};

    play_command(p, TP_PTZ_CMD_STATE, &ask);
}

static void assert_heard(const struct listener listeners[LISTENERS], const char *counts)
{
    for (int i = 0; i < LISTENERS; i++) {
        assert_int_equal(listeners[i].heard, counts[i] - '0');
    }
}

static void a_reader_may_close_the_next_one(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, LISTENERS);

    (void)state;
    l[3].closes = &l[2];
    speak(p);
    assert_heard(l, "11011");
    speak(p);
    assert_heard(l, "22022");
    end(p, l);
}

static void a_reader_may_close_itself(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, LISTENERS);

    (void)state;
    l[2].closes = &l[2];
    l[0].closes = &l[0];
    speak(p);
    speak(p);
    assert_heard(l, "12122");
    end(p, l);
}

static void a_reader_may_close_the_next_and_the_one_after_that(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, LISTENERS);

    (void)state;
    l[4].closes = &l[3];
    l[2].closes = &l[1];
    speak(p);
    speak(p);
    assert_heard(l, "20202");
    end(p, l);
}

/* Data comes to a new reader from the next message on. */
static void a_reader_may_open_another_one(void **state)
{
    struct listener l[LISTENERS];
    play *p = begin(l, 3);

    (void)state;
    l[1].opens = &l[3];
    l[1].closes = &l[0];
    speak(p);
    assert_heard(l, "01100");
    speak(p);
    assert_heard(l, "02210");
    end(p, l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_may_close_the_next_one),
        cmocka_unit_test(a_reader_may_close_itself),
        cmocka_unit_test(a_reader_may_close_the_next_and_the_one_after_that),
        cmocka_unit_test(a_reader_may_open_another_one),
    };

    return cmocka_run_group_tests_name("src/device/reader", tests, NULL, NULL);
}
