/* lobby.c - a front that only listens, for tests of plug-ins. NAME, CALLED, ABI and OPEN are given
 * by the test. */
#include "troupe/front.h"
#include "troupe/stream.h"

#ifndef ABI
#define ABI TP_FRONT_ABI
#endif
#ifndef OPEN
#define OPEN lobby_open
#endif
#define JOIN(a, b) a##b
#define SYMBOL(name) JOIN(tp_front_, name)

struct lobby {
    tp_listener *listener;
};

static void turn_away(void *context, tp_stream *stream)
{
    (void)context;
    tp_stream_close(stream);
}

static tp_status lobby_open(tp_front_instance *self, tp_error *err)
{
    struct lobby *lobby = tp_front_state(self);

    return tp_listener_open(&lobby->listener, tp_front_loop(self), tp_front_where(self)->address,
                            turn_away, self, err);
}

static void lobby_close(tp_front_instance *self)
{
    struct lobby *lobby = tp_front_state(self);

    tp_listener_close(lobby->listener);
}

static unsigned lobby_bound(const tp_front_instance *self)
{
    const struct lobby *lobby = tp_front_state(self);

    return tp_listener_port(lobby->listener);
}

static const char *const schemes[] = {"tcp", NULL};
static const tp_param params[] = {{"seats", "1", "12", "so many may sit"},
                                  {NULL, NULL, NULL, NULL}};

extern const tp_front SYMBOL(NAME);

TP_API const tp_front SYMBOL(NAME) = {
    .abi = ABI,
    .name = CALLED,
    .summary = "only listens",
    .state_size = sizeof(struct lobby),
    .schemes = schemes,
    .port = 6999,
    .params = params,
    .open = OPEN,
    .close = lobby_close,
    .bound = lobby_bound,
};
