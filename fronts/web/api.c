/* api.c - the paths below /api: who answers them, and those that are answered at once. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

static const int64_t STATISTICS_NS = 100 * TP_NS_PER_MS;

static void answer_text(struct connection *c, tpi_buf *text)
{
    if (text->failed) {
        tpi_web_refuse(c, 503, "nomem", "out of memory");
    } else {
        tpi_buf_putc(text, '\n');
        tpi_web_answer(c, 200, tpi_buf_text(text), text->length);
    }
    tpi_buf_fini(text);
}

static void put_value(tpi_buf *out, const tp_struct *type, const void *value)
{
    char *text = NULL;

    if (value == NULL || tp_value_text(&text, type, value, TP_TEXT_JSON) != TP_OK) {
        tpi_buf_puts(out, "null");
        return;
    }
    tpi_buf_puts(out, text);
    free(text);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void get_devices(struct connection *c)
{
    tpi_buf text = {0};

    tpi_web_directory_look(c->front);
    tpi_web_put_devices(c->front, &text);
    answer_text(c, &text);
}

static void put_interfaces(tpi_buf *out, const tp_catalogue *catalogue)
{
    char *one = NULL;

    tpi_buf_putc(out, '{');
    for (size_t i = 0; i < tp_catalogue_size(catalogue); i++) {
        const tp_interface *interface = tp_catalogue_at(catalogue, i);

        if (tp_interface_json(&one, interface) == TP_OK) {
            tpi_buf_printf(out, "%s\"%s\":%s", i > 0 ? "," : "", interface->name, one);
            free(one);
        }
    }
    tpi_buf_puts(out, "}\n");
}

/* Made once for all clients: it takes milliseconds. */
static void get_all_interfaces(struct connection *c)
{
    const tp_catalogue *catalogue = front_catalogue(c->front);
    struct description *all = &c->front->texts.description;
    tpi_buf *text = &all->text;

    if (all->count != tp_catalogue_size(catalogue) || text->failed) {
        tpi_buf_fini(text);
        put_interfaces(text, catalogue);
        all->count = tp_catalogue_size(catalogue);
    }
    if (text->failed) {
        tpi_web_refuse(c, 503, "nomem", "out of memory");
    } else {
        tpi_web_answer(c, 200, tpi_buf_text(text), text->length);
    }
}

static void get_interfaces(struct connection *c, const struct api_call *call)
{
    const tp_catalogue *catalogue = front_catalogue(c->front);
    tpi_buf text = {0};
    char *one = NULL;

    if (call->count == 1) {
        get_all_interfaces(c);
        return;
    }
    const tp_interface *interface = tp_catalogue_named(catalogue, call->parts[1]);
    const bool schema = call->count == 3 && strcmp(call->parts[2], "schema") == 0;

    if (interface == NULL || call->count > 3 || (call->count == 3 && !schema)) {
        tpi_web_refuse(c, 404, "unknown", "there is no such interface");
        return;
    }
    if ((schema ? tp_interface_schema(&one, interface) : tp_interface_json(&one, interface)) ==
        TP_OK) {
        tpi_buf_puts(&text, one);
        free(one);
    }
    answer_text(c, &text);
}

static void put_right(tpi_buf *out, const struct client *visitor)
{
    tp_session *session = visitor->sessions[FORM_JSON];
    uint8_t nonce[TP_AUTH_NONCE_LENGTH];
    const char *key = tp_session_key(session);

    tpi_buf_printf(
        out, "\"right\":\"%s\",\"operates\":%s,\"key\":", tp_right_name(tp_session_right(session)),
        tp_session_operates(session) ? "true" : "false");
    tpi_json_put_string(out, key, strlen(key));
    tpi_buf_printf(out, ",\"keys\":%s",
                   tp_session_challenge(session, nonce, NULL) == TP_OK ? "true" : "false");
}

/* With many clients and devices they take milliseconds, so those who only read share them for a
 * moment. */
static const tpi_buf *get_statistics(struct web_front *front, const struct client *visitor)
{
    struct recent_text *recent = &front->texts.statistics;
    const bool only_reads = tp_session_right(visitor->sessions[FORM_JSON]) < TP_RIGHT_WRITE;
    tp_statistics *statistics = NULL;

    if (only_reads && recent->text.length > 0 &&
        front_now(front) - recent->made_ns < STATISTICS_NS) {
        return &recent->text;
    }
    tpi_buf_clear(&recent->text);
    (void)tp_hub_statistics(tp_front_hub(front->instance), &statistics);
    put_value(&recent->text, &tp_desc_statistics, statistics);
    free(statistics);
    recent->made_ns = front_now(front);
    return &recent->text;
}

static void get_server(struct connection *c, const struct client *visitor)
{
    struct web_front *front = c->front;
    tp_hub *hub = tp_front_hub(front->instance);
    uint64_t dropped = 0;
    tpi_buf text = {0};

    for (const struct connection *at = front->connections; at != NULL; at = at->next) {
        for (int form = 0; form < FORMS; form++) {
            const tp_session *session = at->door->sessions[form];
            dropped += session != NULL ? tp_session_dropped(session) : 0;
        }
    }
    tpi_buf_printf(&text,
                   "{\"name\":\"troupe\",\"version\":\"%s\",\"session\":\"%s\",\"time\":%.6f,",
                   TROUPE_VERSION, front->session_id, tp_clock_wall_s(tp_hub_clock(hub)));
    put_right(&text, visitor);
    tpi_buf_printf(&text,
                   ",\"web\":{\"connections\":%zu,\"dropped\":%llu},\"statistics\":", front->count,
                   (unsigned long long)dropped);
    const tpi_buf *statistics = get_statistics(front, visitor);
    tpi_buf_put(&text, statistics->data, statistics->length);
    tpi_buf_putc(&text, '}');
    text.failed = text.failed || statistics->failed;
    answer_text(c, &text);
}

static void get_frames(struct connection *c)
{
    tp_frame_list *frames = NULL;
    tpi_buf text = {0};

    (void)tp_hub_frames(tp_front_hub(c->front->instance), &frames);
    put_value(&text, &tp_desc_frame_list, frames);
    free(frames);
    answer_text(c, &text);
}

static void get_panic(struct connection *c)
{
    tpi_buf text = {0};

    tpi_web_put_panic(c->front, &text, false);
    answer_text(c, &text);
}

/* ---- Acts ------------------------------------------------------------------------------------ */

/* A member of the body that is a text; "" if there is none. */
static void read_why(char *out, size_t size, const char *body, size_t length)
{
    tpi_json json;
    tpi_json_span name, value;

    out[0] = '\0';
    tpi_json_init(&json, body, length);
    if (length == 0 || !tpi_json_object(&json)) {
        return;
    }
    while (tpi_json_member(&json, &name)) {
        if (tpi_json_is(name, "why") && tpi_json_peek(&json) == TPI_JSON_STRING) {
            if (!tpi_json_string(&json, &value) || !tpi_say_copy(out, size, value)) {
                out[0] = '\0';
            }
        } else if (!tpi_json_skip(&json, NULL)) {
            return;
        }
    }
}

void tpi_web_api_panic(struct connection *c, const char *body, size_t length)
{
    char why[80];

    assert(front_is_current(c->front));
    read_why(why, sizeof why, body, length);
    tp_session_panic(c->door->sessions[FORM_JSON], why[0] != '\0' ? why : "STOP");
}

static void post_panic(struct connection *c, const struct api_call *call)
{
    char why[80];

    read_why(why, sizeof why, call->body, call->length);
    tpi_web_http_wait(c, WAITS_STOP, 3);
    tpi_web_stop(c, why);
}

static void post_reset(struct connection *c, struct client *visitor, const struct api_call *call)
{
    tpi_json json;
    tpi_json_span name;
    int64_t epoch = -1;
    tp_error err = {.text = ""};

    tpi_json_init(&json, call->body, call->length);
    if (tpi_json_object(&json)) {
        while (tpi_json_member(&json, &name) &&
               (tpi_json_is(name, "epoch") ? tpi_json_i64(&json, &epoch)
                                           : tpi_json_skip(&json, NULL))) {
        }
    }
    if (tpi_json_end(&json, &err) != TP_OK || epoch < 0 || epoch > UINT32_MAX) {
        tpi_web_refuse(c, 400, "invalid",
                       err.text[0] != '\0' ? err.text : "the body is {\"epoch\":N}");
        return;
    }
    const tp_status status = tp_session_reset_panic(visitor->sessions[FORM_JSON], (unsigned)epoch,
                                                    visitor->secret, &err);
    if (status == TP_OK) {
        tpi_web_answer(c, 200, "{}\n", 3);
    } else {
        tpi_web_refuse_status(c, status, err.text);
    }
}

/* A request of the interface `player`. */
static void post_server(struct connection *c, struct client *visitor, const struct api_call *call)
{
    const tp_message *what =
        tp_interface_message_named(&tp_interface_player, TP_KIND_REQUEST, call->parts[2]);
    struct call *place =
        what == NULL || !tpi_web_serves(what) ? NULL : tpi_web_call_begin(visitor, CALL_HTTP);
    tp_error err = {.text = ""};

    if (place == NULL) {
        if (what != NULL && what->code == TP_PLAYER_REQ_PANIC) { /* there are too many calls */
            tp_session_panic(visitor->sessions[FORM_JSON], "");
        }
        tpi_web_refuse(c, what != NULL && tpi_web_serves(what) ? 429 : 404, "unknown",
                       "the server has no such request");
        return;
    }
    place->waits = c;
    tpi_web_http_wait(c, WAITS_CALL, 10);
    const tp_status status = tpi_web_serve_json(visitor, what, call->body, call->length,
                                                tpi_web_call_number(visitor, place), &err);
    if (status != TP_OK) {
        tpi_web_call_end(visitor, place);
        tpi_web_api_refuse(c, status, err.text);
    }
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static bool is(const struct api_call *call, unsigned count, const char *first)
{
    return call->count == count && strcmp(call->parts[0], first) == 0;
}

static bool is_post(const struct api_call *call)
{
    return call->request->method == TPI_HTTP_POST;
}

/* What every client may ask; whether it was that. */
static bool answer_plain(struct connection *c, const struct api_call *call)
{
    if (is_post(call)) {
        if (!is(call, 1, "panic")) {
            return false;
        }
        post_panic(c, call);
    } else if (is(call, 1, "devices")) {
        get_devices(c);
    } else if (call->count > 0 && strcmp(call->parts[0], "interfaces") == 0) {
        get_interfaces(c, call);
    } else if (is(call, 1, "frames")) {
        get_frames(c);
    } else if (is(call, 1, "panic")) {
        get_panic(c);
    } else {
        return false;
    }
    return true;
}

static void answer_visitor(struct connection *c, const struct api_call *call)
{
    const bool devices = call->count > 1 && strcmp(call->parts[0], "devices") == 0;
    const bool server = is(call, 1, "server") && !is_post(call);
    const bool reset = is(call, 1, "reset") && is_post(call);
    const bool asks =
        is(call, 3, "server") && strcmp(call->parts[1], "request") == 0 && is_post(call);

    if (!devices && !server && !reset && !asks) {
        tpi_web_refuse(c, is(call, 1, "reset") || is(call, 1, "server") ? 405 : 404, "unknown",
                       "there is no such path for this method");
        return;
    }
    struct client *visitor = tpi_web_visit(c, call->request);
    if (visitor == NULL) {
        return; /* refused already */
    }
    if (devices) {
        tpi_web_api_device(c, call);
    } else if (server) {
        get_server(c, visitor);
    } else if (reset) {
        post_reset(c, visitor, call);
    } else {
        post_server(c, visitor, call);
    }
}

/* A wrong key is refused, whatever is asked for; a right one has the budgets of its client. A panic
 * needs none. */
static bool is_refused(struct connection *c, const struct api_call *call)
{
    return call->request->authorization.text != NULL && !is(call, 1, "panic") &&
           tpi_web_visit(c, call->request) == NULL;
}

void tpi_web_api(struct connection *c, const tpi_http *request, const char *body, size_t length)
{
    struct api_call call = {.request = request, .body = body, .length = length};
    size_t at = strlen("/api");
    bool wrong = false;

    assert(front_is_current(c->front));
    while (call.count < 6 && tpi_http_part(call.parts[call.count], sizeof call.parts[0],
                                           request->path, &at, &wrong)) {
        call.count++;
    }
    if (wrong || at < request->path.length) {
        tpi_web_refuse(c, 404, "unknown", "there is no such path");
    } else if (!is_refused(c, &call) && !answer_plain(c, &call)) {
        answer_visitor(c, &call);
    }
}
