/* signal.c - signals as events of the loop. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "loop/inside.h"

struct tp_signal {
    uv_signal_t uv;
    void (*fire)(void *context, int number);
    void *context; /* borrowed */
};

static void on_signal(uv_signal_t *uv, int number)
{
    const tp_signal *signal = CONTAINER_OF(uv, tp_signal, uv);

    signal->fire(signal->context, number);
}

static void on_closed(uv_handle_t *handle)
{
    free(CONTAINER_OF(handle, tp_signal, uv));
}

static tp_status fail(tp_error *err, int error, int number)
{
    char what[32];

    (void)snprintf(what, sizeof what, "signal %d", number);
    return tpi_uv_fail(err, error, what);
}

tp_status tp_signal_create(tp_signal **out, tp_loop *loop, int number,
                           void (*fire)(void *context, int number), void *context, tp_error *err)
{
    tp_signal *signal = calloc(1, sizeof *signal);
    int error = signal == NULL ? UV_ENOMEM : uv_signal_init(tpi_loop_uv(loop), &signal->uv);

    assert(tp_loop_is_current(loop));
    if (error != 0) {
        free(signal);
        return fail(err, error, number);
    }
    signal->fire = fire;
    signal->context = context;
    error = uv_signal_start(&signal->uv, on_signal, number);
    if (error != 0) {
        tp_signal_destroy(signal);
        return fail(err, error, number);
    }
    *out = signal;
    return TP_OK;
}

void tp_signal_destroy(tp_signal *signal)
{
    if (signal != NULL) {
        uv_close((uv_handle_t *)&signal->uv, on_closed);
    }
}
