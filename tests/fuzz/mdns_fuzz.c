/*
 * mdns_fuzz.c - any packets of multicast DNS. Whatever is asked, an answer fits its packet, and is
 * one that the reader understands and does not take for another service of the same name.
 */
#include <string.h>

#include "../../drivers/service_adv_mdns/mdns.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mdns_service service = {.name = "a robot",
                                   .kind = "_player2",
                                   .host = "h",
                                   .port = 6665,
                                   .address = {127, 0, 0, 1}};
    struct mdns_heard heard;
    struct mdns_heard again;
    uint8_t out[MDNS_MOST];

    (void)tpi_mdns_add_text(&service, "foo=bar");
    if (!tpi_mdns_read(&service, data, size, &heard)) {
        fuzz_require(heard.wanted == 0 && !heard.conflict, "a damaged packet counts");
        return 0;
    }
    fuzz_require(heard.wanted == 0 || heard.question_length > 4, "an answer without a question");
    fuzz_require(heard.question_length <= sizeof heard.question, "a question that is too long");
    if (heard.wanted != 0) {
        const struct mdns_manner manners[] = {{.probe = false}, {.plain = &heard}};
        for (unsigned i = 0; i < 2; i++) {
            const size_t length = tpi_mdns_write(&service, heard.wanted, &manners[i], out);
            fuzz_require(length <= sizeof out, "an answer that is too long");
            fuzz_require(tpi_mdns_read(&service, out, length, &again), "a damaged answer");
            fuzz_require(!again.conflict && again.wanted == 0, "an answer that is a question");
        }
    }
    return 0;
}
