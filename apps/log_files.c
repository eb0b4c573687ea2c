/* log_files.c - troupe log info, recover and csv: what can be done with a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "log.h"
#include "log/recover.h"
#include "output.h"

static const char name[] = "log";

enum { CHANNELS = 65536 };

/* The paths of a command: one, or one with an output. */
static int read_paths(int argc, char **argv, const char **in, const char **out, bool *force,
                      tpi_log_locale *locale)
{
    for (int i = 0; i < argc; i++) {
        if (out != NULL && (strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--out") == 0)) {
            *out = command_value(name, argc, argv, &i);
            if (*out == NULL) {
                return EXIT_USAGE;
            }
        } else if (force != NULL && strcmp(argv[i], "--force") == 0) {
            *force = true;
        } else if (locale != NULL && strcmp(argv[i], "--locale") == 0) {
            const char *language = command_value(name, argc, argv, &i);

            if (language == NULL || !log_locale_named(language, locale)) {
                return command_fail(name, EXIT_USAGE, "--locale is a language such as en or de");
            }
        } else if (argv[i][0] == '-' || *in != NULL) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            *in = argv[i];
        }
    }
    return *in != NULL ? EXIT_DONE : command_fail(name, EXIT_USAGE, "which recording?");
}

/* ---- info ------------------------------------------------------------------------------------ */

/* What was counted of a channel. */
struct counted {
    tpi_log_track track;
    uint64_t messages, bytes, first_ns, last_ns;
    bool used;
};

static void count_message(struct counted *counted, const tpi_log_item *item)
{
    if (counted->messages++ == 0) {
        counted->first_ns = item->log_ns;
    }
    counted->last_ns = item->log_ns;
    counted->bytes += tpi_mcap_left(&item->bytes);
}

static void put_counted(tpi_buf *out, const struct counted *all)
{
    tpi_buf_printf(out, "%-32s %10s %9s %12s\n", "CHANNEL", "MESSAGES", "RATE/S", "BYTES");
    for (size_t i = 0; i < CHANNELS; i++) {
        const struct counted *c = &all[i];
        const double span_s = (double)(c->last_ns - c->first_ns) * 1e-9;
        tpi_buf topic = {0};
        char rate[32] = "-";

        if (!c->used) {
            continue;
        }
        output_put_clean(&topic, c->track.device, strlen(c->track.device));
        tpi_buf_putc(&topic, ' ');
        output_put_clean(&topic, c->track.message, strlen(c->track.message));
        if (c->messages > 1 && span_s > 0) {
            (void)snprintf(rate, sizeof rate, "%.1f", (double)(c->messages - 1) / span_s);
        }
        tpi_buf_printf(out, "%-32s %10" PRIu64 " %9s %12" PRIu64 "\n", tpi_buf_text(&topic),
                       c->messages, rate, c->bytes);
        tpi_buf_fini(&topic);
    }
}

/* Read the whole file. `damage` gets the first one. */
static tp_status count_all(tpi_log_reader *reader, const tp_catalogue *catalogue,
                           struct counted *all, tp_error *damage)
{
    tpi_log_item item;
    tp_error err = {.text = ""};
    tp_status status;

    while ((status = tpi_log_reader_next(reader, &item, &err)) != TP_E_CLOSED) {
        if (status == TP_E_SYNTAX) {
            *damage = damage->code == TP_OK ? err : *damage;
        } else if (status != TP_OK) {
            *damage = err;
            return status;
        } else if (item.kind == TPI_LOG_CHANNEL) {
            tpi_log_track_read(&all[item.id].track, &item, catalogue);
            all[item.id].used = true;
        } else if (item.kind == TPI_LOG_MESSAGE) {
            count_message(&all[item.id], &item);
        }
    }
    return TP_OK;
}

static void put_whole(tpi_buf *out, const struct log_file *file, const char *path,
                      const struct counted *all)
{
    uint64_t messages = 0, first_ns = UINT64_MAX, last_ns = 0;

    for (size_t i = 0; i < CHANNELS; i++) {
        if (all[i].messages > 0) {
            messages += all[i].messages;
            first_ns = all[i].first_ns < first_ns ? all[i].first_ns : first_ns;
            last_ns = all[i].last_ns > last_ns ? all[i].last_ns : last_ns;
        }
    }
    output_put_clean(out, path, strlen(path));
    tpi_buf_printf(out, ": %" PRIu64 " messages, %.3f s, %" PRIu32 " chunks, %.1f kB\n", messages,
                   messages > 0 ? (double)(last_ns - first_ns) * 1e-9 : 0.0,
                   tpi_log_reader_chunks(file->reader), (double)file->source.size / 1000);
}

int log_info(int argc, char **argv)
{
    const char *path = NULL;
    struct log_file file;
    tp_error damage = {.text = ""};
    tpi_buf out = {0};
    int result = read_paths(argc, argv, &path, NULL, NULL, NULL);

    if (result != EXIT_DONE || (result = log_file_open(&file, path)) != EXIT_DONE) {
        return result;
    }
    tp_catalogue *catalogue = command_catalogue(name);
    struct counted *all = calloc(CHANNELS, sizeof *all);
    if (catalogue != NULL && all != NULL) {
        const tp_status status = count_all(file.reader, catalogue, all, &damage);

        put_whole(&out, &file, path, all);
        put_counted(&out, all);
        result = command_write(name, &out);
        if (status != TP_OK) {
            result = command_fail(name, EXIT_FAILED, "%s: %s", path, damage.text);
        } else if (damage.code != TP_OK) {
            result =
                command_fail(name, EXIT_FAILED, "%s: %s; %s log recover saves what is left of it",
                             path, damage.text, called());
        }
    } else {
        result = EXIT_FAILED;
    }
    free(all);
    tp_catalogue_destroy(catalogue);
    log_file_close(&file);
    return result;
}

/* ---- recover --------------------------------------------------------------------------------- */

/* Exit codes of this command. */
enum { WHOLE = 0, IN_PART = 1, NOTHING = 2 };

static int save(const struct log_file *file, const char *path, const char *out, FILE *to)
{
    const tpi_log_writer_options options = {
        .sink = log_file_sink, .context = to, .compression = TPI_MCAP_LZ4};
    tpi_log_writer *writer = NULL;
    tpi_log_recovery saved = {0};
    tp_error err = {.text = ""};
    tp_status status = tpi_log_writer_open(&writer, &options, &err);

    if (status == TP_OK) {
        status = tpi_log_recover(&file->source, writer, &saved, &err);
        const tp_status closed = tpi_log_writer_close(writer, status == TP_OK ? &err : NULL);
        status = status == TP_OK ? closed : status;
    }
    if (status != TP_OK) {
        return command_fail(name, NOTHING, "%s: %s", out, err.text);
    }
    (void)printf("%s: %" PRIu64 " messages in %" PRIu32 " chunks saved\n", out, saved.messages,
                 saved.chunks);
    if (saved.damages > 0) {
        (void)printf("%s: %s%s\n", path, saved.first.text,
                     saved.damages > 1 ? ", and further damage behind it" : "");
    }
    return saved.damages == 0 ? WHOLE : saved.messages > 0 ? IN_PART : NOTHING;
}

int log_recover(int argc, char **argv)
{
    const char *path = NULL, *out = NULL;
    char made[4096];
    bool force = false;
    struct log_file file;
    FILE *to = NULL;
    int result = read_paths(argc, argv, &path, &out, &force, NULL);

    if (result != EXIT_DONE || log_file_open(&file, path) != EXIT_DONE) {
        return result != EXIT_DONE ? result : NOTHING;
    }
    if (out == NULL) {
        const size_t stem = strlen(path) - (log_ends_in(path, ".mcap") ? 5 : 0);

        (void)snprintf(made, sizeof made, "%.*s-recovered.mcap", (int)stem, path);
        out = made;
    }
    result = log_file_create(&to, out, force) == EXIT_DONE ? save(&file, path, out, to) : NOTHING;
    if (to != NULL && fclose(to) != 0) {
        result = command_fail(name, NOTHING, "%s: %s", out, strerror(errno));
    }
    log_file_close(&file);
    return result;
}

/* ---- csv ------------------------------------------------------------------------------------- */

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

struct table {
    const char *path;
    tp_catalogue *catalogue;
    tpi_log_track *tracks;    /* owned, by channel */
    tpi_log_columns *columns; /* owned, by channel */
    bool *used;               /* owned, by channel */
    tpi_log_locale locale;
    uint64_t first_ns, unknown;
    FILE *out;
};

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
            tpi_log_track_read(&t->tracks[item.id], &item, t->catalogue);
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
            tpi_log_columns_names(&t->columns[i], prefix, &t->locale, &line);
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
                           "%s: %" PRIu64 " messages of unknown interfaces left out", t->path,
                           t->unknown);
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
    const int result = read_paths(argc, argv, &path, &out, NULL, &locale);

    return result == EXIT_DONE ? log_write_csv(path, out, &locale) : result;
}
