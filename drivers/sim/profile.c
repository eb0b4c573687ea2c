/* profile.c - see profile.h. The numbers are those of the makers' manuals. */
#include "profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"
#include "troupe/interfaces/ranger.h"

#define DEGREE (SIMD_PI / 180)

static const simd_profile profiles[] = {
    /* SICK LMS 200: 180 degrees, here with a resolution of 1 mm, in which it reaches 8.19 m. */
    {
        .name = "lms200",
        .interfaces = {&tp_interface_laser, &tp_interface_ranger, NULL},
        .range_max = 8.191,
        .range_res = 0.001,
        .none = (double)NAN,
        .resolutions = {0.25 * DEGREE, 0.5 * DEGREE, 1 * DEGREE, 0},
    },
    /* Pioneers and other robots with P2OS: two driven wheels. */
    {
        .name = "p2os",
        .interfaces = {&tp_interface_position2d, NULL},
        .forward_mps = 1.2,
        .turn_radps = 300 * DEGREE,
        .no_sideways = true,
        .has_pid = true,
    },
    /* Hokuyo URG-04LX: 240 degrees, 5.6 m; what it does not see reads as 0. */
    {
        .name = "urg",
        .interfaces = {&tp_interface_laser, &tp_interface_ranger, NULL},
        .range_max = 5.6,
        .range_res = 0.001,
        .none = 0,
    },
};

enum { PROFILES = sizeof profiles / sizeof profiles[0] };

static const simd_profile *find(const char *name)
{
    for (size_t i = 0; i < PROFILES; i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return &profiles[i];
        }
    }
    return NULL;
}

/* Whether a device of the section has become what its profile says. */
static bool is_used(const simd *s, size_t section)
{
    for (size_t i = 0; i < s->device_count; i++) {
        if (s->devices[i]->section == section && s->devices[i]->profile != NULL) {
            return true;
        }
    }
    return false;
}

void tpi_simd_profile_tell(const simd *s)
{
    char text[128];

    for (size_t i = 0; i < tp_section_count(s->instance); i++) {
        const char *name = tp_section_string(s->instance, i, "profile");
        if (name[0] != '\0' && !is_used(s, i)) {
            snprintf(text, sizeof text, "the profile \"%.40s\" is for no device of its section",
                     name);
            tpi_simd_note(s, text);
        }
    }
}

static tp_status fail_unknown(const char *name, tp_error *err)
{
    tpi_buf known = {0};

    for (size_t i = 0; i < PROFILES; i++) {
        const char *before = i == 0 ? "" : i + 1 == PROFILES ? " and " : ", ";
        tpi_buf_printf(&known, "%s%s", before, profiles[i].name);
    }
    tp_fail(err, TP_E_UNKNOWN, "there is no profile \"%s\": there are %s", name,
            tpi_buf_text(&known));
    tpi_buf_fini(&known);
    return TP_E_UNKNOWN;
}

tp_status tpi_simd_profile_choose(simd_device *d, tp_error *err)
{
    const char *name = tp_section_string(d->owner->instance, d->section, "profile");
    const simd_profile *profile = find(name);

    if (name[0] == '\0') {
        return TP_OK;
    }
    if (profile == NULL) {
        return fail_unknown(name, err);
    }
    for (size_t i = 0; profile->interfaces[i] != NULL; i++) {
        if (profile->interfaces[i] == d->kind->interface) {
            d->profile = profile;
        }
    }
    return TP_OK;
}
