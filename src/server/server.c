/* server.c - a whole server: loop, devices, fronts; see troupe/server.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "platform/folder.h"
#include "platform/limit.h"
#include "server/inside.h"

void server_note(void *context, const char *text)
{
    tp_server *server = context;

    if (server->options.note != NULL) {
        server->options.note(server->options.note_context, text);
    }
}

static void instance_failed(void *context, const tp_instance *instance, const char *why)
{
    (void)instance;
    server_note(context, why);
}

/* ---- Fronts ---------------------------------------------------------------------------------- */

static bool has_robot(const tp_server *server, unsigned number)
{
    for (size_t i = 0; i < server->robot_count; i++) {
        if (server->robots[i].number == number) {
            return true;
        }
    }
    return false;
}

static tp_status open_front(tp_server *server, const tp_front *front, const char *address,
                            unsigned robot, unsigned *port, tp_error *err)
{
    const tp_front_place place = {.address = address, .robot = robot};
    struct open_front *open = tpi_arena_array(&server->arena, 1, sizeof *open);

    if (open == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = front->open(&open->state, server->hub, server->loop, &place, err);
    if (status == TP_OK) {
        open->front = front;
        open->next = server->fronts;
        server->fronts = open;
        *port = front->port(open->state);
    }
    return status;
}

/* All fronts of the kit, for a robot; a datagram socket has the port of the listener before it. */
static tp_status listen_on(tp_server *server, const char *scheme, unsigned robot, unsigned *port,
                           tp_error *err)
{
    char address[320];
    const char *host = server->options.listen;
    const bool wide = strchr(host, ':') != NULL; /* an IPv6 address */
    const tp_front *const *front = server->options.kit->fronts;
    tp_status status = TP_OK;

    snprintf(address, sizeof address, "%s:%s%s%s:%u", scheme, wide ? "[" : "", host,
             wide ? "]" : "", *port);
    for (; *front != NULL && status == TP_OK; front++) {
        status = open_front(server, *front, address, robot, port, err);
    }
    return status;
}

static tp_status serve_robot(tp_server *server, struct robot *robot, tp_error *err)
{
    tp_status status = TP_OK;

    if (server->options.listen[0] == '\0' || server->options.kit == NULL) {
        return TP_OK;
    }
    robot->port = server->options.any_port ? 0 : robot->number;
    status = listen_on(server, "tcp", robot->number, &robot->port, err);
    if (status == TP_OK && server->options.udp) {
        status = listen_on(server, "udp", robot->number, &robot->port, err);
    }
    return status;
}

/* For the children of isolated drivers. */
static tp_status serve_inside(tp_server *server, tp_error *err)
{
    char address[sizeof server->folder + 24];
    unsigned none;
    tp_status status = TP_OK;

    for (size_t i = 0; i < server->inner_count && status == TP_OK; i++) {
        snprintf(address, sizeof address, "unix:%s/%u", server->folder, server->inner[i]);
        status = open_front(server, server->options.kit->fronts[0], address, server->inner[i],
                            &none, err);
    }
    return status;
}

static tp_status serve_unix_socket(tp_server *server, tp_error *err)
{
    char address[512];
    unsigned none;

    if (server->options.unix_path == NULL || server->options.kit == NULL) {
        return TP_OK;
    }
    snprintf(address, sizeof address, "unix:%s", server->options.unix_path);
    return open_front(server, server->options.kit->fronts[0], address, server->options.port, &none,
                      err);
}

/* One listener for each robot, in the order in which the configuration mentions them. */
static tp_status open_fronts(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < tpi_hub_device_count(server->hub) && status == TP_OK; i++) {
        const unsigned number = tp_device_addr(tpi_hub_device_at(server->hub, i))->robot;
        if (number >= FIRST_FAR_ROBOT || has_robot(server, number)) {
            continue;
        }
        if (server->robot_count == MOST_ROBOTS) {
            return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
        }
        struct robot *robot = &server->robots[server->robot_count++];
        robot->number = number;
        status = serve_robot(server, robot, err);
    }
    status = status == TP_OK ? serve_inside(server, err) : status;
    return status == TP_OK ? serve_unix_socket(server, err) : status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_configuration(tp_server *server, tp_error *err)
{
    const tp_server_options *options = &server->options;

    if (options->text == NULL) {
        return tpi_cfg_load(&server->cfg, options->path, server_note, server, err);
    }
    return tpi_cfg_parse(&server->cfg, options->path, options->text, strlen(options->text),
                         server_note, server, err);
}

/* What ports of drivers can be opened on, and where their scripts are: beside the configuration. */
static tp_status prepare_lines(tp_server *server, tp_error *err)
{
    const char *path = server->options.path;
    const char *slash = strrchr(path, '/');
    const char *folder =
        tpi_arena_text(&server->arena, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);

    if (folder == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tpi_hub_set_lines(server->hub,
                      server->options.kit == NULL ? NULL : server->options.kit->schemes, folder);
    return TP_OK;
}

/* panic "brake", "hold" or "finish", and the key that ends one. */
static tp_status read_safety(tp_server *server, tp_error *err)
{
    static const char *const actions[] = {
        [TP_HALT_BRAKE] = "brake", [TP_HALT_HOLD] = "hold", [TP_HALT_FINISH] = "finish"};
    tpi_cfg_section *root = tpi_cfg_root(server->cfg);
    const char *action = "brake";
    const char *key = NULL;
    tp_status status = tpi_cfg_string(root, "panic", "brake", &action, err);

    status = status == TP_OK ? tpi_cfg_string(root, "operator_key", NULL, &key, err) : status;
    if (status != TP_OK) {
        return status;
    }
    tpi_hub_set_operator_key(server->hub, key);
    for (unsigned i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i], action) == 0) {
            tpi_hub_set_panic_action(server->hub, (tp_halt)i);
            return TP_OK;
        }
    }
    return tpi_cfg_fail(&tpi_cfg_find(root, "panic")->place, err,
                        "panic is \"brake\", \"hold\" or \"finish\", not \"%s\"", action);
}

static tp_status build(tp_server *server, tp_error *err)
{
    tp_status status = tp_catalogue_create(&server->catalogue, err);

    status = status == TP_OK ? tp_loop_create(&server->loop, server->options.clock, err) : status;
    status = status == TP_OK ? tpi_hub_create(&server->hub, server->loop, server->catalogue, err)
                             : status;
    status = status == TP_OK ? prepare_lines(server, err) : status;
    status = status == TP_OK ? read_configuration(server, err) : status;
    status = status == TP_OK ? read_safety(server, err) : status;
    status = status == TP_OK ? wire_drivers(server, err) : status;
    return status == TP_OK ? open_fronts(server, err) : status;
}

tp_status tp_server_create(tp_server **out, const tp_server_options *options, tp_error *err)
{
    tp_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    server->options = *options;
    if (options->clock == NULL) {
        server->options.clock = tp_clock_real();
    }
    if (options->port == 0) {
        server->options.port = DEFAULT_PORT;
    }
    if (options->listen == NULL) {
        server->options.listen = "127.0.0.1";
    }
    if (options->path == NULL) {
        server->options.path = "configuration";
    }
    tp_status status = build(server, err);
    if (status != TP_OK) {
        tp_server_destroy(server);
        return status;
    }
    *out = server;
    return TP_OK;
}

void tp_server_destroy(tp_server *server)
{
    if (server == NULL) {
        return;
    }
    for (struct open_front *open = server->fronts; open != NULL; open = open->next) {
        open->front->close(open->state);
    }
    tpi_hub_destroy(server->hub);
    if (server->loop != NULL) {
        tp_loop_destroy(server->loop);
    }
    tpi_cfg_destroy(server->cfg);
    tp_catalogue_destroy(server->catalogue);
    tpi_folder_remove(server->folder);
    plugins_close(server);
    tpi_arena_fini(&server->arena);
    tpi_pool_leave();
    free(server);
}

void tp_server_begin(tp_server *server)
{
    tpi_hub_begin(server->hub, instance_failed, server);
}

void tp_server_run(tp_server *server)
{
    tp_loop_run(server->loop);
}

void tp_server_stop(tp_server *server)
{
    tp_loop_stop(server->loop);
}

void tp_server_panic(tp_server *server, const char *who, const char *why)
{
    tpi_panic_raise(tpi_hub_panic(server->hub), who, why);
}

void tp_server_panic_by_signal(const tp_server *server)
{
    tpi_panic_raise_by_signal(tpi_hub_panic(server->hub));
}

void tp_server_step(tp_server *server, bool wait)
{
    tp_loop_turn(server->loop, wait);
}

tp_loop *tp_server_loop(const tp_server *server)
{
    return server->loop;
}

tp_hub *tp_server_hub(const tp_server *server)
{
    return server->hub;
}

bool tp_server_port(const tp_server *server, size_t i, unsigned *robot, unsigned *port)
{
    if (i >= server->robot_count) {
        return false;
    }
    *robot = server->robots[i].number;
    *port = server->robots[i].port;
    return true;
}

size_t tp_server_device_count(const tp_server *server)
{
    return tpi_hub_device_count(server->hub);
}

tp_device *tp_server_device_at(const tp_server *server, size_t i)
{
    return tpi_hub_device_at(server->hub, i);
}

void tp_server_raise_limits(void)
{
    tpi_limit_raise_files();
}
