/* scene.h - what the files that draw a world share. */
#ifndef TROUPE_SIM_DRAW_SCENE_H
#define TROUPE_SIM_DRAW_SCENE_H

#include "sim/draw/pen.h"

/* What a picture is painted with, all 0xRRGGBBAA. */
struct draw_palette {
    uint32_t ground, grid, grid_heavy;
    uint32_t shadow;
    uint32_t ink; /* letters, scale bar */
    double glow;  /* how strong scans are */
    double light; /* how strong lamps are */
    double floor; /* how bright pictures on the floor are */
    bool is_dark; /* the ground is */
};

enum { DRAW_MOST_NAMES = 40 }; /* of more robots than this, names would be noise */
enum { DRAW_CROWD = 24 };      /* more rangers or robots than this are drawn fainter */

struct draw_scene {
    struct draw_pen *pen;               /* borrowed */
    const struct draw_view *view;       /* borrowed */
    const tpi_sim *sim;                 /* borrowed */
    const struct draw_palette *palette; /* borrowed */
    struct draw_path path;              /* used by everybody in turn */
    uint32_t robots, rangers;           /* how many there are; of many, each is drawn fainter */
    uint32_t lights;                    /* that stand by themselves */
    bool failed;                        /* memory ran out */
};

/* The same colour, less of it. */
static inline uint32_t draw_faint(uint32_t colour, double share)
{
    return (colour & 0xffffff00u) | (uint32_t)((colour & 255) * share + 0.5);
}

/* The least radius of a robot, in pixels; of a few, each can be larger. */
static inline double draw_least_spot(const struct draw_scene *scene)
{
    return scene->robots > DRAW_MOST_NAMES || scene->view->width < 400 ? 2.6 : 4;
}

/* How far the symbol of a lamp reaches from its middle, in pixels. */
static inline double draw_lamp_size(const struct draw_scene *scene)
{
    return 2.4 * draw_least_spot(scene);
}

/* Corner number k of a tree, in the picture. */
struct draw_point tpi_draw_corner(const struct draw_scene *scene, uint32_t tree, uint32_t k);

/* Between two colours; the share is that of the second. The first one's transparency stays. */
uint32_t tpi_draw_mix(uint32_t from, uint32_t to, double share);

/* How bright it looks, 0 to 1. */
double tpi_draw_brightness(uint32_t colour);

/* The ink that can be read on a ground. */
uint32_t tpi_draw_ink_on(uint32_t ground);

/* The colour of a model as it is drawn in this scene; see tpi_sim_look_colour(). */
uint32_t tpi_draw_scene_colour(const struct draw_scene *scene, tpi_sim_model model);

/* The usual one, or one that suits the floor of the world. */
struct draw_palette tpi_draw_palette(const tpi_sim *sim, const tpi_draw_look *look);

/* body.c */
void tpi_draw_bodies(struct draw_scene *scene);

/* floor.c */
void tpi_draw_floors(struct draw_scene *scene);

/* light.c */
void tpi_draw_lights(struct draw_scene *scene);
void tpi_draw_lamps(struct draw_scene *scene); /* where they are */

/* mark.c: what is small and has no body */
void tpi_draw_marks(struct draw_scene *scene);

/* scan.c */
void tpi_draw_scans(struct draw_scene *scene);

/* label.c */
void tpi_draw_names(struct draw_scene *scene);
void tpi_draw_scale_bar(struct draw_scene *scene);

/* sketch.c */
void tpi_draw_sketches(struct draw_scene *scene);

/* trail.c */
void tpi_draw_trails_show(struct draw_scene *scene, const tpi_draw_trails *trails);

#endif
