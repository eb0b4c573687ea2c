/*
 * tls.c - TLS between a stream and a connection, by OpenSSL on memory.
 *
 * What comes is given to OpenSSL and read from it as plain bytes; what goes out is encrypted a
 * record at a time, and the next one only when the stream has taken the last. So a client that does
 * not read has one record waiting, as without TLS it has none.
 *
 * Greetings cost more than anything else that a stranger can ask for. They wait in a list, a turn
 * makes one step of one of them, and hosts take turns: who floods the server with greetings waits
 * for them, and nobody else does.
 */
#include <assert.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { RECORD = 16384, ROOM = RECORD + 512 };

struct tls {
    SSL *ssl;                        /* owned */
    BIO *in, *out;                   /* the SSL's */
    unsigned char waiting[2 * ROOM]; /* encrypted, not taken by the stream yet */
    size_t length, sent;
    struct connection *next; /* borrowed: behind it in the list of greetings */
    bool waits;              /* it is in that list, and nothing is read from its stream */
    bool greeted;            /* there may be plain bytes that came with the end of the greeting */
};

/* ---- The certificate ------------------------------------------------------------------------- */

static tp_status fail(tp_front_instance *self, const char *parameter, const char *what,
                      const char *path, tp_error *err)
{
    char reason[120] = "";

    ERR_error_string_n(ERR_peek_last_error(), reason, sizeof reason);
    ERR_clear_error();
    tp_front_blame(self, parameter);
    return tp_fail(err, TP_E_IO, "%s %s: %s", what, path, reason);
}

tp_status tpi_web_tls_open(struct web_front *front, tp_error *err)
{
    assert(front_is_current(front));
    tp_front_instance *self = front->instance;
    const char *certificate = tp_front_string(self, "certificate");
    const char *key = tp_front_string(self, "private_key");

    if (certificate[0] == '\0' && key[0] == '\0') {
        return TP_OK;
    }
    if (certificate[0] == '\0' || key[0] == '\0') {
        tp_front_blame(self, certificate[0] == '\0' ? "private_key" : "certificate");
        return tp_fail(err, TP_E_INVALID, "TLS needs both: certificate and private_key");
    }
    front->tls = SSL_CTX_new(TLS_server_method());
    if (front->tls == NULL) {
        return fail(self, "certificate", "TLS cannot be used for", certificate, err);
    }
    SSL_CTX_set_min_proto_version(front->tls, TLS1_2_VERSION);
    SSL_CTX_set_options(front->tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                        SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(front->tls, SSL_MODE_RELEASE_BUFFERS);
    if (SSL_CTX_use_certificate_chain_file(front->tls, certificate) != 1) {
        return fail(self, "certificate", "cannot read the certificate", certificate, err);
    }
    if (SSL_CTX_use_PrivateKey_file(front->tls, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(front->tls) != 1) {
        return fail(self, "private_key", "cannot use the private key", key, err);
    }
    front->raw = malloc(READ_SIZE);
    front->secure = true;
    return front->raw != NULL ? TP_OK : tp_fail(err, TP_E_NOMEM, "out of memory");
}

void tpi_web_tls_close(struct web_front *front)
{
    SSL_CTX_free(front->tls);
    free(front->raw);
}

/* ---- Connections ----------------------------------------------------------------------------- */

bool tpi_web_tls_begin(struct connection *c)
{
    struct tls *tls = calloc(1, sizeof *tls);

    assert(front_is_current(c->front));
    if (tls == NULL) {
        return false;
    }
    c->tls = tls;
    tls->ssl = SSL_new(c->front->tls);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    if (tls->ssl == NULL || in == NULL || out == NULL) {
        BIO_free(in);
        BIO_free(out);
        return false;
    }
    tls->in = in;
    tls->out = out;
    SSL_set_bio(tls->ssl, in, out);
    SSL_set_accept_state(tls->ssl);
    return true;
}

void tpi_web_tls_end(struct connection *c)
{
    if (c->tls != NULL) {
        struct connection **at = &c->front->greetings;

        while (*at != NULL && *at != c) {
            at = &(*at)->tls->next;
        }
        if (*at == c) {
            *at = c->tls->next;
        }
        SSL_free(c->tls->ssl); /* and what it reads and writes */
        free(c->tls);
    }
}

size_t tpi_web_tls_waiting(const struct connection *c)
{
    return c->tls == NULL ? 0 : c->tls->length - c->tls->sent;
}

/* Give the stream what waits; false if it is not all taken. */
static bool flush(struct connection *c)
{
    struct tls *tls = c->tls;

    for (;;) {
        if (tls->sent == tls->length) {
            const int got = BIO_read(tls->out, tls->waiting, sizeof tls->waiting);

            tls->sent = 0;
            tls->length = got > 0 ? (size_t)got : 0;
            if (tls->length == 0) {
                return true;
            }
        }
        const size_t left = tls->length - tls->sent;
        const tp_piece piece = {tls->waiting + tls->sent, left};
        const long taken = tp_stream_try_write(c->stream, &piece, 1);
        if (taken < 0) {
            tpi_web_give_up(c);
            return false;
        }
        tls->sent += (size_t)taken;
        if ((size_t)taken < left) {
            return false;
        }
    }
}

bool tpi_web_tls_flush(struct connection *c)
{
    return flush(c);
}

/* ---- Greetings ------------------------------------------------------------------------------- */

static bool same_host(const struct connection *a, const struct connection *b)
{
    const char *one = tp_stream_peer(a->stream), *other = tp_stream_peer(b->stream);
    const char *end = strrchr(one, ':');
    const size_t length = end != NULL ? (size_t)(end - one) + 1 : strlen(one) + 1;

    return strncmp(one, other, length) == 0;
}

static struct connection **last_place(struct web_front *front)
{
    struct connection **at = &front->greetings;

    while (*at != NULL) {
        at = &(*at)->tls->next;
    }
    return at;
}

/* The first of the list; all others of its host go behind those of other hosts. */
static struct connection *take_greeting(struct web_front *front)
{
    struct connection *first = front->greetings;
    struct connection *again = NULL, **end = &again;
    struct connection **at = &front->greetings;

    *at = first->tls->next;
    while (*at != NULL) {
        struct connection *c = *at;

        if (same_host(first, c)) {
            *at = c->tls->next;
            c->tls->next = NULL;
            *end = c;
            end = &c->tls->next;
        } else {
            at = &c->tls->next;
        }
    }
    *at = again;
    first->tls->next = NULL;
    first->tls->waits = false;
    return first;
}

/* One step of a greeting; false if it has failed. */
static bool greet(struct connection *c)
{
    ERR_clear_error();
    const int done = SSL_do_handshake(c->tls->ssl);
    const int error = done == 1 ? SSL_ERROR_NONE : SSL_get_error(c->tls->ssl, done);

    c->tls->greeted = done == 1;
    c->blocked = !flush(c) || c->blocked;
    if (error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ) {
        return false;
    }
    /* A greeting that does not end in time is an unfinished message. */
    return tp_session_hold(c->door->sessions[FORM_JSON], error != SSL_ERROR_NONE,
                           error != SSL_ERROR_NONE);
}

void tpi_web_tls_greet(tp_after *after)
{
    struct web_front *front =
        (struct web_front *)((char *)after - offsetof(struct web_front, greet));

    assert(front_is_current(front));
    if (front->greetings == NULL) {
        return;
    }
    struct connection *c = take_greeting(front);
    if (!c->ending && !greet(c)) {
        tpi_web_give_up(c);
    }
    tpi_web_flush(c); /* reads on */
    if (front->greetings != NULL) {
        tp_loop_later(front->loop, after);
    }
}

bool tpi_web_tls_waits(const struct connection *c)
{
    return c->tls != NULL && c->tls->waits;
}

bool tpi_web_tls_greeted(struct connection *c)
{
    const bool greeted = c->tls != NULL && c->tls->greeted;

    if (greeted) {
        c->tls->greeted = false;
    }
    return greeted;
}

/* ---- Reading and writing --------------------------------------------------------------------- */

bool tpi_web_tls_read(struct connection *c, size_t length)
{
    struct tls *tls = c->tls;

    assert(front_is_current(c->front));
    ERR_clear_error();
    if (BIO_write(tls->in, c->front->raw, (int)length) != (int)length) {
        return false;
    }
    if (!SSL_is_init_finished(tls->ssl) && !tls->waits) {
        tls->waits = true;
        *last_place(c->front) = c;
        tp_loop_later(c->front->loop, &c->front->greet);
    }
    return true;
}

/* Plain bytes into `bytes`; 0 for none, negative if the connection ends. */
long tpi_web_tls_take(struct connection *c, void *bytes, size_t length)
{
    struct tls *tls = c->tls;

    assert(front_is_current(c->front));
    if (!SSL_is_init_finished(tls->ssl)) {
        return 0;
    }
    ERR_clear_error();
    const int got = SSL_read(tls->ssl, bytes, length < RECORD ? (int)length : RECORD);
    if (got > 0) {
        return got;
    }
    return SSL_get_error(tls->ssl, got) == SSL_ERROR_WANT_READ ? 0 : -1;
}

/* A place in the pieces of a message. */
struct place {
    const tp_piece *piece; /* borrowed */
    unsigned left;         /* pieces, this one too */
    size_t at;
};

static void go_on(struct place *place, size_t length)
{
    place->at += length;
    if (place->at == place->piece->length) {
        place->piece++;
        place->left--;
        place->at = 0;
    }
}

/* The bytes of the next record: those of a long piece where they are, short ones together in
 * `room`. The head of a frame in a record of its own would cost as much as the frame. */
static const unsigned char *next_record(struct place *place, unsigned char room[RECORD],
                                        size_t *length)
{
    *length = 0;
    while (place->left > 0 && *length < RECORD) {
        const unsigned char *bytes = (const unsigned char *)place->piece->bytes + place->at;
        const size_t rest = place->piece->length - place->at, free_room = RECORD - *length;
        const size_t part = rest < free_room ? rest : free_room;

        go_on(place, part);
        if (part == RECORD) {
            *length = RECORD;
            return bytes;
        }
        memcpy(room + *length, bytes, part);
        *length += part;
    }
    return room;
}

size_t tpi_web_tls_write(struct connection *c, const tp_piece *pieces, unsigned count)
{
    struct place place = {.piece = pieces, .left = count};
    unsigned char room[RECORD];
    size_t taken = 0;

    assert(front_is_current(c->front));
    while (place.left > 0 && flush(c)) {
        size_t length;
        const unsigned char *bytes = next_record(&place, room, &length);

        ERR_clear_error();
        const int written = length > 0 ? SSL_write(c->tls->ssl, bytes, (int)length) : 0;
        if (written <= 0) {
            if (length > 0 && SSL_get_error(c->tls->ssl, written) != SSL_ERROR_WANT_READ) {
                tpi_web_give_up(c);
            }
            return taken;
        }
        taken += (size_t)written;
    }
    (void)flush(c);
    return taken;
}
