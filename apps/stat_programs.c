/* stat_programs.c - what the programs of a server do; see stat_programs.h. */
#include "stat_programs.h"

#include "output.h"
#include "stat_text.h"
#include "troupe/client/program.h"

const char *stat_phase(unsigned phase)
{
    static const char *const names[] = {"no program", "ready",
                                        "running",    "paused",
                                        "done",       "failed",
                                        "stopped",    "in transit (leaving)",
                                        "gone",       "in transit (arriving)"};

    return phase < sizeof names / sizeof names[0] ? names[phase] : "?";
}

/* "program:0: find-light.play, running, line 8, 12.3 s, 240 lines, 31 commands". */
static void put_program(tpi_buf *out, unsigned index, const tp_program_state *state)
{
    tpi_buf_printf(out, "program:%u: ", index);
    if (state->name_count > 1) {
        output_put_clean(out, state->name, state->name_count - 1);
        tpi_buf_puts(out, ", ");
    }
    tpi_buf_puts(out, stat_phase(state->phase));
    if (state->phase > TP_PROGRAM_READY) {
        tpi_buf_printf(out, ", line %lu, %.1f s, %lld line%s, %lld command%s",
                       (unsigned long)(state->error_line > 0 ? state->error_line : state->line),
                       state->time, (long long)state->steps, output_plural((uint64_t)state->steps),
                       (long long)state->commands, output_plural((uint64_t)state->commands));
    }
    if (state->error_count > 1) {
        tpi_buf_puts(out, ": ");
        output_put_clean(out, state->error, state->error_count - 1);
    }
    if (state->transfer_count > 1 &&
        (state->phase == TP_PROGRAM_LEAVING || state->phase == TP_PROGRAM_ARRIVING ||
         state->phase == TP_PROGRAM_GONE)) {
        tpi_buf_puts(out, ", move ");
        output_put_clean(out, state->transfer, state->transfer_count - 1);
        tpi_buf_puts(out, state->phase == TP_PROGRAM_ARRIVING ? " from " : " to ");
        output_put_clean(out, state->peer, state->peer_count > 0 ? state->peer_count - 1 : 0);
    }
    tpi_buf_putc(out, '\n');
}

void stat_put_programs(tpi_buf *out, tp_client *client, const tp_statistics *all)
{
    const char *before = "\n";

    for (uint32_t i = 0; i < all->devices_count; i++) {
        const tp_device_stat *one = &all->devices[i];
        const tp_program_state *state = NULL;
        tp_proxy *proxy = NULL;
        tp_error err;

        if (one->addr.interf != TP_PROGRAM_CODE || one->addr.robot != all->devices[0].addr.robot ||
            one->state != TP_DEVICE_RUNNING) {
            continue;
        }
        if (tp_client_open_device(client, &tp_interface_program, one->addr.index, TP_READ_MODE,
                                  &proxy, &err) == TP_OK &&
            tp_program_request_state(proxy, &state, &err) == TP_OK) {
            tpi_buf_puts(out, before);
            put_program(out, one->addr.index, state);
            before = "";
        }
        tp_proxy_close(proxy);
    }
}
