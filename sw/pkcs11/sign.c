/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures and their verification. Digests are libcrypto's, the rest is the device's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "module.h"

enum { ED25519_SIGNATURE = 64, MOST_SIGNATURE = 2 * ECSM_MOST_OCTETS };

static size_t signature_length(const p11_operation_t *operation) {
    return operation->mechanism == CKM_EDDSA ? (size_t)ED25519_SIGNATURE
                                             : 2 * operation->key->curve.order_octets;
}

/* Find the mechanism in the device, which may have been changed for another. */
static CK_RV find_mechanism(p11_slot_t *slot, CK_MECHANISM_TYPE type,
                            const p11_mechanism_t **found) {
    const CK_RV rv = p11_begin_again(slot);

    if (rv != CKR_OK) return rv;
    *found = p11_mechanism(ecsm_link_info(slot->link)->operations, type);
    p11_end(slot);
    if (*found == NULL || (*found)->flags != CKF_SIGN) return CKR_MECHANISM_INVALID;
    return CKR_OK;
}

static CK_RV begin(p11_session_t *session, p11_operation_t *operation,
                   const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE handle) {
    const bool verifies = operation == &session->verify;
    const p11_mechanism_t *found;
    CK_RV rv;
    p11_key_t *key = p11_key_of(session->slot, handle, !verifies, &rv);

    if (key == NULL) return rv;
    rv = find_mechanism(p11_slot(session->slot), mechanism->mechanism, &found);
    if (rv != CKR_OK) return rv;
    if (mechanism->pParameter != NULL || mechanism->ulParameterLen != 0)
        return CKR_MECHANISM_PARAM_INVALID; /* Ed25519 with a context is another scheme */
    if (!p11_suits(found, &key->curve)) return CKR_KEY_TYPE_INCONSISTENT;
    if (verifies ? !key->verifies : !key->signs) return CKR_KEY_FUNCTION_NOT_PERMITTED;
    operation->mechanism = mechanism->mechanism;
    operation->key = key;
    if (found->digest == NULL) {
        operation->most = found->type == CKM_EDDSA ? (size_t)ECSM_ED25519_MESSAGE
                                                   : (size_t)ECSM_DIGEST_OCTETS;
        operation->data = malloc(operation->most);
        operation->active = operation->data != NULL;
    } else {
        EVP_MD *md = EVP_MD_fetch(p11_crypto(), found->digest, NULL);
        operation->md = EVP_MD_CTX_new();
        operation->active = md != NULL && operation->md != NULL &&
                            EVP_DigestInit_ex2(operation->md, md, NULL);
        EVP_MD_free(md);
    }
    if (operation->active) return CKR_OK;
    p11_operation_end(operation);
    return CKR_HOST_MEMORY;
}

/* Take a part of the message. */
static CK_RV feed(p11_operation_t *operation, const uint8_t *part, size_t length) {
    if (operation->md != NULL)
        return EVP_DigestUpdate(operation->md, part, length) ? CKR_OK : CKR_FUNCTION_FAILED;
    if (length > operation->most - operation->length) return CKR_DATA_LEN_RANGE;
    if (length > 0) memcpy(operation->data + operation->length, part, length);
    operation->length += length;
    return CKR_OK;
}

/* The digest that is signed, or the message of Ed25519. */
static CK_RV message_of(p11_operation_t *operation, uint8_t digest[EVP_MAX_MD_SIZE],
                        ecsm_string_t *message) {
    unsigned int length = 0;

    *message = (ecsm_string_t){operation->data, operation->length};
    if (operation->md != NULL) {
        if (!EVP_DigestFinal_ex(operation->md, digest, &length)) return CKR_FUNCTION_FAILED;
        *message = (ecsm_string_t){digest, length};
    }
    return operation->mechanism != CKM_EDDSA && message->length == 0 ? CKR_DATA_LEN_RANGE : CKR_OK;
}

/* What the device signs of a digest, and the name of an operation with it. */
static CK_RV fit(p11_slot_t *slot, const p11_key_t *key, ecsm_string_t message,
                 ecsm_digest_t *digest, const char *way, char operation[32]) {
    int fits;
    const CK_RV rv = p11_begin_again(slot);

    if (rv != CKR_OK) return rv;
    fits = ecsm_digest_fit(digest, &key->curve, ecsm_link_info(slot->link)->operations,
                           message.octets, message.length);
    p11_end(slot);
    if (!fits) return CKR_DATA_LEN_RANGE;
    (void)snprintf(operation, 32, "%s-%s", way, digest->hash);
    return CKR_OK;
}

static CK_RV sign(p11_session_t *session, uint8_t *signature) {
    p11_operation_t *operation = &session->sign;
    p11_slot_t *slot = p11_slot(session->slot);
    const size_t octets = operation->key->curve.order_octets;
    uint8_t octets_of_digest[EVP_MAX_MD_SIZE], made[MOST_SIGNATURE];
    ecsm_string_t message;
    ecsm_digest_t digest;
    char name[32];
    CK_RV rv = message_of(operation, octets_of_digest, &message);

    if (rv != CKR_OK) return rv;
    if (operation->mechanism == CKM_EDDSA) {
        rv = p11_run(slot, operation->key, "sign-ed25519", &message, 1, (uint8_t *[]){made}, 1,
                     ED25519_SIGNATURE);
    } else {
        rv = fit(slot, operation->key, message, &digest, "sign", name);
        if (rv != CKR_OK) return rv;
        message = (ecsm_string_t){digest.octets, digest.length};
        rv = p11_run(slot, operation->key, name, &message, 1, (uint8_t *[]){made, made + octets}, 2,
                     octets);
    }
    if (rv == CKR_OK) memcpy(signature, made, signature_length(operation));
    return rv;
}

/* Run a verification: of an answer of the device that finds fault with anything, the signature is
 * the reason. The public key is one that the device has computed. */
static CK_RV run_verify(p11_slot_t *slot, const p11_key_t *key, const char *name,
                        const ecsm_string_t *strings, size_t count) {
    CK_RV rv = p11_begin_again(slot);

    if (rv != CKR_OK) return rv;
    rv = slot->curve.nid != key->curve.nid
             ? CKR_KEY_HANDLE_INVALID
             : p11_run_slot(slot, 0, name, strings, count, NULL, 0, 0);
    p11_end(slot);
    return rv == CKR_MECHANISM_PARAM_INVALID ? CKR_SIGNATURE_INVALID : rv;
}

static CK_RV verify(p11_session_t *session, const uint8_t *signature) {
    p11_operation_t *operation = &session->verify;
    p11_slot_t *slot = p11_slot(session->slot);
    const p11_key_t *key = operation->key;
    const size_t field = key->curve.field_octets, order = key->curve.order_octets;
    uint8_t octets_of_digest[EVP_MAX_MD_SIZE];
    ecsm_string_t message;
    ecsm_digest_t digest;
    char name[32];
    CK_RV rv = message_of(operation, octets_of_digest, &message);

    if (rv != CKR_OK) return rv;
    if (operation->mechanism == CKM_EDDSA) {
        const ecsm_string_t strings[] = {{key->point, key->point_length},
                                         {signature, ED25519_SIGNATURE}, message};
        return run_verify(slot, key, "verify-ed25519", strings, 3);
    }
    rv = fit(slot, key, message, &digest, "verify", name);
    if (rv != CKR_OK) return rv;
    const ecsm_string_t strings[] = {{key->point + 1, field}, {key->point + 1 + field, field},
                                     {digest.octets, digest.length}, {signature, order},
                                     {signature + order, order}};
    return run_verify(slot, key, name, strings, 5);
}

/* ------------------------------------------------------------------ what programs call */

static CK_RV init(CK_SESSION_HANDLE handle, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key,
                  bool verifies) {
    P11_NEED(mechanism != NULL);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    p11_operation_t *operation = verifies ? &session->verify : &session->sign;
    rv = operation->active ? CKR_OPERATION_ACTIVE : begin(session, operation, mechanism, key);
    p11_give(session);
    return rv;
}

static CK_RV update(CK_SESSION_HANDLE handle, const uint8_t *part, size_t length, bool verifies) {
    P11_NEED(part != NULL || length == 0);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    p11_operation_t *operation = verifies ? &session->verify : &session->sign;
    rv = operation->active ? feed(operation, part, length) : CKR_OPERATION_NOT_INITIALIZED;
    operation->parts = true;
    if (rv != CKR_OK) p11_operation_end(operation);
    p11_give(session);
    return rv;
}

/* End a signature: `part` is the message, unless it came in parts. Where the caller asks for the
 * length, or has no room, the operation goes on. */
static CK_RV end_sign(CK_SESSION_HANDLE handle, bool parts, const uint8_t *part, size_t length,
                      uint8_t *signature, CK_ULONG *room) {
    P11_NEED((part != NULL || length == 0) && room != NULL);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    p11_operation_t *operation = &session->sign;
    const CK_ULONG wanted = operation->active ? signature_length(operation) : 0;
    const bool fits = signature != NULL && *room >= wanted;
    if (!operation->active) {
        rv = CKR_OPERATION_NOT_INITIALIZED;
    } else if (!parts && operation->parts) {
        rv = CKR_OPERATION_ACTIVE;
    } else if (!fits) {
        rv = signature == NULL ? CKR_OK : CKR_BUFFER_TOO_SMALL;
        *room = wanted;
    } else {
        rv = feed(operation, part, length);
        if (rv == CKR_OK) rv = sign(session, signature);
        if (rv == CKR_OK) *room = wanted;
        p11_operation_end(operation);
    }
    p11_give(session);
    return rv;
}

static CK_RV end_verify(CK_SESSION_HANDLE handle, bool parts, const uint8_t *part, size_t length,
                        const uint8_t *signature, CK_ULONG signature_octets) {
    P11_NEED((part != NULL || length == 0) && signature != NULL);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    p11_operation_t *operation = &session->verify;
    if (!operation->active) {
        rv = CKR_OPERATION_NOT_INITIALIZED;
    } else if (!parts && operation->parts) {
        rv = CKR_OPERATION_ACTIVE;
    } else {
        rv = feed(operation, part, length);
        if (rv == CKR_OK && signature_octets != signature_length(operation))
            rv = CKR_SIGNATURE_LEN_RANGE;
        if (rv == CKR_OK) rv = verify(session, signature);
        p11_operation_end(operation);
    }
    p11_give(session);
    return rv;
}

CK_RV C_SignInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
    return init(session, mechanism, key, false);
}

CK_RV C_Sign(CK_SESSION_HANDLE session, unsigned char *data, CK_ULONG length,
             unsigned char *signature, CK_ULONG *room) {
    return end_sign(session, false, data, length, signature, room);
}

CK_RV C_SignUpdate(CK_SESSION_HANDLE session, unsigned char *part, CK_ULONG length) {
    return update(session, part, length, false);
}

CK_RV C_SignFinal(CK_SESSION_HANDLE session, unsigned char *signature, CK_ULONG *room) {
    return end_sign(session, true, NULL, 0, signature, room);
}

CK_RV C_VerifyInit(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) {
    return init(session, mechanism, key, true);
}

CK_RV C_Verify(CK_SESSION_HANDLE session, unsigned char *data, CK_ULONG length,
               unsigned char *signature, CK_ULONG signature_octets) {
    return end_verify(session, false, data, length, signature, signature_octets);
}

CK_RV C_VerifyUpdate(CK_SESSION_HANDLE session, unsigned char *part, CK_ULONG length) {
    return update(session, part, length, true);
}

CK_RV C_VerifyFinal(CK_SESSION_HANDLE session, unsigned char *signature,
                    CK_ULONG signature_octets) {
    return end_verify(session, true, NULL, 0, signature, signature_octets);
}
