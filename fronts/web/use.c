/*
 * use.c - the devices that a client has open, and what waits for an opening.
 *
 * A device is opened to read for data and for requests that ask, and to write for commands and all
 * other requests: a client that only looks takes no part in what writers agree on, such as the
 * lockstep of a world. What is sent before the device is open waits.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static const int64_t BRIEFLY_NS = 10 * TP_NS_PER_S;

static bool writes(const tp_message *what)
{
    return what->effect != TP_EFFECT_READS;
}

struct use *tpi_web_find_use(const struct client *client, enum form form, const tp_devaddr *addr)
{
    struct use *use = client->uses;

    assert(front_is_current(client->front));
    while (use != NULL && (use->form != form || !same_address(&use->addr, addr))) {
        use = use->next;
    }
    return use;
}

static tp_device *device_of(const struct client *client, const struct use *use)
{
    return tp_session_find_at(client->sessions[use->form], &use->addr);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool can_send(const struct use *use, const tp_message *what)
{
    return use->writing || (use->reading && !writes(what));
}

static void fail(struct client *client, const tp_msg *msg, const tp_message *what,
                 const tp_error *err)
{
    const tp_msghdr *header = tp_msg_header(msg);

    if (header->seq > 0 && header->seq <= MOST_CALLS) {
        client->front->up.call_failed(client, &client->calls[header->seq - 1], err->code,
                                      err->text);
    } else if (client->connection != NULL) {
        tpi_web_status(client->connection, 2, "%s: %s", what->name, err->text);
    }
}

/* A command of HTTP is answered when it was sent. */
static void sent(struct client *client, const tp_msg *msg, const tp_message *what)
{
    const uint32_t seq = tp_msg_header(msg)->seq;

    if (what->kind == TP_KIND_COMMAND && seq > 0 && seq <= MOST_CALLS) {
        struct call *call = &client->calls[seq - 1];
        struct connection *c = call->waits;

        tpi_web_call_end(client, call);
        if (c != NULL) {
            tpi_web_answer(c, 200, "{}\n", 3);
        }
    }
}

/* Send or refuse what has waited for an opening to read or to write. */
static void send_pending(struct client *client, struct use *use, bool write, tp_status status,
                         const tp_error *why)
{
    struct pending **at = &use->pending;

    while (*at != NULL) {
        struct pending *p = *at;
        tp_error err = {.code = status};

        if (status == TP_OK ? !can_send(use, p->what) : writes(p->what) != write) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        use->pending_count--;
        tp_status result = status;
        if (status == TP_OK) {
            result = tp_session_send_later(client->sessions[use->form], &p->origin, p->msg, p->what,
                                           &err);
        } else {
            err = *why;
        }
        if (result != TP_OK) {
            err.code = result;
            fail(client, p->msg, p->what, &err);
        } else {
            sent(client, p->msg, p->what);
        }
        tp_msg_unref(p->msg);
        free(p);
        at = &use->pending; /* the list may have changed */
    }
}

static tp_status append_pending(const struct client *client, struct use *use, tp_msg *msg,
                                const tp_message *what, tp_error *err)
{
    struct pending *p = use->pending_count < MOST_PENDING ? calloc(1, sizeof *p) : NULL;
    struct pending **at = &use->pending;

    if (p == NULL) {
        return tp_fail(err, TP_E_LIMIT, "too much waits for the opening of the device");
    }
    while (*at != NULL) {
        at = &(*at)->next;
    }
    p->msg = tp_msg_ref(msg);
    p->what = what;
    p->origin = tp_session_origin(client->sessions[use->form]);
    *at = p;
    use->pending_count++;
    return TP_PENDING;
}

void tpi_web_use_drop_pending(struct client *client)
{
    const tp_error why = {.code = TP_E_DENIED, .text = "it was sent before the panic was over"};
    struct use *next;

    for (struct use *use = client->uses; use != NULL; use = next) {
        next = use->next;
        send_pending(client, use, true, why.code, &why);
    }
}

tp_status tpi_web_use_send(struct client *client, struct use *use, tp_msg *msg,
                           const tp_message *what, tp_error *err)
{
    if (can_send(use, what)) {
        return tp_session_send(client->sessions[use->form], msg, what, err);
    }
    return append_pending(client, use, msg, what, err);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool is_needed(const struct client *client, const struct use *use, bool write)
{
    const bool briefly = use->used_ns != 0 && front_now(client->front) - use->used_ns < BRIEFLY_NS;

    return (write ? use->writers : use->readers) > 0 || (briefly && (!write || use->wrote)) ||
           (write && use->moved);
}

static void close_it(struct client *client, struct use *use, bool write)
{
    tp_device *device = device_of(client, use);
    bool *open = write ? &use->writing : &use->reading;

    if (*open && device != NULL) {
        (void)tp_session_close_as(client->sessions[use->form], device,
                                  write ? TP_WRITE_MODE : TP_READ_MODE);
    }
    *open = false;
}

static void forget(struct client *client, struct use *use)
{
    struct use **at = &client->uses;

    while (*at != use) {
        at = &(*at)->next;
    }
    *at = use->next;
    client->use_count--;
    while (use->pending != NULL) {
        struct pending *p = use->pending;

        use->pending = p->next;
        tp_msg_unref(p->msg);
        free(p);
    }
    free(use);
}

/* Close what is no longer needed; forget the use if nothing is left of it. */
static void settle(struct client *client, struct use *use)
{
    for (int write = 0; write < 2; write++) {
        if (!is_needed(client, use, write)) {
            close_it(client, use, write);
        }
    }
    if (!use->reading && !use->writing && !use->opening_read && !use->opening_write &&
        use->readers == 0 && use->writers == 0 && use->pending == NULL) {
        forget(client, use);
    }
}

static void report(struct client *client, const tp_error *err)
{
    if (client->connection != NULL) {
        tpi_web_status(client->connection, 2, "%s", err->text);
    }
}

/* The header of the request says which opening it is: seq is 1 to write, subtype is the form. */
static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct client *client = context;
    const bool write = request->seq == 1;
    struct use *use = tpi_web_find_use(client, (enum form)request->subtype, &request->addr);

    assert(use != NULL); /* a use stays as long as it is being opened */
    *(write ? &use->opening_write : &use->opening_read) = false;
    if (status == TP_OK) {
        *(write ? &use->writing : &use->reading) = true;
        if (use->rate > 0) {
            (void)tp_session_set_rate(client->sessions[use->form], device, use->rate);
        }
        send_pending(client, use, write, TP_OK, NULL);
    } else {
        tp_error why = {.code = status};

        tp_fail(&why, status, "%s", err->text[0] != '\0' ? err->text : tp_status_text(status));
        if (use->pending == NULL || (write ? use->writers : use->readers) > 0) {
            report(client, &why);
        }
        client->failed = why;
        send_pending(client, use, write, status, &why);
    }
    settle(client, use);
}

/* The use may be gone when it returns. */
static tp_status open_it(struct client *client, struct use *use, bool write, tp_error *err)
{
    tp_session *session = client->sessions[use->form];
    tp_device *device = device_of(client, use);
    bool *opening = write ? &use->opening_write : &use->opening_read;
    const tp_msghdr request = {
        .addr = use->addr, .subtype = (uint8_t)use->form, .seq = write, .type = TP_MSGTYPE_REQ};

    if (device == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "there is no such device");
    }
    if (*opening || (write ? use->writing : use->reading)) {
        return TP_OK;
    }
    *opening = true;
    const tp_status status =
        tp_session_open(session, device, write ? TP_WRITE_MODE : TP_READ_MODE, &request, on_opened);
    if (status != TP_OK) {
        *opening = false;
        return tp_fail(err, status, "the device cannot be opened: %s", tp_status_text(status));
    }
    return TP_OK;
}

/* ---- Uses ------------------------------------------------------------------------------------ */

/* The session of a second form is created when it is needed. */
static tp_status make_session(struct client *client, enum form form, tp_error *err)
{
    return client->sessions[form] != NULL ? TP_OK : tpi_web_client_add_form(client, form, err);
}

static unsigned uses_of_guests(const struct web_front *front)
{
    unsigned count = 0;

    for (const struct connection *c = front->connections; c != NULL; c = c->next) {
        count += only_reads(c->door) ? c->door->use_count : 0;
    }
    for (const struct client *visitor = front->visitors; visitor != NULL; visitor = visitor->next) {
        count += only_reads(visitor) ? visitor->use_count : 0;
    }
    return count;
}

/* Each use has memory here and in the session. Guests are counted once in a while, and once for a
 * message that wants too many. */
static tp_status check_room(const struct client *client, tp_error *err)
{
    if (client->use_count >= MOST_USES || client->has_no_room) {
        return tp_fail(err, TP_E_LIMIT, "the client uses too many devices");
    }
    if (client->use_count >= FEW_USES && client->use_count % FEW_USES == 0 && only_reads(client) &&
        uses_of_guests(client->front) >= MOST_USES_OF_GUESTS) {
        return tp_fail(err, TP_E_LIMIT, "clients that may only read use too many devices");
    }
    return TP_OK;
}

static struct use *make_use(struct client *client, enum form form, const tp_devaddr *addr,
                            tp_error *err)
{
    struct use *use = tpi_web_find_use(client, form, addr);

    if (use != NULL) {
        return use;
    }
    if (check_room(client, err) != TP_OK || make_session(client, form, err) != TP_OK) {
        return NULL;
    }
    use = calloc(1, sizeof *use);
    if (use == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
        return NULL;
    }
    use->addr = *addr;
    use->form = form;
    use->next = client->uses;
    client->uses = use;
    client->use_count++;
    return use;
}

void tpi_web_refuse_use(struct client *client, const char *what, const tp_error *why)
{
    assert(front_is_current(client->front));
    if (why->code != TP_E_LIMIT || !client->has_no_room) {
        tpi_web_status(client->connection, 2, "%s: %s", what, why->text);
    }
    client->has_no_room = client->has_no_room || why->code == TP_E_LIMIT;
}

struct use *tpi_web_use(struct client *client, enum form form, const tp_devaddr *addr, bool write,
                        tp_error *err)
{
    struct use *use = make_use(client, form, addr, err);

    assert(front_is_current(client->front));
    if (use == NULL) {
        return NULL;
    }
    *(write ? &use->writers : &use->readers) += 1;
    if (open_it(client, use, write, err) != TP_OK) {
        tpi_web_unuse(client, use, write);
        return NULL;
    }
    return use; /* it is needed, so it is still there */
}

void tpi_web_unuse(struct client *client, struct use *use, bool write)
{
    *(write ? &use->writers : &use->readers) -= 1;
    settle(client, use);
}

struct use *tpi_web_use_briefly(struct client *client, const tp_devaddr *addr, bool write,
                                tp_error *err)
{
    struct use *use = make_use(client, FORM_JSON, addr, err);

    assert(front_is_current(client->front));
    if (use == NULL) {
        return NULL;
    }
    if ((write ? use->writers : use->readers) == 0) { /* nothing else keeps it open */
        use->used_ns = front_now(client->front);
        use->used_ns += use->used_ns == 0;
        use->wrote = use->wrote || write;
    }
    client->failed.code = TP_OK;
    *(write ? &use->writers : &use->readers) += 1; /* so that it stays while it is opened */
    const tp_status status =
        !write && use->writing && use->reading ? TP_OK : open_it(client, use, write, err);
    *(write ? &use->writers : &use->readers) -= 1;
    if (status != TP_OK || client->failed.code != TP_OK) {
        if (status == TP_OK) {
            tp_fail(err, client->failed.code, "%s", client->failed.text);
        }
        settle(client, use);
        return NULL;
    }
    return use;
}

void tpi_web_use_rate(struct client *client, struct use *use, double rate)
{
    assert(front_is_current(client->front));
    tp_device *device = device_of(client, use);

    use->rate = rate > 0 && rate < 1e6 ? rate : 0;
    if (device != NULL && (use->reading || use->writing)) {
        (void)tp_session_set_rate(client->sessions[use->form], device, use->rate);
    }
}

void tpi_web_uses_clear(struct client *client)
{
    while (client->uses != NULL) {
        forget(client, client->uses); /* the session closes the devices */
    }
}

/* Whether the session has it open, as the use says. A device that was removed and added again is
 * not. */
static bool is_open(struct client *client, const struct use *use)
{
    tp_device *device = device_of(client, use);

    return device != NULL &&
           tp_session_set_rate(client->sessions[use->form], device, use->rate) == TP_OK;
}

void tpi_web_uses_look(struct client *client)
{
    struct use *next;

    assert(front_is_current(client->front));
    for (struct use *use = client->uses; use != NULL; use = next) {
        tp_error err = {.text = ""};

        next = use->next;
        if ((use->reading || use->writing) && is_open(client, use)) {
            continue;
        }
        use->reading = use->writing = false;
        if (use->readers > 0 && open_it(client, use, false, &err) != TP_OK) {
            continue; /* it is gone; it may come back */
        }
        if (use->writers > 0) {
            (void)open_it(client, use, true, &err);
        }
    }
}

void tpi_web_uses_tick(struct client *client, int64_t now_ns)
{
    struct use *next;

    assert(front_is_current(client->front));
    (void)now_ns;
    for (struct use *use = client->uses; use != NULL; use = next) {
        next = use->next;
        if (!use->opening_read && !use->opening_write) {
            settle(client, use);
        }
    }
}
