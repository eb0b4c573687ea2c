/* play_run.h - running a program on a robot, for programs and for single lines. */
#ifndef TROUPE_APPS_PLAY_RUN_H
#define TROUPE_APPS_PLAY_RUN_H

#include "play_host.h"

/* Run the program of the host to its end, to the end of --for, or until a signal comes. A fault is
 * reported. */
int play_follow(play_host *host, tp_client *client);

/* Whether Ctrl-C or SIGTERM has come; forgets it, and waits for the next one. */
bool play_was_interrupted(void);
void play_forget_interrupt(void);

/* Everything stops. */
int play_stop_robot(tp_universal *robot);

/* Whether a port is a robot of a world; append the sections for it, up to the middle of the last
 * one, which goes on as that of other robots. */
bool play_sim_is(const char *port);
int play_sim_configure(tpi_buf *out, const play_options *options);

/* Connect to a server in this program. The configuration is a file until it is connected; `path` is
 * its name with XXXXXX at the end. */
int play_connect_file(const play_options *options, char *path, const tpi_buf *text);

/* Find the blackboard of the program's channels; carry out a request of a channel. */
int play_channels_open(play_host *host, tp_client *client);
void play_channels_close(play_host *host);
tp_status play_channels_serve(play_host *host, tp_error *err);

/* Whether the request of the machine looks for a message and none waits. */
bool play_channels_is_empty(const play_host *host);

/* Which robot of a server plays. All zero at first. */
typedef struct play_choice {
    char device[32]; /* "universal:1"; "" for none yet */
    char server[256];
} play_choice;

/* Take the device off the URL, if it names one. */
void play_choose_from_url(const play_options *options, play_choice *choice);

/* Choose the only robot of the server; several ones are listed, and none is chosen. */
int play_choose(const play_options *options, tp_client *client, play_choice *choice);

/* One line at a time, until the input ends. */
int play_repl(play_host *host, tp_client *client);

#endif
