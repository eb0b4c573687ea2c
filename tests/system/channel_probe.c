/* channel_probe.c - a program that talks on channels: answers `count` calls of "plan" on "crew". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "troupe/universal.h"

static tp_error err;

static int answer(tp_universal *robot, int count)
{
    char reply[128];

    if (tp_universal_listen(robot, "plan", &err) != TP_OK) {
        return 1;
    }
    puts("listens");
    for (int i = 0; i < count; i++) {
        const char *text = NULL;
        size_t length = 0;
        if (tp_universal_hear(robot, "plan", 60 * TP_NS_PER_S, &text, &length, &err) != TP_OK) {
            return 1;
        }
        printf("heard %.*s\n", (int)length, text);
        snprintf(reply, sizeof reply, "done %.*s", (int)(length < 64 ? length : 64), text);
        if (tp_universal_say(robot, "crew", reply, strlen(reply), &err) != TP_OK) {
            return 1;
        }
    }
    return 0;
}

/* argv: the server, how many calls. */
int main(int argc, char **argv)
{
    const tp_client_options options = {.mode = TP_CLIENT_EVERYTHING};
    tp_client *client = NULL;
    tp_universal *robot = NULL;
    int result = 1;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 3 && tp_client_connect(&client, argv[1], &options, &err) == TP_OK &&
        tp_universal_create(&robot, client, NULL, NULL, &err) == TP_OK) {
        result = answer(robot, atoi(argv[2]));
    }
    if (result != 0) {
        printf("failed: %s\n", err.text);
    }
    tp_universal_destroy(robot);
    tp_client_destroy(client);
    return result;
}
