/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets that were derived: they are in this process, and end with their session.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "module.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static p11_secret_t *secrets;
static CK_ULONG made; /* how many there have been */
static size_t count;

/* Handles of keys are below this. */
static const CK_OBJECT_HANDLE first = 2 * ((CK_OBJECT_HANDLE)ECSM_LINKS * P11_KEYS + 1);

void p11_secrets_lock(void) { (void)pthread_mutex_lock(&lock); }

void p11_secrets_unlock(void) { (void)pthread_mutex_unlock(&lock); }

void p11_secret_free(p11_secret_t *secret) {
    if (secret == NULL) return;
    free(secret->label);
    free(secret->id);
    OPENSSL_cleanse(secret, sizeof *secret);
    free(secret);
}

CK_RV p11_secret_add(p11_secret_t *secret, CK_OBJECT_HANDLE *handle) {
    p11_secrets_lock();
    const bool fits = count < P11_SECRETS;
    if (fits) {
        *handle = secret->handle = first + made++;
        secret->next = secrets;
        secrets = secret;
        count++;
    }
    p11_secrets_unlock();
    if (!fits) p11_secret_free(secret);
    return fits ? CKR_OK : CKR_HOST_MEMORY;
}

/* Remove those of a session, or of all if that is 0, or the one of a slot and a handle. */
static size_t take_out(CK_SESSION_HANDLE session, CK_SLOT_ID slot, CK_OBJECT_HANDLE handle) {
    p11_secret_t **at = &secrets;
    size_t removed = 0;

    p11_secrets_lock();
    while (*at != NULL) {
        p11_secret_t *one = *at;
        if (handle != 0 ? one->handle != handle || one->slot != slot
                        : session != 0 && one->session != session) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        p11_secret_free(one);
        count--;
        removed++;
    }
    p11_secrets_unlock();
    return removed;
}

void p11_secrets_forget(CK_SESSION_HANDLE session) { (void)take_out(session, 0, 0); }

CK_RV p11_secret_destroy(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle) {
    return handle != 0 && take_out(0, slot, handle) > 0 ? CKR_OK : CKR_OBJECT_HANDLE_INVALID;
}

size_t p11_secrets_list(CK_SLOT_ID slot, CK_OBJECT_HANDLE *handles, size_t most) {
    size_t found = 0;

    p11_secrets_lock();
    for (const p11_secret_t *one = secrets; one != NULL && found < most; one = one->next)
        if (one->slot == slot) handles[found++] = one->handle;
    p11_secrets_unlock();
    return found;
}

/* Point at the value of an attribute; a number or a truth is put into `number` or `truth`. */
static CK_RV point_at(const p11_secret_t *secret, CK_ATTRIBUTE_TYPE type, CK_ULONG *number,
                      CK_BBOOL *truth, const void **value, size_t *length) {
    *value = truth;
    *length = sizeof *truth;
    *truth = CK_FALSE;
    switch (type) {
    case CKA_SENSITIVE:
        *truth = secret->sensitive;
        return CKR_OK;
    case CKA_EXTRACTABLE:
        *truth = secret->extractable;
        return CKR_OK;
    case CKA_PRIVATE:
        *truth = secret->private;
        return CKR_OK;
    case CKA_DESTROYABLE:
        *truth = CK_TRUE;
        return CKR_OK;
    case CKA_TOKEN:
    case CKA_MODIFIABLE:
    case CKA_COPYABLE:
    case CKA_LOCAL:
    case CKA_ALWAYS_SENSITIVE:
    case CKA_NEVER_EXTRACTABLE:
    case CKA_ENCRYPT:
    case CKA_DECRYPT:
    case CKA_SIGN:
    case CKA_VERIFY:
    case CKA_WRAP:
    case CKA_UNWRAP:
    case CKA_DERIVE:
    case CKA_TRUSTED:
    case CKA_WRAP_WITH_TRUSTED:
        return CKR_OK;
    default:
        break;
    }
    *value = number;
    *length = sizeof *number;
    switch (type) {
    case CKA_CLASS:
        *number = CKO_SECRET_KEY;
        return CKR_OK;
    case CKA_KEY_TYPE:
        *number = secret->type;
        return CKR_OK;
    case CKA_VALUE_LEN:
        *number = secret->length;
        return CKR_OK;
    case CKA_KEY_GEN_MECHANISM:
        *number = CK_UNAVAILABLE_INFORMATION;
        return CKR_OK;
    case CKA_LABEL:
        *value = secret->label;
        *length = secret->label_length;
        return CKR_OK;
    case CKA_ID:
        *value = secret->id;
        *length = secret->id_length;
        return CKR_OK;
    case CKA_START_DATE:
    case CKA_END_DATE:
        *length = 0;
        return CKR_OK;
    case CKA_VALUE:
        *value = secret->value;
        *length = secret->length;
        return secret->sensitive || !secret->extractable ? CKR_ATTRIBUTE_SENSITIVE : CKR_OK;
    default:
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
}

CK_RV p11_secret_value(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle, CK_ATTRIBUTE_TYPE type,
                       uint8_t *room, size_t most, size_t *length) {
    CK_RV rv = CKR_OBJECT_HANDLE_INVALID;
    const void *value = NULL;
    CK_ULONG number;
    CK_BBOOL truth;

    p11_secrets_lock();
    for (const p11_secret_t *one = secrets; one != NULL; one = one->next)
        if (one->handle == handle && one->slot == slot)
            rv = point_at(one, type, &number, &truth, &value, length);
    if (rv == CKR_OK && *length > most) rv = CKR_BUFFER_TOO_SMALL;
    if (rv == CKR_OK && *length > 0) memcpy(room, value, *length);
    p11_secrets_unlock();
    return rv;
}
