/*
 * boards.c - blackboard: named values in groups.
 *
 * A driver does not see which client asks, so an update goes to all readers of the device as long
 * as anybody watches the entry or its group.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "troupe/interfaces/blackboard.h"

enum { SLOTS = 256, GROUPS = 32, MOST_ENTRY_SIZE = 1 << 16 };

/* An entry that was written, or is watched at least. */
struct slot {
    char key[FAKE_LABEL];
    char group[FAKE_LABEL];
    unsigned watchers;
    tp_blackboard_entry *value; /* owned, one block; NULL until it is written */
};

struct group {
    char name[FAKE_LABEL];
    unsigned watchers;
};

struct board {
    struct slot slots[SLOTS];
    struct group groups[GROUPS];
    uint32_t slot_count;
    uint32_t group_count;
};

static void board_end(fake_device *d)
{
    struct board *b = d->state;

    for (uint32_t i = 0; i < b->slot_count; i++) {
        free(b->slots[i].value);
    }
}

/* NULL if it was neither written nor watched. */
static struct slot *find_slot(struct board *b, const tp_blackboard_entry *ask)
{
    for (uint32_t i = 0; i < b->slot_count; i++) {
        if (tpi_counted_is(ask->key, ask->key_count, b->slots[i].key) &&
            tpi_counted_is(ask->group, ask->group_count, b->slots[i].group)) {
            return &b->slots[i];
        }
    }
    return NULL;
}

/* The same, made if it is new; NULL with a reason if there is no room for it. */
static struct slot *make_slot(struct board *b, const tp_blackboard_entry *ask, tp_error *err)
{
    struct slot *slot = find_slot(b, ask);

    if (slot != NULL) {
        return slot;
    }
    if (b->slot_count == SLOTS || ask->key_count > FAKE_LABEL || ask->group_count > FAKE_LABEL) {
        tp_fail(err, TP_E_LIMIT, "there is room for %d entries with names of %d characters", SLOTS,
                FAKE_LABEL - 1);
        return NULL;
    }
    slot = &b->slots[b->slot_count++];
    tpi_counted_copy(slot->key, FAKE_LABEL, ask->key, ask->key_count);
    tpi_counted_copy(slot->group, FAKE_LABEL, ask->group, ask->group_count);
    return slot;
}

static struct group *group_of(struct board *b, const char *name, uint32_t count, bool make)
{
    for (uint32_t i = 0; i < b->group_count; i++) {
        if (tpi_counted_is(name, count, b->groups[i].name)) {
            return &b->groups[i];
        }
    }
    if (!make || b->group_count == GROUPS || count > FAKE_LABEL) {
        return NULL;
    }
    struct group *group = &b->groups[b->group_count++];
    tpi_counted_copy(group->name, FAKE_LABEL, name, count);
    return group;
}

/* The present value, or an empty one with the names that were asked for. */
static tp_status get(tp_device *device, const tp_blackboard_entry *ask, tp_blackboard_entry *answer,
                     tp_error *err)
{
    const struct slot *slot = find_slot(fake_state(device), ask);

    (void)err;
    *answer = slot != NULL && slot->value != NULL
                  ? *slot->value
                  : (tp_blackboard_entry){.key_count = ask->key_count,
                                          .key = ask->key,
                                          .group_count = ask->group_count,
                                          .group = ask->group};
    return TP_OK;
}

static tp_status subscribe_to_key(tp_device *device, const tp_blackboard_entry *ask,
                                  tp_blackboard_entry *answer, tp_error *err)
{
    struct slot *slot = make_slot(fake_state(device), ask, err);

    if (slot == NULL) {
        return TP_E_LIMIT;
    }
    slot->watchers++;
    return get(device, ask, answer, err);
}

static tp_status unsubscribe_from_key(tp_device *device, const tp_blackboard_entry *ask,
                                      tp_error *err)
{
    struct slot *slot = find_slot(fake_state(device), ask);

    (void)err;
    if (slot != NULL) {
        slot->watchers -= slot->watchers > 0;
    }
    return TP_OK;
}

static tp_status subscribe_to_group(tp_device *device, const tp_blackboard_entry *ask,
                                    tp_error *err)
{
    struct board *b = fake_state(device);
    struct group *group = group_of(b, ask->group, ask->group_count, true);

    if (group == NULL) {
        return tp_fail(err, TP_E_LIMIT, "%d groups are watched already", GROUPS);
    }
    group->watchers++;
    for (uint32_t i = 0; i < b->slot_count; i++) {
        if (b->slots[i].value != NULL && strcmp(b->slots[i].group, group->name) == 0) {
            tp_publish(device, TP_BLACKBOARD_DATA_UPDATE, b->slots[i].value, 0);
        }
    }
    return TP_OK;
}

static tp_status unsubscribe_from_group(tp_device *device, const tp_blackboard_entry *ask,
                                        tp_error *err)
{
    struct group *group = group_of(fake_state(device), ask->group, ask->group_count, false);

    (void)err;
    if (group != NULL) {
        group->watchers -= group->watchers > 0;
    }
    return TP_OK;
}

static bool is_watched(struct board *b, const struct slot *slot)
{
    const struct group *group = group_of(b, slot->group, tpi_counted_size(slot->group), false);

    return slot->watchers > 0 || (group != NULL && group->watchers > 0);
}

static tp_status set_entry(tp_device *device, const tp_blackboard_entry *ask, tp_error *err)
{
    struct board *b = fake_state(device);
    void *copy = NULL;
    tp_status status = tpi_fake_check_size(&tp_desc_blackboard_entry, ask, MOST_ENTRY_SIZE, err);
    struct slot *slot = status == TP_OK ? make_slot(b, ask, err) : NULL;

    if (slot == NULL) {
        return TP_E_LIMIT;
    }
    if (tp_value_copy(&copy, &tp_desc_blackboard_entry, ask, NULL) != TP_OK) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    free(slot->value);
    slot->value = copy;
    return is_watched(b, slot) ? tp_publish(device, TP_BLACKBOARD_DATA_UPDATE, slot->value, 0)
                               : TP_OK;
}

static const tp_blackboard_ops board_ops = {
    .req_subscribe_to_key = subscribe_to_key,
    .req_unsubscribe_from_key = unsubscribe_from_key,
    .req_set_entry = set_entry,
    .req_subscribe_to_group = subscribe_to_group,
    .req_unsubscribe_from_group = unsubscribe_from_group,
    .req_get_entry = get,
};

const fake_kind tpi_fake_boards[] = {
    {
        .interface = &tp_interface_blackboard,
        .ops = &board_ops,
        .state_size = sizeof(struct board),
        .end = board_end,
    },
    {0},
};
