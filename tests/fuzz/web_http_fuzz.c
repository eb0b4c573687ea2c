/* web_http_fuzz.c - any bytes as the head of an HTTP request: what is read of it lies inside, more
 * bytes change nothing that was read, and what is decoded is text. */
#include <string.h>

#include "base/json.h"
#include "fuzz.h"
#include "web/gate.h"
#include "web/http.h"
#include "web/lab.h"

static void lies_inside(tpi_span span, const char *text, size_t length)
{
    if (span.text != NULL) {
        fuzz_require(span.text >= text && span.length <= length &&
                         span.text + span.length <= text + length,
                     "a span outside of the request");
    }
}

static void look_at_path(tpi_span path)
{
    char part[32];
    size_t at = 0;
    bool wrong = false;

    while (tpi_http_part(part, sizeof part, path, &at, &wrong)) {
        fuzz_require(strlen(part) < sizeof part && strchr(part, '\n') == NULL, "no text");
        fuzz_require(at <= path.length, "behind the path");
    }
}

/* Any query gets a page of an experiment, in JSON. */
static void look_at_query(tpi_span query)
{
    static double values[] = {1.5, 2};
    static tp_experiment_channel channels[] = {{.number = 1}, {.number = 2}};
    const tp_experiment_channels all = {.channels_count = 2, .channels = channels};
    const tp_experiment_sample sample = {.time = 0.5, .values_count = 2, .values = values};
    tpi_lab lab = {.session = "s"};
    tpi_buf out = {0};
    tpi_json json;

    tpi_lab_set_channels(&lab, &all);
    tpi_lab_sample(&lab, &sample);
    tpi_lab_put_get(&lab, query, &out);
    tpi_json_init(&json, tpi_buf_text(&out), out.length);
    fuzz_require(tpi_json_skip(&json, NULL) && tpi_json_end(&json, NULL) == TP_OK, "no JSON");
    tpi_buf_fini(&out);
    tpi_lab_fini(&lab);
}

static void look_at(const tpi_http *request, const char *text, size_t size)
{
    static const char *const hosts[] = {"robot.example"};
    static const tpi_gate gate = {
        .hosts = hosts, .host_count = 1, .origins = hosts, .origin_count = 1};
    const tpi_span spans[] = {request->path,
                              request->query,
                              request->host,
                              request->origin,
                              request->type,
                              request->authorization,
                              request->client,
                              request->fetch_site,
                              request->socket_key,
                              request->socket_version,
                              request->socket_protocols};
    char value[64];

    fuzz_require(request->head <= size && request->head <= TPI_HTTP_HEAD, "a head too long");
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        lies_inside(spans[i], text, request->head);
    }
    fuzz_require(request->path.length > 0 && request->path.text[0] == '/', "no path");
    look_at_path(request->path);
    (void)tpi_http_parameter(value, sizeof value, request->query, "key");
    look_at_query(request->query);
    if (tpi_gate_knows_host(&gate, request->host)) {
        fuzz_require(request->host.length > 0, "no host is known");
    }
    (void)tpi_gate_knows_origin(&gate, request, false);
    (void)tpi_gate_is_json(request->type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    tpi_http request, again;
    const int status = tpi_http_read(&request, text, size);

    fuzz_require(status == 0 || status == 1 || (status >= 400 && status < 600), "no status");
    fuzz_require(tpi_http_reason(status)[0] != '\0', "no reason");
    tpi_buf body = {0};
    size_t used = 0;
    const int chunks = tpi_http_chunks(&body, text, size, &used);
    fuzz_require(chunks == 0 || (chunks == 1 && used <= size) || chunks == 400 || chunks == 413,
                 "no status of chunks");
    fuzz_require(body.length <= TPI_HTTP_CHUNKED && body.length <= size, "a body too long");
    tpi_buf_fini(&body);
    if (status == 1) {
        look_at(&request, text, size);
        fuzz_require(tpi_http_read(&again, text, request.head) == 1 && again.head == request.head &&
                         again.length == request.length,
                     "the bytes behind the head matter");
        fuzz_require(request.head == 0 || tpi_http_read(&again, text, request.head - 1) != 1,
                     "a part of the head is enough");
    }
    return 0;
}
