/* ports.c - the devices that a program has registered. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

const struct port *tpi_universalf_port(const struct connection *c, uint8_t type)
{
    return type >= FIRST_TYPE && type < FIRST_TYPE + c->port_count ? &c->ports[type - FIRST_TYPE]
                                                                   : NULL;
}

bool tpi_universalf_add_port(struct connection *c, const tpi_value *classes, int id)
{
    struct port *port = &c->ports[c->port_count];
    char *text = malloc((size_t)classes->length + 1);

    if (text == NULL) {
        return false;
    }
    memcpy(text, classes->text, classes->length);
    text[classes->length] = '\0';
    *port = (struct port){.classes = text, .id = id, .part = -1};
    c->port_count++;
    return true;
}

void tpi_universalf_drop_ports(struct connection *c, unsigned from)
{
    while (c->port_count > from) {
        struct port *port = &c->ports[--c->port_count];

        free(port->classes);
        free(port->explanation);
        *port = (struct port){0};
    }
}
