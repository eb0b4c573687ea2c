/* cfg_macro.c - macros: sections with fields to start from. */
#include "convert/cfg_parser.h"

/* ---- Defining -------------------------------------------------------------------------------- */

static const struct tpi_cfg_macro *find_macro(const struct tpi_cfg_parser *p, const char *name)
{
    uint32_t at;

    return tpi_cfg_table_get(&p->names, NULL, name, &at) ? &p->cfg->macros[at] : NULL;
}

/* The first definition of a name counts. */
static tp_status add_macro(struct tpi_cfg_parser *p, const struct tpi_cfg_macro *macro)
{
    const struct tpi_cfg_macro *known = find_macro(p, macro->name);
    struct tpi_cfg_macro *macros;

    if (known != NULL) {
        tpi_cfg_tell(p, &macro->place, "the macro \"%.40s\" of %s:%u stays; this one is ignored",
                     macro->name, known->place.file, known->place.line);
        return TP_OK;
    }
    if (p->options.is_built_in != NULL && p->options.is_built_in(macro->name)) {
        tpi_cfg_tell(p, &macro->place, "\"%.40s\" is built in; from here on it is this macro",
                     macro->name);
    }
    macros = tpi_cfg_grow(p, p->cfg->macros, p->cfg->macro_count, sizeof macros[0]);
    if (macros == NULL) {
        return TP_E_NOMEM;
    }
    p->cfg->macros = macros;
    macros[p->cfg->macro_count] = *macro;
    if (!tpi_cfg_table_add(&p->names, NULL, macro->name, p->cfg->macro_count++)) {
        return tpi_cfg_no_memory(p);
    }
    return TP_OK;
}

/* NAME TYPE, up to the "(". */
static tp_status parse_head(struct tpi_cfg_parser *p, tpi_cfg_token *name, tpi_cfg_token *type)
{
    if (!tpi_cfg_at_name(p)) {
        return tpi_cfg_unexpected(p, "the name of a macro");
    }
    tp_status status = tpi_cfg_take(p, name);
    if (status == TP_OK && !tpi_cfg_at_name(p)) {
        return tpi_cfg_unexpected(p, "the section that \"%.40s\" stands for", name->text);
    }
    if (status == TP_OK) {
        status = tpi_cfg_take(p, type);
    }
    if (status == TP_OK && !tpi_cfg_at(p, "(")) {
        return tpi_cfg_unexpected(p, "\"(\" for the macro \"%.40s\"", name->text);
    }
    return status;
}

tp_status tpi_cfg_define(struct tpi_cfg_parser *p, const tpi_cfg_place *place)
{
    const bool within = p->defining;
    struct tpi_cfg_scope scope = {0};
    tpi_cfg_token name = {0};
    tpi_cfg_token type = {0};
    tp_status status = parse_head(p, &name, &type);

    if (status == TP_OK) {
        status = tpi_cfg_enter(p, &name.place);
    }
    if (status != TP_OK) {
        return status;
    }
    if (p->options.dialect == TPI_CFG_STAGE && p->depth > 1) {
        tpi_cfg_tell(p, place, "Stage wants \"define\" at the top of the file");
    }
    scope.section = tpi_cfg_add_section(p, NULL, type.text, &type.place);
    if (scope.section == NULL) {
        return TP_E_NOMEM;
    }
    p->defining = true;
    status = tpi_cfg_parse_body(p, &scope, &name);
    p->defining = within;
    p->depth--;
    if (status != TP_OK) {
        return status;
    }
    return add_macro(p, &(struct tpi_cfg_macro){
                            .name = name.text, .template = scope.section, .place = name.place});
}

/* ---- Using ----------------------------------------------------------------------------------- */

static tp_status copy_section(struct tpi_cfg_parser *p, tpi_cfg_section *section,
                              const tpi_cfg_section *template);

tp_status tpi_cfg_count_expanded(struct tpi_cfg_parser *p, const tpi_cfg_place *place,
                                 uint32_t count)
{
    const size_t most = TPI_CFG_MOST_EXPANDED + p->bytes * TPI_CFG_EXPANDED_PER_BYTE;

    p->expanded += count;
    if (p->expanded > most) {
        return tpi_cfg_fail_as(place, TP_E_LIMIT, p->err,
                               "the macros make more than %zu sections and fields", most);
    }
    return TP_OK;
}

/* Whether the macro, named at `place`, may be put into those that are being expanded. */
static tp_status check_nesting(struct tpi_cfg_parser *p, const struct tpi_cfg_macro *macro,
                               const tpi_cfg_place *place)
{
    const unsigned count = p->expanding_count;

    for (unsigned i = 0; i < count; i++) {
        const char *inner = p->expanding[count - 1]->name;
        if (p->expanding[i] == macro && i + 1 == count) {
            return tpi_cfg_fail(place, p->err, "the macro \"%.40s\" uses itself", inner);
        }
        if (p->expanding[i] == macro) {
            return tpi_cfg_fail(place, p->err,
                                "the macro \"%.40s\" uses \"%.40s\", which uses \"%.40s\" again",
                                macro->name, inner, macro->name);
        }
    }
    if (count == TPI_CFG_MOST_DEPTH) {
        return tpi_cfg_fail_as(place, TP_E_LIMIT, p->err, "macros are nested deeper than %d",
                               TPI_CFG_MOST_DEPTH);
    }
    return TP_OK;
}

/* Put in the macro that is named at `place`, if any has this name: first what it is based on. */
static tp_status put_macro(struct tpi_cfg_parser *p, tpi_cfg_section *section, const char *name,
                           const tpi_cfg_place *place)
{
    const struct tpi_cfg_macro *macro = find_macro(p, name);
    const tpi_cfg_section *template;
    tp_status status;

    section->type = name;
    if (macro == NULL) {
        return TP_OK;
    }
    template = macro->template;
    status = check_nesting(p, macro, place);
    if (status != TP_OK) {
        return status;
    }
    p->expanding[p->expanding_count++] = macro;
    status = put_macro(p, section, template->type, &template->place);
    if (status == TP_OK) {
        status = copy_section(p, section, template);
    }
    p->expanding_count--;
    return status;
}

tp_status tpi_cfg_expand(struct tpi_cfg_parser *p, tpi_cfg_section *section)
{
    const char *name = section->type;

    if (find_macro(p, name) != NULL) {
        section->macro = name;
    }
    return put_macro(p, section, name, &section->place);
}

static tp_status copy_child(struct tpi_cfg_parser *p, tpi_cfg_section *parent,
                            const tpi_cfg_section *template)
{
    tpi_cfg_section *child;
    tp_status status = tpi_cfg_enter(p, &template->place);

    if (status != TP_OK) {
        return status;
    }
    child = tpi_cfg_add_section(p, parent, template->type, &template->place);
    if (child == NULL) {
        return TP_E_NOMEM;
    }
    status = tpi_cfg_expand(p, child);
    if (status == TP_OK) {
        status = copy_section(p, child, template);
    }
    p->depth--;
    return status;
}

/* What a template says itself, over what was set before. */
static tp_status copy_section(struct tpi_cfg_parser *p, tpi_cfg_section *section,
                              const tpi_cfg_section *template)
{
    const struct tpi_cfg_scope scope = {.section = section, .own_from = UINT32_MAX};
    tp_status status = tpi_cfg_count_expanded(p, &section->place, template->field_count + 1);

    for (uint32_t i = 0; i < template->field_count && status == TP_OK; i++) {
        status = tpi_cfg_set_field(p, &scope, &template->fields[i]);
    }
    for (uint32_t i = 0; i < template->section_count && status == TP_OK; i++) {
        status = copy_child(p, section, template->sections[i]);
    }
    return status;
}

const char *tpi_cfg_macro_at(const tpi_cfg *cfg, uint32_t i, tpi_cfg_place *place)
{
    if (i >= cfg->macro_count) {
        return NULL;
    }
    *place = cfg->macros[i].place;
    return cfg->macros[i].name;
}
