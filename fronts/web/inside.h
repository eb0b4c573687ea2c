/*
 * inside.h - the state of the web front, for the files of this folder.
 *
 *     front.c        the table of the front: parameters, opening and closing, its clock
 *     connection.c   bytes of a stream to requests and frames; who gets a place
 *     http.c         one HTTP request: is it allowed, who answers it
 *     api.c          the paths below /api
 *     api_device.c   those about one device: read, command, request, properties
 *     visitor.c      clients of HTTP, which exist from one request to the next
 *     socket.c       WebSocket: the upgrade, frames in
 *     speak.c        what WebSocket clients say in text
 *     deliver.c      everything that goes out, in its order; data of the sessions
 *     client.c       the beginning and the end of a client
 *     service.c      requests as services; answers
 *     parameter.c    properties as parameters: what clients ask
 *     watched.c      parameters whose changes clients hear of
 *     reading.c      asking devices for properties (reading.h)
 *     publish.c      commands that WebSocket clients publish, and their channels
 *     subscribe.c    subscriptions, and data for them
 *     graph.c        the connection graph
 *     directory.c    the list of devices, and its changes
 *     tell.c         what WebSocket clients are told of devices, and of changes
 *     advertise.c    what is advertised of devices (advertise.h)
 *     devices.c      devices by number, address, name and topic
 *     stop.c         the emergency stop and its confirmation
 *     world.c        the time of a simulated world
 *     grid.c         maps as OccupancyGrid
 *     lab.c          experiments, as phyphox has them
 *     lab_control.c  starting, stopping and setting them
 *     send.c         messages to devices and to the server
 *     use.c          the devices that a client has open, and what waits for an opening
 *     session.c      the sessions of a client, and their events
 *     call.c         requests that were not answered yet
 *     answer.c       answers of HTTP as bytes
 *     output.c       bytes of the front and frames for many clients
 *     tls.c          TLS between a stream and a connection (tls.h)
 *     greetings.c    whose greeting of TLS makes its next step
 *     turn.c         what is put off to the end of a turn
 *
 * A file calls those below it; upwards there are the two functions of struct upwards.
 *
 * A connection has a session of its own, its door: what it costs is counted there. A WebSocket
 * client is the client of its connection's door. Clients of HTTP (visitors) have sessions of their
 * own, since one curl command is one connection.
 */
#ifndef TROUPE_FRONTS_WEB_INSIDE_H
#define TROUPE_FRONTS_WEB_INSIDE_H

#include "base/buf.h"
#include "base/json.h"
#include "texts.h"
#include "troupe/front.h"
#include "troupe/stream.h"
#include "web/encode.h"
#include "web/frame.h"
#include "web/gate.h"
#include "web/grid.h"
#include "web/host/files.h"
#include "web/ros.h"
#include "web/say.h"

enum {
    READ_SIZE = 65536, /* what is read at once, shared by all connections */
    GUEST_SIZE = 8192, /* the same, of a client that may only send short messages */
    MOST_CLIENTS = 10000,
    MOST_BODY = 1 << 20,
    MOST_WRITTEN = 64 << 10, /* so much of what is long is sent before others may go on */
    MOST_OUT = 64 << 10,     /* no more is handled of a client while so many bytes wait for it */
    MOST_SUBSCRIPTIONS = 1024,
    MOST_CHANNELS = 256,
    MOST_CALLS = 64,
    MOST_USES = 1024,
    MOST_USES_OF_GUESTS = 32 << 10, /* of all that may only read together, */
    FEW_USES = 32,                  /* but for so many of each */
    MOST_PENDING = 64,              /* messages that wait for the opening of a device */
    MOST_NOTES = 64,
    MOST_GREETINGS = 64, /* of TLS that have begun */
    SUB_BUCKETS = 64,
    CHANNELS_OF_DEVICE = 1024, /* ids of channels; each further form begins 256 later */
    FORM_SIZE = 256,
    GRID_CODE = 255, /* of the channel of a map that has the whole map in JSON */
    SERVICES_OF_DEVICE = 256,
    HOST_NAME = 64,
    SECRET = 128,
    CLIENT_NAME = 65,
};

/* In which form data goes out. */
enum form { FORM_JSON, FORM_CDR, FORM_SECOND, FORMS };

struct connection;
struct client;
struct reading;
struct tpi_lab;
struct web_front;

/* ---- Devices (directory.c) ------------------------------------------------------------------- */

/* A device that there is, or was. Its number is its place in the list and one more. */
struct web_device {
    tp_devaddr addr;
    const tp_interface *interface; /* borrowed */
    bool present;
    bool told;    /* those that have been told of devices know of it (tell.c) */
    bool changes; /* the round that is under way tells that it is there, or gone */
};

/* ---- Clients --------------------------------------------------------------------------------- */

/* A message that waits for the opening of a device. */
struct pending {
    struct pending *next;
    tp_msg *msg;            /* owned reference */
    const tp_message *what; /* borrowed */
    tp_origin origin;
};

/* A device that a client has open, in one form. */
struct use {
    struct use *next;
    tp_devaddr addr;
    enum form form;
    unsigned readers, writers; /* what needs it to read, and to write */
    bool reading, writing;     /* it is open */
    bool opening_read, opening_write;
    double rate;
    int64_t used_ns;         /* when a call or parameter needed it last; 0 for never */
    bool wrote;              /* such a call has needed it to write */
    bool moved;              /* a WebSocket client has moved something with it: it stays open */
    struct pending *pending; /* owned: wait for the opening, the oldest first */
    unsigned pending_count;
};

struct subscription {
    struct subscription *next; /* in its bucket */
    uint32_t id, channel;
    tp_devaddr addr;
    uint8_t code;
    enum form form;
    unsigned version; /* of the grid that was sent last */
};

/* A topic that a WebSocket client publishes commands on. */
struct channel {
    struct channel *next;
    uint32_t id;
    tp_devaddr addr;
    const tp_message *what; /* borrowed; NULL if no device takes commands on its topic */
    bool twist;             /* geometry_msgs/msg/Twist instead of the command's own value */
    bool cdr;
};

typedef enum call_kind {
    CALL_NONE,
    CALL_SERVICE,
    CALL_HTTP,     /* the answer is the body */
    CALL_LIST,     /* GET_PROPERTIES of a reading of parameters */
    CALL_PROPERTY, /* one GET_...PROP of it */
    CALL_SET,      /* one SET_...PROP */
} call_kind;

/* A request that was not answered yet; its place is the seq of the message. */
struct call {
    call_kind kind;
    uint32_t service, id;
    struct connection *waits; /* borrowed, of CALL_HTTP; NULL if it has gone */
    struct reading *reading;  /* borrowed, of properties */
    unsigned item;
    int64_t began_ns;
};

/* The newest data of a visitor's device. */
struct newest {
    struct newest *next;
    tp_msg *msg; /* owned reference */
};

struct client {
    struct web_front *front; /* borrowed */
    struct client *next, *previous;
    struct connection *connection; /* borrowed; NULL for a visitor */
    tp_session *sessions[FORMS];   /* owned; but the first, NULL until they are needed */
    tp_after drain;                /* of a visitor: takes what its session has queued */
    bool lost;
    bool leases;
    struct use *uses; /* owned */
    unsigned use_count;
    tp_error failed;  /* why one of them could not be opened last */
    bool has_no_room; /* its message was refused a use for want of room */
    struct subscription *subscriptions[SUB_BUCKETS]; /* owned */
    unsigned subscription_count;
    unsigned grid_count;      /* of them, grids of maps */
    struct channel *channels; /* owned */
    unsigned channel_count;
    struct call calls[MOST_CALLS];
    unsigned call_count;
    bool watches_graph, watches_frames;
    bool lacks_graph;         /* it has not got the last one */
    struct watched *watched;  /* owned: parameters that it hears of */
    struct reading *readings; /* owned */

    /* Of a visitor. */
    struct newest *newest; /* owned */
    char host[HOST_NAME];
    char secret[SECRET];
    char name[CLIENT_NAME];
    unsigned connections; /* that use it */
    int64_t used_ns;
};

/* ---- Connections ----------------------------------------------------------------------------- */

/* A WebSocket that was greeted is introduced to the devices when its session has time for that. */
enum phase { PHASE_HTTP, PHASE_GREETED, PHASE_SOCKET, PHASE_STOP };

/* What an HTTP request waits for. */
enum waiting {
    WAITS_NOT,
    WAITS_CALL,
    WAITS_DATA,
    WAITS_STOP,
    WAITS_PROPERTIES,
    WAITS_FILE,
    WAITS_SENT, /* until its file has gone out */
    WAITS_LAB,
    WAITS_THINGS
};

#define SCOUTED_ALL SIZE_MAX /* until the next request is done with */

/* What has come of a connection and is not handled. */
struct incoming {
    unsigned char *held; /* owned; what has come and is not handled; NULL if there is none */
    size_t length, capacity;
    size_t fragments; /* bytes that a message in several frames takes */
    size_t scouted;   /* where the next request is that nobody has looked at for a panic */
    size_t acted;     /* up to there, requests are done with that have raised one */
};

/* A frame for many clients that waits for one. */
struct queued_note {
    struct note *note;                    /* owned reference */
    uint8_t head[TPI_FRAME_HEAD + 1 + 4]; /* what stands before it for this client */
    unsigned head_length;
};

struct notes_behind {
    struct queued_note notes[MOST_NOTES]; /* whole frames behind `out` */
    unsigned count;
    size_t sent; /* of the first */
};

/* The HTTP request that is being answered. */
struct http_state {
    enum waiting waiting;
    bool head_only, closes, continued, takes_gzip;
    tpi_web_file *file; /* borrowed: that is being prepared for it */
    tp_devaddr addr;
    int code;        /* of the data that is waited for; -1 for any */
    bool whole;      /* all data of the device is the answer */
    bool results;    /* the answer is whether it was done */
    char query[256]; /* of a request that waits: of phyphox's; which part of the data; the host */
    int64_t until_ns;
    int64_t began_ns;
};

/* The confirmation of an emergency stop. */
struct stop_state {
    bool owed; /* a confirmation */
    int64_t began_ns;
    bool told;            /* that it is not complete */
    struct owed *drivers; /* owned: those that did not stop at once, and when they had */
};

struct connection {
    struct web_front *front; /* borrowed */
    struct connection *next, *previous;
    tp_stream *stream;      /* owned */
    struct tls *tls;        /* owned; NULL without TLS */
    struct client *door;    /* owned: its own session */
    struct client *visitor; /* borrowed; of its last HTTP request, NULL for none */
    tp_after flush;         /* writes, resumes, closes */
    enum phase phase;
    bool paused;    /* not read from */
    bool blocked;   /* the stream takes no more for now */
    bool ending;    /* to be closed at the end of the turn */
    bool dismissed; /* by its session: what waits is still sent */
    bool finishing; /* to be closed when everything is written */
    size_t typical; /* length of a frame of data, lately */
    int64_t
        behind_ns;   /* no data has waited for longer than since then; 0 if the stream takes all */
    bool brief;      /* advertises without schemas */
    bool has_waited; /* to be introduced, for a whole round */
    int64_t heard_ns;

    struct incoming in;
    tpi_buf out;   /* bytes of the front */
    size_t sent;   /* of them */
    tp_piece file; /* borrowed: what is left of a file behind `out`; the front keeps its files */
    struct notes_behind behind;

    struct http_state http;
    struct wslay_event_context *socket; /* owned; NULL in PHASE_HTTP */
    const uint8_t *frame;               /* borrowed: what wslay reads */
    size_t frame_left;
    struct stop_state stop;
};

/* The state of an instance of the front. */
/* Following the time of a world. */
struct world_watch {
    tp_session *session; /* owned; NULL while nobody follows the world */
    tp_after drain;
    tp_devaddr addr;
    bool open, asked, lost;
    double time; /* that clients were told last */
};

/* How many connections there may be. */
struct places {
    uint32_t most, per_host;
};

/* Maps that clients watch, and experiments: the front reads them once for all. */
struct grid_watch {
    struct lab *labs;   /* owned; experiments */
    struct grid *first; /* owned */
    unsigned version;   /* given to the last one that was fetched */
};

/* For files below service.c and use.c. */
struct upwards {
    /* A request failed before it was sent. */
    void (*call_failed)(struct client *client, struct call *call, tp_status status,
                        const char *text);
    /* A panic is over. */
    void (*drop_pending)(struct client *client);
};

/* Greetings of TLS. */
struct greetings {
    struct connection *first;                 /* borrowed list: wait for a step of their greeting */
    struct connection *begun[MOST_GREETINGS]; /* borrowed: OpenSSL has a state of these; the
                                                 oldest first */
    unsigned begun_count;
    bool of_begun; /* the last step was for those */
    tp_after step; /* makes one */
};

struct web_front {
    tp_front_instance *instance; /* borrowed: the front is its state */
    tp_loop *loop;               /* borrowed */
    tp_listener *listener;       /* owned */
    unsigned char *shared;       /* owned: READ_SIZE bytes */
    struct places places;
    const char **hosts, **origins; /* owned; the texts are the configuration's */
    tpi_gate gate;
    struct upwards up;
    tpi_web_files files;
    tp_after prepare; /* packs files that are waited for */
    tp_timer *tick;   /* owned: ten times a second while somebody is connected */
    bool ticking;
    tp_timer *watch; /* owned: while a stop is not confirmed */
    char session_id[17];
    bool secure;            /* TLS */
    struct ssl_ctx_st *tls; /* owned; NULL without TLS */
    unsigned char *raw;     /* owned: READ_SIZE bytes that come, with TLS */
    struct greetings greetings;

    struct connection *connections; /* owned; the newest first */
    size_t count;
    struct client *visitors; /* owned */

    struct web_device *devices; /* owned */
    size_t device_count, device_capacity;
    unsigned changes; /* of the list of devices, as it was seen last */
    bool listed;
    struct making making;
    struct round round;
    struct texts texts;
    struct graph graph;

    struct world_watch world;
    struct grid_watch grids;
};

static inline int64_t front_now(const struct web_front *front)
{
    return tp_clock_now_ns(tp_loop_clock(front->loop));
}

static inline bool front_is_current(const struct web_front *front)
{
    return tp_loop_is_current(front->loop);
}

static inline const tp_catalogue *front_catalogue(const struct web_front *front)
{
    return tp_hub_catalogue(tp_front_hub(front->instance));
}

/* Whether the client may not write. */
static inline bool only_reads(const struct client *client)
{
    return tp_session_right(client->sessions[FORM_JSON]) <= TP_RIGHT_READ;
}

static inline bool same_address(const tp_devaddr *a, const tp_devaddr *b)
{
    return a->robot == b->robot && a->interf == b->interf && a->index == b->index;
}

/* ---- connection.c ---- */

tp_status tpi_web_listen(struct web_front *front, const char *address, tp_error *err);
void tpi_web_close(struct connection *c);

/* turn.c: there is a connection; the front ticks from now on. */
void tpi_web_somebody_came(struct web_front *front);

/* Close it when this turn is over; nothing more is read. */
void tpi_web_give_up(struct connection *c);

/* Write soon; what many clients get can wait. */
void tpi_web_flush(struct connection *c);
void tpi_web_flush_later(struct connection *c);

/* A client with a session of its own; NULL without memory or place. */
struct client *tpi_web_client_create(struct web_front *front, const char *peer);
void tpi_web_client_destroy(struct client *client);

/* session.c: how data of a form is encoded. */
const tp_encoding *tpi_web_encoding(enum form form);

/* The first session of a client, and a second one for data in another form. */
tp_status tpi_web_session_begin(struct client *client, const char *peer, tp_error *err);
tp_status tpi_web_client_add_form(struct client *client, enum form form, tp_error *err);

/* ---- output.c ---- */

/* How many bytes of the front wait, those of a file too. */
size_t tpi_web_waiting(const struct connection *c);

/* Report to the session how many that are. */
void tpi_web_count_waiting(struct connection *c);

/* Whether everything of the front has gone out. */
bool tpi_web_has_written(const struct connection *c);

/* Append a whole text frame. */
void tpi_web_text(struct connection *c, const char *text, size_t length);

/* Append the head of a binary frame of `length` bytes, and return the buffer for them. */
tpi_buf *tpi_web_binary(struct connection *c, size_t length);

/* Send a frame for many clients behind all others; takes a reference of its own. */
void tpi_web_send_note(struct connection *c, struct note *note);

/* The same for data that all subscribers share: the note is the stamp and the value. */
void tpi_web_send_data(struct connection *c, uint32_t subscription, struct note *note);

/* Write some bytes; how many were taken. The connection is blocked if not all were. */
size_t tpi_web_put(struct connection *c, const tp_piece *pieces, unsigned count, size_t length);

/* Write bytes of the front, or of the first frame for many clients, at most MOST_WRITTEN; how many
 * were taken. */
size_t tpi_web_write_out(struct connection *c);
size_t tpi_web_write_note(struct connection *c);

/* Write what waits, as far as the stream takes it. */
void tpi_web_write(struct connection *c);

/* Data waits for a client whose stream takes no more: called when more comes, and by the tick. */
void tpi_web_behind(struct connection *c);

/* ---- http.c ---- */

/* Handle the first request of `bytes`; how many bytes it took, 0 if it is not whole. `*needed` is
 * its length, as far as it is known. */
size_t tpi_web_http(struct connection *c, const char *bytes, size_t length, size_t *needed);

/* Whether the request at `bytes` must not wait: it is a stop, has a key, or upgrades to a WebSocket
 * that may show one, of a new client. */
bool tpi_web_http_is_urgent(const struct connection *c, const char *bytes, size_t length);

/* Raise a panic if one of the requests at `bytes`, which wait or are not whole, asks for it. */
void tpi_web_http_look(struct connection *c, const char *bytes, size_t length);

/* Answer the request with JSON. */
void tpi_web_answer(struct connection *c, int status, const char *json, size_t length);

/* It was done: {"result":true}. */
void tpi_web_answer_result(struct connection *c);

/* The same with any media type; `more` are further headers, each with its CR LF. */
void tpi_web_answer_as(struct connection *c, int status, const char *type, const char *more,
                       const void *body, size_t length);

/* The same with a file, which is sent from where it is: many clients may wait for one. The next
 * request is handled when it has gone out. */
void tpi_web_answer_file(struct connection *c, const char *type, const char *more,
                         const tpi_buf *file);
void tpi_web_refuse_method(struct connection *c, const char *allow);

/* Answer it with an error. */
void tpi_web_refuse(struct connection *c, int status, const char *code, const char *text);
void tpi_web_refuse_status(struct connection *c, tp_status status, const char *text);

/* It waits for something until this time; then the next request is handled. */
void tpi_web_http_wait(struct connection *c, enum waiting waiting, double seconds);

/* The work of web_front.prepare. */
void tpi_web_prepare_files(tp_after *after);

/* A time limit has passed. */
void tpi_web_http_tick(struct connection *c, int64_t now_ns);

/* ---- api.c, api_device.c ---- */

/* Raise a panic, with the reason of the body if there is one. It is not answered. */
void tpi_web_api_panic(struct connection *c, const char *body, size_t length);

/* A path below /api. */
void tpi_web_api(struct connection *c, const tpi_http *request, const char *body, size_t length);

/* ---- wot.c ---- */

/* Answer a path below /.well-known/wot: Thing Descriptions (wot.c). */
void tpi_web_wot(struct connection *c, const tpi_http *request);

/* The channels of the sensors have not come in time: the answer is without them. */
void tpi_web_wot_late(struct connection *c);

/* `parts` are behind /api/devices/DEVICE. */
struct api_call {
    const tpi_http *request;
    const char *body;
    size_t length;
    char parts[6][96];
    unsigned count;
};
void tpi_web_api_device(struct connection *c, const struct api_call *call);

/* Data has come for a visitor: a request that waits for it is answered. */
void tpi_web_api_data(struct client *visitor, const tp_msg *msg);

/* A request was answered, or refused. */
void tpi_web_api_answer(struct connection *c, const tp_msg *msg);
void tpi_web_api_refuse(struct connection *c, tp_status status, const char *text);

/* The visitor that a request is from; it is answered if there is none. */
struct client *tpi_web_visit(struct connection *c, const tpi_http *request);
/* All requests of the connection that can be handled now are handled. */
void tpi_web_visitor_rests(struct connection *c);
void tpi_web_visitor_leave(struct connection *c);
void tpi_web_visitors_tick(struct web_front *front, int64_t now_ns);
void tpi_web_visitors_clear(struct web_front *front);

/* ---- socket.c ---- */

/* Become a WebSocket; the request is answered. */
void tpi_web_upgrade(struct connection *c, const tpi_http *request);

/* Handle the first frame of `bytes`, as tpi_web_http(). */
size_t tpi_web_frame(struct connection *c, const uint8_t *bytes, size_t length, size_t *needed);

/* Introduce a WebSocket that was greeted, if its session has time for that. Asked again when the
 * session is ready, and before each frame. */
void tpi_web_socket_go_on(struct connection *c);

/* Whether the frame at `bytes` must not wait: it is the first panic, or shows the key of a new
 * client. */
bool tpi_web_socket_is_urgent(const struct connection *c, const uint8_t *bytes, size_t length);

/* Tell the client something: level 0 note, 1 warning, 2 error. */
void tpi_web_status(struct connection *c, int level, const char *format, ...) TP_PRINTF(3, 4);

/* ---- speak.c, publish.c ---- */

void tpi_web_speak(struct connection *c, const char *text, size_t length);
void tpi_web_advertise(struct client *client, const tpi_say_item *item);
void tpi_web_unadvertise(struct client *client, uint32_t id);
void tpi_web_publish(struct client *client, uint32_t id, const uint8_t *bytes, size_t length);
void tpi_web_channels_clear(struct client *client);

/* ---- service.c ---- */

void tpi_web_call(struct client *client, const uint8_t *bytes, size_t length);

/* Whether the call of a service is a PANIC, also if it is too short to be a call. */
bool tpi_web_calls_panic(const uint8_t *bytes, size_t length);

/* A free place for a request; NULL if too many are under way. */
struct call *tpi_web_call_begin(struct client *client, call_kind kind);
uint32_t tpi_web_call_number(const struct client *client, const struct call *call);
void tpi_web_call_end(struct client *client, struct call *call);

/* What came back: an answer or a refusal. */
void tpi_web_answered(struct client *client, tp_msg *msg);

/* A request failed before it was sent. */
void tpi_web_call_failed(struct client *client, struct call *call, tp_status status,
                         const char *text);

/* Send a value, given as JSON, to a device: opened if needed. `seq` comes back with the answer. */
tp_status tpi_web_send_json(struct client *client, const tp_devaddr *addr, const tp_message *what,
                            const char *json, size_t length, uint32_t seq, tp_error *err);

/* The same with a value. */
tp_status tpi_web_send_value(struct client *client, const tp_devaddr *addr, const tp_message *what,
                             const void *value, uint32_t seq, tp_error *err);

/* A request of the interface `player`. */
tp_status tpi_web_serve_json(struct client *client, const tp_message *what, const char *json,
                             size_t length, uint32_t seq, tp_error *err);
bool tpi_web_serves(const tp_message *what);

/* ---- parameter.c ---- */

void tpi_web_parameters_get(struct client *client, tpi_say *said);
void tpi_web_parameters_set(struct client *client, tpi_say *said);
void tpi_web_parameters_watch(struct client *client, tpi_say *said, bool on);
void tpi_web_parameters_answered(struct client *client, struct call *call, const tp_msg *msg,
                                 const char *json, size_t length);
void tpi_web_parameters_failed(struct client *client, struct call *call, tp_status status,
                               const char *text);
void tpi_web_parameters_changed(struct client *client, const tp_devaddr *addr, const char *json,
                                size_t length);
void tpi_web_parameters_clear(struct client *client);

/* The property `channels` of devices: a text for each that has one. NULL: it has not come. */
typedef void web_channels(struct connection *c, const struct reading *reading);
tp_status tpi_web_channels_get(struct client *client, struct connection *c, const tp_devaddr *addrs,
                               size_t count, web_channels *done);

/* What a reading has of a device; "" for nothing. Until the reading ends. */
const char *tpi_web_channels_of(const struct reading *reading, const tp_devaddr *addr);

/* Of HTTP: all properties of one device, or setting one. */
tp_status tpi_web_properties_get(struct client *client, struct connection *c,
                                 const tp_devaddr *addr, tp_error *err);
tp_status tpi_web_property_set(struct client *client, struct connection *c, const tp_devaddr *addr,
                               const char *name, const char *json, size_t length, tp_error *err);

/* The connection of a visitor waits for nothing any more. */
void tpi_web_connection_forgotten(struct client *client, const struct connection *c);

/* ---- subscribe.c ---- */

void tpi_web_subscribe(struct client *client, const tpi_say_item *item);
void tpi_web_unsubscribe(struct client *client, uint32_t id);
void tpi_web_subscriptions_clear(struct client *client);

/* The subscription that data is for; NULL if there is none. */
const struct subscription *tpi_web_subscription(const struct client *client, enum form form,
                                                const tp_msghdr *header);

/* Data that is not for a subscription: a failure, a changed property, a panic. */
void tpi_web_note_data(struct client *client, tp_msg *msg);

/* Send the frames of reference to all clients that want them. */
void tpi_web_frames_tick(struct web_front *front);

/* ---- use.c ---- */

/* The device is needed to read or to write; NULL if there is none, with the reason. */
struct use *tpi_web_use(struct client *client, enum form form, const tp_devaddr *addr, bool write,
                        tp_error *err);

/* It is no longer needed for this. */
void tpi_web_unuse(struct client *client, struct use *use, bool write);

/* A call needs it for a while. */
struct use *tpi_web_use_briefly(struct client *client, const tp_devaddr *addr, bool write,
                                tp_error *err);
struct use *tpi_web_find_use(const struct client *client, enum form form, const tp_devaddr *addr);
/* Report that a message of a WebSocket client does not get a use. Of many that are too many, only
 * the first of a message is reported. */
void tpi_web_refuse_use(struct client *client, const char *what, const tp_error *why);
/* A panic is over: what waits for an opening and does more than read is refused. */
void tpi_web_use_drop_pending(struct client *client);
tp_status tpi_web_use_send(struct client *client, struct use *use, tp_msg *msg,
                           const tp_message *what, tp_error *err);
void tpi_web_use_rate(struct client *client, struct use *use, double rate);
void tpi_web_uses_clear(struct client *client);

/* The list of devices has changed: what is gone is closed, what has come back is opened. */
void tpi_web_uses_look(struct client *client);
void tpi_web_uses_tick(struct client *client, int64_t now_ns);

/* ---- directory.c ---- */

/* Look whether the list of devices has changed. */
void tpi_web_directory_look(struct web_front *front);
void tpi_web_directory_clear(struct web_front *front);

void tpi_web_put_devices(struct web_front *front, tpi_buf *out);

/* ---- devices.c ---- */

const struct web_device *tpi_web_device_numbered(const struct web_front *front, uint32_t number);

/* Also a device that is gone. `hint` is where it may be. */
struct web_device *tpi_web_find_device(const struct web_front *front, const tp_devaddr *addr,
                                       size_t hint);

/* By its address. `*number` (may be NULL) is a guess of its place before, and its number then. */
const struct web_device *tpi_web_device_at(const struct web_front *front, const tp_devaddr *addr,
                                           uint32_t *number);

/* By a name: "6665:position2d:0", "position2d:0". */
const struct web_device *tpi_web_device_named(const struct web_front *front, const char *name);

/* By a topic, "/6665/position2d/0/cmd/VEL"; `rest` is what stands behind the device. */
const struct web_device *tpi_web_device_topic(const struct web_front *front, const char *topic,
                                              const char **rest);

/* A message of a device: its interface's own, or a common one. */
const tp_message *tpi_web_message(const struct web_device *device, tp_kind kind, unsigned code);
const tp_message *tpi_web_message_named(const struct web_device *device, tp_kind kind,
                                        const char *name);

/* ---- world.c ---- */

bool tpi_web_has_world(const struct web_front *front);
void tpi_web_world_tick(struct web_front *front);
void tpi_web_world_leave(struct web_front *front);

/* ---- grid.c ---- */

/* Fetch maps that are subscribed to, send them, forget those that nobody wants. */
void tpi_web_grids_tick(struct web_front *front);
void tpi_web_grids_clear(struct web_front *front);

/* Whether a device has a channel for the whole map in JSON. */
bool tpi_web_has_grid(const tp_devaddr *addr);

/* A subscription was added or removed. */
void tpi_web_grid_counted(struct client *client, const struct subscription *s, bool added);

/* ---- lab.c ---- */

/* Whether the path is one of phyphox's; the answer to it. */
bool tpi_web_is_lab(tpi_span path);
void tpi_web_lab(struct connection *c, const tpi_http *request, const char *body);
void tpi_web_labs_clear(struct web_front *front);

/* lab_control.c: a command. Whether it changes a setting. */
bool tpi_web_lab_control(struct connection *c, struct tpi_lab *lab, const struct web_device *device,
                         tpi_span query);

/* ---- tls.c ---- */

/* Read certificate and key, if the front has them. */
tp_status tpi_web_tls_open(struct web_front *front, tp_error *err);
void tpi_web_tls_close(struct web_front *front);
bool tpi_web_tls_begin(struct connection *c);
void tpi_web_tls_end(struct connection *c);

/* Bytes have come into `raw`; false if the connection ends. */
bool tpi_web_tls_read(struct connection *c, size_t length);

/* The work of web_front.greetings: a step of a greeting. */
void tpi_web_tls_greet(tp_after *after);

/* Whether its greeting waits for that; and whether it has just ended: once true. */
bool tpi_web_tls_waits(const struct connection *c);
bool tpi_web_tls_greeted(struct connection *c);

/* Plain bytes of what has come; 0 for none, negative if the connection ends. */
long tpi_web_tls_take(struct connection *c, void *bytes, size_t length);

/* Encrypt and write; how many of the plain bytes were taken. */
size_t tpi_web_tls_write(struct connection *c, const tp_piece *pieces, unsigned count);

/* Write what was encrypted; false if the stream does not take all of it. */
bool tpi_web_tls_flush(struct connection *c);
size_t tpi_web_tls_waiting(const struct connection *c);

/* How many bytes OpenSSL holds for a record that has begun. */
size_t tpi_web_tls_unfinished(const struct connection *c);

/* How much is read at once, if it is usually `usual`. */
size_t tpi_web_tls_most(const struct connection *c, size_t usual);

/* Whether it was much work to decrypt what was read last. */
bool tpi_web_tls_has_worked(const struct connection *c);

/* ---- stop.c ---- */

/* Raise a panic for the request that is handled. If it has waited and raised one before, it raises
 * no other one after the end of that. */
void tpi_web_raise(struct connection *c, const char *why);

/* The same; the connection owes a confirmation then. */
void tpi_web_stop(struct connection *c, const char *why);
void tpi_web_stop_say(struct connection *c, const char *text, size_t length);

/* Whether the frame at `bytes` must not wait: it is the first panic, on a connection to stop. */
bool tpi_web_stop_is_urgent(const struct connection *c, const uint8_t *bytes, size_t length);

/* The state of the panic as JSON, with `op` if `op`. */
void tpi_web_put_panic(struct web_front *front, tpi_buf *out, bool op);

/* The connection ends. */
void tpi_web_stop_forget(struct connection *c);
void tpi_web_stop_tick(struct web_front *front);
void tpi_web_stop_told(struct connection *c);

#endif
