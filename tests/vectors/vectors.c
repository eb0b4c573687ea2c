/*
 * vectors.c - checking the codecs against recorded encodings; see vectors.h.
 *
 * Here are the sections of a file, and entries that are messages or structs; entry.c checks
 * one struct, edge.c has headers and what Player makes of broken bytes.
 */
#include "vectors/vectors.h"

#include <stdio.h>
#include <string.h>

#include "vectors/inside.h"

/* ---- Messages -------------------------------------------------------------------------------- */

enum { M_INTERFACE, M_CODE, M_KIND, M_NAME, M_SUBTYPE, M_STRUCT, M_VALUES, M_HEX, M_COUNT };

static bool is_null(tpi_json_span span)
{
    return span.text == NULL || tpi_json_is(span, "null");
}

/* "ir request POWER", as far as the entry says it. */
static void set_what(tpi_vector_checker *c, const tpi_vector_member *m)
{
    static const int parts[] = {M_INTERFACE, M_KIND, M_NAME};
    char word[TPI_VECTOR_NAME];
    size_t length = 0;

    c->what[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        tpi_vector_text(m[parts[i]].span, word);
        if (word[0] != '\0') {
            length += (size_t)snprintf(c->what + length, sizeof c->what - length, "%s%s",
                                       length > 0 ? " " : "", word);
        }
    }
}

static bool has_members(const tpi_vector_checker *c, const tpi_vector_member *m)
{
    static const int needed[] = {M_CODE, M_KIND, M_NAME, M_SUBTYPE};

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const tpi_vector_member *member = &m[needed[i]];
        const bool number = needed[i] == M_CODE || needed[i] == M_SUBTYPE;
        if (member->span.text == NULL) {
            tpi_vector_note(c, "%s is missing", member->name);
            return false;
        }
        if (number && tpi_vector_whole(member->span, -1) < 0) {
            tpi_vector_note(c, "%s is no code", member->name);
            return false;
        }
    }
    return true;
}

static const tp_interface *find_interface(const tpi_vector_checker *c, const tpi_vector_member *m)
{
    char name[TPI_VECTOR_NAME];
    const int64_t code = tpi_vector_whole(m[M_CODE].span, -1);
    const tp_interface *interface =
        code > UINT16_MAX ? NULL : tp_catalogue_code(c->catalogue, (unsigned)code);

    tpi_vector_text(m[M_INTERFACE].span, name);
    if (strcmp(name, "*") == 0 && code != 0) {
        tpi_vector_note(c, "* goes with the code 0, not %lld", (long long)code);
        return NULL;
    }
    if (interface == NULL || (strcmp(name, "*") != 0 && strcmp(name, interface->name) != 0)) {
        tpi_vector_note(c, "there is no interface %s with the code %lld", name, (long long)code);
        return NULL;
    }
    return interface;
}

static bool name_matches(const tp_message *message, const char *name)
{
    char full[TPI_VECTOR_NAME];

    snprintf(full, sizeof full, "PLAYER_%s_REQ", message->name); /* the universal requests */
    return strcmp(message->name, name) == 0 || strcmp(full, name) == 0;
}

static const tp_message *find_message(const tpi_vector_checker *c, const tpi_vector_member *m)
{
    char kind[TPI_VECTOR_NAME];
    char name[TPI_VECTOR_NAME];
    const int64_t subtype = tpi_vector_whole(m[M_SUBTYPE].span, -1);
    const tp_interface *interface = find_interface(c, m);

    if (interface == NULL) {
        return NULL;
    }
    tpi_vector_text(m[M_KIND].span, kind);
    tpi_vector_text(m[M_NAME].span, name);
    const tp_message *message =
        subtype > UINT8_MAX
            ? NULL
            : tp_interface_message(interface, tp_kind_named(kind), (unsigned)subtype);
    if (message == NULL || !name_matches(message, name)) {
        tpi_vector_note(c, "%s has no %s %s with the code %lld", interface->name, kind, name,
                        (long long)subtype);
        return NULL;
    }
    return message;
}

static void note_payload(const tpi_vector_checker *c, const tp_struct *payload, const char *wanted)
{
    char name[TPI_VECTOR_NAME] = "nothing";

    if (payload != NULL) {
        snprintf(name, sizeof name, "player_%s_t", payload->name);
    }
    tpi_vector_note(c, "it carries %s, the file says %s", name, wanted);
}

static bool check_message(tpi_vector_checker *c, tpi_json_span entry)
{
    tpi_vector_member m[M_COUNT] = {
        {.name = "interface"}, {.name = "interface_code"}, {.name = "kind"},   {.name = "name"},
        {.name = "subtype"},   {.name = "struct"},         {.name = "values"}, {.name = "xdr_hex"}};
    char name[TPI_VECTOR_NAME];

    tpi_vector_find(entry, m, M_COUNT);
    set_what(c, m);
    const tp_message *message = has_members(c, m) ? find_message(c, m) : NULL;
    if (message == NULL) {
        return false;
    }
    const tp_struct *payload = tp_message_payload(message);
    const bool nothing = is_null(m[M_STRUCT].span);
    tpi_vector_text(m[M_STRUCT].span, name);
    if (nothing ? payload != NULL
                : payload == NULL || tp_catalogue_struct(c->catalogue, name) != payload) {
        note_payload(c, payload, nothing ? "nothing" : name);
        return false;
    }
    if (nothing && m[M_HEX].span.length != 2) {
        tpi_vector_note(c, "it carries nothing, but xdr_hex is not \"\"");
        return false;
    }
    return nothing || tpi_vector_struct(c, payload, m[M_VALUES].span, m[M_HEX].span);
}

static bool check_helper(tpi_vector_checker *c, tpi_json_span entry)
{
    tpi_vector_member m[] = {{.name = "struct"}, {.name = "values"}, {.name = "xdr_hex"}};
    char name[TPI_VECTOR_NAME];

    tpi_vector_find(entry, m, 3);
    const tp_struct *type = tp_catalogue_struct(c->catalogue, tpi_vector_text(m[0].span, name));
    if (type == NULL) {
        tpi_vector_note(c, "there is no struct %s", name);
        return false;
    }
    return tpi_vector_struct(c, type, m[1].span, m[2].span);
}

/* ---- Sections -------------------------------------------------------------------------------- */

static void check_section(tpi_vector_checker *c, tpi_json_span name, tpi_json_span value)
{
    static const struct {
        const char *name;
        tpi_vector_check *check;
        void (*check_all)(tpi_vector_checker *c, tpi_json_span object);
    } sections[] = {
        {"messages", check_message, NULL},
        {"helper_structs", check_helper, NULL},
        {"headers", tpi_vector_header, NULL},
        {"header_decode_edge_cases", NULL, tpi_vector_header_cases},
        {"decode_edge_cases", NULL, tpi_vector_decode_cases},
        {"variants", NULL, NULL}, /* words about the entries */
    };

    c->entry = 0;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (!tpi_json_is(name, sections[i].name)) {
            continue;
        }
        c->section = sections[i].name;
        if (sections[i].check != NULL) {
            tpi_vector_list(c, value, sections[i].check, NULL, NULL);
        } else if (sections[i].check_all != NULL) {
            sections[i].check_all(c, value);
        }
        return;
    }
    if (value.text[0] == '{' || value.text[0] == '[') {
        c->section = "section";
        tpi_vector_note(c, "%.*s is not known, so it was not checked", (int)name.length, name.text);
    }
}

tp_status tpi_vectors_check(tpi_vector_report *report, const tp_catalogue *catalogue,
                            const char *text, size_t length, tp_error *err)
{
    tpi_vector_checker c = {.catalogue = catalogue, .report = report};
    tpi_json json;
    tpi_json_span name;
    tpi_json_span value;

    tpi_json_init(&json, text, length);
    tpi_json_object(&json);
    while (tpi_json_member(&json, &name) && tpi_json_skip(&json, &value)) {
        check_section(&c, name, value);
    }
    tp_status status = tpi_json_end(&json, err);
    if (status == TP_OK && report->passed + report->failed == 0) {
        return tp_fail(err, TP_E_INVALID, "the file contains nothing to check");
    }
    return status;
}
