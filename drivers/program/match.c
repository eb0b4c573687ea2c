/*
 * match.c - how the devices of a program fit the robot; see program.h.
 *
 * The robot's device matches all devices at once (MATCH). Then it is asked for each command that
 * the program uses with a device, or without one, how it would do it (EXPLAIN); what it cannot do
 * is refused there. So a program that does not fit is refused before anything moves.
 */
#include <stdio.h>
#include <string.h>

#include "play/bind.h"
#include "program.h"

static const int64_t MATCH_NS = 5 * TP_NS_PER_S;

static void ask_next(struct program *p);

/* ---- Answers --------------------------------------------------------------------------------- */

static void borrow(char **field, uint32_t *count, const char *text)
{
    memcpy(field, &text, sizeof *field);
    *count = (uint32_t)strlen(text) + 1;
}

void tpi_program_fill_devices(struct program *p, tp_program_device **out, uint32_t *count)
{
    tpi_buf_clear(&p->seen.devices);
    tp_program_device *list = (tp_program_device *)(void *)tpi_buf_reserve(
        &p->seen.devices, (p->fit.found_count + 1) * sizeof *list);
    for (unsigned i = 0; list != NULL && i < p->fit.found_count; i++) {
        const struct found *found = &p->fit.found[i];
        list[i] = (tp_program_device){.is_command = found->is_command,
                                      .fits = found->fits,
                                      .moves = found->moves,
                                      .part = found->part};
        borrow(&list[i].name, &list[i].name_count, found->name);
        borrow(&list[i].explanation, &list[i].explanation_count, found->explanation);
    }
    *out = list;
    *count = list != NULL ? p->fit.found_count : 0;
}

static void finish(struct program *p)
{
    const bool fits = p->fit.misfit[0] == '\0';
    tp_program_matches matches = {.fits = fits};
    tp_ticket *ticket = p->fit.ticket;

    p->flow.asking = ASKS_NOTHING;
    p->fit.ticket = NULL;
    tpi_program_changed(p);
    if (p->fit.then == THEN_ARRIVE) {
        tpi_program_arrived(p);
        matches.fits = p->fit.misfit[0] == '\0';
    } else if (p->fit.then == THEN_STAND) {
        p->move.is_unmatched = !fits;
    } else if (p->fit.then == THEN_RUN && fits) {
        tpi_program_begin(p);
    } else if (p->fit.then == THEN_RUN) {
        tpi_program_end(p, TP_PROGRAM_FAILED, 0, p->fit.misfit);
    }
    if (ticket != NULL) {
        borrow(&matches.why, &matches.why_count, p->fit.misfit);
        tpi_program_fill_devices(p, &matches.devices, &matches.devices_count);
        tp_ticket_answer(ticket, &matches);
    }
    tpi_program_turn(p);
}

/* The robot's device has not answered. */
static void give_up(struct program *p, tp_status status, const char *why)
{
    tp_ticket *ticket = p->fit.ticket;

    p->flow.asking = ASKS_NOTHING;
    p->fit.ticket = NULL;
    if (p->fit.then == THEN_STAND) {
        (void)snprintf(p->fit.misfit, sizeof p->fit.misfit, "%s", why);
    } else if (p->fit.then == THEN_ARRIVE) {
        (void)snprintf(p->fit.misfit, sizeof p->fit.misfit, "%s", why);
        tpi_program_arrived(p);
    } else if (p->fit.then == THEN_RUN) {
        tpi_program_end(p, TP_PROGRAM_FAILED, 0, why);
    }
    if (ticket != NULL) {
        tp_ticket_fail(ticket, status, why);
    }
    tpi_program_turn(p);
}

/* The first reason counts. */
static void complain(struct program *p, struct found *found, const char *why)
{
    found->fits = false;
    if (p->fit.misfit[0] == '\0') {
        (void)snprintf(p->fit.misfit, sizeof p->fit.misfit, "%s: %.240s", found->name, why);
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void note_command(struct program *p, const struct pair *pair, tp_status status,
                         const char *text)
{
    const tpi_entry *entry = tpi_dictionary_entry(pair->command);
    char sentence[MOST_SENTENCE];

    if (pair->device >= 0) {
        struct found *device = &p->fit.found[pair->device];
        if (status != TP_OK && device->fits) {
            (void)snprintf(sentence, sizeof sentence, "%.150s, which cannot do %s",
                           device->explanation, entry->name);
            memcpy(device->explanation, sentence, sizeof sentence);
            complain(p, device, sentence);
        }
        return;
    }
    struct found *found = &p->fit.found[p->fit.found_count++];
    *found = (struct found){.is_command = true,
                            .fits = true,
                            .moves = tpi_dictionary_risk(pair->command) == TPI_RISK_MOVE,
                            .part = -1};
    (void)snprintf(found->name, sizeof found->name, "%s", entry->name);
    (void)snprintf(found->explanation, sizeof found->explanation, "%.*s", (int)strcspn(text, "\n"),
                   text);
    if (status != TP_OK) {
        complain(p, found, found->explanation);
    }
}

static void on_explain(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                       const char *why)
{
    struct program *p = tp_instance_state(self);
    const tp_universal_text *text = answer != NULL ? tp_msg_payload(answer) : NULL;

    if ((uint32_t)(uintptr_t)context != p->flow.asked || p->flow.asking != ASKS_EXPLAIN) {
        return;
    }
    if (status != TP_OK && status != TP_E_UNKNOWN && status != TP_E_UNSUPPORTED) {
        give_up(p, status, why);
        return;
    }
    note_command(p, &p->fit.pairs[p->fit.pair++], status,
                 status != TP_OK                        ? why
                 : text != NULL && text->text_count > 1 ? text->text
                                                        : "");
    ask_next(p);
}

/* Ask for the next command; finish after the last one. */
static void ask_next(struct program *p)
{
    while (p->fit.pair < p->fit.pair_count && p->fit.pairs[p->fit.pair].device >= 0 &&
           !p->fit.found[p->fit.pairs[p->fit.pair].device].fits) {
        p->fit.pair++; /* it is not there */
    }
    if (p->fit.pair == p->fit.pair_count) {
        finish(p);
        return;
    }
    const struct pair *pair = &p->fit.pairs[p->fit.pair];
    const tpi_entry *entry = tpi_dictionary_entry(pair->command);
    const tp_universal_order order = {.command = entry->code,
                                      .part = pair->device >= 0 ? p->fit.found[pair->device].part
                                                                : TP_UNIVERSAL_ANY_PART,
                                      .revision = p->fit.revision,
                                      .type = (uint8_t)entry->type,
                                      .loose = p->wish.loose};
    p->flow.asking = ASKS_EXPLAIN;
    p->flow.asked++;
    const tp_status status = tp_link_request(p->robot, TP_UNIVERSAL_REQ_EXPLAIN, &order, MATCH_NS,
                                             on_explain, (void *)(uintptr_t)p->flow.asked);
    if (status != TP_OK) {
        give_up(p, status, "the robot cannot be reached");
    }
}

/* ---- Devices --------------------------------------------------------------------------------- */

static void note_device(struct program *p, unsigned index, const tp_universal_match *match)
{
    const tpi_play_device *device = &p->loaded.program.devices[index];
    struct found *found = &p->fit.found[index];

    *found = (struct found){.fits = match->part >= 0,
                            .moves = match->moves != 0,
                            .is_inverted = match->is_inverted != 0,
                            .part = match->part};
    (void)snprintf(found->name, sizeof found->name, "%s", device->name);
    (void)snprintf(found->explanation, sizeof found->explanation, "%.*s",
                   match->explanation_count > 0 ? (int)match->explanation_count - 1 : 0,
                   match->explanation_count > 0 ? match->explanation : "");
    if (!found->fits) {
        complain(p, found, found->explanation);
    } else if (p->wish.loose == 0 && tpi_play_lacks_unit(device, p->vocabulary, found->explanation,
                                                         match->is_percent_only != 0)) {
        complain(p, found,
                 "it has no unit on this robot, but the program compares it with one; `loose` "
                 "allows it");
    }
}

static void on_match(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                     const char *why)
{
    struct program *p = tp_instance_state(self);
    const tp_universal_matches *matches = answer != NULL ? tp_msg_payload(answer) : NULL;
    const unsigned count = p->loaded.program.device_count;

    if ((uint32_t)(uintptr_t)context != p->flow.asked || p->flow.asking != ASKS_MATCH) {
        return;
    }
    if (status != TP_OK || matches == NULL || matches->matches_count != count) {
        give_up(p, status != TP_OK ? status : TP_E_DEVICE,
                status != TP_OK ? why : "the robot's device has sent a wrong answer");
        return;
    }
    p->fit.revision = matches->revision;
    for (unsigned i = 0; i < count; i++) {
        note_device(p, i, &matches->matches[i]);
    }
    p->fit.found_count = count;
    ask_next(p);
}

/* Which commands are used with which devices. */
static void find_pairs(struct program *p)
{
    tpi_play_use_of use;

    p->fit.pair = p->fit.pair_count = 0;
    for (unsigned at = 0; tpi_play_next_use(&p->loaded.program, &at, &use);) {
        bool known = p->fit.pair_count == MOST_PAIRS;
        for (unsigned i = 0; i < p->fit.pair_count; i++) {
            known |= p->fit.pairs[i].command == use.command && p->fit.pairs[i].device == use.device;
        }
        if (!known) {
            p->fit.pairs[p->fit.pair_count++] = (struct pair){use.command, use.device};
        }
    }
}

tp_status tpi_program_match(struct program *p, bool is_loose, tp_error *err)
{
    const tpi_play_program *program = &p->loaded.program;
    tp_universal_device devices[MOST_DEVICES + 1] = {{0}};
    tp_universal_program wish = {.loose = is_loose, .devices = devices};

    if (program->device_count > MOST_DEVICES) {
        return tp_fail(err, TP_E_LIMIT, "a program has at most %d devices", MOST_DEVICES);
    }
    for (unsigned i = 0; i < program->device_count; i++) {
        const tpi_play_device *device = &program->devices[i];
        devices[i].id = device->number;
        devices[i].command = device->command < TPI_COMMANDS
                                 ? tpi_dictionary_entry(device->command)->code
                                 : TP_UNIVERSAL_NO_COMMAND;
        borrow(&devices[i].classes, &devices[i].classes_count, device->classes);
    }
    wish.devices_count = program->device_count;
    find_pairs(p);
    p->wish.loose = is_loose;
    p->fit.misfit[0] = '\0';
    p->fit.found_count = 0;
    p->flow.asking = ASKS_MATCH;
    p->flow.asked++;
    const tp_status status = tp_link_request(p->robot, TP_UNIVERSAL_REQ_MATCH, &wish, MATCH_NS,
                                             on_match, (void *)(uintptr_t)p->flow.asked);
    if (status != TP_OK) {
        p->flow.asking = ASKS_NOTHING;
        return tp_fail(err, status, "the robot cannot be reached");
    }
    return TP_OK;
}

tp_status tpi_program_request_match(tp_device *device, const tp_program_run *ask,
                                    tp_program_matches *answer, tp_error *err)
{
    struct program *p = program_of(device);

    (void)answer;
    if (p->phase == TP_PROGRAM_EMPTY || p->phase == TP_PROGRAM_GONE) {
        return tp_fail(err, TP_E_UNKNOWN, "no program is loaded");
    }
    if (tpi_program_is_busy(p)) {
        return tp_fail(err, TP_E_EXISTS,
                       "the program runs or is in transit; its state has the list");
    }
    p->fit.then = THEN_ANSWER;
    const tp_status status = tpi_program_match(p, ask->loose != 0, err);
    if (status != TP_OK) {
        return status;
    }
    p->fit.ticket = tp_device_defer(device);
    return TP_PENDING;
}
