/*
 * espeak, festival - programs that speak, as a device of the interface speech.
 *
 * The program runs beside the server (a line run:) and reads texts from its input. A text waits in
 * a short queue until the one before it was spoken: festival says when, for espeak that is
 * estimated. A text that finds the queue full is refused. Nothing waits.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "troupe/driver/speech.h"
#include "troupe/port.h"

enum { MOST_QUEUE = 64, LONGEST = 512, LONGEST_LINE = 256 };

/* How a program is spoken to. */
struct manner {
    const char *before, *after; /* around a text */
    const char *done;           /* what it says when it has spoken; NULL if it says nothing */
    bool ascii;                 /* it knows no other characters */
};

struct speech {
    tp_device *device;
    tp_port *port; /* owned; NULL unless it runs */
    const struct manner *manner;
    char line[LONGEST_LINE];
    size_t most;                     /* texts that wait */
    char texts[MOST_QUEUE][LONGEST]; /* a ring */
    size_t first, count;
    bool busy;        /* a text is being spoken */
    int64_t until_ns; /* when it is spoken, by estimation */
};

static const struct manner espeak_manner = {"", "\n", NULL, false};
/* The text is a literal of Scheme; its end is reported. */
static const struct manner festival_manner = {
    "(begin (SayText \"", "\") (format t \"spoken\\n\") (fflush t))\n", "spoken", true};

static const tp_param espeak_params[] = {
    {"line", "line", "run:espeak-ng", "the program, with its options"},
    {"queuelen", "1", "4", "texts that can wait, 1 to 64"},
    {NULL, NULL, NULL, NULL},
};

static const tp_param festival_params[] = {
    {"line", "line", "run:festival --pipe", "the program, with its options"},
    {"queuelen", "1", "4", "texts that can wait, 1 to 64"},
    {"libdir", NULL, "", "folder of Festival's voices; empty for the usual one"},
    {"port", "1", "1314", "ignored: Festival is not asked over the network"},
    {NULL, NULL, NULL, NULL},
};

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* One line without anything that a program could take for more than text. */
static void clean(char *out, const struct manner *manner, const char *text, size_t length)
{
    size_t at = 0;

    for (size_t i = 0; i < length && text[i] != '\0' && at + 1 < LONGEST; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool plain = c >= 0x80 ? !manner->ascii : isprint(c) && c != '\\' && c != '"';
        out[at++] = plain ? (char)c : ' ';
    }
    out[at] = '\0';
}

/* Speak the next text, if none is being spoken. */
static tp_status go_on(tp_instance *self, tp_error *err)
{
    struct speech *s = tp_instance_state(self);
    const int64_t letter_ns = 90 * TP_NS_PER_MS;

    if (s->busy && s->manner->done == NULL && now_ns(self) >= s->until_ns) {
        s->busy = false;
    }
    if (s->busy || s->count == 0) {
        return TP_OK;
    }
    const char *text = s->texts[s->first];
    s->first = (s->first + 1) % MOST_QUEUE;
    s->count--;
    s->busy = true;
    s->until_ns = now_ns(self) + (int64_t)strlen(text) * letter_ns;
    return tp_port_printf(s->port, err, "%s%s%s", s->manner->before, text, s->manner->after);
}

static tp_status say(tp_device *device, const tp_speech_cmd *ask, tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    struct speech *s = tp_instance_state(self);

    if (s->count >= s->most) {
        return tp_fail(err, TP_E_LIMIT, "%zu texts wait to be spoken; no more do", s->count);
    }
    clean(s->texts[(s->first + s->count) % MOST_QUEUE], s->manner, ask->string, ask->string_count);
    s->count++;
    return go_on(self, err);
}

static const tp_speech_ops speech_ops = {.cmd_say = say};

/* What the program says; only that a text was spoken counts. */
static tp_status speech_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct speech *s = tp_instance_state(self);
    char line[128];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read_until(port, line, sizeof line, '\n', &length, 0, err)) == TP_OK ||
           status == TP_E_SPACE) {
        if (status == TP_OK && s->manner->done != NULL && strstr(line, s->manner->done) != NULL) {
            s->busy = false;
        }
    }
    return status == TP_E_TIMEOUT ? go_on(self, err) : status;
}

static tp_status speech_poll(tp_instance *self, tp_error *err)
{
    return go_on(self, err);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status init(tp_instance *self, const struct manner *manner, const char *libdir,
                      tp_error *err)
{
    struct speech *s = tp_instance_state(self);
    const int64_t most = tp_param_int(self, "queuelen");

    if (most < 1 || most > MOST_QUEUE) {
        tp_param_blame(self, "queuelen");
        return tp_fail(err, TP_E_RANGE, "queuelen is a number from 1 to %d", MOST_QUEUE);
    }
    if (snprintf(s->line, sizeof s->line, "%s%s%s", tp_param_string(self, "line"),
                 libdir[0] != '\0' ? " --libdir " : "", libdir) >= (int)sizeof s->line) {
        tp_param_blame(self, "line");
        return tp_fail(err, TP_E_RANGE, "line has more than %d characters", LONGEST_LINE - 1);
    }
    s->manner = manner;
    s->most = (size_t)most;
    return tp_offer_speech(self, NULL, &speech_ops, &s->device, err);
}

static tp_status espeak_init(tp_instance *self, tp_error *err)
{
    return init(self, &espeak_manner, "", err);
}

static tp_status festival_init(tp_instance *self, tp_error *err)
{
    return init(self, &festival_manner, tp_param_string(self, "libdir"), err);
}

static tp_status speech_start(tp_instance *self, tp_error *err)
{
    struct speech *s = tp_instance_state(self);
    const tp_status status =
        tp_port_open(&s->port, self, s->line, NULL, now_ns(self) + 5 * TP_NS_PER_S, err);

    if (status == TP_OK) {
        s->first = s->count = 0;
        s->busy = false;
        tp_instance_set_period(self, 100 * TP_NS_PER_MS);
        tp_port_watch(s->port, true);
    }
    return status;
}

static void speech_stop(tp_instance *self)
{
    struct speech *s = tp_instance_state(self);

    tp_port_close(s->port);
    s->port = NULL;
}

static const tp_driver_ops espeak_ops = {
    .init = espeak_init,
    .start = speech_start,
    .poll = speech_poll,
    .input = speech_input,
    .stop = speech_stop,
};

static const tp_driver_ops festival_ops = {
    .init = festival_init,
    .start = speech_start,
    .poll = speech_poll,
    .input = speech_input,
    .stop = speech_stop,
};

extern const tp_driver tp_driver_espeak;
TP_API const tp_driver tp_driver_espeak = {
    .abi = TP_DRIVER_ABI,
    .name = "espeak",
    .summary = "speaks texts with eSpeak NG",
    .state_size = sizeof(struct speech),
    .params = espeak_params,
    .ops = &espeak_ops,
};

extern const tp_driver tp_driver_festival;
TP_API const tp_driver tp_driver_festival = {
    .abi = TP_DRIVER_ABI,
    .name = "festival",
    .summary = "speaks texts with Festival",
    .state_size = sizeof(struct speech),
    .params = festival_params,
    .ops = &festival_ops,
};
