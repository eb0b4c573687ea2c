/* inproc_probe.c - a program with a server of its own, which commands a base when a script says so.
 */
#include <stdio.h>

#include "troupe/client/position2d.h"
#include "troupe/server.h"

int main(int argc, char **argv)
{
    const tp_client_options options = {.size = sizeof options, .kit = &tp_full_kit};
    const tp_position2d_cmd_vel ahead = {.vel = {.px = 0.5}, .state = 1};
    tp_client *client = NULL;
    tp_proxy *base = NULL;
    tp_error err = {.text = "usage: inproc_probe inproc:FILE"};
    char line[80];
    bool good = argc == 2 && tp_client_connect(&client, argv[1], &options, &err) == TP_OK &&
                tp_position2d_open(client, 0, &base, &err) == TP_OK;

    setvbuf(stdout, NULL, _IOLBF, 0);
    puts(good ? "open" : err.text);
    if (good && fgets(line, sizeof line, stdin) != NULL) {
        for (int i = 0; i < 3; i++) {
            (void)tp_position2d_command_vel(base, &ahead, &err);
        }
        puts("sent");
    }
    tp_client_destroy(client);
    return good ? 0 : 1;
}
