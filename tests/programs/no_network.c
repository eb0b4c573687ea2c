/*
 * no_network.c - a robot program with the core and one plug-in, and no network: it makes the
 * devices of a configuration, opens the ranger and prints how far it is to the next thing ahead.
 *
 * argv: a configuration with one ranger.
 */
#include <stdio.h>

#include "troupe/interfaces/ranger.h"
#include "troupe/server.h"

static void ignore(void *context)
{
    (void)context;
}

static void opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                   const tp_error *err)
{
    (void)request;
    (void)device;
    if (status != TP_OK) {
        fprintf(stderr, "%s\n", err->text);
        *(bool *)context = true;
    }
}

/* Step until a scan has come; NULL if none will. */
static tp_msg *next_scan(tp_server *server, tp_session *session, const bool *failed)
{
    while (!*failed) {
        tp_msg *msg = tp_session_take(session);
        if (msg != NULL && tp_msg_header(msg)->subtype == TP_RANGER_DATA_RANGE) {
            return msg;
        }
        tp_msg_unref(msg);
        if (msg == NULL) {
            tp_server_step(server, true);
        }
    }
    return NULL;
}

static void print_scan(const tp_msg *scan)
{
    const tp_ranger_data_range *ranges = tp_msg_payload(scan);

    printf("%u ranges, %.3f m ahead\n", (unsigned)ranges->ranges_count,
           ranges->ranges[ranges->ranges_count / 2 - 1]);
}

static int look(tp_server *server)
{
    static const tp_session_limits limits = {.data = 10, .replies = 10, .requests = 10};
    static const tp_session_events events = {.ready = ignore, .lost = ignore};
    const tp_msghdr request = {0};
    tp_session *session = NULL;
    bool failed = false;
    tp_error err = {0};

    if (tp_session_create(&session, tp_server_hub(server), 6665, &limits, &events, &failed, &err) !=
        TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tp_session_open(session, tp_session_next_device(session, &(size_t){0}), TP_OPEN_MODE, &request,
                    opened);
    tp_msg *scan = next_scan(server, session, &failed);
    if (scan != NULL) {
        print_scan(scan);
        tp_msg_unref(scan);
    }
    tp_session_destroy(session);
    return scan != NULL ? 0 : 1;
}

int main(int argc, char **argv)
{
    const tp_server_options options = {.path = argc > 1 ? argv[1] : "no.cfg"};
    tp_server *server = NULL;
    tp_error err = {0};

    if (tp_server_create(&server, &options, &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tp_server_begin(server);
    const int result = look(server);
    tp_server_destroy(server);
    return result;
}
