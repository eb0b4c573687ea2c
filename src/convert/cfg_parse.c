/* cfg_parse.c - sections and fields of a configuration file. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "convert/cfg_parser.h"

/* ---- Shared pieces --------------------------------------------------------------------------- */

tp_status tpi_cfg_no_memory(struct tpi_cfg_parser *p)
{
    return tp_fail(p->err, TP_E_NOMEM, "%s: out of memory", p->files[0]);
}

void tpi_cfg_tell(struct tpi_cfg_parser *p, const tpi_cfg_place *place, const char *format, ...)
{
    tp_error text;
    char what[192];
    va_list args;

    if (p->options.note == NULL) {
        return;
    }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    tpi_cfg_fail(place, &text, "%s", what);
    p->options.note(p->options.context, text.text);
}

const char *tpi_cfg_reader(const struct tpi_cfg_parser *p)
{
    return p->options.dialect == TPI_CFG_STAGE ? "Stage" : "Player";
}

tp_status tpi_cfg_unexpected(struct tpi_cfg_parser *p, const char *format, ...)
{
    const tpi_cfg_token *token = &p->lexer.token;
    char wanted[128];
    va_list args;

    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    if (token->kind == TPI_CFG_TOKEN_END) {
        return tpi_cfg_fail(&token->place, p->err, "expected %s, found the end of the file",
                            wanted);
    }
    return tpi_cfg_fail(&token->place, p->err, "expected %s, found %s\"%.40s\"", wanted,
                        token->kind == TPI_CFG_TOKEN_STRING ? "the text " : "", token->text);
}

bool tpi_cfg_at(const struct tpi_cfg_parser *p, const char *mark)
{
    return p->lexer.token.kind == TPI_CFG_TOKEN_MARK && strcmp(p->lexer.token.text, mark) == 0;
}

tp_status tpi_cfg_take(struct tpi_cfg_parser *p, tpi_cfg_token *token)
{
    *token = p->lexer.token;
    return tpi_cfg_lexer_next(&p->lexer, p->err);
}

/* Arrays have room for four items and then for a power of two: their count tells if one is full. */
void *tpi_cfg_grow(struct tpi_cfg_parser *p, void *items, uint32_t count, size_t size)
{
    const bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    void *larger;

    if (!full) {
        return items;
    }
    larger = tpi_arena_array(&p->cfg->arena, count == 0 ? 4 : (size_t)count * 2, size);
    if (larger == NULL) {
        tpi_cfg_no_memory(p);
    } else if (count > 0) {
        memcpy(larger, items, count * size);
    }
    return larger;
}

tpi_cfg_section *tpi_cfg_add_section(struct tpi_cfg_parser *p, tpi_cfg_section *parent,
                                     const char *type, const tpi_cfg_place *place)
{
    tpi_cfg_section *section = tpi_arena_alloc(&p->cfg->arena, sizeof *section);

    if (section == NULL) {
        tpi_cfg_no_memory(p);
        return NULL;
    }
    *section = (tpi_cfg_section){.type = type, .parent = parent, .place = *place};
    if (parent != NULL) {
        tpi_cfg_section **sections = tpi_cfg_grow(p, (void *)parent->sections,
                                                  parent->section_count, sizeof(tpi_cfg_section *));
        if (sections == NULL) {
            return NULL;
        }
        sections[parent->section_count++] = section;
        parent->sections = sections;
    }
    return section;
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* What a reader should know about a field that is there already. */
static void tell_of_repetition(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                               const tpi_cfg_field *field)
{
    const tpi_cfg_field *old = tpi_cfg_find_field(p, scope->section, field->name);

    if (old == NULL || tpi_cfg_adds_up(p, scope, field->name)) {
        return;
    }
    if (field->value_count < old->value_count && p->options.dialect == TPI_CFG_PLAYER) {
        tpi_cfg_tell(p, &field->place, "\"%.40s\" had %u values and gets %u; the others stay",
                     field->name, old->value_count, field->value_count);
    } else if (old - scope->section->fields >= (ptrdiff_t)scope->own_from) {
        tpi_cfg_tell(p, &field->place, "\"%.40s\" is given again; its value of line %u is lost",
                     field->name, old->place.line);
    }
}

static bool is_value(const tpi_cfg_token *token)
{
    return token->kind == TPI_CFG_TOKEN_NUMBER || token->kind == TPI_CFG_TOKEN_STRING;
}

static tp_status parse_field(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                             const tpi_cfg_token *name)
{
    tpi_cfg_field field = {.name = name->text, .place = name->place};
    tp_status status = tpi_cfg_parse_values(p, name, &field.tuple);

    if (status != TP_OK) {
        return status;
    }
    if (!field.tuple && is_value(&p->lexer.token)) {
        return tpi_cfg_fail(&p->lexer.token.place, p->err,
                            "a second value of \"%.40s\" begins here: several stand in [ ]",
                            name->text);
    }
    field.value_count = (uint32_t)(p->values.length / sizeof field.values[0]);
    if (field.value_count > 0) {
        field.values = tpi_arena_alloc(&p->cfg->arena, p->values.length);
        if (field.values == NULL) {
            return tpi_cfg_no_memory(p);
        }
        memcpy(field.values, p->values.data, p->values.length);
    }
    tell_of_repetition(p, scope, &field);
    return tpi_cfg_set_field(p, scope, &field);
}

tp_status tpi_cfg_enter(struct tpi_cfg_parser *p, const tpi_cfg_place *place)
{
    if (p->depth == TPI_CFG_MOST_DEPTH) {
        return tpi_cfg_fail_as(place, TP_E_LIMIT, p->err, "sections are nested deeper than %d",
                               TPI_CFG_MOST_DEPTH);
    }
    p->depth++;
    return TP_OK;
}

tp_status tpi_cfg_parse_body(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope,
                             const tpi_cfg_token *name)
{
    tp_status status = tpi_cfg_lexer_next(&p->lexer, p->err);

    if (status == TP_OK && is_value(&p->lexer.token)) {
        return tpi_cfg_unexpected(p, "a field or a section in \"%.40s\" (values stand in [ ])",
                                  name->text);
    }
    if (status == TP_OK) {
        status = tpi_cfg_parse_items(p, scope);
    }
    if (status == TP_OK && !tpi_cfg_at(p, ")")) {
        status =
            tpi_cfg_unexpected(p, "\")\" for \"%.40s\" of line %u", name->text, name->place.line);
    }
    return status == TP_OK ? tpi_cfg_lexer_next(&p->lexer, p->err) : status;
}

static tp_status parse_section(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *parent,
                               const tpi_cfg_token *name)
{
    struct tpi_cfg_scope scope = {0};
    tp_status status = tpi_cfg_enter(p, &name->place);

    if (status != TP_OK) {
        return status;
    }
    scope.section = tpi_cfg_add_section(p, parent->section, name->text, &name->place);
    if (scope.section == NULL) {
        return TP_E_NOMEM;
    }
    if (!p->defining) {
        status = tpi_cfg_expand(p, scope.section);
    }
    if (status == TP_OK) {
        scope.own_from = scope.section->field_count;
        status = tpi_cfg_parse_body(p, &scope, name);
    }
    p->depth--;
    return status;
}

static tp_status parse_named(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope)
{
    tpi_cfg_token name;
    tp_status status = tpi_cfg_take(p, &name);

    if (status != TP_OK) {
        return status;
    }
    if (strcmp(name.text, "include") == 0) {
        return tpi_cfg_include(p, scope, &name.place);
    }
    if (strcmp(name.text, "define") == 0) {
        return tpi_cfg_define(p, &name.place);
    }
    return tpi_cfg_at(p, "(") ? parse_section(p, scope, &name) : parse_field(p, scope, &name);
}

tp_status tpi_cfg_parse_items(struct tpi_cfg_parser *p, const struct tpi_cfg_scope *scope)
{
    tp_status status = TP_OK;

    while (status == TP_OK && p->lexer.token.kind != TPI_CFG_TOKEN_END && !tpi_cfg_at(p, ")")) {
        if (tpi_cfg_at_name(p)) {
            status = parse_named(p, scope);
        } else if (tpi_cfg_at(p, ";")) {
            tpi_cfg_tell(p, &p->lexer.token.place, "%s refuses \";\"", tpi_cfg_reader(p));
            status = tpi_cfg_lexer_next(&p->lexer, p->err);
        } else if (tpi_cfg_at(p, ",")) {
            status = tpi_cfg_fail(&p->lexer.token.place, p->err,
                                  "',' is out of place: fields need none between them, and "
                                  "several values stand in [ ]");
        } else {
            status = tpi_cfg_unexpected(p, "a field or a section");
        }
    }
    return status;
}
