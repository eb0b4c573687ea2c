/*
 * motion_front_fuzz.c - any bytes as what a client of the motion front sends, cut into pieces.
 *
 * The first byte says how they are cut. A SYNC is sent behind them, after as many bytes as the last
 * package lacks. What comes back is whole packages of kind reply. Every SYNC that can be read is
 * answered once, and so is the last one: the front has kept its place in the stream. A header with
 * PANIC raises one, and nothing else does. The connection is closed only if a package does not
 * begin with `RT`.
 */
#include <stdlib.h>
#include <string.h>

#include "caller.h"
#include "device/hub.h"
#include "fuzz.h"
#include "mirror.h"
#include "motion/package.h"
#include "troupe/driver.h"
#include "troupe/interfaces/mechanism.h"

extern const tp_front tp_front_motion;

enum {
    MOST_TURNS = 4000,
    TURN_NS = 100000,
    MEMBERS = 8,
    ROOM = 1 << 17,
    LONGEST_SURE = 4096, /* payloads beyond this may be refused for their length */
    LONGEST_REST = 1 << 20,
};

/* ---- A robot that answers every record with a signal ----------------------------------------- */

struct member {
    bool used;
    uint8_t token[TP_MECHANISM_TOKEN];
    tp_ticket *waits;
    uint8_t bytes[ROOM];
    uint32_t length, records;
};

static struct member members[MEMBERS];

static struct member *find(const uint8_t *token)
{
    for (int i = 0; i < MEMBERS; i++) {
        if (members[i].used && memcmp(members[i].token, token, sizeof members[i].token) == 0) {
            return &members[i];
        }
    }
    return NULL;
}

static tp_status join(tp_device *device, const tp_mechanism_join *ask, tp_mechanism_joined *answer,
                      tp_error *err)
{
    int i = 0;

    (void)device;
    while (i < MEMBERS && members[i].used) {
        i++;
    }
    if (i == MEMBERS) {
        return tp_fail(err, TP_E_LIMIT, "the robot has no place");
    }
    memset(&members[i], 0, sizeof members[i]);
    members[i].used = true;
    memcpy(members[i].token, ask->token, sizeof ask->token);
    answer->client = (uint32_t)i + 1;
    return TP_OK;
}

static tp_status leave(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)device;
    fuzz_require(member != NULL, "a client leaves that was not there");
    (void)err;
    if (member->waits != NULL) {
        tp_ticket_fail(member->waits, TP_E_CLOSED, "left");
    }
    member->used = false;
    return TP_OK;
}

static tp_status heard(tp_device *device, const tp_mechanism_client *ask, tp_error *err)
{
    (void)device;
    (void)err;
    fuzz_require(find(ask->token) != NULL, "a client is heard that was not there");
    return TP_OK;
}

static void tell(struct member *member)
{
    const tp_mechanism_waiting answer = {member->records};
    tp_ticket *ticket = member->waits;

    if (ticket != NULL && member->records > 0) {
        member->waits = NULL;
        tp_ticket_answer(ticket, &answer);
    }
}

static tp_status wait_for(tp_device *device, const tp_mechanism_client *ask,
                          tp_mechanism_waiting *answer, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)answer;
    (void)err;
    fuzz_require(member != NULL && member->waits == NULL, "two wait for the same records");
    member->waits = tp_device_defer(device);
    tell(member);
    return TP_PENDING;
}

static tp_status take(tp_device *device, const tp_mechanism_client *ask,
                      tp_mechanism_records *answer, tp_error *err)
{
    struct member *member = find(ask->token);

    (void)device;
    (void)err;
    fuzz_require(member != NULL, "records of a client that is not there");
    *answer = (tp_mechanism_records){member->records, member->length, member->bytes};
    member->length = member->records = 0;
    return TP_OK;
}

static tp_status take_package(tp_device *device, const tp_mechanism_package *ask, tp_error *err)
{
    struct member *member = find(ask->token);
    const tpi_motion_signalled done = {.final = 1, .text = ""};
    tpi_motion_header header;
    tpi_motion_record record;
    bool foreign;
    size_t at = 0;

    (void)device;
    fuzz_require(member != NULL, "a package of a client that is not there");
    fuzz_require(tpi_motion_header_get(&header, ask->bytes, &foreign, NULL) == TP_OK &&
                     ask->bytes_count == TPI_MOTION_HEADER + (size_t)header.size,
                 "a package that is none");
    if (tpi_motion_payload_check(&header, ask->bytes + TPI_MOTION_HEADER, err) != TP_OK) {
        return TP_E_INVALID;
    }
    while (at < header.size && tpi_motion_record_next(&record, ask->bytes + TPI_MOTION_HEADER,
                                                      header.size, &at, NULL) == TP_OK) {
        const size_t size =
            tpi_motion_record_put(member->bytes + member->length, ROOM - member->length,
                                  TPI_MOTION_SIGNAL, record.tag, &done);

        member->length += (uint32_t)size;
        member->records += size > 0;
    }
    tell(member);
    return TP_OK;
}

static tp_status init(tp_instance *self, tp_error *err)
{
    static const tp_mechanism_ops ops = {.req_join = join,
                                         .req_watch = join,
                                         .req_leave = leave,
                                         .req_heard = heard,
                                         .req_wait = wait_for,
                                         .req_take = take,
                                         .req_ask = take_package,
                                         .req_play = take_package,
                                         .req_promote = heard};

    return tp_offer(self, &tp_interface_mechanism, NULL, &ops, NULL, NULL, err);
}

static const tp_driver_ops echo_ops = {.init = init};
static const tp_driver echo = {.abi = TP_DRIVER_ABI,
                               .name = "echo",
                               .summary = "answers every record",
                               .ops = &echo_ops,
                               .flags = TP_DRIVER_ON_LOOP};

/* ---- What is said ---------------------------------------------------------------------------- */

/* What the input asks for, by its bytes. */
struct wanted {
    unsigned syncs, more_syncs; /* surely answered; perhaps, in packages that may be too long */
    bool panics, foreign;
    size_t lacks; /* bytes of the last package */
};

static unsigned count_syncs(const tpi_motion_header *header, const uint8_t *payload)
{
    tpi_motion_record record;
    unsigned count = 0;
    size_t at = 0;

    if (header->kind != TPI_MOTION_SESSION || (header->flags & TPI_MOTION_RESET) != 0 ||
        tpi_motion_payload_check(header, payload, NULL) != TP_OK) {
        return 0;
    }
    while (at < header->size &&
           tpi_motion_record_next(&record, payload, header->size, &at, NULL) == TP_OK) {
        count += record.code == TPI_MOTION_SYNC;
    }
    return count;
}

static struct wanted look_at(const uint8_t *data, size_t size)
{
    struct wanted wanted = {0};
    size_t at = 0;

    while (size - at >= TPI_MOTION_HEADER && wanted.lacks == 0) {
        const uint8_t *bytes = data + at;
        const size_t payload =
            (size_t)bytes[12] << 24 | (size_t)bytes[13] << 16 | (size_t)bytes[14] << 8 | bytes[15];
        const size_t left = size - at - TPI_MOTION_HEADER;
        tpi_motion_header header;
        bool foreign;

        if (bytes[0] != 'R' || bytes[1] != 'T') {
            wanted.foreign = true;
            return wanted;
        }
        wanted.panics = wanted.panics || tpi_motion_is_panic(bytes);
        wanted.lacks = payload > left ? payload - left : 0;
        if (wanted.lacks == 0 && !tpi_motion_is_panic(bytes) &&
            tpi_motion_header_get(&header, bytes, &foreign, NULL) == TP_OK) {
            *(payload <= LONGEST_SURE ? &wanted.syncs : &wanted.more_syncs) +=
                count_syncs(&header, bytes + TPI_MOTION_HEADER);
        }
        at += TPI_MOTION_HEADER + (payload < left ? payload : left);
    }
    if (wanted.lacks == 0 && size > at) {
        wanted.lacks = TPI_MOTION_HEADER - (size - at); /* of a header: it becomes a foreign one */
    }
    return wanted;
}

/* A package with one SYNC. */
static size_t put_sync(uint8_t *out, size_t space)
{
    const tpi_motion_sync body = {1};
    const size_t size = tpi_motion_record_put(out + TPI_MOTION_HEADER, space - TPI_MOTION_HEADER,
                                              TPI_MOTION_SYNC, 7, &body);
    const tpi_motion_header header = {
        .kind = TPI_MOTION_SESSION, .records = 1, .size = (uint32_t)size};

    tpi_motion_header_put(out, &header);
    return TPI_MOTION_HEADER + size;
}

/* ---- What comes back ------------------------------------------------------------------------- */

static const caller *us;
static size_t counted;
static unsigned syncs;

static void count_package(const tpi_motion_header *header, const uint8_t *payload)
{
    tpi_motion_record record;
    size_t at = 0;

    fuzz_require(header->kind == TPI_MOTION_REPLY &&
                     tpi_motion_payload_check(header, payload, NULL) == TP_OK,
                 "a reply that is none");
    while (at < header->size &&
           tpi_motion_record_next(&record, payload, header->size, &at, NULL) == TP_OK) {
        syncs += record.code == (TPI_MOTION_SYNC | TPI_MOTION_ANSWER);
    }
}

static void count(void)
{
    while (us->length - counted >= TPI_MOTION_HEADER) {
        const uint8_t *bytes = us->received + counted;
        tpi_motion_header header;
        bool foreign;

        fuzz_require(tpi_motion_header_get(&header, bytes, &foreign, NULL) == TP_OK,
                     "a header of the server that is none");
        if (us->length - counted - TPI_MOTION_HEADER < header.size) {
            return;
        }
        count_package(&header, bytes + TPI_MOTION_HEADER);
        counted += TPI_MOTION_HEADER + (size_t)header.size;
    }
}

static void turn(void)
{
    mirror_move_clock(TURN_NS);
    mirror_turn();
    count();
}

static uint32_t panic_epoch(bool *on)
{
    tp_panic_state *state = NULL;

    fuzz_require(tp_hub_panic(mirror_hub(), &state) == TP_OK, "no state of the panic");
    const uint32_t epoch = state->epoch;
    *on = state->active != 0;
    free(state);
    return epoch;
}

/* A panic of the input before is over. */
static void begin(void)
{
    bool on;
    const uint32_t epoch = panic_epoch(&on);

    fuzz_require(!on || tpi_hub_reset_panic(mirror_hub(), epoch, "fuzz"), "the panic is not over");
    us = caller_connect(&tp_front_motion);
    counted = syncs = 0;
}

/* How many bytes behind the input end its last package, and what is wanted then; too many if that
 * is over LONGEST_REST. A header may lack bytes, and its payload as well. */
static size_t complete(const uint8_t *data, size_t size, struct wanted *wanted)
{
    uint8_t *all = calloc(1, size + LONGEST_REST + 1);
    size_t rest = 0;

    fuzz_require(all != NULL, "no memory");
    memcpy(all, data, size);
    *wanted = look_at(all, size);
    while (wanted->lacks > 0 && rest + wanted->lacks <= LONGEST_REST) {
        rest += wanted->lacks;
        *wanted = look_at(all, size + rest);
    }
    rest += wanted->lacks;
    if (rest > LONGEST_REST) {
        *wanted = look_at(all, size); /* nothing is said behind it */
    }
    free(all);
    return rest;
}

/* Say the rest of the last package and a SYNC, and wait for the answers. */
static void say_last(size_t rest, struct wanted *wanted)
{
    static const uint8_t zeros[LONGEST_REST];
    uint8_t sync[128];

    caller_say(zeros, rest);
    caller_say(sync, put_sync(sync, sizeof sync));
    wanted->syncs++;
    for (int i = 0; i < MOST_TURNS && !us->ended && syncs < wanted->syncs; i++) {
        turn();
    }
    fuzz_require(wanted->foreign || syncs >= wanted->syncs, "a SYNC is not answered");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    struct wanted wanted;
    bool on;

    if (!made) {
        made = true;
        mirror_add(&echo, "driver ( name \"echo\" provides [ \"mechanism:0\" ] )");
    }
    if (size == 0) {
        return 0;
    }
    const size_t rest = complete(data + 1, size - 1, &wanted);
    begin();
    const uint32_t before = panic_epoch(&on);
    caller_say_in_pieces(data[0], data + 1, size - 1);
    if (rest <= LONGEST_REST) {
        say_last(rest, &wanted);
    }
    for (int i = 0; i < MOST_TURNS && wanted.foreign && !us->ended; i++) {
        turn();
    }
    turn();
    fuzz_require(syncs <= wanted.syncs + wanted.more_syncs, "a SYNC is answered twice");
    fuzz_require(us->ended == wanted.foreign, "closed without a reason, or not closed");
    fuzz_require((panic_epoch(&on) != before) == wanted.panics, "a panic too many, or none");
    caller_close();
    return 0;
}
