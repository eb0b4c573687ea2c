/* files.c - finding and reading manifests; see files.h. */
#include "sensors/host/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "platform/folder.h"

enum { LONGEST_NAME = 48, MOST_NAMES = 256 };

/* The folder with this number: those of TROUPE_SENSOR_PATH, then ours. False if there is no more.
 */
static bool folder(char *out, size_t size, size_t index)
{
    const char *own = getenv("TROUPE_SENSOR_PATH");

    while (own != NULL && *own != '\0') {
        const size_t length = strcspn(own, ":");
        if (length > 0 && index-- == 0) {
            snprintf(out, size, "%.*s", (int)length, own);
            return true;
        }
        own += length + (own[length] == ':');
    }
    return tpi_folder_own("sensors", out, size, index);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Names in their order, each once. */
struct names {
    char items[MOST_NAMES][LONGEST_NAME];
    unsigned count;
};

static void add_name(struct names *names, const char *file)
{
    const size_t length = strlen(file);
    char name[LONGEST_NAME];
    unsigned at = names->count;

    if (length < 5 || length - 4 >= LONGEST_NAME || strcmp(file + length - 4, ".xml") != 0 ||
        names->count == MOST_NAMES) {
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length - 4), file);
    for (unsigned i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0) {
            return;
        }
    }
    while (at > 0 && strcmp(names->items[at - 1], name) > 0) {
        memcpy(names->items[at], names->items[at - 1], LONGEST_NAME);
        at--;
    }
    memcpy(names->items[at], name, LONGEST_NAME);
    names->count++;
}

static void list(struct names *names)
{
    char base[TPI_MOST_SENSOR_PATH];

    for (size_t i = 0; folder(base, sizeof base, i); i++) {
        DIR *listing = opendir(base);
        for (const struct dirent *entry = NULL;
             listing != NULL && (entry = readdir(listing)) != NULL;) {
            add_name(names, entry->d_name);
        }
        if (listing != NULL) {
            closedir(listing);
        }
    }
}

unsigned tpi_sensor_files_names(tpi_buf *out)
{
    struct names *names = calloc(1, sizeof *names);
    unsigned count = 0;

    if (names != NULL) {
        list(names);
        for (unsigned i = 0; i < names->count; i++) {
            tpi_buf_put(out, names->items[i], strlen(names->items[i]) + 1);
        }
        count = names->count;
    }
    free(names);
    return count;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static tp_status unknown(const char *name, tp_error *err)
{
    tpi_buf all = {0}, text = {0};
    tpi_nearest nearest;
    char hint[96];
    const unsigned count = tpi_sensor_files_names(&all);
    const char *at = tpi_buf_text(&all);

    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; i < count && !all.failed; i++, at += strlen(at) + 1) {
        tpi_nearest_offer(&nearest, at);
        tpi_buf_printf(&text, "%s%s", i > 0 ? ", " : "", at);
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    const tp_status status =
        tp_fail(err, TP_E_UNKNOWN, "there is no sensor \"%.48s\"%s%s%s", name, hint,
                hint[0] == '\0' ? "; there are " : " There are ", tpi_buf_text(&text));
    tpi_buf_fini(&all);
    tpi_buf_fini(&text);
    return status;
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

tp_status tpi_sensor_files_find(char path[TPI_MOST_SENSOR_PATH], const char *name, tp_error *err)
{
    const size_t length = strlen(name);
    char base[TPI_MOST_SENSOR_PATH - 100];

    if (strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".xml") == 0)) {
        if (length >= TPI_MOST_SENSOR_PATH) {
            return tp_fail(err, TP_E_LIMIT, "the path has over %d bytes", TPI_MOST_SENSOR_PATH);
        }
        snprintf(path, TPI_MOST_SENSOR_PATH, "%s", name);
        return TP_OK;
    }
    for (size_t i = 0; length < LONGEST_NAME && folder(base, sizeof base, i); i++) {
        snprintf(path, TPI_MOST_SENSOR_PATH, "%s/%.*s.xml", base, LONGEST_NAME, name);
        if (exists(path)) {
            return TP_OK;
        }
    }
    return unknown(name, err);
}

tp_status tpi_sensor_files_read(tpi_manifest **out, tpi_buf *text, const char *name,
                                tpi_mistakes *mistakes, tp_error *err)
{
    char path[TPI_MOST_SENSOR_PATH];
    tpi_buf own = {0};
    tp_status status = tpi_sensor_files_find(path, name, err);

    if (status == TP_OK) {
        status = tpi_file_read(&own, path, TPI_MOST_MANIFEST, err);
    }
    if (status == TP_OK) {
        status = tpi_manifest_read(out, tpi_buf_text(&own), own.length, path, mistakes, err);
    }
    if (status == TP_OK && text != NULL) {
        tpi_buf_put(text, own.data, own.length);
    }
    tpi_buf_fini(&own);
    return status;
}
