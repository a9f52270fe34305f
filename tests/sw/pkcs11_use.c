/* SPDX-License-Identifier: Apache-2.0
 *
 * Key agreement with the PKCS#11 module; the module from threads, and from children of a process
 * that uses it. Told the module's path and `derive`, `threads`, `children`, `beginnings` or `ends`;
 * says "ok", or which line was wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pkcs11_try.h"

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;

static unsigned char point[67] = {0x04, 65}; /* an OCTET STRING */

static CK_RV derived(CK_SESSION_HANDLE s, CK_ECDH1_DERIVE_PARAMS *params, CK_ATTRIBUTE *templ,
                     CK_ULONG count, CK_OBJECT_HANDLE *made) {
    CK_MECHANISM mechanism = {CKM_ECDH1_DERIVE, params, params == NULL ? 0 : sizeof *params};

    return f->C_DeriveKey(s, &mechanism, key_of(s, &private_class), templ, count, made);
}

static void derivations(CK_SESSION_HANDLE s) {
    CK_OBJECT_HANDLE made = 0, other = 0;
    CK_ATTRIBUTE of_point = {CKA_EC_POINT, point, sizeof point};
    CK_ULONG length = 16, wrong[] = {0, 33, 17}, aes = CKK_AES, des = CKK_DES;
    CK_OBJECT_CLASS secret_class = CKO_SECRET_KEY;
    unsigned char whole[32], half[32];
    CK_ATTRIBUTE value = {CKA_VALUE, whole, 32}, tail = {CKA_VALUE, half, 32};
    CK_ATTRIBUTE good[] = {
        {CKA_CLASS, &secret_class, sizeof secret_class}, {CKA_VALUE_LEN, &length, sizeof length},
        {CKA_KEY_TYPE, &aes, sizeof aes}, {CKA_LABEL, "one", 3}, {CKA_ID, "", 0},
        {CKA_TOKEN, &no, 1}, {CKA_PRIVATE, &yes, 1}, {CKA_ENCRYPT, &yes, 1}, {CKA_LABEL, "one", 3},
    };
    CK_ATTRIBUTE twice[][2] = {
        {{CKA_LABEL, "one", 3}, {CKA_LABEL, "two", 3}},
        {{CKA_ID, "one", 3}, {CKA_ID, "", 0}},
        {{CKA_SENSITIVE, &yes, 1}, {CKA_SENSITIVE, &no, 1}},
        {{CKA_DERIVE, &yes, 1}, {CKA_DERIVE, &no, 1}},
        {{CKA_VALUE_LEN, &length, sizeof length}, {CKA_VALUE_LEN, &wrong[2], sizeof wrong[2]}},
    };
    CK_ATTRIBUTE hidden[] = {{CKA_SENSITIVE, &yes, 1}};
    struct {
        CK_ATTRIBUTE one;
        CK_RV rv;
    } bad[] = {
        {{CKA_CLASS, &private_class, sizeof private_class}, CKR_TEMPLATE_INCONSISTENT},
        {{CKA_CLASS, &secret_class, 1}, CKR_ATTRIBUTE_VALUE_INVALID},
        {{CKA_CLASS, NULL, 8}, CKR_ATTRIBUTE_VALUE_INVALID},
        {{CKA_TOKEN, &yes, 1}, CKR_TEMPLATE_INCONSISTENT},
        {{CKA_TOKEN, "\2", 1}, CKR_ATTRIBUTE_VALUE_INVALID},
        {{CKA_KEY_TYPE, &des, sizeof des}, CKR_ATTRIBUTE_VALUE_INVALID},
        {{CKA_VALUE_LEN, &wrong[0], sizeof wrong[0]}, CKR_KEY_SIZE_RANGE},
        {{CKA_VALUE_LEN, &wrong[1], sizeof wrong[1]}, CKR_KEY_SIZE_RANGE},
        {{CKA_VALUE, whole, 32}, CKR_ATTRIBUTE_TYPE_INVALID},
        {{CKA_SENSITIVE, &yes, 2}, CKR_ATTRIBUTE_VALUE_INVALID},
        {{CKA_LABEL, whole, CK_UNAVAILABLE_INFORMATION}, CKR_ATTRIBUTE_VALUE_INVALID},
        {{CKA_ID, whole, 513}, CKR_ATTRIBUTE_VALUE_INVALID},
    };

    OK(f->C_GetAttributeValue(s, key_of(s, &public_class), &of_point, 1));
    CK_ECDH1_DERIVE_PARAMS der = {CKD_NULL, 0, NULL, 67, point};
    CK_ECDH1_DERIVE_PARAMS raw = {CKD_NULL, 0, NULL, 65, point + 2}, changed = raw;
    IS(derived(s, NULL, NULL, 0, &made), CKR_MECHANISM_PARAM_INVALID);
    IS(derived(s, &raw, NULL, 1, &made), CKR_ARGUMENTS_BAD);
    IS(derived(s, &raw, NULL, 0, NULL), CKR_ARGUMENTS_BAD);
    for (CK_ULONG l = 0; l < 67; l++) {
        changed.ulPublicDataLen = l;
        if (l != 65) IS(derived(s, &changed, NULL, 0, &made), CKR_MECHANISM_PARAM_INVALID);
    }
    changed = (CK_ECDH1_DERIVE_PARAMS){2 /* a digest */, 0, NULL, 65, point + 2};
    IS(derived(s, &changed, NULL, 0, &made), CKR_MECHANISM_PARAM_INVALID);
    changed = (CK_ECDH1_DERIVE_PARAMS){CKD_NULL, 1, whole, 65, point + 2};
    IS(derived(s, &changed, NULL, 0, &made), CKR_MECHANISM_PARAM_INVALID);
    changed = (CK_ECDH1_DERIVE_PARAMS){CKD_NULL, 0, NULL, 65, NULL};
    IS(derived(s, &changed, NULL, 0, &made), CKR_MECHANISM_PARAM_INVALID);
    point[66] ^= 1; /* not on the curve: the device says so */
    IS(derived(s, &raw, NULL, 0, &made), CKR_MECHANISM_PARAM_INVALID);
    point[66] ^= 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        IS(derived(s, &raw, &bad[i].one, 1, &made), bad[i].rv);
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        IS(derived(s, &raw, twice[i], 2, &made), CKR_TEMPLATE_INCONSISTENT);
    TRUE_(made == 0);

    OK(derived(s, &raw, NULL, 0, &made));
    OK(f->C_GetAttributeValue(s, made, &value, 1));
    TRUE_(value.ulValueLen == 32);
    OK(derived(s, &der, good, sizeof good / sizeof *good, &other));
    TRUE_(other != made && found(s, &good[3], 1) == other);
    OK(f->C_GetAttributeValue(s, other, &tail, 1));
    TRUE_(tail.ulValueLen == 16 && memcmp(half, whole + 16, 16) == 0); /* the last octets */
    length = 17;
    IS(derived(s, &raw, good, 3, &other), CKR_KEY_SIZE_RANGE); /* no AES key is so long */
    OK(f->C_DestroyObject(s, other));
    IS(f->C_DestroyObject(s, other), CKR_OBJECT_HANDLE_INVALID);
    OK(derived(s, &raw, hidden, 1, &other));
    IS(f->C_GetAttributeValue(s, other, &value, 1), CKR_ATTRIBUTE_SENSITIVE);
    IS(f->C_SignInit(s, &ecdsa, made), CKR_KEY_HANDLE_INVALID);
    OK(f->C_CloseSession(s));
    s = opened(); /* with the session its secrets have gone */
    value = (CK_ATTRIBUTE){CKA_VALUE, whole, 32};
    IS(f->C_GetAttributeValue(s, made, &value, 1), CKR_OBJECT_HANDLE_INVALID);
    (void)derived(s, &raw, NULL, 0, &made); /* one is left for the end */
}

/* ------------------------------------------------------------------ threads and children */

static void use(int times) {
    const CK_SESSION_HANDLE s = opened();
    const CK_OBJECT_HANDLE private = key_of(s, &private_class), public = key_of(s, &public_class);
    unsigned char data[32] = {(unsigned char)times}, made[64];
    CK_ULONG length = sizeof made;

    while (times-- > 0) {
        data[0]++;
        OK(f->C_SignInit(s, &sha256, private));
        OK(f->C_Sign(s, data, 32, made, &length));
        OK(f->C_VerifyInit(s, &sha256, public));
        OK(f->C_Verify(s, data, 32, made, length));
    }
    OK(f->C_CloseSession(s));
}

static void *thread(void *times) {
    use(*(int *)times);
    return NULL;
}

/* A session of another thread's: whatever comes of it, nothing breaks. */
static void *intruder(void *session) {
    unsigned char data[32] = {0}, made[64];
    CK_ULONG length = sizeof made;

    for (int i = 0; i < 200; i++) {
        (void)f->C_SignInit(*(CK_SESSION_HANDLE *)session, &sha256, 3);
        (void)f->C_SignUpdate(*(CK_SESSION_HANDLE *)session, data, 32);
        if (i % 50 == 0) (void)f->C_SignFinal(*(CK_SESSION_HANDLE *)session, made, &length);
    }
    return NULL;
}

static void threads(void) {
    pthread_t all[6];
    int times = 3;
    CK_SESSION_HANDLE shared = opened();

    for (int i = 0; i < 4; i++) TRUE_(pthread_create(&all[i], NULL, thread, &times) == 0);
    for (int i = 4; i < 6; i++) TRUE_(pthread_create(&all[i], NULL, intruder, &shared) == 0);
    for (int i = 0; i < 6; i++) TRUE_(pthread_join(all[i], NULL) == 0);
    OK(f->C_CloseSession(shared));
}

/* Children are made while another thread signs. Each begins anew; the parent goes on. */
static void children(void) {
    const CK_SESSION_HANDLE session = opened();
    CK_SESSION_INFO info;
    pthread_t other;
    int times = 6, status;

    use(1);
    TRUE_(pthread_create(&other, NULL, thread, &times) == 0);
    for (int i = 0; i < 3; i++) {
        const pid_t child = fork();
        if (child == 0) {
            IS(f->C_GetSessionInfo(session, &info), CKR_CRYPTOKI_NOT_INITIALIZED);
            OK(f->C_Initialize(NULL));
            IS(f->C_GetSessionInfo(session, &info), CKR_SESSION_HANDLE_INVALID);
            use(1);
            OK(f->C_Finalize(NULL));
            _exit(0);
        }
        TRUE_(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    TRUE_(pthread_join(other, NULL) == 0);
    use(1);
    OK(f->C_CloseSession(session));
}

/* Begin and end while children are made. */
static void *beginner(void *over) {
    while (!*(atomic_bool *)over) {
        OK(f->C_Finalize(NULL));
        OK(f->C_Initialize(NULL));
    }
    return NULL;
}

static void beginnings(void) {
    atomic_bool over = false;
    pthread_t other;
    int status;

    TRUE_(pthread_create(&other, NULL, beginner, &over) == 0);
    for (int i = 0; i < 300; i++) {
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(60); /* an end, if it waits for what nobody gives back */
            OK(f->C_Initialize(NULL));
            OK(f->C_Finalize(NULL));
            _exit(0);
        }
        TRUE_(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    over = true;
    TRUE_(pthread_join(other, NULL) == 0);
}

/* Whatever becomes of a call while another thread ends the module: it comes back. */
static void *worker(void *over) {
    unsigned char data[32] = {1}, made[64];
    CK_SESSION_HANDLE s;
    CK_OBJECT_HANDLE objects[4];
    CK_ULONG length = sizeof made, number;

    while (!*(atomic_bool *)over) {
        if (f->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &s) != CKR_OK) continue;
        (void)f->C_FindObjectsInit(s, NULL, 0);
        (void)f->C_FindObjects(s, objects, 4, &number);
        (void)f->C_FindObjectsFinal(s);
        if (f->C_SignInit(s, &sha256, 3) == CKR_OK) (void)f->C_Sign(s, data, 32, made, &length);
        (void)f->C_CloseSession(s);
    }
    return NULL;
}

/* End and begin while other threads work. */
static void ends(void) {
    atomic_bool over = false;
    pthread_t all[4];

    (void)alarm(60); /* an end, if a thread waits for a server that it is no longer connected to */
    for (int i = 0; i < 4; i++) TRUE_(pthread_create(&all[i], NULL, worker, &over) == 0);
    for (int i = 0; i < 12; i++) {
        (void)usleep(60000);
        OK(f->C_Finalize(NULL));
        OK(f->C_Initialize(NULL));
    }
    over = true;
    for (int i = 0; i < 4; i++) TRUE_(pthread_join(all[i], NULL) == 0);
    (void)alarm(0);
}

int main(int count, char **words) {
    TRUE_(count == 3);
    void *module = loaded(words[1]);

    OK(f->C_Initialize(NULL));
    if (strcmp(words[2], "derive") == 0) derivations(opened());
    if (strcmp(words[2], "threads") == 0) threads();
    if (strcmp(words[2], "children") == 0) children();
    if (strcmp(words[2], "beginnings") == 0) beginnings();
    if (strcmp(words[2], "ends") == 0) ends();
    OK(f->C_Finalize(NULL));
    OK(f->C_Initialize(NULL)); /* again, from the beginning */
    use(1);
    OK(f->C_Finalize(NULL));
    (void)dlclose(module);
    (void)puts("ok");
    return 0;
}
