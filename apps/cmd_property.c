/* cmd_property.c - troupe property: the properties of a device, read and set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
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
    const char *expected; /* the value of --if; NULL without it */
    double counted_s;     /* the value of --counted; 0 without it */
    tp_proxy *proxy;
    tp_property_list *list; /* owned */
};

static int fail(const tp_error *err)
{
    return command_fail(name, EXIT_FAILED, "%s", err->text);
}

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
        return fail(&err);
    }
    if (p->json) {
        put_json(p, &out);
    } else {
        put_table(p, &out);
    }
    return p->json ? command_write(name, &out) : command_write_wrapped(name, &out);
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
        return fail(&err);
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

    return tp_proxy_set_property(p->proxy, p->words[1], p->words[2], &err) == TP_OK ? EXIT_DONE
                                                                                    : fail(&err);
}

/* ---- Counters, and values that depend on the old ones ---------------------------------------- */

static bool read_number(const char *text, double *out)
{
    const size_t length = strlen(text);

    if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0) {
        *out = text[0] == 'y';
        return true;
    }
    return length > 0 && tpi_number_read_f64(text, length, out) == length;
}

static int test_and_set(struct property *p)
{
    double expected = 0;
    double value = 0;
    double before = 0;
    char is[TPI_NUMBER_SIZE];
    tp_error err = {0};

    if (!read_number(p->expected, &expected) || !read_number(p->words[2], &value)) {
        return command_fail(name, EXIT_USAGE, "--if needs numbers, or yes and no");
    }
    if (tp_proxy_test_and_set(p->proxy, p->words[1], expected, value, &before, &err) != TP_OK) {
        return fail(&err);
    }
    is[tpi_number_put_f64(is, before)] = '\0';
    return before == expected
               ? EXIT_DONE
               : command_fail(name, EXIT_FAILED, "%s: \"%s\" is %s, so it was not set",
                              p->device.name, p->words[1], is);
}

static void time_is_over(void *context)
{
    remote_stop(context);
}

/* Handle messages for so long; EXIT_FAILED if a signal ends it. */
static int wait_for(struct property *p, double seconds)
{
    tp_loop *loop = tp_client_loop(p->remote.client);
    const tp_clock *clock = tp_loop_clock(loop);
    tp_timer *timer = NULL;
    tp_error err = {0};

    if (tp_timer_create(&timer, loop, time_is_over, &p->remote, &err) != TP_OK) {
        return fail(&err);
    }
    remote_catch_signals(&p->remote);
    tp_timer_at(timer, tp_clock_now_ns(clock) + command_ns(seconds));
    const bool interrupted = remote_run(&p->remote);
    tp_timer_destroy(timer);
    return interrupted ? EXIT_FAILED : EXIT_DONE;
}

/* What a counter counts from now on, in the time that was given. */
static int show_counted(struct property *p)
{
    double amount = 0;
    char text[TPI_NUMBER_SIZE];
    tp_error err = {0};
    tpi_buf out = {0};

    if (tp_proxy_read_and_clear(p->proxy, p->words[1], &amount, &err) != TP_OK) {
        return fail(&err);
    }
    const int result = wait_for(p, p->counted_s);
    if (result != EXIT_DONE) {
        return result;
    }
    if (tp_proxy_read_and_clear(p->proxy, p->words[1], &amount, &err) != TP_OK) {
        return fail(&err);
    }
    text[tpi_number_put_f64(text, amount)] = '\0';
    tpi_buf_printf(&out, "%s\n", text);
    return command_write(name, &out);
}

/* ---- Command line ---------------------------------------------------------------------------- */

static int read_expected(struct property *p, int argc, char **argv, int *i)
{
    p->expected = command_value(name, argc, argv, i);
    return p->expected != NULL ? EXIT_DONE : EXIT_USAGE;
}

/* Whether the options go with the words. */
static int check_words(const struct property *p)
{
    if (p->word_count == 0) {
        return command_fail(name, EXIT_USAGE, "which device? %s list names them", called());
    }
    if (p->expected != NULL && p->word_count != 3) {
        return command_fail(name, EXIT_USAGE, "--if needs a property and its new value");
    }
    return p->counted_s > 0 && (p->word_count != 2 || p->expected != NULL)
               ? command_fail(name, EXIT_USAGE, "--counted needs the name of a counter only")
               : EXIT_DONE;
}

static int read_options(struct property *p, int argc, char **argv)
{
    static const char *const options[] = {"--json", "--if", "--counted", NULL};
    int result = EXIT_DONE;

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        const bool value = p->word_count == 2; /* which may be a negative number */
        if (remote_has_option(argv[i])) {
            result = remote_option(&p->remote, argc, argv, &i);
        } else if (strcmp(argv[i], "--json") == 0) {
            p->json = true;
        } else if (strcmp(argv[i], "--if") == 0) {
            result = read_expected(p, argc, argv, &i);
        } else if (strcmp(argv[i], "--counted") == 0) {
            result = command_positive(name, argc, argv, &i, &p->counted_s);
        } else if ((argv[i][0] == '-' && !value) || p->word_count == MOST_WORDS) {
            result = remote_unexpected(&p->remote, argv[i], options);
        } else {
            p->words[p->word_count++] = argv[i];
        }
    }
    result = result == EXIT_DONE ? check_words(p) : result;
    return result == EXIT_DONE ? remote_read_device(&p->remote, p->words[0], &p->device) : result;
}

static int use(struct property *p)
{
    if (p->counted_s > 0) {
        return show_counted(p);
    }
    if (p->expected != NULL) {
        return test_and_set(p);
    }
    return p->word_count == 1 ? show_all(p) : p->word_count == 2 ? show_one(p) : set_one(p);
}

static int do_it(struct property *p)
{
    int result = remote_connect(&p->remote, TP_CLIENT_FRESH, false);

    if (result == EXIT_DONE) {
        result = remote_open(&p->remote, &p->device, TP_OPEN_MODE, &p->proxy);
    }
    if (result == EXIT_DONE) {
        result = use(p);
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
        "usage: troupe property DEVICE [KEY [VALUE [--if EXPECTED]]] [--json]\n"
        "       troupe property DEVICE COUNTER --counted SECONDS\n"
        "\n"
        "Lists the properties of a device with value, unit, access and description, prints the\n"
        "value of one property, or sets it. A Player server cannot list properties. DEVICE is\n"
        "[SERVER/]INTERFACE[:INDEX]: laser, robot.local:6666/laser:1.\n"
        "\n"
        "  --json          print JSON\n"
        "  --if EXPECTED   set the property only if its value is EXPECTED: a number, yes or no.\n"
        "                  Of several clients with the same EXPECTED one sets it; the others fail\n"
        "  --counted SECONDS\n"
        "                  print what a counter, such as bumps or driven, counts in that "
        "time\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe property ranger:0\n"
        "          troupe property ranger:0 max_range\n"
        "          troupe property dummy:0 rate 20\n"
        "          troupe property dummy:0 rate 20 --if 10\n"
        "          troupe property position2d:0 driven --counted 10\n",
    .run = run,
};
