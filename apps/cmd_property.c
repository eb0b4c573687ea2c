/* cmd_property.c - troupe property: the properties of a device, read and set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "called.h"
#include "output.h"
#include "remote.h"
#include "table.h"

static const char name[] = "property";

enum { MOST_WORDS = 3 };

struct property {
    struct remote remote;
    struct remote_device device;
    bool json;
    const char *words[MOST_WORDS]; /* DEVICE KEY VALUE */
    int word_count;
    tp_proxy *proxy;
    tp_property_list *list; /* owned */
};

/* ---- All of them ----------------------------------------------------------------------------- */

static const char *type_name(unsigned type)
{
    static const char *const names[] = {"?", "bool", "int", "double", "string"};

    return type < sizeof names / sizeof names[0] ? names[type] : "?";
}

/* The text in `bytes`, which has no NUL if the server is careless. */
static int text_length(uint32_t count, const char *bytes)
{
    const char *end = count > 0 ? memchr(bytes, '\0', count) : NULL;

    return (int)(end != NULL ? (uint32_t)(end - bytes) : count);
}

/* The value as text, to be freed; NULL with `err` if it cannot be read. */
static char *read_value(struct property *p, const tp_property *property, tp_error *err)
{
    char key[256];
    char *value = NULL;

    snprintf(key, sizeof key, "%.*s", text_length(property->key_count, property->key),
             property->key);
    return tp_proxy_get_property(p->proxy, key, &value, err) == TP_OK ? value : NULL;
}

static void put_table(struct property *p, tpi_buf *out)
{
    static const char *const headings[] = {"PROPERTY", "VALUE",       "UNIT", "TYPE",
                                           "ACCESS",   "DESCRIPTION", NULL};
    struct table rows;

    if (p->list->properties_count == 0) {
        tpi_buf_printf(out, "%s has no properties\n", p->device.name);
        return;
    }
    table_init(&rows, headings);
    for (uint32_t i = 0; i < p->list->properties_count; i++) {
        const tp_property *one = &p->list->properties[i];
        tp_error err = {0};
        char *value = read_value(p, one, &err);
        table_cell(&rows, "%.*s", text_length(one->key_count, one->key), one->key);
        table_cell(&rows, value != NULL ? "%s" : "(%s)", value != NULL ? value : err.text);
        table_cell(&rows, "%.*s", text_length(one->unit_count, one->unit), one->unit);
        table_cell(&rows, "%s", type_name(one->type));
        table_cell(&rows, "%s", one->writable ? "write" : "read");
        table_cell(&rows, "%.*s", text_length(one->doc_count, one->doc), one->doc);
        free(value);
    }
    table_put(out, &rows, 0, 0);
    table_fini(&rows);
}

/* Numbers and yes or no as JSON has them, everything else as a string. */
static void put_json_value(tpi_buf *out, unsigned type, const char *text)
{
    const bool number = type == TP_PROPERTY_INT || type == TP_PROPERTY_DOUBLE;
    const size_t length = strlen(text);
    double value;

    if (number && length > 0 && tpi_number_read_f64(text, length, &value) == length) {
        tpi_buf_puts(out, text);
    } else if (type == TP_PROPERTY_BOOL) {
        tpi_buf_puts(out, strcmp(text, "yes") == 0 ? "true" : "false");
    } else {
        output_put_json(out, text, length);
    }
}

static void put_member(tpi_buf *out, const char *key, const char *text, size_t length)
{
    tpi_buf_printf(out, ",\"%s\":", key);
    output_put_json(out, text, length);
}

static void put_json(struct property *p, tpi_buf *out)
{
    tpi_buf_puts(out, "[");
    for (uint32_t i = 0; i < p->list->properties_count; i++) {
        const tp_property *one = &p->list->properties[i];
        tp_error err = {0};
        char *value = read_value(p, one, &err);
        tpi_buf_puts(out, i > 0 ? ",\n{\"property\":" : "\n{\"property\":");
        output_put_json(out, one->key, one->key_count);
        if (value != NULL) {
            tpi_buf_puts(out, ",\"value\":");
            put_json_value(out, one->type, value);
        } else {
            put_member(out, "failure", err.text, strlen(err.text));
        }
        put_member(out, "unit", one->unit, one->unit_count);
        put_member(out, "type", type_name(one->type), 16);
        tpi_buf_printf(out, ",\"writable\":%s", one->writable ? "true" : "false");
        put_member(out, "doc", one->doc, one->doc_count);
        tpi_buf_putc(out, '}');
        free(value);
    }
    tpi_buf_puts(out, "]\n");
}

/* A copy of the list, since reading the values makes requests to the same device. */
static tp_status get_list(struct property *p, tp_error *err)
{
    const void *answer = NULL;
    void *copy = NULL;
    tp_status status = tp_proxy_request(p->proxy, TP_COMMON_REQ_GET_PROPERTIES, NULL, &answer, err);

    if (status == TP_OK) {
        status = tp_value_copy(&copy, &tp_desc_property_list, answer, NULL);
        p->list = copy;
    }
    return status;
}

static int show_all(struct property *p)
{
    tpi_buf out = {0};
    tp_error err = {0};

    if (!tp_client_is_troupe(p->remote.client)) {
        return command_fail(name, EXIT_FAILED,
                            "%s is a Player server, which cannot list properties; name one",
                            remote_url(&p->remote));
    }
    if (get_list(p, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    if (p->json) {
        put_json(p, &out);
    } else {
        put_table(p, &out);
    }
    return command_write(name, &out);
}

/* ---- One of them ----------------------------------------------------------------------------- */

/* What the server says that it is; 0 if it does not. */
static unsigned type_of(struct property *p, const char *key)
{
    const size_t length = strlen(key);

    if (!tp_client_is_troupe(p->remote.client) || get_list(p, NULL) != TP_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < p->list->properties_count; i++) {
        const tp_property *one = &p->list->properties[i];
        if ((size_t)text_length(one->key_count, one->key) == length &&
            memcmp(one->key, key, length) == 0) {
            return one->type;
        }
    }
    return 0;
}

static int show_one(struct property *p)
{
    char *value = NULL;
    tp_error err = {0};
    tpi_buf out = {0};

    if (tp_proxy_get_property(p->proxy, p->words[1], &value, &err) != TP_OK) {
        return command_fail(name, EXIT_FAILED, "%s", err.text);
    }
    if (p->json) {
        put_json_value(&out, type_of(p, p->words[1]), value);
        tpi_buf_putc(&out, '\n');
    } else {
        output_put_lines(&out, value);
    }
    free(value);
    return command_write(name, &out);
}

static int set_one(struct property *p)
{
    tp_error err = {0};

    return tp_proxy_set_property(p->proxy, p->words[1], p->words[2], &err) == TP_OK
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s", err.text);
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_options(struct property *p, int argc, char **argv)
{
    static const char *const options[] = {"--json", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        const bool value = p->word_count == 2; /* which may be a negative number */
        if (remote_has_option(argv[i])) {
            result = remote_option(&p->remote, argc, argv, &i);
        } else if (strcmp(argv[i], "--json") == 0) {
            p->json = true;
        } else if ((argv[i][0] == '-' && !value) || p->word_count == MOST_WORDS) {
            result = remote_unexpected(&p->remote, argv[i], options);
        } else {
            p->words[p->word_count++] = argv[i];
        }
    }
    if (result == EXIT_DONE && p->word_count == 0) {
        return command_fail(name, EXIT_USAGE, "which device? %s list names them", called());
    }
    return result == EXIT_DONE ? remote_read_device(&p->remote, p->words[0], &p->device) : result;
}

static int do_it(struct property *p)
{
    int result = remote_connect(&p->remote, TP_CLIENT_FRESH, false);

    if (result == EXIT_DONE) {
        result = remote_open(&p->remote, &p->device, TP_OPEN_MODE, &p->proxy);
    }
    if (result == EXIT_DONE) {
        result = p->word_count == 1 ? show_all(p) : p->word_count == 2 ? show_one(p) : set_one(p);
    }
    free(p->list);
    tp_proxy_close(p->proxy);
    return result;
}

static int run(int argc, char **argv)
{
    struct property p = {.json = false};
    int result = remote_init(&p.remote, name);

    result = result == EXIT_DONE ? read_options(&p, argc, argv) : result;
    result = result == EXIT_DONE ? do_it(&p) : result;
    remote_fini(&p.remote);
    return result;
}

const command command_property = {
    .name = name,
    .summary = "read and set the properties of a device",
    .help =
        "usage: troupe property DEVICE [KEY [VALUE]] [--json]\n"
        "\n"
        "Lists the properties of a device with value, unit, access and description, prints the\n"
        "value of one property, or sets it. A Player server cannot list properties. DEVICE is\n"
        "[SERVER/]INTERFACE[:INDEX]: laser, robot.local:6666/laser:1.\n"
        "\n"
        "  --json          print JSON\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe property ranger:0\n"
        "          troupe property ranger:0 max_range\n"
        "          troupe property dummy:0 rate 20\n",
    .run = run,
};
