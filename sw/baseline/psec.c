// SPDX-License-Identifier: Apache-2.0
//
// Source: the PSEC-KEM report (2012), sections 2.1 and 2.2, after NTT's PSEC-KEM specification,
// version 2.0 (2007).

#include "psec.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

enum {
    T_OCTETS = OCTETS + 16,
    Z_OCTETS = 4 + POINT_OCTETS + OCTETS,  // the longest string that is hashed, but its counter
};

// MGF1: SHA-256(z || 0) || SHA-256(z || 1) || ..; at most three digests; false if libcrypto fails.
static bool kdf(uint8_t *out, size_t octets, const uint8_t *z, size_t length) {
    uint8_t text[Z_OCTETS + 4] = {0}, digest[HASH_OCTETS];
    memcpy(text, z, length);
    for (uint8_t i = 0; octets; i++) {
        const size_t part = octets < sizeof digest ? octets : sizeof digest;
        text[length + 3] = i;
        if (!EVP_Digest(text, length + 4, digest, NULL, EVP_sha256(), NULL)) return false;
        memcpy(out, digest, part);
        out += part;
        octets -= part;
    }
    return true;
}

// alpha = t mod n and the key, of t || key = KDF(0 || r).
static bool derive(const curve *c, const uint8_t r[HASH_OCTETS], number *alpha,
                   uint8_t key[KEY_OCTETS]) {
    uint8_t z[4 + HASH_OCTETS] = {0}, derived[T_OCTETS + KEY_OCTETS];
    mp_limb_t t[T_OCTETS / 8] = {0}, quotient[T_OCTETS / 8 - LIMBS + 1];
    memcpy(z + 4, r, HASH_OCTETS);
    if (!kdf(derived, sizeof derived, z, sizeof z)) return false;
    for (int i = 0; i < T_OCTETS; i++)
        t[i / 8] |= (mp_limb_t)derived[T_OCTETS - 1 - i] << (8 * (i % 8));
    mpn_tdiv_qr(quotient, alpha->w, 0, t, T_OCTETS / 8, c->n.w, LIMBS);
    memcpy(key, derived + T_OCTETS, KEY_OCTETS);
    return true;
}

// out = in xor KDF(1 || C1 || x of q), C1 as the capsule begins.
static bool mask(const uint8_t capsule[CAPSULE_OCTETS], const point *q,
                 const uint8_t in[HASH_OCTETS], uint8_t out[HASH_OCTETS]) {
    uint8_t z[Z_OCTETS] = {0, 0, 0, 1}, derived[HASH_OCTETS];
    memcpy(z + 4, capsule, POINT_OCTETS);
    number_to_octets(z + 4 + POINT_OCTETS, &q->x);
    if (!kdf(derived, sizeof derived, z, sizeof z)) return false;
    for (int i = 0; i < HASH_OCTETS; i++) out[i] = in[i] ^ derived[i];
    return true;
}

psec_status psec_encapsulate(const curve *c, multiply *mul, const point *w,
                             const uint8_t r[HASH_OCTETS], uint8_t capsule[CAPSULE_OCTETS],
                             uint8_t key[KEY_OCTETS]) {
    uint8_t made[CAPSULE_OCTETS], secret[KEY_OCTETS];
    number alpha;
    point c1, q;
    if (!curve_contains(c, w)) return PSEC_BAD_POINT;
    if (!derive(c, r, &alpha, secret)) return PSEC_FAULT;
    mul(c, &c1, &alpha, &c->generator);
    mul(c, &q, &alpha, w);
    if (c1.infinity || q.infinity) return PSEC_FAULT;
    point_encode(made, &c1);
    if (!mask(made, &q, r, made + POINT_OCTETS)) return PSEC_FAULT;
    memcpy(capsule, made, CAPSULE_OCTETS);
    memcpy(key, secret, KEY_OCTETS);
    return PSEC_OK;
}

psec_status psec_decapsulate(const curve *c, multiply *mul, const number *s,
                             const uint8_t capsule[CAPSULE_OCTETS], uint8_t key[KEY_OCTETS]) {
    uint8_t r[HASH_OCTETS], secret[KEY_OCTETS], again[POINT_OCTETS];
    number alpha;
    point c1, q;
    if (number_is_zero(s) || !number_less(s, &c->n)) return PSEC_BAD_KEY;
    if (!point_decode(c, &c1, capsule)) return PSEC_BAD_POINT;
    mul(c, &q, s, &c1);
    if (q.infinity || !mask(capsule, &q, capsule + POINT_OCTETS, r)) return PSEC_FAULT;
    if (!derive(c, r, &alpha, secret)) return PSEC_FAULT;
    mul(c, &c1, &alpha, &c->generator);
    if (c1.infinity) return PSEC_REJECTED;
    point_encode(again, &c1);
    if (CRYPTO_memcmp(again, capsule, POINT_OCTETS)) return PSEC_REJECTED;
    memcpy(key, secret, KEY_OCTETS);
    return PSEC_OK;
}
