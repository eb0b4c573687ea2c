/*
 * localbb - a blackboard in the memory of the server, as Player's driver of that name.
 *
 * Every entry that is written goes to all readers of the device. Entries of the group "channel" are
 * messages: they are sent and not kept (src/universal/channels.h). Entries last as long as the
 * instance, not only while it has readers.
 */
#include <stdlib.h>
#include <string.h>

#include "counted.h"
#include "troupe/driver/blackboard.h"
#include "troupe/padi.h"

enum { ENTRIES = 256, LONGEST_NAME = 64, MOST_ENTRY = 4096 };

struct entry {
    char key[LONGEST_NAME], group[LONGEST_NAME];
    tp_blackboard_entry *value; /* owned, one block */
};

struct localbb {
    uint32_t count;
    struct entry entries[ENTRIES];
};

static const tp_param localbb_params[] = {{NULL, NULL, NULL, NULL}};

static struct localbb *board_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static struct entry *find(struct localbb *b, const tp_blackboard_entry *ask)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (tpi_counted_is(ask->key, ask->key_count, b->entries[i].key) &&
            tpi_counted_is(ask->group, ask->group_count, b->entries[i].group)) {
            return &b->entries[i];
        }
    }
    return NULL;
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* The present value, or an empty one with the names that were asked for. */
static tp_status localbb_get(tp_device *device, const tp_blackboard_entry *ask,
                             tp_blackboard_entry *answer, tp_error *err)
{
    const struct entry *entry = find(board_of(device), ask);

    (void)err;
    *answer = entry != NULL ? *entry->value
                            : (tp_blackboard_entry){.key_count = ask->key_count,
                                                    .key = ask->key,
                                                    .group_count = ask->group_count,
                                                    .group = ask->group};
    return TP_OK;
}

static tp_status localbb_watch_group(tp_device *device, const tp_blackboard_entry *ask,
                                     tp_error *err)
{
    struct localbb *b = board_of(device);

    (void)err;
    for (uint32_t i = 0; i < b->count; i++) {
        if (tpi_counted_is(ask->group, ask->group_count, b->entries[i].group)) {
            (void)tp_blackboard_publish_update(device, b->entries[i].value, 0);
        }
    }
    return TP_OK;
}

/* All readers get all entries, so there is nothing to end. */
static tp_status localbb_unwatch(tp_device *device, const tp_blackboard_entry *ask, tp_error *err)
{
    (void)device;
    (void)ask;
    (void)err;
    return TP_OK;
}

static tp_status check(const tp_blackboard_entry *ask, tp_error *err)
{
    size_t size = 0;

    if (ask->key_count > LONGEST_NAME || ask->group_count > LONGEST_NAME || ask->key_count < 2) {
        return tp_fail(err, TP_E_LIMIT, "names of entries have 1 to %d characters",
                       LONGEST_NAME - 1);
    }
    if (tp_xdr_size(&tp_desc_blackboard_entry, ask, &size) != TP_OK || size > MOST_ENTRY) {
        return tp_fail(err, TP_E_LIMIT, "an entry has at most %d bytes", MOST_ENTRY);
    }
    return TP_OK;
}

static tp_status keep(struct localbb *b, const tp_blackboard_entry *ask, tp_error *err)
{
    struct entry *entry = find(b, ask);
    void *copy = NULL;

    if (entry == NULL && b->count == ENTRIES) {
        return tp_fail(err, TP_E_LIMIT, "the blackboard has room for %d entries", ENTRIES);
    }
    if (tp_value_copy(&copy, &tp_desc_blackboard_entry, ask, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (entry == NULL) {
        entry = &b->entries[b->count++];
        tpi_counted_copy(entry->key, LONGEST_NAME, ask->key, ask->key_count);
        tpi_counted_copy(entry->group, LONGEST_NAME, ask->group, ask->group_count);
    }
    free(entry->value);
    entry->value = copy;
    return TP_OK;
}

static tp_status localbb_set(tp_device *device, const tp_blackboard_entry *ask, tp_error *err)
{
    const bool is_message = tpi_counted_is(ask->group, ask->group_count, "channel");
    tp_status status = check(ask, err);

    if (status == TP_OK && !is_message) {
        status = keep(board_of(device), ask, err);
    }
    return status == TP_OK ? tp_blackboard_publish_update(device, ask, 0) : status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static const tp_blackboard_ops board_ops = {
    .req_subscribe_to_key = localbb_get,
    .req_unsubscribe_from_key = localbb_unwatch,
    .req_set_entry = localbb_set,
    .req_subscribe_to_group = localbb_watch_group,
    .req_unsubscribe_from_group = localbb_unwatch,
    .req_get_entry = localbb_get,
};

static tp_status localbb_init(tp_instance *self, tp_error *err)
{
    return tp_offer_blackboard(self, NULL, &board_ops, NULL, err);
}

static tp_status localbb_start(tp_instance *self, tp_error *err)
{
    (void)self;
    (void)err;
    return TP_OK;
}

static void localbb_stop(tp_instance *self)
{
    (void)self;
}

static void localbb_fini(tp_instance *self)
{
    struct localbb *b = tp_instance_state(self);

    for (uint32_t i = 0; i < b->count; i++) {
        free(b->entries[i].value);
    }
}

static const tp_driver_ops localbb_ops = {
    .init = localbb_init, .start = localbb_start, .stop = localbb_stop, .fini = localbb_fini};

extern const tp_driver tp_driver_localbb;
TP_API const tp_driver tp_driver_localbb = {
    .abi = TP_DRIVER_ABI,
    .name = "localbb",
    .summary = "named values and messages that many share",
    .state_size = sizeof(struct localbb),
    .params = localbb_params,
    .ops = &localbb_ops,
};
