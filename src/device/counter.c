/*
 * counter.c - counters of devices: what a driver counts and every client reads whole.
 *
 * A counter is a property whose number only grows. No read changes it: each client keeps the total
 * of its last read and sends it with the next one. So clients take nothing from each other, a lost
 * answer loses nothing, and the server keeps nothing for a client. `run` distinguishes the totals
 * of one instance from those of an earlier one with the same address.
 *
 * Counters belong to the instance: its own code and the questions of clients run one at a time.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "device/answers.h"
#include "platform/secret.h"

/* ---- For the driver -------------------------------------------------------------------------- */

/* A number above 0 that no other run has. */
static tp_status draw_run(int64_t *run, tp_error *err)
{
    uint64_t bits = 0;

    if (tpi_secret_random(&bits, sizeof bits) != TP_OK) {
        return tp_fail(err, TP_E_DEVICE, "the system has no random numbers");
    }
    *run = (int64_t)(bits >> 1 | 1);
    return TP_OK;
}

tp_status tp_device_add_counter(tp_device *device, const tp_property_plan *plan, tp_error *err)
{
    struct counters *counters = &device->counters;
    tp_status status = TP_OK;

    if (plan->type != TP_PROPERTY_DOUBLE || plan->writable || plan->set != NULL) {
        return tp_fail(err, TP_E_INVALID, "%s: a counter is a number that clients cannot set",
                       device->name);
    }
    if (counters->count == MOST_COUNTERS) {
        return tp_fail(err, TP_E_LIMIT, "%s: a device has at most %d counters", device->name,
                       MOST_COUNTERS);
    }
    if (counters->run == 0) {
        status = draw_run(&counters->run, err);
    }
    status = status == TP_OK ? tp_device_add_property(device, plan, err) : status;
    if (status == TP_OK) {
        counters->plans[counters->count++] = plan;
    }
    return status;
}

static const tp_property_plan *find(const tp_device *device, const char *key, size_t length)
{
    for (uint32_t i = 0; i < device->counters.count; i++) {
        const char *known = device->counters.plans[i]->key;
        if (strlen(known) == length && memcmp(known, key, length) == 0) {
            return device->counters.plans[i];
        }
    }
    return NULL;
}

tp_status tp_device_count(tp_device *device, const char *key, double amount)
{
    if (find(device, key, strlen(key)) == NULL) {
        return TP_E_UNKNOWN;
    }
    if (!(amount >= 0) || isinf(amount)) {
        return TP_E_INVALID;
    }
    return tp_device_set_property_number(device, key,
                                         tp_device_property_number(device, key) + amount);
}

/* ---- For clients ----------------------------------------------------------------------------- */

static tp_status unknown(const tp_device *device, const char *key, size_t length, tp_error *err)
{
    char name[64];
    char hint[96];
    tpi_nearest nearest;
    const size_t kept = length < sizeof name ? length : sizeof name - 1;

    memcpy(name, kept == 0 ? "" : key, kept);
    name[kept] = '\0';
    tpi_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < device->counters.count; i++) {
        tpi_nearest_offer(&nearest, device->counters.plans[i]->key);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no counter \"%s\"%s", name,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

tp_status tpi_counters_answer(const tp_device *device, const tp_counter_reading *ask,
                              tp_counter_reading *answer, tp_error *err)
{
    const char *end = ask->key_count == 0 ? NULL : memchr(ask->key, '\0', ask->key_count);
    const size_t length = end == NULL ? ask->key_count : (size_t)(end - ask->key);
    const tp_property_plan *plan = find(device, ask->key, length);

    if (plan == NULL) {
        return unknown(device, ask->key, length, err);
    }
    const double total = tp_device_property_number(device, plan->key);
    *answer = *ask; /* the answer repeats the key */
    answer->run = device->counters.run;
    answer->total = total;
    answer->amount = ask->run == device->counters.run ? total - ask->total : total;
    return TP_OK;
}

bool tpi_counters_own(const tp_message *what)
{
    return what->kind == TP_KIND_REQUEST && what->code == TP_COMMON_REQ_READ_AND_CLEAR;
}

bool tpi_counters_exist(const tp_device *device)
{
    return device->counters.count > 0;
}
