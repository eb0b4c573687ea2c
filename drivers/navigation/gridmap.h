/*
 * gridmap.h - a map that is fetched from a device, tile by tile.
 */
#ifndef TROUPE_DRIVERS_NAVIGATION_GRIDMAP_H
#define TROUPE_DRIVERS_NAVIGATION_GRIDMAP_H

#include "navigation/grid.h"
#include "troupe/driver.h"

struct gridmap {
    tp_link *link;     /* borrowed */
    tpi_nav_grid grid; /* owned; complete if `ready` */
    bool ready;
    bool asking;
    uint32_t row;  /* the next one to ask for */
    char why[160]; /* why there is no map; "" while there may be one */
    /* Called as an operation when there is a map, or when it cannot be had. */
    void (*done)(tp_instance *self, struct gridmap *map);
};

/* Fetch the map, or fetch it anew. From start or any later operation. */
tp_status tpi_gridmap_fetch(struct gridmap *map, tp_error *err);

/* Stop waiting for it. From stop. */
void tpi_gridmap_stop(struct gridmap *map);

void tpi_gridmap_fini(struct gridmap *map);

#endif
