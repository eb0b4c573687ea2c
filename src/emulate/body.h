/*
 * body.h - the body of an emulated robot: two wheels and sensors in a simulated world.
 *
 * Readings are converted to what a cheap sensor gives: brightness and reflectance from 0 to 1, a
 * range in metres, a level in dB. A sensor that has not looked yet reads as in an empty, dark and
 * silent world.
 */
#ifndef TROUPE_EMULATE_BODY_H
#define TROUPE_EMULATE_BODY_H

#include "sim/sim.h"

enum { TPI_BODY_NAME = 256 };

struct tpi_body {
    tpi_sim *sim;             /* borrowed */
    tpi_sim_model model;      /* the robot */
    char name[TPI_BODY_NAME]; /* of the model */
    double track;             /* between the wheels, in metres */
    double wanted[2];         /* m/s of the left and the right wheel */
    double turned[2]; /* m/s in the last step: less than wanted if something is in the way */
    bool lifted;      /* the wheels turn and the body stands */
    bool empty;       /* the battery: the wheels stand */
    bool blocked;     /* something is in the way */
    bool flies;       /* it has no wheels: the robot itself commands it, or nothing does */
};

/* A body that stands still. Fails if the model's name is too long, or memory runs out. */
tp_status tpi_body_init(struct tpi_body *body, tpi_sim *sim, tpi_sim_model model, double track,
                        tp_error *err);

/* Drive from now on; speeds that are not finite stand still. */
void tpi_body_drive(struct tpi_body *body, double left_mps, double right_mps);

/* After a step: see how the wheels have turned in it. */
void tpi_body_read(struct tpi_body *body);

/* Before a step: give the world the command. */
void tpi_body_command(struct tpi_body *body);

/* A part by its name on the robot; TPI_SIM_NONE if there is none. */
tpi_sim_model tpi_body_find(const struct tpi_body *body, const char *name);

/* The same, and subscribes to it. */
tpi_sim_model tpi_body_part(struct tpi_body *body, const char *name);

/* How bright it is, from 0 to 1: half at a light of intensity 0.25 at one metre. `added` is light
 * that a lamp of the sensor itself adds. */
double tpi_body_light(const struct tpi_body *body, tpi_sim_model part, double added);

/* What a floor sensor sees: reflectance from 0 to 1 (white), and the colour 0xRRGGBB. */
double tpi_body_floor(const struct tpi_body *body, tpi_sim_model part, uint32_t index);
uint32_t tpi_body_floor_colour(const struct tpi_body *body, tpi_sim_model part, uint32_t index);

/* The nearest thing that sensor `index` of a ranger sees, in metres; HUGE_VAL for none. */
double tpi_body_range(const struct tpi_body *body, tpi_sim_model part, uint32_t index);

/* Whether a button is pressed, or segment `index` of a bumper. */
bool tpi_body_button(const struct tpi_body *body, tpi_sim_model part);
bool tpi_body_bumper(const struct tpi_body *body, tpi_sim_model part, uint32_t index);

/* What a microphone hears, in dB. */
double tpi_body_sound(const struct tpi_body *body, tpi_sim_model part);

/* Play a tone with a sound source; 0 Hz or 0 s is silence. */
void tpi_body_tone(struct tpi_body *body, tpi_sim_model part, double hertz, double seconds);

/* Show a colour (0xRRGGBB) with a lamp; black is off. */
void tpi_body_lamp(struct tpi_body *body, tpi_sim_model part, uint32_t colour);

#endif
