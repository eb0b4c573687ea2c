/* scene.c - what a world file says of the world around all models. */
#include "sim/maths.h"
#include "sim/world/world.h"

const char *const tpi_sim_scene_properties[] = {
    "floor_color", "sky_color", "ambient_light", "gps_origin", "north", NULL,
};

static tp_status read_colour(struct sim_reader *reader, tpi_cfg_section *root, const char *name,
                             uint32_t *colour)
{
    const char *text = NULL;
    tp_status status = tpi_sim_read_text(reader, root, name, &text);

    if (status == TP_OK && text != NULL) {
        tpi_sim_name_colour(reader, &tpi_cfg_find(root, name)->place, text, colour);
    }
    return status;
}

static tp_status read_origin(struct sim_reader *reader, tpi_cfg_section *root, double origin[3])
{
    tp_status status = tpi_sim_read_tuple(reader, root, "gps_origin", "FFF", 2, origin);

    if (status == TP_OK && !(origin[0] >= -80 && origin[0] <= 84 && origin[1] >= -180 &&
                             origin[1] <= 180 && origin[2] >= -1e5 && origin[2] <= 1e5)) {
        return tpi_cfg_fail(&tpi_cfg_find(root, "gps_origin")->place, reader->err,
                            "\"gps_origin\" is a latitude from -80 to 84, a longitude from -180 to "
                            "180 and an altitude");
    }
    return status;
}

/* Stage's window: the size of pictures. A size that no picture can have is none. */
static void read_window(tpi_cfg_section *root, uint32_t window[2])
{
    enum { LEAST = 100, MOST = 4000 };

    for (uint32_t i = 0; i < root->section_count; i++) {
        const tpi_cfg_field *size = tpi_sim_is_window(root->sections[i]->type)
                                        ? tpi_cfg_find(root->sections[i], "size")
                                        : NULL;
        if (size == NULL || size->value_count != 2) {
            continue;
        }
        const double width = size->values[0].number;
        const double height = size->values[1].number;
        if (width >= LEAST && width <= MOST && height >= LEAST && height <= MOST) {
            window[0] = (uint32_t)width;
            window[1] = (uint32_t)height;
        }
    }
}

tp_status tpi_sim_load_scene(struct sim_loader *loader, tpi_cfg_section *root)
{
    struct sim_scene *scene = &loader->sim->scene;
    struct sim_reader *reader = &loader->reader;
    tp_status status;

    *scene = (struct sim_scene){.floor = 0xffffffff, .sky = 0xb0d8f0ff, .north = SIM_PI / 2};
    read_window(root, scene->window);
    status = read_colour(reader, root, "floor_color", &scene->floor);
    if (status == TP_OK) {
        status = read_colour(reader, root, "sky_color", &scene->sky);
    }
    if (status == TP_OK) {
        status = tpi_sim_read_within(reader, root, "ambient_light", 'F', 0, 1e9, &scene->ambient);
    }
    if (status == TP_OK) {
        status = read_origin(reader, root, scene->origin);
    }
    if (status == TP_OK) {
        status =
            tpi_sim_read_within(reader, root, "north", 'A', -2 * SIM_PI, 2 * SIM_PI, &scene->north);
    }
    return status;
}
