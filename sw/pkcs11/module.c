/* SPDX-License-Identifier: Apache-2.0
 *
 * The module itself: its beginning and its end, and the list of its functions.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module.h"

#define SOCKET "ECSM_SOCKET"
#define GROUP "ECSM_GROUP"

/* `lock` is held while the module begins or ends, and while a child process is made. Links are
 * neither made nor freed meanwhile: they have a lock of their own, under which a child is made, too.
 * A child has the memory of its parent, but has to begin anew (PKCS#11, 5.4): what is left of the
 * parent's is forgotten then. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Functions that run hold it together; the end of the module waits for them, alone. */
static pthread_rwlock_t calls = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool on;
static bool inherited;
static OSSL_LIB_CTX *crypto;
static p11_slot_t *slots;
static size_t slot_count;

OSSL_LIB_CTX *p11_crypto(void) { return crypto; }

bool p11_enter(void) {
    (void)pthread_rwlock_rdlock(&calls);
    return on;
}

void p11_leave(const bool *entered) {
    (void)entered;
    (void)pthread_rwlock_unlock(&calls);
}

size_t p11_slots(void) { return slot_count; }

p11_slot_t *p11_slot(CK_SLOT_ID slot) { return slot < slot_count ? &slots[slot] : NULL; }

static void before_fork(void) {
    (void)pthread_mutex_lock(&lock);
    p11_secrets_lock();
}

static void in_parent(void) {
    p11_secrets_unlock();
    (void)pthread_mutex_unlock(&lock);
}

static void in_child(void) {
    inherited = inherited || on;
    on = false;
    (void)pthread_rwlock_init(&calls, NULL); /* other threads are not in the child */
    in_parent();
}

static void watch_forks(void) { (void)pthread_atfork(before_fork, in_parent, in_child); }

static void free_slots(p11_slot_t *these, size_t count) {
    for (size_t i = 0; i < count; i++) p11_slot_free(&these[i]);
    free(these);
}

/* Make a slot for each server. The environment of a program with more rights than its user is not
 * asked. */
static CK_RV make_slots(p11_slot_t **made, size_t *number) {
    const char *paths = secure_getenv(SOCKET), *group = secure_getenv(GROUP);
    ecsm_link_t *links[ECSM_LINKS];
    const int count = paths == NULL ? 0 : ecsm_links_new(paths, group == NULL ? "" : group, links);

    if (count < 0) return CKR_GENERAL_ERROR;
    *number = (size_t)count;
    *made = count == 0 ? NULL : calloc((size_t)count, sizeof **made);
    for (int i = 0; i < count; i++) {
        if (*made == NULL)
            ecsm_link_free(links[i]);
        else
            (*made)[i].link = links[i];
    }
    return count > 0 && *made == NULL ? CKR_HOST_MEMORY : CKR_OK;
}

static CK_RV check(const CK_C_INITIALIZE_ARGS *args) {
    if (args == NULL) return CKR_OK;
    const int given = (args->CreateMutex != NULL) + (args->DestroyMutex != NULL) +
                      (args->LockMutex != NULL) + (args->UnlockMutex != NULL);
    if (args->pReserved != NULL || (given != 0 && given != 4)) return CKR_ARGUMENTS_BAD;
    /* The locks are the system's, and a program's own cannot stand for them. */
    return given != 0 && (args->flags & CKF_OS_LOCKING_OK) == 0 ? CKR_CANT_LOCK : CKR_OK;
}

/* Begin with these slots; those of a parent are handed out for them. */
static CK_RV begin(p11_slot_t **these, size_t *count) {
    p11_slot_t *const before = slots;
    const size_t count_before = slot_count;

    if (on) return CKR_CRYPTOKI_ALREADY_INITIALIZED;
    if (crypto == NULL && (crypto = OSSL_LIB_CTX_new()) == NULL) return CKR_HOST_MEMORY;
    if (inherited) {
        p11_sessions_drop();
        p11_secrets_forget(0);
        inherited = false;
    }
    slots = *these;
    slot_count = *count;
    *these = before;
    *count = count_before;
    on = true;
    return CKR_OK;
}

CK_RV C_Initialize(void *args) {
    p11_slot_t *these;
    size_t count;
    CK_RV rv = check(args);

    if (rv == CKR_OK) rv = make_slots(&these, &count);
    if (rv != CKR_OK) return rv;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&lock);
    rv = begin(&these, &count);
    (void)pthread_mutex_unlock(&lock);
    free_slots(these, count);
    return rv;
}

CK_RV C_Finalize(void *reserved) {
    p11_slot_t *these = NULL;
    size_t count = 0;
    CK_RV rv = CKR_CRYPTOKI_NOT_INITIALIZED;

    if (on && reserved != NULL) return CKR_ARGUMENTS_BAD;
    (void)pthread_mutex_lock(&lock);
    if (on) {
        on = false; /* who begins now goes at once, so that the wait ends */
        (void)pthread_rwlock_wrlock(&calls);
        for (CK_SLOT_ID i = 0; i < slot_count; i++) p11_sessions_close(i);
        p11_secrets_forget(0);
        these = slots;
        count = slot_count;
        slots = NULL;
        slot_count = 0;
        OSSL_LIB_CTX_free(crypto);
        crypto = NULL;
        (void)pthread_rwlock_unlock(&calls);
        rv = CKR_OK;
    }
    (void)pthread_mutex_unlock(&lock);
    free_slots(these, count);
    return rv;
}

CK_RV C_GetInfo(CK_INFO *info) {
    P11_NEED(info != NULL);
    memset(info, 0, sizeof *info);
    info->cryptokiVersion = (CK_VERSION){2, 40};
    p11_text(info->manufacturerID, sizeof info->manufacturerID, "ECSM");
    p11_text(info->libraryDescription, sizeof info->libraryDescription, "keys of ecsm serve");
    info->libraryVersion = (CK_VERSION){0, 1};
    return CKR_OK;
}

void p11_text(unsigned char *to, size_t room, const char *text) {
    const size_t length = strlen(text);

    memset(to, ' ', room);
    memcpy(to, text, length < room ? length : room);
}

/* ------------------------------------------------------------------ what is not done */

#define NOT_DONE(name, arguments) \
    static CK_RV name arguments { return CKR_FUNCTION_NOT_SUPPORTED; }
#define SESSION __attribute__((unused)) CK_SESSION_HANDLE s
#define IN(n) __attribute__((unused)) unsigned char *i##n, __attribute__((unused)) CK_ULONG l##n
#define OUT __attribute__((unused)) unsigned char *o, __attribute__((unused)) CK_ULONG *ol
#define OBJECT(n) __attribute__((unused)) CK_OBJECT_HANDLE h##n
#define HANDLE __attribute__((unused)) CK_OBJECT_HANDLE *made
#define MECHANISM __attribute__((unused)) CK_MECHANISM *m
#define TEMPLATE(n) \
    __attribute__((unused)) CK_ATTRIBUTE *t##n, __attribute__((unused)) CK_ULONG c##n

NOT_DONE(init_token, (__attribute__((unused)) CK_SLOT_ID slot, IN(1),
                      __attribute__((unused)) unsigned char *label))
NOT_DONE(init_pin, (SESSION, IN(1)))
NOT_DONE(set_pin, (SESSION, IN(1), IN(2)))
NOT_DONE(get_state, (SESSION, OUT))
NOT_DONE(set_state, (SESSION, IN(1), OBJECT(1), OBJECT(2)))
NOT_DONE(create, (SESSION, TEMPLATE(1), HANDLE))
NOT_DONE(copy, (SESSION, OBJECT(1), TEMPLATE(1), HANDLE))
NOT_DONE(size_of, (SESSION, OBJECT(1), __attribute__((unused)) CK_ULONG *size))
NOT_DONE(set_attributes, (SESSION, OBJECT(1), TEMPLATE(1)))
NOT_DONE(init, (SESSION, MECHANISM, OBJECT(1)))
NOT_DONE(digest_init, (SESSION, MECHANISM))
NOT_DONE(digest_key, (SESSION, OBJECT(1)))
NOT_DONE(convert, (SESSION, IN(1), OUT))
NOT_DONE(update, (SESSION, IN(1)))
NOT_DONE(final, (SESSION, OUT))
NOT_DONE(generate, (SESSION, MECHANISM, TEMPLATE(1), HANDLE))
NOT_DONE(generate_pair, (SESSION, MECHANISM, TEMPLATE(1), TEMPLATE(2), HANDLE,
                         __attribute__((unused)) CK_OBJECT_HANDLE *other))
NOT_DONE(wrap, (SESSION, MECHANISM, OBJECT(1), OBJECT(2), OUT))
NOT_DONE(unwrap, (SESSION, MECHANISM, OBJECT(1), IN(1), TEMPLATE(1), HANDLE))

static CK_RV no_random(SESSION, IN(1)) {
    P11_NEED(true);
    return CKR_RANDOM_NO_RNG;
}

/* No function of this module runs on after it has returned (PKCS#11, 5.20). */
static CK_RV not_parallel(SESSION) { return CKR_FUNCTION_NOT_PARALLEL; }

static CK_FUNCTION_LIST functions = {
    .version = {2, 40},
    .C_Initialize = C_Initialize,
    .C_Finalize = C_Finalize,
    .C_GetInfo = C_GetInfo,
    .C_GetFunctionList = C_GetFunctionList,
    .C_GetSlotList = C_GetSlotList,
    .C_GetSlotInfo = C_GetSlotInfo,
    .C_GetTokenInfo = C_GetTokenInfo,
    .C_GetMechanismList = C_GetMechanismList,
    .C_GetMechanismInfo = C_GetMechanismInfo,
    .C_InitToken = init_token,
    .C_InitPIN = init_pin,
    .C_SetPIN = set_pin,
    .C_OpenSession = C_OpenSession,
    .C_CloseSession = C_CloseSession,
    .C_CloseAllSessions = C_CloseAllSessions,
    .C_GetSessionInfo = C_GetSessionInfo,
    .C_GetOperationState = get_state,
    .C_SetOperationState = set_state,
    .C_Login = C_Login,
    .C_Logout = C_Logout,
    .C_CreateObject = create,
    .C_CopyObject = copy,
    .C_DestroyObject = C_DestroyObject,
    .C_GetObjectSize = size_of,
    .C_GetAttributeValue = C_GetAttributeValue,
    .C_SetAttributeValue = set_attributes,
    .C_FindObjectsInit = C_FindObjectsInit,
    .C_FindObjects = C_FindObjects,
    .C_FindObjectsFinal = C_FindObjectsFinal,
    .C_EncryptInit = init,
    .C_Encrypt = convert,
    .C_EncryptUpdate = convert,
    .C_EncryptFinal = final,
    .C_DecryptInit = init,
    .C_Decrypt = convert,
    .C_DecryptUpdate = convert,
    .C_DecryptFinal = final,
    .C_DigestInit = digest_init,
    .C_Digest = convert,
    .C_DigestUpdate = update,
    .C_DigestKey = digest_key,
    .C_DigestFinal = final,
    .C_SignInit = C_SignInit,
    .C_Sign = C_Sign,
    .C_SignUpdate = C_SignUpdate,
    .C_SignFinal = C_SignFinal,
    .C_SignRecoverInit = init,
    .C_SignRecover = convert,
    .C_VerifyInit = C_VerifyInit,
    .C_Verify = C_Verify,
    .C_VerifyUpdate = C_VerifyUpdate,
    .C_VerifyFinal = C_VerifyFinal,
    .C_VerifyRecoverInit = init,
    .C_VerifyRecover = convert,
    .C_DigestEncryptUpdate = convert,
    .C_DecryptDigestUpdate = convert,
    .C_SignEncryptUpdate = convert,
    .C_DecryptVerifyUpdate = convert,
    .C_GenerateKey = generate,
    .C_GenerateKeyPair = generate_pair,
    .C_WrapKey = wrap,
    .C_UnwrapKey = unwrap,
    .C_DeriveKey = C_DeriveKey,
    .C_SeedRandom = no_random,
    .C_GenerateRandom = no_random,
    .C_GetFunctionStatus = not_parallel,
    .C_CancelFunction = not_parallel,
    .C_WaitForSlotEvent = C_WaitForSlotEvent,
};

__attribute__((visibility("default")))
CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    if (list == NULL) return CKR_ARGUMENTS_BAD;
    *list = &functions;
    return CKR_OK;
}
