/* encodings.c - two encodings that count what they make; see encodings.h. */
#include "support/encodings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fronts/player/player.h"

enum { MOST_LINE_HEAD = 128 };

static encodings_counts counts;
static tp_status size_fails;
static tp_status encode_fails;

encodings_counts encodings_count(void)
{
    return counts;
}

void encodings_reset(void)
{
    counts = (encodings_counts){0};
    encodings_fail(TP_OK, TP_OK);
}

void encodings_fail(tp_status in_size, tp_status in_encode)
{
    size_fails = in_size;
    encode_fails = in_encode;
}

static tp_status player_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                             size_t *size)
{
    return tp_encoding_player.size(header, type, value, size);
}

static tp_status player_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                               void *bytes, size_t capacity, size_t *length)
{
    counts.player++;
    return tp_encoding_player.encode(header, type, value, bytes, capacity, length);
}

const tp_encoding counted_player = {
    .name = "counted player", .size = player_size, .encode = player_encode};

static tp_status body_text(char **out, const tp_struct *type, const void *value)
{
    if (type != NULL) {
        return tp_value_text(out, type, value, TP_TEXT_JSON);
    }
    *out = calloc(1, sizeof "null"); /* counted by memory.h, as strdup() is not */
    if (*out == NULL) {
        return TP_E_NOMEM;
    }
    memcpy(*out, "null", sizeof "null");
    return TP_OK;
}

static tp_status json_size(const tp_msghdr *header, const tp_struct *type, const void *value,
                           size_t *size)
{
    char *text = NULL;
    const tp_status status = size_fails != TP_OK ? size_fails : body_text(&text, type, value);

    (void)header;
    if (status == TP_OK) {
        *size = MOST_LINE_HEAD + strlen(text);
        free(text);
    }
    return status;
}

static tp_status json_encode(const tp_msghdr *header, const tp_struct *type, const void *value,
                             void *bytes, size_t capacity, size_t *length)
{
    char *text = NULL;
    const tp_status status = encode_fails != TP_OK ? encode_fails : body_text(&text, type, value);

    if (status == TP_OK) {
        counts.json++;
        *length = (size_t)snprintf(bytes, capacity,
                                   "{\"interf\":%d,\"type\":%d,\"subtype\":%d,\"body\":%s}\n",
                                   header->addr.interf, header->type, header->subtype, text);
        free(text);
    }
    return status;
}

const tp_encoding counted_json = {.name = "json", .size = json_size, .encode = json_encode};
