/* devaddr_fuzz.c - any text as a device address of a configuration; its parts put together again
 * are the same address. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "server/address.h"

enum { LONGEST = 512 };

static void check_parts(const tpi_devaddr_text *address)
{
    char text[LONGEST];
    tpi_devaddr_text again;

    fuzz_require(strchr(address->key, ':') == NULL && strchr(address->host, ':') == NULL &&
                     strchr(address->interface, ':') == NULL,
                 "a colon in a part");
    fuzz_require(address->interface[0] != '\0' && address->index <= UINT16_MAX &&
                     address->robot <= UINT16_MAX,
                 "a part that cannot be");
    (void)snprintf(text, sizeof text, "%s:%s:%u:%s:%u", address->key, address->host, address->robot,
                   address->interface, address->index);
    fuzz_require(tpi_devaddr_parse(&again, text, NULL) == TP_OK, "put together it is no address");
    fuzz_require(strcmp(again.key, address->key) == 0 && strcmp(again.host, address->host) == 0 &&
                     strcmp(again.interface, address->interface) == 0 &&
                     again.robot == address->robot && again.index == address->index,
                 "put together it is another address");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[LONGEST];
    tpi_devaddr_text address;
    tp_error err = {0};

    if (size >= LONGEST) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const tp_status status = tpi_devaddr_parse(&address, text, &err);
    if (status == TP_OK) {
        check_parts(&address);
    } else {
        fuzz_require(status == TP_E_SYNTAX && err.text[0] != '\0', "a failure without a reason");
    }
    return 0;
}
