/* SPDX-License-Identifier: Apache-2.0 */
/* libecsm: the schemes of a block behind AXI4-Lite (ecsm build PRESET --schemes --attach axil).
 *
 * C11, no allocation, no global state. One ecsm_t is one block; its functions are not for several threads
 * at once. The numbers of operations come from the block's own header, registers/ecsm_block_scheme.h,
 * against which the library is compiled.
 *
 * Numbers are strings of octets, the highest first, as SEC 1 has them: a scalar has scalar_octets,
 * a coordinate coordinate_octets (both in ecsm_t), a digest its hash's. A point is two strings.
 *
 * Every function returns an ecsm_status_t: ECSM_OK, the status of the device, or one of the driver's.
 * On an error outputs have nothing of a result: they are unchanged, or zero where words had come.
 * Keys do not come back. docs/guide/firmware.md has programs to begin with. */

#ifndef ECSM_H
#define ECSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecsm_hal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t ecsm_status_t;

enum {
    ECSM_OK = 0,          /* 1 to 15: ECSM_STATUS_* of the block's header */
    ECSM_NO_DEVICE = 16,  /* no block of schemes is there, or not with the operations of the header */
    ECSM_PENDING = 17,    /* the job continues: call ecsm_step again */
    ECSM_BUSY = 18,       /* another job is under way; of ecsm_step: there is no job */
    ECSM_NO_ROOM = 19,    /* an output is longer than its buffer, or there are more: all is dropped */
    ECSM_NO_ANSWER = 20,  /* the limit of steps is reached, or the block was zeroized: keys are lost */
    ECSM_SHORT = 21       /* an output is shorter than expected, as with other tables: all is dropped */
};

typedef struct {
    const uint8_t *octets;
    size_t length;
} ecsm_in_t;

typedef struct {
    uint8_t *octets;
    size_t room;
    size_t length; /* of what came */
} ecsm_out_t;

enum { ECSM_INPUTS = 6, ECSM_OUTPUTS = 4 };

typedef struct {
    ecsm_hal_t hal;
    size_t scalar_octets, coordinate_octets;
    uint32_t steps;  /* of a blocking call, at most: ecsm_step and hal.wait, once each; 0: no limit */
    uint32_t cycles; /* of the block, for the job that ended last */
    /* The job that goes on. */
    bool working, overflow;
    ecsm_in_t in[ECSM_INPUTS];
    ecsm_out_t *out;
    size_t in_count, in_index, in_at, out_count;
    size_t out_index; /* strings that came */
} ecsm_t;

/* ------------------------------------------------------------------ driver */

/* Find the block and its sizes. ECSM_NO_DEVICE; ECSM_BUSY: the block is found, and has a job of before,
 * as after a restart of the CPU alone. No other one begins until ecsm_step has ended it, which drops
 * what it hands out, or ecsm_zeroize. */
ecsm_status_t ecsm_open(ecsm_t *ecsm, const ecsm_hal_t *hal);

/* Tables of a curve, for a block that has none of its own: ecsm_tables.h, which ecsm build makes. */
typedef struct {
    const uint8_t *octets;
    size_t length;
    size_t scalar_octets, coordinate_octets;
} ecsm_tables_t;

/* Load them, after ecsm_open and after each reset of the block; before that it has no operation. Every
 * key and the random state are dropped first. Errors: those of ecsm_run; ECSM_STATUS_UNSUPPORTED: they
 * are none, or the block takes none. */
ecsm_status_t ecsm_load_tables(ecsm_t *ecsm, const ecsm_tables_t *tables);

/* Begin an operation. Strings are read and written by ecsm_step: both must stay until the answer.
 * ECSM_BUSY; ECSM_NO_ROOM: more strings than ECSM_INPUTS; ECSM_STATUS_UNSUPPORTED: an operation, a
 * slot or flags that the block's register has no room for. */
ecsm_status_t ecsm_start(ecsm_t *ecsm, uint32_t operation, uint32_t slot, uint32_t flags,
                         const ecsm_in_t *in, size_t in_count, ecsm_out_t *out, size_t out_count);

/* Go on: from a loop, or from the interrupt's handler. ECSM_PENDING; with any other status the job has
 * ended: ECSM_OK, the device's, ECSM_NO_ROOM; ECSM_BUSY: there is none. On error outputs are zeroed. */
ecsm_status_t ecsm_step(ecsm_t *ecsm);

/* The same to the end, by hal.wait if there is one. Those of both; ECSM_NO_ANSWER. */
ecsm_status_t ecsm_run(ecsm_t *ecsm, uint32_t operation, uint32_t slot, uint32_t flags,
                       const ecsm_in_t *in, size_t in_count, ecsm_out_t *out, size_t out_count);

/* Drop the job, every key and the random state. */
void ecsm_zeroize(ecsm_t *ecsm);

/* ------------------------------------------------------------------ schemes
 * Errors: those of ecsm_run, and ECSM_SHORT; the statuses are those of docs/guide/statuses.md. A function whose
 * operation the block has not returns ECSM_STATUS_UNSUPPORTED, and nothing else happens. */

typedef struct {
    uint8_t *x, *y; /* coordinate_octets each */
} ecsm_point_t;

typedef struct {
    const uint8_t *x, *y;
} ecsm_const_point_t;

/* Seed the random generator from the noise source; a key pair; the public key of a slot. On a block of
 * X25519 or Ed25519 a key is 32 octets, a public one, too: it comes to x, and y may be NULL. */
ecsm_status_t ecsm_seed(ecsm_t *ecsm);
ecsm_status_t ecsm_keygen(ecsm_t *ecsm, uint32_t slot, ecsm_point_t public_key);
ecsm_status_t ecsm_load(ecsm_t *ecsm, uint32_t slot, const uint8_t *key);
ecsm_status_t ecsm_forget(ecsm_t *ecsm, uint32_t slot);
ecsm_status_t ecsm_public(ecsm_t *ecsm, uint32_t slot, ecsm_point_t public_key);

/* The self-test of a word engine: ECSM_STATUS_FAULT_DETECTED if something differs from what is known, and
 * so is every request from then on, until reset or other tables. Keys stay. */
ecsm_status_t ecsm_self_test(ecsm_t *ecsm);

/* Keys that survive power-off, of a block that has AES: RFC 3394 under a device key, 32 octets that are
 * not all zero. That comes first: ECSM_STATUS_UNSUPPORTED if there is one, or a key in a slot. It is gone
 * with all keys. A wrapped key has ecsm_wrapped_octets. ECSM_STATUS_NO_KEY: there is no device key, or no
 * key; of ecsm_unwrap ECSM_STATUS_AUTHENTICATION_FAILED: another device key has wrapped it, or it is
 * altered, and the slot stays as it is. */
ecsm_status_t ecsm_device_key(ecsm_t *ecsm, const uint8_t *key);
size_t ecsm_wrapped_octets(const ecsm_t *ecsm);
ecsm_status_t ecsm_wrap(ecsm_t *ecsm, uint32_t slot, uint8_t *wrapped);
ecsm_status_t ecsm_unwrap(ecsm_t *ecsm, uint32_t slot, const uint8_t *wrapped);

/* SHA-256 of a message, 32 octets. ECDSA of such a digest; r and s: scalar_octets. */
ecsm_status_t ecsm_sha256(ecsm_t *ecsm, const uint8_t *message, size_t length, uint8_t *digest);
ecsm_status_t ecsm_sign(ecsm_t *ecsm, uint32_t slot, const uint8_t *digest, uint8_t *r, uint8_t *s);
ecsm_status_t ecsm_verify(ecsm_t *ecsm, ecsm_const_point_t public_key, const uint8_t *digest,
                          const uint8_t *r, const uint8_t *s);

/* ECDH: x of the shared point, coordinate_octets. */
ecsm_status_t ecsm_agree(ecsm_t *ecsm, uint32_t slot, ecsm_const_point_t peer, uint8_t *secret);

/* ECIES without options and shared information: as many sealed octets as the message has, 2,048 at
 * most, and a tag of 32. */
ecsm_status_t ecsm_encrypt(ecsm_t *ecsm, ecsm_const_point_t public_key, const uint8_t *message,
                           size_t length, ecsm_point_t ephemeral, uint8_t *sealed, uint8_t *tag);
ecsm_status_t ecsm_decrypt(ecsm_t *ecsm, uint32_t slot, ecsm_const_point_t ephemeral,
                           const uint8_t *sealed, size_t length, const uint8_t *tag,
                           uint8_t *message);

/* Its options: flags of the operation, one of each group; none is AES-256 in CTR, with the block's
 * longest hash, of the plain primitive. docs/guide/operations.md. */
enum {
    ECSM_COFACTOR = 1u, /* the cofactor Diffie-Hellman primitive; of EC-AES, too */
    ECSM_AES128_CBC = 1u << 1, /* padded: 1 to 16 octets more are sealed */
    ECSM_AES256_CBC = 2u << 1,
    ECSM_KDF_SHA1 = 1u << 3,
    ECSM_KDF_SHA224 = 2u << 3,
    ECSM_KDF_SHA384 = 3u << 3,
    ECSM_MAC_SHA1 = 1u << 5, /* a tag of 20 octets */
    ECSM_MAC_SHA224 = 2u << 5,
    ECSM_MAC_SHA384 = 3u << 5
};

/* How ECIES is done. info1, 128 octets at most, goes into the key; info2 into the tag, behind what is
 * sealed and with no length between them: the tag stays right when octets move from one to the other. */
typedef struct {
    uint32_t flags;
    ecsm_in_t info1, info2;
} ecsm_ecies_t;

/* ECIES as `how` says. Of the outputs octets and room are given, length comes. */
ecsm_status_t ecsm_encrypt_with(ecsm_t *ecsm, const ecsm_ecies_t *how,
                                ecsm_const_point_t public_key, ecsm_in_t message,
                                ecsm_point_t ephemeral, ecsm_out_t *sealed, ecsm_out_t *tag);
ecsm_status_t ecsm_decrypt_with(ecsm_t *ecsm, const ecsm_ecies_t *how, uint32_t slot,
                                ecsm_const_point_t ephemeral, ecsm_in_t sealed, ecsm_in_t tag,
                                ecsm_out_t *message);

/* PSEC-KEM: a point, a mask of 32 octets, a key of 32. */
ecsm_status_t ecsm_encapsulate(ecsm_t *ecsm, ecsm_const_point_t public_key, ecsm_point_t c1,
                               uint8_t *c2, uint8_t *key);
ecsm_status_t ecsm_decapsulate(ecsm_t *ecsm, uint32_t slot, ecsm_const_point_t c1,
                               const uint8_t *c2, uint8_t *key);

/* X25519 (RFC 7748), of a block that has it: 32 octets each. ECSM_STATUS_LOW_ORDER_POINT: the secret
 * would be zero. */
ecsm_status_t ecsm_x25519(ecsm_t *ecsm, uint32_t slot, const uint8_t *u, uint8_t *secret);

/* Ed25519 (RFC 8032), of a block that has it: a signature of 64 octets of a message of 2,047 at most,
 * ECSM_STATUS_UNSUPPORTED above; a verified one has any length. Flags: none, or Ed25519ph, of which the
 * message is its SHA-512. */
enum { ECSM_ED25519PH = 1u };
ecsm_status_t ecsm_ed25519_sign(ecsm_t *ecsm, uint32_t slot, uint32_t flags, const uint8_t *message,
                                size_t length, uint8_t *signature);
ecsm_status_t ecsm_ed25519_verify(ecsm_t *ecsm, const uint8_t *public_key, const uint8_t *signature,
                                  uint32_t flags, const uint8_t *message, size_t length);

#ifdef __cplusplus
}
#endif

#endif
