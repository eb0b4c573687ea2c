/* host.c - the host side: questions and answers; see host.h. */
#include "sensors/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sensors/host_inside.h"

static const int64_t SILENCE_NS = 20 * 1000 * 1000; /* ends an answer without a line feed */
static const int64_t PAUSE_NS = 100 * 1000 * 1000; /* a manifest that is whole so far may make it */

/* What a sensor is tried with that nothing is known of. */
static uint8_t first_sums(const tpi_sensor_host *host)
{
    return host->options.plain    ? TPI_SUMS_NO
           : host->options.verify ? TPI_SUMS_TRY_NUMBERS
                                  : TPI_SUMS_UNKNOWN;
}

tpi_sensor_host *tpi_sensor_host_create(const tpi_sensor_host_hooks *hooks,
                                        const tpi_sensor_host_options *options)
{
    tpi_sensor_host *host = calloc(1, sizeof *host);

    if (host == NULL) {
        return NULL;
    }
    host->hooks = *hooks;
    if (options != NULL) {
        host->options = *options;
    }
    host->options.try_ns = host->options.try_ns > 0 ? host->options.try_ns : 300 * 1000 * 1000;
    host->options.tries = host->options.tries > 0 ? host->options.tries : 3;
    host->sums = first_sums(host);
    return host;
}

void tpi_sensor_host_destroy(tpi_sensor_host *host)
{
    if (host != NULL) {
        tpi_buf_fini(&host->text);
        tpi_buf_fini(&host->before);
        free(host);
    }
}

void tpi_sensor_host_set_patience(tpi_sensor_host *host, int64_t try_ns, unsigned tries)
{
    host->options.try_ns = try_ns;
    host->options.tries = tries;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

void tpi_sensor_host_send(tpi_sensor_host *host, int64_t now_ns)
{
    char bytes[TPI_HOST_COMMAND + 16];
    const size_t length = tpi_sensor_host_wrap(host, bytes, sizeof bytes);

    host->asked_ns = now_ns;
    if (host->is_manifest || host->heard_ns == 0 || now_ns - host->heard_ns >= SILENCE_NS) {
        host->heard_ns = 0;
        host->length = 0; /* otherwise a line of data may be on its way */
    }
    host->skips = false;
    host->hooks.write(host->hooks.context, bytes, length);
}

static void begin(tpi_sensor_host *host, const char *command, int64_t now_ns)
{
    snprintf(host->command, sizeof host->command, "%.110s", command);
    host->state = TPI_HOST_BUSY;
    host->tried = 1;
    tpi_sensor_host_renumber(host);
    tpi_buf_clear(&host->text);
    tpi_buf_clear(&host->before);
    tpi_sensor_host_send(host, now_ns);
}

void tpi_sensor_host_ask(tpi_sensor_host *host, const char *command, int64_t now_ns)
{
    host->is_manifest = host->by_chunks = false;
    begin(host, command, now_ns);
}

void tpi_sensor_host_manifest(tpi_sensor_host *host, int64_t now_ns)
{
    host->is_manifest = true;
    host->sums = first_sums(host); /* it may be another sensor */
    host->by_chunks = host->options.verify && host->sums != TPI_SUMS_NO;
    host->chunk = 1;
    begin(host, host->by_chunks ? "X,1" : "X", now_ns);
}

void tpi_sensor_host_manifest_on(tpi_sensor_host *host, int64_t now_ns)
{
    if (!host->is_manifest || host->state != TPI_HOST_SILENT || !host->by_chunks ||
        host->text.length > TPI_HOST_MANIFEST) {
        tpi_sensor_host_manifest(host, now_ns);
        return;
    }
    host->state = TPI_HOST_BUSY;
    host->tried = 1;
    tpi_sensor_host_send(host, now_ns);
}

/* The > ends a half-written command, in which + would stand for nothing. */
void tpi_sensor_host_clear(tpi_sensor_host *host)
{
    static const char bytes[] = ">+++>+++>+++>+++";

    host->hooks.write(host->hooks.context, bytes, host->options.verify ? sizeof bytes - 1 : 4);
}

bool tpi_sensor_host_is_once(const tpi_sensor_host *host)
{
    return host->sums == TPI_SUMS_NUMBERS;
}

/* A manifest that begins to come is asked for by its chunks from there on. */
void tpi_sensor_host_again(tpi_sensor_host *host, int64_t now_ns)
{
    if (host->tried >= host->options.tries) {
        host->state = TPI_HOST_SILENT;
        return;
    }
    host->tried++;
    host->repeats++;
    if (host->is_manifest && host->heard_ns != 0 &&
        (host->sums == TPI_SUMS_YES || host->sums == TPI_SUMS_NUMBERS)) {
        host->by_chunks = true;
        snprintf(host->command, sizeof host->command, "X,%u", host->chunk);
    } else if (host->is_manifest && !host->by_chunks) {
        host->chunk = 1;
        tpi_buf_clear(&host->text);
    }
    tpi_sensor_host_send(host, now_ns);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static bool is_refusal(const char *line, size_t length)
{
    static const char bad[] = ",bad,";

    for (size_t i = 1; line[0] == 'L' && i + sizeof bad - 1 <= length; i++) {
        if (memcmp(line + i, bad, sizeof bad - 1) == 0) {
            return true;
        }
    }
    return length >= 3 && memcmp(line, "!!!", 3) == 0;
}

/* Whether two answers in a row have to be the same. A CRC finds damage by itself. A reading with a
 * check sum may change, and what acts is done once. But a refusal is always asked for twice: a
 * command that was damaged on its way can be one that the sensor cannot do. */
static bool is_asked_twice(const tpi_sensor_host *host, const char *line, size_t length)
{
    return host->options.verify &&
           (is_refusal(line, length) || host->sums == TPI_SUMS_NO ||
            (host->sums == TPI_SUMS_YES && strchr("RLT", host->command[0]) == NULL));
}

/* How much of a command its answer repeats at least. */
static size_t repeated(const char *command)
{
    const size_t length = strlen(command);

    if (command[0] != 'L') {
        return command[0] == 'S' || command[0] == 'G' ? 3 : 1;
    }
    if (length < 3 || command[2] < '0' || command[2] > '9' ||
        (length > 5 && strcmp(command + length - 5, ",read") == 0) ||
        (length > 6 && strcmp(command + length - 6, ",state") == 0)) {
        return length; /* L,go, L,stop, L,1,read, L,1,state */
    }
    return 2 + strcspn(command + 2, ",");
}

/* Whether a line can be the answer to the question: the same letters, or a refusal. */
static bool fits(const tpi_sensor_host *host, const char *line, size_t length)
{
    const char *command = host->command;
    const size_t letters = repeated(command);

    if (length >= 3 && memcmp(line, "!!!", 3) == 0) {
        return true;
    }
    return length >= letters && memcmp(line, command, letters) == 0;
}

static void settle(tpi_sensor_host *host, const char *line, size_t length, int64_t now_ns)
{
    tpi_buf_clear(&host->text);
    tpi_buf_put(&host->text, line, length);
    if (is_asked_twice(host, line, length) &&
        (host->before.length != host->text.length ||
         memcmp(tpi_buf_text(&host->before), tpi_buf_text(&host->text), host->text.length) != 0)) {
        tpi_buf_clear(&host->before); /* ask until two in a row are the same */
        tpi_buf_put(&host->before, line, length);
        tpi_sensor_host_again(host, now_ns);
        return;
    }
    host->state = is_refusal(line, length) ? TPI_HOST_REFUSED : TPI_HOST_DONE;
}

static void take_unsummed(tpi_sensor_host *host, const char *line, size_t length, int64_t now_ns)
{
    if (host->sums == TPI_SUMS_NO) {
        settle(host, line, length, now_ns);
    } else if (tpi_sensor_host_is_old(host, line, length)) {
        host->tried = 0;
        tpi_sensor_host_again(host, now_ns);
    } else {
        host->damaged++;
        tpi_sensor_host_again(host, now_ns);
    }
}

/* Something else than a chunk, while a manifest is awaited: a refusal, or damage. */
static void take_manifest_line(tpi_sensor_host *host, const char *line, size_t length,
                               int64_t now_ns)
{
    size_t without;

    if (length < 3 || memcmp(line, "!!!", 3) != 0) {
        host->skips = true;
        if (host->by_chunks) { /* chunks have numbers: nothing late is taken for new */
            tpi_sensor_host_again(host, now_ns);
        }
        return;
    }
    if (tpi_sensor_host_is_old(host, line, length)) {
        host->by_chunks = host->by_chunks && host->sums != TPI_SUMS_NO;
        snprintf(host->command, sizeof host->command, host->by_chunks ? "X,1" : "X");
    } else if (tpi_sensor_host_sum(host, line, length, &without)) {
        tpi_sensor_host_knows_sums(host); /* the command was damaged on its way */
    }
    if (host->tried >= host->options.tries) {
        host->state = TPI_HOST_REFUSED;
        return;
    }
    host->heard_ns = 0;
    tpi_sensor_host_again(host, now_ns);
}

/* Whether an answer has the number of another question. */
static bool is_late(const tpi_sensor_host *host, const char *line, size_t without)
{
    return tpi_sensor_host_has_numbers(host) && line[without + 1] != host->number;
}

/* A refusal with a check sum, which a damaged command gets too. With `verify`, settle() doubts it.
 */
static bool is_doubtful(const tpi_sensor_host *host, const char *line, size_t length)
{
    return !host->options.verify && length >= 3 && memcmp(line, "!!!", 3) == 0 &&
           host->tried < host->options.tries;
}

static void take_line(tpi_sensor_host *host, const char *line, size_t length, int64_t now_ns)
{
    size_t without = length;

    if (length == 0 || tpi_sensor_host_data(host, line, length)) {
        return;
    }
    if (host->state != TPI_HOST_BUSY) {
        return;
    }
    if (host->is_manifest) {
        take_manifest_line(host, line, length, now_ns);
        return;
    }
    if (host->sums != TPI_SUMS_NO && tpi_sensor_host_sum(host, line, length, &without)) {
        tpi_sensor_host_knows_sums(host);
        if (!fits(host, line, without) || is_late(host, line, without)) {
            return; /* to another question */
        }
        if (is_doubtful(host, line, without)) {
            tpi_sensor_host_again(host, now_ns);
            return;
        }
        settle(host, line, without, now_ns);
    } else if (fits(host, line, length) || host->sums == TPI_SUMS_YES ||
               host->sums == TPI_SUMS_NUMBERS) {
        take_unsummed(host, line, length, now_ns);
    }
}

/* ---- Bytes and time -------------------------------------------------------------------------- */

static void input_byte(tpi_sensor_host *host, char byte, int64_t now_ns)
{
    host->heard_ns = now_ns;
    if (host->length == sizeof host->line) { /* no line is so long */
        host->length = 0;
        host->damaged++;
    }
    host->line[host->length++] = byte;
    if (host->is_manifest && host->state == TPI_HOST_BUSY && host->line[0] == 'X') {
        (void)tpi_sensor_host_chunk(host, now_ns);
    } else if (byte == '\n') {
        const size_t length = host->length - 1;
        host->length = 0;
        take_line(host, host->line, length, now_ns);
    }
}

void tpi_sensor_host_input(tpi_sensor_host *host, const void *bytes, size_t length, int64_t now_ns)
{
    for (size_t i = 0; i < length; i++) {
        input_byte(host, ((const char *)bytes)[i], now_ns);
    }
}

static int64_t silence_ns(const tpi_sensor_host *host)
{
    return host->is_manifest && !host->skips ? PAUSE_NS : SILENCE_NS;
}

static bool is_silent(const tpi_sensor_host *host, int64_t now_ns)
{
    return host->heard_ns != 0 && now_ns - host->heard_ns >= silence_ns(host);
}

void tpi_sensor_host_tick(tpi_sensor_host *host, int64_t now_ns)
{
    if (host->state != TPI_HOST_BUSY) {
        return;
    }
    if (host->length > 0 && is_silent(host, now_ns)) {
        const size_t length = host->length;
        host->length = 0;
        if (host->is_manifest) {
            host->damaged++;
            tpi_sensor_host_again(host, now_ns);
        } else {
            take_line(host, host->line, length, now_ns);
        }
    } else if (host->is_manifest && is_silent(host, now_ns)) {
        tpi_sensor_host_again(host, now_ns); /* it has stopped between two chunks */
    } else if (now_ns - host->asked_ns >= host->options.try_ns &&
               !(host->heard_ns != 0 && host->is_manifest)) {
        tpi_sensor_host_again(host, now_ns);
    }
}

int64_t tpi_sensor_host_due_ns(const tpi_sensor_host *host)
{
    if (host->state != TPI_HOST_BUSY) {
        return INT64_MAX;
    }
    if (host->heard_ns != 0 && (host->length > 0 || host->is_manifest)) {
        return host->heard_ns + silence_ns(host);
    }
    return host->asked_ns + host->options.try_ns;
}

tpi_sensor_host_state tpi_sensor_host_state_of(const tpi_sensor_host *host)
{
    return host->state;
}

const char *tpi_sensor_host_text(const tpi_sensor_host *host)
{
    return tpi_buf_text(&host->text);
}

size_t tpi_sensor_host_text_length(const tpi_sensor_host *host)
{
    return host->text.length;
}

unsigned tpi_sensor_host_repeats(const tpi_sensor_host *host)
{
    return host->repeats;
}

unsigned tpi_sensor_host_damaged(const tpi_sensor_host *host)
{
    return host->damaged;
}
