/* cfg_fuzz.c - parsing any text as a configuration; what is accepted can be read and means the same
 * when it is written down without macros. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "convert/cfg.h"
#include "fuzz.h"

static const char path[] = "no-such-folder/fuzz.cfg"; /* where no include is found */

static void check_note(void *context, const char *text)
{
    (void)context;
    fuzz_require(strncmp(text, path, sizeof path - 1) == 0, "a note without a place");
}

static void check_error(const tp_error *err)
{
    fuzz_require(strncmp(err->text, path, sizeof path - 1) == 0, "an error without a place");
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void read_value(const tpi_cfg_value *value)
{
    char *name = NULL;
    tp_error err = {0};

    fuzz_require(value->text != NULL && value->place.line > 0 && value->place.column > 0,
                 "a value without text or place");
    if (tpi_cfg_path(value, &name, &err) != TP_OK) {
        check_error(&err);
    }
    free(name);
}

static void read_field(tpi_cfg_section *section, const tpi_cfg_field *field)
{
    const char *text;
    double number;
    int64_t whole;
    bool truth;
    tp_error err = {0};
    const tp_status statuses[] = {
        tpi_cfg_string(section, field->name, NULL, &text, &err),
        tpi_cfg_number(section, field->name, 0, &number, &err),
        tpi_cfg_integer(section, field->name, 0, &whole, &err),
        tpi_cfg_bool(section, field->name, false, &truth, &err),
        tpi_cfg_length(section, field->name, 0, &number, &err),
        tpi_cfg_angle(section, field->name, 0, &number, &err),
    };

    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        fuzz_require(statuses[i] == TP_OK || statuses[i] == TP_E_SYNTAX, "a strange failure");
    }
    fuzz_require(tpi_cfg_find(section, field->name) == field, "a field is there twice");
    fuzz_require(field->tuple || field->value_count == 1, "one value is none or many");
    for (uint32_t i = 0; i < field->value_count; i++) {
        read_value(&field->values[i]);
    }
}

/* Some fields of a section: finding one takes as long as there are fields. */
static void read_section(tpi_cfg_section *section)
{
    for (uint32_t i = 0; i < section->field_count && i < 64; i++) {
        read_field(section, &section->fields[i]);
    }
    for (uint32_t i = 0; i < section->section_count; i++) {
        fuzz_require(section->sections[i]->parent == section, "a section has another parent");
        read_section(section->sections[i]);
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_field(tpi_buf *out, const tpi_cfg_field *field)
{
    tpi_buf_printf(out, "%s%s", field->name, field->tuple ? " [" : "");
    for (uint32_t i = 0; i < field->value_count; i++) {
        const char *quote = field->values[i].kind == TPI_CFG_STRING ? "\"" : "";
        tpi_buf_printf(out, " %s%s%s", quote, field->values[i].text, quote);
    }
    tpi_buf_puts(out, field->tuple ? " ]\n" : "\n");
}

static void write_section(tpi_buf *out, const tpi_cfg_section *section)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        write_field(out, &section->fields[i]);
    }
    for (uint32_t i = 0; i < section->section_count; i++) {
        tpi_buf_printf(out, "%s (\n", section->sections[i]->type);
        write_section(out, section->sections[i]);
        tpi_buf_puts(out, ")\n");
    }
}

static void round_trip(tpi_cfg *cfg)
{
    tpi_buf first = {0};
    tpi_buf second = {0};
    tpi_cfg *back = NULL;
    tp_error err = {0};

    write_section(&first, tpi_cfg_root(cfg));
    if (first.length < 1 << 20) {
        fuzz_require(tpi_cfg_parse(&back, path, tpi_buf_text(&first), first.length, check_note,
                                   NULL, &err) == TP_OK,
                     "what was accepted is refused");
        write_section(&second, tpi_cfg_root(back));
        fuzz_require(strcmp(tpi_buf_text(&first), tpi_buf_text(&second)) == 0,
                     "the round trip changes the configuration");
    }
    tpi_cfg_destroy(back);
    tpi_buf_fini(&first);
    tpi_buf_fini(&second);
}

/* ---- The target ------------------------------------------------------------------------------ */

/* An absolute name could be that of any file or device here. */
static bool includes_absolutely(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (data[i] == '"' && data[i + 1] == '/') {
            return true;
        }
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const known[] = {"name", "provides", "requires", "alwayson", NULL};
    tpi_cfg *cfg = NULL;
    tp_error err = {0};

    if (includes_absolutely(data, size)) {
        return 0;
    }
    if (tpi_cfg_parse(&cfg, path, (const char *)data, size, check_note, NULL, &err) != TP_OK) {
        check_error(&err);
        return 0;
    }
    tpi_cfg_report_unused(tpi_cfg_root(cfg), known, true, check_note, NULL);
    read_section(tpi_cfg_root(cfg));
    round_trip(cfg);
    tpi_cfg_destroy(cfg);
    return 0;
}
