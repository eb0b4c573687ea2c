/* description_fuzz.c - any text as a description that a server sends: what is accepted is written
 * and read again as the same interface, and what is known stays as it is. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LONGEST = 256 << 10 };

static tp_catalogue *create(void)
{
    tp_catalogue *catalogue = NULL;

    fuzz_require(tp_catalogue_create(&catalogue, NULL) == TP_OK, "no memory");
    return catalogue;
}

/* The interface that a text has added; NULL if there is none. */
static const tp_interface *find_new(const tp_catalogue *catalogue)
{
    const tp_interface *found = NULL;
    size_t more = 0;

    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (!tp_interface_is_builtin(interface)) {
            found = interface;
            more++;
        }
    }
    fuzz_require(more <= 1, "a text adds more than one interface");
    fuzz_require(tp_catalogue_size(catalogue) == tp_catalogue_size(fuzz_catalogue()) + more,
                 "an interface is gone");
    return found;
}

static void compare(tp_status (*describe)(char **out, const tp_interface *interface),
                    const tp_interface *a, const tp_interface *b, const char *what)
{
    char *texts[2] = {NULL, NULL};

    fuzz_require(describe(&texts[0], a) == TP_OK && describe(&texts[1], b) == TP_OK, "no memory");
    fuzz_require(strcmp(texts[0], texts[1]) == 0, what);
    free(texts[0]);
    free(texts[1]);
}

/* The layouts, of which the JSON text says nothing. */
static void compare_layouts(const tp_interface *a, const tp_interface *b)
{
    fuzz_require(a->struct_count == b->struct_count, "a struct is gone");
    for (uint32_t i = 0; i < a->struct_count; i++) {
        fuzz_require(a->structs[i]->size == b->structs[i]->size &&
                         a->structs[i]->wire_min == b->structs[i]->wire_min,
                     "a struct has another layout");
    }
}

static void read_again(const tp_interface *interface)
{
    tp_catalogue *other = create();
    char *text = NULL;
    tp_error err = {0};

    fuzz_require(tp_interface_padi(&text, interface) == TP_OK, "cannot write");
    const size_t length = strlen(text);
    if (length <= LONGEST) {
        fuzz_require(tp_catalogue_load_text(other, "again", text, length, &err) == TP_OK,
                     "what was written cannot be read");
        const tp_interface *again = find_new(other);
        fuzz_require(again != NULL, "it is not there");
        compare(tp_interface_json, interface, again, "it means something else");
        compare(tp_interface_padi, interface, again, "it is written in another way");
        compare_layouts(interface, again);
    }
    free(text);
    tp_catalogue_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tp_catalogue *catalogue = create();
    tp_error err = {0};
    const tp_status status =
        tp_catalogue_load_text(catalogue, "it", (const char *)data, size, &err);
    const tp_interface *interface = find_new(catalogue);

    fuzz_require((status == TP_OK) == (interface != NULL), "a refused text adds an interface");
    fuzz_require(status == TP_OK || strncmp(err.text, "it:", 3) == 0, "an error without a place");
    if (interface != NULL) {
        fuzz_require(interface->code >= 200, "it takes a code of Player");
        read_again(interface);
    }
    tp_catalogue_destroy(catalogue);
    return 0;
}
