// SPDX-License-Identifier: Apache-2.0
//
// secp256r1 and secp256k1: y^2 = x^3 + a x + b of prime order n; points, and k P in two ways.
//
// Nothing here is in constant time: how long a multiplication takes, and what it reads from
// memory, depend on the scalar.
#ifndef PSEC_KEM_CURVE_H
#define PSEC_KEM_CURVE_H

#include "field.h"

enum { POINT_OCTETS = 1 + 2 * OCTETS };

typedef struct {
    number x, y;  // of no meaning at infinity
    bool infinity;
} point;

// The endomorphism (x, y) -> (beta x, y) = lambda (x, y) and what splits a scalar for it.
typedef struct {
    number beta;
    mp_limb_t a1[2], minus_b1[2], a2[3], b2[2];  // a1 + b1 lambda = a2 + b2 lambda = 0 modulo n
    number g1, g2;                               // b2 / n and -b1 / n times 2^384, rounded
} endomorphism;

typedef struct {
    const char *name, *other_names[2];  // the last one is libcrypto's
    const field *f;
    bool a_is_zero;  // a is -3 otherwise
    number b, n;
    point generator;
    const endomorphism *phi;  // NULL: none
} curve;

// Returns the curve of a name, or NULL.
const curve *curve_named(const char *name);

// Whether a point is on the curve, both coordinates below p; infinity is not.
bool curve_contains(const curve *c, const point *p);

// Read an uncompressed point, 04 || x || y; false if it is none of the curve.
bool point_decode(const curve *c, point *p, const uint8_t octets[POINT_OCTETS]);

// Write one, not infinity.
void point_encode(uint8_t octets[POINT_OCTETS], const point *p);

bool point_equal(const point *p, const point *q);

// k = s0 h0 + s1 h1 lambda modulo n, h0 and h1 of 128 bits, s0 and s1 -1 where `minus` says so.
// Without an endomorphism h0 = k, h1 = 0. k is below n.
void scalar_split(const curve *c, number half[2], bool minus[2], const number *k);

// The coordinate-wise image (beta x, y), or the same point without an endomorphism.
void point_map(const curve *c, point *r, const point *p);

// r = k p; k below n, p infinity or on the curve.
typedef void multiply(const curve *c, point *r, const number *k, const point *p);

// Affine coordinates, window 1: an inversion for each doubling and each addition.
multiply affine_multiply;

// Jacobian coordinates, signed windows of 5 bits over a table of affine points.
multiply projective_multiply;

#endif
