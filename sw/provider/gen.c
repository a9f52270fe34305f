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
    EVP_PKEY *template; /* of the default provider: a key that has the curve, or NULL */
    OSSL_PARAM *params; /* all that was set, or NULL; the default provider takes no notice of ours */
    int selection;
    bool in_device;
    bool asked; /* this key, of whatever curve, is to be in a device */
} gen_t;

static const OSSL_PARAM can_set[] = {
    ECSM_CURVE_PARAMETERS,
    OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL),
    OSSL_PARAM_int(IN_DEVICE, NULL),
    OSSL_PARAM_END,
};

const OSSL_PARAM *ecsm_gen_settable_params(void *context, void *provider) {
    (void)context;
    (void)provider;
    return can_set;
}

void *ecsm_gen_init(void *context, int selection, const OSSL_PARAM params[]) {
    ecsm_provider_t *provider = context;
    gen_t *gen = calloc(1, sizeof *gen);

    if (gen == NULL) return NULL;
    *gen = (gen_t){.provider = provider, .selection = selection, .in_device = provider->in_device};
    if (ecsm_gen_set_params(gen, params)) return gen;
    ecsm_gen_cleanup(gen);
    return NULL;
}

int ecsm_gen_set_template(void *context, void *keydata) {
    gen_t *gen = context;
    const ecsm_key_t *key = keydata;

    if (key->soft == NULL || !EVP_PKEY_up_ref(key->soft)) return 0;
    EVP_PKEY_free(gen->template);
    gen->template = key->soft;
    return 1;
}

/* Begin a generation of the default provider with all that was set. */
static EVP_PKEY_CTX *begin(const gen_t *gen, int (*init)(EVP_PKEY_CTX *)) {
    OSSL_LIB_CTX *soft = gen->provider->soft;
    EVP_PKEY_CTX *context = gen->template == NULL
                                ? EVP_PKEY_CTX_new_from_name(soft, "EC", NULL)
                                : EVP_PKEY_CTX_new_from_pkey(soft, gen->template, NULL);

    if (context != NULL && init(context) > 0 &&
        (gen->params == NULL || EVP_PKEY_CTX_set_params(context, gen->params) > 0))
        return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

/* Let the default provider make what `init` begins. */
static EVP_PKEY *make_soft(const gen_t *gen, int (*init)(EVP_PKEY_CTX *)) {
    EVP_PKEY_CTX *context = begin(gen, init);
    EVP_PKEY *made = NULL;

    if (context != NULL && EVP_PKEY_generate(context, &made) <= 0) made = NULL;
    EVP_PKEY_CTX_free(context);
    return made;
}

/* Keep parameters beside those that were set before. */
static int keep(gen_t *gen, const OSSL_PARAM params[]) {
    OSSL_PARAM *both = gen->params == NULL ? NULL : OSSL_PARAM_merge(gen->params, params);
    OSSL_PARAM *copy = gen->params != NULL && both == NULL
                           ? NULL
                           : OSSL_PARAM_dup(both == NULL ? params : both);

    OSSL_PARAM_free(both);
    if (copy == NULL) return 0;
    OSSL_PARAM_free(gen->params);
    gen->params = copy;
    return 1;
}

int ecsm_gen_set_params(void *context, const OSSL_PARAM params[]) {
    gen_t *gen = context;
    const OSSL_PARAM *p;
    EVP_PKEY_CTX *tried;
    int in_device;

    if (params == NULL || params->key == NULL) return 1;
    if (!ecsm_can_set(gen->provider, can_set, params) || !keep(gen, params)) return 0;
    p = OSSL_PARAM_locate_const(params, IN_DEVICE);
    if (p != NULL) {
        if (!OSSL_PARAM_get_int(p, &in_device)) return 0;
        gen->in_device = gen->asked = in_device != 0;
    }
    tried = begin(gen, EVP_PKEY_paramgen_init); /* a value that is none is refused at once */
    EVP_PKEY_CTX_free(tried);
    return tried != NULL;
}

/* Let the device make a key and keep it. */
static int inside(ecsm_key_t *key, ecsm_device_t *device) {
    uint8_t x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS];

    return ecsm_key_inside(key, device, (uint8_t *[]){x, y}, 2, device->curve.field_octets) &&
           ecsm_key_set(key, device, x, y, NULL);
}

/* A random number in 1 .. n - 1, and its public key from the device. */
static int outside(ecsm_key_t *key, ecsm_device_t *device) {
    ecsm_provider_t *provider = key->provider;
    const size_t octets = device->curve.order_octets;
    uint8_t d[ECSM_MOST_OCTETS], x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS];
    const ecsm_string_t secret = {d, octets};
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(provider->soft, NULL, device->curve.nid);
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
                               device->curve.field_octets);
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

/* Fill a key that has its curve's parameters alone. */
static int generate(const gen_t *gen, ecsm_key_t *key) {
    ecsm_device_t *device;

    if (!ecsm_device_of_soft(gen->provider, key->soft, &device)) return 0;
    if (device != NULL) return gen->in_device ? inside(key, device) : outside(key, device);
    if (gen->asked) return ecsm_error(gen->provider, ECSM_R_DEVICE, "%s", "no device has the curve");
    EVP_PKEY_free(key->soft);
    key->soft = make_soft(gen, EVP_PKEY_keygen_init);
    if (key->soft == NULL) return 0;
    key->has_public = true;
    key->private = ECSM_PRIVATE_SOFT;
    return 1;
}

void *ecsm_gen(void *context, OSSL_CALLBACK *callback, void *argument) {
    gen_t *gen = context;
    ecsm_key_t *key = ecsm_key_new(gen->provider);

    (void)callback;
    (void)argument;
    if (key == NULL) return NULL;
    key->soft = make_soft(gen, EVP_PKEY_paramgen_init);
    if (key->soft != NULL &&
        ((gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || generate(gen, key)))
        return key;
    ecsm_key_free(key);
    return NULL;
}

void ecsm_gen_cleanup(void *context) {
    gen_t *gen = context;

    if (gen == NULL) return;
    OSSL_PARAM_free(gen->params);
    EVP_PKEY_free(gen->template);
    free(gen);
}
