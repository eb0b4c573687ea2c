/*
 * universal_puppet.h - a device of the interface `universal` that moves the motor of a stage, for
 * the suite of fronts.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_UNIVERSAL_PUPPET_H
#define TROUPE_TESTS_CONFORMANCE_UNIVERSAL_PUPPET_H

#include "conformance/front_scene.h"

extern const tp_driver universal_puppet;

#endif
