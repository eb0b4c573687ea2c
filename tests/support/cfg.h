/* cfg.h - configuration files as one line of text, for tests of src/convert. */
#ifndef TROUPE_TESTS_CFG_H
#define TROUPE_TESTS_CFG_H

#include <string.h>

#include "base/buf.h"
#include "convert/cfg.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A note, as a line behind those in the buffer `context`. */
static inline void cfg_collect(void *context, const char *text)
{
    tpi_buf_printf(context, "%s%s", ((tpi_buf *)context)->length > 0 ? "\n" : "", text);
}

static inline void cfg_put_field(tpi_buf *out, const tpi_cfg_field *field)
{
    tpi_buf_printf(out, "%s=%s", field->name, field->tuple ? "[" : "");
    for (uint32_t i = 0; i < field->value_count; i++) {
        const tpi_cfg_value *value = &field->values[i];
        const char *quote = value->kind == TPI_CFG_STRING ? "'" : "";
        tpi_buf_printf(out, "%s%s%s%s", i > 0 ? " " : "", quote, value->text, quote);
    }
    tpi_buf_puts(out, field->tuple ? "] " : " ");
}

/* What a section holds: `speed=1 pose=[1 2] driver( name='x' ) laser<sick>( )`. */
static inline void cfg_put(tpi_buf *out, const tpi_cfg_section *section)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        cfg_put_field(out, &section->fields[i]);
    }
    for (uint32_t i = 0; i < section->section_count; i++) {
        const tpi_cfg_section *inner = section->sections[i];
        tpi_buf_puts(out, inner->type);
        if (inner->macro != NULL) {
            tpi_buf_printf(out, "<%s>", inner->macro);
        }
        tpi_buf_puts(out, "( ");
        cfg_put(out, inner);
        tpi_buf_puts(out, ") ");
    }
}

/* Parse a text that ends with its memory, so that reading on is noticed. */
static inline tp_status cfg_parse_bytes(tpi_cfg **cfg, const char *text, size_t length,
                                        tpi_buf *notes, tp_error *err)
{
    char *exact = malloc(length > 0 ? length : 1);

    if (exact == NULL) {
        return TP_E_NOMEM;
    }
    memcpy(exact, text, length);
    tp_status status =
        tpi_cfg_parse(cfg, "x.cfg", exact, length, notes == NULL ? NULL : cfg_collect, notes, err);
    free(exact);
    return status;
}

#endif
