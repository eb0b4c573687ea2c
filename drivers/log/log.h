/*
 * log.h - what the files of the driver `log` share.
 *
 *     log.c      parameters, devices, life
 *     control.c  the interface `log`, properties
 *     record.c   data of other devices into a ring of files
 *     play.c     a recording as devices again
 *     source.c   the entries of a file, whatever its format
 *     files.c    names and bytes of files
 *     shelf.c    the interface `recordings`: what is there, its bytes, what is done now
 *
 * An instance records or plays. All of it runs on the thread of the instance, which alone waits for
 * the disk.
 */
#ifndef DRIVERS_LOG_LOG_H
#define DRIVERS_LOG_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "log/host/folder.h"
#include "log/recorder.h"
#include "troupe/driver.h"
#include "troupe/driver/log.h"
#include "troupe/driver/recordings.h"

enum { LOG_PATH = 1024 };

#define LOG_MORE SIZE_MAX /* an address that `provides` does not list */

/* ---- Files ----------------------------------------------------------------------------------- */

/* A sink of a writer: `context` is a FILE. */
tp_status tpi_log_to_file(void *context, const void *bytes, size_t length, tp_error *err);

/* A source of a reader; `file` stays borrowed. */
tp_status tpi_log_from_file(tpi_log_source *source, FILE *file, tp_error *err);

/* The name of the i-th older file: "run.mcap" is 0, "run-1.mcap" the one before it. */
void tpi_log_ring_name(char out[LOG_PATH], const char *path, unsigned i);

/* Make room for a new file: each becomes one older, and the oldest of `count` goes. What is no
 * recording is neither moved nor removed: TP_E_EXISTS. */
tp_status tpi_log_ring_turn(const char *path, unsigned count, tp_error *err);

/* Whether there is something at a path. */
bool tpi_log_exists(const char *path);

/* Whether there is a file that begins as a recording. */
bool tpi_log_is_recording(const char *path);

/* Whether a client may choose this name: without a folder, and not hidden. */
bool tpi_log_is_name(const char *name);

/* Whether the name is that of a file in Player's text format: it does not end in ".mcap". */
bool tpi_log_is_text(const char *path);

/* ---- Entries of a file ----------------------------------------------------------------------- */

/* What a file says next: data of a device, an answer of it (`what` is a request), or that there is
 * such a device (`what` NULL). */
struct log_entry {
    char device[80]; /* "laser:0" */
    const tp_interface *interface;
    const tp_message *what;
    const void *value; /* borrowed until the next call */
    uint64_t log_ns;
    double publish_s;
};

struct log_source;

tp_status tpi_source_open(struct log_source **out, const char *path, const tp_catalogue *catalogue,
                          tp_error *err);
void tpi_source_close(struct log_source *source); /* NULL is accepted */

/* The next entry. TP_E_CLOSED at the end. What is damaged or not known is left out and counted. */
tp_status tpi_source_next(struct log_source *source, struct log_entry *entry, tp_error *err);

/* Go on with entries of this time or a little earlier; 0 for the beginning. */
tp_status tpi_source_seek(struct log_source *source, uint64_t log_ns, tp_error *err);

/* How many places were left out. */
uint64_t tpi_source_left_out(const struct log_source *source); /* NULL is accepted */

/* Time of the last message, if the file has a summary; 0 otherwise. */
uint64_t tpi_source_end(const struct log_source *source);

/* ---- Recording ------------------------------------------------------------------------------- */

struct log_kept;

struct log_recording {
    tp_instance *instance;
    char path[LOG_PATH];
    bool is_text;
    tpi_log_form form;
    tpi_mcap_compression compression;
    uint64_t most_bytes; /* of a file */
    unsigned most_files;
    bool is_on;
    FILE *file;                 /* owned; NULL unless it is open */
    tpi_log_writer *writer;     /* owned */
    tpi_log_recorder *recorder; /* owned */
    struct log_kept *kept;      /* owned: a device each */
    size_t count;
    uint64_t messages, bytes, left_out;
    uint64_t begun_ns; /* when the recording began, since the epoch */
    tp_error failure;  /* why the last recording ended */
};

/* From init: takes the devices of `requires`. */
tp_status tpi_recording_init(struct log_recording *r, tp_instance *self, tp_error *err);
void tpi_recording_fini(struct log_recording *r);

/* Ask the devices what a recording should know of them. */
void tpi_recording_ask(struct log_recording *r);

tp_status tpi_recording_begin(struct log_recording *r, tp_error *err);
tp_status tpi_recording_end(struct log_recording *r, tp_error *err);
void tpi_recording_data(struct log_recording *r, const tp_link *from, const tp_msg *msg);

/* Every second: what has come so far survives a crash. */
void tpi_recording_flush(struct log_recording *r);

/* Seconds since the recording began, and bytes of its file; 0 if it is not on. */
double tpi_recording_position(const struct log_recording *r);
uint64_t tpi_recording_bytes(const struct log_recording *r);

/* ---- Playing --------------------------------------------------------------------------------- */

struct log_played;

struct log_playing {
    tp_instance *instance;
    char path[LOG_PATH];
    struct log_source *source; /* owned; NULL: no file was chosen yet */
    struct log_played *played; /* owned: a device each */
    size_t count, room;
    struct log_entry next; /* what is played next */
    bool has_next, is_on, loops, shifts, waits;
    bool awaits_reader;                /* it begins with the first one */
    double speed;                      /* 0: as fast as the readers take it */
    uint64_t first_ns, from_ns, to_ns; /* of the recording; from and to count from first */
    uint64_t span_ns;                  /* its length; 0: not known */
    int64_t anchor_ns;                 /* at this time of the clock ... */
    uint64_t anchor_at_ns;             /* ... the recording was there */
    double shift_s;
    bool has_shift;
    uint64_t messages;
};

/* From init: opens the file and finds its devices. */
tp_status tpi_playing_init(struct log_playing *p, tp_instance *self, tp_error *err);

/* Play another file, from its beginning, by the devices that are offered. The one before stays if
 * that fails. */
tp_status tpi_playing_open(struct log_playing *p, const char *path, tp_error *err);

tp_status tpi_playing_offer(struct log_playing *p, size_t i, tp_error *err);
tp_status tpi_playing_offer_all(struct log_playing *p, tp_error *err);
void tpi_playing_fini(struct log_playing *p);

/* Start or stop. */
void tpi_playing_set(struct log_playing *p, bool on);

/* Go to a time of the recording, in seconds from its beginning. */
tp_status tpi_playing_go(struct log_playing *p, double to_s, tp_error *err);
double tpi_playing_position(const struct log_playing *p);
void tpi_playing_set_speed(struct log_playing *p, double speed);

/* Play so many messages at once, and stand still. */
tp_status tpi_playing_step(struct log_playing *p, unsigned count, tp_error *err);

/* Play on; from the beginning if the end was reached. */
tp_status tpi_playing_resume(struct log_playing *p, tp_error *err);

/* Play what is due; sets the period of the instance for the next call. */
tp_status tpi_playing_poll(struct log_playing *p, tp_error *err);

/* ---- The interface `recordings` -------------------------------------------------------------- */

struct log_shelf {
    tp_device *device; /* borrowed; NULL for none */
    tpi_listed files[TP_RECORDINGS_MOST_FILES], found[TP_RECORDINGS_MOST_FILES];
    tp_recordings_file items[TP_RECORDINGS_MOST_FILES], next[TP_RECORDINGS_MOST_FILES];
    uint32_t count;
    bool is_listed;
    int64_t listed_ns, told_ns;
    tpi_buf bytes, text;
    char name[TPI_LISTED_NAME];
    tp_recordings_state told; /* what was published last */
};

/* ---- The driver ------------------------------------------------------------------------------ */

struct log_driver {
    /* First, as record.c and play.c want it: an instance is one of both. */
    union {
        struct log_recording recording;
        struct log_playing playing;
    } as;
    bool plays, starts; /* starts: with the instance */
    tp_device *control; /* borrowed; NULL for none */
    char folder[LOG_PATH];
    struct log_shelf *shelf; /* owned; NULL for none */
};

/* The name of the next recording, in the folder of the configured one. */
tp_status tpi_log_choose(struct log_driver *d, const char *name, tp_error *err);

/* Offer it at the i-th address of `provides`, or at one more (LOG_MORE). From init. */
tp_status tpi_shelf_offer(struct log_driver *d, tp_instance *self, size_t i, tp_error *err);
void tpi_shelf_fini(struct log_driver *d);

/* Publish what is done now, if it has changed. */
void tpi_shelf_tell(struct log_driver *d, bool at_once);

/* What clients can ask of its log device (control.c). */
extern const tp_log_ops tpi_log_control_ops;

/* Add the properties of its log device, if it has one. */
tp_status tpi_log_add_properties(struct log_driver *d, tp_error *err);

/* Properties say what it does now. */
void tpi_log_show(struct log_driver *d);

#endif
