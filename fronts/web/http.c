/*
 * http.c - one HTTP request: whether it is allowed, and who answers it.
 *
 * A request is handled when it is whole. Requests are answered one after the other; while one waits
 * for a device, the next ones are not looked at.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"

enum { MOST_NAME = 256, PORTION = 16 << 10, SENT_AT_ONCE = 8 };

/* ---- Time limits ----------------------------------------------------------------------------- */

static const int64_t IDLE_NS = 60 * TP_NS_PER_S;

static bool has_limit(enum waiting waiting)
{
    return waiting != WAITS_STOP && waiting != WAITS_FILE && waiting != WAITS_SENT;
}

void tpi_web_http_tick(struct connection *c, int64_t now_ns)
{
    assert(front_is_current(c->front));
    if (c->phase != PHASE_HTTP) {
        return;
    }
    if (c->http.waiting == WAITS_NOT) {
        if (!tpi_web_has_written(c)) {
            c->heard_ns = now_ns; /* it is idle from then on */
        } else if (now_ns - c->heard_ns > IDLE_NS && c->in.length == 0) {
            tpi_web_give_up(c);
        }
    } else if (has_limit(c->http.waiting) && now_ns >= c->http.until_ns) {
        if (c->visitor != NULL) {
            tpi_web_connection_forgotten(c->visitor, c);
        }
        if (c->http.waiting == WAITS_THINGS) {
            tpi_web_wot_late(c);
            return;
        }
        tpi_web_refuse(c, 504, "timeout",
                       c->http.waiting == WAITS_DATA ? "the device has sent no data in time"
                                                     : "the device has not answered in time");
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void send_file(struct connection *c, const tpi_web_file *file)
{
    char headers[192];
    const bool packed = c->http.takes_gzip && file->packed.length > 0;
    const tpi_buf *bytes = packed ? &file->packed : &file->bytes;

    snprintf(headers, sizeof headers,
             "Cache-Control: %s\r\nETag: \"%s%s\"\r\nVary: "
             "Accept-Encoding\r\n%s",
             strncmp(file->name, "/assets/", 8) == 0 ? "max-age=31536000, immutable" : "no-cache",
             file->tag, packed ? "z" : "", packed ? "Content-Encoding: gzip\r\n" : "");
    tpi_web_answer_file(c, file->type, headers, bytes);
}

/* A portion of one file in each turn; and when it is ready, answers to a few of its clients. */
void tpi_web_prepare_files(tp_after *after)
{
    struct web_front *front =
        (struct web_front *)((char *)after - offsetof(struct web_front, prepare));
    tpi_web_file *file = NULL;

    assert(front_is_current(front));
    for (struct connection *c = front->connections; c != NULL && file == NULL; c = c->next) {
        file = c->http.waiting == WAITS_FILE ? c->http.file : NULL;
    }
    const bool ready = file != NULL && tpi_web_file_prepare(file, PORTION);
    int left = ready ? SENT_AT_ONCE : 0;
    for (struct connection *c = front->connections; c != NULL && left > 0; c = c->next) {
        if (c->http.waiting == WAITS_FILE && c->http.file == file) {
            send_file(c, file);
            left--;
        }
    }
    if (file != NULL) {
        tp_loop_later(front->loop, after);
    }
}

static void find_file(struct connection *c, const tpi_http *request)
{
    char name[MOST_NAME];
    const bool named = tpi_http_decode(name, sizeof name, request->path, false);
    tpi_web_file *file = named ? tpi_web_files_find(&c->front->files, name) : NULL;

    if (file == NULL && named && strcmp(name, "/") == 0) {
        static const char page[] =
            "<!doctype html><title>Troupe</title><p>This server has no dashboard installed. "
            "<a href=\"/api/devices\">/api/devices</a> lists its devices.</p>\n";
        tpi_web_answer_as(c, 200, "text/html; charset=utf-8", "Cache-Control: no-cache\r\n", page,
                          sizeof page - 1);
        return;
    }
    if (file == NULL) {
        tpi_web_refuse(c, 404, "unknown", "there is no such path");
        return;
    }
    c->http.takes_gzip = request->takes_gzip;
    if (file->ready) {
        send_file(c, file);
    } else {
        c->http.file = file;
        tpi_web_http_wait(c, WAITS_FILE, 0);
        tp_loop_later(c->front->loop, &c->front->prepare);
    }
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool begins(tpi_span path, const char *with)
{
    const size_t length = strlen(with);

    return path.length >= length && memcmp(path.text, with, length) == 0 &&
           (path.length == length || path.text[length] == '/');
}

/* Parameters as an HTML form sends them. */
static bool is_form(tpi_span type)
{
    const char *end = type.length > 0 ? memchr(type.text, ';', type.length) : NULL;

    return tpi_span_same(
        (tpi_span){type.text, end != NULL ? (size_t)(end - type.text) : type.length},
        "application/x-www-form-urlencoded");
}

/* Whether a browser may ask this at all; it is refused if not. */
static bool is_allowed(struct connection *c, const tpi_http *request, bool api, bool data, bool lab)
{
    const struct web_front *front = c->front;
    const bool panics = tpi_span_is(request->path, "/api/panic");

    if (!tpi_gate_knows_host(&front->gate, request->host)) {
        tpi_web_refuse(c, 421, "denied",
                       "this server does not answer to that name: use an IP address, or list the "
                       "name in `hosts` of the front");
    } else if ((api || data || request->upgrades) &&
               !tpi_gate_knows_origin(&front->gate, request, front->secure)) {
        tpi_web_refuse(c, 403, "denied",
                       "pages of other origins are refused: list the origin in `origins` of the "
                       "front");
    } else if (request->method == TPI_HTTP_POST && request->length > 0 && !panics &&
               !tpi_gate_is_json(request->type) && !(lab && is_form(request->type))) {
        tpi_web_refuse(c, 415, "invalid", "the content type is application/json");
    } else if (request->method == TPI_HTTP_OTHER ||
               (request->method == TPI_HTTP_POST && !api && !lab)) {
        tpi_web_refuse_method(c,
                              api || lab ? "Allow: GET, HEAD, POST\r\n" : "Allow: GET, HEAD\r\n");
    } else {
        return true;
    }
    return false;
}

static void handle(struct connection *c, const tpi_http *request, const char *body)
{
    const bool api = begins(request->path, "/api");
    const bool things = begins(request->path, "/.well-known/wot");
    const bool lab = tpi_web_is_lab(request->path);

    c->http.head_only = request->method == TPI_HTTP_HEAD_ONLY;
    c->http.closes = request->closes;
    c->http.results = false;
    tp_session_heard(c->door->sessions[FORM_JSON]);
    if (!is_allowed(c, request, api, things || lab, lab)) {
        return;
    }
    if (request->upgrades && request->method == TPI_HTTP_GET) {
        tpi_web_upgrade(c, request);
    } else if (api) {
        tpi_web_api(c, request, body, (size_t)request->length);
    } else if (things) {
        tpi_web_wot(c, request);
    } else if (lab) {
        tpi_web_lab(c, request, body);
    } else {
        find_file(c, request);
    }
}

/* Something that is no request: nothing behind it can be understood. */
static size_t reject(struct connection *c, int status, size_t length)
{
    c->http.closes = true;
    c->http.head_only = false;
    c->http.results = false;
    tpi_web_refuse(c, status, "syntax",
                   status == 413   ? "the body is too long"
                   : status == 431 ? "the headers are too long"
                   : status == 501 ? "a body has a Content-Length, or Transfer-Encoding: chunked"
                                   : "this is no HTTP/1.1 request");
    return length;
}

/* Whether it asks for a panic. What its body is does not matter. */
static bool asks_for_panic(const struct connection *c, const tpi_http *request)
{
    const tpi_gate *gate = &c->front->gate;

    return request->method == TPI_HTTP_POST && tpi_span_is(request->path, "/api/panic") &&
           tpi_gate_knows_host(gate, request->host) &&
           tpi_gate_knows_origin(gate, request, c->front->secure);
}

/* A request that is refused for a header or its body, and is a panic if it asks for one. */
static size_t reject_panic(struct connection *c, const tpi_http *request, int status, size_t length)
{
    if (asks_for_panic(c, request)) {
        tpi_web_raise(c, "");
    }
    return reject(c, status, length);
}

/* Look at one request; how many bytes it has, SCOUTED_ALL if that is not known, 0 if its head is
 * not whole. */
static size_t look_at(struct connection *c, const char *bytes, size_t length, bool acts)
{
    tpi_http request;
    const int status = tpi_http_read(&request, bytes, length);
    const bool read = status == 1 && !request.chunked;
    const bool whole = read && request.length <= length - request.head;

    if (status == 0) {
        return 0;
    }
    if (acts && asks_for_panic(c, &request)) {
        c->in.acted = c->in.scouted + 1;
        tpi_web_api_panic(c, whole ? bytes + request.head : "", whole ? (size_t)request.length : 0);
    }
    return whole || (read && request.length <= MOST_BODY) ? request.head + (size_t)request.length
                                                          : SCOUTED_ALL; /* a body is no request */
}

void tpi_web_http_look(struct connection *c, const char *bytes, size_t length)
{
    tp_session *session = c->door->sessions[FORM_JSON];
    size_t looked = 1;

    assert(front_is_current(c->front));
    while (looked > 0 && c->in.scouted < length && !tp_session_sees_panic(session)) {
        looked =
            look_at(c, bytes + c->in.scouted, length - c->in.scouted, c->in.acted <= c->in.scouted);
        c->in.scouted = looked == SCOUTED_ALL ? SCOUTED_ALL : c->in.scouted + looked;
    }
}

/* A client that does not send its body yet is asked for it. */
static void say_continue(struct connection *c, const tpi_http *request)
{
    if (request->says_continue && !c->http.continued) {
        c->http.continued = true;
        tpi_buf_puts(&c->out, "HTTP/1.1 100 Continue\r\n\r\n");
        tpi_web_flush(c);
    }
}

/* A request whose body comes in chunks. */
static size_t handle_chunks(struct connection *c, tpi_http *request, const char *bytes,
                            size_t length, size_t most, size_t *needed)
{
    tpi_buf body = {0};
    size_t used = 0;
    int status = tpi_http_chunks(&body, bytes + request->head, length - request->head, &used);

    if (status == 1 && (body.failed || body.length > most)) {
        status = 413;
    }
    if (status == 0) {
        *needed = length + 1;
        say_continue(c, request);
    } else if (status == 1) {
        request->length = body.length;
        handle(c, request, tpi_buf_text(&body));
        used += request->head;
    } else {
        used = reject_panic(c, request, status, length);
    }
    tpi_buf_fini(&body);
    return status == 0 ? 0 : used;
}

size_t tpi_web_http(struct connection *c, const char *bytes, size_t length, size_t *needed)
{
    size_t most = tp_session_longest_message(c->door->sessions[FORM_JSON]);
    tpi_http request;
    const int status = tpi_http_read(&request, bytes, length);

    assert(front_is_current(c->front));
    most = most < MOST_BODY ? most : MOST_BODY;
    if (status == 0) {
        *needed = length + 1;
        return 0;
    }
    if (status != 1) {
        return reject_panic(c, &request, status, length);
    }
    if (request.length > most) {
        return reject_panic(c, &request, 413, length);
    }
    if (request.chunked) {
        return handle_chunks(c, &request, bytes, length, most, needed);
    }
    *needed = request.head + (size_t)request.length;
    if (length < *needed) {
        say_continue(c, &request);
        return 0;
    }
    handle(c, &request, bytes + request.head);
    return request.head + (size_t)request.length;
}

bool tpi_web_http_is_urgent(const struct connection *c, const char *bytes, size_t length)
{
    tpi_http request;

    assert(front_is_current(c->front));
    return c->http.waiting == WAITS_NOT && tp_session_is_new(c->door->sessions[FORM_JSON]) &&
           tpi_http_read(&request, bytes, length) == 1 &&
           ((request.authorization.text != NULL && begins(request.path, "/api")) ||
            request.upgrades || tpi_span_is(request.path, "/api/panic") ||
            tpi_span_is(request.path, "/stop"));
}
