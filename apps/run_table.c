/* run_table.c - what a server that starts has to say. */
#include "run_table.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "called.h"
#include "client/url.h"
#include "output.h"
#include "print_silence.h"
#include "table.h"

enum { MOST_PORT = 65535 }; /* robots beyond are on other servers */

/* With the robot's port before it, if there are several robots. */
static void put_devices(const tp_server *server, tpi_buf *out)
{
    static const char *const headings[] = {"DEVICE", "DRIVER", "DESCRIPTION", NULL};
    unsigned robot = 0;
    unsigned port = 0;
    struct table rows;
    size_t columns = 0;
    size_t lines = 0;

    const bool several = tp_server_port(server, 1, &robot, &port);
    table_init(&rows, headings);
    for (size_t i = 0; i < tp_server_device_count(server); i++) {
        const tp_device *device = tp_server_device_at(server, i);
        const tp_devaddr *addr = tp_device_addr(device);
        if (addr->robot > MOST_PORT) {
            continue;
        }
        const tp_interface *interface = tp_device_interface(device);
        char before[16] = "";
        if (several) {
            snprintf(before, sizeof before, "%lu:", (unsigned long)addr->robot);
        }
        table_cell(&rows, "%s%s:%u", before, interface->name, addr->index);
        table_cell(&rows, "%s", tp_instance_name(tp_device_instance(device)));
        table_cell(&rows, "%.*s", output_sentence(interface->doc), interface->doc);
    }
    if (output_is_terminal()) {
        output_size(&columns, &lines);
    }
    table_put(out, &rows, 2, columns);
    table_fini(&rows);
}

void run_table_print(const tp_server *server, const char *path)
{
    size_t count = 0;
    tpi_buf out = {0};

    for (size_t i = 0; i < tp_server_device_count(server); i++) {
        count += tp_device_addr(tp_server_device_at(server, i))->robot <= MOST_PORT;
    }
    tpi_buf_printf(&out, "%s: %zu device%s\n", path, count, output_plural(count));
    if (count > 0) {
        put_devices(server, &out);
    }
    fputs(tpi_buf_text(&out), stdout);
    tpi_buf_fini(&out);
}

/* What commands on this machine call the server: "" where they look by themselves. */
static void put_url(tpi_buf *out, const tp_server *server, const tp_server_options *options,
                    unsigned port)
{
    static const char *const ours[] = {"127.0.0.1", "localhost", "*", "0.0.0.0", NULL};
    tp_server_front front = {.listen = ours[0]};
    bool here = false;

    for (size_t i = 0; front.port != port && tp_server_front_at(server, i, &front); i++) {
    }
    const char *host = front.listen;

    for (const char *const *at = ours; *at != NULL; at++) {
        here = here || strcmp(host, *at) == 0;
    }
    if (port == 0) {
        tpi_buf_printf(out, "unix:%s", options->unix_path);
    } else if (!here || port != TPI_URL_PORT) {
        const bool wide = strchr(host, ':') != NULL; /* an IPv6 address */
        tpi_buf_printf(out, "%s%s%s:%u", wide ? "[" : "", here ? "localhost" : host,
                       wide ? "]" : "", port);
    }
}

/* The first device of a robot that has something to print, or if there is one, the first of the
 * interface `prefer`. */
static const tp_device *find_device(const tp_server *server, unsigned robot, const char *prefer)
{
    const tp_device *first = NULL;

    for (size_t i = 0; i < tp_server_device_count(server); i++) {
        const tp_device *device = tp_server_device_at(server, i);
        if (tp_device_addr(device)->robot != robot) {
            continue;
        }
        if (prefer != NULL && strcmp(tp_device_interface(device)->name, prefer) == 0) {
            return device;
        }
        if (first == NULL && print_has_data(tp_device_interface(device))) {
            first = device;
        }
    }
    return first;
}

/* How to look at a device, where it is served. */
static void print_next(const tp_device *device, const char *url)
{
    printf("next: %s list%s%s\n", called(), url[0] != '\0' ? " " : "", url);
    if (device != NULL) {
        printf("      %s print %s%s%s:%u\n", called(), url, url[0] != '\0' ? "/" : "",
               tp_device_interface(device)->name, tp_device_addr(device)->index);
    }
}

/* " of 0.0.0.0, read-only without a key"; nothing on the usual address, where everybody may do
 * everything. */
static void put_access(tpi_buf *out, const tp_server *server, const tp_server_front *front)
{
    const char *host = front->listen;

    if (front->reach != TP_REACH_UNIX && strcmp(host, "127.0.0.1") != 0 &&
        strcmp(host, "localhost") != 0) {
        tpi_buf_printf(out, " of %s", strcmp(host, "*") == 0 ? "all addresses" : host);
    }
    if (tp_server_guests(server, front->reach) == TP_RIGHT_READ) {
        tpi_buf_puts(out, tp_server_key_count(server) > 0
                              ? ", read-only without a key"
                              : ", read-only for all clients: there are no keys");
    } else if (front->reach == TP_REACH_NETWORK) {
        tpi_buf_puts(out, ", open to everybody");
    }
}

/* Whether its port is not the one that clients look for. */
static bool is_elsewhere(const tp_server_options *options, const tp_server_front *front)
{
    return front->robot == TP_EVERY_ROBOT ? options->any_port || front->taken != 0
                                          : front->port != front->robot;
}

/* Whether it is the port that the server has for a robot: the others are shown by their names. */
static bool is_of_robot(const tp_server *server, const tp_server_front *front)
{
    unsigned robot = 0;
    unsigned port = 0;

    for (size_t i = 0; tp_server_port(server, i, &robot, &port); i++) {
        if (robot == front->robot && port == front->port) {
            return true;
        }
    }
    return false;
}

/* Of several robots: a port that is not the robot's number does not tell which robot it is. */
static void print_robot(const tp_server *server, const tp_server_options *options,
                        const tp_server_front *front)
{
    unsigned robot = 0;
    unsigned port = 0;

    if (options->any_port) {
        printf(" (chosen by the system)");
    }
    if (front->robot != TP_EVERY_ROBOT && tp_server_port(server, 1, &robot, &port)) {
        printf(" for robot %u", (unsigned)front->robot);
    }
}

/* ": http://localhost:9665/": what a browser on this machine opens. */
static void put_page(tpi_buf *out, const tp_server_front *front)
{
    static const char *const local[] = {"127.0.0.1", "localhost", "*", "0.0.0.0", "::", NULL};
    const bool here = tpi_text_among(local, front->listen);
    const bool wide = !here && strchr(front->listen, ':') != NULL; /* an IPv6 address */

    if (front->page != NULL) {
        tpi_buf_printf(out, ": %s://%s%s%s:%u/", front->page, wide ? "[" : "",
                       here ? "localhost" : front->listen, wide ? "]" : "", front->port);
    }
}

/* "listening on port 6665", "front web: listening on port 9665: http://localhost:9665/", "listening
 * on port 40123 (chosen by the system) for robot 6665", "front web: listening on port 9666, as 9665
 * is taken: http://localhost:9666/". */
static void print_listener(const tp_server *server, const tp_server_options *options,
                           const tp_server_front *front, bool odd)
{
    const bool elsewhere = is_elsewhere(options, front);
    const bool named = !is_of_robot(server, front);
    tpi_buf access = {0};

    put_access(&access, server, front);
    if (front->reach == TP_REACH_UNIX && (!odd || access.length > 0)) {
        printf("listening on unix:%s%s\n", options->unix_path, tpi_buf_text(&access));
    } else if (front->reach != TP_REACH_UNIX && (!odd || elsewhere || access.length > 0)) {
        printf("%s%s%slistening on port %u", named ? "front " : "", named ? front->name : "",
               named ? ": " : "", front->port);
        if (elsewhere) {
            print_robot(server, options, front);
        }
        if (front->taken != 0) {
            printf(", as %u is taken", front->taken);
        }
        put_page(&access, front);
        printf("%s\n", tpi_buf_text(&access));
    }
    tpi_buf_fini(&access);
}

/* A line for each; what can be known is left out if `odd`. */
static void print_listeners(const tp_server *server, const tp_server_options *options, bool odd)
{
    tp_server_front front;

    for (size_t i = 0; tp_server_front_at(server, i, &front); i++) {
        if (!front.twin) {
            print_listener(server, options, &front, odd);
        }
    }
}

void run_table_print_odd(const tp_server *server, const tp_server_options *options)
{
    print_listeners(server, options, true);
    fflush(stdout);
}

void run_table_print_places(const tp_server *server, const tp_server_options *options,
                            const char *prefer)
{
    unsigned robot = 0;
    unsigned port = 0;
    tpi_buf url = {0};

    print_listeners(server, options, false);
    (void)tp_server_port(server, 0, &robot, &port);
    if (port != 0 || options->unix_path != NULL) {
        put_url(&url, server, options, port);
        print_next(find_device(server, robot, prefer), tpi_buf_text(&url));
    }
    tpi_buf_fini(&url);
    fflush(stdout);
}
