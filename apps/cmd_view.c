/* cmd_view.c - troupe view: the page of a server in a browser. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "browser.h"
#include "commands.h"

static const char name[] = "view";

enum { PORT = 9665, PATIENCE_MS = 3000, LONGEST = 256 };

struct page {
    char host[LONGEST];
    char port[8];
};

/* "HOST", "HOST:PORT", "[::1]:PORT" or "http://HOST:PORT/..." */
static bool split(struct page *page, const char *url)
{
    static const char scheme[] = "http://";
    const char *at = strncmp(url, scheme, sizeof scheme - 1) == 0 ? url + sizeof scheme - 1 : url;
    const size_t length = strcspn(at, "/?#");
    const char *bracket = at[0] == '[' ? memchr(at, ']', length) : NULL;
    const char *host = bracket == NULL ? at : at + 1;
    const char *end = bracket == NULL ? memchr(at, ':', length) : bracket;
    const char *colon = bracket == NULL ? end : bracket + 1;
    const size_t host_length = end == NULL ? length : (size_t)(end - host);
    unsigned port = PORT;
    char rest = '\0';

    if (host_length == 0 || host_length >= sizeof page->host || strpbrk(url, " \t\r\n") != NULL) {
        return false;
    }
    if (colon != NULL && colon < at + length &&
        (sscanf(colon, ":%5u%c", &port, &rest) < 1 || (rest != '\0' && rest != '/') || port == 0 ||
         port > 65535)) {
        return false;
    }
    memcpy(page->host, host, host_length);
    page->host[host_length] = '\0';
    (void)snprintf(page->port, sizeof page->port, "%u", port);
    return true;
}

/* Why nobody listens there; NULL if somebody does. */
static const char *try_connect(const struct addrinfo *at)
{
    const int fd = socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = fd < 0 ? errno : 0;
    socklen_t size = sizeof error;

    if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
        error = errno;
        if (error == EINPROGRESS) {
            error = poll(&wait, 1, PATIENCE_MS) > 0 ? 0 : ETIMEDOUT;
            if (error == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
                error = errno;
            }
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return error == 0 ? NULL : strerror(error);
}

static const char *find_out(const struct page *page)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int code = getaddrinfo(page->host, page->port, &wanted, &found);
    const char *why = code == 0 ? "nobody is there" : gai_strerror(code);

    for (const struct addrinfo *at = found; at != NULL && why != NULL; at = at->ai_next) {
        why = try_connect(at);
    }
    if (found != NULL) {
        freeaddrinfo(found);
    }
    return why;
}

static int run(int argc, char **argv)
{
    const char *url = argc > 0 ? argv[0] : "localhost";
    struct page page;
    char text[LONGEST + 32];

    if (argc > 1 || url[0] == '-') {
        return command_unexpected(name, argc > 1 ? argv[1] : url, NULL);
    }
    if (!split(&page, url)) {
        return command_fail(name, EXIT_USAGE,
                            "\"%.80s\" is no address of a page, as localhost:9665 is", url);
    }
    const bool is_v6 = strchr(page.host, ':') != NULL;
    (void)snprintf(text, sizeof text, "http://%s%s%s:%s/", is_v6 ? "[" : "", page.host,
                   is_v6 ? "]" : "", page.port);
    const char *why = find_out(&page);
    if (why != NULL) {
        return command_fail(name, EXIT_FAILED,
                            "%s: %s; a server has a page if its configuration has front ( name "
                            "\"web\" )",
                            text, why);
    }
    printf("%s%s\n", text, browser_open(text) ? "" : "; open it in a browser");
    return EXIT_DONE;
}

const command command_view = {
    .name = name,
    .summary = "open the page of a server in a browser",
    .help =
        "usage: troupe view [URL]\n"
        "\n"
        "Opens the page of a server, http://localhost:9665/ unless URL names another one: HOST,\n"
        "HOST:PORT or http://HOST:PORT/. The server needs front ( name \"web\" ) in its\n"
        "configuration. The browser is $BROWSER, or that of the desktop (xdg-open); without one,\n"
        "the URL is printed.\n"
        "\n"
        "Examples: troupe view\n"
        "          troupe view robot.local\n",
    .run = run,
};
