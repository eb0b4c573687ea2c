/*
 * section_guard.c - what a driver section says about its guard: the bytes that stop the robot.
 *
 *     guard "V 0\\r"          a text, with the escapes of scripts
 *     guard "hex:89 00 00"    bytes
 */
#include <string.h>

#include "base/text.h"
#include "platform/guard.h"
#include "server/inside.h"

static tp_status read_text(tpi_buf *out, const char *text, tp_error *err)
{
    while (*text != '\0') {
        char byte = *text++;
        if (byte == '\\') {
            const size_t length = tpi_escape_read(text, strlen(text), &byte);
            if (length == 0) {
                return tp_fail(err, TP_E_SYNTAX,
                               "behind \\ stands n, r, t, 0, \\, ' or x and two hex digits");
            }
            text += length;
        }
        tpi_buf_putc(out, byte);
    }
    return TP_OK;
}

tp_status tpi_guard_parse(tpi_buf *out, const char *text, tp_error *err)
{
    static const char hex[] = "hex:";
    const size_t length = sizeof hex - 1;
    tp_status status = strncmp(text, hex, length) == 0
                           ? tpi_hex_read(out, text + length, strlen(text + length), err)
                           : read_text(out, text, err);

    if (status == TP_OK && out->failed) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (status == TP_OK && (out->length == 0 || out->length > TPI_GUARD_MOST)) {
        return tp_fail(err, TP_E_RANGE, "guard has from 1 to %d bytes", TPI_GUARD_MOST);
    }
    return status;
}

static tp_status keep(tp_server *server, const tpi_buf *bytes, tpi_blueprint *blueprint,
                      tp_error *err)
{
    blueprint->guard = tpi_arena_text(&server->file->arena, bytes->data, bytes->length);
    blueprint->guard_length = bytes->length;
    return blueprint->guard != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

/* A line that may be left out has to be there. Bytes that nobody would ever write are no comfort.
 */
static tp_status check_line(tpi_cfg_section *section, const tp_driver *driver,
                            const tpi_cfg_place *place, tp_error *err)
{
    const bool on_loop = (driver->flags & TP_DRIVER_ON_LOOP) != 0; /* which has no lines */
    const tp_param *param = on_loop ? NULL : driver->params;
    const char *line = NULL;

    for (; param != NULL && param->name != NULL; param++) {
        if (tpi_setting_is_line(param)) {
            line = param->name;
            if (param->fallback == NULL || param->fallback[0] != '\0' ||
                tpi_cfg_find(section, param->name) != NULL) {
                return TP_OK;
            }
        }
    }
    return line == NULL
               ? tpi_cfg_fail(place, err, "the driver %s has no line that could be guarded",
                              driver->name)
               : tpi_cfg_fail(place, err, "guard has no line to write to: give \"%s\"", line);
}

tp_status tpi_guard_read(tp_server *server, tpi_cfg_section *section, tpi_blueprint *blueprint,
                         tp_error *err)
{
    const char *text = NULL;
    tpi_buf bytes = {0};
    tp_error why = {0};
    tp_status status = tpi_cfg_string(section, "guard", NULL, &text, err);

    if (status != TP_OK || text == NULL) {
        return status;
    }
    const tpi_cfg_place *place = &tpi_cfg_find(section, "guard")->values[0].place;
    status = check_line(section, blueprint->driver, place, err);
    if (status != TP_OK) {
        return status;
    }
    status = tpi_guard_parse(&bytes, text, &why);
    status = status == TP_OK ? keep(server, &bytes, blueprint, err)
                             : tpi_cfg_fail(place, err, "%s", why.text);
    tpi_buf_fini(&bytes);
    return status;
}
