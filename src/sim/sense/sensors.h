/*
 * sensors.h - what the sensors of a simulated world have seen, besides rangers (sim.h).
 *
 * Every reading is of the last time that the model was updated, which is in `time_us`; it is -1 if
 * that has not happened yet, and the reading then is empty or zero. Pointers in a reading are
 * borrowed and hold until the next step. All calls fail with TP_E_UNSUPPORTED for a model of
 * another kind, TP_E_RANGE for an index that is too great, and TP_E_INVALID for numbers that are
 * not finite or make no sense; the sentence says which. None of them allocates or waits.
 *
 * Some models are no sensors but what sensors perceive: lights, sounds, floors. They work whether
 * or not somebody is subscribed to them.
 *
 * What the models are called in world files and what their properties mean is in
 * docs/reference/worlds.md.
 */
#ifndef TROUPE_SIM_SENSE_SENSORS_H
#define TROUPE_SIM_SENSE_SENSORS_H

#include "sim/sim.h"

/* ---- Bumpers --------------------------------------------------------------------------------- */

enum { TPI_SIM_MOST_BUMPERS = 64 };

typedef struct tpi_sim_bumpers {
    const uint8_t *pressed; /* 1 or 0 for each */
    uint32_t count;
    int64_t time_us;
} tpi_sim_bumpers;

/* One bumper of a model: a straight piece that faces where its pose points. */
typedef struct tpi_sim_bumper {
    tpi_sim_pose pose; /* of its middle, in the model's frame */
    double length;
} tpi_sim_bumper;

tp_status tpi_sim_get_bumpers(const tpi_sim *sim, tpi_sim_model model, tpi_sim_bumpers *bumpers,
                              tp_error *err);
tp_status tpi_sim_get_bumper(const tpi_sim *sim, tpi_sim_model model, uint32_t index,
                             tpi_sim_bumper *bumper, tp_error *err);

/* ---- Fiducials ------------------------------------------------------------------------------- */

enum { TPI_SIM_MOST_FIDUCIALS = 32 }; /* that one finder sees at a time; the nearest count */

/* A marker, as the finder sees it. */
typedef struct tpi_sim_fiducial {
    tpi_sim_pose pose; /* in the finder's frame; its heading is from -pi to pi */
    double range;      /* on the ground */
    double bearing;
    double size[3]; /* of the model that carries it */
    int32_t id;     /* 0 if it is too far away to be read */
    int32_t spare;
} tpi_sim_fiducial;

typedef struct tpi_sim_fiducials {
    const tpi_sim_fiducial *items; /* the nearest first */
    uint32_t count;
    int64_t time_us;
} tpi_sim_fiducials;

typedef struct tpi_sim_fiducial_view {
    double range_min, range_max; /* of what is seen at all */
    double range_max_id;         /* of what can be read */
    double fov;
} tpi_sim_fiducial_view;

tp_status tpi_sim_get_fiducials(const tpi_sim *sim, tpi_sim_model model,
                                tpi_sim_fiducials *fiducials, tp_error *err);

/* What the finder can see; it may be changed. */
tp_status tpi_sim_get_fiducial_view(const tpi_sim *sim, tpi_sim_model model,
                                    tpi_sim_fiducial_view *view, tp_error *err);
tp_status tpi_sim_set_fiducial_view(tpi_sim *sim, tpi_sim_model model,
                                    const tpi_sim_fiducial_view *view, tp_error *err);

/* The marker that the finder itself shows to others; 0 for none. */
tp_status tpi_sim_get_fiducial_id(const tpi_sim *sim, tpi_sim_model model, int32_t *id,
                                  tp_error *err);
tp_status tpi_sim_set_fiducial_id(tpi_sim *sim, tpi_sim_model model, int32_t id, tp_error *err);

/* ---- Blobs ----------------------------------------------------------------------------------- */

enum { TPI_SIM_MOST_BLOBS = 64 }; /* that one finder reports at a time; the leftmost count */

/* A patch of one colour in the picture; all four edges belong to it. */
typedef struct tpi_sim_blob {
    uint32_t colour; /* 0xRRGGBB */
    uint32_t left, top, right, bottom;
    uint32_t channel; /* which of the colours that are looked for; 0 if all are */
    double range;     /* the mean over its columns */
} tpi_sim_blob;

typedef struct tpi_sim_blobs {
    const tpi_sim_blob *items; /* from left to right */
    uint32_t count;
    uint32_t width, height; /* of the picture */
    int64_t time_us;
} tpi_sim_blobs;

tp_status tpi_sim_get_blobs(const tpi_sim *sim, tpi_sim_model model, tpi_sim_blobs *blobs,
                            tp_error *err);

/* ---- Cameras --------------------------------------------------------------------------------- */

enum { TPI_SIM_MOST_CAMERA_PIXELS = 2048 * 2048 };

typedef struct tpi_sim_image {
    const uint8_t *rgb; /* red, green, blue; rows from the top, without gaps */
    const float *depth; /* metres straight ahead, as far as the picture plane; 0 for nothing */
    uint32_t width, height;
    double across, up; /* tangents of half its fields of view */
    double pan, rise;  /* where it looks: to the left, and the tangent of the tilt */
    double eye;        /* from how high above its model */
    int64_t time_us;
} tpi_sim_image;

/* Two pictures of one instant. */
enum { TPI_SIM_MOST_STEREO_PIXELS = 512 * 1024 }; /* of each: both fit into one message */

typedef struct tpi_sim_stereo {
    tpi_sim_image left, right; /* from half the baseline to either side of the model */
    double baseline;
} tpi_sim_stereo;

tp_status tpi_sim_get_stereo(const tpi_sim *sim, tpi_sim_model model, tpi_sim_stereo *stereo,
                             tp_error *err);

/* Where a camera or blobfinder looks, from where its model points. */
typedef struct tpi_sim_lens {
    double pan;  /* to the left */
    double tilt; /* up; 0 for a blobfinder, whatever is set */
    double fov;  /* from the left edge to the right one; pixels stay as square as they are */
} tpi_sim_lens;

tp_status tpi_sim_get_image(const tpi_sim *sim, tpi_sim_model model, tpi_sim_image *image,
                            tp_error *err);
tp_status tpi_sim_get_lens(const tpi_sim *sim, tpi_sim_model model, tpi_sim_lens *lens,
                           tp_error *err);

/* Takes effect at once. Angles beyond what the model can do are cut. */
tp_status tpi_sim_set_lens(tpi_sim *sim, tpi_sim_model model, const tpi_sim_lens *lens,
                           tp_error *err);

/* ---- Light ----------------------------------------------------------------------------------- */

/* How bright a light is: what a sensor reads at one metre. 0 is off. */
tp_status tpi_sim_get_light(const tpi_sim *sim, tpi_sim_model model, double *intensity,
                            tp_error *err);
/* How wide the cone is that it shines into, in radians; a full circle unless it is a spotlight. */
tp_status tpi_sim_get_light_fov(const tpi_sim *sim, tpi_sim_model model, double *fov,
                                tp_error *err);
tp_status tpi_sim_set_light(tpi_sim *sim, tpi_sim_model model, double intensity, tp_error *err);

typedef struct tpi_sim_brightness {
    double level;
    int64_t time_us;
} tpi_sim_brightness;

/* What a light sensor reads. */
tp_status tpi_sim_get_brightness(const tpi_sim *sim, tpi_sim_model model,
                                 tpi_sim_brightness *brightness, tp_error *err);

/* ---- Floor ----------------------------------------------------------------------------------- */

enum { TPI_SIM_MOST_FLOOR_SENSORS = 32 }; /* of one model */

/* What one sensor of a floor sensor sees below it. */
typedef struct tpi_sim_floor_value {
    float reflectance; /* from 0 for black to 1 for white */
    uint32_t colour;   /* 0xRRGGBB */
    uint32_t dark;     /* 1 if the reflectance is below the model's threshold */
} tpi_sim_floor_value;

typedef struct tpi_sim_floor_values {
    const tpi_sim_floor_value *items; /* in the order of the file */
    uint32_t count;
    int64_t time_us;
} tpi_sim_floor_values;

tp_status tpi_sim_get_floor(const tpi_sim *sim, tpi_sim_model model, tpi_sim_floor_values *values,
                            tp_error *err);

/* Where sensor `index` sits, in the model's frame. */
tp_status tpi_sim_get_floor_sensor(const tpi_sim *sim, tpi_sim_model model, uint32_t index,
                                   tpi_sim_pose *pose, tp_error *err);

/* The colour of the floor at a place, as 0xRRGGBBAA: what lies on top of all floors there. Works in
 * every world. */
uint32_t tpi_sim_floor_colour(const tpi_sim *sim, double x, double y);

/* The picture that a floor shows. */
typedef struct tpi_sim_floor_picture {
    uint32_t width, height;   /* 0 if it has one colour */
    const unsigned char *rgb; /* borrowed; row by row from the top, which is where y points */
} tpi_sim_floor_picture;

tp_status tpi_sim_get_floor_picture(const tpi_sim *sim, tpi_sim_model model,
                                    tpi_sim_floor_picture *picture, tp_error *err);

/* ---- Sound ----------------------------------------------------------------------------------- */

/* What a sound source sounds like. */
typedef struct tpi_sim_tone {
    double level;     /* dB at one metre; 0 or less is silence */
    double frequency; /* Hz */
} tpi_sim_tone;

tp_status tpi_sim_get_tone(const tpi_sim *sim, tpi_sim_model model, tpi_sim_tone *tone,
                           tp_error *err);
tp_status tpi_sim_set_tone(tpi_sim *sim, tpi_sim_model model, const tpi_sim_tone *tone,
                           tp_error *err);

/* Play tones one after the other, from now on, in place of what it plays; then it sounds as before.
 * None of them end a melody. */
enum { TPI_SIM_MOST_NOTES = 64 };

typedef struct tpi_sim_note_play {
    double frequency; /* Hz */
    double seconds;
    double amplitude; /* from 0 to 1, which is as loud as the file's max_level */
} tpi_sim_note_play;

tp_status tpi_sim_play(tpi_sim *sim, tpi_sim_model model, const tpi_sim_note_play *notes,
                       uint32_t count, tp_error *err);

/* The same from where the melody is now: for notes that only differ in their loudness. */
tp_status tpi_sim_play_on(tpi_sim *sim, tpi_sim_model model, const tpi_sim_note_play *notes,
                          uint32_t count, tp_error *err);
tp_status tpi_sim_get_playing(const tpi_sim *sim, tpi_sim_model model, bool *playing,
                              tp_error *err);

typedef struct tpi_sim_hearing {
    double level;     /* dB, of all sounds together */
    double frequency; /* of the loudest; 0 if there is none above the background */
    double bearing;   /* of the loudest, in the microphone's frame */
    int64_t time_us;
} tpi_sim_hearing;

tp_status tpi_sim_get_hearing(const tpi_sim *sim, tpi_sim_model model, tpi_sim_hearing *hearing,
                              tp_error *err);

/* ---- Buttons --------------------------------------------------------------------------------- */

typedef struct tpi_sim_button {
    bool pressed; /* by something, or by hand */
    bool held;    /* by hand */
    int64_t time_us;
} tpi_sim_button;

tp_status tpi_sim_get_button(const tpi_sim *sim, tpi_sim_model model, tpi_sim_button *button,
                             tp_error *err);

/* Press it by hand, or let it go; seen at once. */
tp_status tpi_sim_press(tpi_sim *sim, tpi_sim_model model, bool held, tp_error *err);

/* ---- Wifi ------------------------------------------------------------------------------------ */

enum { TPI_SIM_MOST_LINKS = 32 }; /* of one station; the strongest count */

/* A station of a wireless network. */
typedef struct tpi_sim_station {
    char mac[32], ip[32], essid[40];
    double frequency; /* MHz */
    double power;     /* dBm */
} tpi_sim_station;

typedef struct tpi_sim_link {
    tpi_sim_model model; /* the other station */
    double level;        /* dBm */
} tpi_sim_link;

typedef struct tpi_sim_links {
    tpi_sim_link items[TPI_SIM_MOST_LINKS]; /* the strongest first */
    uint32_t count;
    double noise; /* dBm: the weakest that it could hear */
    int64_t time_us;
} tpi_sim_links;

tp_status tpi_sim_get_station(const tpi_sim *sim, tpi_sim_model model, tpi_sim_station *station,
                              tp_error *err);
tp_status tpi_sim_get_links(const tpi_sim *sim, tpi_sim_model model, tpi_sim_links *links,
                            tp_error *err);

/* ---- GPS ------------------------------------------------------------------------------------- */

typedef struct tpi_sim_fix {
    tpi_sim_pose pose;          /* in the world, with the receiver's error; the heading is true */
    double latitude, longitude; /* degrees; of `pose`, from the world's gps_origin */
    double altitude;
    double utm_e, utm_n;                     /* metres, of latitude and longitude */
    double speed;                            /* over ground, true */
    double course;                           /* where it moves to, counter-clockwise from east */
    double error_horizontal, error_vertical; /* that the receiver expects: standard deviations */
    int64_t time_us;
} tpi_sim_fix;

tp_status tpi_sim_get_fix(const tpi_sim *sim, tpi_sim_model model, tpi_sim_fix *fix, tp_error *err);

/* ---- Inertia --------------------------------------------------------------------------------- */

typedef struct tpi_sim_inertia {
    double acceleration[3]; /* m/s^2 along its axes, with what holds it up against gravity */
    double rate[3];         /* rad/s about its axes */
    double field[3];        /* of the Earth along its axes, 1 in all */
    double heading;         /* counter-clockwise from the world's x axis, from -pi to pi; true */
    int64_t time_us;
} tpi_sim_inertia;

tp_status tpi_sim_get_inertia(const tpi_sim *sim, tpi_sim_model model, tpi_sim_inertia *inertia,
                              tp_error *err);

/* ---- Compasses ------------------------------------------------------------------------------- */

typedef struct tpi_sim_compass {
    double bearing; /* clockwise from north, from 0 to 2 pi */
    int64_t time_us;
} tpi_sim_compass;

tp_status tpi_sim_get_compass(const tpi_sim *sim, tpi_sim_model model, tpi_sim_compass *compass,
                              tp_error *err);

/* ---- Radio tags ------------------------------------------------------------------------------ */

enum {
    TPI_SIM_MOST_TAGS = 32,
    TPI_SIM_TAG_BYTES = 32
}; /* that one reader finds; the nearest count */

typedef struct tpi_sim_tag {
    double range; /* from the reader */
    uint32_t type;
    uint32_t length; /* of the id */
    uint8_t id[TPI_SIM_TAG_BYTES];
} tpi_sim_tag;

typedef struct tpi_sim_tags {
    const tpi_sim_tag *items; /* the nearest first */
    uint32_t count;
    bool powered; /* without power it finds none */
    int64_t time_us;
} tpi_sim_tags;

tp_status tpi_sim_get_tags(const tpi_sim *sim, tpi_sim_model model, tpi_sim_tags *tags,
                           tp_error *err);
tp_status tpi_sim_set_reader_power(tpi_sim *sim, tpi_sim_model model, bool powered, tp_error *err);

/* ---- Wireless nodes -------------------------------------------------------------------------- */

enum { TPI_SIM_MOST_NODES = 128 }; /* that a station looks for: the first in the order of models */

/* A node; what it measures are the sensors that stand on it. */
typedef struct tpi_sim_mote {
    uint32_t id, group, type; /* as the file has them */
    bool has_temperature;
    double temperature; /* degrees Celsius */
    bool asleep;
} tpi_sim_mote;

tp_status tpi_sim_get_mote(const tpi_sim *sim, tpi_sim_model model, tpi_sim_mote *mote,
                           tp_error *err);
tp_status tpi_sim_set_mote_asleep(tpi_sim *sim, tpi_sim_model model, bool asleep, tp_error *err);

/* All of them, in the order of models; borrowed for the life of the world. */
uint32_t tpi_sim_list_motes(const tpi_sim *sim, const tpi_sim_model **motes);

/* How a station hears a node. */
typedef struct tpi_sim_route {
    tpi_sim_model mote;
    tpi_sim_model parent; /* the node that it reports through; TPI_SIM_NONE for the station */
    uint32_t hops;        /* 1 if it is heard directly */
    double level;         /* at the parent: from 0 at the end of its range to 1 */
} tpi_sim_route;

typedef struct tpi_sim_routes {
    tpi_sim_route items[TPI_SIM_MOST_NODES];
    uint32_t count;
    int64_t time_us;
} tpi_sim_routes;

tp_status tpi_sim_get_routes(const tpi_sim *sim, tpi_sim_model model, tpi_sim_routes *routes,
                             tp_error *err);

#endif
