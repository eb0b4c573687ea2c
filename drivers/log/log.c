/*
 * log - records devices into a ring of files, and plays recordings back as devices.
 *
 * A section with `requires` records these devices. A section without plays the devices of the file.
 * `writelog` and `readlog` are the same driver with the parameters of Player's drivers of these
 * names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log.h"

enum { MEGABYTE = 1000000 };

#define PLAY_PARAMS                                                                                \
    {"speed", "1", "1", "times as fast as it was recorded; 0: as fast as readers take it"},        \
        {"autoplay", "bool", "yes", "play when a device is opened"},                               \
    {                                                                                              \
        "autorewind", "bool", "no", "play again from the beginning at the end"                     \
    }

static const tp_param log_params[] = {
    {"filename", NULL, NULL, "the recording: .mcap, or Player's text format"},
    {"form", NULL, "xdr",
     "recording: xdr, which is small and fast, or json, which other tools show"},
    {"compression", NULL, "lz4", "recording: lz4, zstd or none"},
    {"max_size", "1", "100", "recording: megabytes of a file; then the next one begins"},
    {"max_files", "1", "4", "recording: files that are kept: run.mcap, run-1.mcap ..."},
    {"autorecord", "bool", "yes", "record when the server starts"},
    PLAY_PARAMS,
    {"from", "s", "0", "playing: begin here"},
    {"to", "s", "0", "playing: end here; 0 for the end"},
    {"times", NULL, "kept", "playing: kept, or shifted to the present"},
    {"lossless", "bool", "no", "playing: wait for readers that are slow"},
    {NULL, NULL, NULL, NULL},
};

static const tp_param writelog_params[] = {
    {"filename", NULL, "", "the file; default is basename, date and time, extension"},
    {"log_directory", NULL, "", "the folder of the file, which must exist"},
    {"timestamp_directory", "bool", "no", "date and time behind the name of the folder"},
    {"basename", NULL, "writelog_", "the beginning of the name"},
    {"timestamp", "bool", "yes", "date and time in the name"},
    {"extension", NULL, ".log", "the end of the name; .mcap makes an MCAP file"},
    {"autorecord", "bool", "yes", "record when the driver starts"},
    {"camera_log_images", "bool", "yes", "accepted; a text has no pictures"},
    {"camera_save_images", "bool", "no", "accepted; a text has no pictures"},
    {NULL, NULL, NULL, NULL},
};

static const tp_param readlog_params[] = {
    {"filename", NULL, NULL, "the recording: Player's text format, or .mcap"},
    PLAY_PARAMS,
    {NULL, NULL, NULL, NULL},
};

static bool has_param(const tp_instance *self, const char *name)
{
    const tp_param *param = tp_instance_driver(self)->params;

    while (param->name != NULL && strcmp(param->name, name) != 0) {
        param++;
    }
    return param->name != NULL;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static tp_status refuse(tp_instance *self, const char *param, const char *what, tp_error *err)
{
    tp_param_blame(self, param);
    return tp_fail(err, TP_E_RANGE, "%s \"%s\" is not %s", param, tp_param_string(self, param),
                   what);
}

/* A path from the folder of the configuration on. */
static void place(const tp_instance *self, char out[LOG_PATH], const char *name)
{
    (void)snprintf(out, LOG_PATH, "%s%s", name[0] == '/' ? "" : tp_instance_folder(self), name);
}

/* The name as Player's writelog makes it. */
static void name_file(const tp_instance *self, char out[LOG_PATH])
{
    const time_t now = (time_t)tp_clock_wall_s(tp_instance_clock(self));
    char stamp[32] = "", full[LOG_PATH];
    struct tm local;

    (void)localtime_r(&now, &local);
    (void)strftime(stamp, sizeof stamp, "%Y_%m_%d_%H_%M_%S", &local);
    const char *folder = tp_param_string(self, "log_directory");
    const char *given = tp_param_string(self, "filename");
    const bool dated = tp_param_bool(self, "timestamp_directory");
    int length = snprintf(full, sizeof full, "%.300s%s%s", folder, dated ? stamp : "",
                          folder[0] != '\0' || dated ? "/" : "");
    if (given[0] != '\0') {
        (void)snprintf(full + length, sizeof full - (size_t)length, "%.300s", given);
    } else {
        (void)snprintf(full + length, sizeof full - (size_t)length, "%.200s%s%.60s",
                       tp_param_string(self, "basename"),
                       tp_param_bool(self, "timestamp") ? stamp : "",
                       tp_param_string(self, "extension"));
    }
    place(self, out, full);
}

static tp_status read_ring(tp_instance *self, struct log_recording *r, tp_error *err)
{
    const char *form = tp_param_string(self, "form"),
               *packed = tp_param_string(self, "compression");
    const double size = tp_param_double(self, "max_size"),
                 files = tp_param_double(self, "max_files");

    if (strcmp(form, "xdr") != 0 && strcmp(form, "json") != 0) {
        return refuse(self, "form", "xdr or json", err);
    }
    r->form = strcmp(form, "json") == 0 ? TPI_LOG_JSON : TPI_LOG_XDR;
    r->compression = strcmp(packed, "none") == 0
                         ? TPI_MCAP_PLAIN
                         : tpi_mcap_compression_named(packed, strlen(packed));
    if (r->compression == TPI_MCAP_COMPRESSIONS || packed[0] == '\0') {
        return refuse(self, "compression", "lz4, zstd or none", err);
    }
    if (!(size >= 0.01 && size <= 1e6)) {
        return refuse(self, "max_size", "0.01 to 1000000", err);
    }
    if (!(files >= 1 && files <= 1000 && files == floor(files))) {
        return refuse(self, "max_files", "a whole number from 1 to 1000", err);
    }
    r->most_bytes = (uint64_t)(size * MEGABYTE);
    r->most_files = (unsigned)files;
    return TP_OK;
}

static void keep_folder(struct log_driver *d, const char *path)
{
    const char *slash = strrchr(path, '/');

    (void)snprintf(d->folder, sizeof d->folder, "%.*s", slash == NULL ? 0 : (int)(slash - path + 1),
                   path);
}

static tp_status init_recording(tp_instance *self, struct log_driver *d, tp_error *err)
{
    struct log_recording *r = &d->as.recording;
    tp_status status = TP_OK;

    d->starts = tp_param_bool(self, "autorecord");
    *r = (struct log_recording){.most_bytes = UINT64_MAX,
                                .most_files = 2, /* writelog keeps the one before */
                                .form = TPI_LOG_XDR,
                                .compression = TPI_MCAP_LZ4};
    if (has_param(self, "max_size")) {
        place(self, r->path, tp_param_string(self, "filename"));
        status = read_ring(self, r, err);
        if (d->starts) {
            tp_instance_stay_on(self);
        }
    } else {
        name_file(self, r->path);
    }
    r->is_text = tpi_log_is_text(r->path);
    keep_folder(d, r->path);
    tp_instance_set_period(self, TP_NS_PER_S);
    return status == TP_OK ? tpi_recording_init(r, self, err) : status;
}

static tp_status read_playing(tp_instance *self, struct log_playing *p, tp_error *err)
{
    p->speed = tp_param_double(self, "speed");
    p->loops = tp_param_bool(self, "autorewind");
    if (!(p->speed >= 0 && p->speed <= 1e6)) {
        return refuse(self, "speed", "0 to 1000000", err);
    }
    if (!has_param(self, "from")) {
        return TP_OK;
    }
    const double from = tp_param_double(self, "from"), to = tp_param_double(self, "to");
    const char *times = tp_param_string(self, "times");
    if (!(from >= 0 && from < 1e9)) {
        return refuse(self, "from", "a time", err);
    }
    if (!(to >= 0 && to < 1e9) || (to > 0 && to < from)) {
        return refuse(self, "to", "0 or a time behind `from`", err);
    }
    if (strcmp(times, "kept") != 0 && strcmp(times, "shifted") != 0) {
        return refuse(self, "times", "kept or shifted", err);
    }
    p->from_ns = (uint64_t)(from * 1e9);
    p->to_ns = (uint64_t)(to * 1e9);
    p->shifts = strcmp(times, "shifted") == 0;
    p->waits = tp_param_bool(self, "lossless");
    return TP_OK;
}

static tp_status init_playing(tp_instance *self, struct log_driver *d, tp_error *err)
{
    struct log_playing *p = &d->as.playing;

    d->plays = true;
    d->starts = tp_param_bool(self, "autoplay");
    p->instance = self;
    tp_status status = read_playing(self, p, err);
    if (status == TP_OK) {
        place(self, p->path, tp_param_string(self, "filename"));
        keep_folder(d, p->path);
        tp_param_blame(self, "filename");
        if (!tp_provides(self, &tp_interface_recordings, NULL) || tpi_log_exists(p->path)) {
            status = tpi_playing_init(p, self, err);
        }
    }
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status offer(tp_instance *self, struct log_driver *d, size_t i, tp_error *err)
{
    if (tp_provides_interface(self, i) == &tp_interface_log) {
        return d->control != NULL
                   ? tp_fail(err, TP_E_EXISTS, "one log device is enough")
                   : tp_offer_at(self, i, &tpi_log_control_ops, NULL, &d->control, err);
    }
    if (tp_provides_interface(self, i) == &tp_interface_recordings) {
        return tpi_shelf_offer(d, self, i, err);
    }
    return d->plays
               ? tpi_playing_offer(&d->as.playing, i, err)
               : tp_fail(err, TP_E_UNSUPPORTED,
                         "a section with `requires` records; it offers log and recordings only");
}

static tp_status log_init(tp_instance *self, tp_error *err)
{
    struct log_driver *d = tp_instance_state(self);
    const bool records = tp_requires_count(self) > 0;

    if (records && !has_param(self, "autorecord")) {
        return tp_fail(err, TP_E_INVALID, "readlog requires no devices");
    }
    if (!records && !has_param(self, "autoplay")) {
        return tp_fail(err, TP_E_INVALID, "writelog needs `requires`: the devices to record");
    }
    tp_status status = records ? init_recording(self, d, err) : init_playing(self, d, err);
    for (size_t i = 0; i < tp_provides_count(self) && status == TP_OK; i++) {
        status = offer(self, d, i, err);
    }
    if (status == TP_OK && tp_provides_count(self) == 0 && d->plays) {
        status = tpi_playing_offer_all(&d->as.playing, err);
        if (status == TP_OK) {
            status = tp_offer_more(self, &tp_interface_log, 0, &tpi_log_control_ops, NULL,
                                   &d->control, err);
        }
        status = status == TP_OK ? tpi_shelf_offer(d, self, LOG_MORE, err) : status;
    }
    return status == TP_OK ? tpi_log_add_properties(d, err) : status;
}

static tp_status log_start(tp_instance *self, tp_error *err)
{
    struct log_driver *d = tp_instance_state(self);
    tp_status status = TP_OK;

    if (d->plays) {
        struct log_playing *p = &d->as.playing;

        tpi_playing_set_speed(p, p->speed);
        status = tpi_playing_go(p, (double)p->from_ns * 1e-9, err);
        if (status == TP_OK) {
            tpi_playing_set(p, d->starts);
            p->awaits_reader = d->starts;
        }
    } else {
        tpi_recording_ask(&d->as.recording);
        status = d->starts ? tpi_recording_begin(&d->as.recording, err) : TP_OK;
    }
    tpi_log_show(d);
    return status;
}

static tp_status log_poll(tp_instance *self, tp_error *err)
{
    struct log_driver *d = tp_instance_state(self);
    tp_status status = TP_OK;

    if (d->plays) {
        status = tpi_playing_poll(&d->as.playing, err);
    } else {
        tpi_recording_flush(&d->as.recording);
    }
    tpi_log_show(d);
    return status;
}

static void log_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    struct log_driver *d = tp_instance_state(self);

    tpi_recording_data(&d->as.recording, from, msg);
}

static void log_halt(tp_device *device, tp_halt how)
{
    (void)device; /* what was recorded moves nothing */
    (void)how;
}

static void log_stop(tp_instance *self)
{
    struct log_driver *d = tp_instance_state(self);
    tp_error err = {.text = ""};

    if (d->plays) {
        tpi_playing_set(&d->as.playing, false);
    } else if (tpi_recording_end(&d->as.recording, &err) != TP_OK) {
        tp_instance_note(self, err.text);
    }
}

static void log_fini(tp_instance *self)
{
    struct log_driver *d = tp_instance_state(self);

    if (d->plays) {
        tpi_playing_fini(&d->as.playing);
    } else {
        tpi_recording_fini(&d->as.recording);
    }
    tpi_shelf_fini(d);
}

static const tp_driver_ops log_ops = {
    .init = log_init,
    .start = log_start,
    .poll = log_poll,
    .data = log_data,
    .halt = log_halt,
    .stop = log_stop,
    .fini = log_fini,
};

TP_API const tp_driver tp_driver_log = {
    .abi = TP_DRIVER_ABI,
    .name = "log",
    .summary = "records devices into a ring of files, or plays a recording back as devices",
    .state_size = sizeof(struct log_driver),
    .params = log_params,
    .ops = &log_ops,
    .flags = TP_DRIVER_OFFERS_ALL,
};

TP_API const tp_driver tp_driver_writelog = {
    .abi = TP_DRIVER_ABI,
    .name = "writelog",
    .summary = "records devices in Player's text format, as Player's writelog does",
    .state_size = sizeof(struct log_driver),
    .params = writelog_params,
    .ops = &log_ops,
    .flags = TP_DRIVER_OFFERS_ALL,
};

TP_API const tp_driver tp_driver_readlog = {
    .abi = TP_DRIVER_ABI,
    .name = "readlog",
    .summary = "plays a recording in Player's text format back, as Player's readlog does",
    .state_size = sizeof(struct log_driver),
    .params = readlog_params,
    .ops = &log_ops,
    .flags = TP_DRIVER_OFFERS_ALL,
};
