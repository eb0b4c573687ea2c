/*
 * padi.h - what a message is: interfaces described as data, and the codecs that walk them.
 *
 * An interface file (interfaces/NAME.padi, language in docs/reference/padi.md) becomes plain C
 * structs and constants (troupe/interfaces/NAME.h) and the descriptor tables declared here. XDR,
 * JSON, JSON Schema, printing, comparing, copying and freeing all walk the descriptors; a file
 * loaded at run time has the same descriptors and works at once.
 *
 * Descriptors are constant and may be used from any thread. A *value* is a struct of the described
 * layout. Values that these functions make are one block of memory: the struct first, the arrays
 * that it points to behind it; free() releases it.
 */
#ifndef TROUPE_PADI_H
#define TROUPE_PADI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "troupe/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_device tp_device; /* see driver.h */
typedef struct tp_struct tp_struct;

/* ---- Descriptors ---------------------------------------------------------------------------- */

typedef enum tp_type {
    TP_TYPE_U8,
    TP_TYPE_I8,
    TP_TYPE_U16,
    TP_TYPE_I16,
    TP_TYPE_U32,
    TP_TYPE_I32,
    TP_TYPE_I64,
    TP_TYPE_F32,
    TP_TYPE_F64,
    TP_TYPE_CHAR,
    TP_TYPE_STRUCT,
} tp_type;

/* How many elements a field has and where they are. */
typedef enum tp_shape {
    TP_SHAPE_ONE,     /* one, in the struct */
    TP_SHAPE_FIXED,   /* `length`, in the struct */
    TP_SHAPE_BOUNDED, /* as many as the count field says, at most `length`, in the struct */
    TP_SHAPE_POINTER, /* as many as the count field says, behind a pointer in the struct */
} tp_shape;

/* A named number: a limit, or a member of an enum. */
typedef struct tp_constant {
    const char *name; /* in C with TP_ in front */
    const char *doc;
    int64_t value;
} tp_constant;

typedef struct tp_enum {
    const char *name;
    const char *doc;
    const tp_constant *members;
    uint32_t member_count;
    bool flags; /* bits to be or-ed, not one of a set */
} tp_enum;

typedef struct tp_field {
    const char *name;
    /* NULL for text and where there are `values`. Of a struct NULL too, unless it changes the units
     * of its members: "/s" or "/s^2" divides them, any other takes their place. */
    const char *unit;
    const char *doc;
    const tp_struct *of;   /* what it is made of, for TP_TYPE_STRUCT */
    const tp_enum *values; /* what its numbers stand for, or NULL */
    tp_type type;
    tp_shape shape;
    uint32_t offset;       /* from the start of the struct */
    uint32_t count_offset; /* of the count field, for BOUNDED and POINTER */
    uint32_t length;       /* of FIXED, most of BOUNDED */
    bool is_count;         /* counts a later field's elements */
} tp_field;

/* One step of the XDR plan: a struct flattened into runs of equal words, so that a message costs a
 * few steps instead of one call per field. Made from the fields by the generator or the loader. */
typedef enum tp_step_op {
    TP_STEP_U8, /* n narrow numbers, each a word on the wire */
    TP_STEP_I8,
    TP_STEP_U16,
    TP_STEP_I16,
    TP_STEP_WORDS, /* n 4-byte numbers */
    TP_STEP_LONGS, /* n 8-byte numbers */
    TP_STEP_BYTES, /* n bytes, padded to a word */
    TP_STEP_COUNT, /* a count field, remembered in `slot` */
    TP_STEP_ARRAY, /* as many elements as slot says; each is `n` x `item`, or a struct `of` */
    TP_STEP_EACH,  /* n structs `of` */
} tp_step_op;

typedef struct tp_step {
    uint8_t op;
    uint8_t item; /* of ARRAY with simple elements: U8 ... BYTES */
    uint8_t slot; /* of COUNT and ARRAY */
    bool pointer; /* of ARRAY: the elements are behind a pointer */
    uint32_t n;
    uint32_t offset;
    uint32_t count_offset;
    uint32_t most;   /* of ARRAY in the struct */
    uint32_t stride; /* of ARRAY and EACH: size of an element in memory */
    const tp_struct *of;
} tp_step;

enum {
    TP_MAX_FIELDS = 256, /* in one struct */
    TP_MAX_SLOTS = 16,   /* variable arrays in one struct, nested structs included */
};

struct tp_struct {
    const char *name; /* tp_NAME in C, player_NAME_t in Player */
    const char *doc;
    const char *interface; /* the name of the one that declares it */
    const tp_field *fields;
    const tp_step *steps;
    uint32_t field_count;
    uint32_t step_count;
    uint32_t size;     /* in memory */
    uint32_t align;    /* in memory */
    uint32_t wire_min; /* shortest encoding */
    bool variable;     /* the encoding may be longer than that */
};

typedef enum tp_kind {
    TP_KIND_DATA = 1,
    TP_KIND_COMMAND = 2,
    TP_KIND_REQUEST = 3,
    TP_KIND_SYNCH = 5, /* the numbers are those of the message types on the wire */
} tp_kind;

typedef enum tp_mark { TP_MARK_REQUIRED, TP_MARK_OPTIONAL, TP_MARK_EXTENSION } tp_mark;

/* What a message does to the device, and so what its sender has to be allowed to. */
typedef enum tp_effect {
    TP_EFFECT_READS,    /* nothing: data, and requests that only ask */
    TP_EFFECT_WRITES,   /* changes something */
    TP_EFFECT_MOVES,    /* may set something in motion, which has to be able to stop */
    TP_EFFECT_OPERATES, /* decides for all clients, as ending a panic does */
    TP_EFFECT_ACTUATES, /* can move hardware at once, and leaves no motion that has to be stopped */
} tp_effect;

/* Calls the operation for a message in a driver's table of operations (`tp_NAME_ops`). `ask` is
 * NULL where the message carries nothing, `answer` where it is not answered. */
typedef tp_status tp_op_call(const void *ops, tp_device *device, const void *ask, void *answer,
                             tp_error *err);

typedef struct tp_message {
    const char *name;
    const char *doc;
    const tp_struct *ask;    /* what data, a command or a request carries; NULL for nothing */
    const tp_struct *answer; /* what the reply to a request carries; NULL for nothing */
    tp_kind kind;
    tp_mark mark;
    tp_effect effect;
    uint8_t code;
    tp_op_call *call;   /* NULL for data, synch and interfaces loaded at run time */
    uint32_t op_offset; /* of the operation in the table */
} tp_message;

typedef struct tp_interface {
    const char *name;
    const char *doc;
    const char *const *uses; /* names of the interfaces whose structs it borrows */
    const tp_constant *constants;
    const tp_enum *const *enums;
    const tp_struct *const *structs;
    const tp_message *messages;
    uint32_t use_count;
    uint32_t constant_count;
    uint32_t enum_count;
    uint32_t struct_count;
    uint32_t message_count;
    uint16_t code;
} tp_interface;

/* The struct that a message has on the wire in either direction: Player uses one for the request
 * and its reply. NULL for a message without a body. */
TP_API const tp_struct *tp_message_payload(const tp_message *message);

/* Whether a driver's table has the operation for the message. */
TP_API bool tp_message_handled(const tp_message *message, const void *ops);

/* By code or by name (any case); NULL if there is none. */
TP_API const tp_message *tp_interface_message(const tp_interface *interface, tp_kind kind,
                                              unsigned code);
TP_API const tp_message *tp_interface_message_named(const tp_interface *interface, tp_kind kind,
                                                    const char *name);

/* "data", "command", "request", "synch", and back; 0 if the word is none of these. */
TP_API const char *tp_kind_name(tp_kind kind);
TP_API tp_kind tp_kind_named(const char *name);
TP_API const char *tp_mark_name(tp_mark mark);
/* "reads", "writes", "moves", "operates", "actuates" */
TP_API const char *tp_effect_name(tp_effect effect);

/* Whether a message with this effect can move something: it moves or actuates. Such a message needs
 * the right to move, is refused during a panic and is not executed late. */
TP_API bool tp_effect_can_move(tp_effect effect);
TP_API const char *tp_type_name(tp_type type); /* as in .padi files: "u8" ... "char", "struct" */

/* How many elements the field of this value has. */
TP_API uint32_t tp_field_count(const tp_field *field, const void *value);

/* ---- Catalogue: the interfaces that a program knows ------------------------------------------ */

typedef struct tp_catalogue tp_catalogue;

/* All built-in interfaces; more can be loaded. */
TP_API tp_status tp_catalogue_create(tp_catalogue **out, tp_error *err);
TP_API void tp_catalogue_destroy(tp_catalogue *catalogue);

/* Load an interface file; its code is 200 or more, and NAME.padi describes NAME. `use` finds what
 * is known already, then NAME.padi beside the file. Fails with "FILE:LINE:COLUMN: ...", or
 * TP_E_EXISTS if the name, the code or a struct is known; the catalogue is then as it was. */
TP_API tp_status tp_catalogue_load(tp_catalogue *catalogue, const char *path, tp_error *err);

/* The same from a text, for example of another program: `use` finds only what is known already.
 * `name` stands for the file in errors. At most 256 KiB (TP_E_LIMIT). */
TP_API tp_status tp_catalogue_load_text(tp_catalogue *catalogue, const char *name, const char *text,
                                        size_t length, tp_error *err);

/* Whether the interface is one of Troupe's own, which every program knows. */
TP_API bool tp_interface_is_builtin(const tp_interface *interface);

/* Know an interface that is compiled into the program or a plug-in (tp_interface_NAME); borrowed as
 * long as the catalogue. TP_E_EXISTS as above. */
TP_API tp_status tp_catalogue_add(tp_catalogue *catalogue, const tp_interface *interface,
                                  tp_error *err);

TP_API size_t tp_catalogue_size(const tp_catalogue *catalogue);

/* The i-th interface, ordered by code. Borrowed from the catalogue. */
TP_API const tp_interface *tp_catalogue_at(const tp_catalogue *catalogue, size_t i);

/* NULL if there is none. */
TP_API const tp_interface *tp_catalogue_code(const tp_catalogue *catalogue, unsigned code);
TP_API const tp_interface *tp_catalogue_named(const tp_catalogue *catalogue, const char *name);

/* By our name or Player's ("laser_data", "player_laser_data_t"); NULL if there is none. */
TP_API const tp_struct *tp_catalogue_struct(const tp_catalogue *catalogue, const char *name);

/* The message with this code: the interface's own, or one of the common questions. */
TP_API const tp_message *tp_catalogue_message(const tp_catalogue *catalogue, unsigned interface,
                                              tp_kind kind, unsigned code);

/* ---- XDR: the wire form of Player (RFC 4506) ------------------------------------------------- */

/* The exact length of the encoding. Fails with TP_E_COUNT if a count is over its maximum, with
 * TP_E_INVALID if a count is not 0 and its pointer is NULL. */
TP_API tp_status tp_xdr_size(const tp_struct *type, const void *value, size_t *size);

/* Encode into `buffer`; `size` is the length. Fails as tp_xdr_size() does, or with TP_E_SPACE. */
TP_API tp_status tp_xdr_encode(const tp_struct *type, const void *value, void *buffer,
                               size_t capacity, size_t *size);

/* Encode a value that tp_xdr_size() has accepted and that has not changed since, into a buffer of
 * that length; nothing is checked again. */
TP_API void tp_xdr_write(const tp_struct *type, const void *value, void *buffer);

/* The size of the block that decoding these bytes needs, all counts checked: TP_E_SHORT for a body
 * that ends too early, TP_E_COUNT for a count over its maximum or, for an array behind a pointer,
 * larger than its count field. Bytes behind the struct are ignored, as Player does. */
TP_API tp_status tp_xdr_measure(const tp_struct *type, const void *bytes, size_t length,
                                size_t *block_size);

/* Decode into a block, aligned as malloc() does; the value is at its start. Never reads beyond
 * `length` nor writes beyond `block_size`. Fails as tp_xdr_measure() does, or with TP_E_SPACE. */
TP_API tp_status tp_xdr_decode(const tp_struct *type, const void *bytes, size_t length, void *block,
                               size_t block_size);

/* Measure, allocate, decode. The block is the caller's, to free(). */
TP_API tp_status tp_xdr_decode_new(void **out, const tp_struct *type, const void *bytes,
                                   size_t length);

/* The header of a message, as 40 bytes (TP_XDR_HEADER_SIZE). header->size is the length of the body
 * that follows. */
struct tp_msghdr;
TP_API void tp_xdr_encode_header(const struct tp_msghdr *header, unsigned char bytes[40]);

/* Decode a header. Every bit pattern is a header. */
TP_API void tp_xdr_decode_header(struct tp_msghdr *header, const unsigned char bytes[40]);

/* ---- Values ---------------------------------------------------------------------------------- */

/* Whether two values are the same: every number bit by bit (so NaN equals itself), arrays element
 * by element; padding does not count. */
TP_API bool tp_value_equal(const tp_struct *type, const void *a, const void *b);

/* A deep copy in one block of memory; `size` (may be NULL) is its size. Free with free(). */
TP_API tp_status tp_value_copy(void **out, const tp_struct *type, const void *value, size_t *size);

/* Release the arrays of a value whose arrays were allocated one by one with malloc(), and clear it.
 * Not for values that are one block. */
TP_API void tp_value_clear(const tp_struct *type, void *value);

/* ---- Text ------------------------------------------------------------------------------------ */

typedef enum tp_text_form {
    TP_TEXT_JSON,        /* one line of JSON */
    TP_TEXT_JSON_PRETTY, /* indented JSON */
    TP_TEXT_LINE,        /* name=value, one line */
    TP_TEXT_BLOCK,       /* indented, with units and the names of enums */
} tp_text_form;

/* Write a value. The text is the caller's, to free(). JSON is described in docs/reference/json.md.
 */
TP_API tp_status tp_value_text(char **out, const tp_struct *type, const void *value,
                               tp_text_form form);

/* Read a value from JSON: missing members are zero, a missing count is taken from its array,
 * unknown members are refused. The value is one block, to free(). */
TP_API tp_status tp_value_from_json(void **out, const tp_struct *type, const char *json,
                                    size_t length, tp_error *err);

/* The JSON Schema (2020-12) of a struct, or of all messages of an interface: an object whose
 * members are "data.SCAN", "request.GET_GEOM", "request.GET_GEOM.answer". The text is the caller's,
 * to free(). */
TP_API tp_status tp_struct_schema(char **out, const tp_struct *type);
TP_API tp_status tp_interface_schema(char **out, const tp_interface *interface);

/* The JSON Schema of a struct for programs that know no references and no alternatives, such as
 * Foxglove: the same members, with units and the names of enums. The text is the caller's, to
 * free(). */
TP_API tp_status tp_struct_outline(char **out, const tp_struct *type);

/* The description itself: for people, or as one JSON object. The text is the caller's, to free().
 */
TP_API tp_status tp_interface_text(char **out, const tp_interface *interface);
TP_API tp_status tp_interface_json(char **out, const tp_interface *interface);

/* The same as an interface file, which tp_catalogue_load_text() reads. */
TP_API tp_status tp_interface_padi(char **out, const tp_interface *interface);

#ifdef __cplusplus
}
#endif
#endif
