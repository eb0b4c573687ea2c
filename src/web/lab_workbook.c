/* lab_workbook.c - the samples of an experiment as a workbook of Excel: a ZIP file with a sheet for
 * each channel; see lab.h. */
#include <stdio.h>
#include <string.h>

#include "web/lab.h"
#include "web/zip.h"

#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define SCHEMAS "http://schemas.openxmlformats.org/"
#define TYPES "application/vnd.openxmlformats-"

enum { SHEET_NAME = 31 }; /* the most characters that a name may have */

static void put_xml(tpi_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *mark = *text == '&'   ? "&amp;"
                           : *text == '<' ? "&lt;"
                           : *text == '"' ? "&quot;"
                                          : NULL;

        if (mark != NULL) {
            tpi_buf_puts(out, mark);
        } else if ((unsigned char)*text >= ' ') {
            tpi_buf_putc(out, *text);
        }
    }
}

/* ---- Sheets ---------------------------------------------------------------------------------- */

static void put_label(tpi_buf *out, const char *text)
{
    tpi_buf_puts(out, "<c t=\"inlineStr\"><is><t>");
    put_xml(out, text);
    tpi_buf_puts(out, "</t></is></c>");
}

static void put_number(tpi_buf *out, const tpi_lab_series *series, uint32_t place)
{
    const uint32_t begin = place > 0 ? series->ends[place - 1] : 0;

    tpi_buf_puts(out, "<c><v>");
    tpi_buf_put(out, series->text.data + begin, series->ends[place] - begin - 1);
    tpi_buf_puts(out, "</v></c>");
}

/* Without a channel: an empty sheet, since a workbook has one at least. */
static void put_sheet(tpi_buf *out, const tpi_lab_channel *c)
{
    tpi_buf_puts(out,
                 XML_HEAD "<worksheet xmlns=\"" SCHEMAS "spreadsheetml/2006/main\"><sheetData>");
    if (c != NULL) {
        tpi_buf_puts(out, "<row>");
        put_label(out, "Time (s)");
        put_label(out, c->label);
        tpi_buf_puts(out, "</row>");
    }
    for (uint32_t i = 0; c != NULL && i < c->values.count && i < c->times.count && !out->failed;
         i++) {
        tpi_buf_puts(out, "<row>");
        put_number(out, &c->times, i);
        put_number(out, &c->values, i);
        tpi_buf_puts(out, "</row>");
    }
    tpi_buf_puts(out, "</sheetData></worksheet>\n");
}

/* "ch1 Brightness (%)", at most 31 characters, without marks that names may not have. */
static void put_sheet_name(tpi_buf *out, const tpi_lab_channel *c)
{
    char name[TPI_LAB_TEXT + 16];
    size_t end = 0;

    (void)snprintf(name, sizeof name, "ch%u %s", c->number, c->label);
    for (unsigned count = 0; name[end] != '\0'; end++) {
        count += ((unsigned char)name[end] & 0xC0) != 0x80; /* the first byte of a character */
        if (count > SHEET_NAME) {
            break;
        }
        name[end] = strchr("[]:*?/\\", name[end]) != NULL ? ' ' : name[end];
    }
    name[end] = '\0';
    put_xml(out, name);
}

/* ---- The workbook ---------------------------------------------------------------------------- */

static void put_workbook(tpi_buf *out, const tpi_lab_channel *const *sheets, unsigned count)
{
    tpi_buf_puts(out, XML_HEAD "<workbook xmlns=\"" SCHEMAS
                               "spreadsheetml/2006/main\" xmlns:r=\"" SCHEMAS
                               "officeDocument/2006/relationships\"><sheets>");
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_puts(out, "<sheet name=\"");
        if (sheets[i] != NULL) {
            put_sheet_name(out, sheets[i]);
        } else {
            tpi_buf_puts(out, "Experiment");
        }
        tpi_buf_printf(out, "\" sheetId=\"%u\" r:id=\"rId%u\"/>", i + 1, i + 1);
    }
    tpi_buf_puts(out, "</sheets></workbook>\n");
}

static void put_types(tpi_buf *out, unsigned count)
{
    tpi_buf_puts(out, XML_HEAD "<Types xmlns=\"" SCHEMAS "package/2006/content-types\">"
                               "<Default Extension=\"rels\" ContentType=\"" TYPES
                               "package.relationships+xml\"/>"
                               "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" TYPES
                               "officedocument.spreadsheetml.sheet.main+xml\"/>");
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_printf(out,
                       "<Override PartName=\"/xl/worksheets/sheet%u.xml\" ContentType=\"" TYPES
                       "officedocument.spreadsheetml.worksheet+xml\"/>",
                       i + 1);
    }
    tpi_buf_puts(out, "</Types>\n");
}

/* Which parts belong to the package, or to the workbook. */
static void put_relations(tpi_buf *out, const char *type, const char *target, unsigned count)
{
    tpi_buf_puts(out, XML_HEAD "<Relationships xmlns=\"" SCHEMAS "package/2006/relationships\">");
    for (unsigned i = 0; i < count; i++) {
        tpi_buf_printf(out,
                       "<Relationship Id=\"rId%u\" Type=\"" SCHEMAS
                       "officeDocument/2006/relationships/%s\" Target=\"",
                       i + 1, type);
        tpi_buf_puts(out, target);
        if (strcmp(type, "worksheet") == 0) {
            tpi_buf_printf(out, "%u.xml", i + 1);
        }
        tpi_buf_puts(out, "\"/>");
    }
    tpi_buf_puts(out, "</Relationships>\n");
}

static void end_part(tpi_zip *zip, const char *name, tpi_buf *part)
{
    tpi_zip_add(zip, name, part);
    tpi_buf_fini(part);
}

void tpi_lab_put_workbook(const tpi_lab *lab, tpi_buf *out)
{
    const tpi_lab_channel *sheets[TPI_LAB_CHANNELS] = {NULL};
    tpi_zip zip = {.out = out};
    unsigned count = 0;
    tpi_buf part = {0};

    for (unsigned i = 0; i < lab->count; i++) {
        if (!lab->channels[i].acts) {
            sheets[count++] = &lab->channels[i];
        }
    }
    count = count > 0 ? count : 1;
    put_types(&part, count);
    end_part(&zip, "[Content_Types].xml", &part);
    put_relations(&part, "officeDocument", "xl/workbook.xml", 1);
    end_part(&zip, "_rels/.rels", &part);
    put_workbook(&part, sheets, count);
    end_part(&zip, "xl/workbook.xml", &part);
    put_relations(&part, "worksheet", "worksheets/sheet", count);
    end_part(&zip, "xl/_rels/workbook.xml.rels", &part);
    for (unsigned i = 0; i < count; i++) {
        char name[40];

        put_sheet(&part, sheets[i]);
        (void)snprintf(name, sizeof name, "xl/worksheets/sheet%u.xml", i + 1);
        end_part(&zip, name, &part);
    }
    tpi_zip_end(&zip);
}
