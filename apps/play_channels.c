/*
 * play_channels.c - channels of a program: mailboxes of the server that it plays on, or of
 * --channels.
 *
 * A blackboard carries the messages (universal/channels.h). A program without one talks to itself.
 */
#include <string.h>

#include "called.h"
#include "output.h"
#include "play/show.h"
#include "play_run.h"
#include "troupe/client/blackboard.h"
#include "troupe/server.h"

static const char name[] = PLAY_NAME;

static void on_data(tp_proxy *proxy, const tp_msg *msg)
{
    const play_host *host = tp_proxy_context(proxy);

    if (host->channels != NULL && tp_msg_header(msg)->subtype == TP_BLACKBOARD_DATA_UPDATE) {
        tpi_channels_take_entry(host->channels, tp_msg_payload(msg));
    }
}

/* The server of --channels, on the loop of the robot's client. */
static int connect_other(play_host *host, tp_client *client)
{
    const struct remote *remote = host->options->remote;
    const tp_client_options options = {.program = called_program(),
                                       .name = "troupe play, channels",
                                       .timeout_ns = remote->timeout_ns,
                                       .loop = tp_client_loop(client),
                                       .mode = TP_CLIENT_EVERYTHING,
                                       .catalogue = remote->catalogue,
                                       .key = remote->key,
                                       .key_file = remote->key_file};
    tp_error err = {0};

    return tp_client_connect(&host->crier, host->options->channels, &options, &err) == TP_OK
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "--channels: %s", err.text);
}

int play_channels_open(play_host *host, tp_client *client)
{
    const bool is_asked = host->options->channels != NULL;
    tp_error err = {0};
    int result = is_asked ? connect_other(host, client) : EXIT_DONE;

    if (result != EXIT_DONE || (!is_asked && host->options->port != NULL)) {
        return result;
    }
    if (tp_blackboard_open(is_asked ? host->crier : client, 0, &host->board, &err) != TP_OK) {
        host->board = NULL;
        return is_asked ? command_fail(name, EXIT_FAILED,
                                       "--channels: %s; the server needs driver ( name \"localbb\" "
                                       "provides [ \"blackboard:0\" ] )",
                                       err.text)
                        : EXIT_DONE;
    }
    tp_proxy_set_context(host->board, host);
    tp_proxy_on_data(host->board, on_data);
    return EXIT_DONE;
}

void play_channels_close(play_host *host)
{
    tp_proxy_close(host->board);
    tp_client_destroy(host->crier);
    host->board = NULL;
    host->crier = NULL;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status post(play_host *host, const char *channel, const char *text, size_t length,
                      tp_error *err)
{
    tpi_channel_entry room;
    const tp_blackboard_entry *entry = tpi_channel_fill(&room, channel, text, length);

    if (host->board == NULL || entry == NULL) {
        tpi_channels_take(host->channels, channel, strlen(channel), text, length);
        return TP_OK;
    }
    return tp_blackboard_request_set_entry(host->board, entry, err);
}

bool play_channels_is_empty(const play_host *host)
{
    const tpi_play_request *request = &host->runner.machine.request;
    const tpi_command wanted = tpi_dictionary_code(request->code);

    return (wanted == TPI_READ_MESSAGE || wanted == TPI_CHECK_STATUS) &&
           tpi_channels_waiting(host->channels, request->device) <= 0;
}

tp_status play_channels_serve(play_host *host, tp_error *err)
{
    tpi_play_machine *machine = &host->runner.machine;
    const tpi_play_request *request = &machine->request;
    const tpi_command wanted = tpi_dictionary_code(request->code);
    const char *channel = tpi_channels_name(host->channels, request->device);
    tp_status status = TP_OK;
    size_t length = 0;

    if (wanted == TPI_WRITE_MESSAGE && request->values > 0 && channel != NULL) {
        tpi_buf text = {0};
        tpi_play_put_cell(&text, machine, &request->row[0]);
        length = text.length < TPI_PLAY_SLOT_SIZE ? text.length : TPI_PLAY_SLOT_SIZE - 1;
        status = post(host, channel, tpi_buf_text(&text), length, err);
        tpi_buf_fini(&text);
    } else if (wanted == TPI_READ_MESSAGE && request->results > 0) {
        const char *text = tpi_channels_read(host->channels, request->device, &length);
        length = length < TPI_PLAY_SLOT_SIZE ? length : TPI_PLAY_SLOT_SIZE - 1;
        tpi_play_put_text(machine, &request->row[0], text, (uint8_t)length);
    } else if (request->results > 0) {
        request->row[0].as.i = tpi_channels_waiting(host->channels, request->device);
        request->row[0].tag = TPI_PLAY_INT;
    }
    return status;
}
