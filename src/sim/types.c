/* types.c - the kinds of models there are. Those with files of their own are listed only. */
#include <string.h>

#include "sim/sense/sense.h"

#define RED 0xff0000ffu
#define USUAL                                                                                      \
    {                                                                                              \
        0.4, 0.4, 1.0                                                                              \
    }

static const tpi_sim_type plain = {
    .kind = TPI_SIM_PLAIN, .name = "model", .size = USUAL, .colour = RED};

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
    [TPI_SIM_LIGHT] = &tpi_sim_type_light,
    [TPI_SIM_LIGHT_SENSOR] = &tpi_sim_type_light_sensor,
    [TPI_SIM_FLOOR] = &tpi_sim_type_floor,
    [TPI_SIM_FLOOR_SENSOR] = &tpi_sim_type_floor_sensor,
    [TPI_SIM_SOUND] = &tpi_sim_type_sound,
    [TPI_SIM_MICROPHONE] = &tpi_sim_type_microphone,
    [TPI_SIM_BUTTON] = &tpi_sim_type_button,
    [TPI_SIM_WIFI] = &tpi_sim_type_wifi,
    [TPI_SIM_GPS] = &tpi_sim_type_gps,
    [TPI_SIM_IMU] = &tpi_sim_type_imu,
    [TPI_SIM_COMPASS] = &tpi_sim_type_compass,
    [TPI_SIM_AIRCRAFT] = &tpi_sim_type_aircraft,
    [TPI_SIM_EFFECTOR] = &tpi_sim_type_effector,
    [TPI_SIM_RFID_TAG] = &tpi_sim_type_rfid_tag,
    [TPI_SIM_RFID_READER] = &tpi_sim_type_rfid_reader,
    [TPI_SIM_MOTE] = &tpi_sim_type_mote,
    [TPI_SIM_BASE_STATION] = &tpi_sim_type_base_station,
    [TPI_SIM_STEREO] = &tpi_sim_type_stereo,
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
