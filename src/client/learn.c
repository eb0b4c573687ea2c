/*
 * learn.c - interfaces that only the server knows: their descriptions are read from it.
 *
 * What a server sends is input from a network: the number and the size of descriptions and the time
 * for all of them have limits, and an interface that the program knows is never replaced.
 */
#include "client/learn.h"

#include <stdlib.h>

#include "base/buf.h"
#include "client/inside.h"

enum { MOST_INTERFACES = 64, LONGEST = 256 << 10, LONGEST_TOGETHER = 1 << 20 };

static const int64_t timeout_ns = 3 * TP_NS_PER_S; /* of tpi_learn_from() */

struct lesson {
    tpi_buf texts[MOST_INTERFACES];
    bool loaded[MOST_INTERFACES];
    uint32_t count;
    size_t bytes;        /* of all texts */
    int64_t deadline_ns; /* for all texts */
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* Answers that come in time one by one must not take for ever together. */
static tp_status check_limits(const tp_client *client, const struct lesson *lesson,
                              const tp_description_page *page, tp_error *err)
{
    if (page->total > LONGEST || page->interfaces > MOST_INTERFACES ||
        lesson->bytes > LONGEST_TOGETHER) {
        return tp_fail(err, TP_E_LIMIT, "%s: its descriptions of interfaces are too long",
                       client->url);
    }
    if (tpi_client_now_ns(client) > lesson->deadline_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "%s: its descriptions of interfaces come too slowly",
                       client->url);
    }
    return TP_OK;
}

static tp_status read_page(tp_client *client, struct lesson *lesson, uint32_t place,
                           const tp_description_page **page, tp_error *err)
{
    tpi_buf *text = &lesson->texts[place];
    const tp_description_page ask = {.place = place, .first = (uint32_t)text->length};
    const void *answer = NULL;
    tp_status status = tp_client_request(client, TP_PLAYER_REQ_DESCRIPTION, &ask, &answer, err);

    if (status != TP_OK) {
        return status;
    }
    *page = answer;
    lesson->bytes += (*page)->text_count;
    status = check_limits(client, lesson, *page, err);
    if (status != TP_OK) {
        return status;
    }
    tpi_buf_put(text, (*page)->text, (*page)->text_count);
    return text->failed ? tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url) : TP_OK;
}

/* A page without a text ends a description, whatever its length is said to be. */
static tp_status read_text(tp_client *client, struct lesson *lesson, uint32_t place, tp_error *err)
{
    const tpi_buf *text = &lesson->texts[place];
    const tp_description_page *page = NULL;
    tp_status status;

    do {
        status = read_page(client, lesson, place, &page, err);
    } while (status == TP_OK && page->text_count > 0 && text->length < page->total);
    if (status == TP_OK) {
        lesson->count = page->interfaces;
    }
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* A description may use another one that comes behind it, so all are tried until none loads. Those
 * that do not load are left out: of what they describe nothing is known, as before. */
static void load(struct lesson *lesson, tp_catalogue *into)
{
    bool progress = true;

    while (progress) {
        progress = false;
        for (uint32_t i = 0; i < lesson->count; i++) {
            tpi_buf *text = &lesson->texts[i];
            if (!lesson->loaded[i] && text->length > 0 &&
                tp_catalogue_load_text(into, "a description of the server", text->data,
                                       text->length, NULL) == TP_OK) {
                lesson->loaded[i] = true;
                progress = true;
            }
        }
    }
}

tp_status tp_client_learn(tp_client *client, tp_catalogue *into, tp_error *err)
{
    struct lesson *lesson = calloc(1, sizeof *lesson);
    tp_status status = TP_OK;

    if (lesson == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", client->url);
    }
    if (!client->troupe) {
        status = tp_fail(err, TP_E_UNSUPPORTED, "%s: a Player server describes no interfaces",
                         client->url);
    }
    lesson->count = 1; /* at least the first is asked for */
    lesson->deadline_ns = tpi_client_deadline(client, 0);
    for (uint32_t i = 0; i < lesson->count && status == TP_OK; i++) {
        status = read_text(client, lesson, i, err);
    }
    if (status == TP_OK) {
        load(lesson, into);
    }
    for (size_t i = 0; i < MOST_INTERFACES; i++) {
        tpi_buf_fini(&lesson->texts[i]);
    }
    free(lesson);
    return status;
}

/* ---- For the client itself ------------------------------------------------------------------- */

/* The interfaces of another catalogue that are not built in. */
static tp_status copy_known(tp_catalogue *to, const tp_catalogue *from)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_catalogue_size(from) && status == TP_OK; i++) {
        const tp_interface *interface = tp_catalogue_at(from, i);
        if (!tp_interface_is_builtin(interface)) {
            status = tp_catalogue_add(to, interface, NULL);
        }
    }
    return status;
}

/* The catalogue of the options is the program's, so what is learned needs another one. */
static tp_status own_catalogue(tp_client *client)
{
    tp_catalogue *own = NULL;

    if (client->own.catalogue != NULL) {
        return TP_OK;
    }
    tp_status status = tp_catalogue_create(&own, NULL);
    status = status == TP_OK ? copy_known(own, client->catalogue) : status;
    if (status != TP_OK) {
        tp_catalogue_destroy(own);
        return status;
    }
    client->own.catalogue = own;
    client->catalogue = own;
    return TP_OK;
}

void tpi_client_learn(tp_client *client)
{
    if (client->troupe && client->state == TPI_CLIENT_CONNECTED && own_catalogue(client) == TP_OK &&
        tp_client_learn(client, client->own.catalogue, NULL) == TP_E_INTERRUPTED) {
        tp_client_interrupt(client); /* for the next wait: the caller is not told */
    }
}

/* ---- For programs without a client ----------------------------------------------------------- */

tp_status tpi_learn_from(tp_catalogue *into, const char *url, tp_error *err)
{
    const tp_client_options options = {
        .name = "troupe", .timeout_ns = timeout_ns, .stay_lost = true, .key = ""};
    tp_client *client = NULL;
    tp_status status = tp_client_connect(&client, url, &options, err);

    status = status == TP_OK ? tp_client_learn(client, into, err) : status;
    tp_client_destroy(client);
    return status;
}
