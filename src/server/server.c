/* server.c - a whole server: loop, devices, fronts; see troupe/server.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "bus/pool.h"
#include "platform/folder.h"
#include "platform/guard.h"
#include "platform/limit.h"
#include "server/change.h"

static void instance_failed(void *context, const tp_instance *instance, const char *why)
{
    (void)instance;
    tpi_server_note(context, why);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* What ports of drivers can be opened on, where their scripts are (beside the configuration), and
 * what guards them. */
static tp_status prepare_lines(tp_server *server, tp_error *err)
{
    char guard[4096];
    const char *path = server->options.path;
    const char *slash = strrchr(path, '/');
    const char *folder =
        tpi_arena_text(&server->arena, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);

    const char *found = server->options.guard != NULL
                            ? server->options.guard
                            : tpi_guard_find(server->options.program, guard, sizeof guard);
    const char *program = tpi_arena_text(&server->arena, found, strlen(found));
    if (folder == NULL || program == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tpi_hub_set_guard(server->hub, program);
    tpi_hub_set_part(server->hub, server->options.child, server->options.part);
    tpi_hub_set_lines(server->hub,
                      server->options.kit == NULL ? NULL : server->options.kit->schemes, folder);
    return TP_OK;
}

/* Those that could be made, up to the first that could not. */
struct made {
    struct driver_entry **entries; /* owned, as the next */
    tp_instance **instances;       /* themselves the hub's */
    size_t count;
};

static tp_status prepare(tp_server *server, struct made *made, tp_error *err)
{
    tp_status status = TP_OK;

    for (struct driver_entry *entry = server->file->entries; entry != NULL && status == TP_OK;
         entry = entry->next) {
        status = tpi_entry_prepare(server, entry, err);
        if (status == TP_OK) {
            entry->home->users++;
            made->instances[made->count] = entry->instance;
            made->entries[made->count++] = entry;
        }
    }
    return status;
}

/* What is reported is the first mistake in the file, whatever kind it is of. */
static tp_status check(const tp_server *server, const struct made *made, tp_status status,
                       tp_error *err)
{
    const tpi_exchange exchange = {.coming = made->instances, .coming_count = made->count};
    tp_error why = {0};
    size_t wrong = 0;
    const tp_status found = tpi_hub_check(server->hub, &exchange, &wrong, &why);

    if (found == TP_OK) {
        return status;
    }
    return wrong < made->count ? tpi_entry_fail(made->entries[wrong], found, why.text, err)
                               : tp_fail(err, found, "%s", why.text);
}

static tp_status add_all(tp_server *server, struct made *made, tp_error *err)
{
    tp_status status = prepare(server, made, err);
    size_t registered = 0;

    status = check(server, made, status, err);
    while (registered < made->count && status == TP_OK) {
        status = tpi_hub_register(made->instances[registered]) == TP_OK
                     ? TP_OK
                     : tp_fail(err, TP_E_NOMEM, "out of memory");
        registered += status == TP_OK;
    }
    for (size_t i = registered; i < made->count; i++) {
        tpi_hub_discard(made->instances[i]);
    }
    return status;
}

static tp_status make_instances(tp_server *server, tp_error *err)
{
    size_t most = 1;
    struct made made = {0};

    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        most++;
    }
    made.entries = calloc(most, sizeof(struct driver_entry *));
    made.instances = calloc(most, sizeof(tp_instance *));
    const tp_status status = made.entries != NULL && made.instances != NULL
                                 ? add_all(server, &made, err)
                                 : tp_fail(err, TP_E_NOMEM, "out of memory");
    free((void *)made.entries);
    free((void *)made.instances);
    return status;
}

/* A device that the file itself should provide and does not: its user cannot start. */
static void report_missing(tp_server *server)
{
    for (const struct driver_entry *entry = server->file->entries; entry != NULL;
         entry = entry->next) {
        for (uint32_t i = 0; i < entry->asked.require_count; i++) {
            const tpi_wanted *wanted = &entry->asked.requires[i];
            tp_error note = {0};
            if (wanted->addr.robot < FIRST_FAR_ROBOT && entry->section != NULL &&
                tpi_hub_find(server->hub, wanted->addr.robot, wanted->addr.interf,
                             wanted->addr.index) == NULL) {
                tpi_cfg_fail(&entry->section->place, &note,
                             "it requires %s:%u, which no driver provides", wanted->interface->name,
                             wanted->addr.index);
                tpi_server_note(server, note.text);
            }
        }
    }
}

static tp_status build(tp_server *server, tp_error *err)
{
    tp_status status = tp_catalogue_create(&server->catalogue, err);

    status = status == TP_OK ? tp_loop_create(&server->loop, server->options.clock, err) : status;
    status = status == TP_OK ? tpi_hub_create(&server->hub, server->loop, server->catalogue, err)
                             : status;
    status = status == TP_OK ? prepare_lines(server, err) : status;
    if (status == TP_OK) {
        tpi_hub_set_note(server->hub, tpi_server_note, server);
    }
    status = status == TP_OK ? tpi_config_read(server, err) : status;
    if (status == TP_OK) {
        tpi_hub_watch_panic(server->hub, tpi_server_note, server);
    }
    status = status == TP_OK ? tpi_access_apply(server, err) : status;
    status = status == TP_OK ? make_instances(server, err) : status;
    status = status == TP_OK ? tpi_circles_check(server, err) : status;
    if (status == TP_OK) {
        tpi_hub_set_panic_action(server->hub, server->file->panic);
        tpi_top_report(server);
        tpi_ranks_report(server);
        report_missing(server);
    }
    return status == TP_OK ? tpi_fronts_open_first(server, err) : status;
}

static tp_status take_options(tp_server_options *out, const tp_server_options *options,
                              tp_error *err)
{
    static const tpi_options_kind kind = {"tp_server_options", sizeof *out,
                                          TPI_OPTIONS_END(tp_server_options, note_context)};
    const tp_status status = tpi_options_take(out, &kind, options, err);

    if (out->clock == NULL) {
        out->clock = tp_clock_real();
    }
    if (out->port == 0) {
        out->port = DEFAULT_PORT;
    }
    if (out->listen == NULL) {
        out->listen = "127.0.0.1";
    }
    if (out->path == NULL) {
        out->path = "configuration";
    }
    return status;
}

tp_status tp_server_create(tp_server **out, const tp_server_options *options, tp_error *err)
{
    tp_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = take_options(&server->options, options, err);
    if (status != TP_OK) {
        free(server);
        return status;
    }
    tpi_server_gather_notes(server);
    status = build(server, err);
    tpi_server_tell_notes(server);
    if (status != TP_OK) {
        tp_server_destroy(server);
        return status;
    }
    *out = server;
    return TP_OK;
}

bool tp_server_end(tp_server *server)
{
    const int64_t patience_ns = 5 * TP_NS_PER_S;

    if (!server->ended) {
        server->ending = true;
        tpi_reload_cancel(server);
        tpi_fronts_close_all(server);
        server->ended = true;
        server->stopped = tpi_hub_stop(server->hub, patience_ns);
    }
    return server->stopped && !tpi_reload_is_on_thread(server);
}

void tp_server_destroy(tp_server *server)
{
    if (server == NULL) {
        return;
    }
    (void)tp_server_end(server);
    tpi_reload_end(server);
    tpi_hub_destroy(server->hub);
    if (server->loop != NULL) {
        tp_loop_destroy(server->loop);
    }
    tpi_change_destroy(server->change);
    tpi_config_destroy_all(server);
    tp_catalogue_destroy(server->catalogue);
    tpi_folder_remove(server->folder);
    tpi_plugins_close(server);
    tpi_arena_fini(&server->arena);
    tpi_pool_leave();
    free(server);
}

void tp_server_begin(tp_server *server)
{
    server->begun = true;
    tpi_hub_begin(server->hub, instance_failed, server);
}

void tp_server_run(tp_server *server)
{
    tp_loop_run(server->loop);
    tp_loop_turn(server->loop, false); /* what was posted before the stop */
}

void tp_server_stop(tp_server *server)
{
    tp_loop_stop(server->loop);
}

void tp_server_panic_by_signal(const tp_server *server)
{
    tpi_panic_raise_by_signal(tpi_panic_of(server->hub));
}

void tp_server_crash(const tp_server *server)
{
    tpi_hub_crash(server->hub);
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

bool tp_server_front_at(const tp_server *server, size_t i, tp_server_front *out)
{
    const struct open_front *open = server->fronts;

    while (open != NULL && (open->reach == TP_REACH_INSIDE || i > 0)) {
        i -= open->reach != TP_REACH_INSIDE;
        open = open->next;
    }
    if (open == NULL) {
        return false;
    }
    *out = (tp_server_front){.name = open->front->name,
                             .scheme = open->scheme,
                             .listen = open->host,
                             .port = open->port,
                             .robot = open->robot,
                             .reach = open->reach,
                             .twin = open->twin,
                             .page = open->front->page == NULL || open->reach == TP_REACH_UNIX
                                         ? NULL
                                         : open->front->page(open->instance),
                             .taken = open->taken};
    return true;
}
