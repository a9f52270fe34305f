/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of the device server by name: ecsm:NAME, where a program takes the URI of a key.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/params.h>
#include <openssl/store.h>

typedef struct {
    ecsm_provider_t *provider;
    char name[ECSM_MOST_NAME + 1];
    int expect;
    bool done;
    bool refused; /* something was set that has no effect on a key of the device */
} loader_t;

static void *open_uri(void *provider, const char *uri) {
    const size_t scheme = strlen(ECSM_SCHEME);
    loader_t *loader;

    if (strncmp(uri, ECSM_SCHEME, scheme) != 0) return NULL;
    uri += scheme;
    if (*uri == 0 || strlen(uri) > ECSM_MOST_NAME) {
        (void)ecsm_error(provider, ECSM_R_NO_KEY_NAME, "a name has 1 to %d characters",
                         ECSM_MOST_NAME);
        return NULL;
    }
    loader = calloc(1, sizeof *loader);
    if (loader == NULL) return NULL;
    loader->provider = provider;
    memcpy(loader->name, uri, strlen(uri) + 1);
    return loader;
}

/* Find the key of a name in a device, and its public key. 0 without an error: it is not there. */
static ecsm_key_t *find(ecsm_provider_t *provider, const char *name, ecsm_device_t *device,
                        bool *there, bool *reached) {
    uint8_t x[ECSM_MOST_OCTETS], y[ECSM_MOST_OCTETS];
    ecsm_key_t *key = NULL;
    unsigned epoch;
    int good = 0;

    *reached = ecsm_device_begin(provider, device) != 0;
    if (!*reached) return NULL;
    const int number = ecsm_link_find(ecsm_link_info(device->link)->keys, name);
    *there = number >= 0 && device->curve.nid != NID_undef;
    const int kind = ecsm_device_kind(device);
    if (*there)
        good = ecsm_device_run(provider, device, "public",
                               ECSM_FRAME_HANDLES + (unsigned)number, NULL, 0,
                               (uint8_t *[]){x, y}, kind == 0 ? 2 : 1, device->curve.field_octets);
    epoch = ecsm_link_epoch(device->link);
    ecsm_device_end(device);
    if (good && (key = ecsm_key_new(provider)) != NULL) {
        key->kind = kind;
        if (kind == 0 ? ecsm_key_set(key, device, x, y, NULL) : ecsm_key_set_octets(key, x, NULL)) {
            key->private = ECSM_PRIVATE_NAMED;
            key->device = device;
            key->epoch = epoch;
            memcpy(key->name, name, strlen(name) + 1);
            return key;
        }
        ecsm_key_free(key);
    }
    return NULL;
}

ecsm_key_t *ecsm_key_of_name(ecsm_provider_t *provider, const char *name) {
    ecsm_key_t *key = NULL;
    bool there = false, reached = true;

    if (provider->count == 0) {
        (void)ecsm_no_device(provider);
        return NULL;
    }
    for (size_t i = 0; i < provider->count && !there && reached; i++)
        key = find(provider, name, &provider->devices[i], &there, &reached);
    if (key == NULL && !there && reached)
        (void)ecsm_error(provider, ECSM_R_NO_KEY_NAME, "%s", name);
    return key;
}

int ecsm_key_give(ecsm_key_t *key, OSSL_CALLBACK *callback, void *argument) {
    int type = OSSL_OBJECT_PKEY;
    const char *name = key->kind == 0 ? "EC" : OBJ_nid2sn(key->kind);
    OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_OBJECT_PARAM_TYPE, &type),
        OSSL_PARAM_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)name, strlen(name)),
        OSSL_PARAM_octet_string(OSSL_OBJECT_PARAM_REFERENCE, &key, sizeof key),
        OSSL_PARAM_END,
    };
    const int good = callback(params, argument);

    ecsm_key_free(key); /* unless it was taken over */
    return good;
}

static int load(void *vloader, OSSL_CALLBACK *callback, void *argument,
                OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_argument) {
    loader_t *loader = vloader;
    ecsm_provider_t *provider = loader->provider;
    ecsm_key_t *key;

    (void)passphrase;
    (void)passphrase_argument;
    loader->done = true;
    if (loader->refused)
        return ecsm_error(provider, ECSM_R_PARAMETER, "%s", "a key of the device has a name alone");
    if (loader->expect != 0 && loader->expect != OSSL_STORE_INFO_PKEY &&
        loader->expect != OSSL_STORE_INFO_PUBKEY)
        return 0;
    key = ecsm_key_of_name(provider, loader->name);
    if (key == NULL) return 0;
    if (loader->expect == OSSL_STORE_INFO_PUBKEY) {
        key->private = ECSM_NO_PRIVATE;
        key->device = NULL;
    }
    return ecsm_key_give(key, callback, argument);
}

static int at_end(void *loader) { return ((loader_t *)loader)->done; }

static int close_it(void *loader) {
    free(loader);
    return 1;
}

/* The properties are those of the key's provider, which this is. */
static const OSSL_PARAM can_set[] = {
    OSSL_PARAM_int(OSSL_STORE_PARAM_EXPECT, NULL),
    OSSL_PARAM_utf8_string(OSSL_STORE_PARAM_PROPERTIES, NULL, 0),
    OSSL_PARAM_END,
};

static int set_params(void *vloader, const OSSL_PARAM params[]) {
    loader_t *loader = vloader;
    const OSSL_PARAM *p;

    if (params == NULL) return 1;
    /* What is not listed is refused by load: where this function fails, OSSL_STORE_open uses what
     * it has freed. */
    for (p = params; p->key != NULL; p++)
        if (OSSL_PARAM_locate_const(can_set, p->key) == NULL) loader->refused = true;
    p = OSSL_PARAM_locate_const(params, OSSL_STORE_PARAM_EXPECT);
    return p == NULL || OSSL_PARAM_get_int(p, &loader->expect);
}

static const OSSL_PARAM *settable(void *provider) {
    (void)provider;
    return can_set;
}

int ecsm_key_export_reference(void *context, const void *reference, size_t size,
                              OSSL_CALLBACK *callback, void *argument) {
    const ecsm_key_t *key;
    OSSL_PARAM *params = NULL;
    int good;

    (void)context;
    if (size != sizeof key) return 0;
    key = *(ecsm_key_t *const *)reference;
    good = key != NULL && EVP_PKEY_todata(key->soft, EVP_PKEY_PUBLIC_KEY, &params) > 0 &&
           callback(params, argument);
    OSSL_PARAM_free(params);
    return good;
}

const OSSL_DISPATCH ecsm_store[] = {
    {OSSL_FUNC_STORE_OPEN, (void (*)(void))open_uri},
    {OSSL_FUNC_STORE_LOAD, (void (*)(void))load},
    {OSSL_FUNC_STORE_EOF, (void (*)(void))at_end},
    {OSSL_FUNC_STORE_CLOSE, (void (*)(void))close_it},
    {OSSL_FUNC_STORE_SET_CTX_PARAMS, (void (*)(void))set_params},
    {OSSL_FUNC_STORE_SETTABLE_CTX_PARAMS, (void (*)(void))settable},
    {OSSL_FUNC_STORE_EXPORT_OBJECT, (void (*)(void))ecsm_key_export_reference},
    {0, NULL},
};
