/* play_host.c - carries out what a program asks for. */
#include "play_host.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "play/bind.h"
#include "play/show.h"

static const char name[] = PLAY_NAME;

int play_host_begin(play_host *host)
{
    const tpi_play_memory memory = {host->cells, PLAY_CELLS, host->frames,   PLAY_FRAMES,
                                    host->slots, PLAY_SLOTS, PLAY_SLOT_SIZE, host->constants};
    const uint8_t *image = (const uint8_t *)host->program->image.data;
    tp_error err = {0};

    host->mailboxes = calloc(host->program->channel_count + 1, sizeof *host->mailboxes);
    if (host->mailboxes == NULL) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    if (tpi_play_verify(image, host->program->image.length, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    return tpi_play_init(&host->machine, image, &memory, host->options->seed)
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "the program does not fit the machine");
}

void play_host_fini(play_host *host)
{
    free(host->mailboxes);
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

/* A command without a declared device: its first line says which part it uses. */
static int match_default(play_host *host, tpi_command wanted)
{
    const tpi_entry *entry = tpi_dictionary_entry(wanted);
    char *text = NULL;
    tp_error err = {0};

    if (tp_universal_explain(host->robot, entry->code, tp_universal_default, &text, &err) !=
        TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s: %s", entry->name, err.text);
    }
    printf("%s: %.*s\n", entry->name, (int)strcspn(text, "\n"), text);
    free(text);
    return EXIT_DONE;
}

int play_host_match(play_host *host)
{
    int result = EXIT_DONE;

    for (unsigned i = 0; i < host->program->device_count && result == EXIT_DONE; i++) {
        result = match_device(host, i);
    }
    for (unsigned i = 0; i < TPI_COMMANDS && result == EXIT_DONE; i++) {
        const tpi_entry *entry = tpi_dictionary_entry((tpi_command)i);
        if (entry->has_port && i != TPI_STOP && entry->sort != TPI_SORT_CHANNEL &&
            tpi_play_uses_default(host->program, (tpi_command)i)) {
            result = match_default(host, (tpi_command)i);
        }
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
        tpi_play_put_cell(&line, &host->machine, &request->row[i]);
    }
    output_put_clean(&clean, tpi_buf_text(&line), line.length); /* messages are from elsewhere */
    printf("%s\n", tpi_buf_text(&clean));
    fflush(stdout);
    tpi_buf_fini(&line);
    tpi_buf_fini(&clean);
}

static void log_row(const play_host *host, const tpi_play_request *request)
{
    tpi_buf line = {0};

    if (host->log == NULL) {
        return;
    }
    tpi_play_put_cell(&line, &host->machine, &request->row[0]);
    tpi_buf_putc(&line, ',');
    if (request->row[1].tag == TPI_PLAY_TEXT) {
        tpi_buf text = {0};
        tpi_play_put_cell(&text, &host->machine, &request->row[1]);
        tpi_buf_putc(&line, '"');
        for (size_t i = 0; i < text.length; i++) {
            tpi_buf_puts(&line, text.data[i] == '"' ? "\"" : "");
            tpi_buf_putc(&line, text.data[i]);
        }
        tpi_buf_putc(&line, '"');
        tpi_buf_fini(&text);
    } else {
        tpi_play_put_cell(&line, &host->machine, &request->row[1]);
    }
    fprintf(host->log, "%ld.%03ld,%s\n", (long)(host->machine.now_ms / 1000),
            (long)(host->machine.now_ms % 1000), tpi_buf_text(&line));
    fflush(host->log);
    tpi_buf_fini(&line);
}

/* ---- Channels -------------------------------------------------------------------------------- */

/* A full channel loses its oldest message. */
static void post(play_host *host, play_mailbox *box, const tpi_play_cell *cell)
{
    tpi_buf text = {0};

    tpi_play_put_cell(&text, &host->machine, cell);
    if (box->count == PLAY_MOST_MAIL) {
        memmove(&box->mail[0], &box->mail[1], sizeof box->mail - sizeof box->mail[0]);
        box->count--;
    }
    const size_t length = text.length < PLAY_SLOT_SIZE ? text.length : PLAY_SLOT_SIZE - 1;
    box->mail[box->count].length = (uint8_t)length;
    memcpy(box->mail[box->count++].text, tpi_buf_text(&text), length);
    tpi_buf_fini(&text);
}

static void fetch(play_host *host, play_mailbox *box, tpi_play_cell *cell)
{
    if (box->count == 0) {
        tpi_play_put_text(&host->machine, cell, "", 0);
        return;
    }
    tpi_play_put_text(&host->machine, cell, box->mail[0].text, box->mail[0].length);
    memmove(&box->mail[0], &box->mail[1], sizeof box->mail - sizeof box->mail[0]);
    box->count--;
}

static void serve_channel(play_host *host, tpi_command wanted, const tpi_play_request *request)
{
    play_mailbox *box = &host->mailboxes[request->device < host->program->channel_count
                                             ? request->device
                                             : host->program->channel_count];

    if (wanted == TPI_WRITE_MESSAGE && request->values > 0) {
        post(host, box, &request->row[0]);
    } else if (wanted == TPI_READ_MESSAGE && request->results > 0) {
        fetch(host, box, &request->row[0]);
    } else if (request->results > 0) {
        request->row[0].as.i = (int32_t)box->count;
        request->row[0].tag = TPI_PLAY_INT;
    }
}

/* ---- Commands of the robot ------------------------------------------------------------------- */

/* A value for the robot. True is 100 where percent are expected. */
static void give(const play_host *host, tp_universal_datum *out, const tpi_entry_value *value,
                 const tpi_play_cell *cell, tpi_buf *room)
{
    if (tpi_kind_is_text(value->kind)) {
        tpi_buf_clear(room);
        tpi_play_put_cell(room, &host->machine, cell);
        out->text = tpi_buf_text(room);
        out->length = room->length;
        return;
    }
    out->number = tpi_play_cell_number(cell);
    if (cell->tag == TPI_PLAY_BOOL && value->high >= 100.0) {
        out->number *= 100;
    }
}

static void take(play_host *host, tpi_play_cell *cell, const tpi_entry_value *value,
                 const tp_universal_datum *datum)
{
    if (tpi_kind_is_text(value->kind)) {
        const size_t most = PLAY_SLOT_SIZE - 1;
        tpi_play_put_text(&host->machine, cell, datum->text != NULL ? datum->text : "",
                          (uint8_t)(datum->length < most ? datum->length : most));
    } else if (value->kind == TPI_KIND_DOUBLE) {
        cell->as.f = tpi_play_canonical((float)datum->number);
        cell->tag = TPI_PLAY_FLOAT;
    } else if (value->kind == TPI_KIND_BOOL) {
        cell->as.i = datum->number != 0;
        cell->tag = TPI_PLAY_BOOL;
    } else {
        cell->as.i = tpi_play_round((float)datum->number);
        if (datum->number > -2147483648.0 && datum->number < 2147483647.0) {
            cell->as.i = (int32_t)(datum->number + (datum->number < 0 ? -0.5 : 0.5));
        }
        cell->tag = TPI_PLAY_INT;
    }
}

static void print_trace(const tpi_entry *entry, const char *trace)
{
    tpi_buf clean = {0};

    output_put_lines(&clean, trace);
    printf("%s\n%s", entry->name, tpi_buf_text(&clean));
    fflush(stdout);
    tpi_buf_fini(&clean);
}

static tp_status serve_robot(play_host *host, tpi_command wanted, tp_error *err)
{
    const tpi_play_request *request = &host->machine.request;
    const tpi_entry *entry = tpi_dictionary_entry(wanted);
    tp_universal_call call = {.command = entry->code,
                              .port = request->device != TPI_PLAY_NO_DEVICE
                                          ? host->ports[request->device]
                                          : tp_universal_default,
                              .trace = host->options->trace};
    tp_universal_result result = {0};
    tpi_buf rooms[TP_UNIVERSAL_MOST_VALUES] = {{0}};

    for (; call.count < request->values && call.count < tpi_entry_value_count(entry->values);
         call.count++) {
        give(host, &call.values[call.count], &entry->values[call.count], &request->row[call.count],
             &rooms[call.count]);
    }
    const tp_status status = tp_universal_run(host->robot, &call, &result, err);
    if (host->options->trace) {
        print_trace(entry, result.trace != NULL ? result.trace : "");
    }
    for (unsigned i = 0; status == TP_OK && i < request->results && i < result.count; i++) {
        take(host, &request->row[i], &entry->results[i], &result.values[i]);
    }
    for (unsigned i = 0; i < TP_UNIVERSAL_MOST_VALUES; i++) {
        tpi_buf_fini(&rooms[i]);
    }
    return status;
}

tp_status play_host_serve(play_host *host, tp_error *err)
{
    const tpi_play_request *request = &host->machine.request;
    tpi_command wanted = tpi_dictionary_code(request->code);
    tp_status status = TP_OK;

    if (request->code == TPI_PLAY_PRINT_CODE) {
        print_row(host, request);
    } else if (request->code == TPI_PLAY_LOG_CODE) {
        log_row(host, request);
    } else if (wanted >= TPI_COMMANDS) {
        status = tp_fail(err, TP_E_UNSUPPORTED, "there is no wanted %04X", request->code);
    } else if (tpi_dictionary_entry(wanted)->sort == TPI_SORT_CHANNEL) {
        serve_channel(host, wanted, request);
    } else {
        const bool is_text = request->values > 0 && request->row[0].tag == TPI_PLAY_TEXT;
        wanted = wanted == TPI_DISPLAY_VALUE && is_text ? TPI_DISPLAY_STRING : wanted;
        status = serve_robot(host, wanted, err);
    }
    if (status == TP_OK) {
        tpi_play_answer(&host->machine);
    }
    return status;
}
