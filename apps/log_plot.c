/*
 * log_plot.c - troupe log plot: numbers of a recording as curves.
 *
 * The file is read once, whatever its size: each curve keeps what a picture can show
 * (log/curve.h). Curves of one device and one unit share a panel.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log_plot.h"
#include "troupe/interfaces/experiment.h"

static const char name[] = "log";

enum { CHANNELS = 65536, MOST_SERIES = LOG_PAIRS_CURVES, MOST_FACTS = 256 };

/* ---- What is wanted -------------------------------------------------------------------------- */

static int read_column(struct plot_column *column, const char *text)
{
    const char *slash = strchr(text, '/'), *last = strrchr(text, '/');

    *column = (struct plot_column){.device = ""};
    if (slash == NULL || slash == text || last[1] == '\0') {
        return command_fail(name, EXIT_USAGE,
                            "\"%s\" is no column: position2d:0/pos.px is one; log info names the "
                            "devices",
                            text);
    }
    (void)snprintf(column->device, sizeof column->device, "%.*s%s", (int)(slash - text), text,
                   memchr(text, ':', (size_t)(slash - text)) == NULL ? ":0" : "");
    if (last > slash) {
        (void)snprintf(column->message, sizeof column->message, "%.*s", (int)(last - slash - 1),
                       slash + 1);
    }
    (void)snprintf(column->path, sizeof column->path, "%s", last + 1);
    return EXIT_DONE;
}

static bool is_of(const struct plot_column *column, const tpi_log_track *track)
{
    return strcmp(column->device, track->device) == 0 &&
           (column->message[0] == '\0' || strcmp(column->message, track->message) == 0);
}

/* A property of the device: KEY.FIELD, or KEY for all its numbers. NULL if there is none. */
static const char *fact_of(const struct plot *p, const char *device, const char *key,
                           const char *field)
{
    char full[192];
    const char *found = NULL;

    (void)snprintf(full, sizeof full, "%s.%s", key, field);
    for (unsigned i = 0; i < p->fact_count; i++) {
        if (strcmp(p->facts[i].device, device) != 0) {
            continue;
        }
        if (strcmp(p->facts[i].key, full) == 0) {
            return p->facts[i].value;
        }
        found = strcmp(p->facts[i].key, key) == 0 ? p->facts[i].value : found;
    }
    return found;
}

static void note_facts(struct plot *p, const tpi_log_item *item)
{
    tpi_mcap_view notes = item->notes, key, value;
    tpi_log_about about;

    if (!tpi_log_about_read(&about, item, p->catalogue)) {
        return;
    }
    while (p->fact_count < MOST_FACTS && tpi_log_take_note(&notes, &key, &value)) {
        struct plot_fact *fact = &p->facts[p->fact_count];

        (void)snprintf(fact->device, sizeof fact->device, "%s", about.device);
        (void)snprintf(fact->key, sizeof fact->key, "%.*s", (int)tpi_mcap_left(&key),
                       (const char *)key.at);
        (void)snprintf(fact->value, sizeof fact->value, "%.*s", (int)tpi_mcap_left(&value),
                       (const char *)value.at);
        p->fact_count += strncmp(fact->key, "uncertainty", 11) == 0 ||
                         strncmp(fact->key, "unit", 4) == 0 || strncmp(fact->key, "name.", 5) == 0;
    }
}

/* ---- Series ---------------------------------------------------------------------------------- */

/* The unit that a property says, if one does. */
static void note_unit(const struct plot *p, const tpi_log_track *track, const char *path,
                      tpi_log_field *field)
{
    const char *unit = fact_of(p, track->device, "unit", path);

    if (unit != NULL) {
        (void)snprintf(field->unit, sizeof field->unit, "%.31s", unit);
    }
}

static bool is_experiment(const tpi_log_track *track)
{
    return strstr(track->device, "experiment:") != NULL;
}

/* A sample of an experiment: it has the time at which the sensor took it. */
static bool is_sample(const tpi_log_track *track)
{
    return is_experiment(track) && strcmp(track->message, "SAMPLE") == 0;
}

static void add_series(struct plot *p, uint16_t channel, const char *path)
{
    const tpi_log_track *track = &p->tracks[channel];
    struct plot_series *s = &p->series[p->series_count];

    if (p->series_count == MOST_SERIES) {
        p->left_out++;
        return;
    }
    *s = (struct plot_series){.channel = channel};
    if (tpi_log_field_find(&s->field, track->what->ask, path, NULL) != TP_OK) {
        return;
    }
    s->curve = tpi_log_curve_create(p->has_x);
    if (s->curve == NULL) {
        p->left_out++;
        return;
    }
    const char *called = fact_of(p, track->device, "name", path);
    const char *uncertainty = fact_of(p, track->device, "uncertainty", path);
    (void)snprintf(s->label, sizeof s->label, "%.127s",
                   called != NULL && called[0] != '\0' ? called : path);
    note_unit(p, track, path, &s->field);
    s->uncertainty = uncertainty != NULL ? strtod(uncertainty, NULL) : 0;
    p->series_count++;
}

/* All elements of an array of numbers; more than a panel has colours only if they are wanted. */
static bool add_array(struct plot *p, uint16_t channel, const char *path, const void *value,
                      bool wanted)
{
    const tp_struct *type = p->tracks[channel].what->ask;

    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        const uint32_t count = value == NULL ? 0 : tp_field_count(field, value);

        if (strcmp(field->name, path) != 0 || field->shape == TP_SHAPE_ONE ||
            field->type == TP_TYPE_STRUCT || field->type == TP_TYPE_CHAR) {
            continue;
        }
        for (uint32_t k = 0; k < count && (wanted || count <= CHART_MOST_CURVES); k++) {
            char element[160];

            (void)snprintf(element, sizeof element, "%s[%" PRIu32 "]", path, k);
            add_series(p, channel, element);
        }
        return true;
    }
    return false;
}

/* All plain numbers, and short arrays. */
static void add_all(struct plot *p, uint16_t channel, const void *value)
{
    const tp_struct *type = p->tracks[channel].what->ask;
    tpi_buf list = {0};

    tpi_log_field_list(type, &list);
    for (char *at = list.data, *end; at != NULL && *at != '\0'; at = end + 1) {
        end = strchr(at, '\n');
        *end = '\0';
        if (!is_sample(&p->tracks[channel]) || strcmp(at, "time") != 0) {
            add_series(p, channel, at);
        }
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        (void)add_array(p, channel, type->fields[i].name, value, false);
    }
    tpi_buf_fini(&list);
}

/* The first message of a channel that may have the number of the x axis. */
static int meet_x(struct plot *p, uint16_t channel)
{
    const tpi_log_track *track = &p->tracks[channel];
    tp_error err = {.text = ""};

    if (tpi_log_field_find(&p->x_field, track->what->ask, p->x.path, &err) != TP_OK) {
        return p->x.message[0] == '\0' /* then another message may have it */
                   ? EXIT_DONE
                   : command_fail(name, EXIT_FAILED, "%s/%s: %s", p->x.device, p->x.path, err.text);
    }
    const char *called = fact_of(p, track->device, "name", p->x.path);
    note_unit(p, track, p->x.path, &p->x_field);
    (void)snprintf(p->x_label, sizeof p->x_label, "%s",
                   called != NULL && called[0] != '\0' ? called : p->x.path);
    p->x.found = true;
    p->x_channel = channel;
    p->pairs = is_sample(track) ? log_pairs_create() : NULL;
    return is_sample(track) && p->pairs == NULL
               ? command_fail(name, EXIT_FAILED, "%s: out of memory", p->path)
               : EXIT_DONE;
}

/* The first message of a channel: what of it is drawn. */
static int meet(struct plot *p, uint16_t channel, const void *value)
{
    const tpi_log_track *track = &p->tracks[channel];
    tp_error err = {.text = ""};

    p->seen[channel] = true;
    if (track->what->ask == NULL) {
        return EXIT_DONE;
    }
    if (p->has_x && !p->x.found && is_of(&p->x, track)) {
        const int result = meet_x(p, channel);
        if (result != EXIT_DONE) {
            return result;
        }
    }
    for (unsigned i = 0; i < p->column_count; i++) {
        struct plot_column *column = &p->columns[i];
        tpi_log_field field;

        if (!is_of(column, track)) {
            continue;
        }
        if (add_array(p, channel, column->path, value, true)) {
            column->found = true;
        } else if (tpi_log_field_find(&field, track->what->ask, column->path, &err) == TP_OK) {
            add_series(p, channel, column->path);
            column->found = true;
        } else if (column->message[0] != '\0') {
            return command_fail(name, EXIT_FAILED, "%s/%s: %s", column->device, column->path,
                                err.text);
        }
    }
    if (p->column_count == 0 && (!is_experiment(track) || is_sample(track))) {
        add_all(p, channel, value);
    }
    return EXIT_DONE;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* When a message came, in seconds after the first one. Samples of experiments come several at once:
 * they have their own times, which those of several sensors have in common. */
static double time_of(struct plot *p, const tpi_log_item *item, const void *value)
{
    uint64_t from_ns = p->first_ns, at_ns = item->log_ns;

    if (is_sample(&p->tracks[item->id])) {
        const double since_s = ((const tp_experiment_sample *)value)->time;
        at_ns = item->publish_ns;
        if (p->start_ns == 0) {
            p->start_ns = at_ns - (uint64_t)(since_s > 0 && since_s < 1e9 ? since_s * 1e9 : 0);
        }
        from_ns = p->start_ns;
    }
    return at_ns < from_ns ? 0 : (double)(at_ns - from_ns) * 1e-9;
}

/* Samples of one experiment over each other: those that were taken at the same time. */
static void add_pairs(struct plot *p, const tpi_log_item *item, const void *value)
{
    const double time_s = ((const tp_experiment_sample *)value)->time;
    double number;

    if (tpi_log_field_number(&p->x_field, value, &number) && !isnan(number)) {
        log_pairs_x(p->pairs, time_s, number);
    }
    for (unsigned i = 0; i < p->series_count; i++) {
        struct plot_series *s = &p->series[i];

        if (s->channel == item->id && tpi_log_field_number(&s->field, value, &number) &&
            !isnan(number)) { /* NaN: a sample of another channel */
            p->left_out += log_pairs_y(p->pairs, s->curve, time_s, number) ? 0 : 1;
        }
    }
}

static void add_points(struct plot *p, const tpi_log_item *item, const void *value)
{
    const double time_s = time_of(p, item, value);
    double number;

    if (p->pairs != NULL && item->id == p->x_channel) {
        add_pairs(p, item, value);
        return;
    }
    if (p->has_x && p->x.found && item->id == p->x_channel &&
        tpi_log_field_number(&p->x_field, value, &number) && !isnan(number)) {
        p->x_now = number;
        p->x_known = true;
    }
    for (unsigned i = 0; i < p->series_count; i++) {
        struct plot_series *s = &p->series[i];

        if (s->channel == item->id && (!p->has_x || p->x_known) &&
            tpi_log_field_number(&s->field, value, &number)) {
            tpi_log_curve_add(s->curve, p->has_x ? p->x_now : time_s, number);
        }
    }
}

static bool is_drawn(const struct plot *p, uint16_t channel)
{
    bool drawn = !p->seen[channel] || (p->has_x && p->x.found && channel == p->x_channel);

    for (unsigned i = 0; i < p->series_count && !drawn; i++) {
        drawn = p->series[i].channel == channel;
    }
    return drawn;
}

static int take_message(struct plot *p, const tpi_log_item *item)
{
    void *value = NULL;
    int result = EXIT_DONE;

    if (!p->begun) {
        p->first_ns = item->log_ns;
        p->begun = true;
    }
    if (p->tracks[item->id].what == NULL || !is_drawn(p, item->id) ||
        tpi_log_track_value(&p->tracks[item->id], item, &value, NULL) != TP_OK) {
        return EXIT_DONE;
    }
    if (!p->seen[item->id]) {
        result = meet(p, item->id, value);
    }
    if (result == EXIT_DONE && value != NULL) {
        add_points(p, item, value);
    }
    free(value);
    return result;
}

static int read_all(struct plot *p, tpi_log_reader *reader)
{
    tpi_log_item item;
    tp_error err = {.text = ""};
    tp_status status;
    int result = EXIT_DONE;

    while (result == EXIT_DONE &&
           (status = tpi_log_reader_next(reader, &item, &err)) != TP_E_CLOSED) {
        if (status == TP_E_SYNTAX) {
            p->damage = p->damage.code == TP_OK ? err : p->damage;
        } else if (status != TP_OK) {
            result = command_fail(name, EXIT_FAILED, "%s: %s", p->path, err.text);
        } else if (item.kind == TPI_LOG_CHANNEL) {
            tpi_log_learn(p->catalogue, &item);
            tpi_log_track_read(&p->tracks[item.id], &item, p->catalogue);
        } else if (item.kind == TPI_LOG_METADATA) {
            note_facts(p, &item);
        } else if (item.kind == TPI_LOG_MESSAGE) {
            result = take_message(p, &item);
        }
    }
    return result;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What was asked for and is not there. */
static int check_found(const struct plot *p)
{
    for (unsigned i = 0; i <= p->column_count; i++) {
        const struct plot_column *c = i < p->column_count ? &p->columns[i] : &p->x;

        if (!c->found && c->path[0] != '\0') {
            return command_fail(name, EXIT_FAILED,
                                "%s: no message of %s has a number \"%s\"; log csv names all "
                                "columns",
                                p->path, c->device, c->path);
        }
    }
    return EXIT_DONE;
}

static int draw(struct plot *p)
{
    struct log_file file;
    int result = log_file_open(&file, p->path);

    if (result == EXIT_DONE) {
        result = read_all(p, file.reader);
        if (p->pairs != NULL) {
            log_pairs_end(p->pairs);
        }
        log_file_close(&file);
        result = result == EXIT_DONE ? check_found(p) : result;
        result = result == EXIT_DONE ? log_picture_write(p) : result;
    }
    if (result == EXIT_DONE && p->left_out > 0) {
        (void)command_fail(name, EXIT_DONE, "%s: %u curves are left out; name those to draw",
                           p->out, p->left_out);
    }
    if (result == EXIT_DONE && p->damage.code != TP_OK) {
        (void)command_fail(name, EXIT_DONE, "%s: %s; drawn is what is left of it", p->path,
                           p->damage.text);
    }
    return result;
}

static int plot(struct plot *p)
{
    int result = EXIT_FAILED;

    p->catalogue = command_catalogue(name);
    p->tracks = calloc(CHANNELS, sizeof *p->tracks);
    p->seen = calloc(CHANNELS, sizeof *p->seen);
    p->series = calloc(MOST_SERIES, sizeof *p->series);
    p->facts = calloc(MOST_FACTS, sizeof *p->facts);
    if (p->catalogue != NULL && p->tracks != NULL && p->seen != NULL && p->series != NULL &&
        p->facts != NULL) {
        result = draw(p);
    } else {
        (void)command_fail(name, EXIT_FAILED, "out of memory");
    }
    for (unsigned i = 0; i < p->series_count; i++) {
        tpi_log_curve_destroy(p->series[i].curve);
    }
    log_pairs_destroy(p->pairs);
    free(p->facts);
    free(p->series);
    free(p->seen);
    free(p->tracks);
    tp_catalogue_destroy(p->catalogue);
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

int log_check_picture(const char *path)
{
    return log_ends_in(path, ".svg") || log_ends_in(path, ".png")
               ? EXIT_DONE
               : command_fail(name, EXIT_USAGE, "\"%s\" is neither .png nor .svg", path);
}

int log_write_plot(const char *recording, const char *out, bool force)
{
    struct plot p = {.path = recording, .out = out, .force = force};

    return plot(&p);
}

static int read_option(struct plot *p, int argc, char **argv, int *i)
{
    const char *option = argv[*i];

    if (strcmp(option, "--force") == 0) {
        p->force = true;
        return EXIT_DONE;
    }
    if (strcmp(option, "-o") != 0 && strcmp(option, "--out") != 0 && strcmp(option, "--x") != 0) {
        return command_unexpected(name, option, NULL);
    }
    const char *value = command_value(name, argc, argv, i);
    if (value == NULL) {
        return EXIT_USAGE;
    }
    if (strcmp(option, "--x") == 0) {
        p->has_x = true;
        return read_column(&p->x, value);
    }
    p->out = value;
    return log_check_picture(value);
}

int log_plot(int argc, char **argv)
{
    struct plot p = {.path = NULL};
    char made[4096];
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (argv[i][0] == '-') {
            result = read_option(&p, argc, argv, &i);
        } else if (p.path == NULL) {
            p.path = argv[i];
        } else if (p.column_count == PLOT_MOST_COLUMNS) {
            result = command_fail(name, EXIT_USAGE, "at most %d columns", PLOT_MOST_COLUMNS);
        } else {
            result = read_column(&p.columns[p.column_count++], argv[i]);
        }
    }
    if (result == EXIT_DONE && p.path == NULL) {
        result = command_fail(name, EXIT_USAGE, "which recording?");
    }
    if (result == EXIT_DONE && p.has_x && p.column_count == 0) {
        result = command_fail(name, EXIT_USAGE, "--x needs columns to draw over it");
    }
    if (result == EXIT_DONE && p.out == NULL) {
        const size_t stem = strlen(p.path) - (log_ends_in(p.path, ".mcap") ? 5 : 0);

        (void)snprintf(made, sizeof made, "%.*s.svg", (int)stem, p.path);
        p.out = made;
    }
    return result == EXIT_DONE ? plot(&p) : result;
}
