/*
 * identity.h - the identity of a client, and what it may do. How it gets its messages is
 * session.h's matter.
 *
 * An identity has names, a reach (where the client comes from) and perhaps a key. The keyring of
 * the server gives it rights. Everything here belongs to the loop.
 */
#ifndef TROUPE_SESSION_IDENTITY_H
#define TROUPE_SESSION_IDENTITY_H

#include "device/hub.h"
#include "troupe/front.h"

enum { TPI_KEY_NAME = 32, TPI_KEY_SECRET = 129, TPI_MOST_KEYS = 64 }; /* lengths with the NUL */

typedef struct tpi_key {
    char name[TPI_KEY_NAME];
    char secret[TPI_KEY_SECRET];
    tp_right right;
} tpi_key;

/* Who may do what. */
typedef struct tpi_access {
    const tpi_key *keys; /* copied */
    size_t key_count;
    tp_right guests[TP_REACH_COUNT]; /* clients without a key */
} tpi_access;

typedef struct tpi_identity tpi_identity;

/* The keys of a server, and all identities. */
typedef struct tpi_keyring {
    tpi_hub *hub;  /* borrowed */
    tpi_key *keys; /* owned */
    size_t key_count;
    tp_right guests[TP_REACH_COUNT]; /* clients without a key */
    uint64_t wrong_keys;             /* that clients have shown */
    tpi_identity *identities;        /* borrowed, newest first */
    uint32_t numbers;                /* that were given */
    uint32_t raiser;                 /* number of the client that raised the panic; 0 for others */
} tpi_keyring;

/* What only clients need that say what they are. */
struct tpi_identity_words {
    char software[64];
    char label[TPI_MOVER_LABEL];
};

struct tpi_identity {
    tpi_keyring *keyring;             /* borrowed */
    uint32_t number;                  /* unlike that of all others; from 1 */
    char name[64];                    /* where it comes from: "127.0.0.1:51234", "unix" */
    const char *software;             /* what it says it is; "", or in `words` */
    const char *label;                /* what others call it: `name`, or made of both in `words` */
    struct tpi_identity_words *words; /* owned; NULL for a client that says nothing */
    tp_reach reach;
    bool local; /* on this machine */

    /* keyring.c */
    const tpi_key *key;  /* borrowed from the keyring; NULL for none */
    bool challenged;     /* the nonce is good for one proof */
    uint8_t *nonce;      /* owned: TP_AUTH_NONCE_LENGTH bytes; NULL before the first challenge */
    unsigned wrong;      /* tries in a row that were wrong */
    int64_t next_try_ns; /* before that time none is looked at */

    /* The right of the client may have changed. Optional. */
    void (*changed)(tpi_identity *identity);
    tpi_identity *next; /* of the keyring */
    tpi_identity *previous;
};

/* ---- Names and ranks (identity.c) ------------------------------------------------------------ */

/* The rest of the struct is zero. */
void tpi_identity_init(tpi_identity *identity, tpi_keyring *keyring);
void tpi_identity_fini(tpi_identity *identity);

void tpi_identity_set_name(tpi_identity *identity, const char *name);
void tpi_identity_set_software(tpi_identity *identity, const char *software);
void tpi_identity_set_reach(tpi_identity *identity, tp_reach reach);

/* The mover that the client is; its label is borrowed. */
tpi_mover tpi_identity_mover(const tpi_identity *identity);

/* Set rank and hold time of its messages to the device. */
void tpi_identity_rank(const tpi_identity *identity, const tp_device *device, tpi_claim *claim);

/* ---- Rights (rights.c) ----------------------------------------------------------------------- */

tp_right tpi_identity_right(const tpi_identity *identity);

/* Whether the client has the right to operate, or stands in for an operator. */
bool tpi_identity_operates(const tpi_identity *identity);

/* Whether the client may send a message to the server: TP_OK, or TP_E_DENIED with what is missing.
 */
tp_status tpi_identity_may(const tpi_identity *identity, const tp_message *what, tp_error *err);

/* The same for a device, whose configuration can raise the right that writing needs. */
tp_status tpi_identity_may_send(const tpi_identity *identity, const tp_device *device,
                                const tp_message *what, tp_error *err);

/* tp_right_to_open() of a device, or the right that writing to it needs if that is higher. */
tp_right tpi_right_to_open(const tp_device *device, unsigned access);

/* Whether the client may open a device so: TP_OK, or TP_E_DENIED with what is missing. */
tp_status tpi_identity_may_open(const tpi_identity *identity, const tp_device *device,
                                unsigned access, tp_error *err);

/* ---- Keys (keyring.c) ------------------------------------------------------------------------ */

/* No keys: everybody may move everything. The rest of the struct is zero. */
void tpi_keyring_init(tpi_keyring *keyring, tpi_hub *hub);
void tpi_keyring_fini(tpi_keyring *keyring);

/* Other keys and rights: identities keep their keys if these are still there. Fails for want of
 * memory only. */
tp_status tpi_keyring_set(tpi_keyring *keyring, const tpi_access *access);

/* As tp_session_challenge(), tp_session_prove() and tp_session_show_key(). */
tp_status tpi_identity_challenge(tpi_identity *identity, uint8_t nonce[TP_AUTH_NONCE_LENGTH],
                                 tp_error *err);
tp_status tpi_identity_prove(tpi_identity *identity, const uint8_t *digest, size_t length,
                             tp_error *err);
tp_status tpi_identity_show_key(tpi_identity *identity, const void *key, size_t length,
                                tp_error *err);

/* The name of its key; "" for none. */
static inline const char *tpi_identity_key(const tpi_identity *identity)
{
    return identity->key != NULL ? identity->key->name : "";
}

#endif
