/*
 * parse_name.c - the names that a .padi file may give.
 *
 * In C every struct and enum becomes tp_NAME and every constant TP_NAME, beside what Troupe itself
 * defines. From code 200 up, the names of an interface begin with its own, so that files which know
 * nothing of one another can be used in one program.
 */
#include <ctype.h>
#include <string.h>

#include "padi/names.h"
#include "padi/parser.h"

/* tp_NAME is a type of Troupe's own, or tp_NAME_... a function, or TP_NAME_... a constant. */
static const char *const ours[] = {
    "after",  "builtin",  "catalogue", "client",  "clock",    "constant",  "datagram", "desc",
    "device", "driver",   "e",         "enum",    "error",    "fail",      "field",    "frame",
    "front",  "full",     "handler",   "hub",     "instance", "interface", "kind",     "kit",
    "link",   "listener", "loop",      "mark",    "max",      "message",   "msg",      "ns",
    "offer",  "op",       "op_call",   "param",   "peer",     "piece",     "port",     "provides",
    "proxy",  "publish",  "queue",     "require", "requires", "server",    "session",  "shape",
    "signal", "status",   "step",      "step_op", "stream",   "struct",    "text",     "text_form",
    "ticket", "timer",    "type",      "value",   "wrap",     "xdr",
};

static bool is_ours(const char *name)
{
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (strcmp(ours[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Interfaces of one's own ----------------------------------------------------------------- */

static char to_case(char c, bool upper)
{
    return (char)(upper ? toupper((unsigned char)c) : tolower((unsigned char)c));
}

static bool is_in_case(const char *name, bool upper)
{
    for (; *name != '\0'; name++) {
        if (*name != to_case(*name, upper)) {
            return false;
        }
    }
    return true;
}

/* What follows an interface's name, in upper or lower case, at the start of `name`; NULL if it
 * begins otherwise. */
static const char *behind(const char *interface, const char *name, bool upper)
{
    for (; *interface != '\0'; interface++, name++) {
        if (to_case(*interface, upper) != *name) {
            return NULL;
        }
    }
    return name;
}

static bool is_free_interface(const struct parser *p)
{
    return p->interface.code >= TPI_PADI_FIRST_FREE;
}

/* "folder/x.padi" describes x; files that end otherwise may be called anything. */
static tp_status check_file_name(struct parser *p, const tpi_token *name)
{
    const char *slash = strrchr(p->lexer.file, '/');
    const char *file = slash == NULL ? p->lexer.file : slash + 1;
    const size_t length = strlen(file);
    const size_t stem = length < 5 ? 0 : length - 5;

    if (length < 5 || strcmp(file + stem, ".padi") != 0 ||
        (strlen(name->text) == stem && memcmp(name->text, file, stem) == 0)) {
        return TP_OK;
    }
    return tpi_parser_fail_at(p, name, "interface %s must be in %s.padi, not in %s", name->text,
                              name->text, file);
}

tp_status tpi_parser_check_interface(struct parser *p, const tpi_token *name, const tpi_token *code)
{
    if (!is_free_interface(p)) {
        if (!p->scope->builtin) {
            return tpi_parser_fail_at(p, code,
                                      "codes below %d are Player's and Troupe's; yours go from %d "
                                      "to %d",
                                      TPI_PADI_FIRST_FREE, TPI_PADI_FIRST_FREE, UINT16_MAX);
        }
        return check_file_name(p, name);
    }
    if (!is_in_case(name->text, false)) {
        return tpi_parser_fail_at(p, name, "\"%s\" must be in lower case", name->text);
    }
    if (is_ours(name->text)) {
        return tpi_parser_fail_at(p, name, "\"%s\" is a word of Troupe's own; choose another name",
                                  name->text);
    }
    const size_t length = strlen(name->text);
    if (length > 7 && strcmp(name->text + length - 7, "_client") == 0) {
        return tpi_parser_fail_at(p, name, "\"%s\" ends like the header of calls for \"%.*s\"",
                                  name->text, (int)length - 7, name->text);
    }
    return check_file_name(p, name);
}

/* ---- Structs and enums ----------------------------------------------------------------------- */

/* Whether what follows the interface's name makes it the name of a call of robot programs. */
static bool is_call(const char *rest)
{
    static const char *const verbs[] = {"_command_", "_request_", "_latest_", "_wait_"};

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strncmp(rest, verbs[i], strlen(verbs[i])) == 0) {
            return true;
        }
    }
    return strcmp(rest, "_open") == 0;
}

tp_status tpi_parser_check_type(struct parser *p, const tpi_token *name)
{
    const char *rest = behind(p->interface.name, name->text, false);
    tp_type basic;

    if (tpi_parser_struct(p, name->text) != NULL || tpi_parser_enum(p, name->text) != NULL ||
        tpi_type_named(name->text, &basic) || is_ours(name->text) ||
        (rest != NULL && strcmp(rest, "_ops") == 0)) {
        return tpi_parser_fail_at(p, name, "\"%s\" is the name of another type already",
                                  name->text);
    }
    if (rest != NULL && is_call(rest)) {
        return tpi_parser_fail_at(p, name, "\"%s\" is the name of a call of robot programs",
                                  name->text);
    }
    if (!is_free_interface(p)) {
        return TP_OK;
    }
    if (!is_in_case(name->text, false)) {
        return tpi_parser_fail_at(p, name, "\"%s\" must be in lower case", name->text);
    }
    if (rest == NULL || (rest[0] != '\0' && (rest[0] != '_' || rest[1] == '\0'))) {
        return tpi_parser_fail_at(p, name, "\"%s\" must be named %s_... or %s", name->text,
                                  p->interface.name, p->interface.name);
    }
    return TP_OK;
}

/* ---- Constants, members of enums, codes ------------------------------------------------------ */

tp_status tpi_parser_check_constant(struct parser *p, const tpi_token *name)
{
    const char *rest = behind(p->interface.name, name->text, true);
    char wanted[TPI_PADI_LONGEST_NAME + 1] = "";

    if (!is_free_interface(p)) {
        return TP_OK;
    }
    if (!is_in_case(name->text, true)) {
        return tpi_parser_fail_at(p, name, "\"%s\" must be in upper case", name->text);
    }
    if (rest == NULL || rest[0] != '_' || rest[1] == '\0') {
        for (size_t i = 0; p->interface.name[i] != '\0'; i++) {
            wanted[i] = to_case(p->interface.name[i], true);
        }
        return tpi_parser_fail_at(p, name, "\"%s\" must be named %s_...", name->text, wanted);
    }
    return TP_OK;
}

/* Whether `name` is the constant of the interface's code or of one of these messages' codes. */
static bool names_code(const char *interface, const tp_message *messages, uint32_t count,
                       const char *name)
{
    const char *rest = behind(interface, name, true);

    if (rest == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *infix = tpi_kind_infix(messages[i].kind);
        const size_t length = strlen(infix);
        if (rest[0] == '_' && strncmp(rest + 1, infix, length) == 0 && rest[length + 1] == '_' &&
            strcmp(rest + length + 2, messages[i].name) == 0) {
            return true;
        }
    }
    return strcmp(rest, "_CODE") == 0;
}

/* Constants, members of enums and codes of messages share one name space in C. */
bool tpi_parser_constant_taken(const struct parser *p, const struct list *members, const char *name)
{
    tp_enum *const *own = p->enums.items;
    const tp_interface *const *used = p->used.items;
    bool taken = tpi_parser_constant(p, name) != NULL ||
                 tpi_find_constant(members->items, members->count, name) != NULL ||
                 (p->has_interface &&
                  names_code(p->interface.name, p->messages.items, p->messages.count, name));

    for (uint32_t i = 0; i < p->enums.count && !taken; i++) {
        taken = tpi_find_constant(own[i]->members, own[i]->member_count, name) != NULL;
    }
    for (uint32_t i = 0; i < p->used.count && !taken; i++) {
        taken = names_code(used[i]->name, used[i]->messages, used[i]->message_count, name);
        for (uint32_t k = 0; k < used[i]->enum_count && !taken; k++) {
            const tp_enum *values = used[i]->enums[k];
            taken = tpi_find_constant(values->members, values->member_count, name) != NULL;
        }
    }
    return taken;
}
