/* state.c - what clients see of a program: state, output, log; see program.h. */
#include <stdlib.h>
#include <string.h>

#include "play/show.h"
#include "program.h"

static const int64_t PUBLISH_NS = 100 * TP_NS_PER_MS;
static char nothing[1];

/* A text of ours, for a message that is copied at once. */
static void borrow(char **field, uint32_t *count, const char *text)
{
    memcpy(field, &text, sizeof *field);
    *count = (uint32_t)strlen(text) + 1;
}

/* ---- The state ------------------------------------------------------------------------------- */

static uint8_t kind_of(const tpi_play_cell *cell)
{
    return cell->tag == TPI_PLAY_FLOAT  ? TP_PROGRAM_FLOAT
           : cell->tag == TPI_PLAY_BOOL ? TP_PROGRAM_TRUTH
           : cell->tag == TPI_PLAY_TEXT ? TP_PROGRAM_TEXT
                                        : TP_PROGRAM_INTEGER;
}

static bool has_machine(const struct program *p)
{
    return p->runner != NULL && p->runner->program == &p->loaded.program &&
           p->phase != TP_PROGRAM_READY && p->phase != TP_PROGRAM_EMPTY;
}

/* The values of all variables; 0 before it runs. */
static void fill_variables(struct program *p, tp_program_state *out)
{
    const tpi_play_program *program = &p->loaded.program;
    const tpi_play_cell zero = {.tag = TPI_PLAY_INT};

    tpi_buf_clear(&p->seen.texts);
    tpi_buf_clear(&p->seen.items);
    tp_program_variable *list = (tp_program_variable *)(void *)tpi_buf_reserve(
        &p->seen.items, (program->variable_count + 1) * sizeof *list);
    for (unsigned i = 0; list != NULL && i < program->variable_count; i++) {
        const tpi_play_variable *variable = &program->variables[i];
        const tpi_play_cell *cell = has_machine(p) ? &p->runner->cells[variable->index] : &zero;
        list[i] =
            (tp_program_variable){.kind = kind_of(cell), .number = tpi_play_cell_number(cell)};
        borrow(&list[i].name, &list[i].name_count, variable->name);
        if (has_machine(p)) {
            tpi_play_put_cell(&p->seen.texts, &p->runner->machine, cell);
        } else {
            tpi_buf_putc(&p->seen.texts, '0');
        }
        tpi_buf_putc(&p->seen.texts, '\0');
    }
    if (list == NULL || p->seen.texts.failed) {
        return;
    }
    const char *text = tpi_buf_text(&p->seen.texts);
    for (unsigned i = 0; i < program->variable_count; i++) {
        borrow(&list[i].text, &list[i].text_count, text);
        text += list[i].text_count;
    }
    out->variables = list;
    out->variables_count = program->variable_count;
}

static void fill_lines(struct program *p, tp_program_state *out)
{
    tp_program_line *lines = p->seen.tasks;
    const tpi_play_machine *machine = &p->runner->machine;

    out->lines = lines;
    out->lines_count = machine->layout.task_count;
    for (uint8_t i = 0; i < machine->layout.task_count; i++) {
        const tpi_play_task *task = &machine->tasks[i];
        lines[i] = (tp_program_line){.task = i,
                                     .line = tpi_play_runner_task_line(p->runner, i),
                                     .waits = task->state == TPI_PLAY_WAITING};
    }
    out->line = p->phase == TP_PROGRAM_DONE ? 0 : tpi_play_runner_line(p->runner);
}

void tpi_program_fill_state(struct program *p, tp_program_state *out)
{
    *out = (tp_program_state){.phase = (uint8_t)p->phase,
                              .loads = p->loads,
                              .bytes = p->loaded.bytes,
                              .chip_bytes = TPI_PLAY_CHIP_BYTES,
                              .steps = p->counts.steps,
                              .commands = p->counts.commands,
                              .printed = p->counts.printed,
                              .held = p->counts.held,
                              .error_line = p->error_line};
    borrow(&out->name, &out->name_count, p->loaded.name);
    borrow(&out->error, &out->error_count, p->error);
    borrow(&out->transfer, &out->transfer_count, p->move.id);
    borrow(&out->peer, &out->peer_count, p->move.peer);
    fill_variables(p, out);
    if (has_machine(p)) {
        fill_lines(p, out);
        out->time = (double)tpi_program_time_ns(p) / (double)TP_NS_PER_S;
    }
    tpi_program_fill_devices(p, &out->devices, &out->devices_count);
}

tp_status tpi_program_request_state(tp_device *device, tp_program_state *answer, tp_error *err)
{
    (void)err;
    tpi_program_fill_state(program_of(device), answer);
    return TP_OK;
}

void tpi_program_changed(struct program *p)
{
    p->seen.has_changed = true;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void fill_output(struct program *p, int64_t from, tp_program_output *out)
{
    const int64_t oldest =
        p->counts.printed > TP_PROGRAM_MOST_LINES ? p->counts.printed - TP_PROGRAM_MOST_LINES : 0;
    const int64_t first = from < oldest              ? oldest
                          : from > p->counts.printed ? p->counts.printed
                                                     : from;
    const size_t count = (size_t)(p->counts.printed - first);

    tpi_buf_clear(&p->seen.items);
    tp_program_output_line *list = (tp_program_output_line *)(void *)tpi_buf_reserve(
        &p->seen.items, (count + 1) * sizeof *list);
    *out = (tp_program_output){.first = first};
    for (size_t i = 0; list != NULL && i < count; i++) {
        const struct printed *line = &p->seen.lines[(first + (int64_t)i) % TP_PROGRAM_MOST_LINES];
        list[i] = (tp_program_output_line){.time = line->time, .line = line->line};
        borrow(&list[i].text, &list[i].text_count, line->text != NULL ? line->text : nothing);
    }
    out->lines = list;
    out->lines_count = list != NULL ? (uint32_t)count : 0;
}

tp_status tpi_program_output(tp_device *device, const tp_program_output_wish *ask,
                             tp_program_output *answer, tp_error *err)
{
    (void)err;
    fill_output(program_of(device), ask->from, answer);
    return TP_OK;
}

void tpi_program_print(struct program *p, const char *text)
{
    struct printed *line = &p->seen.lines[p->counts.printed % TP_PROGRAM_MOST_LINES];
    const size_t length = strlen(text) < MOST_LINE ? strlen(text) : MOST_LINE;

    free(line->text);
    line->text = malloc(length + 1);
    if (line->text != NULL) {
        memcpy(line->text, text, length);
        line->text[length] = '\0';
    }
    line->time = (double)tpi_program_time_ns(p) / (double)TP_NS_PER_S;
    line->line = tpi_play_runner_line(p->runner);
    p->counts.printed++;
    tpi_program_changed(p);
}

void tpi_program_forget_output(struct program *p)
{
    for (unsigned i = 0; i < TP_PROGRAM_MOST_LINES; i++) {
        free(p->seen.lines[i].text);
        p->seen.lines[i].text = NULL;
    }
}

void tpi_program_log(struct program *p)
{
    const tpi_play_machine *machine = &p->runner->machine;
    const tpi_play_cell *row = machine->request.row;
    tp_program_logged value = {.time = (double)tpi_program_time_ns(p) / (double)TP_NS_PER_S,
                               .kind = kind_of(&row[1]),
                               .number = tpi_play_cell_number(&row[1])};

    tpi_buf_clear(&p->seen.texts);
    tpi_play_put_cell(&p->seen.texts, machine, &row[0]);
    tpi_buf_putc(&p->seen.texts, '\0');
    const size_t behind = p->seen.texts.length;
    tpi_play_put_cell(&p->seen.texts, machine, &row[1]);
    if (!p->seen.texts.failed) {
        borrow(&value.name, &value.name_count, tpi_buf_text(&p->seen.texts));
        borrow(&value.text, &value.text_count, tpi_buf_text(&p->seen.texts) + behind);
        (void)tp_publish(p->device, TP_PROGRAM_DATA_LOGGED, &value, 0);
    }
}

/* ---- Publishing ------------------------------------------------------------------------------ */

int64_t tpi_program_publish(struct program *p, bool at_once)
{
    const int64_t now_ns = program_now(p);
    const bool runs = p->phase == TP_PROGRAM_RUNNING;
    tp_program_state state;
    tp_program_output output;

    if (!p->seen.has_changed && !runs) {
        return INT64_MAX;
    }
    if (!at_once && now_ns - p->seen.published_ns < PUBLISH_NS) {
        return p->seen.published_ns + PUBLISH_NS;
    }
    p->seen.published_ns = now_ns;
    p->seen.has_changed = false;
    if (p->seen.told < p->counts.printed) {
        fill_output(p, p->seen.told, &output);
        p->seen.told = p->counts.printed;
        (void)tp_publish(p->device, TP_PROGRAM_DATA_OUTPUT, &output, 0);
    }
    tpi_program_fill_state(p, &state);
    (void)tp_publish(p->device, TP_PROGRAM_DATA_STATE, &state, 0);
    return runs ? now_ns + PUBLISH_NS : INT64_MAX;
}
