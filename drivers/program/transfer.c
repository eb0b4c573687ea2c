/*
 * transfer.c - moving a program to another server, and from one; see program.h.
 *
 * The source keeps machine and state until RELEASE, and cannot go on afterwards. It shows its proof
 * then, and not before. The target has a digest of the proof with the package and begins with the
 * proof only. So whatever is lost on the way, the program never runs at both. Every step can be
 * repeated.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "play/host/library.h"
#include "program.h"

static void borrow(char **field, uint32_t *count, const char *text)
{
    memcpy(field, &text, sizeof *field);
    *count = (uint32_t)strlen(text) + 1;
}

/* ---- Ids ------------------------------------------------------------------------------------- */

static void copy_text(char *out, size_t size, const char *text, uint32_t count)
{
    (void)snprintf(out, size, "%.*s", (int)count, count > 0 ? text : "");
}

static tp_status read_id(char id[MOST_ID], const char *text, uint32_t count, tp_error *err)
{
    size_t length = 0;

    copy_text(id, MOST_ID, text, count < MOST_ID ? count : MOST_ID);
    for (; id[length] != '\0'; length++) {
        if (!isalnum((unsigned char)id[length]) && id[length] != '-' && id[length] != '_') {
            return tp_fail(err, TP_E_INVALID, "an id has letters, digits, - and _ only");
        }
    }
    return length > 0 && count <= MOST_ID
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "an id has 1 to %d letters", MOST_ID - 1);
}

static bool is_known(const struct program *p, const char *id, bool is_source)
{
    return p->move.id[0] != '\0' && strcmp(p->move.id, id) == 0 && p->move.is_source == is_source;
}

static tp_status unknown(const char *id, tp_error *err)
{
    return tp_fail(err, TP_E_UNKNOWN, "no move with the id \"%s\" is under way here", id);
}

static bool has_begun(const struct program *p)
{
    return p->phase == TP_PROGRAM_RUNNING || p->phase == TP_PROGRAM_PAUSED ||
           p->phase == TP_PROGRAM_DONE || p->phase == TP_PROGRAM_FAILED ||
           p->phase == TP_PROGRAM_STOPPED;
}

/* ---- The source ------------------------------------------------------------------------------ */

static void put_time(tpi_buf *out, int64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        tpi_buf_putc(out, (char)((uint64_t)value >> (8 * i) & 0xffu));
    }
}

static int64_t time_at(const uint8_t *bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return (int64_t)value;
}

static void fill_package(struct program *p, tp_program_package *out)
{
    const char *state = tpi_buf_text(&p->move.state);

    *out = (tp_program_package){.loose = p->wish.loose, .seed = p->wish.seed};
    borrow(&out->transfer.id, &out->transfer.id_count, p->move.id);
    borrow(&out->transfer.peer, &out->transfer.peer_count, p->move.peer);
    borrow(&out->source.name, &out->source.name_count, p->loaded.name);
    borrow(&out->source.text, &out->source.text_count, tpi_buf_text(&p->loaded.text));
    memcpy(out->hash, p->move.hash, sizeof out->hash);
    memcpy(&out->state, &state, sizeof out->state);
    out->state_count = (uint32_t)p->move.state.length;
}

void tpi_program_take_back(struct program *p)
{
    tpi_program_unkeep(p);
    p->phase = TP_PROGRAM_PAUSED;
    if (p->move.before == TP_PROGRAM_RUNNING) {
        tpi_program_go_on(p, false);
    }
    tpi_program_changed(p);
    tpi_program_turn(p);
}

/* It stands: its state is kept, or it goes on. */
static tp_status leave(struct program *p, tp_error *err)
{
    p->phase = TP_PROGRAM_LEAVING;
    tpi_program_settle_later(p);
    tpi_buf_clear(&p->move.state);
    put_time(&p->move.state, tpi_program_time_ns(p));
    put_time(&p->move.state, p->times.ends_ns);
    tpi_play_runner_save(&p->move.state, p->runner);
    const tp_status status = p->move.state.failed
                                 ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                 : tpi_program_keep(p, TPI_PLAY_TRANSIT_LEAVING, err);
    if (status != TP_OK) {
        tpi_program_take_back(p);
    }
    tpi_program_changed(p);
    return status;
}

void tpi_program_departed(struct program *p)
{
    tp_program_package package;
    tp_ticket *ticket = p->move.ticket;
    tp_error err = {.text = ""};

    p->move.ticket = NULL;
    const tp_status status = leave(p, &err);
    if (ticket != NULL && status != TP_OK) {
        tp_ticket_fail(ticket, status, err.text);
    } else if (ticket != NULL) {
        fill_package(p, &package);
        tp_ticket_answer(ticket, &package);
    }
}

tp_status tpi_program_depart(tp_device *device, const tp_program_transfer *ask,
                             tp_program_package *answer, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    tp_status status = read_id(id, ask->id, ask->id_count, err);

    if (status != TP_OK) {
        return status;
    }
    if (is_known(p, id, true) && p->phase == TP_PROGRAM_LEAVING) {
        fill_package(p, answer);
        return TP_OK;
    }
    if (p->phase != TP_PROGRAM_RUNNING && p->phase != TP_PROGRAM_PAUSED) {
        return tp_fail(err, TP_E_INVALID, "no program runs here%s",
                       p->phase == TP_PROGRAM_LEAVING ? ": it is on another move" : "");
    }
    if (p->move.ticket != NULL || p->flow.step != NULL) {
        return tp_fail(err, TP_E_EXISTS, "the program is on another move, or in a step");
    }
    status = tpi_play_proof_make(p->move.proof, err);
    status = status == TP_OK ? tpi_play_proof_digest(p->move.hash, p->move.proof, err) : status;
    if (status != TP_OK) {
        return status;
    }
    memcpy(p->move.id, id, sizeof id);
    copy_text(p->move.peer, sizeof p->move.peer, ask->peer, ask->peer_count);
    p->move.is_source = true;
    p->move.before = p->phase;
    if (p->phase == TP_PROGRAM_RUNNING && p->flow.asking != ASKS_NOTHING) {
        p->flow.wants_pause = true; /* as soon as the robot has answered */
        p->move.ticket = tp_device_defer(device);
        return TP_PENDING;
    }
    if (p->phase == TP_PROGRAM_RUNNING) {
        tpi_program_stand(p);
    }
    status = leave(p, err);
    if (status == TP_OK) {
        fill_package(p, answer);
        tpi_program_turn(p);
    }
    return status;
}

tp_status tpi_program_give_up(struct program *p, tp_error *err)
{
    /* What was shown cannot be taken back. */
    const tp_status status =
        p->phase == TP_PROGRAM_LEAVING ? tpi_program_keep(p, TPI_PLAY_TRANSIT_GONE, err) : TP_OK;

    if (status == TP_OK) {
        p->phase = TP_PROGRAM_GONE;
        tpi_program_changed(p);
    }
    return status;
}

tp_status tpi_program_release(tp_device *device, const tp_program_transfer *ask,
                              tp_program_proof *answer, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    tp_status status = read_id(id, ask->id, ask->id_count, err);

    if (status != TP_OK) {
        return status;
    }
    if (!is_known(p, id, true) || (p->phase != TP_PROGRAM_LEAVING && p->phase != TP_PROGRAM_GONE)) {
        return unknown(id, err);
    }
    status = tpi_program_give_up(p, err);
    if (status != TP_OK) {
        return status;
    }
    tpi_program_settle_later(p);
    borrow(&answer->id, &answer->id_count, p->move.id);
    memcpy(answer->proof, p->move.proof, sizeof answer->proof);
    tpi_program_turn(p);
    return TP_OK;
}

tp_status tpi_program_return(tp_device *device, const tp_program_transfer *ask, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    const tp_status status = read_id(id, ask->id, ask->id_count, err);

    if (status != TP_OK) {
        return status;
    }
    if (!is_known(p, id, true)) {
        return unknown(id, err);
    }
    if (p->phase == TP_PROGRAM_GONE) {
        return tp_fail(err, TP_E_DENIED, "the program was given up here and may run elsewhere");
    }
    if (p->phase != TP_PROGRAM_LEAVING) {
        return TP_OK;
    }
    if (tpi_program_is_matched(p, err) != TP_OK) {
        return err->code;
    }
    tpi_program_take_back(p);
    return TP_OK;
}

/* ---- The target ------------------------------------------------------------------------------ */

void tpi_program_drop(struct program *p)
{
    tpi_program_unkeep(p);
    tpi_program_unload(p);
    p->runner->program = NULL;
    p->phase = TP_PROGRAM_EMPTY;
    p->move.id[0] = p->move.peer[0] = '\0';
    tpi_program_changed(p);
}

void tpi_program_arrived(struct program *p)
{
    tp_error err = {.text = ""};

    if (p->fit.misfit[0] == '\0' && tpi_program_keep(p, TPI_PLAY_TRANSIT_ARRIVING, &err) != TP_OK) {
        (void)snprintf(p->fit.misfit, sizeof p->fit.misfit, "%s", err.text);
    }
    if (p->fit.misfit[0] != '\0') {
        tpi_program_drop(p);
    } else {
        p->phase = TP_PROGRAM_ARRIVING;
        tpi_program_settle_later(p);
        tpi_program_changed(p);
    }
}

tp_status tpi_program_unpack(struct program *p, const tpi_play_transit *is, tp_error *err)
{
    const uint8_t *state = (const uint8_t *)is->state.data;
    tp_program_report report;

    if (is->state.length < 16) {
        return tp_fail(err, TP_E_INVALID, "the state of the program is missing");
    }
    if (!tpi_program_load(p, is->name, tpi_buf_text(&is->text), is->text.length, &report, err)) {
        return err->code;
    }
    p->wish = (tp_program_run){.seed = is->seed, .loose = is->is_loose};
    tp_status status = tpi_play_runner_begin(p->runner, &p->loaded.program, is->seed, err);
    status = status == TP_OK
                 ? tpi_play_runner_restore(p->runner, state + 16, is->state.length - 16, err)
                 : status;
    const int64_t time_ns = time_at(state), ends_ns = time_at(state + 8);
    if (status == TP_OK && (time_ns < 0 || time_ns > INT64_MAX / 4 || ends_ns < 0)) {
        status = tp_fail(err, TP_E_INVALID, "the time of the program is damaged");
    }
    if (status != TP_OK) {
        tpi_program_drop(p);
        return status;
    }
    if (!tpi_program_open_channels(p)) {
        tpi_program_drop(p);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    p->times.paused_ns = program_now(p);
    p->times.began_ns = p->times.paused_ns - time_ns;
    p->times.ends_ns = ends_ns;
    p->flow.tokens = p->settings.rate;
    p->flow.tokens_ns = p->times.paused_ns;
    return TP_OK;
}

/* Load program and state of a package. */
static tp_status unpack(struct program *p, const tp_program_package *ask, tp_error *err)
{
    tpi_play_transit is = {.is_loose = ask->loose != 0, .seed = ask->seed};
    const char *text = ask->source.text_count > 0 ? ask->source.text : "";
    const char *end = memchr(text, 0, ask->source.text_count);

    copy_text(is.name, sizeof is.name, ask->source.name, ask->source.name_count);
    tpi_buf_put(&is.text, text, end != NULL ? (size_t)(end - text) : ask->source.text_count);
    tpi_buf_put(&is.state, ask->state, ask->state_count);
    tp_status status = is.text.failed || is.state.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                                         : tpi_program_unpack(p, &is, err);
    if (status == TP_OK) { /* kept with the program, as long as it has not begun */
        tpi_buf_clear(&p->move.state);
        tpi_buf_put(&p->move.state, ask->state, ask->state_count);
        status = p->move.state.failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    }
    tpi_play_transit_fini(&is);
    return status;
}

tp_status tpi_program_arrive(tp_device *device, const tp_program_package *ask,
                             tp_program_matches *answer, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    tp_status status = read_id(id, ask->transfer.id, ask->transfer.id_count, err);

    if (status != TP_OK) {
        return status;
    }
    if (is_known(p, id, false) && p->phase == TP_PROGRAM_ARRIVING) {
        answer->fits = 1; /* the same package again */
        borrow(&answer->why, &answer->why_count, p->fit.misfit);
        tpi_program_fill_devices(p, &answer->devices, &answer->devices_count);
        return TP_OK;
    }
    if (p->move.id[0] != '\0' && strcmp(p->move.id, id) == 0) {
        return tp_fail(err, TP_E_EXISTS, "the move \"%s\" was here already", id);
    }
    if (tpi_program_is_busy(p)) {
        return tp_fail(err, TP_E_EXISTS, "another program runs here, is paused or is in transit");
    }
    status = unpack(p, ask, err);
    if (status != TP_OK) {
        return status;
    }
    memcpy(p->move.id, id, sizeof id);
    copy_text(p->move.peer, sizeof p->move.peer, ask->transfer.peer, ask->transfer.peer_count);
    memcpy(p->move.hash, ask->hash, sizeof p->move.hash);
    p->move.is_source = false;
    p->fit.then = THEN_ARRIVE;
    status = tpi_program_match(p, ask->loose != 0, err);
    if (status != TP_OK) {
        tpi_program_drop(p);
        return status;
    }
    p->fit.ticket = tp_device_defer(device);
    return TP_PENDING;
}

/* The target goes on with the program, for the server. */
static tp_status take_over(struct program *p, tp_error *err)
{
    tp_status status = tpi_program_is_matched(p, err);

    status = status == TP_OK ? tpi_program_keep(p, TPI_PLAY_TRANSIT_BEGUN, err) : status;
    if (status != TP_OK) {
        return status;
    }
    p->phase = TP_PROGRAM_PAUSED;
    p->starts = true;
    p->counts.steps = p->counts.steps > 0 ? p->counts.steps : 1; /* it has begun elsewhere */
    tpi_program_go_on(p, false);
    tpi_program_turn(p);
    return TP_OK;
}

tp_status tpi_program_take_proof(struct program *p, const uint8_t *proof, tp_error *err)
{
    uint8_t digest[TP_PROGRAM_PROOF];
    const tp_status status = tpi_play_proof_digest(digest, proof, err);

    if (status != TP_OK) {
        return status;
    }
    if (memcmp(digest, p->move.hash, sizeof digest) != 0) {
        return tp_fail(err, TP_E_DENIED, "the source has not given the program up: wrong proof");
    }
    return p->phase == TP_PROGRAM_ARRIVING ? take_over(p, err) : TP_OK;
}

tp_status tpi_program_go(tp_device *device, const tp_program_proof *ask, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    const tp_status status = read_id(id, ask->id, ask->id_count, err);

    if (status != TP_OK) {
        return status;
    }
    if (!is_known(p, id, false) || (p->phase != TP_PROGRAM_ARRIVING && !has_begun(p))) {
        return unknown(id, err);
    }
    return tpi_program_take_proof(p, ask->proof, err);
}

tp_status tpi_program_forget(tp_device *device, const tp_program_transfer *ask, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    const tp_status status = read_id(id, ask->id, ask->id_count, err);

    if (status != TP_OK || !is_known(p, id, false)) {
        return status; /* what is not known here is forgotten */
    }
    if (p->phase != TP_PROGRAM_ARRIVING) {
        return tp_fail(err, TP_E_DENIED, "the program has begun here");
    }
    tpi_program_drop(p);
    tpi_program_turn(p);
    return TP_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

tp_status tpi_program_transfer(tp_device *device, const tp_program_transfer *ask,
                               tp_program_settled *answer, tp_error *err)
{
    const struct program *p = program_of(device);
    char id[MOST_ID];
    const tp_status status = read_id(id, ask->id, ask->id_count, err);
    const bool is_here = status == TP_OK && strcmp(p->move.id, id) == 0;

    answer->phase = (uint8_t)(is_here ? p->phase : TP_PROGRAM_EMPTY);
    return status;
}

tp_status tpi_program_claim(tp_device *device, const tp_program_transfer *ask, tp_error *err)
{
    struct program *p = program_of(device);
    char id[MOST_ID];
    const tp_status status = read_id(id, ask->id, ask->id_count, err);

    if (status != TP_OK) {
        return status;
    }
    if (is_known(p, id, false) && p->phase == TP_PROGRAM_ARRIVING) {
        return take_over(p, err);
    }
    if (!is_known(p, id, true) || (p->phase != TP_PROGRAM_GONE && p->phase != TP_PROGRAM_LEAVING)) {
        return unknown(id, err);
    }
    if (tpi_program_is_matched(p, err) != TP_OK) {
        return err->code;
    }
    tpi_program_take_back(p);
    return TP_OK;
}

void tpi_program_transfer_fini(struct program *p)
{
    tpi_buf_fini(&p->move.state);
    tpi_buf_fini(&p->move.file);
}
