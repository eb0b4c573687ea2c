/* route_text.c - how a command is done with a part, as a text; see route_text.h. */
#include "universal/route_text.h"

void tpi_route_text(tpi_buf *out, const tpi_wired *wired, tpi_command command, int part)
{
    enum { MOST_LINKS = 8 };
    const tpi_route *route = tpi_wired_route(wired, command, part);

    tpi_buf_printf(out, "%s: %s", tpi_dictionary_entry(command)->name, tpi_way_text(route->way));
    for (int i = 0;
         i < MOST_LINKS && (route->way == TPI_WAY_CONVERT || route->way == TPI_WAY_PARENT); i++) {
        const tpi_command next = route->next;
        route = tpi_wired_route(wired, next, part);
        tpi_buf_printf(out, ", %s: %s", tpi_dictionary_entry(next)->name, tpi_way_text(route->way));
    }
    if (route->translation != NULL) {
        tpi_buf_printf(out, ", line %u of the robot file", route->translation->line);
    }
    tpi_buf_putc(out, '\n');
    for (unsigned i = 0; route->translation != NULL && i < route->translation->steps.count; i++) {
        const tpi_step *step = &route->translation->steps.steps[i];
        if (step->code == TPI_STEP_RESULT) {
            tpi_buf_printf(out, "result: %s\n", step->says);
        }
    }
}
