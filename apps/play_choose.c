/*
 * play_choose.c - which robot of a server plays: the one that the URL names, "host/universal:1", or
 * the only one that there is. Of several ones none is taken: the wrong one would move.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "play_run.h"
#include "troupe/interfaces/universal.h"

static const char name[] = PLAY_NAME;

void play_choose_from_url(const play_options *options, play_choice *choice)
{
    const char *url = options->remote->url;
    const char *slash = url != NULL ? strrchr(url, '/') : NULL;
    unsigned index;
    char end;

    if (slash != NULL && sscanf(slash, "/universal:%u%c", &index, &end) == 1) {
        (void)snprintf(choice->device, sizeof choice->device, "%s", slash + 1);
        (void)snprintf(choice->server, sizeof choice->server, "%.*s", (int)(slash - url), url);
        options->remote->url = choice->server;
    }
}

/* Append what a robot calls itself, on a line of its own. */
static void put_title(tpi_buf *out, tp_client *client, const char *device)
{
    tp_universal *robot = NULL;
    tpi_buf clean = {0};

    if (tp_universal_create(&robot, client, device, NULL, NULL) == TP_OK) {
        output_put_clean(&clean, tp_universal_title(robot), strlen(tp_universal_title(robot)));
    }
    tpi_buf_printf(out, "  %s  %s\n", device, tpi_buf_text(&clean));
    tpi_buf_fini(&clean);
    tp_universal_destroy(robot);
}

int play_choose(const play_options *options, tp_client *client, play_choice *choice)
{
    tp_client_device *devices = NULL;
    tp_error err = {0};
    tpi_buf list = {0};
    size_t count = 0;
    unsigned found = 0;
    int result = EXIT_DONE;

    if (options->port != NULL || choice->device[0] != '\0') {
        return EXIT_DONE;
    }
    if (tp_client_list(client, &devices, &count, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    for (size_t i = 0; i < count; i++) {
        if (devices[i].addr.interf == TP_UNIVERSAL_CODE) {
            (void)snprintf(choice->device, sizeof choice->device, "universal:%u",
                           (unsigned)devices[i].addr.index);
            put_title(&list, client, choice->device);
            found++;
        }
    }
    free(devices);
    if (found > 1) {
        fflush(stdout);
        fputs(tpi_buf_text(&list), stderr);
        result = command_fail(name, EXIT_USAGE,
                              "%s has %u robots; say which one: --url %s/%s, for instance",
                              tp_client_url(client), found, tp_client_url(client), choice->device);
    }
    tpi_buf_fini(&list);
    return result;
}
