/* browser.h - a page in the user's browser, if there is one. */
#ifndef TROUPE_APPS_BROWSER_H
#define TROUPE_APPS_BROWSER_H

#include <stdbool.h>

/* Open a page: with $BROWSER, or on a desktop with xdg-open. False if there is no browser to ask
 * for. With `wait` it waits until that program has ended, and is false if that failed. */
bool browser_open(const char *url, bool wait);

#endif
