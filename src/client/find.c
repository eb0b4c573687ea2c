/*
 * find.c - the best device for a task; see tp_client_find(). And which devices meet conditions.
 *
 * Candidates that are not ruled out by what is known of them are opened, asked (inquiry.c) and
 * closed, many at once. The best so far stays open, so that its driver does not stop between being
 * asked and being used. Names come from the server, so that only a device without one is opened for
 * its property "name".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/conditions.h"
#include "client/find.h"
#include "client/inquiry.h"
#include "client/inside.h"
#include "client/labels.h"

enum { AT_ONCE = 64 }; /* devices that are asked; each may start a driver */

struct search {
    tp_client *client;
    const tp_interface *interface;
    const tpi_conditions *wanted;
    unsigned access;
    tpi_inquiry best;
    bool found;
    const tpi_labels *labels; /* borrowed; NULL if nobody asks for names or drivers */
    char lacks[256];          /* what those that were turned down lack */
};

/* ---- Choosing -------------------------------------------------------------------------------- */

static void turn_down(struct search *search, const tpi_inquiry *candidate, const char *why)
{
    const size_t length = strlen(search->lacks);

    (void)snprintf(search->lacks + length, sizeof search->lacks - length, "%s%s%s",
                   length > 0 ? "; " : "", candidate->device.name, why);
}

/* Of what is known without asking, or of the rest: the first condition that is not met. */
static size_t find_unmet(const tpi_inquiry *candidate, bool told)
{
    const tpi_conditions *wanted = candidate->wanted;
    size_t i = 0;

    while (i < wanted->count &&
           (tpi_inquiry_is_told(candidate, &wanted->wishes[i]) != told ||
            !tpi_wish_is_condition(&wanted->wishes[i]) || tpi_inquiry_meets(candidate, i))) {
        i++;
    }
    return i;
}

/* "; did you mean ..." or "; it has ...", or nothing. */
static const char *hint_of(const tpi_inquiry *candidate)
{
    const char *hint = strchr(candidate->unknown.text, ';');

    return candidate->unknown.code != TP_OK && hint != NULL ? hint : "";
}

static bool meets_all(struct search *search, const tpi_inquiry *candidate, bool told)
{
    const size_t i = find_unmet(candidate, told);
    char why[256];

    if (i == candidate->wanted->count) {
        return true;
    }
    if (candidate->facts[i].text == NULL) {
        (void)snprintf(why, sizeof why, " does not know its %s%s",
                       candidate->wanted->wishes[i].name, hint_of(candidate));
    } else {
        (void)snprintf(why, sizeof why, " has %s = %s", candidate->wanted->wishes[i].name,
                       candidate->facts[i].text);
    }
    turn_down(search, candidate, why);
    return false;
}

static bool is_better(const struct search *search, const tpi_inquiry *candidate)
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

/* ---- Candidates ------------------------------------------------------------------------------ */

/* Devices are opened for reading only, so that no other client is kept out. A device is not asked
 * if what is known of it decides. */
static tp_status begin_candidate(struct search *search, const tp_client_device *device,
                                 tpi_inquiry *candidate, tp_error *err)
{
    const unsigned access = search->access == TP_OPEN_MODE ? TP_OPEN_MODE : TP_READ_MODE;
    const tpi_called called = tpi_labels_find(search->labels, &device->addr);
    const tp_status status =
        tpi_inquiry_begin(candidate, search->client, search->wanted, device, &called, err);

    if (status == TP_OK && find_unmet(candidate, true) == search->wanted->count &&
        !tpi_inquiry_is_enough(candidate)) {
        tpi_inquiry_ask(candidate, search->interface, access);
        candidate->asked = true;
    }
    return status;
}

/* Whether a candidate meets all conditions. Waits for the answers of the device. */
static tp_status judge(struct search *search, tpi_inquiry *candidate, bool *meets, tp_error *err)
{
    if (!candidate->asked) {
        *meets = meets_all(search, candidate, true);
        return TP_OK;
    }
    const tp_status status = tpi_inquiry_wait(candidate, 1, err);
    if (status != TP_OK || candidate->failure.code != TP_OK) {
        return status != TP_OK
                   ? status
                   : tp_fail(err, candidate->failure.code, "%s", candidate->failure.text);
    }
    if (!candidate->opened) {
        turn_down(search, candidate, " cannot be opened");
    }
    *meets = candidate->opened && meets_all(search, candidate, false);
    return TP_OK;
}

/* Ends the candidate, or keeps it as the best one. */
static tp_status consider(struct search *search, tpi_inquiry *candidate, tp_error *err)
{
    bool meets = false;
    const tp_status status = judge(search, candidate, &meets, err);

    if (!meets || (search->found && !is_better(search, candidate))) {
        tpi_inquiry_fini(candidate);
        return status;
    }
    tpi_inquiry_fini(&search->best);
    search->best = *candidate; /* nothing of it is under way any more */
    memset(candidate, 0, sizeof *candidate);
    search->found = true;
    return TP_OK;
}

/* Candidates are asked many at once and judged in the order of the list, so that of two equal ones
 * the first is the best. */
static tp_status consider_all(struct search *search, const tp_client_device *devices, size_t count,
                              size_t *candidates, tp_error *err)
{
    tpi_inquiry *window = calloc(AT_ONCE, sizeof *window);
    tp_status status = window != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
    size_t begun = 0;
    size_t judged = 0;

    for (size_t i = 0; status == TP_OK && (i < count || judged < begun);) {
        if (i < count && devices[i].addr.interf != search->interface->code) {
            i++;
        } else if (i < count && begun - judged < AT_ONCE) {
            status = begin_candidate(search, &devices[i++], &window[begun++ % AT_ONCE], err);
        } else {
            status = consider(search, &window[judged++ % AT_ONCE], err);
        }
    }
    for (size_t i = 0; window != NULL && i < AT_ONCE; i++) {
        tpi_inquiry_fini(&window[i]);
    }
    free(window);
    *candidates = begun;
    return status;
}

/* ---- The result ------------------------------------------------------------------------------ */

/* Open the best one as the program wants it, unless it is open like that already. */
static tp_status open_best(struct search *search, tp_proxy **out, tp_error *err)
{
    tpi_inquiry *best = &search->best;
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
    size_t candidates = 0;
    tp_status status = consider_all(search, devices, count, &candidates, err);

    if (status == TP_OK && search->found) {
        status = open_best(search, out, err);
    } else if (status == TP_OK && candidates == 0) {
        status = tp_fail(err, TP_E_UNKNOWN, "the server has no %s", search->interface->name);
    } else if (status == TP_OK) {
        status = tp_fail(err, TP_E_UNKNOWN, "no %s meets \"%s\": %s", search->interface->name,
                         wanted, search->lacks);
    }
    tpi_inquiry_fini(&search->best);
    return status;
}

static bool wants_labels(const tpi_conditions *wanted)
{
    size_t i = 0;

    while (i < wanted->count && strcmp(wanted->wishes[i].name, "name") != 0 &&
           strcmp(wanted->wishes[i].name, "driver") != 0) {
        i++;
    }
    return i < wanted->count;
}

static tp_status find_interface(tp_client *client, const char *name, const tp_interface **out,
                                tp_error *err)
{
    if (tpi_proxy_interface(client, name, strlen(name), out, NULL) != TP_OK) {
        tpi_client_learn(client);
    }
    return tpi_proxy_interface(client, name, strlen(name), out, err);
}

tp_status tp_client_find(tp_client *client, const char *interface, const char *wanted,
                         unsigned access, tp_proxy **out, tp_error *err)
{
    tpi_conditions wishes;
    struct search search = {.client = client, .wanted = &wishes, .access = access};
    tp_client_device *devices = NULL;
    tpi_labels *labels = NULL;
    size_t count = 0;
    tp_status status = tpi_client_may_wait(client, client->url, err);

    status = status == TP_OK ? find_interface(client, interface, &search.interface, err) : status;
    status = status == TP_OK ? tpi_conditions_parse(&wishes, wanted, err) : status;
    if (status != TP_OK) {
        return status;
    }
    status = tp_client_list(client, &devices, &count, err);
    if (status == TP_OK && wants_labels(&wishes)) {
        status = tpi_labels_read(&labels, client, err);
        search.labels = labels;
    }
    if (status == TP_OK) {
        status = choose(&search, devices, count, wanted, out, err);
    }
    free(devices);
    free(labels);
    tpi_conditions_fini(&wishes);
    return status;
}

/* ---- Many at once ---------------------------------------------------------------------------- */

/* What is known of a wish about all devices. */
struct knowledge {
    bool exists;   /* a device has the property */
    bool is_met;   /* by a device */
    bool doubt;    /* a device was not asked */
    char best[64]; /* a value, nearest to the one that is wanted */
    tpi_nearest nearest;
    tp_error unknown; /* the best sentence of a device that does not have the property */
};

/* Those under way; which device each is about. */
struct round {
    tpi_inquiry inquiries[AT_ONCE];
    tpi_asked *about[AT_ONCE]; /* borrowed; NULL for nobody */
    size_t busy;
    struct knowledge of[TPI_WANTED_MOST];
};

static void offer_value(struct knowledge *of, const char *value)
{
    if (of->nearest.word == NULL) {
        return; /* the wish is for the most or least, not for a value */
    }
    tpi_nearest_offer(&of->nearest, value);
    if (of->nearest.best == value) {
        (void)snprintf(of->best, sizeof of->best, "%s", value);
        of->nearest.best = of->best;
    }
}

/* What a device has. The sentence with the nearest name is the best one. */
static void note_known(struct round *round, const tpi_inquiry *inquiry, bool asked)
{
    for (size_t i = 0; i < inquiry->wanted->count; i++) {
        struct knowledge *of = &round->of[i];
        const bool exists = inquiry->facts[i].text != NULL;
        of->exists = of->exists || exists;
        of->is_met = of->is_met || tpi_inquiry_meets(inquiry, i);
        of->doubt = of->doubt || (!exists && !asked);
        if (exists) {
            offer_value(of, inquiry->facts[i].text);
        }
        if (strcmp(inquiry->wanted->wishes[i].name, "driver") == 0 &&
            inquiry->called.instance != NULL) {
            offer_value(of, inquiry->called.instance);
        }
    }
    tp_error *unknown = &round->of[inquiry->unknown_wish].unknown;
    if (inquiry->unknown.code != TP_OK &&
        (unknown->code == TP_OK || (strstr(unknown->text, "did you mean") == NULL &&
                                    strstr(inquiry->unknown.text, "did you mean") != NULL))) {
        *unknown = inquiry->unknown;
    }
}

/* It is asked only if what is known of it does not decide. */
static tp_status begin(struct round *round, size_t slot, tp_client *client,
                       const tpi_conditions *wanted, tpi_asked *asked, tp_error *err)
{
    tpi_inquiry *inquiry = &round->inquiries[slot];
    const tp_client_device *device = asked->device;
    const tp_status status =
        tpi_inquiry_begin(inquiry, client, wanted, device, &asked->called, err);

    asked->meets = status == TP_OK && find_unmet(inquiry, true) == wanted->count;
    if (!asked->meets || tpi_inquiry_is_enough(inquiry)) {
        note_known(round, inquiry, false);
        tpi_inquiry_fini(inquiry);
        return status;
    }
    tpi_inquiry_ask(inquiry, device->interface, TP_READ_MODE);
    round->about[slot] = asked;
    round->busy++;
    return TP_OK;
}

/* Those that are done make room. */
static tp_status end_done(struct round *round, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < AT_ONCE && status == TP_OK; i++) {
        tpi_inquiry *inquiry = &round->inquiries[i];
        if (round->about[i] == NULL || !inquiry->done) {
            continue;
        }
        round->about[i]->meets =
            inquiry->opened && find_unmet(inquiry, false) == inquiry->wanted->count;
        if (inquiry->failure.code != TP_OK) {
            status = tp_fail(err, inquiry->failure.code, "%s", inquiry->failure.text);
        }
        note_known(round, inquiry, inquiry->opened);
        tpi_inquiry_fini(inquiry);
        inquiry->done = false;
        round->about[i] = NULL;
        round->busy--;
    }
    return status;
}

static size_t find_free(const struct round *round)
{
    size_t slot = 0;

    while (slot < AT_ONCE && round->about[slot] != NULL) {
        slot++;
    }
    return slot;
}

static tp_status ask_all(struct round *round, tp_client *client, const tpi_conditions *wanted,
                         tpi_asked *asked, size_t count, tp_error *err)
{
    tp_status status = TP_OK;
    size_t next = 0;

    while (status == TP_OK && (next < count || round->busy > 0)) {
        for (size_t slot = find_free(round); next < count && slot < AT_ONCE && status == TP_OK;
             slot = find_free(round)) {
            status = begin(round, slot, client, wanted, &asked[next++], err);
        }
        if (status == TP_OK && round->busy > 0) {
            status = tpi_inquiry_wait(round->inquiries, AT_ONCE, err);
        }
        status = status == TP_OK ? end_done(round, err) : status;
    }
    return status;
}

static void hint_at_property(const char *key, const struct knowledge *of, tp_error *hint)
{
    const char *meant = strstr(of->unknown.text, "; did you mean");

    tp_fail(hint, TP_E_UNKNOWN, "no device has a property \"%s\"%s", key,
            meant != NULL ? meant
                          : "; every device has name, driver and index, and those whose place is "
                            "known x, y, z, roll, pitch, yaw, width, length, height, parent and "
                            "frame");
}

/* Report a property that no device has; or else a value that none has, if there is a similar one.
 */
static void give_hint(const struct round *round, const tpi_conditions *wanted, tp_error *hint)
{
    char meant[96];

    for (size_t i = 0; i < wanted->count; i++) {
        const struct knowledge *of = &round->of[i];
        const tpi_wish *wish = &wanted->wishes[i];
        if (of->unknown.code != TP_OK && !of->exists && !of->doubt) {
            hint_at_property(wish->name, of, hint);
            return;
        }
        if (hint->code == TP_OK && wish->op == TPI_WISH_EQUAL && !wish->value.is_number &&
            !of->is_met && !of->doubt && of->nearest.best != NULL) {
            tp_fail(hint, TP_E_RANGE, "no device has the %s \"%s\"%s", wish->name, wish->value.text,
                    tpi_nearest_hint(&of->nearest, meant, sizeof meant));
        }
    }
}

tp_status tpi_client_meet(tp_client *client, const tpi_conditions *wanted, tpi_asked *asked,
                          size_t count, tp_error *hint, tp_error *err)
{
    tp_status status = tpi_client_may_wait(client, client->url, err);
    struct round *round = status == TP_OK ? calloc(1, sizeof *round) : NULL;

    if (round == NULL) {
        return status != TP_OK ? status : tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < wanted->count; i++) {
        tpi_nearest_init(&round->of[i].nearest, wanted->wishes[i].value.text);
    }
    status = ask_all(round, client, wanted, asked, count, err);
    if (hint != NULL) {
        give_hint(round, wanted, hint);
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        tpi_inquiry_fini(&round->inquiries[i]);
    }
    free(round);
    return status;
}
