/* manifest_transducer.c - channels, modes and settings of a manifest; see manifest_inside.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sensors/manifest_inside.h"

static const char *const index_only[] = {"index", NULL};

/* ---- Modes ----------------------------------------------------------------------------------- */

static tp_status read_number_mode(struct manifest_reading *r, const tpi_element *element,
                                  tpi_mode *mode)
{
    tp_status status = tpi_manifest_number(r, element, "min", -1e9, 1e9, 0, &mode->min);

    if (status == TP_OK) {
        status = tpi_manifest_number(r, element, "max", -1e9, 1e9, 65535, &mode->max);
    }
    if (status == TP_OK) {
        status = tpi_manifest_number(r, element, "resolution", 1e-9, 1e9, 1, &mode->resolution);
    }
    if (status == TP_OK && !(mode->min < mode->max)) {
        return tpi_element_fail(r->document, element, "min %g is not below max %g; exchange them",
                                mode->min, mode->max);
    }
    mode->start = mode->min;
    return status;
}

static tp_status read_state_mode(struct manifest_reading *r, const tpi_element *element,
                                 tpi_mode *mode)
{
    const tpi_element *states = tpi_manifest_child(element, "states");
    tp_status status = TP_OK;

    if (states != NULL) {
        status = tpi_manifest_options(r, states, 1, &mode->options, &mode->option_count);
    }
    if (status == TP_OK && mode->option_count == 0) {
        status = tpi_element_fail(r->document, element,
                                  "a state without options; add <states><option index=\"1\">On"
                                  "</option>...</states>");
    }
    mode->min = mode->start = mode->resolution = 1;
    mode->max = mode->option_count;
    return status;
}

static tp_status read_mode(struct manifest_reading *r, const tpi_element *element, unsigned index,
                           tpi_mode *mode)
{
    static const char *const names[] = {"type", "name", "states", "min", "max", "resolution", NULL};
    static const char *const types[] = {"state", "number", NULL};
    int type = 0;
    tp_status status = tpi_manifest_only(r, element, names, NULL);

    mode->index = index;
    if (status == TP_OK) {
        status = tpi_element_only(r->document, element, index_only);
    }
    if (status == TP_OK) {
        status = tpi_manifest_index(r, element, index);
    }
    if (status == TP_OK) {
        status = tpi_manifest_choice(r, element, "type", types, 0, &type);
    }
    mode->is_state = type == 0;
    mode->name = tpi_manifest_child_text(r, element, "name");
    if (mode->name == NULL) {
        return TP_E_NOMEM;
    }
    if (status != TP_OK) {
        return status;
    }
    return mode->is_state ? read_state_mode(r, element, mode) : read_number_mode(r, element, mode);
}

static tp_status read_modes(struct manifest_reading *r, const tpi_element *element,
                            tpi_transducer *out)
{
    static const char *const names[] = {"mode", NULL};
    const unsigned given = tpi_manifest_count(element, "mode");
    tpi_mode *modes = tpi_arena_array(&r->document->arena, given > 0 ? given : 1, sizeof *modes);
    tp_status status = element == NULL ? TP_OK : tpi_manifest_only(r, element, names, names);
    unsigned count = 0;

    if (modes == NULL) {
        return tpi_document_no_memory(r->document);
    }
    if (given > TPI_MOST_MODES) {
        return tpi_element_fail(r->document, element, "over %d modes", TPI_MOST_MODES);
    }
    for (const tpi_element *child = element == NULL ? NULL : element->first;
         child != NULL && tpi_document_goes_on(r->document, status); child = child->next) {
        if (strcmp(child->name, "mode") == 0) {
            status = read_mode(r, child, count + 1, &modes[count]);
            count++;
        }
    }
    out->modes = modes;
    out->mode_count = count;
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}

/* ---- Channels -------------------------------------------------------------------------------- */

/* A channel without a name is named by its number: programs find it by its name. */
static bool name_channel(struct manifest_reading *r, tpi_transducer *out)
{
    char name[24];

    (void)snprintf(name, sizeof name, "Channel %u", out->channel);
    out->name = tpi_arena_text(&r->document->arena, name, strlen(name));
    return out->name != NULL;
}

static tp_status read_description(struct manifest_reading *r, const tpi_element *desc,
                                  tpi_transducer *out)
{
    static const char *const names[] = {"name", "parameter", "documentation", NULL};
    const tp_status status = desc == NULL ? TP_OK : tpi_manifest_only(r, desc, names, NULL);

    out->name = tpi_manifest_child_text(r, desc, "name");
    out->parameter = tpi_manifest_child_text(r, desc, "parameter");
    out->documentation = tpi_manifest_child_text(r, desc, "documentation");
    return out->name == NULL || out->parameter == NULL || out->documentation == NULL ? TP_E_NOMEM
                                                                                     : status;
}

static tp_status read_capabilities(struct manifest_reading *r, const tpi_element *element,
                                   tpi_transducer *out)
{
    static const char *const names[] = {"min_period", "trig_delay", NULL};
    tp_status status = element == NULL ? TP_OK : tpi_manifest_only(r, element, names, NULL);

    if (status == TP_OK) {
        status = tpi_manifest_number(r, element, "min_period", 0.01, 1e7, 1, &out->min_period_ms);
    }
    if (status == TP_OK) {
        status = tpi_manifest_number(r, element, "trig_delay", 0, 1e7, 0, &out->trig_delay_ms);
    }
    return status;
}

static tp_status read_transducer(struct manifest_reading *r, const tpi_element *element,
                                 unsigned index, tpi_transducer *out)
{
    static const char *const names[] = {"chan_num", "chan_type",    "desc", "conversions",
                                        "modes",    "capabilities", NULL};
    double channel = index;
    int type = TPI_CHANNEL_SENSOR;
    tp_status status = tpi_manifest_only(r, element, names, NULL);

    out->index = index;
    if (status == TP_OK) {
        status = tpi_element_only(r->document, element, index_only);
    }
    if (status == TP_OK) {
        status = tpi_manifest_index(r, element, index);
    }
    const tp_status parts[] = {
        tpi_manifest_number(r, element, "chan_num", 1, 99, index, &channel),
        tpi_manifest_choice(r, element, "chan_type", tpi_channel_types, TPI_CHANNEL_SENSOR, &type),
        read_description(r, tpi_manifest_child(element, "desc"), out),
        tpi_manifest_conversions(r, tpi_manifest_child(element, "conversions"), out),
        read_modes(r, tpi_manifest_child(element, "modes"), out),
        read_capabilities(r, tpi_manifest_child(element, "capabilities"), out),
    };
    out->channel = (unsigned)channel;
    out->type = (tpi_channel_type)type;
    if (out->name != NULL && out->name[0] == '\0' && !name_channel(r, out) && status == TP_OK) {
        status = TP_E_NOMEM;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == TP_OK; i++) {
        status = parts[i];
    }
    if (status == TP_OK && channel != floor(channel)) {
        status = tpi_element_fail(r->document, element, "chan_num %g is no whole number", channel);
    }
    return status;
}

/* Two channels with one number cannot be told apart. */
static tp_status check_channel(struct manifest_reading *r, const tpi_element *element,
                               const tpi_transducer *all, unsigned count)
{
    for (unsigned i = 0; i + 1 < count; i++) {
        if (all[i].channel == all[count - 1].channel) {
            return tpi_element_fail(r->document, element,
                                    "chan_num %u is that of transducer %u, too; take another",
                                    all[i].channel, i + 1);
        }
    }
    return TP_OK;
}

tp_status tpi_manifest_transducers(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const names[] = {"transducer", NULL};
    const unsigned given = tpi_manifest_count(element, "transducer");
    tpi_transducer *all = tpi_arena_array(&r->document->arena, given + 1, sizeof *all);
    tp_status status = tpi_manifest_only(r, element, names, names);
    unsigned count = 0;

    if (all == NULL) {
        return tpi_document_no_memory(r->document);
    }
    if (given == 0 || given > TPI_MOST_CHANNELS) {
        return tpi_element_fail(r->document, element,
                                given == 0 ? "no <transducer>; a sensor has at least one"
                                           : "over 16 transducers");
    }
    for (const tpi_element *child = element->first;
         child != NULL && tpi_document_goes_on(r->document, status); child = child->next) {
        if (strcmp(child->name, "transducer") == 0) {
            status = read_transducer(r, child, count + 1, &all[count]);
            count++;
            status = status == TP_OK ? check_channel(r, child, all, count) : status;
        }
    }
    r->manifest->transducers = all;
    r->manifest->transducer_count = count;
    r->manifest->default_channel = all[0].channel;
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}

/* ---- Settings after power-up ----------------------------------------------------------------- */

/* The channel that a setting is for; NULL, with the error, if there is none. */
static tpi_transducer *channel_of(struct manifest_reading *r, const tpi_element *element,
                                  tp_status *status)
{
    const tpi_manifest *m = r->manifest;
    double number = m->default_channel;

    *status = tpi_element_number(r->document, element, "channel", 1, 99, number, &number);
    for (unsigned i = 0; i < m->transducer_count && *status == TP_OK; i++) {
        if (m->transducers[i].channel == number) {
            return &m->transducers[i];
        }
    }
    if (*status == TP_OK) {
        *status = tpi_element_fail(r->document, element, "there is no channel %g", number);
    }
    return NULL;
}

static tp_status default_conversion(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const names[] = {"channel", NULL};
    double number = 1;
    tp_status status = tpi_element_only(r->document, element, names);
    tpi_transducer *t = status == TP_OK ? channel_of(r, element, &status) : NULL;

    if (t != NULL) {
        status = tpi_manifest_own_number(r, element, 1, t->conversion_count, &number);
        t->start = (unsigned)number - 1;
    }
    return status;
}

static tp_status default_mode(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const names[] = {"channel", "index", NULL};
    double index = 1;
    tp_status status = tpi_element_only(r->document, element, names);
    tpi_transducer *t = status == TP_OK ? channel_of(r, element, &status) : NULL;

    if (t == NULL) {
        return status;
    }
    if (t->mode_count == 0) {
        return tpi_element_fail(r->document, element, "channel %u has no modes; remove it",
                                t->channel);
    }
    status = tpi_element_number(r->document, element, "index", 1, t->mode_count, 1, &index);
    if (status == TP_OK) {
        tpi_mode *mode = &t->modes[(unsigned)index - 1];
        status = tpi_manifest_own_number(r, element, mode->min, mode->max, &mode->start);
    }
    return status;
}

tp_status tpi_manifest_defaults(struct manifest_reading *r, const tpi_element *element)
{
    static const char *const names[] = {"channel", "conversion", "mode", NULL};
    static const char *const many[] = {"conversion", "mode", NULL};
    const tpi_element *channel = tpi_manifest_child(element, "channel");
    tp_status status = tpi_manifest_only(r, element, names, many);
    double number = 0;

    if (status == TP_OK && channel != NULL) {
        status = tpi_manifest_own_number(r, channel, 1, 99, &number);
        if (status == TP_OK && tpi_manifest_channel(r->manifest, (unsigned)number) == NULL) {
            status = tpi_element_fail(r->document, channel, "there is no channel %g", number);
        } else if (status == TP_OK) {
            r->manifest->default_channel = (unsigned)number;
        }
    }
    for (const tpi_element *child = element->first;
         child != NULL && tpi_document_goes_on(r->document, status); child = child->next) {
        if (strcmp(child->name, "conversion") == 0) {
            status = default_conversion(r, child);
        } else if (strcmp(child->name, "mode") == 0) {
            status = default_mode(r, child);
        }
    }
    return tpi_document_goes_on(r->document, status) ? TP_OK : status;
}
