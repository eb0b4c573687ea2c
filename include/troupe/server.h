/*
 * server.h - a whole server in a program: devices from a configuration file, and fronts.
 *
 * `troupe run` is little more than this. A program without a network uses the same: no front is
 * opened unless it is asked for, and the program turns the loop itself with tp_server_step().
 */
#ifndef TROUPE_SERVER_H
#define TROUPE_SERVER_H

#include "troupe/clock.h"
#include "troupe/driver.h"
#include "troupe/front.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_server tp_server;

typedef struct tp_server_options {
    const char *path;      /* the configuration file */
    const char *text;      /* its contents instead, if not NULL */
    unsigned port;         /* of addresses without one; 0 for 6665 */
    const char *listen;    /* "127.0.0.1" (also if NULL), "*" ...; "" for no front at all */
    bool any_port;         /* listen on ports that the system chooses, whatever the file says */
    const char *unix_path; /* a unix socket for the default robot too; NULL for none */
    const tp_clock *clock; /* NULL for the real one */
    /* What the server is made of: &tp_full_kit for everything there is, &tp_local_kit for all
     * without a network. Without one there are only
     * the drivers below and those of plug-ins, and no front. Borrowed as long as the server. */
    const tp_kit *kit;
    /* The program's own drivers, ended by NULL; found before those of the kit with the same name.
     * Borrowed as long as the server. Optional. */
    const tp_driver *const *drivers;
    const char *program; /* the troupe program, for `isolated yes`; NULL if there is none */
    const char *guard;   /* the program that guards lines; NULL for troupe-guard beside `program`,
                          * or else where programs are searched for */
    bool udp;            /* listen for datagrams too, on the same ports */
    bool child;          /* it is the process of an isolated driver of another server */
    const char *part;    /* of a child: what that server calls the driver, "inhibit0"; or NULL */
    /* Told of what is odd in the file, and later of failures. Optional. */
    void (*note)(void *context, const char *text);
    void *note_context;
} tp_server_options;

/* Read the configuration, make the devices, listen. Nothing is started before tp_server_begin(). */
TP_API tp_status tp_server_create(tp_server **out, const tp_server_options *options, tp_error *err);

/* Stops all drivers and closes all clients. NULL is accepted. */
TP_API void tp_server_destroy(tp_server *server);

/* Start what is always on. */
TP_API void tp_server_begin(tp_server *server);

/* Read the configuration file again. Instances whose sections mean the same as before run on, with
 * their clients; the others are removed and added, robots get and lose their ports. What changes is
 * told by `note`. If anything in the file is wrong nothing changes. Does not wait for drivers that
 * have to stop first; until they have, another call fails with TP_E_LIMIT. On the loop's thread. */
TP_API tp_status tp_server_reload(tp_server *server, tp_error *err);

/* Serve until tp_server_stop() is called, from any thread or a signal handler. */
TP_API void tp_server_run(tp_server *server);
TP_API void tp_server_stop(tp_server *server);

/* Stops everything that moves. From any thread or a signal handler; does not need the loop. */
TP_API void tp_server_panic_by_signal(const tp_server *server);

/* From the handler of a signal that ends the process (SIGSEGV, SIGABRT): lines that are guarded get
 * their stop bytes now, and not only after the core has been dumped; nothing else is written any
 * more. `troupe run` does so. */
TP_API void tp_server_crash(const tp_server *server);

/* One turn of the loop; waits for something to happen only if `wait`. */
TP_API void tp_server_step(tp_server *server, bool wait);

TP_API tp_loop *tp_server_loop(const tp_server *server);
TP_API tp_hub *tp_server_hub(const tp_server *server);

/* Where it listens: the i-th robot of the configuration and its port; false beyond the last. */
TP_API bool tp_server_port(const tp_server *server, size_t i, unsigned *robot, unsigned *port);

/* What clients without a key may do, by where they come from; and how many keys there are. */
TP_API tp_right tp_server_guests(const tp_server *server, tp_reach reach);
TP_API size_t tp_server_key_count(const tp_server *server);

/* The devices, in the order of the file; after a reload new ones are behind the others. */
TP_API size_t tp_server_device_count(const tp_server *server);
TP_API tp_device *tp_server_device_at(const tp_server *server, size_t i);

/* A field of a kind of section of configuration files. All texts are constant. */
typedef struct tp_server_field {
    const char *section;       /* "driver"; "" for the top of a file */
    const char *name;          /* "lease" */
    const char *value;         /* "text", "number", "addresses" ... */
    const char *unit;          /* "s", or the field that names it; NULL for none */
    const char *fallback;      /* the default; NULL for none */
    bool required;             /* a section has to have it */
    const char *help;          /* one sentence */
    const char *example;       /* a value as a file has it */
    const char *other_example; /* one that means something else */
} tp_server_field;

/* The i-th field that the server reads, section by section; false behind the last. The parameters
 * of drivers come besides (tp_driver). */
TP_API bool tp_server_field_at(size_t i, tp_server_field *out);

/* Let the process open as many files as the system allows; call it once before creating servers
 * that have many clients. */
TP_API void tp_server_raise_limits(void);

/* All drivers and fronts of Troupe, and servers in the program for clients. In the library
 * troupe-server only. */
TP_API extern const tp_kit tp_full_kit;

/* All drivers that need no network, and no front. In the libraries troupe-drivers and
 * troupe-server.
 */
TP_API extern const tp_kit tp_local_kit;

/* For the kit of a program that opens `inproc:` URLs. In the library troupe-server only. */
TP_API extern const tp_inproc_ops tp_inproc;

#ifdef __cplusplus
}
#endif
#endif
