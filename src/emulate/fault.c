/* fault.c - reading what goes wrong and when; see fault.h. */
#include "emulate/fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *const words[TPI_EMU_FAULTS] = {
    [TPI_EMU_UNPLUGGED] = "unplugged", [TPI_EMU_SILENT] = "silent",   [TPI_EMU_WRONG] = "wrong",
    [TPI_EMU_SHORT] = "short",         [TPI_EMU_BATTERY] = "battery", [TPI_EMU_LIFTED] = "lifted",
};

const char *tpi_emu_fault_word(tpi_emu_fault_kind kind)
{
    return words[kind];
}

static tp_status unknown_kind(const char *word, tp_error *err)
{
    tpi_nearest nearest;
    char hint[64];

    tpi_nearest_init(&nearest, word);
    for (int i = 0; i < TPI_EMU_FAULTS; i++) {
        tpi_nearest_offer(&nearest, words[i]);
    }
    return tp_fail(err, TP_E_UNKNOWN,
                   "\"%.20s\" is no fault%s (unplugged, silent, wrong, short, battery, lifted)",
                   word, tpi_nearest_hint(&nearest, hint, sizeof hint));
}

tp_status tpi_emu_fault_read_kind(tpi_emu_fault_kind *kind, const char *word, size_t length,
                                  tp_error *err)
{
    char text[21] = "";

    for (int i = 0; i < TPI_EMU_FAULTS; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            *kind = (tpi_emu_fault_kind)i;
            return TP_OK;
        }
    }
    memcpy(text, word, length < sizeof text - 1 ? length : sizeof text - 1);
    return unknown_kind(text, err);
}

/* "5s", "250ms", "1.5"; *text moves behind it. */
static tp_status read_time(int64_t *time_us, const char **text, const char *whole, tp_error *err)
{
    const double most_s = 1e9;
    char *end = NULL;
    double value = strtod(*text, &end);

    if (end == *text || !(value >= 0 && value <= most_s)) {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\": \"%.20s\" is no time, as 5s and 250ms are",
                       whole, *text);
    }
    if (strncmp(end, "ms", 2) == 0) {
        value *= 1e-3;
        end += 2;
    } else if (*end == 's') {
        end++;
    }
    *time_us = llround(value * 1e6);
    *text = end;
    return TP_OK;
}

static tp_status read_times(tpi_emu_fault *fault, const char *at, const char *whole, tp_error *err)
{
    tp_status status = read_time(&fault->from_us, &at, whole, err);

    if (status == TP_OK && *at == '-') {
        at++;
        status = read_time(&fault->to_us, &at, whole, err);
    }
    if (status == TP_OK && *at != '\0') {
        return tp_fail(err, TP_E_INVALID, "\"%.40s\": \"%.20s\" behind the time", whole, at);
    }
    return status == TP_OK && fault->to_us <= fault->from_us
               ? tp_fail(err, TP_E_INVALID, "\"%.40s\" ends before it begins", whole)
               : status;
}

tp_status tpi_emu_fault_parse(tpi_emu_fault *fault, const char *text, tp_error *err)
{
    const size_t length = strcspn(text, "@");

    *fault = (tpi_emu_fault){.to_us = INT64_MAX};
    const tp_status status = tpi_emu_fault_read_kind(&fault->kind, text, length, err);
    return status == TP_OK && text[length] == '@' ? read_times(fault, text + length + 1, text, err)
                                                  : status;
}
