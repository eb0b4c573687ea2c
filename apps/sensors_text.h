/* sensors_text.h - manifests of sensors as text for people. */
#ifndef TROUPE_APPS_SENSORS_TEXT_H
#define TROUPE_APPS_SENSORS_TEXT_H

#include "base/buf.h"
#include "sensors/manifest.h"

/* Append everything that a manifest says. */
void sensors_put(tpi_buf *out, const tpi_manifest *manifest);

/* Append what its channels measure, in short: "Light (%), Touch". */
void sensors_put_short(tpi_buf *out, const tpi_manifest *manifest);

#endif
