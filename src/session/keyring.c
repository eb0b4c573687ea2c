/*
 * keyring.c - the keys of a server, and how clients prove that they have one.
 *
 * A key is proved by the HMAC of a challenge: random bytes that belong to one identity and are good
 * for one try. Old clients show the key itself. Either way all keys are tried, in the same time
 * whichever fits. After a wrong try the server judges no try of this client for a second, after the
 * next for two, and so on up to a minute. The client gets this answer at once, and no other client
 * waits: there is no limit that several clients share, since wrong tries of one client would then
 * keep the owner of a key out. A client that wants a further try at once has to connect anew, which
 * costs more than the judgement.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "platform/secret.h"
#include "session/identity.h"

enum { MOST_WAIT_DOUBLED = 6 }; /* 64 s */

/* ---- Proofs ---------------------------------------------------------------------------------- */

static tp_status is_ready(const tpi_identity *identity, tp_error *err)
{
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(identity->keyring->hub));
    const int64_t own_ns = identity->wrong > 0 ? identity->next_try_ns - now_ns : 0;

    if (identity->keyring->key_count == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the server has no keys");
    }
    return own_ns <= 0 ? TP_OK
                       : tp_fail(err, TP_E_LIMIT,
                                 "a wrong key came before: wait %.1f s before the next try",
                                 (double)own_ns / (double)TP_NS_PER_S);
}

/* The operator gets a note of the first wrong key, the second, the fourth, the eighth ...: of every
 * attack, and never of each try. */
static void note_wrong(tpi_identity *identity)
{
    tpi_keyring *keyring = identity->keyring;
    char text[TPI_MOVER_LABEL + 64];

    keyring->wrong_keys++;
    if ((keyring->wrong_keys & (keyring->wrong_keys - 1)) != 0) {
        return;
    }
    (void)snprintf(text, sizeof text, "a wrong key came from %s; %llu since the start",
                   identity->name, (unsigned long long)keyring->wrong_keys);
    tpi_hub_note(keyring->hub, text);
}

static tp_status is_wrong(tpi_identity *identity, tp_error *err)
{
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(identity->keyring->hub));
    const int64_t doubled = tpi_smaller(identity->wrong, MOST_WAIT_DOUBLED);

    identity->wrong++;
    identity->next_try_ns = now_ns + (TP_NS_PER_S << doubled);
    note_wrong(identity);
    return tp_fail(err, TP_E_DENIED, "no key of this server fits; wait %lld s before the next try",
                   1LL << doubled);
}

static void tell_change(tpi_identity *identity)
{
    if (identity->changed != NULL) {
        identity->changed(identity);
    }
}

/* Every key is tried, whichever fits. */
static tp_status judge(tpi_identity *identity, const uint8_t *nonce, const uint8_t *digest,
                       tp_error *err)
{
    const tpi_keyring *keyring = identity->keyring;
    const tpi_key *found = NULL;
    uint8_t wanted[TPI_DIGEST_LENGTH];

    for (size_t i = 0; i < keyring->key_count; i++) {
        const tpi_key *key = &keyring->keys[i];
        if (tpi_secret_proof(wanted, key->secret, strlen(key->secret), nonce,
                             TP_AUTH_NONCE_LENGTH) != TP_OK) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        found = tpi_secret_equal(wanted, digest, sizeof wanted) ? key : found;
    }
    if (found == NULL) {
        return is_wrong(identity, err);
    }
    identity->key = found;
    identity->wrong = 0;
    tell_change(identity); /* another key can give less */
    return TP_OK;
}

tp_status tpi_identity_challenge(tpi_identity *identity, uint8_t nonce[TP_AUTH_NONCE_LENGTH],
                                 tp_error *err)
{

    if (identity->keyring->key_count == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the server has no keys");
    }
    if (identity->nonce == NULL) {
        identity->nonce = calloc(1, TP_AUTH_NONCE_LENGTH);
    }
    if (identity->nonce == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    identity->challenged = tpi_secret_random(identity->nonce, TP_AUTH_NONCE_LENGTH) == TP_OK;
    memcpy(nonce, identity->nonce, TP_AUTH_NONCE_LENGTH);
    return identity->challenged ? TP_OK : tp_fail(err, TP_E_IO, "there are no random bytes");
}

tp_status tpi_identity_prove(tpi_identity *identity, const uint8_t *digest, size_t length,
                             tp_error *err)
{
    const bool challenged = identity->challenged;

    identity->challenged = false;
    tp_status status = is_ready(identity, err);
    if (status != TP_OK) {
        return status;
    }
    if (!challenged) {
        return tp_fail(err, TP_E_INVALID, "ask for a challenge first; each is good for one proof");
    }
    return length == TPI_DIGEST_LENGTH ? judge(identity, identity->nonce, digest, err)
                                       : is_wrong(identity, err);
}

/* As if the client had answered a challenge, so that there is one way to compare. */
tp_status tpi_identity_show_key(tpi_identity *identity, const void *key, size_t length,
                                tp_error *err)
{
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH];
    tp_status status = is_ready(identity, err);

    if (status != TP_OK) {
        return status;
    }
    if (tpi_secret_random(nonce, sizeof nonce) != TP_OK ||
        tpi_secret_proof(digest, key, length, nonce, sizeof nonce) != TP_OK) {
        return tp_fail(err, TP_E_IO, "there are no random bytes");
    }
    return judge(identity, nonce, digest, err);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

void tpi_keyring_init(tpi_keyring *keyring, tpi_hub *hub)
{
    keyring->hub = hub;
    keyring->guests[TP_REACH_NETWORK] = TP_RIGHT_MOVE;
    keyring->guests[TP_REACH_LOOPBACK] = TP_RIGHT_MOVE;
    keyring->guests[TP_REACH_UNIX] = TP_RIGHT_MOVE;
    keyring->guests[TP_REACH_INSIDE] = TP_RIGHT_OPERATE;
}

void tpi_keyring_fini(tpi_keyring *keyring)
{
    tpi_secret_wipe(keyring->keys, keyring->key_count * sizeof *keyring->keys);
    free(keyring->keys);
    keyring->keys = NULL;
    keyring->key_count = 0;
}

static const tpi_key *find_same(const tpi_key *keys, size_t count, const tpi_key *old)
{
    for (size_t i = 0; old != NULL && i < count; i++) {
        if (strcmp(keys[i].name, old->name) == 0 && strcmp(keys[i].secret, old->secret) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

tp_status tpi_keyring_set(tpi_keyring *keyring, const tpi_access *access)
{
    tpi_key *keys = calloc(access->key_count + 1, sizeof *keys);

    assert(tp_loop_is_current(tpi_hub_loop(keyring->hub)));
    if (keys == NULL) {
        return TP_E_NOMEM;
    }
    for (size_t i = 0; i < access->key_count; i++) {
        keys[i] = access->keys[i];
    }
    for (tpi_identity *at = keyring->identities; at != NULL; at = at->next) {
        at->key = find_same(keys, access->key_count, at->key);
    }
    tpi_keyring_fini(keyring);
    keyring->keys = keys;
    keyring->key_count = access->key_count;
    memcpy(keyring->guests, access->guests, sizeof keyring->guests);
    for (tpi_identity *at = keyring->identities; at != NULL; at = at->next) {
        tell_change(at);
    }
    return TP_OK;
}
