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

/* Of the program, of a plug-in, or of the server that has the device. */
static tp_status find_interface(tp_server *server, const tpi_cfg_value *value, const char *name,
                                const tp_interface **out, tp_error *err)
{
    tp_error why = {0};

    *out = tp_catalogue_named(server->catalogue, name);
    if (*out == NULL) {
        *out = tpi_plugins_interface(server, name);
    }
    return *out != NULL || tpi_elsewhere_learn(server, name, out, &why) == TP_OK
               ? TP_OK
               : unknown_interface(server, value, name, why.text, err);
}

static tp_status read_address(tp_server *server, const tpi_cfg_value *value, tpi_wanted *out,
                              tp_error *err)
{
    tpi_devaddr_text address;
    tp_error why = {0};

    if (tpi_devaddr_parse(&address, value->text, &why) != TP_OK) {
        return tpi_cfg_fail(&value->place, err, "%s", why.text);
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

tp_status tpi_addresses_read(tp_server *server, const tpi_cfg_field *field, const tpi_wanted **out,
                             uint32_t *count, tp_error *err)
{
    tp_status status = TP_OK;

    *count = field == NULL ? 0 : field->value_count;
    tpi_wanted *wanted = tpi_arena_array(&server->file->arena, *count + 1, sizeof *wanted);
    if (wanted == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < *count && status == TP_OK; i++) {
        status = read_address(server, &field->values[i], &wanted[i], err);
        status = status == TP_OK ? check_new(wanted, i, &field->values[i], err) : status;
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
