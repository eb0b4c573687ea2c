/*
 * chip.c - making a program ready for a chip.
 *
 * The ports of the devices are filled in. A command without a declared device gets one, unless it
 * means the chip's own default: the device is added to the table, and what lies behind moves.
 */
#include "play/chip.h"

#include <stdlib.h>
#include <string.h>

#include "play/machine.h"
#include "play/opcodes.h"
#include "universal/registry.h"

enum { TYPE_SERVO = 64, ID_INVERTS = 128, MOST_PORTS = 128 };

struct port {
    uint8_t type, id;
};

struct fitter {
    const tpi_play_program *program;
    const uint8_t *image;
    tpi_play_layout layout;
    tpi_registry *registry;
    unsigned count;
    struct port ports[MOST_PORTS];
    int added[TPI_COMMANDS]; /* the device of a command without a declared one; -1 for none */
    tp_error *err;
};

/* ---- Ports ---- */

/* The number of a type of a robot file; -1 if the firmware has none. */
static int type_number(const char *type)
{
    for (unsigned i = 0; i < TPI_TYPE_FIRST_OWN; i++) {
        const char *text = tpi_dictionary_type(i);
        if (text != NULL && tpi_word_equal(text, type)) {
            return (int)i;
        }
    }
    return strcmp(type, "64") == 0 ? TYPE_SERVO : -1;
}

static tp_status port_of(struct fitter *f, const tpi_match *match, struct port *out,
                         const char *who)
{
    const tpi_part *part = &f->registry->wired->parts[match->part];
    const int type = type_number(part->device->type);

    if (type < 0 || part->id > 63) {
        return tp_fail(f->err, TP_E_UNSUPPORTED,
                       "%s: %s of the robot %s is no device of a chip; take --on uno", who,
                       part->device->name, f->registry->wired->robot->identity.name);
    }
    const bool is_input = type == TPI_TYPE_DIGITAL_INPUT || type == TPI_TYPE_ANALOG_INPUT;
    *out = (struct port){(uint8_t)type, (uint8_t)part->id};
    if (match->is_inverted && is_input) {
        out->id |= ID_INVERTS;
    }
    return TP_OK;
}

static tp_status match_devices(struct fitter *f)
{
    for (unsigned i = 0; i < f->program->device_count; i++) {
        const tpi_play_device *device = &f->program->devices[i];
        const int index = tpi_registry_declare(f->registry, device->classes, device->number,
                                               device->command, f->err);
        if (index < 0) {
            return f->err->code;
        }
        const tp_status status =
            port_of(f, &f->registry->ports[index].match, &f->ports[f->count++], device->name);
        if (status != TP_OK) {
            return status;
        }
    }
    return TP_OK;
}

/* ---- Commands ---- */

static bool is_output(unsigned type)
{
    return type == TPI_TYPE_DIGITAL_OUTPUT || type == TPI_TYPE_ANALOG_OUTPUT ||
           type == TYPE_SERVO || type == TPI_TYPE_LOCOMOTOR || type == TPI_TYPE_DRIVE_AXIS;
}

/* Whether the firmware carries a command out with a type of device. */
static bool can(tpi_command command, unsigned type)
{
    switch (command) {
    case TPI_NO_OP:
    case TPI_INITIALIZE:
    case TPI_START:
    case TPI_END:
    case TPI_RESET:
    case TPI_WAIT_TIME:
        return true;
    case TPI_READ_GENERIC:
    case TPI_READ_ANALOG:
    case TPI_READ_DIGITAL:
        return type == TPI_TYPE_DIGITAL_INPUT || type == TPI_TYPE_ANALOG_INPUT;
    case TPI_WRITE_GENERIC:
    case TPI_WRITE_DIGITAL:
    case TPI_WRITE_ANALOG:
    case TPI_INDICATE_TRIGGER:
    case TPI_INDICATE_VALUE:
    case TPI_WRITE_PWM:
        return is_output(type) && type != TYPE_SERVO;
    case TPI_MOVE_POWER:
        return type == TPI_TYPE_LOCOMOTOR || type == TPI_TYPE_DRIVE_AXIS;
    case TPI_DRIVE:
    case TPI_MOVE_MOTORS:
        return type == TPI_TYPE_DRIVE_AXIS;
    case TPI_WRITE_SERVO:
        return type == TYPE_SERVO;
    case TPI_STOP:
        return is_output(type) || type == TPI_TYPE_ALL;
    default:
        return false;
    }
}

static tp_status refuse(struct fitter *f, unsigned at, const char *what, const char *why)
{
    return tp_fail(f->err, TP_E_UNSUPPORTED, "line %u: %s: %s",
                   tpi_play_program_line(f->program, (uint16_t)at), what, why);
}

/* The device of a command without a declared one: added at its first use. */
static tp_status match_default(struct fitter *f, tpi_command command, unsigned at)
{
    const tpi_entry *entry = tpi_dictionary_entry(command);
    const tpi_match *match = tpi_registry_default(f->registry, command, 0);
    struct port port;

    if (!entry->has_port || command == TPI_STOP || f->added[command] >= 0) {
        return TP_OK;
    }
    if (match->part < 0) {
        return refuse(f, at, entry->name, "nothing on this robot can do it");
    }
    const tp_status status = port_of(f, match, &port, entry->name);
    if (status == TP_OK && f->count < MOST_PORTS) {
        f->added[command] = (int)f->count;
        f->ports[f->count++] = port;
    }
    return status;
}

static tp_status check_command(struct fitter *f, unsigned at)
{
    const unsigned code = (unsigned)(f->image[at + 1] | f->image[at + 2] << 8);
    const unsigned device = f->image[at + 3];
    const tpi_command command = tpi_dictionary_code((uint16_t)code);

    if (code == TPI_PLAY_PRINT_CODE || code == TPI_PLAY_LOG_CODE) {
        return TP_OK;
    }
    if (command >= TPI_COMMANDS) {
        return refuse(f, at, "this command", "there is none with its code");
    }
    const tpi_entry *entry = tpi_dictionary_entry(command);
    if (entry->sort == TPI_SORT_CHANNEL) {
        return refuse(f, at, entry->name, "a chip has no channels; run it on a computer");
    }
    const bool is_default = device == TPI_PLAY_NO_DEVICE;
    if (is_default) {
        const tp_status status = match_default(f, command, at);
        if (status != TP_OK) {
            return status;
        }
    }
    const unsigned type = !is_default              ? f->ports[device].type
                          : f->added[command] >= 0 ? f->ports[f->added[command]].type
                                                   : TPI_TYPE_ALL;
    if (!can(command, type)) {
        return refuse(f, at, entry->name,
                      "the chip cannot do this with the device; run it on a computer");
    }
    return TP_OK;
}

static tp_status check_commands(struct fitter *f)
{
    tp_status status = TP_OK;

    for (unsigned at = f->layout.code; at < f->layout.length && status == TP_OK;
         at += tpi_play_opcode_size(f->image[at])) {
        if (f->image[at] == TPI_PLAY_OP_DO) {
            status = check_command(f, at);
        }
    }
    return status;
}

/* ---- The image ---- */

static void move_word(uint8_t *at, unsigned by)
{
    const unsigned value = (unsigned)(at[0] | at[1] << 8) + by;

    at[0] = (uint8_t)(value & 0xff);
    at[1] = (uint8_t)(value >> 8);
}

/* Copy the image with the new devices; places behind them move. */
static void put_image(const struct fitter *f, tpi_buf *out)
{
    const tpi_play_layout *l = &f->layout;
    const size_t start = out->length;
    const unsigned by = (f->count - l->device_count) * (unsigned)TPI_PLAY_PORT_SIZE;

    tpi_buf_put(out, f->image, l->ports);
    for (unsigned i = 0; i < f->count; i++) {
        tpi_buf_putc(out, (char)f->ports[i].type);
        tpi_buf_putc(out, (char)f->ports[i].id);
    }
    tpi_buf_put(out, f->image + l->constants, l->length - (size_t)l->constants);
    if (out->failed) {
        return;
    }
    uint8_t *image = (uint8_t *)out->data + start;
    image[TPI_PLAY_AT_DEVICES] = (uint8_t)f->count;
    move_word(image + TPI_PLAY_AT_LENGTH, by);
    move_word(image + TPI_PLAY_AT_CODE, by);
    for (unsigned i = 0; i < l->task_count; i++) {
        move_word(image + l->tasks + i * TPI_PLAY_TASK_SIZE, by);
    }
    for (unsigned i = 0; i < l->function_count; i++) {
        move_word(image + l->functions + i * TPI_PLAY_FUNCTION_SIZE, by);
    }
    for (unsigned at = l->code; at < l->length; at += tpi_play_opcode_size(f->image[at])) {
        const tpi_command command =
            tpi_dictionary_code((uint16_t)(f->image[at + 1] | f->image[at + 2] << 8));
        if (f->image[at] == TPI_PLAY_OP_DO && f->image[at + 3] == TPI_PLAY_NO_DEVICE &&
            command < TPI_COMMANDS && f->added[command] >= 0) {
            image[at + by + 3] = (uint8_t)f->added[command];
        }
    }
    const size_t length = out->length - start;
    const uint16_t sum =
        tpi_play_checksum(0xffff, image + TPI_PLAY_AT_VERSION, length - TPI_PLAY_AT_VERSION);
    image[TPI_PLAY_AT_CHECKSUM] = (uint8_t)(sum & 0xff);
    image[TPI_PLAY_AT_CHECKSUM + 1] = (uint8_t)(sum >> 8);
}

static tp_status fit(struct fitter *f, tpi_buf *out, const tpi_play_chip *chip)
{
    const size_t start = out->length;
    tp_status status = match_devices(f);

    status = status == TP_OK ? check_commands(f) : status;
    if (status != TP_OK) {
        return status;
    }
    put_image(f, out);
    if (out->failed) {
        return tp_fail(f->err, TP_E_NOMEM, "out of memory");
    }
    const size_t length = out->length - start;
    if (length > chip->bytes) {
        return tp_fail(f->err, TP_E_LIMIT,
                       "the program has %zu bytes, %zu more than the %u of the chip", length,
                       length - chip->bytes, chip->bytes);
    }
    if (f->layout.registers > chip->cells) {
        return tp_fail(f->err, TP_E_LIMIT,
                       "the program has %u variables and values in between, the chip has %u",
                       f->layout.registers, chip->cells);
    }
    return tpi_play_verify((const uint8_t *)out->data + start, length, f->err);
}

tp_status tpi_play_fit_chip(tpi_buf *image, const tpi_play_program *program, const tpi_wired *wired,
                            bool is_loose, const tpi_play_chip *chip, tp_error *err)
{
    tpi_registry *registry = calloc(1, sizeof *registry);
    struct fitter *f = calloc(1, sizeof *f);
    tp_status status = TP_E_NOMEM;

    if (registry == NULL || f == NULL) {
        tp_fail(err, TP_E_NOMEM, "out of memory");
    } else {
        f->program = program;
        f->image = (const uint8_t *)program->image.data;
        f->registry = registry;
        f->err = err;
        memset(f->added, 0xff, sizeof f->added);
        tpi_play_layout_read(&f->layout, f->image);
        tpi_registry_init(registry, wired, is_loose);
        status = fit(f, image, chip);
        tpi_registry_fini(registry);
    }
    free(registry);
    free(f);
    return status;
}
