/*
 * files.h - finding and reading the manifests of sensors.
 *
 * A manifest is named as in `troupe sensors`: a path (with a / or the ending .xml), or the name of
 * a file in the folders of TROUPE_SENSOR_PATH or in those that come with Troupe. Only this folder
 * of src/sensors sees the operating system.
 */
#ifndef TROUPE_SENSORS_HOST_FILES_H
#define TROUPE_SENSORS_HOST_FILES_H

#include "sensors/manifest.h"

enum { TPI_MOST_SENSOR_PATH = 1024 };

/* Append the names of all manifests in the known folders, sorted, each with a NUL behind it. How
 * many there are. */
unsigned tpi_sensor_files_names(tpi_buf *out);

/* The path of a manifest. TP_E_UNKNOWN, with the nearest name, if there is none. */
tp_status tpi_sensor_files_find(char path[TPI_MOST_SENSOR_PATH], const char *name, tp_error *err);

/* Find and read a manifest; its text is appended to `text`, which may be NULL. */
tp_status tpi_sensor_files_read(tpi_manifest **out, tpi_buf *text, const char *name,
                                tpi_mistakes *mistakes, tp_error *err);

#endif
