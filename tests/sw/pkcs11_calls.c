/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function of the PKCS#11 module, with arguments that are none and with right ones. Told the
 * module's path; says "ok", or which line was wrong.
 */
#include "pkcs11_try.h"

static CK_BBOOL no = CK_FALSE;

/* Functions that are not done say so whatever they are given. */
static void not_done(CK_SESSION_HANDLE s) {
    CK_RV none = CKR_FUNCTION_NOT_SUPPORTED;

    IS(f->C_InitToken(0, NULL, 0, NULL), none);
    IS(f->C_InitPIN(s, NULL, 0), none);
    IS(f->C_SetPIN(s, NULL, 0, NULL, 0), none);
    IS(f->C_GetOperationState(s, NULL, NULL), none);
    IS(f->C_SetOperationState(s, NULL, 0, 0, 0), none);
    IS(f->C_CreateObject(s, NULL, 0, NULL), none);
    IS(f->C_CopyObject(s, 0, NULL, 0, NULL), none);
    IS(f->C_GetObjectSize(s, 0, NULL), none);
    IS(f->C_SetAttributeValue(s, 0, NULL, 0), none);
    IS(f->C_EncryptInit(s, NULL, 0), none);
    IS(f->C_Encrypt(s, NULL, 0, NULL, NULL), none);
    IS(f->C_EncryptUpdate(s, NULL, 0, NULL, NULL), none);
    IS(f->C_EncryptFinal(s, NULL, NULL), none);
    IS(f->C_DecryptInit(s, NULL, 0), none);
    IS(f->C_Decrypt(s, NULL, 0, NULL, NULL), none);
    IS(f->C_DecryptUpdate(s, NULL, 0, NULL, NULL), none);
    IS(f->C_DecryptFinal(s, NULL, NULL), none);
    IS(f->C_DigestInit(s, NULL), none);
    IS(f->C_Digest(s, NULL, 0, NULL, NULL), none);
    IS(f->C_DigestUpdate(s, NULL, 0), none);
    IS(f->C_DigestKey(s, 0), none);
    IS(f->C_DigestFinal(s, NULL, NULL), none);
    IS(f->C_SignRecoverInit(s, NULL, 0), none);
    IS(f->C_SignRecover(s, NULL, 0, NULL, NULL), none);
    IS(f->C_VerifyRecoverInit(s, NULL, 0), none);
    IS(f->C_VerifyRecover(s, NULL, 0, NULL, NULL), none);
    IS(f->C_DigestEncryptUpdate(s, NULL, 0, NULL, NULL), none);
    IS(f->C_DecryptDigestUpdate(s, NULL, 0, NULL, NULL), none);
    IS(f->C_SignEncryptUpdate(s, NULL, 0, NULL, NULL), none);
    IS(f->C_DecryptVerifyUpdate(s, NULL, 0, NULL, NULL), none);
    IS(f->C_GenerateKey(s, NULL, NULL, 0, NULL), none);
    IS(f->C_GenerateKeyPair(s, NULL, NULL, 0, NULL, 0, NULL, NULL), none);
    IS(f->C_WrapKey(s, NULL, 0, 0, NULL, NULL), none);
    IS(f->C_UnwrapKey(s, NULL, 0, NULL, 0, NULL, 0, NULL), none);
    IS(f->C_GetFunctionStatus(s), CKR_FUNCTION_NOT_PARALLEL);
    IS(f->C_CancelFunction(s), CKR_FUNCTION_NOT_PARALLEL);
}

/* The others, where there is no session `s`: `wanted` is what they all say. */
static void no_session(CK_SESSION_HANDLE s, CK_RV wanted) {
    CK_SESSION_INFO info;
    CK_OBJECT_HANDLE object;
    CK_ATTRIBUTE label = {CKA_LABEL, NULL, 0};
    CK_ULONG number = 0;
    unsigned char octets[64] = {0};

    IS(f->C_CloseSession(s), wanted);
    IS(f->C_GetSessionInfo(s, &info), wanted);
    IS(f->C_Login(s, CKU_USER, octets, 4), wanted);
    IS(f->C_Logout(s), wanted);
    IS(f->C_DestroyObject(s, 2), wanted);
    IS(f->C_GetAttributeValue(s, 2, &label, 1), wanted);
    IS(f->C_FindObjectsInit(s, NULL, 0), wanted);
    IS(f->C_FindObjects(s, &object, 1, &number), wanted);
    IS(f->C_FindObjectsFinal(s), wanted);
    IS(f->C_SignInit(s, &ecdsa, 2), wanted);
    IS(f->C_Sign(s, octets, 32, octets, &number), wanted);
    IS(f->C_SignUpdate(s, octets, 32), wanted);
    IS(f->C_SignFinal(s, octets, &number), wanted);
    IS(f->C_VerifyInit(s, &ecdsa, 2), wanted);
    IS(f->C_Verify(s, octets, 32, octets, 64), wanted);
    IS(f->C_VerifyUpdate(s, octets, 32), wanted);
    IS(f->C_VerifyFinal(s, octets, 64), wanted);
    IS(f->C_DeriveKey(s, &ecdsa, 2, NULL, 0, &object), wanted);
}

static void before_it_begins(void) {
    CK_RV none = CKR_CRYPTOKI_NOT_INITIALIZED;
    CK_INFO info;
    CK_SLOT_INFO slot;
    CK_TOKEN_INFO token;
    CK_MECHANISM_INFO mechanism;
    CK_SLOT_ID id;
    CK_SESSION_HANDLE session;
    CK_ULONG number = 0;
    unsigned char octets[4];

    not_done(1);
    no_session(1, none);
    IS(f->C_Finalize(NULL), none);
    IS(f->C_GetInfo(&info), none);
    IS(f->C_GetSlotList(CK_FALSE, NULL, &number), none);
    IS(f->C_GetSlotInfo(0, &slot), none);
    IS(f->C_GetTokenInfo(0, &token), none);
    IS(f->C_GetMechanismList(0, NULL, &number), none);
    IS(f->C_GetMechanismInfo(0, CKM_ECDSA, &mechanism), none);
    IS(f->C_WaitForSlotEvent(CKF_DONT_BLOCK, &id, NULL), none);
    IS(f->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &session), none);
    IS(f->C_CloseAllSessions(0), none);
    IS(f->C_SeedRandom(1, octets, 4), none);
    IS(f->C_GenerateRandom(1, octets, 4), none);
}

static CK_RV no_mutex(void *mutex) {
    (void)mutex;
    return CKR_MUTEX_BAD;
}

static CK_RV no_new_mutex(void **mutex) { return no_mutex(mutex); }

static void begins_and_ends(void) {
    CK_C_INITIALIZE_ARGS args = {0};

    IS(f->C_GetFunctionList(NULL), CKR_ARGUMENTS_BAD);
    args.CreateMutex = no_new_mutex;
    IS(f->C_Initialize(&args), CKR_ARGUMENTS_BAD); /* one of four */
    args.DestroyMutex = args.LockMutex = args.UnlockMutex = no_mutex;
    IS(f->C_Initialize(&args), CKR_CANT_LOCK);
    args.flags = CKF_OS_LOCKING_OK;
    OK(f->C_Initialize(&args));
    OK(f->C_Finalize(NULL));
    memset(&args, 0, sizeof args);
    args.flags = CKF_LIBRARY_CANT_CREATE_OS_THREADS;
    OK(f->C_Initialize(&args));
    OK(f->C_Finalize(NULL));
    args.pReserved = &args;
    IS(f->C_Initialize(&args), CKR_ARGUMENTS_BAD);
    OK(f->C_Initialize(NULL));
    IS(f->C_Initialize(NULL), CKR_CRYPTOKI_ALREADY_INITIALIZED);
    IS(f->C_Finalize(&args), CKR_ARGUMENTS_BAD);
}

static void slots(void) {
    CK_SLOT_ID ids[2] = {7, 7}, other = 1;
    CK_SLOT_INFO slot;
    CK_TOKEN_INFO token;
    CK_MECHANISM_TYPE list[20];
    CK_MECHANISM_INFO mechanism;
    CK_SESSION_HANDLE session;
    CK_INFO info;
    CK_ULONG number = 0;

    IS(f->C_GetInfo(NULL), CKR_ARGUMENTS_BAD);
    OK(f->C_GetInfo(&info));
    TRUE_(info.cryptokiVersion.major == 2 && info.cryptokiVersion.minor == 40 && info.flags == 0);
    IS(f->C_GetSlotList(CK_TRUE, ids, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_GetSlotList(CK_TRUE, ids, &number), CKR_BUFFER_TOO_SMALL);
    TRUE_(number == 1 && ids[0] == 7);
    number = 2;
    OK(f->C_GetSlotList(CK_FALSE, ids, &number));
    TRUE_(number == 1 && ids[0] == 0 && ids[1] == 7);
    IS(f->C_GetSlotInfo(0, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_GetSlotInfo(other, &slot), CKR_SLOT_ID_INVALID);
    OK(f->C_GetSlotInfo(0, &slot));
    TRUE_(slot.flags == (CKF_TOKEN_PRESENT | CKF_REMOVABLE_DEVICE));
    IS(f->C_GetTokenInfo(0, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_GetTokenInfo(other, &token), CKR_SLOT_ID_INVALID);
    OK(f->C_GetTokenInfo(0, &token));
    TRUE_(token.flags == CKF_TOKEN_INITIALIZED && token.ulSessionCount == 0);
    IS(f->C_GetMechanismList(0, list, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_GetMechanismList(other, NULL, &number), CKR_SLOT_ID_INVALID);
    number = 1;
    list[0] = 0;
    IS(f->C_GetMechanismList(0, list, &number), CKR_BUFFER_TOO_SMALL);
    TRUE_(number > 1 && number < 20 && list[0] == 0);
    OK(f->C_GetMechanismList(0, list, &number));
    TRUE_(list[0] == CKM_ECDSA);
    IS(f->C_GetMechanismInfo(0, CKM_ECDSA, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_GetMechanismInfo(other, CKM_ECDSA, &mechanism), CKR_SLOT_ID_INVALID);
    IS(f->C_GetMechanismInfo(0, CKM_RSA_PKCS, &mechanism), CKR_MECHANISM_INVALID);
    IS(f->C_GetMechanismInfo(0, CKM_EDDSA, &mechanism), CKR_MECHANISM_INVALID);
    IS(f->C_WaitForSlotEvent(CKF_DONT_BLOCK, NULL, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_WaitForSlotEvent(CKF_DONT_BLOCK, ids, NULL), CKR_NO_EVENT);
    IS(f->C_WaitForSlotEvent(0, ids, NULL), CKR_FUNCTION_NOT_SUPPORTED);
    IS(f->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, NULL), CKR_ARGUMENTS_BAD);
    IS(f->C_OpenSession(other, CKF_SERIAL_SESSION, NULL, NULL, &session), CKR_SLOT_ID_INVALID);
    IS(f->C_OpenSession(0, CKF_RW_SESSION, NULL, NULL, &session),
       CKR_SESSION_PARALLEL_NOT_SUPPORTED);
    IS(f->C_CloseAllSessions(other), CKR_SLOT_ID_INVALID);
}

static void sessions(void) {
    static CK_SESSION_HANDLE all[1025];
    CK_SESSION_INFO info;
    CK_TOKEN_INFO token;

    for (int i = 0; i < 1024; i++) all[i] = opened();
    IS(f->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &all[1024]), CKR_SESSION_COUNT);
    OK(f->C_CloseSession(all[500]));
    no_session(all[500], CKR_SESSION_HANDLE_INVALID);
    OK(f->C_OpenSession(0, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &all[1024]));
    no_session(all[500], CKR_SESSION_HANDLE_INVALID); /* its place has another one now */
    no_session(0, CKR_SESSION_HANDLE_INVALID);
    no_session(CK_UNAVAILABLE_INFORMATION, CKR_SESSION_HANDLE_INVALID);
    IS(f->C_GetSessionInfo(all[0], NULL), CKR_ARGUMENTS_BAD);
    OK(f->C_GetSessionInfo(all[0], &info));
    TRUE_(info.slotID == 0 && info.state == CKS_RO_PUBLIC_SESSION &&
          info.flags == CKF_SERIAL_SESSION);
    OK(f->C_GetSessionInfo(all[1024], &info));
    TRUE_(info.state == CKS_RW_PUBLIC_SESSION);
    OK(f->C_GetTokenInfo(0, &token));
    TRUE_(token.ulSessionCount == 1024 && token.ulRwSessionCount == 1);
    OK(f->C_CloseAllSessions(0));
    no_session(all[0], CKR_SESSION_HANDLE_INVALID);
}

static void logins(CK_SESSION_HANDLE s) {
    IS(f->C_Login(s, CKU_USER, NULL, 4), CKR_ARGUMENTS_BAD);
    IS(f->C_Login(s, CKU_USER, (unsigned char *)"1234", 4), CKR_USER_PIN_NOT_INITIALIZED);
    IS(f->C_Login(s, 99, (unsigned char *)"1234", 4), CKR_USER_TYPE_INVALID);
    IS(f->C_Logout(s), CKR_USER_NOT_LOGGED_IN);
    IS(f->C_SeedRandom(s, NULL, 0), CKR_RANDOM_NO_RNG);
    IS(f->C_GenerateRandom(s, NULL, 0), CKR_RANDOM_NO_RNG);
}

/* Write what is said of a key as certificates have it to a file, for openssl to compare. */
static void keep_info(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE key) {
    unsigned char der[200];
    CK_ATTRIBUTE info = {CKA_PUBLIC_KEY_INFO, der, sizeof der};
    FILE *file = fopen("info.der", "wb");

    OK(f->C_GetAttributeValue(s, key, &info, 1));
    TRUE_(file != NULL && fwrite(der, 1, info.ulValueLen, file) == info.ulValueLen);
    TRUE_(fclose(file) == 0);
}

static void objects(CK_SESSION_HANDLE s) {
    CK_OBJECT_HANDLE private = key_of(s, &private_class), public = key_of(s, &public_class), one;
    CK_BBOOL sensitive = CK_FALSE, extractable = CK_TRUE;
    CK_ULONG number;
    unsigned char value[80], short_of[2];
    CK_ATTRIBUTE secret[] = {
        {CKA_SENSITIVE, &sensitive, 1}, {CKA_VALUE, value, sizeof value},
        {CKA_EXTRACTABLE, &extractable, 1}, {CKA_MODULUS, value, sizeof value},
    };
    CK_ATTRIBUTE sizes[] = {{CKA_EC_POINT, NULL, 0}, {CKA_LABEL, short_of, 2}};
    CK_ATTRIBUTE label = {CKA_LABEL, "web", 3}, bad = {CKA_LABEL, NULL, 3};
    CK_ATTRIBUTE empty = {CKA_LABEL, "", 0};
    CK_ATTRIBUTE token = {CKA_TOKEN, &no, 1}, huge = {CKA_LABEL, value, sizeof value};

    TRUE_(private != 0 && public != 0 && private != public);
    IS(f->C_GetAttributeValue(s, private, NULL, 1), CKR_ARGUMENTS_BAD);
    OK(f->C_GetAttributeValue(s, private, NULL, 0));
    IS(f->C_GetAttributeValue(s, 0, &label, 1), CKR_OBJECT_HANDLE_INVALID);
    IS(f->C_GetAttributeValue(s, private + 100, &label, 1), CKR_OBJECT_HANDLE_INVALID);
    IS(f->C_GetAttributeValue(s, CK_UNAVAILABLE_INFORMATION, &label, 1), CKR_OBJECT_HANDLE_INVALID);
    TRUE_(f->C_GetAttributeValue(s, private, secret, 4) != CKR_OK);
    TRUE_(sensitive && !extractable && secret[1].ulValueLen == CK_UNAVAILABLE_INFORMATION &&
          secret[3].ulValueLen == CK_UNAVAILABLE_INFORMATION);
    IS(f->C_GetAttributeValue(s, private, &secret[1], 1), CKR_ATTRIBUTE_SENSITIVE);
    IS(f->C_GetAttributeValue(s, public, &secret[1], 1), CKR_ATTRIBUTE_TYPE_INVALID);
    IS(f->C_GetAttributeValue(s, public, sizes, 2), CKR_BUFFER_TOO_SMALL);
    TRUE_(sizes[0].ulValueLen == 67 && sizes[1].ulValueLen == CK_UNAVAILABLE_INFORMATION);

    keep_info(s, private);

    IS(f->C_FindObjectsInit(s, NULL, 1), CKR_ARGUMENTS_BAD);
    IS(f->C_FindObjectsInit(s, &bad, 1), CKR_ATTRIBUTE_VALUE_INVALID);
    IS(f->C_FindObjects(s, &one, 1, &number), CKR_OPERATION_NOT_INITIALIZED);
    IS(f->C_FindObjectsFinal(s), CKR_OPERATION_NOT_INITIALIZED);
    TRUE_(found(s, &empty, 1) == 0 && found(s, &token, 1) == 0 && found(s, &huge, 1) == 0);
    memset(value, 0, sizeof value);
    secret[1].ulValueLen = 32; /* a search by what is secret finds nothing, and tells nothing */
    TRUE_(found(s, &secret[1], 1) == 0);
    OK(f->C_FindObjectsInit(s, &label, 1));
    IS(f->C_FindObjectsInit(s, NULL, 0), CKR_OPERATION_ACTIVE);
    IS(f->C_FindObjects(s, NULL, 1, &number), CKR_ARGUMENTS_BAD);
    IS(f->C_FindObjects(s, &one, 1, NULL), CKR_ARGUMENTS_BAD);
    for (CK_ULONG left = 3; left-- > 0;) { /* two, one after the other, and then none */
        OK(f->C_FindObjects(s, &one, 1, &number));
        TRUE_(number == (left > 0));
    }
    OK(f->C_FindObjectsFinal(s));
    IS(f->C_DestroyObject(s, private), CKR_ACTION_PROHIBITED);
    IS(f->C_DestroyObject(s, public), CKR_ACTION_PROHIBITED);
    IS(f->C_DestroyObject(s, 0), CKR_OBJECT_HANDLE_INVALID);
}

static void signatures(CK_SESSION_HANDLE s) {
    const CK_OBJECT_HANDLE private = key_of(s, &private_class), public = key_of(s, &public_class);
    CK_MECHANISM rsa = {CKM_RSA_PKCS, NULL, 0}, derive = {CKM_ECDH1_DERIVE, NULL, 0};
    CK_MECHANISM with = {CKM_ECDSA, &rsa, sizeof rsa};
    unsigned char data[65] = {1, 2, 3}, made[2][64], again[64];
    CK_ULONG length = 64;

    IS(f->C_SignInit(s, NULL, private), CKR_ARGUMENTS_BAD);
    IS(f->C_SignInit(s, &ecdsa, 0), CKR_KEY_HANDLE_INVALID);
    IS(f->C_SignInit(s, &ecdsa, private + 100), CKR_KEY_HANDLE_INVALID);
    IS(f->C_SignInit(s, &ecdsa, public), CKR_KEY_FUNCTION_NOT_PERMITTED);
    IS(f->C_VerifyInit(s, &ecdsa, private), CKR_KEY_FUNCTION_NOT_PERMITTED);
    IS(f->C_SignInit(s, &rsa, private), CKR_MECHANISM_INVALID);
    IS(f->C_SignInit(s, &derive, private), CKR_MECHANISM_INVALID);
    IS(f->C_SignInit(s, &with, private), CKR_MECHANISM_PARAM_INVALID);
    IS(f->C_Sign(s, data, 32, made[0], &length), CKR_OPERATION_NOT_INITIALIZED);

    OK(f->C_SignInit(s, &ecdsa, private));
    IS(f->C_SignInit(s, &ecdsa, private), CKR_OPERATION_ACTIVE);
    IS(f->C_Sign(s, NULL, 32, made[0], &length), CKR_ARGUMENTS_BAD);
    IS(f->C_Sign(s, data, 32, made[0], NULL), CKR_ARGUMENTS_BAD);
    length = 0;
    OK(f->C_Sign(s, data, 32, NULL, &length)); /* how long it will be */
    TRUE_(length == 64);
    length = 63;
    IS(f->C_Sign(s, data, 32, made[0], &length), CKR_BUFFER_TOO_SMALL);
    TRUE_(length == 64);
    OK(f->C_Sign(s, data, 32, made[0], &length));
    IS(f->C_Sign(s, data, 32, made[0], &length), CKR_OPERATION_NOT_INITIALIZED);
    OK(f->C_SignInit(s, &ecdsa, private));
    IS(f->C_Sign(s, data, 65, made[1], &length), CKR_DATA_LEN_RANGE); /* no digest is so long */
    OK(f->C_SignInit(s, &ecdsa, private));
    IS(f->C_Sign(s, NULL, 0, made[1], &length), CKR_DATA_LEN_RANGE);
    OK(f->C_SignInit(s, &ecdsa, private));
    OK(f->C_SignUpdate(s, data, 32)); /* a digest in parts, too: the same signature (RFC 6979) */
    IS(f->C_Sign(s, data, 32, made[1], &length), CKR_OPERATION_ACTIVE);
    OK(f->C_SignFinal(s, NULL, &length));
    OK(f->C_SignFinal(s, made[1], &length));
    TRUE_(memcmp(made[0], made[1], 64) == 0);
    IS(f->C_SignUpdate(s, data, 32), CKR_OPERATION_NOT_INITIALIZED);
    IS(f->C_SignFinal(s, made[1], &length), CKR_OPERATION_NOT_INITIALIZED);
    OK(f->C_SignInit(s, &ecdsa, private));
    IS(f->C_SignUpdate(s, data, 65), CKR_DATA_LEN_RANGE); /* that ends it */
    IS(f->C_SignFinal(s, made[1], &length), CKR_OPERATION_NOT_INITIALIZED);

    IS(f->C_Verify(s, data, 32, made[0], 64), CKR_OPERATION_NOT_INITIALIZED);
    OK(f->C_VerifyInit(s, &ecdsa, public));
    OK(f->C_SignInit(s, &sha256, private)); /* both at once */
    IS(f->C_VerifyInit(s, &ecdsa, public), CKR_OPERATION_ACTIVE);
    OK(f->C_Verify(s, data, 32, made[0], 64));
    OK(f->C_SignUpdate(s, data, 1));
    OK(f->C_SignUpdate(s, data + 1, 64));
    OK(f->C_SignFinal(s, made[1], &length));
    OK(f->C_VerifyInit(s, &sha256, public));
    OK(f->C_VerifyUpdate(s, data, 60));
    OK(f->C_VerifyUpdate(s, data + 60, 5));
    OK(f->C_VerifyFinal(s, made[1], 64));
    memcpy(again, made[1], 64);
    again[63] ^= 1;
    OK(f->C_VerifyInit(s, &sha256, public));
    IS(f->C_Verify(s, data, 65, again, 64), CKR_SIGNATURE_INVALID);
    OK(f->C_VerifyInit(s, &sha256, public));
    IS(f->C_Verify(s, data, 65, made[1], 65), CKR_SIGNATURE_LEN_RANGE);
    OK(f->C_VerifyInit(s, &sha256, public));
    IS(f->C_Verify(s, data, 64, made[1], 64), CKR_SIGNATURE_INVALID);
    OK(f->C_VerifyInit(s, &sha256, public));
    IS(f->C_Verify(s, data, 64, NULL, 64), CKR_ARGUMENTS_BAD);
    OK(f->C_CloseSession(s)); /* with one that has begun */
}

int main(int count, char **words) {
    TRUE_(count == 2);
    void *module = loaded(words[1]);

    before_it_begins();
    begins_and_ends();
    slots();
    sessions();
    const CK_SESSION_HANDLE s = opened();
    not_done(s);
    logins(s);
    objects(s);
    signatures(s);
    OK(f->C_Finalize(NULL));
    (void)dlclose(module);
    (void)puts("ok");
    return 0;
}
