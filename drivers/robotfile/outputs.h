/* outputs.h - the operations of devices that write; see outputs.c. */
#ifndef TROUPE_DRIVERS_ROBOTFILE_OUTPUTS_H
#define TROUPE_DRIVERS_ROBOTFILE_OUTPUTS_H

#include "robotfile.h"
#include "troupe/driver/actarray.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/blinkenlight.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/speech.h"

extern const tp_dio_ops tpi_robotfile_dio_ops;
extern const tp_aio_ops tpi_robotfile_aio_ops;
extern const tp_blinkenlight_ops tpi_robotfile_light_ops;
extern const tp_speech_ops tpi_robotfile_speech_ops;
extern const tp_actarray_ops tpi_robotfile_joint_ops;

#endif
