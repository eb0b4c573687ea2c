/* connect.c - which line, and whether the right sensor is there; see sensor.h. */
#include <stdio.h>
#include <string.h>

#include "sensor.h"

enum { LOOK_MS = 100, OPEN_S = 5, MOST_TRIES = 5 };

static void close_line(struct sensor *s)
{
    tp_port_close(s->port);
    s->port = NULL;
    s->has_failed = s->is_held = false;
}

/* A sensor may take as long for an answer as its manifest says; nothing is known of one without.
 * On a bad line it is asked often, whatever it says: most silences are lost bytes. */
static void be_patient(struct sensor *s, double timeout_ms)
{
    const int64_t all_ns = (int64_t)(timeout_ms * TP_NS_PER_MS);
    const int64_t least_ns = SENSOR_TRY_MS * TP_NS_PER_MS;
    const int64_t try_ns = all_ns / MOST_TRIES > least_ns ? all_ns / MOST_TRIES : least_ns;
    const unsigned tries = (unsigned)((all_ns + try_ns - 1) / try_ns);

    if (!tp_param_bool(s->self, "verify")) {
        tpi_sensor_host_set_patience(s->host, try_ns, tries > SENSOR_TRIES ? tries : SENSOR_TRIES);
    }
}

tp_status tpi_sensor_open(struct sensor *s, const char *url, tp_error *err)
{
    const tp_port_settings settings = {.baud = 115200};
    const int64_t now_ns = tpi_sensor_now_ns(s);
    const tp_status status =
        tp_port_open(&s->port, s->self, url, &settings, now_ns + OPEN_S * TP_NS_PER_S, err);

    if (status != TP_OK) {
        s->port = NULL;
        return status;
    }
    s->has_failed = s->is_held = false;
    s->alive_ns = now_ns;
    s->come = 0;
    tp_port_drain(s->port);
    tp_port_watch(s->port, true);
    be_patient(s, 0);
    tpi_sensor_host_clear(s->host); /* what another program has left behind */
    tpi_sensor_host_manifest(s->host, now_ns);
    return TP_OK;
}

/* ---- Identity -------------------------------------------------------------------------------- */

static bool is_right(const struct sensor *s, const tpi_manifest *m)
{
    const char *uuid = tp_param_string(s->self, "uuid");
    const char *serial = tp_param_string(s->self, "serial");

    return (uuid[0] == '\0' || strcmp(uuid, m->uuid) == 0) &&
           (serial[0] == '\0' || strcmp(serial, m->serial_no) == 0);
}

/* If the server dies, a guard switches actuators off. */
static tp_status guard(struct sensor *s, tp_error *err)
{
    char bytes[1024];
    const size_t length = tpi_sensor_off_bytes(s, true, bytes, sizeof bytes);

    return length > 0 ? tp_port_guard(s->port, bytes, length, err) : TP_OK;
}

tp_status tpi_sensor_accept(struct sensor *s, tp_error *err)
{
    tpi_manifest *manifest = NULL;
    tp_status status =
        tpi_manifest_read(&manifest, tpi_sensor_host_text(s->host),
                          tpi_sensor_host_text_length(s->host), "manifest", NULL, err);

    if (status != TP_OK) {
        return status;
    }
    if (!is_right(s, manifest)) {
        status = tp_fail(err, TP_E_DEVICE, "%s is the sensor %s with the serial number \"%s\"",
                         tp_port_url(s->port), manifest->uuid, manifest->serial_no);
        tpi_manifest_destroy(manifest);
        return status;
    }
    tpi_manifest_destroy(s->manifest);
    s->manifest = manifest;
    be_patient(s, manifest->timeout_ms);
    tpi_sensor_learn(s);
    tpi_sensor_recall(s);
    tpi_sensor_describe(s);
    tpi_sensor_announce(s);
    s->round_ns = tpi_sensor_now_ns(s);
    return guard(s, err);
}

void tpi_sensor_gone(struct sensor *s, const char *why)
{
    char text[160];

    if (s->manifest != NULL) {
        snprintf(text, sizeof text, "%.60s is gone: %.80s", s->manifest->name, why);
        tp_instance_note(s->self, text);
        tpi_sensor_keep_settings(s);
    }
    tpi_sensor_experiment_drop(s, "the sensor is gone");
    close_line(s);
    tpi_manifest_destroy(s->manifest);
    s->manifest = NULL;
    tpi_sensor_learn(s);
    tpi_sensor_describe(s);
    tpi_sensor_announce(s);
    tpi_sensor_publish(s);
    s->look_ns = tpi_sensor_now_ns(s);
}

/* ---- Lines that come and go ------------------------------------------------------------------ */

static bool was_refused(const struct sensor *s, uint64_t mark)
{
    for (unsigned i = 0; i < s->refused_count; i++) {
        if (s->refused[i] == mark) {
            return true;
        }
    }
    return false;
}

void tpi_sensor_look(struct sensor *s)
{
    tpi_plugged found[TPI_PLUGGED_MOST];
    const size_t count = tpi_plugged_list(s->pattern, found);
    char url[TPI_PLUGGED_PATH + 64];

    s->look_ns = tpi_sensor_now_ns(s) + LOOK_MS * TP_NS_PER_MS;
    for (size_t i = 0; i < count; i++) {
        if (was_refused(s, found[i].mark)) {
            continue;
        }
        snprintf(url, sizeof url, "serial:%.*s%.40s", TPI_PLUGGED_PATH - 1, found[i].path,
                 s->pattern_tail);
        if (tpi_sensor_open(s, url, NULL) == TP_OK) { /* others have some of them open */
            s->mark = found[i].mark;
            return;
        }
    }
}
