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

/* The number that stands for another server, as long as this one lives. */
struct far_name {
    const char *url;
    unsigned robot;
    struct far_name *next;
};

struct far_server {
    const struct far_name *name;
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
    for (size_t i = 0; i < server->file->provided_count; i++) {
        if (server->file->provided[i] == robot) {
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
        const bool all = strcmp(field->values[i].text, "all") == 0; /* on the usual port */
        if (!all && tpi_devaddr_parse(&address, field->values[i].text, NULL) != TP_OK) {
            continue; /* told when the section is wired */
        }
        const unsigned robot = !all && address.robot > 0 ? address.robot : server->options.port;
        if (is_provided(server, robot)) {
            continue;
        }
        if (server->file->provided_count == MOST_ROBOTS) {
            return tp_fail(err, TP_E_LIMIT, "more than %d robots", MOST_ROBOTS);
        }
        server->file->provided[server->file->provided_count++] = robot;
    }
    return TP_OK;
}

tp_status tpi_elsewhere_begin(tp_server *server, tp_error *err)
{
    tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    tp_status status = TP_OK;

    server->file->provided_count = 0;
    for (uint32_t i = 0; i < root->section_count && status == TP_OK; i++) {
        if (strcmp(root->sections[i]->type, "driver") == 0) {
            status = note_provided(server, root->sections[i], err);
        }
    }
    return status;
}

bool tpi_elsewhere_is(const tp_server *server, const tpi_devaddr_text *address)
{
    if (!is_this_host(address->host)) {
        return true;
    }
    return address->robot > 0 && !is_provided(server, address->robot);
}

static bool lists(const tpi_cfg_field *field, const tpi_devaddr_text *wanted)
{
    tpi_devaddr_text address;

    for (uint32_t i = 0; field != NULL && i < field->value_count; i++) {
        if (tpi_devaddr_parse(&address, field->values[i].text, NULL) == TP_OK &&
            address.index == wanted->index && strcmp(address.interface, wanted->interface) == 0) {
            return true;
        }
    }
    return false;
}

bool tpi_elsewhere_is_doubtful(const tp_server *server, const tpi_devaddr_text *address)
{
    const tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);
    bool here = false;

    if (address->key[0] != '\0' || address->has_robot || is_this_host(address->host) ||
        strpbrk(address->host, "./") != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < root->section_count && !here; i++) {
        here = strcmp(root->sections[i]->type, "driver") == 0 &&
               lists(tpi_cfg_find(root->sections[i], "provides"), address);
    }
    return here;
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

static const struct far_name *find_name(tp_server *server, const char *url)
{
    unsigned robot = FIRST_FAR_ROBOT;

    for (struct far_name *name = server->far_names; name != NULL; name = name->next) {
        if (strcmp(name->url, url) == 0) {
            return name;
        }
        robot++;
    }
    struct far_name *name = tpi_arena_array(&server->arena, 1, sizeof *name);
    const char *copy = tpi_arena_text(&server->arena, url, strlen(url));
    if (name == NULL || copy == NULL) {
        return NULL;
    }
    *name = (struct far_name){.url = copy, .robot = robot, .next = server->far_names};
    server->far_names = name;
    return name;
}

static struct far_server *find_server(tp_server *server, const char *url)
{
    const struct far_name *name = find_name(server, url);
    struct far_server *far = server->file->far_servers;

    while (far != NULL && far->name != name) {
        far = far->next;
    }
    if (far != NULL || name == NULL) {
        return far;
    }
    far = tpi_arena_array(&server->file->arena, 1, sizeof *far);
    if (far != NULL) {
        *far = (struct far_server){.name = name, .next = server->file->far_servers};
        server->file->far_servers = far;
    }
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

tp_status tpi_elsewhere_name(tp_server *server, const tpi_devaddr_text *address, tpi_wanted *wanted,
                             tp_error *err)
{
    char url[2 * TPI_ADDRESS_PART];

    print_url(url, sizeof url, address);
    struct far_server *far = find_server(server, url);
    if (far == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    wanted->addr.robot = far->name->robot;
    if (is_known(far, &wanted->addr)) {
        return TP_OK;
    }
    struct far_device *device = tpi_arena_array(&server->file->arena, 1, sizeof *device);
    if (device == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *device = (struct far_device){.wanted = *wanted, .next = far->devices};
    device->wanted.key = "";
    far->devices = device;
    return TP_OK;
}

/* ---- Their interfaces ------------------------------------------------------------------------ */

/* The server of the first device with this interface in a list; false for none. `url` is that of
 * devices without a host; NULL for this server. */
static bool find_in_list(const tp_server *server, const tpi_cfg_field *list, const char *name,
                         const char *url, char *out, size_t size)
{
    tpi_devaddr_text address;

    for (uint32_t i = 0; list != NULL && i < list->value_count; i++) {
        if (tpi_devaddr_parse(&address, list->values[i].text, NULL) != TP_OK ||
            strcmp(address.interface, name) != 0) {
            continue;
        }
        if (url != NULL) {
            snprintf(out, size, "%s", url);
            return true;
        }
        if (tpi_elsewhere_is(server, &address)) {
            print_url(out, size, &address);
            return true;
        }
    }
    return false;
}

/* The `url` of a section of the driver `remote`; NULL for other sections. */
static const char *find_remote_url(tpi_cfg_section *section)
{
    const tpi_cfg_field *name = tpi_cfg_find(section, "name");

    if (name == NULL || strcmp(name->values[0].text, "remote") != 0) {
        return NULL;
    }
    const tpi_cfg_field *url = tpi_cfg_find(section, "url");
    return url != NULL ? url->values[0].text : NULL;
}

/* The other server that has devices with this interface, wherever the file says so; false for none.
 */
static bool find_url(const tp_server *server, const char *name, char *out, size_t size)
{
    const tpi_cfg_section *root = tpi_cfg_root(server->file->cfg);

    for (uint32_t i = 0; i < root->section_count; i++) {
        tpi_cfg_section *section = root->sections[i];
        if (strcmp(section->type, "driver") != 0) {
            continue;
        }
        const char *url = find_remote_url(section);
        if (find_in_list(server, tpi_cfg_find(section, "requires"), name, NULL, out, size) ||
            (url != NULL &&
             find_in_list(server, tpi_cfg_find(section, "provides"), name, url, out, size))) {
            return true;
        }
    }
    return false;
}

tp_status tpi_elsewhere_learn(tp_server *server, const char *name, const tp_interface **out,
                              tp_error *err)
{
    const tp_kit *kit = server->options.kit;
    char url[4 * TPI_ADDRESS_PART];
    tp_error why = {0};

    if (kit == NULL || kit->learn == NULL || !find_url(server, name, url, sizeof url)) {
        return TP_E_UNKNOWN;
    }
    if (kit->learn(server->catalogue, url, &why) != TP_OK) {
        return tp_fail(err, TP_E_UNKNOWN,
                       "the interface \"%s\" is not known here: start its server first, or add "
                       "interface ( file \"%s.padi\" ); %s",
                       name, name, why.text);
    }
    *out = tp_catalogue_named(server->catalogue, name);
    return *out != NULL ? TP_OK
                        : tp_fail(err, TP_E_UNKNOWN,
                                  "neither this server nor %s has an interface \"%s\" with a code "
                                  "and types of its own",
                                  url, name);
}

/* ---- Offering them --------------------------------------------------------------------------- */

static tp_status offer_device(tp_server *server, const struct far_server *far,
                              const struct far_device *device, tp_error *err)
{
    tpi_setting_value *value = tpi_arena_array(&server->file->arena, 1, sizeof *value);
    tpi_setting *setting = tpi_arena_array(&server->file->arena, 1, sizeof *setting);
    const tp_driver *driver = tpi_find_driver(server, "remote");
    struct driver_entry *entry = tpi_entry_add(server, err);

    if (driver == NULL) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "%s:%u is on another server, %s: this program has no "
                       "driver `remote`",
                       device->wanted.interface->name, device->wanted.addr.index, far->name->url);
    }
    if (value == NULL || setting == NULL || entry == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *value = (tpi_setting_value){.text = far->name->url};
    *setting = (tpi_setting){.name = "url", .values = value, .value_count = 1};
    entry->asked = (tpi_blueprint){.driver = driver,
                                   .settings = setting,
                                   .setting_count = 1,
                                   .provides = &device->wanted,
                                   .provide_count = 1,
                                   .restart_ns = TP_NS_PER_S};
    return TP_OK;
}

tp_status tpi_elsewhere_offer(tp_server *server, tp_error *err)
{
    tp_status status = TP_OK;

    for (struct far_server *far = server->file->far_servers; far != NULL; far = far->next) {
        for (struct far_device *d = far->devices; d != NULL && status == TP_OK; d = d->next) {
            status = offer_device(server, far, d, err);
        }
    }
    return status;
}
