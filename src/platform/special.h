/*
 * special.h - files that are devices: file:/dev/input/js0, a character device or a pipe with a
 * name, read and, where that is allowed, written as it is.
 */
#ifndef TROUPE_PLATFORM_SPECIAL_H
#define TROUPE_PLATFORM_SPECIAL_H

#include "platform/line.h"

extern const tp_scheme tpi_scheme_file;

#endif
