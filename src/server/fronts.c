/*
 * fronts.c - where a server listens: the fronts that the file wants, a unix socket if it is asked
 * for, and sockets for the server's own children.
 *
 * Opening is done in two steps, so that a file that is read again changes nothing if it is wrong:
 * what is open already and still wanted is claimed first, then the rest is checked, then opened. An
 * open front that is not claimed and has the port of one to be opened is closed before that, so
 * that a mistake in the file leaves it open. If opening fails, undoing opens it again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"

enum { MOST_BESIDE = 20, MOST_PORT = 65535 };

/* ---- One front ------------------------------------------------------------------------------- */

static tpi_front_opening opening_of(tp_server *server, const tp_front *front,
                                    const struct front_entry *entry, const tp_front_place *place)
{
    return (tpi_front_opening){.front = front,
                               .hub = server->hub,
                               .loop = server->loop,
                               .place = *place,
                               .settings = entry == NULL ? NULL : entry->settings,
                               .setting_count = entry == NULL ? 0 : entry->setting_count,
                               .note = tpi_server_note,
                               .note_context = server};
}

/* An address that is taken may be taken by this server: its user looks for another program in vain.
 */
static void blame_own_front(const tp_server *server, const struct open_front *wanted,
                            const char *address, tp_error *why)
{
    const struct open_front *open = server->fronts;
    const char *colon = strrchr(address, ':');
    char robot[32] = "";

    while (open != NULL && (open->instance == NULL || strcmp(open->scheme, wanted->scheme) != 0 ||
                            strcmp(open->scheme, "unix") == 0 || colon == NULL ||
                            strtoul(colon + 1, NULL, 10) != open->port)) {
        open = open->next;
    }
    if (open != NULL) {
        if (open->robot != TP_EVERY_ROBOT) {
            (void)snprintf(robot, sizeof robot, " for robot %u", (unsigned)open->robot);
        }
        (void)tp_fail(why, TP_E_EXISTS, "listen on %s: the front %s of this server listens there%s",
                      address, open->front->name, robot);
    }
}

static tp_status open_instance(tp_server *server, struct open_front *open, const char *address,
                               int patience_s, tp_error *err)
{
    const struct front_entry *entry = open->entry;
    const char *blamed = NULL;
    tp_error why = {0};
    const tp_front_place place = {address, open->robot, open->reach, patience_s};
    const tpi_front_opening made = opening_of(server, open->front, entry, &place);
    const tp_status status = tpi_front_open(&open->instance, &made, &blamed, &why);

    if (status == TP_E_EXISTS) {
        blame_own_front(server, open, address, &why);
    }
    if (status != TP_OK) {
        (void)(entry == NULL ? tp_fail(err, status, "%s", why.text)
                             : tpi_front_entry_fail(entry, blamed, status, why.text, err));
        return status;
    }
    open->port = tpi_front_port(open->instance);
    return TP_OK;
}

/* On an address of the network. */
static tp_status open_network(tp_server *server, struct open_front *open, unsigned port,
                              tp_error *err)
{
    char address[320];
    const bool wide = strchr(open->host, ':') != NULL; /* an IPv6 address */

    (void)snprintf(address, sizeof address, "%s:%s%s%s:%u", open->scheme, wide ? "[" : "",
                   open->host, wide ? "]" : "", port);
    return open_instance(server, open, address, server->file->patience_s, err);
}

static void append(tp_server *server, struct open_front *open)
{
    struct open_front **last = &server->fronts;

    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = open;
}

static void close_front(struct open_front **at)
{
    struct open_front *open = *at;

    *at = open->next;
    tpi_front_close(open->instance);
    free(open);
}

/* ---- Opening what the file wants ------------------------------------------------------------- */

/* A front at one address. */
struct opening {
    const struct front_entry *entry;
    const char *scheme;
    uint32_t robot;
    bool twin;               /* on the port of the one before it */
    struct open_front *open; /* NULL until it is found or opened, and if it is left out */
};

struct openings {
    struct opening *items; /* owned */
    size_t count;
};

static void add_openings(const tp_server *server, struct openings *all,
                         const struct front_entry *entry, uint32_t robot)
{
    const bool streams = tpi_front_speaks(entry->front, "tcp");

    if (streams) {
        all->items[all->count++] = (struct opening){entry, "tcp", robot, false, NULL};
    }
    if (tpi_front_speaks(entry->front, "udp") && (server->options.udp || !streams)) {
        all->items[all->count++] = (struct opening){entry, "udp", robot, streams, NULL};
    }
}

static tp_status list_openings(const tp_server *server, struct openings *all, tp_error *err)
{
    size_t most = 1;

    for (const struct front_entry *entry = server->file->fronts; entry != NULL;
         entry = entry->next) {
        most += 2 * (server->robot_count + 1);
    }
    all->items = calloc(most, sizeof *all->items);
    if (all->items == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (const struct front_entry *entry = server->file->fronts; entry != NULL;
         entry = entry->next) {
        if (entry->usual && !tpi_usual_has_devices(server, entry->front)) {
            continue;
        }
        if ((entry->front->flags & TP_FRONT_PER_ROBOT) == 0) {
            add_openings(server, all, entry, entry->robot != 0 ? entry->robot : TP_EVERY_ROBOT);
            continue;
        }
        for (size_t i = 0; i < server->robot_count; i++) {
            const unsigned robot = server->robots[i].number;
            if (tpi_robots_mentioned(server, robot) &&
                (entry->robot == 0 || entry->robot == robot)) {
                add_openings(server, all, entry, robot);
            }
        }
    }
    return TP_OK;
}

/* One that is open already. */
static void claim(tp_server *server, struct opening *opening)
{
    struct open_front *open = server->fronts;

    while (open != NULL &&
           (open->entry == NULL || open->wanted != NULL || open->robot != opening->robot ||
            strcmp(open->scheme, opening->scheme) != 0 ||
            !tpi_front_entry_same(open->entry, opening->entry))) {
        open = open->next;
    }
    if (open != NULL) {
        open->wanted = opening->entry;
        opening->open = open;
    }
}

static unsigned port_for(const tp_server *server, const struct opening *opening)
{
    const struct front_entry *entry = opening->entry;

    if (opening->twin) {
        return opening[-1].open->port;
    }
    if (server->options.any_port) {
        return 0;
    }
    if (entry->has_port) {
        return entry->port;
    }
    return (entry->front->flags & TP_FRONT_PER_ROBOT) != 0 ? opening->robot : entry->front->port;
}

/* What nobody wants any more leaves a port that is wanted. */
static void make_room(tp_server *server, const struct opening *opening, unsigned port)
{
    for (struct open_front *open = server->fronts; open != NULL && port != 0; open = open->next) {
        if (open->entry != NULL && open->wanted == NULL && open->port == port &&
            strcmp(open->scheme, opening->scheme) == 0) {
            tpi_front_close(open->instance);
            open->instance = NULL;
        }
    }
}

/* On the next free port. */
static tp_status open_beside(tp_server *server, struct open_front *open, unsigned port)
{
    tp_error ignored;

    for (unsigned next = port + 1; next <= port + MOST_BESIDE && next <= MOST_PORT; next++) {
        if (open_network(server, open, next, &ignored) == TP_OK) {
            open->taken = port;
            return TP_OK;
        }
    }
    return TP_E_EXISTS;
}

static tp_status open_one(tp_server *server, struct opening *opening, tp_error *err)
{
    const struct front_entry *entry = opening->entry;
    const char *host = entry->listen != NULL ? entry->listen : server->options.listen;
    const unsigned port = port_for(server, opening);
    struct open_front *open = calloc(1, sizeof *open);

    if (open == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *open = (struct open_front){.front = entry->front,
                                .entry = entry,
                                .scheme = opening->scheme,
                                .host = host,
                                .robot = opening->robot,
                                .reach = tpi_access_reach(host),
                                .twin = opening->twin,
                                .wanted = entry,
                                .fresh = true};
    make_room(server, opening, port);
    tp_status status = open_network(server, open, port, err);
    if (status == TP_E_EXISTS && port != 0 && tpi_usual_may_move(entry)) {
        status = open_beside(server, open, port);
    }
    if (status != TP_OK) {
        free(open);
        return status;
    }
    append(server, open);
    opening->open = open;
    return TP_OK;
}

/* A front that opens by default need not; but the ports of robots are what a server is for. */
static bool may_be_left_out(const struct opening *opening, tp_status status)
{
    return (status == TP_E_EXISTS && opening->entry->section == NULL &&
            (opening->entry->front->flags & TP_FRONT_PER_ROBOT) == 0) ||
           (status != TP_OK && status != TP_E_NOMEM && opening->entry->usual);
}

static tp_status open_rest(tp_server *server, struct openings *all, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < all->count && status == TP_OK; i++) {
        struct opening *opening = &all->items[i];
        tp_error why = {0};
        char note[sizeof why.text + 80];
        if (opening->open != NULL || (opening->twin && opening[-1].open == NULL)) {
            continue;
        }
        status = open_one(server, opening, &why);
        if (may_be_left_out(opening, status)) {
            (void)snprintf(note, sizeof note, "%s; the front %s is left out", why.text,
                           opening->entry->front->name);
            tpi_server_note(server, note);
            status = TP_OK;
        } else if (status != TP_OK) {
            (void)tp_fail(err, why.code, "%s", why.text);
        }
    }
    return status;
}

/* Let a front check its parameters, without opening it. */
static tp_status check_entry(tp_server *server, const struct front_entry *entry, bool with_notes,
                             tp_error *err)
{
    const tp_front_place place = {.address = "", .robot = TP_EVERY_ROBOT};
    tpi_front_opening made = opening_of(server, entry->front, entry, &place);
    const char *blamed = NULL;
    tp_error why = {0};

    made.note = with_notes ? made.note : NULL;
    const tp_status status = entry->disabled ? TP_OK : tpi_front_check(&made, &blamed, &why);
    if (status != TP_OK) {
        (void)tpi_front_entry_fail(entry, blamed, status, why.text, err);
    }
    return status;
}

/* Check all that will be opened before any open front is closed to make room. The notes come when a
 * front is opened. */
static tp_status check_unclaimed(tp_server *server, const struct openings *all, tp_error *err)
{
    const struct front_entry *checked = NULL;
    tp_status status = TP_OK;

    for (size_t i = 0; i < all->count && status == TP_OK; i++) {
        const struct opening *opening = &all->items[i];
        if (opening->open == NULL && opening->entry != checked) {
            checked = opening->entry;
            status = check_entry(server, checked, false, err);
        }
    }
    return status;
}

static tp_status open_wanted(tp_server *server, tp_error *err)
{
    struct openings all = {0};
    tp_status status = list_openings(server, &all, err);

    for (size_t i = 0; i < all.count; i++) {
        claim(server, &all.items[i]);
    }
    status = status == TP_OK ? check_unclaimed(server, &all, err) : status;
    status = status == TP_OK ? open_rest(server, &all, err) : status;
    free(all.items);
    return status;
}

/* Without a network: each front checks its parameters. */
static tp_status check_wanted(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (const struct front_entry *entry = server->file->fronts; entry != NULL && status == TP_OK;
         entry = entry->next) {
        status = check_entry(server, entry, true, err);
    }
    return status;
}

/* ---- Unix sockets ---------------------------------------------------------------------------- */

/* The first front that serves them. */
static const tp_front *find_unix_front(const tp_server *server)
{
    const tp_kit *kit = server->options.kit;

    for (size_t i = 0; kit != NULL && kit->fronts != NULL && kit->fronts[i] != NULL; i++) {
        if (tpi_front_speaks(kit->fronts[i], "unix")) {
            return kit->fronts[i];
        }
    }
    return NULL;
}

static tp_status open_unix(tp_server *server, const char *path, unsigned robot, tp_reach reach,
                           tp_error *err)
{
    char address[512];
    const tp_front *front = find_unix_front(server);
    struct open_front *open = front == NULL ? NULL : calloc(1, sizeof *open);

    if (open == NULL) {
        return front != NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                             : tp_fail(err, TP_E_UNSUPPORTED, "no front serves unix sockets");
    }
    *open = (struct open_front){
        .front = front, .scheme = "unix", .host = "", .robot = robot, .reach = reach};
    (void)snprintf(address, sizeof address, "unix:%s", path);
    const tp_status status = open_instance(server, open, address, 0, err);
    if (status != TP_OK) {
        free(open);
        return status;
    }
    append(server, open);
    return TP_OK;
}

/* For the children of isolated drivers. */
static tp_status serve_inside(tp_server *server, tp_error *err)
{
    char path[sizeof server->folder + 24];
    tp_status status = TP_OK;

    while (server->inner_open < server->inner_count && status == TP_OK) {
        const unsigned robot = server->inner[server->inner_open];
        (void)snprintf(path, sizeof path, "%s/%u", server->folder, robot);
        status = open_unix(server, path, robot, TP_REACH_INSIDE, err);
        server->inner_open += status == TP_OK;
    }
    return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

tp_status tpi_fronts_open(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    status = status == TP_OK ? tpi_robots_add(server, err) : status;
    status = status == TP_OK ? tpi_robots_check(server, err) : status;
    if (status == TP_OK) {
        status = server->options.listen[0] != '\0' ? open_wanted(server, err)
                                                   : check_wanted(server, err);
    }
    return status == TP_OK ? serve_inside(server, err) : status;
}

tp_status tpi_fronts_open_first(tp_server *server, tp_error *err)
{
    const char *path = server->options.unix_path;
    tp_status status = tpi_fronts_open(server, err);

    if (status == TP_OK && path != NULL && server->options.kit != NULL) {
        status = open_unix(server, path, server->options.port, TP_REACH_UNIX, err);
    }
    tpi_fronts_settle(server);
    if (status == TP_OK && server->fronts == NULL && server->options.listen[0] != '\0' &&
        server->options.kit != NULL) {
        tpi_server_note(server, "no front is open: clients cannot connect");
    }
    return status;
}

/* The first front that serves one robot alone is the one that is shown with it. */
static unsigned port_of(const tp_server *server, unsigned robot)
{
    for (const struct open_front *open = server->fronts; open != NULL; open = open->next) {
        if (open->entry != NULL && open->robot == robot &&
            (open->front->flags & TP_FRONT_PER_ROBOT) != 0) {
            return open->port;
        }
    }
    return 0;
}

void tpi_fronts_settle(tp_server *server)
{
    struct open_front **at = &server->fronts;
    size_t kept = 0;

    while (*at != NULL) {
        struct open_front *open = *at;
        if (open->entry != NULL && open->wanted == NULL) {
            close_front(at);
            continue;
        }
        if (open->entry != NULL) { /* the file before may be released */
            open->entry = open->wanted;
            open->host = open->entry->listen != NULL ? open->entry->listen : server->options.listen;
        }
        open->wanted = NULL;
        open->fresh = false;
        at = &open->next;
    }
    for (size_t i = 0; i < server->robot_count; i++) {
        if (tpi_robots_mentioned(server, server->robots[i].number)) {
            server->robots[kept] = server->robots[i];
            server->robots[kept].port = port_of(server, server->robots[i].number);
            kept++;
        }
    }
    server->robot_count = kept;
}

void tpi_fronts_undo(tp_server *server, size_t robot_count)
{
    struct open_front **at = &server->fronts;

    while (*at != NULL) {
        if ((*at)->fresh) {
            close_front(at);
        } else {
            (*at)->wanted = NULL;
            at = &(*at)->next;
        }
    }
    for (at = &server->fronts; *at != NULL;) {
        struct open_front *open = *at;
        tp_error why = {0};
        if (open->instance == NULL && open_network(server, open, open->port, &why) != TP_OK) {
            tpi_server_note(server, why.text);
            close_front(at);
        } else {
            at = &open->next;
        }
    }
    server->robot_count = robot_count;
}

void tpi_fronts_close_all(tp_server *server)
{
    while (server->fronts != NULL) {
        close_front(&server->fronts);
    }
}
