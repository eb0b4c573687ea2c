/* lab_export.c - the samples of an experiment as tables in a ZIP file; see lab.h. */
#include <stdio.h>
#include <string.h>

#include "web/lab.h"
#include "web/zip.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

static void put_cell(tpi_buf *out, const tpi_lab_series *series, uint32_t place, char point)
{
    const uint32_t begin = place > 0 ? series->ends[place - 1] : 0;
    const char *text = series->text.data + begin;
    const size_t length = series->ends[place] - begin - 1;
    const char *dot = point != '.' ? memchr(text, '.', length) : NULL;

    if (dot == NULL) {
        tpi_buf_put(out, text, length);
        return;
    }
    tpi_buf_put(out, text, (size_t)(dot - text));
    tpi_buf_putc(out, point);
    tpi_buf_put(out, dot + 1, length - (size_t)(dot - text) - 1);
}

static void put_head(tpi_buf *out, const char *text)
{
    tpi_buf_putc(out, '"');
    for (; *text != '\0'; text++) {
        tpi_buf_puts(out, *text == '"' ? "\"" : "");
        tpi_buf_putc(out, *text);
    }
    tpi_buf_putc(out, '"');
}

static void put_table(tpi_buf *out, const tpi_lab_channel *c, char separator, char point)
{
    put_head(out, "Time (s)");
    tpi_buf_putc(out, separator);
    put_head(out, c->label);
    tpi_buf_putc(out, '\n');
    for (uint32_t i = 0; i < c->values.count && i < c->times.count && !out->failed; i++) {
        put_cell(out, &c->times, i, point);
        tpi_buf_putc(out, separator);
        put_cell(out, &c->values, i, point);
        tpi_buf_putc(out, '\n');
    }
}

/* ---- Archives -------------------------------------------------------------------------------- */

/* A name that every system takes: letters of other alphabets stay, marks become blanks. */
static void name_file(char out[TPI_ZIP_NAME], const tpi_lab_channel *c)
{
    (void)snprintf(out, TPI_ZIP_NAME, "ch%u %s.csv", c->number, c->label);
    for (char *at = out; *at != '\0'; at++) {
        if (strchr("/\\:*?\"<>|", *at) != NULL || (unsigned char)*at < ' ') {
            *at = ' ';
        }
    }
}

bool tpi_lab_put_export(const tpi_lab *lab, int format, tpi_buf *out)
{
    static const char separators[] = ",\t;\t;", points[] = "...,,";
    tpi_zip zip = {.out = out};

    if (format == 0) {
        tpi_lab_put_workbook(lab, out);
        return true;
    }
    if (format < 1 || format > 5) {
        return false;
    }
    for (unsigned i = 0; i < lab->count; i++) {
        tpi_buf table = {0};
        char name[TPI_ZIP_NAME];

        if (lab->channels[i].acts) {
            continue;
        }
        put_table(&table, &lab->channels[i], separators[format - 1], points[format - 1]);
        name_file(name, &lab->channels[i]);
        tpi_zip_add(&zip, name, &table);
        tpi_buf_fini(&table);
    }
    tpi_zip_end(&zip);
    return true;
}
