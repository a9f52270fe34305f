/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519 and Ed25519: keys that are 32 octets, the exchange, the signature. Where no device is of
 * the curve, the default provider computes.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#define IN_DEVICE "ecsm-in-device"

enum { OCTETS = 32, SIGNATURE = 64 };

/* ------------------------------------------------------------------ keys */

static void *new_key(void *provider, int kind) {
    ecsm_key_t *key = ecsm_key_new(provider);

    if (key != NULL) key->kind = kind;
    return key;
}

static void *new_x25519(void *provider) { return new_key(provider, NID_X25519); }
static void *new_ed25519(void *provider) { return new_key(provider, NID_ED25519); }

/* There are no parameters: a key that has nothing yet has them all. */
static int has(const void *keydata, int selection) {
    const ecsm_key_t *key = keydata;

    if (key == NULL) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) && !key->has_public) return 0;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0 || key->private != ECSM_NO_PRIVATE;
}

static int match(const void *first, const void *second, int selection) {
    const ecsm_key_t *a = first, *b = second;

    if (a->kind != b->kind) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0) return 1;
    return a->soft != NULL && b->soft != NULL && EVP_PKEY_eq(a->soft, b->soft) == 1;
}

static const OSSL_PARAM none[] = {OSSL_PARAM_END};
static const OSSL_PARAM *types(int selection) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };

    return (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0 ? table : none;
}

static const OSSL_PARAM *gettable_params(void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_MANDATORY_DIGEST, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provider;
    return table;
}

/* The sizes are those of the kind: libcrypto asks for them before there is a key, and keeps them. */
static int get_key(void *keydata, OSSL_PARAM params[]) {
    const ecsm_key_t *key = keydata;
    const bool signs = key->kind == NID_ED25519;
    OSSL_PARAM *p;

    if (key->soft != NULL) return ecsm_key_get(keydata, params);
    p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_BITS);
    if (p != NULL && !OSSL_PARAM_set_int(p, signs ? 256 : 253)) return 0;
    p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_SECURITY_BITS);
    if (p != NULL && !OSSL_PARAM_set_int(p, 128)) return 0;
    p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_MAX_SIZE);
    if (p != NULL && !OSSL_PARAM_set_int(p, signs ? SIGNATURE : OCTETS)) return 0;
    p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_MANDATORY_DIGEST);
    return p == NULL || !signs || OSSL_PARAM_set_utf8_string(p, "");
}

static const OSSL_PARAM can_set_key[] = {
    OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *settable_params(void *provider) {
    (void)provider;
    return can_set_key;
}

/* The public key of the other side of a handshake, into a key that has nothing yet. */
static int set_params(void *keydata, const OSSL_PARAM params[]) {
    ecsm_key_t *key = keydata;
    const OSSL_PARAM *p;

    if (params == NULL || params->key == NULL) return 1;
    if (!ecsm_can_set(key->provider, can_set_key, params)) return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    if (p == NULL || p->data_type != OSSL_PARAM_OCTET_STRING || p->data_size != OCTETS) return 0;
    if (key->private != ECSM_NO_PRIVATE)
        return ecsm_error(key->provider, ECSM_R_PARAMETER, "%s",
                          "the public key is that of the private key");
    return ecsm_key_set_octets(key, p->data, NULL);
}

/* ------------------------------------------------------------------ generation */

typedef struct {
    ecsm_provider_t *provider;
    int kind, selection;
    bool in_device, asked;
} gen_t;

static const OSSL_PARAM can_set_gen[] = {
    OSSL_PARAM_int(IN_DEVICE, NULL),
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
    OSSL_PARAM_END,
};

static const OSSL_PARAM *gen_settable(void *context, void *provider) {
    (void)context;
    (void)provider;
    return can_set_gen;
}

/* The group's name is that of the algorithm: libssl gives it. */
static int gen_set(void *context, const OSSL_PARAM params[]) {
    gen_t *gen = context;
    const OSSL_PARAM *p;
    const char *group;
    int in_device;

    if (params == NULL || params->key == NULL) return 1;
    if (!ecsm_can_set(gen->provider, can_set_gen, params)) return 0;
    p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_GROUP_NAME);
    if (p != NULL && (!OSSL_PARAM_get_utf8_string_ptr(p, &group) ||
                      OPENSSL_strcasecmp(group, OBJ_nid2sn(gen->kind)) != 0))
        return 0;
    p = OSSL_PARAM_locate_const(params, IN_DEVICE);
    if (p == NULL) return 1;
    if (!OSSL_PARAM_get_int(p, &in_device)) return 0;
    gen->in_device = gen->asked = in_device != 0;
    return 1;
}

static void *gen_init(void *context, int selection, const OSSL_PARAM params[], int kind) {
    ecsm_provider_t *provider = context;
    gen_t *gen = calloc(1, sizeof *gen);

    if (gen == NULL) return NULL;
    *gen = (gen_t){provider, kind, selection, provider->in_device, false};
    if (gen_set(gen, params)) return gen;
    free(gen);
    return NULL;
}

static void *gen_x25519(void *provider, int selection, const OSSL_PARAM params[]) {
    return gen_init(provider, selection, params, NID_X25519);
}

static void *gen_ed25519(void *provider, int selection, const OSSL_PARAM params[]) {
    return gen_init(provider, selection, params, NID_ED25519);
}

/* Let the device make a key and keep it. */
static int inside(ecsm_key_t *key, ecsm_device_t *device) {
    uint8_t public[OCTETS];

    return ecsm_key_inside(key, device, (uint8_t *[]){public}, 1, OCTETS) &&
           ecsm_key_set_octets(key, public, NULL);
}

/* Random octets, and their public key from the device. */
static int outside(ecsm_key_t *key, ecsm_device_t *device) {
    ecsm_provider_t *provider = key->provider;
    uint8_t private[OCTETS], public[OCTETS];
    const ecsm_string_t secret = {private, OCTETS};
    int good = RAND_priv_bytes_ex(provider->soft, private, OCTETS, 0) > 0 &&
               ecsm_device_begin(provider, device);

    if (good) {
        good = ecsm_device_run(provider, device, "load", 0, &secret, 1, NULL, 0, 0) &&
               ecsm_device_run(provider, device, "public", 0, NULL, 0, (uint8_t *[]){public}, 1,
                               OCTETS);
        (void)ecsm_link_run(device->link, "forget", 0, NULL, 0, NULL);
        ecsm_device_end(device);
    }
    good = good && ecsm_key_set_octets(key, public, private);
    OPENSSL_cleanse(private, sizeof private);
    return good;
}

static int soft(const gen_t *gen, ecsm_key_t *key) {
    if (gen->asked) return ecsm_error(gen->provider, ECSM_R_DEVICE, "%s", "no device has the curve");
    key->soft = EVP_PKEY_Q_keygen(gen->provider->soft, NULL, OBJ_nid2sn(gen->kind));
    key->has_public = key->soft != NULL;
    key->private = ECSM_PRIVATE_SOFT;
    return key->soft != NULL;
}

static void *generate(void *context, OSSL_CALLBACK *callback, void *argument) {
    const gen_t *gen = context;
    ecsm_key_t *key = new_key(gen->provider, gen->kind);
    ecsm_device_t *device;
    int good = key != NULL;

    (void)callback;
    (void)argument;
    if (good && (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0) {
        good = ecsm_device_of_curve(gen->provider, gen->kind, &device);
        if (good && device == NULL)
            good = soft(gen, key);
        else if (good)
            good = gen->in_device ? inside(key, device) : outside(key, device);
    }
    if (good) return key;
    ecsm_key_free(key);
    return NULL;
}

/* No QUERY_OPERATION_NAME: an operation then has the key's own name, and the other kind has none. */
#define KEYMGMT(name, create, begin)                                             \
    const OSSL_DISPATCH name[] = {                                               \
        {OSSL_FUNC_KEYMGMT_NEW, (void (*)(void))create},                         \
        {OSSL_FUNC_KEYMGMT_FREE, (void (*)(void))ecsm_key_free},                 \
        {OSSL_FUNC_KEYMGMT_LOAD, (void (*)(void))ecsm_key_load},                 \
        {OSSL_FUNC_KEYMGMT_DUP, (void (*)(void))ecsm_key_dup},                   \
        {OSSL_FUNC_KEYMGMT_HAS, (void (*)(void))has},                            \
        {OSSL_FUNC_KEYMGMT_MATCH, (void (*)(void))match},                        \
        {OSSL_FUNC_KEYMGMT_VALIDATE, (void (*)(void))ecsm_key_validate},         \
        {OSSL_FUNC_KEYMGMT_IMPORT, (void (*)(void))ecsm_key_import},             \
        {OSSL_FUNC_KEYMGMT_IMPORT_TYPES, (void (*)(void))types},                 \
        {OSSL_FUNC_KEYMGMT_EXPORT, (void (*)(void))ecsm_key_export},             \
        {OSSL_FUNC_KEYMGMT_EXPORT_TYPES, (void (*)(void))types},                 \
        {OSSL_FUNC_KEYMGMT_GET_PARAMS, (void (*)(void))get_key},                 \
        {OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, (void (*)(void))gettable_params},    \
        {OSSL_FUNC_KEYMGMT_SET_PARAMS, (void (*)(void))set_params},              \
        {OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, (void (*)(void))settable_params},    \
        {OSSL_FUNC_KEYMGMT_GEN_INIT, (void (*)(void))begin},                     \
        {OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, (void (*)(void))gen_set},             \
        {OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, (void (*)(void))gen_settable},   \
        {OSSL_FUNC_KEYMGMT_GEN, (void (*)(void))generate},                       \
        {OSSL_FUNC_KEYMGMT_GEN_CLEANUP, (void (*)(void))free},                   \
        {0, NULL},                                                               \
    }

KEYMGMT(ecsm_x25519_keymgmt, new_x25519, gen_x25519);
KEYMGMT(ecsm_ed25519_keymgmt, new_ed25519, gen_ed25519);

/* ------------------------------------------------------------------ exchange and signature */

typedef struct {
    ecsm_provider_t *provider;
    ecsm_key_t *key, *peer;
} context_t;

static void *new_context(void *provider) {
    context_t *context = calloc(1, sizeof *context);

    if (context != NULL) context->provider = provider;
    return context;
}

static void *new_signature(void *provider, const char *properties) {
    (void)properties;
    return new_context(provider);
}

static void free_context(void *vcontext) {
    context_t *context = vcontext;

    if (context == NULL) return;
    ecsm_key_free(context->key);
    ecsm_key_free(context->peer);
    free(context);
}

static void *dup_context(void *vcontext) {
    context_t *context = vcontext, *copy = new_context(context->provider);

    if (copy == NULL) return NULL;
    if (context->key != NULL) ecsm_key_hold(copy->key = context->key);
    if (context->peer != NULL) ecsm_key_hold(copy->peer = context->peer);
    return copy;
}

static int hold(ecsm_key_t **place, ecsm_key_t *key) {
    ecsm_key_hold(key);
    ecsm_key_free(*place);
    *place = key;
    return 1;
}

static int need_private(const context_t *context, const ecsm_key_t *key) {
    if (key == NULL) return 0;
    return key->private != ECSM_NO_PRIVATE ||
           ecsm_error(context->provider, ECSM_R_NO_PRIVATE, "%s", "");
}

/* Neither operation has a parameter: one that is given would have no effect. */
static int no_params(const context_t *context, const OSSL_PARAM params[]) {
    return params == NULL || ecsm_can_set(context->provider, none, params);
}

static int exchange_init(void *context, void *key, const OSSL_PARAM params[]) {
    return no_params(context, params) && need_private(context, key) &&
           hold(&((context_t *)context)->key, key);
}

static int set_peer(void *vcontext, void *peer) {
    context_t *context = vcontext;

    return peer != NULL && ((ecsm_key_t *)peer)->has_public && hold(&context->peer, peer);
}

static int derive(void *vcontext, unsigned char *secret, size_t *length, size_t room) {
    context_t *context = vcontext;
    ecsm_device_t *device;
    uint8_t u[OCTETS], z[OCTETS];
    int good;

    if (context->key == NULL || context->peer == NULL || !ecsm_device_of(context->key, &device))
        return 0;
    *length = OCTETS;
    if (secret == NULL) return 1;
    if (room < OCTETS || !ecsm_key_octets(context->peer, u)) return 0;
    if (device == NULL) {
        EVP_PKEY_CTX *plain = ecsm_key_context(context->key);
        good = plain != NULL && EVP_PKEY_derive_init(plain) > 0 &&
               EVP_PKEY_derive_set_peer(plain, context->peer->soft) > 0 &&
               EVP_PKEY_derive(plain, secret, length) > 0;
        EVP_PKEY_CTX_free(plain);
        return good;
    }
    const ecsm_string_t point = {u, OCTETS};
    good = ecsm_key_run(context->key, device, "x25519", &point, 1, (uint8_t *[]){z}, 1, OCTETS);
    if (good) memcpy(secret, z, OCTETS);
    OPENSSL_cleanse(z, sizeof z);
    return good;
}

const OSSL_DISPATCH ecsm_x25519_exchange[] = {
    {OSSL_FUNC_KEYEXCH_NEWCTX, (void (*)(void))new_context},
    {OSSL_FUNC_KEYEXCH_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_KEYEXCH_DUPCTX, (void (*)(void))dup_context},
    {OSSL_FUNC_KEYEXCH_INIT, (void (*)(void))exchange_init},
    {OSSL_FUNC_KEYEXCH_SET_PEER, (void (*)(void))set_peer},
    {OSSL_FUNC_KEYEXCH_DERIVE, (void (*)(void))derive},
    {0, NULL},
};

/* A digest is none of Ed25519's: the message is what is signed. */
static int begin(context_t *context, const char *digest, ecsm_key_t *key) {
    if (digest != NULL && digest[0] != 0)
        return ecsm_error(context->provider, ECSM_R_DIGEST, "%s", digest);
    if (key == NULL) return context->key != NULL;
    return hold(&context->key, key);
}

static int sign_init(void *vcontext, const char *digest, void *key, const OSSL_PARAM params[]) {
    context_t *context = vcontext;

    return no_params(context, params) && (key == NULL || need_private(context, key)) &&
           begin(context, digest, key);
}

static int verify_init(void *vcontext, const char *digest, void *key, const OSSL_PARAM params[]) {
    return no_params(vcontext, params) && begin(vcontext, digest, key);
}

static int sign(void *vcontext, unsigned char *signature, size_t *length, size_t room,
                const unsigned char *tbs, size_t tbs_length) {
    context_t *context = vcontext;
    const ecsm_string_t message = {(uint8_t *)tbs, tbs_length};
    ecsm_device_t *device;

    if (context->key == NULL) return 0;
    *length = SIGNATURE;
    if (signature == NULL) return 1;
    if (room < SIGNATURE || !ecsm_device_of(context->key, &device)) return 0;
    if (device != NULL && tbs_length > ECSM_ED25519_MESSAGE)
        return ecsm_error(context->provider, ECSM_R_DEVICE, "%d octets at most", ECSM_ED25519_MESSAGE);
    if (device != NULL)
        return ecsm_key_run(context->key, device, "sign-ed25519", &message, 1,
                            (uint8_t *[]){signature}, 1, SIGNATURE);
    EVP_MD_CTX *plain = EVP_MD_CTX_new();
    const int good = plain != NULL &&
                     EVP_DigestSignInit_ex(plain, NULL, NULL, context->provider->soft, NULL,
                                           context->key->soft, NULL) > 0 &&
                     EVP_DigestSign(plain, signature, length, tbs, tbs_length) > 0;
    EVP_MD_CTX_free(plain);
    return good;
}

/* Nothing of a verification is secret, and the default provider takes messages of any length. */
static int verify(void *vcontext, const unsigned char *signature, size_t length,
                  const unsigned char *tbs, size_t tbs_length) {
    context_t *context = vcontext;
    EVP_MD_CTX *plain = EVP_MD_CTX_new();
    const int good = plain != NULL && context->key != NULL && context->key->soft != NULL &&
                     EVP_DigestVerifyInit_ex(plain, NULL, NULL, context->provider->soft, NULL,
                                             context->key->soft, NULL) > 0 &&
                     EVP_DigestVerify(plain, signature, length, tbs, tbs_length) > 0;

    EVP_MD_CTX_free(plain);
    return good;
}

/* The algorithm's name in a certificate: id-Ed25519, without parameters (RFC 8410, 3). */
static int get_params(void *context, OSSL_PARAM params[]) {
    static const unsigned char name[] = {0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70};
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);

    (void)context;
    return p == NULL || OSSL_PARAM_set_octet_string(p, name, sizeof name);
}

static const OSSL_PARAM *gettable(void *context, void *provider) {
    static const OSSL_PARAM table[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)context;
    (void)provider;
    return table;
}

const OSSL_DISPATCH ecsm_ed25519_signature[] = {
    {OSSL_FUNC_SIGNATURE_NEWCTX, (void (*)(void))new_signature},
    {OSSL_FUNC_SIGNATURE_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_SIGNATURE_DUPCTX, (void (*)(void))dup_context},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, (void (*)(void))sign_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_SIGN, (void (*)(void))sign},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, (void (*)(void))verify_init},
    {OSSL_FUNC_SIGNATURE_DIGEST_VERIFY, (void (*)(void))verify},
    {OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, (void (*)(void))gettable},
    {0, NULL},
};
