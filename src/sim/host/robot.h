/* robot.h - a robot as its controller has it: inside of troupe/controller.h. */
#ifndef TROUPE_SIM_HOST_ROBOT_H
#define TROUPE_SIM_HOST_ROBOT_H

#include "platform/plugin.h"
#include "sim/sim.h"
#include "troupe/controller.h"

struct tp_robot {
    tpi_sim *world;            /* borrowed */
    const tp_controller *what; /* borrowed: what drives it */
    const tpi_plugin *plugin;  /* borrowed: what is to blame if it crashes */
    void *state;               /* owned: the controller's */
    char *name;                /* owned */
    tpi_sim_model model;
    uint32_t family;
    double wish[3]; /* the last command, for when it may move */
    bool driven;    /* there was a command at all */
};

/* A robot for a controller, with all that it may want to see measured. Safe to end if it fails. */
tp_status tpi_sim_robot_init(tp_robot *robot, tpi_sim *world, tpi_sim_model model,
                             const tp_controller *what, const tpi_plugin *plugin, tp_error *err);

/* Let the controller do its step. Fails if it drives by what is no number, or too large: then the
 * robot goes on as it did. */
tp_status tpi_sim_robot_step(tp_robot *robot, tp_error *err);

/* Let the controller end, and give back what the robot owns. */
void tpi_sim_robot_fini(tp_robot *robot);

#endif
