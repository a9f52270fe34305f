/* SPDX-License-Identifier: Apache-2.0
 *
 * The provider in a program: threads, a child process, keys made in the device. Started in a folder
 * with web.pem and peer.pem, with OPENSSL_CONF; exits with 0 if all is as it should be.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
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

static EVP_PKEY *from_store(const char *uri) {
    OSSL_STORE_CTX *store = OSSL_STORE_open(uri, NULL, NULL, NULL, NULL);
    OSSL_STORE_INFO *info;
    EVP_PKEY *key = NULL;

    CHECK(store != NULL);
    while (!OSSL_STORE_eof(store)) {
        info = OSSL_STORE_load(store);
        if (info != NULL && OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY)
            key = OSSL_STORE_INFO_get1_PKEY(info);
        OSSL_STORE_INFO_free(info);
    }
    OSSL_STORE_close(store);
    CHECK(key != NULL);
    return key;
}

static EVP_PKEY *from_file(const char *name) {
    FILE *file = fopen(name, "r");
    EVP_PKEY *key;

    CHECK(file != NULL);
    key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    CHECK(key != NULL);
    return key;
}

static int signs(EVP_PKEY *key, EVP_PKEY *public, int copied) {
    static const unsigned char message[] = "pay the bearer ten pounds";
    unsigned char signature[200];
    size_t length = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) > 0 &&
               EVP_DigestSignUpdate(context, message, 7) > 0;

    if (good && copied) {
        EVP_MD_CTX *copy = EVP_MD_CTX_new();
        CHECK(EVP_MD_CTX_copy_ex(copy, context));
        EVP_MD_CTX_free(context);
        context = copy;
    }
    good = good && EVP_DigestSignUpdate(context, message + 7, sizeof message - 7) > 0 &&
           EVP_DigestSignFinal(context, signature, &length) > 0;
    EVP_MD_CTX_free(context);
    if (!good) return 0;
    context = EVP_MD_CTX_new();
    good = EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, public, NULL) > 0;
    CHECK(good && EVP_DigestVerify(context, signature, length, message, sizeof message) == 1);
    EVP_MD_CTX_free(context);
    context = EVP_MD_CTX_new();
    good = EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, public, NULL) > 0;
    CHECK(good && EVP_DigestVerify(context, signature, length, message, sizeof message - 1) == 0);
    EVP_MD_CTX_free(context);
    return 1;
}

static int derives(EVP_PKEY *key, EVP_PKEY *peer, unsigned char *secret) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL), *copy;
    size_t length = 0;
    int good = EVP_PKEY_derive_init(context) > 0 && EVP_PKEY_derive_set_peer(context, peer) > 0 &&
               EVP_PKEY_derive(context, NULL, &length) > 0 && length == 32;

    copy = EVP_PKEY_CTX_dup(context);
    EVP_PKEY_CTX_free(context);
    good = good && copy != NULL && EVP_PKEY_derive(copy, secret, &length) > 0;
    EVP_PKEY_CTX_free(copy);
    return good;
}

static EVP_PKEY *made_inside(void) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    int inside = 1;
    OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 5),
        OSSL_PARAM_int("ecsm-in-device", &inside), OSSL_PARAM_END};

    CHECK(EVP_PKEY_keygen_init(context) > 0);
    CHECK(EVP_PKEY_CTX_set_params(context, params) > 0);
    if (EVP_PKEY_generate(context, &key) <= 0) key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static EVP_PKEY *keys[2];

static void *thread(void *argument) {
    for (int i = 0; i < 2; i++) CHECK(signs(keys[i % 2], keys[1 - i % 2], i == 1));
    return argument;
}

static void threads(void) {
    pthread_t started[4];

    for (int i = 0; i < 4; i++) CHECK(pthread_create(&started[i], NULL, thread, NULL) == 0);
    usleep(50000); /* a thread has the device now; in the child there is none that gives it back */
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        /* Not _exit: a checker of leaks would report what the other threads held. */
        if (signs(keys[0], keys[1], 0)) execlp("true", "true", (char *)NULL);
        abort();
    }
    int status = 1;
    for (int i = 0; i < 4; i++) CHECK(pthread_join(started[i], NULL) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void inside(EVP_PKEY *peer) {
    EVP_PKEY *made[3], *copy;
    unsigned char one[32], two[32];

    for (int i = 0; i < 3; i++) CHECK((made[i] = made_inside()) != NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(signs(made[i], made[i], 0));
        CHECK(i == 0 || EVP_PKEY_eq(made[i], made[i - 1]) == 0);
        CHECK(derives(made[i], peer, one) && derives(peer, made[i], two));
        CHECK(memcmp(one, two, sizeof one) == 0);
    }
    CHECK(made_inside() == NULL); /* the device keeps the fourth slot for keys that are loaded */
    ERR_clear_error();
    copy = EVP_PKEY_dup(made[0]);
    EVP_PKEY_free(made[0]);
    CHECK(made_inside() == NULL);
    ERR_clear_error();
    CHECK(signs(copy, copy, 0));
    EVP_PKEY_free(copy);
    CHECK((made[0] = made_inside()) != NULL);
    EVP_PKEY_free(made[1]);
    /* A child has a connection of its own, on which these keys are not. */
    const pid_t child = fork();
    if (child == 0) {
        const int lost = !signs(made[0], made[0], 0);
        EVP_PKEY_free(made[0]);
        _exit(lost && signs(keys[0], keys[1], 0) && signs(keys[1], keys[0], 0) ? 0 : 1);
    }
    int status = 1;
    for (int i = 0; i < 2; i++) CHECK(signs(made[0], made[0], 0) && signs(keys[0], keys[1], 0));
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(signs(made[0], made[0], 0));
    for (int i = 0; i < 3; i++)
        if (i != 1) EVP_PKEY_free(made[i]);
}

/* A public key computes nothing. */
static void public_only(EVP_PKEY *key) {
    unsigned char *encoded = NULL, secret[32];
    const size_t length = EVP_PKEY_get1_encoded_public_key(key, &encoded);
    EVP_PKEY *public = EVP_PKEY_new();

    CHECK(length == 65 && EVP_PKEY_copy_parameters(public, key) == 1);
    CHECK(EVP_PKEY_set1_encoded_public_key(public, encoded, length) == 1);
    CHECK(EVP_PKEY_eq(public, key) == 1);
    CHECK(!signs(public, public, 0) && !derives(public, key, secret));
    ERR_clear_error();
    encoded[64] ^= 1;
    CHECK(EVP_PKEY_set1_encoded_public_key(public, encoded, length) != 1);
    ERR_clear_error();
    OPENSSL_free(encoded);
    EVP_PKEY_free(public);
}

int main(void) {
    EVP_PKEY *peer;

    keys[0] = from_store("ecsm:web");
    keys[1] = from_file("web.pem");
    peer = from_file("peer.pem");
    CHECK(EVP_PKEY_eq(keys[0], keys[1]) == 1 && EVP_PKEY_eq(keys[0], peer) == 0);
    CHECK(signs(keys[0], keys[1], 0) && signs(keys[1], keys[0], 1));
    threads();
    inside(peer);
    public_only(keys[0]);
    public_only(keys[1]);
    EVP_PKEY_free(keys[0]);
    EVP_PKEY_free(keys[1]);
    EVP_PKEY_free(peer);
    puts("ok");
    return 0;
}
