/* property.c - text properties of a device that has another one behind it; see property.h. */
#include "property.h"

#include <stdlib.h>
#include <string.h>

#include "forward.h"

enum { MOST_TEXT = 128 };

/* ---- Text ------------------------------------------------------------------------------------ */

/* Messages have pointers to char that nobody writes through. */
static char *chars_of(const char *text)
{
    return (char *)(uintptr_t)text;
}

static uint32_t count_of(const char *text)
{
    return (uint32_t)strlen(text) + 1;
}

/* A counted text, with or without its NUL, as a text. False if it is too long. */
static bool read_text(char text[MOST_TEXT], const char *chars, uint32_t count)
{
    const char *end = count == 0 ? NULL : memchr(chars, '\0', count);
    const size_t length = end == NULL ? count : (size_t)(end - chars);

    if (length >= MOST_TEXT) {
        return false;
    }
    if (length > 0) {
        memcpy(text, chars, length);
    }
    text[length] = '\0';
    return true;
}

static const tp_property_plan *find(const own_properties *own, const char *chars, uint32_t count)
{
    const tp_property_plan *plan = own->plans;
    char key[MOST_TEXT];

    if (!read_text(key, chars, count)) {
        return NULL;
    }
    while (plan->key != NULL && strcmp(plan->key, key) != 0) {
        plan++;
    }
    return plan->key != NULL ? plan : NULL;
}

/* ---- The list -------------------------------------------------------------------------------- */

void tpi_own_properties_fini(own_properties *own)
{
    free(own->room);
}

static bool make_room(own_properties *own, uint32_t count)
{
    if (count <= own->capacity) {
        return true;
    }
    tp_property *room = realloc(own->room, count * sizeof *room);
    if (room != NULL) {
        own->room = room;
        own->capacity = count;
    }
    return room != NULL;
}

static tp_property describe(const tp_property_plan *plan)
{
    return (tp_property){.type = (uint8_t)plan->type,
                         .writable = plan->writable,
                         .key_count = count_of(plan->key),
                         .key = chars_of(plan->key),
                         .unit_count = count_of(plan->unit),
                         .unit = chars_of(plan->unit),
                         .doc_count = count_of(plan->doc),
                         .doc = chars_of(plan->doc)};
}

static uint32_t plan_count(const own_properties *own)
{
    uint32_t count = 0;

    while (own->plans[count].key != NULL) {
        count++;
    }
    return count;
}

/* The other device's properties have come; the own ones go behind them. */
static void join_lists(tp_instance *self, void *ticket, tp_status status, const tp_msg *answer,
                       const char *why)
{
    own_properties *own = tp_instance_state(self);
    const tp_property_list *others =
        tpi_forward_payload(ticket, status, answer, why, "other device");
    const uint32_t count = plan_count(own);

    if (others == NULL) {
        return;
    }
    if (!make_room(own, others->properties_count + count)) {
        tp_ticket_fail(ticket, TP_E_NOMEM, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < others->properties_count; i++) {
        own->room[i] = others->properties[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        own->room[others->properties_count + i] = describe(&own->plans[i]);
    }
    const tp_property_list all = {others->properties_count + count, own->room};
    tp_ticket_answer(ticket, &all);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void fill(tp_strprop_req *out, const own_properties *own, const tp_device *device,
                 const char *key)
{
    const char *text = own->text(device, key);

    *out = (tp_strprop_req){.key_count = count_of(key),
                            .key = chars_of(key),
                            .value_count = count_of(text),
                            .value = chars_of(text)};
}

static tp_status set(tp_device *device, const tp_property_plan *plan, const tp_strprop_req *ask,
                     tp_error *err)
{
    char text[MOST_TEXT];

    if (!plan->writable) {
        return tp_fail(err, TP_E_DENIED, "%s cannot be set", plan->key);
    }
    if (!read_text(text, ask->value, ask->value_count)) {
        return tp_fail(err, TP_E_LIMIT, "%s: %u characters are too many", plan->key,
                       ask->value_count);
    }
    return plan->set(device, plan->key, text, 0, err);
}

static bool can(const tp_capabilities_req *ask)
{
    return ask->type == TP_KIND_REQUEST &&
           (ask->subtype == TP_COMMON_REQ_GET_STRPROP || ask->subtype == TP_COMMON_REQ_SET_STRPROP);
}

bool tpi_own_properties_handle(own_properties *own, tp_device *device, tp_link *behind,
                               const tp_message *what, const void *ask, void *answer,
                               tp_status *status, tp_error *err)
{
    const tp_strprop_req *text = ask;

    if (!tpi_forward_is_common(what) || what->kind != TP_KIND_REQUEST) {
        return false;
    }
    if (what->code == TP_COMMON_REQ_GET_PROPERTIES) {
        *status =
            tpi_forward_ask(device, behind, what->code, NULL, FORWARD_TIMEOUT_NS, join_lists, err);
        return true;
    }
    if (what->code == TP_COMMON_REQ_CAPABILITIES && can(ask)) {
        *status = TP_OK;
        return true;
    }
    const bool reads = what->code == TP_COMMON_REQ_GET_STRPROP;
    const tp_property_plan *plan = reads || what->code == TP_COMMON_REQ_SET_STRPROP
                                       ? find(own, text->key, text->key_count)
                                       : NULL;
    if (plan != NULL && reads) {
        fill(answer, own, device, plan->key);
    }
    *status = plan == NULL || reads ? TP_OK : set(device, plan, text, err);
    return plan != NULL;
}

void tpi_own_properties_announce(const own_properties *own, tp_device *device, const char *key)
{
    tp_strprop_req now;

    fill(&now, own, device, key);
    tp_publish(device, TP_COMMON_DATA_PROPERTY, &now, 0);
}
