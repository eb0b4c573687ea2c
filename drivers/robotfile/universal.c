/* universal.c - the device `universal`: the orders of clients; see universal.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robotfile.h"

static struct robotfile *state_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- What parts can do ----------------------------------------------------------------------- */

static bool carries(const tpi_wired *wired, int part, const char *class)
{
    const tpi_word word = {class, tpi_vocabulary_find(wired->robot->vocabulary, class)};

    return tpi_classes_find(&wired->parts[part].device->classes, &word) >= 0;
}

bool tpi_robotfile_moves(const struct robotfile *r, int part)
{
    static const char *const harmless[] = {"Indicator", "Display", "Speaker", "Voice", "Channel"};
    const tpi_wired *wired = r->loaded->wired;

    if (!wired->parts[part].device->is_output) {
        return false;
    }
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (carries(wired, part, harmless[i])) {
            return carries(wired, part, "Motor");
        }
    }
    return true;
}

/* Whether a client with this message may have the command done. Commands for a part that shows
 * something move nothing; those that show something may have a part that moves. */
static bool is_allowed(const struct robotfile *r, enum job_rank rank, tpi_command command, int part)
{
    const tpi_risk risk = tpi_dictionary_risk(command);
    const bool writes = tpi_dictionary_entry(command)->sort == TPI_SORT_WRITE;

    if (rank == RANK_MOVE || risk == TPI_RISK_LOOK) {
        return true;
    }
    if (rank == RANK_LOOK || command == TPI_RAW) {
        return false;
    }
    return (risk != TPI_RISK_MOVE && !writes) || (part >= 0 && !tpi_robotfile_moves(r, part));
}

/* The half of a revision that belongs to the file and the wiring; the other one belongs to what is
 * plugged in. It is never 0. */
enum { OF_FILE = 0xFFFF };

/* Whether the number of the part means what it meant to the client. Parts of the file keep theirs
 * when sensors come and go; what comes back is what it was. */
static bool is_known(const struct robotfile *r, const tp_universal_order *ask)
{
    const uint32_t other = ask->revision == 0 ? 0 : ask->revision ^ r->universal->revision;
    const bool is_fixed = r->devices != NULL && ask->part < (int)r->loaded->wired->fixed_count;

    return (uint32_t)ask->part < r->loaded->wired->part_count &&
           (other == 0 || (is_fixed && (other & OF_FILE) == 0));
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* The part that the default type and the number stand for. */
static int part_by_type(struct robotfile *r, const tp_universal_order *ask, tpi_command command)
{
    tpi_registry *registry = r->universal->matches[ask->loose != 0];
    const char *type = tpi_dictionary_type(ask->type);
    const tpi_entry *entry = tpi_dictionary_entry(command);

    if (ask->type == (uint8_t)entry->type || ask->type == TPI_TYPE_GENERAL) {
        return tpi_registry_default(registry, command, ask->id)->part;
    }
    const tpi_classes classes = {
        .count = 1, .words = {{type, tpi_vocabulary_find(r->loaded->robot->vocabulary, type)}}};
    const tpi_match_wish wish = {&classes, ask->id > 0 ? ask->id : -1, command, ask->loose != 0};
    return tpi_match_find(r->loaded->wired, &wish, NULL).part;
}

int tpi_robotfile_universal_part(struct robotfile *r, const tp_universal_order *ask,
                                 tpi_command command, struct verdict *verdict)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const bool is_all = command == TPI_STOP && ask->part < 0 && ask->type == TPI_TYPE_ALL;
    const char *robot = r->loaded->robot->identity.name;

    if (!entry->has_port || is_all) {
        return -1;
    }
    if (ask->part >= 0 && !is_known(r, ask)) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_NO_MATCH,
                                     "%s: no match: the robot has changed; match again", robot);
        return -1;
    }
    if (ask->part < 0 && tpi_dictionary_type(ask->type) == NULL) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_NO_MATCH,
                                     "%s: no match: no device has the type %u", robot, ask->type);
        return -1;
    }
    const int part = ask->part >= 0 ? ask->part : part_by_type(r, ask, command);
    const char *na = tpi_robotfile_na(r->loaded->robot, command);
    if (part < 0 && na != NULL) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_NOT_AVAILABLE,
                                     "%s: not available: %s: %.120s", robot, entry->name, na);
    } else if (part < 0) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_NO_MATCH,
                                     "%s: no match: nothing on this robot for %s", robot,
                                     entry->name);
    }
    return part;
}

/* Copy the values of the order. */
static bool read_values(struct job *job, const tp_universal_order *ask, struct verdict *verdict)
{
    const tpi_entry *entry = tpi_dictionary_entry(job->order.command);
    size_t length = 0;

    for (uint32_t i = 0; i < ask->values_count; i++) {
        length += ask->values[i].is_text ? (size_t)ask->values[i].text_count + 1 : 0;
    }
    if (ask->values_count > tpi_entry_value_count(entry->values) || length > MOST_TEXT) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_VALUE,
                                     "bad value: %s takes %u values of at most %d bytes",
                                     entry->name, tpi_entry_value_count(entry->values), MOST_TEXT);
        return false;
    }
    job->texts = length > 0 ? malloc(length) : NULL;
    if (length > 0 && job->texts == NULL) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_NOT_AVAILABLE,
                                     "not available: out of memory");
        return false;
    }
    char *at = job->texts;
    for (uint32_t i = 0; i < ask->values_count; i++) {
        const tp_universal_value *value = &ask->values[i];
        job->order.values[i] = (tpi_value){.number = value->number};
        if (value->is_text) {
            if (value->text_count > 0) {
                memcpy(at, value->text, value->text_count);
            }
            at[value->text_count] = '\0';
            job->order.values[i] = (tpi_value){.text = at, .length = value->text_count};
            at += value->text_count + 1;
        }
    }
    job->order.count = ask->values_count;
    return true;
}

/* A command that waits: the job reads, or sleeps. False if a value is wrong. */
static bool read_wait(struct robotfile *r, struct job *job, struct verdict *verdict)
{
    const tpi_entry *entry = tpi_dictionary_entry(job->order.command);
    const tpi_value *values = job->order.values;
    double numbers[TPI_MOST_VALUES];

    for (unsigned i = 0; entry->values[i].name != NULL; i++) {
        const tpi_entry_value *slot = &entry->values[i];
        numbers[i] = i < job->order.count ? values[i].number : slot->missing;
        if ((i < job->order.count && values[i].text != NULL) || !isfinite(numbers[i])) {
            tpi_robotfile_universal_fail(verdict, TPI_FAULT_VALUE, "bad value: %s must be a number",
                                         slot->name);
            return false;
        }
        if (slot->high > slot->low) {
            numbers[i] = fmin(fmax(numbers[i], slot->low), slot->high);
        }
    }
    job->wait = job->order.command;
    const double ms = numbers[job->wait == TPI_WAIT_TIME ? 0 : 2];
    job->until_ns = tp_clock_now_ns(tp_instance_clock(r->self)) + (int64_t)(ms * TP_NS_PER_MS);
    job->order.count = 0;
    if (job->wait == TPI_WAIT_TIME) {
        job->next_ns = job->until_ns;
        return true;
    }
    job->order.command = TPI_READ_GENERIC;
    job->comparison = (unsigned)numbers[0];
    job->threshold = numbers[1];
    return true;
}

/* Read an order; false, with the fault, if it cannot be done. */
static bool read_order(struct robotfile *r, struct job *job, const tp_universal_order *ask)
{
    struct verdict *verdict = &r->universal->verdict;
    const tpi_command command = tpi_dictionary_code(ask->command);
    const double oldest = isfinite(ask->max_age) ? fmin(fmax(ask->max_age, 0), 3600) : 0;

    verdict->fault = TPI_FAULT_NONE;
    if (command == TPI_COMMANDS || command == TPI_EXTENDED) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_NOT_AVAILABLE,
                                     "not available: there is no command 0x%04X", ask->command);
        return false;
    }
    job->order.command = command;
    job->order.part = tpi_robotfile_universal_part(r, ask, command, verdict);
    job->order.is_inverted = ask->inverted != 0;
    job->order.max_age_ns = (int64_t)(oldest * (double)TP_NS_PER_S);
    job->traces = ask->trace != 0;
    if (job->rank == RANK_LOOK && job->order.max_age_ns < r->period_ns) {
        job->order.max_age_ns = r->period_ns;
    }
    if (verdict->fault != TPI_FAULT_NONE || !read_values(job, ask, verdict)) {
        return false;
    }
    if (!is_allowed(r, job->rank, command, job->order.part)) {
        tpi_robotfile_universal_fail(verdict, TPI_FAULT_DENIED, "denied: %s needs the right to %s",
                                     tpi_dictionary_entry(command)->name,
                                     job->rank == RANK_LOOK ? "write" : "move");
        return false;
    }
    return (command != TPI_WAIT_TIME && command != TPI_WAIT_TRIGGER) || read_wait(r, job, verdict);
}

void tpi_robotfile_universal_changed(struct robotfile *r, uint16_t what)
{
    struct robotfile_universal *u = r->universal;

    if (u == NULL) {
        return;
    }
    u->revision = (uint32_t)what << 16 | (r->loaded->revision & OF_FILE);
    for (int i = 0; i < 2; i++) {
        tpi_registry_fini(u->matches[i]);
        memset(u->matches[i], 0, sizeof *u->matches[i]);
        tpi_registry_init(u->matches[i], r->loaded->wired, i == 1);
    }
    for (unsigned i = 0; i < MOST_JOBS; i++) {
        struct job *job = &u->jobs[i];
        if (job->is_used && !job->is_running && !job->is_done &&
            job->order.part >= (int)r->loaded->wired->fixed_count) {
            tpi_robotfile_universal_fail(&u->verdict, TPI_FAULT_NO_MATCH,
                                         "%s: no match: the robot has changed; match again",
                                         r->loaded->robot->identity.name);
            tpi_robotfile_universal_answer(r, job);
        }
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* The answer is within the call, or the request stays open. */
static tp_status take_order(tp_device *device, enum job_rank rank, const tp_universal_order *ask,
                            tp_universal_outcome *answer, tp_error *err)
{
    struct robotfile *r = state_of(device);
    struct robotfile_universal *u = r->universal;
    struct job *job = tpi_robotfile_job_take(r, rank);
    tp_status status = TP_OK;

    if (job == NULL) {
        return tp_fail(err, TP_E_LIMIT, "too many commands wait for the robot");
    }
    if (!read_order(r, job, ask)) {
        tpi_robotfile_universal_answer(r, job);
    } else {
        status = tpi_robotfile_work(r, err);
    }
    if (!job->is_done && status == TP_OK) {
        job->ticket = tp_device_defer(device);
        return TP_PENDING;
    }
    if (u->running == job) {
        u->running = NULL;
    }
    u->done = NULL;
    *answer = u->verdict.outcome;
    tpi_robotfile_job_release(r, job);
    return status;
}

static tp_status robotfile_look(tp_device *device, const tp_universal_order *ask,
                                tp_universal_outcome *answer, tp_error *err)
{
    return take_order(device, RANK_LOOK, ask, answer, err);
}

static tp_status robotfile_run(tp_device *device, const tp_universal_order *ask,
                               tp_universal_outcome *answer, tp_error *err)
{
    return take_order(device, RANK_RUN, ask, answer, err);
}

static tp_status robotfile_move(tp_device *device, const tp_universal_order *ask,
                                tp_universal_outcome *answer, tp_error *err)
{
    return take_order(device, RANK_MOVE, ask, answer, err);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static const tp_universal_ops universal_ops = {
    .req_describe = tpi_robotfile_describe,
    .req_parts = tpi_robotfile_parts,
    .req_match = tpi_robotfile_match,
    .req_explain = tpi_robotfile_explain,
    .req_look = robotfile_look,
    .req_run = robotfile_run,
    .req_move = robotfile_move,
};

tp_status tpi_robotfile_universal_offer(struct robotfile *r, tp_error *err)
{
    if (!tp_provides(r->self, &tp_interface_universal, NULL)) {
        return TP_OK;
    }
    r->universal = calloc(1, sizeof *r->universal);
    for (int i = 0; i < 2 && r->universal != NULL; i++) {
        r->universal->matches[i] = calloc(1, sizeof *r->universal->matches[i]);
        if (r->universal->matches[i] != NULL) {
            tpi_registry_init(r->universal->matches[i], r->loaded->wired, i == 1);
        }
    }
    if (r->universal == NULL || r->universal->matches[0] == NULL ||
        r->universal->matches[1] == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    r->universal->revision = r->loaded->revision;
    const tp_status status =
        tp_offer_universal(r->self, NULL, &universal_ops, &r->universal->device, err);
    return status == TP_OK
               ? tp_device_set_label(r->universal->device, r->loaded->robot->identity.name, err)
               : status;
}

void tpi_robotfile_universal_fini(struct robotfile *r)
{
    struct robotfile_universal *u = r->universal;

    for (unsigned i = 0; u != NULL && i < MOST_JOBS; i++) {
        free(u->jobs[i].texts);
    }
    for (int i = 0; u != NULL && i < 2; i++) {
        if (u->matches[i] != NULL) {
            tpi_registry_fini(u->matches[i]);
        }
        free(u->matches[i]);
    }
    if (u != NULL) {
        tpi_buf_fini(&u->trace);
        tpi_buf_fini(&u->texts);
        tpi_buf_fini(&u->items);
    }
    free(u);
    r->universal = NULL;
}
