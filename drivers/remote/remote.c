/*
 * remote - devices of another server, ours or a Player server.
 *
 * Connected while somebody uses one of them, and again whenever the connection is lost; meanwhile
 * commands and requests fail. What is on the other side may use devices of this server in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "relay.h"

struct remote {
    struct relay relay;
    char *key_file; /* owned: its path; NULL for none */
};

static const tp_param remote_params[] = {
    {"url", NULL, NULL, "the other server: tcp:HOST:PORT or unix:PATH"},
    {"key", "secret", "", "what gives the right to write and move there"},
    {"key_file", NULL, "", "a file with the key in its first line, that only its owner can read"},
    {"devices", NULL, "", "what the devices are called there, if not the same as here"},
    {"timeout", "s", "5", "how long a device there may take to answer"},
    {"patience", "s", "1", "how long to wait for devices there to start"},
    {NULL, NULL, NULL, NULL},
};

static tp_status read_seconds(const tp_instance *self, const char *name, int64_t *ns, tp_error *err)
{
    const double seconds = tp_param_double(self, name);

    if (!(seconds > 0 && seconds <= 1e6)) {
        return tp_fail(err, TP_E_RANGE, "%s must be a number of seconds above 0", name);
    }
    *ns = (int64_t)(seconds * (double)TP_NS_PER_S);
    return TP_OK;
}

/* Relative to the configuration. */
static tp_status find_key_file(tp_instance *self, tp_error *err)
{
    struct remote *r = tp_instance_state(self);
    const char *path = tp_param_string(self, "key_file");
    const char *folder = path[0] == '/' ? "" : tp_instance_folder(self);

    if (path[0] == '\0') {
        return TP_OK;
    }
    r->key_file = malloc(strlen(folder) + strlen(path) + 1);
    if (r->key_file == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    strcpy(r->key_file, folder);
    strcat(r->key_file, path);
    return TP_OK;
}

/* Mistakes in it are reported before a client uses it. */
static tp_status check_server(tp_instance *self, tp_error *err)
{
    struct remote *r = tp_instance_state(self);
    const char *key = tp_param_string(self, "key");
    const char *wrong = NULL;
    tp_status status = find_key_file(self, err);

    r->relay.key_file = r->key_file;
    r->relay.key = key[0] != '\0' || r->key_file == NULL ? key : NULL;
    const tp_client_options options = {
        .key = r->relay.key, .key_file = r->key_file, .loop = tp_instance_loop(self)};
    if (status == TP_OK) {
        status = tp_client_check(tp_param_string(self, "url"), &options, &wrong, err);
        tp_param_blame(self, status == TP_OK ? NULL : wrong);
    }
    return status;
}

static tp_status remote_init(tp_instance *self, tp_error *err)
{
    struct remote *r = tp_instance_state(self);
    int64_t timeout_ns = 0;
    int64_t patience_ns = 0;
    tp_status status = read_seconds(self, "timeout", &timeout_ns, err);

    status = status == TP_OK ? read_seconds(self, "patience", &patience_ns, err) : status;
    status = status == TP_OK ? check_server(self, err) : status;
    return status == TP_OK ? tpi_remote_relay_init(&r->relay, self, "devices", timeout_ns, err)
                           : status;
}

static tp_status remote_start(tp_instance *self, tp_error *err)
{
    struct remote *r = tp_instance_state(self);
    int64_t patience_ns = 0;
    tp_status status = read_seconds(self, "patience", &patience_ns, err);

    return status == TP_OK
               ? tpi_remote_relay_start(&r->relay, tp_param_string(self, "url"), patience_ns, err)
               : status;
}

static void remote_stop(tp_instance *self)
{
    struct remote *r = tp_instance_state(self);

    tpi_remote_relay_stop(&r->relay);
}

static void remote_fini(tp_instance *self)
{
    struct remote *r = tp_instance_state(self);

    tpi_remote_relay_fini(&r->relay);
    free(r->key_file);
}

static const tp_driver_ops remote_ops = {.init = remote_init,
                                         .start = remote_start,
                                         .halt = tpi_remote_relay_halt,
                                         .stop = remote_stop,
                                         .fini = remote_fini};

TP_API const tp_driver tp_driver_remote = {
    .abi = TP_DRIVER_ABI,
    .name = "remote",
    .summary = "devices of another server",
    .state_size = sizeof(struct remote),
    .params = remote_params,
    .ops = &remote_ops,
    .flags = TP_DRIVER_ON_LOOP,
};
