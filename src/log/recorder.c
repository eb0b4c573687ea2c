/* recorder.c - see recorder.h. */
#include "log/recorder.h"

#include <stdio.h>
#include <stdlib.h>

enum { CODES = 256, MOST_PROPERTIES = 60 };

static const char *const form_names[] = {"json", "xdr"};
static const char device_notes[] = "troupe.device", answer_notes[] = "troupe.answer",
                  property_notes[] = "troupe.properties";

/* A device, with its channels by code. */
struct recorded {
    char name[80], driver[64];
    const tp_interface *interface;
    uint16_t channels[CODES]; /* 0 for none yet */
    uint32_t sequences[CODES];
};

struct tpi_log_recorder {
    tpi_log_writer *writer;
    tpi_log_form form;
    struct recorded **devices; /* owned */
    unsigned count, room;
    tpi_buf bytes; /* of the message that is encoded */
};

tp_status tpi_log_recorder_create(tpi_log_recorder **out, tpi_log_writer *writer, tpi_log_form form,
                                  tp_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory for a recorder");
    }
    (*out)->writer = writer;
    (*out)->form = form;
    return TP_OK;
}

void tpi_log_recorder_destroy(tpi_log_recorder *recorder)
{
    if (recorder != NULL) {
        for (unsigned i = 0; i < recorder->count; i++) {
            free(recorder->devices[i]);
        }
        free(recorder->devices);
        tpi_buf_fini(&recorder->bytes);
        free(recorder);
    }
}

tp_status tpi_log_recorder_add(tpi_log_recorder *recorder, const char *name, const char *driver,
                               const tp_interface *interface, unsigned *device, tp_error *err)
{
    struct recorded *made = calloc(1, sizeof *made);

    if (made != NULL && recorder->count == recorder->room) {
        const unsigned room = recorder->room == 0 ? 16 : 2 * recorder->room;
        struct recorded **more = realloc(recorder->devices, room * sizeof(struct recorded *));

        if (more == NULL) {
            free(made);
            made = NULL;
        } else {
            recorder->devices = more;
            recorder->room = room;
        }
    }
    if (made == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory to record %s", name);
    }
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    (void)snprintf(made->driver, sizeof made->driver, "%s", driver);
    made->interface = interface;
    *device = recorder->count;
    recorder->devices[recorder->count++] = made;
    const tpi_log_note notes[] = {{"device", made->name},
                                  {"interface", interface->name},
                                  {"driver", made->driver},
                                  {NULL, NULL}};
    return tpi_log_writer_metadata(recorder->writer, device_notes, notes, err);
}

tp_status tpi_log_recorder_properties(tpi_log_recorder *recorder, unsigned device,
                                      const tpi_log_note *properties, tp_error *err)
{
    tpi_log_note notes[MOST_PROPERTIES + 2] = {{"device", recorder->devices[device]->name}};
    unsigned count = 1;

    for (; properties->name != NULL && count <= MOST_PROPERTIES; properties++) {
        notes[count++] = *properties;
    }
    return tpi_log_writer_metadata(recorder->writer, property_notes, notes, err);
}

bool tpi_log_is_question(const tp_message *request)
{
    return request->kind == TP_KIND_REQUEST && request->effect == TP_EFFECT_READS &&
           request->ask == NULL && request->answer != NULL && request->mark != TP_MARK_EXTENSION;
}

tp_status tpi_log_recorder_answer(tpi_log_recorder *recorder, unsigned device,
                                  const tp_message *request, const void *value, tp_error *err)
{
    const struct recorded *from = recorder->devices[device];
    char *text = NULL;
    tp_status status = tp_value_text(&text, request->answer, value, TP_TEXT_JSON);

    if (status != TP_OK) {
        return tp_fail(err, status, "%s %s cannot be encoded: %s", from->name, request->name,
                       tp_status_text(status));
    }
    const tpi_log_note notes[] = {{"device", from->name},
                                  {"interface", from->interface->name},
                                  {"request", request->name},
                                  {"value", text},
                                  {NULL, NULL}};
    status = tpi_log_writer_metadata(recorder->writer, answer_notes, notes, err);
    free(text);
    return status;
}

/* ---- Channels -------------------------------------------------------------------------------- */

static tp_status make_schema(const tpi_log_recorder *recorder, const tp_interface *interface,
                             const tp_message *what, uint16_t *schema, tp_error *err)
{
    const bool json = recorder->form == TPI_LOG_JSON;
    char *text = NULL, full[96];

    *schema = 0;
    if (what->ask == NULL) {
        return TP_OK;
    }
    tp_status status =
        json ? tp_struct_outline(&text, what->ask) : tp_interface_padi(&text, interface);
    if (status != TP_OK) {
        return tp_fail(err, status, "the schema of %s %s: %s", interface->name, what->name,
                       tp_status_text(status));
    }
    (void)snprintf(full, sizeof full, "troupe.%s", what->ask->name);
    status = tpi_log_writer_schema(recorder->writer, full, json ? "jsonschema" : "padi", text,
                                   strlen(text), schema, err);
    free(text);
    return status;
}

static tp_status make_channel(tpi_log_recorder *recorder, struct recorded *device,
                              const tp_message *what, tp_error *err)
{
    char topic[160], code[8];
    uint16_t schema;

    (void)snprintf(topic, sizeof topic, "/%s/%s", device->name, what->name);
    (void)snprintf(code, sizeof code, "%u", what->code);
    const tpi_log_note notes[] = {
        {"device", device->name},   {"interface", device->interface->name},
        {"message", what->name},    {"code", code},
        {"driver", device->driver}, {NULL, NULL}};
    const tp_status status = make_schema(recorder, device->interface, what, &schema, err);
    return status == TP_OK
               ? tpi_log_writer_channel(recorder->writer, schema, topic, form_names[recorder->form],
                                        notes, &device->channels[what->code], err)
               : status;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static tp_status encode_json(tpi_buf *bytes, const tp_struct *type, const void *value)
{
    char *text = NULL;
    const tp_status status = tp_value_text(&text, type, value, TP_TEXT_JSON);

    if (status == TP_OK) {
        tpi_buf_puts(bytes, text);
    }
    free(text);
    return status == TP_OK ? tpi_buf_status(bytes) : status;
}

static tp_status encode_xdr(tpi_buf *bytes, const tp_struct *type, const void *value)
{
    size_t size = 0;
    tp_status status = tp_xdr_size(type, value, &size);
    char *to = status == TP_OK ? tpi_buf_reserve(bytes, size) : NULL;

    if (status == TP_OK && to == NULL) {
        return TP_E_NOMEM;
    }
    if (status == TP_OK) {
        status = tp_xdr_encode(type, value, to, size, &size);
    }
    bytes->length = status == TP_OK ? size : 0;
    return status;
}

tp_status tpi_log_recorder_put(tpi_log_recorder *recorder, unsigned device, unsigned code,
                               const void *value, uint64_t log_ns, uint64_t publish_ns,
                               tp_error *err)
{
    struct recorded *from = recorder->devices[device];
    const tp_message *what = tp_interface_message(from->interface, TP_KIND_DATA, code);
    tp_status status = TP_OK;

    if (what == NULL || code >= CODES) {
        return tp_fail(err, TP_E_UNKNOWN, "%s has no data with the code %u", from->name, code);
    }
    if (from->channels[code] == 0) {
        status = make_channel(recorder, from, what, err);
    }
    tpi_buf_clear(&recorder->bytes);
    if (status == TP_OK && what->ask != NULL && value != NULL) {
        status = (recorder->form == TPI_LOG_JSON ? encode_json : encode_xdr)(&recorder->bytes,
                                                                             what->ask, value);
        if (status != TP_OK) {
            return tp_fail(err, status, "%s %s cannot be encoded: %s", from->name, what->name,
                           tp_status_text(status));
        }
    }
    const tpi_log_message message = {.channel = from->channels[code],
                                     .sequence = from->sequences[code],
                                     .log_ns = log_ns,
                                     .publish_ns = publish_ns,
                                     .bytes = tpi_buf_text(&recorder->bytes),
                                     .length = recorder->bytes.length};
    if (status == TP_OK) {
        from->sequences[code]++;
        status = tpi_log_writer_message(recorder->writer, &message, err);
    }
    return status;
}

/* ---- Back ------------------------------------------------------------------------------------ */

static void keep(char *out, size_t size, tpi_mcap_view text)
{
    (void)snprintf(out, size, "%.*s", (int)tpi_mcap_left(&text), (const char *)text.at);
}

static bool is_text(tpi_mcap_view view, const char *text)
{
    return tpi_mcap_left(&view) == strlen(text) && memcmp(view.at, text, strlen(text)) == 0;
}

bool tpi_log_about_read(tpi_log_about *about, const tpi_log_item *metadata,
                        const tp_catalogue *catalogue)
{
    const bool answer = is_text(metadata->name, answer_notes);
    tpi_mcap_view notes = metadata->notes, name, value;
    char interface[48] = "", request[48] = "";

    *about = (tpi_log_about){.device = ""};
    while (tpi_log_take_note(&notes, &name, &value)) {
        if (is_text(name, "device")) {
            keep(about->device, sizeof about->device, value);
        } else if (is_text(name, "driver")) {
            keep(about->driver, sizeof about->driver, value);
        } else if (is_text(name, "interface")) {
            keep(interface, sizeof interface, value);
        } else if (is_text(name, "request")) {
            keep(request, sizeof request, value);
        } else if (is_text(name, "value")) {
            about->value = value;
        }
    }
    about->interface = tp_catalogue_named(catalogue, interface);
    if (answer && about->interface != NULL) {
        about->request = tp_interface_message_named(about->interface, TP_KIND_REQUEST, request);
    }
    return about->device[0] != '\0' && (answer || is_text(metadata->name, device_notes) ||
                                        is_text(metadata->name, property_notes));
}

void tpi_log_track_read(tpi_log_track *track, const tpi_log_item *channel,
                        const tp_catalogue *catalogue)
{
    tpi_mcap_view notes = channel->notes, name, value;
    char interface[48] = "";

    *track = (tpi_log_track){.channel = channel->id};
    keep(track->device, sizeof track->device, channel->name); /* the topic, unless it is ours */
    while (tpi_log_take_note(&notes, &name, &value)) {
        if (is_text(name, "device")) {
            keep(track->device, sizeof track->device, value);
        } else if (is_text(name, "message")) {
            keep(track->message, sizeof track->message, value);
        } else if (is_text(name, "interface")) {
            keep(interface, sizeof interface, value);
        }
    }
    const bool json = is_text(channel->encoding, "json");
    const tp_interface *known = tp_catalogue_named(catalogue, interface);
    track->form = json ? TPI_LOG_JSON : TPI_LOG_XDR;
    if (known != NULL && (json || is_text(channel->encoding, "xdr"))) {
        track->what = tp_interface_message_named(known, TP_KIND_DATA, track->message);
    }
}

tp_status tpi_log_track_value(const tpi_log_track *track, const tpi_log_item *message, void **value,
                              tp_error *err)
{
    const size_t length = tpi_mcap_left(&message->bytes);

    *value = NULL;
    if (track->what == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "%s is not a message of a known interface",
                       track->device);
    }
    if (track->what->ask == NULL || length == 0) {
        return TP_OK;
    }
    if (track->form == TPI_LOG_JSON) {
        return tp_value_from_json(value, track->what->ask, (const char *)message->bytes.at, length,
                                  err);
    }
    const tp_status status = tp_xdr_decode_new(value, track->what->ask, message->bytes.at, length);
    return status == TP_OK ? TP_OK
                           : tp_fail(err, status, "%s %s: %s", track->device, track->message,
                                     tp_status_text(status));
}
