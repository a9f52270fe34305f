/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys: the default provider keeps their numbers, the device computes with them.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

ecsm_key_t *ecsm_key_new(ecsm_provider_t *provider) {
    ecsm_key_t *key = calloc(1, sizeof *key);

    if (key == NULL) return NULL;
    key->references = 1;
    key->provider = provider;
    return key;
}

void ecsm_key_hold(ecsm_key_t *key) { key->references++; }

void ecsm_key_free(void *keydata) {
    ecsm_key_t *key = keydata;

    if (key == NULL || --key->references > 0) return;
    if (key->owner != NULL) {
        ecsm_key_free(key->owner);
    } else if (key->private == ECSM_PRIVATE_INSIDE) {
        ecsm_link_t *link = key->device->link;
        /* A connection that is gone has taken its keys along. */
        if (ecsm_link_begin(link) == 0 && ecsm_link_epoch(link) == key->epoch) {
            (void)ecsm_link_run(link, "forget", key->slot, NULL, 0, NULL);
            ecsm_link_slot_free(link, key->slot);
        }
        ecsm_link_end(link);
    }
    EVP_PKEY_free(key->soft);
    free(key);
}

EVP_PKEY_CTX *ecsm_key_context(const ecsm_key_t *key) {
    return key->soft == NULL ? NULL
                             : EVP_PKEY_CTX_new_from_pkey(key->provider->soft, key->soft, NULL);
}

int ecsm_key_inside(ecsm_key_t *key, ecsm_device_t *device, uint8_t *const *out, size_t outs,
                    size_t octets) {
    int good = 0;

    if (!ecsm_device_begin(key->provider, device)) return 0;
    const unsigned slot = ecsm_link_slot(device->link);
    if (slot == 0)
        (void)ecsm_error(key->provider, ECSM_R_DEVICE, "%s", "no slot of the connection is free");
    else if (!ecsm_device_run(key->provider, device, "generate", slot, NULL, 0, out, outs, octets))
        ecsm_link_slot_free(device->link, slot);
    else
        good = 1;
    if (good) { /* whoever frees the key gives the slot back */
        key->private = ECSM_PRIVATE_INSIDE;
        key->device = device;
        key->slot = slot;
        key->epoch = ecsm_link_epoch(device->link);
    }
    ecsm_device_end(device);
    return good;
}

int ecsm_device_of_soft(ecsm_provider_t *provider, const EVP_PKEY *soft, ecsm_device_t **device) {
    char name[64];

    *device = NULL;
    if (!EVP_PKEY_get_group_name(soft, name, sizeof name, NULL)) return 1;
    return ecsm_device_of_curve(provider, OBJ_sn2nid(name), device);
}

int ecsm_device_of(const ecsm_key_t *key, ecsm_device_t **device) {
    *device = key->device;
    if (key->device != NULL) return 1;
    if (key->kind != 0) return ecsm_device_of_curve(key->provider, key->kind, device);
    return key->soft != NULL && ecsm_device_of_soft(key->provider, key->soft, device);
}

/* The private key as the device has it: order_octets. */
static int secret_of(const ecsm_key_t *key, const ecsm_device_t *device, uint8_t *octets) {
    size_t length = device->curve.order_octets;
    BIGNUM *d = NULL;
    int good;

    if (key->kind != 0)
        return EVP_PKEY_get_raw_private_key(key->soft, octets, &length) > 0 &&
               length == device->curve.order_octets;
    good = EVP_PKEY_get_bn_param(key->soft, OSSL_PKEY_PARAM_PRIV_KEY, &d) &&
           BN_bn2binpad(d, octets, (int)length) == (int)length;
    BN_clear_free(d);
    return good;
}

/* Give the device the private key, in slot 0, which is the turn's. */
static int load(const ecsm_key_t *key, ecsm_device_t *device) {
    uint8_t octets[ECSM_MOST_OCTETS];
    const ecsm_string_t secret = {octets, device->curve.order_octets};
    const int good = secret_of(key, device, octets) &&
                     ecsm_device_run(key->provider, device, "load", 0, &secret, 1, NULL, 0, 0);

    OPENSSL_cleanse(octets, sizeof octets);
    return good;
}

/* Find a key of the server's by its name; another server must have the same key by it. */
static int find_named(const ecsm_key_t *key, ecsm_device_t *device, unsigned *slot) {
    const ecsm_provider_t *provider = key->provider;
    uint8_t is[2][ECSM_MOST_OCTETS], wanted[2][ECSM_MOST_OCTETS];
    uint8_t *const out[] = {is[0], is[1]};
    const size_t octets = device->curve.field_octets, strings = key->kind == 0 ? 2 : 1;
    const int number = ecsm_link_find(ecsm_link_info(device->link)->keys, key->name);

    if (number < 0) return ecsm_error(provider, ECSM_R_NO_KEY_NAME, "%s", key->name);
    *slot = ECSM_FRAME_HANDLES + (unsigned)number;
    if (ecsm_link_epoch(device->link) == key->epoch) return 1;
    if (!ecsm_device_run(provider, device, "public", *slot, NULL, 0, out, strings, octets) ||
        !(key->kind == 0 ? ecsm_key_point(key, device, wanted[0], wanted[1])
                         : ecsm_key_octets(key, wanted[0])))
        return 0;
    for (size_t i = 0; i < strings; i++)
        if (memcmp(is[i], wanted[i], octets) != 0)
            return ecsm_error(provider, ECSM_R_LOST, "%s is another key now", key->name);
    ((ecsm_key_t *)key)->epoch = ecsm_link_epoch(device->link);
    return 1;
}

/* Find the slot of a private key within a turn. */
static int slot_of(const ecsm_key_t *key, ecsm_device_t *device, unsigned *slot) {
    switch (key->private) {
    case ECSM_PRIVATE_SOFT:
        *slot = 0;
        return load(key, device);
    case ECSM_PRIVATE_NAMED:
        return find_named(key, device, slot);
    case ECSM_PRIVATE_INSIDE:
        *slot = key->slot;
        if (ecsm_link_epoch(device->link) == key->epoch) return 1;
        return ecsm_error(key->provider, ECSM_R_LOST, "%s", "");
    default:
        return ecsm_error(key->provider, ECSM_R_NO_PRIVATE, "%s", "");
    }
}

int ecsm_key_run(const ecsm_key_t *key, ecsm_device_t *device, const char *operation,
                 const ecsm_string_t *strings, size_t count, uint8_t *const *out, size_t outs,
                 size_t octets) {
    unsigned slot;
    int good;

    if (!ecsm_device_begin(key->provider, device)) return 0;
    good = slot_of(key, device, &slot);
    if (good) {
        good = ecsm_device_run(key->provider, device, operation, slot, strings, count, out, outs,
                               octets);
        if (slot == 0) (void)ecsm_link_run(device->link, "forget", 0, NULL, 0, NULL);
    }
    ecsm_device_end(device);
    return good;
}

/* ------------------------------------------------------------------ what libcrypto calls */

static void *new_key(void *provider) { return ecsm_key_new(provider); }

void *ecsm_key_load(const void *reference, size_t size) {
    ecsm_key_t *key;

    if (size != sizeof key) return NULL;
    /* The store hands its key over. */
    key = *(ecsm_key_t **)reference;
    *(ecsm_key_t **)reference = NULL;
    return key;
}

static int has(const void *keydata, int selection) {
    const ecsm_key_t *key = keydata;

    if (key == NULL) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) && !key->has_public) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) && key->private == ECSM_NO_PRIVATE) return 0;
    return key->soft != NULL || (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) == 0;
}

static int match(const void *first, const void *second, int selection) {
    const ecsm_key_t *a = first, *b = second;

    if (a->soft == NULL || b->soft == NULL) return 0;
    if (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) return EVP_PKEY_eq(a->soft, b->soft) == 1;
    return EVP_PKEY_parameters_eq(a->soft, b->soft) == 1;
}

int ecsm_key_validate(const void *keydata, int selection, int how) {
    const ecsm_key_t *key = keydata;
    EVP_PKEY_CTX *context = ecsm_key_context(key);
    const bool quick = how == OSSL_KEYMGMT_VALIDATE_QUICK_CHECK;
    int good = context != NULL;

    if (good && (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS))
        good = (quick ? EVP_PKEY_param_check_quick(context) : EVP_PKEY_param_check(context)) > 0;
    if (good && (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY))
        good = (quick ? EVP_PKEY_public_check_quick(context) : EVP_PKEY_public_check(context)) > 0;
    if (good && (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) && key->private == ECSM_NO_PRIVATE)
        good = ecsm_error(key->provider, ECSM_R_NO_PRIVATE, "%s", "");
    if (good && key->private == ECSM_PRIVATE_SOFT) {
        if (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
            good = EVP_PKEY_private_check(context) > 0;
        if (good && (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == OSSL_KEYMGMT_SELECT_KEYPAIR)
            good = EVP_PKEY_pairwise_check(context) > 0;
    }
    EVP_PKEY_CTX_free(context);
    return good;
}

int ecsm_key_import(void *keydata, int selection, const OSSL_PARAM params[]) {
    ecsm_key_t *key = keydata;
    const bool private = (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 &&
                         OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_PRIV_KEY) != NULL;

    if (key->private != ECSM_NO_PRIVATE || !ecsm_key_set_soft(key, selection, params)) return 0;
    key->private = private ? ECSM_PRIVATE_SOFT : ECSM_NO_PRIVATE;
    return 1;
}

int ecsm_key_export(void *keydata, int selection, OSSL_CALLBACK *callback, void *argument) {
    ecsm_key_t *key = keydata;
    OSSL_PARAM *params = NULL;
    int good;

    if (key->soft == NULL) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 && key->private != ECSM_PRIVATE_SOFT)
        return key->private == ECSM_NO_PRIVATE ? 0
                                               : ecsm_error(key->provider, ECSM_R_IN_DEVICE, "%s", "");
    good = EVP_PKEY_todata(key->soft, selection, &params) > 0 && callback(params, argument);
    OSSL_PARAM_free(params);
    return good;
}

static const OSSL_PARAM *types(int selection) {
    static const OSSL_PARAM table[] = {
        ECSM_CURVE_PARAMETERS,
        OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, NULL),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, NULL),
        OSSL_PARAM_END,
    };
    (void)selection;
    return table;
}

/* A copy of what is selected; one of a private key in the device computes with the same. */
void *ecsm_key_dup(const void *keydata, int selection) {
    ecsm_key_t *key = (ecsm_key_t *)keydata, *copy = ecsm_key_new(key->provider);
    OSSL_PARAM *params = NULL;
    bool good;

    if (copy == NULL) return NULL;
    copy->kind = key->kind;
    /* Octets have no parameters that could be selected alone. */
    if (key->soft == NULL || (key->kind != 0 && (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0))
        return copy;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0 &&
        (key->private == ECSM_PRIVATE_NAMED || key->private == ECSM_PRIVATE_INSIDE)) {
        copy->soft = EVP_PKEY_dup(key->soft);
        copy->has_public = key->has_public;
        copy->private = key->private;
        copy->device = key->device;
        copy->slot = key->slot;
        copy->epoch = key->epoch;
        memcpy(copy->name, key->name, sizeof copy->name);
        copy->owner = key->owner == NULL ? key : key->owner;
        ecsm_key_hold(copy->owner);
        good = copy->soft != NULL;
    } else {
        good = EVP_PKEY_todata(key->soft, selection, &params) > 0 && ecsm_key_import(copy, selection, params);
        OSSL_PARAM_free(params);
    }
    if (good) return copy;
    ecsm_key_free(copy);
    return NULL;
}

int ecsm_key_get(void *keydata, OSSL_PARAM params[]) {
    ecsm_key_t *key = keydata;

    return key->soft != NULL && EVP_PKEY_get_params(key->soft, params);
}

static const OSSL_PARAM *gettable_params(void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
        ECSM_CURVE_PARAMETERS,
        OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, NULL),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_PUB_X, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_PUB_Y, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, NULL),
        OSSL_PARAM_END,
    };
    (void)provider;
    return table;
}

/* Not a seed: libcrypto writes that of the curve by its name. */
static const OSSL_PARAM can_set[] = {
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
    OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_ENCODING, NULL, 0),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, NULL, 0),
    OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, NULL),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE, NULL, 0),
    OSSL_PARAM_END,
};

static int set_params(void *keydata, const OSSL_PARAM params[]) {
    ecsm_key_t *key = keydata;
    bool point;

    if (params == NULL || params->key == NULL) return 1;
    if (key->soft == NULL || !ecsm_can_set(key->provider, can_set, params)) return 0;
    point = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY) != NULL;
    if (point && key->private != ECSM_NO_PRIVATE && key->private != ECSM_PRIVATE_SOFT)
        return ecsm_error(key->provider, ECSM_R_PARAMETER, "%s",
                          "the public key is that of the private key in the device");
    if (!EVP_PKEY_set_params(key->soft, (OSSL_PARAM *)params)) return 0;
    key->has_public = key->has_public || point;
    return 1;
}

static const OSSL_PARAM *settable_params(void *provider) {
    (void)provider;
    return can_set;
}

static const char *operation_name(int operation) {
    return operation == OSSL_OP_SIGNATURE ? "ECDSA" : operation == OSSL_OP_KEYEXCH ? "ECDH" : NULL;
}

const OSSL_DISPATCH ecsm_keymgmt[] = {
    {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))new_key},
    {OSSL_FUNC_KEYMGMT_FREE, (void (*)(void))ecsm_key_free},
    {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))ecsm_key_load},
    {OSSL_FUNC_KEYMGMT_DUP, (void (*)(void))ecsm_key_dup},
    {OSSL_FUNC_KEYMGMT_HAS, (void (*)(void))has},
    {OSSL_FUNC_KEYMGMT_MATCH, (void (*)(void))match},
    {OSSL_FUNC_KEYMGMT_VALIDATE, (void (*)(void))ecsm_key_validate},
    {OSSL_FUNC_KEYMGMT_IMPORT, (void (*)(void))ecsm_key_import},
    {OSSL_FUNC_KEYMGMT_IMPORT_TYPES, (void (*)(void))types},
    {OSSL_FUNC_KEYMGMT_EXPORT, (void (*)(void))ecsm_key_export},
    {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))types},
    {OSSL_FUNC_KEYMGMT_GET_PARAMS, (void (*)(void))ecsm_key_get},
    {OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, (void (*)(void))gettable_params},
    {OSSL_FUNC_KEYMGMT_SET_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, (void (*)(void))settable_params},
    {OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, (void (*)(void))operation_name},
    {OSSL_FUNC_KEYMGMT_GEN_INIT, (void (*)(void))ecsm_gen_init},
    {OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, (void (*)(void))ecsm_gen_set_template},
    {OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, (void (*)(void))ecsm_gen_set_params},
    {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, (void (*)(void))ecsm_gen_settable_params},
    {OSSL_FUNC_KEYMGMT_GEN, (void (*)(void))ecsm_gen},
    {OSSL_FUNC_KEYMGMT_GEN_CLEANUP, (void (*)(void))ecsm_gen_cleanup},
    {0, NULL},
};
