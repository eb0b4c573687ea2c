/*
 * sense.h - what the sensors share: their kinds, finding what they look for, noise, velocities.
 *
 * Some sensors look for models of a certain kind wherever they are: lights, sounds, stations,
 * floors. These are listed once, when the world is built, in the order of models, which does not
 * depend on the order of the file. Markers are many, so those that can move are looked for in the
 * crowd; only the others are listed.
 */
#ifndef TROUPE_SIM_SENSE_SENSE_H
#define TROUPE_SIM_SENSE_SENSE_H

#include "sim/inside.h"
#include "sim/sense/sensors.h"

extern const tpi_sim_type tpi_sim_type_bumper;
extern const tpi_sim_type tpi_sim_type_button;
extern const tpi_sim_type tpi_sim_type_fiducial;
extern const tpi_sim_type tpi_sim_type_blobfinder;
extern const tpi_sim_type tpi_sim_type_camera;
extern const tpi_sim_type tpi_sim_type_light;
extern const tpi_sim_type tpi_sim_type_light_sensor;
extern const tpi_sim_type tpi_sim_type_floor;
extern const tpi_sim_type tpi_sim_type_floor_sensor;
extern const tpi_sim_type tpi_sim_type_sound;
extern const tpi_sim_type tpi_sim_type_microphone;
extern const tpi_sim_type tpi_sim_type_wifi;
extern const tpi_sim_type tpi_sim_type_gps;
extern const tpi_sim_type tpi_sim_type_imu;
extern const tpi_sim_type tpi_sim_type_compass;
extern const tpi_sim_type tpi_sim_type_rfid_tag;
extern const tpi_sim_type tpi_sim_type_rfid_reader;
extern const tpi_sim_type tpi_sim_type_mote;
extern const tpi_sim_type tpi_sim_type_base_station;
extern const tpi_sim_type tpi_sim_type_stereo;

/* ---- sense.c --------------------------------------------------------------------------------- */

/* List what sensors look for. */
tp_status tpi_sim_list_beacons(tpi_sim *sim, tp_error *err);

/* Normally distributed, with this standard deviation: for a view, at this time, for a purpose. */
double tpi_sim_noise(const struct sim_view *view, double deviation, uint32_t purpose);

/* The same, but the same at all times: from -most to most. */
double tpi_sim_bias(const struct sim_view *view, double most, uint32_t purpose);

/* ---- track.c --------------------------------------------------------------------------------- */

/* Where something was when it was looked at last, and how it moved then. */
struct sim_track {
    double x, y, z, a;
    double velocity[4]; /* forward, to the left, up, turning: in its own frame */
    int64_t time_us;
};

/* Begin where a model is, as it moves: the way its robot does. */
void tpi_sim_track_start(struct sim_track *track, const struct sim_view *view);

/* It is here now: find out how it has moved since, on an arc, and how its velocity has changed, per
 * second, in its own frame. If the last look was not the one before, it begins anew, and is taken
 * to have moved as it does now. */
void tpi_sim_track_move(struct sim_track *track, const struct sim_view *view, double change[3]);

bool tpi_sim_is_track(const struct sim_track *track);

/* ---- lens.c ---------------------------------------------------------------------------------- */

/* The states of cameras and blobfinders begin with this. */
struct sim_lens_state {
    struct sim_common common;
    tpi_sim_lens lens;
};

/* What cameras can do, in degrees. */
enum { SIM_MOST_TILT = 80, SIM_MOST_CAMERA_FOV = 170 };

/* Whether a lens is one that such a model may have. */
bool tpi_sim_is_lens(const tpi_sim_lens *lens);

#endif
