/*
 * client.h - robot programs: connect to a server, open devices, read them, command them.
 *
 * A *client* is one connection to a server, ours or a Player server; a *proxy* is a device that the
 * client has opened. Both belong to one thread. The library starts no thread: messages are handled
 * while a call of this header waits, or while the loop turns.
 *
 * There are two styles, which can be mixed. *Blocking* calls wait, with a time-out
 * (tp_client_read(), tp_proxy_request(), ...); they must not be called from a callback. *Callbacks*
 * (tp_proxy_on_data(), tp_proxy_request_later(), ...) are called from tp_client_run() or from the
 * program's own loop.
 *
 * For each interface there is a header of typed calls, troupe/client/position2d.h and so on:
 *
 *     tp_position2d_open(client, 0, &base, &err)         tp_client_open()
 *     tp_position2d_command_vel(base, &vel, &err)        tp_proxy_command()
 *     tp_position2d_request_get_geom(base, &geom, &err)  tp_proxy_request()
 *     tp_position2d_latest_state(base)                   tp_proxy_latest()
 *     tp_position2d_wait_state(base, timeout_ns, &err)   tp_proxy_wait()
 *
 * The client reconnects after a lost connection. It opens the devices again with the same data
 * mode, rules and rates. Meanwhile commands fail (none is kept for later), and requests wait for
 * the connection within their time-out.
 */
#ifndef TROUPE_CLIENT_H
#define TROUPE_CLIENT_H

#include "troupe/clock.h"
#include "troupe/interfaces/player.h"
#include "troupe/loop.h"
#include "troupe/msg.h"
#include "troupe/padi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_client tp_client;
typedef struct tp_proxy tp_proxy;
struct tp_kit; /* see troupe/server.h */
struct tp_server;

/* When the client receives data. */
typedef enum tp_client_mode {
    TP_CLIENT_AUTO,       /* EVERYTHING with the program's own loop, FRESH otherwise */
    TP_CLIENT_FRESH,      /* pulled: each read gets the newest message of each kind */
    TP_CLIENT_EVERYTHING, /* pushed: every message at once */
} tp_client_mode;

/* What renews the leases of the devices that the client moves, besides every command and request.
 */
typedef enum tp_client_renewal {
    TP_RENEW_AUTO,  /* LOOP with the program's own loop, CALLS otherwise */
    TP_RENEW_CALLS, /* calls that wait, as long as they wait; tp_client_step(), tp_client_process()
                     * and tp_client_renew(). Not tp_client_run(): a program whose client runs in
                     * another thread stops its robot when it hangs */
    TP_RENEW_LOOP,  /* also the loop, as long as it turns */
} tp_client_renewal;

/* All fields may be zero. Pointers are borrowed as long as the client; name and key are copied. */
typedef struct tp_client_options {
    size_t size;        /* sizeof(tp_client_options); 0 for the fields up to `renewal` */
    const char *name;   /* of the program, for the server's statistics */
    int64_t timeout_ns; /* of calls that wait; 0 for 5 s, TP_NEVER for none */
    tp_client_mode mode;
    bool stay_lost;                /* do not reconnect after a lost connection */
    bool plain;                    /* send no HELLO: be a plain Player client */
    bool extensions;               /* ask for extension messages */
    bool steady;                   /* stamp with the clock that never jumps: for a child process */
    const tp_catalogue *catalogue; /* NULL for the built-in interfaces. Others are read from the
                                    * server when a call names one that is not known */
    tp_loop *loop;                 /* the program's own loop; NULL: the client creates one */
    const struct tp_kit *kit;      /* of `inproc:` servers: &tp_full_kit of the library
                                    * troupe-server; NULL: there are no such servers */
    /* The troupe program, which an `inproc:` server runs for `isolated yes`. NULL searches for
     * "troupe" where programs are searched for. */
    const char *program;
    /* The key, which gives the program the right to do more than read. A Troupe server never sees
     * the key itself; a Player server does. NULL takes the environment variable TROUPE_KEY, which
     * is never shown to a Player server; "" is no key. */
    const char *key;
    /* A file whose first line is the key. Only its owner and group may have read access. NULL or ""
     * for none. */
    const char *key_file;
    /* The connection was made (`why` is NULL) or lost (`why` is the reason). */
    void (*changed)(void *context, tp_client *client, const char *why);
    /* A panic on the server has begun, was raised again, or is over; also called with the current
     * state when the connection is made. Only by Troupe servers. Optional; called from the loop. */
    void (*panicked)(void *context, tp_client *client, const tp_panic_state *panic);
    void *context;
    tp_client_renewal renewal;
} tp_client_options;

/* ---- The connection -------------------------------------------------------------------------- */

/* Connect, and wait until the server has answered, at most for the time-out. `url`:
 *     tcp:HOST[:PORT], HOST[:PORT]   a server; the default port is 6665
 *     unix:PATH                      a server on this machine
 *     inproc:FILE.cfg                a server inside this program, without a network; it runs as
 *                                    long as the client, within the client's calls; needs `kit`
 *     NULL                           the environment variable TROUPE_URL, or else localhost
 * The error has the reason: "connect to tcp:localhost:6665: connection refused". TP_E_DENIED if the
 * server does not accept the key. */
TP_API tp_status tp_client_connect(tp_client **out, const char *url,
                                   const tp_client_options *options, tp_error *err);

/* Connect without waiting: `changed` reports the connection. Needs the option `loop`. */
TP_API tp_status tp_client_connect_later(tp_client **out, const char *url,
                                         const tp_client_options *options, tp_error *err);

/* Check the URL and the key without connecting. `what` (may be NULL) is the option that is wrong:
 * "url", "key" or "key_file". */
TP_API tp_status tp_client_check(const char *url, const tp_client_options *options,
                                 const char **what, tp_error *err);

/* Create a client of a server in this program, on the server's loop. `robot` is the port of the
 * robot's devices; 0 for the first robot of the configuration. Destroy the client before the
 * server. In the library troupe-server only. */
TP_API tp_status tp_client_attach(tp_client **out, struct tp_server *server, unsigned robot,
                                  const tp_client_options *options, tp_error *err);

/* Close all proxies and the connection. Not allowed in a callback of this client. NULL is accepted.
 */
TP_API void tp_client_destroy(tp_client *client);

TP_API bool tp_client_is_connected(const tp_client *client);
TP_API tp_loop *tp_client_loop(const tp_client *client);
TP_API const char *tp_client_url(const tp_client *client);

/* Whether the server is a Troupe server: it explains failures and knows rates, frames and
 * statistics.
 */
TP_API bool tp_client_is_troupe(const tp_client *client);

/* The client's right on the server, as far as it is known; on a Player server the highest. Commands
 * and requests that need a higher right fail with TP_E_DENIED. */
TP_API tp_right tp_client_right(const tp_client *client);

/* Whether the server has refused the client's key. The client does not try again then. */
TP_API bool tp_client_is_refused(const tp_client *client);

/* The server's greeting: "Player v.3.1.1-dev". "" while not connected. */
TP_API const char *tp_client_banner(const tp_client *client);

/* Wait for the next data of any open device. All messages that have arrived are handled before the
 * call returns. TP_E_TIMEOUT if no data arrived in time; a `timeout_ns` of 0 is the time-out of the
 * options. TP_E_CLOSED if the connection is lost; the client reconnects, so the program can go on
 * reading. TP_E_INTERRUPTED as tp_client_interrupt() says. */
TP_API tp_status tp_client_read(tp_client *client, int64_t timeout_ns, tp_error *err);

/* Handle messages until tp_client_stop() is called. */
TP_API void tp_client_run(tp_client *client);

/* End tp_client_run(). Any thread and any signal handler may call it. */
TP_API void tp_client_stop(tp_client *client);

/* Make one turn of the loop; waits for an event only if `wait` is true. */
TP_API void tp_client_step(tp_client *client, bool wait);

/* End the call of this client that waits now, or else the next one that waits: it fails with
 * TP_E_INTERRUPTED. Does not end tp_client_run(). Any thread and any signal handler may call it. A
 * signal whose handler runs in the thread that waits ends the wait in the same way; only a signal
 * that arrives just before the wait is missed, so a handler that must not be missed calls this
 * function. */
TP_API void tp_client_interrupt(tp_client *client);

/* Report that the program is well, which renews the leases of the devices that it moves. For
 * programs with TP_RENEW_CALLS whose client runs in another thread. Any thread may call it. */
TP_API void tp_client_renew(tp_client *client);

/* ---- Other event loops ----------------------------------------------------------------------- */

/* A descriptor that becomes readable when the client has something to do, for poll() or the event
 * loop of another library. It stays the same as long as the client. */
TP_API int tp_client_fd(const tp_client *client);

/* The time, in nanoseconds of CLOCK_MONOTONIC, at which tp_client_process() is due even if the
 * descriptor is not readable; TP_NEVER if none is. Ask again after every call of the client. If
 * data is pulled, the first call is due at once. */
TP_API int64_t tp_client_deadline(const tp_client *client);

/* The same as a time-out for poll(): milliseconds from now on, -1 for TP_NEVER. */
TP_API int tp_client_poll_ms(const tp_client *client);

/* Handle what has arrived and what is due; does not wait. From the first call on, data is asked for
 * all the time. Not allowed in a callback. */
TP_API void tp_client_process(tp_client *client);

/* ---- Requests to the server ------------------------------------------------------------------ */

/* Send a request of the interface `player` to the server itself. Otherwise as tp_proxy_request().
 */
TP_API tp_status tp_client_request(tp_client *client, unsigned code, const void *ask,
                                   const void **answer, tp_error *err);

/* Add one of Player's rules for the messages that wait in the server for this client. The first
 * rule that matches decides; -1 matches any value. With TP_CLIENT_FRESH the first rule is the
 * client's own rule for all data. Waits for the server if the client is connected. */
TP_API tp_status tp_client_add_rule(tp_client *client, int interf, int index, int type, int subtype,
                                    tp_replace_rule rule, tp_error *err);

/* The number of messages that the server has reported as dropped because this client was too slow.
 */
TP_API uint64_t tp_client_dropped(const tp_client *client);

/* ---- Devices --------------------------------------------------------------------------------- */

typedef struct tp_client_device {
    tp_devaddr addr;
    const tp_interface *interface; /* NULL if it is not in the catalogue */
    char name[80];                 /* "position2d:0"; "66:0" if the interface is not known */
    char driver[64];
} tp_client_device;

/* List the server's devices, in the server's order: one block, released with free(). */
TP_API tp_status tp_client_list(tp_client *client, tp_client_device **out, size_t *count,
                                tp_error *err);

/* Load the descriptions of the server's own interfaces into a catalogue. Interfaces that the
 * catalogue has stay as they are. Waits. The calls that open, list and find devices by name do this
 * by themselves for interfaces that the client does not know. TP_E_UNSUPPORTED with a Player
 * server. */
TP_API tp_status tp_client_learn(tp_client *client, tp_catalogue *into, tp_error *err);

/* Open a device by name: "position2d:0", "position2d" for index 0. `access` is TP_OPEN_MODE as in
 * Player, or TP_READ_MODE, TP_WRITE_MODE, TP_ALL_MODE, TP_EXCLUSIVE_MODE; a plain Player server
 * makes no difference between them and cannot give exclusive access. The error has the driver's
 * reason. Opening the same device twice gives two proxies. */
TP_API tp_status tp_client_open(tp_client *client, const char *name, unsigned access,
                                tp_proxy **out, tp_error *err);

/* Open a device by interface, which need not be in the catalogue, and index. */
TP_API tp_status tp_client_open_device(tp_client *client, const tp_interface *interface,
                                       unsigned index, unsigned access, tp_proxy **out,
                                       tp_error *err);

/* The result of tp_client_open_later(), and a change of an open proxy. `why` is NULL for TP_OK. */
typedef void tp_proxy_opened(void *context, tp_proxy *proxy, tp_status status, const char *why);

/* Open a device without waiting. `done` is called once, unless the proxy is closed before. A proxy
 * that could not be opened must be closed. While the connection is lost, the request waits for the
 * next one. */
TP_API tp_status tp_client_open_later(tp_client *client, const tp_interface *interface,
                                      unsigned index, unsigned access, tp_proxy_opened *done,
                                      void *context, tp_proxy **out, tp_error *err);

/* Find the best device for a task and open it. `wanted` is a list of conditions, separated by
 * commas;
 * "" takes the first device:
 *
 *     NAME OP VALUE    OP is one of = != < <= > >=
 *     most NAME        prefer the device with the highest value
 *     least NAME       prefer the device with the lowest value; with several preferences, the first
 *                      one decides, then the second
 *
 * NAME is a property of the device or a part of its geometry: x y z roll pitch yaw (its pose, in
 * metres and radians), width length height, parent, frame, known; or index; or driver, by its own
 * name or that of its instance; or name, of a device without one its property. VALUE is a
 * number, yes, no, or a text with or without quotes. A device without NAME does not meet the
 * condition. Example: tp_client_find(client, "ranger", "x > 0, most max_range", ...).
 *
 * TP_E_UNKNOWN if no device meets the conditions; the text says what each device lacks. TP_E_SYNTAX
 * with the place of the mistake. */
TP_API tp_status tp_client_find(tp_client *client, const char *interface, const char *wanted,
                                unsigned access, tp_proxy **out, tp_error *err);

/* Set a callback for changes of an open proxy: it is open again (TP_OK), it cannot be opened again
 * (the client tries again later), or the server has removed the device. NULL for none. */
TP_API void tp_proxy_on_change(tp_proxy *proxy, tp_proxy_opened *changed, void *context);

/* Close the proxy. Does not wait. NULL is accepted. */
TP_API void tp_proxy_close(tp_proxy *proxy);

TP_API tp_client *tp_proxy_client(const tp_proxy *proxy);
TP_API const tp_interface *tp_proxy_interface(const tp_proxy *proxy);
TP_API const tp_devaddr *tp_proxy_addr(const tp_proxy *proxy);
TP_API const char *tp_proxy_name(const tp_proxy *proxy);   /* "position2d:0" */
TP_API const char *tp_proxy_driver(const tp_proxy *proxy); /* the server's name for it */

/* Whether the proxy is open now. It is not open while the connection is lost. */
TP_API bool tp_proxy_is_open(const tp_proxy *proxy);

/* Keep a pointer for the program. */
TP_API void tp_proxy_set_context(tp_proxy *proxy, void *context);
TP_API void *tp_proxy_context(const tp_proxy *proxy);

/* Limit the messages of each kind per second, for all proxies of the device on this client; 0 for
 * no limit. Waits for the server, except in callbacks and while the connection is lost.
 * TP_E_UNSUPPORTED with a Player server. */
TP_API tp_status tp_proxy_set_rate(tp_proxy *proxy, double rate_hz, tp_error *err);

/* Set the lease in seconds: the server stops the device when this client has been silent for that
 * long. 0 is the device's default. The server limits it to what its configuration allows. The
 * client renews the lease while a call of this header waits or the loop turns. Waits for the
 * server, except in callbacks and while the connection is lost. TP_E_UNSUPPORTED with a Player
 * server, and for devices that move nothing. tp_common_request_lease() returns the lease in force
 * and the client that moves the device. */
TP_API tp_status tp_proxy_set_lease(tp_proxy *proxy, double lease_s, tp_error *err);

/* The same without waiting: the server gets it before what is sent later, and no answer is awaited.
 */
TP_API tp_status tp_proxy_set_lease_later(tp_proxy *proxy, double lease_s, tp_error *err);

/* Lower this client's rank below the one that the server's configuration gives it: clients with a
 * higher rank override its commands. A rank above the configured one is not granted. Otherwise as
 * tp_proxy_set_lease(). */
TP_API tp_status tp_proxy_set_rank(tp_proxy *proxy, int rank, tp_error *err);

/* ---- Data ------------------------------------------------------------------------------------ */

/* Receives a data message of the device. The message is borrowed for the call. */
typedef void tp_proxy_data(tp_proxy *proxy, const tp_msg *msg);

/* Set the callback for every data message of the device. NULL for none. */
TP_API void tp_proxy_on_data(tp_proxy *proxy, tp_proxy_data *data);

/* The last data message with this code; NULL before the first one. Borrowed until the next call
 * that waits or turns the loop. */
TP_API const tp_msg *tp_proxy_latest(const tp_proxy *proxy, unsigned code);

/* Wait for data with this code that this call has not returned before, and return its payload,
 * borrowed as that of tp_proxy_latest(). NULL, with `err`, if no data arrived in time; a
 * `timeout_ns` of 0 is the time-out of the options. */
TP_API const void *tp_proxy_wait(tp_proxy *proxy, unsigned code, int64_t timeout_ns, tp_error *err);

/* Keep up to `capacity` data messages of the device for tp_proxy_next(), from now on; 0 keeps none.
 * Messages that wait already are dropped. When the queue is full, a new message takes the place of
 * the oldest one. At most 65536. TP_E_INVALID with TP_CLIENT_FRESH, where the server sends only the
 * newest message of each kind. */
TP_API tp_status tp_proxy_set_queue(tp_proxy *proxy, unsigned capacity, tp_error *err);

/* The next data message of the device, of any code, in the order of arrival; waits for one if none
 * is there. Borrowed until the next call of this function for the same proxy. NULL, with `err`, if
 * none arrived in time; a `timeout_ns` of 0 is the time-out of the options. The first call creates
 * a queue of 256 messages if there is none. */
TP_API const tp_msg *tp_proxy_next(tp_proxy *proxy, int64_t timeout_ns, tp_error *err);

/* The number of messages that were dropped from the full queue of tp_proxy_next(). */
TP_API uint64_t tp_proxy_missed(const tp_proxy *proxy);

/* The number of data messages that have arrived. */
TP_API uint64_t tp_proxy_received(const tp_proxy *proxy);

/* ---- Commands and requests ------------------------------------------------------------------- */

/* Send a command; does not wait. TP_E_CLOSED while the connection is lost. */
TP_API tp_status tp_proxy_command(tp_proxy *proxy, unsigned code, const void *value, tp_error *err);

/* Whether the server has reported a refused command or a failure of the device since the last call:
 * its code, with its sentence in `err`; TP_OK if it has not. Does not wait: a command is refused
 * after it was sent, and the report arrives while a later call waits or turns the loop. The report
 * is the data TP_COMMON_DATA_ERROR; one that tp_proxy_wait() has returned is not returned again.
 * A Player server reports nothing. */
TP_API tp_status tp_proxy_refusal(tp_proxy *proxy, tp_error *err);

/* Send a request and wait for the answer. The answer is borrowed until the next request to the same
 * device; it is NULL if the request has none. `answer` may be NULL. `code` is one of the interface
 * or one of the common requests. If the request was refused, the status is the server's code, or
 * TP_E_DEVICE, with the reason if the server gave one. */
TP_API tp_status tp_proxy_request(tp_proxy *proxy, unsigned code, const void *ask,
                                  const void **answer, tp_error *err);

/* The result of a request that does not wait: the answer (borrowed; NULL if the request has none),
 * or the reason why there is none. */
typedef void tp_proxy_done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                           const char *why);

/* Send a request without waiting. `done` is called once, or not at all if the proxy is closed
 * before. A `timeout_ns` of 0 is the time-out of the options. */
TP_API tp_status tp_proxy_request_later(tp_proxy *proxy, unsigned code, const void *ask,
                                        int64_t timeout_ns, tp_proxy_done *done, void *context,
                                        tp_error *err);

/* Send a request to the server itself without waiting; `done` gets NULL for the proxy. */
TP_API tp_status tp_client_request_later(tp_client *client, unsigned code, const void *ask,
                                         int64_t timeout_ns, tp_proxy_done *done, void *context,
                                         tp_error *err);

/* Read a property of any type as text. The text is the caller's, released with free(). */
TP_API tp_status tp_proxy_get_property(tp_proxy *proxy, const char *key, char **value,
                                       tp_error *err);

/* Set a property of any type from text. */
TP_API tp_status tp_proxy_set_property(tp_proxy *proxy, const char *key, const char *value,
                                       tp_error *err);

/* Read what a counter of the device, such as `bumps` or `driven`, has counted since the last call
 * for this proxy and key. The first call returns the total. Other clients and proxies get all of it
 * too. The amounts are complete across lost connections and failed calls; if the server was
 * restarted meanwhile, the amount is the total since the restart. */
TP_API tp_status tp_proxy_read_and_clear(tp_proxy *proxy, const char *key, double *amount,
                                         tp_error *err);

/* Set a property to `value` if it is `expected`, as one operation: of several clients that expect
 * the same value one sets its own. The property is a number or, as 1 or 0, yes or no. `before` is
 * the value that it had; the property was set if that equals `expected`. */
TP_API tp_status tp_proxy_test_and_set(tp_proxy *proxy, const char *key, double expected,
                                       double value, double *before, tp_error *err);

#ifdef __cplusplus
}
#endif
#endif
