/* files.c - finding and loading robot files; see files.h. */
#include "universal/host/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "platform/collection.h"
#include "sensors/host/files.h"
#include "universal/measure.h"

static const tpi_collection robots = {.what = "robot",
                                      .ending = ".xml",
                                      .kind = "robots",
                                      .variable = "TROUPE_ROBOT_PATH",
                                      .except = "classes.xml"};

/* ---- Finding ---- */

int tpi_files_in(tpi_buf *out, const char *folder)
{
    const size_t length = strlen(folder);
    tpi_buf names = {0};
    const int count = tpi_collection_names_in(&robots, folder, true, &names);
    const char *at = tpi_buf_text(&names);

    for (int i = 0; i < count && !names.failed; i++, at += strlen(at) + 1) {
        tpi_buf_printf(out, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/",
                       at);
        tpi_buf_putc(out, '\0');
    }
    tpi_buf_fini(&names);
    return count;
}

unsigned tpi_files_names(tpi_buf *out)
{
    return tpi_collection_names(&robots, false, out);
}

tp_status tpi_files_find(char path[TPI_MOST_PATH], const char *name, tp_error *err)
{
    return tpi_collection_find(&robots, name, path, TPI_MOST_PATH, err);
}

const char *tpi_files_beside(char out[TPI_MOST_PATH], const char *folder, const char *name)
{
    const char *end = strrchr(name, '.');
    const bool is_path = strchr(name, '/') != NULL || (end != NULL && strcmp(end, ".xml") == 0);
    const int written = snprintf(out, TPI_MOST_PATH, "%s%s", folder, name);

    if (!is_path || name[0] == '/' || written >= TPI_MOST_PATH) {
        return name;
    }
    return tpi_file_exists(out) ? out : name;
}

/* The robot of a wiring file: that of its folder, else one that is found by its name. */
static tp_status find_wired(char out[TPI_MOST_PATH], const tpi_document *document, tp_error *err)
{
    const char *robot = tpi_element_need(document, document->root, "robot");
    const char *slash = strrchr(document->path, '/');
    char folder[TPI_MOST_PATH], file[TPI_MOST_PATH];

    if (robot == NULL) {
        return TP_E_INVALID;
    }
    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash != NULL ? (int)(slash + 1 - document->path) : 0, document->path);
    (void)snprintf(file, sizeof file, "%s.xml", robot);
    if (tpi_files_beside(out, folder, file) == out && strcmp(out, document->path) != 0) {
        return TP_OK;
    }
    return tpi_files_find(out, robot, err);
}

tp_status tpi_files_wired_robot(char out[TPI_MOST_PATH], const char *path, tp_error *err)
{
    tpi_document document = {0};
    tpi_buf text = {0};
    tp_status status = tpi_file_read(&text, path, TPI_MOST_DOCUMENT, err);

    out[0] = '\0';
    if (status == TP_OK) {
        status = tpi_document_read(&document, tpi_buf_text(&text), text.length, path, err);
    }
    if (status == TP_OK && strcmp(document.root->name, "wiring") == 0) {
        status = find_wired(out, &document, err);
    }
    tpi_document_fini(&document);
    tpi_buf_fini(&text);
    return status;
}

/* ---- Loading ---- */

tp_status tpi_files_vocabulary(tpi_vocabulary **out, tp_error *err)
{
    char path[TPI_MOST_PATH];
    tpi_buf text = {0};
    tp_status status;

    if (!tpi_collection_file(&robots, robots.except, path, sizeof path)) {
        return tp_fail(err, TP_E_UNKNOWN,
                       "classes.xml is not found; TROUPE_ROBOT_PATH names its folder");
    }
    status = tpi_file_read(&text, path, TPI_MOST_DOCUMENT, err);
    if (status == TP_OK) {
        status = tpi_vocabulary_read(out, tpi_buf_text(&text), text.length, path, err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* ---- Manifests ---- */

/* A path of a manifest is meant from the folder of the file that names it. */
static const char *beside_of(const char *name, const char *beside, char *out, size_t size)
{
    const char *slash = beside != NULL ? strrchr(beside, '/') : NULL;
    const size_t length = strlen(name);
    const bool is_path = length > 4 && strcmp(name + length - 4, ".xml") == 0;

    if (!is_path || name[0] == '/' || slash == NULL) {
        return name;
    }
    const int written = snprintf(out, size, "%.*s%s", (int)(slash + 1 - beside), beside, name);
    return written > 0 && (size_t)written < size ? out : name;
}

/* The first conversion with a unit, else the first one. */
static const tpi_conversion *conversion_of(const tpi_transducer *t)
{
    for (unsigned i = 0; i < t->conversion_count; i++) {
        if (t->conversions[i].unit != TPI_UNIT_RAW) {
            return &t->conversions[i];
        }
    }
    return &t->conversions[0];
}

static tp_status look(void *context, const char *name, int channel, const char *beside,
                      tpi_channel_facts *out, tp_error *err)
{
    tpi_loaded *loaded = context;
    tpi_manifest **place = &loaded->manifests[loaded->manifest_count];
    char path[TPI_MOST_PATH];
    static const char *const units[] = {"raw", "", "", "%", ""};

    if (loaded->manifest_count == TPI_MOST_MANIFESTS) {
        return tp_fail(err, TP_E_LIMIT, "over %d devices with manifests", TPI_MOST_MANIFESTS);
    }
    const tp_status status =
        tpi_sensor_files_read(place, NULL, beside_of(name, beside, path, sizeof path), NULL, err);
    if (status != TP_OK) {
        return status;
    }
    loaded->manifest_count++;
    const tpi_transducer *t =
        channel < 0 ? &(*place)->transducers[0] : tpi_manifest_channel(*place, (unsigned)channel);
    if (t == NULL) {
        return tp_fail(err, TP_E_UNKNOWN, "it has no channel %d", channel);
    }
    const tpi_conversion *c = conversion_of(t);
    out->scaling = c->scaling;
    out->measure = (tpi_measure){.name = t->name,
                                 .parameter = t->parameter,
                                 .unit = units[c->unit],
                                 .is_output = t->type == TPI_CHANNEL_ACTUATOR,
                                 .is_digital = c->unit == TPI_UNIT_DIGITAL,
                                 .low = c->scaling.min,
                                 .high = c->scaling.max};
    if (c->unit == TPI_UNIT_SI_PRODUCT || c->unit == TPI_UNIT_ARBITRARY) {
        tpi_buf unit = {0};
        tpi_conversion_put_unit(c, &unit);
        out->measure.unit = tpi_arena_text(&(*place)->arena, tpi_buf_text(&unit), unit.length);
        tpi_buf_fini(&unit);
    }
    return out->measure.unit != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* A number that differs for other bytes (FNV-1a). */
static uint32_t mixed(uint32_t number, const tpi_buf *text)
{
    for (size_t i = 0; i < text->length; i++) {
        number = (number ^ (uint8_t)text->data[i]) * 16777619U;
    }
    return number;
}

static tp_status load_robot(tpi_loaded *out, tp_error *err)
{
    tp_status status = tpi_file_read(&out->text, out->path, TPI_MOST_DOCUMENT, err);

    if (status == TP_OK) {
        status = tpi_robotfile_read_all(&out->robot, tpi_buf_text(&out->text), out->text.length,
                                        out->path, out->vocabulary, out->mistakes, err);
    }
    out->revision = mixed(2166136261U, &out->text) | 1;
    return status;
}

static tp_status load_wiring(tpi_loaded *out, const char *wiring, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status = TP_OK;

    if (wiring == NULL) {
        return tpi_wired_create(&out->wired, out->robot, NULL, 0, NULL, err);
    }
    out->wiring_path = malloc(strlen(wiring) + 1);
    if (out->wiring_path == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(out->wiring_path, wiring, strlen(wiring) + 1);
    status = tpi_file_read(&text, wiring, TPI_MOST_DOCUMENT, err);
    if (status == TP_OK) {
        status = tpi_wired_create_all(&out->wired, out->robot, tpi_buf_text(&text), text.length,
                                      out->wiring_path, out->mistakes, err);
    }
    out->revision = mixed(out->revision, &text) | 1;
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_loaded_init(tpi_loaded *out, const char *name, const char *wiring, tp_error *err)
{
    tp_status status = tpi_files_find(out->path, name, err);

    if (status == TP_OK) {
        status = tpi_files_vocabulary(&out->vocabulary, err);
    }
    if (status == TP_OK) {
        tpi_vocabulary_set_manifests(out->vocabulary, look, out);
        status = load_robot(out, err);
    }
    return status == TP_OK ? load_wiring(out, wiring, err) : status;
}

void tpi_loaded_fini(tpi_loaded *loaded)
{
    tpi_wired_destroy(loaded->wired);
    tpi_robotfile_destroy(loaded->robot);
    tpi_vocabulary_destroy(loaded->vocabulary);
    for (unsigned i = 0; i < loaded->manifest_count; i++) {
        tpi_manifest_destroy(loaded->manifests[i]);
    }
    loaded->manifest_count = 0;
    free(loaded->wiring_path);
    tpi_buf_fini(&loaded->text);
    loaded->wired = NULL;
    loaded->robot = NULL;
    loaded->vocabulary = NULL;
    loaded->wiring_path = NULL;
}
