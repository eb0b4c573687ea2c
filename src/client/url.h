/* url.h - where a server is: the texts that tp_client_connect() takes. */
#ifndef TROUPE_CLIENT_URL_H
#define TROUPE_CLIENT_URL_H

#include <stdbool.h>

#include "troupe/status.h"

enum { TPI_URL_PORT = 6665, TPI_URL_MOTION_PORT = 7665 };

/* Write a URL out in full: "robot" becomes "tcp:robot:6665". The text is the caller's, to free().
 * Whether host and port are right is for tp_stream_connect() to say. TP_E_SYNTAX for what is no
 * URL at all. */
tp_status tpi_url_complete(char **out, const char *url, tp_error *err);

/* The same for a motion server, with port 7665: motion://HOST[:PORT], tcp:HOST[:PORT], HOST[:PORT]
 * or unix:PATH. */
tp_status tpi_url_complete_motion(char **out, const char *url, tp_error *err);

/* The file of an inproc: URL; NULL if it is another one. Borrowed from the URL. */
const char *tpi_url_file(const char *url);

#endif
