/* worlds.c - finding worlds, writing pictures; see worlds.h. */
#include "worlds.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "called.h"
#include "commands.h"
#include "file_kind.h"
#include "sim/host/host.h"

enum { LOADING_S = 2 };

/* ---- Finding --------------------------------------------------------------------------------- */

static bool exists(const tpi_buf *path)
{
    return !path->failed && access(tpi_buf_text(path), R_OK) == 0;
}

/* FOLDER/NAME.world, if it is there. */
static bool try_folder(tpi_buf *path, const char *folder, size_t length, const char *name)
{
    tpi_buf_clear(path);
    tpi_buf_printf(path, "%.*s/%s.world", (int)length, folder, name);
    return length > 0 && exists(path);
}

static bool try_folders(tpi_buf *path, const char *folders, const char *name)
{
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        if (try_folder(path, folders, length, name)) {
            return true;
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool try_own(tpi_buf *path, const char *name)
{
    char folder[4096];

    for (size_t i = 0; tpi_sim_own_folder(folder, sizeof folder, i); i++) {
        if (try_folder(path, folder, strlen(folder), name)) {
            return true;
        }
    }
    return false;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);

    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool world_is_file(const char *path)
{
    return ends_with(path, ".world");
}

enum { MOST_NAMES = 32, LONGEST_NAME = 32 };

/* Names of worlds, in their order. */
struct names {
    char items[MOST_NAMES][LONGEST_NAME];
    size_t count;
};

/* What does not fit is not named. */
static void add_name(struct names *names, const char *file)
{
    const size_t length = strlen(file) - strlen(".world");
    char name[LONGEST_NAME];
    size_t at = names->count;

    if (names->count == MOST_NAMES || length >= LONGEST_NAME) {
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, file);
    while (at > 0 && strcmp(names->items[at - 1], name) > 0) {
        memcpy(names->items[at], names->items[at - 1], LONGEST_NAME);
        at--;
    }
    memcpy(names->items[at], name, LONGEST_NAME);
    names->count++;
}

/* Those of the first of our folders that is there. */
static void list_own(struct names *names)
{
    char folder[4096];
    DIR *listing = NULL;

    for (size_t i = 0; listing == NULL && tpi_sim_own_folder(folder, sizeof folder, i); i++) {
        listing = opendir(folder);
    }
    for (const struct dirent *entry = NULL;
         listing != NULL && (entry = readdir(listing)) != NULL;) {
        if (world_is_file(entry->d_name)) {
            add_name(names, entry->d_name);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

/* "; did you mean "office"? Ours are cave, office and track" */
static void put_names(tpi_buf *out, const char *base)
{
    struct names names = {.count = 0};
    tpi_nearest nearest;
    char hint[96];

    list_own(&names);
    tpi_nearest_init(&nearest, base);
    for (size_t i = 0; i < names.count; i++) {
        tpi_nearest_offer(&nearest, names.items[i]);
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    tpi_buf_printf(out, "%s%s", hint,
                   names.count == 0  ? ""
                   : hint[0] == '\0' ? "; ours are "
                                     : " Ours are ");
    for (size_t i = 0; i < names.count; i++) {
        const char *before = i == 0 ? "" : i + 1 == names.count ? " and " : ", ";
        tpi_buf_printf(out, "%s%s", before, names.items[i]);
    }
}

static tp_status fail_unknown(const char *name, const char *base, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status = TP_E_UNKNOWN;

    if (strchr(name, '/') != NULL) {
        return tp_fail(err, status, "there is no world \"%s\"", name);
    }
    put_names(&text, base);
    tp_fail(err, status, "there is no world \"%.60s\"%s", name, tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return status;
}

/* Whether it is a configuration, a program or another file that is no world; then fails. */
static bool is_other_kind(const char *name, tp_error *err)
{
    static const char *const wanted[] = {".world", NULL};
    tpi_buf text = {0};
    const bool is = file_kind_put_other(&text, name, wanted, "world");

    if (is) {
        tp_fail(err, TP_E_INVALID, "%s", tpi_buf_text(&text));
    }
    tpi_buf_fini(&text);
    return is;
}

tp_status world_find(tpi_buf *path, const char *name, tp_error *err)
{
    char base[256];
    const size_t length = strlen(name) - (world_is_file(name) ? strlen(".world") : 0);

    tpi_buf_clear(path);
    tpi_buf_puts(path, name);
    if (is_other_kind(name, err)) {
        return TP_E_INVALID;
    }
    if (access(name, F_OK) == 0) {
        return path->failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    }
    snprintf(base, sizeof base, "%.*s", (int)length, name);
    if (strchr(base, '/') == NULL && strchr(base, '.') == NULL &&
        (try_folders(path, getenv("TROUPE_WORLD_PATH"), base) || try_own(path, base))) {
        return TP_OK;
    }
    return fail_unknown(name, base, err);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static void on_alarm(int number)
{
    static const char text[] = "still loading the world\n";

    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0) {
        alarm(LOADING_S);
    }
}

void world_report_loading(bool under_way)
{
    command_catch(SIGALRM, on_alarm);
    alarm(under_way ? LOADING_S : 0);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

void world_note_trails(tpi_draw_trails **trails, const tpi_sim *sim, uint32_t length)
{
    if (*trails == NULL) {
        (void)tpi_draw_trails_create(trails, sim, length, NULL);
    }
    if (*trails != NULL) {
        tpi_draw_trails_note(*trails, sim);
    }
}

static bool is_svg(const char *path)
{
    return ends_with(path, ".svg") || ends_with(path, ".SVG");
}

bool world_is_picture(const char *path)
{
    return ends_with(path, ".png") || ends_with(path, ".PNG") || is_svg(path);
}

static tp_status write_file(const char *path, const tpi_buf *bytes, tp_error *err)
{
    FILE *file = fopen(path, "wb");
    bool done = file != NULL && fwrite(bytes->data, 1, bytes->length, file) == bytes->length;

    if (file != NULL) {
        done = fclose(file) == 0 && done;
    }
    return done ? TP_OK : tp_fail(err, TP_E_IO, "cannot write %s: %s", path, strerror(errno));
}

tp_status world_check_file(const char *path, tp_error *err)
{
    FILE *before = fopen(path, "rb");
    const bool is_there = before != NULL;

    if (before != NULL) {
        fclose(before);
    }
    FILE *file = fopen(path, "ab"); /* which changes nothing of one that is there */
    if (file == NULL) {
        return tp_fail(err, TP_E_IO, "cannot write %s: %s", path, strerror(errno));
    }
    fclose(file);
    if (!is_there) {
        remove(path);
    }
    return TP_OK;
}

tp_status world_draw(const tpi_sim *sim, const tpi_draw_look *look, const char *path, tp_error *err)
{
    tpi_buf bytes = {0};
    tp_status status =
        is_svg(path) ? tpi_draw_svg(&bytes, sim, look, err) : tpi_draw_png(&bytes, sim, look, err);

    if (status == TP_OK) {
        status = write_file(path, &bytes, err);
    }
    tpi_buf_fini(&bytes);
    return status;
}
