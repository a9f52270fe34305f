/* SPDX-License-Identifier: Apache-2.0
 *
 * Mechanisms: which a device has, by its operations.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/objects.h>

#include "module.h"

#ifndef CKF_EC_F_2M
#define CKF_EC_F_2M (1UL << 21)
#endif

enum { OCTETS_BITS = 255 /* of X25519 and Ed25519 */ };

/* CKM_ECDSA is of any digest: the first operation that a device has stands for all. */
static const p11_mechanism_t mechanisms[] = {
    {CKM_ECDSA, "sign-sha256", NULL, CKF_SIGN},
    {CKM_ECDSA, "sign-sha384", NULL, CKF_SIGN},
    {CKM_ECDSA, "sign-sha512", NULL, CKF_SIGN},
    {CKM_ECDSA, "sign-sha224", NULL, CKF_SIGN},
    {CKM_ECDSA, "sign-sha1", NULL, CKF_SIGN},
    {CKM_ECDSA_SHA1, "sign-sha1", "SHA1", CKF_SIGN},
    {CKM_ECDSA_SHA224, "sign-sha224", "SHA224", CKF_SIGN},
    {CKM_ECDSA_SHA256, "sign-sha256", "SHA256", CKF_SIGN},
    {CKM_ECDSA_SHA384, "sign-sha384", "SHA384", CKF_SIGN},
    {CKM_ECDSA_SHA512, "sign-sha512", "SHA512", CKF_SIGN},
    {CKM_EDDSA, "sign-ed25519", NULL, CKF_SIGN},
    {CKM_ECDH1_DERIVE, "ecdh", NULL, CKF_DERIVE},
    {CKM_ECDH1_DERIVE, "x25519", NULL, CKF_DERIVE},
    {CKM_ECDH1_COFACTOR_DERIVE, "ecdh-cofactor", NULL, CKF_DERIVE},
};

enum { COUNT = sizeof mechanisms / sizeof *mechanisms };

const p11_mechanism_t *p11_mechanism(const char *operations, CK_MECHANISM_TYPE type) {
    for (size_t i = 0; i < COUNT; i++)
        if (mechanisms[i].type == type && ecsm_link_find(operations, mechanisms[i].operation) >= 0)
            return &mechanisms[i];
    return NULL;
}

/* Whether the device verifies what it signs with an operation: sign-X has verify-X beside it. */
static bool verifies(const char *operations, const char *sign) {
    char name[32];

    (void)snprintf(name, sizeof name, "verify-%s", sign + strlen("sign-"));
    return ecsm_link_find(operations, name) >= 0;
}

static CK_FLAGS flags_of(const char *operations, const p11_mechanism_t *mechanism) {
    if (mechanism->flags != CKF_SIGN) return mechanism->flags;
    return verifies(operations, mechanism->operation) ? CKF_SIGN | CKF_VERIFY : CKF_SIGN;
}

bool p11_suits(const p11_mechanism_t *mechanism, const ecsm_curve_t *curve) {
    if (mechanism->type == CKM_EDDSA) return curve->nid == NID_ED25519;
    if (strcmp(mechanism->operation, "x25519") == 0) return curve->nid == NID_X25519;
    return curve->nid != NID_undef && !ecsm_curve_is_octets(curve);
}

CK_FLAGS p11_flags(const char *operations, const ecsm_curve_t *curve) {
    CK_FLAGS flags = 0;

    for (size_t i = 0; i < COUNT; i++)
        if (p11_suits(&mechanisms[i], curve) &&
            ecsm_link_find(operations, mechanisms[i].operation) >= 0)
            flags |= flags_of(operations, &mechanisms[i]);
    return flags;
}

/* Find the next mechanism of a server from a place in the table on; within a turn. */
static const p11_mechanism_t *next(const p11_slot_t *slot, size_t *place) {
    const char *operations = ecsm_link_info(slot->link)->operations;

    while (*place < COUNT) {
        const p11_mechanism_t *one = &mechanisms[(*place)++];
        if (p11_suits(one, &slot->curve) && p11_mechanism(operations, one->type) == one) return one;
    }
    return NULL;
}

CK_RV C_GetMechanismList(CK_SLOT_ID id, CK_MECHANISM_TYPE *list, CK_ULONG *count) {
    P11_NEED(count != NULL);
    p11_slot_t *slot = p11_slot(id);
    CK_MECHANISM_TYPE found[COUNT];
    const p11_mechanism_t *one;
    size_t place = 0;
    CK_ULONG number = 0;

    if (slot == NULL) return CKR_SLOT_ID_INVALID;
    const CK_RV rv = p11_begin(slot);
    if (rv != CKR_OK) return rv;
    while ((one = next(slot, &place)) != NULL) found[number++] = one->type;
    p11_end(slot);
    const bool fits = list == NULL || *count >= number;
    if (list != NULL && fits) memcpy(list, found, number * sizeof *found);
    *count = number;
    return fits ? CKR_OK : CKR_BUFFER_TOO_SMALL;
}

CK_RV C_GetMechanismInfo(CK_SLOT_ID id, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info) {
    P11_NEED(info != NULL);
    p11_slot_t *slot = p11_slot(id);
    const p11_mechanism_t *one;
    size_t place = 0;

    if (slot == NULL) return CKR_SLOT_ID_INVALID;
    const CK_RV rv = p11_begin(slot);
    if (rv != CKR_OK) return rv;
    while ((one = next(slot, &place)) != NULL && one->type != type) continue;
    if (one != NULL) {
        const bool octets = ecsm_curve_is_octets(&slot->curve);
        info->ulMinKeySize = octets ? OCTETS_BITS : slot->curve.order_bits;
        info->ulMaxKeySize = info->ulMinKeySize;
        info->flags = flags_of(ecsm_link_info(slot->link)->operations, one) | CKF_EC_NAMEDCURVE |
                      CKF_EC_UNCOMPRESS | (slot->curve.binary ? CKF_EC_F_2M : CKF_EC_F_P);
    }
    p11_end(slot);
    return one == NULL ? CKR_MECHANISM_INVALID : CKR_OK;
}
