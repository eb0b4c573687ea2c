/*
 * model.h - what the documents promise about rights, keys, leases, ranks, exclusive access and
 * panic, as a program.
 *
 * It follows docs/guide/safety.md, docs/reference/configuration.md, docs/reference/protocol.md and
 * include/troupe/front.h, and uses nothing of the server. verbs_test.c compares both.
 */
#ifndef TROUPE_TESTS_VERBS_MODEL_H
#define TROUPE_TESTS_VERBS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "troupe/clock.h"
#include "troupe/interfaces/player.h"

enum { MODEL_CLIENTS = 4, MODEL_DEVICES = 4, MODEL_KEYS = 4, MODEL_NO_KEY = -1, MODEL_NOBODY = -1 };

/* ---- The scene ------------------------------------------------------------------------------- */

/* Three of the devices move something. */
typedef struct model_device {
    const char *address;
    bool moves;
    int64_t lease_ns; /* of the configuration: 0 for none there, -1 for no limit */
    bool ranked;      /* has the writer sections of model_writers */
} model_device;
extern const model_device model_devices[MODEL_DEVICES];

/* A writer section; NULL for any. */
typedef struct model_writer {
    const char *client; /* a whole name here */
    const char *key;
    const char *host;
    int32_t rank;
    int64_t hold_ns;
} model_writer;
enum { MODEL_WRITERS = 3 };
extern const model_writer model_writers[MODEL_WRITERS];

/* What clients are when they come. */
typedef enum model_origin { MODEL_NETWORK, MODEL_UNIX, MODEL_LOOPBACK } model_origin;
typedef struct model_profile {
    const char *software;
    const char *host;
    model_origin origin;
    bool local;
    bool renews; /* it renews its leases by itself */
} model_profile;
enum { MODEL_PROFILES = 6 };
extern const model_profile model_profiles[MODEL_PROFILES];

/* The keys, which a client shows by number; the number behind the last one is a wrong key. */
typedef struct model_key {
    const char *name;
    const char *secret;
} model_key;
extern const model_key model_keys[MODEL_KEYS];

/* A configuration of the keys: the right of each, -1 if it is not in the file. */
typedef struct model_access {
    bool controlled; /* has `keys` or `key_file` */
    bool open;
    int rights[MODEL_KEYS];
} model_access;
enum { MODEL_ACCESSES = 6 };
extern const model_access model_accesses[MODEL_ACCESSES];

tp_right model_guest(const model_access *access, model_origin origin);

/* ---- Verbs ----------------------------------------------------------------------------------- */

typedef enum verb_kind {
    VERB_ENTER, /* number: the profile */
    VERB_LEAVE,
    VERB_OPEN, /* number: the access mode */
    VERB_CLOSE,
    VERB_MOVE,  /* number: for how many milliseconds it is valid; 0 for no limit */
    VERB_SET,   /* what changes something and moves nothing */
    VERB_ASK,   /* what changes nothing */
    VERB_HALT,  /* everybody may */
    VERB_LEASE, /* number: the lease in milliseconds, -1 for none asked; rank: the rank */
    VERB_RANK,  /* number: the rank */
    VERB_PANIC,
    VERB_RESET,  /* number: 0 the panic that is on, 1 one that is over */
    VERB_KICK,   /* number: the other client */
    VERB_SHOW,   /* number: a key */
    VERB_KEYS,   /* number: the configuration */
    VERB_WAIT,   /* number: milliseconds */
    VERB_SWITCH, /* what can move hardware and leaves no motion: motor power */
    VERB_COUNT,
} verb_kind;

typedef struct verb {
    verb_kind kind;
    int client;
    int device;
    int number;
} verb;

/* ---- The model ------------------------------------------------------------------------------- */

/* Why a verb is refused; a verb that several of them fit may be refused for any of them. */
enum {
    MODEL_DENIED = 1,
    MODEL_PANIC = 2,
    MODEL_LIMIT = 4,
    MODEL_UNSUPPORTED = 8,
    MODEL_INVALID = 16,
    MODEL_ANY = 32, /* nothing is promised about the answer */
};

typedef struct model_opening {
    unsigned access;  /* 0: not open */
    int64_t lease_ns; /* that it has asked for; 0 for the usual one */
    bool lowered;
    int32_t rank; /* that it has asked for, if `lowered` */
} model_opening;

typedef struct model_client {
    bool here;
    int profile;
    int key;
    int64_t heard_ns;
    unsigned wrong;
    int64_t next_try_ns;
    model_opening openings[MODEL_DEVICES];
} model_client;

typedef struct model_motion {
    int mover;       /* whose command was the last; MODEL_NOBODY if it is gone */
    int64_t said_ns; /* when */
    int32_t rank;    /* of that command */
    int64_t hold_ns;
    int64_t valid_ns; /* 0 for no limit */
    unsigned speed;   /* number of the command that moves the device; 0 if it stands */
    int holder;       /* the client with exclusive access */
} model_motion;

typedef struct model {
    int64_t now_ns;
    int access;
    model_client clients[MODEL_CLIENTS];
    model_motion motions[MODEL_DEVICES];
    bool panic;
    int raiser;
    unsigned commands; /* that were sent to devices */
} model;

void model_begin(model *m);

/* Whether the verb can be said now: a client that is not there says nothing. */
bool model_fits(const model *m, const verb *v);

/* Says the verb, and lets what follows happen. Returns 0 if it is accepted, or the reasons. */
unsigned model_say(model *m, const verb *v);

tp_right model_right(const model *m, int client);

/* The lease of the client on the device; 0 or less for no limit. */
int64_t model_lease_ns(const model *m, int client, int device);

/* The rank of the client on the device, and its hold time. */
int32_t model_rank(const model *m, int client, int device, int64_t *hold_ns);

/* Whether the holder was silent for too long. */
bool model_holder_is_silent(const model *m, int device);

/* The time until the device stops if its mover stays silent; 0 without one or without a limit. */
int64_t model_lease_left_ns(const model *m, int device);

#endif
