/*
 * names.c - names in lists, and models that are called alike.
 *
 * A name leads to the model that has it last in the file, as in Stage; the name that a model would
 * have without one always leads to itself.
 */
#include <string.h>

#include "sim/world/world.h"

bool tpi_sim_is_among(const char *const *names, const char *name)
{
    for (; names != NULL && *names != NULL; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Of models ------------------------------------------------------------------------------- */

enum { MOST_COMPARED = 64 }; /* siblings; what takes longer is not worth it */

static void tell(const struct sim_loader *loader, const tpi_cfg_place *place, const char *name,
                 const tpi_cfg_place *other)
{
    if (place->file == other->file && place->line == other->line &&
        place->column == other->column) {
        tpi_sim_note(&loader->reader, place,
                     "several models get the name \"%.60s\" from this line; it is the last one's",
                     name);
    } else {
        tpi_sim_note(&loader->reader, place,
                     "the name \"%.60s\" is that of %s:%u:%u, too; from here on it is this model's",
                     name, other->file, other->line, other->column);
    }
}

tp_status tpi_sim_claim_name(struct sim_loader *loader, const char *name,
                             const tpi_cfg_place *place, bool *again)
{
    uint32_t number = (uint32_t)(loader->claims.length / sizeof *place);

    *again = tpi_cfg_table_get(&loader->claimed, NULL, name, &number);
    if (*again) {
        tpi_cfg_place *owner = (tpi_cfg_place *)(void *)loader->claims.data + number;
        tell(loader, place, name, owner);
        *owner = *place;
        return TP_OK;
    }
    tpi_buf_put(&loader->claims, place, sizeof *place);
    return loader->claims.failed || !tpi_cfg_table_add(&loader->claimed, NULL, name, number)
               ? tpi_sim_no_memory(loader)
               : TP_OK;
}

/* The name of a model among those that stand on the same one; NULL if it has none there. */
static const char *name_of(tpi_cfg_section *section, const tpi_sim_type *parent)
{
    const bool model =
        strcmp(section->type, "block") != 0 && !tpi_sim_is_section_of(parent, section->type);
    const tpi_cfg_field *field = model ? tpi_cfg_find(section, "name") : NULL;
    const char *name = field == NULL || field->value_count == 0 ? "" : field->values[0].text;

    return name[0] == '\0' || (name[0] == '/' && name[1] != '\0') ? NULL : name;
}

void tpi_sim_check_sibling(const struct sim_loader *loader, const tpi_cfg_section *parent,
                           const tpi_sim_type *type, uint32_t i)
{
    const char *name = name_of(parent->sections[i], type);
    uint32_t compared = 0;

    for (uint32_t k = i; name != NULL && compared < MOST_COMPARED && k-- > 0;) {
        const char *other = name_of(parent->sections[k], type);
        compared += other != NULL;
        if (other != NULL && strcmp(other, name) == 0) {
            tell(loader, &parent->sections[i]->place, name, &parent->sections[k]->place);
            return;
        }
    }
}
