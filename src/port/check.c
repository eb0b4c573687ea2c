/* check.c - what is wrong with a line before it is opened. */
#include <string.h>

#include "port/port_inside.h"

/* A path, or a word and a colon. Other texts have a meaning of their own to their driver. */
static bool is_url(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");

    return text[0] == '/' || (length > 0 && text[length] == ':');
}

static bool is_serial_path(const char *text)
{
    return strncmp(text, "/dev/tty", strlen("/dev/tty")) == 0 ||
           strncmp(text, "/dev/rfcomm", strlen("/dev/rfcomm")) == 0;
}

/* Stands in for any hardware. */
static bool stands_in(const tp_scheme *scheme)
{
    return strcmp(scheme->name, "script") == 0 || strcmp(scheme->name, "emulate") == 0 ||
           strcmp(scheme->name, "sensor") == 0;
}

/* What the driver uses if it is told nothing shows which kind it understands. */
static tp_status check_kind(const tpi_port_setup *setup, const tp_scheme *scheme, const char *usual,
                            tp_error *err)
{
    const tp_scheme *expected = NULL;
    const char *rest;

    if (scheme->is_special && is_serial_path(usual)) {
        return tp_fail(err, TP_E_INVALID,
                       "the driver needs a line of bytes, such as %s, not %s:", usual,
                       scheme->name);
    }
    if (!is_url(usual) || tpi_port_scheme(setup, usual, &expected, &rest, NULL) != TP_OK ||
        !expected->is_special || expected == scheme || stands_in(scheme)) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_INVALID,
                   "the driver needs a line of the kind %s:, such as %s, not %s:", expected->name,
                   usual, scheme->name);
}

tp_status tpi_port_check(const tpi_port_setup *setup, const char *url, const char *usual,
                         tp_error *err)
{
    const tp_scheme *scheme = NULL;
    const char *rest;
    tp_status status;

    if (!is_url(url)) {
        return TP_OK;
    }
    status = tpi_port_scheme(setup, url, &scheme, &rest, err);
    if (status != TP_OK && setup->schemes == NULL) { /* nobody has said which kinds there are */
        return TP_OK;
    }
    status = status == TP_OK ? check_kind(setup, scheme, usual, err) : status;
    return status == TP_OK && scheme->check != NULL ? scheme->check(url, rest, err) : status;
}
