/* regions.c - see regions.h. */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

/* ---- Forms ----------------------------------------------------------------------------------- */

enum { MOST_CHILDREN = 16 };

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* A letter and the forms of what is inside, in order; "" if that is too long. */
static void join(char out[REGIONS_FORM], bool white, char children[][REGIONS_FORM], size_t count)
{
    size_t length = 2;

    qsort(children, count, REGIONS_FORM, by_text);
    out[0] = '(';
    out[1] = white ? 'w' : 'b';
    for (size_t i = 0; i < count; i++) {
        const size_t more = strlen(children[i]);
        if (more == 0 || length + more + 2 > REGIONS_FORM) {
            out[0] = '\0';
            return;
        }
        memcpy(out + length, children[i], more);
        length += more;
    }
    out[length] = ')';
    out[length + 1] = '\0';
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\n");
}

/* Read one list; where it ends, or NULL. */
static const char *read_list(const char *at, char form[REGIONS_FORM], unsigned depth)
{
    char children[MOST_CHILDREN][REGIONS_FORM];
    size_t count = 0;

    at = skip_blanks(at);
    if (*at != '(' || depth > MOST_CHILDREN) {
        return NULL;
    }
    at = skip_blanks(at + 1);
    const bool white = strncmp(at, "white", 5) == 0;
    if (!white && strncmp(at, "black", 5) != 0) {
        return NULL;
    }
    at = skip_blanks(at + 5);
    while (at != NULL && *at == '(') {
        if (count == MOST_CHILDREN) {
            return NULL;
        }
        at = read_list(at, children[count++], depth + 1);
        at = at == NULL ? NULL : skip_blanks(at);
    }
    if (at == NULL || *at != ')') {
        return NULL;
    }
    join(form, white, children, count);
    return form[0] == '\0' ? NULL : at + 1;
}

bool tpi_regions_form(const char *text, char form[REGIONS_FORM])
{
    const char *end = read_list(text, form, 0);

    return end != NULL && *skip_blanks(end) == '\0';
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* The label that stands for one: labels of the same region lead to it. */
static uint32_t root_of(uint32_t *links, uint32_t label)
{
    while (links[label] != label) {
        links[label] = links[links[label]];
        label = links[label];
    }
    return label;
}

/* Two neighbours are of one region: the one that came first stands for both. */
static void unite(uint32_t *links, uint32_t a, uint32_t b)
{
    a = root_of(links, a);
    b = root_of(links, b);
    links[a > b ? a : b] = a > b ? b : a;
}

/* Each pixel is linked to the first one of its region, by its number. */
static void link_pixels(uint32_t *links, const uint8_t *white, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t at = y * width + x;
            const bool is_white = white[at] != 0;
            links[at] = at;
            if (x > 0 && (white[at - 1] != 0) == is_white) {
                unite(links, at, at - 1);
            }
            if (y > 0 && (white[at - width] != 0) == is_white) {
                unite(links, at, at - width);
            }
            if (y > 0 && x > 0 && !is_white && white[at - width - 1] == 0) {
                unite(links, at, at - width - 1);
            }
            if (y > 0 && x + 1 < width && !is_white && white[at - width + 1] == 0) {
                unite(links, at, at - width + 1);
            }
        }
    }
}

/* What is left of the first pixel of a region is around it. */
static uint32_t find_or_add(struct regions *r, uint32_t at, uint32_t width, bool white)
{
    const uint32_t x = at % width, y = at / width;

    if (r->count == REGIONS_MOST) {
        return UINT32_MAX;
    }
    const uint32_t number = (uint32_t)r->count++;
    const uint32_t around = x > 0 ? r->labels[at - 1] : UINT32_MAX;
    r->all[number] = (struct region){.parent = around == UINT32_MAX ? number : around,
                                     .white = white,
                                     .left = x,
                                     .right = x,
                                     .top = y,
                                     .bottom = y};
    return number;
}

/* Links become numbers of regions, in the order of their first pixels. */
static void count_pixels(struct regions *r, const uint8_t *white, uint32_t width, uint32_t height)
{
    for (uint32_t at = 0; at < width * height; at++) {
        const uint32_t first = root_of(r->labels, at);
        r->labels[at] = first;
    }
    for (uint32_t at = 0; at < width * height; at++) { /* the first one of a region comes first */
        const uint32_t first = r->labels[at];
        const uint32_t number =
            first == at ? find_or_add(r, at, width, white[at] != 0) : r->labels[first];
        r->labels[at] = number;
        if (number != UINT32_MAX) {
            struct region *region = &r->all[number];
            const uint32_t x = at % width;
            region->area++;
            region->left = x < region->left ? x : region->left;
            region->right = x > region->right ? x : region->right;
            region->bottom = at / width;
        }
    }
}

/* From the last to the first: what is inside has a higher number. */
static void form_all(struct regions *r, uint32_t least)
{
    for (size_t i = r->count; i-- > 0;) {
        char children[MOST_CHILDREN][REGIONS_FORM];
        size_t count = 0;
        for (size_t k = i + 1; k < r->count && count <= MOST_CHILDREN; k++) {
            if (r->all[k].parent == i && r->all[k].area >= least) {
                if (count < MOST_CHILDREN) {
                    memcpy(children[count], r->all[k].form, REGIONS_FORM);
                }
                count++;
            }
        }
        if (count <= MOST_CHILDREN && r->all[i].area >= least) {
            join(r->all[i].form, r->all[i].white, children, count);
        }
    }
}

bool tpi_regions_find(struct regions *r, const uint8_t *white, uint32_t width, uint32_t height,
                      uint32_t least)
{
    const size_t pixels = (size_t)width * height;

    r->count = 0;
    if (pixels == 0 || pixels > REGIONS_MOST_PIXELS) {
        return pixels == 0;
    }
    if (r->all == NULL) {
        r->all = malloc(REGIONS_MOST * sizeof *r->all);
    }
    if (r->room < pixels) {
        free(r->labels);
        r->labels = malloc(pixels * sizeof *r->labels);
        r->room = r->labels == NULL ? 0 : pixels;
    }
    if (r->all == NULL || r->labels == NULL) {
        return false;
    }
    link_pixels(r->labels, white, width, height);
    count_pixels(r, white, width, height);
    form_all(r, least);
    return true;
}

void tpi_regions_fini(struct regions *r)
{
    free(r->all);
    free(r->labels);
    *r = (struct regions){0};
}
