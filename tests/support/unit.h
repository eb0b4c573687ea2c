/* unit.h - cmocka, with the headers that it wants before itself. */
#ifndef TROUPE_TESTS_UNIT_H
#define TROUPE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* What a test has told is in the log also when it hangs and is killed. */
__attribute__((constructor)) static void tell_at_once(void)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

#endif
