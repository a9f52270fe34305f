/* SPDX-License-Identifier: Apache-2.0
 *
 * One operation on EC keys with parameters, through libcrypto, as OPENSSL_CONF says: with the
 * provider or without it. The test compares what the two print.
 *
 *   provider_params list AREA                     the names that can be set
 *   provider_params AREA HOW FILE... [NAME:VALUE | NAME=VALUE]...
 *
 * HOW parameters are set: "init" with the operation, "array" after it, "each" after it and one by
 * one, "calls" by the functions for them. NAME:VALUE is read as the list of settable parameters
 * has it, NAME=VALUE is a text whatever the list says. Exits with 0, or with 3 after "refused" and
 * the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/store.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%d: %s\n", __LINE__, #what); \
            ERR_print_errors_fp(stderr); \
            exit(1); \
        } \
    } while (0)

/* What may be refused: then the program ends, with the reason. */
#define WANT(what) \
    do { \
        if ((what) <= 0) refused(#what); \
    } while (0)

enum { MOST = 24, ROOM = 4096 };

static EVP_PKEY *held[4];
static EVP_PKEY_CTX *context;
static EVP_MD_CTX *message_context;
static OSSL_PARAM params[MOST + 1];
static size_t count;

static void release(void) {
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) EVP_PKEY_free(held[i]);
    EVP_MD_CTX_free(message_context); /* and the context that is its own */
    if (message_context == NULL) EVP_PKEY_CTX_free(context);
    for (size_t i = 0; i < count; i++) OPENSSL_free(params[i].data);
}

static void refused(const char *what) {
    const unsigned long error = ERR_peek_last_error();

    printf("refused\n%s: %s\n", what, error == 0 ? "without a reason" : ERR_reason_error_string(error));
    ERR_print_errors_fp(stderr);
    release();
    exit(3);
}

static void hex(const char *name, const unsigned char *octets, size_t length) {
    printf("%s ", name);
    for (size_t i = 0; i < length; i++) printf("%02x", octets[i]);
    printf("\n");
}

/* The same key of the provider that is preferred: a file's is of the one that has read it. */
static EVP_PKEY *preferred(EVP_PKEY *key) {
    EVP_PKEY_CTX *into = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *made = NULL;
    OSSL_PARAM *numbers = NULL;

    CHECK(into != NULL && EVP_PKEY_fromdata_init(into) > 0);
    if (EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &numbers) <= 0) { /* a key of a device is */
        ERR_clear_error();
        made = key;
    } else {
        CHECK(EVP_PKEY_fromdata(into, &made, EVP_PKEY_KEYPAIR, numbers) > 0);
        EVP_PKEY_free(key);
    }
    OSSL_PARAM_free(numbers);
    EVP_PKEY_CTX_free(into);
    return made;
}

/* A key of a file, or of the device by its name. */
static EVP_PKEY *key_of(const char *name) {
    OSSL_STORE_CTX *store = OSSL_STORE_open(name, NULL, NULL, NULL, NULL);
    EVP_PKEY *key = NULL;

    CHECK(store != NULL);
    while (key == NULL && !OSSL_STORE_eof(store)) {
        OSSL_STORE_INFO *info = OSSL_STORE_load(store);
        if (info != NULL && OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY)
            key = OSSL_STORE_INFO_get1_PKEY(info);
        if (info != NULL && OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PUBKEY)
            key = OSSL_STORE_INFO_get1_PUBKEY(info);
        if (info != NULL && OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PARAMS)
            key = OSSL_STORE_INFO_get1_PARAMS(info);
        OSSL_STORE_INFO_free(info);
    }
    OSSL_STORE_close(store);
    CHECK(key != NULL);
    key = preferred(key);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (held[i] == NULL) return held[i] = key;
    abort();
}

/* Read the words NAME:VALUE and NAME=VALUE. */
static void read_params(char **words, const OSSL_PARAM *settable) {
    for (; *words != NULL; words++) {
        char *name = *words, *value = name + strcspn(name, ":=");
        const int listed = *value == ':';
        int found = 0;

        CHECK(*value != 0 && count < MOST);
        *value++ = 0;
        if (listed) {
            const int good = OSSL_PARAM_allocate_from_text(&params[count], settable, name, value,
                                                           strlen(value), &found);
            if (!good) refused("a parameter as it is listed");
        } else {
            char *copy = OPENSSL_strdup(value);
            params[count] = OSSL_PARAM_construct_utf8_string(name, copy, 0);
        }
        params[++count] = OSSL_PARAM_construct_end();
    }
}

/* Set what was read, now that the operation has begun. */
static void set(const char *how, int (*setter)(const OSSL_PARAM *)) {
    if (strcmp(how, "init") == 0) return;
    if (strcmp(how, "array") == 0 && count > 0) WANT(setter(params));
    if (strcmp(how, "each") != 0) return;
    for (size_t i = 0; i < count; i++) {
        const OSSL_PARAM one[] = {params[i], OSSL_PARAM_construct_end()};
        WANT(setter(one));
    }
}

static const OSSL_PARAM *at_once(const char *how) { return strcmp(how, "init") == 0 ? params : NULL; }

static int set_context(const OSSL_PARAM *some) { return EVP_PKEY_CTX_set_params(context, some); }

static int set_key(const OSSL_PARAM *some) {
    return EVP_PKEY_set_params(held[0], (OSSL_PARAM *)some);
}

/* ------------------------------------------------------------------ agreement */

static void call(void) {
    for (const OSSL_PARAM *p = params; p->key != NULL; p++) {
        size_t length = 0;
        int mode = 0;
        if (strcmp(p->key, OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE) == 0) {
            CHECK(OSSL_PARAM_get_int(p, &mode));
            WANT(EVP_PKEY_CTX_set_ecdh_cofactor_mode(context, mode));
            CHECK(mode < 0 || EVP_PKEY_CTX_get_ecdh_cofactor_mode(context) == mode);
        } else if (strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_TYPE) == 0) {
            WANT(EVP_PKEY_CTX_set_ecdh_kdf_type(context, EVP_PKEY_ECDH_KDF_X9_63));
            CHECK(EVP_PKEY_CTX_get_ecdh_kdf_type(context) == EVP_PKEY_ECDH_KDF_X9_63);
        } else if (strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_DIGEST) == 0) {
            WANT(EVP_PKEY_CTX_set_ecdh_kdf_md(context, EVP_get_digestbyname(p->data)));
        } else if (strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_OUTLEN) == 0) {
            CHECK(OSSL_PARAM_get_size_t(p, &length));
            WANT(EVP_PKEY_CTX_set_ecdh_kdf_outlen(context, (int)length));
        } else if (strcmp(p->key, OSSL_EXCHANGE_PARAM_KDF_UKM) == 0) {
            unsigned char *copy = OPENSSL_memdup(p->data, p->data_size);
            WANT(EVP_PKEY_CTX_set0_ecdh_kdf_ukm(context, copy, (int)p->data_size));
        } else {
            CHECK(!"a call for this parameter");
        }
    }
}

/* Derive in a buffer of `room` octets, twice: a copy of the context does the same. */
static void derive(size_t room) {
    unsigned char secret[ROOM], again[ROOM];
    size_t length = room == 0 ? sizeof secret : room, second = length, asked = 0;
    EVP_PKEY_CTX *copy = EVP_PKEY_CTX_dup(context);

    CHECK(copy != NULL);
    if (EVP_PKEY_derive(context, NULL, &asked) > 0) printf("length %zu\n", asked);
    const int good = EVP_PKEY_derive(context, secret, &length);
    const int too = EVP_PKEY_derive(copy, again, &second);
    EVP_PKEY_CTX_free(copy);
    CHECK((good > 0) == (too > 0));
    WANT(good);
    CHECK(length == second && memcmp(secret, again, length) == 0);
    hex("secret", secret, length);
}

/* KEY PEER ROOM */
static void exchange(const char *how, char **words) {
    EVP_PKEY *key = key_of(words[0]), *peer = key_of(words[1]);

    context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    WANT(EVP_PKEY_derive_init(context));
    read_params(words + 3, EVP_PKEY_CTX_settable_params(context));
    if (strcmp(how, "init") == 0) WANT(EVP_PKEY_derive_init_ex(context, params));
    set(how, set_context);
    if (strcmp(how, "calls") == 0) call();
    WANT(EVP_PKEY_derive_set_peer(context, peer));
    derive((size_t)atoi(words[2]));
}

/* ------------------------------------------------------------------ keys */

/* Print a key: what can be read of it, what is written of it, what it agrees on with a peer. */
static void show(EVP_PKEY *key, const char *peer) {
    static const char *const texts[] = {
        OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PKEY_PARAM_EC_ENCODING,
        OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE};
    static const char *const numbers[] = {
        OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC,
        OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS};
    char text[64];
    BIO *out = BIO_new_fp(stdout, BIO_NOCLOSE);
    BIGNUM *private = NULL;
    int number;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (EVP_PKEY_get_utf8_string_param(key, texts[i], text, sizeof text, NULL))
            printf("%s %s\n", texts[i], text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (EVP_PKEY_get_int_param(key, numbers[i], &number)) printf("%s %d\n", numbers[i], number);
    fflush(stdout);
    (void)EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &private);
    BN_clear_free(private);
    CHECK(PEM_write_bio_Parameters(out, key));
    if (!PEM_write_bio_PUBKEY(out, key)) BIO_puts(out, "no public key\n");
    if (private != NULL && !PEM_write_bio_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL))
        BIO_puts(out, "no private key\n");
    (void)BIO_flush(out);
    BIO_free(out);
    ERR_clear_error();
    if (strcmp(peer, "-") == 0) return;
    EVP_PKEY_CTX_free(context);
    context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    WANT(EVP_PKEY_derive_init(context));
    WANT(EVP_PKEY_derive_set_peer(context, key_of(peer)));
    derive(0);
}

/* TEMPLATE or -, PEER or -; "parameters" instead of "generate": no key, its parameters alone */
static void generate(const char *how, char **words, int whole) {
    EVP_PKEY *template = strcmp(words[0], "-") == 0 ? NULL : key_of(words[0]);

    context = template == NULL ? EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL)
                               : EVP_PKEY_CTX_new_from_pkey(NULL, template, NULL);
    WANT(whole ? EVP_PKEY_keygen_init(context) : EVP_PKEY_paramgen_init(context));
    read_params(words + 2, EVP_PKEY_CTX_settable_params(context));
    set(how, set_context);
    WANT(EVP_PKEY_generate(context, &held[2]));
    if (!whole) {
        BIO *out = BIO_new_fp(stdout, BIO_NOCLOSE);
        CHECK(PEM_write_bio_Parameters(out, held[2]));
        BIO_free(out);
        return;
    }
    show(held[2], words[1]);
}

/* KEY PEER */
static void key(char **words, const char *how) {
    EVP_PKEY *copy;
    int before = 0, after = 0;

    read_params(words + 2, EVP_PKEY_settable_params(key_of(words[0])));
    copy = EVP_PKEY_dup(held[0]);
    CHECK(copy != NULL && EVP_PKEY_get_int_param(copy, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, &before));
    set(how, set_key);
    CHECK(EVP_PKEY_get_int_param(copy, OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, &after));
    EVP_PKEY_free(copy);
    CHECK(before == after); /* a copy does not change with its original */
    show(held[0], words[1]);
}

/* - PEER */
static void data(char **words) {
    context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    read_params(words + 2, EVP_PKEY_fromdata_settable(context, EVP_PKEY_KEYPAIR));
    WANT(EVP_PKEY_fromdata_init(context)); /* last: the list ends the operation */
    WANT(EVP_PKEY_fromdata(context, &held[2], EVP_PKEY_KEYPAIR, params));
    show(held[2], words[1]);
}

/* ------------------------------------------------------------------ signatures */

static size_t octets_of(const char *text, unsigned char *octets) {
    size_t length = 0;

    CHECK(OPENSSL_hexstr2buf_ex(octets, ROOM, &length, text, 0));
    return length;
}

/* KEY DIGEST */
static void sign(const char *how, char **words) {
    unsigned char digest[ROOM], signature[ROOM];
    size_t digest_length = octets_of(words[1], digest), length = sizeof signature;

    context = EVP_PKEY_CTX_new_from_pkey(NULL, key_of(words[0]), NULL);
    WANT(EVP_PKEY_sign_init(context));
    read_params(words + 2, EVP_PKEY_CTX_settable_params(context));
    if (strcmp(how, "init") == 0) WANT(EVP_PKEY_sign_init_ex(context, params));
    set(how, set_context);
    WANT(EVP_PKEY_sign(context, signature, &length, digest, digest_length));
    hex("signature", signature, length);
}

/* KEY DIGEST SIGNATURE */
static void verify(const char *how, char **words) {
    unsigned char digest[ROOM], signature[ROOM];
    size_t digest_length = octets_of(words[1], digest), length = octets_of(words[2], signature);

    context = EVP_PKEY_CTX_new_from_pkey(NULL, key_of(words[0]), NULL);
    WANT(EVP_PKEY_verify_init(context));
    read_params(words + 3, EVP_PKEY_CTX_settable_params(context));
    if (strcmp(how, "init") == 0) WANT(EVP_PKEY_verify_init_ex(context, params));
    set(how, set_context);
    WANT(EVP_PKEY_verify(context, signature, length, digest, digest_length));
    puts("verified");
}

/* KEY DIGEST-NAME or -, MESSAGE, and SIGNATURE or - to sign. A context that begins again is as it
 * was: the second signature is with the digest of the first. */
static void message(const char *how, char **words) {
    EVP_PKEY *own = key_of(words[0]);
    const char *name = strcmp(words[1], "-") == 0 ? NULL : words[1];
    const int signs = strcmp(words[3], "-") == 0;
    const unsigned char *text = (const unsigned char *)words[2];
    unsigned char signature[ROOM];
    size_t length = signs ? 0 : octets_of(words[3], signature);
    int (*const init)(EVP_MD_CTX *, EVP_PKEY_CTX **, const char *, OSSL_LIB_CTX *, const char *,
                      EVP_PKEY *, const OSSL_PARAM *) =
        signs ? EVP_DigestSignInit_ex : EVP_DigestVerifyInit_ex;

    context = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL); /* for its list alone */
    WANT(EVP_PKEY_verify_init(context));
    read_params(words + 4, EVP_PKEY_CTX_settable_params(context));
    EVP_PKEY_CTX_free(context);
    message_context = EVP_MD_CTX_new();
    WANT(init(message_context, &context, name, NULL, NULL, own, at_once(how)));
    set(how, set_context);
    for (int i = 0; i < 2; i++) {
        if (i > 0) WANT(init(message_context, &context, NULL, NULL, NULL, NULL, NULL));
        if (signs) {
            length = sizeof signature;
            WANT(EVP_DigestSign(message_context, signature, &length, text, strlen(words[2])));
            hex("signature", signature, length);
        } else {
            WANT(EVP_DigestVerify(message_context, signature, length, text, strlen(words[2])));
            puts("verified");
        }
    }
}

/* ------------------------------------------------------------------ what can be set */

/* NAME ALIAS: search a key by what no key of a device has. */
static void find(char **words) {
    OSSL_STORE_CTX *store = OSSL_STORE_open(words[0], NULL, NULL, NULL, NULL);
    OSSL_STORE_SEARCH *search = OSSL_STORE_SEARCH_by_alias(words[1]);

    CHECK(store != NULL && search != NULL);
    OSSL_STORE_INFO *info = OSSL_STORE_find(store, search) ? OSSL_STORE_load(store) : NULL;
    const int good = info != NULL;
    OSSL_STORE_INFO_free(info);
    OSSL_STORE_SEARCH_free(search);
    OSSL_STORE_close(store);
    WANT(good);
}

static void list(const char *area) {
    EVP_PKEY *some = held[0] = EVP_EC_gen("P-256");
    const OSSL_PARAM *table = NULL;

    context = EVP_PKEY_CTX_new_from_pkey(NULL, some, NULL);
    CHECK(context != NULL);
    if (strcmp(area, "exchange") == 0) CHECK(EVP_PKEY_derive_init(context) > 0);
    if (strcmp(area, "signature") == 0) CHECK(EVP_PKEY_sign_init(context) > 0);
    if (strcmp(area, "generate") == 0) CHECK(EVP_PKEY_keygen_init(context) > 0);
    if (strcmp(area, "key") == 0)
        table = EVP_PKEY_settable_params(some);
    else if (strcmp(area, "data") == 0)
        table = EVP_PKEY_fromdata_settable(context, EVP_PKEY_KEYPAIR);
    else
        table = EVP_PKEY_CTX_settable_params(context);
    CHECK(table != NULL);
    for (; table->key != NULL; table++) puts(table->key);
}

int main(int argc, char **argv) {
    CHECK(argc >= 3);
    const char *area = argv[1], *how = argv[2];
    params[0] = OSSL_PARAM_construct_end();
    if (strcmp(area, "list") == 0) list(how);
    else if (strcmp(area, "exchange") == 0) exchange(how, argv + 3);
    else if (strcmp(area, "generate") == 0) generate(how, argv + 3, 1);
    else if (strcmp(area, "parameters") == 0) generate(how, argv + 3, 0);
    else if (strcmp(area, "key") == 0) key(argv + 3, how);
    else if (strcmp(area, "data") == 0) data(argv + 3);
    else if (strcmp(area, "sign") == 0) sign(how, argv + 3);
    else if (strcmp(area, "verify") == 0) verify(how, argv + 3);
    else if (strcmp(area, "message") == 0) message(how, argv + 3);
    else if (strcmp(area, "find") == 0) find(argv + 3);
    else CHECK(!"an area");
    release();
    return 0;
}
