/* common.c - the questions that every device answers: geometry, properties, capabilities. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

tp_status tpi_fake_check_size(const tp_struct *type, const void *value, size_t most, tp_error *err)
{
    size_t size = 0;
    tp_status status = tp_xdr_size(type, value, &size);

    if (status != TP_OK) {
        return tp_fail(err, status, "%s", tp_status_text(status));
    }
    return size <= most ? TP_OK
                        : tp_fail(err, TP_E_LIMIT, "%zu bytes are more than %zu", size, most);
}

/* ---- Geometry and capabilities --------------------------------------------------------------- */

void tpi_fake_set_geometry(fake_device *d)
{
    const bool configured = d->owner->placed || d->owner->sized;
    const tp_geometry geometry = {
        .known = configured ? TP_GEOMETRY_CONFIGURED : TP_GEOMETRY_MEASURED,
        .pose = tpi_fake_pose(d),
        .size = tpi_fake_size(d),
    };

    tp_device_set_geometry(d->device, &geometry);
}

bool tpi_fake_does(const fake_device *d, const tp_message *what)
{
    const tp_interface *own = tp_device_interface(d->device);
    const bool common = tp_interface_message(own, what->kind, what->code) != what;

    if (what->mark == TP_MARK_EXTENSION) {
        return false;
    }
    if (what->kind == TP_KIND_DATA) {
        const bool generic = d->kind == &tpi_fake_generic;
        return !common && (what->mark == TP_MARK_REQUIRED || d->kind->publishes >> what->code & 1 ||
                           (generic && tpi_fake_plays_data(d, what)));
    }
    return !common || what->code == TP_COMMON_REQ_CAPABILITIES; /* the rest is the server's */
}

tp_status tpi_fake_capabilities(tp_device *device, const tp_capabilities_req *ask, tp_error *err)
{
    const tp_interface *own = tp_device_interface(device);
    const tp_kind kind = (tp_kind)ask->type;
    const tp_message *what = tp_interface_message(own, kind, ask->subtype);

    if (what == NULL) {
        what = tp_interface_message(&tp_interface_common, kind, ask->subtype);
    }
    if (what == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED, "%s has no message %u of kind %u", own->name,
                       ask->subtype, ask->type);
    }
    return tpi_fake_does(fake_of(device), what)
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", what->name);
}

/* ---- Properties ------------------------------------------------------------------------------ */

/* What one device receives holds for all devices of the instance. */
static void show_everywhere(fake *f, const char *key, double number)
{
    for (size_t i = 0; i < f->device_count; i++) {
        tp_device_set_property_number(f->devices[i].device, key, number);
    }
}

static tp_status set_rate(tp_device *device, const char *key, const char *text, double rate_hz,
                          tp_error *err)
{
    fake *f = fake_of(device)->owner;

    (void)text;
    if (!(rate_hz > 0 && rate_hz <= FAKE_MOST_HZ)) {
        return tp_fail(err, TP_E_RANGE, "rate %g Hz is not above 0 and up to %d", rate_hz,
                       FAKE_MOST_HZ);
    }
    f->rate_hz = rate_hz;
    tp_instance_set_period(f->instance, (int64_t)((double)TP_NS_PER_S / rate_hz));
    show_everywhere(f, key, rate_hz);
    return TP_OK;
}

static tp_status set_noise(tp_device *device, const char *key, const char *text, double noise,
                           tp_error *err)
{
    fake *f = fake_of(device)->owner;

    (void)text;
    if (!(noise >= 0 && isfinite(noise))) {
        return tp_fail(err, TP_E_RANGE, "noise %g is below 0", noise);
    }
    f->noise = noise;
    show_everywhere(f, key, noise);
    return TP_OK;
}

static tp_status set_seed(tp_device *device, const char *key, const char *text, double seed,
                          tp_error *err)
{
    fake *f = fake_of(device)->owner;

    (void)text;
    (void)err;
    f->seed = (uint64_t)(int64_t)seed;
    for (size_t i = 0; i < f->device_count; i++) {
        tpi_fake_seed(&f->devices[i]);
    }
    show_everywhere(f, key, seed);
    return TP_OK;
}

static const tp_property_plan common_properties[] = {
    {"rate", TP_PROPERTY_DOUBLE, true, "Hz", "How often data is sent.", "10", set_rate},
    {"noise", TP_PROPERTY_DOUBLE, true, "", "Standard deviation of what is measured.", "0",
     set_noise},
    {"seed", TP_PROPERTY_INT, true, "", "What random numbers begin with.", "1", set_seed},
    {"name", TP_PROPERTY_STRING, true, "", "A name that identifies the device.", "", NULL},
    {"active", TP_PROPERTY_BOOL, true, "", "Whether data is sent.", "yes", NULL},
    {0},
};

static tp_status add_properties(tp_device *device, const tp_property_plan *plans, tp_error *err)
{
    tp_status status = TP_OK;

    for (; plans != NULL && plans->key != NULL && status == TP_OK; plans++) {
        status = tp_device_add_property(device, plans, err);
    }
    return status;
}

tp_status tpi_fake_add_properties(fake_device *d, tp_error *err)
{
    const tp_devaddr *addr = tp_device_addr(d->device);
    char name[64];
    tp_status status = add_properties(d->device, common_properties, err);

    status = status == TP_OK ? add_properties(d->device, d->kind->properties, err) : status;
    for (const tp_property_plan *c = d->kind->counters; c != NULL && c->key != NULL; c++) {
        status = status == TP_OK ? tp_device_add_counter(d->device, c, err) : status;
    }
    if (status != TP_OK) {
        return status;
    }
    snprintf(name, sizeof name, "%.40s:%u", tp_device_interface(d->device)->name, addr->index);
    tp_device_set_property_number(d->device, "rate", d->owner->rate_hz);
    tp_device_set_property_number(d->device, "noise", d->owner->noise);
    tp_device_set_property_number(d->device, "seed", (double)(int64_t)d->owner->seed);
    return tp_device_set_property_text(d->device, "name", name) == TP_OK
               ? TP_OK
               : tp_fail(err, TP_E_NOMEM, "out of memory");
}
