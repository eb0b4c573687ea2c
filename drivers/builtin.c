/* builtin.c - the drivers that are linked in. BUILTIN_DRIVERS comes from meson.build: X(fake) ...
 */
#include "troupe/server.h"

#define X(name) extern const tp_driver tp_driver_##name;
BUILTIN_DRIVERS
#undef X

const tp_driver *tp_builtin_driver(size_t i)
{
#define X(name) &tp_driver_##name,
    static const tp_driver *const drivers[] = {BUILTIN_DRIVERS};
#undef X

    return i < sizeof drivers / sizeof drivers[0] ? drivers[i] : NULL;
}
