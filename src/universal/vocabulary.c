/* vocabulary.c - classes, synonyms, senses; see vocabulary.h. */
#include "universal/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MOST_SYNONYMS = 2048, MOST_OPPOSITES = 64 };

struct synonym {
    const char *word;
    uint32_t mark; /* tpi_word_mark() */
    int class;
};

struct tpi_vocabulary {
    tpi_document document; /* its arena has everything here */
    unsigned class_count;
    tpi_device_class classes[TPI_MOST_CLASSES];
    uint32_t marks[TPI_MOST_CLASSES]; /* of their names */
    unsigned synonym_count;
    struct synonym synonyms[MOST_SYNONYMS];
    unsigned opposite_count;
    const char *opposites[MOST_OPPOSITES][2];
    tpi_manifest_look *look; /* NULL: there are no manifests */
    void *context;           /* borrowed */
};

/* ---- Questions ---- */

void tpi_vocabulary_set_manifests(tpi_vocabulary *vocabulary, tpi_manifest_look *look,
                                  void *context)
{
    vocabulary->look = look;
    vocabulary->context = context;
}

tp_status tpi_vocabulary_look(const tpi_vocabulary *vocabulary, const char *manifest, int channel,
                              const char *beside, tpi_channel_facts *out, tp_error *err)
{
    return vocabulary->look != NULL
               ? vocabulary->look(vocabulary->context, manifest, channel, beside, out, err)
               : tp_fail(err, TP_E_UNSUPPORTED, "manifests of sensors cannot be read here");
}

unsigned tpi_vocabulary_count(const tpi_vocabulary *vocabulary)
{
    return vocabulary->class_count;
}

const tpi_device_class *tpi_vocabulary_class(const tpi_vocabulary *vocabulary, int class)
{
    return &vocabulary->classes[class];
}

int tpi_vocabulary_find(const tpi_vocabulary *vocabulary, const char *word)
{
    const uint32_t mark = tpi_word_mark(word);

    for (unsigned i = 0; i < vocabulary->class_count; i++) {
        if (vocabulary->marks[i] == mark && tpi_word_equal(vocabulary->classes[i].name, word)) {
            return (int)i;
        }
    }
    for (unsigned i = 0; i < vocabulary->synonym_count; i++) {
        if (vocabulary->synonyms[i].mark == mark &&
            tpi_word_equal(vocabulary->synonyms[i].word, word)) {
            return vocabulary->synonyms[i].class;
        }
    }
    return -1;
}

const char *tpi_vocabulary_hint(const tpi_vocabulary *vocabulary, const char *word, char *out,
                                size_t size)
{
    tpi_nearest nearest;

    tpi_nearest_init(&nearest, word);
    for (unsigned i = 0; i < vocabulary->class_count; i++) {
        tpi_nearest_offer(&nearest, vocabulary->classes[i].name);
    }
    for (unsigned i = 0; i < vocabulary->synonym_count; i++) {
        tpi_nearest_offer(&nearest, vocabulary->synonyms[i].word);
    }
    return tpi_nearest_hint(&nearest, out, size);
}

bool tpi_vocabulary_opposite(const tpi_vocabulary *vocabulary, const char *a, const char *b)
{
    if (a == NULL || b == NULL) {
        return false;
    }
    for (unsigned i = 0; i < vocabulary->opposite_count; i++) {
        const char *const *pair = vocabulary->opposites[i];
        if ((strcmp(pair[0], a) == 0 && strcmp(pair[1], b) == 0) ||
            (strcmp(pair[0], b) == 0 && strcmp(pair[1], a) == 0)) {
            return true;
        }
    }
    return false;
}

/* ---- Reading ---- */

static tp_status add_synonym(tpi_vocabulary *v, const tpi_element *element, const char *word,
                             int class)
{
    const int known = tpi_vocabulary_find(v, word);

    if (known >= 0 && known != class) {
        return tpi_element_fail(&v->document, element, "\"%.40s\" means \"%.40s\" already", word,
                                v->classes[known].name);
    }
    if (v->synonym_count == MOST_SYNONYMS) {
        return tpi_element_fail(&v->document, element, "over %d synonyms", MOST_SYNONYMS);
    }
    v->synonyms[v->synonym_count++] = (struct synonym){word, tpi_word_mark(word), class};
    return TP_OK;
}

static tp_status add_synonyms(tpi_vocabulary *v, const tpi_element *element, const char *list,
                              int class)
{
    bool failed = false;
    const char *word;

    while (list != NULL && (word = tpi_list_next(&v->document.arena, &list, &failed)) != NULL) {
        const tp_status status = add_synonym(v, element, word, class);
        if (status != TP_OK) {
            return status;
        }
    }
    return failed ? tpi_document_no_memory(&v->document) : TP_OK;
}

static tp_status read_quantity(tpi_vocabulary *v, const tpi_element *element,
                               tpi_device_class *class)
{
    class->quantity = tpi_element_get(element, "quantity");
    class->unit = tpi_element_get(element, "unit");
    if ((class->quantity == NULL) != (class->unit == NULL)) {
        return tpi_element_fail(&v->document, element,
                                "quantity and unit belong together; write both");
    }
    tp_status status =
        tpi_element_number(&v->document, element, "resolution", 1e-9, 1e9, 1, &class->resolution);
    double pair[2] = {0, 0};
    if (status == TP_OK) {
        status = tpi_element_pair(&v->document, element, "range", pair);
    }
    class->low = pair[0];
    class->high = pair[1];
    return status;
}

static tp_status read_class(tpi_vocabulary *v, const tpi_element *element)
{
    static const char *const names[] = {"name",  "parents",    "synonyms", "quantity", "unit",
                                        "range", "resolution", "high",     "read",     "generic",
                                        "open",  "inner",      NULL};
    tpi_device_class *class = &v->classes[v->class_count];
    tp_status status = tpi_element_only(&v->document, element, names);
    const char *read = tpi_element_get(element, "read");

    if (status == TP_OK &&
        (class->name = tpi_element_need(&v->document, element, "name")) == NULL) {
        status = TP_E_INVALID;
    }
    if (status == TP_OK && v->class_count == TPI_MOST_CLASSES - 1) {
        status = tpi_element_fail(&v->document, element, "over %d classes", TPI_MOST_CLASSES - 1);
    }
    if (status == TP_OK && tpi_vocabulary_find(v, class->name) >= 0) {
        status = tpi_element_fail(&v->document, element, "\"%.40s\" is there twice", class->name);
    }
    if (status == TP_OK) {
        status = tpi_element_flag(&v->document, element, "generic", &class->is_generic);
    }
    if (status == TP_OK) {
        status = tpi_element_flag(&v->document, element, "open", &class->is_open);
    }
    if (status == TP_OK) {
        status = tpi_element_flag(&v->document, element, "inner", &class->is_inner);
    }
    if (status == TP_OK) {
        status = read_quantity(v, element, class);
    }
    class->sense = tpi_element_get(element, "high");
    class->read = read != NULL ? tpi_dictionary_named(read) : TPI_COMMANDS;
    if (status == TP_OK && read != NULL && class->read == TPI_COMMANDS) {
        status = tpi_element_fail(&v->document, element, "read=\"%.30s\" is no command", read);
    }
    if (status != TP_OK) {
        return status;
    }
    v->marks[v->class_count++] = tpi_word_mark(class->name);
    return add_synonyms(v, element, tpi_element_get(element, "synonyms"), (int)v->class_count - 1);
}

static tp_status read_opposite(tpi_vocabulary *v, const tpi_element *element)
{
    const char *a = tpi_element_need(&v->document, element, "a");
    const char *b = a != NULL ? tpi_element_need(&v->document, element, "b") : NULL;

    if (b == NULL) {
        return TP_E_INVALID;
    }
    if (v->opposite_count == MOST_OPPOSITES) {
        return tpi_element_fail(&v->document, element, "over %d pairs", MOST_OPPOSITES);
    }
    v->opposites[v->opposite_count][0] = a;
    v->opposites[v->opposite_count++][1] = b;
    return TP_OK;
}

/* <word lang="de" of="Light Sensor">Lichtsensor, Helligkeit</word> */
static tp_status read_word(tpi_vocabulary *v, const tpi_element *element)
{
    const char *of = tpi_element_need(&v->document, element, "of");
    char hint[80];

    if (of == NULL || tpi_element_need(&v->document, element, "lang") == NULL) {
        return TP_E_INVALID;
    }
    const int class = tpi_vocabulary_find(v, of);
    if (class < 0) {
        return tpi_element_fail(&v->document, element, "of=\"%.40s\" is no class%s", of,
                                tpi_vocabulary_hint(v, of, hint, sizeof hint));
    }
    return add_synonyms(v, element, element->text, class);
}

static tp_status read_parents(tpi_vocabulary *v, const tpi_element *element,
                              tpi_device_class *class)
{
    const char *list = tpi_element_get(element, "parents");
    bool failed = false;
    const char *word;
    char hint[80];

    while (list != NULL && (word = tpi_list_next(&v->document.arena, &list, &failed)) != NULL) {
        const int parent = tpi_vocabulary_find(v, word);
        if (parent < 0 || class->parent_count == TPI_MOST_PARENTS) {
            return tpi_element_fail(&v->document, element,
                                    parent < 0 ? "the parent \"%.40s\" is no class%s"
                                               : "the parent \"%.40s\" is over the 4 that fit%s",
                                    word, tpi_vocabulary_hint(v, word, hint, sizeof hint));
        }
        class->parents[class->parent_count++] = parent;
    }
    return failed ? tpi_document_no_memory(&v->document) : TP_OK;
}

/* Whether a class has an ancestor, or is it. */
static bool descends(const tpi_vocabulary *v, int class, int ancestor, unsigned depth)
{
    if (class == ancestor) {
        return true;
    }
    for (unsigned i = 0; i < v->classes[class].parent_count && depth > 0; i++) {
        if (descends(v, v->classes[class].parents[i], ancestor, depth - 1)) {
            return true;
        }
    }
    return false;
}

/* No class may be its own ancestor; each ends in Input or Output. */
static tp_status check_parents(tpi_vocabulary *v, const tpi_element *element, int class)
{
    enum { DEPTH = 12 };
    const int input = tpi_vocabulary_find(v, "Input"), output = tpi_vocabulary_find(v, "Output");

    for (unsigned i = 0; i < v->classes[class].parent_count; i++) {
        if (descends(v, v->classes[class].parents[i], class, DEPTH)) {
            return tpi_element_fail(&v->document, element,
                                    "it is its own ancestor; remove a parent");
        }
    }
    v->classes[class].is_output = output >= 0 && descends(v, class, output, DEPTH);
    v->classes[class].is_input = input >= 0 && descends(v, class, input, DEPTH);
    if (!v->classes[class].is_output && !v->classes[class].is_input) {
        return tpi_element_fail(&v->document, element,
                                "it has no way to Input or Output; give it a parent");
    }
    return TP_OK;
}

static tp_status read_elements(tpi_vocabulary *v)
{
    static const char *const names[] = {"class", "opposite", "word", NULL};

    for (const tpi_element *e = v->document.root->first; e != NULL; e = e->next) {
        const tp_status status = strcmp(e->name, "class") == 0      ? read_class(v, e)
                                 : strcmp(e->name, "opposite") == 0 ? read_opposite(v, e)
                                 : strcmp(e->name, "word") == 0
                                     ? read_word(v, e)
                                     : tpi_element_unexpected(&v->document, e, names);
        if (status != TP_OK) {
            return status;
        }
    }
    return TP_OK;
}

/* The parents, once all classes are known. */
static tp_status read_relations(tpi_vocabulary *v)
{
    tp_status status = TP_OK;

    for (int pass = 0; pass < 2; pass++) {
        int class = 0;
        for (const tpi_element *e = v->document.root->first; e != NULL && status == TP_OK;
             e = e->next) {
            if (strcmp(e->name, "class") == 0) {
                status =
                    pass == 0 ? read_parents(v, e, &v->classes[class]) : check_parents(v, e, class);
                class ++;
            }
        }
    }
    return status;
}

tp_status tpi_vocabulary_read(tpi_vocabulary **out, const char *text, size_t length,
                              const char *path, tp_error *err)
{
    static const char *const names[] = {"version", NULL};
    tpi_vocabulary *v = calloc(1, sizeof *v);

    if (v == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    tp_status status = tpi_document_read(&v->document, text, length, path, err);
    if (status == TP_OK && strcmp(v->document.root->name, "classes") != 0) {
        status = tpi_element_fail(&v->document, v->document.root,
                                  "a vocabulary begins with <classes version=\"1\">");
    }
    if (status == TP_OK) {
        status = tpi_element_version(&v->document, v->document.root);
    }
    if (status == TP_OK) {
        status = tpi_element_only(&v->document, v->document.root, names);
    }
    if (status == TP_OK) {
        status = read_elements(v);
    }
    if (status == TP_OK) {
        status = read_relations(v);
    }
    if (status != TP_OK) {
        tpi_vocabulary_destroy(v);
        return status;
    }
    *out = v;
    return TP_OK;
}

void tpi_vocabulary_destroy(tpi_vocabulary *vocabulary)
{
    if (vocabulary != NULL) {
        tpi_document_fini(&vocabulary->document);
        free(vocabulary);
    }
}
