/* base64_test.c - bytes become letters. */
#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void bytes_become_letters(void **state)
{
    static const char *const wanted[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                         "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"}; /* RFC 4648 */
    tpi_buf buf = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        tpi_buf_clear(&buf);
        tpi_base64_put(&buf, "foobar", i);
        assert_string_equal(tpi_buf_text(&buf), wanted[i]);
        assert_int_equal(buf.length, strlen(wanted[i]));
    }
    tpi_base64_put(&buf, "\xff\xfe\0", 3);
    assert_string_equal(tpi_buf_text(&buf), "Zm9vYmFy//4A");
    tpi_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_letters),
    };

    return cmocka_run_group_tests_name("base/base64", tests, NULL, NULL);
}
