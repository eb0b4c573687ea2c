/* log_csv.c - troupe log csv: a recording as a table. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "output.h"

static const char name[] = "log";

enum { CHANNELS = 65536 };

bool log_locale_named(const char *language, tpi_log_locale *locale)
{
    static const char *const commas[] = {"de", "fr", "es", "it", "nl", "pl", "pt", "sv", "da",
                                         "fi", "nb", "cs", "tr", "ru", "el", "hu", NULL};
    const size_t length = strcspn(language, "_-.");

    *locale = (tpi_log_locale){',', '.'};
    for (size_t i = 0; commas[i] != NULL; i++) {
        if (length == 2 && strncmp(language, commas[i], 2) == 0) {
            *locale = (tpi_log_locale){';', ','};
            return true;
        }
    }
    return (length == 2 && strncmp(language, "en", 2) == 0) || strcmp(language, "C") == 0;
}

enum { MOST_UNITS = 256 };

/* What a device says of one of its numbers: the property "unit.voltages[0]". */
struct table_unit {
    char device[80], path[64], unit[32];
};

struct table {
    const char *path;
    struct table_unit units[MOST_UNITS];
    size_t unit_count;
    const char *device; /* borrowed; whose names are written */
    tp_catalogue *catalogue;
    tpi_log_track *tracks;    /* owned, by channel */
    tpi_log_columns *columns; /* owned, by channel */
    bool *used;               /* owned, by channel */
    tpi_log_locale locale;
    uint64_t first_ns, unknown;
    FILE *out;
};

static void note_units(struct table *t, const tpi_log_item *item)
{
    tpi_mcap_view notes = item->notes, key, value;
    tpi_log_about about;

    if (!tpi_log_about_read(&about, item, t->catalogue)) {
        return;
    }
    while (t->unit_count < MOST_UNITS && tpi_log_take_note(&notes, &key, &value)) {
        struct table_unit *u = &t->units[t->unit_count];
        const size_t length = tpi_mcap_left(&key);

        if (length > 5 && length - 5 < sizeof u->path &&
            memcmp((const char *)key.at, "unit.", 5) == 0) {
            (void)snprintf(u->device, sizeof u->device, "%s", about.device);
            (void)snprintf(u->path, sizeof u->path, "%.*s", (int)(length - 5),
                           (const char *)key.at + 5);
            (void)snprintf(u->unit, sizeof u->unit, "%.*s", (int)tpi_mcap_left(&value),
                           (const char *)value.at);
            t->unit_count++;
        }
    }
}

static const char *unit_of(void *context, const char *path)
{
    const struct table *t = context;

    for (size_t i = 0; i < t->unit_count; i++) {
        if (strcmp(t->units[i].device, t->device) == 0 && strcmp(t->units[i].path, path) == 0) {
            return t->units[i].unit;
        }
    }
    return NULL;
}

static void look_at(struct table *t, const tpi_log_item *item, void *value);

/* A pass over the file; `row` gets every message that can be read. */
static int pass(struct table *t,
                void (*row)(struct table *t, const tpi_log_item *item, void *value))
{
    struct log_file file;
    tpi_log_item item;
    tp_error err = {.text = ""};
    tp_status status = TP_OK;

    if (log_file_open(&file, t->path) != EXIT_DONE) {
        return EXIT_FAILED;
    }
    t->unknown = 0;
    while (status == TP_OK && (status = tpi_log_reader_next(file.reader, &item, &err)) == TP_OK) {
        if (item.kind == TPI_LOG_CHANNEL) {
            tpi_log_learn(t->catalogue, &item);
            tpi_log_track_read(&t->tracks[item.id], &item, t->catalogue);
        } else if (item.kind == TPI_LOG_METADATA && row == look_at) {
            note_units(t, &item);
        } else if (item.kind == TPI_LOG_MESSAGE && t->tracks[item.id].what == NULL) {
            t->unknown++;
        } else if (item.kind == TPI_LOG_MESSAGE) {
            void *value = NULL;

            status = tpi_log_track_value(&t->tracks[item.id], &item, &value, &err);
            if (status == TP_OK) {
                row(t, &item, value);
            }
            free(value);
        }
    }
    log_file_close(&file);
    return status == TP_E_CLOSED ? EXIT_DONE
                                 : command_fail(name, EXIT_FAILED, "%s: %s", t->path, err.text);
}

static void look_at(struct table *t, const tpi_log_item *item, void *value)
{
    tpi_log_columns *columns = &t->columns[item->id];

    if (!t->used[item->id]) {
        t->used[item->id] = true;
        tpi_log_columns_init(columns, t->tracks[item->id].what->ask);
    }
    t->first_ns = item->log_ns < t->first_ns ? item->log_ns : t->first_ns;
    tpi_log_columns_widen(columns, value);
}

/* Seconds, exactly. */
static void put_seconds(tpi_buf *out, uint64_t ns, char point)
{
    char digits[16];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%09" PRIu64, ns % 1000000000);

    while (length > 0 && digits[length - 1] == '0') {
        length--;
    }
    tpi_buf_printf(out, "%" PRIu64, ns / 1000000000);
    if (length > 0) {
        tpi_buf_putc(out, point);
        tpi_buf_put(out, digits, length);
    }
}

static void write_row(struct table *t, const tpi_log_item *item, void *value)
{
    tpi_buf line = {0};

    if (!t->used[item->id]) {
        return;
    }
    put_seconds(&line, item->log_ns - t->first_ns, t->locale.point);
    for (size_t i = 0; i < CHANNELS; i++) {
        if (t->used[i]) {
            tpi_log_columns_row(&t->columns[i], i == item->id ? value : NULL, &t->locale, &line);
        }
    }
    tpi_buf_putc(&line, '\n');
    (void)fwrite(tpi_buf_text(&line), 1, line.length, t->out);
    tpi_buf_fini(&line);
}

static int write_names(struct table *t)
{
    tpi_buf line = {0};
    size_t columns = 0;
    tp_error err = {.text = ""};

    tpi_buf_puts(&line, "time (s)");
    for (size_t i = 0; i < CHANNELS; i++) {
        if (t->used[i]) {
            char prefix[160];

            if (tpi_log_columns_end(&t->columns[i], &err) != TP_OK) {
                (void)command_fail(name, EXIT_DONE, "%s %s is left out: %s", t->tracks[i].device,
                                   t->tracks[i].message, err.text);
                t->used[i] = false;
                continue;
            }
            columns += t->columns[i].count;
            (void)snprintf(prefix, sizeof prefix, "%s %s", t->tracks[i].device,
                           t->tracks[i].message);
            t->device = t->tracks[i].device;
            tpi_log_columns_names(&t->columns[i], prefix, &t->locale, unit_of, t, &line);
        }
    }
    tpi_buf_putc(&line, '\n');
    (void)fwrite(tpi_buf_text(&line), 1, line.length, t->out);
    tpi_buf_fini(&line);
    return columns > 0
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s: no message of a known interface", t->path);
}

static int write_table(struct table *t, const char *out)
{
    int result = pass(t, look_at);

    if (result == EXIT_DONE) {
        t->out = strcmp(out, "-") == 0 ? stdout : fopen(out, "w");
        if (t->out == NULL) {
            return command_fail(name, EXIT_FAILED, "%s: %s", out, strerror(errno));
        }
        result = write_names(t);
        result = result == EXIT_DONE ? pass(t, write_row) : result;
        const bool failed = fflush(t->out) != 0 || ferror(t->out) != 0;
        if ((t->out != stdout && fclose(t->out) != 0) || failed) {
            return command_fail(name, EXIT_FAILED, "%s: %s", out, strerror(errno));
        }
    }
    if (result == EXIT_DONE && t->unknown > 0) {
        (void)command_fail(name, EXIT_DONE,
                           "%s: %" PRIu64 " message%s of unknown interfaces left out", t->path,
                           t->unknown, output_plural(t->unknown));
    }
    return result;
}

int log_write_csv(const char *recording, const char *out, const tpi_log_locale *locale)
{
    struct table t = {.path = recording, .locale = *locale, .first_ns = UINT64_MAX};
    int result = EXIT_FAILED;

    t.catalogue = command_catalogue(name);
    t.tracks = calloc(CHANNELS, sizeof *t.tracks);
    t.columns = calloc(CHANNELS, sizeof *t.columns);
    t.used = calloc(CHANNELS, sizeof *t.used);
    if (t.catalogue != NULL && t.tracks != NULL && t.columns != NULL && t.used != NULL) {
        result = write_table(&t, out);
    } else {
        (void)command_fail(name, EXIT_FAILED, "out of memory");
    }
    free(t.used);
    free(t.columns);
    free(t.tracks);
    tp_catalogue_destroy(t.catalogue);
    return result;
}

int log_csv(int argc, char **argv)
{
    const char *path = NULL, *out = "-";
    tpi_log_locale locale = {',', '.'};
    const int result = log_read_paths(argc, argv, &path, &out, NULL, &locale);

    return result == EXIT_DONE ? log_write_csv(path, out, &locale) : result;
}
