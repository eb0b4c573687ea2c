/* open.c - opening a device by its name, and waiting until it is open. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "client/inside.h"

tp_status tpi_proxy_interface(const tp_client *client, const char *name, size_t length,
                              const tp_interface **out, tp_error *err)
{
    char word[80];
    char hint[128];
    tpi_nearest nearest;

    (void)snprintf(word, sizeof word, "%.*s", (int)length, name);
    *out = tp_catalogue_named(client->catalogue, word);
    if (*out != NULL) {
        return (*out)->code > TP_PLAYER_CODE
                   ? TP_OK
                   : tp_fail(err, TP_E_UNKNOWN, "no device has the interface \"%s\"", word);
    }
    tpi_nearest_init(&nearest, word);
    for (size_t i = 0; i < tp_catalogue_size(client->catalogue); i++) {
        tpi_nearest_offer(&nearest, tp_catalogue_at(client->catalogue, i)->name);
    }
    return tp_fail(err, TP_E_UNKNOWN, "there is no interface \"%s\"%s", word,
                   tpi_nearest_hint(&nearest, hint, sizeof hint));
}

static tp_status parse_name(const tp_client *client, const char *name, const tp_interface **out,
                            unsigned *index, tp_error *err)
{
    const char *colon = strchr(name, ':');
    const size_t length = colon == NULL ? strlen(name) : (size_t)(colon - name);
    int64_t number = 0;

    if (colon != NULL && (!tpi_number_read_i64(colon + 1, strlen(colon + 1), &number) ||
                          number < 0 || number > UINT16_MAX)) {
        return tp_fail(err, TP_E_SYNTAX, "\"%s\" is no device: INTERFACE:INDEX", name);
    }
    *index = (unsigned)number;
    return tpi_proxy_interface(client, name, length, out, err);
}

struct opening {
    bool settled;
    tp_error err;
};

static void on_settled(void *context, tp_proxy *proxy, tp_status status, const char *why)
{
    struct opening *opening = context;

    (void)proxy;
    opening->settled = true;
    opening->err.code = status;
    if (status != TP_OK) {
        tp_fail(&opening->err, status, "%s", why);
    }
}

static bool is_settled(void *context)
{
    return ((const struct opening *)context)->settled;
}

tp_status tp_client_open_device(tp_client *client, const tp_interface *interface, unsigned index,
                                unsigned access, tp_proxy **out, tp_error *err)
{
    struct opening opening = {0};
    tp_proxy *proxy = NULL;
    tp_status status = tpi_client_may_wait(client, interface->name, err);

    if (status != TP_OK) {
        return status;
    }
    status =
        tp_client_open_later(client, interface, index, access, on_settled, &opening, &proxy, err);

    if (status != TP_OK) {
        return status;
    }
    status = tpi_client_wait(client, tpi_client_deadline(client, 0), is_settled, &opening);
    if (status == TP_OK && opening.err.code == TP_OK) {
        *out = proxy;
        return TP_OK;
    }
    if (status == TP_OK) {
        status = tp_fail(err, opening.err.code, "%s", opening.err.text);
    } else if (status == TP_E_INTERRUPTED) {
        tpi_client_fail_interrupted(proxy->name, err);
    } else if (client->state != TPI_CLIENT_CONNECTED) {
        status = tp_fail(err, client->why.code, "%s: %s", proxy->name, client->why.text);
    } else {
        tp_fail(err, status, "%s: it was not opened in time", proxy->name);
    }
    tp_proxy_close(proxy);
    return status;
}

tp_status tp_client_open(tp_client *client, const char *name, unsigned access, tp_proxy **out,
                         tp_error *err)
{
    const tp_interface *interface = NULL;
    unsigned index = 0;
    tp_status status = parse_name(client, name, &interface, &index, err);

    if (status == TP_E_UNKNOWN && !tp_loop_is_turning(client->loop)) {
        tpi_client_learn(client);
        status = parse_name(client, name, &interface, &index, err);
    }
    if (status != TP_OK) {
        return status;
    }
    assert(interface != NULL);
    return tp_client_open_device(client, interface, index, access, out, err);
}
