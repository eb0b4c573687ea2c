/*
 * program - a program of docs/play.md that runs in the server, on one robot; see program.h.
 *
 * Offers program:N and uses the device universal:M of `requires`.
 * Not supported: more than one robot for a program.
 */
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "troupe/interfaces/blackboard.h"
#include "universal/host/files.h"

static const tp_param program_params[] = {
    {"file", NULL, "", "the program, for instance find-light.play; \"\" waits until one is loaded"},
    {"start", "bool", "yes", "whether the program of `file` runs with the server"},
    {"stay", "bool", "yes",
     "whether programs go on, and the robot stays connected, without clients"},
    {"retry", "s", "0", "after a fault it begins again so much later; 0: never"},
    {"loose", "bool", "no",
     "actuators may fall back to generic classes, percent may stand for units"},
    {"rate", "Hz", "100", "prints, logs and messages in a second; a program that is faster waits"},
    {"seed", "1", "1", "begin of the random numbers"},
    {"keep", NULL, "",
     "a file that keeps a program that is moved, so that it survives a restart of the server"},
    {"settle", "s", "15",
     "a move that was cut is settled so much later, with the devices program:N of `requires`"},
    {"programs", NULL, "", "a folder of programs for lists, before Troupe's own ones"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Life ------------------------------------------------------------------------------------ */

/* A path of the configuration, from its folder. */
static void put_path(tpi_buf *out, const tp_instance *self, const char *path)
{
    tpi_buf_puts(out, path[0] == '/' ? "" : tp_instance_folder(self));
    tpi_buf_puts(out, path);
}

static tp_status load_file(struct program *p, const char *file, tp_error *err)
{
    const char *name = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
    tp_program_report report = {0};
    tpi_buf path = {0}, text = {0};

    put_path(&path, p->instance, file);
    tp_status status = path.failed
                           ? tp_fail(err, TP_E_NOMEM, "out of memory")
                           : tpi_file_read(&text, tpi_buf_text(&path), TP_PROGRAM_MOST_SOURCE, err);
    if (status == TP_OK &&
        !tpi_program_load(p, name, tpi_buf_text(&text), text.length, &report, err)) {
        status = err->code;
    }
    tpi_buf_fini(&path);
    tpi_buf_fini(&text);
    if (status != TP_OK) {
        tp_param_blame(p->instance, "file");
    }
    return status;
}

static tp_status read_params(struct program *p, tp_error *err)
{
    const tp_instance *self = p->instance;
    const char *folder = tp_param_string(self, "programs");

    p->settings.retry_s = tp_param_double(self, "retry");
    p->settings.rate = tp_param_double(self, "rate");
    p->settings.is_loose = tp_param_bool(self, "loose");
    p->settings.seed = (uint32_t)tp_param_int(self, "seed");
    if (folder[0] != '\0') {
        put_path(&p->shelf.folder, self, folder);
    }
    if (!(p->settings.retry_s >= 0 && p->settings.retry_s <= 86400)) {
        tp_param_blame(p->instance, "retry");
        return tp_fail(err, TP_E_RANGE, "retry is not between 0 and 86400 s");
    }
    if (!(p->settings.rate >= 1 && p->settings.rate <= 10000)) {
        tp_param_blame(p->instance, "rate");
        return tp_fail(err, TP_E_RANGE, "rate is not between 1 and 10000 Hz");
    }
    return TP_OK;
}

static const tp_program_ops program_device_ops = {
    .req_state = tpi_program_request_state,
    .req_output = tpi_program_output,
    .req_grammar = tpi_program_grammar,
    .req_list = tpi_program_list,
    .req_fetch = tpi_program_fetch,
    .req_check = tpi_program_check,
    .req_format = tpi_program_format,
    .req_blocks = tpi_program_blocks,
    .req_text = tpi_program_text,
    .req_load = tpi_program_request_load,
    .req_match = tpi_program_request_match,
    .req_stop = tpi_program_stop,
    .req_run = tpi_program_run,
    .req_launch = tpi_program_launch,
    .req_pause = tpi_program_pause,
    .req_resume = tpi_program_resume,
    .req_step = tpi_program_step,
    .req_continue = tpi_program_resume,
    .req_depart = tpi_program_depart,
    .req_arrive = tpi_program_arrive,
    .req_release = tpi_program_release,
    .req_begin = tpi_program_go,
    .req_return = tpi_program_return,
    .req_forget = tpi_program_forget,
    .req_transfer = tpi_program_transfer,
    .req_claim = tpi_program_claim,
};

/* What was in transit when the server ended takes the place of the program of `file`. */
static tp_status recall(struct program *p, tp_error *err)
{
    const char *file = tp_param_string(p->instance, "keep");
    tpi_buf path = {0};

    if (file[0] == '\0') {
        return TP_OK;
    }
    put_path(&path, p->instance, file);
    const tp_status status = path.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                         : tpi_program_recall(p, tpi_buf_text(&path), err);
    tpi_buf_fini(&path);
    return status;
}

static tp_status program_init(tp_instance *self, tp_error *err)
{
    struct program *p = tp_instance_state(self);
    const char *file = tp_param_string(self, "file");

    if (tp_param_bool(self, "stay")) {
        tp_instance_stay_on(self);
    }
    p->instance = self;
    p->times.retry_ns = INT64_MAX;
    p->runner = calloc(1, sizeof *p->runner);
    p->fit.found = calloc(MOST_DEVICES + MOST_PAIRS, sizeof *p->fit.found);
    if (p->runner == NULL || p->fit.found == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = tp_offer_program(self, NULL, &program_device_ops, &p->device, err);
    status = status == TP_OK ? tp_device_latch(p->device, err) : status;
    status =
        status == TP_OK ? tp_require(self, &tp_interface_universal, NULL, &p->robot, err) : status;
    if (status == TP_OK &&
        tp_require(self, &tp_interface_blackboard, NULL, &p->board, NULL) != TP_OK) {
        p->board = NULL; /* messages stay within the program */
    }
    status = status == TP_OK ? tpi_files_vocabulary(&p->vocabulary, err) : status;
    status = status == TP_OK ? read_params(p, err) : status;
    status = status == TP_OK ? tpi_program_settle_init(p, err) : status;
    if (status == TP_OK && file[0] != '\0') {
        status = load_file(p, file, err);
        p->starts = tp_param_bool(self, "start");
    }
    return status == TP_OK ? recall(p, err) : status;
}

/* Run the program of the configuration. */
static void begin_own(struct program *p)
{
    tp_error err = {.text = ""};

    p->wish = (tp_program_run){.seed = p->settings.seed, .loose = p->settings.is_loose};
    p->fit.then = THEN_RUN;
    if (tpi_program_match(p, p->settings.is_loose, &err) != TP_OK) {
        tpi_program_end(p, TP_PROGRAM_FAILED, 0, err.text);
    }
}

static tp_status program_start(tp_instance *self, tp_error *err)
{
    struct program *p = tp_instance_state(self);

    (void)err;
    if (p->starts && p->phase != TP_PROGRAM_EMPTY && !tp_instance_in_panic(self)) {
        begin_own(p);
    }
    if (p->move.is_unmatched) {
        tpi_program_rematch(p);
    }
    tpi_program_changed(p);
    tpi_program_wait(p, program_now(p));
    return TP_OK;
}

static tp_status program_poll(tp_instance *self, tp_error *err)
{
    struct program *p = tp_instance_state(self);

    (void)err;
    if (program_now(p) >= p->times.retry_ns) {
        p->times.retry_ns = INT64_MAX;
        if (!tp_instance_in_panic(self)) {
            begin_own(p);
        }
    }
    tpi_program_settle(p);
    tpi_program_turn(p);
    return TP_OK;
}

static const char *reason_of(const tp_instance *self)
{
    switch (tp_instance_halt_reason(self)) {
    case TP_HALT_PANIC:
        return "there is a panic";
    case TP_HALT_SILENT:
        return "the client that runs it is silent";
    case TP_HALT_LEFT:
        return "the client that ran it has left";
    default:
        return "a client has stopped it";
    }
}

static void program_halt(tp_device *device, tp_halt how)
{
    struct program *p = program_of(device);

    const tp_halt_reason reason = tp_instance_halt_reason(p->instance);

    (void)how;
    p->times.retry_ns = INT64_MAX;
    if (p->phase == TP_PROGRAM_PAUSED && (reason == TP_HALT_SILENT || reason == TP_HALT_LEFT)) {
        return; /* it stands already; another client can go on */
    }
    if (p->phase == TP_PROGRAM_RUNNING || p->phase == TP_PROGRAM_PAUSED || p->fit.ticket != NULL ||
        p->flow.asking != ASKS_NOTHING) {
        tpi_program_end(p, TP_PROGRAM_STOPPED, 0, reason_of(p->instance));
    } else {
        tp_link_halt(p->robot);
    }
}

/* The robot is released: it stops by itself. */
static void program_stop(tp_instance *self)
{
    struct program *p = tp_instance_state(self);

    p->flow.asking = ASKS_NOTHING;
    p->flow.asked++;
    p->fit.ticket = p->flow.step = p->move.ticket = NULL; /* the framework answers them */
    if (p->phase == TP_PROGRAM_RUNNING || p->phase == TP_PROGRAM_PAUSED) {
        p->times.paused_ns = program_now(p);
        p->phase = TP_PROGRAM_STOPPED;
        (void)snprintf(p->error, sizeof p->error, "the server has stopped it");
    }
    p->times.retry_ns = INT64_MAX;
    p->settle.is_asking = false;
    p->settle.asked++;
}

static void program_fini(tp_instance *self)
{
    struct program *p = tp_instance_state(self);

    tpi_program_unload(p);
    tpi_program_forget_output(p);
    tpi_program_transfer_fini(p);
    tpi_play_order_fini(&p->flow.order);
    tpi_vocabulary_destroy(p->vocabulary);
    tpi_buf_fini(&p->shelf.grammar);
    tpi_buf_fini(&p->shelf.folder);
    tpi_buf_fini(&p->shelf.list_items);
    tpi_buf_fini(&p->shelf.list_texts);
    tpi_buf_fini(&p->seen.room);
    tpi_buf_fini(&p->seen.items);
    tpi_buf_fini(&p->seen.texts);
    tpi_buf_fini(&p->seen.devices);
    free(p->fit.found);
    free(p->runner);
}

static const tp_driver_ops program_ops = {
    .init = program_init,
    .start = program_start,
    .poll = program_poll,
    .data = tpi_program_heard,
    .halt = program_halt,
    .stop = program_stop,
    .fini = program_fini,
};

extern const tp_driver tp_driver_program;
const tp_driver tp_driver_program = {
    .abi = TP_DRIVER_ABI,
    .name = "program",
    .summary = "runs a program on any robot, in the server",
    .state_size = sizeof(struct program),
    .params = program_params,
    .ops = &program_ops,
};
