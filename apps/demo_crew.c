/* demo_crew.c - the robots of the demo; see demo_crew.h. */
#include "demo_crew.h"

#include <stdlib.h>
#include <string.h>

#include "troupe/interfaces/position2d.h"

static bool add(struct demo_crew *crew, const char *name, unsigned device)
{
    struct demo_member *members =
        realloc(crew->members, (crew->count + (size_t)1) * sizeof *members);
    char *copy = strdup(name);

    crew->members = members == NULL ? crew->members : members;
    if (members == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    members[crew->count++] = (struct demo_member){copy, device};
    return true;
}

tp_status demo_crew_add(struct demo_crew *crew, const char *name, unsigned device, tp_error *err)
{
    return add(crew, name, device) ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

tp_status demo_crew_init(struct demo_crew *crew, const tp_server *server, tp_error *err)
{
    for (size_t i = 0; i < tp_server_device_count(server); i++) {
        const tp_device *device = tp_server_device_at(server, i);
        if (tp_device_interface(device)->code != TP_POSITION2D_CODE) {
            continue;
        }
        const char *name = tp_device_property_text(device, "model");
        if (name[0] != '\0' && !add(crew, name, tp_device_addr(device)->index)) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    return TP_OK;
}

void demo_crew_fini(struct demo_crew *crew)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        free(crew->members[i].name);
    }
    free(crew->members);
    *crew = (struct demo_crew){0};
}
