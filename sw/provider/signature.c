/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA: digests are libcrypto's, signatures and their verification the device's.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/params.h>

#define DIGEST "SHA256" /* where none is named */


typedef struct {
    ecsm_provider_t *provider;
    ecsm_key_t *key;
    EVP_PKEY_CTX *soft; /* of the default provider: keeps parameters, does other curves */
    EVP_MD_CTX *md;     /* of a signature over a message */
} context_t;

static void *new_context(void *provider, const char *properties) {
    context_t *context = calloc(1, sizeof *context);

    (void)properties; /* they have chosen this provider; the digest is a part of what it does */
    if (context != NULL) context->provider = provider;
    return context;
}

static void free_context(void *vcontext) {
    context_t *context = vcontext;

    if (context == NULL) return;
    EVP_MD_CTX_free(context->md);
    EVP_PKEY_CTX_free(context->soft);
    ecsm_key_free(context->key);
    free(context);
}

static void *dup_context(void *vcontext) {
    context_t *context = vcontext, *copy = new_context(context->provider, NULL);

    if (copy == NULL) return NULL;
    if (context->key != NULL) {
        ecsm_key_hold(context->key);
        copy->key = context->key;
    }
    if ((context->soft != NULL && (copy->soft = EVP_PKEY_CTX_dup(context->soft)) == NULL) ||
        (context->md != NULL && ((copy->md = EVP_MD_CTX_new()) == NULL ||
                                 !EVP_MD_CTX_copy_ex(copy->md, context->md)))) {
        free_context(copy);
        return NULL;
    }
    return copy;
}

static const OSSL_PARAM can_set[] = {
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
    OSSL_PARAM_size_t(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, NULL),
    OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *settable(void *context, void *provider) {
    (void)context;
    (void)provider;
    return can_set;
}

/* Whether the digest stays what it is: a message that has begun has one. */
static int keeps_digest(const context_t *context, const OSSL_PARAM params[]) {
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST);
    const char *name = NULL;

    if (context->md == NULL) return 1;
    if (OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST_SIZE) == NULL &&
        (p == NULL || (OSSL_PARAM_get_utf8_string_ptr(p, &name) &&
                       EVP_MD_is_a(EVP_MD_CTX_get0_md(context->md), name))))
        return 1;
    return ecsm_error(context->provider, ECSM_R_PARAMETER, "%s", "the message has begun");
}

static int set_params(void *vcontext, const OSSL_PARAM params[]) {
    context_t *context = vcontext;

    if (params == NULL || params->key == NULL) return 1;
    return context->soft != NULL && ecsm_can_set(context->provider, can_set, params) &&
           ecsm_query_has_digest(context->provider, params, OSSL_SIGNATURE_PARAM_PROPERTIES,
                                 OSSL_SIGNATURE_PARAM_DIGEST) &&
           keeps_digest(context, params) && EVP_PKEY_CTX_set_params(context->soft, params) > 0;
}

/* Begin; without a key, go on with the one there is. */
static int init(context_t *context, ecsm_key_t *key, const OSSL_PARAM params[],
                int (*operation)(EVP_PKEY_CTX *)) {
    if (key != NULL) {
        ecsm_key_hold(key);
        ecsm_key_free(context->key);
        context->key = key;
    }
    if (context->key == NULL) return 0;
    EVP_MD_CTX_free(context->md);
    context->md = NULL;
    EVP_PKEY_CTX_free(context->soft);
    context->soft = ecsm_key_context(context->key);
    return context->soft != NULL && operation(context->soft) > 0 && set_params(context, params);
}

static int sign_init(void *context, void *key, const OSSL_PARAM params[]) {
    const ecsm_key_t *k = key;

    if (k != NULL && k->private == ECSM_NO_PRIVATE)
        return ecsm_error(k->provider, ECSM_R_NO_PRIVATE, "%s", "");
    return init(context, key, params, EVP_PKEY_sign_init);
}

static int verify_init(void *context, void *key, const OSSL_PARAM params[]) {
    return init(context, key, params, EVP_PKEY_verify_init);
}

/* Whether a digest has the length of the one that was named, if one was. */
static int right_length(context_t *context, size_t length) {
    size_t wanted = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_size_t(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, &wanted),
                           OSSL_PARAM_END};

    if (EVP_PKEY_CTX_get_params(context->soft, params) <= 0 || wanted == 0) return 1;
    return length == wanted;
}

/* What the device signs of a digest. */
static int digest_of(context_t *context, ecsm_device_t *device, const uint8_t *in, size_t length,
                     ecsm_digest_t *digest) {
    int found;

    if (!ecsm_device_begin(context->provider, device)) return 0;
    found = ecsm_digest_fit(digest, &device->curve, ecsm_link_info(device->link)->operations, in,
                            length);
    ecsm_device_end(device);
    return found ? 1 : ecsm_error(context->provider, ECSM_R_DIGEST, "%zu octets", length);
}

static int sign(void *vcontext, unsigned char *signature, size_t *length, size_t room,
                const unsigned char *tbs, size_t tbs_length) {
    context_t *context = vcontext;
    ecsm_device_t *device;
    ecsm_digest_t digest;
    ecsm_string_t string;
    uint8_t r[ECSM_MOST_OCTETS], s[ECSM_MOST_OCTETS];
    char operation[16];
    unsigned char *der = NULL;
    ECDSA_SIG *made;
    BIGNUM *br, *bs;
    int size = 0;

    if (context->soft == NULL || !ecsm_device_of(context->key, &device)) return 0;
    if (device == NULL) {
        *length = room;
        return EVP_PKEY_sign(context->soft, signature, length, tbs, tbs_length) > 0;
    }
    const int most = EVP_PKEY_get_size(context->key->soft);
    if (signature == NULL) {
        *length = (size_t)most;
        return most > 0;
    }
    if (!right_length(context, tbs_length) ||
        !digest_of(context, device, tbs, tbs_length, &digest))
        return 0;
    string = (ecsm_string_t){digest.octets, digest.length};
    (void)snprintf(operation, sizeof operation, "sign-%s", digest.hash);
    if (!ecsm_key_run(context->key, device, operation, &string, 1, (uint8_t *[]){r, s}, 2,
                      device->curve.order_octets))
        return 0;
    made = ECDSA_SIG_new();
    br = BN_bin2bn(r, (int)device->curve.order_octets, NULL);
    bs = BN_bin2bn(s, (int)device->curve.order_octets, NULL);
    if (made != NULL && br != NULL && bs != NULL && ECDSA_SIG_set0(made, br, bs)) {
        size = i2d_ECDSA_SIG(made, &der);
    } else {
        BN_free(br);
        BN_free(bs);
    }
    ECDSA_SIG_free(made);
    if (size > 0 && (size_t)size <= room) {
        memcpy(signature, der, (size_t)size);
        *length = (size_t)size;
    } else {
        size = 0;
    }
    OPENSSL_free(der);
    return size > 0;
}

/* Read the one encoding of r and s that is right, as strings. */
static int parse(const unsigned char *signature, size_t length, const ecsm_device_t *device,
                 uint8_t *r, uint8_t *s) {
    const int octets = (int)device->curve.order_octets;
    const unsigned char *at = signature;
    unsigned char *again = NULL;
    ECDSA_SIG *found;
    int good = 0, size;

    if (length > 4096) return 0;
    found = d2i_ECDSA_SIG(NULL, &at, (long)length);
    if (found == NULL) return 0;
    size = i2d_ECDSA_SIG(found, &again);
    if (at == signature + length && size > 0 && (size_t)size == length &&
        memcmp(signature, again, length) == 0 && !BN_is_negative(ECDSA_SIG_get0_r(found)) &&
        !BN_is_negative(ECDSA_SIG_get0_s(found)))
        good = BN_bn2binpad(ECDSA_SIG_get0_r(found), r, octets) == octets &&
               BN_bn2binpad(ECDSA_SIG_get0_s(found), s, octets) == octets;
    OPENSSL_free(again);
    ECDSA_SIG_free(found);
    return good;
}

/* Returns 1: valid, 0: invalid, -1: there is no verdict, and an error says why. */
static int verify(void *vcontext, const unsigned char *signature, size_t length,
                  const unsigned char *tbs, size_t tbs_length) {
    context_t *context = vcontext;
    ecsm_device_t *device;
    ecsm_digest_t digest;
    uint8_t x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS], r[ECSM_MOST_OCTETS], s[ECSM_MOST_OCTETS];
    char operation[16];

    if (context->soft == NULL || !ecsm_device_of(context->key, &device)) return -1;
    if (device == NULL) return EVP_PKEY_verify(context->soft, signature, length, tbs, tbs_length);
    if (!right_length(context, tbs_length) || !parse(signature, length, device, r, s)) return 0;
    if (!digest_of(context, device, tbs, tbs_length, &digest) ||
        !ecsm_key_point(context->key, device, x, y))
        return -1;
    const ecsm_string_t strings[] = {{x, device->curve.field_octets}, {y, device->curve.field_octets},
                                     {digest.octets, digest.length}, {r, device->curve.order_octets},
                                     {s, device->curve.order_octets}};
    (void)snprintf(operation, sizeof operation, "verify-%s", digest.hash);
    if (!ecsm_device_begin(context->provider, device)) return -1;
    const int status = ecsm_link_run(device->link, operation, 0, strings, 5, NULL);
    const bool verdict = status == 0 || status == ECSM_SIGNATURE_INVALID;
    if (!verdict) (void)ecsm_device_failed(context->provider, device, status);
    ecsm_device_end(device);
    return verdict ? status == 0 : -1;
}

/* ------------------------------------------------------------------ over messages */

/* Begin with a digest: both ours and the default provider's context, for its parameters. */
static int begin_message(context_t *context, const char *name) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST,
                                                            (char *)name, 0),
                           OSSL_PARAM_construct_end()};
    EVP_MD *md = EVP_MD_fetch(context->provider->soft, name, NULL);
    EVP_MD_CTX *begun = EVP_MD_CTX_new();

    if (md != NULL && begun != NULL && set_params(context, params) &&
        EVP_DigestInit_ex2(begun, md, NULL))
        context->md = begun;
    else
        EVP_MD_CTX_free(begun);
    EVP_MD_free(md);
    return context->md != NULL;
}

/* Without a name the digest is that of the message before this one, if there was one. */
static int digest_init(context_t *context, const char *name, void *key, const OSSL_PARAM params[],
                       int (*begin)(void *, void *, const OSSL_PARAM[])) {
    EVP_MD_CTX *before = context->md;
    int good;

    context->md = NULL;
    if (name == NULL)
        name = before == NULL ? DIGEST : EVP_MD_get0_name(EVP_MD_CTX_get0_md(before));
    good = begin(context, key, params) && begin_message(context, name);
    EVP_MD_CTX_free(before);
    return good;
}

static int digest_sign_init(void *context, const char *name, void *key, const OSSL_PARAM params[]) {
    return digest_init(context, name, key, params, sign_init);
}

static int digest_verify_init(void *context, const char *name, void *key,
                              const OSSL_PARAM params[]) {
    return digest_init(context, name, key, params, verify_init);
}

static int update(void *vcontext, const unsigned char *data, size_t length) {
    context_t *context = vcontext;

    return context->md != NULL && EVP_DigestUpdate(context->md, data, length);
}

static int digest_sign_final(void *vcontext, unsigned char *signature, size_t *length,
                             size_t room) {
    context_t *context = vcontext;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;

    if (context->md == NULL) return 0;
    if (signature != NULL && !EVP_DigestFinal_ex(context->md, digest, &size)) return 0;
    return sign(context, signature, length, room, digest, size);
}

static int digest_verify_final(void *vcontext, const unsigned char *signature, size_t length) {
    context_t *context = vcontext;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;

    if (context->md == NULL || !EVP_DigestFinal_ex(context->md, digest, &size)) return 0;
    return verify(context, signature, length, digest, size);
}

/* ------------------------------------------------------------------ parameters */

static int get_params(void *vcontext, OSSL_PARAM params[]) {
    context_t *context = vcontext;

    return context->soft != NULL && EVP_PKEY_CTX_get_params(context->soft, params) > 0;
}

static const OSSL_PARAM *gettable(void *context, void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_size_t(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return table;
}

const OSSL_DISPATCH ecsm_signature[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))new_context},
    {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))dup_context},
    {OSSL_FUNC_SIGNATURE_SIGN_INIT, (void (*)(void))sign_init},
    {OSSL_FUNC_SIGNATURE_SIGN, (void (*)(void))sign},
    {OSSL_FUNC_SIGNATURE_VERIFY_INIT, (void (*)(void))verify_init},
    {OSSL_FUNC_SIGNATURE_VERIFY, (void (*)(void))verify},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, (void (*)(void))digest_sign_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, (void (*)(void))update},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, (void (*)(void))digest_sign_final},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, (void (*)(void))digest_verify_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, (void (*)(void))update},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, (void (*)(void))digest_verify_final},
    {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, (void (*)(void))gettable},
    {OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, (void (*)(void))settable},
    {0, NULL},
};
