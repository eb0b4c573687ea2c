/* lab_export.c - the samples of an experiment as tables in a ZIP file without compression; see
 * lab.h. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "web/lab.h"

/* A file of the archive. */
struct member {
    char name[TPI_LAB_TEXT + 16];
    uint32_t crc, length, offset;
};

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

static void put_little(tpi_buf *out, uint32_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        tpi_buf_putc(out, (char)(number >> 8 * i));
    }
}

/* What a file and its entry in the directory have in common: from the version on. */
static void put_facts(tpi_buf *out, const struct member *m)
{
    put_little(out, 20, 2);     /* version needed */
    put_little(out, 0x0800, 2); /* names in UTF-8 */
    put_little(out, 0, 2);      /* stored */
    put_little(out, 0, 2);      /* time */
    put_little(out, 0x21, 2);   /* 1980-01-01 */
    put_little(out, m->crc, 4);
    put_little(out, m->length, 4);
    put_little(out, m->length, 4);
    put_little(out, (uint32_t)strlen(m->name), 2);
    put_little(out, 0, 2);
}

static void put_file(tpi_buf *out, struct member *m, const tpi_buf *content)
{
    m->offset = (uint32_t)out->length;
    m->length = (uint32_t)content->length;
    m->crc =
        (uint32_t)crc32(0, (const unsigned char *)tpi_buf_text(content), (unsigned)content->length);
    tpi_buf_put(out, "PK\3\4", 4);
    put_facts(out, m);
    tpi_buf_puts(out, m->name);
    tpi_buf_put(out, tpi_buf_text(content), content->length);
}

static void put_directory(tpi_buf *out, const struct member *members, unsigned count)
{
    const uint32_t begin = (uint32_t)out->length;

    for (unsigned i = 0; i < count; i++) {
        tpi_buf_put(out, "PK\1\2", 4);
        put_little(out, 20, 2);
        put_facts(out, &members[i]);
        put_little(out, 0, 2); /* comment */
        put_little(out, 0, 2); /* disk */
        put_little(out, 0, 2);
        put_little(out, 0, 4);
        put_little(out, members[i].offset, 4);
        tpi_buf_puts(out, members[i].name);
    }
    const uint32_t length = (uint32_t)out->length - begin;
    tpi_buf_put(out, "PK\5\6", 4);
    put_little(out, 0, 4);
    put_little(out, count, 2);
    put_little(out, count, 2);
    put_little(out, length, 4);
    put_little(out, begin, 4);
    put_little(out, 0, 2);
}

/* A name that every system takes: letters of other alphabets stay, marks become blanks. */
static void name_member(struct member *m, const tpi_lab_channel *c)
{
    (void)snprintf(m->name, sizeof m->name, "ch%u %s.csv", c->number, c->label);
    for (char *at = m->name; *at != '\0'; at++) {
        if (strchr("/\\:*?\"<>|", *at) != NULL || (unsigned char)*at < ' ') {
            *at = ' ';
        }
    }
}

bool tpi_lab_put_export(const tpi_lab *lab, int format, tpi_buf *out)
{
    static const char separators[] = ",\t;\t;", points[] = "...,,";
    struct member members[TPI_LAB_CHANNELS];
    unsigned count = 0;

    if (format < 1 || format > 5) {
        return false;
    }
    for (unsigned i = 0; i < lab->count; i++) {
        tpi_buf table = {0};

        if (lab->channels[i].acts) {
            continue;
        }
        put_table(&table, &lab->channels[i], separators[format - 1], points[format - 1]);
        name_member(&members[count], &lab->channels[i]);
        put_file(out, &members[count++], &table);
        out->failed = out->failed || table.failed;
        tpi_buf_fini(&table);
    }
    put_directory(out, members, count);
    return true;
}
