/* keys_fuzz.c - any text as a file of keys: it is refused with a reason and the line, or its keys,
 * written again, are the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "server/keys.h"

static void check_key(const tpi_key *key)
{
    const size_t name = strnlen(key->name, sizeof key->name);
    const size_t secret = strnlen(key->secret, sizeof key->secret);

    fuzz_require(name > 0 && name < sizeof key->name && secret > 0 && secret < sizeof key->secret,
                 "a key without a name or a secret");
    fuzz_require(key->right <= TP_RIGHT_OPERATE, "a right that there is not");
    fuzz_require(strchr(key->secret, '\n') == NULL, "a secret of two lines");
}

static void check_again(const tpi_keys *keys)
{
    static tpi_keys again;
    tpi_buf text = {0};

    for (size_t i = 0; i < keys->count; i++) {
        const tpi_key *key = &keys->keys[i];
        check_key(key);
        tpi_buf_printf(&text, "%s %s %s\n", key->name, tp_right_name(key->right), key->secret);
    }
    memset(&again, 0, sizeof again);
    fuzz_require(tpi_keys_read(&again, "again", tpi_buf_text(&text), text.length, NULL) == TP_OK &&
                     memcmp(&again, keys, sizeof again) == 0,
                 "written again they are others");
    tpi_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tpi_keys keys;
    tp_error err = {0};
    char *text = malloc(size + 1);

    fuzz_require(text != NULL, "out of memory");
    memcpy(text, data, size);
    memset(&keys, 0, sizeof keys);
    const tp_status status = tpi_keys_read(&keys, "keys", text, size, &err);
    if (status == TP_OK) {
        check_again(&keys);
    } else {
        fuzz_require(status == TP_E_SYNTAX && strncmp(err.text, "keys:", 5) == 0,
                     "a failure without its place");
    }
    free(text);
    return 0;
}
