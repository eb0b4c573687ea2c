/* key.c - the key of a program; see key.h. */
#include "client/key.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "platform/secret.h"

enum { LONGEST_KEY = 128, LONGEST_KEY_FILE = 4096 };

static tp_status keep(char **out, const char *key, size_t length, tp_error *err)
{
    if (length > LONGEST_KEY) {
        return tp_fail(err, TP_E_INVALID, "a key has at most %d characters", LONGEST_KEY);
    }
    if (length == 0) {
        return TP_OK;
    }
    *out = calloc(length + 1, 1);
    if (*out == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(*out, key, length);
    return TP_OK;
}

/* The first line of a file that is private. */
static tp_status read_file(char **out, const char *path, tp_error *err)
{
    tpi_buf text = {0};
    bool is_private = false;
    tp_status status = tpi_secret_is_private(path, &is_private, err);

    if (status == TP_OK && !is_private) {
        return tp_fail(err, TP_E_DENIED, "%s: others can read or change it: chmod 600 the file",
                       path);
    }
    status = status == TP_OK ? tpi_file_read_any(&text, path, LONGEST_KEY_FILE, err) : status;
    if (status == TP_OK) {
        const char *key = tpi_buf_text(&text);
        const size_t length = strcspn(key, "\r\n");
        status = length > 0 ? keep(out, key, length, err)
                            : tp_fail(err, TP_E_INVALID, "%s: its first line is no key", path);
    }
    tpi_secret_wipe(text.data, text.length);
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_key_read(char **out, const char *key, const char *path, tp_error *err)
{
    *out = NULL;
    if (key != NULL && path != NULL && path[0] != '\0') {
        return tp_fail(err, TP_E_INVALID, "a key and a file with one: which of them?");
    }
    if (path != NULL && path[0] != '\0') {
        return read_file(out, path, err);
    }
    key = key != NULL ? key : getenv("TROUPE_KEY");
    return key != NULL ? keep(out, key, strlen(key), err) : TP_OK;
}

void tpi_key_forget(char **key)
{
    tpi_secret_wipe(*key, *key != NULL ? strlen(*key) : 0);
    free(*key);
    *key = NULL;
}
