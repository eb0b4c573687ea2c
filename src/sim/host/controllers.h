/* controllers.h - the controllers of a world that are plug-ins. */
#ifndef TROUPE_SIM_HOST_CONTROLLERS_H
#define TROUPE_SIM_HOST_CONTROLLERS_H

#include "sim/host/host.h"

/* Before the world is read. `folder` is where it is, "" or with a slash at its end; borrowed until
 * `begin`. */
tp_status tpi_sim_controllers_create(tpi_sim_controllers **out, tpi_sim_host *host,
                                     const char *folder, tp_error *err);
void tpi_sim_controllers_destroy(tpi_sim_controllers *c); /* NULL is accepted */

/* While it is read: the number of a controller with its arguments; it stays as it is if there is
 * none such. Fails for a plug-in that cannot be used. The context is the controllers. */
tp_status tpi_sim_controllers_number(void *context, const char *text, const tpi_cfg_place *place,
                                     uint32_t *number, tp_error *err);

/* The world has been read: each robot gets its controller. Errors of controllers begin with the
 * place of the first `ctrl` that has it with the same arguments. */
tp_status tpi_sim_controllers_begin(tpi_sim_controllers *c, tp_error *err);

/* After each step. */
void tpi_sim_controllers_step(tpi_sim_controllers *c);

#endif
