/* host.c - loading, stepping and ending the world of a process; see host.h. */
#include "sim/host/host.h"

#include <string.h>

#include "platform/crew.h"
#include "sim/host/controllers.h"

static void run_crew(void *context, tpi_sim_work *work, void *argument, uint32_t count)
{
    tpi_crew_run(context, work, argument, count);
}

static tp_status make_crew(tpi_sim_host *host, uint32_t threads, tpi_sim_crew *crew, tp_error *err)
{
    if (threads == 1) {
        return TP_OK;
    }
    tp_status status = tpi_crew_create(&host->crew, threads, "sim", err);
    *crew = (tpi_sim_crew){.workers = threads, .run = run_crew, .context = host->crew};
    return status;
}

static void note_nothing(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* `folder` is that of the world. */
static tp_status load(tpi_sim_host *host, const char *path, const char *folder,
                      tpi_sim_options *options, tp_error *err)
{
    tp_status status = tpi_sim_controllers_create(&host->controllers, host, folder, err);

    if (status == TP_OK) {
        options->control = tpi_sim_controllers_number;
        options->control_context = host->controllers;
        status = tpi_sim_load(&host->world, path, options, err);
    }
    return status == TP_OK ? tpi_sim_controllers_begin(host->controllers, err) : status;
}

tp_status tpi_sim_host_load(tpi_sim_host *host, const char *path,
                            const tpi_sim_host_options *options, tp_error *err)
{
    const char *slash = strrchr(path, '/');
    tpi_buf folder = {0};
    tpi_buf shared = {0};

    host->note = options->note != NULL ? options->note : note_nothing;
    host->note_context = options->context;
    tpi_sim_folders(&shared, path);
    tpi_buf_put(&folder, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
    tpi_sim_options inside = {.seed = options->seed,
                              .path = tpi_buf_text(&shared),
                              .note = options->note,
                              .context = options->context};
    tp_status status = folder.failed || shared.failed
                           ? tp_fail(err, TP_E_NOMEM, "out of memory")
                           : make_crew(host, options->threads, &inside.crew, err);
    if (status == TP_OK) {
        status = load(host, path, tpi_buf_text(&folder), &inside, err);
    }
    tpi_buf_fini(&shared);
    tpi_buf_fini(&folder);
    return status;
}

void tpi_sim_host_step(tpi_sim_host *host)
{
    tpi_sim_step(host->world);
    tpi_sim_controllers_step(host->controllers);
}

void tpi_sim_host_fini(tpi_sim_host *host)
{
    tpi_sim_controllers_destroy(host->controllers);
    tpi_sim_destroy(host->world);
    tpi_crew_destroy(host->crew);
    *host = (tpi_sim_host){0};
}
