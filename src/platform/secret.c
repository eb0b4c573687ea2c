/* secret.c - random bytes, proofs and comparisons that tell nothing, and files that are private. */
#define _DEFAULT_SOURCE /* getentropy() */
#include "platform/secret.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tp_status tpi_secret_random(void *bytes, size_t length)
{
    return getentropy(bytes, length) == 0 ? TP_OK : TP_E_IO;
}

tp_status tpi_secret_proof(uint8_t digest[TPI_DIGEST_LENGTH], const void *secret,
                           size_t secret_length, const void *message, size_t length)
{
    unsigned made = 0;
    const unsigned char *done =
        HMAC(EVP_sha256(), secret, (int)secret_length, message, length, digest, &made);

    return done != NULL && made == TPI_DIGEST_LENGTH ? TP_OK : TP_E_NOMEM;
}

bool tpi_secret_equal(const void *a, const void *b, size_t length)
{
    return CRYPTO_memcmp(a, b, length) == 0;
}

void tpi_secret_wipe(void *bytes, size_t length)
{
    if (bytes != NULL) {
        OPENSSL_cleanse(bytes, length);
    }
}

tp_status tpi_secret_is_private(const char *path, bool *is_private, tp_error *err)
{
    struct stat about;

    if (stat(path, &about) != 0) {
        return tp_fail(err, TP_E_IO, "%s: %s", path, strerror(errno));
    }
    *is_private = !S_ISREG(about.st_mode) || (about.st_mode & (S_IWGRP | S_IRWXO)) == 0;
    return TP_OK;
}
