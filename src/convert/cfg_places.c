/* cfg_places.c - the folders in which a file was looked for, as an error tells them. */
#include <string.h>

#include "convert/cfg_parser.h"

enum { MOST_PLACES = 64 };

struct place {
    const char *text; /* borrowed */
    size_t length;
};

struct places {
    struct place items[MOST_PLACES];
    size_t count; /* also of those that have no room */
};

static bool is_equal(const struct place *a, const struct place *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void add(struct places *places, struct place place)
{
    while (place.length > 1 && place.text[place.length - 1] == '/') {
        place.length--;
    }
    for (size_t i = 0; i < places->count && i < MOST_PLACES; i++) {
        if (is_equal(&places->items[i], &place)) {
            return;
        }
    }
    if (places->count < MOST_PLACES) {
        places->items[places->count] = place;
    }
    places->count++;
}

static void add_folder_of(struct places *places, const char *file)
{
    const char *slash = strrchr(file, '/');

    if (slash == NULL) {
        add(places, (struct place){".", 1});
    } else {
        add(places, (struct place){file, slash == file ? 1 : (size_t)(slash - file)});
    }
}

/* How many of them fit into `most` characters; the first one is not told. */
static size_t count_fitting(const struct places *places, size_t most)
{
    size_t length = 0;
    size_t fitting = 1;

    while (fitting < places->count && fitting < MOST_PLACES) {
        length += places->items[fitting].length + 2;
        if (length > most) {
            break;
        }
        fitting++;
    }
    return fitting;
}

static void put(tpi_buf *out, const struct places *places, size_t fitting)
{
    const size_t others = places->count - fitting;

    for (size_t i = 1; i < fitting; i++) {
        const char *before = i == 1 ? "nor is it in " : i + 1 == places->count ? " or " : ", ";
        tpi_buf_printf(out, "%s%.*s", before, (int)places->items[i].length, places->items[i].text);
    }
    if (others > 0) {
        tpi_buf_printf(out, "%s%zu other folder%s", fitting == 1 ? "nor is it in " : " or ", others,
                       others == 1 ? "" : "s");
    }
}

/* How many characters there are in an error beside what it says already. */
static size_t room_in_error(const tpi_cfg_place *place, const char *what)
{
    enum { OTHERS = 60 }; /* line and column, words of our own, and what callers put before them */
    const size_t used = strlen(place->file) + strlen(what) + OTHERS;
    const size_t all = sizeof((tp_error *)NULL)->text;

    return used < all ? all - used : 0;
}

static void find(struct places *places, const tpi_cfg_search *search)
{
    const char *folders = search->folders;

    for (int i = 0; i < 2; i++) {
        add_folder_of(places, search->files[i]);
    }
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        if (length > 0) {
            add(places, (struct place){folders, length});
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
}

/* A note for each that an error has no room for. */
static void tell_rest(const tpi_cfg_search *search, const struct places *places, size_t from,
                      const tpi_cfg_place *place)
{
    for (size_t i = from; search->note != NULL && i < places->count && i < MOST_PLACES; i++) {
        tp_error text;
        tpi_cfg_fail(place, &text, "it is not in %.*s", (int)places->items[i].length,
                     places->items[i].text);
        search->note(search->context, text.text);
    }
}

tp_status tpi_cfg_fail_to_find(const tpi_cfg_search *search, const tpi_cfg_place *place,
                               const char *what, tp_error *err)
{
    struct places places = {.count = 0};
    tpi_buf text = {0};

    find(&places, search);
    const size_t fitting = count_fitting(&places, room_in_error(place, what));
    if (places.count > 1) {
        tpi_buf_puts(&text, "; ");
        put(&text, &places, fitting);
    }
    tell_rest(search, &places, fitting, place);
    tpi_cfg_fail_as(place, TP_E_IO, err, "%s%s", what, tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return TP_E_IO;
}
