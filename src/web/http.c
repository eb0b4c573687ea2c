/* http.c - see http.h. */
#include "web/http.h"

#include <string.h>

enum { MORE = 0, READ = 1, BAD = 400 };

/* ---- Words ----------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool tpi_span_is(tpi_span span, const char *word)
{
    return span.text != NULL && span.length == strlen(word) &&
           memcmp(span.text, word, span.length) == 0;
}

bool tpi_span_same(tpi_span span, const char *word)
{
    if (span.text == NULL || span.length != strlen(word)) {
        return false;
    }
    for (size_t i = 0; i < span.length; i++) {
        if (lower(span.text[i]) != lower(word[i])) {
            return false;
        }
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static tpi_span trimmed(tpi_span span)
{
    while (span.length > 0 && is_blank(span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length > 0 && is_blank(span.text[span.length - 1])) {
        span.length--;
    }
    return span;
}

bool tpi_span_word(tpi_span list, size_t *at, tpi_span *word)
{
    if (list.text == NULL || *at > list.length || (*at == list.length && list.length == 0)) {
        return false;
    }
    const char *start = list.text + *at;
    const char *comma = memchr(start, ',', list.length - *at);
    const size_t length = comma != NULL ? (size_t)(comma - start) : list.length - *at;

    *word = trimmed((tpi_span){start, length});
    *at += length + 1;
    return true;
}

bool tpi_span_lists(tpi_span list, const char *word)
{
    tpi_span item;
    size_t at = 0;

    while (tpi_span_word(list, &at, &item)) {
        if (tpi_span_same(item, word)) {
            return true;
        }
    }
    return false;
}

/* ---- The head -------------------------------------------------------------------------------- */

/* RFC 9110: a token. */
static bool is_token(tpi_span span)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < span.length; i++) {
        const char c = span.text[i];
        if (!((lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
              (c != '\0' && strchr(others, c) != NULL))) {
            return false;
        }
    }
    return span.length > 0;
}

/* Letters, marks and blanks; no control character. */
static bool is_text(tpi_span span, bool blanks)
{
    for (size_t i = 0; i < span.length; i++) {
        const unsigned char c = (unsigned char)span.text[i];
        if (c < 0x20 ? !(blanks && c == '\t') : c == 0x7f || (c == ' ' && !blanks)) {
            return false;
        }
    }
    return true;
}

/* The next line without its CR LF; false if there is none, or with a CR or LF elsewhere. */
static bool take_line(const char **at, const char *end, tpi_span *line)
{
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));

    if (stop == NULL || stop == *at || stop[-1] != '\r') {
        return false;
    }
    *line = (tpi_span){*at, (size_t)(stop - 1 - *at)};
    *at = stop + 1;
    return memchr(line->text, '\r', line->length) == NULL;
}

static tpi_http_method method_named(tpi_span name)
{
    return tpi_span_is(name, "GET")    ? TPI_HTTP_GET
           : tpi_span_is(name, "HEAD") ? TPI_HTTP_HEAD_ONLY
           : tpi_span_is(name, "POST") ? TPI_HTTP_POST
                                       : TPI_HTTP_OTHER;
}

static int read_request_line(tpi_http *out, tpi_span line)
{
    const char *first = memchr(line.text, ' ', line.length);
    const char *last = first;

    for (const char *at = first; at != NULL;
         at = memchr(at + 1, ' ', line.length - (size_t)(at + 1 - line.text))) {
        last = at;
    }
    if (first == NULL || last == first) {
        return BAD;
    }
    const tpi_span method = {line.text, (size_t)(first - line.text)};
    const tpi_span target = {first + 1, (size_t)(last - first - 1)};
    const tpi_span version = {last + 1, line.length - (size_t)(last + 1 - line.text)};

    if (!is_token(method) || target.length == 0 || target.text[0] != '/' ||
        !is_text(target, false)) {
        return BAD;
    }
    if (!tpi_span_is(version, "HTTP/1.1") && !tpi_span_is(version, "HTTP/1.0")) {
        return version.length >= 5 && memcmp(version.text, "HTTP/", 5) == 0 ? 505 : BAD;
    }
    const char *question = memchr(target.text, '?', target.length);
    out->method = method_named(method);
    out->path = target;
    if (question != NULL) {
        out->path.length = (size_t)(question - target.text);
        out->query = (tpi_span){question + 1, target.length - out->path.length - 1};
    }
    out->closes = tpi_span_is(version, "HTTP/1.0");
    return READ;
}

static int read_length(tpi_http *out, tpi_span value)
{
    uint64_t length = 0;

    if (out->has_length || value.length == 0) {
        return BAD;
    }
    for (size_t i = 0; i < value.length; i++) {
        if (value.text[i] < '0' || value.text[i] > '9') {
            return BAD;
        }
        if (length > UINT64_MAX / 100) {
            return 413;
        }
        length = length * 10 + (uint64_t)(value.text[i] - '0');
    }
    out->has_length = true;
    out->length = length;
    return READ;
}

/* Those that are kept as they are; each comes once. */
static int keep_text(tpi_http *out, tpi_span name, tpi_span value)
{
    const struct {
        const char *name;
        tpi_span *place;
    } kept[] = {
        {"host", &out->host},
        {"origin", &out->origin},
        {"content-type", &out->type},
        {"authorization", &out->authorization},
        {"x-troupe-client", &out->client},
        {"sec-fetch-site", &out->fetch_site},
        {"sec-websocket-key", &out->socket_key},
        {"sec-websocket-version", &out->socket_version},
        {"sec-websocket-protocol", &out->socket_protocols},
    };

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (tpi_span_same(name, kept[i].name)) {
            if (kept[i].place->text != NULL) {
                return BAD;
            }
            *kept[i].place = value;
        }
    }
    return READ;
}

/* What the lines Upgrade and Connection have said. */
struct wishes {
    bool websocket, upgrade;
};

static int read_header(tpi_http *out, tpi_span line, struct wishes *wishes)
{
    const char *colon = memchr(line.text, ':', line.length);

    if (colon == NULL) {
        return BAD;
    }
    const tpi_span name = {line.text, (size_t)(colon - line.text)};
    const tpi_span value = trimmed((tpi_span){colon + 1, line.length - name.length - 1});

    if (!is_token(name) || !is_text(value, true)) {
        return BAD;
    }
    if (tpi_span_same(name, "content-length")) {
        return read_length(out, value);
    }
    if (tpi_span_same(name, "transfer-encoding")) {
        if (out->chunked || !tpi_span_same(value, "chunked")) {
            return out->chunked ? BAD : 501;
        }
        out->chunked = true;
        return READ;
    }
    if (tpi_span_same(name, "expect")) {
        out->says_continue = tpi_span_same(value, "100-continue");
        return out->says_continue ? READ : 417;
    }
    if (tpi_span_same(name, "upgrade")) {
        wishes->websocket = wishes->websocket || tpi_span_lists(value, "websocket");
    } else if (tpi_span_same(name, "connection")) {
        wishes->upgrade = wishes->upgrade || tpi_span_lists(value, "upgrade");
        out->closes =
            tpi_span_lists(value, "close") || (out->closes && !tpi_span_lists(value, "keep-alive"));
    } else if (tpi_span_same(name, "accept-encoding")) {
        out->takes_gzip = out->takes_gzip || tpi_span_lists(value, "gzip");
    }
    return keep_text(out, name, value);
}

/* Where the head ends; 0 if it is not whole. */
static size_t find_end(const char *bytes, size_t length)
{
    for (size_t i = 3; i < length; i++) {
        if (bytes[i] == '\n' && memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0) {
            return i + 1;
        }
    }
    return 0;
}

int tpi_http_read(tpi_http *out, const char *bytes, size_t length)
{
    const size_t looked = length < TPI_HTTP_HEAD ? length : TPI_HTTP_HEAD;
    const size_t head = find_end(bytes, looked);
    const char *at = bytes;
    struct wishes wishes = {false, false};
    unsigned headers = 0;
    tpi_span line;

    *out = (tpi_http){.method = TPI_HTTP_OTHER};
    if (head == 0) {
        return length >= TPI_HTTP_HEAD ? 431 : MORE;
    }
    out->head = head;
    int status = take_line(&at, bytes + head, &line) ? read_request_line(out, line) : BAD;
    while (status != 431 && take_line(&at, bytes + head, &line) && line.length > 0) {
        const int read = ++headers > TPI_HTTP_HEADERS ? 431 : read_header(out, line, &wishes);
        status = status == READ ? read : status;
    }
    if (status == READ && at != bytes + head) {
        status = BAD; /* a line that is none */
    }
    out->upgrades = wishes.websocket && wishes.upgrade;
    if (status == READ && out->chunked && (out->has_length || out->upgrades)) {
        return BAD;
    }
    return status;
}

const char *tpi_http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {101, "Switching Protocols"},
        {200, "OK"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {426, "Upgrade Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
    };

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Error";
}

/* ---- Paths and queries ----------------------------------------------------------------------- */

static int digit(char c)
{
    c = lower(c);
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool tpi_http_decode(char *out, size_t size, tpi_span escaped, bool plus)
{
    size_t length = 0;

    for (size_t i = 0; i < escaped.length; i++) {
        char c = escaped.text[i];
        if (c == '%') {
            const int high = escaped.length - i > 2 ? digit(escaped.text[i + 1]) : -1;
            const int low = escaped.length - i > 2 ? digit(escaped.text[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if ((unsigned char)c < 0x20 || c == 0x7f || length + 1 >= size) {
            return false;
        }
        out[length++] = c;
    }
    out[length] = '\0';
    return true;
}

bool tpi_http_parameter(char *out, size_t size, tpi_span query, const char *name)
{
    const size_t name_length = strlen(name);
    size_t at = 0;

    while (query.text != NULL && at < query.length) {
        const char *start = query.text + at;
        const char *stop = memchr(start, '&', query.length - at);
        const size_t length = stop != NULL ? (size_t)(stop - start) : query.length - at;

        if (length > name_length && start[name_length] == '=' &&
            memcmp(start, name, name_length) == 0) {
            return tpi_http_decode(
                out, size, (tpi_span){start + name_length + 1, length - name_length - 1}, true);
        }
        at += length + 1;
    }
    return false;
}

bool tpi_http_part(char *out, size_t size, tpi_span path, size_t *at, bool *wrong)
{
    if (*at >= path.length || path.text[*at] != '/') {
        return false;
    }
    const char *start = path.text + *at + 1;
    const size_t left = path.length - *at - 1;
    const char *slash = memchr(start, '/', left);
    const size_t length = slash != NULL ? (size_t)(slash - start) : left;

    if (!tpi_http_decode(out, size, (tpi_span){start, length}, false)) {
        *wrong = true;
        return false;
    }
    *at += length + 1;
    return true;
}
