/* recorder.c - see recorder.h. */
#include "log/recorder.h"

#include <stdio.h>
#include <stdlib.h>

enum { CODES = 256, MOST_PROPERTIES = 60 };

static const char *const form_names[] = {"json", "xdr"};
static const char device_notes[] = "troupe.device", answer_notes[] = "troupe.answer",
                  property_notes[] = "troupe.properties", padi_note[] = "padi.";

/* A device, with its channels by code. */
struct recorded {
    char name[80], driver[64];
    const tp_interface *interface;
    uint16_t channels[CODES]; /* 0 for none yet */
    uint32_t sequences[CODES];
};

struct tpi_log_recorder {
    tpi_log_writer *writer;
    const tp_catalogue *catalogue; /* borrowed; NULL if all interfaces are built in */
    tpi_log_form form;
    struct recorded **devices; /* owned */
    unsigned count, room;
    tpi_buf bytes; /* of the message that is encoded */
};

tp_status tpi_log_recorder_create(tpi_log_recorder **out, tpi_log_writer *writer, tpi_log_form form,
                                  const tp_catalogue *catalogue, tp_error *err)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return tp_fail(err, TP_E_NOMEM, "no memory for a recorder");
    }
    (*out)->writer = writer;
    (*out)->catalogue = catalogue;
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

enum { PLAIN_NOTES = 5, MOST_DESCRIBED = 16 };

/* The notes of a channel. Those of interfaces that are not built in describe them, in an order in
 * which each finds those that it uses. */
struct channel_notes {
    tpi_log_note notes[PLAIN_NOTES + MOST_DESCRIBED + 1];
    char names[MOST_DESCRIBED][80];
    char *texts[MOST_DESCRIBED]; /* owned */
    unsigned described;
};

static void release_notes(struct channel_notes *all)
{
    for (unsigned i = 0; i < all->described; i++) {
        free(all->texts[i]);
    }
}

static bool is_described(const struct channel_notes *all, const char *name)
{
    for (unsigned i = 0; i < all->described; i++) {
        if (strcmp(all->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static tp_status describe(const tpi_log_recorder *recorder, const tp_interface *interface,
                          struct channel_notes *all, tp_error *err)
{
    char name[sizeof all->names[0]];
    tp_status status = TP_OK;

    (void)snprintf(name, sizeof name, "%s%s", padi_note, interface->name);
    if (tp_interface_is_builtin(interface) || is_described(all, name)) {
        return TP_OK;
    }
    for (uint32_t i = 0; i < interface->use_count && status == TP_OK; i++) {
        const tp_interface *used = recorder->catalogue != NULL
                                       ? tp_catalogue_named(recorder->catalogue, interface->uses[i])
                                       : NULL;
        status = used != NULL ? describe(recorder, used, all, err) : TP_OK;
    }
    if (status != TP_OK || all->described == MOST_DESCRIBED) {
        return status != TP_OK ? status
                               : tp_fail(err, TP_E_LIMIT, "%s uses more than %d interfaces",
                                         interface->name, MOST_DESCRIBED - 1);
    }
    const unsigned at = all->described;
    if ((status = tp_interface_padi(&all->texts[at], interface)) != TP_OK) {
        return tp_fail(err, status, "the interface %s cannot be described: %s", interface->name,
                       tp_status_text(status));
    }
    memcpy(all->names[at], name, sizeof name);
    all->notes[PLAIN_NOTES + at] = (tpi_log_note){all->names[at], all->texts[at]};
    all->described++;
    return TP_OK;
}

static tp_status make_channel(tpi_log_recorder *recorder, struct recorded *device,
                              const tp_message *what, tp_error *err)
{
    char topic[160], code[8];
    struct channel_notes all = {.notes = {{"device", device->name},
                                          {"interface", device->interface->name},
                                          {"message", what->name},
                                          {"code", code},
                                          {"driver", device->driver}}};
    uint16_t schema;

    (void)snprintf(topic, sizeof topic, "/%s/%s", device->name, what->name);
    (void)snprintf(code, sizeof code, "%u", what->code);
    tp_status status = describe(recorder, device->interface, &all, err);
    status =
        status == TP_OK ? make_schema(recorder, device->interface, what, &schema, err) : status;
    if (status == TP_OK) {
        status = tpi_log_writer_channel(recorder->writer, schema, topic, form_names[recorder->form],
                                        all.notes, &device->channels[what->code], err);
    }
    release_notes(&all);
    return status;
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

void tpi_log_learn(tp_catalogue *catalogue, const tpi_log_item *channel)
{
    tpi_mcap_view notes = channel->notes, name, value;

    while (tpi_log_take_note(&notes, &name, &value)) {
        if (tpi_mcap_left(&name) > strlen(padi_note) &&
            memcmp(name.at, padi_note, strlen(padi_note)) == 0) {
            (void)tp_catalogue_load_text(catalogue, "a description of the recording",
                                         (const char *)value.at, tpi_mcap_left(&value), NULL);
        }
    }
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
