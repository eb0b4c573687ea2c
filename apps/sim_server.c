/* sim_server.c - a server of one world; see sim_server.h. */
#include "sim_server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "sim/host/served.h"
#include "table.h"
#include "worlds.h"

enum { MOST_ROWS = 60 };

struct sim_server {
    sim_server_options options;
    tpi_sim_host host;
    tpi_sim_served served;
    const tp_driver *drivers[2]; /* `served`, and the end of the list */
    tp_server *server;           /* owned; NULL until it exists */
};

/* ---- Watching -------------------------------------------------------------------------------- */

static bool has_come(const sim_server_options *o, const tpi_sim *sim)
{
    const int64_t now_us = tpi_sim_time_us(sim);
    const int64_t quit_us = tpi_sim_quit_us(sim);
    const int64_t end_us = llround(o->seconds * 1e6);
    const uint64_t made = (uint64_t)(now_us / tpi_sim_interval_us(sim));

    return (quit_us > 0 && now_us >= quit_us) || (o->seconds > 0 && now_us >= end_us) ||
           (o->steps > 0 && made >= o->steps);
}

/* Also without a step: somebody may want a picture of a world that stands still. */
static void on_pass(void *context, const tpi_sim *sim)
{
    const sim_server_options *o = &((const sim_server *)context)->options;

    if (o->watch != NULL) {
        o->watch(o->context, sim);
    }
}

static bool on_step(void *context, const tpi_sim *sim)
{
    const sim_server *s = context;

    if (s->options.act != NULL) {
        s->options.act(s->options.context, s->host.world);
    }
    on_pass(context, sim);
    return !has_come(&s->options, sim);
}

static void on_end(void *context)
{
    tp_server_stop(((const sim_server *)context)->server);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status load(sim_server *s, tp_error *err)
{
    const sim_server_options *o = &s->options;
    const tpi_sim_host_options options = {
        .seed = o->seed, .threads = o->threads, .note = o->note, .context = o->note_context};

    world_report_loading(true);
    const tp_status status = tpi_sim_host_load(&s->host, o->world, &options, err);
    world_report_loading(false);
    s->host.watcher =
        (tpi_sim_watcher){.stepped = on_step, .passed = on_pass, .ended = on_end, .context = s};
    return status;
}

/* In lockstep a client may think for as long as it wants before the next step. Leases, which are in
 * real time, would take its commands back meanwhile. */
static void put_configuration(tpi_buf *text, const sim_server_options *o)
{
    tpi_buf_printf(text, "driver ( name \"sim\" provides \"all\" speed %.9g ", o->speed);
    if (!o->lockstep) {
        tpi_buf_puts(text, "lockstep no )\n");
    } else if (o->expected == 0) {
        tpi_buf_puts(text, "lockstep yes lease 0 )\n");
    } else {
        tpi_buf_printf(text, "lockstep %u lease 0 )\n", o->expected);
    }
}

static tp_status serve(sim_server *s, tp_error *err)
{
    tp_server_options server = s->options.server;
    tpi_buf text = {0};

    s->served = (tpi_sim_served){.driver = tpi_sim_served_driver, .host = &s->host};
    s->served.driver.flags |= s->options.config != NULL ? TP_DRIVER_JOINS : 0u;
    if (s->options.driver != NULL) {
        s->served.driver.name = s->options.driver;
    }
    s->drivers[0] = &s->served.driver;
    if (s->options.config != NULL) {
        tpi_buf_puts(&text, s->options.config);
    } else {
        put_configuration(&text, &s->options);
    }
    server.path = s->options.config != NULL ? s->options.config_path : "sim.cfg"; /* is not read */
    server.text = tpi_buf_text(&text);
    server.drivers = s->drivers;
    const tp_status status = text.failed ? tp_fail(err, TP_E_NOMEM, "out of memory")
                                         : tp_server_create(&s->server, &server, err);
    tpi_buf_fini(&text);
    return status;
}

tp_status sim_server_create(sim_server **out, const sim_server_options *options, tp_error *err)
{
    sim_server *s = calloc(1, sizeof *s);

    *out = NULL;
    if (s == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    s->options = *options;
    tp_status status = load(s, err);
    status = status == TP_OK ? serve(s, err) : status;
    if (status != TP_OK) {
        sim_server_destroy(s);
        return status;
    }
    *out = s;
    return TP_OK;
}

void sim_server_destroy(sim_server *s)
{
    if (s == NULL) {
        return;
    }
    const bool existed = s->server != NULL;
    tp_server_destroy(s->server);
    if (existed && s->options.finished != NULL) {
        s->options.finished(s->options.context, s->host.world);
    }
    tpi_sim_host_fini(&s->host);
    free(s);
}

tp_server *sim_server_get(const sim_server *s)
{
    return s->server;
}

const tpi_sim *sim_server_world(const sim_server *s)
{
    return s->host.world;
}

/* ---- The table ------------------------------------------------------------------------------- */

static void put_row(struct table *rows, const tp_device *device)
{
    const tp_interface *interface = tp_device_interface(device);
    const char *model = tp_device_property_text(device, "model");

    table_cell(rows, "%s", model[0] == '\0' ? "(the world)" : model);
    table_cell(rows, "%s:%u", interface->name, tp_device_addr(device)->index);
    table_cell(rows, "%.*s", output_sentence(interface->doc), interface->doc);
}

void sim_server_print_devices(const sim_server *s)
{
    static const char *const headings[] = {"MODEL", "DEVICE", "DESCRIPTION", NULL};
    const size_t count = tp_server_device_count(s->server);
    const size_t shown = count < MOST_ROWS ? count : MOST_ROWS;
    struct table rows;
    tpi_buf out = {0};
    size_t columns = 0;
    size_t lines = 0;

    if (output_is_terminal()) {
        output_size(&columns, &lines);
    }
    table_init(&rows, headings);
    for (size_t i = 0; i < shown; i++) {
        put_row(&rows, tp_server_device_at(s->server, i));
    }
    tpi_buf_printf(&out, "%s: %zu device%s\n", tpi_sim_name(s->host.world), count,
                   output_plural(count));
    table_put(&out, &rows, 2, columns);
    if (shown < count) {
        tpi_buf_printf(&out, "  ... and %zu more\n", count - shown);
    }
    fputs(tpi_buf_text(&out), stdout);
    table_fini(&rows);
    tpi_buf_fini(&out);
}
