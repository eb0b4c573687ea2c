/* body.c - the body of a model: its box, blocks, bitmap and boundary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world/world.h"

enum { MOST_POINTS = 1 << 16, MOST_POLYGONS = 1 << 12 }; /* of a block, and of a model */

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* What is read of a block. In old files polygons stand in the model itself, and the names of what
 * is theirs begin with "polygon[0].". */
struct block {
    const char *prefix;       /* borrowed: what the names begin with */
    struct sim_point *points; /* owned */
    uint32_t count, given;    /* how many there are, and have been read */
};

/* The index in "point[12]"; -1 for anything else. */
static long point_index(const char *name)
{
    char *end;

    if (strncmp(name, "point[", 6) != 0 || name[6] < '0' || name[6] > '9') {
        return -1;
    }
    const long index = strtol(name + 6, &end, 10);
    return strcmp(end, "]") == 0 && index >= 0 && index < MOST_POINTS ? index : -1;
}

/* One field of a block, if it is a point. */
static tp_status read_point(struct sim_loader *loader, tpi_cfg_section *section,
                            const tpi_cfg_field *field, struct block *block)
{
    const size_t length = strlen(block->prefix);
    const long index =
        strncmp(field->name, block->prefix, length) == 0 ? point_index(field->name + length) : -1;
    double xy[2] = {0};

    if (index < 0 || index >= (long)block->count) {
        return TP_OK;
    }
    block->given++;
    tp_status status = tpi_sim_read_tuple(&loader->reader, section, field->name, "LL", 2, xy);
    if (status == TP_OK && !(fabs(xy[0]) <= TPI_SIM_FARTHEST && fabs(xy[1]) <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&field->place, loader->reader.err,
                            "the point is farther away than %g m", TPI_SIM_FARTHEST);
    }
    block->points[index] = (struct sim_point){xy[0], xy[1]};
    return status;
}

static tp_status read_points(struct sim_loader *loader, tpi_cfg_section *section,
                             struct block *block)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < section->field_count && status == TP_OK; i++) {
        status = read_point(loader, section, &section->fields[i], block);
    }
    if (status == TP_OK && block->given < block->count) {
        tpi_sim_note(&loader->reader, &section->place,
                     "the block says %u points and gives %u; the others are 0, 0", block->count,
                     block->given);
    }
    return status;
}

/* A polygon from z[0] to z[1]. */
static tp_status load_polygon(struct sim_loader *loader, tpi_cfg_section *section,
                              const char *prefix, const double z[2])
{
    struct block block = {.prefix = prefix};
    char name[40];

    snprintf(name, sizeof name, "%spoints", prefix);
    tp_status status =
        tpi_sim_read_count(&loader->reader, section, name, MOST_POINTS, &block.count);
    if (status != TP_OK) {
        return status;
    }
    if (block.count < 3) {
        tpi_sim_note(&loader->reader, &section->place, "a block of %u points is no body",
                     block.count);
        return TP_OK;
    }
    block.points = calloc(block.count, sizeof block.points[0]);
    if (block.points == NULL) {
        return tpi_sim_no_memory(loader);
    }
    status = read_points(loader, section, &block);
    if (status == TP_OK && tpi_sim_area(block.points, block.count) == 0) {
        tpi_sim_note(&loader->reader, &section->place, "the block has no area");
    }
    if (status == TP_OK) {
        status = tpi_sim_shape_add(&loader->shape, block.points, block.count, z[0], z[1],
                                   loader->reader.err);
    }
    free(block.points);
    return status;
}

static tp_status load_block(struct sim_loader *loader, tpi_cfg_section *section)
{
    double z[2] = {0, 1};
    tp_status status = tpi_sim_read_tuple(&loader->reader, section, "z", "LL", 2, z);

    if (status == TP_OK && !(fabs(z[0]) <= TPI_SIM_FARTHEST && fabs(z[1]) <= TPI_SIM_FARTHEST)) {
        status = tpi_cfg_fail(&tpi_cfg_find(section, "z")->place, loader->reader.err,
                              "the block is higher than %g m", TPI_SIM_FARTHEST);
    }
    if (status == TP_OK && z[0] >= z[1]) {
        tpi_sim_note(&loader->reader, &tpi_cfg_find(section, "z")->place,
                     z[0] == z[1] ? "the block has no height"
                                  : "\"z\" is from %.6g to %.6g; the least comes first",
                     z[0], z[1]);
    }
    return status == TP_OK ? load_polygon(loader, section, "", z) : status;
}

/* Old files: `polygons 1 polygon[0].points 3 polygon[0].point[0] [0 0] ...`. */
static tp_status load_polygons(struct sim_loader *loader, tpi_cfg_section *section)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "polygons");
    const double z[2] = {0, 1};
    uint32_t count = 0;
    tp_status status =
        tpi_sim_read_count(&loader->reader, section, "polygons", MOST_POLYGONS, &count);

    if (field != NULL) {
        tpi_sim_note(&loader->reader, &field->place, "\"polygons\" are called \"block\"s now");
    }
    for (uint32_t i = 0; i < count && status == TP_OK; i++) {
        char prefix[24];
        char filled[40];
        snprintf(prefix, sizeof prefix, "polygon[%u].", i);
        snprintf(filled, sizeof filled, "%sfilled", prefix); /* for a window */
        (void)tpi_cfg_find(section, filled);
        status = load_polygon(loader, section, prefix, z);
    }
    return status;
}

/* A body that is nowhere is more likely a mistake than not. */
static void tell_flat(const struct sim_loader *loader, tpi_cfg_section *section,
                      const double size[3])
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "size");

    if (field != NULL && tpi_sim_shape_count(&loader->shape) > 0 &&
        ((size[0] == 0 && size[1] == 0) || size[2] == 0)) {
        tpi_sim_note(&loader->reader, &field->place, "the body has no %s",
                     size[2] == 0 ? "height" : "width");
    }
}

static tp_status load_blocks(struct sim_loader *loader, tpi_cfg_section *section)
{
    tp_status status = load_polygons(loader, section);

    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        if (strcmp(section->sections[i]->type, "block") == 0) {
            status = load_block(loader, section->sections[i]);
        }
    }
    return status;
}

static bool has_blocks(tpi_cfg_section *section)
{
    if (tpi_cfg_find(section, "polygons") != NULL) {
        return true;
    }
    for (uint32_t i = 0; i < section->section_count; i++) {
        if (strcmp(section->sections[i]->type, "block") == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Bitmaps --------------------------------------------------------------------------------- */

static tp_status load_file(struct sim_bitmap *bitmap, const char *path, bool coloured,
                           tp_error *err)
{
    return coloured ? tpi_sim_bitmap_load_colours(bitmap, path, err)
                    : tpi_sim_bitmap_load(bitmap, path, err);
}

/* In the folders where included files may be; `status` is what it was where it is in none. */
static tp_status try_folders(const struct sim_reader *reader, const char *name, bool coloured,
                             struct sim_bitmap *bitmap, tp_status status)
{
    const char *folder = reader->folders;
    tpi_buf path = {0};

    while (status == TP_E_IO && folder != NULL && *folder != '\0' && name[0] != '/') {
        const size_t length = strcspn(folder, ":");
        tpi_buf_clear(&path);
        tpi_buf_printf(&path, "%.*s/%s", (int)length, folder, name);
        status = length == 0 ? status : load_file(bitmap, tpi_buf_text(&path), coloured, NULL);
        folder += length + (folder[length] == ':' ? 1 : 0);
    }
    tpi_buf_fini(&path);
    return status;
}

/* Beside the world, or else beside the file that names it, or else in our folders. */
static tp_status find_bitmap(const struct sim_reader *reader, const tpi_cfg_value *value,
                             bool coloured, struct sim_bitmap *bitmap, tp_error *err)
{
    const char *const beside[] = {reader->file, value->place.file};
    tp_status status = TP_E_IO;

    for (int i = 0; i < 2 && status == TP_E_IO; i++) {
        tpi_cfg_value name = *value;
        char *path = NULL;
        name.place.file = beside[i];
        status = tpi_cfg_path(&name, &path, err);
        if (status != TP_OK) {
            return status;
        }
        status = load_file(bitmap, path, coloured, i == 0 ? err : NULL);
        free(path);
    }
    return try_folders(reader, value->text, coloured, bitmap, status);
}

/* A picture is nowhere. */
static tp_status fail_to_find(const struct sim_reader *reader, const tpi_cfg_field *field,
                              const tp_error *why)
{
    const bool absolute = field->values[0].text[0] == '/';
    const tpi_cfg_search search = {
        .files = {reader->file, absolute ? reader->file : field->values[0].place.file},
        .folders = absolute ? NULL : reader->folders,
        .note = reader->note,
        .context = reader->context};

    return tpi_cfg_fail_to_find(&search, &field->place, why->text, reader->err);
}

/* Fail at the place of a picture. */
static tp_status blame(const struct sim_reader *reader, const tpi_cfg_field *field,
                       tp_status status, const tp_error *why)
{
    if (status == TP_E_NOMEM || why->text[0] == '\0' || field->values[0].kind != TPI_CFG_STRING) {
        return tp_fail(reader->err, status, "%s", why->text);
    }
    if (status == TP_E_IO) {
        return fail_to_find(reader, field, why);
    }
    tpi_cfg_fail(&field->place, reader->err, "%.180s", why->text);
    return status;
}

tp_status tpi_sim_load_picture(const struct sim_reader *reader, const tpi_cfg_field *field,
                               bool coloured, struct sim_bitmap *bitmap)
{
    tp_error why = {0};

    if (field->value_count == 0 || field->values[0].text[0] == '\0') {
        return tpi_cfg_fail(&field->place, reader->err, "\"%s\" needs a file", field->name);
    }
    tpi_sim_note_surplus(reader, field, 1);
    tp_status status = find_bitmap(reader, &field->values[0], coloured, bitmap, &why);
    return status == TP_OK ? TP_OK : blame(reader, field, status, &why);
}

static tp_status load_bitmap(struct sim_loader *loader, const tpi_cfg_field *field)
{
    struct sim_bitmap bitmap = {0};
    tp_error why = {0};
    tp_status status = tpi_sim_load_picture(&loader->reader, field, false, &bitmap);

    if (status == TP_OK) {
        status = tpi_sim_shape_trace(&loader->shape, &bitmap, &why);
        if (status != TP_OK) {
            tp_wrap(&why, status, field->values[0].text);
            status = blame(&loader->reader, field, status, &why);
        }
    }
    if (status == TP_OK && tpi_sim_shape_count(&loader->shape) == 0) {
        tpi_sim_note(&loader->reader, &field->place,
                     "there is nothing dark in \"%.80s\": the model has no body",
                     field->values[0].text);
    }
    if (status == TP_OK && bitmap.clear) {
        tpi_sim_note(&loader->reader, &field->place,
                     "transparent pixels of \"%.80s\" are dark: they are body, as in Stage",
                     field->values[0].text);
    }
    tpi_sim_bitmap_fini(&bitmap);
    return status == TP_E_NOMEM ? tpi_sim_no_memory(loader) : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

tp_status tpi_sim_load_shape(struct sim_loader *loader, tpi_cfg_section *section,
                             const tpi_sim_type *type, const struct sim_traits *traits)
{
    const tpi_cfg_field *bitmap = tpi_cfg_find(section, "bitmap");
    bool no_blocks = type->bodiless || tpi_sim_old_unseen(section->type);
    bool boundary = false;
    tp_status status = tpi_sim_read_flag(&loader->reader, section, "noblocks", &no_blocks);

    tpi_sim_shape_clear(&loader->shape);
    if (status == TP_OK) {
        status = tpi_sim_read_flag(&loader->reader, section, "boundary", &boundary);
    }
    if (status == TP_OK && bitmap != NULL) {
        status = load_bitmap(loader, bitmap);
    }
    if (status == TP_OK) {
        status = load_blocks(loader, section);
    }
    const bool plain = status == TP_OK && bitmap == NULL && !has_blocks(section);
    if (plain && boundary && (no_blocks || type->kind == TPI_SIM_PLAIN)) { /* a room */
        return tpi_sim_shape_add_room(&loader->shape, traits->size, loader->reader.err);
    }
    if (plain && !no_blocks) {
        status = type->body != NULL
                     ? type->body(&loader->reader, section, &loader->shape)
                     : tpi_sim_shape_add_box(&loader->shape, 0, 0, 1, 1, 0, 1, loader->reader.err);
    }
    if (status != TP_OK) {
        return status;
    }
    tpi_sim_shape_fit(&loader->shape, traits->size);
    tell_flat(loader, section, traits->size);
    return boundary ? tpi_sim_shape_add_boundary(&loader->shape, loader->reader.err) : TP_OK;
}
