/* files.c - finding and loading robot files; see files.h. */
#include "universal/host/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "platform/collection.h"

static const tpi_collection robots = {.what = "robot",
                                      .ending = ".xml",
                                      .kind = "robots",
                                      .variable = "TROUPE_ROBOT_PATH",
                                      .except = "classes.xml"};

/* ---- Finding ---- */

int tpi_files_in(tpi_buf *out, const char *folder)
{
    const size_t length = strlen(folder);
    tpi_buf names = {0};
    const int count = tpi_collection_names_in(&robots, folder, true, &names);
    const char *at = tpi_buf_text(&names);

    for (int i = 0; i < count && !names.failed; i++, at += strlen(at) + 1) {
        tpi_buf_printf(out, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/",
                       at);
        tpi_buf_putc(out, '\0');
    }
    tpi_buf_fini(&names);
    return count;
}

unsigned tpi_files_names(tpi_buf *out)
{
    return tpi_collection_names(&robots, false, out);
}

tp_status tpi_files_find(char path[TPI_MOST_PATH], const char *name, tp_error *err)
{
    return tpi_collection_find(&robots, name, path, TPI_MOST_PATH, err);
}

/* ---- Loading ---- */

tp_status tpi_files_vocabulary(tpi_vocabulary **out, tp_error *err)
{
    char path[TPI_MOST_PATH];
    tpi_buf text = {0};
    tp_status status;

    if (!tpi_collection_file(&robots, robots.except, path, sizeof path)) {
        return tp_fail(err, TP_E_UNKNOWN,
                       "classes.xml is not found; TROUPE_ROBOT_PATH names its folder");
    }
    status = tpi_file_read(&text, path, TPI_MOST_DOCUMENT, err);
    if (status == TP_OK) {
        status = tpi_vocabulary_read(out, tpi_buf_text(&text), text.length, path, err);
    }
    tpi_buf_fini(&text);
    return status;
}

/* A number that differs for other bytes (FNV-1a). */
static uint32_t mixed(uint32_t number, const tpi_buf *text)
{
    for (size_t i = 0; i < text->length; i++) {
        number = (number ^ (uint8_t)text->data[i]) * 16777619U;
    }
    return number;
}

static tp_status load_robot(tpi_loaded *out, tp_error *err)
{
    tp_status status = tpi_file_read(&out->text, out->path, TPI_MOST_DOCUMENT, err);

    if (status == TP_OK) {
        status = tpi_robotfile_read_all(&out->robot, tpi_buf_text(&out->text), out->text.length,
                                        out->path, out->vocabulary, out->mistakes, err);
    }
    out->revision = mixed(2166136261U, &out->text) | 1;
    return status;
}

static tp_status load_wiring(tpi_loaded *out, const char *wiring, tp_error *err)
{
    tpi_buf text = {0};
    tp_status status = TP_OK;

    if (wiring == NULL) {
        return tpi_wired_create(&out->wired, out->robot, NULL, 0, NULL, err);
    }
    out->wiring_path = malloc(strlen(wiring) + 1);
    if (out->wiring_path == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(out->wiring_path, wiring, strlen(wiring) + 1);
    status = tpi_file_read(&text, wiring, TPI_MOST_DOCUMENT, err);
    if (status == TP_OK) {
        status = tpi_wired_create(&out->wired, out->robot, tpi_buf_text(&text), text.length,
                                  out->wiring_path, err);
    }
    out->revision = mixed(out->revision, &text) | 1;
    tpi_buf_fini(&text);
    return status;
}

tp_status tpi_loaded_init(tpi_loaded *out, const char *name, const char *wiring, tp_error *err)
{
    tp_status status = tpi_files_find(out->path, name, err);

    if (status == TP_OK) {
        status = tpi_files_vocabulary(&out->vocabulary, err);
    }
    if (status == TP_OK) {
        status = load_robot(out, err);
    }
    return status == TP_OK ? load_wiring(out, wiring, err) : status;
}

void tpi_loaded_fini(tpi_loaded *loaded)
{
    tpi_wired_destroy(loaded->wired);
    tpi_robotfile_destroy(loaded->robot);
    tpi_vocabulary_destroy(loaded->vocabulary);
    free(loaded->wiring_path);
    tpi_buf_fini(&loaded->text);
    loaded->wired = NULL;
    loaded->robot = NULL;
    loaded->vocabulary = NULL;
    loaded->wiring_path = NULL;
}
