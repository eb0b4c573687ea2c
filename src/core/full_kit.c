/* full_kit.c - all drivers, fronts and kinds of lines, and servers in the program. BUILTIN_DRIVERS
 * and OPTIONAL_FRONTS come from meson.build: X(fake) ..., Y(web) ... */
#include "client/learn.h"
#include "emulate/host/line.h"
#include "loop/can_line.h"
#include "loop/run_line.h"
#include "loop/socket_line.h"
#include "platform/hid.h"
#include "platform/special.h"
#include "platform/video.h"
#include "sensors/host/line.h"
#include "troupe/server.h"

#define X(name) extern const tp_driver tp_driver_##name;
BUILTIN_DRIVERS
#undef X
extern const tp_front tp_front_motion;
extern const tp_front tp_front_universal;
extern const tp_front tp_front_player;
#define Y(name) extern const tp_front tp_front_##name;
OPTIONAL_FRONTS
#undef Y

#define X(name) &tp_driver_##name,
static const tp_driver *const drivers[] = {BUILTIN_DRIVERS NULL};
#undef X

#define Y(name) &tp_front_##name,
static const tp_front *const fronts[] = {&tp_front_player, &tp_front_motion, &tp_front_universal,
                                         OPTIONAL_FRONTS NULL};
#undef Y

static const tp_scheme *const schemes[] = {&tpi_scheme_tcp,
                                           &tpi_scheme_unix,
                                           &tpi_scheme_udp,
                                           &tpi_scheme_can,
                                           &tpi_scheme_hid,
                                           &tpi_scheme_file,
                                           &tpi_scheme_video,
                                           &tpi_scheme_run,
                                           &tpi_scheme_emulate,
                                           &tpi_scheme_sensor,
                                           NULL};

const tp_kit tp_full_kit = {
    .drivers = drivers,
    .fronts = fronts,
    .schemes = schemes,
    .inproc = &tp_inproc,
    .learn = tpi_learn_from,
};
