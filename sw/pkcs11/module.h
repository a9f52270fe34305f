/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the module share. A slot is a device server, its token what the server holds.
 *
 * Locks. A session has one, for the function that uses it. A slot's connection and what is known of
 * its server are used within a turn of its link. Keys that were seen stay until the end, so that
 * their numbers are read without a lock.
 */
#ifndef ECSM_PKCS11_H
#define ECSM_PKCS11_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/evp.h>
#include <p11-kit/pkcs11.h>

#include "curve.h"
#include "link.h"

enum {
    P11_KEYS = 4096,     /* that a slot has seen, at most: a server may begin anew with others */
    P11_SESSIONS = 1024, /* at once, at most */
    P11_SECRETS = 1024,  /* likewise */
    P11_POINT = 2 * ECSM_MOST_OCTETS + 1,
    P11_ID = 20,
    P11_NAME = 512 /* octets of an attribute, at most: what a search compares */
};

/* A key of a server's, by its name. All but the epoch stays what it is. */
typedef struct {
    char *name;
    ecsm_curve_t curve;
    uint8_t point[P11_POINT]; /* 04, x and y; or the octets of X25519 or Ed25519 */
    size_t point_length;
    uint8_t id[P11_ID];   /* SHA-1 of the point: what certificates call a subject key identifier */
    bool signs, derives;  /* whether the device does it on the key's curve */
    bool verifies;
    atomic_uint epoch;    /* the connection over which the server was last seen to have it */
} p11_key_t;

typedef struct {
    ecsm_link_t *link;
    ecsm_curve_t curve;    /* of the server */
    unsigned curve_epoch;  /* the connection over which the curve is known; 0: none */
    unsigned keys_epoch;   /* and the one over which all keys are */
    p11_key_t *keys[P11_KEYS];
    atomic_size_t count;
} p11_slot_t;

/* A secret that was derived: an object of a session. */
typedef struct p11_secret {
    struct p11_secret *next;
    CK_OBJECT_HANDLE handle;
    CK_SESSION_HANDLE session;
    CK_SLOT_ID slot;
    CK_KEY_TYPE type;
    CK_BBOOL private, sensitive, extractable;
    uint8_t *label, *id;
    size_t label_length, id_length, length;
    uint8_t value[ECSM_MOST_OCTETS];
} p11_secret_t;

/* A signature, or its verification, that has begun. */
typedef struct {
    bool active, parts;    /* whether any part of the message has come */
    CK_MECHANISM_TYPE mechanism;
    p11_key_t *key;
    EVP_MD_CTX *md;        /* of a mechanism with a digest */
    uint8_t *data;         /* of one without: all of it */
    size_t length, most;
} p11_operation_t;

typedef struct {
    CK_SESSION_HANDLE handle;
    CK_SLOT_ID slot;
    CK_FLAGS flags;
    p11_operation_t sign, verify;
    bool finds;
    CK_OBJECT_HANDLE *found;
    size_t found_count, found_next;
} p11_session_t;

/* module.c */
OSSL_LIB_CTX *p11_crypto(void); /* libcrypto's context of our own: no configuration reaches it */
bool p11_enter(void); /* is the module on? p11_leave follows in any case */
void p11_leave(const bool *entered);
p11_slot_t *p11_slot(CK_SLOT_ID slot); /* NULL if there is none */
size_t p11_slots(void);

/* Write a text with spaces behind it, as structures of the standard have it. */
void p11_text(unsigned char *to, size_t room, const char *text);

/* A function's beginning: it is not initialized, or an argument is none. Until the function ends,
 * C_Finalize of another thread waits. */
#define P11_NEED(good)                                                        \
    const bool p11_on __attribute__((cleanup(p11_leave))) = p11_enter();      \
    if (!p11_on) return CKR_CRYPTOKI_NOT_INITIALIZED;                         \
    if (!(good)) return CKR_ARGUMENTS_BAD

/* slot.c: begin a turn with a server that answers. If not, the turn is over. */
CK_RV p11_begin(p11_slot_t *slot);
void p11_end(p11_slot_t *slot);
/* The same in a session, which was opened when there was one. */
CK_RV p11_begin_again(p11_slot_t *slot);
/* Within a turn: learn all keys of the server. */
CK_RV p11_learn(p11_slot_t *slot);
/* Within a turn: find a key in the server. */
CK_RV p11_find(p11_slot_t *slot, p11_key_t *key, unsigned *number);
/* Run an operation with a key, in a turn of its own. `out` gets `outs` strings of `octets`. */
CK_RV p11_run(p11_slot_t *slot, p11_key_t *key, const char *operation,
              const ecsm_string_t *strings, size_t count, uint8_t *const *out, size_t outs,
              size_t octets);
/* Within a turn: run an operation, which hands out so many strings of so many octets. */
CK_RV p11_run_slot(p11_slot_t *slot, unsigned number, const char *operation,
                   const ecsm_string_t *strings, size_t count, uint8_t *const *out, size_t outs,
                   size_t octets);
void p11_slot_free(p11_slot_t *slot);

/* mechanism.c */
typedef struct {
    CK_MECHANISM_TYPE type;
    const char *operation; /* that the device must have */
    const char *digest;    /* as libcrypto names it; NULL: what is signed is given whole */
    CK_FLAGS flags;
} p11_mechanism_t;

/* Find a mechanism among those that a device with these operations has; NULL if it has it not. */
const p11_mechanism_t *p11_mechanism(const char *operations, CK_MECHANISM_TYPE type);
/* What the keys of a curve do with it, of CKF_SIGN, CKF_VERIFY and CKF_DERIVE. */
CK_FLAGS p11_flags(const char *operations, const ecsm_curve_t *curve);
/* Whether it is a mechanism of keys of this curve. */
bool p11_suits(const p11_mechanism_t *mechanism, const ecsm_curve_t *curve);

/* session.c: the session of a handle, locked, or NULL and what is wrong. */
p11_session_t *p11_take(CK_SESSION_HANDLE handle, CK_RV *rv);
void p11_give(p11_session_t *session);
void p11_count_sessions(CK_SLOT_ID slot, CK_TOKEN_INFO *info);
void p11_sessions_close(CK_SLOT_ID slot);
void p11_sessions_drop(void); /* in a child process: its parent's are none of its */
void p11_operation_end(p11_operation_t *operation);

/* object.c */
p11_key_t *p11_key_of(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle, bool private, CK_RV *rv);

/* secret.c */
CK_RV p11_secret_add(p11_secret_t *secret, CK_OBJECT_HANDLE *handle); /* takes it over */
CK_RV p11_secret_value(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle, CK_ATTRIBUTE_TYPE type,
                       uint8_t *room, size_t most, size_t *length);
CK_RV p11_secret_destroy(CK_SLOT_ID slot, CK_OBJECT_HANDLE handle);
void p11_secrets_forget(CK_SESSION_HANDLE session); /* 0: of all sessions */
size_t p11_secrets_list(CK_SLOT_ID slot, CK_OBJECT_HANDLE *handles, size_t most);
void p11_secret_free(p11_secret_t *secret);
void p11_secrets_lock(void);
void p11_secrets_unlock(void);

#endif
