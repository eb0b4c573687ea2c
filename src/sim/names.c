/*
 * names.c - models by name.
 *
 * A name of its own is in a table. The names that models have without one (TYPE:k, or
 * PARENT.TYPE:k) and those of children (PARENT.NAME) are not kept anywhere: they are taken apart.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/inside.h"
#include "sim/maths.h"

/* ---- The table ------------------------------------------------------------------------------- */

/* The name that a model has in the whole world; NULL if it has none. */
static const char *world_name(const tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];
    const struct sim_member *member = sim_member_of(sim, model);

    if (member->parent == TPI_SIM_NONE) {
        return sim->trees.name[tree] == 0 ? NULL : sim->names.text + sim->trees.name[tree];
    }
    return member->global ? member->name : NULL;
}

/* Where in the table a name is, or would be. The table has free places. */
static uint32_t *place_of(const tpi_sim *sim, const char *name, size_t length)
{
    uint64_t at = sim_hash_bytes(0, name, length);

    for (;; at++) {
        uint32_t *place = &sim->names.table[at & (sim->names.table_size - 1)];
        if (*place == TPI_SIM_NONE) {
            return place;
        }
        const char *there = world_name(sim, *place);
        if (strncmp(there, name, length) == 0 && there[length] == '\0') {
            return place;
        }
    }
}

/* Of two with one name the later in the file has it. */
static bool is_later(const tpi_sim *sim, tpi_sim_model model, tpi_sim_model other)
{
    if (other == TPI_SIM_NONE) {
        return true;
    }
    const uint32_t tree = sim->tree_of[model];
    const uint32_t rival = sim->tree_of[other];
    return tree == rival ? model > other : sim->trees.order[tree] > sim->trees.order[rival];
}

tp_status tpi_sim_index_names(tpi_sim *sim, tp_error *err)
{
    uint32_t named = 0;

    for (tpi_sim_model i = 0; i < sim->model_count; i++) {
        named += world_name(sim, i) != NULL ? 1 : 0;
    }
    sim->names.table_size = 16;
    while (sim->names.table_size < 2 * named) {
        sim->names.table_size *= 2;
    }
    sim->names.table = tpi_sim_take(sim, sim->names.table_size, sizeof sim->names.table[0]);
    if (sim->names.table == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memset(sim->names.table, 0xff, sim->names.table_size * sizeof sim->names.table[0]);
    for (tpi_sim_model i = 0; i < sim->model_count; i++) {
        const char *name = world_name(sim, i);
        uint32_t *place = name == NULL ? NULL : place_of(sim, name, strlen(name));
        if (place != NULL && is_later(sim, i, *place)) {
            *place = i;
        }
    }
    return TP_OK;
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* A piece of a name, and what it says if it is "TYPE:ordinal". */
struct piece {
    const char *text; /* borrowed */
    size_t length;
    size_t type_length; /* 0 if it is none */
    uint32_t ordinal;
};

static struct piece piece_of(const char *text, size_t length)
{
    struct piece piece = {.text = text, .length = length};
    size_t digits = length;
    uint64_t ordinal = 0;

    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') {
        digits--;
    }
    if (digits < 2 || digits == length || length - digits > 9 || text[digits - 1] != ':') {
        return piece;
    }
    for (size_t i = digits; i < length; i++) {
        ordinal = ordinal * 10 + (uint64_t)(text[i] - '0');
    }
    piece.type_length = digits - 1;
    piece.ordinal = (uint32_t)ordinal;
    return piece;
}

static bool is_automatic(const struct piece *piece, const tpi_sim_type *type, uint32_t ordinal)
{
    return piece->type_length > 0 && piece->ordinal == ordinal &&
           strncmp(piece->text, type->name, piece->type_length) == 0 &&
           type->name[piece->type_length] == '\0';
}

static bool is_named(const struct piece *piece, const char *name)
{
    return name != NULL && strncmp(piece->text, name, piece->length) == 0 &&
           name[piece->length] == '\0';
}

/* A model by the whole name that it has in the world. */
static tpi_sim_model find_whole(const tpi_sim *sim, const struct piece *piece)
{
    const tpi_sim_model named = *place_of(sim, piece->text, piece->length);

    for (uint32_t i = 0; named == TPI_SIM_NONE && piece->type_length > 0 && i < sim->trees.count;
         i++) {
        if (is_automatic(piece, sim->trees.template[i] -> members[0].type, sim->trees.ordinal[i])) {
            return sim->trees.model[i];
        }
    }
    return named;
}

/* What stands on a member under the name `rest`, which may have dots; TPI_SIM_NONE for nothing. */
static uint32_t find_within(const struct sim_template *template, uint32_t parent, const char *rest)
{
    for (size_t end = strcspn(rest, ".");; end += 1 + strcspn(rest + end + 1, ".")) {
        const struct piece piece = piece_of(rest, end);
        /* of two with one name the later has it */
        for (uint32_t i = parent + template->members[parent].family - 1; i > parent; i--) {
            const struct sim_member *member = &template->members[i];
            if (member->parent != parent ||
                !(is_named(&piece, member->global ? NULL : member->name) ||
                  is_automatic(&piece, member->type, member->ordinal))) {
                continue;
            }
            const uint32_t found = rest[end] == '\0' ? i : find_within(template, i, rest + end + 1);
            if (found != TPI_SIM_NONE) {
                return found;
            }
        }
        if (rest[end] == '\0') {
            return TPI_SIM_NONE;
        }
    }
}

/* What stands on a model under the name `rest`. */
static tpi_sim_model find_on(const tpi_sim *sim, tpi_sim_model outer, const char *rest)
{
    const uint32_t tree = sim->tree_of[outer];
    const uint32_t first = sim->trees.model[tree];
    const uint32_t found = find_within(sim->trees.template[tree], outer - first, rest);

    return found == TPI_SIM_NONE ? TPI_SIM_NONE : first + found;
}

tpi_sim_model tpi_sim_find(const tpi_sim *sim, const char *name)
{
    const size_t length = strlen(name);

    for (size_t i = length; i > 0; i--) {
        const struct piece piece = piece_of(name, i);
        tpi_sim_model found = TPI_SIM_NONE;
        if (i == length || name[i] == '.') {
            found = find_whole(sim, &piece);
        }
        if (found != TPI_SIM_NONE && i < length) {
            found = find_on(sim, found, name + i + 1);
        }
        if (found != TPI_SIM_NONE) {
            return found;
        }
    }
    return TPI_SIM_NONE;
}

/* ---- Telling --------------------------------------------------------------------------------- */

void tpi_sim_put_name(const tpi_sim *sim, tpi_sim_model model, tpi_buf *out)
{
    const uint32_t tree = sim->tree_of[model];
    const uint32_t first = sim->trees.model[tree];
    const struct sim_member *member = &sim->trees.template[tree] -> members[model - first];
    const char *own = world_name(sim, model);
    const bool child = member->parent != TPI_SIM_NONE;

    if (own != NULL) {
        tpi_buf_puts(out, own);
        return;
    }
    if (child) {
        tpi_sim_put_name(sim, first + member->parent, out);
        tpi_buf_putc(out, '.');
    }
    if (member->name != NULL) {
        tpi_buf_puts(out, member->name);
    } else {
        tpi_buf_printf(out, "%s:%u", member->type->name,
                       child ? member->ordinal : sim->trees.ordinal[tree]);
    }
}

void tpi_sim_put_hint(const tpi_sim *sim, const char *name, tpi_buf *out)
{
    tpi_nearest nearest;
    tpi_buf candidate = {0};
    char best[64];
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (tpi_sim_model i = 0; i < sim->model_count; i++) {
        tpi_buf_clear(&candidate);
        tpi_sim_put_name(sim, i, &candidate);
        tpi_nearest_offer(&nearest, tpi_buf_text(&candidate));
        if (nearest.best == tpi_buf_text(&candidate)) { /* which the next one overwrites */
            snprintf(best, sizeof best, "%s", nearest.best);
            nearest.best = best;
        }
    }
    tpi_buf_puts(out, tpi_nearest_hint(&nearest, hint, sizeof hint));
    tpi_buf_fini(&candidate);
}
