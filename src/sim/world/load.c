/* load.c - a world file and its top level. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "convert/cfg_notes.h"
#include "sim/world/world.h"

enum { LONGEST_FILE = 64 << 20, MOST_MISTAKES = 20 };

tp_status tpi_sim_no_memory(const struct sim_loader *loader)
{
    return tp_fail(loader->reader.err, TP_E_NOMEM, "%s: out of memory", loader->reader.file);
}

/* ---- The top level --------------------------------------------------------------------------- */

static tp_status read_interval(struct sim_loader *loader, tpi_cfg_section *root)
{
    double ms = 100;
    tp_status status = tpi_sim_read_number(&loader->reader, root, "interval_sim", 'F', &ms);

    if (status == TP_OK && !(ms >= 0.001 && ms <= 1e6)) {
        return tpi_cfg_fail(&tpi_cfg_find(root, "interval_sim")->place, loader->reader.err,
                            "\"interval_sim\" is from 0.001 to 1e6 ms, not %.15g", ms);
    }
    loader->sim->interval_us = (int64_t)(ms * 1000 + 0.5);
    return status;
}

static tp_status read_world(struct sim_loader *loader, tpi_cfg_section *root)
{
    const char *title = NULL;
    double quit_s = 0;
    tp_status status = read_interval(loader, root);

    (void)tpi_cfg_find(root, "size"); /* old files say how large the world is */
    if (status == TP_OK) {
        status = tpi_sim_read_number(&loader->reader, root, "quit_time", 'F', &quit_s);
    }
    if (status == TP_OK && quit_s < 0) {
        tpi_sim_note(&loader->reader, &tpi_cfg_find(root, "quit_time")->place,
                     "\"quit_time\" is negative: the world never ends");
    }
    if (status == TP_OK) {
        status = tpi_sim_read_text(&loader->reader, root, "name", &title);
    }
    if (status != TP_OK) {
        return status;
    }
    title = title == NULL ? loader->reader.file : title;
    loader->sim->title = tpi_arena_text(&loader->sim->arena, title, strlen(title));
    loader->sim->quit_us = quit_s > 0 && quit_s < 1e12 ? (int64_t)(quit_s * 1e6) : 0;
    return loader->sim->title != NULL ? TP_OK : tpi_sim_no_memory(loader);
}

/* The models after one with a mistake are looked at for theirs, which become notes: a user mends
 * all of them at once. Nothing is built then. */
static void look_further(struct sim_loader *loader, tpi_cfg_section *root, uint32_t from)
{
    tp_error *const first = loader->reader.err;
    unsigned told = 0;

    for (uint32_t i = from; i < root->section_count && told < MOST_MISTAKES; i++) {
        tp_error err = {.text = ""};

        loader->reader.err = &err;
        if (!tpi_sim_is_window(root->sections[i]->type) &&
            tpi_sim_load_tree(loader, root->sections[i]) != TP_OK) {
            loader->reader.note(loader->reader.context, err.text);
            told++;
        }
    }
    loader->reader.err = first;
}

static tp_status read_models(struct sim_loader *loader, tpi_cfg_section *root)
{
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < root->section_count && status == TP_OK; i++) {
        tpi_cfg_section *section = root->sections[i];
        if (!tpi_sim_is_window(section->type)) {
            status = tpi_sim_load_tree(loader, section);
            if (status != TP_OK && status != TP_E_NOMEM && loader->reader.note != NULL) {
                look_further(loader, root, i + 1);
            }
        } else if (strcmp(section->type, "window") != 0) {
            tpi_sim_note(&loader->reader, &section->place,
                         "\"%s\" is an old word: this is a \"window\" now", section->type);
        }
    }
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static tp_status load_world(struct sim_loader *loader, tpi_cfg *cfg)
{
    tpi_cfg_section *root = tpi_cfg_root(cfg);
    tp_status status;

    loader->cfg = cfg;
    loader->reader.metre = tpi_cfg_length_unit(root);
    loader->reader.radian = tpi_cfg_angle_unit(root);
    loader->interner.arena = &loader->sim->arena;
    tpi_buf_putc(&loader->names, '\0'); /* the name 0 is none */
    status = read_world(loader, root);
    if (status == TP_OK) {
        status = tpi_sim_load_scene(loader, root);
    }
    if (status == TP_OK) {
        status = read_models(loader, root);
    }
    if (status == TP_OK && loader->reader.note != NULL) {
        tpi_sim_note_unused(loader, root);
        tpi_sim_check_rangers(loader);
    }
    return status == TP_OK ? tpi_sim_build(loader) : status;
}

static void loader_fini(struct sim_loader *loader)
{
    tpi_sim_interner_fini(&loader->interner);
    tpi_sim_draft_fini(&loader->draft);
    tpi_sim_shape_fini(&loader->shape);
    tpi_buf_fini(&loader->settings);
    tpi_buf_fini(&loader->config);
    tpi_buf_fini(&loader->names);
    tpi_buf_fini(&loader->seeds);
    tpi_buf_fini(&loader->eyes);
    tpi_buf_fini(&loader->claims);
    tpi_cfg_table_fini(&loader->claimed);
}

static tp_status parse(tpi_sim *sim, const char *path, const char *text, size_t length,
                       const tpi_sim_options *options, tp_error *err)
{
    tpi_cfg_notes notes = {.note = options->note, .context = options->context};
    const tpi_cfg_options as_stage = {.dialect = TPI_CFG_STAGE,
                                      .folders = options->path,
                                      .note = options->note == NULL ? NULL : tpi_cfg_notes_add,
                                      .context = &notes,
                                      .is_built_in = tpi_sim_is_built_in};
    struct sim_loader loader = {
        .reader = {.file = path,
                   .folders = options->path,
                   .note = as_stage.note,
                   .context = &notes,
                   .err = err},
        .sim = sim,
        .options = options,
    };
    tpi_cfg *cfg = NULL;
    tp_status status = tpi_cfg_parse_as(&cfg, path, text, length, &as_stage, err);

    if (status == TP_OK) {
        status = load_world(&loader, cfg);
    }
    loader_fini(&loader);
    tpi_cfg_destroy(cfg);
    tpi_cfg_notes_tell(&notes);
    return status;
}

tp_status tpi_sim_parse(tpi_sim **out, const char *path, const char *text, size_t length,
                        const tpi_sim_options *options, tp_error *err)
{
    static const tpi_sim_options usual = {0};
    tpi_sim *sim = calloc(1, sizeof *sim);

    *out = NULL;
    if (sim == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", path);
    }
    options = options == NULL ? &usual : options;
    sim->seed = options->seed;
    sim->crew = options->crew;
    tp_status status = parse(sim, path, text, length, options, err);
    if (status != TP_OK) {
        tpi_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return TP_OK;
}

tp_status tpi_sim_load(tpi_sim **out, const char *path, const tpi_sim_options *options,
                       tp_error *err)
{
    tpi_buf text = {0};

    *out = NULL;
    tp_status status = tpi_file_read(&text, path, LONGEST_FILE, err);
    if (status == TP_OK) {
        status = tpi_sim_parse(out, path, tpi_buf_text(&text), text.length, options, err);
    }
    tpi_buf_fini(&text);
    return status;
}
