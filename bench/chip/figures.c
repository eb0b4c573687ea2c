/*
 * figures.c - how large and how fast the firmware is: from the map of the linker and from the
 * simulated chip. Each figure stands beside its limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "chip/chip.h"
#include "chip/programs.h"
#include "play/machine.h"
#include "play/opcodes.h"
#include "play/program.h"
#include "universal/vocabulary.h"

enum { LOAD = 16, RUN = 17, STATE = 19, BLOCK = 64, LARGEST = 1024 };
enum { STATE_AT = 5, UNTOUCHED_AT = 20 }; /* in the bytes of STATE, behind status and length */

static int missed;

static void tell(const char *what, double value, const char *unit, const char *limit, double bound)
{
    const bool is_least = limit[0] == '>';
    const bool holds = is_least ? value >= bound : value <= bound;

    printf("%-44s %10.0f %-16s %s %.0f%s\n", what, value, unit, limit, bound,
           holds ? "" : "   MISSED");
    missed += !holds;
}

/* ---- The map ---- */

struct sizes {
    unsigned long machine, verifier, library, board; /* flash of the parts */
    unsigned long text, data, bss, noinit;           /* of the whole */
};

static bool has(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* A line of the map: section, address, size, file; the section may stand on a line of its own. */
static void count(struct sizes *sizes, const char *section, unsigned long size, const char *file)
{
    if (strncmp(section, ".text", 5) != 0 && strncmp(section, ".progmem", 8) != 0 &&
        strncmp(section, ".rodata", 7) != 0 && strncmp(section, ".data", 5) != 0) {
        return;
    }
    if (has(file, "/core_examine.o")) {
        sizes->verifier += size;
    } else if (has(file, "/core_")) {
        sizes->machine += size;
    } else if (has(file, "/chip_")) {
        sizes->board += size;
    } else if (has(file, ".a(")) {
        sizes->library += size;
    }
}

static void read_map(struct sizes *sizes, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[4096], section[260] = "", name[256], rest[2048];
    unsigned long address, size;
    bool begun = false;

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        begun = begun || has(line, "Linker script and memory map");
        if (!begun) {
            continue;
        }
        if (sscanf(line, ".text 0x%lx 0x%lx", &address, &size) == 2) {
            sizes->text = size;
        } else if (sscanf(line, ".data 0x%lx 0x%lx", &address, &size) == 2) {
            sizes->data = size;
        } else if (sscanf(line, ".bss 0x%lx 0x%lx", &address, &size) == 2) {
            sizes->bss = size;
        } else if (sscanf(line, ".noinit 0x%lx 0x%lx", &address, &size) == 2) {
            sizes->noinit = size;
        } else if (sscanf(line, " .%250s 0x%lx 0x%lx %2000[^\n]", name, &address, &size, rest) ==
                   4) {
            snprintf(section, sizeof section, ".%s", name);
            count(sizes, section, size, rest);
        } else if (sscanf(line, " .%250s", name) == 1 && line[1] == '.') {
            snprintf(section, sizeof section, ".%s", name);
        } else if (sscanf(line, " 0x%lx 0x%lx %2000[^\n]", &address, &size, rest) == 3) {
            count(sizes, section, size, rest);
        }
    }
    fclose(file);
}

static void tell_sizes(const char *path)
{
    struct sizes sizes = {0};

    read_map(&sizes, path);
    tell("flash: interpreter and arithmetic", (double)(sizes.machine + sizes.library), "bytes",
         "<=", 6144);
    printf("  of these: our code %lu, the compiler's library %lu (all of it, whoever uses it)\n",
           sizes.machine, sizes.library);
    printf("  beside them: verifier %lu, line, EEPROM and pins %lu\n", sizes.verifier, sizes.board);
    tell("flash: whole firmware", (double)(sizes.text + sizes.data), "bytes", "<=", 16384);
    tell("static RAM", (double)(sizes.data + sizes.bss + sizes.noinit), "bytes", "<=", 1536);
}

/* ---- Programs ---- */

static tpi_vocabulary *vocabulary;

static void compile(tpi_play_program *program, const char *text)
{
    static tpi_play_troubles troubles;

    memset(program, 0, sizeof *program);
    troubles.count = 0;
    if (!tpi_play_compile(program, text, strlen(text), vocabulary, &troubles)) {
        fprintf(stderr, "a program of the benchmark is wrong\n");
        exit(1);
    }
    /* Its one device, if any, is the first analog input. */
    tpi_play_layout layout;
    uint8_t *image = (uint8_t *)program->image.data;
    tpi_play_layout_read(&layout, image);
    if (layout.device_count > 0) {
        image[layout.ports] = 3;
        image[layout.ports + 1] = 0;
    }
    const uint16_t sum = tpi_play_checksum(0xffff, image + 4, program->image.length - 4);
    image[2] = (uint8_t)sum;
    image[3] = (uint8_t)(sum >> 8);
}

static void start(board *b, const tpi_play_program *program, uint8_t watch)
{
    uint8_t reply[64];
    size_t length;

    board_reset(b);
    board_run_ms(b, 2);
    board_store(b, (const uint8_t *)program->image.data, program->image.length);
    if (!board_extended(b, RUN, &watch, 1, reply, sizeof reply, &length) || reply[0] != 0 ||
        reply[STATE_AT + 1] != 2) {
        fprintf(stderr, "a program of the benchmark does not run on the chip\n");
        exit(1);
    }
}

/* Instructions of the only loop: all of them are executed in each turn. */
static unsigned loop_length(const tpi_play_program *program)
{
    const uint8_t *image = (const uint8_t *)program->image.data;
    tpi_play_layout layout;
    unsigned count_in = 0;

    tpi_play_layout_read(&layout, image);
    for (unsigned at = layout.code; at < layout.length; at += tpi_play_opcode_size(image[at])) {
        if (image[at] == TPI_PLAY_OP_LOOP) {
            const unsigned from =
                at + 3 + (unsigned)(int)(int16_t)(image[at + 1] | image[at + 2] << 8);
            for (unsigned place = from; place <= at; place += tpi_play_opcode_size(image[place])) {
                count_in++;
            }
        }
    }
    return count_in;
}

/* How many instructions of a loop the chip executes in a second. */
static double speed_of(board *b, const char *body)
{
    enum { TURNS = 2000 };
    char text[512];
    tpi_play_program program;
    uint8_t packet[64];
    size_t length;

    snprintf(text, sizeof text,
             "let a be 1\nlet b be 3\nlet c be 7\nprint 0\nrepeat %d times\n%send\nprint 1\n",
             TURNS, body);
    compile(&program, text);
    start(b, &program, 1);
    (void)board_packet(b, packet, sizeof packet, &length, 1000);
    const uint64_t from = board_cycles(b);
    if (!board_packet(b, packet, sizeof packet, &length, 60000)) {
        fprintf(stderr, "the program for the speed does not end\n");
        exit(1);
    }
    const double seconds = (double)(board_cycles(b) - from) / BOARD_HERTZ;
    const double result = (double)loop_length(&program) * TURNS / seconds;
    tpi_play_program_fini(&program);
    return result;
}

static void tell_speed(board *b)
{
    static const char mixed[] = "let a be a + b\nlet c be c - a\nlet b be b * 5\nchange c by 12\n"
                                "let b be c\nif a <> 5000\nend\n";

    tell("integer instructions: + - * <> and moving", speed_of(b, mixed), "per second",
         ">=", 50000);
    printf("  beside them: a loop of mod alone %.0f, of float + and * alone %.0f per second\n",
           speed_of(b, "let a be a mod 1000\nlet a be c mod 7\n"),
           speed_of(b, "let a be a + 0.5\nlet c be a * 1.5\n"));
}

static void tell_loop(board *b)
{
    tpi_play_program program;
    tpi_buf text = {0};
    tp_error err = {0};

    if (tpi_file_read(&text, BENCH_ROBOTS "/../programs/follow-line.play", 100000, &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    compile(&program, tpi_buf_text(&text));
    tpi_buf_fini(&text);
    board_analog_mv(b, 0, 2100);
    start(b, &program, 0);
    board_run_ms(b, 100);
    const unsigned long from = board_conversions(b);
    board_run_ms(b, 2000);
    tell("programs/follow-line.play", (double)(board_conversions(b) - from) / 2, "loops per second",
         ">=", 200);
    tpi_play_program_fini(&program);
}

/* ---- Upload ---- */

static void tell_upload(board *b)
{
    uint8_t body[4 + BLOCK], reply[64];
    size_t length;

    board_store(b, (const uint8_t *)"", 0);
    board_reset(b);
    board_run_ms(b, 2);
    const uint64_t from = board_cycles(b);
    for (int place = LARGEST - BLOCK; place >= 0; place -= BLOCK) {
        body[0] = (uint8_t)(place >> 8);
        body[1] = (uint8_t)place;
        for (unsigned i = 0; i < BLOCK; i++) {
            body[4 + i] = (uint8_t)(place / BLOCK + (int)i * 7 + 1) & 0x7f;
        }
        uint16_t sum = tpi_play_checksum(0xffff, body, 2);
        sum = tpi_play_checksum(sum, body + 4, BLOCK);
        body[2] = (uint8_t)(sum >> 8);
        body[3] = (uint8_t)sum;
        if (!board_extended(b, LOAD, body, sizeof body, reply, sizeof reply, &length) ||
            reply[0] != 0) {
            fprintf(stderr, "the chip does not take a block\n");
            exit(1);
        }
    }
    /* simavr writes its EEPROM at once; the chip needs 3.4 ms for each byte. */
    const double ms = (double)(board_cycles(b) - from) / (BOARD_HERTZ / 1000);
    tell("upload of 1,024 bytes", ms + LARGEST * 3.4, "ms", "<=", 6000);
    printf("  of these: %.0f simulated, %.0f for the EEPROM at 3.4 ms per byte\n", ms,
           LARGEST * 3.4);
}

/* ---- Stack ---- */

/* The least that is left after many programs, each with its trace. */
static void tell_stack(board *b)
{
    unsigned least = 65535;

    for (unsigned long i = 0; i < 60; i++) {
        char text[CHIP_PROGRAM];
        tpi_play_program program;
        uint8_t packet[512];
        size_t length;
        chip_program(text, sizeof text, i);
        compile(&program, text);
        start(b, &program, 3);
        for (unsigned n = 0; n < 400 && board_packet(b, packet, sizeof packet, &length, 500); n++) {
            if (packet[0] == 3 && packet[1] == 5) {
                break;
            }
        }
        if (board_extended(b, STATE, NULL, 0, packet, sizeof packet, &length)) {
            const unsigned left = (unsigned)(packet[UNTOUCHED_AT] << 8 | packet[UNTOUCHED_AT + 1]);
            least = left < least ? left : least;
        }
        tpi_play_program_fini(&program);
    }
    tell("stack that 60 programs never touch", least, "bytes", ">=", 200);
}

int chip_figures(board *b, const char *map)
{
    tpi_buf text = {0};
    tp_error err = {0};

    if (tpi_file_read(&text, BENCH_ROBOTS "/classes.xml", TPI_MOST_DOCUMENT, &err) != TP_OK ||
        tpi_vocabulary_read(&vocabulary, text.data, text.length, "classes.xml", &err) != TP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tpi_buf_fini(&text);
    tell_sizes(map);
    tell_stack(b);
    tell_speed(b);
    tell_loop(b);
    tell_upload(b);
    tpi_vocabulary_destroy(vocabulary);
    return missed > 0;
}
