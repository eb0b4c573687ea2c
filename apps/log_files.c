/* log_files.c - troupe log info and recover: what can be done with a recording. */
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

/* ---- info ------------------------------------------------------------------------------------ */

/* What was counted of a channel. */
struct counted {
    tpi_log_track track;
    uint64_t messages, bytes, first_ns, last_ns;
    bool used;
};

/* What was read of a file. */
struct contents {
    tp_catalogue *catalogue;  /* borrowed */
    struct counted *channels; /* owned, by number */
    tpi_log_about *devices;   /* owned: those that the recording names */
    size_t device_count, device_room;
};

/* A device that the recording names; false without memory. */
static bool note_device(struct contents *all, const tpi_log_item *item)
{
    tpi_log_about about;

    if (!tpi_log_about_read(&about, item, all->catalogue)) {
        return true;
    }
    for (size_t i = 0; i < all->device_count; i++) {
        if (strcmp(all->devices[i].device, about.device) == 0) {
            return true;
        }
    }
    if (all->device_count == all->device_room) {
        const size_t room = all->device_room == 0 ? 32 : 2 * all->device_room;
        tpi_log_about *more = realloc(all->devices, room * sizeof *more);

        if (more == NULL) {
            return false;
        }
        all->devices = more;
        all->device_room = room;
    }
    all->devices[all->device_count++] = about;
    return true;
}

/* Whether anything of the device was recorded. */
static bool has_sent(const struct contents *all, const char *device)
{
    for (size_t i = 0; i < CHANNELS; i++) {
        if (all->channels[i].used && strcmp(all->channels[i].track.device, device) == 0) {
            return true;
        }
    }
    return false;
}

static void count_message(struct counted *counted, const tpi_log_item *item)
{
    if (counted->messages++ == 0) {
        counted->first_ns = item->log_ns;
    }
    counted->last_ns = item->log_ns;
    counted->bytes += tpi_mcap_left(&item->bytes);
}

/* Devices that have sent nothing are there, too: they were recorded. */
static void put_silent(tpi_buf *out, const struct contents *all)
{
    for (size_t i = 0; i < all->device_count; i++) {
        const char *device = all->devices[i].device;
        tpi_buf shown = {0};

        if (!has_sent(all, device)) {
            output_put_clean(&shown, device, strlen(device));
            tpi_buf_printf(out, "%-32s %10d %9s %12d\n", tpi_buf_text(&shown), 0, "-", 0);
        }
        tpi_buf_fini(&shown);
    }
}

static void put_counted(tpi_buf *out, const struct contents *all)
{
    tpi_buf_printf(out, "%-32s %10s %9s %12s\n", "CHANNEL", "MESSAGES", "RATE/S", "BYTES");
    for (size_t i = 0; i < CHANNELS; i++) {
        const struct counted *c = &all->channels[i];
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
    put_silent(out, all);
}

/* Read the whole file. `damage` gets the first one. */
static tp_status count_all(tpi_log_reader *reader, struct contents *all, tp_error *damage)
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
            tpi_log_learn(all->catalogue, &item);
            tpi_log_track_read(&all->channels[item.id].track, &item, all->catalogue);
            all->channels[item.id].used = true;
        } else if (item.kind == TPI_LOG_MESSAGE) {
            count_message(&all->channels[item.id], &item);
        } else if (item.kind == TPI_LOG_METADATA && !note_device(all, &item)) {
            return tp_fail(damage, TP_E_NOMEM, "out of memory");
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
    tpi_buf_printf(
        out, ": %" PRIu64 " message%s, %.3f s, %" PRIu32 " chunk%s, %.1f kB\n", messages,
        output_plural(messages), messages > 0 ? (double)(last_ns - first_ns) * 1e-9 : 0.0,
        tpi_log_reader_chunks(file->reader), output_plural(tpi_log_reader_chunks(file->reader)),
        (double)file->source.size / 1000);
}

int log_info(int argc, char **argv)
{
    const char *path = NULL;
    struct log_file file;
    tp_error damage = {.text = ""};
    tpi_buf out = {0};
    int result = log_read_paths(argc, argv, &path, NULL, NULL, NULL);

    if (result != EXIT_DONE || (result = log_file_open(&file, path)) != EXIT_DONE) {
        return result;
    }
    tp_catalogue *catalogue = command_catalogue(name);
    struct contents all = {.catalogue = catalogue,
                           .channels = calloc(CHANNELS, sizeof *all.channels)};
    if (catalogue != NULL && all.channels != NULL) {
        const tp_status status = count_all(file.reader, &all, &damage);

        put_whole(&out, &file, path, all.channels);
        put_counted(&out, &all);
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
    free(all.channels);
    free(all.devices);
    tp_catalogue_destroy(catalogue);
    log_file_close(&file);
    return result;
}

/* ---- recover --------------------------------------------------------------------------------- */

/* Exit codes of this command. */
enum { WHOLE = 0, IN_PART = 1, NOTHING = 2 };

/* Nothing was saved, for this reason. It is no mistake in the command line. */
static int fail_saving(const char *out, const char *why)
{
    (void)command_fail(name, EXIT_FAILED, "%s: %s", out, why);
    return NOTHING;
}

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
        return fail_saving(out, err.text);
    }
    (void)printf("%s: %" PRIu64 " message%s in %" PRIu32 " chunk%s saved\n", out, saved.messages,
                 output_plural(saved.messages), saved.chunks, output_plural(saved.chunks));
    if (saved.damages > 0) {
        (void)printf("%s: %s%s\n", path, saved.first.text,
                     saved.damages > 1 ? ", and further damage behind it" : "");
    }
    return saved.damages == 0 ? WHOLE : saved.messages > 0 ? IN_PART : NOTHING;
}

/* Recover one file; `out` NULL for a name made of its own. */
static int recover_one(const char *path, const char *out, bool force)
{
    char made[4096];
    struct log_file file;
    FILE *to = NULL;

    if (log_file_open(&file, path) != EXIT_DONE) {
        return NOTHING;
    }
    if (out == NULL) {
        const size_t stem = strlen(path) - (log_ends_in(path, ".mcap") ? 5 : 0);

        (void)snprintf(made, sizeof made, "%.*s-recovered.mcap", (int)stem, path);
        out = made;
    }
    int result =
        log_file_create(&to, out, force) == EXIT_DONE ? save(&file, path, out, to) : NOTHING;
    if (to != NULL && fclose(to) != 0) {
        result = fail_saving(out, strerror(errno));
    }
    log_file_close(&file);
    return result;
}

/* The exit code of several files is that of the worst one. */
int log_recover(int argc, char **argv)
{
    const char *out = NULL;
    bool force = false;
    int files = 0, worst = WHOLE;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--out") == 0) {
            out = command_value(name, argc, argv, &i);
            if (out == NULL) {
                return EXIT_USAGE;
            }
        } else if (strcmp(argv[i], "--force") == 0) {
            force = true;
        } else if (argv[i][0] == '-') {
            return command_unexpected(name, argv[i], NULL);
        } else {
            argv[files++] = argv[i];
        }
    }
    if (files == 0 || (files > 1 && out != NULL)) {
        return command_fail(name, EXIT_USAGE, "%s",
                            files == 0 ? "which recording?" : "-o is for one recording");
    }
    for (int i = 0; i < files; i++) {
        const int result = recover_one(argv[i], out, force);

        worst = result > worst ? result : worst;
    }
    return worst;
}
