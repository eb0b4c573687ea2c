/* secret_test.c - proofs against published vectors, random bytes that differ, permissions. */
#include "platform/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/unit.h"

static void print_hex(char *out, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    }
}

static void proves(const char *secret, size_t secret_length, const char *message,
                   const char *wanted)
{
    uint8_t digest[TPI_DIGEST_LENGTH];
    char hex[2 * TPI_DIGEST_LENGTH + 1];

    assert_int_equal(tpi_secret_proof(digest, secret, secret_length, message, strlen(message)),
                     TP_OK);
    print_hex(hex, digest, sizeof digest);
    assert_string_equal(hex, wanted);
}

/* RFC 4231, cases 1, 2 and 6. */
static void a_proof_is_that_of_rfc_4231(void **state)
{
    char long_secret[131];
    char short_secret[20];

    (void)state;
    memset(short_secret, 0x0b, sizeof short_secret);
    proves(short_secret, sizeof short_secret, "Hi There",
           "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    proves("Jefe", 4, "what do ya want for nothing?",
           "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(long_secret, 0xaa, sizeof long_secret);
    proves(long_secret, sizeof long_secret,
           "Test Using Larger Than Block-Size Key - Hash Key First",
           "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void random_bytes_differ(void **state)
{
    uint8_t seen[100][32];

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(tpi_secret_random(seen[i], sizeof seen[i]), TP_OK);
        for (size_t k = 0; k < i; k++) {
            assert_false(tpi_secret_equal(seen[i], seen[k], sizeof seen[i]));
        }
    }
}

static void equal_is_equal_to_the_last_byte(void **state)
{
    (void)state;
    assert_true(tpi_secret_equal("abcd", "abcd", 4));
    assert_false(tpi_secret_equal("abcd", "abce", 4));
    assert_false(tpi_secret_equal("bbcd", "abcd", 4));
    assert_true(tpi_secret_equal("", "", 0));
}

static void what_is_wiped_is_gone(void **state)
{
    char secret[] = "sesame";

    (void)state;
    tpi_secret_wipe(secret, sizeof secret);
    for (size_t i = 0; i < sizeof secret; i++) {
        assert_int_equal(secret[i], 0);
    }
    tpi_secret_wipe(NULL, 0);
}

static void is_private(const char *path, mode_t mode, bool wanted)
{
    bool got = !wanted;

    assert_int_equal(chmod(path, mode), 0);
    assert_int_equal(tpi_secret_is_private(path, &got, NULL), TP_OK);
    assert_int_equal(got, wanted);
}

static void a_private_file_is_for_its_owner_and_group(void **state)
{
    char path[] = "/tmp/secret-test-XXXXXX";
    const int file = mkstemp(path);
    bool unused = false;
    tp_error err = {0};
    char wanted[128];

    (void)state;
    assert_true(file >= 0);
    close(file);
    is_private(path, 0600, true);
    is_private(path, 0640, true);
    is_private(path, 0660, false);
    is_private(path, 0604, false);
    is_private(path, 0602, false);
    unlink(path);
    assert_int_equal(tpi_secret_is_private(path, &unused, &err), TP_E_IO);
    snprintf(wanted, sizeof wanted, "%s: No such file or directory", path);
    assert_string_equal(err.text, wanted);
    assert_int_equal(tpi_secret_is_private("/dev/null", &unused, &err), TP_OK);
    assert_true(unused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proof_is_that_of_rfc_4231),
        cmocka_unit_test(random_bytes_differ),
        cmocka_unit_test(equal_is_equal_to_the_last_byte),
        cmocka_unit_test(what_is_wiped_is_gone),
        cmocka_unit_test(a_private_file_is_for_its_owner_and_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
