/* amtec_settings.c - which modules an arm has, and on which bus; see amtec.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amtec.h"

/* Numbers with commas between them, or a tuple of numbers, or a tuple of such texts. */
static tp_status read_list(tp_instance *self, const char *name, double out[AMTEC_MOST],
                           unsigned *count, tp_error *err)
{
    *count = 0;
    for (size_t i = 0; i < tp_param_count(self, name); i++) {
        const char *at = tp_param_string_at(self, name, i);
        while (*at != '\0') {
            char *end = NULL;
            const double value = strtod(at, &end);
            if (end == at || !isfinite(value) || (*end != '\0' && *end != ',')) {
                tp_param_blame(self, name);
                return tp_fail(err, TP_E_RANGE, "%s: \"%.40s\" is not a number", name, at);
            }
            if (*count == AMTEC_MOST) {
                tp_param_blame(self, name);
                return tp_fail(err, TP_E_RANGE, "%s has more than %d numbers", name, AMTEC_MOST);
            }
            out[(*count)++] = value;
            at = *end == ',' ? end + 1 : end;
        }
    }
    return TP_OK;
}

static tp_status read_ids(tp_instance *self, struct amtec_module modules[AMTEC_MOST],
                          unsigned *count, tp_error *err)
{
    const double expected = tp_param_double(self, "module_count");
    double ids[AMTEC_MOST];
    const tp_status status = read_list(self, "module_ids", ids, count, err);

    if (status != TP_OK) {
        return status;
    }
    tp_param_blame(self, "module_ids");
    if (*count == 0 || (tp_param_given(self, "module_count") && expected != *count)) {
        return tp_fail(err, TP_E_RANGE, "module_ids has %u numbers, and module_count is %g", *count,
                       expected);
    }
    for (unsigned i = 0; i < *count; i++) {
        if (!(ids[i] >= 1 && ids[i] <= 31) || ids[i] != floor(ids[i])) {
            return tp_fail(err, TP_E_RANGE, "module_ids: %g is not from 1 to 31", ids[i]);
        }
        modules[i] = (struct amtec_module){.id = (unsigned)ids[i], .direction = 1};
        for (unsigned k = 0; k < i; k++) {
            if (modules[k].id == modules[i].id) {
                return tp_fail(err, TP_E_RANGE, "module_ids names %g twice", ids[i]);
            }
        }
    }
    return TP_OK;
}

tp_status tpi_amtec_settings(tp_instance *self, struct amtec_module modules[AMTEC_MOST],
                             unsigned *count, tp_error *err)
{
    double values[3][AMTEC_MOST];
    unsigned counts[3] = {0};
    tp_status status = read_ids(self, modules, count, err);

    status = status == TP_OK ? read_list(self, "directions", values[0], &counts[0], err) : status;
    status = status == TP_OK ? read_list(self, "offsets", values[1], &counts[1], err) : status;
    status =
        status == TP_OK ? read_list(self, "normalize_angles", values[2], &counts[2], err) : status;
    for (unsigned i = 0; status == TP_OK && i < *count; i++) {
        struct amtec_module *m = &modules[i];
        m->direction = i < counts[0] ? values[0][i] : 1;
        m->offset = i < counts[1] ? values[1][i] : 0;
        m->normalize = i < counts[2] ? values[2][i] != 0 : true;
        if (fabs(m->direction) != 1) {
            tp_param_blame(self, "directions");
            status = tp_fail(err, TP_E_RANGE, "directions: %g is not 1 or -1", m->direction);
        }
    }
    return status;
}

tp_status tpi_amtec_line(tp_instance *self, char *out, size_t size, tp_error *err)
{
    const char *port = tp_param_string(self, "port"), *text = tp_param_string(self, "connstring");
    const char *colon = strchr(text, ':');
    char *end = NULL;
    unsigned long bus = 0;

    if (port[0] != '\0') {
        snprintf(out, size, "%s", port);
        return TP_OK;
    }
    if (colon != NULL && strncmp(text, "RS232", 5) != 0) {
        bus = strtoul(colon + 1, &end, 10);
    }
    if (end == NULL || end == colon + 1 || (*end != '\0' && *end != ',') || bus > 99) {
        tp_param_blame(self, "connstring");
        return tp_fail(err, TP_E_RANGE,
                       "connstring \"%.40s\" is no CAN bus: it is like \"ESD:0,1000\"; serial "
                       "lines (RS232) are not supported",
                       text);
    }
    snprintf(out, size, "can:can%lu", bus);
    return TP_OK;
}
