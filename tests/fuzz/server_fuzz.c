/* server_fuzz.c - any text as the configuration of a server: it is refused with a reason, or makes
 * a server that finds nothing new when it reads the same text again. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "server/inside.h"
#include "troupe/server.h"

static const char path[] = "no-such-folder/fuzz.cfg"; /* where no include is found */

static const char first[] = "driver ( name \"any\" provides [ \"ptz:0\" ] )\n";

static bool unchanged;

static void keep(void *context, const char *text)
{
    (void)context;
    unchanged = strcmp(text, "nothing has changed") == 0;
}

/* ---- A driver of anything, with parameters of all kinds -------------------------------------- */

static tp_status accept(tp_device *device, const tp_message *what, const void *ask, void *answer,
                        tp_error *err)
{
    (void)device;
    (void)ask;
    (void)answer;
    return tp_fail(err, TP_E_UNSUPPORTED, "no %s", what->name);
}

static tp_status any_init(tp_instance *self, tp_error *err)
{
    static const char *const names[] = {"text", "flag", "number", "place"};
    tp_status status = TP_OK;

    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k <= tp_param_count(self, names[i]); k++) {
            fuzz_require(tp_param_string_at(self, names[i], k) != NULL, "a value without text");
            (void)tp_param_double_at(self, names[i], k);
        }
    }
    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = tp_offer(self, tp_provides_interface(self, i), tp_provides_key(self, i), NULL,
                          accept, NULL, err);
    }
    for (size_t i = 0; i < tp_requires_count(self) && status == TP_OK; i++) {
        tp_link *link = NULL;
        status =
            tp_require(self, tp_requires_interface(self, i), tp_requires_key(self, i), &link, err);
    }
    return status;
}

static const tp_param any_params[] = {
    {"text", NULL, "a b", "any text"}, {"flag", "bool", "no", "yes or no"},
    {"number", "1", "1", "a number"},  {"place", "m m rad", "0 0 0", "where it is"},
    {NULL, NULL, NULL, NULL},
};
static const tp_driver_ops any_ops = {.init = any_init};
static const tp_driver any = {.abi = TP_DRIVER_ABI,
                              .name = "any",
                              .summary = "anything",
                              .params = any_params,
                              .ops = &any_ops,
                              .flags = TP_DRIVER_ON_LOOP};
static const tp_driver *const drivers[] = {&any, NULL};

/* ---- A front with the same parameters -------------------------------------------------------- */

static tp_status any_open(tp_front_instance *self, tp_error *err)
{
    (void)self;
    return tp_fail(err, TP_E_UNSUPPORTED, "the fuzzer opens no front");
}

static void any_close(tp_front_instance *self)
{
    (void)self;
}

static unsigned any_bound(const tp_front_instance *self)
{
    (void)self;
    return 0;
}

static const char *const any_schemes[] = {"tcp", NULL};
static const tp_front front = {.abi = TP_FRONT_ABI,
                               .name = "front",
                               .summary = "anything",
                               .schemes = any_schemes,
                               .params = any_params,
                               .open = any_open,
                               .close = any_close,
                               .bound = any_bound};
static const tp_front *const fronts[] = {&front, NULL};
static const tp_kit kit = {.fronts = fronts};

/* ---- The target ------------------------------------------------------------------------------ */

/* Names that could be those of files here. */
static bool is_dangerous(const char *text)
{
    return strstr(text, "\"/") != NULL || strstr(text, "plugin") != NULL ||
           strstr(text, "interface") != NULL;
}

/* A server is kept for many inputs, each of which it reads as its changed file: threads and sockets
 * of new ones would take most of the time. Numbers of other servers are never given up, so that it
 * is replaced now and then. */
static tp_server *get_server(void)
{
    enum { INPUTS = 1000 };
    static tp_server *server;
    static unsigned used;
    const tp_server_options options = {
        .path = path, .text = first, .listen = "", .drivers = drivers, .kit = &kit, .note = keep};
    tp_error err = {0};

    if (server != NULL && used++ == INPUTS) {
        tp_server_destroy(server);
        server = NULL;
        used = 0;
    }
    if (server == NULL) {
        fuzz_require(tp_server_create(&server, &options, &err) == TP_OK, "no server");
    }
    return server;
}

static tp_status read_text(tp_server *server, const char *text, tp_error *err)
{
    server->options.text = text;
    const tp_status status = tp_server_reload(server, err);
    while (server->change != NULL) {
        tp_server_step(server, false);
    }
    return status;
}

static void serve(const char *text)
{
    tp_server *server = get_server();
    tp_error err = {0};

    if (read_text(server, text, &err) != TP_OK) {
        fuzz_require(err.text[0] != '\0', "refused without a reason");
        return;
    }
    fuzz_require(tp_server_device_count(server) > 0, "a server without a device");
    fuzz_require(read_text(server, text, &err) == TP_OK, "refused the second time");
    fuzz_require(unchanged, "the same text means something else");
    fuzz_require(read_text(server, first, &err) == TP_OK, "no way back");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (!is_dangerous(text)) {
        serve(text);
    }
    free(text);
    return 0;
}
