/*
 * gen.h - what the generator makes of a parsed interface file.
 *
 * Each emitter appends one file to a buffer: the C header, the C source with the descriptor tables
 * (troupe/padi.h says what they are), the calls of robot programs, what drivers call, and the
 * reference page.
 */
#ifndef TROUPE_PADI_GEN_H
#define TROUPE_PADI_GEN_H

#include "base/buf.h"
#include "padi/parse.h"

/* How a generated file names the headers that it includes. */
typedef struct gen_names {
    const char *own_prefix; /* "" or "troupe/interfaces/": of this interface's own header */
    /* For each `use`: the prefix of that header; matches interface.uses. */
    const char *const *use_prefixes;
} gen_names;

void gen_header(tpi_buf *out, const tpi_padi *padi, const gen_names *names);
void gen_source(tpi_buf *out, const tpi_padi *padi, const gen_names *names);
void gen_client(tpi_buf *out, const tp_interface *interface, const gen_names *names);
void gen_page(tpi_buf *out, const tp_interface *interface);
void gen_driver_header(tpi_buf *out, const tpi_padi *padi, const gen_names *names);

/* The umbrella headers, and the table tpi_builtin_interfaces, of all the named interfaces. */
void gen_all_header(tpi_buf *out, const tpi_padi *const *padis, size_t count);
void gen_all_clients(tpi_buf *out, const tpi_padi *const *padis, size_t count);
void gen_builtin_table(tpi_buf *out, const tpi_padi *const *padis, size_t count);

/* Append text in upper case. */
void gen_upper(tpi_buf *out, const char *text);

/* Append `text` as a C comment, broken into lines; what it says neither ends it early nor opens
 * another. */
void gen_comment(tpi_buf *out, size_t indent, const char *text);

/* Append `text` as a C string with its quotes. */
void gen_string(tpi_buf *out, const char *text);

/* The C type of a field's element: "double", "tp_pose3d". */
void gen_type(tpi_buf *out, const tp_field *field);

/* The name of a message's operation: "cmd_vel", "req_get_geom". */
void gen_operation(tpi_buf *out, const tp_message *message);

/* Whether drivers have an operation for the message, and whether any message has one. */
bool gen_has_operation(const tp_message *message);
bool gen_has_operations(const tp_interface *interface);

#endif
