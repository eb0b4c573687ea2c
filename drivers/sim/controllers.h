/* controllers.h - the controllers of a world that are plug-ins. */
#ifndef SIM_CONTROLLERS_H
#define SIM_CONTROLLERS_H

#include <stdint.h>

#include "sim/sim.h"
#include "troupe/status.h"

typedef struct simd_controllers simd_controllers;
struct simd;

/* Before the world is read. `folder` is where it is, "" or with a slash at its end; borrowed until
 * `begin`. */
tp_status tpi_simd_controllers_create(simd_controllers **out, struct simd *s, const char *folder,
                                      tp_error *err);
void tpi_simd_controllers_destroy(simd_controllers *c); /* NULL is accepted */

/* While it is read: the number of a controller with its arguments; it stays as it is if there is
 * none such. Fails for a plug-in that cannot be used. The context is the controllers. */
tp_status tpi_simd_controllers_number(void *context, const char *text, const tpi_cfg_place *place,
                                      uint32_t *number, tp_error *err);

/* The world has been read: each robot gets its controller. Errors of controllers begin with the
 * place of the first `ctrl` that has it with the same arguments. */
tp_status tpi_simd_controllers_begin(simd_controllers *c, tp_error *err);

/* After each step. */
void tpi_simd_controllers_step(simd_controllers *c);

#endif
