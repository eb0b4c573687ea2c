/* universal_packet_fuzz.c - any bytes as a packet of the universal protocol: it is refused with a
 * sentence, or, written again, reads as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "universal/packet.h"

static void check_again(const tpi_packet *packet)
{
    char why[240];
    tpi_packet again;
    tpi_buf out = {0};

    tpi_packet_put(&out, packet);
    fuzz_require(!out.failed, "out of memory");
    fuzz_require(tpi_packet_read(&again, (const uint8_t *)out.data + 4, out.length - 4, why,
                                 sizeof why) == TPI_FAULT_NONE,
                 "what was written cannot be read");
    fuzz_require(again.waits == packet->waits && again.most == packet->most &&
                     again.command == packet->command && again.has_port == packet->has_port &&
                     again.type == packet->type && again.id == packet->id &&
                     again.count == packet->count,
                 "written again it is another");
    for (unsigned i = 0; i < packet->count; i++) {
        fuzz_require(memcmp(&again.values[i].number, &packet->values[i].number, sizeof(double)) ==
                             0 &&
                         again.values[i].length == packet->values[i].length &&
                         memcmp(again.values[i].text != NULL ? again.values[i].text : "",
                                packet->values[i].text != NULL ? packet->values[i].text : "",
                                packet->values[i].length) == 0,
                     "a value is another");
    }
    tpi_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[240] = "";
    tpi_packet packet;
    const tpi_fault fault = tpi_packet_read(&packet, data, size, why, sizeof why);

    if (fault == TPI_FAULT_NONE) {
        check_again(&packet);
    } else {
        fuzz_require(why[0] != '\0', "a fault without a sentence");
    }
    return 0;
}
