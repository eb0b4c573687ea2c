/* fronts.c - where a server listens: one port for each robot, sockets for its own children. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"

/* ---- Opening --------------------------------------------------------------------------------- */

static bool has_robot(const tp_server *server, unsigned number)
{
    for (size_t i = 0; i < server->robot_count; i++) {
        if (server->robots[i].number == number) {
            return true;
        }
    }
    return false;
}

static tp_status open_front(tp_server *server, const tp_front *front, const tp_front_place *place,
                            unsigned *port, tp_error *err)
{
    struct open_front *open = calloc(1, sizeof *open);

    if (open == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = front->open(&open->state, server->hub, server->loop, place, err);
    if (status != TP_OK) {
        free(open);
        return status;
    }
    open->front = front;
    open->robot = place->robot;
    open->next = server->fronts;
    server->fronts = open;
    *port = front->port(open->state);
    return TP_OK;
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
    const tp_front_place place = {address, robot, TP_REACH_NETWORK, server->file->patience_s};
    for (; *front != NULL && status == TP_OK; front++) {
        status = open_front(server, *front, &place, port, err);
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

    while (server->inner_open < server->inner_count && status == TP_OK) {
        const unsigned robot = server->inner[server->inner_open];
        snprintf(address, sizeof address, "unix:%s/%u", server->folder, robot);
        const tp_front_place place = {address, robot, TP_REACH_INSIDE};
        status = open_front(server, server->options.kit->fronts[0], &place, &none, err);
        if (status == TP_OK) {
            server->fronts->stays = true;
            server->inner_open++;
        }
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
    const tp_front_place place = {address, server->options.port, TP_REACH_UNIX};
    tp_status status = open_front(server, server->options.kit->fronts[0], &place, &none, err);
    if (status == TP_OK) {
        server->fronts->stays = true;
    }
    return status;
}

static tp_status add_robot(tp_server *server, unsigned number, tp_error *err)
{
    if (number >= FIRST_FAR_ROBOT || has_robot(server, number)) {
        return TP_OK;
    }
    if (server->robot_count == MOST_ROBOTS) {
        return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
    }
    struct robot *robot = &server->robots[server->robot_count++];
    *robot = (struct robot){.number = number};
    return serve_robot(server, robot, err);
}

tp_status tpi_fronts_open(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        if (entry->asked.provide_count == 0 && status == TP_OK) { /* it offers all that it has */
            status = add_robot(server, entry->asked.robot, err);
        }
        for (uint32_t i = 0; i < entry->asked.provide_count && status == TP_OK; i++) {
            status = add_robot(server, entry->asked.provides[i].addr.robot, err);
        }
    }
    return status == TP_OK ? serve_inside(server, err) : status;
}

tp_status tpi_fronts_open_first(tp_server *server, tp_error *err)
{
    tp_status status = tpi_fronts_open(server, err);

    return status == TP_OK ? serve_unix_socket(server, err) : status;
}

/* ---- Closing --------------------------------------------------------------------------------- */

static bool is_mentioned(const tp_server *server, unsigned robot)
{
    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        if (entry->asked.provide_count == 0 && entry->asked.robot == robot) {
            return true;
        }
        for (uint32_t i = 0; i < entry->asked.provide_count; i++) {
            if (entry->asked.provides[i].addr.robot == robot) {
                return true;
            }
        }
    }
    return false;
}

/* The ports of a robot, with their clients. */
static void close_robot(tp_server *server, unsigned robot)
{
    struct open_front **at = &server->fronts;

    while (*at != NULL) {
        struct open_front *open = *at;
        if (open->robot == robot && !open->stays) {
            *at = open->next;
            open->front->close(open->state);
            free(open);
        } else {
            at = &open->next;
        }
    }
}

void tpi_fronts_undo(tp_server *server, size_t robot_count)
{
    while (server->robot_count > robot_count) {
        close_robot(server, server->robots[--server->robot_count].number);
    }
}

void tpi_fronts_close_others(tp_server *server)
{
    size_t kept = 0;

    for (size_t i = 0; i < server->robot_count; i++) {
        if (is_mentioned(server, server->robots[i].number)) {
            server->robots[kept++] = server->robots[i];
        } else {
            close_robot(server, server->robots[i].number);
        }
    }
    server->robot_count = kept;
}

void tpi_fronts_close_all(tp_server *server)
{
    while (server->fronts != NULL) {
        server->fronts->stays = false;
        close_robot(server, server->fronts->robot);
    }
}
