/*
 * shelf.c - the interface `recordings`; see log.h.
 *
 * The folder is read at most once a second, and the summary of a file once for each size and time,
 * so clients that ask again and again take no time of the recording. All names are those of files
 * in the folder of the configured recording, and only recordings are listed and given away.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "log.h"

static const int64_t list_ns = TP_NS_PER_S, tell_ns = TP_NS_PER_S / 10;

static struct log_driver *driver_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t clock_ns(const struct log_driver *d)
{
    return tp_clock_now_ns(tp_instance_clock(tp_device_instance(d->shelf->device)));
}

static void borrow(char **text, uint32_t *count, const char *from)
{
    *text = (char *)(uintptr_t)from; /* answers are only read */
    *count = (uint32_t)strlen(from) + 1;
}

/* A text of a message, which may lack its NUL. False if it is too long. */
static bool copy_name(char out[TPI_LISTED_NAME], const char *name, uint32_t count)
{
    const size_t length = count == 0 ? 0 : strnlen(name, count);

    if (length >= TPI_LISTED_NAME) {
        return false;
    }
    memcpy(out, count == 0 ? "" : name, length);
    out[length] = '\0';
    return true;
}

/* The path of a recording in the folder. */
static tp_status find(const struct log_driver *d, char path[LOG_PATH], const char *name,
                      uint32_t count, tp_error *err)
{
    char plain[TPI_LISTED_NAME] = "";

    if (!copy_name(plain, name, count) || !tpi_log_is_name(plain)) {
        return tp_fail(err, TP_E_INVALID, "\"%s\": a name without a folder is wanted", plain);
    }
    (void)snprintf(path, LOG_PATH, "%.700s%s", d->folder, plain);
    return tpi_log_is_recording(path)
               ? TP_OK
               : tp_fail(err, TP_E_UNKNOWN, "there is no recording %s", plain);
}

/* ---- What is there --------------------------------------------------------------------------- */

/* What the summary of a file says. */
static void look_into(tp_recordings_file *item, const char *path)
{
    FILE *file = tpi_log_is_text(path) ? NULL : fopen(path, "rb");
    tpi_log_source source;
    tpi_log_reader *reader = NULL;

    if (file != NULL && tpi_log_from_file(&source, file, NULL) == TP_OK &&
        tpi_log_reader_open(&reader, &source, NULL) == TP_OK) {
        const tpi_log_summary *summary = tpi_log_reader_summary(reader);

        item->whole = summary->intact;
        item->messages = (int64_t)summary->messages;
        item->span = (double)(summary->end_ns - summary->start_ns) * 1e-9;
    }
    tpi_log_reader_close(reader);
    if (file != NULL) {
        (void)fclose(file);
    }
}

static const tp_recordings_file *known(const struct log_shelf *s, const tpi_listed *file)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (strcmp(s->files[i].name, file->name) == 0 && s->files[i].size == file->size &&
            s->files[i].modified_ns == file->modified_ns) {
            return &s->items[i];
        }
    }
    return NULL;
}

static void make_list(struct log_driver *d)
{
    struct log_shelf *s = d->shelf;
    const size_t found = tpi_log_folder_list(d->folder, s->found, TP_RECORDINGS_MOST_FILES);
    uint32_t count = 0;

    for (size_t i = 0; i < found; i++) {
        const tpi_listed *file = &s->found[i];
        const tp_recordings_file *before = known(s, file);
        char path[LOG_PATH];

        (void)snprintf(path, sizeof path, "%.700s%s", d->folder, file->name);
        if (before == NULL && !tpi_log_is_recording(path)) {
            continue;
        }
        s->next[count] = before != NULL ? *before : (tp_recordings_file){0};
        if (before == NULL) {
            look_into(&s->next[count], path);
        }
        s->next[count].size = file->size;
        s->next[count].modified = (double)file->modified_ns * 1e-9;
        s->found[count++] = *file;
    }
    memcpy(s->files, s->found, count * sizeof *s->files);
    memcpy(s->items, s->next, count * sizeof *s->items);
    for (uint32_t i = 0; i < count; i++) {
        borrow(&s->items[i].name, &s->items[i].name_count, s->files[i].name);
    }
    s->count = count;
    s->is_listed = true;
    s->listed_ns = clock_ns(d);
}

static tp_status shelf_list(tp_device *device, tp_recordings_list *answer, tp_error *err)
{
    struct log_driver *d = driver_of(device);

    (void)err;
    if (!d->shelf->is_listed || clock_ns(d) - d->shelf->listed_ns >= list_ns) {
        make_list(d);
    }
    answer->files = d->shelf->items;
    answer->files_count = d->shelf->count;
    return TP_OK;
}

/* ---- Bytes of a file ------------------------------------------------------------------------- */

static tp_status read_piece(struct log_shelf *s, FILE *file, const tp_recordings_wish *ask,
                            tp_recordings_piece *answer, tp_error *err)
{
    char *room = tpi_buf_reserve(&s->bytes, TP_RECORDINGS_MOST_PIECE);
    const off_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;

    if (room == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (size < 0 || ask->from < 0 || ask->from > size ||
        fseeko(file, (off_t)ask->from, SEEK_SET) != 0) {
        return tp_fail(err, TP_E_RANGE, "byte %lld is not in the file, which has %lld",
                       (long long)ask->from, (long long)size);
    }
    const size_t length = fread(room, 1, TP_RECORDINGS_MOST_PIECE, file);
    if (ferror(file) != 0) {
        return tp_fail(err, TP_E_IO, "%s", strerror(errno));
    }
    tpi_base64_put(&s->text, room, length);
    answer->size = size;
    answer->from = ask->from;
    borrow(&answer->text, &answer->text_count, tpi_buf_text(&s->text));
    return s->text.failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

static tp_status shelf_fetch(tp_device *device, const tp_recordings_wish *ask,
                             tp_recordings_piece *answer, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    char path[LOG_PATH];
    tp_status status = find(d, path, ask->name, ask->name_count, err);

    if (status != TP_OK) {
        return status;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return tp_fail(err, TP_E_IO, "%s", strerror(errno));
    }
    tpi_buf_clear(&d->shelf->bytes);
    tpi_buf_clear(&d->shelf->text);
    status = read_piece(d->shelf, file, ask, answer, err);
    (void)fclose(file);
    return status;
}

/* ---- What is done now ------------------------------------------------------------------------ */

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

static void describe(struct log_driver *d, tp_recordings_state *out)
{
    const char *path = d->plays ? d->as.playing.path : d->as.recording.path;

    *out = (tp_recordings_state){.records = !d->plays};
    if (d->plays) {
        const struct log_playing *p = &d->as.playing;

        out->runs = p->is_on && !p->awaits_reader;
        out->position = tpi_playing_position(p);
        out->span = (double)p->span_ns * 1e-9;
        out->speed = p->speed;
        out->loops = p->loops;
        out->messages = (int64_t)p->messages;
        out->left_out = (int64_t)tpi_source_left_out(p->source);
        path = p->source == NULL ? "" : path;
    } else {
        const struct log_recording *r = &d->as.recording;

        out->runs = r->is_on;
        out->position = tpi_recording_position(r);
        out->messages = (int64_t)r->messages;
        out->size = (int64_t)tpi_recording_bytes(r);
        out->left_out = (int64_t)r->left_out;
    }
    (void)snprintf(d->shelf->name, sizeof d->shelf->name, "%.127s", name_in(path));
    borrow(&out->name, &out->name_count, d->shelf->name);
    borrow(&out->error, &out->error_count, d->plays ? "" : d->as.recording.failure.text);
}

static bool is_same(const tp_recordings_state *a, const tp_recordings_state *b)
{
    return a->runs == b->runs && a->position == b->position && a->span == b->span &&
           a->speed == b->speed && a->loops == b->loops && a->messages == b->messages &&
           a->size == b->size && a->left_out == b->left_out && a->error_count == b->error_count &&
           a->name_count == b->name_count;
}

void tpi_shelf_tell(struct log_driver *d, bool at_once)
{
    struct log_shelf *s = d->shelf;
    tp_recordings_state now;

    if (s == NULL || (!at_once && clock_ns(d) - s->told_ns < tell_ns &&
                      s->told.runs == (d->plays ? d->as.playing.is_on : d->as.recording.is_on))) {
        return;
    }
    describe(d, &now);
    if (at_once || !is_same(&now, &s->told)) {
        const tp_clock *clock = tp_instance_clock(tp_device_instance(s->device));

        (void)tp_publish(s->device, TP_RECORDINGS_DATA_STATE, &now, tp_clock_wall_s(clock));
    }
    s->told = now;
    s->told_ns = clock_ns(d);
}

static tp_status shelf_state(tp_device *device, tp_recordings_state *answer, tp_error *err)
{
    (void)err;
    describe(driver_of(device), answer);
    return TP_OK;
}

/* ---- Control --------------------------------------------------------------------------------- */

/* Everybody sees what has become of it. */
static tp_status done(struct log_driver *d, tp_status status)
{
    if (status == TP_OK) {
        tpi_shelf_tell(d, true);
    }
    return status;
}

static tp_status must_play(const struct log_driver *d, tp_error *err)
{
    return d->plays ? TP_OK : tp_fail(err, TP_E_UNSUPPORTED, "this driver records");
}

static tp_status shelf_record(tp_device *device, const tp_recordings_name *ask, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    char name[TPI_LISTED_NAME] = "";
    tp_status status = TP_OK;

    if (d->plays) {
        return tp_fail(err, TP_E_UNSUPPORTED, "this driver plays");
    }
    if (!copy_name(name, ask->name, ask->name_count)) {
        return tp_fail(err, TP_E_RANGE, "a name has at most %d bytes", TPI_LISTED_NAME - 1);
    }
    if (name[0] != '\0' || d->as.recording.is_on) {
        status = tpi_log_choose(d, name, err);
    }
    if (status == TP_OK) {
        d->as.recording.failure.text[0] = '\0';
        d->as.recording.messages = d->as.recording.left_out = 0;
        status = tpi_recording_begin(&d->as.recording, err);
    }
    return done(d, status);
}

static tp_status shelf_stop(tp_device *device, tp_error *err)
{
    struct log_driver *d = driver_of(device);

    if (d->plays) {
        tpi_playing_set(&d->as.playing, false);
        return done(d, TP_OK);
    }
    d->shelf->is_listed = false;
    return done(d, tpi_recording_end(&d->as.recording, err));
}

static tp_status shelf_open(tp_device *device, const tp_recordings_name *ask, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    char path[LOG_PATH];
    tp_status status = must_play(d, err);

    status = status == TP_OK ? find(d, path, ask->name, ask->name_count, err) : status;
    return done(d, status == TP_OK ? tpi_playing_open(&d->as.playing, path, err) : status);
}

static tp_status shelf_play(tp_device *device, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    const tp_status status = must_play(d, err);

    return done(d, status == TP_OK ? tpi_playing_resume(&d->as.playing, err) : status);
}

static tp_status shelf_go(tp_device *device, const tp_recordings_position *ask, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    const tp_status status = must_play(d, err);

    return done(d, status == TP_OK ? tpi_playing_go(&d->as.playing, ask->position, err) : status);
}

static tp_status shelf_speed(tp_device *device, const tp_recordings_speed *ask, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    tp_status status = must_play(d, err);

    if (status == TP_OK && !(ask->speed >= 0 && ask->speed <= 1e6)) {
        status = tp_fail(err, TP_E_RANGE, "a speed is 0 to 1000000");
    }
    if (status == TP_OK) {
        d->as.playing.loops = ask->loops != 0;
        tpi_playing_set_speed(&d->as.playing, ask->speed);
    }
    return done(d, status);
}

static tp_status shelf_step(tp_device *device, const tp_recordings_steps *ask, tp_error *err)
{
    struct log_driver *d = driver_of(device);
    tp_status status = must_play(d, err);

    if (status == TP_OK && (ask->messages < 1 || ask->messages > 10000)) {
        status = tp_fail(err, TP_E_RANGE, "1 to 10000 messages at once");
    }
    return done(d, status == TP_OK ? tpi_playing_step(&d->as.playing, ask->messages, err) : status);
}

static const tp_recordings_ops shelf_ops = {
    .req_state = shelf_state,
    .req_list = shelf_list,
    .req_fetch = shelf_fetch,
    .req_record = shelf_record,
    .req_stop = shelf_stop,
    .req_open = shelf_open,
    .req_play = shelf_play,
    .req_go = shelf_go,
    .req_speed = shelf_speed,
    .req_step = shelf_step,
};

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_shelf_offer(struct log_driver *d, tp_instance *self, size_t i, tp_error *err)
{
    if (d->shelf != NULL) {
        return tp_fail(err, TP_E_EXISTS, "one recordings device is enough");
    }
    d->shelf = calloc(1, sizeof *d->shelf);
    if (d->shelf == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (!d->plays) {
        tp_instance_stay_on(self); /* a recording goes on without the client that began it */
    }
    return i == LOG_MORE ? tp_offer_more(self, &tp_interface_recordings, 0, &shelf_ops, NULL,
                                         &d->shelf->device, err)
                         : tp_offer_at(self, i, &shelf_ops, NULL, &d->shelf->device, err);
}

void tpi_shelf_fini(struct log_driver *d)
{
    if (d->shelf != NULL) {
        tpi_buf_fini(&d->shelf->bytes);
        tpi_buf_fini(&d->shelf->text);
        free(d->shelf);
        d->shelf = NULL;
    }
}
