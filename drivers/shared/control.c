/* control.c - which commands move a device after POSITION_MODE; see control.h. */
#include "control.h"

tpi_control tpi_control_of_speeds(const double *speeds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (speeds[i] != 0) {
            return TPI_CONTROL_SPEED;
        }
    }
    return TPI_CONTROL_ANY;
}

tp_status tpi_control_check(tpi_control chosen, tpi_control wanted, const char *noun, tp_error *err)
{
    if (chosen == TPI_CONTROL_ANY || wanted == TPI_CONTROL_ANY || chosen == wanted) {
        return TP_OK;
    }
    return tp_fail(err, TP_E_INVALID, "the %s is under %s control, as POSITION_MODE has chosen",
                   noun, chosen == TPI_CONTROL_POSITION ? "position" : "velocity");
}
