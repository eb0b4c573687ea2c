/* common.c - the questions that every device answers: geometry, properties, capabilities. */
#include <math.h>
#include <string.h>

#include "fake.h"

/* ---- Text ------------------------------------------------------------------------------------ */

uint32_t fake_count(const char *text)
{
    return (uint32_t)strlen(text) + 1;
}

static size_t length_of(const char *chars, uint32_t count)
{
    const char *end = count == 0 ? NULL : memchr(chars, '\0', count);

    return end == NULL ? count : (size_t)(end - chars);
}

bool fake_text_is(const char *chars, uint32_t count, const char *text)
{
    const size_t length = length_of(chars, count);

    return length == strlen(text) && (length == 0 || memcmp(chars, text, length) == 0);
}

void fake_text_copy(char *to, size_t size, const char *chars, uint32_t count)
{
    const size_t length = length_of(chars, count);
    const size_t kept = length < size ? length : size - 1;

    if (kept > 0) {
        memcpy(to, chars, kept);
    }
    to[kept] = '\0';
}

tp_status fake_check_size(const tp_struct *type, const void *value, size_t most, tp_error *err)
{
    size_t size = 0;
    tp_status status = tp_xdr_size(type, value, &size);

    if (status != TP_OK) {
        return tp_fail(err, status, "%s", tp_status_text(status));
    }
    return size <= most ? TP_OK
                        : tp_fail(err, TP_E_LIMIT, "%zu bytes are more than %zu", size, most);
}

/* ---- Geometry and capabilities ------------------------------------------------------------------
 */

static tp_status get_geometry(tp_device *device, tp_geometry *answer, tp_error *err)
{
    fake_device *d = fake_of(device);
    const bool configured = d->owner->placed || d->owner->sized;

    (void)err;
    answer->known = configured ? TP_GEOMETRY_CONFIGURED : TP_GEOMETRY_MEASURED;
    answer->pose = fake_pose(d);
    answer->size = fake_size(d);
    answer->parent = fake_chars("base");
    answer->parent_count = fake_count(answer->parent);
    answer->frame = d->frame;
    answer->frame_count = fake_count(d->frame);
    return TP_OK;
}

bool fake_does(const fake_device *d, const tp_message *what)
{
    const tp_interface *own = tp_device_interface(d->device);
    const bool common = tp_interface_message(own, what->kind, what->code) != what;

    if (what->mark == TP_MARK_EXTENSION) {
        return false;
    }
    if (what->kind == TP_KIND_DATA) {
        return !common && (d->kind == &fake_generic ? what->mark == TP_MARK_REQUIRED
                                                    : d->kind->publishes >> what->code & 1);
    }
    if (common) {
        return tp_message_handled(what, &fake_common_ops);
    }
    return d->kind == &fake_generic || tp_message_handled(what, d->kind->ops);
}

static tp_status capabilities(tp_device *device, const tp_capabilities_req *ask, tp_error *err)
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
    return fake_does(fake_of(device), what)
               ? TP_OK
               : tp_fail(err, TP_E_UNSUPPORTED, "%s is not supported", what->name);
}

/* ---- Properties ------------------------------------------------------------------------------ */

enum { RATE, NOISE, SEED, NAME, ACTIVE };

static const struct {
    const char *key;
    const char *unit;
    const char *doc;
    uint8_t type;
    bool writable;
} table[FAKE_PROPERTIES] = {
    [RATE] = {"rate", "Hz", "How often data is sent.", TP_PROPERTY_DOUBLE, true},
    [NOISE] = {"noise", "", "Standard deviation of what is measured.", TP_PROPERTY_DOUBLE, true},
    [SEED] = {"seed", "", "What random numbers begin with.", TP_PROPERTY_INT, true},
    [NAME] = {"name", "", "A name to tell the device from others.", TP_PROPERTY_STRING, true},
    [ACTIVE] = {"active", "", "Whether data is sent.", TP_PROPERTY_BOOL, true},
};

static tp_status get_properties(tp_device *device, tp_property_list *answer, tp_error *err)
{
    fake_device *d = fake_of(device);

    (void)err;
    for (size_t i = 0; i < FAKE_PROPERTIES; i++) {
        d->properties[i] = (tp_property){.type = table[i].type,
                                         .writable = table[i].writable,
                                         .key_count = fake_count(table[i].key),
                                         .key = fake_chars(table[i].key),
                                         .unit_count = fake_count(table[i].unit),
                                         .unit = fake_chars(table[i].unit),
                                         .doc_count = fake_count(table[i].doc),
                                         .doc = fake_chars(table[i].doc)};
    }
    answer->properties = d->properties;
    answer->properties_count = FAKE_PROPERTIES;
    return TP_OK;
}

/* Find a property of this type; negative with a reason if there is none. */
static int find(const char *key, uint32_t count, uint8_t type, tp_error *err)
{
    char name[FAKE_LABEL];

    fake_text_copy(name, sizeof name, key, count);
    for (int i = 0; i < FAKE_PROPERTIES; i++) {
        if (strcmp(name, table[i].key) == 0) {
            return table[i].type == type
                       ? i
                       : (int)tp_fail(err, TP_E_INVALID, "the property \"%s\" is of another type",
                                      name);
        }
    }
    return (int)tp_fail(err, TP_E_UNKNOWN, "there is no property \"%s\"", name);
}

static tp_status get_double(tp_device *device, const tp_dblprop_req *ask, tp_dblprop_req *answer,
                            tp_error *err)
{
    const fake *f = fake_of(device)->owner;
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_DOUBLE, err);

    *answer = *ask;
    answer->value = found == RATE ? f->rate_hz : f->noise;
    return found < 0 ? (tp_status)found : TP_OK;
}

static tp_status set_rate(fake *f, double rate_hz, tp_error *err)
{
    if (!(rate_hz > 0 && rate_hz <= FAKE_MOST_HZ)) {
        return tp_fail(err, TP_E_RANGE, "rate %g Hz is not above 0 and up to %d", rate_hz,
                       FAKE_MOST_HZ);
    }
    f->rate_hz = rate_hz;
    tp_instance_set_period(f->instance, (int64_t)((double)TP_NS_PER_S / rate_hz));
    return TP_OK;
}

static tp_status set_double(tp_device *device, const tp_dblprop_req *ask, tp_error *err)
{
    fake *f = fake_of(device)->owner;
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_DOUBLE, err);

    if (found < 0) {
        return (tp_status)found;
    }
    if (found == RATE) {
        return set_rate(f, ask->value, err);
    }
    if (!(ask->value >= 0 && isfinite(ask->value))) {
        return tp_fail(err, TP_E_RANGE, "noise %g is below 0", ask->value);
    }
    f->noise = ask->value;
    return TP_OK;
}

static tp_status get_int(tp_device *device, const tp_intprop_req *ask, tp_intprop_req *answer,
                         tp_error *err)
{
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_INT, err);

    *answer = *ask;
    answer->value = (int32_t)fake_of(device)->owner->seed;
    return found < 0 ? (tp_status)found : TP_OK;
}

static tp_status set_int(tp_device *device, const tp_intprop_req *ask, tp_error *err)
{
    fake *f = fake_of(device)->owner;
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_INT, err);

    if (found < 0) {
        return (tp_status)found;
    }
    f->seed = (uint64_t)ask->value;
    for (size_t i = 0; i < f->device_count; i++) {
        fake_seed(&f->devices[i]);
    }
    return TP_OK;
}

static tp_status get_string(tp_device *device, const tp_strprop_req *ask, tp_strprop_req *answer,
                            tp_error *err)
{
    fake_device *d = fake_of(device);
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_STRING, err);

    *answer = *ask;
    answer->value = d->label;
    answer->value_count = fake_count(d->label);
    return found < 0 ? (tp_status)found : TP_OK;
}

static tp_status set_string(tp_device *device, const tp_strprop_req *ask, tp_error *err)
{
    fake_device *d = fake_of(device);
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_STRING, err);

    if (found < 0) {
        return (tp_status)found;
    }
    if (length_of(ask->value, ask->value_count) >= FAKE_LABEL) {
        return tp_fail(err, TP_E_RANGE, "the name has more than %d characters", FAKE_LABEL - 1);
    }
    fake_text_copy(d->label, sizeof d->label, ask->value, ask->value_count);
    return TP_OK;
}

static tp_status get_bool(tp_device *device, const tp_boolprop_req *ask, tp_boolprop_req *answer,
                          tp_error *err)
{
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_BOOL, err);

    *answer = *ask;
    answer->value = fake_of(device)->active;
    return found < 0 ? (tp_status)found : TP_OK;
}

static tp_status set_bool(tp_device *device, const tp_boolprop_req *ask, tp_error *err)
{
    const int found = find(ask->key, ask->key_count, TP_PROPERTY_BOOL, err);

    if (found < 0) {
        return (tp_status)found;
    }
    fake_of(device)->active = ask->value != 0;
    return TP_OK;
}

/* Leases are kept by the server, not by drivers. */
const tp_common_ops fake_common_ops = {
    .req_get_geometry = get_geometry,
    .req_get_properties = get_properties,
    .req_capabilities = capabilities,
    .req_get_intprop = get_int,
    .req_set_intprop = set_int,
    .req_get_dblprop = get_double,
    .req_set_dblprop = set_double,
    .req_get_strprop = get_string,
    .req_set_strprop = set_string,
    .req_get_boolprop = get_bool,
    .req_set_boolprop = set_bool,
};
