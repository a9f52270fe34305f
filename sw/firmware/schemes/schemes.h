/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECDSA with SHA-1, and EC-AES, on curve.h: on whatever unit the program was compiled for.
 *
 * A baseline for time, not for secrets: AES, and the field in software, look tables up by secrets,
 * nothing is wiped, and nonces, ephemeral scalars and IVs are the caller's. They must be random,
 * secret, and used once.
 *
 * Every function returns false, with results that mean nothing, if
 *   - a private key, nonce or ephemeral scalar is not in 1 .. n - 1,
 *   - a coordinate has bits that the field has not, or a point is not on the curve,
 *   - a point to share a secret with is not in the group of order n,
 *   - r or s of a new signature would be 0: another nonce is needed,
 *   - a signature is not the key's of the message.
 * Coordinates and scalars are octets, the highest first, as SEC 1 has them. Results are not where
 * operands are, but for the stream of EC-AES, which may be where the message is.
 */
#ifndef SCHEMES_H
#define SCHEMES_H

#include "aes.h"
#include "curve.h"
#include "order.h"
#include "sha.h"

#define FIELD_OCTETS ((FIELD_BITS + 7) / 8)

typedef struct {
    uint8_t x[FIELD_OCTETS];
    uint8_t y[FIELD_OCTETS];
} public_key_t;

typedef struct {
    uint8_t r[ORDER_OCTETS];
    uint8_t s[ORDER_OCTETS];
} signature_t;

/* The KDF of ANSI X9.63 with SHA-256, without shared information; z is a coordinate. Does not
 * fail. Source: SEC 1, section 3.6.1. */
void kdf_x963(uint8_t *key, size_t octets, const uint8_t z[FIELD_OCTETS]);

/* Source: SEC 1, sections 4.1.3 and 4.1.4. */
bool ecdsa_sign(signature_t *signature, const uint8_t key[ORDER_OCTETS],
                const uint8_t nonce[ORDER_OCTETS], const uint8_t *message, size_t octets);
bool ecdsa_verify(const signature_t *signature, const public_key_t *key, const uint8_t *message,
                  size_t octets);

/*
 * EC-AES as the scheme machine has it (docs/guide/operations.md): R = k G; the X9.63 key of x(k Q);
 * AES-256 in counter mode from the IV. No tag: what is altered is not seen.
 */
bool ec_aes_encrypt(public_key_t *r, uint8_t *stream, const uint8_t ephemeral[ORDER_OCTETS],
                    const uint8_t iv[AES_BLOCK_OCTETS], const public_key_t *key,
                    const uint8_t *message, size_t octets);
bool ec_aes_decrypt(uint8_t *message, const uint8_t key[ORDER_OCTETS], const public_key_t *r,
                    const uint8_t iv[AES_BLOCK_OCTETS], const uint8_t *stream, size_t octets);

#endif
