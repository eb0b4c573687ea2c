/* files.c - names and bytes of recordings; see log.h. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "log.h"

tp_status tpi_log_to_file(void *context, const void *bytes, size_t length, tp_error *err)
{
    FILE *file = context;

    if (fwrite(bytes, 1, length, file) != length || fflush(file) != 0) {
        return tp_fail(err, TP_E_IO, "%s", strerror(errno));
    }
    return TP_OK;
}

static tp_status read_at(void *context, uint64_t at, void *bytes, size_t length, tp_error *err)
{
    FILE *file = context;

    if (fseeko(file, (off_t)at, SEEK_SET) != 0 || fread(bytes, 1, length, file) != length) {
        return tp_fail(err, TP_E_IO, "cannot read %zu bytes at byte %llu", length,
                       (unsigned long long)at);
    }
    return TP_OK;
}

tp_status tpi_log_from_file(tpi_log_source *source, FILE *file, tp_error *err)
{
    const off_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;

    *source = (tpi_log_source){.context = file, .size = (uint64_t)size, .read = read_at};
    return size >= 0 ? TP_OK : tp_fail(err, TP_E_IO, "not a regular file");
}

bool tpi_log_is_text(const char *path)
{
    const size_t length = strlen(path);

    return length < 5 || strcmp(path + length - 5, ".mcap") != 0;
}

void tpi_log_ring_name(char out[LOG_PATH], const char *path, unsigned i)
{
    const char *slash = strrchr(path, '/');
    const char *ending = strrchr(slash == NULL ? path : slash, '.');
    const size_t stem = ending == NULL ? strlen(path) : (size_t)(ending - path);

    if (i == 0) {
        (void)snprintf(out, LOG_PATH, "%s", path);
    } else {
        (void)snprintf(out, LOG_PATH, "%.*s-%u%s", (int)stem, path, i, path + stem);
    }
}

/* What is at a path: only recordings are moved and removed. */
enum found { NOTHING, EMPTY, RECORDING, OTHER };

static enum found look_at(const char *path)
{
    static const char text[] = "## Player";
    char begin[sizeof text] = "";
    FILE *file = NULL;

    if (strcmp(path, "/dev/null") == 0) {
        return EMPTY; /* for recordings that nobody wants */
    }
    if (tpi_file_open(&file, path, NULL) != TP_OK) {
        return tpi_file_exists(path) ? OTHER : NOTHING;
    }
    const size_t length = fread(begin, 1, sizeof begin - 1, file);
    const bool failed = ferror(file) != 0; /* a folder, for example */
    (void)fclose(file);
    if (length == 0) {
        return failed ? OTHER : EMPTY;
    }
    return memcmp(begin, tpi_mcap_magic, TPI_MCAP_MAGIC_LENGTH) == 0 ||
                   memcmp(begin, text, sizeof text - 1) == 0
               ? RECORDING
               : OTHER;
}

bool tpi_log_exists(const char *path)
{
    return look_at(path) != NOTHING;
}

bool tpi_log_is_recording(const char *path)
{
    return look_at(path) == RECORDING;
}

bool tpi_log_is_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

tp_status tpi_log_ring_turn(const char *path, unsigned count, tp_error *err)
{
    char from[LOG_PATH], to[LOG_PATH];

    if (look_at(path) == NOTHING || look_at(path) == EMPTY) {
        return TP_OK; /* nothing is in the way */
    }
    for (unsigned i = 0; i < count; i++) {
        tpi_log_ring_name(from, path, i);
        if (look_at(from) == OTHER) {
            return tp_fail(err, TP_E_EXISTS, "%.90s is no recording, and stays", from);
        }
    }
    tpi_log_ring_name(to, path, count - 1);
    if (look_at(to) == RECORDING && remove(to) != 0) {
        return tp_fail(err, TP_E_IO, "%.90s: %s", to, strerror(errno));
    }
    for (unsigned i = count - 1; i > 0; i--) {
        tpi_log_ring_name(from, path, i - 1);
        tpi_log_ring_name(to, path, i);
        if (look_at(from) == RECORDING && rename(from, to) != 0) {
            return tp_fail(err, TP_E_IO, "%.90s: %s", from, strerror(errno));
        }
    }
    return TP_OK;
}
