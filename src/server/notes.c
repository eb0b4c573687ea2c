/* notes.c - notes for the owner of a server; those about a file are gathered and sorted first. */
#include "server/inside.h"

void tpi_server_note(void *context, const char *text)
{
    tp_server *server = context;

    if (server->options.note == NULL) {
        return;
    }
    if (server->gathering) {
        tpi_cfg_notes_add(&server->notes, text);
    } else {
        server->options.note(server->options.note_context, text);
    }
}

void tpi_server_gather_notes(tp_server *server)
{
    server->notes.note = server->options.note;
    server->notes.context = server->options.note_context;
    server->gathering = true;
}

void tpi_server_tell_notes(tp_server *server)
{
    server->gathering = false;
    tpi_cfg_notes_tell(&server->notes);
}
