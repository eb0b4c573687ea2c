/* speeches.c - speech and speech_recognition: what one says, the others of the instance hear. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/speech.h"
#include "troupe/interfaces/speech_recognition.h"

enum { MOST_TEXT = 1024 };

static const double pause_s = 2; /* between two things that somebody says */

static void hear(fake_device *d, const char *chars, uint32_t count)
{
    const tp_speech_recognition_data data = {.text_count = count, .text = fake_chars(chars)};

    tp_publish(d->device, TP_SPEECH_RECOGNITION_DATA_STRING, &data, 0);
}

static tp_status say(tp_device *device, const tp_speech_cmd *ask, tp_error *err)
{
    const fake *f = fake_of(device)->owner;

    if (ask->string_count > MOST_TEXT) {
        return tp_fail(err, TP_E_LIMIT, "a text has at most %d characters, not %u", MOST_TEXT,
                       ask->string_count);
    }
    for (size_t i = 0; i < f->device_count; i++) {
        if (f->devices[i].kind->interface == &tp_interface_speech_recognition) {
            hear(&f->devices[i], ask->string, ask->string_count);
        }
    }
    return TP_OK;
}

static const tp_speech_ops speech_ops = {.cmd_say = say};

struct ear {
    double time_s;
    double next_s;
};

static void ear_advance(fake_device *d, double dt_s)
{
    ((struct ear *)d->state)->time_s += dt_s;
}

static void ear_publish(fake_device *d)
{
    static const char *const words[] = {"hello",     "go forward", "stop",
                                        "turn left", "turn right", "come here"};
    struct ear *ear = d->state;
    const char *text = words[tpi_fake_random_below(&d->random, sizeof words / sizeof words[0])];

    if (ear->time_s >= ear->next_s) {
        ear->next_s = ear->time_s + pause_s;
        hear(d, text, tpi_counted_size(text));
    }
}

const fake_kind tpi_fake_speeches[] = {
    {
        .interface = &tp_interface_speech,
        .ops = &speech_ops,
        .size = {.sw = 0.1, .sl = 0.05, .sh = 0.1},
    },
    {
        .interface = &tp_interface_speech_recognition,
        .state_size = sizeof(struct ear),
        .size = {.sw = 0.02, .sl = 0.02, .sh = 0.02},
        .advance = ear_advance,
        .publish = ear_publish,
    },
    {0},
};
