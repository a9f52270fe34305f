/* SPDX-License-Identifier: Apache-2.0
 *
 * Slots and their tokens: device servers, and the keys that they hold by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

static CK_RV failed(int status) {
    switch (status) {
    case ECSM_GONE:
    case ECSM_STRANGER:
        return CKR_DEVICE_REMOVED;
    case ECSM_UNKNOWN:
        return CKR_MECHANISM_INVALID;
    case ECSM_COORDINATE_OUT_OF_RANGE:
    case ECSM_POINT_NOT_ON_CURVE:
    case ECSM_LOW_ORDER_POINT:
        return CKR_MECHANISM_PARAM_INVALID; /* another's public key, that of a derivation */
    case ECSM_SIGNATURE_INVALID:
    case ECSM_SCALAR_OUT_OF_RANGE: /* r or s: no other scalar is ever given */
        return CKR_SIGNATURE_INVALID;
    case ECSM_BUSY:
        return CKR_DEVICE_MEMORY;
    case ECSM_NO_KEY:
        return CKR_KEY_HANDLE_INVALID;
    default:
        return CKR_DEVICE_ERROR;
    }
}

CK_RV p11_begin(p11_slot_t *slot) {
    const int status = ecsm_link_begin(slot->link);

    if (status != 0) {
        ecsm_link_end(slot->link);
        return status == ECSM_GONE ? CKR_TOKEN_NOT_PRESENT : CKR_TOKEN_NOT_RECOGNIZED;
    }
    if (slot->curve_epoch != ecsm_link_epoch(slot->link)) {
        memset(&slot->curve, 0, sizeof slot->curve);
        ecsm_curve_find(&slot->curve, ecsm_link_info(slot->link)->curve, p11_crypto());
        slot->curve_epoch = ecsm_link_epoch(slot->link);
    }
    return CKR_OK;
}

void p11_end(p11_slot_t *slot) { ecsm_link_end(slot->link); }

CK_RV p11_begin_again(p11_slot_t *slot) {
    return p11_begin(slot) == CKR_OK ? CKR_OK : CKR_DEVICE_REMOVED;
}

CK_RV p11_run_slot(p11_slot_t *slot, unsigned number, const char *operation,
                   const ecsm_string_t *strings, size_t count, uint8_t *const *out, size_t outs,
                   size_t octets) {
    ecsm_frame_t answer;
    const int status = ecsm_link_run(slot->link, operation, number, strings, count, &answer);

    if (status != 0) return failed(status);
    if (answer.count != outs) return CKR_DEVICE_ERROR;
    for (size_t i = 0; i < outs; i++) {
        if (answer.strings[i].length != octets) return CKR_DEVICE_ERROR;
        memcpy(out[i], answer.strings[i].octets, octets);
    }
    return CKR_OK;
}

/* ------------------------------------------------------------------ keys */

/* Ask for the public key of the server's key of a number: 04, x and y, or octets. */
static CK_RV point_of(p11_slot_t *slot, unsigned number, uint8_t point[P11_POINT], size_t *length) {
    const size_t octets = slot->curve.field_octets;

    if (ecsm_curve_is_octets(&slot->curve)) {
        *length = octets;
        return p11_run_slot(slot, number, "public", NULL, 0, (uint8_t *[]){point}, 1, octets);
    }
    point[0] = 0x04;
    *length = 1 + 2 * octets;
    return p11_run_slot(slot, number, "public", NULL, 0,
                        (uint8_t *[]){point + 1, point + 1 + octets}, 2, octets);
}

static bool is_point(const p11_key_t *key, const p11_slot_t *slot, const uint8_t *point,
                     size_t length) {
    return key->curve.nid == slot->curve.nid && key->point_length == length &&
           memcmp(key->point, point, length) == 0;
}

CK_RV p11_find(p11_slot_t *slot, p11_key_t *key, unsigned *number) {
    const int found = ecsm_link_find(ecsm_link_info(slot->link)->keys, key->name);
    uint8_t point[P11_POINT];
    size_t length;
    CK_RV rv;

    if (found < 0) return CKR_KEY_HANDLE_INVALID;
    *number = ECSM_FRAME_HANDLES + (unsigned)found;
    if (key->epoch == ecsm_link_epoch(slot->link)) return CKR_OK;
    if (slot->curve.nid != key->curve.nid) return CKR_KEY_HANDLE_INVALID;
    rv = point_of(slot, *number, point, &length);
    if (rv == CKR_OK && !is_point(key, slot, point, length)) rv = CKR_KEY_HANDLE_INVALID;
    if (rv == CKR_OK) key->epoch = ecsm_link_epoch(slot->link);
    return rv;
}

CK_RV p11_run(p11_slot_t *slot, p11_key_t *key, const char *operation,
              const ecsm_string_t *strings, size_t count, uint8_t *const *out, size_t outs,
              size_t octets) {
    unsigned number;
    CK_RV rv = p11_begin_again(slot);

    if (rv != CKR_OK) return rv;
    rv = p11_find(slot, key, &number);
    if (rv == CKR_OK)
        rv = p11_run_slot(slot, number, operation, strings, count, out, outs, octets);
    p11_end(slot);
    return rv;
}

/* Add a key that was not seen before. */
static CK_RV add(p11_slot_t *slot, const char *name, size_t name_length, const uint8_t *point,
                 size_t length) {
    const size_t count = slot->count;
    const char *operations = ecsm_link_info(slot->link)->operations;
    const CK_FLAGS flags = p11_flags(operations, &slot->curve);
    p11_key_t *key = count < P11_KEYS ? calloc(1, sizeof *key) : NULL;
    size_t id = P11_ID;

    if (key == NULL) return CKR_HOST_MEMORY;
    key->curve = slot->curve;
    memcpy(key->point, point, length);
    key->point_length = length;
    key->signs = (flags & CKF_SIGN) != 0;
    key->verifies = (flags & CKF_VERIFY) != 0;
    key->derives = (flags & CKF_DERIVE) != 0;
    key->epoch = ecsm_link_epoch(slot->link);
    if (!EVP_Q_digest(p11_crypto(), "SHA1", NULL, point, length, key->id, &id) ||
        (key->name = strndup(name, name_length)) == NULL) {
        free(key);
        return CKR_HOST_MEMORY;
    }
    slot->keys[count] = key;
    slot->count = count + 1;
    return CKR_OK;
}

/* Learn the key of a number: the same as one that was seen, or another. */
static CK_RV learn(p11_slot_t *slot, unsigned number, const char *name, size_t name_length) {
    uint8_t point[P11_POINT];
    size_t length;
    const CK_RV rv = point_of(slot, number, point, &length);

    if (rv != CKR_OK) return rv;
    for (size_t i = 0; i < slot->count; i++) {
        p11_key_t *key = slot->keys[i];
        if (strlen(key->name) == name_length && memcmp(key->name, name, name_length) == 0 &&
            is_point(key, slot, point, length)) {
            key->epoch = ecsm_link_epoch(slot->link);
            return CKR_OK;
        }
    }
    return add(slot, name, name_length, point, length);
}

CK_RV p11_learn(p11_slot_t *slot) {
    const unsigned epoch = ecsm_link_epoch(slot->link);
    const char *name = ecsm_link_info(slot->link)->keys;
    unsigned number = ECSM_FRAME_HANDLES;
    CK_RV rv = CKR_OK;

    if (slot->keys_epoch == epoch || slot->curve.nid == 0) return CKR_OK;
    while (rv == CKR_OK && *name != 0) {
        const size_t length = strcspn(name, " ");
        rv = learn(slot, number++, name, length);
        name += length;
        name += strspn(name, " ");
    }
    if (rv == CKR_OK) slot->keys_epoch = epoch;
    return rv;
}

void p11_slot_free(p11_slot_t *slot) {
    for (size_t i = 0; i < slot->count; i++) {
        free(slot->keys[i]->name);
        free(slot->keys[i]);
    }
    ecsm_link_free(slot->link);
}

/* ------------------------------------------------------------------ what is said of them */

/* Whether there is a server; one that is no token is there, too. */
static bool is_there(p11_slot_t *slot) {
    const CK_RV rv = p11_begin(slot);

    if (rv == CKR_OK) p11_end(slot);
    return rv != CKR_TOKEN_NOT_PRESENT;
}

CK_RV C_GetSlotList(CK_BBOOL present, CK_SLOT_ID *list, CK_ULONG *count) {
    P11_NEED(count != NULL);
    CK_SLOT_ID found[ECSM_LINKS];
    CK_ULONG number = 0;

    for (CK_SLOT_ID i = 0; i < p11_slots(); i++)
        if (!present || is_there(p11_slot(i))) found[number++] = i;
    const bool fits = list == NULL || *count >= number;
    if (list != NULL && fits) memcpy(list, found, number * sizeof *found);
    *count = number;
    return fits ? CKR_OK : CKR_BUFFER_TOO_SMALL;
}

CK_RV C_GetSlotInfo(CK_SLOT_ID id, CK_SLOT_INFO *info) {
    P11_NEED(info != NULL);
    p11_slot_t *slot = p11_slot(id);

    if (slot == NULL) return CKR_SLOT_ID_INVALID;
    memset(info, 0, sizeof *info);
    const char *path = ecsm_link_path(slot->link);
    const size_t length = strlen(path), room = sizeof info->slotDescription;
    /* Of one that is too long, the end says more. */
    p11_text(info->slotDescription, room, length > room ? path + length - room : path);
    p11_text(info->manufacturerID, sizeof info->manufacturerID, "ECSM");
    info->flags = CKF_REMOVABLE_DEVICE | (is_there(slot) ? CKF_TOKEN_PRESENT : 0);
    return CKR_OK;
}

/* A number that this socket has each time. */
static void serial_of(const p11_slot_t *slot, unsigned char serial[16]) {
    const char *path = ecsm_link_path(slot->link);
    uint8_t digest[32] = {0};
    size_t length = sizeof digest;
    char text[17];

    (void)EVP_Q_digest(p11_crypto(), "SHA256", NULL, path, strlen(path), digest, &length);
    for (size_t i = 0; i < 8; i++) (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    memcpy(serial, text, 16);
}

CK_RV C_GetTokenInfo(CK_SLOT_ID id, CK_TOKEN_INFO *info) {
    P11_NEED(info != NULL);
    p11_slot_t *slot = p11_slot(id);

    if (slot == NULL) return CKR_SLOT_ID_INVALID;
    const CK_RV rv = p11_begin(slot);
    if (rv != CKR_OK) return rv;
    memset(info, 0, sizeof *info);
    p11_text(info->label, sizeof info->label, ecsm_link_info(slot->link)->preset);
    p11_text(info->manufacturerID, sizeof info->manufacturerID, "ECSM");
    p11_text(info->model, sizeof info->model, ecsm_link_info(slot->link)->curve);
    p11_end(slot);
    serial_of(slot, info->serialNumber);
    p11_text(info->utcTime, sizeof info->utcTime, "");
    info->flags = CKF_TOKEN_INITIALIZED;
    p11_count_sessions(id, info);
    info->ulMaxSessionCount = info->ulMaxRwSessionCount = P11_SESSIONS;
    info->ulTotalPublicMemory = info->ulFreePublicMemory = CK_UNAVAILABLE_INFORMATION;
    info->ulTotalPrivateMemory = info->ulFreePrivateMemory = CK_UNAVAILABLE_INFORMATION;
    return CKR_OK;
}

CK_RV C_WaitForSlotEvent(CK_FLAGS flags, CK_SLOT_ID *slot, void *reserved) {
    P11_NEED(slot != NULL && reserved == NULL);
    return flags & CKF_DONT_BLOCK ? CKR_NO_EVENT : CKR_FUNCTION_NOT_SUPPORTED;
}
