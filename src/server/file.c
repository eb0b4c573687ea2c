/* file.c - the configuration file of a server, as it was read; several while one follows another.
 */
#include <stdlib.h>
#include <string.h>

#include "server/inside.h"

static tp_status parse(tp_server *server, struct file *file, tp_error *err)
{
    const tp_server_options *options = &server->options;

    if (options->text == NULL) {
        return tpi_cfg_load(&file->cfg, options->path, tpi_server_note, server, err);
    }
    return tpi_cfg_parse(&file->cfg, options->path, options->text, strlen(options->text),
                         tpi_server_note, server, err);
}

tp_status tpi_config_read(tp_server *server, tp_error *err)
{
    struct file *file = calloc(1, sizeof *file);

    if (file == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    file->server = server;
    file->next = server->files;
    server->files = file;
    server->file = file;
    tp_status status = parse(server, file, err);
    status = status == TP_OK ? tpi_top_read(server, file, err) : status;
    status = status == TP_OK ? tpi_sections_read(server, err) : status;
    status = status == TP_OK ? tpi_robots_read(server, err) : status;
    return status == TP_OK ? tpi_fronts_read(server, err) : status;
}

void tpi_config_destroy(struct file *file)
{
    tpi_access_forget(file);
    tpi_cfg_destroy(file->cfg);
    tpi_arena_fini(&file->arena);
    free(file);
}

void tpi_config_unlink(tp_server *server, struct file *file)
{
    struct file **at = &server->files;

    while (*at != file) {
        at = &(*at)->next;
    }
    *at = file->next;
}

void tpi_config_take_unused(tp_server *server, struct file **out)
{
    for (struct file **at = &server->files; *at != NULL;) {
        struct file *file = *at;
        if (file->users == 0 && file != server->file) {
            *at = file->next;
            file->next = *out;
            *out = file;
        } else {
            at = &file->next;
        }
    }
}

void tpi_config_destroy_all(tp_server *server)
{
    while (server->files != NULL) {
        struct file *next = server->files->next;
        tpi_config_destroy(server->files);
        server->files = next;
    }
}
