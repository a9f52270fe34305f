/* SPDX-License-Identifier: Apache-2.0
 *
 * Key generation. A key that is to be written to a file is a random number of libcrypto's whose
 * public key the device computes; one made in the device never leaves it.
 */
#include "provider.h"

#include <stdlib.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/params.h>

#define IN_DEVICE "ecsm-in-device"

typedef struct {
    ecsm_provider_t *provider;
    EVP_PKEY_CTX *soft;   /* of the default provider, which reads the parameters */
    EVP_PKEY *parameters; /* or a key that has them */
    int selection;
    bool in_device;
} gen_t;

void *ecsm_gen_init(void *context, int selection, const OSSL_PARAM params[]) {
    ecsm_provider_t *provider = context;
    gen_t *gen = calloc(1, sizeof *gen);

    if (gen == NULL) return NULL;
    *gen = (gen_t){.provider = provider, .selection = selection, .in_device = provider->in_device};
    gen->soft = EVP_PKEY_CTX_new_from_name(provider->soft, "EC", NULL);
    if (gen->soft == NULL || EVP_PKEY_paramgen_init(gen->soft) <= 0 ||
        !ecsm_gen_set_params(gen, params)) {
        ecsm_gen_cleanup(gen);
        return NULL;
    }
    return gen;
}

int ecsm_gen_set_template(void *context, void *keydata) {
    gen_t *gen = context;
    const ecsm_key_t *key = keydata;

    if (key->soft == NULL || !EVP_PKEY_up_ref(key->soft)) return 0;
    EVP_PKEY_free(gen->parameters);
    gen->parameters = key->soft;
    return 1;
}

int ecsm_gen_set_params(void *context, const OSSL_PARAM params[]) {
    gen_t *gen = context;
    const OSSL_PARAM *p;
    int in_device = gen->in_device;

    if (params == NULL || params->key == NULL) return 1;
    p = OSSL_PARAM_locate_const(params, IN_DEVICE);
    if (p != NULL && !OSSL_PARAM_get_int(p, &in_device)) return 0;
    gen->in_device = in_device != 0;
    if (p != NULL && params[1].key == NULL) return 1; /* the default provider does not know it */
    return EVP_PKEY_CTX_set_params(gen->soft, params) > 0;
}

const OSSL_PARAM *ecsm_gen_settable_params(void *context, void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_ENCODING, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, NULL, 0),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL),
        OSSL_PARAM_int(IN_DEVICE, NULL),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return table;
}

/* Let the device make a key and keep it. */
static int inside(ecsm_key_t *key, ecsm_device_t *device) {
    uint8_t x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS];
    int good = 0;

    if (!ecsm_device_begin(key->provider, device)) return 0;
    const unsigned slot = ecsm_link_slot(device->link);
    if (slot == 0)
        (void)ecsm_error(key->provider, ECSM_R_DEVICE, "%s", "no slot of the connection is free");
    else if (!ecsm_device_run(key->provider, device, "generate", slot, NULL, 0,
                              (uint8_t *[]){x, y}, 2, device->field_octets))
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
    return good && ecsm_key_set(key, device, x, y, NULL);
}

/* A random number in 1 .. n - 1, and its public key from the device. */
static int outside(ecsm_key_t *key, ecsm_device_t *device) {
    ecsm_provider_t *provider = key->provider;
    const size_t octets = device->order_octets;
    uint8_t d[ECSM_MOST_OCTETS], x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS];
    const ecsm_string_t secret = {d, octets};
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(provider->soft, NULL, device->curve);
    BN_CTX *numbers = BN_CTX_secure_new_ex(provider->soft);
    BIGNUM *number = BN_secure_new();
    int good = group != NULL && numbers != NULL && number != NULL;

    do {
        good = good && BN_priv_rand_range_ex(number, EC_GROUP_get0_order(group), 0, numbers);
    } while (good && BN_is_zero(number));
    good = good && BN_bn2binpad(number, d, (int)octets) == (int)octets;
    if (good && (good = ecsm_device_begin(provider, device))) {
        good = ecsm_device_run(provider, device, "load", 0, &secret, 1, NULL, 0, 0) &&
               ecsm_device_run(provider, device, "public", 0, NULL, 0, (uint8_t *[]){x, y}, 2,
                               device->field_octets);
        (void)ecsm_link_run(device->link, "forget", 0, NULL, 0, NULL);
        ecsm_device_end(device);
    }
    good = good && ecsm_key_set(key, device, x, y, d);
    OPENSSL_cleanse(d, sizeof d);
    BN_clear_free(number);
    BN_CTX_free(numbers);
    EC_GROUP_free(group);
    return good;
}

/* Let the default provider make a key of the parameters. */
static int soft_key(ecsm_key_t *key, EVP_PKEY *parameters) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(key->provider->soft, parameters, NULL);
    const int good = context != NULL && EVP_PKEY_keygen_init(context) > 0 &&
                     EVP_PKEY_generate(context, &key->soft) > 0;

    EVP_PKEY_CTX_free(context);
    if (!good) return 0;
    key->has_public = true;
    key->private = ECSM_PRIVATE_SOFT;
    return 1;
}

void *ecsm_gen(void *context, OSSL_CALLBACK *callback, void *argument) {
    gen_t *gen = context;
    ecsm_key_t *key = ecsm_key_new(gen->provider);
    EVP_PKEY *parameters = NULL;
    ecsm_device_t *device = NULL;
    int good = key != NULL;

    (void)callback;
    (void)argument;
    if (good && gen->parameters != NULL) {
        good = EVP_PKEY_up_ref(gen->parameters);
        parameters = good ? gen->parameters : NULL;
    } else if (good) {
        good = EVP_PKEY_generate(gen->soft, &parameters) > 0;
    }
    if (good && (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) {
        key->soft = parameters;
        return key;
    }
    good = good && ecsm_device_of_soft(gen->provider, parameters, &device);
    if (good && device == NULL)
        good = soft_key(key, parameters);
    else if (good)
        good = gen->in_device ? inside(key, device) : outside(key, device);
    EVP_PKEY_free(parameters);
    if (good) return key;
    ecsm_key_free(key);
    return NULL;
}

void ecsm_gen_cleanup(void *context) {
    gen_t *gen = context;

    if (gen == NULL) return;
    EVP_PKEY_CTX_free(gen->soft);
    EVP_PKEY_free(gen->parameters);
    free(gen);
}
