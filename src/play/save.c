/*
 * save.c - the state of a machine as bytes. One walk over the state writes and reads it. What was
 * read is checked: the machine trusts places, frames and texts.
 */
#include "play/save.h"

#include <string.h>

#include "play/opcodes.h"

enum { STATE_VERSION = 1 };

/* Bytes out (`out`), or bytes in. */
struct stream {
    tpi_buf *out;         /* NULL to read */
    const uint8_t *bytes; /* what is read */
    size_t left;
    bool failed;
};

static uint32_t pass(struct stream *s, uint32_t value, unsigned size)
{
    uint32_t read = 0;

    if (s->out == NULL && s->left < size) {
        s->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < size; i++) {
        if (s->out != NULL) {
            tpi_buf_putc(s->out, (char)(value >> (8 * i) & 0xffu));
        } else {
            read |= (uint32_t)s->bytes[i] << (8 * i);
        }
    }
    s->bytes += s->out == NULL ? size : 0;
    s->left -= s->out == NULL ? size : 0;
    return s->out != NULL ? value : read;
}

/* A value that must be the same when it is read. */
static void expect(struct stream *s, uint32_t value, unsigned size)
{
    s->failed |= pass(s, value, size) != value;
}

static void walk_tasks(struct stream *s, tpi_play_machine *m)
{
    for (unsigned i = 0; i < TPI_PLAY_MOST_TASKS; i++) {
        tpi_play_task *task = &m->tasks[i];
        task->pc = (uint16_t)pass(s, task->pc, 2);
        task->base = (uint16_t)pass(s, task->base, 2);
        task->top = (uint16_t)pass(s, task->top, 2);
        task->depth = (uint8_t)pass(s, task->depth, 1);
        task->state = (uint8_t)pass(s, task->state, 1);
        task->wake_ms = (int32_t)pass(s, (uint32_t)task->wake_ms, 4);
    }
}

static void walk_memory(struct stream *s, tpi_play_machine *m)
{
    for (unsigned i = 0; i < m->memory.cell_count; i++) {
        m->memory.cells[i].tag = (uint8_t)pass(s, m->memory.cells[i].tag, 1);
        m->memory.cells[i].as.bits = pass(s, m->memory.cells[i].as.bits, 4);
    }
    for (unsigned i = 0; i < m->memory.frame_count; i++) {
        tpi_play_frame *frame = &m->memory.frames[i];
        frame->pc = (uint16_t)pass(s, frame->pc, 2);
        frame->base = (uint16_t)pass(s, frame->base, 2);
        frame->target = (uint8_t)pass(s, frame->target, 1);
    }
    for (size_t i = 0; i < (size_t)m->memory.slot_count * m->memory.slot_size; i++) {
        m->memory.slots[i] = (char)pass(s, (uint8_t)m->memory.slots[i], 1);
    }
}

static void walk(struct stream *s, tpi_play_machine *m)
{
    tpi_play_request *request = &m->request;

    expect(s, 'T' | 'S' << 8 | STATE_VERSION << 16, 3);
    expect(s, (uint32_t)(m->image[TPI_PLAY_AT_CHECKSUM] | m->image[TPI_PLAY_AT_CHECKSUM + 1] << 8),
           2);
    expect(s, m->memory.cell_count, 2);
    expect(s, m->memory.frame_count, 2);
    expect(s, m->memory.slot_count, 1);
    expect(s, m->memory.slot_size, 1);
    if (s->failed) {
        return;
    }
    m->current = (uint8_t)pass(s, m->current, 1);
    m->next_slot = (uint8_t)pass(s, m->next_slot, 1);
    m->random = pass(s, m->random, 4);
    m->now_ms = (int32_t)pass(s, (uint32_t)m->now_ms, 4);
    m->fault = (uint8_t)pass(s, m->fault, 1);
    m->fault_pc = (uint16_t)pass(s, m->fault_pc, 2);
    m->is_asking = pass(s, m->is_asking, 1) != 0;
    request->code = (uint16_t)pass(s, request->code, 2);
    request->device = (uint8_t)pass(s, request->device, 1);
    request->values = (uint8_t)pass(s, request->values, 1);
    request->results = (uint8_t)pass(s, request->results, 1);
    const uint32_t row = request->row != NULL ? (uint32_t)(request->row - m->memory.cells) : 0;
    request->row = m->memory.cells + (pass(s, row, 2) & 0xffffu) % (m->memory.cell_count + 1u);
    walk_tasks(s, m);
    walk_memory(s, m);
}

void tpi_play_save(tpi_buf *out, const tpi_play_machine *machine)
{
    tpi_play_machine copy = *machine; /* the walk is the same for reading */
    struct stream s = {.out = out};

    walk(&s, &copy);
}

/* ---- Checks ---- */

static unsigned word(const uint8_t *bytes)
{
    return (unsigned)(bytes[0] | bytes[1] << 8);
}

static unsigned entry_of(const tpi_play_machine *m, unsigned unit)
{
    const tpi_play_layout *l = &m->layout;

    return unit == (unsigned)l->task_count + l->function_count ? l->length
           : unit < l->task_count
               ? word(m->image + l->tasks + unit * TPI_PLAY_TASK_SIZE)
               : word(m->image + l->functions + (unit - l->task_count) * TPI_PLAY_FUNCTION_SIZE);
}

/* The task or function in which an instruction begins at this place; -1 for none. */
static int unit_at(const tpi_play_machine *m, unsigned pc)
{
    const unsigned count = (unsigned)m->layout.task_count + m->layout.function_count;

    for (unsigned unit = 0; unit < count; unit++) {
        unsigned at = entry_of(m, unit);
        const unsigned end = entry_of(m, unit + 1);
        for (; at < end && at < pc; at += tpi_play_opcode_size(m->image[at])) {
        }
        if (at == pc && at < end) {
            return (int)unit;
        }
    }
    return -1;
}

static unsigned registers_of(const tpi_play_machine *m, int unit)
{
    const tpi_play_layout *l = &m->layout;

    return unit < l->task_count
               ? l->registers
               : m->image[l->functions + ((unsigned)unit - l->task_count) * TPI_PLAY_FUNCTION_SIZE +
                          4];
}

/* The frames of a task lie one behind the other, each as large as its function needs. */
static bool fits_task(const tpi_play_machine *m, unsigned index)
{
    const tpi_play_task *task = &m->tasks[index];
    const unsigned first = m->layout.registers + index * (unsigned)m->part;
    unsigned base = 0, top = first;

    if (task->state == TPI_PLAY_OFF) {
        return true;
    }
    if (task->state > TPI_PLAY_WAITING || task->depth > m->frame_part) {
        return false;
    }
    for (unsigned level = 0; level <= task->depth; level++) {
        const bool is_last = level == task->depth;
        const tpi_play_frame *frame = &m->memory.frames[index * m->frame_part + level];
        const int unit = unit_at(m, is_last ? task->pc : frame->pc);
        if (unit < 0 || (level == 0 ? unit != (int)index : unit < m->layout.task_count)) {
            return false;
        }
        if (level > 0) {
            base = top;
            top += registers_of(m, unit);
        }
        if (top > first + m->part ||
            (!is_last && (frame->base != base || frame->target >= registers_of(m, unit)))) {
            return false;
        }
    }
    return task->base == base && task->top == top;
}

static bool fits_cells(const tpi_play_machine *m)
{
    for (unsigned i = 0; i < m->memory.cell_count; i++) {
        const tpi_play_cell *cell = &m->memory.cells[i];
        if (cell->tag > TPI_PLAY_TEXT || (cell->tag == TPI_PLAY_BOOL && cell->as.bits > 1) ||
            (cell->tag == TPI_PLAY_TEXT &&
             (cell->as.bits < TPI_PLAY_FIRST_SLOT
                  ? cell->as.bits >= m->layout.text_count
                  : cell->as.bits - TPI_PLAY_FIRST_SLOT >= m->memory.slot_count))) {
            return false;
        }
    }
    for (unsigned i = 0; i < m->memory.slot_count; i++) {
        if ((uint8_t)m->memory.slots[(size_t)i * m->memory.slot_size] >= m->memory.slot_size) {
            return false;
        }
    }
    return true;
}

static bool fits_request(const tpi_play_machine *m)
{
    const tpi_play_request *r = &m->request;
    const unsigned at = (unsigned)(r->row - m->memory.cells);
    const unsigned most = r->values > r->results ? r->values : r->results;
    const unsigned devices =
        r->code >> 8 == 0x40 ? m->layout.channel_count : m->layout.device_count;

    return !m->is_asking ||
           (at + most <= m->memory.cell_count && m->tasks[m->current].state == TPI_PLAY_READY &&
            (r->device == TPI_PLAY_NO_DEVICE || r->device < devices));
}

static bool fits(const tpi_play_machine *m)
{
    bool fine = m->current < TPI_PLAY_MOST_TASKS && m->random != 0 && m->fault < TPI_PLAY_FAULTS &&
                (m->next_slot < m->memory.slot_count || m->next_slot == 0) && fits_cells(m) &&
                (m->current < m->layout.task_count || m->layout.task_count == 0);

    for (unsigned i = 0; i < TPI_PLAY_MOST_TASKS && fine; i++) {
        fine = i < m->layout.task_count ? fits_task(m, i) : m->tasks[i].state == TPI_PLAY_OFF;
    }
    return fine && fits_request(m);
}

tp_status tpi_play_restore(tpi_play_machine *machine, const uint8_t *bytes, size_t length,
                           tp_error *err)
{
    struct stream s = {.bytes = bytes, .left = length};

    walk(&s, machine);
    if (s.failed || s.left > 0) {
        return tp_fail(err, TP_E_INVALID, "this is no state of this program");
    }
    return fits(machine) ? TP_OK
                         : tp_fail(err, TP_E_INVALID, "the state of the program is damaged");
}
