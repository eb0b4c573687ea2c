/* descriptions.c - see descriptions.h. */
#include "session/descriptions.h"

#include <stdlib.h>
#include <string.h>

/* The interface at a place of the list; NULL behind its end. */
static const tp_interface *find(const tp_catalogue *catalogue, uint32_t place, uint32_t *count)
{
    const tp_interface *found = NULL;

    *count = 0;
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);
        if (!tp_interface_is_builtin(interface) && (*count)++ == place) {
            found = interface;
        }
    }
    return found;
}

static tp_status write(tpi_description **out, const tp_interface *interface)
{
    tpi_description *description = calloc(1, sizeof *description);
    const tp_status status =
        description == NULL ? TP_E_NOMEM : tp_interface_padi(&description->text, interface);

    if (status != TP_OK) {
        free(description);
        return status;
    }
    const size_t length = strlen(description->text);
    description->interface = interface;
    if (length > TPI_DESCRIPTION_LONGEST) {
        free(description->text);
        description->text = NULL;
    } else {
        description->length = (uint32_t)length;
    }
    *out = description;
    return TP_OK;
}

tp_status tpi_descriptions_at(tpi_descriptions *descriptions, const tp_catalogue *catalogue,
                              uint32_t place, const tpi_description **out, uint32_t *interfaces)
{
    const tp_interface *interface = find(catalogue, place, interfaces);
    tpi_description *kept = descriptions->first;

    *out = NULL;
    if (interface == NULL) {
        return TP_OK;
    }
    while (kept != NULL && kept->interface != interface) {
        kept = kept->next;
    }
    if (kept == NULL) {
        const tp_status status = write(&kept, interface);
        if (status != TP_OK) {
            return status;
        }
        kept->next = descriptions->first;
        descriptions->first = kept;
    }
    *out = kept;
    return kept->text != NULL ? TP_OK : TP_E_LIMIT;
}

void tpi_descriptions_fini(tpi_descriptions *descriptions)
{
    while (descriptions->first != NULL) {
        tpi_description *first = descriptions->first;
        descriptions->first = first->next;
        free(first->text);
        free(first);
    }
}
