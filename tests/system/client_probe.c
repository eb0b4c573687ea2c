/* client_probe.c - what robot programs do, for scripts to watch: look, drive, find, stay, hang. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/client/all.h"

static tp_error err;

static int fail(void)
{
    printf("failed: %s\n", err.text);
    return 1;
}

/* Every device with its driver, and what the server is. */
static int look(tp_client *client)
{
    tp_client_device *devices = NULL;
    size_t count = 0;

    printf("%s, %s\n", tp_client_is_troupe(client) ? "troupe" : "player", tp_client_banner(client));
    if (tp_client_list(client, &devices, &count, &err) != TP_OK) {
        return fail();
    }
    for (size_t i = 0; i < count; i++) {
        printf("%s %s\n", devices[i].name, devices[i].driver);
    }
    free(devices);
    return 0;
}

/* Ahead for a hand's breadth, as odometry sees it. */
static int drive(tp_client *client)
{
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 1}, .state = 1};
    const tp_position2d_geom *geometry = NULL;
    const tp_position2d_data *place = NULL;
    tp_proxy *base = NULL;

    if (tp_position2d_open(client, 0, &base, &err) != TP_OK ||
        tp_position2d_request_get_geom(base, &geometry, &err) != TP_OK) {
        return fail();
    }
    printf("length %g\n", geometry->size.sl);
    place = tp_position2d_wait_state(base, 0, &err);
    const double start = place != NULL ? place->pos.px : 0;
    while (place != NULL && place->pos.px < start + 0.1) {
        if (tp_position2d_command_vel(base, &ahead, &err) != TP_OK) {
            return fail();
        }
        place = tp_position2d_wait_state(base, 0, &err);
    }
    puts(place != NULL ? "moved" : err.text);
    return place == NULL;
}

static int find(tp_client *client, const char *interface, const char *wanted)
{
    char *value = NULL;
    tp_proxy *proxy = NULL;

    if (tp_client_find(client, interface, wanted, TP_OPEN_MODE, &proxy, &err) != TP_OK) {
        return fail();
    }
    printf("found %s\n", tp_proxy_name(proxy));
    if (tp_proxy_set_property(proxy, "noise", "0.25", &err) != TP_OK ||
        tp_proxy_get_property(proxy, "noise", &value, &err) != TP_OK) {
        return fail();
    }
    printf("noise %s\n", value);
    free(value);
    return 0;
}

static void on_changed(void *context, tp_client *client, const char *why)
{
    (void)context;
    (void)client;
    puts(why == NULL ? "made" : "lost");
}

/* One reading of each connection, until there was one of the second. */
static int stay(tp_client *client)
{
    tp_proxy *base = NULL;
    const void *seen = NULL;

    if (tp_position2d_open(client, 0, &base, &err) != TP_OK) {
        return fail();
    }
    seen = tp_position2d_wait_state(base, 0, &err);
    puts(seen != NULL ? "data" : err.text);
    while (tp_client_is_connected(client)) {
        tp_client_read(client, 0, NULL);
    }
    const uint64_t before = tp_proxy_received(base);
    while (tp_proxy_received(base) == before) {
        tp_client_read(client, 0, NULL);
    }
    puts("data");
    return 0;
}

/* ---- Hanging --------------------------------------------------------------------------------- */

enum { ENOUGH = 150 }; /* messages of a robot that moves: three seconds */

static unsigned moving;

/* Called by the thread that runs the client; the rest of the program hangs. */
static void watch(tp_proxy *base, const tp_msg *msg)
{
    if (tp_msg_header(msg)->subtype != TP_POSITION2D_DATA_STATE) {
        return;
    }
    const tp_position2d_data *state = tp_msg_payload(msg);
    moving += state->vel.px > 0.1;
    if ((moving > 0 && state->vel.px < 0.1) || moving == ENOUGH) {
        puts(moving == ENOUGH ? "still moving" : "stopped");
        tp_client_stop(tp_proxy_client(base));
    }
}

static void *run(void *client)
{
    tp_client_run(client);
    return NULL;
}

/* One command, then the client runs in a thread, and the program makes no more calls. */
static int hang(tp_client *client)
{
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 0.5}, .state = 1};
    tp_proxy *base = NULL;
    pthread_t thread;

    if (tp_position2d_open(client, 0, &base, &err) != TP_OK ||
        tp_position2d_command_vel(base, &ahead, &err) != TP_OK) {
        return fail();
    }
    tp_proxy_on_data(base, watch);
    if (pthread_create(&thread, NULL, run, client) != 0) {
        return 1;
    }
    pthread_join(thread, NULL);
    return 0;
}

static void ignore(int number)
{
    (void)number;
}

/* For something that never comes. */
static int wait_for_nothing(tp_client *client)
{
    const struct sigaction action = {.sa_handler = ignore};

    sigaction(SIGINT, &action, NULL);
    puts("waiting");
    puts(tp_status_name(tp_client_read(client, TP_NEVER, &err)));
    return 0;
}

int main(int argc, char **argv)
{
    const bool loop = argc > 3 && strcmp(argv[3], "loop") == 0;
    const tp_client_options options = {.size = sizeof options,
                                       .name = "probe",
                                       .changed = on_changed,
                                       .renewal = loop ? TP_RENEW_LOOP : TP_RENEW_AUTO};
    tp_client *client = NULL;
    int result = 2;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3 || tp_client_connect(&client, argv[2], &options, &err) != TP_OK) {
        return fail();
    }
    if (strcmp(argv[1], "look") == 0) {
        result = look(client);
    } else if (strcmp(argv[1], "drive") == 0) {
        result = drive(client);
    } else if (strcmp(argv[1], "find") == 0 && argc == 5) {
        result = find(client, argv[3], argv[4]);
    } else if (strcmp(argv[1], "stay") == 0) {
        result = stay(client);
    } else if (strcmp(argv[1], "hang") == 0) {
        result = hang(client);
    } else if (strcmp(argv[1], "wait") == 0) {
        result = wait_for_nothing(client);
    }
    tp_client_destroy(client);
    return result;
}
