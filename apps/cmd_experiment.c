/*
 * cmd_experiment.c - troupe experiment light: one program runs several robots away from a lamp.
 *
 * The experiment of chapter 3 of the URAPI thesis: the same file drives robots that have nothing in
 * common but a light sensor. Each starts in the middle of a closed room with several headings. It
 * has run away if it ends in the half without the lamp, and 0.8 m farther from it. With a sensor
 * whose reading never changes the same file must fail, else the result means nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "experiment_draw.h"
#include "output.h"
#include "play.h"
#include "play/host/library.h"
#include "table.h"
#include "universal/host/files.h"
#include "worlds.h"

static const char name[] = "experiment";

static const experiment_robot robots[] = {
    {"LEGO NXT", "nxt", "nxt", NULL},
    {"Finch", "finch", "finch", NULL},
    {"iRobot Create", "create", "create1", NULL},
    {"Arduino car", "firmata", "firmata", NULL},
    {"Surveyor SRV-1", "srv1", "srv1", NULL},
    {"Pioneer (simulated)", "troupe", NULL, "include \"robots/pioneer.inc\"\npioneer"},
};
enum {
    ROBOTS = sizeof robots / sizeof robots[0],
    MOST_HEADINGS = 36,
    ENOUGH = 7,
    MOST_BY_CHANCE = 4
};

static const double FARTHER = 0.8; /* m */

struct experiment {
    const char *program, *svg, *only;
    uint64_t headings, seed;
    double seconds;
    bool is_short; /* without the runs with a frozen sensor */
    play_source source;
    tpi_buf world;
    experiment_result *results; /* owned: ROBOTS x MOST_HEADINGS x 2 */
};

static experiment_result *result_of(const struct experiment *e, unsigned robot, unsigned heading,
                                    bool is_frozen)
{
    return &e->results[(robot * MOST_HEADINGS + heading) * 2 + is_frozen];
}

/* How much farther from the lamp it ended, in metres. */
static double farther(const experiment_result *r)
{
    const double *first = r->places[0], *last = r->places[r->count - 1];

    return hypot(last[0] - r->lamp[0], last[1] - r->lamp[1]) -
           hypot(first[0] - r->lamp[0], first[1] - r->lamp[1]);
}

static bool has_run_away(const experiment_result *r)
{
    const double *last = r->places[r->count - 1];

    return last[0] * r->lamp[0] + last[1] * r->lamp[1] < 0 && farther(r) >= FARTHER;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int play(struct experiment *e, unsigned robot, bool is_frozen)
{
    for (unsigned i = 0; i < e->headings; i++) {
        const experiment_run run = {.robot = &robots[robot],
                                    .program = &e->source.program,
                                    .world = tpi_buf_text(&e->world),
                                    .heading = 360.0 * i / (double)e->headings,
                                    .seconds = e->seconds,
                                    .is_frozen = is_frozen,
                                    .seed = (uint32_t)e->seed};
        tp_error err = {0};
        if (experiment_play(result_of(e, robot, i, is_frozen), &run, &err) != TP_OK) {
            return command_fail(name, EXIT_FAILED, "%s: %s", robots[robot].title, err.text);
        }
    }
    return EXIT_DONE;
}

static unsigned count_away(const struct experiment *e, unsigned robot, bool is_frozen, double *mean)
{
    unsigned away = 0;

    *mean = 0;
    for (unsigned i = 0; i < e->headings; i++) {
        const experiment_result *r = result_of(e, robot, i, is_frozen);
        away += has_run_away(r);
        *mean += farther(r) / (double)e->headings;
    }
    return away;
}

/* A row of the table; whether the robot has passed. */
static bool put_row(struct table *rows, const struct experiment *e, unsigned robot)
{
    const unsigned enough = (unsigned)(e->headings * ENOUGH / 8);
    const unsigned chance = (unsigned)(e->headings * MOST_BY_CHANCE / 8);
    double mean = 0, frozen_mean = 0;
    const unsigned away = count_away(e, robot, false, &mean);
    const unsigned frozen = e->is_short ? 0 : count_away(e, robot, true, &frozen_mean);
    const char *eye = strstr(result_of(e, robot, 0, false)->matches, "→ ");

    table_cell(rows, "%s", robots[robot].title);
    table_cell(rows, "%s", eye != NULL ? eye + strlen("→ ") : "");
    table_cell(rows, "%u of %u", away, (unsigned)e->headings);
    table_cell(rows, "%.2f m", mean);
    if (e->is_short) {
        table_cell(rows, "-");
        table_cell(rows, "-");
    } else {
        table_cell(rows, "%u of %u", frozen, (unsigned)e->headings);
        table_cell(rows, "%.2f m", frozen_mean);
    }
    table_cell(rows, "%u", result_of(e, robot, 0, false)->commands);
    return away >= enough && frozen <= chance;
}

static bool takes_part(const struct experiment *e, unsigned robot)
{
    return e->only == NULL || strcmp(e->only, robots[robot].robot) == 0;
}

static int print_table(const struct experiment *e)
{
    static const char *const titles[] = {"ROBOT",   "EYE",      ">AWAY",     ">FARTHER",
                                         ">FROZEN", ">FARTHER", ">COMMANDS", NULL};
    struct table rows;
    tpi_buf out = {0};
    unsigned failed = 0;

    table_init(&rows, titles);
    for (unsigned i = 0; i < ROBOTS; i++) {
        if (takes_part(e, i)) {
            failed += !put_row(&rows, e, i);
        }
    }
    table_put(&out, &rows, 0, 0);
    table_fini(&rows);
    const int result = command_write(name, &out);
    return result != EXIT_DONE ? result
           : failed == 0       ? EXIT_DONE
                               : command_fail(name, EXIT_FAILED,
                                              "%u robot%s did not run away, or did so without eyes",
                                              failed, output_plural(failed));
}

static int draw(const struct experiment *e)
{
    experiment_panel panels[ROBOTS];
    tpi_buf out = {0};
    tp_error err = {0};
    unsigned count = 0;

    for (unsigned i = 0; i < ROBOTS; i++) {
        if (takes_part(e, i)) {
            panels[count++] = (experiment_panel){.title = robots[i].title,
                                                 .results = result_of(e, i, 0, false),
                                                 .stride = 2,
                                                 .count = (unsigned)e->headings,
                                                 .has_frozen = !e->is_short};
        }
    }
    experiment_draw(&out, panels, count);
    int result = EXIT_DONE;
    if (out.failed || tpi_file_write(e->svg, tpi_buf_text(&out), out.length, &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", out.failed ? "out of memory" : err.text);
    }
    tpi_buf_fini(&out);
    return result;
}

static int perform(struct experiment *e)
{
    int result = EXIT_DONE;

    for (unsigned i = 0; i < ROBOTS && result == EXIT_DONE; i++) {
        if (takes_part(e, i)) {
            result = play(e, i, false);
            result = result == EXIT_DONE && !e->is_short ? play(e, i, true) : result;
        }
    }
    if (result == EXIT_DONE && e->svg != NULL) {
        result = draw(e);
    }
    return result == EXIT_DONE ? print_table(e) : result;
}

/* ---- The command line ------------------------------------------------------------------------ */

static int read_robot(struct experiment *e, const char *text)
{
    e->only = text;
    for (unsigned i = 0; i < ROBOTS; i++) {
        if (strcmp(robots[i].robot, text) == 0) {
            return EXIT_DONE;
        }
    }
    return command_fail(name, EXIT_USAGE,
                        "no robot \"%s\" takes part: nxt, finch, create, firmata, "
                        "srv1 or troupe",
                        text);
}

static int read_option(struct experiment *e, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    const char *value;

    if (strcmp(option, "--short") == 0) {
        e->is_short = true;
        return EXIT_DONE;
    }
    if (strcmp(option, "--svg") != 0 && strcmp(option, "--robot") != 0 &&
        strcmp(option, "--headings") != 0 && strcmp(option, "--seconds") != 0 &&
        strcmp(option, "--seed") != 0) {
        return command_unexpected(name, option, NULL);
    }
    value = command_value(name, argc, argv, i);
    if (value == NULL) {
        return EXIT_USAGE;
    }
    if (strcmp(option, "--robot") == 0) {
        return read_robot(e, value);
    }
    if (strcmp(option, "--headings") == 0) {
        return command_read_whole(name, "the number of headings", value, 1, MOST_HEADINGS,
                                  &e->headings);
    }
    if (strcmp(option, "--seed") == 0) {
        return command_read_whole(name, "the seed", value, 1, UINT32_MAX, &e->seed);
    }
    if (strcmp(option, "--seconds") == 0) {
        uint64_t seconds = 0;
        const int result = command_read_whole(name, "the time", value, 1, 3600, &seconds);
        e->seconds = (double)seconds;
        return result;
    }
    e->svg = value;
    return EXIT_DONE;
}

static int read_arguments(struct experiment *e, int argc, char **argv)
{
    bool is_named = false;

    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-') {
            const int result = read_option(e, argc, argv, &i);
            if (result != EXIT_DONE) {
                return result;
            }
        } else if (!is_named) {
            if (strcmp(argv[i], "light") != 0) {
                return command_fail(name, EXIT_USAGE, "there is no experiment \"%s\", only light",
                                    argv[i]);
            }
            is_named = true;
        } else if (e->program == NULL) {
            e->program = argv[i];
        } else {
            return command_unexpected(name, argv[i], NULL);
        }
    }
    return is_named ? EXIT_DONE : command_fail(name, EXIT_USAGE, "which experiment? light");
}

/* The program of the command line, or ours. */
static int load(struct experiment *e)
{
    static const char own[] = "run-from-light.play";
    tp_error err = {0};
    int result = EXIT_DONE;

    if (world_find(&e->world, "light", &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    if (e->program != NULL) {
        result = play_source_read(&e->source, e->program);
    } else if (tpi_play_library_read(&e->source.text, "", own, &err) != TP_OK ||
               tpi_files_vocabulary(&e->source.vocabulary, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    result = result == EXIT_DONE
                 ? play_source_compile(&e->source, e->program != NULL ? e->program : own)
                 : result;
    e->results = calloc((size_t)ROBOTS * MOST_HEADINGS * 2, sizeof *e->results);
    return result == EXIT_DONE && e->results == NULL
               ? command_fail(name, EXIT_FAILED, "out of memory")
               : result;
}

static int run(int argc, char **argv)
{
    struct experiment e = {.headings = 8, .seconds = 60, .seed = 1};
    int result = read_arguments(&e, argc, argv);

    result = result == EXIT_DONE ? load(&e) : result;
    result = result == EXIT_DONE ? perform(&e) : result;
    free(e.results);
    play_source_fini(&e.source);
    tpi_buf_fini(&e.world);
    return result;
}

const command command_experiment = {
    .name = name,
    .summary = "run one program on many robots and compare",
    .help =
        "usage: troupe experiment light [PROGRAM] [OPTIONS]\n"
        "\n"
        "One program runs six robots away from a lamp: emulated ones at the level of their bytes,\n"
        "and a simulated Pioneer. Each starts in the middle of a closed room of 4 m x 4 m\n"
        "(worlds/light.world), once with each heading. It has run away if it ends in the half\n"
        "without the lamp and 0.8 m farther from it. The same is done with a sensor whose reading\n"
        "stays as it was at first (FROZEN). Time is that of the world: every run is the same.\n"
        "\n"
        "Fails unless each robot runs away from 7 of 8 headings, and from at most 4 when frozen.\n"
        "PROGRAM is programs/run-from-light.play if none is named.\n"
        "\n"
        "  --svg FILE      draw the paths\n"
        "  --robot NAME    one robot only: nxt, finch, create, firmata, srv1 or troupe\n"
        "  --headings N    number of headings (8)\n"
        "  --seconds S     time of a run (60)\n"
        "  --seed N        of the world's and the program's random numbers (1)\n"
        "  --short         without the runs with a frozen sensor\n",
    .run = run,
};
