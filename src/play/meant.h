/* meant.h - words of other languages and of speech, and what they are called here. */
#ifndef TROUPE_PLAY_MEANT_H
#define TROUPE_PLAY_MEANT_H

#include <stddef.h>

typedef enum tpi_play_foreign {
    TPI_PLAY_MEANS_STATEMENT, /* the first word of a line */
    TPI_PLAY_MEANS_OPERATOR,  /* between two values */
    TPI_PLAY_MEANS_FUNCTION,  /* before ( */
    TPI_PLAY_MEANS_TRUTH,     /* a value */
    TPI_PLAY_MEANS_LANG,      /* behind `lang` */
    TPI_PLAY_MEANS_NOTHING,   /* "" if it can be left out before a value */
    TPI_PLAY_MEANS_NUMBER,    /* a number as a word */
    TPI_PLAY_MEANS_REMARK,    /* a statement of other languages: why there is none here */
} tpi_play_foreign;

/* What a word stands for; NULL if it is not known. */
const char *tpi_play_meant(tpi_play_foreign meaning, const char *word);

/* What a name with points stands for, such as `console.log`: its first and last word; "" if it is
 * not known. */
void tpi_play_meant_path(const char *first, const char *last, char *out, size_t size);

#endif
