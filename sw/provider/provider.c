/* SPDX-License-Identifier: Apache-2.0
 *
 * The provider itself: what it is configured with, its devices, its errors, what it offers.
 */
#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#define NAME "ECSM elliptic-curve device provider"
#define VERSION "0.2.0"
#define SOCKET "ECSM_SOCKET"
#define GROUP "ECSM_GROUP"

static const OSSL_ITEM reasons[] = {
    {ECSM_R_GONE, "no device server answers: start ecsm serve"},
    {ECSM_R_DEVICE, "the device does not do it"},
    {ECSM_R_NO_SOCKET, "no device server: give its socket in the configuration or in " SOCKET},
    {ECSM_R_IN_DEVICE, "the private key is in the device and does not come out"},
    {ECSM_R_LOST, "the private key was in a device that has been closed since"},
    {ECSM_R_NO_KEY_NAME, "the device has no key of this name"},
    {ECSM_R_NO_PRIVATE, "a private key is wanted"},
    {ECSM_R_DIGEST, "the device has no operation for a digest of this length"},
    {ECSM_R_FAULT, "the device answered with something else"},
    {ECSM_R_PARAMETER, "the parameter cannot be set here"},
    {0, NULL},
};

int ecsm_error_at(const ecsm_provider_t *provider, const char *file, int line, const char *function,
                  uint32_t reason, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    provider->new_error(provider->handle);
    provider->set_error_debug(provider->handle, file, line, function);
    provider->vset_error(provider->handle, reason, *format == 0 ? NULL : format, arguments);
    va_end(arguments);
    return 0;
}

int ecsm_can_set(const ecsm_provider_t *provider, const OSSL_PARAM *table,
                 const OSSL_PARAM params[]) {
    for (; params->key != NULL; params++)
        if (OSSL_PARAM_locate_const(table, params->key) == NULL)
            return ecsm_error(provider, ECSM_R_PARAMETER, "%s", params->key);
    return 1;
}

int ecsm_query_has_digest(const ecsm_provider_t *provider, const OSSL_PARAM params[],
                          const char *query, const char *digest) {
    if (OSSL_PARAM_locate_const(params, query) == NULL ||
        OSSL_PARAM_locate_const(params, digest) != NULL)
        return 1;
    return ecsm_error(provider, ECSM_R_PARAMETER, "%s is set together with %s", query, digest);
}

int ecsm_device_kind(const ecsm_device_t *device) {
    return ecsm_curve_is_octets(&device->curve) ? device->curve.nid : 0;
}

/* Learn what a device is, in a turn. */
static void describe(const ecsm_provider_t *provider, ecsm_device_t *device) {
    ecsm_curve_find(&device->curve, ecsm_link_info(device->link)->curve, provider->soft);
    device->known = true;
}

int ecsm_device_begin(const ecsm_provider_t *provider, ecsm_device_t *device) {
    if (ecsm_link_begin(device->link) != 0) {
        (void)ecsm_error(provider, ECSM_R_GONE, "%s", ecsm_link_why(device->link));
    } else {
        if (!device->known) describe(provider, device);
        if (strcmp(device->curve.name, ecsm_link_info(device->link)->curve) == 0) return 1;
        (void)ecsm_error(provider, ECSM_R_DEVICE, "the server was of %s, and is of %s now",
                         device->curve.name, ecsm_link_info(device->link)->curve);
    }
    ecsm_link_end(device->link);
    return 0;
}

void ecsm_device_end(ecsm_device_t *device) { ecsm_link_end(device->link); }

int ecsm_no_device(const ecsm_provider_t *provider) {
    return ecsm_error(provider, ECSM_R_NO_SOCKET, "%s",
                      provider->trouble == NULL ? "" : provider->trouble);
}

int ecsm_device_of_curve(ecsm_provider_t *provider, int curve, ecsm_device_t **found) {
    *found = NULL;
    if (provider->count == 0) return ecsm_no_device(provider);
    if (curve == NID_undef) return 1;
    for (size_t i = 0; i < provider->count && *found == NULL; i++) {
        ecsm_device_t *device = &provider->devices[i];
        if (!device->known) {
            if (!ecsm_device_begin(provider, device)) return 0;
            ecsm_device_end(device);
        }
        if (device->curve.nid == curve) *found = device;
    }
    return 1;
}

int ecsm_device_failed(const ecsm_provider_t *provider, const ecsm_device_t *device, int status) {
    return ecsm_error(provider, status == ECSM_GONE ? ECSM_R_GONE : ECSM_R_DEVICE, "%s",
                      ecsm_link_why(device->link));
}

int ecsm_device_run(const ecsm_provider_t *provider, ecsm_device_t *device, const char *operation,
                    unsigned slot, const ecsm_string_t *strings, size_t count, uint8_t *const *out,
                    size_t outs, size_t octets) {
    ecsm_frame_t answer;
    const int status = ecsm_link_run(device->link, operation, slot, strings, count, &answer);

    if (status != 0) return ecsm_device_failed(provider, device, status);
    if (answer.count != outs) return ecsm_error(provider, ECSM_R_FAULT, "%s", operation);
    for (size_t i = 0; i < outs; i++) {
        if (answer.strings[i].length != octets)
            return ecsm_error(provider, ECSM_R_FAULT, "%s", operation);
        memcpy(out[i], answer.strings[i].octets, octets);
    }
    return 1;
}

static const OSSL_ALGORITHM keymgmts[] = {
    {"EC:id-ecPublicKey:1.2.840.10045.2.1", "provider=ecsm", ecsm_keymgmt, "EC keys"},
    {"X25519:1.3.101.110", "provider=ecsm", ecsm_x25519_keymgmt, "X25519 keys"},
    {"ED25519:1.3.101.112", "provider=ecsm", ecsm_ed25519_keymgmt, "Ed25519 keys"},
    {NULL, NULL, NULL, NULL},
};
static const OSSL_ALGORITHM signatures[] = {
    {"ECDSA", "provider=ecsm", ecsm_signature, "ECDSA on the device"},
    {"ED25519:1.3.101.112", "provider=ecsm", ecsm_ed25519_signature, "Ed25519 on the device"},
    {NULL, NULL, NULL, NULL},
};
static const OSSL_ALGORITHM exchanges[] = {
    {"ECDH", "provider=ecsm", ecsm_exchange, "ECDH on the device"},
    {"X25519:1.3.101.110", "provider=ecsm", ecsm_x25519_exchange, "X25519 on the device"},
    {NULL, NULL, NULL, NULL},
};
static const OSSL_ALGORITHM stores[] = {
    {"ecsm", "provider=ecsm", ecsm_store, "keys of the device, by name"},
    {NULL, NULL, NULL, NULL},
};

/* The first makes DER of PEM; the others keys of that, which must have a name of the key's kind. */
static const OSSL_ALGORITHM decoders[] = {
    {"DER", "provider=ecsm,input=pem", ecsm_pem_decoder, "files that name a key of the device"},
    {"EC", "provider=ecsm,input=der,structure=ecsm", ecsm_name_decoder, "EC keys by name"},
    {"X25519", "provider=ecsm,input=der,structure=ecsm", ecsm_name_decoder, "X25519 keys by name"},
    {"ED25519", "provider=ecsm,input=der,structure=ecsm", ecsm_name_decoder, "Ed25519 keys by name"},
    {NULL, NULL, NULL, NULL},
};

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache) {
    (void)provider;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_KEYMGMT:
        return keymgmts;
    case OSSL_OP_SIGNATURE:
        return signatures;
    case OSSL_OP_KEYEXCH:
        return exchanges;
    case OSSL_OP_STORE:
        return stores;
    case OSSL_OP_DECODER:
        return decoders;
    default:
        return NULL;
    }
}

static const OSSL_ITEM *reason_strings(void *provider) {
    (void)provider;
    return reasons;
}

static const OSSL_PARAM *gettable(void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
        OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
        OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
        OSSL_PARAM_END,
    };
    (void)provider;
    return table;
}

static int get(void *provider, OSSL_PARAM params[]) {
    OSSL_PARAM *p;

    (void)provider;
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME);
    if (p != NULL && !OSSL_PARAM_set_utf8_ptr(p, NAME)) return 0;
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_VERSION);
    if (p != NULL && !OSSL_PARAM_set_utf8_ptr(p, VERSION)) return 0;
    p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);
    return p == NULL || OSSL_PARAM_set_int(p, 1);
}

typedef struct {
    OSSL_CALLBACK *callback;
    void *argument;
} listener_t;

/* Hand on a TLS group if its keys are elliptic curves', or X25519's. */
static int group_of_ours(const OSSL_PARAM params[], void *argument) {
    const listener_t *listener = argument;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
    const char *algorithm = NULL;

    if (p == NULL || !OSSL_PARAM_get_utf8_string_ptr(p, &algorithm)) return 1;
    return (strcmp(algorithm, "EC") != 0 && strcmp(algorithm, "X25519") != 0) || listener->callback(params, listener->argument);
}

/* libssl takes a group from the provider that it has its keys from: ours are the default one's. */
static int capabilities(void *context, const char *capability, OSSL_CALLBACK *callback,
                        void *argument) {
    const ecsm_provider_t *provider = context;
    listener_t listener = {callback, argument};

    if (strcmp(capability, "TLS-GROUP") != 0) return 0;
    return OSSL_PROVIDER_get_capabilities(provider->standard, capability, group_of_ours, &listener);
}

static void teardown(void *context) {
    ecsm_provider_t *provider = context;

    for (size_t i = 0; i < provider->count; i++) ecsm_link_free(provider->devices[i].link);
    if (provider->standard != NULL) (void)OSSL_PROVIDER_unload(provider->standard);
    OSSL_LIB_CTX_free(provider->soft);
    free(provider);
}

/* Make a link of each path in a list with ':' between them. */
static int add_links(ecsm_provider_t *provider, const char *paths, const char *group) {
    ecsm_link_t *links[ECSM_LINKS];
    const int count = ecsm_links_new(paths, group, links);

    for (int i = 0; i < count; i++) provider->devices[i].link = links[i];
    provider->count = count < 0 ? 0 : (size_t)count;
    return count >= 0;
}

/* Have no device, and say why when one is wanted. A provider that does not load is no better: then
 * libcrypto does in software, without a word, what was to be done in the device. */
static void refuse(ecsm_provider_t *provider, const char *why) {
    while (provider->count > 0) ecsm_link_free(provider->devices[--provider->count].link);
    provider->trouble = why;
}

/* Read what the provider is configured with. */
static int configure(ecsm_provider_t *provider, OSSL_FUNC_core_get_params_fn *get_params) {
    char *socket = NULL, *group = NULL, *generate = NULL;
    OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_ptr("socket", (char **)&socket, 0),
        OSSL_PARAM_utf8_ptr("group", (char **)&group, 0),
        OSSL_PARAM_utf8_ptr("generate", (char **)&generate, 0),
        OSSL_PARAM_END,
    };

    if (get_params != NULL && !get_params(provider->handle, params)) return 0;
    if (socket == NULL) socket = secure_getenv(SOCKET);
    if (group == NULL) group = secure_getenv(GROUP);
    if (group == NULL) group = "";
    if (strlen(group) >= ECSM_LINK_GROUP)
        refuse(provider, "a group's name has 63 octets at most");
    else if (socket != NULL && !add_links(provider, socket, group))
        refuse(provider, "8 sockets at most, of 107 octets at most, ':' between them");
    if (generate != NULL && strcmp(generate, "device") != 0)
        refuse(provider, "generate is `device`, or is left out");
    provider->in_device = generate != NULL;
    return 1;
}

static const OSSL_DISPATCH functions[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown},
    {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable},
    {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
    {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))capabilities},
    {OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, (void (*)(void))reason_strings},
    {0, NULL},
};

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in,
                       const OSSL_DISPATCH **out, void **context) {
    OSSL_FUNC_core_get_params_fn *get_params = NULL;
    ecsm_provider_t *provider = calloc(1, sizeof *provider);

    if (provider == NULL) return 0;
    provider->handle = handle;
    for (const OSSL_DISPATCH *one = in; one->function_id != 0; one++) {
        switch (one->function_id) {
        case OSSL_FUNC_CORE_GET_PARAMS:
            get_params = OSSL_FUNC_core_get_params(one);
            break;
        case OSSL_FUNC_CORE_NEW_ERROR:
            provider->new_error = OSSL_FUNC_core_new_error(one);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            provider->set_error_debug = OSSL_FUNC_core_set_error_debug(one);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            provider->vset_error = OSSL_FUNC_core_vset_error(one);
            break;
        default:
            break;
        }
    }
    provider->soft = OSSL_LIB_CTX_new_from_dispatch(handle, in);
    if (provider->soft != NULL) provider->standard = OSSL_PROVIDER_load(provider->soft, "default");
    if (provider->standard == NULL || provider->new_error == NULL ||
        provider->set_error_debug == NULL || provider->vset_error == NULL ||
        !configure(provider, get_params)) {
        teardown(provider);
        return 0;
    }
    *context = provider;
    *out = functions;
    return 1;
}
