/* motion_package_fuzz.c - any bytes as a package of the motion protocol: it is refused with a
 * reason, or its records, written again, read as the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "motion/package.h"

enum { SCRATCH = 1 << 20, STRUCT = 4096 };

/* What is read and written twice is the same: the first time rounds large numbers. */
static void check_again(const tpi_motion_body *body, const void *value, void *scratch)
{
    static uint8_t bytes[1 << 17], again[1 << 17];
    static double other[STRUCT / sizeof(double)];
    const size_t size = tpi_motion_record_put(bytes, sizeof bytes, body->code, 1, value);

    fuzz_require(size >= TPI_MOTION_RECORD, "what was read has no bytes");
    memset(other, 0, sizeof other);
    fuzz_require(tpi_motion_body_get(body, bytes + TPI_MOTION_RECORD, size - TPI_MOTION_RECORD,
                                     other, scratch, SCRATCH, NULL) == TP_OK,
                 "what was written cannot be read");
    fuzz_require(tpi_motion_record_put(again, sizeof again, body->code, 1, other) == size &&
                     memcmp(bytes, again, size) == 0,
                 "written again it is another");
}

static void check_records(const tpi_motion_header *header, const uint8_t *payload)
{
    static double value[STRUCT / sizeof(double)];
    double *scratch = malloc(SCRATCH), *more = malloc(SCRATCH);
    size_t at = 0;

    fuzz_require(scratch != NULL && more != NULL, "out of memory");
    for (unsigned i = 0; i < header->records; i++) {
        tpi_motion_record record;
        tp_error err = {0};

        fuzz_require(tpi_motion_record_next(&record, payload, header->size, &at, NULL) == TP_OK,
                     "a checked payload without its records");
        const tpi_motion_body *body = tpi_motion_body_of(record.code);
        fuzz_require(body != NULL && body->struct_size <= STRUCT, "a checked record of no body");
        memset(value, 0, sizeof value);
        if (tpi_motion_body_get(body, record.body, record.length, value, scratch, SCRATCH, &err) ==
            TP_OK) {
            check_again(body, value, more);
        } else {
            fuzz_require(strncmp(err.text, body->name, strlen(body->name)) == 0,
                         "a failure without its record");
        }
    }
    fuzz_require(at == header->size, "a checked payload with a rest");
    free(scratch);
    free(more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tpi_motion_header header;
    uint8_t again[TPI_MOTION_HEADER];
    bool foreign;
    tp_error err = {0};

    if (size < TPI_MOTION_HEADER) {
        return 0;
    }
    if (tpi_motion_header_get(&header, data, &foreign, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
        return 0;
    }
    tpi_motion_header_put(again, &header);
    fuzz_require(memcmp(again, data, sizeof again) == 0, "a header that is written as another");
    header.size = (uint32_t)(size - TPI_MOTION_HEADER); /* so that most inputs have a payload */
    if (tpi_motion_payload_check(&header, data + TPI_MOTION_HEADER, &err) == TP_OK) {
        check_records(&header, data + TPI_MOTION_HEADER);
    } else {
        fuzz_require(err.text[0] != '\0', "a failure without a reason");
    }
    return 0;
}
