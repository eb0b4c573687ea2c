/* front.c - the front as a table: parameters, opening and closing, and what it does from time to
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* ---- Parameters ------------------------------------------------------------------------------ */

static tp_status read_count(tp_front_instance *self, const char *name, uint32_t *out, tp_error *err)
{
    const int64_t value = tp_front_int(self, name);

    if (value < 1 || value > MOST_CLIENTS) {
        tp_front_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s must be from 1 to %d", name, MOST_CLIENTS);
    }
    *out = (uint32_t)value;
    return TP_OK;
}

static tp_status check_origins(tp_front_instance *self, tp_error *err)
{
    for (size_t i = 0; i < tp_front_count(self, "origins"); i++) {
        const char *origin = tp_front_string_at(self, "origins", i);
        const char *scheme = strstr(origin, "://");

        if (origin[0] != '\0' && strcmp(origin, "*") != 0 &&
            (scheme == NULL || strchr(scheme + 3, '/') != NULL)) {
            tp_front_blame(self, "origins");
            return tp_fail(err, TP_E_INVALID,
                           "an origin is SCHEME://HOST or SCHEME://HOST:PORT, without a path: %s",
                           origin);
        }
    }
    return TP_OK;
}

static tp_status web_check(tp_front_instance *self, tp_error *err)
{
    struct web_front *front = tp_front_state(self);
    tp_status status = read_count(self, "clients", &front->places.most, err);

    status = status == TP_OK ? read_count(self, "per_host", &front->places.per_host, err) : status;
    return status == TP_OK ? check_origins(self, err) : status;
}

/* The values of a parameter; "" stands for none. */
static tp_status copy_list(const tp_front_instance *self, const char *name, const char ***out,
                           size_t *count, tp_error *err)
{
    const size_t given = tp_front_count(self, name);
    const char **list = calloc(given + 1, sizeof *list);

    if (list == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *count = 0;
    for (size_t i = 0; i < given; i++) {
        const char *value = tp_front_string_at(self, name, i);
        if (value[0] != '\0') {
            list[(*count)++] = value;
        }
    }
    *out = list;
    return TP_OK;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static void tick(void *context)
{
    struct web_front *front = context;
    const int64_t now_ns = front_now(front);

    tpi_web_directory_look(front);
    for (struct connection *c = front->connections; c != NULL; c = c->next) {
        tpi_web_http_tick(c, now_ns);
        tpi_web_uses_tick(c->door, now_ns);
        if (c->behind_ns != 0) {
            tpi_web_behind(c);
        }
        if (c->behind.count > 0) {
            tpi_web_count_waiting(c);
        }
    }
    for (struct client *visitor = front->visitors; visitor != NULL; visitor = visitor->next) {
        tpi_web_uses_tick(visitor, now_ns);
    }
    tpi_web_visitors_tick(front, now_ns);
    tpi_web_graph_tick(front);
    tpi_web_frames_tick(front);
    tpi_web_world_tick(front);
    tpi_web_grids_tick(front);
    if (front->connections == NULL && front->visitors == NULL) {
        tp_timer_cancel(front->tick); /* until somebody comes */
        front->ticking = false;
    }
}

/* Some more of the texts that are made piece by piece; each turn looks for other work first. */
static void make_some(tp_after *after)
{
    struct web_front *front =
        (struct web_front *)((char *)after - offsetof(struct web_front, making.step));

    if (tpi_web_tell_step(front) || tpi_web_graph_step(front)) {
        tp_loop_later(front->loop, after);
    }
}

static void watch(void *context)
{
    tpi_web_stop_tick(context);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static tp_status make_session_id(struct web_front *front, tp_error *err)
{
    uint8_t bytes[8];

    if (tp_front_random(bytes, sizeof bytes) != TP_OK) {
        return tp_fail(err, TP_E_IO, "the system has no random numbers");
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(front->session_id + 2 * i, 3, "%02x", bytes[i]);
    }
    return TP_OK;
}

static tp_status web_open(tp_front_instance *self, tp_error *err)
{
    struct web_front *front = tp_front_state(self);
    const char *folder = tp_front_string(self, "files");
    tp_status status;

    front->instance = self;
    front->loop = tp_front_loop(self);
    front->world.time = -1;
    front->up = (struct upwards){tpi_web_call_failed, tpi_web_use_drop_pending};
    front->prepare.run = tpi_web_prepare_files;
    front->greetings.step.run = tpi_web_tls_greet;
    front->making.step.run = make_some;
    status = copy_list(self, "hosts", &front->hosts, &front->gate.host_count, err);
    if (status == TP_OK) {
        status = copy_list(self, "origins", &front->origins, &front->gate.origin_count, err);
    }
    front->gate.hosts = front->hosts;
    front->gate.origins = front->origins;
    status = status == TP_OK ? make_session_id(front, err) : status;
    if (status == TP_OK) {
        status = tpi_web_files_init(&front->files, folder[0] != '\0' ? folder : NULL, err);
    }
    status = status == TP_OK ? tpi_web_tls_open(front, err) : status;
    status =
        status == TP_OK ? tp_timer_create(&front->tick, front->loop, tick, front, err) : status;
    status =
        status == TP_OK ? tp_timer_create(&front->watch, front->loop, watch, front, err) : status;
    if (status == TP_OK) {
        status = tpi_web_listen(front, tp_front_where(self)->address, err);
    }
    return status;
}

static void web_close(tp_front_instance *self)
{
    struct web_front *front = tp_front_state(self);

    if (front->loop == NULL) {
        return;
    }
    while (front->connections != NULL) {
        tpi_web_close(front->connections);
    }
    tpi_web_visitors_clear(front);
    tpi_web_world_leave(front);
    tpi_web_grids_clear(front);
    tpi_web_labs_clear(front);
    tp_loop_after_cancel(front->loop, &front->prepare);
    tp_loop_after_cancel(front->loop, &front->greetings.step);
    tp_loop_after_cancel(front->loop, &front->making.step);
    tp_listener_close(front->listener);
    tp_timer_destroy(front->tick);
    tp_timer_destroy(front->watch);
    tpi_web_tell_clear(front);
    tpi_web_directory_clear(front);
    tpi_web_graph_clear(front);
    tpi_buf_fini(&front->texts.description.text);
    tpi_buf_fini(&front->texts.statistics.text);
    tpi_web_parts_clear(front);
    tpi_web_files_fini(&front->files);
    free((void *)front->hosts);
    free((void *)front->origins);
    tpi_web_tls_close(front);
    free(front->shared);
}

static unsigned web_bound(const tp_front_instance *self)
{
    const struct web_front *front = tp_front_state(self);

    return tp_listener_port(front->listener);
}

static const char *web_page(const tp_front_instance *self)
{
    const struct web_front *front = tp_front_state(self);

    return front->secure ? "https" : "http";
}

static const char *const schemes[] = {"tcp", "unix", NULL};

static const tp_param params[] = {
    {"clients", "1", "2000", "so many connections may be open at the same time"},
    {"per_host", "1", "64", "the same for one host that is not this machine"},
    {"hosts", NULL, "",
     "names that browsers may use for this machine, beside its addresses and localhost"},
    {"origins", NULL, "",
     "other origins whose pages may use the server, such as https://app.foxglove.dev; * for all"},
    {"certificate", NULL, "",
     "a file with the certificate of the server, in PEM: the front speaks TLS then"},
    {"private_key", NULL, "", "the file with the private key of the certificate"},
    {"files", NULL, "", "the folder of the dashboard; without it, the one that is installed"},
    {NULL, NULL, NULL, NULL},
};

extern const tp_front tp_front_web;
const tp_front tp_front_web = {
    .abi = TP_FRONT_ABI,
    .name = "web",
    .summary = "browsers, curl, and programs that speak the Foxglove protocol",
    .state_size = sizeof(struct web_front),
    .schemes = schemes,
    .port = 9665,
    .params = params,
    .check = web_check,
    .open = web_open,
    .close = web_close,
    .bound = web_bound,
    .flags = TP_FRONT_NAMED,
    .usual_for = "",
    .page = web_page,
};
