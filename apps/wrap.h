/*
 * wrap.h - text for a terminal: lines that are too long go on in the next line, between words.
 */
#ifndef TROUPE_APPS_WRAP_H
#define TROUPE_APPS_WRAP_H

#include <stdio.h>

#include "base/buf.h"

/* Append the text in lines of at most `columns`. What goes on stands below the last column of its
 * line: that begins behind two blanks. Lines that were broken for want of room are joined first. A
 * text without long lines stays as it is. */
void wrap_put(tpi_buf *out, const char *text, size_t columns);

/* Write the text, wrapped if it goes to a terminal. */
void wrap_write(FILE *out, const char *text);

#endif
