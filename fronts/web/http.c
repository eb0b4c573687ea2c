/*
 * http.c - one HTTP request: whether it is allowed, and who answers it.
 *
 * A request is handled when it is whole. Requests are answered one after the other; while one waits
 * for a device, the next ones are not looked at.
 */
#include <stdio.h>
#include <string.h>

#include "inside.h"

enum { MOST_NAME = 256 };

static const int64_t IDLE_NS = 60 * TP_NS_PER_S;

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
                 "connect-src 'self' ws: wss:; worker-src 'self' blob:; object-src 'none'; "
                 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n");
}

/* The request is answered: the next one can come. */
static void done(struct connection *c)
{
    c->http.waiting = WAITS_NOT;
    c->http.continued = false;
    c->finishing = c->finishing || c->http.closes;
    if (c->out.failed) {
        tpi_web_give_up(c);
    }
    tpi_web_flush(c);
}

/* `more` are further headers, each with its CR LF. */
static void answer(struct connection *c, int status, const char *type, const char *more,
                   const void *body, size_t length)
{
    tpi_buf_printf(&c->out,
                   "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                   "Connection: %s\r\n%s",
                   status, tpi_http_reason(status), type, length,
                   c->http.closes ? "close" : "keep-alive", more);
    put_safety(&c->out);
    tpi_buf_puts(&c->out, "\r\n");
    if (!c->http.head_only) {
        tpi_buf_put(&c->out, body, length);
    }
    done(c);
}

void tpi_web_answer(struct connection *c, int status, const char *json, size_t length)
{
    answer(c, status, "application/json", "Cache-Control: no-store\r\n", json, length);
}

static void refuse(struct connection *c, int status, const char *code, const char *text,
                   const char *more)
{
    tpi_buf body = {0};
    char headers[160];

    tpi_buf_puts(&body, "{\"error\":");
    tpi_json_put_string(&body, text, strlen(text));
    tpi_buf_printf(&body, ",\"code\":\"%s\"}\n", code);
    snprintf(headers, sizeof headers, "Cache-Control: no-store\r\n%s", more);
    answer(c, status, "application/json", headers, tpi_buf_text(&body), body.length);
    tpi_buf_fini(&body);
}

void tpi_web_refuse(struct connection *c, int status, const char *code, const char *text)
{
    refuse(c, status, code, text, status == 401 ? "WWW-Authenticate: Bearer\r\n" : "");
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

void tpi_web_http_tick(struct connection *c, int64_t now_ns)
{
    if (c->phase != PHASE_HTTP) {
        return;
    }
    if (c->http.waiting == WAITS_NOT) {
        if (now_ns - c->heard_ns > IDLE_NS && c->in.length == 0 && tpi_web_waiting(c) == 0) {
            tpi_web_give_up(c);
        }
    } else if (c->http.waiting != WAITS_STOP && now_ns >= c->http.until_ns) {
        if (c->visitor != NULL) {
            tpi_web_connection_forgotten(c->visitor, c);
        }
        tpi_web_refuse(c, 504, "timeout",
                       c->http.waiting == WAITS_DATA ? "the device has sent no data in time"
                                                     : "the device has not answered in time");
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void send_file(struct connection *c, const tpi_http *request)
{
    char name[MOST_NAME];
    char headers[192];
    const bool named = tpi_http_decode(name, sizeof name, request->path, false);
    const tpi_web_file *file = named ? tpi_web_files_find(&c->front->files, name) : NULL;

    if (file == NULL && named && strcmp(name, "/") == 0) {
        static const char page[] =
            "<!doctype html><title>Troupe</title><p>This server has no dashboard installed. "
            "<a href=\"/api/devices\">/api/devices</a> lists its devices.</p>\n";
        answer(c, 200, "text/html; charset=utf-8", "Cache-Control: no-cache\r\n", page,
               sizeof page - 1);
        return;
    }
    if (file == NULL) {
        tpi_web_refuse(c, 404, "unknown", "there is no such path");
        return;
    }
    const bool packed = request->takes_gzip && file->packed.length > 0;
    const tpi_buf *bytes = packed ? &file->packed : &file->bytes;
    snprintf(headers, sizeof headers,
             "Cache-Control: %s\r\nETag: \"%s%s\"\r\nVary: "
             "Accept-Encoding\r\n%s",
             strncmp(name, "/assets/", 8) == 0 ? "max-age=31536000, immutable" : "no-cache",
             file->tag, packed ? "z" : "", packed ? "Content-Encoding: gzip\r\n" : "");
    answer(c, 200, file->type, headers, tpi_buf_text(bytes), bytes->length);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool begins(tpi_span path, const char *with)
{
    const size_t length = strlen(with);

    return path.length >= length && memcmp(path.text, with, length) == 0 &&
           (path.length == length || path.text[length] == '/');
}

/* Whether a browser may ask this at all; it is refused if not. */
static bool is_allowed(struct connection *c, const tpi_http *request, bool api)
{
    const struct web_front *front = c->front;
    const bool panics = tpi_span_is(request->path, "/api/panic");

    if (!tpi_guard_knows_host(&front->guard, request->host)) {
        tpi_web_refuse(c, 421, "denied",
                       "this server does not answer to that name: use an IP address, or list the "
                       "name in `hosts` of the front");
    } else if ((api || request->upgrades) &&
               !tpi_guard_knows_origin(&front->guard, request, front->secure)) {
        tpi_web_refuse(c, 403, "denied",
                       "pages of other origins are refused: list the origin in `origins` of the "
                       "front");
    } else if (request->method == TPI_HTTP_POST && request->length > 0 && !panics &&
               !tpi_guard_is_json(request->type)) {
        tpi_web_refuse(c, 415, "invalid", "the content type is application/json");
    } else if (request->method == TPI_HTTP_OTHER || (request->method == TPI_HTTP_POST && !api)) {
        refuse(c, 405, "unsupported", "the method is GET, HEAD or POST",
               api ? "Allow: GET, HEAD, POST\r\n" : "Allow: GET, HEAD\r\n");
    } else {
        return true;
    }
    return false;
}

static void handle(struct connection *c, const tpi_http *request, const char *body)
{
    const bool api = begins(request->path, "/api");

    c->http.head_only = request->method == TPI_HTTP_HEAD_ONLY;
    c->http.closes = request->closes;
    tp_session_heard(c->door->sessions[FORM_JSON]);
    if (!is_allowed(c, request, api)) {
        return;
    }
    if (request->upgrades) {
        tpi_web_upgrade(c, request);
    } else if (api) {
        tpi_web_api(c, request, body, (size_t)request->length);
    } else {
        send_file(c, request);
    }
}

/* Something that is no request: nothing behind it can be understood. */
static size_t reject(struct connection *c, int status, size_t length)
{
    c->http.closes = true;
    c->http.head_only = false;
    tpi_web_refuse(c, status, "syntax",
                   status == 413   ? "the body is too long"
                   : status == 431 ? "the headers are too long"
                   : status == 501 ? "a body has a Content-Length, and no Transfer-Encoding"
                                   : "this is no HTTP/1.1 request");
    return length;
}

size_t tpi_web_http(struct connection *c, const char *bytes, size_t length, size_t *needed)
{
    size_t most = tp_session_longest_message(c->door->sessions[FORM_JSON]);
    tpi_http request;
    const int status = tpi_http_read(&request, bytes, length);

    most = most < MOST_BODY ? most : MOST_BODY;
    if (status == 0) {
        *needed = length + 1;
        return 0;
    }
    if (status != 1) {
        return reject(c, status, length);
    }
    if (request.length > most) {
        return reject(c, 413, length);
    }
    *needed = request.head + (size_t)request.length;
    if (length < *needed) {
        if (request.says_continue && !c->http.continued) {
            c->http.continued = true;
            tpi_buf_puts(&c->out, "HTTP/1.1 100 Continue\r\n\r\n");
            tpi_web_flush(c);
        }
        return 0;
    }
    handle(c, &request, bytes + request.head);
    return request.head + (size_t)request.length;
}
