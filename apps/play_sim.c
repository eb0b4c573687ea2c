/*
 * play_sim.c - a robot of a simulated world as the robot of a program: --port sim:WORLD/ROBOT.
 *
 * The world is loaded once to see which devices the robot has. They become the `requires` of the
 * robot "troupe", which is devices (docs/robot-files.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "play_run.h"
#include "worlds.h"

static const char name[] = PLAY_NAME;

/* Interfaces that the robot "troupe" uses. */
static const char *const used[] = {"position2d", "ranger", "aio", "dio", "bumper", "power", NULL};

bool play_sim_is(const char *port)
{
    return port != NULL && strncmp(port, "sim:", 4) == 0;
}

/* The section of the world; its robots offer everything. */
static int put_world(tpi_buf *out, const char *port, const char **robot)
{
    const char *slash = strrchr(port, '/');
    tpi_buf wanted = {0}, path = {0};
    tp_error err = {0};
    int result = EXIT_DONE;

    if (slash == NULL || slash[1] == '\0' || slash == port + 4) {
        return command_fail(name, EXIT_USAGE, "%s: write sim:WORLD/ROBOT, sim:classroom/pip", port);
    }
    *robot = slash + 1;
    tpi_buf_put(&wanted, port + 4, (size_t)(slash - port) - 4);
    if (world_find(&path, tpi_buf_text(&wanted), &err) != TP_OK) {
        result = command_fail(name, EXIT_FAILED, "%s", err.text);
    } else if (strpbrk(tpi_buf_text(&path), "\"\\\n") != NULL) {
        result =
            command_fail(name, EXIT_USAGE, "\"%s\" must not contain \" or \\", tpi_buf_text(&path));
    } else {
        char folder[4096] = ""; /* the configuration lies elsewhere */
        if (tpi_buf_text(&path)[0] != '/' && getcwd(folder, sizeof folder - 1) != NULL) {
            strcat(folder, "/");
        }
        tpi_buf_printf(out, "driver ( name \"sim\" worldfile \"%s%s\" provides \"all\" )\n", folder,
                       tpi_buf_text(&path));
    }
    tpi_buf_fini(&wanted);
    tpi_buf_fini(&path);
    return result;
}

/* Whether a device belongs to the robot: "pip", "pip.light_left". */
static bool belongs(const tp_device_stat *device, const char *robot)
{
    const size_t length = strlen(robot);

    return device->label_count > length && strncmp(device->label, robot, length) == 0 &&
           (device->label[length] == '\0' || device->label[length] == '.');
}

static bool is_used(const char *interface)
{
    unsigned i = 0;

    while (used[i] != NULL && strcmp(used[i], interface) != 0) {
        i++;
    }
    return used[i] != NULL;
}

/* The devices of the robot, from the server of the world. */
static int put_requires(tpi_buf *out, struct remote *remote, const char *robot)
{
    tp_statistics *all = remote_statistics(remote);
    unsigned bases = 0;
    tpi_nearest nearest;
    char hint[100] = "";

    if (all == NULL) {
        return EXIT_FAILED;
    }
    tpi_nearest_init(&nearest, robot);
    for (uint32_t i = 0; i < all->devices_count; i++) {
        const tp_device_stat *one = &all->devices[i];
        const tp_interface *interface = tp_catalogue_code(remote->catalogue, one->addr.interf);
        if (interface != NULL && strcmp(interface->name, "position2d") == 0 &&
            one->label_count > 1) {
            tpi_nearest_offer(&nearest, one->label);
        }
        if (interface == NULL || !is_used(interface->name) || !belongs(one, robot) ||
            (strcmp(interface->name, "position2d") == 0 && bases++ > 0)) {
            continue;
        }
        tpi_buf_printf(out, " \"%s:%u\"", interface->name, one->addr.index);
    }
    if (nearest.best != NULL) {
        (void)snprintf(hint, sizeof hint, "; did you mean \"%.60s\"?", nearest.best);
    }
    free(all);
    return bases > 0
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED,
                              "there is no robot \"%s\" that drives in this world%s", robot, hint);
}

int play_sim_configure(tpi_buf *out, const play_options *options)
{
    char path[] = "/tmp/troupe-play-XXXXXX";
    tpi_buf requires = {0};
    const char *robot = NULL;
    int result = put_world(out, options->port, &robot);

    if (result == EXIT_DONE && options->robot != NULL && strcmp(options->robot, "troupe") != 0) {
        result = command_fail(
            name, EXIT_USAGE,
            "a robot of a world is a robot \"troupe\", not \"%s\"; leave --on out", options->robot);
    }
    result = result == EXIT_DONE ? play_connect_file(options, path, out) : result;
    if (result == EXIT_DONE) {
        result = put_requires(&requires, options->remote, robot);
        tp_client_destroy(options->remote->client);
        options->remote->client = NULL;
    }
    tpi_buf_puts(out,
                 "driver ( name \"robotfile\" robot \"troupe\" port \"devices\"\n  requires [");
    tpi_buf_put(out, tpi_buf_text(&requires), requires.length);
    tpi_buf_puts(out, " ]\n");
    tpi_buf_fini(&requires);
    return result;
}
