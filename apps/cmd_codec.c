/* cmd_codec.c - troupe encode and decode: one message from JSON to hex and back. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "commands.h"
#include "output.h"
#include "padi/xdr.h"
#include "troupe/interfaces/common.h"

enum {
    LARGEST_INPUT = 64 << 20,
    LARGEST_BODY = TP_XDR_MAX_MESSAGE_SIZE - TP_XDR_HEADER_SIZE,
    MOST_WORDS = 4,
};

struct options {
    const char *command;
    const char *type; /* --struct */
    bool answer;      /* --answer */
    bool decodes;
    tp_text_form form;
    const char *form_option; /* that chose it; NULL for none */
    const char *words[MOST_WORDS];
    int word_count;
};

/* What is encoded or decoded. */
struct target {
    const tp_struct *type; /* NULL for a message without a body */
    bool may_be_nothing;   /* a request that asks nothing: no input, or the payload of its answer */
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

/* As tp_kind_named(), and the short forms. */
static tp_kind read_kind(const struct options *o, const char *word)
{
    static const tp_kind kinds[] = {TP_KIND_DATA, TP_KIND_COMMAND, TP_KIND_REQUEST, TP_KIND_SYNCH};
    tpi_nearest nearest;
    char hint[96];

    if (strcmp(word, "cmd") == 0) {
        return TP_KIND_COMMAND;
    }
    if (strcmp(word, "req") == 0) {
        return TP_KIND_REQUEST;
    }
    if (tp_kind_named(word) == 0) {
        tpi_nearest_init(&nearest, word);
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            tpi_nearest_offer(&nearest, tp_kind_name(kinds[i]));
        }
        command_fail(o->command, EXIT_USAGE, "\"%s\" is not data, command, request or synch%s",
                     word, tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    return tp_kind_named(word);
}

static const tp_message *find_message(const struct options *o, const tp_catalogue *catalogue,
                                      tp_kind kind)
{
    tpi_nearest nearest;
    char hint[96];
    const tp_interface *interface = command_interface(o->command, catalogue, o->words[0],
                                                      "; an own one is read with --load FILE");
    if (interface == NULL) {
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
        command_fail(o->command, EXIT_FAILED, "%s has no %s \"%s\"%s", interface->name,
                     tp_kind_name(kind), o->words[2],
                     tpi_nearest_hint(&nearest, hint, sizeof hint));
    }
    return message;
}

/* An exit code; there is a message unless it is EXIT_DONE. */
static int find_target(const struct options *o, const tp_catalogue *catalogue,
                       struct target *target)
{
    if (o->type != NULL) {
        target->type = find_struct(o, catalogue);
        return target->type != NULL ? EXIT_DONE : EXIT_FAILED;
    }
    const tp_kind kind = read_kind(o, o->words[1]);
    if (kind == 0) {
        return EXIT_USAGE;
    }
    if (o->answer && kind != TP_KIND_REQUEST) {
        return command_fail(o->command, EXIT_USAGE, "--answer goes with a request, not with %s",
                            tp_kind_name(kind));
    }
    const tp_message *message = find_message(o, catalogue, kind);
    if (message == NULL) {
        return EXIT_FAILED;
    }
    target->type = o->answer ? message->answer : tp_message_payload(message);
    target->may_be_nothing = target->type == NULL || (!o->answer && message->ask == NULL);
    return EXIT_DONE;
}

/* ---- Input ----------------------------------------------------------------------------------- */

/* The last word, or standard input if it is missing or "-". What has no body needs no input. */
static bool read_input(const struct options *o, const struct target *target, tpi_buf *input)
{
    const int at = o->type != NULL ? 0 : 3;
    tp_error err = {0};

    if (at >= o->word_count && target->type == NULL) {
        return true;
    }
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

/* Whether JSON says nothing: blank, null or {}. */
static bool is_nothing(const tpi_buf *text)
{
    tpi_json json;
    tpi_json_span name;

    if (is_blank(text)) {
        return true;
    }
    tpi_json_init(&json, text->data, text->length);
    if (tpi_json_peek(&json) == TPI_JSON_NULL) {
        tpi_json_null(&json);
    } else if (!tpi_json_object(&json) || tpi_json_member(&json, &name)) {
        return false;
    }
    return tpi_json_end(&json, NULL) == TP_OK;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static int print_encoded(const struct options *o, const tp_struct *type, const void *value)
{
    size_t size = 0;
    tpi_buf bytes = {0};
    tpi_buf hex = {0};
    tp_status status = tp_xdr_size(type, value, &size);

    if (status == TP_OK && size > LARGEST_BODY) {
        return command_fail(o->command, EXIT_FAILED,
                            "%s: %zu bytes, but a message carries at most %d", type->name, size,
                            LARGEST_BODY);
    }
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

static int encode(const struct options *o, const struct target *target, const tpi_buf *input)
{
    const tp_struct *type = target->type;
    void *value = NULL;
    tp_error err = {0};

    if (target->may_be_nothing && is_nothing(input)) {
        puts("");
        return EXIT_DONE;
    }
    if (type == NULL) {
        return command_fail(o->command, EXIT_FAILED, "this message has no body");
    }
    if (tp_value_from_json(&value, type, tpi_buf_text(input), input->length, &err) != TP_OK) {
        return command_fail(o->command, EXIT_FAILED, "%s: %s", type->name, err.text);
    }
    int result = print_encoded(o, type, value);
    free(value);
    return result;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* A decoded value is as long on the wire as what it was made of. */
static void tell_rest(const struct options *o, const tp_struct *type, const void *value,
                      size_t length)
{
    size_t used = length;

    tp_xdr_size(type, value, &used);
    if (used < length) {
        command_fail(o->command, EXIT_DONE, "%zu byte%s behind the message %s ignored",
                     length - used, output_plural(length - used),
                     length - used == 1 ? "was" : "were");
    }
}

static int print_decoded(const struct options *o, const tp_struct *type, const tpi_buf *bytes)
{
    void *value = NULL;
    char *text = NULL;
    tp_error err = {0};
    tp_status status = tpi_xdr_explain(type, tpi_buf_text(bytes), bytes->length, &err);

    if (status != TP_OK) {
        return command_fail(o->command, EXIT_FAILED, "%s: %s", type->name, err.text);
    }
    status = tp_xdr_decode_new(&value, type, tpi_buf_text(bytes), bytes->length);
    status = status == TP_OK ? tp_value_text(&text, type, value, o->form) : status;
    if (status == TP_OK) {
        puts(text);
        tell_rest(o, type, value, bytes->length);
    } else {
        command_fail(o->command, EXIT_FAILED, "%s: %s", type->name, tp_status_text(status));
    }
    free(text);
    free(value);
    return status == TP_OK ? EXIT_DONE : EXIT_FAILED;
}

static int decode(const struct options *o, const struct target *target, const tpi_buf *input)
{
    tpi_buf bytes = {0};
    tp_error err = {0};
    int result;

    if (tpi_hex_read(&bytes, tpi_buf_text(input), input->length, &err) != TP_OK) {
        result = command_fail(o->command, EXIT_FAILED, "%s", err.text);
    } else if (target->may_be_nothing && bytes.length == 0) {
        puts("null");
        result = EXIT_DONE;
    } else if (target->type == NULL) {
        result = command_fail(o->command, EXIT_FAILED, "this message has no body");
    } else {
        result = print_decoded(o, target->type, &bytes);
    }
    tpi_buf_fini(&bytes);
    return result;
}

/* ---- Command line ---------------------------------------------------------------------------- */

static const struct {
    const char *option;
    tp_text_form form;
} forms[] = {
    {"--pretty", TP_TEXT_JSON_PRETTY},
    {"--line", TP_TEXT_LINE},
    {"--human", TP_TEXT_BLOCK},
};

/* These return an exit code. */
static int read_form(struct options *o, const char *option)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!o->decodes || strcmp(forms[i].option, option) != 0) {
            continue;
        }
        if (o->form_option != NULL && strcmp(o->form_option, option) != 0) {
            return command_fail(o->command, EXIT_USAGE, "%s and %s exclude each other",
                                o->form_option, option);
        }
        o->form = forms[i].form;
        o->form_option = forms[i].option;
        return EXIT_DONE;
    }
    return command_unexpected(o->command, option, NULL);
}

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
        return EXIT_DONE;
    }
    return read_form(o, argv[*i]);
}

static int check_words(const struct options *o)
{
    const int least = o->type != NULL ? 0 : 3;
    const int most = o->type != NULL ? 1 : 4;

    if (o->type != NULL && o->answer) {
        return command_fail(o->command, EXIT_USAGE, "--answer goes with a request, not with %s",
                            "--struct");
    }
    if (o->word_count < least || o->word_count > most) {
        return command_fail(o->command, EXIT_USAGE, "expected %s",
                            o->type != NULL ? "--struct NAME [INPUT]"
                                            : "INTERFACE KIND MESSAGE [INPUT]");
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
            result = command_unexpected(o->command, argv[i], NULL);
        } else {
            o->words[o->word_count++] = argv[i];
        }
        if (result != EXIT_DONE) {
            return result;
        }
    }
    return check_words(o);
}

static int run(struct options *o, int argc, char **argv,
               int (*work)(const struct options *, const struct target *, const tpi_buf *))
{
    struct target target = {0};
    tpi_buf input = {0};
    tp_catalogue *catalogue = command_catalogue(o->command);
    if (catalogue == NULL) {
        return EXIT_FAILED;
    }
    int result = read_arguments(o, catalogue, argc, argv);
    result = result == EXIT_DONE ? find_target(o, catalogue, &target) : result;
    if (result == EXIT_DONE) {
        result = read_input(o, &target, &input) ? work(o, &target, &input) : EXIT_FAILED;
    }
    tpi_buf_fini(&input);
    tp_catalogue_destroy(catalogue);
    return result;
}

static int run_encode(int argc, char **argv)
{
    struct options o = {.command = "encode", .words = {"", "", "", ""}};
    return run(&o, argc, argv, encode);
}

static int run_decode(int argc, char **argv)
{
    struct options o = {.command = "decode", .words = {"", "", "", ""}, .decodes = true};
    return run(&o, argc, argv, decode);
}

const command command_encode = {
    .name = "encode",
    .summary = "convert one message from JSON to the bytes on the wire",
    .help =
        "usage: troupe encode INTERFACE KIND MESSAGE [JSON] [--answer] [--load FILE.padi]\n"
        "       troupe encode --struct NAME [JSON]\n"
        "\n"
        "Prints the XDR encoding of a message body as hex. KIND is data, command (cmd), request\n"
        "(req) or synch. Without JSON, or with -, it reads JSON from standard input; a message\n"
        "without a body needs none. Omitted members are zero. A request without a question takes\n"
        "null, {} or a blank; any other JSON is the struct of its answer, as in Player.\n"
        "\n"
        "  --answer       encode the answer of a request\n"
        "  --struct NAME  encode a struct; msghdr is the header of every message\n"
        "  --load FILE    load an additional interface file; may be repeated\n"
        "\n"
        "Example: troupe encode position2d command VEL '{\"vel\":{\"px\":0.5},\"state\":1}'\n",
    .run = run_encode,
};

const command command_decode = {
    .name = "decode",
    .summary = "convert one message from the bytes on the wire to JSON",
    .help =
        "usage: troupe decode INTERFACE KIND MESSAGE [HEX] [--pretty | --line | --human]\n"
        "       troupe decode --struct NAME [HEX]\n"
        "\n"
        "Prints a message body that is given as hex. KIND is data, command (cmd), request (req)\n"
        "or synch. Without HEX, or with -, it reads hex from standard input; a message without a\n"
        "body needs none. Bytes after the message are reported and ignored.\n"
        "\n"
        "  --pretty       print indented JSON\n"
        "  --line         print name=value on one line\n"
        "  --human        print indented text, with units and the names of constants\n"
        "  --answer       decode the answer of a request\n"
        "  --struct NAME  decode a struct; msghdr is the header of every message\n"
        "  --load FILE    load an additional interface file; may be repeated\n"
        "\n"
        "Example: troupe decode sonar data RANGES 00000002000000023fc0000040200000\n",
    .run = run_decode,
};
