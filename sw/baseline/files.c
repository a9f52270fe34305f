// SPDX-License-Identifier: Apache-2.0
//
// libcrypto reads and writes the PEM; the checks of numbers and points are our own.

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEM_MOST = 8192 };  // octets of a file with a key, at most

static void *allocate(size_t size, const char *file, int line) {
    (void)file, (void)line;
    return malloc(size);
}

static void clear_free(void *memory, const char *file, int line) {
    (void)file, (void)line;
    if (memory) explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void *reallocate(void *memory, size_t size, const char *file, int line) {
    const size_t had = memory ? malloc_usable_size(memory) : 0;
    void *const more = size ? malloc(size) : NULL;
    if (more && had) memcpy(more, memory, had < size ? had : size);
    if (more || !size) clear_free(memory, file, line);
    return more;
}

bool clear_what_is_freed(void) {
    return CRYPTO_set_mem_functions(allocate, reallocate, clear_free) == 1 ||
           complain("", "libcrypto is in use already");
}

bool complain(const char *where, const char *what) {
    fprintf(stderr, "psec_kem: %s%s%s\n", where, *where ? ": " : "", what);
    return false;
}

bool read_file(const char *path, uint8_t *octets, size_t most, size_t *length) {
    const int file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (file < 0) return complain(path, strerror(errno));
    uint8_t more;
    ssize_t got = 1;
    *length = 0;
    while (got > 0 && *length < most) {
        got = read(file, octets + *length, most - *length);
        if (got > 0) *length += (size_t)got;
    }
    if (got > 0) got = read(file, &more, 1);
    const int error = errno;
    if (file != STDIN_FILENO) close(file);
    if (got < 0) return complain(path, strerror(error));
    return got == 0 || complain(path, "is too long");
}

static bool is_file(const char *path) {
    struct stat there;
    return lstat(path, &there) == 0 && S_ISREG(there.st_mode);
}

bool write_file(const char *path, const uint8_t *octets, size_t length, bool secret) {
    const bool stream = !strcmp(path, "-");
    // A secret in an old file would have its permissions, and its readers.
    if (secret && !stream && is_file(path) && unlink(path)) return complain(path, strerror(errno));
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const int file = stream ? STDOUT_FILENO : open(path, flags, secret ? 0600 : 0666);
    if (file < 0) return complain(path, strerror(errno));
    ssize_t put = 0;
    for (; length && put >= 0; length -= (size_t)put, octets += put) {
        put = write(file, octets, length);
        if (put < 0) break;
    }
    const int error = errno;
    if (file != STDOUT_FILENO && close(file) < 0 && put >= 0)
        return complain(path, strerror(errno));
    return put >= 0 || complain(path, strerror(error));
}

static int no_passphrase(char *text, int size, int writing, void *data) {
    (void)text, (void)size, (void)writing, (void)data;
    return -1;
}

static EVP_PKEY *read_pem(const char *path, bool private) {
    uint8_t text[PEM_MOST];
    size_t length;
    EVP_PKEY *key = NULL;
    BIO *bio = NULL;
    if (read_file(path, text, sizeof text, &length)) {
        bio = BIO_new_mem_buf(text, (int)length);
        if (bio && private) key = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
        if (bio && !private) key = PEM_read_bio_PUBKEY(bio, NULL, no_passphrase, NULL);
        if (!key) complain(path, private ? "no private key in PEM" : "no public key in PEM");
    }
    BIO_free(bio);
    explicit_bzero(text, sizeof text);
    return key;
}

// Take a key's curve; false if it is none of ours.
static bool group(EVP_PKEY *key, const char *path, const curve **c) {
    char name[64] = "";
    *c = NULL;
    if (EVP_PKEY_get_group_name(key, name, sizeof name, NULL)) *c = curve_named(name);
    return *c || complain(path, "the key is of neither secp256r1 nor secp256k1");
}

// Take a number of a key; false if it has none or a longer one.
static bool take(EVP_PKEY *key, const char *what, number *r) {
    uint8_t octets[OCTETS];
    BIGNUM *value = NULL;
    const bool found = EVP_PKEY_get_bn_param(key, what, &value) == 1 &&
                       BN_bn2binpad(value, octets, OCTETS) == OCTETS;
    BN_clear_free(value);
    if (found) number_from_octets(r, octets);
    explicit_bzero(octets, sizeof octets);
    return found;
}

bool read_private(const char *path, const curve **c, number *d) {
    EVP_PKEY *key = read_pem(path, true);
    if (!key) return false;
    bool good = group(key, path, c);
    if (good && (!take(key, OSSL_PKEY_PARAM_PRIV_KEY, d) || number_is_zero(d) ||
                 !number_less(d, &(*c)->n)))
        good = complain(path, "the private key is not in 1 .. n - 1");
    EVP_PKEY_free(key);
    return good;
}

bool read_public(const char *path, const curve **c, point *w) {
    EVP_PKEY *key = read_pem(path, false);
    if (!key) return false;
    bool good = group(key, path, c);
    w->infinity = false;
    if (good && (!take(key, OSSL_PKEY_PARAM_EC_PUB_X, &w->x) ||
                 !take(key, OSSL_PKEY_PARAM_EC_PUB_Y, &w->y) || !curve_contains(*c, w)))
        good = complain(path, "the public key is not on the curve");
    EVP_PKEY_free(key);
    return good;
}

static EVP_PKEY *make(const curve *c, const number *d, const point *w) {
    uint8_t octets[OCTETS] = {0}, native[OCTETS], encoded[POINT_OCTETS];
    char name[64];
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    BIGNUM *value = NULL;
    OSSL_PARAM parameters[4] = {OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END};
    point_encode(encoded, w);
    strcpy(name, c->other_names[1]);
    parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, 0);
    parameters[1] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, encoded,
                                                      sizeof encoded);
    if (d) {
        number_to_octets(octets, d);
        value = BN_bin2bn(octets, OCTETS, NULL);
        if (value && BN_bn2nativepad(value, native, OCTETS) == OCTETS)
            parameters[2] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, OCTETS);
    }
    if (context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, d ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters);
    BN_clear_free(value);
    explicit_bzero(octets, sizeof octets);
    explicit_bzero(native, sizeof native);
    EVP_PKEY_CTX_free(context);
    return key;
}

static bool write_pem(const char *path, const curve *c, const number *d, const point *w) {
    EVP_PKEY *key = make(c, d, w);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    bool good = false;
    if (key && bio) {
        good = d ? PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1
                 : PEM_write_bio_PUBKEY(bio, key) == 1;
    }
    if (!good) {
        complain(path, "libcrypto made no PEM of the key");
    } else {
        const long length = BIO_get_mem_data(bio, &text);
        good = write_file(path, (const uint8_t *)text, (size_t)length, d != NULL);
    }
    BIO_free(bio);  // clears what it holds
    EVP_PKEY_free(key);
    return good;
}

bool write_private(const char *path, const curve *c, const number *d, const point *w) {
    if (strcmp(path, "-") && is_file(path))
        return complain(path, "is there already, and may be a key: remove it first");
    return write_pem(path, c, d, w);
}

bool write_public(const char *path, const curve *c, const point *w) {
    return write_pem(path, c, NULL, w);
}
