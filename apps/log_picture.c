/* log_picture.c - the curves of a recording in panels: those of one message and one unit share one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log_plot.h"

static const char name[] = "log";

enum { MOST_PANELS = 24 };

struct picture {
    struct chart_panel panels[MOST_PANELS];
    char titles[MOST_PANELS][160], y_labels[MOST_PANELS][64], x_label[176];
    uint16_t channels[MOST_PANELS];
    const char *units[MOST_PANELS];
    unsigned count;
};

/* "pos (m)": what the paths of a panel have in common, and its unit. The curves have the rest. */
static void label_axis(char out[64], struct chart_panel *panel, const char *unit)
{
    const char *first = panel->curves[0].label;
    size_t common = panel->count == 1 ? strlen(first) : strcspn(first, ".[");

    for (unsigned i = 1; i < panel->count; i++) {
        if (strncmp(first, panel->curves[i].label, common) != 0 ||
            strchr(".[", panel->curves[i].label[common]) == NULL) {
            common = 0;
        }
    }
    (void)snprintf(out, 64, "%.*s%s%s%s%s", (int)(common > 40 ? 40 : common), first,
                   common > 0 && unit[0] != '\0' ? " " : "", unit[0] != '\0' ? "(" : "", unit,
                   unit[0] != '\0' ? ")" : "");
    for (unsigned i = 0; panel->count > 1 && common > 0 && i < panel->count; i++) {
        panel->curves[i].label += common + (panel->curves[i].label[common] == '.');
    }
}

/* A curve that never changes says nothing where all are drawn. */
static bool is_flat(const struct plot_series *s)
{
    double x[2], y[2];

    return !tpi_log_curve_range(s->curve, x, y) || y[0] == y[1];
}

static void add_to_panel(struct plot *p, struct picture *picture, const struct plot_series *s)
{
    unsigned i = 0;

    while (i < picture->count &&
           !(picture->channels[i] == s->channel && strcmp(picture->units[i], s->field.unit) == 0 &&
             picture->panels[i].count < CHART_MOST_CURVES)) {
        i++;
    }
    if (i == MOST_PANELS) {
        p->left_out++;
        return;
    }
    struct chart_panel *panel = &picture->panels[i];
    if (i == picture->count) {
        const tpi_log_track *track = &p->tracks[s->channel];

        picture->count++;
        picture->channels[i] = s->channel;
        picture->units[i] = s->field.unit;
        (void)snprintf(picture->titles[i], sizeof picture->titles[i], "%s %s", track->device,
                       track->message);
        *panel = (struct chart_panel){.title = picture->titles[i],
                                      .x_label = picture->x_label,
                                      .y_label = picture->y_labels[i],
                                      .over_time = !p->has_x,
                                      .equal = p->has_x && p->x_field.unit[0] != '\0' &&
                                               strcmp(p->x_field.unit, s->field.unit) == 0};
    }
    panel->curves[panel->count++] =
        (struct chart_curve){.points = s->curve, .label = s->label, .uncertainty = s->uncertainty};
}

static int arrange(struct plot *p, struct picture *picture)
{
    unsigned lively = 0;

    for (unsigned i = 0; i < p->series_count; i++) {
        lively += !is_flat(&p->series[i]);
    }
    for (unsigned i = 0; i < p->series_count; i++) {
        const struct plot_series *s = &p->series[i];

        if (tpi_log_curve_points(s->curve) > 0 &&
            (p->column_count > 0 || lively == 0 || !is_flat(s))) {
            add_to_panel(p, picture, s);
        }
    }
    for (unsigned i = 0; i < picture->count; i++) {
        label_axis(picture->y_labels[i], &picture->panels[i], picture->units[i]);
    }
    (void)snprintf(picture->x_label, sizeof picture->x_label, "time (s)");
    if (p->has_x) {
        const char *unit = p->x_field.unit;

        (void)snprintf(picture->x_label, sizeof picture->x_label, "%s%s%s%s", p->x_label,
                       unit[0] != '\0' ? " (" : "", unit, unit[0] != '\0' ? ")" : "");
    }
    return picture->count > 0 ? EXIT_DONE
                              : command_fail(name, EXIT_FAILED, "%s: no numbers to draw", p->path);
}

static int write_picture(struct plot *p, struct picture *picture)
{
    tpi_buf bytes = {0};
    tp_error err = {.text = ""};
    FILE *to = NULL;
    int result = EXIT_DONE;

    if (chart_put(&bytes, log_ends_in(p->out, ".png"), picture->panels, picture->count, p->path,
                  &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s: %s", p->out, err.text);
    }
    result = result == EXIT_DONE ? log_file_create(&to, p->out, p->force) : result;
    if (to != NULL) {
        const bool written = fwrite(bytes.data, 1, bytes.length, to) == bytes.length;

        if (fclose(to) != 0 || !written) {
            result = command_fail(name, EXIT_FAILED, "%s: %s", p->out, strerror(errno));
        }
    }
    tpi_buf_fini(&bytes);
    return result;
}

int log_picture_write(struct plot *p)
{
    struct picture *picture = calloc(1, sizeof *picture);
    int result =
        picture == NULL ? command_fail(name, EXIT_FAILED, "out of memory") : arrange(p, picture);

    result = result == EXIT_DONE ? write_picture(p, picture) : result;
    free(picture);
    return result;
}
