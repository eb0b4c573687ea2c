/* experiment_play.c - one run of an experiment; see experiment.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/scene.h"
#include "experiment.h"
#include "play/bind.h"
#include "play/runner.h"
#include "play/show.h"
#include "sim/host/host.h"
#include "sim/sense/sensors.h"
#include "universal/dialog.h"
#include "universal/host/files.h"
#include "universal/registry.h"

enum { STEP_US = TPI_SCENE_STEP_US, TURNS = 1000, MOST_FROZEN = 16 };
static const double TOP_SPEED = 0.5, WIDTH = 0.38; /* of a Pioneer that is devices */

/* A reading that stays. */
struct frozen {
    tpi_command command;
    int device;
    double values[TPI_MOST_RESULTS];
};

struct stage {
    const experiment_run *run; /* borrowed */
    tpi_loaded loaded;
    tpi_registry *registry;  /* owned */
    tpi_dialog *dialog;      /* owned */
    tpi_play_runner *runner; /* owned */
    tpi_play_order order;
    bool is_ordered; /* the dialog has an order of the machine */
    struct frozen frozen[MOST_FROZEN];
    unsigned frozen_count;
    tpi_scene *scene; /* owned; NULL for a robot that is devices */
    tpi_sim *sim;     /* the scene's, or owned */
    tpi_sim_model body, lamp;
    tpi_sim_model eye; /* of a robot that is devices */
    char reply[64];    /* of such a robot; "" for none */
    int64_t now_us;
};

/* ---- The robot ------------------------------------------------------------------------------- */

/* A robot that is devices: its instructions are texts. */
static void carry_out(struct stage *s, const char *text)
{
    double left = 0, right = 0;
    unsigned input = 0;
    tpi_sim_brightness seen = {0};

    if (sscanf(text, "position2d wheels %lf %lf", &left, &right) == 2 ||
        strcmp(text, "stop") == 0) {
        const double goal[3] = {(left + right) / 200 * TOP_SPEED, 0,
                                (right - left) / 100 * TOP_SPEED / WIDTH};
        (void)tpi_sim_drive(s->sim, s->body, TPI_SIM_DRIVE_VELOCITY, goal, NULL);
        snprintf(s->reply, sizeof s->reply, "%s", text[0] == 'p' ? "ok" : "");
    } else if (sscanf(text, "aio %u", &input) == 1 && input == 0) {
        (void)tpi_sim_get_brightness(s->sim, s->eye, &seen, NULL);
        snprintf(s->reply, sizeof s->reply, "aio %.4f", fmin(seen.level * 5, 5));
    } else {
        snprintf(s->reply, sizeof s->reply, "error there is no such device");
    }
}

static void on_write(void *context, const uint8_t *frame, size_t length, const uint8_t *body,
                     size_t body_length)
{
    struct stage *s = context;
    char text[64];

    (void)body;
    (void)body_length;
    if (s->scene != NULL) {
        tpi_emu_input(tpi_scene_robot(s->scene, 0), frame, length);
        return;
    }
    snprintf(text, sizeof text, "%.*s", (int)length, (const char *)frame);
    carry_out(s, text);
}

static void take_replies(struct stage *s)
{
    const int64_t now_ns = s->now_us * 1000;
    uint8_t bytes[512];
    size_t length = 0;

    if (s->scene == NULL && s->reply[0] != '\0') {
        char reply[sizeof s->reply];
        memcpy(reply, s->reply, sizeof reply);
        s->reply[0] = '\0';
        tpi_dialog_receive(s->dialog, (const uint8_t *)reply, strlen(reply), now_ns);
        return;
    }
    while (s->scene != NULL &&
           (length = tpi_emu_output(tpi_scene_robot(s->scene, 0), bytes, sizeof bytes)) > 0) {
        tpi_dialog_receive(s->dialog, bytes, length, now_ns);
    }
}

/* ---- The program ----------------------------------------------------------------------------- */

/* The first value of each reading is kept, and stays. */
static void freeze(struct stage *s, tpi_value *results)
{
    unsigned i = 0;

    if (!s->run->is_frozen || tpi_dictionary_entry(s->order.command)->sort != TPI_SORT_READ) {
        return;
    }
    while (i < s->frozen_count &&
           (s->frozen[i].command != s->order.command || s->frozen[i].device != s->order.device)) {
        i++;
    }
    if (i == s->frozen_count && i < MOST_FROZEN) {
        s->frozen[s->frozen_count++] =
            (struct frozen){s->order.command,
                            s->order.device,
                            {results[0].number, results[1].number, results[2].number}};
    }
    for (unsigned k = 0; i < s->frozen_count && k < TPI_MOST_RESULTS; k++) {
        results[k].number = s->frozen[i].values[k];
    }
}

/* Hand the machine's command to the conversation. */
static tp_status begin_order(struct stage *s, tp_error *err)
{
    const tp_status status = tpi_play_order_read(&s->order, s->runner, err);

    if (status != TP_OK) {
        return status;
    }
    tpi_dialog_order order = {.command = s->order.command, .part = -1, .count = s->order.count};
    if (s->order.device >= 0) {
        order.part = s->registry->ports[s->order.device].match.part;
        order.is_inverted = s->registry->ports[s->order.device].match.is_inverted;
    } else if (s->order.command != TPI_STOP) {
        order.part = tpi_registry_default(s->registry, s->order.command, 0)->part;
    }
    memcpy(order.values, s->order.values, sizeof order.values);
    s->is_ordered = true;
    return tpi_dialog_begin(s->dialog, &order, s->now_us * 1000);
}

static tp_status end_order(struct stage *s, experiment_result *out, tp_error *err)
{
    const tpi_outcome *outcome = tpi_dialog_outcome(s->dialog);
    tpi_value results[TPI_MOST_RESULTS];

    s->is_ordered = false;
    if (outcome->fault != TPI_FAULT_NONE) {
        return tp_fail(err, TP_E_DEVICE, "%s", outcome->text);
    }
    memcpy(results, outcome->results, sizeof results);
    freeze(s, results);
    tpi_play_order_done(s->runner, &s->order, results, TPI_MOST_RESULTS);
    out->commands++;
    return TP_OK;
}

/* Run the machine until it waits, or waits for the robot. */
static tp_status think(struct stage *s, experiment_result *out, tp_error *err)
{
    tpi_play_machine *machine = &s->runner->machine;
    tp_status status = TP_OK;

    machine->now_ms = (int32_t)(s->now_us / 1000);
    for (unsigned i = 0; i < TURNS && status == TP_OK; i++) {
        if (s->is_ordered) {
            if (tpi_dialog_is_busy(s->dialog)) {
                return TP_OK;
            }
            status = end_order(s, out, err);
            continue;
        }
        const tpi_play_status now = tpi_play_run(machine, TURNS);
        if (now == TPI_PLAY_FAULTED) {
            return tp_fail(err, TP_E_DEVICE, "line %u: %s", tpi_play_runner_fault_line(s->runner),
                           tpi_play_fault_text(machine->fault));
        }
        if (now != TPI_PLAY_ASKS) {
            return TP_OK;
        }
        const unsigned code = machine->request.code;
        if (code == TPI_PLAY_PRINT_CODE || code == TPI_PLAY_LOG_CODE) {
            tpi_play_answer(machine);
        } else {
            status = begin_order(s, err);
        }
    }
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status match(struct stage *s, experiment_result *out, tp_error *err)
{
    const tpi_play_program *program = s->run->program;
    tpi_buf text = {0};
    tp_status status = TP_OK;

    s->registry = calloc(1, sizeof *s->registry);
    if (s->registry == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (tpi_play_explain(&text, program, s->loaded.wired, false, err) > 0) {
        status = TP_E_UNKNOWN;
    }
    snprintf(out->matches, sizeof out->matches, "%.*s", (int)strcspn(tpi_buf_text(&text), "\n"),
             tpi_buf_text(&text));
    tpi_buf_fini(&text);
    tpi_registry_init(s->registry, s->loaded.wired, false);
    for (unsigned i = 0; i < program->device_count && status == TP_OK; i++) {
        const tpi_play_device *device = &program->devices[i];
        status = tpi_registry_declare(s->registry, device->classes, device->number, device->command,
                                      err) >= 0
                     ? TP_OK
                     : TP_E_UNKNOWN;
    }
    return status;
}

/* The world with the body of an emulated robot in its middle. */
static tp_status make_scene(struct stage *s, const char *folders, tp_error *err)
{
    const tpi_emu_kind *kind = tpi_emu_kind_named(s->run->robot->kind, err);
    const tpi_scene_actor actor = {
        .kind = kind, .name = "robot", .placed = true, .degrees = s->run->heading};
    const tpi_scene_plan plan = {.world = s->run->world,
                                 .folders = folders,
                                 .seed = s->run->seed,
                                 .actors = &actor,
                                 .count = 1};
    const tp_status status = kind != NULL ? tpi_scene_create(&s->scene, &plan, err) : TP_E_UNKNOWN;

    if (status == TP_OK) {
        s->sim = tpi_scene_world(s->scene);
        s->body = tpi_emu_model(tpi_scene_robot(s->scene, 0));
    }
    return status;
}

/* The world with a model that is devices. */
static tp_status make_world(struct stage *s, const char *folders, tp_error *err)
{
    const tpi_sim_options options = {.seed = s->run->seed, .path = folders};
    tpi_buf text = {0};

    tpi_buf_printf(&text,
                   "include \"%s\"\ninterval_sim 5\n%s ( name \"robot\" pose [0 0 0 %.3f] "
                   "update_interval 5 lightsensor ( name \"eye\" pose [0.1 0 0.1 0] "
                   "update_interval 5 ) )\n",
                   s->run->world, s->run->robot->model, s->run->heading);
    const tp_status status =
        tpi_sim_parse(&s->sim, "experiment.world", tpi_buf_text(&text), text.length, &options, err);
    tpi_buf_fini(&text);
    if (status == TP_OK) {
        s->body = tpi_sim_find(s->sim, "robot");
        s->eye = tpi_sim_find(s->sim, "robot.eye");
        tpi_sim_subscribe(s->sim, s->body);
        tpi_sim_subscribe(s->sim, s->eye);
    }
    return status;
}

static tp_status begin(struct stage *s, experiment_result *out, tp_error *err)
{
    const tpi_dialog_hooks hooks = {.write = on_write, .context = s};
    tpi_buf folders = {0};
    tp_status status = tpi_loaded_init(&s->loaded, s->run->robot->robot, NULL, err);

    tpi_sim_folders(&folders, NULL);
    status = status == TP_OK ? match(s, out, err) : status;
    if (status == TP_OK) {
        status = s->run->robot->kind != NULL ? make_scene(s, tpi_buf_text(&folders), err)
                                             : make_world(s, tpi_buf_text(&folders), err);
    }
    tpi_buf_fini(&folders);
    status = status == TP_OK ? tpi_dialog_create(&s->dialog, s->loaded.wired, &hooks, err) : status;
    s->runner = calloc(1, sizeof *s->runner);
    if (status == TP_OK && s->runner == NULL) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    status = status == TP_OK ? tpi_play_runner_begin(s->runner, s->run->program, s->run->seed, err)
                             : status;
    if (status == TP_OK) {
        s->lamp = tpi_sim_find(s->sim, "lamp");
        tpi_dialog_connected(s->dialog, 0);
    }
    return status;
}

static void end(struct stage *s)
{
    tpi_dialog_destroy(s->dialog);
    if (s->scene != NULL) {
        tpi_scene_destroy(s->scene);
    } else {
        tpi_sim_destroy(s->sim);
    }
    if (s->registry != NULL) {
        tpi_registry_fini(s->registry);
    }
    free(s->registry);
    tpi_play_order_fini(&s->order);
    free(s->runner);
    tpi_loaded_fini(&s->loaded);
}

static void note_place(const struct stage *s, experiment_result *out)
{
    const tpi_sim_pose pose = tpi_sim_global_pose(s->sim, s->body);

    if (out->count < EXPERIMENT_PLACES) {
        out->places[out->count][0] = pose.x;
        out->places[out->count++][1] = pose.y;
    }
}

static void step_world(struct stage *s)
{
    s->now_us += STEP_US;
    if (s->scene != NULL) {
        tpi_scene_advance(s->scene, s->now_us);
    } else {
        tpi_sim_step(s->sim);
    }
}

tp_status experiment_play(experiment_result *out, const experiment_run *run, tp_error *err)
{
    const int64_t end_us = (int64_t)(run->seconds * 1e6);
    const int64_t note_us = end_us / (EXPERIMENT_PLACES - 2) / STEP_US * STEP_US + STEP_US;
    struct stage s = {.run = run, .lamp = TPI_SIM_NONE};

    memset(out, 0, sizeof *out);
    tp_status status = begin(&s, out, err);
    if (status == TP_OK && s.lamp != TPI_SIM_NONE) {
        const tpi_sim_pose lamp = tpi_sim_global_pose(s.sim, s.lamp);
        out->lamp[0] = lamp.x;
        out->lamp[1] = lamp.y;
    }
    while (status == TP_OK && s.now_us < end_us) {
        if (s.now_us % note_us == 0) {
            note_place(&s, out);
        }
        take_replies(&s);
        if (tpi_dialog_due_ns(s.dialog) <= s.now_us * 1000) {
            tpi_dialog_tick(s.dialog, s.now_us * 1000);
        }
        status = think(&s, out, err);
        step_world(&s);
    }
    if (status == TP_OK) {
        note_place(&s, out);
    }
    end(&s);
    return status;
}
