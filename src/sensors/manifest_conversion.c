/* manifest_conversion.c - units, functions and scales of a channel; see manifest_inside.h. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "sensors/manifest_inside.h"

static const char *const index_only[] = {"index", NULL};

/* ---- Units ----------------------------------------------------------------------------------- */

static tp_status check_unit(struct manifest_reading *r, const tpi_element *units,
                            const tpi_conversion *c)
{
    if (c->unit == TPI_UNIT_SI_PRODUCT && c->si_units[0] == '\0') {
        return tpi_element_fail(r->document, units,
                                "si_product without a formula; add <si_units>m/s^2</si_units>");
    }
    if (c->si_units[0] != '\0' && !tpi_si_units_valid(c->si_units)) {
        return tpi_element_fail(r->document, tpi_manifest_child(units, "si_units"),
                                "\"%.30s\" is no formula of SI units; write one as m/s^2, V or "
                                "kg*m^2",
                                c->si_units);
    }
    if (c->state_count > 0 && c->unit != TPI_UNIT_DIGITAL) {
        return tpi_element_fail(r->document, tpi_manifest_child(units, "states"),
                                "only digital units have states; write <type>digital</type>");
    }
    return TP_OK;
}

static tp_status read_units(struct manifest_reading *r, const tpi_element *units, tpi_conversion *c)
{
    static const char *const names[] = {"type", "label", "si_units", "magnitude", "states", NULL};
    const tpi_element *states = units == NULL ? NULL : tpi_manifest_child(units, "states");
    int type = TPI_UNIT_RAW;

    c->label = c->si_units = "";
    if (units == NULL) {
        return TP_OK;
    }
    tp_status status = tpi_manifest_only(r, units, names, NULL);
    if (status == TP_OK) {
        status = tpi_manifest_choice(r, units, "type", tpi_unit_types, TPI_UNIT_RAW, &type);
    }
    c->unit = (tpi_unit_type)type;
    if (status == TP_OK) {
        status = tpi_manifest_number(r, units, "magnitude", -30, 30, 0, &c->magnitude);
    }
    c->label = tpi_manifest_child_text(r, units, "label");
    c->si_units = tpi_manifest_child_text(r, units, "si_units");
    if (c->label == NULL || c->si_units == NULL) {
        return TP_E_NOMEM;
    }
    if (status == TP_OK && states != NULL) {
        status = tpi_manifest_options(r, states, 0, &c->states, &c->state_count);
    }
    return status == TP_OK ? check_unit(r, units, c) : status;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* The numbers of a text, with blanks or commas between them. False if there is something else. */
static bool split_numbers(const char *text, double *numbers, uint16_t *count)
{
    for (const char *at = text + strspn(text, " \t\r\n,"); *at != '\0';
         at += strspn(at, " \t\r\n,")) {
        if (*count == TPI_MOST_COORDS) {
            return false;
        }
        const size_t used = tpi_number_read_f64(at, strlen(at), &numbers[*count]);
        if (used == 0 || !isfinite(numbers[*count])) {
            return false;
        }
        at += used;
        ++*count;
    }
    return true;
}

/* <lut>: <in> and <out> in turns. */
static tp_status read_table(struct manifest_reading *r, const tpi_element *table, double *numbers,
                            uint16_t *count)
{
    for (const tpi_element *child = table->first; child != NULL; child = child->next) {
        const char *wanted = *count % 2 == 0 ? "in" : "out";
        if (strcmp(child->name, wanted) != 0) {
            return tpi_element_fail(r->document, child,
                                    "<in> and <out> come in turns; expected <%s>", wanted);
        }
        if (*count == TPI_MOST_COORDS) {
            return tpi_element_fail(r->document, child, "over %d points", TPI_MOST_COORDS / 2);
        }
        const tp_status status = tpi_manifest_own_number(r, child, -1e12, 1e12, &numbers[*count]);
        if (status != TP_OK) {
            return status;
        }
        ++*count;
    }
    return *count % 2 == 0
               ? TP_OK
               : tpi_element_fail(r->document, table, "the last <in> has no <out>; add it");
}

static tp_status read_parameters(struct manifest_reading *r, const tpi_element *parameters,
                                 double *numbers, uint16_t *count)
{
    static const char *const names[] = {"lut", "coord", NULL};
    static const char *const many[] = {"coord", NULL};
    tp_status status = tpi_manifest_only(r, parameters, names, many);

    for (const tpi_element *child = parameters->first; child != NULL && status == TP_OK;
         child = child->next) {
        if (strcmp(child->name, "lut") == 0) {
            status = read_table(r, child, numbers, count);
        } else if (strcmp(child->name, "coord") == 0 &&
                   !split_numbers(child->text, numbers, count)) {
            status = tpi_element_fail(r->document, child,
                                      "\"%.30s\" are not numbers with blanks between them, at "
                                      "most %d in all",
                                      child->text, TPI_MOST_COORDS);
        }
    }
    return status;
}

static tp_status check_points(struct manifest_reading *r, const tpi_element *method,
                              const tpi_scaling *s)
{
    if (s->count < 4 || s->count % 2 != 0) {
        return tpi_element_fail(r->document, method,
                                "piecewise_lin has %u numbers; give at least two points: "
                                "<lut><in>0</in><out>0</out>...</lut>",
                                s->count);
    }
    for (uint16_t i = 2; i < s->count; i += 2) {
        if (!(s->numbers[i] > s->numbers[i - 2])) {
            return tpi_element_fail(r->document, method,
                                    "the inputs %g and %g do not ascend; sort the points",
                                    s->numbers[i - 2], s->numbers[i]);
        }
    }
    return TP_OK;
}

static tp_status check_function(struct manifest_reading *r, const tpi_element *method,
                                const tpi_scaling *s)
{
    const double *n = s->numbers;

    switch (s->function) {
    case TPI_SCALING_PIECEWISE:
        return check_points(r, method, s);
    case TPI_SCALING_POLYNOMIAL:
        return s->count >= 1 && s->count <= 16
                   ? TP_OK
                   : tpi_element_fail(r->document, method,
                                      "polynomial has %u numbers; give c0 c1 c2 ..., at most 16",
                                      s->count);
    case TPI_SCALING_EXPONENTIAL:
    case TPI_SCALING_LOG:
        return s->count == 3 && n[0] != 0 && n[1] != 0
                   ? TP_OK
                   : tpi_element_fail(r->document, method,
                                      "%s needs three numbers a b c, a and b not 0",
                                      tpi_scaling_function_name(s->function));
    case TPI_SCALING_NORMALIZE:
        return s->count == 2 && n[0] != n[1]
                   ? TP_OK
                   : tpi_element_fail(r->document, method,
                                      "normalize needs two different raw numbers: those of min "
                                      "and max");
    case TPI_SCALING_NONE:
    default:
        return s->count == 0
                   ? TP_OK
                   : tpi_element_fail(r->document, method, "the function none has no parameters");
    }
}

static tp_status read_method(struct manifest_reading *r, const tpi_element *method, tpi_scaling *s)
{
    static const char *const names[] = {"function", "parameters", NULL};
    double *numbers = tpi_arena_array(&r->document->arena, TPI_MOST_COORDS, sizeof *numbers);
    const tpi_element *parameters;
    int function = TPI_SCALING_NONE;

    if (numbers == NULL) {
        return tpi_document_no_memory(r->document);
    }
    s->numbers = numbers;
    if (method == NULL) {
        return TP_OK;
    }
    tp_status status = tpi_manifest_only(r, method, names, NULL);
    if (status == TP_OK) {
        status = tpi_manifest_choice(r, method, "function", tpi_scaling_functions, TPI_SCALING_NONE,
                                     &function);
    }
    s->function = (tpi_scaling_function)function;
    parameters = tpi_manifest_child(method, "parameters");
    if (status == TP_OK && parameters != NULL) {
        status = read_parameters(r, parameters, numbers, &s->count);
    }
    status = status == TP_OK ? check_function(r, method, s) : status;
    if (status != TP_OK) { /* reading may go on: what follows needs a function that works */
        s->function = TPI_SCALING_NONE;
    }
    return status;
}

/* ---- Scales ---------------------------------------------------------------------------------- */

static tp_status read_scale(struct manifest_reading *r, const tpi_element *scale, tpi_conversion *c)
{
    static const char *const names[] = {"min", "max", "resolution", "uncertainty", NULL};
    tpi_scaling *s = &c->scaling;

    s->uncertainty = -1;
    if (scale == NULL) {
        return TP_OK;
    }
    tp_status status = tpi_manifest_only(r, scale, names, NULL);
    if (status == TP_OK) {
        status = tpi_manifest_number(r, scale, "min", -1e12, 1e12, NAN, &s->min);
    }
    if (status == TP_OK) {
        status = tpi_manifest_number(r, scale, "max", -1e12, 1e12, NAN, &s->max);
    }
    if (status == TP_OK) {
        status = tpi_manifest_number(r, scale, "resolution", 1e-9, 1e12, 0, &s->resolution);
    }
    if (status == TP_OK) {
        status = tpi_manifest_number(r, scale, "uncertainty", 0, 1e12, -1, &s->uncertainty);
    }
    if (status != TP_OK) {
        return status;
    }
    if (isnan(s->min) != isnan(s->max)) {
        return tpi_element_fail(r->document, scale, "<%s> is missing; add it",
                                isnan(s->min) ? "min" : "max");
    }
    c->has_scale = !isnan(s->min);
    if (c->has_scale && !(s->min < s->max)) {
        c->has_scale = false;
        return tpi_element_fail(r->document, scale, "min %g is not below max %g; exchange them",
                                s->min, s->max);
    }
    return TP_OK;
}

static tp_status read_model(struct manifest_reading *r, const tpi_element *model, tpi_conversion *c)
{
    static const char *const names[] = {"datatype", "sample_size", NULL};
    static const char *const types[] = {"bool",    "int8",   "uint8",  "int16",  "uint16",
                                        "int32",   "uint32", "int64",  "uint64", "float32",
                                        "float64", "float",  "double", NULL};
    int type = -1;
    double size = 1;

    c->datatype = "";
    c->sample_size = 1;
    if (model == NULL) {
        return TP_OK;
    }
    tp_status status = tpi_manifest_only(r, model, names, NULL);
    if (status == TP_OK) {
        status = tpi_manifest_choice(r, model, "datatype", types, -1, &type);
    }
    if (status == TP_OK) {
        status = tpi_manifest_number(r, model, "sample_size", 1, 1024, 1, &size);
    }
    c->datatype = type >= 0 ? types[type] : "";
    c->sample_size = (unsigned)size;
    return status;
}

/* ---- Conversions ----------------------------------------------------------------------------- */

static tp_status read_conversion(struct manifest_reading *r, const tpi_element *element,
                                 unsigned index, tpi_conversion *c)
{
    static const char *const names[] = {"units", "method", "scale", "data_model", NULL};
    tp_status status = tpi_manifest_only(r, element, names, NULL);

    c->index = index;
    if (status == TP_OK) {
        status = tpi_element_only(r->document, element, index_only);
    }
    if (status == TP_OK) {
        status = tpi_manifest_index(r, element, index);
    }
    const tp_status parts[] = {
        read_units(r, tpi_manifest_child(element, "units"), c),
        read_method(r, tpi_manifest_child(element, "method"), &c->scaling),
        read_scale(r, tpi_manifest_child(element, "scale"), c),
        read_model(r, tpi_manifest_child(element, "data_model"), c),
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == TP_OK; i++) {
        status = parts[i];
    }
    if (status == TP_OK && c->scaling.function == TPI_SCALING_NORMALIZE && !c->has_scale) {
        c->scaling.function = TPI_SCALING_NONE;
        return tpi_element_fail(r->document, element,
                                "normalize needs a scale; add <scale><min>0</min><max>1</max>"
                                "</scale>");
    }
    return status;
}

/* What raw numbers a channel has: those of its raw conversion, or of its functions. */
static void find_raw(const tpi_conversion *all, unsigned count, tpi_scaling *raw)
{
    *raw = (tpi_scaling){.low = 0, .high = 65535, .raw_step = 1};
    for (unsigned i = count; i > 0; i--) {
        const tpi_scaling *s = &all[i - 1].scaling;
        if (s->function == TPI_SCALING_PIECEWISE) {
            raw->low = s->numbers[0];
            raw->high = s->numbers[s->count - 2];
        } else if (s->function == TPI_SCALING_NORMALIZE) {
            raw->low = fmin(s->numbers[0], s->numbers[1]);
            raw->high = fmax(s->numbers[0], s->numbers[1]);
        }
    }
    for (unsigned i = count; i > 0; i--) {
        const tpi_scaling *s = &all[i - 1].scaling;
        if (s->function == TPI_SCALING_NONE && all[i - 1].has_scale) {
            raw->low = s->min;
            raw->high = s->max;
            raw->raw_step = s->resolution > 0 ? s->resolution : 1;
        }
    }
}

static void complete(tpi_conversion *c, const tpi_scaling *raw)
{
    tpi_scaling *s = &c->scaling;

    s->low = raw->low;
    s->high = raw->high;
    s->raw_step = raw->raw_step;
    if (c->unit == TPI_UNIT_DIGITAL && !c->has_scale) {
        s->min = 0;
        s->max = c->state_count > 2 ? c->state_count - 1 : 1;
        s->resolution = 1;
    } else if (!c->has_scale) {
        const double a = tpi_scaling_apply(s, s->low);
        const double b = tpi_scaling_apply(s, s->high);
        s->min = fmin(a, b);
        s->max = fmax(a, b);
    }
}

tp_status tpi_manifest_conversions(struct manifest_reading *r, const tpi_element *element,
                                   tpi_transducer *out)
{
    static const char *const names[] = {"conversion", NULL};
    const unsigned given = tpi_manifest_count(element, "conversion");
    tpi_conversion *all = tpi_arena_array(&r->document->arena, given > 0 ? given : 1, sizeof *all);
    tp_status status = element == NULL ? TP_OK : tpi_manifest_only(r, element, names, names);
    tpi_scaling raw;
    unsigned count = 0;

    if (all == NULL) {
        return tpi_document_no_memory(r->document);
    }
    if (given > TPI_MOST_CONVERSIONS) {
        return tpi_element_fail(r->document, element, "over %d conversions", TPI_MOST_CONVERSIONS);
    }
    for (const tpi_element *child = element == NULL ? NULL : element->first;
         child != NULL && tpi_document_goes_on(r->document, status); child = child->next) {
        if (strcmp(child->name, "conversion") == 0) {
            status = read_conversion(r, child, count + 1, &all[count]);
            count++;
        }
    }
    if (count == 0) { /* one raw conversion stands for none */
        all[0] = (tpi_conversion){
            .index = 1, .label = "", .si_units = "", .datatype = "", .sample_size = 1};
        all[0].scaling.uncertainty = -1;
        count = 1;
    }
    find_raw(all, count, &raw);
    for (unsigned i = 0; i < count; i++) {
        complete(&all[i], &raw);
    }
    out->conversions = all;
    out->conversion_count = count;
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}
