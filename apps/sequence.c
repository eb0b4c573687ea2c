/* sequence.c - files of timed motion: the CSV reader, and what both readers share. */
#include "sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* ---- Sequences ------------------------------------------------------------------------------- */

void sequence_fini(struct sequence *s)
{
    free(s->frames);
    free(s->targets);
    free(s->names);
    *s = (struct sequence){0};
}

/* Room for one more in a list that grows; false without memory. */
static bool grow(void **list, size_t *room, size_t count, size_t size)
{
    if (count < *room) {
        return true;
    }
    const size_t wanted = *room < 16 ? 16 : 2 * *room;
    void *larger = realloc(*list, wanted * size);
    if (larger == NULL) {
        return false;
    }
    *list = larger;
    *room = wanted;
    return true;
}

struct sequence_frame *sequence_add_frame(struct sequence *s)
{
    void *list = s->frames;

    if (s->frame_count >= SEQUENCE_FRAMES ||
        !grow(&list, &s->frame_room, s->frame_count, sizeof *s->frames)) {
        return NULL;
    }
    s->frames = list;
    struct sequence_frame *frame = &s->frames[s->frame_count++];
    *frame = (struct sequence_frame){.duration_s = -1, .first = s->target_count};
    return frame;
}

long sequence_find_name(const struct sequence *s, const char *text, size_t length, uint8_t servo)
{
    for (size_t i = 0; i < s->name_count; i++) {
        if (s->names[i].servo == servo && strlen(s->names[i].text) == length &&
            memcmp(s->names[i].text, text, length) == 0) {
            return (long)i;
        }
    }
    return -1;
}

long sequence_add_name(struct sequence *s, const char *text, size_t length, uint8_t servo,
                       unsigned line, unsigned column)
{
    void *list = s->names;

    const long known = sequence_find_name(s, text, length, servo);

    if (known >= 0) {
        return known;
    }
    if (length > SEQUENCE_NAME || s->name_count >= SEQUENCE_NAMES ||
        !grow(&list, &s->name_room, s->name_count, sizeof *s->names)) {
        return -1;
    }
    s->names = list;
    struct sequence_name *name = &s->names[s->name_count];
    *name = (struct sequence_name){.servo = servo, .line = line, .column = column};
    memcpy(name->text, text, length);
    return (long)s->name_count++;
}

bool sequence_add_target(struct sequence *s, long name, double value)
{
    void *list = s->targets;

    if (!grow(&list, &s->target_room, s->target_count, sizeof *s->targets)) {
        return false;
    }
    s->targets = list;
    s->targets[s->target_count++] = (struct sequence_target){(uint32_t)name, value};
    s->names[name].frame = s->frame_count;
    s->names[name].value = value;
    s->frames[s->frame_count - 1].count++;
    return true;
}

/* Whether a dof has a speed at the end: no set-point and no force follows it. */
static bool has_speed(const struct sequence *s, const struct sequence_name *name)
{
    bool last = name->servo == 2 && name->value != 0;

    for (size_t i = 0; i < s->name_count && last; i++) {
        last = s->names[i].frame <= name->frame || strcmp(s->names[i].text, name->text) != 0;
    }
    return last;
}

/* For everything that has a speed. */
static bool add_zeros(struct sequence *s)
{
    for (size_t i = 0; i < s->name_count; i++) {
        if (has_speed(s, &s->names[i]) && !sequence_add_target(s, (long)i, 0)) {
            return false;
        }
    }
    return true;
}

bool sequence_add_rest(struct sequence *s)
{
    const size_t count = s->frame_count;
    const double gap = count > 1 ? s->frames[count - 1].time_s - s->frames[count - 2].time_s : 1;
    const struct sequence_frame *drive = NULL;

    for (size_t i = 0; i < count; i++) {
        drive = s->frames[i].base != BASE_NOTHING ? &s->frames[i] : drive;
    }
    const bool drives = drive != NULL && drive->base == BASE_DRIVE &&
                        (drive->values[0] != 0 || drive->values[1] != 0 || drive->values[2] != 0);
    struct sequence_frame *frame = sequence_add_frame(s);
    if (frame == NULL || !add_zeros(s)) {
        return false;
    }
    s->frames[count].time_s = s->frames[count - 1].time_s + gap;
    s->frames[count].base = drives ? BASE_DRIVE : BASE_NOTHING;
    s->frame_count -= !drives && s->frames[count].count == 0; /* nothing has a speed */
    return true;
}

/* ---- CSV: cells ------------------------------------------------------------------------------ */

/* What a column is. */
enum column {
    COLUMN_TIME,
    COLUMN_DURATION,
    COLUMN_X,
    COLUMN_Y,
    COLUMN_THETA,
    COLUMN_VX,
    COLUMN_VY,
    COLUMN_OMEGA,
    COLUMN_NAME, /* and its index */
};

struct reader {
    struct sequence *out;
    const char *path;
    const char *at, *end;
    unsigned line, column; /* of `at`, from 1 */
    tp_error *err;
    tp_status status;
    unsigned columns;
    long kinds[SEQUENCE_NAMES + COLUMN_NAME];
};

/* A cell: its text without blanks around it, and where it stands. */
struct cell {
    const char *text;
    size_t length;
    unsigned column;
    bool last; /* of its line */
};

static bool reject(struct reader *r, tp_status status, unsigned column, const char *why,
                   const char *text, size_t length)
{
    r->status = tp_fail(r->err, status, "%s:%u:%u: \"%.*s\" %s", r->path, r->line, column,
                        (int)(length < 60 ? length : 60), text, why);
    return false;
}

static bool reject_line(struct reader *r, tp_status status, unsigned column, const char *why)
{
    r->status = tp_fail(r->err, status, "%s:%u:%u: %s", r->path, r->line, column, why);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Columns count characters, as an editor does. */
static void advance(struct reader *r)
{
    r->column += ((unsigned char)*r->at & 0xc0) != 0x80;
    r->at++;
}

static struct cell next_cell(struct reader *r)
{
    struct cell cell = {0};

    while (r->at < r->end && is_blank(*r->at)) {
        advance(r);
    }
    cell.text = r->at;
    cell.column = r->column;
    while (r->at < r->end && *r->at != ',' && *r->at != '\n') {
        advance(r);
    }
    cell.length = (size_t)(r->at - cell.text);
    while (cell.length > 0 && is_blank(cell.text[cell.length - 1])) {
        cell.length--;
    }
    cell.last = r->at == r->end || *r->at == '\n';
    if (!cell.last) {
        advance(r);
    }
    return cell;
}

static void next_line(struct reader *r)
{
    while (r->at < r->end && *r->at != '\n') {
        r->at++;
    }
    r->at += r->at < r->end;
    r->line++;
    r->column = 1;
}

/* Move to the next line that is neither empty nor a comment; false at the end. */
static bool find_line(struct reader *r)
{
    while (r->at < r->end) {
        const char *at = r->at;

        while (at < r->end && is_blank(*at)) {
            at++;
        }
        if (at < r->end && *at != '\n' && *at != '#') {
            return true;
        }
        next_line(r);
    }
    return false;
}

/* ---- CSV: lines ------------------------------------------------------------------------------ */

static bool ends_with(const struct cell *cell, const char *end)
{
    const size_t length = strlen(end);

    return cell->length > length && memcmp(cell->text + cell->length - length, end, length) == 0;
}

static bool is_word(const struct cell *cell, const char *word)
{
    return cell->length == strlen(word) && memcmp(cell->text, word, cell->length) == 0;
}

/* The kind of a column by its heading; -1 if it is none. */
static long kind_of(struct reader *r, const struct cell *cell)
{
    static const char *const words[] = {"time",       "duration", "base.x",  "base.y",
                                        "base.theta", "base.vx",  "base.vy", "base.omega"};
    size_t length = cell->length;
    uint8_t servo = 1;

    for (long i = 0; i < COLUMN_NAME; i++) {
        if (is_word(cell, words[i])) {
            return i;
        }
    }
    if (ends_with(cell, ".speed")) {
        servo = 2;
        length -= strlen(".speed");
    } else if (ends_with(cell, ".force")) {
        servo = 4;
        length -= strlen(".force");
    }
    if (length == 0) {
        return -1;
    }
    const long name = sequence_add_name(r->out, cell->text, length, servo, r->line, cell->column);
    return name < 0 ? -1 : COLUMN_NAME + name;
}

static bool read_headings(struct reader *r)
{
    struct cell cell = {0};

    if (!find_line(r)) {
        return reject_line(r, TP_E_SYNTAX, 1, "there is no line with the names of the columns");
    }
    do {
        cell = next_cell(r);
        const long kind = kind_of(r, &cell);
        if (kind < 0) {
            return reject(r, TP_E_SYNTAX, cell.column, "is no name of a column", cell.text,
                          cell.length);
        }
        for (unsigned i = 0; i < r->columns; i++) {
            if (r->kinds[i] == kind) {
                return reject(r, TP_E_EXISTS, cell.column, "is there twice", cell.text,
                              cell.length);
            }
        }
        r->kinds[r->columns++] = kind;
    } while (!cell.last);
    if (r->kinds[0] != COLUMN_TIME) {
        return reject_line(r, TP_E_SYNTAX, 1, "the first column is not time");
    }
    next_line(r);
    return true;
}

static bool put_cell(struct reader *r, const struct cell *cell, long kind, double value)
{
    struct sequence_frame *frame = &r->out->frames[r->out->frame_count - 1];

    if (kind == COLUMN_TIME || kind == COLUMN_DURATION) {
        *(kind == COLUMN_TIME ? &frame->time_s : &frame->duration_s) = value;
        return value >= 0 && value <= 1e6
                   ? true
                   : reject(r, TP_E_RANGE, cell->column, "is no time from 0 to 1,000,000 s",
                            cell->text, cell->length);
    }
    if (kind >= COLUMN_NAME) {
        return sequence_add_target(r->out, kind - COLUMN_NAME, value)
                   ? true
                   : reject_line(r, TP_E_NOMEM, cell->column, "out of memory");
    }
    const sequence_base base = kind < COLUMN_VX ? BASE_GOTO : BASE_DRIVE;
    if (frame->base != BASE_NOTHING && frame->base != base) {
        return reject(r, TP_E_INVALID, cell->column,
                      base == BASE_GOTO ? "is a pose of the base, beside its speed"
                                        : "is a speed, beside a pose of the base",
                      cell->text, cell->length);
    }
    frame->base = base;
    frame->values[kind - (base == BASE_GOTO ? COLUMN_X : COLUMN_VX)] = value;
    return true;
}

static bool read_cell(struct reader *r, unsigned index, const struct cell *cell)
{
    double value = 0;

    if (index >= r->columns) {
        return reject_line(r, TP_E_SYNTAX, cell->column, "there are more cells than columns");
    }
    if (cell->length == 0) {
        return index > 0 ? true : reject_line(r, TP_E_SYNTAX, cell->column, "there is no time");
    }
    if (tpi_number_read_f64(cell->text, cell->length, &value) != cell->length || !isfinite(value)) {
        return reject(r, TP_E_SYNTAX, cell->column, "is no number", cell->text, cell->length);
    }
    return put_cell(r, cell, r->kinds[index], value);
}

static bool read_frame(struct reader *r)
{
    struct cell cell;
    unsigned index = 0;

    if (sequence_add_frame(r->out) == NULL) {
        return reject_line(r, TP_E_LIMIT, 1, "too many frames, or no memory");
    }
    do {
        cell = next_cell(r);
        if (!read_cell(r, index++, &cell)) {
            return false;
        }
    } while (!cell.last);
    const size_t count = r->out->frame_count;
    if (count > 1 && r->out->frames[count - 1].time_s <= r->out->frames[count - 2].time_s) {
        return reject_line(r, TP_E_RANGE, 1, "the time is not after that of the line before");
    }
    next_line(r);
    return true;
}

static tp_status read_csv(struct sequence *out, const char *text, size_t length, const char *path,
                          tp_error *err)
{
    struct reader *r = calloc(1, sizeof *r);

    if (r == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    *r = (struct reader){.out = out,
                         .path = path,
                         .at = text,
                         .end = text + length,
                         .line = 1,
                         .column = 1,
                         .err = err};
    bool goes_on = read_headings(r);
    while (goes_on && find_line(r)) {
        goes_on = read_frame(r);
    }
    if (goes_on && out->frame_count == 0) {
        (void)reject_line(r, TP_E_SYNTAX, 1, "there are no frames");
    }
    const tp_status status = r->status;
    free(r);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

tp_status sequence_read(struct sequence *out, const char *text, size_t length, const char *path,
                        tp_error *err)
{
    size_t at = 0;

    *out = (struct sequence){0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* the mark that some programs put before UTF-8 */
        length -= 3;
    }
    while (at < length && (is_blank(text[at]) || text[at] == '\n')) {
        at++;
    }
    const bool json = at < length && (text[at] == '{' || text[at] == '[');
    const tp_status status =
        tpi_utf8_valid(text, length)
            ? (json ? sequence_read_json : read_csv)(out, text, length, path, err)
            : tp_fail(err, TP_E_SYNTAX, "%s: it is no text in UTF-8", path);
    if (status != TP_OK) {
        sequence_fini(out);
    }
    return status;
}
