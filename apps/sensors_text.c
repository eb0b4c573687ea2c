/* sensors_text.c - manifests of sensors as text; see sensors_text.h. */
#include "sensors_text.h"

#include "output.h"
#include "table.h"

/* A line "name  text", unless the text is empty. */
static void put_line(tpi_buf *out, const char *name, const char *text)
{
    if (text[0] != '\0') {
        tpi_buf_printf(out, "%-14s %s\n", name, text);
    }
}

static void put_identity(tpi_buf *out, const tpi_manifest *m)
{
    put_line(out, "name", m->name);
    put_line(out, "uuid", m->uuid);
    put_line(out, "version", m->version);
    put_line(out, "more at", m->info_uri);
    put_line(out, "maker", m->maker);
    put_line(out, "serial number", m->serial_no);
    put_line(out, "home page", m->home_page);
    put_line(out, "about", m->maker_documentation);
    for (unsigned i = 0; i < m->extra_count; i++) {
        put_line(out, m->extras[i].name, m->extras[i].text);
    }
    tpi_buf_printf(out, "%-14s %g ms\n", "answers within", m->timeout_ms);
    if (m->has_datalogging) {
        tpi_buf_printf(out, "%-14s ", "data logging");
        if (m->max_datasize > 0) {
            tpi_buf_printf(out, "%u bytes, ", m->max_datasize);
        }
        tpi_buf_printf(out, "clock of the %s\n", m->time_source);
    }
}

static void put_modes(tpi_buf *out, const tpi_transducer *t)
{
    for (unsigned i = 0; i < t->mode_count; i++) {
        const tpi_mode *mode = &t->modes[i];
        tpi_buf_printf(out, "  mode %u, %s: ", mode->index, mode->name);
        for (unsigned k = 0; k < mode->option_count; k++) {
            tpi_buf_printf(out, "%s%u %s", k > 0 ? ", " : "", mode->options[k].index,
                           mode->options[k].name);
        }
        if (!mode->is_state) {
            tpi_buf_printf(out, "%g to %g", mode->min, mode->max);
        }
        tpi_buf_printf(out, " (%g at power-up)\n", mode->start);
    }
}

static void put_conversions(tpi_buf *out, const tpi_transducer *t)
{
    static const char *const headings[] = {">CONVERSION",  "LABEL",    "UNIT",
                                           ">MIN",         ">MAX",     ">RESOLUTION",
                                           ">UNCERTAINTY", "FUNCTION", NULL};
    struct table table;

    table_init(&table, headings);
    for (unsigned i = 0; i < t->conversion_count; i++) {
        const tpi_conversion *c = &t->conversions[i];
        tpi_buf unit = {0};
        tpi_conversion_put_unit(c, &unit);
        table_cell(&table, "%u%s", c->index, i == t->start ? "*" : "");
        table_cell(&table, "%s", c->label);
        table_cell(&table, "%s",
                   unit.length > 0 ? tpi_buf_text(&unit) : tpi_unit_type_name(c->unit));
        table_cell(&table, "%g", c->scaling.min);
        table_cell(&table, "%g", c->scaling.max);
        table_cell(&table, "%g", c->scaling.resolution);
        table_cell(&table, "%.3g",
                   tpi_scaling_uncertainty(&c->scaling, (c->scaling.low + c->scaling.high) / 2));
        table_cell(&table, "%s", tpi_scaling_function_name(c->scaling.function));
        tpi_buf_fini(&unit);
    }
    table_put(out, &table, 2, 0);
    table_fini(&table);
}

void sensors_put(tpi_buf *out, const tpi_manifest *m)
{
    tpi_buf raw = {0};

    put_identity(&raw, m);
    for (unsigned i = 0; i < m->transducer_count; i++) {
        const tpi_transducer *t = &m->transducers[i];
        tpi_buf_printf(&raw, "\nchannel %u, %s: %s", t->channel, tpi_channel_type_name(t->type),
                       t->name);
        if (t->parameter[0] != '\0') {
            tpi_buf_printf(&raw, " (%s)", t->parameter);
        }
        tpi_buf_printf(&raw, ", every %g ms or more, delay %g ms\n", t->min_period_ms,
                       t->trig_delay_ms);
        if (t->documentation[0] != '\0') {
            tpi_buf_printf(&raw, "  %s\n", t->documentation);
        }
        put_modes(&raw, t);
        put_conversions(&raw, t);
    }
    output_put_lines(out, tpi_buf_text(&raw)); /* a manifest can have any text in it */
    tpi_buf_fini(&raw);
}

void sensors_put_short(tpi_buf *out, const tpi_manifest *m)
{
    for (unsigned i = 0; i < m->transducer_count; i++) {
        const tpi_transducer *t = &m->transducers[i];
        tpi_buf unit = {0};
        tpi_conversion_put_unit(&t->conversions[t->start], &unit);
        tpi_buf_printf(out, "%s%s", i > 0 ? ", " : "",
                       t->parameter[0] != '\0' ? t->parameter : t->name);
        if (unit.length > 0) {
            tpi_buf_printf(out, " (%s)", tpi_buf_text(&unit));
        }
        tpi_buf_fini(&unit);
    }
}
