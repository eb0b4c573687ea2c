/*
 * line.c - packets of the universal protocol on the serial line (docs/universal-protocol.md).
 *
 * A packet that is cut, or that announces more bytes than fit, is forgotten when the line has been
 * quiet for a while: the next byte then begins a packet. What the host moves by commands goes off
 * when the host says nothing for 5 s.
 */
#include "chip.h"
#include "play/image.h"
#include "play/tables.h"
#include "sizes.h"

enum { QUIET_MS = 50, LEASE_MS = 5000 };
enum { EXTENDED = 0x5000, FIRST_WRITE = 0x3000, STOP_CODE = 0x3012, END_CODE = 3, RESET_CODE = 4 };
enum { LOAD = 16, RUN = 17, HALT = 18, STATE = 19, WATCH = 20 };
enum { FIRMWARE_VERSION = 1 };

static uint8_t packet[CHIP_PACKET];
static uint8_t have;     /* bytes of a packet, its length first */
static bool is_deaf;     /* until the line is quiet */
static uint32_t last_ms; /* when the last byte came */
static bool holds;       /* the host has moved something */
static uint8_t at;       /* the next byte that is read */
static bool is_short;    /* more was read than was there */

static uint8_t values[32]; /* of the reply */
static uint8_t value_count;

static uint32_t number;       /* of the command */
static uint32_t failed;       /* the number of a command without a reply that failed; 0 for none */
static uint8_t failed_reason; /* its error */

/* ---- Bytes ---- */

static uint8_t get(void)
{
    is_short = is_short || at >= have;
    return is_short ? 0 : packet[at++];
}

static uint16_t get_word(void)
{
    const uint8_t high = get();

    return (uint16_t)((uint16_t)(high << 8) | get());
}

static uint32_t get_long(void)
{
    const uint16_t high = get_word();

    return (uint32_t)high << 16 | get_word();
}

static void put(uint8_t byte)
{
    values[value_count++] = byte;
}

static void put_word(uint16_t word)
{
    put((uint8_t)(word >> 8));
    put((uint8_t)word);
}

static void send_long(uint32_t value)
{
    for (uint8_t shift = 32; shift > 0;) {
        shift = (uint8_t)(shift - 8);
        board_send((uint8_t)(value >> shift));
    }
}

/* ---- Values ---- */

/* A double of the line as a float: of its 52 bits the first 23. */
static float get_double(void)
{
    const uint16_t head = get_word();
    const uint32_t body = get_long();
    int16_t exponent = (int16_t)((head >> 4 & 0x7ffu) - 1023 + 127);
    tpi_play_cell cell;

    (void)get_word();
    cell.as.bits = ((uint32_t)(head & 15u) << 19 | body >> 13) + (body >> 12 & 1u);
    if (exponent <= 0) {
        exponent = 0;
        cell.as.bits = 0;
    } else if (exponent >= 255) { /* infinite, or no number */
        exponent = 255;
        cell.as.bits = (head & 0x7ff0u) == 0x7ff0u && cell.as.bits != 0 ? 0x400000u : 0;
    }
    cell.as.bits += (uint32_t)(uint16_t)exponent << 23;
    cell.as.bits |= (uint32_t)(head & 0x8000u) << 16;
    return cell.as.f;
}

static void put_double(const tpi_play_cell *cell)
{
    const uint32_t mantissa = cell->as.bits & 0x7fffffu;
    uint16_t exponent = (uint16_t)(cell->as.bits >> 23 & 0xffu);

    exponent = exponent == 0 ? 0 : exponent == 255 ? 0x7ff : (uint16_t)(exponent + 1023 - 127);
    put_word(
        (uint16_t)((cell->as.bits >> 16 & 0x8000u) | exponent << 4 | (uint16_t)(mantissa >> 19)));
    put_word((uint16_t)(mantissa >> 3));
    put_word((uint16_t)(mantissa << 13));
    put_word(0);
}

static uint8_t get_values(const act *what, tpi_play_cell *row)
{
    uint8_t count = 0;

    for (; count < what->values && at < have; count++) {
        row[count].tag = TPI_PLAY_FLOAT;
        row[count].as.f = 0.0f;
        if (what->kind == KIND_NUMBER) {
            row[count].as.f = get_double();
        } else {
            row[count].as.i = what->kind == KIND_TRUTH ? get() : (uint8_t)get_word();
            row[count].tag = TPI_PLAY_INT;
        }
    }
    return count;
}

/* ---- The program ---- */

static uint8_t load(void)
{
    const uint16_t place = get_word(), sum = get_word();
    uint16_t found = tpi_play_checksum_byte(0xffff, (uint8_t)(place >> 8));

    found = tpi_play_checksum_byte(found, (uint8_t)place);
    for (uint8_t i = at; i < have; i++) {
        found = tpi_play_checksum_byte(found, packet[i]);
    }
    const uint8_t count = (uint8_t)(have - at);
    if (is_short || found != sum || place > CHIP_STORE || count > CHIP_STORE - place) {
        return ACT_BAD_VALUE;
    }
    program_stop();
    the_program.state = PROGRAM_NONE;
    /* From the end: the first byte, without which nothing is a program, comes last. */
    while (have > at) {
        have--;
        board_write((uint16_t)(place + have - at), packet[have]);
        board_feed();
    }
    return ACT_FINE;
}

static void put_state(void)
{
    put(FIRMWARE_VERSION);
    put(the_program.state);
    put(the_program.reason);
    put_word(the_program.at);
    for (uint8_t i = TPI_PLAY_AT_CHECKSUM; i <= TPI_PLAY_AT_LENGTH + 1; i++) {
        put(board_read(i));
    }
    put_word(CHIP_STORE);
    put(CHIP_CELLS);
    put(CHIP_FRAMES);
    put_word(board_untouched());
}

/* Functions of Extended. Its value and its result are bytes behind a length. */
static uint8_t extend(void)
{
    uint8_t error = ACT_FINE;

    if (get_long() != (uint32_t)(have - at) || is_short) {
        return ACT_BAD_VALUE;
    }
    value_count = 4; /* for the length */
    switch (get()) {
    case LOAD:
        error = load();
        break;
    case RUN:
        the_program.watch = get();
        program_start();
        put_state();
        break;
    case HALT:
        program_stop();
        break;
    case WATCH:
        the_program.watch = get();
        break;
    case STATE:
        put_state();
        break;
    default:
        error = ACT_NOT_AVAILABLE;
    }
    values[0] = values[1] = values[2] = 0;
    values[3] = (uint8_t)(value_count - 4);
    return error;
}

/* ---- Commands ---- */

static uint8_t carry_out(uint16_t code)
{
    tpi_play_cell row[2];
    act what;

    if (code == EXTENDED) {
        return extend();
    }
    if (!act_find(&what, code)) {
        return ACT_NOT_AVAILABLE;
    }
    uint8_t type = what.type, id = type == 255 ? 255 : 0;
    if (type != ACT_NO_PORT && at < have) {
        type = get();
        id = get();
    }
    const uint8_t count = get_values(&what, row);
    if (is_short) {
        return ACT_BAD_VALUE;
    }
    if (code == STOP_CODE || code == END_CODE || code == RESET_CODE) {
        program_stop();
    } else if (code >= FIRST_WRITE) {
        if (the_program.state == PROGRAM_RUNS) {
            return ACT_REFUSED;
        }
        holds = true;
    }
    const uint8_t error = act_do(&what, type, id, row, count);
    if (error == ACT_FINE && what.result == KIND_NUMBER) {
        put_double(row);
    } else if (error == ACT_FINE && what.result == KIND_TRUTH) {
        put((uint8_t)row[0].as.bits);
    }
    return error;
}

TPI_PLAY_LETTERS texts[] = "the chip cannot\0bad value\0a program runs\0reply too long";

/* Code and text of an error. */
static void send_error(uint8_t error)
{
    uint8_t from = 0, length = 0;

    for (uint8_t left = error == ACT_NOT_AVAILABLE ? 0
                        : error == ACT_BAD_VALUE   ? 1
                        : error == ACT_REFUSED     ? 2
                                                   : 3;
         left > 0; from++) {
        left = (uint8_t)(left - (TPI_PLAY_LETTER(texts, from) == 0));
    }
    while (TPI_PLAY_LETTER(texts, from + length) != 0) {
        length++;
    }
    board_send(0);
    board_send(error);
    send_long(length);
    while (length-- > 0) {
        board_send(TPI_PLAY_LETTER(texts, from++));
    }
}

static uint8_t error_size(uint8_t error)
{
    return error == ACT_NOT_AVAILABLE ? 6 + 15
           : error == ACT_BAD_VALUE   ? 6 + 9
                                      : 6 + 14; /* both others */
}

static void reply(uint8_t error)
{
    if (error != ACT_FINE) {
        send_long(1u + error_size(error));
        board_send(1);
        send_error(error);
        return;
    }
    if (failed != 0) {
        send_long(1u + 4u + error_size(failed_reason) + value_count);
        board_send(2);
        send_long(failed);
        send_error(failed_reason);
        failed = 0;
    } else {
        send_long(1u + value_count);
        board_send(0);
    }
    for (uint8_t i = 0; i < value_count; i++) {
        board_send(values[i]);
    }
}

static void handle(void)
{
    at = 4;
    is_short = false;
    value_count = 0;
    number++;
    const bool waits = get() != 0;
    const uint32_t most = waits ? get_long() : UINT32_MAX;
    const uint16_t code = get_word();
    uint8_t error = is_short ? ACT_BAD_VALUE : carry_out(code);
    if (error == ACT_FINE && value_count > most) {
        error = ACT_TOO_LONG;
    }
    if (waits) {
        reply(error);
    } else if (error != ACT_FINE && failed == 0) {
        failed = number;
        failed_reason = error;
    }
}

/* ---- The line ---- */

static void take(uint8_t byte)
{
    packet[have++] = byte;
    if (have <= 3 ? byte != 0 : have == 4 && (byte < 3 || byte > CHIP_PACKET - 4)) {
        is_deaf = true;
    } else if (have >= 4 && have == packet[3] + 4) {
        handle();
        have = 0;
    }
}

void line_step(void)
{
    const uint32_t now_ms = board_ms();
    uint8_t byte;

    bool is_quiet = now_ms - last_ms > QUIET_MS;
    while (board_take(&byte)) {
        is_quiet = false; /* it may have come while the program ran */
        last_ms = now_ms;
        if (!is_deaf) {
            take(byte);
        }
    }
    if (is_quiet) {
        have = 0;
        is_deaf = false;
    }
    if (holds && the_program.state != PROGRAM_RUNS && now_ms - last_ms > LEASE_MS) {
        board_off();
        holds = false;
    }
}

/* ---- News ---- */

/* The bytes of a cell: its tag, then four bytes, or a length and a text. */
static uint8_t cell_size(const tpi_play_cell *cell)
{
    return cell->tag == TPI_PLAY_TEXT
               ? (uint8_t)(2 + board_read(tpi_play_text_at(&the_program.machine, cell)))
               : 5;
}

void line_row(uint8_t news, const tpi_play_request *what)
{
    const uint8_t count = news == NEWS_RESULT ? what->results : what->values;
    uint16_t length = 5;

    for (uint8_t i = 0; i < count; i++) {
        length = (uint16_t)(length + cell_size(&what->row[i]));
    }
    send_long(length);
    board_send(LINE_NEWS);
    board_send(news);
    board_send((uint8_t)(what->code >> 8));
    board_send((uint8_t)what->code);
    board_send(what->device);
    for (uint8_t i = 0; i < count; i++) {
        const tpi_play_cell *cell = &what->row[i];
        board_send(cell->tag);
        if (cell->tag != TPI_PLAY_TEXT) {
            send_long(cell->as.bits);
            continue;
        }
        uint16_t place = tpi_play_text_at(&the_program.machine, cell);
        for (uint8_t left = (uint8_t)(cell_size(cell) - 1); left > 0; left--) {
            board_send(board_read(place++));
        }
    }
}

void line_end(void)
{
    if (the_program.watch != 0) {
        send_long(6);
        board_send(LINE_NEWS);
        board_send(NEWS_END);
        board_send(the_program.state);
        board_send(the_program.reason);
        board_send((uint8_t)(the_program.at >> 8));
        board_send((uint8_t)the_program.at);
    }
}
