/* cmd_view.c - troupe view: the page of a server in a browser. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "browser.h"
#include "commands.h"

static const char name[] = "view";

enum { MOST_HOST = 256, MOST_URL = 512, WEB_PORT = 9665 };

/* A page: where it is, and its address. */
struct page {
    char host[MOST_HOST];
    char port[8];
    bool secure;
    char url[MOST_URL];
};

/* HOST, HOST:PORT, [IPV6]:PORT or http://HOST:PORT/. */
static int read_url(struct page *page, const char *text)
{
    const char *rest = text;
    const char *end;

    page->secure = strncmp(text, "https://", 8) == 0;
    if (page->secure || strncmp(text, "http://", 7) == 0) {
        rest += page->secure ? 8 : 7;
    }
    end = rest + strcspn(rest, "/");
    const char *bracket = *rest == '[' ? memchr(rest, ']', (size_t)(end - rest)) : NULL;
    const char *from = bracket != NULL ? bracket + 1 : rest;
    const char *colon = memchr(from, ':', (size_t)(end - from));
    const char *stop = colon != NULL ? colon : end;
    const size_t length = (size_t)(stop - rest) - (bracket != NULL ? 2 : 0);

    if (stop == rest || length >= sizeof page->host ||
        (colon != NULL && ((size_t)(end - colon) > 6 || end == colon + 1)) ||
        (end[0] == '/' && end[1] != '\0')) {
        return command_fail(name, EXIT_USAGE, "\"%s\" is no address: HOST, HOST:PORT or a URL",
                            text);
    }
    memcpy(page->host, rest + (bracket != NULL), length);
    page->host[length] = '\0';
    if (colon != NULL) {
        memcpy(page->port, colon + 1, (size_t)(end - colon - 1));
    } else {
        snprintf(page->port, sizeof page->port, "%d", WEB_PORT);
    }
    snprintf(page->url, sizeof page->url, "%s://%.*s:%s/", page->secure ? "https" : "http",
             (int)(stop - rest), rest, page->port);
    return EXIT_DONE;
}

/* ---- Whether there is a page ----------------------------------------------------------------- */

static int connect_to(const struct page *page)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = 5};
    struct addrinfo *found = NULL;
    int fd = -1;

    if (getaddrinfo(page->host, page->port, &hints, &found) != 0) {
        return -1;
    }
    for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (fd >= 0) {
            setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
            setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            if (connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
                close(fd);
                fd = -1;
            }
        }
    }
    freeaddrinfo(found);
    return fd;
}

/* Ask for the state of the panic: every web front answers that. */
static bool answers(int fd, const struct page *page)
{
    char text[1024];
    const char *const host = strchr(page->url, ':') + 3;
    const int length = snprintf(
        text, sizeof text, "GET /api/panic HTTP/1.1\r\nHost: %.*s\r\nConnection: close\r\n\r\n",
        (int)strcspn(host, "/"), host);
    ssize_t got = 0, more = 0;

    if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length) {
        return false;
    }
    while (got < 12 && (more = recv(fd, text + got, sizeof text - (size_t)got, 0)) > 0) {
        got += more;
    }
    return got >= 12 && memcmp(text, "HTTP/1.1 ", 9) == 0;
}

static int look_for(const struct page *page)
{
    const int fd = connect_to(page);
    const bool found = fd >= 0 && (page->secure || answers(fd, page));

    if (fd >= 0) {
        close(fd);
    }
    return found ? EXIT_DONE
                 : command_fail(
                       name, EXIT_FAILED,
                       "%s: %s; a server prints the address of its page when it starts, unless it "
                       "runs with --no-web",
                       page->url, fd < 0 ? "nothing listens there" : "no web front answers");
}

static int run(int argc, char **argv)
{
    struct page page = {.port = ""};
    const char *url = NULL;
    bool print = false;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--print") == 0) {
            print = true;
        } else if (argv[i][0] == '-' || url != NULL) {
            return command_unexpected(name, argv[i], argv[i][0] == '-' ? "print" : NULL);
        } else {
            url = argv[i];
        }
    }
    int result = read_url(&page, url != NULL ? url : "localhost");
    result = result == EXIT_DONE ? look_for(&page) : result;
    if (result != EXIT_DONE) {
        return result;
    }
    puts(page.url);
    (void)fflush(stdout);
    if (!print && !browser_open(page.url, true)) {
        fputs("troupe view: there is no browser to open; open the address above in one\n", stderr);
    }
    return EXIT_DONE;
}

const command command_view = {
    .name = name,
    .summary = "open the page of a server in a browser",
    .help =
        "usage: troupe view [URL] [--print]\n"
        "\n"
        "Opens the page of a server, prints its address, and opens it in a browser if there is\n"
        "one: $BROWSER, or that of the desktop. URL is HOST, HOST:PORT or http://HOST:PORT; the\n"
        "default is this machine and port 9665. `troupe run` and `troupe sim` print the address\n"
        "of their page when they start.\n"
        "\n"
        "  --print   only print the address\n"
        "\n"
        "Examples: troupe view\n"
        "          troupe view robot.local\n",
    .run = run,
};
