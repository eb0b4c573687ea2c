/* fronts_test.c - every front of the kit, and the one of the example, by one suite. */
#include <stdio.h>
#include <string.h>

#include "conformance/front_suite.h"
#include "conformance/motion_puppet.h"
#include "conformance/universal_puppet.h"
#include "motion/package.h"
#include "support/unit.h"
#include "troupe/interfaces/player.h"
#include "troupe/interfaces/position2d.h"
#include "universal/packet.h"

enum { ROBOT = 6665 };

extern const tp_front tp_front_motion;
extern const tp_front tp_front_player;
extern const tp_front tp_front_jsonlines;
extern const tp_front tp_front_universal;

/* ---- Player ---------------------------------------------------------------------------------- */

static void put_message(tpi_buf *out, unsigned interf, unsigned type, unsigned code,
                        const tp_struct *body_type, const void *body)
{
    char bytes[512];
    size_t length = 0;
    size_t header_length = 0;
    tp_msghdr header = {.addr = {.robot = ROBOT, .interf = (uint16_t)interf},
                        .type = (uint8_t)type,
                        .subtype = (uint8_t)code,
                        .seq = 1};

    if (body_type != NULL) {
        assert_int_equal(tp_xdr_encode(body_type, body, bytes + TP_XDR_HEADER_SIZE,
                                       sizeof bytes - TP_XDR_HEADER_SIZE, &length),
                         TP_OK);
    }
    header.size = (uint32_t)length;
    assert_int_equal(
        tp_xdr_encode(&tp_desc_msghdr, &header, bytes, TP_XDR_HEADER_SIZE, &header_length), TP_OK);
    tpi_buf_put(out, bytes, header_length + length);
}

static void player_put_open(tpi_buf *out)
{
    const tp_device_req body = {.addr = {.robot = ROBOT, .interf = TP_POSITION2D_CODE},
                                .access = TP_OPEN_MODE};

    put_message(out, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_DEV, &tp_desc_device_req, &body);
}

static void player_put_command(tpi_buf *out, double speed)
{
    const tp_position2d_cmd_vel body = {.vel.px = speed};

    put_message(out, TP_POSITION2D_CODE, TP_MSGTYPE_CMD, TP_POSITION2D_CMD_VEL,
                &tp_desc_position2d_cmd_vel, &body);
}

static void player_put_request(tpi_buf *out)
{
    put_message(out, TP_POSITION2D_CODE, TP_MSGTYPE_REQ, TP_POSITION2D_REQ_GET_GEOM, NULL, NULL);
}

static void player_put_panic(tpi_buf *out)
{
    char why[] = "test";
    const tp_panic body = {.why_count = sizeof why, .why = why};

    put_message(out, TP_PLAYER_CODE, TP_MSGTYPE_REQ, TP_PLAYER_REQ_PANIC, &tp_desc_panic, &body);
}

static size_t player_next(const char *bytes, size_t length, suite_answer *what)
{
    static const suite_answer kinds[] = {[TP_MSGTYPE_DATA] = SUITE_DATA,
                                         [TP_MSGTYPE_RESP_ACK] = SUITE_REPLY,
                                         [TP_MSGTYPE_RESP_NACK] = SUITE_REFUSAL};
    tp_msghdr header;

    if (length < TP_XDR_HEADER_SIZE ||
        tp_xdr_decode(&tp_desc_msghdr, bytes, TP_XDR_HEADER_SIZE, &header, sizeof header) !=
            TP_OK ||
        length - TP_XDR_HEADER_SIZE < header.size) {
        return 0;
    }
    *what = header.type < sizeof kinds / sizeof kinds[0] && kinds[header.type] != SUITE_NONE
                ? kinds[header.type]
                : SUITE_OTHER;
    return TP_XDR_HEADER_SIZE + (size_t)header.size;
}

/* ---- Lines of JSON --------------------------------------------------------------------------- */

#define DEVICE "\"device\":\"6665:position2d:0\""

static void json_put_open(tpi_buf *out)
{
    tpi_buf_puts(out, "{\"op\":\"subscribe\"," DEVICE ",\"id\":1}\n");
}

static void json_put_command(tpi_buf *out, double speed)
{
    tpi_buf_printf(out,
                   "{\"op\":\"command\"," DEVICE
                   ",\"message\":\"VEL\",\"value\":{\"vel\":{\"px\":%g}}}\n",
                   speed);
}

static void json_put_request(tpi_buf *out)
{
    tpi_buf_puts(out, "{\"op\":\"request\"," DEVICE ",\"message\":\"GET_GEOM\",\"id\":2}\n");
}

static void json_put_panic(tpi_buf *out)
{
    tpi_buf_puts(out, "{\"op\":\"panic\",\"why\":\"test\",\"id\":3}\n");
}

static size_t json_next(const char *bytes, size_t length, suite_answer *what)
{
    static const char *const kinds[] = {[SUITE_DATA] = "{\"type\":\"data\"",
                                        [SUITE_REPLY] = "{\"type\":\"reply\"",
                                        [SUITE_REFUSAL] = "{\"type\":\"error\""};
    const char *end = memchr(bytes, '\n', length);

    if (end == NULL) {
        return 0;
    }
    *what = SUITE_OTHER;
    for (unsigned i = SUITE_DATA; i <= SUITE_REFUSAL; i++) {
        if (strncmp(bytes, kinds[i], strlen(kinds[i])) == 0) {
            *what = (suite_answer)i;
        }
    }
    return (size_t)(end - bytes) + 1;
}

/* ---- Motion ---------------------------------------------------------------------------------- */

static void put_record(tpi_buf *out, unsigned kind, uint8_t flags, uint16_t code, const void *value)
{
    uint8_t bytes[512];
    const size_t size =
        code == 0 ? 0
                  : tpi_motion_record_put(bytes + TPI_MOTION_HEADER,
                                          sizeof bytes - TPI_MOTION_HEADER, code, 7, value);
    const tpi_motion_header header = {.flags = flags,
                                      .kind = (uint8_t)kind,
                                      .records = size > 0,
                                      .id = 9,
                                      .size = (uint32_t)size};

    tpi_motion_header_put(bytes, &header);
    tpi_buf_put(out, bytes, TPI_MOTION_HEADER + size);
}

static void motion_put_open(tpi_buf *out)
{
    const tpi_motion_hello hello = {.name = "suite"};

    put_record(out, TPI_MOTION_SESSION, 0, TPI_MOTION_HELLO, &hello);
}

static void motion_put_command(tpi_buf *out, double speed)
{
    const tpi_motion_setspeed body = {.vx_mps = speed};

    put_record(out, TPI_MOTION_COMMAND, 0, TPI_MOTION_SETSPEED, &body);
}

static void motion_put_request(tpi_buf *out)
{
    const tpi_motion_empty body = {0};

    put_record(out, TPI_MOTION_QUERY, 0, TPI_MOTION_ASK_CLOCK, &body);
}

static void motion_put_panic(tpi_buf *out)
{
    put_record(out, TPI_MOTION_COMMAND, TPI_MOTION_PANIC, 0, NULL);
}

static suite_answer kind_of(const uint8_t *record)
{
    const unsigned code = (unsigned)record[0] << 8 | record[1];

    if (code == TPI_MOTION_SIGNAL) {
        return record[TPI_MOTION_RECORD] == TPI_MOTION_PANICKED ? SUITE_REPLY
               : record[TPI_MOTION_RECORD] == TPI_MOTION_ERROR  ? SUITE_REFUSAL
                                                                : SUITE_OTHER;
    }
    return code == (TPI_MOTION_ASK_STATE | TPI_MOTION_ANSWER) ? SUITE_DATA : SUITE_REPLY;
}

/* The robot's records come several in a package: the last one says what it is. */
static size_t motion_next(const char *bytes, size_t length, suite_answer *what)
{
    const uint8_t *at = (const uint8_t *)bytes;
    tpi_motion_header header;
    tpi_motion_record record;
    bool foreign = false;
    size_t behind = 0;

    if (length < TPI_MOTION_HEADER || tpi_motion_header_get(&header, at, &foreign, NULL) != TP_OK ||
        length - TPI_MOTION_HEADER < header.size) {
        return 0;
    }
    at += TPI_MOTION_HEADER;
    while (behind < header.size) {
        const size_t start = behind;

        assert_int_equal(tpi_motion_record_next(&record, at, header.size, &behind, NULL), TP_OK);
        *what = *what == SUITE_REPLY ? SUITE_REPLY : kind_of(at + start);
    }
    return TPI_MOTION_HEADER + (size_t)header.size;
}

/* ---- Universal ------------------------------------------------------------------------------- */

static void universal_put_open(tpi_buf *out)
{
    const tpi_packet packet = {.waits = true, .command = TPI_NO_OP};

    tpi_packet_put(out, &packet);
}

static void universal_put_command(tpi_buf *out, double speed)
{
    const tpi_packet packet = {.command = TPI_MOVE_POWER,
                               .has_port = true,
                               .type = TPI_TYPE_LOCOMOTOR,
                               .count = 1,
                               .values = {{.number = speed * 100}}};

    tpi_packet_put(out, &packet);
}

static void universal_put_request(tpi_buf *out)
{
    const tpi_packet packet = {.waits = true, .most = 8, .command = TPI_READ_ANALOG};

    tpi_packet_put(out, &packet);
}

static void universal_put_panic(tpi_buf *out)
{
    const tpi_packet packet = {.waits = true,
                               .most = 8,
                               .command = TPI_EXTENDED,
                               .count = 1,
                               .values = {{.text = "\n\0\0\0\4test", .length = 9}}};

    tpi_packet_put(out, &packet);
}

static size_t universal_next(const char *bytes, size_t length, suite_answer *what)
{
    tpi_packet_rest rest = {(const uint8_t *)bytes, length};
    uint32_t size = 0;
    uint8_t status = 0;

    if (!tpi_packet_take_u32(&rest, &size) || rest.length < size ||
        !tpi_packet_take_u8(&rest, &status)) {
        return 0;
    }
    *what = status == TPI_PACKET_ERROR ? SUITE_REFUSAL : SUITE_REPLY;
    return 4 + (size_t)size;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void put_letters(tpi_buf *out)
{
    char *room = tpi_buf_reserve(out, 1 << 20);

    assert_non_null(room);
    memset(room, 'x', 1 << 20);
    out->length += 1 << 20;
}

static const suite_front fronts[] = {
    {.front = &tp_front_player,
     .greeting = TP_IDENT_STRLEN,
     .put_open = player_put_open,
     .put_command = player_put_command,
     .put_request = player_put_request,
     .put_panic = player_put_panic,
     .put_huge = put_letters,
     .next = player_next},
    {.front = &tp_front_jsonlines,
     .bad_name = "clients",
     .bad_text = "0",
     .bad_number = 0,
     .bad_message = "clients is a number from 1 to 10000",
     .put_open = json_put_open,
     .put_command = json_put_command,
     .put_request = json_put_request,
     .put_panic = json_put_panic,
     .put_huge = put_letters,
     .next = json_next},
    {.front = &tp_front_motion,
     .bad_name = "clients",
     .bad_text = "0",
     .bad_number = 0,
     .bad_message = "clients must be from 1 to 10000",
     .behind = &motion_puppet,
     .behind_provides = "mechanism:0",
     .publish = motion_puppet_publish,
     .missed = motion_puppet_missed,
     .put_open = motion_put_open,
     .put_command = motion_put_command,
     .put_request = motion_put_request,
     .put_panic = motion_put_panic,
     .put_huge = put_letters,
     .next = motion_next},
    {.front = &tp_front_universal,
     .bad_name = "clients",
     .bad_text = "0",
     .bad_number = 0,
     .bad_message = "clients must be from 1 to 10000",
     .behind = &universal_puppet,
     .behind_provides = "universal:0",
     .has_no_data = true,
     .put_open = universal_put_open,
     .put_command = universal_put_command,
     .put_request = universal_put_request,
     .put_panic = universal_put_panic,
     .put_huge = put_letters,
     .next = universal_next},
};

int main(void)
{
    return front_suite_run(fronts, sizeof fronts / sizeof fronts[0]);
}
