/*
 * play.h - what the parts of troupe play share: the command line, the program, the robot.
 *
 * Functions that return int return an exit code; unless it is EXIT_DONE they have said why.
 */
#ifndef TROUPE_APPS_PLAY_H
#define TROUPE_APPS_PLAY_H

#include "play/program.h"
#include "remote.h"

#define PLAY_NAME "play"

enum { PLAY_MOST_MAPS = 16 };

/* What was asked for. */
typedef struct play_options {
    const char *path;   /* of the program; NULL for none */
    const char *action; /* "check" ...; NULL to run it */
    const char *robot;  /* --on: a robot or a server; NULL for none */
    const char *port, *wiring, *log, *channels, *from, *to;
    const char *lang;   /* of the words; NULL for that of the program */
    const char *upload; /* the line of a chip; NULL for none */
    const char *maps[PLAY_MOST_MAPS];
    unsigned map_count;
    bool is_loose, trace, watch, has_url, is_json;
    double seconds; /* --for; 0 without end */
    uint32_t seed;
    struct remote *remote; /* borrowed; for --key and others */
} play_options;

/* A program that was read. All zero at first. */
typedef struct play_source {
    tpi_buf text;
    tpi_vocabulary *vocabulary; /* owned */
    tpi_play_program program;
} play_source;

/* Read a file; compile it, and print all mistakes to standard error. */
int play_source_read(play_source *source, const char *path);
int play_source_compile(play_source *source, const char *path);
void play_source_fini(play_source *source);

/* Print mistakes to standard error. */
int play_tell(const tpi_play_troubles *troubles, const char *path);

/* Whether the action prints a program as text or as blocks. */
bool play_converts(const play_options *options);

/* Print or write a program, given as text or blocks, as text or blocks. */
int play_convert(const play_options *options, const play_source *source);

/* Print all kinds of blocks. */
int play_describe(const play_options *options);

/* Print how the program's devices are matched on a robot, without one. */
int play_explain(const play_options *options, const play_source *source);

/* Put the program into a chip and start it there. */
int play_upload(const play_options *options, const play_source *source);

/* Append a port; paths in it (script:FILE, emulate:KIND?world=FILE) are from here. */
void play_put_port(tpi_buf *out, const char *port);

/* Check --map, before a server reports it with the name of its own file. */
int play_check_maps(const play_options *options, const char *who);

/* Move a program between servers: --move, --settle, --claim. */
int play_move(const play_options *options);

/* Print which programs fit which robots. */
int play_table(const play_options *options);

/* Run the program on a robot; NULL for one line at a time. */
int play_run(const play_options *options, const play_source *source);

#endif
