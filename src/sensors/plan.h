/* plan.h - from a manifest to the plan of the device side, and to a firmware. */
#ifndef TROUPE_SENSORS_PLAN_H
#define TROUPE_SENSORS_PLAN_H

#include "sensors/device.h"
#include "sensors/manifest.h"

/* Make the plan of a manifest; it lives in the manifest's arena. `manifest_length` is that of the
 * text that the sensor will send. NULL if memory ran out. */
const tpi_sensor_plan *tpi_sensor_plan_make(tpi_manifest *manifest, size_t manifest_length);

/* Append C source for a firmware: the plan as `tpi_sensor_firmware_plan`, and the text of the
 * manifest as `tpi_sensor_firmware_manifest`, in flash memory on an AVR. Comments and the blanks
 * between elements are left out of the text. */
void tpi_sensor_plan_put_code(const tpi_manifest *manifest, const tpi_sensor_plan *plan,
                              tpi_buf *out);

/* Append the text of a manifest without comments and without blanks between elements. */
void tpi_manifest_put_short(tpi_buf *out, const char *text, size_t length);

#endif
