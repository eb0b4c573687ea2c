/*
 * find.c - the best device for a task; see tp_client_find().
 *
 * Candidates that are not ruled out by what is known of them are opened, asked and closed one after
 * the other; all that is kept of each are the facts that the wishes are about. The best one so far
 * stays open, so that its driver does not stop between being asked and being used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "client/find.h"
#include "client/inside.h"
#include "client/wanted.h"

struct candidate {
    tp_proxy *proxy; /* owned; NULL for none, or if nothing had to be asked */
    tp_client_device device;
    const char *model;               /* borrowed; NULL if it has to be asked for */
    tpi_fact facts[TPI_WANTED_MOST]; /* one for each wish */
};

struct search {
    tp_client *client;
    const tp_interface *interface;
    const tpi_wanted *wanted;
    unsigned access;
    struct candidate best;
    bool found;
    char lacks[256]; /* what those that were turned down lack */
};

static void drop(struct candidate *candidate)
{
    for (size_t i = 0; i < TPI_WANTED_MOST; i++) {
        tpi_fact_fini(&candidate->facts[i]);
    }
    tp_proxy_close(candidate->proxy);
    candidate->proxy = NULL;
}

/* ---- Geometry -------------------------------------------------------------------------------- */

/* What is known of a device's place, whichever message told it. */
struct place {
    bool asked;
    bool known;
    tp_pose3d pose;
    tp_bbox3d size;
    char parent[64];
    char frame[64];
};

static const struct {
    const char *name;
    size_t offset;
} place_numbers[] = {
    {"x", offsetof(struct place, pose) + offsetof(tp_pose3d, px)},
    {"y", offsetof(struct place, pose) + offsetof(tp_pose3d, py)},
    {"z", offsetof(struct place, pose) + offsetof(tp_pose3d, pz)},
    {"roll", offsetof(struct place, pose) + offsetof(tp_pose3d, proll)},
    {"pitch", offsetof(struct place, pose) + offsetof(tp_pose3d, ppitch)},
    {"yaw", offsetof(struct place, pose) + offsetof(tp_pose3d, pyaw)},
    {"width", offsetof(struct place, size) + offsetof(tp_bbox3d, sw)},
    {"length", offsetof(struct place, size) + offsetof(tp_bbox3d, sl)},
    {"height", offsetof(struct place, size) + offsetof(tp_bbox3d, sh)},
};
enum { PLACE_NUMBERS = sizeof place_numbers / sizeof place_numbers[0] };

static size_t find_place_number(const char *name)
{
    size_t i = 0;

    while (i < PLACE_NUMBERS && strcmp(place_numbers[i].name, name) != 0) {
        i++;
    }
    return i;
}

static bool is_of_place(const char *name)
{
    return find_place_number(name) < PLACE_NUMBERS || strcmp(name, "parent") == 0 ||
           strcmp(name, "frame") == 0 || strcmp(name, "known") == 0;
}

static const tp_field *find_field(const tp_struct *type, const char *name, const tp_struct *of)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        if (strcmp(field->name, name) == 0 && field->of == of && field->shape == TP_SHAPE_ONE) {
            return field;
        }
    }
    return NULL;
}

/* By the interface's own GET_GEOM, if it answers with a pose and a size. */
static tp_status ask_own_geometry(tp_proxy *proxy, struct place *place, tp_error *err)
{
    const tp_message *what =
        tp_interface_message_named(proxy->interface, TP_KIND_REQUEST, "GET_GEOM");
    const tp_struct *type = what != NULL ? what->answer : NULL;
    const tp_field *pose = type != NULL ? find_field(type, "pose", &tp_desc_pose3d) : NULL;
    const tp_field *size = type != NULL ? find_field(type, "size", &tp_desc_bbox3d) : NULL;
    const void *answer = NULL;

    if (pose == NULL || size == NULL || what->ask != NULL) {
        return TP_E_UNSUPPORTED;
    }
    tp_status status = tp_proxy_request(proxy, what->code, NULL, &answer, err);
    if (status == TP_OK) {
        memcpy(&place->pose, (const char *)answer + pose->offset, sizeof place->pose);
        memcpy(&place->size, (const char *)answer + size->offset, sizeof place->size);
        place->known = true;
    }
    return status;
}

static tp_status ask_geometry(tp_proxy *proxy, struct place *place, tp_error *err)
{
    const void *answer = NULL;
    tp_status status = tp_proxy_request(proxy, TP_COMMON_REQ_GET_GEOMETRY, NULL, &answer, err);
    const tp_geometry *geometry = answer;

    if (status == TP_OK && geometry->known != TP_GEOMETRY_UNKNOWN) {
        place->known = true;
        place->pose = geometry->pose;
        place->size = geometry->size;
        (void)snprintf(place->parent, sizeof place->parent, "%.*s", (int)geometry->parent_count,
                       geometry->parent_count > 0 ? geometry->parent : "");
        (void)snprintf(place->frame, sizeof place->frame, "%.*s", (int)geometry->frame_count,
                       geometry->frame_count > 0 ? geometry->frame : "");
    }
    return status;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

/* Failures that are the search's, not the candidate's. */
static bool ends_search(tp_status status)
{
    return status == TP_E_CLOSED || status == TP_E_TIMEOUT || status == TP_E_NOMEM;
}

static tp_status judge(tp_status status, const tp_error *why, tp_error *err)
{
    return ends_search(status) ? tp_fail(err, status, "%s", why->text) : TP_OK;
}

static tp_status fill_place(tp_proxy *proxy, struct place *place, tp_error *err)
{
    tp_status status = TP_E_UNSUPPORTED;
    tp_error why;

    if (place->asked) {
        return TP_OK;
    }
    place->asked = true;
    if (proxy->client->troupe) {
        status = ask_geometry(proxy, place, &why);
    }
    if (status != TP_OK && !ends_search(status)) {
        status = ask_own_geometry(proxy, place, &why);
    }
    return judge(status, &why, err);
}

static tp_status take_text(tpi_fact *fact, const char *text, tp_error *err)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    if (copy == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(copy, text, size);
    *fact = tpi_fact_take(copy);
    return TP_OK;
}

static tp_status learn_of_place(const struct place *place, const char *name, tpi_fact *fact,
                                tp_error *err)
{
    const size_t i = find_place_number(name);
    char number[TPI_NUMBER_SIZE];
    double value;

    if (strcmp(name, "known") == 0) {
        return take_text(fact, place->known ? "yes" : "no", err);
    }
    if (!place->known) {
        return TP_OK;
    }
    if (i < PLACE_NUMBERS) {
        memcpy(&value, (const char *)place + place_numbers[i].offset, sizeof value);
        tpi_number_put_f64(number, value);
        return take_text(fact, number, err);
    }
    const char *text = strcmp(name, "parent") == 0 ? place->parent : place->frame;
    return text[0] != '\0' ? take_text(fact, text, err) : TP_OK;
}

static tp_status learn_property(tp_proxy *proxy, const char *name, tpi_fact *fact, tp_error *err)
{
    char *text = NULL;
    tp_error why;
    tp_status status = tp_proxy_get_property(proxy, name, &text, &why);

    if (status == TP_OK) {
        *fact = tpi_fact_take(text);
    }
    return judge(status, &why, err);
}

static tp_status learn(struct candidate *candidate, struct place *place, const char *name,
                       tpi_fact *fact, tp_error *err)
{
    char index[TPI_NUMBER_SIZE];

    if (strcmp(name, "index") == 0) {
        (void)snprintf(index, sizeof index, "%u", candidate->device.addr.index);
        return take_text(fact, index, err);
    }
    if (strcmp(name, "driver") == 0) {
        return take_text(fact, candidate->device.driver, err);
    }
    if (candidate->model != NULL && strcmp(name, "model") == 0) {
        return take_text(fact, candidate->model, err);
    }
    if (!is_of_place(name)) {
        return learn_property(candidate->proxy, name, fact, err);
    }
    tp_status status = fill_place(candidate->proxy, place, err);
    return status == TP_OK ? learn_of_place(place, name, fact, err) : status;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Whether a wish is about something that is known without asking the device. */
static bool is_told(const struct candidate *candidate, const tpi_wish *wish)
{
    return strcmp(wish->name, "index") == 0 || strcmp(wish->name, "driver") == 0 ||
           (candidate->model != NULL && strcmp(wish->name, "model") == 0);
}

static bool has_to_ask(const struct candidate *candidate, const tpi_wanted *wanted)
{
    size_t i = 0;

    while (i < wanted->count && is_told(candidate, &wanted->wishes[i])) {
        i++;
    }
    return i < wanted->count;
}

static void turn_down(struct search *search, const struct candidate *candidate, const char *why)
{
    const size_t length = strlen(search->lacks);

    (void)snprintf(search->lacks + length, sizeof search->lacks - length, "%s%s%s",
                   length > 0 ? "; " : "", candidate->device.name, why);
}

/* Of what is known without asking, or of the rest: the first condition that is not met decides. */
static bool meets_all(struct search *search, const struct candidate *candidate, bool told)
{
    char why[128];

    for (size_t i = 0; i < search->wanted->count; i++) {
        const tpi_wish *wish = &search->wanted->wishes[i];
        const tpi_fact *fact = &candidate->facts[i];
        if (is_told(candidate, wish) != told || !tpi_wish_is_condition(wish) ||
            tpi_wish_is_met(wish, fact)) {
            continue;
        }
        if (fact->text == NULL) {
            (void)snprintf(why, sizeof why, " does not know its %s", wish->name);
        } else {
            (void)snprintf(why, sizeof why, " has %s = %s", wish->name, fact->text);
        }
        turn_down(search, candidate, why);
        return false;
    }
    return true;
}

static bool is_better(const struct search *search, const struct candidate *candidate)
{
    int order = 0;

    for (size_t i = 0; i < search->wanted->count && order == 0; i++) {
        if (!tpi_wish_is_condition(&search->wanted->wishes[i])) {
            order = tpi_wish_compare(&search->wanted->wishes[i], &candidate->facts[i],
                                     &search->best.facts[i]);
        }
    }
    return order < 0;
}

/* Devices are asked by who only reads, so that nobody else is shut out. */
static tp_status open_candidate(struct search *search, struct candidate *candidate, bool *opened,
                                tp_error *err)
{
    const unsigned access = search->access == TP_OPEN_MODE ? TP_OPEN_MODE : TP_READ_MODE;
    tp_error why;
    tp_status status =
        tp_client_open_device(search->client, search->interface, candidate->device.addr.index,
                              access, &candidate->proxy, &why);

    *opened = status == TP_OK;
    if (status != TP_OK && !ends_search(status)) {
        turn_down(search, candidate, " cannot be opened");
    }
    return judge(status, &why, err);
}

/* The facts that are known without asking, or the rest. */
static tp_status learn_all(const struct search *search, struct candidate *candidate, bool told,
                           tp_error *err)
{
    const tpi_wanted *wanted = search->wanted;
    struct place place = {0};
    tp_status status = TP_OK;

    for (size_t i = 0; i < wanted->count && status == TP_OK; i++) {
        if (is_told(candidate, &wanted->wishes[i]) == told) {
            status = learn(candidate, &place, wanted->wishes[i].name, &candidate->facts[i], err);
        }
    }
    return status;
}

/* Whether it meets all conditions; it is opened and asked only if that can still matter. */
static tp_status judge_candidate(struct search *search, struct candidate *candidate, bool *meets,
                                 tp_error *err)
{
    tp_status status = learn_all(search, candidate, true, err);

    *meets = status == TP_OK && meets_all(search, candidate, true);
    if (*meets && has_to_ask(candidate, search->wanted)) {
        status = open_candidate(search, candidate, meets, err);
        status = *meets ? learn_all(search, candidate, false, err) : status;
        *meets = *meets && status == TP_OK && meets_all(search, candidate, false);
    }
    return status;
}

static tp_status consider(struct search *search, struct candidate *candidate, tp_error *err)
{
    bool meets = false;
    const tp_status status = judge_candidate(search, candidate, &meets, err);

    if (!meets || (search->found && !is_better(search, candidate))) {
        drop(candidate);
        return status;
    }
    drop(&search->best);
    search->best = *candidate;
    search->found = true;
    return TP_OK;
}

tp_status tpi_client_meets(tp_client *client, const tp_client_device *device,
                           const tpi_wanted *wanted, const char *model, bool *meets, tp_error *err)
{
    struct search search = {
        .client = client, .interface = device->interface, .wanted = wanted, .access = TP_READ_MODE};
    struct candidate candidate = {.device = *device, .model = model};
    const tp_status status = judge_candidate(&search, &candidate, meets, err);

    drop(&candidate);
    return status;
}

/* Open the best one as the program wants it, unless it is open like that already. */
static tp_status open_best(struct search *search, tp_proxy **out, tp_error *err)
{
    struct candidate *best = &search->best;
    tp_status status = TP_OK;

    if (best->proxy != NULL && best->proxy->access == search->access) {
        *out = best->proxy;
        best->proxy = NULL;
    } else {
        status = tp_client_open_device(search->client, search->interface, best->device.addr.index,
                                       search->access, out, err);
    }
    return status;
}

static tp_status choose(struct search *search, const tp_client_device *devices, size_t count,
                        const char *wanted, tp_proxy **out, tp_error *err)
{
    tp_status status = TP_OK;
    size_t candidates = 0;

    for (size_t i = 0; i < count && status == TP_OK; i++) {
        if (devices[i].addr.interf == search->interface->code) {
            struct candidate candidate = {.device = devices[i]};
            candidates++;
            status = consider(search, &candidate, err);
        }
    }
    if (status == TP_OK && search->found) {
        status = open_best(search, out, err);
    } else if (status == TP_OK && candidates == 0) {
        status = tp_fail(err, TP_E_UNKNOWN, "the server has no %s", search->interface->name);
    } else if (status == TP_OK) {
        status = tp_fail(err, TP_E_UNKNOWN, "no %s meets \"%s\": %s", search->interface->name,
                         wanted, search->lacks);
    }
    drop(&search->best);
    return status;
}

tp_status tp_client_find(tp_client *client, const char *interface, const char *wanted,
                         unsigned access, tp_proxy **out, tp_error *err)
{
    tpi_wanted wishes;
    struct search search = {.client = client, .wanted = &wishes, .access = access};
    tp_client_device *devices = NULL;
    size_t count = 0;
    tp_status status = tpi_client_may_wait(client, client->url, err);

    status = status == TP_OK
                 ? tpi_proxy_interface(client, interface, strlen(interface), &search.interface, err)
                 : status;
    status = status == TP_OK ? tpi_wanted_parse(&wishes, wanted, err) : status;
    if (status != TP_OK) {
        return status;
    }
    status = tp_client_list(client, &devices, &count, err);
    if (status == TP_OK) {
        status = choose(&search, devices, count, wanted, out, err);
    }
    free(devices);
    tpi_wanted_fini(&wishes);
    return status;
}
