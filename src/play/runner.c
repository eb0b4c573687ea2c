/* runner.c - a machine with its memory, and its requests as commands for a robot. */
#include "play/runner.h"

#include <math.h>
#include <string.h>

#include "play/save.h"
#include "play/show.h"

tp_status tpi_play_runner_begin(tpi_play_runner *runner, const tpi_play_program *program,
                                uint32_t seed, tp_error *err)
{
    const tpi_play_memory memory = {runner->cells,      TPI_PLAY_CELLS,   runner->frames,
                                    TPI_PLAY_FRAMES,    runner->slots,    TPI_PLAY_SLOTS,
                                    TPI_PLAY_SLOT_SIZE, runner->constants};
    const uint8_t *image = (const uint8_t *)program->image.data;
    const tp_status status = tpi_play_verify(image, program->image.length, err);

    runner->program = program;
    runner->motion_count = 0;
    memset(runner->frames, 0, sizeof runner->frames);
    if (status != TP_OK) {
        return status;
    }
    return tpi_play_init(&runner->machine, image, &memory, seed)
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "the program does not fit the machine");
}

/* The instruction of a task belongs to the line before it. A task that has not begun stands at its
 * first line. */
static unsigned line_of(const tpi_play_runner *runner, uint8_t task)
{
    const tpi_play_machine *machine = &runner->machine;
    const uint8_t *entry = machine->image + machine->layout.tasks + task * TPI_PLAY_TASK_SIZE;
    const uint16_t pc = machine->tasks[task].pc;
    const bool has_begun = pc != (entry[0] | entry[1] << 8);

    return tpi_play_program_line(runner->program, (uint16_t)(has_begun ? pc : pc + 1));
}

unsigned tpi_play_runner_line(const tpi_play_runner *runner)
{
    const tpi_play_machine *machine = &runner->machine;

    return machine->layout.task_count > 0 ? line_of(runner, machine->current) : 0;
}

unsigned tpi_play_runner_task_line(const tpi_play_runner *runner, uint8_t task)
{
    return runner->machine.tasks[task].state == TPI_PLAY_OFF ? 0 : line_of(runner, task);
}

unsigned tpi_play_runner_fault_line(const tpi_play_runner *runner)
{
    return tpi_play_program_line(runner->program, runner->machine.fault_pc);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* A value for the robot. True is 100 where percent are expected. */
static void give(const tpi_play_machine *machine, tpi_value *out, const tpi_entry_value *value,
                 const tpi_play_cell *cell, tpi_buf *room)
{
    *out = (tpi_value){0};
    if (tpi_kind_is_text(value->kind)) {
        tpi_buf_clear(room);
        tpi_play_put_cell(room, machine, cell);
        out->text = tpi_buf_text(room);
        out->length = (uint32_t)room->length;
        return;
    }
    out->number = tpi_play_cell_number(cell);
    if (cell->tag == TPI_PLAY_BOOL && value->high >= 100.0) {
        out->number *= 100;
    }
}

static void take(tpi_play_machine *machine, tpi_play_cell *cell, const tpi_entry_value *value,
                 const tpi_value *result)
{
    if (tpi_kind_is_text(value->kind)) {
        const size_t most = TPI_PLAY_SLOT_SIZE - 1;
        tpi_play_put_text(machine, cell, result->text != NULL ? result->text : "",
                          (uint8_t)(result->length < most ? result->length : most));
    } else if (value->kind == TPI_KIND_DOUBLE) {
        cell->as.f = tpi_play_canonical((float)result->number);
        cell->tag = TPI_PLAY_FLOAT;
    } else if (value->kind == TPI_KIND_BOOL) {
        cell->as.i = result->number != 0;
        cell->tag = TPI_PLAY_BOOL;
    } else {
        cell->as.i = tpi_play_round((float)result->number);
        if (result->number > -2147483648.0 && result->number < 2147483647.0) {
            cell->as.i = (int32_t)(result->number + (result->number < 0 ? -0.5 : 0.5));
        }
        cell->tag = TPI_PLAY_INT;
    }
}

/* ---- Motions --------------------------------------------------------------------------------- */

static void forget_motion(tpi_play_runner *runner, unsigned at)
{
    memmove(&runner->motions[at], &runner->motions[at + 1],
            (runner->motion_count - at - 1) * sizeof runner->motions[0]);
    runner->motion_count--;
}

/* What a Stop ends is forgotten. */
static void forget_motions(tpi_play_runner *runner, int device)
{
    for (unsigned i = runner->motion_count; i-- > 0;) {
        if (device < 0 || runner->motions[i].device == device) {
            forget_motion(runner, i);
        }
    }
}

/* The last values of each command and device count; the order is that of the last uses. */
static void remember_motion(tpi_play_runner *runner, const tpi_play_order *order)
{
    tpi_play_motion motion = {order->command, order->device, order->count, {0}};

    for (unsigned i = runner->motion_count; i-- > 0;) {
        if (runner->motions[i].command == order->command &&
            runner->motions[i].device == order->device) {
            forget_motion(runner, i);
        }
    }
    if (runner->motion_count == TPI_PLAY_MOST_MOTIONS) {
        forget_motion(runner, 0);
    }
    for (unsigned i = 0; i < order->count; i++) {
        motion.values[i] = order->values[i].number;
    }
    runner->motions[runner->motion_count++] = motion;
}

static bool lasts(tpi_command command)
{
    return command == TPI_MOVE_POWER || command == TPI_DRIVE || command == TPI_MOVE_MOTORS ||
           command == TPI_WRITE_ANALOG || command == TPI_WRITE_PWM ||
           command == TPI_WRITE_GENERIC || command == TPI_WRITE_DIGITAL;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

tp_status tpi_play_order_read(tpi_play_order *out, const tpi_play_runner *runner, tp_error *err)
{
    const tpi_play_request *request = &runner->machine.request;
    const bool is_text = request->values > 0 && request->row[0].tag == TPI_PLAY_TEXT;
    const tpi_command command = tpi_dictionary_code(request->code);

    if (command >= TPI_COMMANDS) {
        return tp_fail(err, TP_E_UNSUPPORTED, "there is no command %04X", request->code);
    }
    out->command = command == TPI_DISPLAY_VALUE && is_text ? TPI_DISPLAY_STRING : command;
    const tpi_entry *entry = tpi_dictionary_entry(out->command);
    out->device = request->device != TPI_PLAY_NO_DEVICE ? request->device : -1;
    out->count = 0;
    for (; out->count < request->values && out->count < tpi_entry_value_count(entry->values);
         out->count++) {
        give(&runner->machine, &out->values[out->count], &entry->values[out->count],
             &request->row[out->count], &out->rooms[out->count]);
    }
    return TP_OK;
}

void tpi_play_order_fini(tpi_play_order *order)
{
    for (unsigned i = 0; i < TPI_MOST_VALUES; i++) {
        tpi_buf_fini(&order->rooms[i]);
    }
}

void tpi_play_order_done(tpi_play_runner *runner, const tpi_play_order *order,
                         const tpi_value *results, unsigned count)
{
    const tpi_play_request *request = &runner->machine.request;
    const tpi_entry *entry = tpi_dictionary_entry(order->command);

    for (unsigned i = 0; i < request->results && i < count; i++) {
        take(&runner->machine, &request->row[i], &entry->results[i], &results[i]);
    }
    if (order->command == TPI_STOP) {
        forget_motions(runner, order->device);
    } else if (lasts(order->command)) {
        remember_motion(runner, order);
    }
    tpi_play_answer(&runner->machine);
}

/* ---- State ----------------------------------------------------------------------------------- */

enum { MOTION_BYTES = 3 + 8 * TPI_MOST_VALUES };

static void put_double(tpi_buf *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 8; i++) {
        tpi_buf_putc(out, (char)(bits >> (8 * i) & 0xffu));
    }
}

static double double_at(const uint8_t *bytes)
{
    uint64_t bits = 0;
    double value;

    for (unsigned i = 0; i < 8; i++) {
        bits |= (uint64_t)bytes[i] << (8 * i);
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

void tpi_play_runner_save(tpi_buf *out, const tpi_play_runner *runner)
{
    tpi_buf_putc(out, (char)runner->motion_count);
    for (unsigned i = 0; i < runner->motion_count; i++) {
        const tpi_play_motion *motion = &runner->motions[i];
        tpi_buf_putc(out, (char)motion->command);
        tpi_buf_putc(out, (char)(motion->device < 0 ? TPI_PLAY_NO_DEVICE : motion->device));
        tpi_buf_putc(out, (char)motion->count);
        for (unsigned k = 0; k < TPI_MOST_VALUES; k++) {
            put_double(out, motion->values[k]);
        }
    }
    tpi_play_save(out, &runner->machine);
}

static bool read_motion(tpi_play_runner *runner, const uint8_t *bytes)
{
    tpi_play_motion motion = {
        (tpi_command)bytes[0], bytes[1] == TPI_PLAY_NO_DEVICE ? -1 : bytes[1], bytes[2], {0}};
    bool fine =
        bytes[0] < TPI_COMMANDS && lasts(motion.command) &&
        motion.count <= tpi_entry_value_count(tpi_dictionary_entry(motion.command)->values) &&
        motion.device < (int)runner->program->device_count;

    for (unsigned k = 0; fine && k < TPI_MOST_VALUES; k++) {
        motion.values[k] = double_at(bytes + 3 + (size_t)8 * k);
        fine = isfinite(motion.values[k]);
    }
    if (fine) {
        runner->motions[runner->motion_count++] = motion;
    }
    return fine;
}

tp_status tpi_play_runner_restore(tpi_play_runner *runner, const uint8_t *bytes, size_t length,
                                  tp_error *err)
{
    const unsigned count = length > 0 ? bytes[0] : 0;
    const size_t size = 1 + (size_t)count * MOTION_BYTES;

    runner->motion_count = 0;
    if (length < size || count > TPI_PLAY_MOST_MOTIONS) {
        return tp_fail(err, TP_E_INVALID, "this is no state of a program");
    }
    for (unsigned i = 0; i < count; i++) {
        if (!read_motion(runner, bytes + 1 + (size_t)i * MOTION_BYTES)) {
            return tp_fail(err, TP_E_INVALID, "the motions of the program are damaged");
        }
    }
    return tpi_play_restore(&runner->machine, bytes + size, length - size, err);
}
