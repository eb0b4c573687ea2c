/*
 * sensor - a sensor that describes itself, as ordinary devices.
 *
 * The driver asks the sensor for its manifest and knows its channels. It reads those that someone
 * reads, `rate` times a second, and writes actuators before that. One question is outstanding. With
 * a pattern as its line, it waits for a sensor, takes the first that fits `uuid` and `serial`, and
 * waits again when that one is unplugged. The device `experiment` lets the sensor take samples by
 * itself.
 */
#include "sensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { ALIVE_MS = 250, BOOT_S = 5, BAD_BOOT_S = 60, MOST_ON_THE_WAY = 64 };

static const tp_param sensor_params[] = {
    {"port", "line", NULL,
     "the line, for instance serial:/dev/ttyACM0; a pattern as /dev/ttyACM* waits for a sensor"},
    {"uuid", NULL, "", "only a sensor with this uuid; empty for any"},
    {"serial", NULL, "", "only a sensor with this serial number; empty for any"},
    {"rate", "Hz", "10", "readings of each channel per second, as far as the sensor answers"},
    {"verify", "bool", "no", "the line loses bytes: believe nothing that could be damage"},
    {"convert", "bool", "no", "channels that start with raw numbers have their first unit instead"},
    {NULL, NULL, NULL, NULL},
};

/* ---- The line -------------------------------------------------------------------------------- */

/* During a panic nothing is written, and the line has not failed. */
static void on_write(void *context, const char *bytes, size_t length)
{
    struct sensor *s = context;

    if (s->port != NULL) {
        const tp_status status = tp_port_write(s->port, bytes, length, &s->err);
        s->has_failed = s->has_failed || (status != TP_OK && status != TP_E_DENIED);
    }
}

/* A sensor can send thousands of samples at once. No sample is dropped here: while many are on
 * their way to the readers, the rest stays in the line and, behind it, in the memory of the sensor.
 */
static bool hold(struct sensor *s)
{
    const bool holds = tp_instance_on_its_way(s->self) > MOST_ON_THE_WAY;

    if (holds != s->is_held) {
        s->is_held = holds;
        tp_port_watch(s->port, !holds);
    }
    if (holds) {
        tp_instance_await_room(s->self, MOST_ON_THE_WAY / 2);
    }
    return holds;
}

static void receive(struct sensor *s)
{
    char bytes[512];
    size_t length = 0;
    tp_status status;

    while (s->port != NULL && !hold(s) &&
           (status = tp_port_read(s->port, bytes, sizeof bytes, &length, 0, &s->err)) !=
               TP_E_TIMEOUT) {
        if (status != TP_OK) {
            s->has_failed = true;
            return;
        }
        tpi_sensor_host_input(s->host, bytes, length, tpi_sensor_now_ns(s));
    }
}

/* ---- Questions ------------------------------------------------------------------------------- */

static void ask(struct sensor *s, unsigned channel, bool is_write)
{
    const struct sensor_channel *c = &s->channels[channel];
    char command[64];

    if (is_write) {
        char value[TPI_NUMBER_SIZE];
        tpi_number_put_f64(value, tpi_scaling_round(c->wanted, 1e-6));
        snprintf(command, sizeof command, "W,%u,%s", c->transducer->channel, value);
    } else {
        snprintf(command, sizeof command, "R,%u", c->transducer->channel);
    }
    s->asked = (int)channel;
    s->is_write = is_write;
    tpi_sensor_host_ask(s->host, command, tpi_sensor_now_ns(s));
}

/* "R,channel,value" */
static void take_answer(struct sensor *s)
{
    struct sensor_channel *c = s->asked >= 0 ? &s->channels[s->asked] : NULL;
    const char *text = tpi_sensor_host_text(s->host);
    const char *comma = strrchr(text, ',');

    s->alive_ns = tpi_sensor_now_ns(s);
    tpi_sensor_task_answer(s);
    tpi_sensor_setting_answer(s);
    tpi_sensor_check_answer(s);
    if (c != NULL && !s->is_write && comma != NULL &&
        tpi_sensor_host_state_of(s->host) == TPI_HOST_DONE) {
        c->is_known = tpi_number_read_f64(comma + 1, strlen(comma + 1), &c->value) > 0;
    } else if (c != NULL && s->is_write && tpi_sensor_host_state_of(s->host) == TPI_HOST_REFUSED) {
        tp_instance_note(s->self, "the sensor refuses what it was told");
    }
    s->asked = -1;
}

/* In a panic nothing of before is written after it. */
static bool ask_write(struct sensor *s)
{
    if (tp_instance_in_panic(s->self)) {
        tpi_sensor_drop_wanted(s);
        return false;
    }
    for (unsigned i = 0; i < s->count; i++) {
        if (s->channels[i].is_wanted) {
            s->channels[i].is_wanted = false;
            ask(s, i, true);
            return true;
        }
    }
    return false;
}

/* The next channel of a round; at its end everything is published. */
static bool ask_read(struct sensor *s, int64_t now_ns)
{
    if (now_ns < s->round_ns) {
        return false;
    }
    while (s->next < s->count) {
        const unsigned channel = s->next++;
        if (tpi_sensor_is_read(s, &s->channels[channel]) &&
            !tpi_sensor_is_running(s, &s->channels[channel])) { /* its samples come anyway */
            ask(s, channel, false);
            return true;
        }
    }
    s->next = 0;
    s->round_ns =
        now_ns - s->round_ns > s->period_ns ? now_ns + s->period_ns : s->round_ns + s->period_ns;
    tpi_sensor_publish(s);
    return false;
}

static void ask_next(struct sensor *s, int64_t now_ns)
{
    if (tpi_sensor_host_state_of(s->host) == TPI_HOST_BUSY || tpi_sensor_ask_task(s, now_ns) ||
        tpi_sensor_ask_setting(s, now_ns) || ask_write(s) || tpi_sensor_ask_check(s, now_ns) ||
        ask_read(s, now_ns)) {
        return;
    }
    if (now_ns - s->alive_ns >= ALIVE_MS * TP_NS_PER_MS) { /* is it still there? */
        s->alive_ns = now_ns;
        s->asked = -1;
        tpi_sensor_host_ask(s->host, "G,C", now_ns);
    }
}

/* ---- Work ------------------------------------------------------------------------------------ */

/* A chip may begin anew when its line is opened: it gets some seconds, on a bad line more. */
static int64_t boot_ns(const struct sensor *s)
{
    return (tp_param_bool(s->self, "verify") ? BAD_BOOT_S : BOOT_S) * TP_NS_PER_S;
}

/* A long manifest on a slow line takes its time: it is given up when no more of it comes. */
static bool is_coming(struct sensor *s, int64_t now_ns)
{
    const size_t length = tpi_sensor_host_text_length(s->host);

    if (length > s->come) {
        s->come = length;
        s->alive_ns = now_ns;
    }
    return now_ns - s->alive_ns < boot_ns(s);
}

static void await_manifest(struct sensor *s, int64_t now_ns)
{
    tp_error err = {0};

    if (tpi_sensor_host_state_of(s->host) == TPI_HOST_DONE) {
        if (tpi_sensor_accept(s, &err) == TP_OK) {
            return;
        }
        if (s->refused_count == TPI_PLUGGED_MOST) {
            s->refused_count = 0;
        }
        s->refused[s->refused_count++] = s->mark;
        tp_instance_note(s->self, err.text);
        tpi_sensor_gone(s, "another sensor");
    } else if (is_coming(s, now_ns)) {
        tpi_sensor_host_manifest_on(s->host, now_ns);
    } else {
        tpi_sensor_gone(s, "no manifest");
    }
}

/* What the line has brought and what comes next. Fails if a sensor that does not come again is
 * gone. */
static tp_status work(struct sensor *s, tp_error *err)
{
    const int64_t now_ns = tpi_sensor_now_ns(s);

    if (s->manifest == NULL && now_ns >= s->round_ns) { /* readers see that there are no inputs */
        s->round_ns = now_ns + s->period_ns;
        tpi_sensor_publish(s);
    }
    if (s->port == NULL) {
        if (now_ns >= s->look_ns) {
            tpi_sensor_look(s);
        }
        return TP_OK;
    }
    tpi_sensor_host_tick(s->host, now_ns);
    const tpi_sensor_host_state state = tpi_sensor_host_state_of(s->host);
    const bool is_silent =
        s->manifest != NULL && state == TPI_HOST_SILENT && !tp_instance_in_panic(s->self);
    if (s->has_failed || is_silent) {
        const char *why = s->has_failed ? s->err.text : "it does not answer";
        if (!s->is_pattern) {
            return tp_fail(err, TP_E_DEVICE, "%s", why);
        }
        tpi_sensor_gone(s, why);
        return TP_OK;
    }
    if (state == TPI_HOST_BUSY) {
        return TP_OK;
    }
    if (s->manifest == NULL) {
        await_manifest(s, now_ns);
    } else if (state != TPI_HOST_IDLE) {
        take_answer(s);
    }
    if (s->manifest != NULL) {
        tpi_sensor_experiment_tick(s, now_ns);
        ask_next(s, now_ns);
    }
    return TP_OK;
}

static tp_status sensor_poll(tp_instance *self, tp_error *err)
{
    struct sensor *s = tp_instance_state(self);

    if (s->is_held) {
        receive(s);
    }
    return s->is_held ? TP_OK : work(s, err); /* an answer may be among what waits */
}

static tp_status sensor_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct sensor *s = tp_instance_state(self);

    (void)port;
    receive(s);
    return s->is_held ? TP_OK : work(s, err);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* "serial:/dev/ttyACM*?baud=9600" or "/dev/ttyACM*" */
static tp_status read_line(struct sensor *s, tp_error *err)
{
    const char *url = tp_param_string(s->self, "port");
    const char *path = strncmp(url, "serial:", 7) == 0 ? url + 7 : url;
    const size_t length = strcspn(path, "?");

    s->is_pattern = (path != url || url[0] == '/') && tpi_plugged_is_pattern(path);
    if (!s->is_pattern) {
        return TP_OK;
    }
    if (length >= sizeof s->pattern) {
        tp_param_blame(s->self, "port");
        return tp_fail(err, TP_E_LIMIT, "the pattern is longer than %d characters",
                       TPI_PLUGGED_PATH - 1);
    }
    memcpy(s->pattern, path, length);
    s->pattern_tail = path + length;
    return TP_OK;
}

static tp_status sensor_init(tp_instance *self, tp_error *err)
{
    struct sensor *s = tp_instance_state(self);
    const double rate = tp_param_double(self, "rate");
    const tpi_sensor_host_hooks hooks = {.write = on_write,
                                         .samples = tpi_sensor_on_samples,
                                         .lost = tpi_sensor_on_lost,
                                         .context = s};
    const bool verify = tp_param_bool(self, "verify");
    const tpi_sensor_host_options options = {.try_ns = SENSOR_TRY_MS * TP_NS_PER_MS,
                                             .tries = verify ? SENSOR_BAD_TRIES : SENSOR_TRIES,
                                             .verify = verify};

    s->self = self;
    s->asked = -1;
    tp_instance_keep_all(self, true); /* hold() bounds what is on its way */
    if (!(rate > 0 && rate <= 1000)) {
        tp_param_blame(self, "rate");
        return tp_fail(err, TP_E_RANGE, "rate is not between 0 and 1000");
    }
    s->period_ns = (int64_t)((double)TP_NS_PER_S / rate);
    s->host = tpi_sensor_host_create(&hooks, &options);
    if (s->host == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = read_line(s, err);
    status = status == TP_OK ? tpi_sensor_offer(s, err) : status;
    return status == TP_OK ? tpi_sensor_offer_experiment(s, err) : status;
}

/* What the line has brought until `next_ns`, and the time then. */
static tp_status read_on(struct sensor *s, int64_t next_ns, int64_t *now_ns, tp_error *err)
{
    char bytes[512];
    size_t length = 0;
    const tp_status status = tp_port_read(s->port, bytes, sizeof bytes, &length, next_ns, err);
    const int64_t clock_ns = tpi_sensor_now_ns(s);

    *now_ns = status == TP_E_TIMEOUT && next_ns > clock_ns ? next_ns : clock_ns;
    if (status == TP_OK) {
        tpi_sensor_host_input(s->host, bytes, length, *now_ns);
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

/* Wait for the manifest; the line says when there is something to read. */
static tp_status await_sensor(struct sensor *s, tp_error *err)
{
    int64_t now_ns = tpi_sensor_now_ns(s);

    while (is_coming(s, now_ns) && tpi_sensor_host_state_of(s->host) != TPI_HOST_DONE) {
        const int64_t due_ns = tpi_sensor_host_due_ns(s->host);
        const int64_t until_ns = s->alive_ns + boot_ns(s);
        const tp_status status = read_on(s, due_ns < until_ns ? due_ns : until_ns, &now_ns, err);
        if (status != TP_OK) {
            return status;
        }
        tpi_sensor_host_tick(s->host, now_ns);
        if (tpi_sensor_host_state_of(s->host) > TPI_HOST_DONE) {
            tpi_sensor_host_manifest_on(s->host, now_ns);
        }
    }
    return tpi_sensor_host_state_of(s->host) == TPI_HOST_DONE
               ? tpi_sensor_accept(s, err)
               : tp_fail(err, TP_E_TIMEOUT, "%s: no manifest (is it a sensor, at this speed?)",
                         tp_port_url(s->port));
}

static tp_status sensor_start(tp_instance *self, tp_error *err)
{
    struct sensor *s = tp_instance_state(self);
    tp_status status = TP_OK;

    s->look_ns = 0;
    if (!s->is_pattern) {
        status = tpi_sensor_open(s, tp_param_string(self, "port"), err);
        status = status == TP_OK ? await_sensor(s, err) : status;
    }
    if (status != TP_OK) {
        tp_port_close(s->port);
        s->port = NULL;
        return status;
    }
    tp_instance_set_period(self, SENSOR_BUSY_PERIOD_MS * TP_NS_PER_MS);
    return TP_OK;
}

static void switch_off(struct sensor *s)
{
    char bytes[1024];
    const size_t length = tpi_sensor_off_bytes(s, tpi_sensor_run_acts(s), bytes, sizeof bytes);

    tpi_sensor_drop_wanted(s);
    if (tpi_sensor_run_acts(s)) {
        tpi_sensor_experiment_drop(s, "it was stopped");
    }
    if (s->port != NULL && length > 0) {
        (void)tp_port_write(s->port, bytes, length, NULL);
    }
}

static void sensor_halt(tp_device *device, tp_halt how)
{
    (void)how;
    switch_off(tp_instance_state(tp_device_instance(device)));
}

static void sensor_stop(tp_instance *self)
{
    struct sensor *s = tp_instance_state(self);

    if (s->manifest != NULL) {
        tpi_sensor_keep_settings(s);
    }
    switch_off(s);
    tpi_sensor_experiment_drop(s, "the sensor was stopped");
    tp_port_close(s->port);
    s->port = NULL;
    tpi_manifest_destroy(s->manifest);
    s->manifest = NULL;
    tpi_sensor_learn(s);
    tpi_sensor_describe(s);
}

static void sensor_fini(tp_instance *self)
{
    struct sensor *s = tp_instance_state(self);

    tpi_sensor_experiment_fini(s);
    tpi_sensor_hide_settings(s);
    tpi_sensor_host_destroy(s->host);
    tpi_manifest_destroy(s->manifest);
}

static const tp_driver_ops sensor_ops = {
    .init = sensor_init,
    .start = sensor_start,
    .poll = sensor_poll,
    .input = sensor_input,
    .halt = sensor_halt,
    .stop = sensor_stop,
    .fini = sensor_fini,
};

extern const tp_driver tp_driver_sensor;
TP_API const tp_driver tp_driver_sensor = {
    .abi = TP_DRIVER_ABI,
    .name = "sensor",
    .summary = "a sensor that describes itself",
    .state_size = sizeof(struct sensor),
    .params = sensor_params,
    .ops = &sensor_ops,
};
