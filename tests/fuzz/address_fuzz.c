/* address_fuzz.c - any text as an address of a socket; what is read and printed is read again as
 * the same. The first byte says what the address is wanted for. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "loop/address.h"

enum { LONGEST = 512 };

/* A number; names and unix sockets are not printed. */
static void check_printed(const tpi_endpoint *endpoint, tpi_address_use use)
{
    const bool udp = use == TPI_ADDRESS_RECEIVE || use == TPI_ADDRESS_SEND;
    char printed[128];
    char text[160];
    tpi_address again;

    tpi_address_print(printed, sizeof printed, &endpoint->as.any);
    (void)snprintf(text, sizeof text, "%s:%s", udp ? "udp" : "tcp", printed);
    fuzz_require(tpi_address_parse(&again, text, use) == NULL && again.count == 1,
                 "what was printed is no address");
    fuzz_require(tpi_address_port(&again.endpoints[0].as.any) ==
                     tpi_address_port(&endpoint->as.any),
                 "the port is another one");
    if (endpoint->as.any.sa_family == AF_INET) {
        fuzz_require(again.endpoints[0].as.v4.sin_addr.s_addr == endpoint->as.v4.sin_addr.s_addr,
                     "the host is another one");
    }
}

static void check_read(const tpi_address *address, tpi_address_use use)
{
    fuzz_require(address->count <= TPI_ADDRESS_ENDPOINTS, "too many addresses");
    fuzz_require((address->count == 0) == (address->host[0] != '\0'), "a name and no name");
    for (unsigned i = 0; i < address->count; i++) {
        if (address->endpoints[i].as.any.sa_family == AF_UNIX) {
            fuzz_require(address->count == 1, "several unix sockets");
            fuzz_require(memchr(address->endpoints[i].as.local.sun_path, '\0',
                                sizeof address->endpoints[i].as.local.sun_path) != NULL,
                         "a path without an end");
        } else {
            check_printed(&address->endpoints[i], use);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[LONGEST];
    tpi_address address;

    if (size < 1 || size > LONGEST) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const tpi_address_use use = (tpi_address_use)(data[0] % 4);
    const char *wrong = tpi_address_parse(&address, text, use);
    if (wrong == NULL) {
        check_read(&address, use);
    } else {
        fuzz_require(wrong[0] != '\0', "a failure without a reason");
    }
    return 0;
}
