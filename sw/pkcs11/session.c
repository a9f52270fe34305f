/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions. A handle has a place in the table, and how often that place was used before.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "module.h"

/* `turn` is held by the function that uses the session. A place's session is made when it is used
 * first. */
typedef struct {
    pthread_mutex_t turn;
    CK_ULONG uses;
    p11_session_t *session; /* NULL: no session is open */
} place_t;

static place_t places[P11_SESSIONS] = {
    [0 ... P11_SESSIONS - 1] = {.turn = PTHREAD_MUTEX_INITIALIZER},
};

void p11_sessions_drop(void) {
    for (size_t i = 0; i < P11_SESSIONS; i++) {
        places[i].session = NULL; /* another thread of the parent's may have been at work on it */
        (void)pthread_mutex_init(&places[i].turn, NULL);
    }
}

static size_t index_of(CK_SESSION_HANDLE handle) { return handle % P11_SESSIONS; }

p11_session_t *p11_take(CK_SESSION_HANDLE handle, CK_RV *rv) {
    place_t *place = &places[index_of(handle)];

    *rv = CKR_SESSION_HANDLE_INVALID;
    (void)pthread_mutex_lock(&place->turn);
    if (place->session != NULL && place->session->handle == handle) {
        *rv = CKR_OK;
        return place->session;
    }
    (void)pthread_mutex_unlock(&place->turn);
    return NULL;
}

void p11_give(p11_session_t *session) {
    (void)pthread_mutex_unlock(&places[index_of(session->handle)].turn);
}

void p11_operation_end(p11_operation_t *operation) {
    EVP_MD_CTX_free(operation->md);
    if (operation->data != NULL) OPENSSL_cleanse(operation->data, operation->most);
    free(operation->data);
    memset(operation, 0, sizeof *operation);
}

/* Close the session of a place, whose turn is ours. */
static void close_it(place_t *place) {
    p11_session_t *session = place->session;

    p11_operation_end(&session->sign);
    p11_operation_end(&session->verify);
    p11_secrets_forget(session->handle);
    free(session->found);
    free(session);
    place->session = NULL;
}

static CK_RV open_it(place_t *place, CK_SLOT_ID slot, CK_FLAGS flags, CK_SESSION_HANDLE *handle) {
    p11_session_t *session = calloc(1, sizeof *session);

    if (session == NULL) return CKR_HOST_MEMORY;
    session->slot = slot;
    session->flags = flags;
    session->handle = ++place->uses * P11_SESSIONS + (CK_ULONG)(place - places);
    place->session = session;
    *handle = session->handle;
    return CKR_OK;
}

CK_RV C_OpenSession(CK_SLOT_ID id, CK_FLAGS flags, void *application, CK_NOTIFY notify,
                    CK_SESSION_HANDLE *handle) {
    P11_NEED(handle != NULL);
    p11_slot_t *slot = p11_slot(id);
    CK_RV rv;

    (void)application;
    (void)notify; /* nothing is ever told */
    if (slot == NULL) return CKR_SLOT_ID_INVALID;
    if ((flags & CKF_SERIAL_SESSION) == 0) return CKR_SESSION_PARALLEL_NOT_SUPPORTED;
    rv = p11_begin(slot);
    if (rv != CKR_OK) return rv;
    p11_end(slot);
    for (size_t i = 0; i < P11_SESSIONS; i++) {
        if (pthread_mutex_trylock(&places[i].turn) != 0) continue; /* one is open there */
        const bool unused = places[i].session == NULL;
        rv = unused ? open_it(&places[i], id, flags, handle) : CKR_OK;
        (void)pthread_mutex_unlock(&places[i].turn);
        if (unused) return rv;
    }
    return CKR_SESSION_COUNT;
}

CK_RV C_CloseSession(CK_SESSION_HANDLE handle) {
    P11_NEED(true);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    place_t *place = &places[index_of(handle)];
    close_it(place);
    (void)pthread_mutex_unlock(&place->turn);
    return CKR_OK;
}

void p11_sessions_close(CK_SLOT_ID slot) {
    for (size_t i = 0; i < P11_SESSIONS; i++) {
        (void)pthread_mutex_lock(&places[i].turn);
        if (places[i].session != NULL && places[i].session->slot == slot) close_it(&places[i]);
        (void)pthread_mutex_unlock(&places[i].turn);
    }
}

CK_RV C_CloseAllSessions(CK_SLOT_ID slot) {
    P11_NEED(true);
    if (p11_slot(slot) == NULL) return CKR_SLOT_ID_INVALID;
    p11_sessions_close(slot);
    return CKR_OK;
}

void p11_count_sessions(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    for (size_t i = 0; i < P11_SESSIONS; i++) {
        (void)pthread_mutex_lock(&places[i].turn);
        const p11_session_t *session = places[i].session;
        if (session != NULL && session->slot == slot) {
            info->ulSessionCount++;
            info->ulRwSessionCount += (session->flags & CKF_RW_SESSION) != 0;
        }
        (void)pthread_mutex_unlock(&places[i].turn);
    }
}

CK_RV C_GetSessionInfo(CK_SESSION_HANDLE handle, CK_SESSION_INFO *info) {
    P11_NEED(info != NULL);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    info->slotID = session->slot;
    info->flags = session->flags & (CKF_RW_SESSION | CKF_SERIAL_SESSION);
    info->state = session->flags & CKF_RW_SESSION ? CKS_RW_PUBLIC_SESSION : CKS_RO_PUBLIC_SESSION;
    info->ulDeviceError = 0;
    p11_give(session);
    return CKR_OK;
}

/* Who may use a server's keys is said by its socket. There is no PIN. */
CK_RV C_Login(CK_SESSION_HANDLE handle, CK_USER_TYPE user, unsigned char *pin, CK_ULONG length) {
    P11_NEED(pin != NULL || length == 0);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    p11_give(session);
    return user == CKU_USER || user == CKU_SO ? CKR_USER_PIN_NOT_INITIALIZED
                                              : CKR_USER_TYPE_INVALID;
}

CK_RV C_Logout(CK_SESSION_HANDLE handle) {
    P11_NEED(true);
    CK_RV rv;
    p11_session_t *session = p11_take(handle, &rv);

    if (session == NULL) return rv;
    p11_give(session);
    return CKR_USER_NOT_LOGGED_IN;
}
