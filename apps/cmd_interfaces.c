/* cmd_interfaces.c - troupe interfaces: what devices can say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "commands.h"
#include "rights_table.h"
#include "troupe/client.h"

static const char name[] = "interfaces";

enum form { FORM_TEXT, FORM_JSON, FORM_SCHEMA, FORM_PADI };

struct options {
    enum form form;
    const char *form_option; /* that chose it; NULL for none */
    const char *interface;   /* NULL for all */
    bool rights;             /* of messages, not what they are */
};

static int print_list(const tp_catalogue *catalogue)
{
    tpi_buf out = {0};

    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        tpi_buf_printf(&out, "%5u  %-20s %3lu message%s  %s\n", interface->code, interface->name,
                       (unsigned long)interface->message_count,
                       interface->message_count == 1 ? " " : "s", interface->doc);
    }
    tpi_buf_printf(&out, "\nMore about one: %s interfaces NAME\n", called());
    return command_write_wrapped(name, &out);
}

static tp_status describe(char **out, const tp_interface *interface, enum form form)
{
    switch (form) {
    case FORM_JSON:
        return tp_interface_json(out, interface);
    case FORM_SCHEMA:
        return tp_interface_schema(out, interface);
    case FORM_PADI:
        return tp_interface_padi(out, interface);
    default:
        return tp_interface_text(out, interface);
    }
}

static int print_one(const tp_interface *interface, enum form form)
{
    char *text = NULL;

    if (describe(&text, interface, form) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "out of memory");
    }
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}

/* JSON of all of them: an object with the interfaces' names as members. */
static int print_all(const tp_catalogue *catalogue, enum form form)
{
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        printf("%s\"%s\":", i == 0 ? "{" : ",\n ", interface->name);
        if (print_one(interface, form) != EXIT_DONE) {
            return EXIT_FAILED;
        }
    }
    puts("}");
    return EXIT_DONE;
}

static const char own_ones[] = "; an own one is read with --load FILE or --url HOST";

static int print_rights(const tp_catalogue *catalogue, const struct options *options)
{
    const tp_interface *only = NULL;
    tpi_buf out = {0};

    if (options->interface != NULL) {
        only = command_interface(name, catalogue, options->interface, own_ones);
        if (only == NULL) {
            return EXIT_FAILED;
        }
    }
    if (options->form == FORM_JSON) {
        rights_table_json(&out, catalogue, only);
    } else {
        rights_table_page(&out, catalogue, only);
    }
    return command_write(name, &out);
}

static int show(const tp_catalogue *catalogue, const struct options *options)
{
    if (options->rights) {
        return print_rights(catalogue, options);
    }
    if (options->interface != NULL) {
        const tp_interface *interface =
            command_interface(name, catalogue, options->interface, own_ones);
        if (interface == NULL) {
            return EXIT_FAILED;
        }
        int result = print_one(interface, options->form);
        if (options->form == FORM_JSON || options->form == FORM_SCHEMA) {
            putchar('\n');
        }
        return result;
    }
    if (options->form != FORM_TEXT) {
        return print_all(catalogue, options->form);
    }
    return print_list(catalogue);
}

/* These return an exit code. */
static int load_of_server(tp_catalogue *catalogue, int argc, char **argv, int *i)
{
    const char *url = command_value(name, argc, argv, i);
    tp_client *client = NULL;
    tp_error err = {0};

    if (url == NULL) {
        return EXIT_USAGE;
    }
    tp_status status = tp_client_connect(&client, url, NULL, &err);
    status = status == TP_OK ? tp_client_learn(client, catalogue, &err) : status;
    tp_client_destroy(client);
    return status == TP_OK ? EXIT_DONE : command_fail(name, EXIT_FAILED, "%s", err.text);
}

static int choose_form(struct options *options, const char *option, enum form form)
{
    if (options->form_option != NULL && strcmp(options->form_option, option) != 0) {
        return command_fail(name, EXIT_USAGE, "%s and %s exclude each other", options->form_option,
                            option);
    }
    options->form = form;
    options->form_option = option;
    return EXIT_DONE;
}

static int read_option(struct options *options, tp_catalogue *catalogue, int argc, char **argv,
                       int *i)
{
    const char *option = argv[*i];

    if (strcmp(option, "--json") == 0) {
        return choose_form(options, option, FORM_JSON);
    }
    if (strcmp(option, "--schema") == 0) {
        return choose_form(options, option, FORM_SCHEMA);
    }
    if (strcmp(option, "--padi") == 0) {
        return choose_form(options, option, FORM_PADI);
    }
    if (strcmp(option, "--url") == 0 || strcmp(option, "-u") == 0) {
        return load_of_server(catalogue, argc, argv, i);
    }
    if (strcmp(option, "--rights") == 0) {
        options->rights = true;
        return EXIT_DONE;
    }
    if (strcmp(option, "--load") == 0) {
        return command_load(name, catalogue, argc, argv, i);
    }
    if (option[0] == '-' || options->interface != NULL) {
        return command_unexpected(name, option, NULL);
    }
    options->interface = option;
    return EXIT_DONE;
}

static int read_options(struct options *options, tp_catalogue *catalogue, int argc, char **argv)
{
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        result = read_option(options, catalogue, argc, argv, &i);
    }
    if (result == EXIT_DONE && options->rights &&
        (options->form == FORM_SCHEMA || options->form == FORM_PADI)) {
        return command_fail(name, EXIT_USAGE, "--rights and %s exclude each other",
                            options->form_option);
    }
    if (result == EXIT_DONE && options->form == FORM_PADI && options->interface == NULL) {
        return command_fail(name, EXIT_USAGE, "--padi needs the NAME of an interface");
    }
    return result;
}

static int run(int argc, char **argv)
{
    struct options options = {.form = FORM_TEXT};
    tp_catalogue *catalogue = command_catalogue(name);
    if (catalogue == NULL) {
        return EXIT_FAILED;
    }
    int result = read_options(&options, catalogue, argc, argv);
    if (result == EXIT_DONE) {
        result = show(catalogue, &options);
    }
    tp_catalogue_destroy(catalogue);
    return result;
}

const command command_interfaces = {
    .name = name,
    .summary = "describe the interfaces: messages, fields, units",
    .help = "usage: troupe interfaces [NAME] [--json | --schema] [--load FILE.padi] [--url URL]\n"
            "       troupe interfaces NAME --padi [--load FILE.padi] [--url URL]\n"
            "       troupe interfaces --rights [NAME] [--json] [--load FILE.padi] [--url URL]\n"
            "\n"
            "Lists the interfaces, or describes one: its messages, structs, units and constants.\n"
            "\n"
            "  --json         print JSON; without NAME, of all interfaces\n"
            "  --schema       print the JSON Schema of the messages\n"
            "  --padi         print the interface file, for example to copy that of a server\n"
            "  --rights       print the right that each message needs, as a page or as JSON\n"
            "  --load FILE    load an additional interface file; may be repeated\n"
            "  -u, --url URL  load the interfaces that only this server knows: HOST[:PORT],\n"
            "                 tcp:HOST[:PORT] or unix:PATH\n"
            "\n"
            "Example: troupe interfaces ranger\n",
    .run = run,
};
