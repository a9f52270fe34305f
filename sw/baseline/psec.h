// SPDX-License-Identifier: Apache-2.0
//
// PSEC-KEM of the NTT specification, version 2.0, on a curve of 256 bits: MGF1 with SHA-256 derives
// keys, points are uncompressed, PECP2OSP is a point's x, pLen = hLen = keyLen = 32.
#ifndef PSEC_KEM_PSEC_H
#define PSEC_KEM_PSEC_H

#include "curve.h"

enum {
    HASH_OCTETS = 32,  // of the random string r and of c2, too
    KEY_OCTETS = 32,
    CAPSULE_OCTETS = POINT_OCTETS + HASH_OCTETS,  // 04 || x || y || c2, as `ecsm encap` writes it
};

typedef enum {
    PSEC_OK,
    PSEC_BAD_POINT,  // the public key, or the capsule's point, is not on the curve
    PSEC_BAD_KEY,    // the private key is not in 1 .. n - 1
    PSEC_REJECTED,   // the capsule is not what its content makes: the specification's INVALID
    PSEC_FAULT,      // libcrypto failed, or alpha is 0
} psec_status;

// From the public key w and 32 random octets r: a capsule and the key in it. Both are written with
// PSEC_OK alone. Returns PSEC_BAD_POINT, PSEC_FAULT too.
psec_status psec_encapsulate(const curve *c, multiply *mul, const point *w,
                             const uint8_t r[HASH_OCTETS], uint8_t capsule[CAPSULE_OCTETS],
                             uint8_t key[KEY_OCTETS]);

// From the private key s and a capsule: the key, which is written with PSEC_OK alone. Returns
// PSEC_BAD_KEY, PSEC_BAD_POINT, PSEC_REJECTED, PSEC_FAULT too.
psec_status psec_decapsulate(const curve *c, multiply *mul, const number *s,
                             const uint8_t capsule[CAPSULE_OCTETS], uint8_t key[KEY_OCTETS]);

#endif
