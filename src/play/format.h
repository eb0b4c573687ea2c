/* format.h - a tree as text, in the one canonical layout. */
#ifndef TROUPE_PLAY_FORMAT_H
#define TROUPE_PLAY_FORMAT_H

#include "base/buf.h"
#include "play/tree.h"

/* Append the whole program. */
void tpi_play_format(tpi_buf *out, const tpi_play_tree *tree);

/* Append an expression. */
void tpi_play_format_expression(tpi_buf *out, const tpi_play_node *node);

/* Append a text in quotes. */
void tpi_play_format_string(tpi_buf *out, const char *text);

#endif
