/* web_http_fuzz.c - any bytes as the head of an HTTP request: what is read of it lies inside, more
 * bytes change nothing that was read, and what is decoded is text. */
#include <string.h>

#include "fuzz.h"
#include "web/gate.h"
#include "web/http.h"

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
