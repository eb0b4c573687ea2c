/* interface.c - looking things up in descriptors. */
#include <ctype.h>
#include <string.h>

#include "padi/names.h"
#include "troupe/padi.h"

static const char *const type_names[] = {
    [TP_TYPE_U8] = "u8",     [TP_TYPE_I8] = "i8",         [TP_TYPE_U16] = "u16",
    [TP_TYPE_I16] = "i16",   [TP_TYPE_U32] = "u32",       [TP_TYPE_I32] = "i32",
    [TP_TYPE_I64] = "i64",   [TP_TYPE_F32] = "f32",       [TP_TYPE_F64] = "f64",
    [TP_TYPE_CHAR] = "char", [TP_TYPE_STRUCT] = "struct",
};

static const struct {
    tp_kind kind;
    const char *name;
} kinds[] = {
    {TP_KIND_DATA, "data"},
    {TP_KIND_COMMAND, "command"},
    {TP_KIND_REQUEST, "request"},
    {TP_KIND_SYNCH, "synch"},
};

static const char *const mark_names[] = {"required", "optional", "extension"};
static const char *const effect_names[] = {"reads", "writes", "moves", "operates", "actuates"};

const tp_struct *tp_message_payload(const tp_message *message)
{
    return message->ask != NULL ? message->ask : message->answer;
}

bool tp_message_handled(const tp_message *message, const void *ops)
{
    void (*operation)(void) = NULL;

    if (message->call == NULL || ops == NULL) {
        return false;
    }
    memcpy(&operation, (const char *)ops + message->op_offset, sizeof operation);
    return operation != NULL;
}

const tp_message *tp_interface_message(const tp_interface *interface, tp_kind kind, unsigned code)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        if (message->code == code && message->kind == kind) {
            return message;
        }
    }
    return NULL;
}

bool tpi_names_equal(const char *a, const char *b)
{
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

const tp_message *tp_interface_message_named(const tp_interface *interface, tp_kind kind,
                                             const char *name)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        const tp_message *message = &interface->messages[i];
        if (message->kind == kind && tpi_names_equal(message->name, name)) {
            return message;
        }
    }
    return NULL;
}

const char *tp_kind_name(tp_kind kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].kind == kind) {
            return kinds[i].name;
        }
    }
    return "?";
}

tp_kind tp_kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return kinds[i].kind;
        }
    }
    return (tp_kind)0;
}

const char *tp_effect_name(tp_effect effect)
{
    return effect_names[effect];
}

bool tp_effect_can_move(tp_effect effect)
{
    return effect == TP_EFFECT_MOVES || effect == TP_EFFECT_ACTUATES;
}

const char *tp_mark_name(tp_mark mark)
{
    return mark_names[mark];
}

const char *tp_type_name(tp_type type)
{
    return type_names[type];
}

bool tpi_type_named(const char *name, tp_type *type)
{
    for (unsigned i = 0; i < TP_TYPE_STRUCT; i++) {
        if (strcmp(type_names[i], name) == 0) {
            *type = (tp_type)i;
            return true;
        }
    }
    return false;
}

bool tpi_mark_named(const char *name, tp_mark *mark)
{
    for (unsigned i = 0; i < sizeof mark_names / sizeof mark_names[0]; i++) {
        if (strcmp(mark_names[i], name) == 0) {
            *mark = (tp_mark)i;
            return true;
        }
    }
    return false;
}
