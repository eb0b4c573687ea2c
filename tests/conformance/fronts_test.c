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
extern const tp_front tp_front_web;

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

/* ---- Web: WebSocket, and HTTP for the panic ---------------------------------------------------
 */

#if TROUPE_WEB
enum { NUMBER = 1 }; /* of position2d:0 */

/* A frame of a client, with a mask that changes nothing. */
static void put_frame(tpi_buf *out, unsigned opcode, const void *bytes, size_t length)
{
    const bool tiny = length < 126;
    const unsigned char head[] = {(unsigned char)(0x80 | opcode),
                                  (unsigned char)(0x80 | (tiny ? length : 126)),
                                  (unsigned char)(length >> 8), (unsigned char)length};

    tpi_buf_put(out, head, tiny ? 2 : 4);
    tpi_buf_put(out, "\0\0\0", 4);
    tpi_buf_put(out, bytes, length);
}

static void put_text(tpi_buf *out, const char *text)
{
    put_frame(out, 1, text, strlen(text));
}

static void web_put_request(tpi_buf *out)
{
    const uint32_t service = NUMBER * 256 + TP_POSITION2D_REQ_GET_GEOM;
    unsigned char call[17] = {2, (unsigned char)service, (unsigned char)(service >> 8)};

    call[5] = 7; /* its number */
    call[9] = 4; /* letters of its encoding */
    memcpy(call + 13, "json", 4);
    put_frame(out, 2, call, sizeof call);
}

static void put_upgrade(tpi_buf *out, const char *path, const char *protocol)
{
    tpi_buf_printf(out,
                   "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                   "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                   "Sec-WebSocket-Protocol: %s\r\n\r\n",
                   path, protocol);
}

static void web_put_open(tpi_buf *out)
{
    char text[96];

    put_upgrade(out, "/ws?brief=1", "foxglove.websocket.v1");
    (void)snprintf(text, sizeof text,
                   "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":5,\"channelId\":%u}]}",
                   (unsigned)(NUMBER * 1024 + TP_POSITION2D_DATA_STATE));
    put_text(out, text);
    put_text(out, "{\"op\":\"advertise\",\"channels\":[{\"id\":3,\"encoding\":\"json\",\"topic\":"
                  "\"/6665/position2d/0/cmd/VEL\"}]}");
    web_put_request(out);
}

static void web_put_command(tpi_buf *out, double speed)
{
    char bytes[64] = {1, 3, 0, 0, 0};
    const int length = snprintf(bytes + 5, sizeof bytes - 5, "{\"vel\":{\"px\":%g}}", speed);

    put_frame(out, 2, bytes, 5 + (size_t)length);
}

static void web_put_panic(tpi_buf *out)
{
    put_upgrade(out, "/stop", "troupe.stop.v1");
    put_text(out, "{\"op\":\"panic\",\"why\":\"test\"}");
}

/* The length of an answer of HTTP, 0 if it is not whole. */
static size_t http_length(const char *bytes, size_t length)
{
    char head[2048] = "";
    size_t body = 0;

    memcpy(head, bytes, length < sizeof head - 1 ? length : sizeof head - 1);
    const char *end = strstr(head, "\r\n\r\n");
    const char *said = strstr(head, "Content-Length: ");
    if (end == NULL) {
        return 0;
    }
    if (said != NULL) {
        (void)sscanf(said, "Content-Length: %zu", &body);
    }
    const size_t whole = (size_t)(end - head) + 4 + body;
    return whole <= length ? whole : 0;
}

static suite_answer frame_kind(const char *payload, size_t length, bool binary)
{
    static const char failure[] = "{\"op\":\"serviceCallFailure\"";
    static const char panic[] = "{\"op\":\"panic\",\"active\":true";

    if (binary) {
        return payload[0] == 1 ? SUITE_DATA : payload[0] == 3 ? SUITE_REPLY : SUITE_OTHER;
    }
    if (length >= sizeof failure && memcmp(payload, failure, sizeof failure - 1) == 0) {
        return SUITE_REFUSAL;
    }
    return length >= sizeof panic && memcmp(payload, panic, sizeof panic - 1) == 0 ? SUITE_REPLY
                                                                                   : SUITE_OTHER;
}

static size_t web_next(const char *bytes, size_t length, suite_answer *what)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t head = 2, payload;

    if (length < 4 || memcmp(bytes, "HTTP", 4) == 0) {
        const size_t whole = length < 4 ? 0 : http_length(bytes, length);

        *what = whole == 0                         ? SUITE_NONE
                : memcmp(bytes + 9, "200", 3) == 0 ? SUITE_REPLY
                                                   : SUITE_OTHER;
        return whole;
    }
    payload = at[1];
    if (payload == 126) {
        payload = (size_t)at[2] << 8 | at[3];
        head = 4;
    } else if (payload == 127) {
        if (length < 10) {
            return 0;
        }
        payload = (size_t)at[6] << 24 | (size_t)at[7] << 16 | (size_t)at[8] << 8 | at[9];
        head = 10;
    }
    if (length < head + payload) {
        return 0;
    }
    *what = frame_kind(bytes + head, payload, (at[0] & 15) == 2);
    return head + payload;
}
#endif

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
#if TROUPE_WEB
    {.front = &tp_front_web,
     .bad_name = "clients",
     .bad_text = "0",
     .bad_number = 0,
     .bad_message = "clients must be from 1 to 10000",
     .put_open = web_put_open,
     .put_command = web_put_command,
     .put_request = web_put_request,
     .put_panic = web_put_panic,
     .put_huge = put_letters,
     .next = web_next},
#endif
};

int main(void)
{
    return front_suite_run(fronts, sizeof fronts / sizeof fronts[0]);
}
