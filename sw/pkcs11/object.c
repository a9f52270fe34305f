/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: each key of the server's is two, a private and a public one; and secrets. The handle of
 * a key's object has its slot, its number there and which of the two it is.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/asn1.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#include "module.h"

#ifndef CKK_EC_MONTGOMERY
#define CKK_EC_MONTGOMERY 0x41UL /* of PKCS#11 3.0 */
#endif

static CK_OBJECT_HANDLE handle_of(CK_SLOT_ID slot, size_t number, bool private) {
    return 2 * (slot * P11_KEYS + number + 1) + private;
}

/* The key of a handle, and which object it is; NULL if there is none. */
static p11_key_t *look(CK_SLOT_ID id, CK_OBJECT_HANDLE handle, bool *private) {
    const CK_OBJECT_HANDLE place = handle / 2 - 1 - id * P11_KEYS;
    const p11_slot_t *slot = p11_slot(id);

    *private = handle % 2 != 0;
    return handle < 2 || place >= slot->count ? NULL : slot->keys[place];
}

p11_key_t *p11_key_of(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle, bool private, CK_RV *rv) {
    bool is_private;
    p11_key_t *key = look(slot, handle, &is_private);

    *rv = key == NULL               ? CKR_KEY_HANDLE_INVALID
          : is_private != private ? CKR_KEY_FUNCTION_NOT_PERMITTED
                                  : CKR_OK;
    return *rv == CKR_OK ? key : NULL;
}

/* ------------------------------------------------------------------ attributes */

static CK_RV give(const void *from, size_t length, uint8_t *room, size_t most, size_t *is) {
    *is = length;
    if (length > most) return CKR_BUFFER_TOO_SMALL;
    if (length > 0) memcpy(room, from, length);
    return CKR_OK;
}

static CK_RV give_number(CK_ULONG number, uint8_t *room, size_t most, size_t *is) {
    return give(&number, sizeof number, room, most, is);
}

static CK_RV give_bool(bool value, uint8_t *room, size_t most, size_t *is) {
    const CK_BBOOL octet = value;

    return give(&octet, sizeof octet, room, most, is);
}

/* Hand out DER that libcrypto has made, and free it. */
static CK_RV give_der(unsigned char *der, int length, uint8_t *room, size_t most, size_t *is) {
    CK_RV rv = CKR_HOST_MEMORY;

    if (length > 0) rv = give(der, (size_t)length, room, most, is);
    OPENSSL_free(der);
    return rv;
}

/* The point as an OCTET STRING. */
static CK_RV give_point(const p11_key_t *key, uint8_t *room, size_t most, size_t *is) {
    ASN1_OCTET_STRING *string = ASN1_OCTET_STRING_new();
    unsigned char *der = NULL;
    int length = 0;

    if (string != NULL && ASN1_OCTET_STRING_set(string, key->point, (int)key->point_length))
        length = i2d_ASN1_OCTET_STRING(string, &der);
    ASN1_OCTET_STRING_free(string);
    return give_der(der, length, room, most, is);
}

static CK_RV give_curve(const p11_key_t *key, uint8_t *room, size_t most, size_t *is) {
    unsigned char *der = NULL;
    const int length = i2d_ASN1_OBJECT(OBJ_nid2obj(key->curve.nid), &der);

    return give_der(der, length, room, most, is);
}

/* The key as certificates have it: SubjectPublicKeyInfo. */
static CK_RV give_info(const p11_key_t *key, uint8_t *room, size_t most, size_t *is) {
    const bool octets = ecsm_curve_is_octets(&key->curve);
    ASN1_OBJECT *curve = OBJ_nid2obj(key->curve.nid);
    ASN1_OBJECT *algorithm = octets ? curve : OBJ_nid2obj(NID_X9_62_id_ecPublicKey);
    X509_PUBKEY *public = X509_PUBKEY_new();
    unsigned char *der = NULL, *point = OPENSSL_memdup(key->point, key->point_length);
    int length = 0;

    if (public != NULL && point != NULL &&
        X509_PUBKEY_set0_param(public, algorithm, octets ? V_ASN1_UNDEF : V_ASN1_OBJECT,
                               octets ? NULL : curve, point, (int)key->point_length)) {
        point = NULL; /* it is taken over */
        length = i2d_X509_PUBKEY(public, &der);
    }
    OPENSSL_free(point);
    X509_PUBKEY_free(public);
    return give_der(der, length, room, most, is);
}

static CK_KEY_TYPE type_of(const p11_key_t *key) {
    if (key->curve.nid == NID_X25519) return CKK_EC_MONTGOMERY;
    return key->curve.nid == NID_ED25519 ? CKK_EC_EDWARDS : CKK_EC;
}

/* What both objects of a key have. CKR_ATTRIBUTE_TYPE_INVALID: they have it not. */
static CK_RV common(const p11_key_t *key, CK_ATTRIBUTE_TYPE type, uint8_t *room, size_t most,
                    size_t *is) {
    switch (type) {
    case CKA_TOKEN:
        return give_bool(true, room, most, is);
    case CKA_PRIVATE: /* who may connect to the server may use its keys: there is no login */
    case CKA_MODIFIABLE:
    case CKA_COPYABLE:
    case CKA_DESTROYABLE:
    case CKA_LOCAL:
        return give_bool(false, room, most, is);
    case CKA_LABEL:
        return give(key->name, strlen(key->name), room, most, is);
    case CKA_ID:
        return give(key->id, sizeof key->id, room, most, is);
    case CKA_KEY_TYPE:
        return give_number(type_of(key), room, most, is);
    case CKA_KEY_GEN_MECHANISM:
        return give_number(CK_UNAVAILABLE_INFORMATION, room, most, is);
    case CKA_SUBJECT:
    case CKA_START_DATE:
    case CKA_END_DATE:
        return give("", 0, room, most, is);
    case CKA_EC_PARAMS:
        return give_curve(key, room, most, is);
    case CKA_PUBLIC_KEY_INFO:
        return give_info(key, room, most, is);
    default:
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
}

static CK_RV of_public(const p11_key_t *key, CK_ATTRIBUTE_TYPE type, uint8_t *room, size_t most,
                       size_t *is) {
    switch (type) {
    case CKA_CLASS:
        return give_number(CKO_PUBLIC_KEY, room, most, is);
    case CKA_EC_POINT:
        return give_point(key, room, most, is);
    case CKA_VERIFY:
        return give_bool(key->verifies, room, most, is);
    case CKA_ENCRYPT:
    case CKA_VERIFY_RECOVER:
    case CKA_WRAP:
    case CKA_TRUSTED:
    case CKA_DERIVE:
        return give_bool(false, room, most, is);
    default:
        return common(key, type, room, most, is);
    }
}

/* The server has its keys from files: of what they were before nothing is promised. */
static CK_RV of_private(const p11_key_t *key, CK_ATTRIBUTE_TYPE type, uint8_t *room, size_t most,
                        size_t *is) {
    switch (type) {
    case CKA_CLASS:
        return give_number(CKO_PRIVATE_KEY, room, most, is);
    case CKA_VALUE:
        return CKR_ATTRIBUTE_SENSITIVE;
    case CKA_SENSITIVE:
        return give_bool(true, room, most, is);
    case CKA_SIGN:
        return give_bool(key->signs, room, most, is);
    case CKA_DERIVE:
        return give_bool(key->derives, room, most, is);
    case CKA_EXTRACTABLE:
    case CKA_ALWAYS_SENSITIVE:
    case CKA_NEVER_EXTRACTABLE:
    case CKA_DECRYPT:
    case CKA_SIGN_RECOVER:
    case CKA_UNWRAP:
    case CKA_WRAP_WITH_TRUSTED:
    case CKA_ALWAYS_AUTHENTICATE:
        return give_bool(false, room, most, is);
    default:
        return common(key, type, room, most, is);
    }
}

/* The value of an attribute, in `room` if it has place there. */
static CK_RV value_of(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle, CK_ATTRIBUTE_TYPE type,
                      uint8_t *room, size_t most, size_t *is) {
    bool private;
    const p11_key_t *key = look(slot, handle, &private);

    if (key == NULL) return p11_secret_value(slot, handle, type, room, most, is);
    return (private ? of_private : of_public)(key, type, room, most, is);
}

CK_RV C_GetAttributeValue(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE object,
                          CK_ATTRIBUTE *templ, CK_ULONG count) {
    P11_NEED(templ != NULL || count == 0);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    for (CK_ULONG i = 0; i < count && rv != CKR_OBJECT_HANDLE_INVALID; i++) {
        uint8_t none;
        size_t is = 0;
        CK_ATTRIBUTE *one = &templ[i];
        const bool asks = one->pValue == NULL; /* for the length alone */
        CK_RV found = value_of(session->slot, object, one->type, asks ? &none : one->pValue,
                               asks ? 0 : one->ulValueLen, &is);
        if (asks && found == CKR_BUFFER_TOO_SMALL) found = CKR_OK;
        if (found != CKR_OK) rv = found;
        if (found != CKR_OBJECT_HANDLE_INVALID)
            one->ulValueLen = found == CKR_OK ? is : CK_UNAVAILABLE_INFORMATION;
    }
    p11_give(session);
    return rv;
}

CK_RV C_DestroyObject(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE object) {
    P11_NEED(true);
    CK_RV rv;
    bool private;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    rv = look(session->slot, object, &private) == NULL ? p11_secret_destroy(session->slot, object)
                                                       : CKR_ACTION_PROHIBITED;
    p11_give(session);
    return rv;
}

/* ------------------------------------------------------------------ search */

static bool matches(CK_SLOT_ID slot, CK_OBJECT_HANDLE object, const CK_ATTRIBUTE *templ,
                    CK_ULONG count) {
    for (CK_ULONG i = 0; i < count; i++) {
        uint8_t room[P11_NAME];
        size_t is = 0;
        if (templ[i].ulValueLen > sizeof room ||
            value_of(slot, object, templ[i].type, room, sizeof room, &is) != CKR_OK ||
            is != templ[i].ulValueLen || (is > 0 && memcmp(room, templ[i].pValue, is) != 0))
            return false;
    }
    return true;
}

/* Find what matches among the keys that the server has now, and among the secrets. */
static CK_RV search(p11_session_t *session, const CK_ATTRIBUTE *templ, CK_ULONG count) {
    p11_slot_t *slot = p11_slot(session->slot);
    CK_OBJECT_HANDLE secrets[P11_SECRETS];
    const size_t derived = p11_secrets_list(session->slot, secrets, P11_SECRETS);
    CK_RV rv = p11_begin_again(slot);

    if (rv != CKR_OK) return rv;
    rv = p11_learn(slot);
    const size_t keys = slot->count;
    const unsigned epoch = slot->keys_epoch;
    p11_end(slot);
    if (rv != CKR_OK) return rv;
    session->found = malloc((2 * keys + derived + 1) * sizeof *session->found);
    if (session->found == NULL) return CKR_HOST_MEMORY;
    session->found_count = session->found_next = 0;
    for (size_t i = 0; i < 2 * keys + derived; i++) {
        if (i < 2 * keys && slot->keys[i / 2]->epoch != epoch) continue; /* another key by now */
        const CK_OBJECT_HANDLE one = i < 2 * keys
                                         ? handle_of(session->slot, i / 2, i % 2 == 0)
                                         : secrets[i - 2 * keys];
        if (matches(session->slot, one, templ, count)) session->found[session->found_count++] = one;
    }
    session->finds = true;
    return CKR_OK;
}

CK_RV C_FindObjectsInit(CK_SESSION_HANDLE handle, CK_ATTRIBUTE *templ, CK_ULONG count) {
    P11_NEED(templ != NULL || count == 0);
    for (CK_ULONG i = 0; i < count; i++)
        if (templ[i].pValue == NULL && templ[i].ulValueLen != 0) return CKR_ATTRIBUTE_VALUE_INVALID;
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    rv = session->finds ? CKR_OPERATION_ACTIVE : search(session, templ, count);
    p11_give(session);
    return rv;
}

CK_RV C_FindObjects(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE *objects, CK_ULONG most,
                    CK_ULONG *count) {
    P11_NEED((objects != NULL || most == 0) && count != NULL);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    if (!session->finds) {
        rv = CKR_OPERATION_NOT_INITIALIZED;
    } else {
        const size_t left = session->found_count - session->found_next;
        *count = most < left ? most : left;
        for (CK_ULONG i = 0; i < *count; i++) objects[i] = session->found[session->found_next++];
    }
    p11_give(session);
    return rv;
}

CK_RV C_FindObjectsFinal(CK_SESSION_HANDLE handle) {
    P11_NEED(true);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    if (!session->finds) rv = CKR_OPERATION_NOT_INITIALIZED;
    free(session->found);
    session->found = NULL;
    session->finds = false;
    p11_give(session);
    return rv;
}
