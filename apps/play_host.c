/* play_host.c - carries out what a program asks for. */
#include "play_run.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "play/bind.h"
#include "play/show.h"

static const char name[] = PLAY_NAME;

int play_host_begin(play_host *host)
{
    tp_error err = {0};

    host->channels = tpi_channels_create();
    for (unsigned i = 0; host->channels != NULL && i < host->program->channel_count; i++) {
        const char *channel = host->program->channels[i].text;
        if (!tpi_channels_open(host->channels, i, channel, strlen(channel))) {
            return command_fail(name, EXIT_FAILED, "\"%s\" is no name of a channel: 1 to %d bytes",
                                channel, TPI_CHANNEL_NAME - 1);
        }
    }
    if (host->channels == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    return tpi_play_runner_begin(&host->runner, host->program, host->options->seed, &err) == TP_OK
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s", err.text);
}

void play_host_fini(play_host *host)
{
    tpi_play_order_fini(&host->order);
    memset(&host->order, 0, sizeof host->order);
    tpi_channels_destroy(host->channels);
    host->channels = NULL;
}

/* ---- Matching -------------------------------------------------------------------------------- */

static int match_device(play_host *host, unsigned index)
{
    const tpi_play_device *device = &host->program->devices[index];
    const unsigned code =
        device->command < TPI_COMMANDS ? tpi_dictionary_entry(device->command)->code : 0;
    tp_universal_device_info info = {0};
    tp_error err = {0};

    if (tp_universal_register(host->robot, device->classes, device->number, code,
                              &host->ports[index], &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", device->name, err.text);
    }
    tp_universal_info(host->robot, host->ports[index], &info);
    printf("%s: %s\n", device->name, tp_universal_explanation(host->robot, host->ports[index]));
    if (!host->options->is_loose &&
        tpi_play_lacks_unit(device, host->vocabulary,
                            tp_universal_explanation(host->robot, host->ports[index]),
                            info.is_percent_only)) {
        return command_fail(name, EXIT_FAILED,
                            "%s has no unit on this robot, but the program compares it with one; "
                            "--loose allows it",
                            device->name);
    }
    return EXIT_DONE;
}

/* A command of the program: the robot says how it would do it, or why it cannot. */
static int match_use(play_host *host, const tpi_play_use_of *use)
{
    const tpi_entry *entry = tpi_dictionary_entry(use->command);
    const tp_universal_port port =
        use->device >= 0 ? host->ports[use->device] : tp_universal_default;
    char *text = NULL;
    tp_error err = {0};

    if (tp_universal_explain(host->robot, entry->code, port, &text, &err) != TP_OK) {
        return use->device < 0
                   ? command_fail(name, EXIT_FAILED, "%s%s%s",
                                  strstr(err.text, entry->name) != NULL ? "" : entry->name,
                                  strstr(err.text, entry->name) != NULL ? "" : ": ", err.text)
                   : command_fail(name, EXIT_FAILED, "%s cannot do %s: %s",
                                  host->program->devices[use->device].name, entry->name, err.text);
    }
    if (use->device < 0 && host->options->path != NULL) { /* its first line names the part */
        printf("%s: %.*s\n", entry->name, (int)strcspn(text, "\n"), text);
    }
    free(text);
    return EXIT_DONE;
}

/* Whether the use was there before. */
static bool is_repeated(const tpi_play_program *program, unsigned at, const tpi_play_use_of *use)
{
    tpi_play_use_of other;

    for (unsigned before = 0; tpi_play_next_use(program, &before, &other) && before < at;) {
        if (other.command == use->command && other.device == use->device) {
            return true;
        }
    }
    return false;
}

int play_host_match(play_host *host)
{
    tpi_play_use_of use;
    int result = EXIT_DONE;

    /* Those of earlier lines are registered already. */
    for (unsigned i = tp_universal_registered(host->robot);
         i < host->program->device_count && result == EXIT_DONE; i++) {
        result = match_device(host, i);
    }
    for (unsigned at = 0; result == EXIT_DONE && tpi_play_next_use(host->program, &at, &use);) {
        result = is_repeated(host->program, at, &use) ? EXIT_DONE : match_use(host, &use);
    }
    fflush(stdout);
    return result;
}

/* ---- The machine's own commands -------------------------------------------------------------- */

static void print_row(const play_host *host, const tpi_play_request *request)
{
    tpi_buf line = {0}, clean = {0};

    for (unsigned i = 0; i < request->values; i++) {
        tpi_buf_puts(&line, i > 0 ? " " : "");
        tpi_play_put_cell(&line, &host->runner.machine, &request->row[i]);
    }
    output_put_clean(&clean, tpi_buf_text(&line), line.length); /* messages are from elsewhere */
    printf("%s\n", tpi_buf_text(&clean));
    fflush(stdout);
    tpi_buf_fini(&line);
    tpi_buf_fini(&clean);
}

/* ---- Commands of the robot ------------------------------------------------------------------- */

static void print_trace(const tpi_entry *entry, const char *trace)
{
    tpi_buf clean = {0};

    output_put_lines(&clean, trace);
    printf("%s\n%s", entry->name, tpi_buf_text(&clean));
    fflush(stdout);
    tpi_buf_fini(&clean);
}

static tp_status serve_robot(play_host *host, tp_error *err)
{
    tpi_play_order *order = &host->order;
    tp_status status = tpi_play_order_read(order, &host->runner, err);

    if (status != TP_OK) {
        return status;
    }
    const tpi_entry *entry = tpi_dictionary_entry(order->command);
    tp_universal_call call = {.command = entry->code,
                              .port = order->device >= 0 ? host->ports[order->device]
                                                         : tp_universal_default,
                              .count = order->count,
                              .trace = host->options->trace};
    tp_universal_result result = {0};
    tpi_value results[TPI_MOST_RESULTS] = {{0}};

    for (unsigned i = 0; i < order->count; i++) {
        call.values[i] = (tp_universal_datum){order->values[i].number, order->values[i].text,
                                              order->values[i].length};
    }
    status = tp_universal_run(host->robot, &call, &result, err);
    if (host->options->trace) {
        print_trace(entry, result.trace != NULL ? result.trace : "");
    }
    for (unsigned i = 0; i < result.count; i++) {
        results[i] = (tpi_value){result.values[i].number, result.values[i].text,
                                 (uint32_t)result.values[i].length};
    }
    if (status == TP_OK) {
        tpi_play_order_done(&host->runner, order, results, result.count);
    }
    return status;
}

tp_status play_host_serve(play_host *host, tp_error *err)
{
    const tpi_play_request *request = &host->runner.machine.request;
    const tpi_command wanted = tpi_dictionary_code(request->code);

    if (request->code == TPI_PLAY_PRINT_CODE) {
        print_row(host, request);
    } else if (request->code == TPI_PLAY_LOG_CODE) {
        if (host->log != NULL) {
            play_log_row(host->log, &host->runner.machine, request);
        }
    } else if (wanted < TPI_COMMANDS && tpi_dictionary_entry(wanted)->sort == TPI_SORT_CHANNEL) {
        const tp_status status = play_channels_serve(host, err);
        if (status != TP_OK) {
            return status;
        }
    } else {
        return serve_robot(host, err);
    }
    tpi_play_answer(&host->runner.machine);
    return TP_OK;
}
