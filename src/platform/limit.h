/* limit.h - limits of the process. */
#ifndef TROUPE_PLATFORM_LIMIT_H
#define TROUPE_PLATFORM_LIMIT_H

/* Raise the number of files that may be open to what the system allows; the number then. */
unsigned long tpi_limit_raise_files(void);

/* The number of files that may be open. */
unsigned long tpi_limit_files(void);

#endif
