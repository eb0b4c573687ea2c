/* unit.h - cmocka, with the headers that it wants before itself. */
#ifndef TROUPE_TESTS_UNIT_H
#define TROUPE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
