/* inquiry.c - see inquiry.h. */
#include "client/inquiry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* ---- Ends ------------------------------------------------------------------------------------ */

static void answered(tpi_inquiry *inquiry);

/* A device that does not answer a question does not know it; a connection that fails ends all. */
static void note_failure(tpi_inquiry *inquiry, tp_status status, const char *why)
{
    if (status == TP_E_CLOSED || status == TP_E_TIMEOUT || status == TP_E_NOMEM) {
        tp_fail(&inquiry->failure, status, "%s", why);
    }
}

static bool is_for_all(const tpi_inquiry *inquiry)
{
    return inquiry->failure.code != TP_OK;
}

static void take_text(tpi_inquiry *inquiry, tpi_fact *fact, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    if (copy == NULL) {
        tp_fail(&inquiry->failure, TP_E_NOMEM, "out of memory");
        return;
    }
    memcpy(copy, text, size);
    *fact = tpi_fact_take(copy);
}

/* ---- Geometry -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset;
} place_numbers[] = {
    {"x", offsetof(struct tpi_place, pose) + offsetof(tp_pose3d, px)},
    {"y", offsetof(struct tpi_place, pose) + offsetof(tp_pose3d, py)},
    {"z", offsetof(struct tpi_place, pose) + offsetof(tp_pose3d, pz)},
    {"roll", offsetof(struct tpi_place, pose) + offsetof(tp_pose3d, proll)},
    {"pitch", offsetof(struct tpi_place, pose) + offsetof(tp_pose3d, ppitch)},
    {"yaw", offsetof(struct tpi_place, pose) + offsetof(tp_pose3d, pyaw)},
    {"width", offsetof(struct tpi_place, size) + offsetof(tp_bbox3d, sw)},
    {"length", offsetof(struct tpi_place, size) + offsetof(tp_bbox3d, sl)},
    {"height", offsetof(struct tpi_place, size) + offsetof(tp_bbox3d, sh)},
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

static void learn_of_place(tpi_inquiry *inquiry, const char *name, tpi_fact *fact)
{
    const struct tpi_place *place = &inquiry->place;
    const size_t i = find_place_number(name);
    const char *text = strcmp(name, "parent") == 0 ? place->parent : place->frame;
    char number[TPI_NUMBER_SIZE];
    double value;

    if (strcmp(name, "known") == 0) {
        take_text(inquiry, fact, place->known ? "yes" : "no");
    } else if (place->known && i < PLACE_NUMBERS) {
        memcpy(&value, (const char *)place + place_numbers[i].offset, sizeof value);
        tpi_number_put_f64(number, value);
        take_text(inquiry, fact, number);
    } else if (place->known && text[0] != '\0') {
        take_text(inquiry, fact, text);
    }
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

/* The interface's own question, if it is answered with a pose and a size; NULL for none. */
static const tp_message *own_geometry(const tp_proxy *proxy, const tp_field **pose,
                                      const tp_field **size)
{
    const tp_message *what =
        tp_interface_message_named(proxy->interface, TP_KIND_REQUEST, "GET_GEOM");
    const tp_struct *type = what != NULL ? what->answer : NULL;

    *pose = type != NULL ? find_field(type, "pose", &tp_desc_pose3d) : NULL;
    *size = type != NULL ? find_field(type, "size", &tp_desc_bbox3d) : NULL;
    return *pose != NULL && *size != NULL && what->ask == NULL ? what : NULL;
}

static void on_own_geometry(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                            const char *why)
{
    tpi_inquiry *inquiry = context;
    const tp_field *pose;
    const tp_field *size;

    if (status != TP_OK) {
        note_failure(inquiry, status, why);
    } else if (answer != NULL && own_geometry(proxy, &pose, &size) != NULL) {
        const char *value = tp_msg_payload(answer);
        memcpy(&inquiry->place.pose, value + pose->offset, sizeof inquiry->place.pose);
        memcpy(&inquiry->place.size, value + size->offset, sizeof inquiry->place.size);
        inquiry->place.known = true;
    }
    answered(inquiry);
}

static void ask_own_geometry(tpi_inquiry *inquiry)
{
    const tp_field *pose;
    const tp_field *size;
    const tp_message *what = own_geometry(inquiry->proxy, &pose, &size);
    tp_error err = {0};
    const tp_status status = what == NULL
                                 ? TP_E_UNSUPPORTED
                                 : tp_proxy_request_later(inquiry->proxy, what->code, NULL, 0,
                                                          on_own_geometry, inquiry, &err);

    if (status != TP_OK) {
        note_failure(inquiry, status, err.text);
        answered(inquiry);
    }
}

static void keep_geometry(struct tpi_place *place, const tp_geometry *geometry)
{
    if (geometry->known == TP_GEOMETRY_UNKNOWN) {
        return;
    }
    place->known = true;
    place->pose = geometry->pose;
    place->size = geometry->size;
    (void)snprintf(place->parent, sizeof place->parent, "%.*s", (int)geometry->parent_count,
                   geometry->parent_count > 0 ? geometry->parent : "");
    (void)snprintf(place->frame, sizeof place->frame, "%.*s", (int)geometry->frame_count,
                   geometry->frame_count > 0 ? geometry->frame : "");
}

static void on_geometry(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                        const char *why)
{
    tpi_inquiry *inquiry = context;

    (void)proxy;
    if (status != TP_OK) {
        note_failure(inquiry, status, why);
    }
    if (status == TP_OK && answer != NULL) {
        keep_geometry(&inquiry->place, tp_msg_payload(answer));
        answered(inquiry);
    } else if (is_for_all(inquiry)) {
        answered(inquiry);
    } else {
        ask_own_geometry(inquiry);
    }
}

static void ask_geometry(tpi_inquiry *inquiry)
{
    tp_error err = {0};

    inquiry->place.asked = true;
    inquiry->pending++;
    if (!inquiry->client->troupe ||
        tp_proxy_request_later(inquiry->proxy, TP_COMMON_REQ_GET_GEOMETRY, NULL, 0, on_geometry,
                               inquiry, &err) != TP_OK) {
        ask_own_geometry(inquiry);
    }
}

/* ---- Properties ------------------------------------------------------------------------------ */

/* Names are those of properties, and these of what is known of every device. */
static void offer_own_names(tpi_nearest *nearest)
{
    static const char *const names[] = {"name", "driver", "index", "parent", "frame", "known"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tpi_nearest_offer(nearest, names[i]);
    }
    for (size_t i = 0; i < PLACE_NUMBERS; i++) {
        tpi_nearest_offer(nearest, place_numbers[i].name);
    }
}

/* The device says which of its properties was meant, or which it has. A name that is none of a
 * property may be nearer. */
static void note_unknown(tpi_inquiry *inquiry, const char *key, const char *why)
{
    static const char means[] = "; did you mean \"";
    const char *meant = strstr(why, means);
    char property[64] = "";
    char hint[96];
    tpi_nearest nearest;

    if (meant != NULL) {
        meant += strlen(means);
        (void)snprintf(property, sizeof property, "%.*s", (int)strcspn(meant, "\""), meant);
    }
    tpi_nearest_init(&nearest, key);
    if (property[0] != '\0') {
        tpi_nearest_offer(&nearest, property);
    }
    offer_own_names(&nearest);
    if (nearest.best == NULL || nearest.best == property) {
        tp_fail(&inquiry->unknown, TP_E_UNKNOWN, "%s", why);
    } else {
        tp_fail(&inquiry->unknown, TP_E_UNKNOWN, "%s has no property \"%s\"%s",
                inquiry->device.name, key, tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
}

/* A device without a name, also as a property, has an empty one. */
static void lacks_property(tpi_inquiry *inquiry, size_t wish, const char *why)
{
    const char *key = inquiry->wanted->wishes[wish].name;

    if (strcmp(key, "name") == 0 && inquiry->called.label != NULL) {
        take_text(inquiry, &inquiry->facts[wish], "");
    } else if (inquiry->unknown.code == TP_OK) {
        note_unknown(inquiry, key, why);
        inquiry->unknown_wish = wish;
    }
}

static void on_property(tpi_reading *reading, tp_status status, const void *answer, const char *why)
{
    tpi_inquiry *inquiry = reading->context;

    if (status == TP_OK) {
        char *text = tpi_property_text(reading, answer);
        inquiry->facts[reading - inquiry->readings] = tpi_fact_take(text);
        if (text == NULL) {
            tp_fail(&inquiry->failure, TP_E_NOMEM, "out of memory");
        }
    } else {
        note_failure(inquiry, status, why);
        if (status == TP_E_UNKNOWN) {
            lacks_property(inquiry, (size_t)(reading - inquiry->readings), why);
        }
    }
    answered(inquiry);
}

static void ask_property(tpi_inquiry *inquiry, size_t i)
{
    tpi_reading *reading = &inquiry->readings[i];

    *reading = (tpi_reading){.proxy = inquiry->proxy,
                             .key = inquiry->wanted->wishes[i].name,
                             .done = on_property,
                             .context = inquiry};
    inquiry->pending++;
    tpi_property_read(reading);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* One question has its end; at the last one all is known that will be. */
static void answered(tpi_inquiry *inquiry)
{
    const tpi_conditions *wanted = inquiry->wanted;

    inquiry->steps++;
    if (--inquiry->pending > 0) {
        return;
    }
    for (size_t i = 0; i < wanted->count; i++) {
        if (!tpi_inquiry_is_told(inquiry, &wanted->wishes[i]) &&
            is_of_place(wanted->wishes[i].name)) {
            learn_of_place(inquiry, wanted->wishes[i].name, &inquiry->facts[i]);
        }
    }
    inquiry->done = true;
}

static void on_opened(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    tpi_inquiry *inquiry = context;
    const tpi_conditions *wanted = inquiry->wanted;

    (void)proxy;
    inquiry->opened = status == TP_OK;
    if (status != TP_OK) {
        note_failure(inquiry, status, why);
    }
    inquiry->pending = 1; /* until all are asked, so that the first answer is not the last */
    for (size_t i = 0; i < wanted->count && inquiry->opened; i++) {
        if (tpi_inquiry_is_told(inquiry, &wanted->wishes[i])) {
            continue;
        }
        if (!is_of_place(wanted->wishes[i].name)) {
            ask_property(inquiry, i);
        } else if (!inquiry->place.asked) {
            ask_geometry(inquiry);
        }
    }
    answered(inquiry);
}

void tpi_inquiry_ask(tpi_inquiry *inquiry, const tp_interface *interface, unsigned access)
{
    tp_error err = {0};
    const tp_status status =
        tp_client_open_later(inquiry->client, interface, inquiry->device.addr.index, access,
                             on_opened, inquiry, &inquiry->proxy, &err);

    if (status != TP_OK) {
        note_failure(inquiry, status, err.text);
        inquiry->done = true;
    }
}

/* ---- Waiting --------------------------------------------------------------------------------- */

struct watch {
    const tpi_inquiry *inquiries;
    size_t count;
    unsigned steps;
};

static unsigned count_steps(const struct watch *watch)
{
    unsigned steps = 0;

    for (size_t i = 0; i < watch->count; i++) {
        steps += watch->inquiries[i].steps;
    }
    return steps;
}

static bool has_news(void *context)
{
    const struct watch *watch = context;

    return count_steps(watch) != watch->steps;
}

static bool is_one_done(const struct watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->inquiries[i].done) {
            return true;
        }
    }
    return false;
}

static const tpi_inquiry *find_open_one(const struct watch *watch)
{
    const tpi_inquiry *at = watch->inquiries;

    while (at->proxy == NULL || at->done) {
        at++;
    }
    return at;
}

/* An opening waits for the next connection, if need be; nobody else does. */
tp_status tpi_inquiry_wait(tpi_inquiry *inquiries, size_t count, tp_error *err)
{
    struct watch watch = {inquiries, count, 0};

    while (!is_one_done(&watch)) {
        const tpi_inquiry *one = find_open_one(&watch);
        tp_client *client = one->client;
        watch.steps = count_steps(&watch);
        const tp_status status =
            tpi_client_wait(client, tpi_client_deadline(client, 0), has_news, &watch);
        if (status == TP_E_INTERRUPTED) {
            return tpi_client_fail_interrupted(one->device.name, err);
        }
        if (status != TP_OK) {
            return client->state != TPI_CLIENT_CONNECTED
                       ? tp_fail(err, client->why.code, "%s: %s", one->device.name,
                                 client->why.text)
                       : tp_fail(err, status, "%s: it was not opened in time", one->device.name);
        }
    }
    return TP_OK;
}

/* ---- Life ------------------------------------------------------------------------------------ */

bool tpi_inquiry_is_told(const tpi_inquiry *inquiry, const tpi_wish *wish)
{
    const char *label = inquiry->called.label;

    return strcmp(wish->name, "index") == 0 || strcmp(wish->name, "driver") == 0 ||
           (label != NULL && label[0] != '\0' && strcmp(wish->name, "name") == 0);
}

bool tpi_inquiry_meets(const tpi_inquiry *inquiry, size_t wish)
{
    const tpi_wish *wanted = &inquiry->wanted->wishes[wish];
    const tpi_fact *fact = &inquiry->facts[wish];
    const bool is_met = tpi_wish_is_met(wanted, fact);

    if (strcmp(wanted->name, "driver") != 0 || inquiry->called.instance == NULL) {
        return is_met;
    }
    const tpi_fact instance = {.text = (char *)(uintptr_t)inquiry->called.instance};
    const bool instance_meets = tpi_wish_is_met(wanted, &instance);
    return wanted->op == TPI_WISH_OTHER ? is_met && instance_meets : is_met || instance_meets;
}

bool tpi_inquiry_is_enough(const tpi_inquiry *inquiry)
{
    size_t i = 0;

    while (i < inquiry->wanted->count &&
           tpi_inquiry_is_told(inquiry, &inquiry->wanted->wishes[i])) {
        i++;
    }
    return i == inquiry->wanted->count;
}

tp_status tpi_inquiry_begin(tpi_inquiry *inquiry, tp_client *client, const tpi_conditions *wanted,
                            const tp_client_device *device, const tpi_called *called, tp_error *err)
{
    char index[TPI_NUMBER_SIZE];

    memset(inquiry, 0, sizeof *inquiry);
    inquiry->client = client;
    inquiry->wanted = wanted;
    inquiry->device = *device;
    inquiry->called = *called;
    (void)snprintf(index, sizeof index, "%u", device->addr.index);
    for (size_t i = 0; i < wanted->count; i++) {
        const tpi_wish *wish = &wanted->wishes[i];
        if (tpi_inquiry_is_told(inquiry, wish)) {
            const char *text = strcmp(wish->name, "index") == 0    ? index
                               : strcmp(wish->name, "driver") == 0 ? inquiry->device.driver
                                                                   : called->label;
            take_text(inquiry, &inquiry->facts[i], text);
        }
    }
    return is_for_all(inquiry) ? tp_fail(err, inquiry->failure.code, "%s", inquiry->failure.text)
                               : TP_OK;
}

void tpi_inquiry_fini(tpi_inquiry *inquiry)
{
    for (size_t i = 0; i < TPI_WANTED_MOST; i++) {
        tpi_fact_fini(&inquiry->facts[i]);
    }
    tp_proxy_close(inquiry->proxy);
    inquiry->proxy = NULL;
}
