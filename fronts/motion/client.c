/* client.c - clients: they join the robot, they have one or more connections, they leave. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* ---- Joining --------------------------------------------------------------------------------- */

/* A bad network may be silent for as long as the client's lease: the connection is not given up
 * before, whatever `keepalive` says. */
static void be_patient(struct connection *c)
{
    const int patience_s = tp_front_where(c->front->instance)->patience_s;
    const int needed_s = (int)(c->client->joined.lease * 1.25) + 1;

    if (patience_s >= 0 && needed_s > (patience_s > 0 ? patience_s : TP_STREAM_PATIENCE_S)) {
        tp_stream_set_patience(tp_connection_stream(c->base), (unsigned)needed_s);
    }
}

static void answer_hello(struct connection *c)
{
    const tp_mechanism_joined *joined = &c->client->joined;
    const size_t longest = tp_session_longest_message(c->session) - 1024;
    tpi_motion_welcome answer = {
        .client = joined->client,
        .right = (uint8_t)tp_session_right(tpi_motionf_client_strongest(c)->session),
        .clock = (uint64_t)joined->clock,
        .time_us = (uint64_t)front_now(c->front) / 1000,
        .lease_us = (uint64_t)(joined->lease * 1e6 + 0.5),
        .longest_lease_us = (uint64_t)(joined->longest * 1e6 + 0.5),
        .horizon_us = (uint64_t)(joined->horizon * 1e6 + 0.5),
        .payload = (uint32_t)(longest < TPI_MOTION_PAYLOAD ? longest : TPI_MOTION_PAYLOAD),
        .frames = joined->frames,
    };
    bool panicked = false;

    tpi_motionf_panic_state(c->front, &answer.epoch, &panicked);
    answer.panicked = panicked;
    memcpy(answer.token, c->client->token, sizeof answer.token);
    tpi_motionf_reply(c, c->hello.package, TPI_MOTION_HELLO | TPI_MOTION_ANSWER, c->hello.tag,
                      &answer);
    c->hello.on = false;
    tp_connection_keep_room(c->base);
    be_patient(c);
}

void tpi_motionf_client_refused(struct connection *c, const char *why)
{
    tpi_motionf_reply_signal(c, c->hello.package, c->hello.tag, TPI_MOTION_ERROR, why);
    c->hello.on = false;
}

static void add_connection(struct client *client, struct connection *c)
{
    struct connection **at = &client->connections;

    while (*at != NULL) {
        at = &(*at)->sibling;
    }
    *at = c;
    c->client = client;
    c->sibling = NULL;
}

void tpi_motionf_client_joined(struct connection *c, const tp_mechanism_joined *joined)
{
    struct client *client = calloc(1, sizeof *client);

    if (client == NULL || joined == NULL) {
        free(client);
        tp_connection_give_up(c->base);
        return;
    }
    memcpy(client->token, c->hello.token, sizeof client->token);
    client->joined = *joined;
    client->next = c->front->clients;
    c->front->clients = client;
    add_connection(client, c);
    answer_hello(c);
}

/* Takes the same time for every token. */
static struct client *find_token(const struct motion_front *front, const uint8_t *token)
{
    struct client *found = NULL;

    for (struct client *at = front->clients; at != NULL; at = at->next) {
        uint8_t differs = 0;

        for (int i = 0; i < TP_MECHANISM_TOKEN; i++) {
            differs |= (uint8_t)(at->token[i] ^ token[i]);
        }
        found = differs == 0 ? at : found;
    }
    return found;
}

static bool is_zero(const uint8_t *token)
{
    uint8_t any = 0;

    for (int i = 0; i < TP_MECHANISM_TOKEN; i++) {
        any |= token[i];
    }
    return any == 0;
}

static void join(struct connection *c)
{
    const struct hello *hello = &c->hello;
    const bool reads = tp_session_right(c->session) < TP_RIGHT_WRITE;
    char name[TPI_MOTION_NAME + 1];
    tp_mechanism_join ask = {.name = name, .lease = (double)hello->body.lease_us * 1e-6};
    tp_error err = {.text = ""};

    memcpy(name, hello->body.name, sizeof name);
    ask.name_count = (uint32_t)strlen(name) + 1;
    ask.lease = ask.lease < 1e6 ? ask.lease : 1e6;
    if (tp_front_random(c->hello.token, sizeof c->hello.token) != TP_OK) {
        tpi_motionf_client_refused(c, "the server has no random numbers");
        return;
    }
    memcpy(ask.token, c->hello.token, sizeof ask.token);
    if (tpi_motionf_robot_send(c, reads ? TP_MECHANISM_REQ_WATCH : TP_MECHANISM_REQ_JOIN, 0, &ask,
                               &err) != TP_OK) {
        tpi_motionf_client_refused(c, err.text);
    }
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct connection *c = tp_connection_state(context);

    (void)request;
    if (status != TP_OK) {
        tpi_motionf_client_refused(c, err->text);
        return;
    }
    (void)tp_session_set_rate(c->session, device, 0.001); /* its data is not sent */
    c->device = device;
    if (is_zero(c->hello.body.token)) {
        join(c);
        return;
    }
    struct client *client = find_token(c->front, c->hello.body.token);
    if (client == NULL) {
        tpi_motionf_client_refused(c, "no client has this token");
        return;
    }
    add_connection(client, c);
    answer_hello(c);
}

static tp_device *find_robot(const struct connection *c)
{
    size_t place = 0;
    tp_device *device;

    while ((device = tp_session_next_device(c->session, &place)) != NULL) {
        const tp_devaddr *addr = tp_session_address(device);

        if (addr->interf == TP_MECHANISM_CODE && addr->index == c->front->device) {
            return device;
        }
    }
    return NULL;
}

void tpi_motionf_client_hello(struct connection *c, const struct hello *hello)
{
    static const tp_msghdr request = {.type = TP_MSGTYPE_REQ};
    tp_device *robot = find_robot(c);

    if (c->client != NULL || c->hello.on) {
        tpi_motionf_reply_signal(c, hello->package, hello->tag, TPI_MOTION_ERROR,
                                 "HELLO has come already");
        return;
    }
    c->hello = *hello;
    c->hello.on = true;
    if (robot == NULL) {
        tpi_motionf_client_refused(c, "the server has no mechanism");
        return;
    }
    tp_session_set_software(c->session, hello->body.name);
    if (tp_session_open(c->session, robot, TP_OPEN_MODE, &request, on_opened) != TP_OK) {
        tpi_motionf_client_refused(c, "the mechanism cannot be opened");
    }
}

/* ---- Leaving --------------------------------------------------------------------------------- */

static void forget(struct motion_front *front, struct client *client)
{
    struct client **at = &front->clients;

    while (*at != client) {
        at = &(*at)->next;
    }
    *at = client->next;
    free(client);
}

void tpi_motionf_client_leave(struct connection *c)
{
    struct client *client = c->client;
    tp_mechanism_client who;

    if (client == NULL) {
        return;
    }
    struct connection **at = &client->connections;
    const bool first = *at == c;

    while (*at != c) {
        at = &(*at)->sibling;
    }
    *at = c->sibling;
    c->client = NULL;
    if (client->connections != NULL) {
        client->waits = client->waits && !first; /* the next one waits for records */
        tp_connection_soon(client->connections->base);
        return;
    }
    memcpy(who.token, client->token, sizeof who.token);
    (void)tpi_motionf_robot_send(c, TP_MECHANISM_REQ_LEAVE, 0, &who, NULL);
    forget(c->front, client);
}

/* ---- Records --------------------------------------------------------------------------------- */

void tpi_motionf_client_wait(struct client *client)
{
    struct connection *c = client->connections;
    tp_mechanism_client who;

    if (client->waits || c == NULL || tp_connection_is_ending(c->base) ||
        tp_connection_waiting(c->base) >= MOST_OUT) {
        return;
    }
    memcpy(who.token, client->token, sizeof who.token);
    if (tpi_motionf_robot_send(c, TP_MECHANISM_REQ_WAIT, 0, &who, NULL) == TP_OK) {
        client->waits = true;
    } else {
        tp_connection_give_up(c->base);
    }
}

struct connection *tpi_motionf_client_strongest(struct connection *c)
{
    struct connection *best = c;

    for (struct connection *at = c->client->connections; at != NULL; at = at->sibling) {
        if (tp_session_right(at->session) > tp_session_right(best->session)) {
            best = at;
        }
    }
    return best;
}

void tpi_motionf_client_promote(struct connection *c)
{
    tp_mechanism_client who;

    if (c->client->promoted || !tp_session_operates(c->session)) {
        return;
    }
    memcpy(who.token, c->client->token, sizeof who.token);
    c->client->promoted =
        tpi_motionf_robot_send(c, TP_MECHANISM_REQ_PROMOTE, 0, &who, NULL) == TP_OK;
}
