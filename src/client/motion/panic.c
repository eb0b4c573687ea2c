/* panic.c - panic and its end. */
#include "client/motion/inside.h"

void tpi_mclient_note_panic(tp_motion *m, uint32_t epoch)
{
    const bool news = !m->panicked || epoch != m->epoch;

    m->panicked = true;
    m->epoch = epoch;
    if (news && m->options.panicked != NULL) {
        m->options.panicked(m->options.context, m, epoch);
    }
}

static bool is_in_panic(void *context)
{
    return ((const tp_motion *)context)->panicked;
}

tp_status tp_motion_panic(tp_motion *m, uint32_t *epoch, tp_error *err)
{
    const tpi_motion_header header = {.flags = TPI_MOTION_PANIC, .kind = TPI_MOTION_SESSION};
    const uint32_t before = m->epoch;
    const bool was = m->panicked;
    tp_status status = tpi_mclient_post(m, true, &header, NULL, 0, tpi_mclient_next_tag(m), err);

    m->panicked = false; /* until the server reports it */
    if (status == TP_OK && !tp_loop_is_turning(m->loop)) {
        status = tpi_mclient_await(m, 0, is_in_panic, m, "PANIC", err);
    }
    if (status != TP_OK && !m->panicked) {
        m->panicked = was;
        m->epoch = before;
    }
    if (epoch != NULL) {
        *epoch = m->epoch;
    }
    return status;
}

tp_status tp_motion_reset(tp_motion *m, uint32_t epoch, tp_error *err)
{
    const tpi_motion_header header = {
        .flags = TPI_MOTION_RESET, .kind = TPI_MOTION_SESSION, .sequence = epoch};
    const uint32_t tag = tpi_mclient_next_tag(m);
    tp_status status = tpi_mclient_post(m, false, &header, NULL, 0, tag, err);

    status = status == TP_OK ? tpi_mclient_await_signal(m, tag, false, 0, "RESET", err) : status;
    if (status == TP_OK) {
        m->panicked = false;
    }
    return status;
}
