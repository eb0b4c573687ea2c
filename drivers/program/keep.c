/*
 * keep.c - a program in transit outlives its server; see program.h.
 *
 * Each step of a move is in the file of the parameter `keep`, on the disk, before it is confirmed:
 * LEAVING before the package is given, GONE before the proof is shown, ARRIVING before the target
 * has accepted, BEGUN before it goes on. After a restart the program stands where the file says.
 * It is matched to the robot again; until that has succeeded it does not go on.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "play/transit.h"
#include "program.h"

enum { MOST_FILE = 2 << 20 };

static bool has_file(const struct program *p)
{
    return p->move.file.length > 0;
}

tp_status tpi_program_keep(struct program *p, tpi_play_transit_step step, tp_error *err)
{
    tpi_play_transit transit = {.step = (uint8_t)step,
                                .is_loose = p->wish.loose != 0,
                                .was_running = p->move.before == TP_PROGRAM_RUNNING,
                                .seed = p->wish.seed,
                                .text = p->loaded.text, /* borrowed, as the state is */
                                .state = p->move.state};
    tpi_buf bytes = {0};

    if (!has_file(p)) {
        return TP_OK;
    }
    memcpy(transit.id, p->move.id, sizeof p->move.id);
    memcpy(transit.peer, p->move.peer, sizeof p->move.peer);
    memcpy(transit.name, p->loaded.name, sizeof p->loaded.name);
    memcpy(transit.hash, p->move.hash, sizeof transit.hash);
    if (p->move.is_source) {
        memcpy(transit.proof, p->move.proof, sizeof transit.proof);
    }
    tpi_play_transit_put(&bytes, &transit);
    const tp_status status =
        bytes.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                     : tpi_file_keep(tpi_buf_text(&p->move.file), bytes.data, bytes.length, err);
    tpi_buf_fini(&bytes);
    return status;
}

void tpi_program_unkeep(struct program *p)
{
    if (has_file(p)) {
        (void)remove(tpi_buf_text(&p->move.file));
    }
}

/* ---- After a restart ------------------------------------------------------------------------- */

static tp_status take(struct program *p, const tpi_play_transit *is, tp_error *err)
{
    static const tp_program_phase phases[] = {
        [TPI_PLAY_TRANSIT_LEAVING] = TP_PROGRAM_LEAVING,
        [TPI_PLAY_TRANSIT_GONE] = TP_PROGRAM_GONE,
        [TPI_PLAY_TRANSIT_ARRIVING] = TP_PROGRAM_ARRIVING,
        [TPI_PLAY_TRANSIT_BEGUN] = TP_PROGRAM_STOPPED,
    };
    const bool has_begun = is->step == TPI_PLAY_TRANSIT_BEGUN;
    tp_status status = tpi_program_unpack(p, is, err);

    if (status != TP_OK) {
        return status;
    }
    memcpy(p->move.id, is->id, sizeof p->move.id);
    memcpy(p->move.peer, is->peer, sizeof p->move.peer);
    memcpy(p->move.proof, is->proof, sizeof p->move.proof);
    memcpy(p->move.hash, is->hash, sizeof p->move.hash);
    p->move.is_source = is->step == TPI_PLAY_TRANSIT_LEAVING || is->step == TPI_PLAY_TRANSIT_GONE;
    p->move.before = is->was_running ? TP_PROGRAM_RUNNING : TP_PROGRAM_PAUSED;
    p->phase = phases[is->step];
    p->starts = false;
    p->move.is_unmatched = !has_begun;
    tpi_program_settle_later(p);
    tpi_buf_put(&p->move.state, is->state.data, is->state.length);
    if (has_begun) {
        (void)snprintf(p->error, sizeof p->error,
                       "the server was restarted after the program had moved here");
    }
    return p->move.state.failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

tp_status tpi_program_recall(struct program *p, const char *path, tp_error *err)
{
    tpi_play_transit transit = {0};
    tpi_buf bytes = {0};
    tp_error why = {0};
    tp_status status = TP_OK;

    if (tpi_file_exists(path)) {
        status = tpi_file_read(&bytes, path, MOST_FILE, &why);
        status = status == TP_OK ? tpi_play_transit_read(&transit, bytes.data, bytes.length, &why)
                                 : status;
        status = status == TP_OK ? take(p, &transit, &why) : status;
    }
    tpi_play_transit_fini(&transit);
    tpi_buf_fini(&bytes);
    if (status != TP_OK) {
        tp_param_blame(p->instance, "keep");
        return tp_fail(err, status, "%s: %.90s; remove it if the program may be lost", path,
                       why.text);
    }
    tpi_buf_puts(&p->move.file, path);
    return p->move.file.failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

void tpi_program_rematch(struct program *p)
{
    tp_error err = {.text = ""};

    p->fit.then = THEN_STAND;
    if (tpi_program_match(p, p->wish.loose != 0, &err) != TP_OK) {
        (void)snprintf(p->fit.misfit, sizeof p->fit.misfit, "%s", err.text);
    }
}

tp_status tpi_program_is_matched(const struct program *p, tp_error *err)
{
    return !p->move.is_unmatched
               ? TP_OK
               : tp_fail(err, TP_E_EXISTS, "since the restart it does not fit the robot: %.100s",
                         p->fit.misfit[0] != '\0' ? p->fit.misfit : "it has not answered yet");
}
