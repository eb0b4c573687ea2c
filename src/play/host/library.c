/* library.c - programs in folders, and proofs of transfers; see library.h. */
#include "play/host/library.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "platform/folder.h"
#include "platform/secret.h"
#include "play/tree.h"

enum { MOST_FOLDER = 3800 };

/* ---- Folders --------------------------------------------------------------------------------- */

/* The folder with this number. False if there is no more. */
static bool folder_at(char *out, size_t size, const char *first, size_t index)
{
    const char *own = getenv("TROUPE_PROGRAM_PATH");

    if (first[0] != '\0' && index-- == 0) {
        snprintf(out, size, "%s", first);
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
    return tpi_folder_own("programs", out, size, index);
}

/* Whether this is the name of a program, without a path. */
static bool is_name(const char *name)
{
    const size_t length = strlen(name);

    return length > 5 && length < TPI_PLAY_LISTED_NAME && name[0] != '.' &&
           strcmp(name + length - 5, ".play") == 0 && strchr(name, '/') == NULL;
}

/* ---- Names ----------------------------------------------------------------------------------- */

struct names {
    char items[TPI_PLAY_MOST_LISTED][TPI_PLAY_LISTED_NAME];
    unsigned count;
};

static void add_name(struct names *names, const char *name)
{
    unsigned at = names->count;

    if (!is_name(name) || names->count == TPI_PLAY_MOST_LISTED) {
        return;
    }
    for (unsigned i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0) {
            return;
        }
    }
    for (; at > 0 && strcmp(names->items[at - 1], name) > 0; at--) {
        memcpy(names->items[at], names->items[at - 1], TPI_PLAY_LISTED_NAME);
    }
    memcpy(names->items[at], name, strlen(name) + 1);
    names->count++;
}

unsigned tpi_play_library_names(tpi_buf *out, const char *folder)
{
    struct names *names = calloc(1, sizeof *names);
    char base[MOST_FOLDER];
    unsigned count = 0;

    for (size_t i = 0; names != NULL && folder_at(base, sizeof base, folder, i); i++) {
        DIR *listing = opendir(base);
        for (const struct dirent *entry = NULL;
             listing != NULL && (entry = readdir(listing)) != NULL;) {
            add_name(names, entry->d_name);
        }
        if (listing != NULL) {
            closedir(listing);
        }
    }
    for (; names != NULL && count < names->count; count++) {
        tpi_buf_put(out, names->items[count], strlen(names->items[count]) + 1);
    }
    free(names);
    return count;
}

tp_status tpi_play_library_read(tpi_buf *out, const char *folder, const char *name, tp_error *err)
{
    char base[MOST_FOLDER], path[MOST_FOLDER + TPI_PLAY_LISTED_NAME + 2];
    FILE *file = NULL;

    if (!is_name(name)) {
        return tp_fail(err, TP_E_INVALID, "\"%.60s\" is no name of a program: NAME.play", name);
    }
    for (size_t i = 0; folder_at(base, sizeof base, folder, i); i++) {
        snprintf(path, sizeof path, "%s/%s", base, name);
        file = fopen(path, "r");
        if (file != NULL) {
            fclose(file);
            return tpi_file_read(out, path, TPI_PLAY_MOST_SOURCE, err);
        }
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no program \"%s\" here", name);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

tp_status tpi_play_proof_make(uint8_t proof[TPI_PLAY_PROOF], tp_error *err)
{
    const tp_status status = tpi_secret_random(proof, TPI_PLAY_PROOF);

    return status == TP_OK ? TP_OK : tp_fail(err, status, "the system has no random numbers");
}

tp_status tpi_play_proof_digest(uint8_t digest[TPI_PLAY_PROOF], const uint8_t proof[TPI_PLAY_PROOF],
                                tp_error *err)
{
    static const char purpose[] = "a program was given up";
    const tp_status status =
        tpi_secret_proof(digest, proof, TPI_PLAY_PROOF, purpose, sizeof purpose - 1);

    return status == TP_OK ? TP_OK : tp_fail(err, status, "a digest cannot be computed");
}
