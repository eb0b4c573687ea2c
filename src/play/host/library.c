/* library.c - programs in folders, and proofs of transfers; see library.h. */
#include "play/host/library.h"

#include <string.h>

#include "base/file.h"
#include "platform/collection.h"
#include "platform/secret.h"
#include "play/tree.h"

enum { MOST_PATH = 4096 };

static tpi_collection programs_in(const char *folder)
{
    return (tpi_collection){.what = "program",
                            .ending = ".play",
                            .kind = "programs",
                            .variable = "TROUPE_PROGRAM_PATH",
                            .first = folder};
}

/* Whether this is the name of a program, without a path. */
static bool is_name(const char *name)
{
    const size_t length = strlen(name);

    return length > 5 && length < TPI_COLLECTION_NAME && name[0] != '.' &&
           strcmp(name + length - 5, ".play") == 0 && strchr(name, '/') == NULL;
}

unsigned tpi_play_library_names(tpi_buf *out, const char *folder)
{
    const tpi_collection programs = programs_in(folder);

    return tpi_collection_names(&programs, true, out);
}

tp_status tpi_play_library_read(tpi_buf *out, const char *folder, const char *name, tp_error *err)
{
    const tpi_collection programs = programs_in(folder);
    char path[MOST_PATH];

    if (!is_name(name)) {
        return tp_fail(err, TP_E_INVALID, "\"%.60s\" is no name of a program: NAME.play", name);
    }
    return tpi_collection_file(&programs, name, path, sizeof path)
               ? tpi_file_read(out, path, TPI_PLAY_MOST_SOURCE, err)
               : tp_fail(err, TP_E_UNKNOWN, "there is no program \"%s\" here", name);
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
