/* stat_text.c - statistics of a server in words. */
#include "stat_text.h"

#include <math.h>
#include <stdio.h>

#include "called.h"
#include "output.h"

const tp_device_stat *stat_find(const tp_statistics *all, const tp_devaddr *addr, size_t likely)
{
    for (size_t i = 0; i < all->devices_count; i++) {
        const tp_device_stat *one = &all->devices[(likely + i) % all->devices_count];
        if (one->addr.robot == addr->robot && one->addr.interf == addr->interf &&
            one->addr.index == addr->index) {
            return one;
        }
    }
    return NULL;
}

const char *stat_state(unsigned state)
{
    static const char *const names[] = {"idle",     "starting", "running",
                                        "stopping", "failed",   "troubled"};

    return state < sizeof names / sizeof names[0] ? names[state] : "?";
}

void stat_put_state(tpi_buf *out, const tp_device_stat *stat)
{
    tpi_buf_printf(out, "%s%s%s", stat_state(stat->state), stat->isolated ? ", isolated" : "",
                   stat->guards > 0 ? ", guarded" : "");
}

const char *stat_latency(char *out, size_t size, double seconds)
{
    if (!(seconds > 0)) {
        snprintf(out, size, "-");
    } else if (seconds < 0.001) {
        snprintf(out, size, "%.0f us", seconds * 1e6);
    } else if (seconds < 1) {
        snprintf(out, size, "%.1f ms", seconds * 1e3);
    } else {
        snprintf(out, size, "%.1f s", seconds);
    }
    return out;
}

const char *stat_duration(char *out, size_t size, double seconds)
{
    if (!(seconds >= 0 && seconds < 1e12)) { /* also not a number */
        snprintf(out, size, "?");
        return out;
    }
    const long long whole = (long long)seconds;
    if (whole < 60) {
        snprintf(out, size, "%lld s", whole);
    } else if (whole < 3600) {
        snprintf(out, size, "%lld min %lld s", whole / 60, whole % 60);
    } else if (whole < 86400) {
        snprintf(out, size, "%lld h %lld min", whole / 3600, whole / 60 % 60);
    } else {
        snprintf(out, size, "%lld d %lld h", whole / 86400, whole / 3600 % 24);
    }
    return out;
}

void stat_put_label(tpi_buf *out, const tp_client_stat *client)
{
    if (client->software_count > 1) {
        output_put_clean(out, client->software, client->software_count);
        tpi_buf_puts(out, " at ");
    }
    output_put_clean(out, client->name, client->name_count);
}

static void put_raiser(tpi_buf *out, const char *who, uint32_t who_count, const char *why,
                       uint32_t why_count)
{
    output_put_clean(out, who, who_count);
    tpi_buf_puts(out, ": ");
    output_put_clean(out, why, why_count);
    tpi_buf_putc(out, '\n');
}

void stat_put_raisers(tpi_buf *out, const tp_panic_state *panic)
{
    tpi_buf_puts(out, "raised by ");
    put_raiser(out, panic->who, panic->who_count, panic->why, panic->why_count);
    if (panic->count > 1) {
        tpi_buf_printf(out, "raised %lu times in all, last by ", (unsigned long)panic->count);
        put_raiser(out, panic->last_who, panic->last_who_count, panic->last_why,
                   panic->last_why_count);
    }
}

void stat_put_panic(tpi_buf *out, const tp_panic_state *panic)
{
    char age[32];

    if (panic->active) {
        tpi_buf_printf(out, "PANIC for %s: nothing moves until %s reset%s\n",
                       stat_duration(age, sizeof age, panic->age), called(), called_server());
        stat_put_raisers(out, panic);
    }
    if (panic->owing_count > 1) {
        tpi_buf_puts(out, "NOT STOPPED YET: ");
        output_put_clean(out, panic->owing, panic->owing_count);
        tpi_buf_puts(out, "; a driver that hangs stops when the server is killed, by its guard\n");
    }
}
