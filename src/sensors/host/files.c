/* files.c - finding and reading manifests; see files.h. */
#include "sensors/host/files.h"

#include "base/file.h"
#include "platform/collection.h"

static const tpi_collection sensors = {
    .what = "sensor", .ending = ".xml", .kind = "sensors", .variable = "TROUPE_SENSOR_PATH"};

unsigned tpi_sensor_files_names(tpi_buf *out)
{
    return tpi_collection_names(&sensors, false, out);
}

tp_status tpi_sensor_files_find(char path[TPI_MOST_SENSOR_PATH], const char *name, tp_error *err)
{
    return tpi_collection_find(&sensors, name, path, TPI_MOST_SENSOR_PATH, err);
}

tp_status tpi_sensor_files_read(tpi_manifest **out, tpi_buf *text, const char *name,
                                tpi_mistakes *mistakes, tp_error *err)
{
    char path[TPI_MOST_SENSOR_PATH];
    tpi_buf own = {0};
    tp_status status = tpi_sensor_files_find(path, name, err);

    if (status == TP_OK) {
        status = tpi_file_read(&own, path, TPI_MOST_MANIFEST, err);
    }
    if (status == TP_OK) {
        status = tpi_manifest_read(out, tpi_buf_text(&own), own.length, path, mistakes, err);
    }
    if (status == TP_OK && text != NULL) {
        tpi_buf_put(text, own.data, own.length);
    }
    tpi_buf_fini(&own);
    return status;
}
