/* manifest_write.c - a manifest as a text; see manifest.h. */
#include "base/number.h"
#include "sensors/manifest_inside.h"

static void put_text(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            tpi_buf_puts(out, "&lt;");
            break;
        case '>':
            tpi_buf_puts(out, "&gt;");
            break;
        case '&':
            tpi_buf_puts(out, "&amp;");
            break;
        case '"':
            tpi_buf_puts(out, "&quot;");
            break;
        default:
            tpi_buf_putc(out, *text);
        }
    }
}

/* An element with a text, unless that is empty. */
static void put(tpi_buf *out, unsigned indent, const char *name, const char *text)
{
    if (text[0] != '\0') {
        tpi_buf_indent(out, indent);
        tpi_buf_printf(out, "<%s>", name);
        put_text(out, text);
        tpi_buf_printf(out, "</%s>\n", name);
    }
}

static void put_number(tpi_buf *out, unsigned indent, const char *name, double value)
{
    char text[TPI_NUMBER_SIZE];

    tpi_number_put_f64(text, value);
    put(out, indent, name, text);
}

static void put_options(tpi_buf *out, unsigned indent, const tpi_option *options, unsigned count)
{
    if (count == 0) {
        return;
    }
    tpi_buf_indent(out, indent);
    tpi_buf_puts(out, "<states>\n");
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_indent(out, indent + 2);
        tpi_buf_printf(out, "<option index=\"%u\">", options[i].index);
        put_text(out, options[i].name);
        tpi_buf_puts(out, "</option>\n");
    }
    tpi_buf_indent(out, indent);
    tpi_buf_puts(out, "</states>\n");
}

static void put_identity(tpi_buf *out, const tpi_manifest *m)
{
    tpi_buf_puts(out, "  <identity>\n");
    put(out, 4, "name", m->name);
    put(out, 4, "uuid", m->uuid);
    put(out, 4, "version", m->version);
    put(out, 4, "info_uri", m->info_uri);
    tpi_buf_puts(out, "    <hardware>\n");
    put_number(out, 6, "num_chans", m->transducer_count);
    put_number(out, 6, "timeout", m->timeout_ms);
    tpi_buf_puts(out, "    </hardware>\n    <manufacturer>\n");
    put(out, 6, "name", m->maker);
    put(out, 6, "serial_no", m->serial_no);
    put(out, 6, "documentation", m->maker_documentation);
    put(out, 6, "home_page", m->home_page);
    for (unsigned i = 0; i < m->extra_count; i++) {
        put(out, 6, m->extras[i].name, m->extras[i].text);
    }
    tpi_buf_puts(out, "    </manufacturer>\n  </identity>\n");
}

static void put_method(tpi_buf *out, const tpi_scaling *s)
{
    char text[TPI_NUMBER_SIZE];

    tpi_buf_puts(out, "          <method>\n");
    put(out, 12, "function", tpi_scaling_function_name(s->function));
    if (s->count > 0) {
        tpi_buf_puts(out, "            <parameters>\n");
        for (uint16_t i = 0; i < s->count; i++) {
            const bool pairs = s->function == TPI_SCALING_PIECEWISE;
            if (!pairs || i % 2 == 0) {
                tpi_buf_puts(out, "              <coord>");
            }
            tpi_number_put_f64(text, s->numbers[i]);
            tpi_buf_puts(out, text);
            tpi_buf_puts(out, pairs && i % 2 == 0 ? " " : "</coord>\n");
        }
        tpi_buf_puts(out, "            </parameters>\n");
    }
    tpi_buf_puts(out, "          </method>\n");
}

static void put_scale(tpi_buf *out, const tpi_conversion *c)
{
    tpi_buf_puts(out, "          <scale>\n");
    if (c->has_scale) {
        put_number(out, 12, "min", c->scaling.min);
        put_number(out, 12, "max", c->scaling.max);
    }
    if (c->scaling.resolution > 0) {
        put_number(out, 12, "resolution", c->scaling.resolution);
    }
    if (c->scaling.uncertainty >= 0) {
        put_number(out, 12, "uncertainty", c->scaling.uncertainty);
    }
    tpi_buf_puts(out, "          </scale>\n");
}

static void put_conversion(tpi_buf *out, const tpi_conversion *c)
{
    tpi_buf_printf(out, "        <conversion index=\"%u\">\n          <units>\n", c->index);
    put(out, 12, "type", tpi_unit_type_name(c->unit));
    put(out, 12, "label", c->label);
    put(out, 12, "si_units", c->si_units);
    if (c->magnitude != 0) {
        put_number(out, 12, "magnitude", c->magnitude);
    }
    put_options(out, 12, c->states, c->state_count);
    tpi_buf_puts(out, "          </units>\n");
    put_method(out, &c->scaling);
    put_scale(out, c);
    tpi_buf_puts(out, "          <data_model>\n");
    put(out, 12, "datatype", c->datatype);
    put_number(out, 12, "sample_size", c->sample_size);
    tpi_buf_puts(out, "          </data_model>\n        </conversion>\n");
}

static void put_mode(tpi_buf *out, const tpi_mode *mode)
{
    tpi_buf_printf(out, "        <mode index=\"%u\">\n", mode->index);
    put(out, 10, "type", mode->is_state ? "state" : "number");
    put(out, 10, "name", mode->name);
    put_options(out, 10, mode->options, mode->option_count);
    if (!mode->is_state) {
        put_number(out, 10, "min", mode->min);
        put_number(out, 10, "max", mode->max);
        put_number(out, 10, "resolution", mode->resolution);
    }
    tpi_buf_puts(out, "        </mode>\n");
}

static void put_transducer(tpi_buf *out, const tpi_transducer *t)
{
    tpi_buf_printf(out, "    <transducer index=\"%u\">\n", t->index);
    put_number(out, 6, "chan_num", t->channel);
    put(out, 6, "chan_type", tpi_channel_type_name(t->type));
    tpi_buf_puts(out, "      <desc>\n");
    put(out, 8, "name", t->name);
    put(out, 8, "parameter", t->parameter);
    put(out, 8, "documentation", t->documentation);
    tpi_buf_puts(out, "      </desc>\n      <conversions>\n");
    for (unsigned i = 0; i < t->conversion_count; i++) {
        put_conversion(out, &t->conversions[i]);
    }
    tpi_buf_puts(out, "      </conversions>\n      <modes>\n");
    for (unsigned i = 0; i < t->mode_count; i++) {
        put_mode(out, &t->modes[i]);
    }
    tpi_buf_puts(out, "      </modes>\n      <capabilities>\n");
    put_number(out, 8, "min_period", t->min_period_ms);
    put_number(out, 8, "trig_delay", t->trig_delay_ms);
    tpi_buf_puts(out, "      </capabilities>\n    </transducer>\n");
}

static void put_logging(tpi_buf *out, const tpi_manifest *m)
{
    tpi_buf_puts(out, "  <datalogging>\n");
    if (m->max_datasize > 0) {
        put_number(out, 4, "max_datasize", m->max_datasize);
    }
    put(out, 4, "time_source", m->time_source);
    tpi_buf_puts(out, "    <modes>\n");
    put(out, 6, "commands", m->log_commands);
    put(out, 6, "options", m->log_options);
    tpi_buf_puts(out, "    </modes>\n  </datalogging>\n");
}

static void put_defaults(tpi_buf *out, const tpi_manifest *m)
{
    char text[TPI_NUMBER_SIZE];

    tpi_buf_puts(out, "  <defaults>\n");
    put_number(out, 4, "channel", m->default_channel);
    for (unsigned i = 0; i < m->transducer_count; i++) {
        const tpi_transducer *t = &m->transducers[i];
        tpi_buf_printf(out, "    <conversion channel=\"%u\">%u</conversion>\n", t->channel,
                       t->start + 1);
        for (unsigned k = 0; k < t->mode_count; k++) {
            tpi_number_put_f64(text, t->modes[k].start);
            tpi_buf_printf(out, "    <mode channel=\"%u\" index=\"%u\">%s</mode>\n", t->channel,
                           k + 1, text);
        }
    }
    tpi_buf_puts(out, "  </defaults>\n");
}

void tpi_manifest_write(const tpi_manifest *m, tpi_buf *out)
{
    tpi_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sensor lang=\"");
    put_text(out, m->lang);
    tpi_buf_puts(out, "\">\n");
    put_identity(out, m);
    tpi_buf_puts(out, "  <transducers>\n");
    for (unsigned i = 0; i < m->transducer_count; i++) {
        put_transducer(out, &m->transducers[i]);
    }
    tpi_buf_puts(out, "  </transducers>\n");
    if (m->has_datalogging) {
        put_logging(out, m);
    }
    put_defaults(out, m);
    tpi_buf_puts(out, "</sensor>\n");
}
