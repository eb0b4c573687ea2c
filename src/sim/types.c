/* types.c - the kinds of models there are. Those with files of their own are listed only. */
#include <string.h>

#include "sim/sense.h"

static const char *const camera_properties[] = {"resolution", "range", "fov", "pantilt", NULL};

#define RED 0xff0000ffu
#define USUAL                                                                                      \
    {                                                                                              \
        0.4, 0.4, 1.0                                                                              \
    }

static const tpi_sim_type plain = {
    .kind = TPI_SIM_PLAIN, .name = "model", .size = USUAL, .colour = RED};

const tpi_sim_type tpi_sim_type_camera = {.kind = TPI_SIM_CAMERA,
                                          .name = "camera",
                                          .size = {0.1, 0.07, 0.05},
                                          .colour = 0x000000ff,
                                          .properties = camera_properties};

#define LATER(name_, kind_)                                                                        \
    static const tpi_sim_type sim_##name_ = {                                                      \
        .kind = kind_, .name = #name_, .size = USUAL, .colour = RED, .bodiless = true}
LATER(light, TPI_SIM_LIGHT);
LATER(lightsensor, TPI_SIM_LIGHT_SENSOR);
LATER(floor, TPI_SIM_FLOOR);
LATER(floorsensor, TPI_SIM_FLOOR_SENSOR);
LATER(sound, TPI_SIM_SOUND);
LATER(microphone, TPI_SIM_MICROPHONE);
LATER(wifi, TPI_SIM_WIFI);
LATER(gps, TPI_SIM_GPS);
LATER(imu, TPI_SIM_IMU);
LATER(compass, TPI_SIM_COMPASS);

const tpi_sim_type *const tpi_sim_types[TPI_SIM_KINDS] = {
    [TPI_SIM_PLAIN] = &plain,
    [TPI_SIM_POSITION] = &tpi_sim_type_position,
    [TPI_SIM_RANGER] = &tpi_sim_type_ranger,
    [TPI_SIM_FIDUCIAL] = &tpi_sim_type_fiducial,
    [TPI_SIM_BLOBFINDER] = &tpi_sim_type_blobfinder,
    [TPI_SIM_BUMPER] = &tpi_sim_type_bumper,
    [TPI_SIM_GRIPPER] = &tpi_sim_type_gripper,
    [TPI_SIM_ACTUATOR] = &tpi_sim_type_actuator,
    [TPI_SIM_CAMERA] = &tpi_sim_type_camera,
    [TPI_SIM_BLINKENLIGHT] = &tpi_sim_type_blinkenlight,
    [TPI_SIM_LIGHTINDICATOR] = &tpi_sim_type_lightindicator,
    [TPI_SIM_LIGHT] = &sim_light,
    [TPI_SIM_LIGHT_SENSOR] = &sim_lightsensor,
    [TPI_SIM_FLOOR] = &sim_floor,
    [TPI_SIM_FLOOR_SENSOR] = &sim_floorsensor,
    [TPI_SIM_SOUND] = &sim_sound,
    [TPI_SIM_MICROPHONE] = &sim_microphone,
    [TPI_SIM_BUTTON] = &tpi_sim_type_button,
    [TPI_SIM_WIFI] = &sim_wifi,
    [TPI_SIM_GPS] = &sim_gps,
    [TPI_SIM_IMU] = &sim_imu,
    [TPI_SIM_COMPASS] = &sim_compass,
};

const tpi_sim_type *tpi_sim_type_find(const char *name)
{
    for (int i = 0; i < TPI_SIM_KINDS; i++) {
        if (strcmp(tpi_sim_types[i]->name, name) == 0) {
            return tpi_sim_types[i];
        }
    }
    return NULL;
}
