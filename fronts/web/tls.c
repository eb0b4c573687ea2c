/*
 * tls.c - TLS between a stream and a connection, by OpenSSL on memory.
 *
 * What comes is given to OpenSSL and read from it as plain bytes; what goes out is encrypted a
 * record at a time, and the next one only when the stream has taken the last. So a client that does
 * not read has one record waiting, as without TLS it has none. Room for records is given back when
 * they are done with. A part of a record counts as held bytes; the time that decrypting takes is
 * work of the client, since records without a message in them cost much, too. greetings.c says
 * whose greeting goes on.
 */
#include <assert.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tls.h"

enum {
    RECORD = 16384,
    RECORD_ROOM = RECORD + 512, /* what OpenSSL takes for a part of one */
    GREETING = 4096,            /* bytes of one that are read at once */
    KEPT_ROOM = 4096,           /* of a client that may send more */
};

/* Decrypting what was read at once takes less. */
static const int64_t MUCH_NS = TP_NS_PER_MS / 4;

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
    SSL_CTX_set_session_cache_mode(front->tls, SSL_SESS_CACHE_OFF); /* clients have tickets */
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
    tls->in = BIO_new(BIO_s_mem());
    return tls->in != NULL;
}

/* OpenSSL is asked for the first time. */
static bool begin_ssl(struct connection *c)
{
    struct tls *tls = c->tls;

    tls->out = BIO_new(BIO_s_mem());
    tls->ssl = tls->out != NULL ? SSL_new(c->front->tls) : NULL;
    if (tls->ssl == NULL) {
        BIO_free(tls->out);
        tls->out = NULL;
        return false;
    }
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    SSL_set_accept_state(tls->ssl);
    return true;
}

void tpi_web_tls_end(struct connection *c)
{
    if (c->tls == NULL) {
        return;
    }
    tpi_web_greeting_ends(c);
    if (c->tls->ssl != NULL) {
        SSL_free(c->tls->ssl); /* and what it reads and writes */
    } else {
        BIO_free(c->tls->in);
    }
    free(c->tls);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

size_t tpi_web_tls_waiting(const struct connection *c)
{
    return c->tls == NULL || c->tls->out == NULL ? 0 : (size_t)BIO_pending(c->tls->out);
}

size_t tpi_web_tls_unfinished(const struct connection *c)
{
    const struct tls *tls = c->tls;

    return tls == NULL || tls->ssl == NULL || !SSL_has_pending(tls->ssl) ? 0 : RECORD_ROOM;
}

size_t tpi_web_tls_most(const struct connection *c, size_t usual)
{
    const SSL *ssl = c->tls->ssl;

    return ssl == NULL || !SSL_is_init_finished(ssl) ? GREETING : usual;
}

/* OpenSSL keeps the room of the longest record. */
static void give_back(BIO *bio)
{
    BUF_MEM *room = NULL;

    BIO_get_mem_ptr(bio, &room);
    if (room->max > KEPT_ROOM && BIO_pending(bio) == 0) {
        BUF_MEM *empty = BUF_MEM_new();

        if (empty != NULL) {
            BIO_set_mem_buf(bio, empty, BIO_CLOSE);
        }
    }
}

/* Give the stream what waits; false if it is not all taken. */
static bool flush(struct connection *c)
{
    BIO *out = c->tls->out;
    char *bytes;

    while (tpi_web_tls_waiting(c) > 0) {
        const long length = BIO_get_mem_data(out, &bytes);
        const size_t left = length < READ_SIZE ? (size_t)length : READ_SIZE;
        const tp_piece piece = {bytes, left};
        const long taken = tp_stream_try_write(c->stream, &piece, 1);

        if (taken < 0) {
            tpi_web_give_up(c);
            return false;
        }
        (void)BIO_read(out, c->front->raw, (int)taken);
        if ((size_t)taken < left) {
            return false;
        }
    }
    if (out != NULL) {
        give_back(out);
    }
    return true;
}

bool tpi_web_tls_flush(struct connection *c)
{
    return flush(c);
}

/* ---- Greetings ------------------------------------------------------------------------------- */

/* One step of a greeting; false if it has failed. */
static bool greet(struct connection *c)
{
    if (c->tls->ssl == NULL) {
        tpi_web_greeting_begins(c);
        if (!begin_ssl(c)) {
            return false;
        }
    }
    ERR_clear_error();
    const int done = SSL_do_handshake(c->tls->ssl);
    const int error = done == 1 ? SSL_ERROR_NONE : SSL_get_error(c->tls->ssl, done);

    c->tls->greeted = done == 1;
    c->blocked = !flush(c) || c->blocked;
    if (error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ) {
        return false;
    }
    if (done == 1) {
        tpi_web_greeting_ends(c);
    }
    /* A greeting that does not end in time is an unfinished message. */
    return tp_session_hold(c->door->sessions[FORM_JSON], error != SSL_ERROR_NONE,
                           error != SSL_ERROR_NONE);
}

void tpi_web_tls_greet(tp_after *after)
{
    struct web_front *front =
        (struct web_front *)((char *)after - offsetof(struct web_front, greetings.step));

    assert(front_is_current(front));
    struct connection *c = tpi_web_next_greeting(front);
    if (c != NULL) {
        if (!c->ending && !greet(c)) {
            tpi_web_give_up(c);
        }
        tpi_web_flush(c); /* reads on */
    }
    if (front->greetings.first != NULL) {
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
    tls->worked_ns = 0;
    if ((tls->ssl == NULL || !SSL_is_init_finished(tls->ssl)) && !tls->waits) {
        tpi_web_greeting_waits(c);
    }
    return true;
}

bool tpi_web_tls_has_worked(const struct connection *c)
{
    return c->tls != NULL && c->tls->worked_ns > MUCH_NS;
}

/* Plain bytes into `bytes`; 0 for none, negative if the connection ends. */
long tpi_web_tls_take(struct connection *c, void *bytes, size_t length)
{
    struct tls *tls = c->tls;

    assert(front_is_current(c->front));
    if (tls->ssl == NULL || !SSL_is_init_finished(tls->ssl)) {
        return 0;
    }
    ERR_clear_error();
    const int64_t begun_ns = tp_clock_now_ns(tp_clock_real());
    const int got = SSL_read(tls->ssl, bytes, length < RECORD ? (int)length : RECORD);
    const int64_t took_ns = tp_clock_now_ns(tp_clock_real()) - begun_ns;

    tls->worked_ns += took_ns;
    if (tpi_web_tls_has_worked(c)) {
        tp_session_answered(c->door->sessions[FORM_JSON], (size_t)took_ns);
    }
    give_back(tls->in);
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
    while (c->tls->ssl != NULL && place.left > 0 && flush(c)) {
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
