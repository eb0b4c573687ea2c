/*
 * rights.c - what clients may do, and how they prove it.
 *
 * Rights are ordered: read, write, move, operate. Every message needs the one that its interface
 * file says. What a client may do without a key depends on where it comes from; a key gives the
 * right that stands beside it in the configuration.
 *
 * A key is proved by the HMAC of a challenge: random bytes that belong to one session and are good
 * for one try. Old clients show the key itself. Either way all keys are tried, in the same time
 * whichever fits. After a wrong try nothing is looked at for a second, after the next for two, and
 * so on to a minute: the client is told so at once, and nobody waits. Who connects anew for each
 * try meets the limit of its host (tries.h).
 *
 * Operators reset a panic and throw clients out. A panic is also reset by the client that raised
 * it; as long as there is no operator's key both are done by clients on this machine that may move:
 * without that, a panic whose raiser is gone could only be ended by restarting the server.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/secret.h"
#include "session/session.h"

enum { MOST_WAIT_DOUBLED = 6 }; /* 64 s */

static const char *const right_names[] = {
    [TP_RIGHT_READ] = "read",
    [TP_RIGHT_WRITE] = "write",
    [TP_RIGHT_MOVE] = "move",
    [TP_RIGHT_OPERATE] = "operate",
};

const char *tp_right_name(tp_right right)
{
    return right_names[right];
}

/* ---- What is needed -------------------------------------------------------------------------- */

tp_right tp_right_needed(const tp_message *what)
{
    static const tp_right rights[] = {
        [TP_EFFECT_READS] = TP_RIGHT_READ,
        [TP_EFFECT_WRITES] = TP_RIGHT_WRITE,
        [TP_EFFECT_MOVES] = TP_RIGHT_MOVE,
        [TP_EFFECT_OPERATES] = TP_RIGHT_OPERATE,
    };

    return rights[what->effect];
}

/* Player's clients open everything in one mode, also to read. */
tp_right tp_right_to_open(unsigned access)
{
    return access == TP_OPEN_MODE || access == TP_READ_MODE ? TP_RIGHT_READ : TP_RIGHT_WRITE;
}

/* ---- What is there --------------------------------------------------------------------------- */

void tp_session_set_reach(tp_session *session, tp_reach reach)
{
    session->guest.reach = reach;
}

tp_right tp_session_right(const tp_session *session)
{
    const struct guest *guest = &session->guest;
    const tp_right without = session->hub->guests[guest->reach];

    return guest->key != NULL && guest->key->right > without ? guest->key->right : without;
}

const char *tp_session_key(const tp_session *session)
{
    return session->guest.key != NULL ? session->guest.key->name : "";
}

static bool has_operators(const tpi_hub *hub)
{
    for (size_t i = 0; i < hub->key_count; i++) {
        if (hub->keys[i].right == TP_RIGHT_OPERATE) {
            return true;
        }
    }
    return false;
}

/* ---- The decision ---------------------------------------------------------------------------- */

/* What a client that has no right to something is told to do, as it is its case: it has given a key
 * that is not for this, or none, or there are none to give. */
static tp_status refuse(const tp_session *session, const char *what, tp_error *err)
{
    const tpi_key *key = session->guest.key;

    if (key != NULL) {
        return tp_fail(err, TP_E_DENIED, "%s; the key %s is for those who %s", what, key->name,
                       right_names[key->right]);
    }
    if (session->hub->key_count > 0) {
        return tp_fail(err, TP_E_DENIED, "%s: give a key", what);
    }
    return tp_fail(err, TP_E_DENIED, "%s: %s", what,
                   session->hub->guests[TP_REACH_UNIX] >= TP_RIGHT_MOVE
                       ? "the server has no keys, and who comes by this address only reads: give "
                         "the server some, or come by its unix socket"
                       : "the server has no keys, and without one everybody only reads: give the "
                         "server some");
}

static tp_status refuse_right(const tp_session *session, const char *what, tp_right needed,
                              tp_error *err)
{
    char text[160];

    (void)snprintf(text, sizeof text, "%s needs the right to %s", what, right_names[needed]);
    return refuse(session, text, err);
}

/* Who decides for others without an operator's right, as long as nobody has it. */
static bool stands_in(const tp_session *session)
{
    return session->local && tp_session_right(session) >= TP_RIGHT_MOVE &&
           !has_operators(session->hub);
}

static bool ends_panic(const tp_message *what)
{
    return what ==
           tp_interface_message(&tp_interface_player, TP_KIND_REQUEST, TP_PLAYER_REQ_RESET_PANIC);
}

static tp_status refuse_to_operate(const tp_session *session, const tp_message *what, tp_error *err)
{
    const bool operators = has_operators(session->hub);
    const char *who =
        operators ? "an operator's key" : "somebody on the server's own machine who may move";
    char text[160];

    if (ends_panic(what)) {
        (void)snprintf(text, sizeof text, "only who raised it, or %s, ends a panic", who);
    } else {
        (void)snprintf(text, sizeof text, "%s needs the right to operate: %s", what->name, who);
    }
    return operators || session->local
               ? refuse(session, text, err)
               : tp_fail(err, TP_E_DENIED, "%s: there is no operator's key", text);
}

tp_status tp_session_may(const tp_session *session, const tp_message *what, tp_error *err)
{
    const tp_right needed = tp_right_needed(what);

    if (tp_session_right(session) >= needed) {
        return TP_OK;
    }
    if (needed < TP_RIGHT_OPERATE) {
        return refuse_right(session, what->name, needed, err);
    }
    if (stands_in(session) || (ends_panic(what) && session->hub->raiser == session)) {
        return TP_OK;
    }
    return refuse_to_operate(session, what, err);
}

tp_status tpi_rights_to_open(const tp_session *session, const tp_device *device, unsigned access,
                             tp_error *err)
{
    const tp_right needed = tp_right_to_open(access);
    char what[96];

    if (tp_session_right(session) >= needed) {
        return TP_OK;
    }
    (void)snprintf(what, sizeof what, "opening %s to write", device->name);
    return refuse_right(session, what, needed, err);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

static tp_status is_ready(const tp_session *session, tp_error *err)
{
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(session->hub));
    const int64_t own_ns = session->guest.wrong > 0 ? session->guest.next_try_ns - now_ns : 0;
    const int64_t host_ns = tpi_tries_wait_ns(&session->hub->tries, session->name, now_ns);

    if (session->hub->key_count == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the server has no keys");
    }
    if (own_ns > 0) {
        return tp_fail(err, TP_E_LIMIT, "a wrong key came before: wait %.1f s before the next try",
                       (double)own_ns / (double)TP_NS_PER_S);
    }
    return host_ns == 0 ? TP_OK
                        : tp_fail(err, TP_E_LIMIT,
                                  "too many wrong keys came from your host: wait %.1f s before the "
                                  "next try",
                                  (double)host_ns / (double)TP_NS_PER_S);
}

/* The owner is told of the first wrong key, the second, the fourth, the eighth ...: of every
 * attack, and never of each try. */
static void note_wrong(tp_session *session)
{
    tpi_hub *hub = session->hub;
    char text[RANK_NAME + 64];

    hub->wrong_keys++;
    if (hub->note == NULL || (hub->wrong_keys & (hub->wrong_keys - 1)) != 0) {
        return;
    }
    (void)snprintf(text, sizeof text, "a wrong key came from %s; %llu since the start",
                   session->name, (unsigned long long)hub->wrong_keys);
    hub->note(hub->note_context, text);
}

static tp_status is_wrong(tp_session *session, tp_error *err)
{
    struct guest *guest = &session->guest;
    const int64_t now_ns = tp_clock_now_ns(tp_hub_clock(session->hub));
    const unsigned doubled = guest->wrong < MOST_WAIT_DOUBLED ? guest->wrong : MOST_WAIT_DOUBLED;

    guest->wrong++;
    guest->next_try_ns = now_ns + (TP_NS_PER_S << doubled);
    tpi_tries_count(&session->hub->tries, session->name, now_ns);
    note_wrong(session);
    return tp_fail(err, TP_E_DENIED, "no key of this server fits; wait %lld s before the next try",
                   1LL << doubled);
}

/* Every key is tried, whichever fits. */
static tp_status judge(tp_session *session, const uint8_t *nonce, const uint8_t *digest,
                       tp_error *err)
{
    const tpi_hub *hub = session->hub;
    const tpi_key *found = NULL;
    uint8_t wanted[TPI_DIGEST_LENGTH];

    for (size_t i = 0; i < hub->key_count; i++) {
        const tpi_key *key = &hub->keys[i];
        if (tpi_secret_proof(wanted, key->secret, strlen(key->secret), nonce,
                             TP_AUTH_NONCE_LENGTH) != TP_OK) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        found = tpi_secret_equal(wanted, digest, sizeof wanted) ? key : found;
    }
    if (found == NULL) {
        return is_wrong(session, err);
    }
    session->guest.key = found;
    session->guest.wrong = 0;
    return TP_OK;
}

tp_status tp_session_challenge(tp_session *session, uint8_t nonce[TP_AUTH_NONCE_LENGTH],
                               tp_error *err)
{
    struct guest *guest = &session->guest;

    if (session->hub->key_count == 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the server has no keys");
    }
    guest->challenged = tpi_secret_random(guest->nonce, sizeof guest->nonce) == TP_OK;
    memcpy(nonce, guest->nonce, sizeof guest->nonce);
    return guest->challenged ? TP_OK : tp_fail(err, TP_E_IO, "there are no random bytes");
}

tp_status tp_session_prove(tp_session *session, const uint8_t *digest, size_t length, tp_error *err)
{
    struct guest *guest = &session->guest;
    const bool challenged = guest->challenged;

    guest->challenged = false;
    tp_status status = is_ready(session, err);
    if (status != TP_OK) {
        return status;
    }
    if (!challenged) {
        return tp_fail(err, TP_E_INVALID, "ask for a challenge first; each is good for one proof");
    }
    return length == TPI_DIGEST_LENGTH ? judge(session, guest->nonce, digest, err)
                                       : is_wrong(session, err);
}

/* As if the client had answered a challenge, so that there is one way to compare. */
tp_status tp_session_show_key(tp_session *session, const void *key, size_t length, tp_error *err)
{
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    uint8_t digest[TPI_DIGEST_LENGTH];
    tp_status status = is_ready(session, err);

    if (status != TP_OK) {
        return status;
    }
    if (tpi_secret_random(nonce, sizeof nonce) != TP_OK ||
        tpi_secret_proof(digest, key, length, nonce, sizeof nonce) != TP_OK) {
        return tp_fail(err, TP_E_IO, "there are no random bytes");
    }
    return judge(session, nonce, digest, err);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

void tpi_rights_init(tpi_hub *hub)
{
    hub->guests[TP_REACH_NETWORK] = TP_RIGHT_MOVE;
    hub->guests[TP_REACH_LOOPBACK] = TP_RIGHT_MOVE;
    hub->guests[TP_REACH_UNIX] = TP_RIGHT_MOVE;
    hub->guests[TP_REACH_INSIDE] = TP_RIGHT_OPERATE;
}

void tpi_rights_fini(tpi_hub *hub)
{
    tpi_secret_wipe(hub->keys, hub->key_count * sizeof *hub->keys);
    free(hub->keys);
    hub->keys = NULL;
    hub->key_count = 0;
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

/* What a client has no right to any more it does not go on doing: what it moves stops, and what it
 * held is free. */
static void stop_what_it_may_not(tp_session *session)
{
    const tp_right right = tp_session_right(session);

    for (struct subscription *s = session->subscriptions; s != NULL; s = s->next) {
        if (right < TP_RIGHT_MOVE && s->moves) {
            s->moves = false;
            tpi_device_left(s->device, session, TPI_LEAVING_FORBIDDEN);
        }
        if (right < TP_RIGHT_WRITE && s->device->holder == session) {
            s->device->holder = NULL;
        }
    }
}

tp_status tpi_hub_set_access(tpi_hub *hub, const tpi_access *access)
{
    tpi_key *keys = calloc(access->key_count + 1, sizeof *keys);

    if (keys == NULL) {
        return TP_E_NOMEM;
    }
    for (size_t i = 0; i < access->key_count; i++) {
        keys[i] = access->keys[i];
    }
    for (tp_session *session = hub->sessions; session != NULL; session = session->next) {
        session->guest.key = find_same(keys, access->key_count, session->guest.key);
    }
    tpi_rights_fini(hub);
    hub->keys = keys;
    hub->key_count = access->key_count;
    memcpy(hub->guests, access->guests, sizeof hub->guests);
    for (tp_session *session = hub->sessions; session != NULL; session = session->next) {
        stop_what_it_may_not(session);
    }
    return TP_OK;
}
