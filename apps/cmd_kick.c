/* cmd_kick.c - troupe kick: throws a client of a server out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "called.h"
#include "remote.h"
#include "stat_text.h"

static const char name[] = "kick";

/* What servers say need not have an end. */
static bool is_at(const tp_client_stat *client, const char *place)
{
    const size_t length = strlen(place);

    return client->name_count > 0 && strnlen(client->name, client->name_count) == length &&
           memcmp(client->name, place, length) == 0;
}

/* A client by its number, or by where it connects from; NULL (and a message) if there is not
 * exactly one. */
static const tp_client_stat *find(const tp_statistics *found, const char *wanted)
{
    const tp_client_stat *client = NULL;
    int64_t number = 0;
    size_t count = 0;
    const bool numbered = tpi_number_read_i64(wanted, strlen(wanted), &number);

    for (uint32_t i = 0; i < found->clients_count; i++) {
        const tp_client_stat *one = &found->clients[i];
        if (numbered ? one->number == number : is_at(one, wanted)) {
            client = one;
            count++;
        }
    }
    if (count == 1) {
        return client;
    }
    command_fail(name, EXIT_FAILED,
                 count == 0 ? "there is no client \"%s\"; %s stat%s lists the clients"
                            : "several clients are \"%s\"; %s stat%s shows their numbers",
                 wanted, called(), called_server());
    return NULL;
}

/* "client 3, troupe print at 127.0.0.1:51234, is disconnected; released position2d:0". */
static int print_done(const struct remote *remote, const tp_statistics *found,
                      const tp_client_stat *client)
{
    const char *glue = "; released ";
    tpi_buf label = {0};
    tpi_buf out = {0};

    stat_put_label(&label, client);
    tpi_buf_printf(&out, "client %lu, %s, is disconnected", (unsigned long)client->number,
                   tpi_buf_text(&label));
    for (uint32_t i = 0; i < found->devices_count; i++) {
        const tp_device_stat *device = &found->devices[i];
        if (device->holder_number == client->number) {
            const tp_interface *interface =
                tp_catalogue_code(remote->catalogue, device->addr.interf);
            tpi_buf_printf(&out, "%s%s:%u", glue, interface != NULL ? interface->name : "device",
                           device->addr.index);
            glue = ", ";
        }
    }
    tpi_buf_puts(&out, "\n");
    tpi_buf_fini(&label);
    return command_write(name, &out);
}

static int kick(struct remote *remote, const char *wanted)
{
    tp_statistics *found = remote_statistics(remote);
    tp_error err = {0};
    int result = EXIT_FAILED;

    if (found == NULL) {
        return EXIT_FAILED;
    }
    const tp_client_stat *client = find(found, wanted);
    const tp_kick ask = {.number = client != NULL ? client->number : 0};
    if (client != NULL &&
        tp_client_request(remote->client, TP_PLAYER_REQ_KICK, &ask, NULL, &err) != TP_OK) {
        command_fail(name, EXIT_FAILED, "%s", err.text);
    } else if (client != NULL) {
        result = print_done(remote, found, client);
    }
    free(found);
    return result;
}

static int run(int argc, char **argv)
{
    static const char *const known[] = {NULL};
    struct remote remote = {0};
    const char *wanted = NULL;
    int result = remote_init(&remote, name);

    for (int i = 0; i < argc && result == EXIT_DONE; i++) {
        if (remote_has_option(argv[i])) {
            result = remote_option(&remote, argc, argv, &i);
        } else if (argv[i][0] == '-') {
            result = remote_unexpected(&remote, argv[i], known);
        } else if (wanted == NULL) {
            wanted = argv[i];
        } else {
            result = remote_set_url(&remote, argv[i]);
        }
    }
    if (result == EXIT_DONE && wanted == NULL) {
        result =
            command_fail(name, EXIT_USAGE, "which client? %s stat shows their numbers", called());
    }
    result = result == EXIT_DONE ? remote_connect(&remote, TP_CLIENT_FRESH, false) : result;
    result = result == EXIT_DONE ? kick(&remote, wanted) : result;
    remote_fini(&remote);
    return result;
}

const command command_kick = {
    .name = name,
    .summary = "disconnect a client",
    .help =
        "usage: troupe kick CLIENT [URL] [--key-file FILE]\n"
        "\n"
        "Closes the connection of a client. What the client moves stops, and its exclusive "
        "devices\n"
        "become free. CLIENT is the number or the address of the client, as troupe stat shows\n"
        "them. The client may connect again; to prevent that, remove its key. This needs the\n"
        "right to end the panics of others: an operator's key, or, if the configuration has no\n"
        "such key, a server on this machine.\n"
        "\n" REMOTE_OPTIONS_HELP "\n"
        "Examples: troupe kick 3\n"
        "          troupe kick 192.168.1.9:51234 robot.local --key-file boss.key\n",
    .run = run,
};
