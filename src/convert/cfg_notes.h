/*
 * cfg_notes.h - notes about a file that are reported together, so that many that are alike stay
 * few.
 *
 * They are kept until the file has been read. Of those that say the same of several places the
 * first three are reported, of those that differ in names and numbers alone the first twenty; the
 * last of them says how many more there are. One that is about the same place, too, as in all uses
 * of one macro, is reported once.
 */
#ifndef TROUPE_CONVERT_CFG_NOTES_H
#define TROUPE_CONVERT_CFG_NOTES_H

#include "base/arena.h"
#include "base/buf.h"
#include "convert/cfg.h"
#include "convert/cfg_table.h"

/* All zero but for its first two members, it is ready. */
typedef struct tpi_cfg_notes {
    tpi_cfg_note *note; /* whom to tell */
    void *context;      /* of `note`; borrowed */
    tpi_arena arena;    /* texts */
    tpi_cfg_table known;
    tpi_buf groups; /* of notes that are alike */
    tpi_buf lines;  /* to be told */
} tpi_cfg_notes;

/* A tpi_cfg_note whose context is a tpi_cfg_notes. Without memory it is reported at once. */
void tpi_cfg_notes_add(void *notes, const char *text);

/* Tell them; there are none then, and nothing is held. */
void tpi_cfg_notes_tell(tpi_cfg_notes *notes);

#endif
