/* address_test.c - address texts; nothing here asks the network. */
#include "loop/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "support/unit.h"

static tpi_address address;

/* The i-th endpoint as a text. */
static const char *endpoint(unsigned i)
{
    static char text[64];

    assert_true(i < address.count);
    tpi_address_print(text, sizeof text, &address.endpoints[i].as.any);
    return text;
}

static void parse(const char *text, tpi_address_use use)
{
    const char *wrong = tpi_address_parse(&address, text, use);

    if (wrong != NULL) {
        fail_msg("%s: %s", text, wrong);
    }
}

static void assert_one(const char *text, tpi_address_use use, const char *wanted)
{
    parse(text, use);
    assert_int_equal(address.count, 1);
    assert_string_equal(endpoint(0), wanted);
    assert_string_equal(address.host, "");
}

static void numbers_are_read_without_asking_anybody(void **state)
{
    (void)state;
    assert_one("tcp:127.0.0.1:6665", TPI_ADDRESS_LISTEN, "127.0.0.1:6665");
    assert_one("tcp:127.0.0.1:0", TPI_ADDRESS_CONNECT, "127.0.0.1:0");
    assert_one("tcp:[::1]:65535", TPI_ADDRESS_LISTEN, "[::1]:65535");
    assert_one("udp:10.0.0.255:7", TPI_ADDRESS_RECEIVE, "10.0.0.255:7");
    assert_one("udp:[fe80::1]:7", TPI_ADDRESS_SEND, "[fe80::1]:7");
}

static void an_endpoint_is_ready_for_the_kernel(void **state)
{
    (void)state;
    parse("tcp:1.2.3.4:258", TPI_ADDRESS_CONNECT);
    assert_int_equal(address.endpoints[0].length, sizeof(struct sockaddr_in));
    assert_int_equal(address.endpoints[0].as.v4.sin_family, AF_INET);
    assert_memory_equal(&address.endpoints[0].as.v4.sin_port, "\1\2", 2);
    assert_memory_equal(&address.endpoints[0].as.v4.sin_addr, "\1\2\3\4", 4);
    parse("tcp:[::5]:258", TPI_ADDRESS_CONNECT);
    assert_int_equal(address.endpoints[0].length, sizeof(struct sockaddr_in6));
    assert_int_equal(address.endpoints[0].as.v6.sin6_family, AF_INET6);
    assert_memory_equal(&address.endpoints[0].as.v6.sin6_port, "\1\2", 2);
    assert_int_equal(address.endpoints[0].as.v6.sin6_addr.s6_addr[15], 5);
}

static void a_star_is_every_interface_and_both_families(void **state)
{
    (void)state;
    parse("tcp:*:6665", TPI_ADDRESS_LISTEN);
    assert_int_equal(address.count, 2);
    assert_string_equal(endpoint(0), "[::]:6665");
    assert_string_equal(endpoint(1), "0.0.0.0:6665");
    parse("udp:*:0", TPI_ADDRESS_RECEIVE);
    assert_int_equal(address.count, 2);
}

static void a_path_is_a_unix_socket(void **state)
{
    char longest[5 + 107 + 1];

    (void)state;
    assert_one("unix:/tmp/x", TPI_ADDRESS_LISTEN, "unix");
    assert_string_equal(address.endpoints[0].as.local.sun_path, "/tmp/x");
    assert_int_equal(address.endpoints[0].as.local.sun_family, AF_UNIX);
    (void)snprintf(longest, sizeof longest, "unix:%0107d", 1);
    parse(longest, TPI_ADDRESS_CONNECT);
    assert_string_equal(address.endpoints[0].as.local.sun_path, longest + 5);
}

static void a_name_is_left_for_later(void **state)
{
    (void)state;
    parse("tcp:robot.example:6665", TPI_ADDRESS_CONNECT);
    assert_int_equal(address.count, 0);
    assert_string_equal(address.host, "robot.example");
    parse("udp:1.2.3:6665", TPI_ADDRESS_SEND); /* getaddrinfo() may make something of it */
    assert_string_equal(address.host, "1.2.3");
}

static void what_is_no_address_is_told(void **state)
{
    static const char stream[] = "an address here is tcp:HOST:PORT or unix:PATH";
    static const char datagram[] = "an address here is udp:HOST:PORT";
    static const char port[] = "the port must be a number from 0 to 65535";
    static const struct {
        const char *text;
        tpi_address_use use;
        const char *wrong;
    } cases[] = {
        {"", TPI_ADDRESS_LISTEN, stream},
        {"tcp", TPI_ADDRESS_LISTEN, stream},
        {"udp:127.0.0.1:1", TPI_ADDRESS_CONNECT, stream},
        {"127.0.0.1:1", TPI_ADDRESS_CONNECT, stream},
        {"tcp:127.0.0.1:1", TPI_ADDRESS_RECEIVE, datagram},
        {"unix:/tmp/x", TPI_ADDRESS_SEND, datagram},
        {"tcp:", TPI_ADDRESS_LISTEN, "the port is missing"},
        {"tcp:127.0.0.1", TPI_ADDRESS_LISTEN, "the port is missing"},
        {"tcp:[::1]", TPI_ADDRESS_LISTEN, "the port is missing"},
        {"tcp:[::1]6665", TPI_ADDRESS_LISTEN, "the port is missing"},
        {"tcp:[::1:6665", TPI_ADDRESS_LISTEN, "the closing bracket is missing"},
        {"tcp:[]:1", TPI_ADDRESS_LISTEN, "there is no IPv6 address in the brackets"},
        {"tcp:[127.0.0.1]:1", TPI_ADDRESS_LISTEN, "there is no IPv6 address in the brackets"},
        {"tcp:::1:6665", TPI_ADDRESS_LISTEN, "an IPv6 address must be in brackets"},
        {"tcp::6665", TPI_ADDRESS_LISTEN, "the host is missing"},
        {"tcp:127.0.0.1:", TPI_ADDRESS_LISTEN, port},
        {"tcp:127.0.0.1:x", TPI_ADDRESS_LISTEN, port},
        {"tcp:127.0.0.1:1x", TPI_ADDRESS_LISTEN, port},
        {"tcp:127.0.0.1:-1", TPI_ADDRESS_LISTEN, port},
        {"tcp:127.0.0.1:65536", TPI_ADDRESS_LISTEN, port},
        {"tcp:127.0.0.1:99999999999999999999", TPI_ADDRESS_LISTEN, port},
        {"udp:[::1]:x", TPI_ADDRESS_RECEIVE, port},
        {"unix:", TPI_ADDRESS_LISTEN, "the path is missing"},
        {"tcp:*:1", TPI_ADDRESS_CONNECT, "* is for listening only"},
        {"udp:*:1", TPI_ADDRESS_SEND, "* is for listening only"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *wrong = tpi_address_parse(&address, cases[i].text, cases[i].use);
        assert_non_null(wrong);
        assert_string_equal(wrong, cases[i].wrong);
    }
}

static void what_is_too_long_is_told(void **state)
{
    char text[400];

    (void)state;
    (void)snprintf(text, sizeof text, "unix:%0108d", 1);
    assert_string_equal(tpi_address_parse(&address, text, TPI_ADDRESS_LISTEN),
                        "the path is longer than 107 characters");
    (void)snprintf(text, sizeof text, "tcp:%0256d:1", 1);
    assert_string_equal(tpi_address_parse(&address, text, TPI_ADDRESS_LISTEN),
                        "the host is longer than 255 characters");
    (void)snprintf(text, sizeof text, "tcp:[%0256d]:1", 1);
    assert_string_equal(tpi_address_parse(&address, text, TPI_ADDRESS_LISTEN),
                        "the host is longer than 255 characters");
    (void)snprintf(text, sizeof text, "tcp:a%0254d:1", 1);
    assert_null(tpi_address_parse(&address, text, TPI_ADDRESS_LISTEN));
    assert_int_equal(strlen(address.host), 255);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void what_was_found_gets_the_port_and_ipv4_comes_first(void **state)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct addrinfo second = {
        .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&v4, .ai_addrlen = sizeof v4};
    struct addrinfo first = {.ai_family = AF_INET6,
                             .ai_addr = (struct sockaddr *)&v6,
                             .ai_addrlen = sizeof v6,
                             .ai_next = &second};

    (void)state;
    parse("tcp:robot.example:6665", TPI_ADDRESS_CONNECT);
    assert_int_equal(tpi_address_found(&address, &first), 0);
    assert_int_equal(address.count, 2);
    assert_string_equal(endpoint(0), "127.0.0.1:6665");
    assert_string_equal(endpoint(1), "[::1]:6665");
}

static void more_addresses_than_there_is_room_for_are_left_out(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct addrinfo found[20];

    (void)state;
    for (int i = 0; i < 20; i++) {
        found[i] = (struct addrinfo){.ai_family = AF_INET,
                                     .ai_addr = (struct sockaddr *)&v4,
                                     .ai_addrlen = sizeof v4,
                                     .ai_next = i < 19 ? &found[i + 1] : NULL};
    }
    parse("tcp:robot.example:6665", TPI_ADDRESS_CONNECT);
    assert_int_equal(tpi_address_found(&address, found), 0);
    assert_int_equal(address.count, TPI_ADDRESS_ENDPOINTS);
}

static void a_name_without_addresses_is_not_found(void **state)
{
    (void)state;
    parse("tcp:robot.example:6665", TPI_ADDRESS_CONNECT);
    assert_int_equal(tpi_address_found(&address, NULL), UV_EAI_NONAME);
}

static void localhost_is_resolved(void **state)
{
    tp_error err;

    (void)state;
    assert_int_equal(tpi_address_get(&address, "tcp:localhost:80", TPI_ADDRESS_LISTEN, true, &err),
                     TP_OK);
    assert_true(address.count >= 1);
    assert_true(strcmp(endpoint(0), "127.0.0.1:80") == 0 || strcmp(endpoint(0), "[::1]:80") == 0);
    assert_int_equal(tpi_address_get(&address, "tcp:localhost:80", TPI_ADDRESS_LISTEN, false, &err),
                     TP_OK);
    assert_int_equal(address.count, 0);
}

static void failures_say_what_was_tried_and_why_it_failed(void **state)
{
    static const struct {
        int code;
        tpi_address_use use;
        tp_status status;
        const char *text;
    } cases[] = {
        {UV_EADDRINUSE, TPI_ADDRESS_LISTEN, TP_E_EXISTS,
         "listen on A: another program listens there"},
        {UV_ECONNREFUSED, TPI_ADDRESS_CONNECT, TP_E_IO, "connect to A: connection refused"},
        {UV_EACCES, TPI_ADDRESS_RECEIVE, TP_E_IO, "listen on A: permission denied"},
        {UV_ENOMEM, TPI_ADDRESS_SEND, TP_E_NOMEM, "send to A: not enough memory"},
        {UV_EAI_MEMORY, TPI_ADDRESS_SEND, TP_E_NOMEM, "send to A: out of memory"},
        {UV_EAI_NONAME, TPI_ADDRESS_CONNECT, TP_E_UNKNOWN, "connect to A: there is no such host"},
        {UV_EAI_NODATA, TPI_ADDRESS_CONNECT, TP_E_UNKNOWN, "connect to A: there is no such host"},
        {UV_EAI_AGAIN, TPI_ADDRESS_CONNECT, TP_E_UNKNOWN,
         "connect to A: the host cannot be looked up now"},
    };
    tp_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tpi_address_fail(&err, cases[i].code, cases[i].use, "A"), cases[i].status);
        assert_int_equal(err.code, cases[i].status);
        assert_string_equal(err.text, cases[i].text);
    }
    assert_int_equal(tpi_address_get(&address, "x", TPI_ADDRESS_SEND, true, &err), TP_E_SYNTAX);
    assert_string_equal(err.text, "send to x: an address here is udp:HOST:PORT");
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void an_ipv4_peer_on_an_ipv6_socket_looks_like_ipv4(void **state)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(5)};
    char text[64];

    (void)state;
    assert_int_equal(inet_pton(AF_INET6, "::ffff:10.1.2.3", &v6.sin6_addr), 1);
    tpi_address_print(text, sizeof text, (const struct sockaddr *)&v6);
    assert_string_equal(text, "10.1.2.3:5");
}

static void ports_are_known(void **state)
{
    (void)state;
    parse("tcp:1.2.3.4:258", TPI_ADDRESS_CONNECT);
    assert_int_equal(tpi_address_port(&address.endpoints[0].as.any), 258);
    parse("tcp:[::1]:259", TPI_ADDRESS_CONNECT);
    assert_int_equal(tpi_address_port(&address.endpoints[0].as.any), 259);
    parse("unix:x", TPI_ADDRESS_CONNECT);
    assert_int_equal(tpi_address_port(&address.endpoints[0].as.any), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_without_asking_anybody),
        cmocka_unit_test(an_endpoint_is_ready_for_the_kernel),
        cmocka_unit_test(a_star_is_every_interface_and_both_families),
        cmocka_unit_test(a_path_is_a_unix_socket),
        cmocka_unit_test(a_name_is_left_for_later),
        cmocka_unit_test(what_is_no_address_is_told),
        cmocka_unit_test(what_is_too_long_is_told),
        cmocka_unit_test(what_was_found_gets_the_port_and_ipv4_comes_first),
        cmocka_unit_test(more_addresses_than_there_is_room_for_are_left_out),
        cmocka_unit_test(a_name_without_addresses_is_not_found),
        cmocka_unit_test(localhost_is_resolved),
        cmocka_unit_test(failures_say_what_was_tried_and_why_it_failed),
        cmocka_unit_test(an_ipv4_peer_on_an_ipv6_socket_looks_like_ipv4),
        cmocka_unit_test(ports_are_known),
    };

    return cmocka_run_group_tests_name("loop/address", tests, NULL, NULL);
}
