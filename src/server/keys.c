/* keys.c - the keys of clients, as configurations and key files write them; see keys.h. */
#include "server/keys.h"

#include <string.h>

#include "platform/secret.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word; *length is 0 at the end. */
static const char *next_word(const char **at, const char *end, size_t *length)
{
    while (*at < end && is_blank(**at)) {
        (*at)++;
    }
    const char *word = *at;
    while (*at < end && !is_blank(**at)) {
        (*at)++;
    }
    *length = (size_t)(*at - word);
    return word;
}

static bool is_name(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               strlen(name) &&
           name[0] != '\0';
}

static bool read_right(const char *word, size_t length, tp_right *right)
{
    for (tp_right r = TP_RIGHT_READ; r <= TP_RIGHT_OPERATE; r++) {
        if (strlen(tp_right_name(r)) == length && strncmp(tp_right_name(r), word, length) == 0) {
            *right = r;
            return true;
        }
    }
    return false;
}

static tp_status check_new(const tpi_keys *keys, const tpi_key *key, tp_error *err)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->keys[i].name, key->name) == 0) {
            return tp_fail(err, TP_E_SYNTAX, "there are two keys %s", key->name);
        }
        if (strcmp(keys->keys[i].secret, key->secret) == 0) {
            return tp_fail(err, TP_E_SYNTAX, "the keys %s and %s have the same secret",
                           keys->keys[i].name, key->name);
        }
    }
    return keys->count < TPI_MOST_KEYS
               ? TP_OK
               : tp_fail(err, TP_E_SYNTAX, "there are more than %d keys", TPI_MOST_KEYS);
}

static tp_status add(tpi_keys *keys, const char *name, tp_right right, const char *secret,
                     size_t length, tp_error *err)
{
    tpi_key key = {.right = right};

    memcpy(key.name, name, strlen(name));
    if (length == 0 || length >= sizeof key.secret || memchr(secret, '\0', length) != NULL) {
        return tp_fail(err, TP_E_SYNTAX, "the secret of the key %s must have 1 to %d characters",
                       name, TPI_KEY_SECRET - 1);
    }
    memcpy(key.secret, secret, length);
    tp_status status = check_new(keys, &key, err);
    if (status == TP_OK) {
        keys->keys[keys->count++] = key;
    }
    tpi_secret_wipe(&key, sizeof key);
    return status;
}

tp_status tpi_keys_add_secret(tpi_keys *keys, const char *name, tp_right right, const char *secret,
                              tp_error *err)
{
    return add(keys, name, right, secret, strlen(secret), err);
}

tp_status tpi_keys_add(tpi_keys *keys, const char *line, size_t length, tp_error *err)
{
    const char *end = line + length;
    char name[TPI_KEY_NAME] = "";
    tp_right right = TP_RIGHT_READ;
    size_t word_length = 0;
    const char *word = next_word(&line, end, &word_length);

    if (word_length < sizeof name) {
        memcpy(name, word, word_length);
    }
    if (!is_name(name)) {
        return tp_fail(err, TP_E_SYNTAX,
                       "a key is NAME RIGHT SECRET; its name is made of 1 to %d letters, digits "
                       "and . _ -",
                       TPI_KEY_NAME - 1);
    }
    word = next_word(&line, end, &word_length);
    if (!read_right(word, word_length, &right)) {
        return tp_fail(err, TP_E_SYNTAX,
                       "the key %s is NAME RIGHT SECRET; its right is read, write, move or operate",
                       name);
    }
    while (line < end && is_blank(*line)) {
        line++;
    }
    while (end > line && is_blank(end[-1])) {
        end--;
    }
    return add(keys, name, right, line, (size_t)(end - line), err);
}

/* Whether a line says nothing. */
static bool is_empty(const char *line, size_t length)
{
    while (length > 0 && is_blank(*line)) {
        line++;
        length--;
    }
    return length == 0 || *line == '#';
}

tp_status tpi_keys_read(tpi_keys *keys, const char *path, const char *text, size_t length,
                        tp_error *err)
{
    const char *end = text + length;
    unsigned number = 1;
    tp_status status = TP_OK;

    for (; text < end && status == TP_OK; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t line = (size_t)((newline != NULL ? newline : end) - text);
        tp_error why = {0};
        status = is_empty(text, line) ? TP_OK : tpi_keys_add(keys, text, line, &why);
        if (status != TP_OK) {
            return tp_fail(err, status, "%s:%u: %s", path, number, why.text);
        }
        text += newline != NULL ? line + 1 : line;
    }
    return status;
}
