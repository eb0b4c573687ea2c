/* collection.c - files of one kind in several folders; see collection.h. */
#include "platform/collection.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "platform/folder.h"

enum { MOST_NAMES = 256, MOST_FOLDER = 3800 };

/* The folder with this number. False if there is no more. */
static bool folder_at(const tpi_collection *all, size_t index, char *out, size_t size)
{
    const char *own = getenv(all->variable);

    if (all->first != NULL && all->first[0] != '\0' && index-- == 0) {
        snprintf(out, size, "%s", all->first);
        return true;
    }
    while (own != NULL && *own != '\0') {
        const size_t length = strcspn(own, ":");
        if (length > 0 && index-- == 0) {
            snprintf(out, size, "%.*s", (int)length, own);
            return true;
        }
        own += length + (own[length] == ':');
    }
    return tpi_folder_own(all->kind, out, size, index);
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Names of files in their order, each once. */
struct names {
    char items[MOST_NAMES][TPI_COLLECTION_NAME];
    unsigned count;
};

static bool has_ending(const tpi_collection *all, const char *file)
{
    const size_t length = strlen(file);
    const size_t ending = strlen(all->ending);

    return length > ending && strcmp(file + length - ending, all->ending) == 0;
}

static bool belongs(const tpi_collection *all, const char *file)
{
    return file[0] != '.' && strlen(file) < TPI_COLLECTION_NAME && has_ending(all, file) &&
           (all->except == NULL || strcmp(file, all->except) != 0);
}

static void add_name(struct names *names, const char *file)
{
    unsigned at = names->count;

    for (unsigned i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], file) == 0) {
            return;
        }
    }
    if (names->count == MOST_NAMES) {
        return;
    }
    for (; at > 0 && strcmp(names->items[at - 1], file) > 0; at--) {
        memcpy(names->items[at], names->items[at - 1], TPI_COLLECTION_NAME);
    }
    memcpy(names->items[at], file, strlen(file) + 1);
    names->count++;
}

/* False if it is no folder. */
static bool list(const tpi_collection *all, const char *folder, struct names *names)
{
    DIR *listing = opendir(folder);

    for (const struct dirent *entry = NULL;
         listing != NULL && (entry = readdir(listing)) != NULL;) {
        if (belongs(all, entry->d_name)) {
            add_name(names, entry->d_name);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return listing != NULL;
}

static void put_names(const tpi_collection *all, const struct names *names, bool endings,
                      tpi_buf *out)
{
    for (unsigned i = 0; i < names->count; i++) {
        const size_t length = strlen(names->items[i]) - (endings ? 0 : strlen(all->ending));
        tpi_buf_put(out, names->items[i], length);
        tpi_buf_putc(out, '\0');
    }
}

int tpi_collection_names_in(const tpi_collection *all, const char *folder, bool endings,
                            tpi_buf *out)
{
    struct names *names = calloc(1, sizeof *names);
    int count = -1;

    if (names != NULL && list(all, folder, names)) {
        put_names(all, names, endings, out);
        count = (int)names->count;
    }
    free(names);
    return count;
}

unsigned tpi_collection_names(const tpi_collection *all, bool endings, tpi_buf *out)
{
    struct names *names = calloc(1, sizeof *names);
    char folder[MOST_FOLDER];
    unsigned count = 0;

    for (size_t i = 0; names != NULL && folder_at(all, i, folder, sizeof folder); i++) {
        (void)list(all, folder, names);
    }
    if (names != NULL) {
        put_names(all, names, endings, out);
        count = names->count;
    }
    free(names);
    return count;
}

/* ---- Finding --------------------------------------------------------------------------------- */

static bool exists(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

bool tpi_collection_file(const tpi_collection *all, const char *file, char *path, size_t size)
{
    char folder[MOST_FOLDER];

    for (size_t i = 0; folder_at(all, i, folder, sizeof folder); i++) {
        const int length = snprintf(path, size, "%s/%s", folder, file);
        if ((size_t)length < size && exists(path)) {
            return true;
        }
    }
    return false;
}

/* "; did you mean "nxt"? There are finch, nxt" */
static tp_status unknown(const tpi_collection *all, const char *name, tp_error *err)
{
    tpi_buf names = {0}, text = {0};
    tpi_nearest nearest;
    char hint[96];
    const unsigned count = tpi_collection_names(all, false, &names);
    const char *at = tpi_buf_text(&names);

    tpi_nearest_init(&nearest, name);
    for (unsigned i = 0; i < count && !names.failed; i++, at += strlen(at) + 1) {
        tpi_nearest_offer(&nearest, at);
        tpi_buf_printf(&text, "%s%s", i > 0 ? ", " : "", at);
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    const tp_status status =
        tp_fail(err, TP_E_UNKNOWN, "there is no %s \"%.60s\"%s%s%s", all->what, name, hint,
                hint[0] == '\0' ? "; there are " : " There are ", tpi_buf_text(&text));
    tpi_buf_fini(&names);
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_collection_find(const tpi_collection *all, const char *name, char *path, size_t size,
                              tp_error *err)
{
    char file[2 * TPI_COLLECTION_NAME];

    if (strchr(name, '/') != NULL || has_ending(all, name)) {
        return (size_t)snprintf(path, size, "%s", name) < size
                   ? TP_OK
                   : tp_fail(err, TP_E_LIMIT, "the path has over %zu bytes", size - 1);
    }
    snprintf(file, sizeof file, "%.*s%s", TPI_COLLECTION_NAME, name, all->ending);
    return belongs(all, file) && tpi_collection_file(all, file, path, size)
               ? TP_OK
               : unknown(all, name, err);
}
