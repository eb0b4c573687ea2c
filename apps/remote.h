/*
 * remote.h - what the commands that talk to a server share: which server, which device, which
 * message.
 *
 * A server is named by --url, else by the environment's TROUPE_URL, else it is localhost. A device
 * is named INTERFACE[:INDEX], with the server's URL and a slash before it if need be:
 * "laser", "laser:1", "robot.local:6666/laser:1", "unix:/run/troupe/laser". The last slash divides.
 *
 * Functions that return int return an exit code; unless it is EXIT_DONE they have said why.
 */
#ifndef TROUPE_APPS_REMOTE_H
#define TROUPE_APPS_REMOTE_H

#include "commands.h"
#include "troupe/client.h"

struct remote {
    const char *command;     /* its name, for messages */
    const char *url;         /* borrowed or `own_url`; NULL if none was given */
    char *own_url;           /* owned; what stood before a device */
    tp_catalogue *catalogue; /* owned */
    tp_client *client;       /* owned; NULL until it is connected */
    int64_t timeout_ns;      /* 0 for the library's own */
    char *key;               /* owned; NULL for TROUPE_KEY, "" for none */
    const char *key_file;    /* borrowed; NULL for none */
    bool was_connected;      /* once: from then on losses are reported */
    bool tells_panics;       /* that begin or end while messages are handled */
    bool ignores_panics;     /* the command tells of them itself, or has told */
    bool in_panic;           /* the server, as far as was reported */
    bool unreached;          /* it could not connect */
    bool first_try;          /* another one follows: that it cannot connect is not reported */
    const char *own_file;    /* borrowed; what the command has written for inproc:, which the
                              * user does not know: errors leave its name out; NULL for none */
    /* Called before something is reported on standard error while messages are handled. Optional.
     */
    void (*before_note)(struct remote *remote);
    /* Called when a panic was reported that has begun. Optional. */
    void (*panicked)(struct remote *remote);
};

/* Their options, for the help of each. */
#define REMOTE_OPTIONS_HELP                                                                        \
    "  -u, --url URL   the server: HOST[:PORT], tcp:HOST[:PORT], unix:PATH, or inproc:FILE.cfg\n"  \
    "                  for a server in this program; default TROUPE_URL or localhost:6665\n"       \
    "  --key-file FILE the file with the key, which gives the right to do more than read\n"        \
    "  --key KEY       the key itself, visible to other users; default TROUPE_KEY\n"               \
    "  --timeout S     time to wait for an answer, in seconds (5)\n"                               \
    "  --load FILE     load an additional interface file; may be repeated\n"

/* A device that was named on the command line; it may not be there. */
struct remote_device {
    const tp_interface *interface; /* borrowed from the catalogue; NULL until one was named */
    unsigned index;
    char name[96]; /* "laser:0" */
};

int remote_init(struct remote *remote, const char *caller);
void remote_fini(struct remote *remote);

/* Whether all these commands have the option, and reading it at argv[*i]: --url URL (-u),
 * --key KEY, --key-file FILE, --timeout SECONDS, --load FILE. */
bool remote_has_option(const char *option);
int remote_option(struct remote *remote, int argc, char **argv, int *i);

/* A server that is named without an option. */
int remote_set_url(struct remote *remote, const char *url);

/* The server before the name of a device, if one is there; `device` is what follows. Several
 * devices may have the same one. */
int remote_read_server(struct remote *remote, const char *text, const char **device);

/* Read the name of a device, and the server's before it. */
int remote_read_device(struct remote *remote, const char *text, struct remote_device *out);

/* Connect. With `persistent` a lost connection is made again and both are reported; otherwise it is
 * a failure of whatever is under way. */
int remote_connect(struct remote *remote, tp_client_mode mode, bool persistent);

/* Where it is connected, or is about to connect. */
const char *remote_url(const struct remote *remote);

/* Open a device; if it is not there, the message tells which ones are. */
int remote_open(struct remote *remote, const struct remote_device *device, unsigned access,
                tp_proxy **out);

/* The same to follow its data: `data` gets every message from the first one on, which may come
 * before this returns. */
int remote_follow(struct remote *remote, const struct remote_device *device, tp_proxy_data *data,
                  void *context, tp_proxy **out);

/* Ask the server itself what only ours know; `what` names it in the message. The answer is borrowed
 * until the next one; NULL (and a message) if there is none. */
const void *remote_ask(struct remote *remote, unsigned code, const void *ask, const char *what);

/* Its statistics, with all devices: one block, to be freed with free(). Likewise. */
tp_statistics *remote_statistics(struct remote *remote);

/* A message of the interface or a common one, by its name in any case; NULL (and a message with the
 * nearest name) if there is none. */
const tp_message *remote_message(const struct remote *remote, const tp_interface *interface,
                                 tp_kind kind, const char *name);

/* From now on SIGINT and SIGTERM end remote_run() instead of the program; once. */
void remote_catch_signals(struct remote *remote);

/* Handle messages until remote_stop() or a signal; true if it was a signal. A signal that came
 * before ends it at once. */
bool remote_run(struct remote *remote);
void remote_stop(struct remote *remote);

/* A number after an option: more than 0 and finite, or whole and at least 1. */
int command_positive(const char *name, int argc, char **argv, int *i, double *value);
int command_whole(const char *name, int argc, char **argv, int *i, int64_t *value);

/* Seconds as nanoseconds, from a microsecond to decades, whatever was asked for. */
int64_t command_ns(double seconds);

/* `unexpected "--jsn"; did you mean "--json"?`, where `known` is ended by NULL. The options that
 * all these commands have are known besides. */
int remote_unexpected(const struct remote *remote, const char *argument, const char *const *known);

#endif
