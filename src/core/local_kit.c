/* local_kit.c - all drivers that need no network. LOCAL_DRIVERS comes from meson.build: X(fake) ...
 */
#include "emulate/host/line.h"
#include "platform/hid.h"
#include "platform/special.h"
#include "platform/video.h"
#include "sensors/host/line.h"
#include "troupe/server.h"

#define X(name) extern const tp_driver tp_driver_##name;
LOCAL_DRIVERS
#undef X

#define X(name) &tp_driver_##name,
static const tp_driver *const drivers[] = {LOCAL_DRIVERS NULL};
#undef X

static const tp_front *const fronts[] = {NULL};

static const tp_scheme *const schemes[] = {&tpi_scheme_hid,    &tpi_scheme_file,
                                           &tpi_scheme_video,  &tpi_scheme_emulate,
                                           &tpi_scheme_sensor, NULL};

const tp_kit tp_local_kit = {.drivers = drivers, .fronts = fronts, .schemes = schemes};
