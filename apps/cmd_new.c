/*
 * cmd_new.c - troupe new: the start of a driver, a world, a robot program, a robot file or a
 * manifest.
 *
 * It writes commented files (new_texts.c) that build and run, and prints the commands for that.
 * Files that are there are never overwritten.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "called.h"
#include "commands.h"
#include "new_texts.h"

static const char name[] = "new";

enum { MOST_FILES = 2, LONGEST_NAME = 40 };

static const struct kind {
    const char *name;
    struct {
        const char *ending; /* behind the name; NULL for none */
        const char *text;
    } files[MOST_FILES];
    const char *next; /* commands, a line each; @ is the name, troupe the program */
} kinds[] = {
    {"driver",
     {{".c", new_driver_c}, {".cfg", new_driver_cfg}},
     "cc -std=c11 -shared -fPIC -o @.so @.c $(pkg-config --cflags troupe-driver) -lm\n"
     "troupe run @.cfg\n"
     "troupe print aio:0       # in another terminal\n"},
    {"world",
     {{".world", new_world}},
     "troupe check @.world\n"
     "troupe demo @.world\n"},
    {"client",
     {{".c", new_client_c}},
     "cc -std=c11 -o @ @.c $(pkg-config --cflags --libs troupe)\n"
     "troupe sim office        # in another terminal\n"
     "./@\n"},
    {"robot",
     {{".xml", new_robot}},
     "troupe robots --check @.xml\n"
     "troupe robots @.xml\n"
     "troupe translate @.xml Drive 50 0\n"},
    {"sensor",
     {{".xml", new_sensor}},
     "troupe sensors check @.xml\n"
     "troupe sensors show @.xml\n"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* NULL, with a message, if there is no such kind. */
static const struct kind *find_kind(const char *wanted)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, wanted);
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, wanted) == 0) {
            return &kinds[i];
        }
        tpi_nearest_offer(&nearest, kinds[i].name);
    }
    command_fail(name, EXIT_USAGE, "\"%s\" is none of driver, world, client, robot and sensor%s",
                 wanted, tpi_nearest_hint(&nearest, hint, sizeof hint));
    return NULL;
}

/* The name is part of C names and of file names. */
static bool is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const size_t length = strlen(text);

    return length > 0 && length <= LONGEST_NAME && strspn(text, letters) > 0 &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
               '\0';
}

/* A driver is a struct of its name: a keyword of C does not compile. */
static bool is_keyword(const char *text)
{
    static const char *const keywords[] = {
        "auto",    "break",  "case",     "char",   "const",    "continue", "default",
        "do",      "double", "else",     "enum",   "extern",   "float",    "for",
        "goto",    "if",     "inline",   "int",    "long",     "register", "restrict",
        "return",  "short",  "signed",   "sizeof", "static",   "struct",   "switch",
        "typedef", "union",  "unsigned", "void",   "volatile", "while",    NULL};

    return tpi_text_among(keywords, text);
}

/* Append the text with the name in it. */
static void put_named(tpi_buf *out, const char *text, const char *called_name)
{
    for (; *text != '\0'; text++) {
        if (*text == '@') {
            tpi_buf_puts(out, called_name);
        } else {
            tpi_buf_putc(out, *text);
        }
    }
}

/* "x" in the mode: never over a file that is there. */
static int write_file(const char *path, const char *text, const char *called_name)
{
    tpi_buf whole = {0};
    FILE *file = fopen(path, "wx");

    if (file == NULL) {
        return command_fail(name, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    put_named(&whole, text, called_name);
    const bool written = !whole.failed && fwrite(whole.data, 1, whole.length, file) == whole.length;
    tpi_buf_fini(&whole);
    if (fclose(file) != 0 || !written) {
        return command_fail(name, EXIT_FAILED, "cannot write %s", path);
    }
    printf("wrote %s\n", path);
    return EXIT_DONE;
}

static void print_next(const struct kind *kind, const char *called_name)
{
    const char *before = "next: ";
    tpi_buf commands = {0};
    tpi_buf said = {0};

    put_named(&commands, kind->next, called_name);
    called_put(&said, tpi_buf_text(&commands));
    for (const char *at = tpi_buf_text(&said); *at != '\0'; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        printf("%s%.*s\n", before, (int)length, at);
        before = "      ";
        at += length;
    }
    tpi_buf_fini(&said);
    tpi_buf_fini(&commands);
}

/* Write all files, or none: all names are checked before the first file is written. */
static int write_all(const struct kind *kind, const char *called_name)
{
    char paths[MOST_FILES][LONGEST_NAME + 16];
    int result = EXIT_DONE;
    size_t count = 0;

    for (; count < MOST_FILES && kind->files[count].ending != NULL; count++) {
        snprintf(paths[count], sizeof paths[count], "%s%s", called_name, kind->files[count].ending);
        if (access(paths[count], F_OK) == 0) {
            return command_fail(name, EXIT_FAILED, "cannot write %s: %s", paths[count],
                                strerror(EEXIST));
        }
    }
    for (size_t i = 0; i < count && result == EXIT_DONE; i++) {
        result = write_file(paths[i], kind->files[i].text, called_name);
    }
    if (result == EXIT_DONE) {
        print_next(kind, called_name);
    }
    return result;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        return command_fail(name, EXIT_USAGE,
                            "which kind and which name? driver, world, client, robot or sensor");
    }
    const struct kind *kind = find_kind(argv[0]);
    if (kind == NULL) {
        return EXIT_USAGE;
    }
    if (!is_name(argv[1])) {
        return command_fail(name, EXIT_USAGE,
                            "\"%s\" is no name: a letter, then at most %d letters, digits and _",
                            argv[1], LONGEST_NAME - 1);
    }
    if (argc > 2) {
        return command_unexpected(name, argv[2], NULL);
    }
    if (strcmp(kind->name, "driver") == 0 && is_keyword(argv[1])) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is a word of C, which cannot name a driver",
                            argv[1]);
    }
    return write_all(kind, argv[1]);
}

const command command_new = {
    .name = name,
    .summary = "write the start of a driver, a world, a client, a robot file or a sensor",
    .help = "usage: troupe new driver|world|client|robot|sensor NAME\n"
            "\n"
            "Writes commented files that build and run, into the current folder, and prints the\n"
            "commands for that. Existing files are not overwritten.\n"
            "\n"
            "  driver   NAME.c, a plug-in that offers a device, and NAME.cfg, which serves it\n"
            "  world    NAME.world, a room with two robots\n"
            "  client   NAME.c, a program that drives a robot and avoids what is near\n"
            "  robot    NAME.xml, a robot file: devices, and the bytes of universal commands\n"
            "  sensor   NAME.xml, the manifest of a sensor: what it measures, units, settings\n"
            "\n"
            "Drivers and clients are compiled with an installed Troupe.\n"
            "\n"
            "Examples: troupe new world yard\n"
            "          troupe new driver wave\n",
    .run = run,
};
