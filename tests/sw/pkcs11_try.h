/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs that try the PKCS#11 module share. The server has the key `web` on P-256.
 */
#ifndef PKCS11_TRY_H
#define PKCS11_TRY_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <p11-kit/pkcs11.h>

#define IS(call, wanted)                                                              \
    do {                                                                              \
        const CK_RV got = (call);                                                     \
        if (got != (wanted)) {                                                        \
            (void)fprintf(stderr, "%d: %s is 0x%lx\n", __LINE__, #call, got);         \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)
#define TRUE_(what) IS((what) ? CKR_OK : CKR_GENERAL_ERROR, CKR_OK)
#define OK(call) IS(call, CKR_OK)

static CK_FUNCTION_LIST *f;
static CK_OBJECT_CLASS private_class = CKO_PRIVATE_KEY, public_class = CKO_PUBLIC_KEY;
static CK_MECHANISM ecdsa = {CKM_ECDSA, NULL, 0}, sha256 = {CKM_ECDSA_SHA256, NULL, 0};

static CK_SESSION_HANDLE opened(void) {
    CK_SESSION_HANDLE session;

    OK(f->C_OpenSession(0, CKF_SERIAL_SESSION, NULL, NULL, &session));
    return session;
}

/* Find the one object that matches; 0 if none does. */
static CK_OBJECT_HANDLE found(CK_SESSION_HANDLE session, CK_ATTRIBUTE *templ, CK_ULONG count) {
    CK_OBJECT_HANDLE objects[3] = {0};
    CK_ULONG number = 0;

    OK(f->C_FindObjectsInit(session, templ, count));
    OK(f->C_FindObjects(session, objects, 3, &number));
    OK(f->C_FindObjectsFinal(session));
    TRUE_(number < 2);
    return objects[0];
}

static CK_OBJECT_HANDLE key_of(CK_SESSION_HANDLE session, CK_OBJECT_CLASS *class) {
    CK_ATTRIBUTE templ[] = {{CKA_CLASS, class, sizeof *class}, {CKA_LABEL, "web", 3}};

    return found(session, templ, 2);
}

/* Load the module and get its functions. */
static void *loaded(const char *path) {
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CK_C_GetFunctionList list = NULL;

    if (module != NULL) *(void **)&list = dlsym(module, "C_GetFunctionList");
    TRUE_(list != NULL && list(&f) == CKR_OK);
    return module;
}

#endif
