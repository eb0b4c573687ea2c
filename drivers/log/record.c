/*
 * record.c - data of other devices into a ring of files; see log.h.
 *
 * A file that has reached its size is closed and becomes "-1", the one before "-2" and so on; the
 * oldest is removed. So what is on the disk is bounded, and each file is whole by itself: it begins
 * with the devices and what they have answered.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "log/text.h"

enum { MOST_ANSWERS = 8, MOST_ANSWER = 1 << 16 };
static const int64_t patience_ns = 5 * TP_NS_PER_S;

struct log_kept {
    tp_link *link; /* borrowed */
    char name[80];
    unsigned device; /* of the recorder */
    struct {
        const tp_message *request;
        void *value; /* owned */
    } answers[MOST_ANSWERS];
    unsigned answer_count;
};

/* ---- Devices --------------------------------------------------------------------------------- */

tp_status tpi_recording_init(struct log_recording *r, tp_instance *self, tp_error *err)
{
    tp_status status = TP_OK;

    r->instance = self;
    r->kept = calloc(tp_requires_count(self) + 1, sizeof *r->kept);
    if (r->kept == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < tp_requires_count(self) && status == TP_OK; i++) {
        struct log_kept *kept = &r->kept[r->count];
        const char *key = tp_requires_key(self, i);

        status = tp_require(self, tp_requires_interface(self, i), key[0] == '\0' ? NULL : key,
                            &kept->link, err);
        if (status == TP_OK) {
            r->count++;
            (void)snprintf(kept->name, sizeof kept->name, "%s:%u",
                           tp_link_interface(kept->link)->name, tp_link_addr(kept->link)->index);
        }
    }
    return status;
}

void tpi_recording_fini(struct log_recording *r)
{
    (void)tpi_recording_end(r, NULL);
    for (size_t i = 0; i < r->count; i++) {
        for (unsigned k = 0; k < r->kept[i].answer_count; k++) {
            free(r->kept[i].answers[k].value);
        }
    }
    free(r->kept);
    r->kept = NULL;
}

static uint64_t now_ns(const struct log_recording *r)
{
    return (uint64_t)(tp_clock_wall_s(tp_instance_clock(r->instance)) * 1e9);
}

/* The recording ends here, with a word to the operator. */
static void give_up(struct log_recording *r, const char *why)
{
    char note[LOG_PATH + 256];

    (void)snprintf(note, sizeof note, "%s: %.160s; the recording has ended", r->path, why);
    (void)tpi_recording_end(r, NULL);
    tp_instance_note(r->instance, note);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static tp_status write_text(struct log_recording *r, const struct log_kept *kept,
                            const tp_message *what, const void *value, uint64_t time_ns,
                            tp_error *err)
{
    const tp_devaddr *addr = tp_link_addr(kept->link);
    const tpi_log_text head = {.time_ns = time_ns,
                               .interface = tp_link_interface(kept->link),
                               .what = what,
                               .robot = addr->robot,
                               .index = addr->index};
    tpi_buf line = {0};
    tp_status status = tpi_log_text_write(&line, &head, value, err);

    if (status == TP_E_UNSUPPORTED) {
        r->left_out++;
        status = TP_OK;
    } else if (status == TP_OK) {
        status = tpi_log_to_file(r->file, line.data, line.length, err);
        r->bytes += line.length;
    }
    tpi_buf_fini(&line);
    return status;
}

static tp_status write_answer(struct log_recording *r, const struct log_kept *kept, unsigned i,
                              tp_error *err)
{
    if (r->is_text) {
        return write_text(r, kept, kept->answers[i].request, kept->answers[i].value, now_ns(r),
                          err);
    }
    return tpi_log_recorder_answer(r->recorder, kept->device, kept->answers[i].request,
                                   kept->answers[i].value, err);
}

/* Each file begins with the devices and their answers. */
static tp_status write_devices(struct log_recording *r, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < r->count && status == TP_OK; i++) {
        struct log_kept *kept = &r->kept[i];

        if (!r->is_text) {
            status = tpi_log_recorder_add(r->recorder, kept->name, "",
                                          tp_link_interface(kept->link), &kept->device, err);
        }
        for (unsigned k = 0; k < kept->answer_count && status == TP_OK; k++) {
            status = write_answer(r, kept, k, err);
        }
    }
    return status;
}

static tp_status open_text(struct log_recording *r, tp_error *err)
{
    tpi_buf text = {0};

    tpi_log_text_begin(&text);
    const tp_status status = tpi_log_to_file(r->file, tpi_buf_text(&text), text.length, err);
    tpi_buf_fini(&text);
    return status;
}

static tp_status open_mcap(struct log_recording *r, tp_error *err)
{
    const tpi_log_writer_options options = {.sink = tpi_log_to_file,
                                            .context = r->file,
                                            .compression = r->compression,
                                            .span_ns = (uint64_t)TP_NS_PER_S};
    const tp_status status = tpi_log_writer_open(&r->writer, &options, err);

    return status == TP_OK ? tpi_log_recorder_create(&r->recorder, r->writer, r->form,
                                                     tp_instance_catalogue(r->instance), err)
                           : status;
}

tp_status tpi_recording_begin(struct log_recording *r, tp_error *err)
{
    if (r->is_on) {
        return TP_OK;
    }
    tp_status status = tpi_log_ring_turn(r->path, r->most_files, err);
    if (status == TP_OK) {
        r->file = fopen(r->path, "wb");
        status = r->file == NULL ? tp_fail(err, TP_E_IO, "%s", strerror(errno)) : TP_OK;
    }
    r->bytes = 0;
    status = status == TP_OK ? (r->is_text ? open_text : open_mcap)(r, err) : status;
    status = status == TP_OK ? write_devices(r, err) : status;
    r->is_on = status == TP_OK;
    r->begun_ns = now_ns(r);
    if (status != TP_OK) {
        (void)tpi_recording_end(r, NULL);
        return tp_wrap(err, status, r->path);
    }
    return TP_OK;
}

tp_status tpi_recording_end(struct log_recording *r, tp_error *err)
{
    const tp_status status = tpi_log_writer_close(r->writer, err);
    const bool closed = r->file == NULL || fclose(r->file) == 0;

    tpi_log_recorder_destroy(r->recorder);
    r->writer = NULL;
    r->recorder = NULL;
    r->file = NULL;
    r->is_on = false;
    return status == TP_OK && !closed ? tp_fail(err, TP_E_IO, "%s", strerror(errno)) : status;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static struct log_kept *kept_of(struct log_recording *r, const tp_link *from)
{
    size_t i = 0;

    while (i < r->count && r->kept[i].link != from) {
        i++;
    }
    return i < r->count ? &r->kept[i] : NULL;
}

/* A file that is large enough makes room for the next one. */
static tp_status turn(struct log_recording *r, tp_error *err)
{
    const uint64_t bytes = r->is_text ? r->bytes : tpi_log_writer_bytes(r->writer);

    if (bytes < r->most_bytes) {
        return TP_OK;
    }
    const tp_status status = tpi_recording_end(r, err);
    return status == TP_OK ? tpi_recording_begin(r, err) : status;
}

void tpi_recording_data(struct log_recording *r, const tp_link *from, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    struct log_kept *kept = kept_of(r, from);
    tp_error err = {.text = ""};
    tp_status status = TP_OK;

    if (!r->is_on || kept == NULL || header->type != TP_KIND_DATA) {
        return;
    }
    const tp_message *what =
        tp_interface_message(tp_link_interface(from), TP_KIND_DATA, header->subtype);
    if (what == NULL) { /* a common message, such as a failure of the device */
        return;
    }
    const uint64_t publish_ns = header->timestamp > 0 ? (uint64_t)(header->timestamp * 1e9) : 0;
    if (r->is_text) {
        status = write_text(r, kept, what, tp_msg_payload(msg), publish_ns, &err);
    } else {
        status = tpi_log_recorder_put(r->recorder, kept->device, what->code, tp_msg_payload(msg),
                                      now_ns(r), publish_ns, &err);
    }
    r->messages += status == TP_OK;
    status = status == TP_OK ? turn(r, &err) : status;
    if (status != TP_OK) {
        r->failure = err;
        give_up(r, err.text);
    }
}

void tpi_recording_flush(struct log_recording *r)
{
    tp_error err = {.text = ""};

    if (r->is_on && r->writer != NULL && tpi_log_writer_flush(r->writer, &err) != TP_OK) {
        r->failure = err;
        give_up(r, err.text);
    }
}

double tpi_recording_position(const struct log_recording *r)
{
    const uint64_t now = r->is_on ? now_ns(r) : 0;

    return now > r->begun_ns ? (double)(now - r->begun_ns) * 1e-9 : 0;
}

uint64_t tpi_recording_bytes(const struct log_recording *r)
{
    return r->writer != NULL ? tpi_log_writer_bytes(r->writer) : r->is_on ? r->bytes : 0;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static void on_answer(tp_instance *self, void *context, tp_status status, const tp_msg *answer,
                      const char *why)
{
    struct log_recording *r = tp_instance_state(self);
    struct log_kept *kept = &r->kept[(uintptr_t)context / 256];
    const tp_message *request = tp_interface_message(tp_link_interface(kept->link), TP_KIND_REQUEST,
                                                     (unsigned)((uintptr_t)context % 256));
    const void *value = answer == NULL ? NULL : tp_msg_payload(answer);
    void *copy = NULL;
    size_t size = 0;
    tp_error err = {.text = ""};

    (void)why; /* a device that does not answer is recorded without */
    if (status != TP_OK || value == NULL || request == NULL || kept->answer_count == MOST_ANSWERS ||
        tp_xdr_size(request->answer, value, &size) != TP_OK || size > MOST_ANSWER ||
        tp_value_copy(&copy, request->answer, value, NULL) != TP_OK) {
        return;
    }
    for (unsigned i = 0; i < kept->answer_count; i++) {
        if (kept->answers[i].request == request) { /* from an earlier start */
            free(kept->answers[i].value);
            kept->answers[i].value = copy;
            copy = NULL;
        }
    }
    if (copy != NULL) {
        kept->answers[kept->answer_count].request = request;
        kept->answers[kept->answer_count++].value = copy;
    }
    if (r->is_on && write_answer(r, kept, kept->answer_count - 1, &err) != TP_OK) {
        give_up(r, err.text);
    }
}

void tpi_recording_ask(struct log_recording *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const tp_interface *interface = tp_link_interface(r->kept[i].link);

        for (uint32_t k = 0; k < interface->message_count; k++) {
            const tp_message *request = &interface->messages[k];

            if (tpi_log_is_question(request)) {
                (void)tp_link_request(r->kept[i].link, request->code, NULL, patience_ns, on_answer,
                                      (void *)(uintptr_t)(i * 256 + request->code));
            }
        }
    }
}
