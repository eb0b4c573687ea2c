/* section_addresses.c - lists of device addresses in a driver section: `provides`, `requires`. */
#include <string.h>

#include "base/text.h"
#include "server/inside.h"

/* `why` its server does not help; "" for nothing. A misspelt name is the better guess. */
static tp_status unknown_interface(const tp_server *server, const tpi_cfg_value *value,
                                   const char *name, const char *why, tp_error *err)
{
    tpi_nearest nearest;
    char hint[96];

    tpi_nearest_init(&nearest, name);
    for (size_t i = 0; i < tp_catalogue_size(server->catalogue); i++) {
        tpi_nearest_offer(&nearest, tp_catalogue_at(server->catalogue, i)->name);
    }
    return why[0] != '\0' && nearest.best == NULL
               ? tpi_cfg_fail(&value->place, err, "%s", why)
               : tpi_cfg_fail(&value->place, err, "there is no interface \"%s\"%s", name,
                              nearest.best == NULL
                                  ? "; the section interface ( file \"FILE.padi\" ) adds one"
                                  : tpi_nearest_hint(&nearest, hint, sizeof hint));
}

/* Names of interfaces in configurations for older Players. NULL for others. */
static const char *newer_name(const char *name)
{
    static const char *const names[][2] = {
        {"position", "position2d"}, {"laser2d", "laser"}, {"sound", "audio"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i][0], name) == 0) {
            return names[i][1];
        }
    }
    return NULL;
}

/* An older name stands for the newer one, unless a file has an interface of that name. */
static const tp_interface *find_older(tp_server *server, const tpi_cfg_value *value,
                                      const char *name)
{
    const char *newer = newer_name(name);
    tp_error note = {0};

    if (newer == NULL) {
        return NULL;
    }
    tpi_cfg_fail(&value->place, &note, "\"%s\" is an older name: the interface is \"%s\" now", name,
                 newer);
    tpi_server_note(server, note.text);
    return tp_catalogue_named(server->catalogue, newer);
}

/* Of the program, of a plug-in, or of the server that has the device. */
static tp_status find_interface(tp_server *server, const tpi_cfg_value *value, const char *name,
                                const tp_interface **out, tp_error *err)
{
    tp_error why = {0};

    *out = tp_catalogue_named(server->catalogue, name);
    if (*out == NULL) {
        *out = tpi_plugins_interface(server, name);
    }
    if (*out == NULL) {
        *out = find_older(server, value, name);
    }
    return *out != NULL || tpi_elsewhere_learn(server, name, out, &why) == TP_OK
               ? TP_OK
               : unknown_interface(server, value, name, why.text, err);
}

/* "sonar::sonar:0" of files for older Players: nobody offers the devices of another host. */
static void read_older_key(tp_server *server, const tpi_cfg_value *value, tpi_devaddr_text *address)
{
    tp_error note = {0};

    if (address->key[0] != '\0' || address->has_robot || !tpi_elsewhere_is(server, address) ||
        strpbrk(address->host, "./") != NULL) {
        return;
    }
    memcpy(address->key, address->host, sizeof address->key);
    address->host[0] = '\0';
    tpi_cfg_fail(&value->place, &note,
                 "\"%s\" is an older form: a key has three colons now, \"%s:::%s:%u\"", value->text,
                 address->key, address->interface, address->index);
    tpi_server_note(server, note.text);
}

/* The same in `requires` is a device of a host with that name. */
static void doubt_host(tp_server *server, const tpi_cfg_value *value,
                       const tpi_devaddr_text *address)
{
    tp_error note = {0};

    if (tpi_elsewhere_is_doubtful(server, address)) {
        tpi_cfg_fail(&value->place, &note,
                     "\"%s\" is a device of the host %s; with a key it is \"%s:::%s:%u\"",
                     value->text, address->host, address->host, address->interface, address->index);
        tpi_server_note(server, note.text);
    }
}

static tp_status read_address(tp_server *server, const tpi_cfg_value *value, bool offered,
                              tpi_wanted *out, tp_error *err)
{
    tpi_devaddr_text address;
    tp_error why = {0};

    if (tpi_devaddr_parse(&address, value->text, &why) != TP_OK) {
        return tpi_cfg_fail(&value->place, err, "%s", why.text);
    }
    if (offered) {
        read_older_key(server, value, &address);
    } else {
        doubt_host(server, value, &address);
    }
    const tp_status status = find_interface(server, value, address.interface, &out->interface, err);
    if (status != TP_OK) {
        return status;
    }
    out->key = tpi_arena_text(&server->file->arena, address.key, strlen(address.key));
    out->addr = (tp_devaddr){.host = TP_PLAYER_HOST,
                             .robot = address.robot > 0 ? address.robot : server->options.port,
                             .interf = out->interface->code,
                             .index = (uint16_t)address.index};
    if (out->key == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    return tpi_elsewhere_is(server, &address) ? tpi_elsewhere_name(server, &address, out, err)
                                              : TP_OK;
}

/* The same address twice in one list is a slip of the pen. */
static tp_status check_new(const tpi_wanted *wanted, uint32_t i, const tpi_cfg_value *value,
                           tp_error *err)
{
    for (uint32_t k = 0; k < i; k++) {
        if (memcmp(&wanted[k].addr, &wanted[i].addr, sizeof wanted[i].addr) == 0 &&
            strcmp(wanted[k].key, wanted[i].key) == 0) {
            return tpi_cfg_fail(&value->place, err, "%s is listed twice", value->text);
        }
    }
    return TP_OK;
}

tp_status tpi_addresses_read(tp_server *server, const tpi_cfg_field *field, bool offered,
                             const tpi_wanted **out, uint32_t *count, tp_error *err)
{
    tp_status status = TP_OK;

    *count = field == NULL ? 0 : field->value_count;
    tpi_wanted *wanted = tpi_arena_array(&server->file->arena, *count + 1, sizeof *wanted);
    if (wanted == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < *count && status == TP_OK; i++) {
        status = read_address(server, &field->values[i], offered, &wanted[i], err);
        status = status == TP_OK ? check_new(wanted, i, &field->values[i], err) : status;
    }
    *out = wanted;
    return status;
}

/* Where `remote_host` and its siblings lead; an index of -1 is that of each device. */
static tp_status read_remote(tpi_cfg_section *section, tpi_devaddr_text *address, int64_t *index,
                             tp_error *err)
{
    const char *host = "";
    int64_t port = 0;
    tp_status status = tpi_cfg_string(section, "remote_host", "", &host, err);

    status = status == TP_OK ? tpi_cfg_integer(section, "remote_port", DEFAULT_PORT, &port, err)
                             : status;
    status = status == TP_OK ? tpi_cfg_integer(section, "remote_index", -1, index, err) : status;
    if (status != TP_OK) {
        return status;
    }
    if (host[0] == '\0' || strlen(host) >= sizeof address->host) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "remote_host")->place, err,
                            "remote_host is no name of a host");
    }
    if (port < 1 || port > UINT16_MAX) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "remote_port")->place, err,
                            "remote_port is not between 1 and 65535");
    }
    if (*index < -1 || *index > UINT16_MAX) {
        return tpi_cfg_fail(&tpi_cfg_find(section, "remote_index")->place, err,
                            "remote_index is not between 0 and 65535");
    }
    memcpy(address->host, host, strlen(host) + 1);
    address->robot = (unsigned)port;
    return TP_OK;
}

tp_status tpi_addresses_remote(tp_server *server, tpi_cfg_section *section, const tpi_wanted *same,
                               uint32_t count, const tpi_wanted **out, tp_error *err)
{
    tpi_devaddr_text address = {0};
    int64_t index = -1;
    tp_status status = read_remote(section, &address, &index, err);

    tpi_wanted *wanted = tpi_arena_array(&server->file->arena, count + 1, sizeof *wanted);
    if (status == TP_OK && wanted == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < count && status == TP_OK; i++) {
        wanted[i] = same[i];
        wanted[i].addr.robot = address.robot;
        wanted[i].addr.index = index >= 0 ? (uint16_t)index : same[i].addr.index;
        status = tpi_elsewhere_is(server, &address)
                     ? tpi_elsewhere_name(server, &address, &wanted[i], err)
                     : TP_OK;
    }
    *out = wanted;
    return status;
}

bool tpi_addresses_same(const tpi_wanted *a, uint32_t a_count, const tpi_wanted *b,
                        uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count && a_count == b_count; i++) {
        if (a[i].interface != b[i].interface || strcmp(a[i].key, b[i].key) != 0 ||
            a[i].section != b[i].section || memcmp(&a[i].addr, &b[i].addr, sizeof a[i].addr) != 0) {
            return false;
        }
    }
    return a_count == b_count;
}
