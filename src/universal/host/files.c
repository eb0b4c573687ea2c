/* files.c - finding and loading robot files; see files.h. */
#include "universal/host/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "platform/folder.h"

enum { LONGEST_NAME = 48 };

/* ---- Folders ---- */

/* The folder with this number: those of TROUPE_ROBOT_PATH, then ours. False if there is no more. */
static bool folder(char *out, size_t size, size_t index)
{
    const char *own = getenv("TROUPE_ROBOT_PATH");

    while (own != NULL && *own != '\0') {
        const size_t length = strcspn(own, ":");
        if (length > 0 && index-- == 0) {
            snprintf(out, size, "%.*s", (int)length, own);
            return true;
        }
        own += length + (own[length] == ':');
    }
    return tpi_folder_own("robots", out, size, index);
}

/* Whether a file is there. */
static bool exists(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static bool find_file(char path[TPI_MOST_PATH], const char *name)
{
    char base[TPI_MOST_PATH - 300];

    for (size_t i = 0; folder(base, sizeof base, i); i++) {
        snprintf(path, TPI_MOST_PATH, "%s/%.250s", base, name);
        if (exists(path)) {
            return true;
        }
    }
    return false;
}

/* ---- Names ---- */

/* Names in their order, each once. */
struct names {
    char items[TPI_MOST_NAMES][LONGEST_NAME];
    unsigned count;
};

static void add_name(struct names *names, const char *file)
{
    const size_t length = strlen(file);
    char name[LONGEST_NAME];
    unsigned at = names->count;

    if (length < 5 || length - 4 >= LONGEST_NAME || strcmp(file + length - 4, ".xml") != 0 ||
        strcmp(file, "classes.xml") == 0 || names->count == TPI_MOST_NAMES) {
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

/* False if it is no folder. */
static bool list_one(struct names *names, const char *base)
{
    DIR *listing = opendir(base);

    for (const struct dirent *entry = NULL;
         listing != NULL && (entry = readdir(listing)) != NULL;) {
        add_name(names, entry->d_name);
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return listing != NULL;
}

static void list(struct names *names)
{
    char base[TPI_MOST_PATH];

    for (size_t i = 0; folder(base, sizeof base, i); i++) {
        (void)list_one(names, base);
    }
}

int tpi_files_in(tpi_buf *out, const char *folder)
{
    struct names *names = calloc(1, sizeof *names);
    const size_t length = strlen(folder);
    int count = -1;

    if (names != NULL && list_one(names, folder)) {
        for (unsigned i = 0; i < names->count; i++) {
            tpi_buf_printf(out, "%s%s%s.xml", folder,
                           length > 0 && folder[length - 1] == '/' ? "" : "/", names->items[i]);
            tpi_buf_putc(out, '\0');
        }
        count = (int)names->count;
    }
    free(names);
    return count;
}

unsigned tpi_files_names(tpi_buf *out)
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

/* "; did you mean "nxt"? There are finch, nxt" */
static tp_status unknown(const char *name, tp_error *err)
{
    tpi_buf all = {0}, text = {0};
    tpi_nearest nearest;
    char hint[96];
    const unsigned count = tpi_files_names(&all);
    const char *at = tpi_buf_text(&all);

    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; i < count && !all.failed; i++, at += strlen(at) + 1) {
        tpi_nearest_offer(&nearest, at);
        tpi_buf_printf(&text, "%s%s", i > 0 ? ", " : "", at);
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    const tp_status status =
        tp_fail(err, TP_E_UNKNOWN, "there is no robot \"%.60s\"%s%s%s", name, hint,
                hint[0] == '\0' ? "; there are " : " There are ", tpi_buf_text(&text));
    tpi_buf_fini(&all);
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_files_find(char path[TPI_MOST_PATH], const char *name, tp_error *err)
{
    const size_t length = strlen(name);
    char file[LONGEST_NAME + 8];

    if (strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".xml") == 0)) {
        snprintf(path, TPI_MOST_PATH, "%s", name);
        return TP_OK;
    }
    snprintf(file, sizeof file, "%.*s.xml", LONGEST_NAME, name);
    return length < LONGEST_NAME && find_file(path, file) ? TP_OK : unknown(name, err);
}

/* ---- Loading ---- */

tp_status tpi_files_vocabulary(tpi_vocabulary **out, tp_error *err)
{
    char path[TPI_MOST_PATH];
    tpi_buf text = {0};
    tp_status status;

    if (!find_file(path, "classes.xml")) {
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
        status = tpi_wired_create(&out->wired, out->robot, tpi_buf_text(&text), text.length,
                                  out->wiring_path, err);
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
        status = load_robot(out, err);
    }
    return status == TP_OK ? load_wiring(out, wiring, err) : status;
}

void tpi_loaded_fini(tpi_loaded *loaded)
{
    tpi_wired_destroy(loaded->wired);
    tpi_robotfile_destroy(loaded->robot);
    tpi_vocabulary_destroy(loaded->vocabulary);
    free(loaded->wiring_path);
    tpi_buf_fini(&loaded->text);
    loaded->wired = NULL;
    loaded->robot = NULL;
    loaded->vocabulary = NULL;
    loaded->wiring_path = NULL;
}
