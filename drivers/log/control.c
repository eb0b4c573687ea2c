/* control.c - the interface `log` and the properties of the driver: what clients can ask; see
 * log.h.
 */
#include "log.h"

static struct log_driver *driver_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- The interface `log` --------------------------------------------------------------------- */

static tp_status wrong_kind(const struct log_driver *d, tp_error *err)
{
    return tp_fail(err, TP_E_UNSUPPORTED, "this driver %s", d->plays ? "plays" : "records");
}

static tp_status log_write_state(tp_device *device, const tp_log_set_write_state *ask,
                                 tp_error *err)
{
    struct log_driver *d = driver_of(device);

    if (d->plays) {
        return wrong_kind(d, err);
    }
    return ask->state != 0 ? tpi_recording_begin(&d->as.recording, err)
                           : tpi_recording_end(&d->as.recording, err);
}

static tp_status log_read_state(tp_device *device, const tp_log_set_read_state *ask, tp_error *err)
{
    struct log_driver *d = driver_of(device);

    if (!d->plays) {
        return wrong_kind(d, err);
    }
    tpi_playing_set(&d->as.playing, ask->state != 0);
    return TP_OK;
}

static tp_status log_state(tp_device *device, tp_log_get_state *answer, tp_error *err)
{
    const struct log_driver *d = driver_of(device);

    (void)err;
    answer->type = d->plays ? TP_LOG_TYPE_READ : TP_LOG_TYPE_WRITE;
    answer->state = d->plays ? d->as.playing.is_on : d->as.recording.is_on;
    return TP_OK;
}

static tp_status log_rewind(tp_device *device, tp_error *err)
{
    struct log_driver *d = driver_of(device);

    return d->plays ? tpi_playing_go(&d->as.playing, (double)d->as.playing.from_ns * 1e-9, err)
                    : wrong_kind(d, err);
}

/* A client chooses a name, not a folder: it must not write anywhere. */
tp_status tpi_log_choose(struct log_driver *d, const char *name, tp_error *err)
{
    struct log_recording *r = &d->as.recording;

    if (d->plays) {
        return wrong_kind(d, err);
    }
    if (r->is_on) {
        return tp_fail(err, TP_E_INVALID, "it records; stop the recording first");
    }
    if (!tpi_log_is_name(name)) {
        return tp_fail(err, TP_E_INVALID, "\"%s\": a name without a folder is wanted", name);
    }
    (void)snprintf(r->path, sizeof r->path, "%.700s%s", d->folder, name);
    r->is_text = tpi_log_is_text(r->path);
    return TP_OK;
}

static tp_status log_filename(tp_device *device, const tp_log_set_filename *ask, tp_error *err)
{
    char name[256] = "";

    (void)snprintf(name, sizeof name, "%.*s",
                   (int)(ask->filename_count < 255 ? ask->filename_count : 255), ask->filename);
    return tpi_log_choose(driver_of(device), name, err);
}

const tp_log_ops tpi_log_control_ops = {
    .req_set_write_state = log_write_state,
    .req_set_read_state = log_read_state,
    .req_get_state = log_state,
    .req_set_read_rewind = log_rewind,
    .req_set_filename = log_filename,
};

/* ---- Properties ------------------------------------------------------------------------------ */

static tp_status set_speed(tp_device *device, const char *key, const char *text, double number,
                           tp_error *err)
{
    (void)key;
    (void)text;
    if (!(number >= 0 && number <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "a speed is 0 to 1000000");
    }
    tpi_playing_set_speed(&driver_of(device)->as.playing, number);
    return TP_OK;
}

static tp_status set_position(tp_device *device, const char *key, const char *text, double number,
                              tp_error *err)
{
    (void)key;
    (void)text;
    return tpi_playing_go(&driver_of(device)->as.playing, number, err);
}

static tp_status set_step(tp_device *device, const char *key, const char *text, double number,
                          tp_error *err)
{
    (void)key;
    (void)text;
    return number >= 1 && number <= 10000
               ? tpi_playing_step(&driver_of(device)->as.playing, (unsigned)number, err)
               : tp_fail(err, TP_E_RANGE, "1 to 10000 messages at once");
}

static tp_status set_loop(tp_device *device, const char *key, const char *text, double number,
                          tp_error *err)
{
    (void)key;
    (void)text;
    (void)err;
    driver_of(device)->as.playing.loops = number != 0;
    return TP_OK;
}

static const tp_property_plan play_properties[] = {
    {"speed", TP_PROPERTY_DOUBLE, true, "", "times as fast as it was recorded", "1", set_speed},
    {"position", TP_PROPERTY_DOUBLE, true, "s", "seconds from the beginning; sets where to go on",
     "0", set_position},
    {"step", TP_PROPERTY_INT, true, "", "play so many messages and stand still", "0", set_step},
    {"loop", TP_PROPERTY_BOOL, true, "", "play again at the end", "0", set_loop},
    {"messages", TP_PROPERTY_DOUBLE, false, "", "played so far", "0", NULL},
    {"left_out", TP_PROPERTY_DOUBLE, false, "", "damaged or unknown parts of the file", "0", NULL},
    {"file", TP_PROPERTY_STRING, false, "", "what is played", "", NULL},
};

static const tp_property_plan record_properties[] = {
    {"messages", TP_PROPERTY_DOUBLE, false, "", "recorded so far", "0", NULL},
    {"left_out", TP_PROPERTY_DOUBLE, false, "", "messages that the format does not have", "0",
     NULL},
    {"failure", TP_PROPERTY_STRING, false, "", "why the last recording ended", "", NULL},
    {"file", TP_PROPERTY_STRING, false, "", "where it is recorded to", "", NULL},
};

void tpi_log_show(struct log_driver *d)
{
    tp_device *device = d->control;

    tpi_shelf_tell(d, false);
    if (device == NULL) {
        return;
    }
    if (d->plays) {
        const struct log_playing *p = &d->as.playing;

        tp_device_set_property_number(device, "speed", p->speed);
        tp_device_set_property_number(device, "loop", p->loops);
        tp_device_set_property_number(device, "position", tpi_playing_position(p));
        tp_device_set_property_number(device, "messages", (double)p->messages);
        tp_device_set_property_number(device, "left_out", (double)tpi_source_left_out(p->source));
        tp_device_set_property_text(device, "file", p->path);
    } else {
        const struct log_recording *r = &d->as.recording;

        tp_device_set_property_number(device, "messages", (double)r->messages);
        tp_device_set_property_number(device, "left_out", (double)r->left_out);
        tp_device_set_property_text(device, "failure", r->failure.text);
        tp_device_set_property_text(device, "file", r->path);
    }
}

tp_status tpi_log_add_properties(struct log_driver *d, tp_error *err)
{
    const tp_property_plan *plans = d->plays ? play_properties : record_properties;
    const size_t count = d->plays ? sizeof play_properties / sizeof *plans
                                  : sizeof record_properties / sizeof *plans;
    tp_status status = TP_OK;

    for (size_t i = 0; i < count && status == TP_OK && d->control != NULL; i++) {
        status = tp_device_add_property(d->control, &plans[i], err);
    }
    return status;
}
