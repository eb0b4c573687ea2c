/*
 * client.h - robot programs: connect to a server, open devices, read them, command them.
 *
 * A *client* is one connection to a server, ours or a Player server; a *proxy* is a device that the
 * client has opened. Both belong to one thread, and nothing happens behind its back: messages are
 * handled while a call of this header waits, or while the loop turns.
 *
 * Two styles, which mix. *Blocking*: calls that wait, with a time-out (tp_client_read(),
 * tp_proxy_request(), ...); they must not be called from a callback. *Callbacks*:
 * tp_proxy_on_data(), tp_proxy_request_later() ..., and tp_client_run() or a loop of the program's
 * own.
 *
 * For each interface there is a header of typed calls, troupe/client/position2d.h and so on:
 *
 *     tp_position2d_open(client, 0, &base, &err)         tp_client_open()
 *     tp_position2d_command_vel(base, &vel, &err)        tp_proxy_command()
 *     tp_position2d_request_get_geom(base, &geom, &err)  tp_proxy_request()
 *     tp_position2d_latest_state(base)                   tp_proxy_latest()
 *     tp_position2d_wait_state(base, timeout_ns, &err)   tp_proxy_wait()
 *
 * A connection that is lost is made again, and devices are opened again as they were, with data
 * mode, rules and rates; meanwhile commands fail (none is kept for later) and requests wait for the
 * connection within their time-out.
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

/* When data comes. */
typedef enum tp_client_mode {
    TP_CLIENT_AUTO,       /* EVERYTHING on a loop of the program's own, FRESH otherwise */
    TP_CLIENT_FRESH,      /* pulled: at each read the newest of each kind, however long that took */
    TP_CLIENT_EVERYTHING, /* pushed: every message as soon as it is there */
} tp_client_mode;

/* All may be zero. What is pointed to is borrowed as long as the client; name and key are copied.
 */
typedef struct tp_client_options {
    const char *name;   /* what the program is called in the server's statistics */
    int64_t timeout_ns; /* of calls that wait; 0 for 5 s, TP_NEVER for none */
    tp_client_mode mode;
    bool stay_lost;                /* do not connect again when the connection is lost */
    bool plain;                    /* do not say hello: be a plain Player client */
    bool extensions;               /* ask for extension messages */
    bool steady;                   /* stamp by the clock that never jumps: for a child process */
    const tp_catalogue *catalogue; /* NULL for the built-in interfaces */
    tp_loop *loop;                 /* the program's own loop; NULL for one of the client's own */
    const struct tp_kit *kit;      /* of inproc: servers; NULL for none but what the file loads */
    /* What gives the program the right to do more than read. A server of ours never sees the key
     * itself; a Player server does. `key` is NULL for the environment's TROUPE_KEY (which no Player
     * server is shown), "" for none. `key_file`: its first line is the key, and only its owner (and
     * group) may read it; NULL or "" for none. */
    const char *key;
    const char *key_file;
    /* The connection was made, or lost (`why` says the reason; NULL when it was made). */
    void (*changed)(void *context, tp_client *client, const char *why);
    /* There is a panic on the server, it was raised again, or there is none any more; and what
     * holds when the connection was made. Of our servers only. Optional; from the loop. */
    void (*panicked)(void *context, tp_client *client, const tp_panic_state *panic);
    void *context;
} tp_client_options;

/* ---- The connection -------------------------------------------------------------------------- */

/* Connect; waits until the server has answered or the time-out. `url`:
 *     tcp:HOST[:PORT], HOST[:PORT]   a server; the port is 6665 if it is left out
 *     unix:PATH                      a server on this machine
 *     inproc:FILE.cfg                a server of the program's own, without any network, which runs
 *                                    as long as the client does, in the client's calls
 *     NULL                           the environment's TROUPE_URL, or else localhost
 * Fails with the reason: "connect to tcp:localhost:6665: connection refused". TP_E_DENIED if no key
 * of the server fits. */
TP_API tp_status tp_client_connect(tp_client **out, const char *url,
                                   const tp_client_options *options, tp_error *err);

/* The same without waiting: `changed` tells when it is connected. Needs `loop`. */
TP_API tp_status tp_client_connect_later(tp_client **out, const char *url,
                                         const tp_client_options *options, tp_error *err);

/* Whether the same would be right as far as that can be told without connecting: the URL, and the
 * key. `what` (may be NULL) is the option that is wrong: "url", "key" or "key_file". */
TP_API tp_status tp_client_check(const char *url, const tp_client_options *options,
                                 const char **what, tp_error *err);

/* A client of a server in this program, on the server's loop. `robot` is the port of its devices,
 * 0 for the first one of its configuration. Destroy it before the server. */
TP_API tp_status tp_client_attach(tp_client **out, struct tp_server *server, unsigned robot,
                                  const tp_client_options *options, tp_error *err);

/* Closes all its proxies. Not from a callback of this client. NULL is accepted. */
TP_API void tp_client_destroy(tp_client *client);

TP_API bool tp_client_is_connected(const tp_client *client);
TP_API tp_loop *tp_client_loop(const tp_client *client);
TP_API const char *tp_client_url(const tp_client *client);

/* Whether the server is one of ours: explains failures, knows rates, frames and statistics. */
TP_API bool tp_client_is_troupe(const tp_client *client);

/* What the client may do there, as far as is known; everything at a Player server. Commands that
 * need more fail with TP_E_DENIED, as requests do. */
TP_API tp_right tp_client_right(const tp_client *client);

/* Whether no key of the server fits this client's: it does not try again. */
TP_API bool tp_client_is_refused(const tp_client *client);

/* What the server said first: "Player v.3.1.1-dev". "" while not connected. */
TP_API const char *tp_client_banner(const tp_client *client);

/* Wait for the next data of any open device: all that has come is handled before it returns.
 * TP_E_TIMEOUT if none came in time (0 for the time-out of the options), TP_E_CLOSED if the
 * connection is lost (it returns to it by itself; just go on reading). */
TP_API tp_status tp_client_read(tp_client *client, int64_t timeout_ns, tp_error *err);

/* Handle messages until tp_client_stop(), from any thread or a signal handler; or one turn. */
TP_API void tp_client_run(tp_client *client);
TP_API void tp_client_stop(tp_client *client);
TP_API void tp_client_step(tp_client *client, bool wait);

/* Ask the server itself: a request of the interface `player`. As tp_proxy_request(). */
TP_API tp_status tp_client_request(tp_client *client, unsigned code, const void *ask,
                                   const void **answer, tp_error *err);

/* Player's rules for what waits in the server for this client, first match wins; -1 is any. With
 * TP_CLIENT_FRESH a rule of the client's own about all data is the first. Waits if it is connected.
 */
TP_API tp_status tp_client_add_rule(tp_client *client, int interf, int index, int type, int subtype,
                                    tp_replace_rule rule, tp_error *err);

/* How many messages the server dropped because this client was too slow, as far as it told. */
TP_API uint64_t tp_client_dropped(const tp_client *client);

/* ---- Devices --------------------------------------------------------------------------------- */

typedef struct tp_client_device {
    tp_devaddr addr;
    const tp_interface *interface; /* NULL if it is not in the catalogue */
    char name[80];                 /* "position2d:0"; "66:0" if the interface is not known */
    char driver[64];
} tp_client_device;

/* The server's devices, in its order: one block, to be freed with free(). */
TP_API tp_status tp_client_list(tp_client *client, tp_client_device **out, size_t *count,
                                tp_error *err);

/* Open a device by name: "position2d:0", "position2d" for index 0. `access` is TP_OPEN_MODE as in
 * Player, or TP_READ_MODE, TP_WRITE_MODE, TP_ALL_MODE, TP_EXCLUSIVE_MODE; a plain Player server
 * knows no difference and cannot give exclusive access. Fails with the driver's sentence. Opening
 * the same device twice gives two proxies. */
TP_API tp_status tp_client_open(tp_client *client, const char *name, unsigned access,
                                tp_proxy **out, tp_error *err);

/* The same by interface, which need not be in the catalogue, and index. */
TP_API tp_status tp_client_open_device(tp_client *client, const tp_interface *interface,
                                       unsigned index, unsigned access, tp_proxy **out,
                                       tp_error *err);

/* Without waiting. `done` is called once, unless the proxy is closed before; a proxy that could not
 * be opened is to be closed. With the connection lost it waits for the next one. */
typedef void tp_proxy_opened(void *context, tp_proxy *proxy, tp_status status, const char *why);
TP_API tp_status tp_client_open_later(tp_client *client, const tp_interface *interface,
                                      unsigned index, unsigned access, tp_proxy_opened *done,
                                      void *context, tp_proxy **out, tp_error *err);

/* Find the best device for a task and open it. `wanted` is a list of conditions, divided by commas;
 * "" takes the first one:
 *
 *     NAME OP VALUE    OP is one of = != < <= > >=
 *     most NAME        of those that meet the conditions, the one with the most of it;
 *     least NAME       or the least. Given several times, the first one decides before the second.
 *
 * NAME is a property of the device or a part of its geometry: x y z roll pitch yaw (of its pose, in
 * metres and radians), width length height, parent, frame, known; or index, or driver. VALUE is a
 * number, yes, no, or a text with or without quotes. A device that does not know NAME does not meet
 * the condition. Example: tp_client_find(client, "ranger", "x > 0, most max_range", ...).
 *
 * TP_E_UNKNOWN if none meets it; the text tells what each one lacks. TP_E_SYNTAX with the place. */
TP_API tp_status tp_client_find(tp_client *client, const char *interface, const char *wanted,
                                unsigned access, tp_proxy **out, tp_error *err);

/* Called whenever a proxy that was open is open again, or cannot be opened again (and is tried once
 * more later), or was removed by the server: with TP_OK, or why not. NULL for nobody. */
TP_API void tp_proxy_on_change(tp_proxy *proxy, tp_proxy_opened *changed, void *context);

/* Does not wait. NULL is accepted. */
TP_API void tp_proxy_close(tp_proxy *proxy);

TP_API tp_client *tp_proxy_client(const tp_proxy *proxy);
TP_API const tp_interface *tp_proxy_interface(const tp_proxy *proxy);
TP_API const tp_devaddr *tp_proxy_addr(const tp_proxy *proxy);
TP_API const char *tp_proxy_name(const tp_proxy *proxy);   /* "position2d:0" */
TP_API const char *tp_proxy_driver(const tp_proxy *proxy); /* as the server calls it */

/* Whether it is open at the moment; it is not while the connection is lost. */
TP_API bool tp_proxy_is_open(const tp_proxy *proxy);

/* A pointer of the program's own. */
TP_API void tp_proxy_set_context(tp_proxy *proxy, void *context);
TP_API void *tp_proxy_context(const tp_proxy *proxy);

/* At most so many messages of each kind a second, for all proxies of the device on this client; 0
 * for all there are. Waits for the server, except in callbacks and while the connection is lost.
 * TP_E_UNSUPPORTED by Player servers. */
TP_API tp_status tp_proxy_set_rate(tp_proxy *proxy, double rate_hz, tp_error *err);

/* How long what the device moves goes on moving when nothing is heard of this client, in seconds; 0
 * for the device's default. The server cuts it to what its configuration allows. While a call of
 * this header waits or the loop turns, the client speaks often enough. Waits for the server, except
 * in callbacks and while the connection is lost. TP_E_UNSUPPORTED by Player servers, and by devices
 * that move nothing. tp_common_request_lease() tells what holds, and who moves the device. */
TP_API tp_status tp_proxy_set_lease(tp_proxy *proxy, double lease_s, tp_error *err);

/* Rank lower than the server's configuration has it: others may then move the device before this
 * client. A higher rank is not given. The rest is as above. */
TP_API tp_status tp_proxy_set_rank(tp_proxy *proxy, int rank, tp_error *err);

/* ---- Data ------------------------------------------------------------------------------------ */

/* Called for every data message of the device, which is borrowed for the call. NULL for nobody. */
typedef void tp_proxy_data(tp_proxy *proxy, const tp_msg *msg);
TP_API void tp_proxy_on_data(tp_proxy *proxy, tp_proxy_data *data);

/* The last data message with this code; NULL if there was none yet. Borrowed until the next call
 * that waits or turns the loop. */
TP_API const tp_msg *tp_proxy_latest(const tp_proxy *proxy, unsigned code);

/* Wait for data with this code that the program has not got by this call yet, and give the payload,
 * borrowed like that of tp_proxy_latest(). NULL with `err` if none came in time (0 for the time-out
 * of the options). */
TP_API const void *tp_proxy_wait(tp_proxy *proxy, unsigned code, int64_t timeout_ns, tp_error *err);

/* How many data messages have come. */
TP_API uint64_t tp_proxy_received(const tp_proxy *proxy);

/* ---- Commands and requests ------------------------------------------------------------------- */

/* Send a command; does not wait. TP_E_CLOSED while the connection is lost. */
TP_API tp_status tp_proxy_command(tp_proxy *proxy, unsigned code, const void *value, tp_error *err);

/* Ask, and wait for the answer, which is borrowed until the next request to the same device (NULL
 * if the request has none). `answer` may be NULL. Codes of the interface and the common ones.
 * TP_E_DEVICE or the server's own code if it was refused, with the reason if the server gave one.
 */
TP_API tp_status tp_proxy_request(tp_proxy *proxy, unsigned code, const void *ask,
                                  const void **answer, tp_error *err);

/* Ask without waiting: `done` is called once with the answer (borrowed; NULL if there is none) or
 * with why there is none, and not at all if the proxy is closed before. `timeout_ns` as in the
 * options if it is 0. */
typedef void tp_proxy_done(void *context, tp_proxy *proxy, tp_status status, const tp_msg *answer,
                           const char *why);
TP_API tp_status tp_proxy_request_later(tp_proxy *proxy, unsigned code, const void *ask,
                                        int64_t timeout_ns, tp_proxy_done *done, void *context,
                                        tp_error *err);

/* The same for a request to the server itself; `proxy` is NULL then. */
TP_API tp_status tp_client_request_later(tp_client *client, unsigned code, const void *ask,
                                         int64_t timeout_ns, tp_proxy_done *done, void *context,
                                         tp_error *err);

/* Properties, whatever their type: as text. Reading gives text to be freed with free(). */
TP_API tp_status tp_proxy_get_property(tp_proxy *proxy, const char *key, char **value,
                                       tp_error *err);
TP_API tp_status tp_proxy_set_property(tp_proxy *proxy, const char *key, const char *value,
                                       tp_error *err);

#ifdef __cplusplus
}
#endif
#endif
