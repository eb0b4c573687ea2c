/*
 * tables.h - constant tables: on a chip with a separate memory for programs they are placed and
 * read there. Freestanding.
 */
#ifndef TROUPE_PLAY_TABLES_H
#define TROUPE_PLAY_TABLES_H

#ifdef __AVR__
#include <avr/pgmspace.h>
#define TPI_PLAY_LETTERS static const char PROGMEM
#define TPI_PLAY_LETTER(table, index) pgm_read_byte(&(table)[index])
#define TPI_PLAY_ROWS(type, name) static const type name[] PROGMEM
#define TPI_PLAY_ROW(to, from) memcpy_P((to), (from), sizeof *(to))
#define TPI_PLAY_TABLE static const float PROGMEM
#define TPI_PLAY_ENTRY(table, index) pgm_read_float(&(table)[index])
#define TPI_PLAY_FUNCTIONS(name) static float (*const name[])(float, float) PROGMEM
#define TPI_PLAY_FUNCTION(table, index) ((float (*)(float, float))pgm_read_word(&(table)[index]))
#else
#define TPI_PLAY_LETTERS static const char
#define TPI_PLAY_LETTER(table, index) ((uint8_t)(table)[index])
#define TPI_PLAY_ROWS(type, name) static const type name[]
#define TPI_PLAY_ROW(to, from) (*(to) = *(from))
#define TPI_PLAY_TABLE static const float
#define TPI_PLAY_ENTRY(table, index) ((table)[index])
#define TPI_PLAY_FUNCTIONS(name) static float (*const name[])(float, float)
#define TPI_PLAY_FUNCTION(table, index) ((table)[index])
#endif

#endif
