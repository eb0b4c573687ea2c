/*
 * vocabulary.h - the words for what a device can be used as: robots/classes.xml.
 *
 * A class has synonyms, parents, a sense (what a high value means), and for counts a quantity with
 * unit, resolution and range. Words are compared without case, blanks and underscores. Constant
 * after reading; any thread may use it.
 */
#ifndef TROUPE_UNIVERSAL_VOCABULARY_H
#define TROUPE_UNIVERSAL_VOCABULARY_H

#include "convert/element.h"
#include "universal/dictionary.h"

enum {
    TPI_MOST_CLASSES = 512,
    TPI_MOST_PARENTS = 4,
    TPI_MOST_LIST = 24, /* classes in a list, with parents */
};

typedef struct tpi_device_class {
    const char *name;
    const char *quantity; /* "distance"; NULL if its counts have none */
    const char *unit;     /* "mm"; NULL without a quantity */
    double resolution;    /* one count in units */
    double low, high;     /* the counts of 0 and 100 %; both 0 if there is no range */
    const char *sense;    /* what a high value means: "bright"; NULL for none */
    tpi_command read;     /* how a program reads it; TPI_COMMANDS if it says nothing */
    bool is_generic;      /* Input, Output, Analog_Output ... */
    bool is_open;         /* anything can be connected there: a pin */
    bool is_inner;        /* it tells about the robot itself: its battery, its clock */
    bool is_output;       /* channels are both */
    bool is_input;
    unsigned parent_count;
    int parents[TPI_MOST_PARENTS];
} tpi_device_class;

/* A word of a class list: the class that it means, or -1 for a word that the vocabulary lacks. */
typedef struct tpi_word {
    const char *text; /* borrowed */
    int class;
} tpi_word;

/* A class list, most specific first. */
typedef struct tpi_classes {
    unsigned count;
    unsigned listed; /* how many stood there before the parents came along; 0: none came */
    tpi_word words[TPI_MOST_LIST];
} tpi_classes;

typedef struct tpi_vocabulary tpi_vocabulary;

/* What the manifest of a sensor says about a channel (measure.h). */
typedef struct tpi_channel_facts tpi_channel_facts;

/* Looks a channel up in a manifest, which is a name or a path near the file `beside`. -1: its first
 * channel. What the facts point to lives as long as the vocabulary. */
typedef tp_status tpi_manifest_look(void *context, const char *manifest, int channel,
                                    const char *beside, tpi_channel_facts *out, tp_error *err);

/* Read the text of classes.xml. */
tp_status tpi_vocabulary_read(tpi_vocabulary **out, const char *text, size_t length,
                              const char *path, tp_error *err);
void tpi_vocabulary_destroy(tpi_vocabulary *vocabulary);

/* Robot files with this vocabulary may use manifests. `context` is borrowed. */
void tpi_vocabulary_set_manifests(tpi_vocabulary *vocabulary, tpi_manifest_look *look,
                                  void *context);

/* Look a channel up; TP_E_UNSUPPORTED if no manifests can be read. */
tp_status tpi_vocabulary_look(const tpi_vocabulary *vocabulary, const char *manifest, int channel,
                              const char *beside, tpi_channel_facts *out, tp_error *err);

unsigned tpi_vocabulary_count(const tpi_vocabulary *vocabulary);
const tpi_device_class *tpi_vocabulary_class(const tpi_vocabulary *vocabulary, int class);

/* The class that a word or synonym means, in any language of the file; -1 for none. */
int tpi_vocabulary_find(const tpi_vocabulary *vocabulary, const char *word);

/* The name that was most likely meant: `; did you mean "Light Sensor"?` or "". */
const char *tpi_vocabulary_hint(const tpi_vocabulary *vocabulary, const char *word, char *out,
                                size_t size);

/* Whether two senses are opposite: "far" and "near". NULL is opposite to nothing. */
bool tpi_vocabulary_opposite(const tpi_vocabulary *vocabulary, const char *a, const char *b);

/* Whether two words mean the same. */
bool tpi_word_same(const tpi_word *a, const tpi_word *b);

/* Append a word, unless the list has it; false if the list is full. The text is borrowed. */
bool tpi_classes_add(tpi_classes *list, const tpi_vocabulary *vocabulary, const char *word);

/* Append the words of a text with commas or line ends between them, as far as they fit. The words
 * are copied into the arena. Fails if memory runs out or there are too many. */
tp_status tpi_classes_read(tpi_classes *list, const tpi_vocabulary *vocabulary, tpi_arena *arena,
                           const char *text);

/* Append the parents of all words of the list, near ones first, that it lacks; generic words are
 * left out. */
void tpi_classes_add_parents(tpi_classes *list, const tpi_vocabulary *vocabulary);

/* The place of a word in the list; -1 if it is not there. */
int tpi_classes_find(const tpi_classes *list, const tpi_word *word);

#endif
