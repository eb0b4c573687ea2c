/* lab_query.c - what clients of phyphox's remote interface ask for: /get, and parameters in bodies;
 * see lab.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "web/lab.h"

/* ---- /get ------------------------------------------------------------------------------------ */

enum { MOST_BUFFERS = 2 * TPI_LAB_CHANNELS + TPI_LAB_SETTINGS };

/* Numbers from place `from` on, as a list. */
static void put_numbers(tpi_buf *out, const tpi_lab_series *series, uint32_t from)
{
    const size_t begin = from > 0 ? series->ends[from - 1] : 0;

    tpi_buf_putc(out, '[');
    if (from < series->count) {
        tpi_buf_put(out, series->text.data + begin, series->text.length - begin - 1);
    }
    tpi_buf_putc(out, ']');
}

/* "t1" or "ch1"; NULL for none. `place` tells buffers apart. */
static const tpi_lab_series *find(const tpi_lab *lab, const char *name, unsigned *place)
{
    for (unsigned i = 0; i < lab->count; i++) {
        char own[TPI_LAB_NAME];
        (void)snprintf(own, sizeof own, "ch%u", lab->channels[i].number);
        *place = 2 * i;
        if (strcmp(name, own) == 0) {
            return &lab->channels[i].values;
        }
        (void)snprintf(own, sizeof own, "t%u", lab->channels[i].number);
        *place = 2 * i + 1;
        if (strcmp(name, own) == 0) {
            return &lab->channels[i].times;
        }
    }
    return NULL;
}

/* The first place whose number is above the limit. */
static uint32_t first_above(const tpi_lab_series *series, double limit)
{
    uint32_t at = 0;

    while (at < series->count && !(series->numbers[at] > limit)) {
        at++;
    }
    return at;
}

static void put_name(tpi_buf *out, const char *name)
{
    tpi_buf_puts(out, out->data[out->length - 1] == '{' ? "" : ",");
    tpi_json_put_string(out, name, strlen(name));
}

/* `buffer=full`, `buffer=0.63`, `buffer=0.63|t1`, or `buffer` alone for its last number. NULL, or
 * what is wrong with it. */
static const char *put_series(const tpi_lab *lab, const char *name, const tpi_lab_series *series,
                              char *wanted, tpi_buf *out)
{
    const tpi_lab_series *by = series;
    uint32_t from = series->count > 0 ? series->count - 1 : 0;
    const char *mode = "single";
    char *bar = strchr(wanted, '|');
    unsigned place = 0;
    double limit = 0;

    if (bar != NULL) {
        *bar = '\0';
        by = find(lab, bar + 1, &place);
    }
    if (strcmp(wanted, "full") == 0) {
        mode = "full";
        from = 0;
    } else if (wanted[0] != '\0' || bar != NULL) {
        if (by == NULL) {
            return "there is no buffer of the name behind |";
        }
        if (wanted[0] == '\0' ||
            tpi_number_read_f64(wanted, strlen(wanted), &limit) != strlen(wanted) || isnan(limit)) {
            return "a buffer is asked for with nothing, `full`, a number, or a number, | and a "
                   "buffer";
        }
        mode = "partial";
        from = first_above(by, limit);
        from = from < series->count ? from : series->count;
    }
    put_name(out, name);
    tpi_buf_printf(out, ":{\"size\":0,\"updateMode\":\"%s\",\"buffer\":", mode);
    put_numbers(out, series, from);
    tpi_buf_putc(out, '}');
    return NULL;
}

/* The buffer of a setting has one number. */
static void put_setting(const tpi_lab_setting *setting, const char *wanted, tpi_buf *out)
{
    char number[TPI_NUMBER_SIZE];

    tpi_number_put_f64(number, setting->value);
    put_name(out, setting->name);
    tpi_buf_printf(out, ":{\"size\":1,\"updateMode\":\"%s\",\"buffer\":[%s]}",
                   wanted[0] == '\0' ? "single" : "full",
                   isfinite(setting->value) ? number : "null");
}

/* A parameter; one that was there before is ignored. */
static const char *put_buffer(const tpi_lab *lab, const char *name, char *wanted,
                              bool seen[MOST_BUFFERS], tpi_buf *out)
{
    const tpi_lab_setting *setting = tpi_lab_find_setting(lab, name);
    unsigned place = 0;
    const tpi_lab_series *series = find(lab, name, &place);

    place = setting != NULL ? (unsigned)(setting - lab->settings) + 2 * TPI_LAB_CHANNELS : place;
    if ((series == NULL && setting == NULL) || seen[place]) {
        return NULL;
    }
    seen[place] = true;
    if (setting != NULL) {
        put_setting(setting, wanted, out);
        return NULL;
    }
    return put_series(lab, name, series, wanted, out);
}

const char *tpi_lab_put_get(const tpi_lab *lab, tpi_span query, tpi_buf *out)
{
    bool seen[MOST_BUFFERS] = {false};
    const char *wrong = NULL;
    size_t at = 0;

    tpi_buf_puts(out, "{\"buffer\":{");
    while (at < query.length && wrong == NULL && !out->failed) {
        const char *and = memchr(query.text + at, '&', query.length - at);
        const size_t end = and != NULL ? (size_t)(and-query.text) : query.length;
        const char *is = memchr(query.text + at, '=', end - at);
        const size_t cut = is != NULL ? (size_t)(is - query.text) : end;
        char name[TPI_LAB_NAME], wanted[TPI_LAB_NAME] = "";

        if (tpi_http_decode(name, sizeof name, (tpi_span){query.text + at, cut - at}, true) &&
            (is == NULL ||
             tpi_http_decode(wanted, sizeof wanted, (tpi_span){is + 1, end - cut - 1}, true))) {
            wrong = put_buffer(lab, name, wanted, seen, out);
        }
        at = end + 1;
    }
    tpi_buf_puts(out, "},\"status\":{\"session\":");
    tpi_json_put_string(out, lab->session, strlen(lab->session));
    tpi_buf_printf(out, ",\"measuring\":%s,\"timedRun\":false,\"countDown\":0}}\n",
                   lab->measures ? "true" : "false");
    return wrong;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* As in a query: letters and digits as they are. */
static void put_escaped(tpi_buf *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];

        if (isalnum(byte) || byte == '.' || byte == '_' || byte == '-') {
            tpi_buf_putc(out, text[i]);
        } else {
            tpi_buf_printf(out, "%%%02X", (unsigned)byte);
        }
    }
}

/* A string or a number of a flat object. */
static bool put_json_value(tpi_json *json, tpi_buf *out)
{
    const tpi_json_kind kind = tpi_json_peek(json);
    tpi_json_span value;
    tpi_buf text = {0};

    if (kind == TPI_JSON_STRING && tpi_json_string(json, &value)) {
        tpi_json_unescape(&text, value);
        put_escaped(out, tpi_buf_text(&text), text.length);
        tpi_buf_fini(&text);
        return true;
    }
    if ((kind == TPI_JSON_NUMBER || kind == TPI_JSON_BOOL) && tpi_json_skip(json, &value)) {
        put_escaped(out, value.text, value.length);
        return true;
    }
    return false;
}

bool tpi_lab_put_query(tpi_span body, bool is_json, tpi_span query, tpi_buf *out)
{
    tpi_json json;
    tpi_json_span name;

    if (!is_json) {
        tpi_buf_put(out, body.text, body.length);
    } else if (body.length > 0) {
        tpi_json_init(&json, body.text, body.length);
        if (!tpi_json_object(&json)) {
            return false;
        }
        while (tpi_json_member(&json, &name)) {
            tpi_buf text = {0};
            tpi_json_unescape(&text, name);
            tpi_buf_puts(out, out->length > 0 ? "&" : "");
            put_escaped(out, tpi_buf_text(&text), text.length);
            tpi_buf_fini(&text);
            tpi_buf_putc(out, '=');
            if (!put_json_value(&json, out)) {
                return false;
            }
        }
        if (tpi_json_end(&json, NULL) != TP_OK) {
            return false;
        }
    }
    if (query.length > 0) {
        tpi_buf_puts(out, out->length > 0 ? "&" : "");
        tpi_buf_put(out, query.text, query.length);
    }
    return true;
}
