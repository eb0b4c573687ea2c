/* demo_hints.c - commands to type while the demo runs; see demo_hints.h. */
#include "demo_hints.h"

#include <stdio.h>
#include <string.h>

#include "called.h"
#include "client/url.h"

/* Whether there is INTERFACE:0. */
static bool has_first(const tp_server *server, const char *interface)
{
    for (size_t i = 0; i < tp_server_device_count(server); i++) {
        const tp_device *device = tp_server_device_at(server, i);
        if (tp_device_addr(device)->index == 0 &&
            strcmp(tp_device_interface(device)->name, interface) == 0) {
            return true;
        }
    }
    return false;
}

/* Of these interfaces the first that the world has is the one to look at. */
static const char *find_sensor(const tp_server *server)
{
    static const char *const liked[] = {"ranger", "laser",    "sonar", "aio",
                                        "bumper", "fiducial", "gps"};

    for (size_t i = 0; i < sizeof liked / sizeof liked[0]; i++) {
        if (has_first(server, liked[i])) {
            return liked[i];
        }
    }
    return NULL;
}

/* The port that it listens on; 0 for the usual one. */
static unsigned unusual_port(const tp_server *server)
{
    unsigned robot = 0;
    unsigned port = 0;

    tp_server_port(server, 0, &robot, &port);
    return port == TPI_URL_PORT ? 0 : port;
}

void demo_name_server(const tp_server *server)
{
    const unsigned port = unusual_port(server);
    char url[32];

    if (port != 0) {
        snprintf(url, sizeof url, "localhost:%u", port);
        called_set_server(url);
    }
}

/* Commands that work while it runs, one in each line. */
void demo_put_hints(tpi_buf *out, const tp_server *server)
{
    const unsigned port = unusual_port(server);
    const char *sensor = find_sensor(server);
    const bool vehicle = has_first(server, "position2d");
    const char *program = called();
    char before[40] = "";

    if (port != 0) {
        snprintf(before, sizeof before, "localhost:%u/", port);
    }
    tpi_buf_printf(out, "%s list%s\n", program, called_server());
    if (vehicle) {
        tpi_buf_printf(out, "%s print %sposition2d:0\n", program, before);
    }
    if (sensor != NULL) {
        tpi_buf_printf(out, "%s print %s%s:0 --rate 2\n", program, before, sensor);
    }
    if (vehicle) {
        tpi_buf_printf(out,
                       "%s send %sposition2d:0 VEL '{\"vel\":{\"pa\":1},\"state\":1}' --for 5\n",
                       program, before);
    }
}
