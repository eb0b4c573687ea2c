/* driver_read.c - reads a driver section whole: its fields, geometry, ranks and parameters. */
#include "server/inside.h"

/* The list of a section overrides the "all" of the section that it joins. */
static void tell_of_list(tp_server *server, tpi_cfg_section *whole, tpi_cfg_section *section)
{
    const tpi_cfg_field *all = tpi_cfg_find(whole, "provides");
    tp_error note;

    if (tpi_driver_says_all(all)) {
        tpi_cfg_fail(&all->place, &note,
                     "\"all\" has no effect: the section of line %u lists what is provided",
                     section->place.line);
        tpi_server_note(server, note.text);
    }
}

tp_status tpi_driver_read(tp_server *server, tpi_cfg_section *section, tp_error *err)
{
    struct driver_entry *entry = tpi_entry_make(server, err);
    const struct reading reading = {.server = server, .section = section};

    if (entry == NULL) {
        return TP_E_NOMEM;
    }
    entry->section = section;
    tp_status status = tpi_fields_read(&tpi_driver_section, &reading, entry, err);
    status = status == TP_OK ? tpi_places_read(server, section, &entry->asked, err) : status;
    status = status == TP_OK ? tpi_ranks_read(server, section, &entry->asked, err) : status;
    status = status == TP_OK ? tpi_settings_read(server, section, &entry->asked, err) : status;
    if (status != TP_OK) {
        return status;
    }
    struct driver_entry *whole = tpi_join_find(server, section, entry->asked.driver);
    if (whole != NULL) {
        tell_of_list(server, whole->section, section);
        tpi_join_add(whole, entry);
    } else {
        tpi_entry_append(server, entry);
    }
    return TP_OK;
}
