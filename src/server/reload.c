/*
 * reload.c - a configuration that has changed, while the server runs.
 *
 *     the loop                                    a thread
 *     copies the list of devices         ---->    reads the file, prepares what comes, checks all
 *     opens new fronts                   <----
 *     enrols what comes
 *     removes what leaves, closes fronts
 *     waits until the drivers have ended
 *     registers what comes, starts it    ---->    releases the file before
 *     is done                            <----
 *
 * What the loop does for each instance it does in portions, one in each turn, so that clients are
 * served in between. If the file has a mistake, nothing changes.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pool.h"
#include "server/change.h"

enum {
    PORTION_NS = 3 * TP_NS_PER_MS,
    REMOVALS = 16, /* in a portion: each leaves more work for the turns that follow */
};

/* ---- Notes ----------------------------------------------------------------------------------- */

/* "removed fake0 (laser:0, ptz:0)"; of one that knows itself what it offers, "removed sim0" */
static void note_instance(tp_server *server, const char *what, const tp_instance *instance,
                          const tpi_blueprint *blueprint)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%s %s", what, tp_instance_name(instance));

    for (uint32_t i = 0; i < blueprint->provide_count && length < (int)sizeof text - 80; i++) {
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s%s:%u", i == 0 ? " (" : ", ",
                     blueprint->provides[i].interface->name, blueprint->provides[i].addr.index);
    }
    snprintf(text + length, sizeof text - (size_t)length, "%s",
             blueprint->provide_count > 0 ? ")" : "");
    tpi_server_note(server, text);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void drive(struct change *c);

static void end_thread(struct change *c)
{
    tpi_pool_leave();
    atomic_store(&c->through, true);
    tpi_loop_post(c->server->loop, &c->task);
}

static void load_on_thread(void *context)
{
    struct change *c = context;

    tpi_change_load(c);
    end_thread(c);
}

static void release_files(struct change *c)
{
    while (c->unused != NULL) {
        struct file *next = c->unused->next;
        tpi_config_destroy(c->unused);
        c->unused = next;
    }
}

static void release_on_thread(void *context)
{
    struct change *c = context;

    tpi_change_discard(c);
    release_files(c);
    end_thread(c);
}

/* On the loop: the thread has posted its task, and is at its end. */
static void thread_ended(tpi_task *task)
{
    struct change *c = (struct change *)((char *)task - offsetof(struct change, task));

    if (c->server->ending) { /* it is joined there */
        return;
    }
    tpi_thread_join(c->thread);
    c->thread = NULL;
    drive(c);
}

/* Run it on a thread; without one, here. */
static bool run_on_thread(struct change *c, void (*run)(void *context))
{
    c->task.run = thread_ended;
    atomic_store(&c->through, false);
    return !c->at_once && tpi_thread_start(&c->thread, "reload", run, c, NULL) == TP_OK;
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* What is enrolled has timers of the loop; this comes only for want of memory. */
static void discard_enrolled(struct change *c)
{
    for (size_t i = 0; i < c->enrolled; i++) {
        tpi_hub_discard(c->coming[i]);
        c->coming_entries[i]->instance = NULL;
    }
    memmove((void *)c->coming, (const void *)(c->coming + c->enrolled),
            (c->coming_count - c->enrolled) * sizeof(tp_instance *));
    memmove((void *)c->coming_entries, (const void *)(c->coming_entries + c->enrolled),
            (c->coming_count - c->enrolled) * sizeof(struct driver_entry *));
    c->coming_count -= c->enrolled;
    c->enrolled = 0;
}

/* The file before stays in force. */
static enum change_stage undo(struct change *c)
{
    discard_enrolled(c);
    tpi_fronts_undo(c->server, c->robot_count);
    c->server->file = c->before;
    tpi_config_unlink(c->server, c->after);
    return CHANGE_RELEASING;
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static enum change_stage loaded(struct change *c)
{
    tpi_change_take_over(c);
    if (c->status != TP_OK) {
        return CHANGE_DONE;
    }
    c->server->file = c->after;
    return CHANGE_OPENING;
}

static enum change_stage open_fronts(struct change *c)
{
    c->status = tpi_fronts_open(c->server, &c->error);
    return c->status == TP_OK ? CHANGE_ENROLLING : undo(c);
}

/* The last one also brings the rights of the file into force: from now on nothing fails. */
static enum change_stage enrol_next(struct change *c)
{
    tp_server *server = c->server;

    if (c->enrolled < c->coming_count) {
        if (tpi_hub_enrol(c->coming[c->enrolled]) != TP_OK) {
            c->status = tp_fail(&c->error, TP_E_NOMEM, "out of memory");
            return undo(c);
        }
        c->enrolled++;
        return CHANGE_ENROLLING;
    }
    c->status = tpi_access_apply(server, &c->error);
    if (c->status != TP_OK) {
        return undo(c);
    }
    tpi_hub_set_panic_action(server->hub, c->after->panic);
    server->reloading = true;
    server->leaving = c->leaving_count + 1; /* none is the last before all have begun to leave */
    tpi_hub_unlist(server->hub, c->leaving, c->leaving_count);
    return CHANGE_REMOVING;
}

static void removed(void *context)
{
    struct file *home = context;
    tp_server *server = home->server;

    home->users--;
    server->leaving--;
    if (server->leaving == 0 && !server->ending) {
        drive(server->change);
    }
}

static enum change_stage remove_next(struct change *c)
{
    if (c->next == c->leaving_count) {
        c->next = 0;
        return CHANGE_SETTLING;
    }
    struct driver_entry *entry = c->leaving_entries[c->next++];
    note_instance(c->server, "removed", entry->instance, &entry->asked);
    tpi_hub_remove(entry->instance, removed, entry->home);
    entry->instance = NULL;
    return CHANGE_REMOVING;
}

static enum change_stage settle(struct change *c)
{
    tp_server *server = c->server;
    const size_t fronts_changed = tpi_fronts_note_changes(server, c->before, c->after);

    tpi_fronts_settle(server);
    const bool top_changed = tpi_top_report_changes(server, c->before, c->after);
    const bool interfaces_changed = !tpi_interfaces_same(c->before, c->after);
    if (interfaces_changed) {
        tpi_server_note(server, "interface sections have changed; those that are loaded stay");
    }
    if (!top_changed && !interfaces_changed &&
        c->leaving_count + c->coming_count + fronts_changed == 0) {
        tpi_server_note(server, "nothing has changed");
    }
    server->leaving--;
    return CHANGE_WAITING;
}

/* All that leave are gone: the others may have their ports and lines. */
static enum change_stage register_next(struct change *c)
{
    if (c->next == c->coming_count) {
        tpi_hub_find_again(c->server->hub);
        c->start = c->server->begun ? c->after->entries : NULL;
        return CHANGE_STARTING;
    }
    struct driver_entry *entry = c->coming_entries[c->next++];
    entry->home->users++;
    if (tpi_hub_register(entry->instance) == TP_OK) { /* which cannot fail: it is enrolled */
        note_instance(c->server, "added", entry->instance, &entry->asked);
    }
    return CHANGE_REGISTERING;
}

static enum change_stage start_next(struct change *c)
{
    if (c->start == NULL) {
        tpi_config_take_unused(c->server, &c->unused);
        c->coming_count = 0; /* which the server has now */
        c->enrolled = 0;
        c->after = NULL;
        return CHANGE_RELEASING;
    }
    tpi_instance_begin(c->start->instance);
    c->start = c->start->next;
    return CHANGE_STARTING;
}

static enum change_stage step(struct change *c)
{
    switch (c->stage) {
    case CHANGE_LOADING:
        return loaded(c);
    case CHANGE_OPENING:
        return open_fronts(c);
    case CHANGE_ENROLLING:
        return enrol_next(c);
    case CHANGE_REMOVING:
        return remove_next(c);
    case CHANGE_SETTLING:
        return settle(c);
    case CHANGE_WAITING:
        return CHANGE_REGISTERING;
    case CHANGE_REGISTERING:
        return register_next(c);
    case CHANGE_STARTING:
        return start_next(c);
    default: /* released */
        return CHANGE_DONE;
    }
}

/* ---- Driving it ------------------------------------------------------------------------------ */

static tp_status begin(tp_server *server, bool at_once, tp_server_reloaded *done, void *context,
                       tp_error *err);

/* The result is reported, and the next change begins if one was asked for meanwhile. */
static void finish(struct change *c)
{
    tp_server *server = c->server;

    server->change = NULL;
    server->reloading = false;
    if (c->done != NULL) {
        c->done(c->context, c->status, &c->error);
    }
    tpi_change_destroy(c);
    if (server->change == NULL && server->wanted.again) {
        const struct reload_wanted wanted = server->wanted;
        server->wanted = (struct reload_wanted){0};
        tp_server_reload_later(server, wanted.done, wanted.context);
    }
}

/* Whether a thread or the loop has to do something first. */
static bool must_wait(struct change *c)
{
    if (c->stage == CHANGE_WAITING) {
        return c->server->leaving > 0;
    }
    if (c->stage != CHANGE_RELEASING) {
        return false;
    }
    if (c->after == NULL && c->unused == NULL) { /* it is released */
        return false;
    }
    if (run_on_thread(c, release_on_thread)) {
        return true;
    }
    tpi_change_discard(c);
    release_files(c);
    return false;
}

static void run_portion(tp_after *portion)
{
    struct change *c = (struct change *)((char *)portion - offsetof(struct change, portion));
    const int64_t end_ns = tp_clock_now_ns(tp_clock_real()) + PORTION_NS;

    while (c->stage != CHANGE_DONE && !must_wait(c)) {
        c->stage = step(c);
        const bool enough = tp_clock_now_ns(tp_clock_real()) >= end_ns ||
                            (c->stage == CHANGE_REMOVING && c->next % REMOVALS == 0);
        if (!c->at_once && enough) {
            tp_loop_after(c->server->loop, &c->portion);
            return;
        }
    }
    if (c->stage == CHANGE_DONE) {
        finish(c);
    }
}

static void drive(struct change *c)
{
    c->portion.run = run_portion;
    if (c->at_once) {
        run_portion(&c->portion);
    } else {
        tp_loop_after(c->server->loop, &c->portion);
    }
}

static tp_status begin(tp_server *server, bool at_once, tp_server_reloaded *done, void *context,
                       tp_error *err)
{
    struct change *c = NULL;
    const tp_status status = tpi_change_create(&c, server, err);

    if (status != TP_OK) {
        return status;
    }
    c->at_once = at_once;
    c->done = done;
    c->context = context;
    server->change = c;
    if (!run_on_thread(c, load_on_thread)) {
        tpi_change_load(c);
        drive(c);
    }
    return TP_OK;
}

/* ---- For everybody --------------------------------------------------------------------------- */

/* The result of a reload at once: it is known before anything waits. */
struct outcome {
    bool known;
    tp_status status;
    tp_error error;
};

static void keep_outcome(void *context, tp_status status, const tp_error *error)
{
    struct outcome *outcome = context;

    *outcome = (struct outcome){true, status, *error};
}

tp_status tp_server_reload(tp_server *server, tp_error *err)
{
    struct outcome outcome = {0};

    if (server->change != NULL) {
        return tp_fail(err, TP_E_LIMIT, "the last change is still being made");
    }
    const tp_status status = begin(server, true, keep_outcome, &outcome, err);
    if (status != TP_OK) {
        return status;
    }
    if (!outcome.known) { /* drivers stop first; from here on nothing fails */
        server->change->done = NULL;
        return TP_OK;
    }
    return outcome.status == TP_OK ? TP_OK : tp_fail(err, outcome.status, "%s", outcome.error.text);
}

void tp_server_reload_later(tp_server *server, tp_server_reloaded *done, void *context)
{
    tp_error err = {0};

    if (server->change != NULL) {
        server->wanted = (struct reload_wanted){true, done, context};
        return;
    }
    const tp_status status = begin(server, false, done, context, &err);
    if (status != TP_OK && done != NULL) {
        done(context, status, &err);
    }
}

/* ---- The end of the server ------------------------------------------------------------------- */

bool tpi_reload_is_on_thread(const tp_server *server)
{
    return server->change != NULL && server->change->thread != NULL &&
           !atomic_load(&server->change->through);
}

void tpi_reload_cancel(tp_server *server)
{
    if (server->change != NULL) {
        atomic_store(&server->change->cancelled, true);
        tp_loop_after_cancel(server->loop, &server->change->portion);
    }
}

/* All that was enrolled has been released with the hub's instances. */
void tpi_reload_end(tp_server *server)
{
    struct change *c = server->change;

    if (c == NULL) {
        return;
    }
    const bool loading = c->stage == CHANGE_LOADING;
    tpi_thread_join(c->thread);
    if (loading) {
        tpi_change_take_over(c);
    }
    for (size_t i = c->enrolled; i < c->coming_count; i++) {
        tpi_hub_discard(c->coming[i]);
    }
    release_files(c);
}
