/*
 * bitlogic - several digital devices as one, by a function of their bits.
 *
 * Each slot is a dio that it offers, with the key "0", "1" and so on. What is commanded there is
 * joined by and, or, xor or their opposites. The result goes out as data of all slots; if there is
 * a dio behind it, as commands to that one, whose data is then that of all slots.
 */
#include <stdio.h>
#include <string.h>

#include "forward.h"
#include "troupe/driver/dio.h"

enum { MOST_SLOTS = 16, MOST_BITS = 32 };

struct bitlogic {
    tp_device *slots[MOST_SLOTS]; /* borrowed */
    tp_link *out;                 /* borrowed; NULL if there is none */
    uint32_t slot_count;
    uint32_t bits[MOST_SLOTS];
    uint32_t told; /* a bit for each slot that was commanded since the result was sent */
    uint32_t count;
    uint32_t first, first_count; /* of `init_bits` */
    char function;               /* the first letter of and, or, xor */
    bool negated;
    bool waits;
};

static const tp_param bitlogic_params[] = {
    {"function", NULL, NULL, "and, or, xor, nand, nor or nxor"},
    {"slots", "1", "1", "number of devices that it offers, 1 to 16"},
    {"init_bits", NULL, "00000000000000000000000000000000",
     "bits of each slot at the start, the lowest one last"},
    {"wait_for_all", "1", "1", "1 if each slot has to be commanded before the result is sent on"},
    {NULL, NULL, NULL, NULL},
};

/* Bits that the devices do not have are 0. */
static uint32_t compute(const struct bitlogic *b)
{
    const uint32_t mask = b->count >= MOST_BITS ? UINT32_MAX : (1u << b->count) - 1;
    uint32_t bits = b->bits[0];

    for (uint32_t i = 1; i < b->slot_count; i++) {
        bits = b->function == 'a'   ? bits & b->bits[i]
               : b->function == 'o' ? bits | b->bits[i]
                                    : bits ^ b->bits[i];
    }
    return (b->negated ? ~bits : bits) & mask;
}

static void tell(const struct bitlogic *b)
{
    const tp_dio_data data = {.count = b->count, .bits = compute(b)};

    for (uint32_t i = 0; i < b->slot_count && b->out == NULL; i++) {
        tp_dio_publish_values(b->slots[i], &data, 0);
    }
}

static uint32_t slot_of(const struct bitlogic *b, const tp_device *device)
{
    uint32_t i = 0;

    while (b->slots[i] != device) {
        i++;
    }
    return i;
}

static tp_status set(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct bitlogic *b = tp_instance_state(tp_device_instance(device));
    const uint32_t all = (1u << b->slot_count) - 1;

    if (ask->count > MOST_BITS) {
        return tp_fail(err, TP_E_RANGE, "there are 32 bits, not %u", ask->count);
    }
    b->count = ask->count > b->count ? ask->count : b->count;
    b->bits[slot_of(b, device)] = ask->digout;
    b->told |= 1u << slot_of(b, device);
    if (b->out != NULL && (!b->waits || b->told == all)) {
        const tp_dio_cmd command = {.count = b->count, .digout = compute(b)};
        b->told = 0;
        tp_link_command(b->out, TP_DIO_CMD_VALUES, &command);
    }
    tell(b);
    return TP_OK;
}

static const tp_dio_ops bitlogic_dio = {.cmd_values = set};

static void bitlogic_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    const struct bitlogic *b = tp_instance_state(self);

    for (uint32_t i = 0; i < b->slot_count && from == b->out; i++) {
        tpi_forward_data(b->slots[i], msg);
    }
}

static tp_status read_function(tp_instance *self, struct bitlogic *b, tp_error *err)
{
    static const char *const names[] = {"and", "or", "xor", "nand", "nor", "nxor"};
    const char *text = tp_param_string(self, "function");

    tp_param_blame(self, "function");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            b->negated = i >= 3;
            b->function = names[i % 3][0];
            return TP_OK;
        }
    }
    return tp_fail(err, TP_E_INVALID, "function \"%s\" is none of and, or, xor, nand, nor and nxor",
                   text);
}

static tp_status read_settings(tp_instance *self, struct bitlogic *b, tp_error *err)
{
    const char *text = tp_param_string(self, "init_bits");
    const size_t length = strlen(text);
    const int64_t slots = tp_param_int(self, "slots");

    for (size_t i = 0; i < length; i++) {
        b->first = b->first << 1 | (text[i] == '1');
    }
    b->first_count = (uint32_t)length;
    b->waits = tp_param_double(self, "wait_for_all") != 0;
    tp_param_blame(self, "slots");
    if (slots < 1 || slots > MOST_SLOTS) {
        return tp_fail(err, TP_E_RANGE, "slots is not 1 to %d", MOST_SLOTS);
    }
    b->slot_count = (uint32_t)slots;
    tp_param_blame(self, "init_bits");
    if (length < 1 || length > MOST_BITS || strspn(text, "01") != length) {
        return tp_fail(err, TP_E_INVALID, "init_bits \"%s\" is not 1 to 32 digits 0 or 1", text);
    }
    return read_function(self, b, err);
}

static tp_status bitlogic_init(tp_instance *self, tp_error *err)
{
    struct bitlogic *b = tp_instance_state(self);
    tp_status status = read_settings(self, b, err);
    char key[12];

    if (status == TP_OK) {
        status = tp_require(self, &tp_interface_dio, NULL, &b->out, NULL);
        status = status == TP_E_UNKNOWN ? TP_OK : status;
    }
    for (uint32_t i = 0; i < b->slot_count && status == TP_OK; i++) {
        snprintf(key, sizeof key, "%u", i);
        status = tp_offer_dio(self, key, &bitlogic_dio, &b->slots[i], err);
    }
    if (b->out != NULL) {
        tp_link_report(b->out);
    }
    return status;
}

static tp_status bitlogic_start(tp_instance *self, tp_error *err)
{
    struct bitlogic *b = tp_instance_state(self);

    (void)err;
    b->count = b->first_count;
    b->told = 0;
    for (uint32_t i = 0; i < b->slot_count; i++) {
        b->bits[i] = b->first;
    }
    tell(b);
    tp_instance_set_period(self, TP_NS_PER_S / 10);
    return TP_OK;
}

/* Readers hear the bits now and then, also if nothing changes. */
static tp_status bitlogic_poll(tp_instance *self, tp_error *err)
{
    (void)err;
    tell(tp_instance_state(self));
    return TP_OK;
}

/* What was commanded is forgotten. */
static void bitlogic_halt(tp_device *device, tp_halt how)
{
    struct bitlogic *b = tp_instance_state(tp_device_instance(device));

    (void)how; /* the other device's own configuration says */
    b->bits[slot_of(b, device)] = b->first;
    b->told &= ~(1u << slot_of(b, device));
    if (b->out != NULL) {
        tp_link_halt(b->out);
    }
}

static const tp_driver_ops bitlogic_ops = {
    .init = bitlogic_init,
    .start = bitlogic_start,
    .poll = bitlogic_poll,
    .data = bitlogic_data,
    .halt = bitlogic_halt,
};

TP_API const tp_driver tp_driver_bitlogic = {
    .abi = TP_DRIVER_ABI,
    .name = "bitlogic",
    .summary = "joins the bits of several digital devices by and, or, xor",
    .state_size = sizeof(struct bitlogic),
    .params = bitlogic_params,
    .ops = &bitlogic_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
