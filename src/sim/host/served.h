/*
 * served.h - a server for a world that the program has loaded itself.
 *
 *     tpi_sim_served served = {.driver = tpi_sim_served_driver, .host = &host};
 *     const tp_driver *const drivers[] = {&served.driver, NULL};
 *
 * With these `drivers` in tp_server_options, a section `driver ( name "sim" provides "all" )`
 * offers the devices of the host's world. Such a section has the parameters of the driver `sim`,
 * but for `worldfile`, `threads` and `seed`. The host belongs to the driver's thread from
 * tp_server_begin() until tp_server_destroy() returns; its world stays, so that the program can
 * look at it afterwards.
 */
#ifndef TROUPE_SIM_HOST_SERVED_H
#define TROUPE_SIM_HOST_SERVED_H

#include "sim/host/host.h"
#include "troupe/driver.h"

enum { TPI_SIM_MOST_EXPECTED = 1000 }; /* the greatest number of clients in `lockstep` */

typedef struct tpi_sim_served {
    tp_driver driver;   /* first: the driver finds the host by its address */
    tpi_sim_host *host; /* borrowed as long as the server */
} tpi_sim_served;

/* The driver's table, to be copied. It is in drivers/sim. */
extern const tp_driver tpi_sim_served_driver;

#endif
