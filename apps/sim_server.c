/* sim_server.c - a server of one world; see sim_server.h. */
#include "sim_server.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drivers/sim/simulator.h"
#include "output.h"
#include "table.h"
#include "worlds.h"

enum { MOST_ROWS = 60 };

extern const tp_driver tp_driver_sim;

/* ---- Watching -------------------------------------------------------------------------------- */

/* The driver of the simulator with a look into its world. */
static tp_driver driver;
static tp_driver_ops ops;
static const tp_driver *const drivers[] = {&driver, NULL};
static const char own_file[] = "sim.cfg"; /* which there is not */
static sim_server_options chosen;
static tp_server *served; /* borrowed; NULL until there is one */
static void (*note)(void *context, const char *text);
static void *noter; /* borrowed */

static bool has_come(const tpi_sim *sim)
{
    const int64_t now_us = tpi_sim_time_us(sim);
    const int64_t quit_us = tpi_sim_quit_us(sim);
    const int64_t end_us = llround(chosen.seconds * 1e6);
    const uint64_t made = (uint64_t)(now_us / tpi_sim_interval_us(sim));

    return (quit_us > 0 && now_us >= quit_us) || (chosen.seconds > 0 && now_us >= end_us) ||
           (chosen.steps > 0 && made >= chosen.steps);
}

static bool on_step(void *context, const tpi_sim *sim)
{
    (void)context;
    if (chosen.watch != NULL) {
        chosen.watch(chosen.context, sim);
    }
    return !has_come(sim);
}

static void on_end(void *context)
{
    (void)context;
    tp_server_stop(served);
}

static tp_status watched_init(tp_instance *self, tp_error *err)
{
    simd *s = tp_instance_state(self);

    s->watch = on_step;
    s->ended = on_end;
    return tp_driver_sim.ops->init(self, err);
}

/* Also when it has made none: somebody may want a picture of a world that stands still. */
static tp_status watched_poll(tp_instance *self, tp_error *err)
{
    const simd *s = tp_instance_state(self);
    const tp_status status = tp_driver_sim.ops->poll(self, err);

    if (chosen.watch != NULL) {
        chosen.watch(chosen.context, s->world);
    }
    return status;
}

/* A server that could not be made has not shown anything. */
static void watched_fini(tp_instance *self)
{
    const simd *s = tp_instance_state(self);

    if (served != NULL && s->world != NULL && chosen.look_back != NULL) {
        chosen.look_back(chosen.context, s->world);
    }
    tp_driver_sim.ops->fini(self);
}

static void prepare_driver(const sim_server_options *options)
{
    driver = tp_driver_sim;
    ops = *tp_driver_sim.ops;
    ops.init = watched_init;
    ops.poll = watched_poll;
    ops.fini = watched_fini;
    driver.ops = &ops;
    chosen = *options;
    served = NULL;
}

/* ---- Creating -------------------------------------------------------------------------------- */

/* In lockstep somebody may think for as long as he wants before the next step: leases, which are in
 * real time, would take his commands back meanwhile. */
static tp_status put_configuration(tpi_buf *text, const sim_server_options *options, tp_error *err)
{
    if (strpbrk(options->world, "\"\n") != NULL) {
        return tp_fail(err, TP_E_INVALID, "%s: a name with a quotation mark", options->world);
    }
    tpi_buf_printf(text,
                   "driver ( name \"sim\" provides \"all\" worldfile \"%s\" speed %.9g seed %llu "
                   "threads %u ",
                   options->world, options->speed, (unsigned long long)options->seed,
                   options->threads);
    if (!options->lockstep) {
        tpi_buf_puts(text, "lockstep no )\n");
    } else if (options->expected == 0) {
        tpi_buf_puts(text, "lockstep yes lease 0 )\n");
    } else {
        tpi_buf_printf(text, "lockstep %u lease 0 )\n", options->expected);
    }
    return text->failed ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}

/* There is one driver, which nobody has named: what it says is about the world. */
static void tell(void *context, const char *text)
{
    static const char prefix[] = "sim0: ";

    (void)context;
    note(noter, strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text);
}

/* What went wrong in the world, or in a file that it includes, is told as such, not as a mistake in
 * a configuration that nobody wrote. */
static void shorten(tp_error *err)
{
    static const char driver_name[] = ": sim0: ";
    const char *place =
        strncmp(err->text, own_file, strlen(own_file)) == 0 ? strstr(err->text, driver_name) : NULL;

    if (place != NULL) {
        place += strlen(driver_name);
        memmove(err->text, place, strlen(place) + 1);
    }
}

tp_status sim_server_create(tp_server **out, const sim_server_options *options, tp_error *err)
{
    tp_server_options server = options->server;
    tpi_buf text = {0};
    tp_status status = put_configuration(&text, options, err);

    *out = NULL;
    if (status == TP_OK) {
        prepare_driver(options);
        server.path = own_file;
        server.text = tpi_buf_text(&text);
        server.drivers = drivers;
        note = server.note;
        noter = server.note_context;
        server.note = note == NULL ? NULL : tell;
        world_loading(true);
        status = tp_server_create(out, &server, err);
        world_loading(false);
        served = *out;
    }
    if (status != TP_OK && err != NULL) {
        shorten(err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------- */

static void put_row(struct table *rows, const simd_device *device, const tpi_sim *world)
{
    const tp_interface *interface = tp_device_interface(device->device);
    tpi_buf name = {0};

    if (device->model == TPI_SIM_NONE) {
        tpi_buf_puts(&name, "(the world)");
    } else {
        tpi_sim_put_name(world, device->model, &name);
    }
    table_cell(rows, "%s", tpi_buf_text(&name));
    table_cell(rows, "%s:%u", interface->name, tp_device_addr(device->device)->index);
    table_cell(rows, "%.*s", output_sentence(interface->doc), interface->doc);
    tpi_buf_fini(&name);
}

void sim_server_print_devices(const tp_server *server)
{
    static const char *const headings[] = {"MODEL", "DEVICE", "DESCRIPTION", NULL};
    const tp_device *first = tp_server_device_at(server, 0);
    const simd *s = tp_instance_state(tp_device_instance(first));
    const size_t shown = s->device_count < MOST_ROWS ? s->device_count : MOST_ROWS;
    struct table rows;
    tpi_buf out = {0};
    size_t columns = 0;
    size_t lines = 0;

    if (output_is_terminal()) {
        output_size(&columns, &lines);
    }
    table_init(&rows, headings);
    for (size_t i = 0; i < shown; i++) {
        put_row(&rows, s->devices[i], s->world);
    }
    tpi_buf_printf(&out, "%s: %zu devices\n", tpi_sim_name(s->world), s->device_count);
    table_put(&out, &rows, 2, columns);
    if (shown < s->device_count) {
        tpi_buf_printf(&out, "  ... and %zu more\n", s->device_count - shown);
    }
    fputs(tpi_buf_text(&out), stdout);
    table_fini(&rows);
    tpi_buf_fini(&out);
}
