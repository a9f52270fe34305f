/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the provider share. A key is kept by the default provider, in a library context
 * of our own (`soft`): its numbers, its checks, its conversions. What is computed with it on a
 * curve of a device is computed there; on other curves, by the default provider.
 */
#ifndef ECSM_PROVIDER_H
#define ECSM_PROVIDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <openssl/objects.h>

#include "curve.h"
#include "link.h"

enum {
    ECSM_MOST_NAME = 64       /* of a key of the server's */
};

/* What stands before a key's name, as a program gives it. */
#define ECSM_SCHEME "ecsm:"

/* Reasons of errors, as the openssl command prints them. */
enum {
    ECSM_R_GONE = 1,       /* the device server does not answer; the text says why */
    ECSM_R_DEVICE,         /* the device does not do it; the text says why */
    ECSM_R_NO_SOCKET,      /* nothing says where the device server is */
    ECSM_R_IN_DEVICE,      /* the private key is in the device and stays there */
    ECSM_R_LOST,           /* the key was made in a device that has been closed since */
    ECSM_R_NO_KEY_NAME,    /* the device has no key of this name */
    ECSM_R_NO_PRIVATE,     /* a public key cannot do it */
    ECSM_R_DIGEST,         /* no operation of the device is for a digest of this length */
    ECSM_R_FAULT,          /* the device's answer is none */
    ECSM_R_PARAMETER       /* a parameter that has no effect here, or not now; the text says which */
};

/* A device server, and the curve that it is of; that is known once it has been connected, and does
 * not change from then on. */
typedef struct {
    ecsm_link_t *link;
    atomic_bool known;
    ecsm_curve_t curve;
} ecsm_device_t;

typedef struct {
    const OSSL_CORE_HANDLE *handle;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_LIB_CTX *soft;      /* our own, for the default provider alone */
    OSSL_PROVIDER *standard; /* which is this */
    ecsm_device_t devices[ECSM_LINKS];
    size_t count;
    const char *trouble; /* what is wrong with the configuration: then there are no devices; or NULL */
    bool in_device; /* keys are made in the device, unless a generation says otherwise */
} ecsm_provider_t;

typedef enum {
    ECSM_NO_PRIVATE,
    ECSM_PRIVATE_SOFT,   /* `soft` has it: it is given to the device for each job */
    ECSM_PRIVATE_NAMED,  /* a key of the server's, by its name */
    ECSM_PRIVATE_INSIDE  /* made in the device, in a slot of our connection */
} ecsm_private_t;

typedef struct ecsm_key {
    atomic_int references;
    ecsm_provider_t *provider;
    EVP_PKEY *soft; /* NULL: nothing is known of the key yet */
    int kind; /* NID_X25519, NID_ED25519: the key is octets; 0: it is a point and a number */
    bool has_public;
    ecsm_private_t private;
    ecsm_device_t *device; /* that has the private key; NULL if none has */
    unsigned slot;         /* of one that was made in the device */
    struct ecsm_key *owner; /* of the slot, if this is a copy; or NULL */
    atomic_uint epoch;     /* the connection over which the device was last seen to have it */
    char name[ECSM_MOST_NAME + 1];
} ecsm_key_t;

/* Raise an error with a text behind it. Always returns 0. */
#define ecsm_error(provider, reason, ...) \
    ecsm_error_at(provider, __FILE__, __LINE__, __func__, reason, __VA_ARGS__)
__attribute__((format(printf, 6, 7)))
int ecsm_error_at(const ecsm_provider_t *provider, const char *file, int line, const char *function,
                  uint32_t reason, const char *format, ...);

/* What describes a curve and how it is written, as the default provider has it. */
#define ECSM_CURVE_PARAMETERS \
    OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0), \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_ENCODING, NULL, 0), \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, NULL, 0), \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_FIELD_TYPE, NULL, 0), \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_P, NULL, 0), \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_A, NULL, 0), \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_B, NULL, 0), \
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_EC_GENERATOR, NULL, 0), \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_ORDER, NULL, 0), \
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_COFACTOR, NULL, 0), \
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_EC_SEED, NULL, 0), \
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_GROUP_CHECK_TYPE, NULL, 0)

/* Whether a table of what can be set has all of these parameters; if not, an error says which it
 * has not. What is not listed would not reach the result. */
int ecsm_can_set(const ecsm_provider_t *provider, const OSSL_PARAM *table,
                 const OSSL_PARAM params[]);

/* Whether a query for a digest comes with the digest's name: libcrypto takes no notice of it alone. */
int ecsm_query_has_digest(const ecsm_provider_t *provider, const OSSL_PARAM params[],
                          const char *query, const char *digest);

/* Raise that there is no device, and why. Returns 0. */
int ecsm_no_device(const ecsm_provider_t *provider);

/* Find the device of a curve: 1 and the device, or NULL if there is none; 0 if that cannot be known,
 * with an error: a device that has not been reached yet does not answer. */
int ecsm_device_of_curve(ecsm_provider_t *provider, int curve, ecsm_device_t **device);

/* The same of a key's curve; one that libcrypto has no name for is no device's. */
int ecsm_device_of_soft(ecsm_provider_t *provider, const EVP_PKEY *soft, ecsm_device_t **device);
int ecsm_device_of(const ecsm_key_t *key, ecsm_device_t **device);

/* Run an operation within a turn; on failure an error is raised and 0 returned. Each of `count`
 * strings handed out must be as long as `octets`, and is copied to its place in `out`. */
int ecsm_device_run(const ecsm_provider_t *provider, ecsm_device_t *device, const char *operation,
                    unsigned slot, const ecsm_string_t *strings, size_t count, uint8_t *const *out,
                    size_t outs, size_t octets);

/* Raise the error of a link's result that is not 0. Always returns 0. */
int ecsm_device_failed(const ecsm_provider_t *provider, const ecsm_device_t *device, int status);

/* What keys of a device are: see ecsm_key_t.kind. */
int ecsm_device_kind(const ecsm_device_t *device);

/* Begin and end a turn; begin raises an error and returns 0 on failure, the turn is then over. */
int ecsm_device_begin(const ecsm_provider_t *provider, ecsm_device_t *device);
void ecsm_device_end(ecsm_device_t *device);

/* Run an operation with a private key: in a turn of its own, with the key in the device. */
int ecsm_key_run(const ecsm_key_t *key, ecsm_device_t *device, const char *operation,
                 const ecsm_string_t *strings, size_t count, uint8_t *const *out, size_t outs,
                 size_t octets);

/* A key's public point: two strings of the device's field_octets. */
int ecsm_key_point(const ecsm_key_t *key, const ecsm_device_t *device, uint8_t *x, uint8_t *y);

ecsm_key_t *ecsm_key_new(ecsm_provider_t *provider);
void ecsm_key_hold(ecsm_key_t *key);
void ecsm_key_free(void *key);

/* Let a key without numbers be one of a device's curve: a point, and the private number if that is
 * not NULL. The curve's parameters stay as they are, if it has any. */
int ecsm_key_set(ecsm_key_t *key, const ecsm_device_t *device, const uint8_t *x, const uint8_t *y,
                 const uint8_t *private);

/* Let `soft` be of these numbers, or octets. */
int ecsm_key_set_soft(ecsm_key_t *key, int selection, const OSSL_PARAM params[]);

/* The same of a key that is octets: 32 of the public one, and of the private one or NULL. */
int ecsm_key_set_octets(ecsm_key_t *key, const uint8_t *public, const uint8_t *private);

/* Its public key, 32 octets. */
int ecsm_key_octets(const ecsm_key_t *key, uint8_t *public);

/* Let a device make the private key and keep it; `out` gets the public one, `outs` strings. */
int ecsm_key_inside(ecsm_key_t *key, ecsm_device_t *device, uint8_t *const *out, size_t outs,
                    size_t octets);

/* store.c: the key that a device holds by a name, or NULL and an error. */
ecsm_key_t *ecsm_key_of_name(ecsm_provider_t *provider, const char *name);

/* Hand a key to the library, which takes it over or not. Returns what the callback does. */
int ecsm_key_give(ecsm_key_t *key, OSSL_CALLBACK *callback, void *argument);

/* For a library that has chosen another provider for the key: the public key is all it gets. */
int ecsm_key_export_reference(void *context, const void *reference, size_t size,
                              OSSL_CALLBACK *callback, void *argument);

/* What libcrypto calls, of keys of both kinds. */
void *ecsm_key_load(const void *reference, size_t size);
void *ecsm_key_dup(const void *key, int selection);
int ecsm_key_validate(const void *key, int selection, int how);
int ecsm_key_import(void *key, int selection, const OSSL_PARAM params[]);
int ecsm_key_export(void *key, int selection, OSSL_CALLBACK *callback, void *argument);
int ecsm_key_get(void *key, OSSL_PARAM params[]);

/* A context of the default provider for a key's operations. */
EVP_PKEY_CTX *ecsm_key_context(const ecsm_key_t *key);

/* gen.c */
void *ecsm_gen_init(void *provider, int selection, const OSSL_PARAM params[]);
int ecsm_gen_set_template(void *gen, void *key);
int ecsm_gen_set_params(void *gen, const OSSL_PARAM params[]);
const OSSL_PARAM *ecsm_gen_settable_params(void *gen, void *provider);
void *ecsm_gen(void *gen, OSSL_CALLBACK *callback, void *argument);
void ecsm_gen_cleanup(void *gen);

extern const OSSL_DISPATCH ecsm_keymgmt[], ecsm_signature[], ecsm_exchange[], ecsm_store[];
extern const OSSL_DISPATCH ecsm_pem_decoder[], ecsm_name_decoder[];
extern const OSSL_DISPATCH ecsm_x25519_keymgmt[], ecsm_ed25519_keymgmt[], ecsm_x25519_exchange[],
    ecsm_ed25519_signature[];

#endif
