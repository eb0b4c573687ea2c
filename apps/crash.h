/*
 * crash.h - the last words of a program that crashes.
 *
 * What would have gone without, a core, the report of a sanitizer, still goes behind them.
 */
#ifndef TROUPE_APPS_CRASH_H
#define TROUPE_APPS_CRASH_H

/* From now on a crash first calls `first`, in a signal handler (NULL for nobody), and then tells
 * the plug-in whose code it was, if it was one's. */
void crash_catch(void (*first)(void));

/* As it was before. */
void crash_release(void);

#endif
