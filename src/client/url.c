/* url.c - where a server is. */
#include "client/url.h"

#include <string.h>

#include "base/buf.h"

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *tpi_url_file(const char *url)
{
    return begins_with(url, "inproc:") ? url + strlen("inproc:") : NULL;
}

/* Whether HOST[:PORT] has a port: a colon behind the host, or behind its brackets. */
static bool has_port(const char *place)
{
    const char *bracket = strrchr(place, ']');

    return strchr(bracket != NULL ? bracket : place, ':') != NULL;
}

/* Whether a word and a colon stand before something that is no port: "http://robot". */
static bool has_other_scheme(const char *url)
{
    const char *colon = strchr(url, ':');

    return url[0] != '[' && colon != NULL && colon[1 + strspn(colon + 1, "0123456789")] != '\0';
}

/* Whether it is a number that somebody took for a server: as a host it would be an address that
 * nobody has. */
static bool is_port(const char *place)
{
    const size_t length = strlen(place);

    return length > 0 && length <= 5 && strspn(place, "0123456789") == length;
}

static tp_status fail_port(const char *url, tp_error *err)
{
    return tp_fail(err, TP_E_SYNTAX, "%s is a port: write localhost:%s", url, url);
}

static tp_status finish(char **out, tpi_buf *full, tp_error *err)
{
    if (full->failed) {
        tpi_buf_fini(full);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    *out = full->data;
    return TP_OK;
}

/* tcp:HOST:PORT from HOST[:PORT]. */
static void put_place(tpi_buf *full, const char *place, size_t length, int port)
{
    tpi_buf_printf(full, "tcp:%.*s", (int)length, place);
    if (!full->failed && !has_port(full->data + strlen("tcp:"))) {
        tpi_buf_printf(full, ":%d", port);
    }
}

tp_status tpi_url_complete(char **out, const char *url, tp_error *err)
{
    tpi_buf full = {0};

    if (is_port(url)) {
        return fail_port(url, err);
    }
    if (begins_with(url, "unix:") || begins_with(url, "inproc:")) {
        tpi_buf_puts(&full, url);
    } else if (!begins_with(url, "tcp:") && has_other_scheme(url)) {
        const bool is_page = begins_with(url, "http:") || begins_with(url, "https:") ||
                             begins_with(url, "ws:") || begins_with(url, "wss:");
        return tp_fail(err, TP_E_SYNTAX,
                       "%s: %sa server is tcp:HOST:PORT, unix:PATH or inproc:FILE.cfg", url,
                       is_page ? "this is for browsers; " : "");
    } else {
        const char *place = begins_with(url, "tcp:") ? url + strlen("tcp:") : url;
        put_place(&full, place, strlen(place), TPI_URL_PORT);
    }
    return finish(out, &full, err);
}

tp_status tpi_url_complete_motion(char **out, const char *url, tp_error *err)
{
    const bool scheme = begins_with(url, "motion://");
    const char *place = scheme                     ? url + strlen("motion://")
                        : begins_with(url, "tcp:") ? url + strlen("tcp:")
                                                   : url;
    size_t length = strlen(place);
    tpi_buf full = {0};

    length -= scheme && length > 0 && place[length - 1] == '/';
    if (is_port(url)) {
        return fail_port(url, err);
    }
    if (begins_with(url, "unix:")) {
        tpi_buf_puts(&full, url);
    } else if (place == url && has_other_scheme(url)) {
        return tp_fail(err, TP_E_SYNTAX,
                       "%s: a motion server is motion://HOST:PORT, tcp:HOST:PORT or unix:PATH",
                       url);
    } else {
        put_place(&full, place, length, TPI_URL_MOTION_PORT);
    }
    return finish(out, &full, err);
}
