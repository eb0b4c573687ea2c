/* browser.h - a page in the user's browser, if there is one. */
#ifndef TROUPE_APPS_BROWSER_H
#define TROUPE_APPS_BROWSER_H

#include <stdbool.h>

/* Open a page: with $BROWSER, or on a desktop with xdg-open. Does not wait. False if there is no
 * browser to ask for. The program may fail to show the page; nobody knows. */
bool browser_open(const char *url);

#endif
