/*
 * lab.c - the remote interface of phyphox for experiments: /get, /control, /config, /meta, /time
 * and /export, of the first experiment device, or below /experiment:N of that one.
 *
 * From the first request on, the front reads the device and keeps its samples (web/lab.h) for all
 * clients. A request before it knows the channels waits for them. Who asks needs the same right as
 * for the device: reading for the pages, what the request of the device needs for /control.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inside.h"
#include "troupe/interfaces/experiment.h"
#include "web/lab.h"

static const double ANSWER_S = 10;

enum lab_page { LAB_GET, LAB_CONTROL, LAB_CONFIG, LAB_META, LAB_TIME, LAB_EXPORT, LAB_PAGES };

static const char *const pages[LAB_PAGES] = {"get", "control", "config", "meta", "time", "export"};

struct lab {
    struct lab *next;
    struct web_front *front; /* borrowed */
    tp_devaddr addr;
    tp_session *session; /* owned */
    tp_after drain;
    bool open, lost, asks_channels, asks_state;
    bool knows_channels, knows_state;
    bool has_ended; /* the samples are those of a run that has ended */
    bool has_set;   /* a client has changed a setting */
    uint32_t runs;
    tpi_lab data;
    char failure[160]; /* why it cannot be read; "" if it can */
};

/* ---- The device ------------------------------------------------------------------------------ */

static void ask(struct lab *lab, unsigned code)
{
    const tp_message *what = tp_interface_message(&tp_interface_experiment, TP_KIND_REQUEST, code);
    const tp_msghdr header = {.addr = lab->addr, .type = TP_MSGTYPE_REQ, .subtype = what->code};
    tp_msg *msg = NULL;

    tp_session_heard(lab->session);
    if (tp_msg_create(&msg, &header, what->ask, NULL) == TP_OK) {
        const tp_status status = tp_session_send(lab->session, msg, what, NULL);

        lab->lost = lab->lost || status == TP_E_DENIED; /* the device was removed, or replaced */
        tp_msg_unref(msg);
    }
}

/* The text of the experiment tells experiments apart. */
static void take_text(struct lab *lab, const tp_experiment_text *text)
{
    const char *bytes = text->text_count > 0 ? text->text : "";
    const size_t length = text->text_count > 0 ? strnlen(bytes, text->text_count) : 0;

    lab->data.crc = (uint32_t)crc32(0, (const unsigned char *)bytes, (unsigned)length);
}

/* A run has begun: what is there is of the run before. */
static void begin_run(struct lab *lab)
{
    if (lab->has_ended) {
        lab->has_ended = false;
        tpi_lab_clear(&lab->data);
    }
}

static void take_state(struct lab *lab, const tp_experiment_state *state)
{
    const double now_s = tp_clock_wall_s(tp_hub_clock(tp_front_hub(lab->front->instance)));
    const bool runs = state->phase == TP_EXPERIMENT_RUNNING;

    if (runs && (!lab->knows_state || state->runs != lab->runs)) {
        begin_run(lab);
        tpi_lab_event_put(&lab->data, true, 0, now_s - state->time);
    } else if (!runs && lab->data.measures) {
        tpi_lab_event_put(&lab->data, false, state->time, now_s);
    }
    if (!runs) {
        lab->has_ended = true;
    }
    if (state->phase == TP_EXPERIMENT_READY || state->phase == TP_EXPERIMENT_NONE) {
        ask(lab, TP_EXPERIMENT_REQ_GET_TEXT);
    }
    if (!runs || lab->has_set) {
        ask(lab, TP_EXPERIMENT_REQ_GET_CHANNELS); /* other units or settings, or another sensor */
        lab->has_set = false;
    }
    lab->runs = state->runs;
    lab->data.measures = runs;
    lab->knows_state = true;
    (void)snprintf(lab->data.title, sizeof lab->data.title, "%.100s",
                   state->title_count > 0 ? state->title : "");
}

static void take(struct lab *lab, const tp_msg *msg)
{
    const tp_msghdr *header = tp_msg_header(msg);
    const void *value = tp_msg_payload(msg);

    if (header->type == TP_MSGTYPE_RESP_NACK) {
        (void)snprintf(lab->failure, sizeof lab->failure, "the device does not answer");
    } else if (value == NULL) {
        return;
    } else if (tp_msg_type(msg) == &tp_desc_experiment_channels) {
        tpi_lab_set_channels(&lab->data, value);
        lab->knows_channels = true;
    } else if (tp_msg_type(msg) == &tp_desc_experiment_text) {
        take_text(lab, value);
    } else if (tp_msg_type(msg) == &tp_desc_experiment_state) {
        take_state(lab, value);
    } else if (tp_msg_type(msg) == &tp_desc_experiment_sample) {
        begin_run(lab);
        tpi_lab_sample(&lab->data, value);
    }
}

static void answer_waiting(struct lab *lab);

static void on_drain(tp_after *after)
{
    struct lab *lab = (struct lab *)((char *)after - offsetof(struct lab, drain));
    tp_msg *msg;

    assert(front_is_current(lab->front));
    while ((msg = tp_session_take(lab->session)) != NULL) {
        take(lab, msg);
        tp_msg_unref(msg);
    }
    answer_waiting(lab);
}

static void on_ready(void *context)
{
    struct lab *lab = context;

    tp_loop_after(lab->front->loop, &lab->drain);
}

static void on_lost(void *context)
{
    ((struct lab *)context)->lost = true; /* it goes with the next request, or with the front */
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct lab *lab = context;

    (void)request;
    (void)device;
    lab->open = status == TP_OK;
    if (status != TP_OK) {
        (void)snprintf(lab->failure, sizeof lab->failure, "%.159s",
                       err != NULL ? err->text : tp_status_text(status));
        tp_loop_after(lab->front->loop, &lab->drain);
        return;
    }
    ask(lab, TP_EXPERIMENT_REQ_GET_CHANNELS);
    ask(lab, TP_EXPERIMENT_REQ_GET_STATE);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void destroy(struct lab *lab)
{
    tp_loop_after_cancel(lab->front->loop, &lab->drain);
    tp_session_destroy(lab->session);
    tpi_lab_fini(&lab->data);
    free(lab);
}

static struct lab *create(struct web_front *front, const tp_devaddr *addr)
{
    static const tp_session_limits limits = {.data = 1024, .replies = 16, .requests = 4};
    static const tp_session_events events = {.ready = on_ready, .lost = on_lost};
    const tp_msghdr request = {.addr = *addr, .type = TP_MSGTYPE_REQ};
    struct lab *lab = calloc(1, sizeof *lab);

    if (lab == NULL) {
        return NULL;
    }
    lab->front = front;
    lab->addr = *addr;
    lab->drain.run = on_drain;
    lab->has_ended = true;
    (void)snprintf(lab->data.session, sizeof lab->data.session, "%s", front->session_id);
    if (tp_session_create(&lab->session, tp_front_hub(front->instance), TP_EVERY_ROBOT, &limits,
                          &events, lab, NULL) != TP_OK) {
        free(lab);
        return NULL;
    }
    tp_session_set_name(lab->session, "web");
    tp_device *device = tp_session_find_at(lab->session, addr);
    if (device == NULL ||
        tp_session_open(lab->session, device, TP_READ_MODE, &request, on_opened) != TP_OK) {
        destroy(lab);
        return NULL;
    }
    return lab;
}

static struct lab *lab_of(struct web_front *front, const tp_devaddr *addr)
{
    struct lab **at = &front->grids.labs;

    while (*at != NULL) {
        struct lab *lab = *at;

        if (!lab->lost && lab->failure[0] == '\0') {
            if (same_address(&lab->addr, addr)) {
                return lab;
            }
            at = &lab->next;
            continue;
        }
        *at = lab->next;
        destroy(lab);
    }
    *at = create(front, addr);
    return *at;
}

void tpi_web_labs_clear(struct web_front *front)
{
    while (front->grids.labs != NULL) {
        struct lab *lab = front->grids.labs;

        front->grids.labs = lab->next;
        destroy(lab);
    }
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* "/get" or "/experiment:1/get": the page; LAB_PAGES for none. `device` is "" without one. */
static enum lab_page page_of(tpi_span path, char *device, size_t size)
{
    char parts[3][64];
    size_t at = 0;
    unsigned count = 0, page = 0;
    bool wrong = false;

    while (count < 3 && tpi_http_part(parts[count], sizeof parts[0], path, &at, &wrong)) {
        count++;
    }
    device[0] = '\0';
    if (wrong || count == 0 || count > 2 ||
        (count == 2 && strstr(parts[0], "experiment") == NULL)) {
        return LAB_PAGES;
    }
    if (count == 2) {
        (void)snprintf(device, size, "%s", parts[0]);
    }
    while (page < LAB_PAGES && strcmp(parts[count - 1], pages[page]) != 0) {
        page++;
    }
    return (enum lab_page)page;
}

bool tpi_web_is_lab(tpi_span path)
{
    char device[64];

    return page_of(path, device, sizeof device) != LAB_PAGES;
}

/* The device of that name, else one that measures, else the first. */
static const struct web_device *choose(struct web_front *front, const char *name)
{
    if (name[0] != '\0') {
        const struct web_device *device = tpi_web_device_named(front, name);
        return device != NULL && device->interface->code == TP_EXPERIMENT_CODE ? device : NULL;
    }
    for (const struct lab *lab = front->grids.labs; lab != NULL; lab = lab->next) {
        if (!lab->lost && lab->data.measures) {
            return tpi_web_device_at(front, &lab->addr, NULL);
        }
    }
    const struct web_device *first = NULL;
    for (size_t i = 0; i < front->device_count; i++) {
        const struct web_device *at = &front->devices[i];
        if (at->interface->code == TP_EXPERIMENT_CODE &&
            (first == NULL || at->addr.index < first->addr.index)) {
            first = at;
        }
    }
    return first;
}

static void answer_file(struct connection *c, bool sheets, const tpi_buf *text)
{
    char headers[128];

    (void)snprintf(headers, sizeof headers,
                   "Cache-Control: no-store\r\nContent-Disposition: attachment; "
                   "filename=\"experiment.%s\"\r\n",
                   sheets ? "xlsx" : "zip");
    tpi_web_answer_as(c, 200,
                      sheets ? "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
                             : "application/zip",
                      headers, tpi_buf_text(text), text->length);
}

static void put_page(struct connection *c, const struct lab *lab, enum lab_page page,
                     tpi_span query)
{
    tpi_buf text = {0};
    char number[8] = "";

    if (page == LAB_EXPORT) {
        (void)tpi_http_parameter(number, sizeof number, query, "format");
        const bool sheets = strcmp(number, "0") == 0;
        const int format = sheets ? 0 : number[0] == '\0' ? 1 : atoi(number);

        if ((format == 0 && !sheets) || !tpi_lab_put_export(&lab->data, format, &text)) {
            tpi_web_refuse(c, 400, "unsupported",
                           "format is 0 for a workbook, or 1 to 5: tables with commas, tabs or "
                           "semicolons");
        } else if (!text.failed) {
            answer_file(c, sheets, &text);
        }
    } else {
        const char *wrong = NULL;

        if (page == LAB_GET) {
            wrong = tpi_lab_put_get(&lab->data, query, &text);
        } else if (page == LAB_CONFIG) {
            tpi_lab_put_config(&lab->data, &text);
        } else if (page == LAB_META) {
            tpi_lab_put_meta(&lab->data, TROUPE_VERSION, &text);
        } else {
            tpi_lab_put_time(&lab->data, &text);
        }
        if (wrong != NULL) {
            tpi_web_refuse(c, 400, "invalid", wrong);
        } else if (!text.failed) {
            tpi_web_answer(c, 200, tpi_buf_text(&text), text.length);
        }
    }
    if (text.failed) {
        tpi_web_refuse(c, 503, "nomem", "out of memory");
    }
    tpi_buf_fini(&text);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool is_known(const struct lab *lab)
{
    return lab->knows_channels && lab->knows_state;
}

/* One of the pages: the channels are known. */
static void answer_page(struct connection *c, struct lab *lab, enum lab_page page, tpi_span query)
{
    const struct web_device *device = tpi_web_device_at(c->front, &lab->addr, NULL);

    if (page != LAB_CONTROL) {
        put_page(c, lab, page, query);
    } else if (device == NULL) {
        tpi_web_refuse(c, 404, "unknown", "the experiment is gone");
    } else {
        lab->has_set = tpi_web_lab_control(c, &lab->data, device, query) || lab->has_set;
    }
}

/* Requests that came before the channels were known. */
static void answer_waiting(struct lab *lab)
{
    for (struct connection *c = lab->front->connections; c != NULL; c = c->next) {
        if (c->http.waiting != WAITS_LAB || !same_address(&c->http.addr, &lab->addr)) {
            continue;
        }
        const tpi_span query = {c->http.query, strlen(c->http.query)};
        if (lab->failure[0] != '\0') {
            tpi_web_refuse(c, 502, "device", lab->failure);
        } else if (is_known(lab)) {
            answer_page(c, lab, (enum lab_page)c->http.code, query);
        }
    }
}

static void wait(struct connection *c, const struct lab *lab, enum lab_page page, tpi_span query)
{
    if (query.length >= sizeof c->http.query) {
        tpi_web_refuse(c, 503, "limit", "the sensor is being asked for its channels; try again");
        return;
    }
    memcpy(c->http.query, query.length > 0 ? query.text : "", query.length);
    c->http.query[query.length] = '\0';
    c->http.addr = lab->addr;
    c->http.code = (int)page;
    tpi_web_http_wait(c, WAITS_LAB, ANSWER_S);
}

void tpi_web_lab(struct connection *c, const tpi_http *request, const char *body)
{
    const tpi_span content = {body, (size_t)request->length};
    char name[64];
    const enum lab_page page = page_of(request->path, name, sizeof name);
    tp_error err = {.text = ""};
    tpi_buf query = {0};

    assert(front_is_current(c->front));
    c->http.results = page == LAB_CONTROL;
    tpi_web_directory_look(c->front);
    const struct web_device *device = choose(c->front, name);
    if (device == NULL) {
        tpi_web_refuse(c, 404, "unknown",
                       "there is no such experiment; a section of the driver sensor offers it with "
                       "provides [ \"experiment:0\" ]");
        return;
    }
    if (tpi_web_visit(c, request) == NULL) {
        return; /* refused already */
    }
    struct lab *lab = NULL;
    if (tpi_web_use_briefly(c->visitor, &device->addr, false, &err) == NULL) {
        tpi_web_api_refuse(c, err.code, err.text);
    } else if (!tpi_lab_put_query(content, tpi_gate_is_json(request->type), request->query,
                                  &query)) {
        tpi_web_refuse(c, 400, "syntax", "the body is a flat JSON object, or name=value&...");
    } else if (query.failed || (lab = lab_of(c->front, &device->addr)) == NULL) {
        tpi_web_refuse(c, 503, "nomem", "the experiment cannot be read");
    } else if (is_known(lab)) {
        answer_page(c, lab, page, (tpi_span){tpi_buf_text(&query), query.length});
    } else {
        wait(c, lab, page, (tpi_span){tpi_buf_text(&query), query.length});
    }
    tpi_buf_fini(&query);
}
