/* record.c - prints every position that a robot sends, until Ctrl-C; none is left out unnoticed. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "troupe/client/position2d.h"

static tp_client *client;

/* A wait that is under way ends, also one that begins just now. */
static void on_interrupt(int number)
{
    (void)number;
    tp_client_interrupt(client);
}

int main(void)
{
    const tp_client_options options = {
        .size = sizeof options, .name = "record", .mode = TP_CLIENT_EVERYTHING};
    tp_proxy *base = NULL;
    const tp_msg *msg;
    tp_error err;

    if (tp_client_connect(&client, NULL, &options, &err) != TP_OK ||
        tp_position2d_open(client, 0, &base, &err) != TP_OK ||
        tp_proxy_set_queue(base, 1000, &err) != TP_OK) {
        fprintf(stderr, "record: %s\n", err.text);
        tp_client_destroy(client);
        return 1;
    }
    signal(SIGINT, on_interrupt);
    while ((msg = tp_proxy_next(base, TP_NEVER, &err)) != NULL) {
        if (tp_msg_header(msg)->subtype == TP_POSITION2D_DATA_STATE) {
            const tp_position2d_data *state = tp_msg_payload(msg);
            printf("%.3f %.3f %.3f\n", tp_msg_header(msg)->timestamp, state->pos.px, state->pos.py);
            fflush(stdout);
        }
    }
    fprintf(stderr, "record: %s; %" PRIu64 " messages, %" PRIu64 " missed\n", err.text,
            tp_proxy_received(base), tp_proxy_missed(base));
    signal(SIGINT, SIG_DFL);
    tp_client_destroy(client);
    return err.code == TP_E_INTERRUPTED ? 0 : 1;
}
