/* status.c - error codes and texts. */
#include "troupe/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    tp_status code;
    const char *name;
    const char *text;
} statuses[] = {
#define STATUS_ROW(name, number, text) {TP_##name, #name, text},
    TP_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

tp_status tp_fail(tp_error *err, tp_status code, const char *format, ...)
{
    va_list args;

    if (err != NULL) {
        err->code = code;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

tp_status tp_wrap(tp_error *err, tp_status code, const char *who)
{
    char inner[sizeof err->text];

    if (err != NULL) {
        memcpy(inner, err->text, sizeof inner);
        err->code = code;
        if (snprintf(err->text, sizeof err->text, "%s: %s", who, inner) < 0) {
            err->text[0] = '\0';
        }
    }
    return code;
}

const char *tp_status_name(tp_status code)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].code == code) {
            return statuses[i].name;
        }
    }
    return "E_?";
}

const char *tp_status_text(tp_status code)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].code == code) {
            return statuses[i].text;
        }
    }
    return "unknown status";
}
