/*
 * host_manifest.c - the chunks of a manifest; see host_inside.h.
 *
 * "X,64,BYTES" as a whole, "X,3,64,BYTES" for a chunk that was asked for by its number, each with
 * an optional check sum and a line feed; "X" and the byte FF is the end.
 */
#include <string.h>

#include "sensors/host_inside.h"

enum { LARGEST_CHUNK = 64 };

/* What the line holds so far. */
enum parsed { NEEDS_MORE, DAMAGED, CHUNK, END };

struct chunk {
    unsigned number; /* 0: not given */
    size_t bytes, length;
    size_t used; /* of the line */
};

/* Digits and a comma at `at`. */
static enum parsed read_number(const tpi_sensor_host *host, size_t *at, unsigned *out)
{
    const size_t from = *at;

    *out = 0;
    while (*at < host->length && host->line[*at] >= '0' && host->line[*at] <= '9') {
        *out = *out * 10 + (unsigned)(host->line[(*at)++] - '0');
        if (*at - from > 5) {
            return DAMAGED;
        }
    }
    if (*at == host->length) {
        return NEEDS_MORE;
    }
    if (*at == from || host->line[*at] != ',') {
        return DAMAGED;
    }
    ++*at;
    return CHUNK;
}

/* The end of a line at `at`: a line feed, or a check sum and a line feed. */
static enum parsed read_end(tpi_sensor_host *host, size_t at, size_t *used)
{
    const size_t size = tpi_sensor_host_sum_size(host);
    size_t without;

    if (at >= host->length) {
        return NEEDS_MORE;
    }
    if (host->line[at] == '\n' && host->sums != TPI_SUMS_YES && host->sums != TPI_SUMS_NUMBERS) {
        *used = at + 1;
        return CHUNK;
    }
    if (host->line[at] != '*') {
        return DAMAGED;
    }
    if (host->length < at + size + 1) {
        return NEEDS_MORE;
    }
    *used = at + size + 1;
    if (host->line[at + size] != '\n' ||
        !tpi_sensor_host_sum(host, host->line, at + size, &without)) {
        return DAMAGED;
    }
    tpi_sensor_host_knows_sums(host);
    return CHUNK;
}

static enum parsed parse(tpi_sensor_host *host, struct chunk *out)
{
    size_t at = 1;
    unsigned number = 0;
    enum parsed found;

    if (host->length < 2) {
        return NEEDS_MORE;
    }
    if (host->line[1] == '\xFF') {
        found = read_end(host, 2, &out->used);
        return found == CHUNK ? END : found;
    }
    if (host->line[at++] != ',') {
        return DAMAGED;
    }
    found = host->by_chunks ? read_number(host, &at, &out->number) : CHUNK;
    found = found == CHUNK ? read_number(host, &at, &number) : found;
    if (found != CHUNK) {
        return found;
    }
    if (number == 0 || number > LARGEST_CHUNK) {
        return DAMAGED;
    }
    out->bytes = at;
    out->length = number;
    return read_end(host, at + number, &out->used);
}

/* The next chunk of a manifest that comes by its chunks. */
static void ask_next(tpi_sensor_host *host, int64_t now_ns)
{
    static const char digits[] = "0123456789";
    char text[16];
    size_t at = sizeof text - 1;
    unsigned left = host->chunk;

    text[at] = '\0';
    do {
        text[--at] = digits[left % 10];
        left /= 10;
    } while (left > 0);
    host->command[0] = 'X';
    host->command[1] = ',';
    memcpy(host->command + 2, text + at, sizeof text - at);
    host->tried = 1;
    tpi_sensor_host_renumber(host);
    tpi_sensor_host_send(host, now_ns);
}

/* Whether a chunk is the same as the one before, if it has to be. */
static bool is_verified(tpi_sensor_host *host, const struct chunk *chunk)
{
    const char *bytes = host->line + chunk->bytes;

    if (!host->by_chunks || !host->options.verify || host->sums == TPI_SUMS_NUMBERS) {
        return true;
    }
    const bool same = host->before.length == chunk->length &&
                      memcmp(host->before.data, bytes, chunk->length) == 0;
    tpi_buf_clear(&host->before);
    if (!same) {
        tpi_buf_put(&host->before, bytes, chunk->length);
    }
    return same;
}

static void keep(tpi_sensor_host *host, const struct chunk *chunk, int64_t now_ns)
{
    if (host->skips || (host->by_chunks && chunk->number != host->chunk)) {
        return; /* behind something that was damaged, or late */
    }
    if (!is_verified(host, chunk)) {
        ask_next(host, now_ns);
        return;
    }
    tpi_buf_put(&host->text, host->line + chunk->bytes, chunk->length);
    host->chunk++;
    if (host->text.length > TPI_HOST_MANIFEST) {
        host->state = TPI_HOST_SILENT; /* no manifest is so long */
    } else if (host->by_chunks) {
        host->length = 0;
        ask_next(host, now_ns);
    }
}

/* Whether the text has the begin and the end of a manifest. */
static bool is_whole(const tpi_sensor_host *host)
{
    static const char end[] = "</sensor>";
    const char *text = tpi_buf_text(&host->text);
    size_t length = host->text.length;

    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) {
        length--;
    }
    return length >= sizeof end - 1 &&
           memcmp(text + length - (sizeof end - 1), end, sizeof end - 1) == 0 &&
           (memcmp(text, "<?xml", 5) == 0 || strncmp(text, "<sensor", 7) == 0 ||
            strncmp(text, "<!--", 4) == 0);
}

bool tpi_sensor_host_chunk(tpi_sensor_host *host, int64_t now_ns)
{
    struct chunk chunk = {0};

    switch (parse(host, &chunk)) {
    case CHUNK:
        host->length = 0;
        keep(host, &chunk, now_ns);
        return true;
    case END:
        host->length = 0;
        if (!host->skips && is_whole(host)) {
            host->state = TPI_HOST_DONE;
        } else {
            host->skips = true; /* the end of an answer that came too late */
        }
        return true;
    case DAMAGED: /* the silence behind it asks again: then nothing late is taken for new */
        host->line[0] = '?';
        host->skips = true;
        host->damaged++;
        return false;
    case NEEDS_MORE:
    default:
        return false;
    }
}
