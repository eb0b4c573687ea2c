/* send_value.c - the value of a message that is sent, and which messages there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "called.h"
#include "example.h"
#include "send.h"

enum { LARGEST_INPUT = 64 << 20 };

/* Whether JSON says nothing: blank, null or {}. */
static bool is_nothing(const char *text, size_t length)
{
    tpi_json json;
    tpi_json_span name;

    tpi_json_init(&json, text, length);
    if (tpi_json_peek(&json) == TPI_JSON_NONE) {
        return strspn(text, " \t\r\n") == length;
    }
    if (tpi_json_peek(&json) == TPI_JSON_NULL) {
        tpi_json_null(&json);
    } else if (!tpi_json_object(&json) || tpi_json_member(&json, &name)) {
        return false;
    }
    return tpi_json_end(&json, NULL) == TP_OK;
}

/* With its line, unless that is the first. */
static int takes_no_value(const struct send *s)
{
    const bool later = s->streams && s->feed.start_line > 1;
    char line[32];

    snprintf(line, sizeof line, ": line %lu", s->feed.start_line);
    return command_fail(s->remote.command, EXIT_FAILED, "%s %s takes no value%s", s->device.name,
                        s->message->name, later ? line : "");
}

static int needs_value(const struct send *s)
{
    tpi_buf example = {0};

    example_put(&example, s->message->ask, true);
    const int result =
        command_fail(s->remote.command, EXIT_USAGE, "%s %s needs a value, such as '%s'",
                     s->device.name, s->message->name, tpi_buf_text(&example));
    tpi_buf_fini(&example);
    return result;
}

int send_parse_value(struct send *s, const char *text, size_t length)
{
    tp_error err = {0};

    if (s->message->ask == NULL) {
        return is_nothing(text, length) ? EXIT_DONE : takes_no_value(s);
    }
    if (tp_value_from_json(&s->value, s->message->ask, text, length, &err) != TP_OK) {
        tpi_buf placed = {0};
        if (s->streams) {
            feed_place(&s->feed, err.text, &placed);
        } else {
            tpi_buf_puts(&placed, err.text);
        }
        const int result = command_fail(s->remote.command, EXIT_FAILED, "%s %s: %s", s->device.name,
                                        s->message->name, tpi_buf_text(&placed));
        tpi_buf_fini(&placed);
        return result;
    }
    return EXIT_DONE;
}

int send_read_value(struct send *s)
{
    tpi_buf input = {0};
    tp_error err = {0};

    if (s->word_count < 3) {
        return s->message->ask != NULL ? needs_value(s) : EXIT_DONE;
    }
    if (strcmp(s->words[2], "-") != 0) {
        return send_parse_value(s, s->words[2], strlen(s->words[2]));
    }
    s->streams = s->kind == TP_KIND_COMMAND && s->repeat_hz == 0;
    if (s->streams) {
        return send_read_first(s);
    }
    int result = EXIT_FAILED;
    if (tpi_file_read(&input, "-", LARGEST_INPUT, &err) != TP_OK) {
        command_fail(s->remote.command, EXIT_FAILED, "%s", err.text);
    } else {
        result = send_parse_value(s, tpi_buf_text(&input), input.length);
    }
    tpi_buf_fini(&input);
    return result;
}

/* Every program has it in itself, so that `troupe interfaces` needs no server to describe it. */
static bool is_built_in(const tp_interface *interface)
{
    tp_catalogue *catalogue = NULL;
    const bool is = tp_catalogue_create(&catalogue, NULL) != TP_OK ||
                    tp_catalogue_named(catalogue, interface->name) != NULL;

    tp_catalogue_destroy(catalogue);
    return is;
}

/* As the client library chooses it. */
static const char *server_of(const struct send *s)
{
    const char *url = remote_url(&s->remote);

    url = url == NULL ? getenv("TROUPE_URL") : url;
    return url == NULL || url[0] == '\0' ? "localhost" : url;
}

int send_list_messages(const struct send *s)
{
    const tp_interface *interface = s->device.interface;
    const bool by_option = s->remote.own_url == NULL && called_server()[0] != '\0';
    tpi_buf device = {0};
    tpi_buf out = {0};

    tpi_buf_printf(&device, "%s%s%s%s", by_option ? "--url" : "", by_option ? called_server() : "",
                   by_option ? " " : "", s->words[0]);
    example_put_messages(&out, interface, s->kind, s->remote.command, tpi_buf_text(&device),
                         is_built_in(interface) ? NULL : server_of(s));
    tpi_buf_fini(&device);
    if (s->kind == TP_KIND_REQUEST && interface->code != 0) {
        tpi_buf_printf(&out, "Requests that every device has: %s request common\n", called());
    }
    return command_write(s->remote.command, &out);
}
