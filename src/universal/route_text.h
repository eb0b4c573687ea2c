/* route_text.h - how a command is done with a part, as a text for people. */
#ifndef TROUPE_UNIVERSAL_ROUTE_TEXT_H
#define TROUPE_UNIVERSAL_ROUTE_TEXT_H

#include "base/buf.h"
#include "universal/wired.h"

/* Append lines like "ReadDigital: conversion, ReadAnalog: direct, line 88 of the robot file", and
 * how each result is computed. The part must exist. */
void tpi_route_text(tpi_buf *out, const tpi_wired *wired, tpi_command command, int part);

#endif
