/*
 * front.h - writing fronts: what turns an outside protocol into messages and back.
 *
 * A front is one constant table, tp_front_NAME. The server opens it at an address; each opening is
 * an *instance*. The framework allocates `state_size` zeroed bytes for an instance and calls
 *
 *     check -> open -> (bound | callbacks of the front's own listeners, streams and timers)* ->
 * close
 *
 * close follows every open, failed or not; check alone is followed by nothing. Several instances of
 * one front may be open at the same time, so a front has no global state. docs/writing-a-front.md
 * describes it step by step.
 *
 * A front holds a *session* for each of its clients. The session opens devices, sends their
 * commands and requests, and queues what comes back: data and replies, in order. It also decides
 * what the client may do: a front that uses sessions needs no rules of its own.
 *
 * Everything here belongs to the loop's thread. Nothing here waits, and a front does not wait
 * either: it uses troupe/stream.h, troupe/datagram.h and the timers of troupe/loop.h. Callbacks may
 * come before the call that causes them has returned.
 */
#ifndef TROUPE_FRONT_H
#define TROUPE_FRONT_H

#include "troupe/clock.h"
#include "troupe/driver.h"
#include "troupe/interfaces/player.h"
#include "troupe/loop.h"
#include "troupe/msg.h"
#include "troupe/padi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tpi_hub tp_hub; /* the server's devices */

/* The host in every address: Player clients see 127.0.0.1, as a little-endian number. */
enum { TP_PLAYER_HOST = 0x0100007f };

typedef struct tp_session tp_session;

TP_API const tp_clock *tp_hub_clock(const tp_hub *hub);
TP_API const tp_catalogue *tp_hub_catalogue(const tp_hub *hub);

/* A number that changes with the list of devices. */
TP_API unsigned tp_hub_changes(const tp_hub *hub);

/* How much may wait in a session. */
typedef struct tp_session_limits {
    uint32_t data;     /* data is dropped when this many messages are queued, or four for each open
                          device, whichever is more */
    uint32_t replies;  /* the client is lost when this many more messages are queued */
    uint32_t requests; /* the session is busy (tp_session_is_busy()) with this many open requests */
} tp_session_limits;

typedef struct tp_session_events {
    /* A message was queued, or the session is no longer busy. */
    void (*ready)(void *context);
    /* The client does not read its replies, or an operator has disconnected it. Called once; the
     * front must close the client. The queue may contain the reason: the front sends as much of it
     * as possible without waiting. */
    void (*lost)(void *context);
    /* Another client has just ended a panic, or the client may go on after a wait, or the time
     * limit of an unfinished message is over. Returns the number of bytes of this client that have
     * arrived and were not handled yet. Optional; see tp_session_took(). */
    size_t (*unread)(void *context);
    /* When those of these bytes can have arrived at the earliest that the front has not read yet
     * (tp_stream_since_ns()). Optional: for fronts that stop reading while the client waits. */
    int64_t (*unread_since)(void *context);
    /* Another client has just ended a panic: drop what has arrived and cannot be counted by
     * `unread`, such as datagrams that were not read yet. Optional. */
    void (*drop)(void *context);
} tp_session_events;

/* The number that stands for the devices of all robots of the server. */
#define TP_EVERY_ROBOT UINT32_MAX

/* Create a session. It sees the devices with `robot` in their address, or those of all robots with
 * TP_EVERY_ROBOT. Fronts call tp_front_session() instead, which also sets the origin of the client.
 */
TP_API tp_status tp_session_create(tp_session **out, tp_hub *hub, uint32_t robot,
                                   const tp_session_limits *limits, const tp_session_events *events,
                                   void *context, tp_error *err);

/* Destroy a session: close all its devices and forget its open requests. NULL is accepted. */
TP_API void tp_session_destroy(tp_session *session);

/* The front sends messages in this encoding and reads no payload. Large answers are then encoded by
 * a thread, data may be encoded by the thread of its driver, and of many messages that wait the
 * session keeps only these bytes. Called before the session opens a device. */
TP_API void tp_session_only_sends(tp_session *session, const tp_encoding *encoding);

/* A name for logs and statistics; copied. */
TP_API void tp_session_set_name(tp_session *session, const char *name);

/* Mark the client as one that knows Troupe's extensions of Player: refusals have a body with code
 * and sentence (tp_failure), and the client receives common data of devices (GEOMETRY, ERROR). */
TP_API void tp_session_explain_failures(tp_session *session, bool on);

/* Whether tp_session_explain_failures() is on. */
TP_API bool tp_session_explains_failures(const tp_session *session);

/* Let the client use extension messages. */
TP_API void tp_session_allow_extensions(tp_session *session, bool on);

/* Set the name of the client's program, for statistics; copied. */
TP_API void tp_session_set_software(tp_session *session, const char *name);

/* Count messages that were sent to the client, for statistics. */
TP_API void tp_session_count_sent(tp_session *session, uint64_t messages);

/* The statistics of the server, with the first TP_STATISTICS_DEVICES devices: one block, released
 * with free(). */
TP_API tp_status tp_hub_statistics(const tp_hub *hub, tp_statistics **out);

/* One page of the statistics of devices, from the device `first` on: one block, released with
 * free().
 */
TP_API tp_status tp_hub_device_statistics(const tp_hub *hub, uint32_t first,
                                          tp_device_stat_page **out);

/* The state of the panic: one block, released with free(). */
TP_API tp_status tp_hub_panic(const tp_hub *hub, tp_panic_state **out);

/* The frames of reference of all robots: one block, released with free(). */
TP_API tp_status tp_hub_frames(const tp_hub *hub, tp_frame_list **out);

/* One page of the devices that the session sees, from the device `first` on: one block, released
 * with free(). */
TP_API tp_status tp_session_page(tp_session *session, uint32_t first, tp_device_page **out);

/* The pose of a frame in another frame of the same robot. `timestamp_s` is the time of the oldest
 * moving part, 0 if no part moves. TP_E_UNKNOWN, with the reason, if a frame is unknown or the two
 * are not connected. */
TP_API tp_status tp_hub_transform(const tp_hub *hub, unsigned robot, const char *from,
                                  const char *to, tp_pose3d *pose, double *timestamp_s,
                                  tp_error *err);

/* ---- Devices --------------------------------------------------------------------------------- */

/* The devices that the session sees, one after the other: *place begins with 0, and NULL is the
 * end. */
TP_API tp_device *tp_session_next_device(const tp_session *session, size_t *place);

/* A device of the session's robot. NULL if there is none, and in a session of every robot. */
TP_API tp_device *tp_session_find(const tp_session *session, unsigned interf, unsigned index);

/* A device by its whole address, of which the host does not count. NULL if there is none or the
 * session does not see its robot. */
TP_API tp_device *tp_session_find_at(const tp_session *session, const tp_devaddr *addr);

TP_API const tp_devaddr *tp_session_address(const tp_device *device);
TP_API const char *tp_session_driver_name(const tp_device *device);

/* The label of the device; "" for none. */
TP_API const char *tp_session_label(const tp_device *device);

/* The result of tp_session_open(). */
typedef void tp_session_opened(void *context, const tp_msghdr *request, tp_device *device,
                               tp_status status, const tp_error *err);

/* Open a device. `done` is called once with the result, unless the session is destroyed before.
 * Data arrives only after `done`. A device that is opened twice sends its data twice and must be
 * closed twice. `access` is TP_OPEN_MODE or another mode of interfaces/player.padi. Exclusive
 * access and the modes 17 and 18 are refused while another client has it. To write needs a right.
 */
TP_API tp_status tp_session_open(tp_session *session, tp_device *device, unsigned access,
                                 const tp_msghdr *request, tp_session_opened *done);

/* Close one opening and drop the queued data of the device. TP_E_INVALID if the device is not open.
 */
TP_API tp_status tp_session_close(tp_session *session, tp_device *device);

/* The same for an opening with this access, of a client that has several. */
TP_API tp_status tp_session_close_as(tp_session *session, tp_device *device, unsigned access);

/* Limit the messages of each kind per second, for all openings of the device; 0 for no limit.
 * TP_E_INVALID if the device is not open or the rate is not valid. */
TP_API tp_status tp_session_set_rate(tp_session *session, tp_device *device, double rate_hz);

/* ---- Messages -------------------------------------------------------------------------------- */

/* Send a command or request to the device in the header's address. In a session of one robot the
 * robot's number in that address does not count; in one of every robot it does. The reply to a
 * request is queued later. Fails at once if it cannot be sent: TP_E_UNKNOWN no such device,
 * TP_E_DENIED not opened by this session, TP_E_LIMIT too much to do. */
TP_API tp_status tp_session_send(tp_session *session, tp_msg *msg, const tp_message *what,
                                 tp_error *err);

/* Report that the client has sent something: its leases are renewed. */
TP_API void tp_session_heard(tp_session *session);

/* The same for a message of the client. A pull (the request DATA of `player`) renews nothing if the
 * client speaks leases: such a client repeats its pulls also for a program that hangs. */
TP_API void tp_session_heard_message(tp_session *session, const tp_msghdr *header);

/* Report that a message of `bytes` bytes was handled: its work is charged. Messages that arrived
 * before the end of a panic move nothing, even if they are read later. The session counts the bytes
 * of such messages, starting from the event `unread`. */
TP_API void tp_session_took(tp_session *session, size_t bytes);

/* When the message that is being handled can have arrived at the earliest, by the clock of the
 * loop: now, unless the server was frozen or busy or the client had to wait. For fronts whose
 * devices have leases of their own; `lease_ns` is the shortest of them: it decides how exactly that
 * is known from now on. */
TP_API int64_t tp_session_arrived_ns(const tp_session *session, int64_t lease_ns);

/* The same for a part of a message that goes on: the time limit of the whole one continues. */
TP_API void tp_session_took_part(tp_session *session, size_t bytes);

/* Report that the front itself has made an answer of `bytes` bytes: the work is charged. */
TP_API void tp_session_answered(tp_session *session, size_t bytes);

/* Whether the client has work left in this turn. A front asks this before it makes or sends a part
 * of what is long. If not, the event `ready` comes in a later turn. */
TP_API bool tp_session_has_turn(tp_session *session);

/* Report, in the event `ready`, that the client has closed its side (tp_stream_has_left()) and that
 * messages of it wait. A guest then waits until all others had their turn: true, and `ready` is
 * called again. */
TP_API bool tp_session_gives_way(tp_session *session);

/* Report that the front itself holds `bytes` bytes of answers that its client has not taken, beside
 * what the session has queued. They count like those. With many, the client is busy; of all guests
 * the one with most is lost (`lost`) if they have too many together. */
TP_API void tp_session_owes(tp_session *session, size_t bytes);

/* Report that `bytes` bytes of a message have arrived whose end has not: after each read, with 0 if
 * there are none. The client is lost (`lost`) if the end takes too long: more than ten seconds
 * after the first byte, and a second more for each 16 KiB. The time in which the front itself does
 * not read does not count if the front has `unread`. */
TP_API void tp_session_unfinished(tp_session *session, size_t bytes);

/* Mark the client as one that renews its leases by itself. Its leases are shorter then. */
TP_API void tp_session_speak_leases(tp_session *session, bool on);

/* Whether a request is PANIC, whose body does not matter. */
TP_API bool tp_session_is_panic(const tp_msghdr *request);

/* Whether the client is new: it has cost the server no more than it costs to show a key, and has
 * shown no wrong one. What it says to show its key need not wait. */
TP_API bool tp_session_is_new(const tp_session *session);

/* Whether a message must not wait although the session is busy (tp_session_is_busy()): a PANIC, if
 * there is no panic yet, and what shows the key of a client that is new. */
TP_API bool tp_session_is_urgent(const tp_session *session, const tp_msghdr *header);

/* Whether there is a panic. A further PANIC can wait, as other messages do: nothing moves. */
TP_API bool tp_session_sees_panic(const tp_session *session);

/* Raise a panic: stop everything that moves. No right is needed. */
TP_API void tp_session_panic(tp_session *session, const char *why);

/* Acknowledge a request PANIC which the front has raised already, when it saw it behind messages
 * that waited. Raises none: the panic may be over by now. */
TP_API tp_status tp_session_confirm_panic(tp_session *session, const tp_msghdr *request);

/* End the panic with this number. `key` is a key that came with the request, "" for none; it is
 * shown first. TP_E_DENIED unless the client raised the panic, or has the right to operate, or is
 * on this machine with the right to move while the server has no operator's key. */
TP_API tp_status tp_session_reset_panic(tp_session *session, unsigned epoch, const char *key,
                                        tp_error *err);

/* Disconnect the client with this number (see statistics): its `lost` is called. The caller checks
 * the right before. TP_E_UNKNOWN if there is no such client, TP_E_INVALID for the session's own
 * client, TP_E_DENIED for a client that is a part of the server. */
TP_API tp_status tp_session_kick(tp_session *session, uint32_t number, tp_error *err);

/* Mark the client as one on this machine. */
TP_API void tp_session_set_local(tp_session *session, bool on);

/* ---- Rights ---------------------------------------------------------------------------------- */

/* The origin of a client. Its right without a key depends on it. The default is TP_REACH_NETWORK.
 */
typedef enum tp_reach {
    TP_REACH_NETWORK,
    TP_REACH_UNIX,     /* a socket in the file system, which has permissions of its own */
    TP_REACH_INSIDE,   /* this program, or a process that is a part of it: may do everything */
    TP_REACH_LOOPBACK, /* an address that only programs on this machine can connect to */
    TP_REACH_COUNT,
} tp_reach;
TP_API void tp_session_set_reach(tp_session *session, tp_reach reach);

/* The right that a message needs. */
TP_API tp_right tp_right_needed(const tp_message *what);

/* The right that opening a device of this interface in this mode needs. Exclusive access needs the
 * right to move if the interface has a message that needs it. */
TP_API tp_right tp_right_to_open(const tp_interface *interface, unsigned access);

TP_API const char *tp_right_name(tp_right right); /* "read", "write", "move", "operate" */

/* Check the right of the client to send a message: TP_OK, or TP_E_DENIED with the missing right.
 * This is the only place that decides. tp_session_send() and tp_session_serve() call it; a front
 * must call it before it acts on a message by itself. */
TP_API tp_status tp_session_may(const tp_session *session, const tp_message *what, tp_error *err);

/* The right that the client has now. */
TP_API tp_right tp_session_right(const tp_session *session);

/* Whether the client may operate: it has that right, or it is on this machine with the right to
 * move while the server has no operator's key. */
TP_API bool tp_session_operates(const tp_session *session);

/* The name of the key that the client has proved; "" for none. */
TP_API const char *tp_session_key(const tp_session *session);

/* Create a challenge. The previous one becomes invalid. TP_E_UNSUPPORTED if the server has no keys.
 */
TP_API tp_status tp_session_challenge(tp_session *session, uint8_t nonce[TP_AUTH_NONCE_LENGTH],
                                      tp_error *err);

/* Check the answer to the last challenge, which can be used once. The client gets the right of the
 * key. TP_E_DENIED if no key fits; further tries are then refused for some time (TP_E_LIMIT), each
 * time longer. TP_E_INVALID without a challenge. */
TP_API tp_status tp_session_prove(tp_session *session, const uint8_t *digest, size_t length,
                                  tp_error *err);

/* Check a key in plain text, as old clients send it. Otherwise as tp_session_prove(). */
TP_API tp_status tp_session_show_key(tp_session *session, const void *key, size_t length,
                                     tp_error *err);

/* ---- Services -------------------------------------------------------------------------------- */

/* The requests of the interface `player` are answered by the session, from one table for all
 * fronts. A front finds the type of the body with tp_session_admits(), decodes the body, and calls
 * tp_session_serve(). Answers and refusals are messages in the session's queue. */

/* Whether the client may send this request. If the server has no such service, or the client lacks
 * the right, the refusal is queued and the result is false. `*body` is the type of the request's
 * body; NULL if the service ignores its body. */
TP_API bool tp_session_admits(tp_session *session, const tp_msghdr *request,
                              const tp_struct **body);

/* Answers a request to the interface `player`. `value` is the decoded body, borrowed for the call;
 * NULL if there is none. Checks the right of the client itself. The answer to DEV is queued when
 * the device has started, all others at once. Fails only if no answer can be queued; the front then
 * gives the client up. */
TP_API tp_status tp_session_serve(tp_session *session, const tp_msghdr *request, const void *value);

/* ---- What waits for the client --------------------------------------------------------------- */

/* Whether the front must handle no more messages of the client now: too many of its requests or
 * replies are under way, or it has had its share of this turn of the loop. A front asks before each
 * message and keeps the rest (tp_session_hold()); meanwhile it does not read. `ready` is called
 * when the client may go on. Urgent messages (tp_session_is_urgent()) are handled always. */
TP_API bool tp_session_is_busy(tp_session *session);

/* The same for a front that can also have a reason of its own to wait (`waits`), such as an answer
 * that is not there yet, or output that the client does not take. What arrives meanwhile gets
 * older: a command that has waited for longer than its lease moves nothing. A front calls either
 * this or tp_session_is_busy(). */
TP_API bool tp_session_has_to_wait(tp_session *session, bool waits);

/* What `session` sends to devices until the next call has come by `receiver`, borrowed, which is
 * told of waits and of bytes that are handled: it is as old as what `receiver` handles. NULL: it
 * has come by `session` itself. The budgets of `receiver` are those of a client with the right to
 * write until it receives something for a session without that right. */
TP_API void tp_session_received_by(tp_session *session, tp_session *receiver);

/* What is known of the message that is being handled: when it arrived at the earliest, by the clock
 * of the hub, and whether it came before the last panic was over. */
typedef struct tp_origin {
    int64_t since_ns;
    bool before_panic;
} tp_origin;
TP_API tp_origin tp_session_origin(const tp_session *session);

/* tp_session_send() of a message that had to wait in the front, for example for the opening of its
 * device. `origin` is from the time when it came. */
TP_API tp_status tp_session_send_later(tp_session *session, const tp_origin *origin, tp_msg *msg,
                                       const tp_message *what, tp_error *err);

/* ---- Budgets --------------------------------------------------------------------------------- */

/* Whether the client is a guest: it has no right to write. Nothing moves that would have to stop
 * with it, so if it leaves, its end can wait for other work (tp_loop_later()): thousands of guests
 * can leave at once. */
TP_API bool tp_session_is_guest(tp_session *session);

/* The length of the longest message that the client may send now. It depends on the right of the
 * client. The front closes a client that announces a longer one. */
TP_API size_t tp_session_longest_message(tp_session *session);

/* Report how many bytes of the client the front holds now: of messages that are not handled yet.
 * `unfinished` says that the first of these messages has not come completely; if it is false, that
 * message is complete, or the front has not looked at it because the client is busy. The front
 * reserves memory only for bytes that have come, at most twice as much. False if the client must be
 * closed: of all clients of its host or kind it holds most, and they hold too much. If a message
 * stays unfinished for too long, `lost` is called. */
TP_API bool tp_session_hold(tp_session *session, size_t bytes, bool unfinished);

/* Queue a message of the front at the end. The queue takes its own reference. */
TP_API tp_status tp_session_queue(tp_session *session, tp_msg *msg);

/* Queue a message of the front before all messages that are not sealed. */
TP_API tp_status tp_session_queue_first(tp_session *session, tp_msg *msg);

/* Queue the refusal of a request. A PANIC is never refused: it stops everything, whatever is wrong
 * with it, and is acknowledged. */
TP_API tp_status tp_session_refuse(tp_session *session, const tp_msghdr *request, tp_status code,
                                   const char *text);

/* Add one of Player's replace rules. The first rule that matches decides; -1 matches any value.
 * Actions: 0 append, 1 replace, 2 ignore. */
TP_API tp_status tp_session_add_rule(tp_session *session, int32_t interf, int32_t index,
                                     int32_t type, int32_t subtype, int32_t action);

/* The number of messages in the queue. */
TP_API uint32_t tp_session_waiting(const tp_session *session);

/* Whether replies are among them, which do not wait as data does (tp_session_flush_soon()). */
TP_API bool tp_session_has_replies(const tp_session *session);

/* Queue the callback that sends what waits for the client: at the end of this turn if it is
 * `urgent`, such as a reply, or later (tp_loop_after(), tp_loop_later()), so that data to thousands
 * of clients does not delay a reply to one. For a client that comes last it waits behind all others
 * (tp_loop_last()). */
TP_API void tp_session_flush_soon(tp_session *session, tp_after *flush, bool urgent);

/* Whether the client comes last: it is a guest that is not new. A front sends it a part of what
 * waits, with one gathered write, then lets others go on. */
TP_API bool tp_session_comes_last(tp_session *session);

/* Asked once at the beginning of that callback: whether it runs because a client that comes last
 * may go on with its messages. The front handles them, and leaves what it sends to the next
 * callback (tp_session_flush_soon()): messages are handled in the order of the budgets, whatever
 * waits to be sent. */
TP_API bool tp_session_only_reads(tp_session *session);

/* The i-th message of the queue; borrowed. */
TP_API tp_msg *tp_session_peek(const tp_session *session, uint32_t i);

/* Take the oldest message; the caller owns the reference. NULL if the queue is empty. */
TP_API tp_msg *tp_session_take(tp_session *session);

/* The oldest `n` messages were sent from where they are (tp_session_peek()): they leave the queue
 * and are counted (tp_session_count_sent()). */
TP_API void tp_session_sent(tp_session *session, uint32_t n);

/* Seal the oldest `n` messages: they are no longer replaced or dropped. */
TP_API void tp_session_seal(tp_session *session, uint32_t n);

/* The number of sealed messages. */
TP_API uint32_t tp_session_sealed(const tp_session *session);

/* Whether only the newest data of each kind waits: for a client that reads too slowly for now.
 * Older data leaves the queue, except for sealed messages, and counts as dropped. */
TP_API void tp_session_keep_newest(tp_session *session, bool on);

/* The number of messages that were dropped because the client was too slow. */
TP_API uint64_t tp_session_dropped(const tp_session *session);

/* Report that the client has taken a part of the oldest message: it reads slowly, and drivers in
 * lockstep keep waiting for it. tp_session_take() and tp_session_sent() report it, too. */
TP_API void tp_session_goes_on(tp_session *session);

/* Switch pull mode: the client receives data when it asks for it (DATA), and no driver waits for
 * the client to read. The service DATAMODE calls it. */
TP_API void tp_session_set_pulls(tp_session *session, bool on);

/* Seals the messages that may go out now: in push mode all of them; in pull mode those up to the
 * last reply and, once for each DATA request, all data that waits, with a SYNCH behind it. A front
 * calls it once per turn before it takes what is sealed. */
TP_API void tp_session_release(tp_session *session);

/* ---- What a front is ------------------------------------------------------------------------- */

/* Changes when a compiled front would no longer fit this header. */
enum { TP_FRONT_ABI = 5 };

/* A front that is open at one address. */
typedef struct tp_front_instance tp_front_instance;

/* The place of an instance: its address, and the robot that it serves. Texts are borrowed as long
 * as the instance. */
typedef struct tp_front_place {
    const char *address; /* "tcp:127.0.0.1:9665", "udp:[::1]:6665", "unix:/run/troupe": its scheme
                            is one of the front's; port 0 is any free port */
    uint32_t robot;      /* the robot that it serves, or TP_EVERY_ROBOT */
    tp_reach reach;      /* the origin of its clients */
    int patience_s;      /* time until a vanished client is closed; 0 for the default */
} tp_front_place;

enum { TP_PATIENCE_ENDLESS = -1 };

enum {
    /* One instance serves one robot. The server opens one for each robot, on the port that is the
     * robot's number. Without this flag one instance on the front's own port serves all robots. */
    TP_FRONT_PER_ROBOT = 1,
    /* It is opened only if the configuration has a section for it, or as `usual_for` says. Without
     * this flag a front of the kit is opened by default. */
    TP_FRONT_NAMED = 2,
};

/* The one symbol that a front exports: tp_front_NAME. */
typedef struct tp_front {
    uint32_t abi; /* TP_FRONT_ABI; checked before anything else is looked at */
    const char *name;
    const char *summary;
    size_t state_size;
    const char *const *schemes; /* ended by NULL: "tcp", "udp", "unix" */
    unsigned port;              /* the default port; not used with TP_FRONT_PER_ROBOT */
    const tp_param *params;     /* as those of drivers; ended by a NULL name; may be NULL */
    /* Read and check the parameters; opens nothing, and takes nothing that has to be released.
     * Called before each open, and without one by `troupe check`. Optional. */
    tp_status (*check)(tp_front_instance *self, tp_error *err);
    /* Listen. Does not wait, except for the look-up of a host's name.
     * TP_E_EXISTS if the address is taken, as tp_listener_open() says it. Required. */
    tp_status (*open)(tp_front_instance *self, tp_error *err);
    /* Close all clients and release what open took. When it returns the address is free. Follows
     * every open, also one that failed. Required. */
    void (*close)(tp_front_instance *self);
    /* The port that an open instance listens on; 0 for a unix socket. Required. */
    unsigned (*bound)(const tp_front_instance *self);
    unsigned flags;
    /* The interface of the devices that the front is made for; "" for all devices. A server whose
     * owner wants the usual fronts (tp_server_options) and that has such a device opens the front
     * also without a section. If its port is taken and no section names one, it gets the next free
     * one. NULL: the front needs a section and its port. */
    const char *usual_for;
    /* How the address of an open instance begins in a browser: "http" or "https". Optional: a front
     * without it has no page. */
    const char *(*page)(const tp_front_instance *self);
} tp_front;

/* The front's own memory, zeroed before open. */
TP_API void *tp_front_state(const tp_front_instance *self);

TP_API tp_hub *tp_front_hub(const tp_front_instance *self);
TP_API tp_loop *tp_front_loop(const tp_front_instance *self);
TP_API const tp_front_place *tp_front_where(const tp_front_instance *self);

/* A session for a client of the instance: with the devices of its robot, the reach of its place,
 * and `peer` as the client's name (tp_stream_peer(), tp_peer_print()), which also decides whether
 * the client is on this machine. The caller destroys it, at the latest in close. */
TP_API tp_status tp_front_session(tp_session **out, const tp_front_instance *self, const char *peer,
                                  const tp_session_limits *limits, const tp_session_events *events,
                                  void *context, tp_error *err);

/* Whether the client with this name is on this machine: "127.0.0.1:51234", "[::1]:51234" or "unix".
 */
TP_API bool tp_front_is_local(const char *peer);

/* Make room for one more client when the front has no place left: the client of least standing is
 * lost (`lost`), and its place is free at the end of the turn. Least standing: a client that has
 * not sent a message; then one without a key and without an open device; then one that only reads;
 * each time the oldest one of the host with the most of them. Up to 16 clients of this machine are
 * closed only if there is no such client of another one. The framework does the same when file
 * descriptors are scarce, and closes a client beyond this machine that has sent no message for a
 * minute. Returns false if all clients have a key, or a right to more than reading and a device
 * open. */
TP_API bool tp_front_make_room(const tp_front_instance *self);

/* A parameter that is declared in the table: its value, or its fallback. Of tuples the first. The
 * configuration is checked before open, as that of drivers. Texts are borrowed as long as the
 * instance. */
TP_API const char *tp_front_string(const tp_front_instance *self, const char *name);
TP_API double tp_front_double(const tp_front_instance *self, const char *name);
TP_API int64_t tp_front_int(const tp_front_instance *self, const char *name);
TP_API bool tp_front_bool(const tp_front_instance *self, const char *name);

/* Whether the configuration has it, how many values it has, and one of them. */
TP_API bool tp_front_given(const tp_front_instance *self, const char *name);
TP_API size_t tp_front_count(const tp_front_instance *self, const char *name);
TP_API const char *tp_front_string_at(const tp_front_instance *self, const char *name, size_t i);
TP_API double tp_front_double_at(const tp_front_instance *self, const char *name, size_t i);

/* Which parameter an error of check or open is about: the error then has the line and column of
 * that parameter. `name` is kept until the operation returns. */
TP_API void tp_front_blame(tp_front_instance *self, const char *name);

/* Report something unusual that is not a failure to the operator. The text is copied. */
TP_API void tp_front_note(const tp_front_instance *self, const char *text);

/* Bytes that nobody can guess, at most 256: for names of clients that others must not know. TP_E_IO
 * if the system has none. */
TP_API tp_status tp_front_random(void *bytes, size_t length);

/* A kind of line to hardware that ports can be opened on. */
typedef struct tp_scheme tp_scheme;

/* Servers in the program, for clients with an `inproc:` URL: &tp_inproc of the library
 * troupe-server (server.h). */
typedef struct tp_inproc_ops tp_inproc_ops;

/* What a program is made of. Each list ends with NULL; `schemes`, `inproc` and `learn` may be NULL.
 */
typedef struct tp_kit {
    const tp_driver *const *drivers;
    const tp_front *const *fronts;
    const tp_scheme *const *schemes; /* in addition to serial and script */
    const tp_inproc_ops *inproc;     /* NULL: clients cannot open `inproc:` URLs */
    /* Loads the interfaces that only the server at `url` knows. Called by the thread that reads a
     * configuration. Waits for some seconds at most. NULL: other servers cannot be asked. */
    tp_status (*learn)(tp_catalogue *into, const char *url, tp_error *err);
} tp_kit;

#ifdef __cplusplus
}
#endif
#endif
