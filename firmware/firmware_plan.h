/* firmware_plan.h - what `troupe sensors code` writes for a firmware. */
#ifndef TROUPE_FIRMWARE_PLAN_H
#define TROUPE_FIRMWARE_PLAN_H

#include <avr/pgmspace.h>

#include "sensors/device.h"

#define TPI_SENSOR_FLASH PROGMEM

extern const char tpi_sensor_firmware_manifest[];
extern const tpi_sensor_plan tpi_sensor_firmware_plan;

#endif
