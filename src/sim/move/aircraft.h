/*
 * aircraft.h - the model `aircraft`: blimps, helicopters and other bodies that fly.
 *
 * An aircraft is a driven model (sim.h): tpi_sim_drive(), tpi_sim_stop() and the rest hold for its
 * motion in the plane. It also has a height and a vertical velocity. It passes over what is lower,
 * lands on what is below it, and stops below what is above it. It stays level: the world has no
 * roll and no pitch.
 *
 * All calls fail with TP_E_UNSUPPORTED for models of another kind and with TP_E_RANGE for numbers
 * that are not finite or too large. Like everything in sim.h they belong to the thread that steps.
 */
#ifndef TROUPE_SIM_MOVE_AIRCRAFT_H
#define TROUPE_SIM_MOVE_AIRCRAFT_H

#include "sim/sim.h"

typedef struct tpi_sim_flight {
    double estimate[4]; /* x, y, z and heading, as it reports them */
    double velocity[4]; /* forward, to the left, up, turning */
    bool stalled;       /* something is in the way, in the plane or above or below */
    bool powered;       /* without power it sinks */
} tpi_sim_flight;

tp_status tpi_sim_get_flight(const tpi_sim *sim, tpi_sim_model model, tpi_sim_flight *flight,
                             tp_error *err);

/* Give a command, which holds until the next one: in velocity mode m/s, m/s, m/s, rad/s; in
 * position mode a pose as it reports it. `climb_speed` limits the way to a height; 0 for as fast as
 * it can. */
tp_status tpi_sim_fly(tpi_sim *sim, tpi_sim_model model, tpi_sim_drive_mode mode,
                      const double goal[4], double climb_speed, tp_error *err);

/* Switch its motors on, so that it hovers, or off, so that it sinks. */
tp_status tpi_sim_set_flight_power(tpi_sim *sim, tpi_sim_model model, bool powered, tp_error *err);

/* Say what it reports of where it is now: x, y, z and heading. */
tp_status tpi_sim_set_flight_pose(tpi_sim *sim, tpi_sim_model model, const double pose[4],
                                  tp_error *err);

#endif
