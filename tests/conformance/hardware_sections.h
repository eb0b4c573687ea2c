/*
 * hardware_sections.h - sections of the drivers that have a line to hardware.
 */
#ifndef TROUPE_TESTS_CONFORMANCE_HARDWARE_SECTIONS_H
#define TROUPE_TESTS_CONFORMANCE_HARDWARE_SECTIONS_H

#include "conformance/driver_suite.h"

extern const suite_driver hardware_sections[];
extern const size_t hardware_section_count;

#endif
