/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDH: the product is the device's; a key derivation behind it is libcrypto's.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

typedef struct {
    ecsm_provider_t *provider;
    ecsm_key_t *key, *peer;
    EVP_PKEY_CTX *soft; /* of the default provider: keeps parameters, does other curves */
} context_t;

static void *new_context(void *provider) {
    context_t *context = calloc(1, sizeof *context);

    if (context != NULL) context->provider = provider;
    return context;
}

static void free_context(void *vcontext) {
    context_t *context = vcontext;

    if (context == NULL) return;
    EVP_PKEY_CTX_free(context->soft);
    ecsm_key_free(context->key);
    ecsm_key_free(context->peer);
    free(context);
}

static const OSSL_PARAM can_set[] = {
    OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, NULL),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS, NULL, 0),
    OSSL_PARAM_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, NULL),
    OSSL_PARAM_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *settable(void *context, void *provider) {
    (void)context;
    (void)provider;
    return can_set;
}

static int set_params(void *vcontext, const OSSL_PARAM params[]) {
    context_t *context = vcontext;

    if (params == NULL || params->key == NULL) return 1;
    return context->soft != NULL && ecsm_can_set(context->provider, can_set, params) &&
           ecsm_query_has_digest(context->provider, params, OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS,
                                 OSSL_EXCHANGE_PARAM_KDF_DIGEST) &&
           EVP_PKEY_CTX_set_params(context->soft, params) > 0;
}

static int init(void *vcontext, void *keydata, const OSSL_PARAM params[]) {
    context_t *context = vcontext;
    ecsm_key_t *key = keydata;

    if (key == NULL) return 0;
    if (key->private == ECSM_NO_PRIVATE)
        return ecsm_error(context->provider, ECSM_R_NO_PRIVATE, "%s", "");
    ecsm_key_hold(key);
    ecsm_key_free(context->key);
    context->key = key;
    EVP_PKEY_CTX_free(context->soft);
    context->soft = ecsm_key_context(key);
    return context->soft != NULL && EVP_PKEY_derive_init(context->soft) > 0 &&
           set_params(context, params);
}

static int set_peer(void *vcontext, void *keydata) {
    context_t *context = vcontext;
    ecsm_key_t *peer = keydata;

    if (context->key == NULL || peer == NULL || peer->soft == NULL || !peer->has_public ||
        EVP_PKEY_parameters_eq(context->key->soft, peer->soft) != 1)
        return 0;
    ecsm_key_hold(peer);
    ecsm_key_free(context->peer);
    context->peer = peer;
    return 1;
}

static void *dup_context(void *vcontext) {
    context_t *context = vcontext, *copy = new_context(context->provider);

    if (copy == NULL) return NULL;
    if (context->key != NULL) ecsm_key_hold(copy->key = context->key);
    if (context->peer != NULL) ecsm_key_hold(copy->peer = context->peer);
    if (context->soft != NULL && (copy->soft = EVP_PKEY_CTX_dup(context->soft)) == NULL) {
        free_context(copy);
        return NULL;
    }
    return copy;
}

/* What is to be done to the product, from the default provider's context. */
typedef struct {
    char kdf[32], digest[64];
    size_t length; /* of what is derived */
    unsigned char *info;
    size_t info_length;
    int cofactor;
} after_t;

static int after_of(const context_t *context, after_t *after) {
    unsigned char *info = NULL;
    OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, after->kdf, sizeof after->kdf),
        OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, after->digest, sizeof after->digest),
        OSSL_PARAM_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, &after->length),
        OSSL_PARAM_octet_ptr(OSSL_EXCHANGE_PARAM_KDF_UKM, (void **)&info, 0),
        OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, &after->cofactor),
        OSSL_PARAM_END,
    };

    if (EVP_PKEY_CTX_get_params(context->soft, params) <= 0) return 0;
    after->info = info;
    after->info_length = params[3].return_size == OSSL_PARAM_UNMODIFIED ? 0 : params[3].return_size;
    return 1;
}

static int kdf(const context_t *context, after_t *after, uint8_t *z, size_t z_length,
               unsigned char *secret) {
    EVP_KDF *found = EVP_KDF_fetch(context->provider->soft, after->kdf, NULL);
    EVP_KDF_CTX *kdf = found == NULL ? NULL : EVP_KDF_CTX_new(found);
    OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, after->digest, strlen(after->digest)),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY, z, z_length),
        OSSL_PARAM_octet_string(OSSL_KDF_PARAM_INFO, after->info, after->info_length),
        OSSL_PARAM_END,
    };
    const int good = kdf != NULL && EVP_KDF_derive(kdf, secret, after->length, params) > 0;

    EVP_KDF_CTX_free(kdf);
    EVP_KDF_free(found);
    return good;
}

static int derive(void *vcontext, unsigned char *secret, size_t *length, size_t room) {
    context_t *context = vcontext;
    ecsm_device_t *device;
    after_t after = {.cofactor = -1};
    uint8_t x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS], z[ECSM_MOST_OCTETS];
    int good;

    if (context->soft == NULL || context->peer == NULL || !ecsm_device_of(context->key, &device))
        return 0;
    if (device == NULL) {
        *length = room;
        return EVP_PKEY_derive_set_peer(context->soft, context->peer->soft) > 0 &&
               EVP_PKEY_derive(context->soft, secret, length) > 0;
    }
    if (!after_of(context, &after)) return 0;
    const size_t octets = device->curve.field_octets;
    const bool plain = after.kdf[0] == 0;
    size_t wanted = plain ? octets : after.length;
    if (secret == NULL) {
        *length = wanted;
        return 1;
    }
    /* As libcrypto does it: where a product does not fit, its first octets are the secret. */
    if (plain && room < wanted) wanted = room;
    if (room < wanted || wanted == 0 || !ecsm_key_point(context->peer, device, x, y)) return 0;
    const ecsm_string_t point[] = {{x, octets}, {y, octets}};
    good = ecsm_key_run(context->key, device, after.cofactor == 1 ? "ecdh-cofactor" : "ecdh", point,
                        2, (uint8_t *[]){z}, 1, octets);
    if (good && plain)
        memcpy(secret, z, wanted);
    else if (good)
        good = kdf(context, &after, z, octets, secret);
    OPENSSL_cleanse(z, sizeof z);
    if (good) *length = wanted;
    return good;
}

static int get_params(void *vcontext, OSSL_PARAM params[]) {
    context_t *context = vcontext;

    return context->soft != NULL && EVP_PKEY_CTX_get_params(context->soft, params) > 0;
}

static const OSSL_PARAM *gettable(void *context, void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, NULL),
        OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, NULL, 0),
        OSSL_PARAM_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, NULL),
        OSSL_PARAM_DEFN(OSSL_EXCHANGE_PARAM_KDF_UKM, OSSL_PARAM_OCTET_PTR, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return table;
}

const OSSL_DISPATCH ecsm_exchange[] = {
    {OSSL_FUNC_KEYEXCH_NEWCTX, (void (*)(void))new_context},
    {OSSL_FUNC_KEYEXCH_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_KEYEXCH_DUPCTX, (void (*)(void))dup_context},
    {OSSL_FUNC_KEYEXCH_INIT, (void (*)(void))init},
    {OSSL_FUNC_KEYEXCH_SET_PEER, (void (*)(void))set_peer},
    {OSSL_FUNC_KEYEXCH_DERIVE, (void (*)(void))derive},
    {OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, (void (*)(void))settable},
    {OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS, (void (*)(void))gettable},
    {0, NULL},
};
