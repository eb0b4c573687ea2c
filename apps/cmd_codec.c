/* cmd_codec.c - troupe encode and decode: one message from JSON to hex and back. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "commands.h"

enum { LARGEST_INPUT = 64 << 20, MOST_WORDS = 4 };

struct options {
    const char *command;
    const char *type; /* --struct */
    bool answer;      /* --answer */
    tp_text_form form;
    const char *words[MOST_WORDS];
    int word_count;
};

/* ---- Which struct ---------------------------------------------------------------------------- */

static const tp_struct *find_struct(const struct options *o, const tp_catalogue *catalogue)
{
    const tp_struct *type = tp_catalogue_struct(catalogue, o->type);
    tpi_nearest nearest;
    char hint[96];

    if (type == NULL) {
        tpi_nearest_init(&nearest, o->type);
        for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
            const tp_interface *interface = tp_catalogue_at(catalogue, i);
            for (uint32_t k = 0; k < interface->struct_count; k++) {
                tpi_nearest_offer(&nearest, interface->structs[k]->name);
            }
        }
        command_fail(o->command, EXIT_FAILED, "there is no struct \"%s\"%s", o->type,
                     tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    return type;
}

static const tp_message *find_message(const struct options *o, const tp_catalogue *catalogue)
{
    tpi_nearest nearest;
    char hint[96];
    const tp_interface *interface = command_interface(o->command, catalogue, o->words[0]);
    if (interface == NULL) {
        return NULL;
    }
    const tp_kind kind = tp_kind_named(o->words[1]);
    if (kind == 0) {
        command_fail(o->command, EXIT_USAGE, "\"%s\" is not data, command, request or synch",
                     o->words[1]);
        return NULL;
    }
    const tp_message *message = tp_interface_message_named(interface, kind, o->words[2]);
    if (message == NULL) {
        message = tp_interface_message_named(tp_catalogue_code(catalogue, 0), kind, o->words[2]);
    }
    if (message == NULL) {
        tpi_nearest_init(&nearest, o->words[2]);
        for (uint32_t i = 0; i < interface->message_count; i++) {
            if (interface->messages[i].kind == kind) {
                tpi_nearest_offer(&nearest, interface->messages[i].name);
            }
        }
        command_fail(o->command, EXIT_FAILED, "%s has no %s \"%s\"%s", interface->name, o->words[1],
                     o->words[2], tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    return message;
}

/* False (and a message) if there is none; `type` is NULL for a message without a body. */
static bool find_type(const struct options *o, const tp_catalogue *catalogue,
                      const tp_struct **type)
{
    if (o->type != NULL) {
        *type = find_struct(o, catalogue);
        return *type != NULL;
    }
    const tp_message *message = find_message(o, catalogue);
    if (message == NULL) {
        return false;
    }
    *type = o->answer ? message->answer : tp_message_payload(message);
    return true;
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* The last word, or standard input if it is missing or "-". */
static bool read_input(const struct options *o, tpi_buf *input)
{
    const int at = o->type != NULL ? 0 : 3;
    tp_error err = {0};

    if (at < o->word_count && strcmp(o->words[at], "-") != 0) {
        tpi_buf_puts(input, o->words[at]);
    } else if (tpi_file_read(input, "-", LARGEST_INPUT, &err) != TP_OK) {
        command_fail(o->command, EXIT_FAILED, "%s", err.text);
        return false;
    }
    if (input->failed) {
        command_fail(o->command, EXIT_FAILED, "out of memory");
    }
    return !input->failed;
}

static bool is_blank(const tpi_buf *text)
{
    for (size_t i = 0; i < text->length; i++) {
        if (!isspace((unsigned char)text->data[i])) {
            return false;
        }
    }
    return true;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static int print_encoded(const struct options *o, const tp_struct *type, const void *value)
{
    size_t size = 0;
    tpi_buf bytes = {0};
    tpi_buf hex = {0};
    tp_status status = tp_xdr_size(type, value, &size);
    char *at = status == TP_OK ? tpi_buf_reserve(&bytes, size) : NULL;

    if (at != NULL) {
        status = tp_xdr_encode(type, value, at, size, &size);
        tpi_hex_put(&hex, at, size);
    }
    bool good = status == TP_OK && !bytes.failed && !hex.failed;
    if (good) {
        puts(tpi_buf_text(&hex));
    } else {
        command_fail(o->command, EXIT_FAILED, "%s: %s", type->name,
                     tp_status_text(status == TP_OK ? TP_E_NOMEM : status));
    }
    tpi_buf_fini(&bytes);
    tpi_buf_fini(&hex);
    return good ? EXIT_DONE : EXIT_FAILED;
}

static int encode(const struct options *o, const tp_struct *type, const tpi_buf *input)
{
    void *value = NULL;
    tp_error err = {0};

    if (type == NULL) {
        const char *text = tpi_buf_text(input);
        if (!is_blank(input) && strcmp(text, "null") != 0 && strcmp(text, "{}") != 0) {
            return command_fail(o->command, EXIT_FAILED, "this message has no body");
        }
        puts("");
        return EXIT_DONE;
    }
    if (tp_value_from_json(&value, type, tpi_buf_text(input), input->length, &err) != TP_OK) {
        return command_fail(o->command, EXIT_FAILED, "%s: %s", type->name, err.text);
    }
    int result = print_encoded(o, type, value);
    free(value);
    return result;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static int print_decoded(const struct options *o, const tp_struct *type, const tpi_buf *bytes)
{
    void *value = NULL;
    char *text = NULL;
    tp_status status = tp_xdr_decode_new(&value, type, tpi_buf_text(bytes), bytes->length);

    status = status == TP_OK ? tp_value_text(&text, type, value, o->form) : status;
    if (status == TP_OK) {
        puts(text);
    } else {
        command_fail(o->command, EXIT_FAILED, "%s: %s (%zu bytes, at least %lu are needed)",
                     type->name, tp_status_text(status), bytes->length,
                     (unsigned long)type->wire_min);
    }
    free(text);
    free(value);
    return status == TP_OK ? EXIT_DONE : EXIT_FAILED;
}

static int decode(const struct options *o, const tp_struct *type, const tpi_buf *input)
{
    tpi_buf bytes = {0};
    tp_error err = {0};
    int result;

    if (tpi_hex_read(&bytes, tpi_buf_text(input), input->length, &err) != TP_OK) {
        result = command_fail(o->command, EXIT_FAILED, "%s", err.text);
    } else if (type != NULL) {
        result = print_decoded(o, type, &bytes);
    } else if (bytes.length > 0) {
        result = command_fail(o->command, EXIT_FAILED, "this message has no body");
    } else {
        puts("null");
        result = EXIT_DONE;
    }
    tpi_buf_fini(&bytes);
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

/* These return an exit code. */
static int read_option(struct options *o, tp_catalogue *catalogue, int argc, char **argv, int *i)
{
    if (strcmp(argv[*i], "--struct") == 0) {
        o->type = command_value(o->command, argc, argv, i);
        return o->type != NULL ? EXIT_DONE : EXIT_USAGE;
    }
    if (strcmp(argv[*i], "--load") == 0) {
        return command_load(o->command, catalogue, argc, argv, i);
    }
    if (strcmp(argv[*i], "--answer") == 0) {
        o->answer = true;
    } else if (strcmp(argv[*i], "--pretty") == 0) {
        o->form = TP_TEXT_JSON_PRETTY;
    } else if (strcmp(argv[*i], "--line") == 0) {
        o->form = TP_TEXT_LINE;
    } else if (strcmp(argv[*i], "--human") == 0) {
        o->form = TP_TEXT_BLOCK;
    } else {
        return command_fail(o->command, EXIT_USAGE, "unexpected \"%s\"", argv[*i]);
    }
    return EXIT_DONE;
}

static int read_arguments(struct options *o, tp_catalogue *catalogue, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        int result = EXIT_DONE;
        if (strncmp(argv[i], "--", 2) == 0) {
            result = read_option(o, catalogue, argc, argv, &i);
        } else if (o->word_count == MOST_WORDS) {
            result = command_fail(o->command, EXIT_USAGE, "unexpected \"%s\"", argv[i]);
        } else {
            o->words[o->word_count++] = argv[i];
        }
        if (result != EXIT_DONE) {
            return result;
        }
    }
    const int least = o->type != NULL ? 0 : 3;
    const int most = o->type != NULL ? 1 : 4;
    if (o->word_count < least || o->word_count > most) {
        return command_fail(o->command, EXIT_USAGE, "expected %s",
                            o->type != NULL ? "--struct NAME [INPUT]"
                                            : "INTERFACE KIND MESSAGE [INPUT]");
    }
    return EXIT_DONE;
}

static int run(struct options *o, int argc, char **argv,
               int (*work)(const struct options *, const tp_struct *, const tpi_buf *))
{
    const tp_struct *type = NULL;
    tpi_buf input = {0};
    tp_catalogue *catalogue = command_catalogue(o->command);
    if (catalogue == NULL) {
        return EXIT_FAILED;
    }
    int result = read_arguments(o, catalogue, argc, argv);
    if (result == EXIT_DONE) {
        result = find_type(o, catalogue, &type) && read_input(o, &input) ? work(o, type, &input)
                                                                         : EXIT_FAILED;
    }
    tpi_buf_fini(&input);
    tp_catalogue_destroy(catalogue);
    return result;
}

static int run_encode(int argc, char **argv)
{
    struct options o = {.command = "encode"};
    return run(&o, argc, argv, encode);
}

static int run_decode(int argc, char **argv)
{
    struct options o = {.command = "decode"};
    return run(&o, argc, argv, decode);
}

const command command_encode = {
    .name = "encode",
    .summary = "one message from JSON to the bytes on the wire",
    .help =
        "usage: troupe encode INTERFACE KIND MESSAGE [JSON] [--answer] [--load FILE.padi]\n"
        "       troupe encode --struct NAME [JSON]\n"
        "\n"
        "Prints the XDR encoding of a message body as hex. KIND is data, command, request or\n"
        "synch. Without JSON, or with -, it is read from standard input. Members that are left\n"
        "out are zero.\n"
        "\n"
        "  --answer       the answer of a request, where it differs from the request\n"
        "  --struct NAME  a struct by its name: msghdr is the header of every message\n"
        "  --load FILE    know this interface file too; may be repeated\n"
        "\n"
        "Example: troupe encode position2d command VEL '{\"vel\":{\"px\":0.5},\"state\":1}'\n",
    .run = run_encode,
};

const command command_decode = {
    .name = "decode",
    .summary = "one message from the bytes on the wire to JSON",
    .help = "usage: troupe decode INTERFACE KIND MESSAGE [HEX] [--pretty | --line | --human]\n"
            "       troupe decode --struct NAME [HEX]\n"
            "\n"
            "Prints a message body given as hex. Without HEX, or with -, it is read from standard\n"
            "input.\n"
            "\n"
            "  --pretty       indented JSON\n"
            "  --line         name=value on one line\n"
            "  --human        indented, with units and the names of constants\n"
            "  --answer       the answer of a request, where it differs from the request\n"
            "  --struct NAME  a struct by its name: msghdr is the header of every message\n"
            "  --load FILE    know this interface file too; may be repeated\n"
            "\n"
            "Example: troupe decode sonar data RANGES 00000002000000023fc0000040200000\n",
    .run = run_decode,
};
