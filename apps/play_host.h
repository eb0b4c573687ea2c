/*
 * play_host.h - a machine with a robot: carries out what a program asks for.
 */
#ifndef TROUPE_APPS_PLAY_HOST_H
#define TROUPE_APPS_PLAY_HOST_H

#include <stdio.h>

#include "play.h"
#include "play/runner.h"
#include "play_log.h"
#include "troupe/universal.h"
#include "universal/channels.h"

enum {
    PLAY_MOST_PORTS = 65, /* and the one of `say` */
};

typedef struct play_host {
    const play_options *options;      /* borrowed */
    const tpi_play_program *program;  /* borrowed */
    const tpi_vocabulary *vocabulary; /* borrowed */
    tp_universal *robot;              /* owned by the caller */
    tp_universal_port ports[PLAY_MOST_PORTS];
    play_log *log;          /* owned by the caller; NULL for none */
    tpi_channels *channels; /* owned; its mailboxes */
    tp_proxy *board;        /* owned: the blackboard that carries messages; NULL for none */
    tp_client *crier;       /* owned: of --channels; NULL for none */
    tpi_play_order order;   /* that is carried out */
    tpi_play_runner runner;
} play_host;

/* Prepare the machine. Fails if the program does not fit. */
int play_host_begin(play_host *host);
void play_host_fini(play_host *host);

/* Register the devices of the program and print how they are matched. */
int play_host_match(play_host *host);

/* Carry out the request of the machine and answer it. The status of the command. */
tp_status play_host_serve(play_host *host, tp_error *err);

#endif
