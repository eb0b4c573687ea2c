/* answer.c - answers of HTTP as bytes. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"

/* ---- Answers --------------------------------------------------------------------------------- */

static void put_safety(tpi_buf *out)
{
    tpi_buf_puts(out,
                 "X-Content-Type-Options: nosniff\r\n"
                 "X-Frame-Options: DENY\r\n"
                 "Referrer-Policy: no-referrer\r\n"
                 "Cross-Origin-Resource-Policy: same-origin\r\n"
                 "Cross-Origin-Opener-Policy: same-origin\r\n"
                 "Content-Security-Policy: default-src 'self'; script-src 'self'; style-src 'self' "
                 "'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data:; "
                 "connect-src 'self'; worker-src 'self' blob:; object-src 'none'; "
                 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n");
}

/* The request is answered: the next one can come. */
static void done(struct connection *c, size_t length)
{
    tp_session_answered(c->door->sessions[FORM_JSON], length);
    tpi_web_count_waiting(c);
    c->http.waiting = WAITS_NOT;
    c->http.continued = false;
    c->finishing = c->finishing || c->http.closes;
    if (c->out.failed) {
        tpi_web_give_up(c);
    }
    tpi_web_flush(c);
}

static void put_head(struct connection *c, int status, const char *type, const char *more,
                     size_t length)
{
    tpi_buf_printf(&c->out,
                   "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                   "Connection: %s\r\n%s",
                   status, tpi_http_reason(status), type, length,
                   c->http.closes ? "close" : "keep-alive", more);
    put_safety(&c->out);
    tpi_buf_puts(&c->out, "\r\n");
}

/* `more` are further headers, each with its CR LF. */
void tpi_web_answer_as(struct connection *c, int status, const char *type, const char *more,
                       const void *body, size_t length)
{
    assert(front_is_current(c->front));
    put_head(c, status, type, more, length);
    if (!c->http.head_only) {
        tpi_buf_put(&c->out, body, length);
    }
    done(c, length);
}

void tpi_web_answer_file(struct connection *c, const char *type, const char *more,
                         const tpi_buf *file)
{
    assert(front_is_current(c->front));
    put_head(c, 200, type, more, file->length);
    if (!c->http.head_only) {
        c->file = (tp_piece){tpi_buf_text(file), file->length};
    }
    done(c, file->length);
    c->http.waiting = c->file.length > 0 ? WAITS_SENT : WAITS_NOT;
}

void tpi_web_answer(struct connection *c, int status, const char *json, size_t length)
{
    tpi_web_answer_as(c, status, "application/json", "Cache-Control: no-store\r\n", json, length);
}

void tpi_web_answer_result(struct connection *c)
{
    static const char text[] = "{\"result\":true}\n";

    tpi_web_answer(c, 200, text, sizeof text - 1);
}

static void refuse(struct connection *c, int status, const char *code, const char *text,
                   const char *more)
{
    tpi_buf body = {0};
    char headers[160];

    tpi_buf_puts(&body, c->http.results ? "{\"result\":false,\"error\":" : "{\"error\":");
    tpi_json_put_string(&body, text, strlen(text));
    tpi_buf_printf(&body, ",\"code\":\"%s\"}\n", code);
    snprintf(headers, sizeof headers, "Cache-Control: no-store\r\n%s", more);
    tpi_web_answer_as(c, status, "application/json", headers, tpi_buf_text(&body), body.length);
    tpi_buf_fini(&body);
}

void tpi_web_refuse_method(struct connection *c, const char *allow)
{
    refuse(c, 405, "unsupported", "the method is GET, HEAD or POST", allow);
}

void tpi_web_refuse(struct connection *c, int status, const char *code, const char *text)
{
    /* Clients of phyphox look at the result only; those with keys need the status. */
    const bool tells = c->http.results && status != 401 && status != 403 && status != 429;

    refuse(c, tells ? 200 : status, code, text,
           status == 401 ? "WWW-Authenticate: Bearer\r\n" : "");
}

static int http_status(tp_status status)
{
    switch (status) {
    case TP_E_UNKNOWN:
    case TP_E_UNSUPPORTED:
    case TP_E_REMOVED:
        return 404;
    case TP_E_DENIED:
        return 403;
    case TP_E_PANIC:
        return 409;
    case TP_E_LIMIT:
        return 429;
    case TP_E_TIMEOUT:
        return 504;
    case TP_E_NOMEM:
        return 503;
    case TP_E_IO:
    case TP_E_CLOSED:
    case TP_E_DEVICE:
    case TP_E_INTERRUPTED:
        return 502;
    default:
        return 400;
    }
}

void tpi_web_refuse_status(struct connection *c, tp_status status, const char *text)
{
    const char *name = tp_status_name(status);
    char code[24];
    size_t length = 0;

    assert(front_is_current(c->front));
    for (name += strncmp(name, "E_", 2) == 0 ? 2 : 0; name[length] != '\0'; length++) {
        code[length] = name[length] == '_'                          ? '_'
                       : name[length] >= 'A' && name[length] <= 'Z' ? (char)(name[length] + 32)
                                                                    : name[length];
    }
    code[length] = '\0';
    tpi_web_refuse(c, http_status(status), code, text[0] != '\0' ? text : tp_status_text(status));
}

void tpi_web_http_wait(struct connection *c, enum waiting waiting, double seconds)
{
    c->http.waiting = waiting;
    c->http.began_ns = front_now(c->front);
    c->http.until_ns = c->http.began_ns + (int64_t)(seconds * 1e9);
}

/* ---- Of devices ------------------------------------------------------------------------------ */

/* A missing right is 401 for a client that has shown no key and could show one. */
void tpi_web_api_refuse(struct connection *c, tp_status status, const char *text)
{
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    const struct client *visitor = c->visitor;

    assert(front_is_current(c->front));
    if (status == TP_E_DENIED && visitor != NULL && visitor->secret[0] == '\0' &&
        tp_session_right(visitor->sessions[FORM_JSON]) < TP_RIGHT_MOVE &&
        tp_session_challenge(visitor->sessions[FORM_JSON], nonce, NULL) == TP_OK) {
        tpi_web_refuse(c, 401, "denied", text);
    } else {
        tpi_web_refuse_status(c, status, text);
    }
}

void tpi_web_api_answer(struct connection *c, const tp_msg *msg)
{
    const bool refused = tp_msg_header(msg)->type == TP_MSGTYPE_RESP_NACK;
    tpi_buf text = {0};
    const void *bytes;
    size_t length;
    char why[512];

    assert(front_is_current(c->front));
    tp_msg *answer = tp_msg_ref(msg);
    if (tp_msg_encode(answer, &tpi_web_json, &bytes, &length) != TP_OK) {
        tpi_web_refuse(c, 503, "nomem", "the answer cannot be encoded");
    } else if (refused) {
        const tpi_json_span raw = {(const char *)bytes + TPI_WEB_STAMP + 1,
                                   length - TPI_WEB_STAMP - 2};
        if (!tpi_say_copy(why, sizeof why, raw)) {
            why[0] = '\0';
        }
        tpi_web_api_refuse(c, (tp_status)(int32_t)tpi_web_get_u32(bytes), why);
    } else if (c->http.results) {
        tpi_web_answer_result(c);
    } else {
        tpi_buf_put(&text, (const char *)bytes + TPI_WEB_STAMP, length - TPI_WEB_STAMP);
        tpi_buf_putc(&text, '\n');
        tpi_web_answer(c, 200, tpi_buf_text(&text), text.length);
    }
    tpi_buf_fini(&text);
    tp_msg_unref(answer);
}
