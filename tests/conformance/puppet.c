/* puppet.c - see puppet.h. */
#include "conformance/puppet.h"

#include <stdlib.h>
#include <string.h>

struct puppets {
    puppet *list; /* owned */
    size_t count;
};

static tp_status take_command(puppet *p, const tp_message *what, const void *ask)
{
    p->commands[what->code]++;
    free(p->last[what->code]);
    p->last[what->code] = NULL;
    return what->ask == NULL ? TP_OK : tp_value_copy(&p->last[what->code], what->ask, ask, NULL);
}

static tp_status puppet_handle(tp_device *device, const tp_message *what, const void *ask,
                               void *answer, tp_error *err)
{
    puppet *p = tp_device_context(device);
    const void *given = p->answers[what->code];

    if (what->kind == TP_KIND_COMMAND) {
        return p->stubborn == NULL ? take_command(p, what, ask)
                                   : tp_fail(err, TP_E_DEVICE, "%s", p->stubborn);
    }
    p->requests[what->code]++;
    if (what->answer != NULL && given != NULL) {
        memcpy(answer, given, what->answer->size);
        return TP_OK;
    }
    if (p->agrees[what->code] || what->code == TP_COMMON_REQ_GET_PROPERTIES) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_UNSUPPORTED, "a puppet without %s", what->name);
}

static tp_status puppet_init(tp_instance *self, tp_error *err)
{
    struct puppets *all = tp_instance_state(self);
    tp_status status = TP_OK;

    all->count = tp_provides_count(self);
    all->list = calloc(all->count + 1, sizeof *all->list);
    if (all->list == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < all->count && status == TP_OK; i++) {
        puppet *p = &all->list[i];
        status = tp_offer(self, tp_provides_interface(self, i), tp_provides_key(self, i), NULL,
                          puppet_handle, &p->device, err);
        if (status == TP_OK) {
            tp_device_set_context(p->device, p);
        }
    }
    return status;
}

static void puppet_halt(tp_device *device, tp_halt how)
{
    puppet *p = tp_device_context(device);

    (void)how;
    p->halts++;
}

static void puppet_fini(tp_instance *self)
{
    struct puppets *all = tp_instance_state(self);

    for (size_t i = 0; i < all->count; i++) {
        for (size_t k = 0; k < 256; k++) {
            free(all->list[i].last[k]);
        }
    }
    free(all->list);
}

static const tp_driver_ops puppet_ops = {
    .init = puppet_init, .halt = puppet_halt, .fini = puppet_fini};

const tp_driver puppet_driver = {.abi = TP_DRIVER_ABI,
                                 .name = "puppet",
                                 .state_size = sizeof(struct puppets),
                                 .ops = &puppet_ops,
                                 .flags = TP_DRIVER_ON_LOOP};

puppet *puppet_at(const bench *b, const char *address)
{
    tp_device *device = bench_find(b, address);

    assert_non_null(device);
    return tp_device_context(device);
}

/* What a message causes may take several turns: across links, and back. */
static void settle(bench *b)
{
    for (int i = 0; i < 8; i++) {
        tp_loop_turn(b->loop, false);
    }
}

void puppet_send(bench *b, const char *address, unsigned code, const void *value)
{
    assert_int_equal(tp_publish(puppet_at(b, address)->device, code, value, 0), TP_OK);
    settle(b);
}

const void *puppet_await(bench_reader *r, const char *address, unsigned code, const void *value,
                         unsigned awaited)
{
    assert_int_equal(tp_publish(puppet_at(r->b, address)->device, code, value, 0), TP_OK);
    return bench_await(r, awaited);
}

void puppet_wait(bench *b, double seconds)
{
    bench_move_clock(b, seconds);
    settle(b);
}

const void *puppet_last(const bench *b, const char *address, unsigned code)
{
    const void *last = puppet_at(b, address)->last[code];

    assert_non_null(last);
    return last;
}
