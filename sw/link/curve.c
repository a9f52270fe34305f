/* SPDX-License-Identifier: Apache-2.0 */
#include "curve.h"

#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/objects.h>

#include "link.h"

/* The curve of a name of SEC 2: libcrypto has another one for one of them. */
static int nid_of(const char *name) {
    if (strcmp(name, "curve25519") == 0) return NID_X25519;
    if (strcmp(name, "edwards25519") == 0) return NID_ED25519;
    return strcmp(name, "secp256r1") == 0 ? NID_X9_62_prime256v1 : OBJ_sn2nid(name);
}

bool ecsm_curve_is_octets(const ecsm_curve_t *curve) {
    return curve->nid == NID_X25519 || curve->nid == NID_ED25519;
}

void ecsm_curve_find(ecsm_curve_t *curve, const char *name, OSSL_LIB_CTX *context) {
    EC_GROUP *group = NULL;

    (void)snprintf(curve->name, sizeof curve->name, "%s", name);
    curve->nid = nid_of(name);
    if (ecsm_curve_is_octets(curve)) {
        curve->order_octets = curve->field_octets = ECSM_KEY_OCTETS;
        return;
    }
    if (curve->nid != NID_undef)
        group = EC_GROUP_new_by_curve_name_ex(context, NULL, curve->nid);
    if (group != NULL) {
        curve->order_bits = (size_t)EC_GROUP_order_bits(group);
        curve->order_octets = (curve->order_bits + 7) / 8;
        curve->field_octets = ((size_t)EC_GROUP_get_degree(group) + 7) / 8;
        curve->binary = EC_GROUP_get_field_type(group) == NID_X9_62_characteristic_two_field;
        EC_GROUP_free(group);
    }
    if (group == NULL || curve->field_octets > ECSM_MOST_OCTETS ||
        curve->order_octets > ECSM_MOST_OCTETS)
        curve->nid = NID_undef;
}

/* Shift a string right, or left if `bits` is below zero. */
static int shifted(const uint8_t *in, size_t length, int bits, uint8_t *out, size_t room) {
    BIGNUM *n = BN_bin2bn(in, (int)length, NULL);
    const int good = n != NULL && (bits >= 0 ? BN_rshift(n, n, bits) : BN_lshift(n, n, -bits)) &&
                     BN_bn2binpad(n, out, (int)room) == (int)room;

    BN_clear_free(n);
    return good;
}

int ecsm_digest_fit(ecsm_digest_t *digest, const ecsm_curve_t *curve, const char *operations,
                    const uint8_t *octets, size_t length) {
    static const struct {
        const char *hash;
        size_t length;
    } hashes[] = {{"sha1", 20}, {"sha224", 28}, {"sha256", 32}, {"sha384", 48}, {"sha512", 64}};
    const size_t bits = curve->order_bits;
    char name[16];
    int found = -1;

    for (int i = 0; i < 5; i++) {
        (void)snprintf(name, sizeof name, "sign-%s", hashes[i].hash);
        if (ecsm_link_find(operations, name) < 0) continue;
        if (hashes[i].length == length) { /* the one itself */
            found = i;
            break;
        }
        if (8 * hashes[i].length >= bits || hashes[i].length > length) found = i;
    }
    if (found < 0) return 0;
    digest->hash = hashes[found].hash;
    digest->length = hashes[found].length;
    if (length == digest->length) {
        memcpy(digest->octets, octets, length);
        return 1;
    }
    /* The number that counts has the first min(8 length, bits) bits. */
    const int much = (int)(8 * length > bits ? 8 * length - bits : 0);
    const int more = (int)(8 * digest->length > bits ? 8 * digest->length - bits : 0);
    return shifted(octets, length, much - more, digest->octets, digest->length);
}
