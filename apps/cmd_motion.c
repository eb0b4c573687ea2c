/* cmd_motion.c - troupe motion: descriptions of mechanisms, and timed motion. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "commands.h"
#include "motion_text.h"
#include "mover.h"
#include "output.h"
#include "platform/folder.h"

static const char name[] = "motion";

enum { MOST_BYTES = 16 << 20 }; /* of a description */

static tp_status load(tpi_mechanism **out, const char *path, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status = tpi_file_read(&text, path, MOST_BYTES, err);

    if (status == TP_OK) {
        status = tpi_urdf_read(out, text.data, text.length, path, err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* ---- describe -------------------------------------------------------------------------------- */

/* Whether it names a file, not a server. */
static bool is_file(const char *path)
{
    const size_t length = strlen(path);

    return strcmp(path, "-") == 0 || strncmp(path, "./", 2) == 0 || path[0] == '/' ||
           (length > 5 && strcmp(path + length - 5, ".urdf") == 0) ||
           (length > 4 && strcmp(path + length - 4, ".xml") == 0);
}

static int describe(int argc, char **argv)
{
    const char *path = NULL;
    bool json = false;
    tpi_mechanism *mechanism = NULL;
    tpi_buf out = {0};
    tp_error err = {0};

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if ((argv[i][0] == '-' && argv[i][1] != '\0') || path != NULL) {
            return command_unexpected(name, argv[i], NULL);
        } else {
            path = argv[i];
        }
    }
    if (path == NULL) {
        return command_fail(name, EXIT_USAGE, "which file or robot?");
    }
    if (!is_file(path)) {
        return motion_describe_remote(path, json);
    }
    if (load(&mechanism, path, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    (json ? motion_json_put : motion_text_put)(&out, mechanism);
    tpi_mechanism_destroy(mechanism);
    return command_write(name, &out);
}

/* ---- check ----------------------------------------------------------------------------------- */

/* One line about a file; an exit code. */
static int check_file(const char *path)
{
    tpi_mechanism *mechanism = NULL;
    tpi_buf out = {0};
    tp_error err = {0};
    unsigned warnings = 0;

    if (load(&mechanism, path, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    for (const tpi_mechanism_warning *w = mechanism->warnings; w != NULL; w = w->next) {
        warnings++;
    }
    output_put_clean(&out, path, strlen(path));
    tpi_buf_puts(&out, ": ");
    motion_text_put_counts(&out, mechanism);
    if (warnings > 0) {
        tpi_buf_printf(&out, ", %u warning%s", warnings, output_plural(warnings));
    }
    tpi_buf_putc(&out, '\n');
    tpi_mechanism_destroy(mechanism);
    return command_write(name, &out);
}

static int is_description(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 5 && strcmp(entry->d_name + length - 5, ".urdf") == 0;
}

/* All descriptions of a folder, by name. */
static int check_folder(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_description, alphasort);
    int result = EXIT_DONE;

    if (count <= 0) {
        free((void *)entries);
        return command_fail(name, EXIT_FAILED, "%s: %s", folder,
                            count < 0 ? "it cannot be read" : "it has no .urdf file");
    }
    for (int i = 0; i < count; i++) {
        tpi_buf path = {0};

        tpi_buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
        if (check_file(tpi_buf_text(&path)) != EXIT_DONE) {
            result = EXIT_FAILED;
        }
        tpi_buf_fini(&path);
        free(entries[i]);
    }
    free((void *)entries);
    return result;
}

static int check(int argc, char **argv)
{
    int result = EXIT_DONE;

    if (argc == 0) {
        return command_fail(name, EXIT_USAGE, "which files or folders?");
    }
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            return command_unexpected(name, argv[i], NULL);
        }
    }
    for (int i = 0; i < argc; i++) {
        if ((tpi_folder_exists(argv[i]) ? check_folder : check_file)(argv[i]) != EXIT_DONE) {
            result = EXIT_FAILED;
        }
    }
    return result;
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} parts[] = {
    {"describe", describe},    {"check", check},        {"goto", motion_goto},
    {"set", motion_set},       {"play", motion_play},   {"record", motion_record},
    {"state", motion_state},   {"rate", motion_rate},   {"hold", motion_hold},
    {"resume", motion_resume}, {"panic", motion_panic}, {"reset", motion_reset},
};

static int run(int argc, char **argv)
{
    tpi_nearest nearest;
    char hint[96];

    if (argc == 0) {
        return command_fail(name, EXIT_USAGE,
                            "describe, check, goto, set, play, record, state, rate, hold, resume, "
                            "panic or reset?");
    }
    if (argv[0][0] == '-') {
        return command_unexpected(name, argv[0], NULL);
    }
    tpi_nearest_init(&nearest, argv[0]);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(argv[0], parts[i].name) == 0) {
            return parts[i].run(argc - 1, argv + 1);
        }
        tpi_nearest_offer(&nearest, parts[i].name);
    }
    return command_fail(name, EXIT_USAGE, "there is no \"%s\"%s", argv[0],
                        tpi_nearest_hint(&nearest, hint, sizeof hint));
}

const command command_motion = {
    .name = name,
    .summary = "describe robots and move them in time",
    .help =
        "usage: troupe motion describe FILE.urdf|URL [--json]   print a robot's description\n"
        "       troupe motion check PATH...                     read descriptions, one line each\n"
        "       troupe motion goto X Y [THETA] [URL] [--map]    drive the base to a pose\n"
        "       troupe motion set DOF=VALUE... [URL] [--in S]   move dofs\n"
        "       troupe motion play FILE [URL] [--mode MODE] [--plot FILE.svg]\n"
        "       troupe motion record FILE [URL] [--hz HZ] [--for S]\n"
        "       troupe motion state [URL] [--broadcast HZ] [--count N] [--json]\n"
        "       troupe motion rate RATE [URL]                   slow the robot's time\n"
        "       troupe motion hold|resume|panic|reset [URL]\n"
        "\n"
        "Reads descriptions of robots (URDF), and moves robots of motion servers.\n"
        "\n"
        "describe  print the tree of joints and links, the limits and servo commands of every\n"
        "          dof, the control frames, and warnings with their lines\n"
        "check     read files, and all .urdf files of folders; fails if one of them has an error\n"
        "goto      drive to X Y in m and THETA in rad; waits until the robot is there\n"
        "set       move dofs, JOINT=VALUE or JOINT:DOF=VALUE in rad or m; waits until\n"
        "          they are there\n"
        "play      play a sequence of frames, CSV or JSON; waits for the end, and until dofs\n"
        "          are where it sends them\n"
        "record    write the states of the robot to a file that play can read\n"
        "state     print positions, speeds and forces of all dofs\n"
        "rate      scale the speed of the robot's time, from 0 (hold) to 1; everybody's motion\n"
        "          keeps its path\n"
        "hold      rate 0: the robot stands, and goes on along the same path after resume\n"
        "panic     stop everything that the server moves; nothing moves before reset\n"
        "reset     end the panic; needs an operator's key, or, if the configuration has no such\n"
        "          key, a server on this machine\n"
        "\n"
        "Ctrl-C stops what goto, set and play move.\n"
        "\n"
        "  --json          print everything as JSON, in MKS units\n"
        "  --map           goto: the pose is in the frame of the map, not of odometry\n"
        "  --in S          set: arrive after S seconds; default as fast as the limits allow\n"
        "  --within X      set, play: so near is there, in rad or m (0.01)\n"
        "  --mode MODE     play: playback (default) waits until it cannot stall; adaptive starts\n"
        "                  sooner and slows down; direct and delay send frames at their times\n"
        "  --delay S       play: the delay of the mode delay\n"
        "  --paper         play: the estimate of the RoboTalk paper for playback\n"
        "  --plot FILE.svg play: draw the planned and the played paths\n"
        "  --hz HZ         record: states per second (20)\n"
        "  --broadcast HZ  state: again and again\n"
        "  --for S         record, state: end after S seconds\n"
        "  --count N       record, state: end after N states\n" MOVER_OPTIONS_HELP "\n"
        "Examples: troupe motion describe robots/puma560.urdf\n"
        "          troupe motion set head:0=0.5 head:1=-0.2 --in 2\n"
        "          troupe motion play dance.csv robot.local --plot dance.svg\n",
    .run = run,
};
