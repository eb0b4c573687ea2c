/* catalogue.h - the table of built-in interfaces that the generator makes. */
#ifndef TROUPE_PADI_CATALOGUE_H
#define TROUPE_PADI_CATALOGUE_H

#include "troupe/padi.h"

/* Ended by NULL. */
extern const tp_interface *const tpi_builtin_interfaces[];

#endif
