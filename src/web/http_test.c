/* http_test.c - requests of HTTP, and which of a browser's are answered. */
#include "web/http.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "web/frame.h"
#include "web/gate.h"

static int read_text(tpi_http *out, const char *text)
{
    return tpi_http_read(out, text, strlen(text));
}

static void a_request_is_read(void **state)
{
    static const char text[] =
        "POST /api/x?a=1&key=b%20c+d HTTP/1.1\r\nHost: robot:9665\r\n"
        "content-TYPE: application/json; charset=utf-8\r\nContent-Length: 12\r\n"
        "Connection: close\r\nAccept-Encoding: br, GZIP\r\n\r\nbody";
    tpi_http request;
    char value[16];

    (void)state;
    assert_int_equal(read_text(&request, text), 1);
    assert_int_equal(request.method, TPI_HTTP_POST);
    assert_true(tpi_span_is(request.path, "/api/x"));
    assert_true(tpi_span_is(request.host, "robot:9665"));
    assert_int_equal(request.length, 12);
    assert_int_equal(request.head, strlen(text) - 4);
    assert_true(request.closes && request.takes_gzip && tpi_gate_is_json(request.type));
    assert_true(tpi_http_parameter(value, sizeof value, request.query, "key"));
    assert_string_equal(value, "b c d");
    assert_false(tpi_http_parameter(value, sizeof value, request.query, "ke"));
    for (size_t i = 0; i < request.head; i++) {
        assert_int_equal(tpi_http_read(&request, text, i), 0);
        assert_int_equal(read_text(&request, text), 1);
    }
}

static void an_upgrade_needs_both_of_its_headers(void **state)
{
    tpi_http request;

    (void)state;
    assert_int_equal(read_text(&request, "GET / HTTP/1.1\r\nUpgrade: WebSocket\r\n"
                                         "Connection: keep-alive, upgrade\r\n\r\n"),
                     1);
    assert_true(request.upgrades);
    assert_int_equal(read_text(&request, "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"), 1);
    assert_false(request.upgrades);
}

static void what_can_be_read_in_two_ways_is_refused(void **state)
{
    static const struct {
        int status;
        const char *text;
    } cases[] = {
        {400, "GET / HTTP/1.1\nHost: a\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nno colon\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n"},
        {413, "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"},
        {501, "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"},
        {400,
         "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {400, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"},
        {417, "POST / HTTP/1.1\r\nExpect: miracles\r\n\r\n"},
        {505, "GET / HTTP/3\r\n\r\n"},
        {400, "GET /\r\n\r\n"},
        {400, "GET relative HTTP/1.1\r\n\r\n"},
        {400, "G\x01T / HTTP/1.1\r\n\r\n"},
        {400, "\r\n\r\n"},
    };
    tpi_http request;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(read_text(&request, cases[i].text), cases[i].status);
        assert_string_not_equal(tpi_http_reason(cases[i].status), "Error");
    }
}

static void bodies_come_in_chunks(void **state)
{
    static const struct {
        int status;
        const char *text, *body;
    } cases[] = {
        {1, "3\r\nabc\r\n0\r\n\r\n", "abc"},
        {1, "1;x=y\r\na\r\n0A\r\n0123456789\r\n00\r\n\r\nGET", "a0123456789"},
        {1, "0\r\n\r\n", ""},
        {0, "3\r\nabc\r\n0\r\n\r", ""},
        {0, "3\r\nabc", ""},
        {0, "", ""},
        {400, "3\r\nabcd\r\n0\r\n\r\n", ""},
        {400, "3\nabc\r\n0\r\n\r\n", ""},
        {400, "\r\nabc\r\n", ""},
        {400, "-1\r\n", ""},
        {400, "0x3\r\nabc\r\n0\r\n\r\n", ""},
        {400, "0\r\nTrailer: x\r\n\r\n", ""},
        {413, "10001\r\n", ""},
        {413, "ffffffffffffffffffff\r\n", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tpi_buf body = {0};
        size_t used = 0;

        assert_int_equal(tpi_http_chunks(&body, cases[i].text, strlen(cases[i].text), &used),
                         cases[i].status);
        if (cases[i].status == 1) {
            assert_string_equal(tpi_buf_text(&body), cases[i].body);
            assert_int_equal(used, strstr(cases[i].text, "\r\n\r\n") + 4 - cases[i].text);
        }
        tpi_buf_fini(&body);
    }
}

/* A panic is one whatever is wrong with its request. */
static void what_a_wrong_request_asks_for_is_known(void **state)
{
    static const char *const wrong[] = {
        "Content-Length: x",       "Content-Length: 2\r\nContent-Length: 3",
        "Transfer-Encoding: gzip", "Expect: much",
        "this is no header",       "Host: other\r\nHost: another",
        "Authorization: \x01",     "Content-Length: 1\r\nTransfer-Encoding: chunked",
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256];
        tpi_http request;

        (void)snprintf(text, sizeof text,
                       "POST /api/panic HTTP/1.1\r\n%s\r\nHost: robot\r\nOrigin: here\r\n\r\n",
                       wrong[i]);
        assert_true(read_text(&request, text) >= 400);
        assert_int_equal(request.method, TPI_HTTP_POST);
        assert_true(tpi_span_is(request.path, "/api/panic"));
        assert_true(
            tpi_span_is(request.host, strchr(wrong[i], 'H') == wrong[i] ? "other" : "robot"));
        assert_true(tpi_span_is(request.origin, "here"));
    }
}

static void a_head_is_limited(void **state)
{
    char text[TPI_HTTP_HEAD + 1];
    tpi_http request;
    size_t length = (size_t)strlen(strcpy(text, "GET / HTTP/1.1\r\n"));

    (void)state;
    memset(text + length, 'a', sizeof text - length);
    assert_int_equal(tpi_http_read(&request, text, TPI_HTTP_HEAD - 1), 0);
    assert_int_equal(tpi_http_read(&request, text, TPI_HTTP_HEAD), 431);
    for (int i = 0; i <= TPI_HTTP_HEADERS; i++, length += 6) {
        memcpy(text + length, "a: b\r\n", 6);
    }
    memcpy(text + length, "\r\n", 2);
    assert_int_equal(tpi_http_read(&request, text, length + 2), 431);
}

static void parts_of_a_path_are_decoded_one_by_one(void **state)
{
    const tpi_span path = {"/a%20b/../%2e/", 14};
    const tpi_span bad = {"/a%0", 4};
    char part[8];
    size_t at = 0;
    bool wrong = false;

    (void)state;
    assert_true(tpi_http_part(part, sizeof part, path, &at, &wrong));
    assert_string_equal(part, "a b");
    assert_true(tpi_http_part(part, sizeof part, path, &at, &wrong));
    assert_string_equal(part, "..");
    assert_true(tpi_http_part(part, sizeof part, path, &at, &wrong));
    assert_string_equal(part, ".");
    assert_true(tpi_http_part(part, sizeof part, path, &at, &wrong));
    assert_string_equal(part, "");
    assert_false(tpi_http_part(part, sizeof part, path, &at, &wrong));
    assert_false(wrong);
    at = 0;
    assert_false(tpi_http_part(part, sizeof part, bad, &at, &wrong));
    assert_true(wrong);
}

static void only_names_of_this_machine_are_hosts(void **state)
{
    static const char *const hosts[] = {"robot.example"};
    static const tpi_gate gate = {.hosts = hosts, .host_count = 1};
    static const struct {
        const char *host;
        bool known;
    } cases[] = {
        {"localhost", true},
        {"LOCALHOST:9665", true},
        {"127.0.0.1", true},
        {"192.168.1.7:1", true},
        {"[::1]:9665", true},
        {"[fe80::1]", true},
        {"robot.example", true},
        {"Robot.Example:80", true},
        {"", false},
        {"evil.example", false},
        {"localhost.evil", false},
        {"127.0.0.1.evil", false},
        {"1.2.3", false},
        {"1.2.3.4.5", false},
        {"256.1.1.1", false},
        {"[]", false},
        {"[::1", false},
        {"[evil]", false},
        {"localhost:", false},
        {"localhost:80x", false},
        {"localhost@evil", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tpi_span host = {cases[i].host, strlen(cases[i].host)};
        if (tpi_gate_knows_host(&gate, host) != cases[i].known) {
            fail_msg("%s", cases[i].host);
        }
    }
    assert_false(tpi_gate_knows_host(&gate, (tpi_span){NULL, 0}));
}

static void only_own_and_listed_pages_are_origins(void **state)
{
    static const char *const origins[] = {"https://good.example"};
    static const tpi_gate gate = {.origins = origins, .origin_count = 1};
    static const struct {
        const char *origin;
        bool known, secure;
    } cases[] = {
        {"http://robot:9665", true, false},    {"https://robot:9665", true, true},
        {"https://good.example", true, false}, {"http://robot", false, false},
        {"https://robot:9665", false, false},  {"http://robot:9665", false, true},
        {"http://robot:96650", false, false},  {"null", false, false},
        {"http://good.example", false, false}, {"https://good.example.evil", false, false},
    };
    tpi_http request = {.host = {"robot:9665", 10}};

    (void)state;
    assert_true(tpi_gate_knows_origin(&gate, &request, false));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        request.origin = (tpi_span){cases[i].origin, strlen(cases[i].origin)};
        if (tpi_gate_knows_origin(&gate, &request, cases[i].secure) != cases[i].known) {
            fail_msg("%s", cases[i].origin);
        }
    }
    request.origin = (tpi_span){NULL, 0};
    request.fetch_site = (tpi_span){"cross-site", 10};
    assert_false(tpi_gate_knows_origin(&gate, &request, false));
}

static void frames_begin_and_end_as_the_standard_says(void **state)
{
    static const uint64_t lengths[] = {0, 125, 126, 65535, 65536, 1u << 30};
    uint8_t head[TPI_FRAME_HEAD];
    char accept[TPI_FRAME_ACCEPT + 1];

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t size = tpi_frame_begin(head, TPI_FRAME_BINARY, lengths[i]);
        assert_int_equal(tpi_frame_length(head, size), size + lengths[i]);
        assert_int_equal(tpi_frame_length(head, size - 1), 0);
    }
    assert_int_equal(tpi_frame_length((const uint8_t *)"\x82\x83", 2), 2 + 4 + 3);
    assert_true(tpi_frame_accept(accept, (tpi_span){"dGhlIHNhbXBsZSBub25jZQ==", 24}));
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="); /* RFC 6455, 1.3 */
    assert_false(tpi_frame_accept(accept, (tpi_span){"short", 5}));
}

static void what_is_inside_a_frame_is_read_without_its_mask(void **state)
{
    /* RFC 6455, 5.7: "Hello", masked; and 130 bytes, not masked. */
    static const uint8_t hello[] = {0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d,
                                    0x7f, 0x9f, 0x4d, 0x51, 0x58};
    uint8_t longer[4 + 130] = {0x81, 126, 0, 130, 'a', 'b', 'c'};
    char text[8] = "";

    (void)state;
    assert_int_equal(tpi_frame_payload(text, sizeof text, hello, sizeof hello), 5);
    assert_string_equal(text, "Hello");
    assert_int_equal(tpi_frame_payload(text, 2, longer, sizeof longer), 130);
    assert_string_equal(text, "abllo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_read),
        cmocka_unit_test(an_upgrade_needs_both_of_its_headers),
        cmocka_unit_test(what_can_be_read_in_two_ways_is_refused),
        cmocka_unit_test(bodies_come_in_chunks),
        cmocka_unit_test(what_a_wrong_request_asks_for_is_known),
        cmocka_unit_test(a_head_is_limited),
        cmocka_unit_test(parts_of_a_path_are_decoded_one_by_one),
        cmocka_unit_test(only_names_of_this_machine_are_hosts),
        cmocka_unit_test(only_own_and_listed_pages_are_origins),
        cmocka_unit_test(frames_begin_and_end_as_the_standard_says),
        cmocka_unit_test(what_is_inside_a_frame_is_read_without_its_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
