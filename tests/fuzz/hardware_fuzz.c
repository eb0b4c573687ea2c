/*
 * hardware_fuzz.c - any bytes from a robot or sensor on a line: the readers of packets of the
 * drivers p2os, sicklms200, mavlink, sonyevid30, rflex and nomad_driver, and sentences of
 * garminnmea.
 *
 * The first byte chooses the reader. Whatever came before, a whole packet is found again soon.
 */
#include <math.h>
#include <string.h>

#include "../../drivers/classic/nomad.h"
#include "../../drivers/classic/rflex.h"
#include "../../drivers/garminnmea/nmea.h"
#include "../../drivers/mavlink/frame.h"
#include "../../drivers/shared/p2os_packet.h"
#include "../../drivers/shared/utm.h"
#include "../../drivers/sicklms200/telegram.h"
#include "../../drivers/sonyevid30/visca.h"
#include "fuzz.h"

static void read_p2os(const uint8_t *data, size_t size)
{
    struct p2os_reader reader = {0};
    uint8_t good[P2OS_MOST_PACKET];
    const size_t length = tpi_p2os_command(good, 11, -300);
    unsigned found = 0;

    for (size_t i = 0; i < size; i++) {
        if (tpi_p2os_read(&reader, data[i])) {
            fuzz_require(tpi_p2os_payload(&reader) >= 1 &&
                             tpi_p2os_payload(&reader) <= P2OS_MOST_PAYLOAD,
                         "a packet without a payload");
        }
        fuzz_require(reader.length <= P2OS_MOST_PACKET, "more bytes than there is room");
    }
    for (size_t i = 0; i < 40 * length; i++) {
        found += tpi_p2os_read(&reader, good[i % length]);
    }
    fuzz_require(found > 0, "packets are not found any more");
}

static void read_lms(const uint8_t *data, size_t size)
{
    static const uint8_t good[] = {0x02, 0x80, 0x03, 0x00, 0xa0, 0x00, 0x10, 0x16, 0x0a};
    struct lms_reader reader = {0};
    unsigned found = 0;

    for (size_t i = 0; i < size; i++) {
        if (tpi_lms_read(&reader, data[i])) {
            fuzz_require(tpi_lms_body(&reader) >= 1 && tpi_lms_body(&reader) <= LMS_MOST_BODY,
                         "a telegram without a body");
        }
        fuzz_require(reader.length <= LMS_MOST, "more bytes than there is room");
    }
    for (size_t i = 0; i < 250 * sizeof good; i++) {
        found += tpi_lms_read(&reader, good[i % sizeof good]);
    }
    fuzz_require(found > 0, "telegrams are not found any more");
}

static void read_nmea(const uint8_t *data, size_t size)
{
    struct nmea_fix fix = {0};
    double east = 0;
    double north = 0;

    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end == NULL ? size : (size_t)(end - data);
        (void)tpi_nmea_read(&fix, (const char *)data, length);
        fuzz_require(fabs(fix.latitude) <= 90 && fabs(fix.longitude) <= 180,
                     "a place beyond Earth");
        tpi_utm(fix.latitude, fix.longitude, &east, &north);
        fuzz_require(isfinite(east) && isfinite(north), "a place beyond the grid");
        data += end == NULL ? length : length + 1;
        size -= end == NULL ? length : length + 1;
    }
}

static void read_mavlink(const uint8_t *data, size_t size)
{
    const struct mav_message good = {.id = MAV_HEARTBEAT, .version = 2, .payload = {1, 2, 3}};
    struct mav_reader reader = {0};
    struct mav_message message;
    uint8_t frame[MAV_MOST_FRAME];
    const size_t length = tpi_mav_write(frame, &good, 1);
    unsigned found = 0;

    while (size > 0) {
        const size_t taken = tpi_mav_feed(&reader, data, size);
        fuzz_require(taken > 0, "a reader that is full for ever");
        while (tpi_mav_next(&reader, &message)) {
            fuzz_require(message.version == 1 || message.version == 2, "no such version");
        }
        data += taken;
        size -= taken;
    }
    for (unsigned i = 0; i < 40; i++) {
        (void)tpi_mav_feed(&reader, frame, length);
        while (tpi_mav_next(&reader, &message)) {
            found++;
        }
    }
    fuzz_require(found > 0, "frames are not found any more");
}

static void read_visca(const uint8_t *data, size_t size)
{
    static const uint8_t good[] = {0x90, 0x41, 0xff};
    struct visca_reader reader = {0};
    unsigned found = 0;

    for (size_t i = 0; i < size; i++) {
        (void)tpi_visca_read(&reader, data[i]);
        fuzz_require(reader.length <= VISCA_MOST, "more bytes than there is room");
    }
    for (size_t i = 0; i < 20 * sizeof good; i++) {
        found +=
            tpi_visca_read(&reader, good[i % sizeof good]) && tpi_visca_kind(&reader) == VISCA_ACK;
    }
    fuzz_require(found > 0, "packets are not found any more");
}

static void read_rflex(const uint8_t *data, size_t size)
{
    struct rflex_reader reader = {0};
    uint8_t good[RFLEX_MOST_PACKET];
    const size_t length = tpi_rflex_write(good, 2, 0, 11, NULL, 0);
    unsigned found = 0;

    for (size_t i = 0; i < size; i++) {
        (void)tpi_rflex_read(&reader, data[i]);
        fuzz_require(reader.length <= RFLEX_MOST_PACKET, "more bytes than there is room");
    }
    for (size_t i = 0; i < 80 * length; i++) {
        found += tpi_rflex_read(&reader, good[i % length]);
    }
    fuzz_require(found > 0, "packets are not found any more");
}

/* Lengths are trusted, as on TCP: a message that was torn is not found again. */
static void read_nomad(const uint8_t *data, size_t size)
{
    struct nomad nomad = {0};

    for (size_t i = 0; i < size; i++) {
        if (tpi_nomad_take(&nomad, data[i]) && tpi_nomad_words(&nomad) >= NOMAD_STATE) {
            tpi_nomad_report(&nomad);
            fuzz_require(isfinite(nomad.pose[0]) && isfinite(nomad.turned), "a place nowhere");
        }
        fuzz_require(nomad.length <= NOMAD_LONGEST, "more bytes than there is room");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const uint8_t *data, size_t size) = {
        read_p2os, read_lms, read_nmea, read_mavlink, read_visca, read_rflex, read_nomad};
    const size_t count = sizeof readers / sizeof readers[0];

    if (size > 0) {
        readers[data[0] % count](data + 1, size - 1);
    }
    return 0;
}
