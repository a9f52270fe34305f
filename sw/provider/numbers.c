/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a key: a point and a number, or octets. The default provider keeps it.
 */
#include "provider.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

int ecsm_key_set_soft(ecsm_key_t *key, int selection, const OSSL_PARAM params[]) {
    const char *type = key->kind == 0 ? "EC" : OBJ_nid2sn(key->kind);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(key->provider->soft, type, NULL);
    EVP_PKEY *soft = NULL;
    const int good = context != NULL && EVP_PKEY_fromdata_init(context) > 0 &&
                     EVP_PKEY_fromdata(context, &soft, selection, (OSSL_PARAM *)params) > 0;

    EVP_PKEY_CTX_free(context);
    if (!good) return 0;
    EVP_PKEY_free(key->soft);
    key->soft = soft;
    key->has_public = EVP_PKEY_get_octet_string_param(soft, OSSL_PKEY_PARAM_PUB_KEY, NULL, 0, NULL);
    return 1;
}

/* Append parameters to others, in their order: of two of one name the first counts. */
static int append(OSSL_PARAM *to, size_t room, const OSSL_PARAM *from) {
    for (; to->key != NULL; to++) room--;
    for (; from != NULL && from->key != NULL && room > 1; room--) *to++ = *from++;
    *to = OSSL_PARAM_construct_end();
    return from == NULL || from->key == NULL;
}

int ecsm_key_set(ecsm_key_t *key, const ecsm_device_t *device, const uint8_t *x, const uint8_t *y,
                 const uint8_t *private) {
    const size_t octets = device->curve.field_octets;
    uint8_t point[1 + 2 * ECSM_MOST_OCTETS] = {4};
    BIGNUM *d = private == NULL ? NULL : BN_secure_new();
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM *curve = NULL, *numbers = NULL, all[64] = {OSSL_PARAM_END};
    int good = build != NULL && (private == NULL || d != NULL) &&
               (key->soft == NULL ||
                EVP_PKEY_todata(key->soft, EVP_PKEY_KEY_PARAMETERS, &curve) > 0);

    memcpy(point + 1, x, octets);
    memcpy(point + 1 + octets, y, octets);
    good = good && (d == NULL || BN_bin2bn(private, (int)device->curve.order_octets, d) != NULL) &&
           (curve != NULL || OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME,
                                                             OBJ_nid2sn(device->curve.nid), 0)) &&
           OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point,
                                            1 + 2 * octets) &&
           (d == NULL || OSSL_PARAM_BLD_push_BN_pad(build, OSSL_PKEY_PARAM_PRIV_KEY, d,
                                                    device->curve.order_octets)) &&
           (numbers = OSSL_PARAM_BLD_to_param(build)) != NULL &&
           append(all, 64, curve) && append(all, 64, numbers) &&
           ecsm_key_set_soft(key, d == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, all);
    if (good && d != NULL) key->private = ECSM_PRIVATE_SOFT;
    OSSL_PARAM_free(numbers);
    OSSL_PARAM_free(curve);
    OSSL_PARAM_BLD_free(build);
    BN_clear_free(d);
    return good;
}

int ecsm_key_point(const ecsm_key_t *key, const ecsm_device_t *device, uint8_t *x, uint8_t *y) {
    BIGNUM *bx = NULL, *by = NULL;
    const int octets = (int)device->curve.field_octets;
    const int good = key->soft != NULL &&
                     EVP_PKEY_get_bn_param(key->soft, OSSL_PKEY_PARAM_EC_PUB_X, &bx) &&
                     EVP_PKEY_get_bn_param(key->soft, OSSL_PKEY_PARAM_EC_PUB_Y, &by) &&
                     BN_bn2binpad(bx, x, octets) == octets && BN_bn2binpad(by, y, octets) == octets;

    BN_free(bx);
    BN_free(by);
    return good;
}

int ecsm_key_set_octets(ecsm_key_t *key, const uint8_t *public, const uint8_t *private) {
    const int selection = private == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
    OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public, ECSM_KEY_OCTETS),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private, ECSM_KEY_OCTETS),
        OSSL_PARAM_END,
    };

    if (private == NULL) params[1] = OSSL_PARAM_construct_end();
    if (!ecsm_key_set_soft(key, selection, params)) return 0;
    if (private != NULL) key->private = ECSM_PRIVATE_SOFT;
    return 1;
}

int ecsm_key_octets(const ecsm_key_t *key, uint8_t *public) {
    size_t length = ECSM_KEY_OCTETS;

    return key->soft != NULL && EVP_PKEY_get_raw_public_key(key->soft, public, &length) > 0 &&
           length == ECSM_KEY_OCTETS;
}
