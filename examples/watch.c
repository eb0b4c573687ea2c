/* watch.c - a client in the program's own poll(): each line of standard input prints where the
 * robot is; the end of standard input ends the program. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "troupe/client/position2d.h"

static void print_place(const tp_proxy *base)
{
    const tp_position2d_data *state = tp_position2d_latest_state(base);

    if (state != NULL) {
        printf("%.2f %.2f\n", state->pos.px, state->pos.py);
    } else {
        puts("not known yet");
    }
    fflush(stdout);
}

int main(void)
{
    tp_client *client = NULL;
    tp_proxy *base = NULL;
    tp_error err;
    ssize_t length = 1;

    if (tp_client_connect(&client, NULL, NULL, &err) != TP_OK ||
        tp_position2d_open(client, 0, &base, &err) != TP_OK) {
        fprintf(stderr, "watch: %s\n", err.text);
        tp_client_destroy(client);
        return 1;
    }
    struct pollfd fds[] = {{.fd = tp_client_fd(client), .events = POLLIN},
                           {.fd = STDIN_FILENO, .events = POLLIN}};
    while (length > 0) {
        poll(fds, 2, tp_client_poll_ms(client));
        tp_client_process(client);
        if (fds[1].revents != 0) {
            char line[256];
            length = read(STDIN_FILENO, line, sizeof line);
            if (length > 0) {
                print_place(base);
            }
        }
    }
    tp_client_destroy(client);
    return 0;
}
