/*
 * elsewhere.c - devices that a configuration requires from other servers.
 *
 * An address with another host, or with a port that nothing in the configuration provides, belongs
 * to another server. Each such server gets a robot number that no port can have, so that its
 * devices are in the registry like all others but no client sees them; the driver `remote` offers
 * them there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/address.h"
#include "server/inside.h"

struct far_device {
    tpi_wanted wanted;
    struct far_device *next;
};

struct far_server {
    const char *url;
    unsigned robot;
    struct far_device *devices;
    struct far_server *next;
};

/* ---- Which are elsewhere --------------------------------------------------------------------- */

static bool is_this_host(const char *host)
{
    return host[0] == '\0' || strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0;
}

static bool is_provided(const tp_server *server, unsigned robot)
{
    for (size_t i = 0; i < server->provided_count; i++) {
        if (server->provided[i] == robot) {
            return true;
        }
    }
    return false;
}

static tp_status note_provided(tp_server *server, tpi_cfg_section *section, tp_error *err)
{
    const tpi_cfg_field *field = tpi_cfg_find(section, "provides");
    tpi_devaddr_text address;

    for (uint32_t i = 0; field != NULL && i < field->value_count; i++) {
        if (tpi_devaddr_parse(&address, field->values[i].text, NULL) != TP_OK) {
            continue; /* told when the section is wired */
        }
        const unsigned robot = address.robot > 0 ? address.robot : server->options.port;
        if (is_provided(server, robot)) {
            continue;
        }
        if (server->provided_count == MOST_ROBOTS) {
            return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
        }
        server->provided[server->provided_count++] = robot;
    }
    return TP_OK;
}

tp_status elsewhere_begin(tp_server *server, tp_error *err)
{
    tpi_cfg_section *root = tpi_cfg_root(server->cfg);
    tp_status status = TP_OK;

    server->provided_count = 0;
    for (uint32_t i = 0; i < root->section_count && status == TP_OK; i++) {
        if (strcmp(root->sections[i]->type, "driver") == 0) {
            status = note_provided(server, root->sections[i], err);
        }
    }
    return status;
}

bool elsewhere_is(const tp_server *server, const tpi_devaddr_text *address)
{
    if (!is_this_host(address->host)) {
        return true;
    }
    return address->robot > 0 && !is_provided(server, address->robot);
}

/* ---- Naming them ----------------------------------------------------------------------------- */

/* A host of digits only is the packed number of an IPv4 address, as in Player. */
static void print_host(char *out, size_t size, const char *host)
{
    char *end = NULL;
    const unsigned long packed = strtoul(host, &end, 10);

    if (host[0] == '\0') {
        snprintf(out, size, "127.0.0.1");
    } else if (*end == '\0') {
        snprintf(out, size, "%lu.%lu.%lu.%lu", packed & 255, packed >> 8 & 255, packed >> 16 & 255,
                 packed >> 24 & 255);
    } else {
        snprintf(out, size, "%s", host);
    }
}

static void print_url(char *out, size_t size, const tpi_devaddr_text *address)
{
    char host[TPI_ADDRESS_PART];

    if (address->host[0] == '/') { /* a server on this machine, of whom this one is a part */
        snprintf(out, size, "unix:%s", address->host);
        return;
    }
    print_host(host, sizeof host, address->host);
    snprintf(out, size, "tcp:%s:%u", host, address->robot > 0 ? address->robot : DEFAULT_PORT);
}

static struct far_server *find_server(tp_server *server, const char *url)
{
    struct far_server *far = server->far_servers;
    unsigned robot = FIRST_FAR_ROBOT;

    for (; far != NULL; far = far->next) {
        if (strcmp(far->url, url) == 0) {
            return far;
        }
        robot++;
    }
    far = tpi_arena_array(&server->arena, 1, sizeof *far);
    const char *copy = tpi_arena_text(&server->arena, url, strlen(url));
    if (far == NULL || copy == NULL) {
        return NULL;
    }
    *far = (struct far_server){.url = copy, .robot = robot, .next = server->far_servers};
    server->far_servers = far;
    return far;
}

static bool is_known(const struct far_server *far, const tp_devaddr *addr)
{
    const struct far_device *device = far->devices;

    while (device != NULL && memcmp(&device->wanted.addr, addr, sizeof *addr) != 0) {
        device = device->next;
    }
    return device != NULL;
}

tp_status elsewhere_name(tp_server *server, const tpi_devaddr_text *address, tpi_wanted *wanted,
                         tp_error *err)
{
    char url[2 * TPI_ADDRESS_PART];

    print_url(url, sizeof url, address);
    struct far_server *far = find_server(server, url);
    if (far == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    wanted->addr.robot = far->robot;
    if (is_known(far, &wanted->addr)) {
        return TP_OK;
    }
    struct far_device *device = tpi_arena_array(&server->arena, 1, sizeof *device);
    if (device == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *device = (struct far_device){.wanted = *wanted, .next = far->devices};
    device->wanted.key = "";
    far->devices = device;
    return TP_OK;
}

/* ---- Offering them --------------------------------------------------------------------------- */

static tp_status offer(tp_server *server, const struct far_server *far,
                       const struct far_device *device, tp_error *err)
{
    tpi_setting_value *value = tpi_arena_array(&server->arena, 1, sizeof *value);
    tpi_setting *setting = tpi_arena_array(&server->arena, 1, sizeof *setting);
    tpi_blueprint plan = {.driver = find_driver(server, "remote"),
                          .settings = setting,
                          .setting_count = 1,
                          .provides = &device->wanted,
                          .provide_count = 1,
                          .restart_ns = TP_NS_PER_S};

    if (plan.driver == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "%s:%u is on another server, %s: this program has no "
                       "driver `remote`",
                       device->wanted.interface->name, device->wanted.addr.index, far->url);
    }
    if (value == NULL || setting == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *value = (tpi_setting_value){.text = far->url};
    *setting = (tpi_setting){.name = "url", .values = value, .value_count = 1};
    return tpi_hub_add(server->hub, &plan, NULL, err);
}

tp_status elsewhere_offer(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (struct far_server *far = server->far_servers; far != NULL; far = far->next) {
        for (struct far_device *d = far->devices; d != NULL && status == TP_OK; d = d->next) {
            status = offer(server, far, d, err);
        }
    }
    return status;
}
