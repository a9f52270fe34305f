/* SPDX-License-Identifier: Apache-2.0
 *
 * Key agreement: the product is the device's, and becomes a secret of the session.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/objects.h>

#include "module.h"

/* ------------------------------------------------------------------ what the secret is to be */

static CK_RV read_bool(const CK_ATTRIBUTE *one, CK_BBOOL *value) {
    if (one->ulValueLen != sizeof *value) return CKR_ATTRIBUTE_VALUE_INVALID;
    memcpy(value, one->pValue, sizeof *value);
    return *value <= 1 ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID;
}

static CK_RV read_number(const CK_ATTRIBUTE *one, CK_ULONG *value) {
    if (one->ulValueLen != sizeof *value) return CKR_ATTRIBUTE_VALUE_INVALID;
    memcpy(value, one->pValue, sizeof *value);
    return CKR_OK;
}

/* A length that no name has may be what C_GetAttributeValue leaves where there is no value. */
static CK_RV read_octets(const CK_ATTRIBUTE *one, uint8_t **octets, size_t *length) {
    if (one->ulValueLen > P11_NAME) return CKR_ATTRIBUTE_VALUE_INVALID;
    free(*octets);
    *octets = malloc(one->ulValueLen + 1);
    if (*octets == NULL) return CKR_HOST_MEMORY;
    if (one->ulValueLen > 0) memcpy(*octets, one->pValue, one->ulValueLen);
    *length = one->ulValueLen;
    return CKR_OK;
}

/* Read one attribute of a template. What a secret may be used for has no effect: nothing is done
 * with one here but to read it. */
static CK_RV read_one(p11_secret_t *secret, const CK_ATTRIBUTE *one, CK_ULONG *length) {
    CK_BBOOL truth;
    CK_ULONG number;
    CK_RV rv;

    if (one->pValue == NULL && one->ulValueLen != 0) return CKR_ATTRIBUTE_VALUE_INVALID;
    switch (one->type) {
    case CKA_CLASS:
        rv = read_number(one, &number);
        return rv == CKR_OK && number != CKO_SECRET_KEY ? CKR_TEMPLATE_INCONSISTENT : rv;
    case CKA_KEY_TYPE:
        rv = read_number(one, &secret->type);
        if (rv == CKR_OK && secret->type != CKK_GENERIC_SECRET && secret->type != CKK_AES)
            rv = CKR_ATTRIBUTE_VALUE_INVALID;
        return rv;
    case CKA_VALUE_LEN:
        return read_number(one, length);
    case CKA_TOKEN: /* nothing is stored in a server */
        rv = read_bool(one, &truth);
        return rv == CKR_OK && truth ? CKR_TEMPLATE_INCONSISTENT : rv;
    case CKA_PRIVATE:
        return read_bool(one, &secret->private);
    case CKA_SENSITIVE:
        return read_bool(one, &secret->sensitive);
    case CKA_EXTRACTABLE:
        return read_bool(one, &secret->extractable);
    case CKA_LABEL:
        return read_octets(one, &secret->label, &secret->label_length);
    case CKA_ID:
        return read_octets(one, &secret->id, &secret->id_length);
    case CKA_MODIFIABLE:
    case CKA_COPYABLE:
    case CKA_DESTROYABLE:
    case CKA_ENCRYPT:
    case CKA_DECRYPT:
    case CKA_SIGN:
    case CKA_VERIFY:
    case CKA_WRAP:
    case CKA_UNWRAP:
    case CKA_DERIVE:
        return read_bool(one, &truth);
    default:
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
}

/* Whether an attribute before this one, which has been read, says something else of the same. */
static int contradicts(const CK_ATTRIBUTE *templ, CK_ULONG at) {
    const CK_ATTRIBUTE *one = &templ[at];

    for (const CK_ATTRIBUTE *other = templ; other < one; other++)
        if (other->type == one->type &&
            (other->ulValueLen != one->ulValueLen ||
             (one->ulValueLen != 0 && memcmp(other->pValue, one->pValue, one->ulValueLen) != 0)))
            return 1;
    return 0;
}

/* Read a template, and how long the secret is to be of a product of `most` octets. */
static CK_RV read_template(p11_secret_t *secret, const CK_ATTRIBUTE *templ, CK_ULONG count,
                           size_t most) {
    CK_ULONG length = 0;
    CK_RV rv = CKR_OK;

    secret->type = CKK_GENERIC_SECRET;
    secret->extractable = CK_TRUE;
    for (CK_ULONG i = 0; i < count && rv == CKR_OK; i++) {
        rv = read_one(secret, &templ[i], &length);
        if (rv == CKR_OK && templ[i].type == CKA_VALUE_LEN && (length == 0 || length > most))
            rv = CKR_KEY_SIZE_RANGE;
        if (rv == CKR_OK && contradicts(templ, i)) rv = CKR_TEMPLATE_INCONSISTENT;
    }
    if (rv != CKR_OK) return rv;
    secret->length = length == 0 ? most : length;
    if (secret->type == CKK_AES && secret->length != 16 && secret->length != 24 &&
        secret->length != 32)
        return length == 0 ? CKR_TEMPLATE_INCOMPLETE : CKR_KEY_SIZE_RANGE;
    return CKR_OK;
}

/* ------------------------------------------------------------------ the other side's key */

/* Find the point in what was given: itself, or as an OCTET STRING, which is one octet or two of
 * length longer. */
static CK_RV point_of(const p11_key_t *key, const CK_ECDH1_DERIVE_PARAMS *params,
                      const uint8_t **point) {
    const size_t wanted = key->point_length;
    const size_t before = wanted < 128 ? 2 : 3;
    const uint8_t *given = params->pPublicData;

    if (given != NULL && params->ulPublicDataLen == wanted)
        *point = given;
    else if (given != NULL && params->ulPublicDataLen == wanted + before && given[0] == 0x04 &&
             (before == 2 || given[1] == 0x81) && given[before - 1] == wanted)
        *point = given + before;
    else
        return CKR_MECHANISM_PARAM_INVALID;
    return ecsm_curve_is_octets(&key->curve) || **point == 0x04 ? CKR_OK
                                                                : CKR_MECHANISM_PARAM_INVALID;
}

static CK_RV product(p11_slot_t *slot, p11_key_t *key, const char *operation, const uint8_t *point,
                     uint8_t *z) {
    const size_t octets = key->curve.field_octets;
    const ecsm_string_t whole[] = {{point, octets}};
    const ecsm_string_t halves[] = {{point + 1, octets}, {point + 1 + octets, octets}};

    if (ecsm_curve_is_octets(&key->curve))
        return p11_run(slot, key, operation, whole, 1, (uint8_t *[]){z}, 1, octets);
    return p11_run(slot, key, operation, halves, 2, (uint8_t *[]){z}, 1, octets);
}

static CK_RV derive(p11_session_t *session, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE base,
                    const CK_ATTRIBUTE *templ, CK_ULONG count, p11_secret_t *secret) {
    const CK_ECDH1_DERIVE_PARAMS *params = mechanism->pParameter;
    p11_slot_t *slot = p11_slot(session->slot);
    const p11_mechanism_t *found;
    const uint8_t *point;
    uint8_t z[ECSM_MOST_OCTETS];
    CK_RV rv;
    p11_key_t *key = p11_key_of(session->slot, base, true, &rv);

    if (key == NULL) return rv;
    rv = p11_begin_again(slot);
    if (rv != CKR_OK) return rv;
    found = p11_mechanism(ecsm_link_info(slot->link)->operations, mechanism->mechanism);
    p11_end(slot);
    if (found == NULL || found->flags != CKF_DERIVE) return CKR_MECHANISM_INVALID;
    if (!p11_suits(found, &key->curve)) return CKR_KEY_TYPE_INCONSISTENT;
    if (params == NULL || mechanism->ulParameterLen != sizeof *params ||
        params->kdf != CKD_NULL || params->pSharedData != NULL || params->ulSharedDataLen != 0)
        return CKR_MECHANISM_PARAM_INVALID;
    rv = point_of(key, params, &point);
    if (rv == CKR_OK) rv = read_template(secret, templ, count, key->curve.field_octets);
    if (rv == CKR_OK) rv = product(slot, key, found->operation, point, z);
    if (rv == CKR_OK) /* the first octets are left out (PKCS#11 2.40, mechanisms, 2.3.7) */
        memcpy(secret->value, z + key->curve.field_octets - secret->length, secret->length);
    OPENSSL_cleanse(z, sizeof z);
    return rv;
}

CK_RV C_DeriveKey(CK_SESSION_HANDLE handle, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE base,
                  CK_ATTRIBUTE *templ, CK_ULONG count, CK_OBJECT_HANDLE *made) {
    P11_NEED(mechanism != NULL && (templ != NULL || count == 0) && made != NULL);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);
    p11_secret_t *secret;

    if (session == NULL) return rv;
    secret = calloc(1, sizeof *secret);
    rv = secret == NULL ? CKR_HOST_MEMORY : derive(session, mechanism, base, templ, count, secret);
    if (rv == CKR_OK) {
        secret->session = handle;
        secret->slot = session->slot;
        rv = p11_secret_add(secret, made);
    } else {
        p11_secret_free(secret);
    }
    p11_give(session);
    return rv;
}
