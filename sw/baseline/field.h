// SPDX-License-Identifier: Apache-2.0
//
// Numbers of 256 bits on GMP's mpn functions, and arithmetic modulo p of secp256r1 and secp256k1.
//
// Nothing is allocated. Nothing here is in constant time. Results may be operands. No function
// fails; elements are below p, where nothing else is said, and results then are, too.
#ifndef PSEC_KEM_FIELD_H
#define PSEC_KEM_FIELD_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

_Static_assert(GMP_LIMB_BITS == 64 && GMP_NAIL_BITS == 0, "psec_kem is for limbs of 64 bits");

enum { LIMBS = 4, OCTETS = 32, BITS = 256 };

typedef struct {
    mp_limb_t w[LIMBS];  // the lowest first
} number;

typedef struct {
    number p;
    // r = t mod p, of 2 * LIMBS limbs, below p^2
    void (*reduce)(number *r, const mp_limb_t *t);
} field;

extern const field FIELD_SECP256R1, FIELD_SECP256K1;

void number_from_octets(number *r, const uint8_t octets[OCTETS]);  // the highest first
void number_to_octets(uint8_t octets[OCTETS], const number *a);
bool number_is_zero(const number *a);
bool number_less(const number *a, const number *b);
bool number_equal(const number *a, const number *b);
bool number_bit(const number *a, int i);

void field_add(const field *f, number *r, const number *a, const number *b);
void field_sub(const field *f, number *r, const number *a, const number *b);
void field_mul(const field *f, number *r, const number *a, const number *b);
void field_sqr(const field *f, number *r, const number *a);
void field_inverse(const field *f, number *r, const number *a);  // a is not 0

#endif
