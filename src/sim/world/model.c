/* model.c - a model of a world file with its children. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/control.h"
#include "sim/maths.h"
#include "sim/world/supplies.h"
#include "sim/world/world.h"

/* ---- Kinds ----------------------------------------------------------------------------------- */

static void offer_all(tpi_nearest *nearest, const char *const *names)
{
    for (; names != NULL && *names != NULL; names++) {
        tpi_nearest_offer(nearest, *names);
    }
}

bool tpi_sim_is_section_of(const tpi_sim_type *type, const char *word)
{
    return tpi_sim_is_among(type->sections, word);
}

/* Where a section belongs that is no model itself; NULL if that is not known. */
static const char *home_of(const char *word)
{
    for (int i = 0; i < TPI_SIM_KINDS; i++) {
        if (tpi_sim_is_among(tpi_sim_types[i]->sections, word)) {
            return tpi_sim_types[i]->name;
        }
    }
    return strcmp(word, "block") == 0 ? "model" : NULL;
}

bool tpi_sim_is_built_in(const char *word)
{
    return tpi_sim_type_find(word) != NULL || home_of(word) != NULL || strcmp(word, "window") == 0;
}

/* Words that are known, but mean nothing here. */
static tp_status check_word(struct sim_loader *loader, const tpi_cfg_section *section)
{
    const tpi_cfg_place *place = &section->place;
    tp_error *err = loader->reader.err;
    const char *home = home_of(section->type);

    if (tpi_sim_is_window(section->type)) {
        return tpi_cfg_fail(place, err, "\"%s\" belongs at the top of the file", section->type);
    }
    if (strcmp(section->type, "driver") == 0) {
        return tpi_cfg_fail(place, err,
                            "\"driver\" belongs in a configuration (.cfg), not in a world");
    }
    return home == NULL
               ? TP_OK
               : tpi_cfg_fail(place, err, "\"%s\" belongs in a \"%s\"", section->type, home);
}

/* A macro that comes too late; those that might be meant are offered. */
static tp_status check_macros(struct sim_loader *loader, const tpi_cfg_section *section,
                              tpi_nearest *nearest)
{
    tpi_cfg_place place;
    const char *name;

    for (uint32_t i = 0; (name = tpi_cfg_macro_at(loader->cfg, i, &place)) != NULL; i++) {
        if (strcmp(name, section->type) == 0) {
            return tpi_cfg_fail(&section->place, loader->reader.err,
                                "\"%.40s\" is used before it is defined, at %s:%u", name,
                                place.file, place.line);
        }
        if (section->macro == NULL || strcmp(name, section->macro) != 0) {
            tpi_nearest_offer(nearest, name);
        }
    }
    return TP_OK;
}

/* An error has no room for all these names; they are of use only if none is near the one given. */
static void tell_kinds(const struct sim_loader *loader, const tpi_cfg_place *place)
{
    tpi_buf names = {0};

    for (int i = 0; i < TPI_SIM_KINDS; i++) {
        tpi_buf_printf(&names, "%s%s",
                       i == 0                   ? ""
                       : i == TPI_SIM_KINDS - 1 ? " and "
                                                : ", ",
                       tpi_sim_types[i]->name);
    }
    tpi_sim_note(&loader->reader, place, "models are %s", tpi_buf_text(&names));
    tpi_buf_fini(&names);
}

static tp_status fail_unknown(struct sim_loader *loader, const tpi_cfg_section *section)
{
    tpi_nearest nearest;
    char hint[128];

    tpi_nearest_init(&nearest, section->type);
    for (int i = 0; i < TPI_SIM_KINDS; i++) {
        tpi_nearest_offer(&nearest, tpi_sim_types[i]->name);
        offer_all(&nearest, tpi_sim_types[i]->sections);
    }
    tpi_nearest_offer(&nearest, "block");
    tp_status status = check_macros(loader, section, &nearest);
    if (status != TP_OK) {
        return status;
    }
    tpi_nearest_hint(&nearest, hint, sizeof hint);
    if (!tpi_sim_hint_supply(section->type, nearest.best == NULL, hint, sizeof hint) &&
        nearest.best == NULL) {
        tell_kinds(loader, &section->place);
    }
    return section->macro == NULL
               ? tpi_cfg_fail(&section->place, loader->reader.err, "there is no model \"%.40s\"%s",
                              section->type, hint)
               : tpi_cfg_fail(&section->place, loader->reader.err,
                              "there is no model \"%.40s\", which the macro \"%.40s\" stands for%s",
                              section->type, section->macro, hint);
}

tp_status tpi_sim_kind_of(struct sim_loader *loader, const tpi_cfg_section *section,
                          const tpi_sim_type **type)
{
    *type = tpi_sim_type_find(section->type);
    if (*type != NULL) {
        return TP_OK;
    }
    *type = tpi_sim_old_type(section->type);
    if (*type != NULL) {
        tpi_sim_note(&loader->reader, &section->place,
                     "\"%s\" is an old word: this is a \"%s\" now", section->type, (*type)->name);
        return TP_OK;
    }
    tp_status status = check_word(loader, section);
    return status == TP_OK ? fail_unknown(loader, section) : status;
}

/* ---- Models ---------------------------------------------------------------------------------- */

static tp_status load_member(struct sim_loader *loader, tpi_cfg_section *section,
                             const tpi_sim_type *type, uint32_t parent, uint32_t ordinal,
                             tpi_sim_pose *pose);

static tp_status read_place(struct sim_loader *loader, tpi_cfg_section *section, tpi_sim_pose *pose)
{
    tp_status status = tpi_sim_read_pose(&loader->reader, section, "pose", pose);

    if (status == TP_OK &&
        !(fabs(pose->x) <= TPI_SIM_FARTHEST && fabs(pose->y) <= TPI_SIM_FARTHEST &&
          fabs(pose->z) <= TPI_SIM_FARTHEST && fabs(pose->a) <= TPI_SIM_FARTHEST)) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "pose")->place, loader->reader.err,
                            "the pose is farther away than %g m", TPI_SIM_FARTHEST);
    }
    pose->a = sim_normal(pose->a);
    return status;
}

/* Plug-ins are only looked for if the program can run them. */
static void tell_no_control(const struct sim_loader *loader, const tpi_cfg_value *value,
                            const char *text, size_t length)
{
    char name[48];
    char hint[96] = "";
    tpi_buf known = {0};
    tpi_nearest nearest;

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    tpi_nearest_init(&nearest, name);
    for (uint32_t i = 0; tpi_sim_control_name(i) != NULL; i++) {
        tpi_nearest_offer(&nearest, tpi_sim_control_name(i));
        if (i < TPI_SIM_OWN_CONTROLS) {
            tpi_buf_printf(&known, "%s%s",
                           i == 0                          ? ""
                           : i + 1 == TPI_SIM_OWN_CONTROLS ? " and "
                                                           : ", ",
                           tpi_sim_control_name(i));
        }
    }
    if (nearest.best != NULL) {
        snprintf(hint, sizeof hint, " (did you mean \"%s\"?)", nearest.best);
    }
    tpi_sim_note(&loader->reader, &value->place,
                 "there is no %scontroller \"%s\"%s; built in are %s; the model waits for commands",
                 loader->options->control == NULL ? "built-in " : "", name, hint,
                 tpi_buf_text(&known));
    tpi_buf_fini(&known);
}

/* Built-in controllers take no arguments. */
static void check_arguments(const struct sim_loader *loader, const tpi_cfg_value *value,
                            const char *text, size_t length)
{
    const char *rest = text + length + strspn(text + length, " \t");

    if (rest[0] != '\0') {
        tpi_sim_note(&loader->reader, &value->place,
                     "\"%.*s\" takes no arguments; \"%.40s\" has no effect", (int)length, text,
                     rest);
    }
}

/* Ask the program that loads the world whether it knows a controller. */
static tp_status ask_control(const struct sim_loader *loader, const tpi_cfg_value *value,
                             const char *text, uint32_t *number)
{
    const tpi_sim_options *options = loader->options;
    tp_error err = {0};

    if (options->control == NULL) {
        return TP_OK;
    }
    tp_status status =
        options->control(options->control_context, text, &value->place, number, &err);
    return status == TP_OK ? TP_OK
                           : tpi_cfg_fail(&value->place, loader->reader.err, "%s", err.text);
}

/* The ranger itself reads that it is noisy. It always measures, as in Stage. */
static void put_noise(struct sim_loader *loader, const tpi_cfg_value *value, uint32_t control,
                      uint32_t index)
{
    struct sim_member *member = tpi_sim_draft_member(&loader->draft, index);

    if (!tpi_sim_control_is_noise(control)) {
        return; /* a source or a sink */
    }
    if (member->type->kind == TPI_SIM_RANGER) {
        member->traits.always_on = true;
    } else {
        tpi_sim_note(&loader->reader, &value->place,
                     "\"%.40s\" belongs in a \"ranger\"; a \"%s\" has no ranges", value->text,
                     member->type->name);
    }
}

static tp_status read_control(struct sim_loader *loader, tpi_cfg_section *section, uint32_t index)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "ctrl");

    for (uint32_t i = 0; field != NULL && i < field->value_count; i++) {
        const char *text = field->values[i].text + strspn(field->values[i].text, " \t");
        const size_t length = strcspn(text, " \t");
        const uint32_t control = tpi_sim_control_find(text);
        uint32_t foreign = 0;
        tp_status status =
            control == 0 ? ask_control(loader, &field->values[i], text, &foreign) : TP_OK;
        if (status != TP_OK) {
            return status;
        }
        if (foreign != 0) {
            loader->draft.foreign = foreign;
        } else if (control == 0) {
            tell_no_control(loader, &field->values[i], text, length);
        } else if (!tpi_sim_control_drives(control)) {
            check_arguments(loader, &field->values[i], text, length);
            put_noise(loader, &field->values[i], control, index);
        } else {
            if (loader->draft.control_value != NULL) {
                tpi_sim_note(&loader->reader, &field->values[i].place,
                             "\"%.40s\" takes the place of \"%.40s\"", text,
                             loader->draft.control_value->text);
            }
            check_arguments(loader, &field->values[i], text, length);
            loader->draft.control = control;
            loader->draft.control_value = &field->values[i];
            loader->draft.control_member = index;
        }
    }
    return TP_OK;
}

/* Where a member stands in its tree; the root stands at its middle. */
static void put_place(struct sim_draft *draft, struct sim_member *member, const tpi_sim_pose *pose)
{
    if (member->parent == TPI_SIM_NONE) {
        member->place.c = 1;
        return;
    }
    const struct sim_member *parent = tpi_sim_draft_member(draft, member->parent);
    struct sim_frame local = sim_frame_of(pose);
    member->local = *pose;
    local.z += parent->traits.stack_children ? parent->traits.size[2] : 0;
    member->place = sim_frame_join(&parent->place, &local);
}

static tp_status read_name(struct sim_loader *loader, tpi_cfg_section *section,
                           struct sim_member *member)
{
    const char *name = NULL;
    bool again = false;
    tp_status status = tpi_sim_read_text(&loader->reader, section, "name", &name);

    if (status == TP_OK && name != NULL && name[0] == '\0') {
        tpi_sim_note(&loader->reader, &tpi_cfg_find(section, "name")->place, "the name is empty");
    }
    if (status != TP_OK || name == NULL || name[0] == '\0') {
        return status;
    }
    member->global = name[0] == '/' && name[1] != '\0';
    name += member->global ? 1 : 0;
    member->name = tpi_sim_intern(&loader->interner, name, strlen(name));
    if (member->name == NULL) {
        return tpi_sim_no_memory(loader);
    }
    return member->global && member->parent != TPI_SIM_NONE
               ? tpi_sim_claim_name(loader, member->name, &section->place, &again)
               : TP_OK;
}

/* The model's device, if its kind has one, and its battery: its own, or the one below. */
static tp_status put_devices(struct sim_loader *loader, tpi_cfg_section *section, uint32_t index)
{
    struct sim_draft *draft = &loader->draft;
    const struct sim_member *member = tpi_sim_draft_member(draft, index);
    uint32_t device = TPI_SIM_NONE;
    uint32_t battery = member->parent == TPI_SIM_NONE
                           ? TPI_SIM_NONE
                           : tpi_sim_draft_member(draft, member->parent)->battery;
    tp_status status = TP_OK;

    if (member->type->state_size > 0) {
        status = tpi_sim_put_device(loader, section, index, member->type, &device);
    }
    if (status == TP_OK && member->traits.joules_capacity > 0) {
        status = tpi_sim_put_device(loader, section, index, &tpi_sim_type_battery, &battery);
    }
    tpi_sim_draft_member(draft, index)->device = device;
    tpi_sim_draft_member(draft, index)->battery = battery;
    if (status == TP_OK && member->type->kind == TPI_SIM_RANGER) {
        status =
            tpi_sim_note_ranger(loader, section, tpi_sim_draft_member(draft, index),
                                (const struct sim_device *)(void *)draft->devices.data + device);
    }
    return status;
}

/* Everything about a model but its children. */
static tp_status put_member(struct sim_loader *loader, tpi_cfg_section *section,
                            struct sim_member *member, tpi_sim_pose *pose)
{
    struct sim_draft *draft = &loader->draft;
    const uint32_t index = (uint32_t)(draft->members.length / sizeof *member);
    tp_status status = read_name(loader, section, member);

    if (status == TP_OK) {
        status = tpi_sim_load_traits(loader, section, member->type, &member->traits);
    }
    if (status == TP_OK) {
        status = read_place(loader, section, pose);
    }
    if (status != TP_OK) {
        return status;
    }
    put_place(draft, member, pose);
    member->salt = member->name != NULL ? sim_hash_bytes(1, member->name, strlen(member->name))
                                        : sim_mix2(member->type->kind, member->ordinal);
    tpi_buf_put(&draft->members, member, sizeof *member);
    if (draft->members.failed) {
        return tpi_sim_no_memory(loader);
    }
    draft->moves |= member->traits.gripper_return;
    status = tpi_sim_load_shape(loader, section, member->type, &member->traits);
    if (status == TP_OK) {
        status = tpi_sim_put_parts(loader, index);
    }
    if (status == TP_OK) {
        status = read_control(loader, section, index);
    }
    return status == TP_OK ? put_devices(loader, section, index) : status;
}

static tp_status load_children(struct sim_loader *loader, tpi_cfg_section *section,
                               const tpi_sim_type *type, uint32_t parent)
{
    uint32_t ordinals[TPI_SIM_KINDS] = {0};
    tp_status status = TP_OK;

    for (uint32_t i = 0; i < section->section_count && status == TP_OK; i++) {
        tpi_cfg_section *inner = section->sections[i];
        const tpi_sim_type *inner_type;
        tpi_sim_pose pose = {0};
        if (strcmp(inner->type, "block") == 0 || tpi_sim_is_section_of(type, inner->type)) {
            continue;
        }
        status = tpi_sim_kind_of(loader, inner, &inner_type);
        if (status == TP_OK) {
            status =
                load_member(loader, inner, inner_type, parent, ordinals[inner_type->kind]++, &pose);
        }
        if (status == TP_OK) {
            tpi_sim_check_sibling(loader, section, type, i);
        }
    }
    return status;
}

static tp_status load_member(struct sim_loader *loader, tpi_cfg_section *section,
                             const tpi_sim_type *type, uint32_t parent, uint32_t ordinal,
                             tpi_sim_pose *pose)
{
    struct sim_draft *draft = &loader->draft;
    const uint32_t index = (uint32_t)(draft->members.length / sizeof(struct sim_member));
    struct sim_member member;

    if (++loader->model_count > TPI_SIM_MOST_MODELS) {
        return tpi_cfg_fail(&section->place, loader->reader.err, "there are more than %d models",
                            TPI_SIM_MOST_MODELS);
    }
    memset(&member, 0, sizeof member);
    member.type = type;
    member.parent = parent;
    member.ordinal = parent == TPI_SIM_NONE ? 0 : ordinal;
    member.device = TPI_SIM_NONE;
    tp_status status = put_member(loader, section, &member, pose);
    if (status == TP_OK) {
        status = load_children(loader, section, type, index);
    }
    if (status == TP_OK) {
        tpi_sim_draft_member(draft, index)->family =
            (uint32_t)(draft->members.length / sizeof(struct sim_member)) - index;
    }
    return status;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Keep the root's name for the tree, and take it from the template, which others may share. */
static tp_status keep_name(struct sim_loader *loader, tpi_cfg_section *section,
                           struct sim_seed *seed)
{
    struct sim_member *root = tpi_sim_draft_member(&loader->draft, 0);
    bool again = false;

    seed->key = sim_mix2(root->type->kind, seed->ordinal);
    root->salt = 0;
    if (root->name == NULL) {
        return TP_OK;
    }
    tp_status status = tpi_sim_claim_name(loader, root->name, &section->place, &again);
    if (status != TP_OK) {
        return status;
    }
    seed->key = sim_mix2(sim_hash_bytes(1, root->name, strlen(root->name)),
                         again ? loader->ordinals[root->type->kind] : 0);
    seed->name = (uint32_t)loader->names.length;
    tpi_buf_put(&loader->names, root->name, strlen(root->name) + 1);
    root->name = NULL;
    root->global = false;
    return loader->names.failed ? tpi_sim_no_memory(loader) : TP_OK;
}

tp_status tpi_sim_load_tree(struct sim_loader *loader, tpi_cfg_section *section)
{
    struct sim_seed seed = {.place = section->place,
                            .order = (uint32_t)(loader->seeds.length / sizeof seed)};
    const tpi_sim_type *type;
    tp_status status = tpi_sim_kind_of(loader, section, &type);

    if (status != TP_OK) {
        return status;
    }
    tpi_sim_draft_clear(&loader->draft);
    seed.ordinal = loader->ordinals[type->kind]++;
    status = load_member(loader, section, type, TPI_SIM_NONE, seed.ordinal, &seed.pose);
    if (status == TP_OK) {
        status = keep_name(loader, section, &seed);
    }
    if (status != TP_OK) {
        return status;
    }
    tpi_sim_check_control(loader);
    loader->sample_count += loader->draft.sample_count;
    if (loader->sample_count > TPI_SIM_MOST_SAMPLES) {
        return tpi_cfg_fail(&section->place, loader->reader.err, "there are more than %d samples",
                            TPI_SIM_MOST_SAMPLES);
    }
    seed.template = tpi_sim_make_plan(loader);
    tpi_buf_put(&loader->seeds, &seed, sizeof seed);
    return seed.template == NULL || loader->seeds.failed ? tpi_sim_no_memory(loader) : TP_OK;
}
