/* mirror.c - a server for fuzz targets; see mirror.h. */
#include "mirror.h"

#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "server/inside.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/opaque.h"
#include "troupe/interfaces/player.h"

/* ---- The driver ------------------------------------------------------------------------------ */

/* Whatever is asked is answered with nothing, except a map's tile; commands come back as data. */
static tp_status mirror_handle(tp_device *device, const tp_message *what, const void *ask,
                               void *answer, tp_error *err)
{
    static int8_t cells[100];

    (void)err;
    if (answer != NULL && what->answer == &tp_desc_map_data) {
        *(tp_map_data *)answer = (tp_map_data){.data_count = sizeof cells, .data = cells};
    }
    if (what->kind == TP_KIND_COMMAND && what->ask == &tp_desc_opaque_data) {
        tp_publish(device, TP_OPAQUE_DATA_STATE, ask, 0);
    }
    return TP_OK;
}

static tp_status mirror_init(tp_instance *self, tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status =
            tp_offer(self, tp_provides_interface(self, i), NULL, NULL, mirror_handle, NULL, err);
    }
    return status;
}

static const tp_driver_ops mirror_ops = {.init = mirror_init};
static const tp_driver mirror = {.abi = TP_DRIVER_ABI,
                                 .name = "mirror",
                                 .summary = "answers everything",
                                 .ops = &mirror_ops,
                                 .flags = TP_DRIVER_ON_LOOP};
static const tp_driver *drivers[3] = {&mirror};
static const char *sections = "";

/* ---- The server ------------------------------------------------------------------------------ */

static int64_t now = 1000 * TP_NS_PER_S;

static int64_t now_ns(const tp_clock *clock)
{
    (void)clock;
    return now;
}

static double wall_s(const tp_clock *clock)
{
    (void)clock;
    return (double)now / (double)TP_NS_PER_S;
}

static const tp_clock still = {.now_ns = now_ns, .wall_s = wall_s};

static tp_server *server(void)
{
    static tp_server *made;
    static const char devices[] =
        "keys [ \"anna operate secret\" ] open yes driver ( name \"mirror\" provides [ "
        "\"position2d:0\" \"laser:0\" \"map:0\" "
        "\"opaque:0\" \"blackboard:0\" \"camera:0\" \"speech:0\" \"ranger:0\" "
        "\"actarray:0\" \"graphics2d:0\" \"vectormap:0\" \"planner:0\" ] )";
    static char text[1024];
    const tp_server_options options = {
        .text = text, .listen = "", .clock = &still, .drivers = drivers};
    tp_error err = {0};

    if (made == NULL) {
        (void)snprintf(text, sizeof text, "%s %s", devices, sections);
        const tp_status status = tp_server_create(&made, &options, &err);
        fuzz_require(status == TP_OK, err.text);
        tp_server_begin(made);
    }
    return made;
}

void mirror_add(const tp_driver *driver, const char *section)
{
    drivers[1] = driver;
    sections = section;
}

tp_hub *mirror_hub(void)
{
    return tp_server_hub(server());
}

tp_loop *mirror_loop(void)
{
    return server()->loop;
}

tp_front_instance *mirror_open(const tp_front *front, const char *address)
{
    const tpi_front_opening opening = {.front = front,
                                       .hub = mirror_hub(),
                                       .loop = mirror_loop(),
                                       .place = {.address = address, .robot = MIRROR_ROBOT}};
    tp_front_instance *instance = NULL;
    tp_error err = {0};
    const tp_status status = tpi_front_open(&instance, &opening, NULL, &err);

    fuzz_require(status == TP_OK, err.text);
    return instance;
}

void mirror_turn(void)
{
    tp_loop_turn(mirror_loop(), false);
}

void mirror_move_clock(int64_t by_ns)
{
    now += by_ns;
}

/* ---- Its answers ----------------------------------------------------------------------------- */

size_t mirror_count(mirror_answers *answers, const unsigned char *bytes, size_t length)
{
    size_t used = 0;

    if (length >= TP_IDENT_STRLEN && memcmp(bytes, "Player v.", 9) == 0) {
        answers->greetings++;
        used = TP_IDENT_STRLEN;
    }
    while (length - used >= TP_XDR_HEADER_SIZE) {
        tp_msghdr header;
        tp_xdr_decode(&tp_desc_msghdr, bytes + used, TP_XDR_HEADER_SIZE, &header, sizeof header);
        fuzz_require(header.type == TP_MSGTYPE_DATA || header.type >= TP_MSGTYPE_RESP_ACK,
                     "the server says what only clients say");
        fuzz_require(header.type <= TP_MSGTYPE_RESP_NACK, "a message of no kind");
        if (length - used - TP_XDR_HEADER_SIZE < header.size) {
            break;
        }
        const bool reply =
            header.type == TP_MSGTYPE_RESP_ACK || header.type == TP_MSGTYPE_RESP_NACK;
        *(reply ? &answers->replies : &answers->others) += 1;
        used += TP_XDR_HEADER_SIZE + header.size;
    }
    return used;
}
