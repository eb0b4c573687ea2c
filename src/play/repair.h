/*
 * repair.h - tries what is offered for a mistake before the mistake is reported.
 *
 * The parser and the checker say what may have been meant. Here the text is changed that way, and
 * its mistakes are looked for again:
 *
 * - What replaces the marked word is offered (`fix`) only if the mistake is gone then, and no other
 *   one stands on the line.
 * - Else changes of the whole line are tried: one offer after the other, and the same words in
 *   another order. The line without mistakes is reported (`whole`).
 * - Mistakes that vanish with another one follow from it, and are not reported.
 */
#ifndef TROUPE_PLAY_REPAIR_H
#define TROUPE_PLAY_REPAIR_H

#include "play/check.h"
#include "play/parse.h"

/* Parse and check a text; its mistakes are in the order of their places. False if there are any, or
 * memory ran out. */
bool tpi_play_understand(tpi_play_tree *tree, tpi_play_names *names, const char *text,
                         size_t length, const tpi_vocabulary *vocabulary,
                         tpi_play_troubles *troubles);

/* Try what is offered for the mistakes of a text, which understand() has found. Without memory they
 * stay as they are. */
void tpi_play_repair(tpi_play_troubles *troubles, const char *text, size_t length,
                     const tpi_vocabulary *vocabulary);

/* ---- Inside ---- */

enum { TPI_PLAY_MOST_TRIED = 24 }; /* mistakes for which something is tried */

typedef struct tpi_play_bench {
    const char *text, *end;           /* borrowed: the text with the mistakes */
    const tpi_vocabulary *vocabulary; /* borrowed */
    tpi_play_troubles *told;          /* borrowed: its mistakes */
    tpi_play_troubles *found;         /* owned: those of the text that is tried */
    tpi_buf tried;                    /* that text */
    size_t work;                      /* how many bytes may still be looked at */
    /* What vanishes with a mistake, and whether what is offered for it is right. */
    bool is_gone[TPI_PLAY_MOST_TRIED][TPI_PLAY_MOST_TROUBLES];
    bool is_right[TPI_PLAY_MOST_TRIED];
} tpi_play_bench;

/* Look at the text with another line in the place of one. False if that is too much work or memory
 * ran out. */
bool tpi_play_try_line(tpi_play_bench *bench, unsigned number, const tpi_buf *line);

/* Whether the line that was tried has no mistakes, and the program has fewer ones; then what is
 * gone is noted for a mistake. */
bool tpi_play_try_helps(tpi_play_bench *bench, unsigned number, unsigned mistake);

/* Put a line with another text in the place of the mark; how many characters that takes away. */
unsigned tpi_play_put_edit(tpi_buf *out, const char *line, const char *end, unsigned column,
                           unsigned width, const char *by);

/* Where a line ends. */
const char *tpi_play_end_of_line(const char *line, const char *end);

/* Try a text in the place of the marked word. */
bool tpi_play_try_word(tpi_play_bench *bench, unsigned mistake, const char *by);

/* ---- repair_word.c ---- */

/* Try the line without a word that stands there twice. */
bool tpi_play_try_double(tpi_play_bench *bench, unsigned mistake);

/* Try the name that is used twice and is not known in the place of the one that is made and is
 * used nowhere. The mark moves there. */
bool tpi_play_try_rename(tpi_play_bench *bench, unsigned mistake);

/* Try the names that are not known where a name is missing or cannot be one. */
bool tpi_play_try_names(tpi_play_bench *bench, unsigned mistake);

/* Try what is offered before the mark, not in its place, and the other way around. */
bool tpi_play_try_missing(tpi_play_bench *bench, unsigned mistake);

/* Try a value where one is missing, or where something else stands in its place. */
bool tpi_play_try_values(tpi_play_bench *bench, unsigned mistake);

/* Try the first words of all statements at the begin of the line. If one alone helps most, it is
 * offered, and the mark moves there. */
bool tpi_play_try_beginnings(tpi_play_bench *bench, unsigned mistake);

/* ---- repair_order.c ---- */

/* Try the words of the line of a mistake in another order. The mark moves to the first word that
 * stands at a wrong place. */
bool tpi_play_try_orders(tpi_play_bench *bench, unsigned mistake);

/* Tell a line in the place of the statement on it; without its comment. */
void tpi_play_tell_whole(tpi_play_bench *bench, tpi_play_trouble *trouble, const tpi_buf *line);

#endif
