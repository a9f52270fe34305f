// SPDX-License-Identifier: Apache-2.0
//
// Sources: SEC 2 (domain parameters); R. Gallant, R. Lambert, S. Vanstone, CRYPTO 2001, and
// "Guide to Elliptic Curve Cryptography", algorithm 3.74 and note 3.76 (the scalar's halves). beta,
// a1, b1, a2, b2 are those of the PSEC-KEM report (Sinha Roy, Mukhopadhyay, 2012), section 3.3.

#include "curve.h"

#include <strings.h>

static const endomorphism PHI_SECP256K1 = {
    .beta = {{0xc1396c28719501ee, 0x9cf0497512f58995, 0x6e64479eac3434e9, 0x7ae96a2b657c0710}},
    .a1 = {0xe86c90e49284eb15, 0x3086d221a7d46bcd},
    .minus_b1 = {0x6f547fa90abfe4c3, 0xe4437ed6010e8828},
    .a2 = {0x57c1108d9d44cfd8, 0x14ca50f7a8e2f3f6, 1},
    .b2 = {0xe86c90e49284eb15, 0x3086d221a7d46bcd},
    .g1 = {{0xe893209a45dbb031, 0x3daa8a1471e8ca7f, 0xe86c90e49284eb15, 0x3086d221a7d46bcd}},
    .g2 = {{0x1571b4ae8ac47f71, 0x221208ac9df506c6, 0x6f547fa90abfe4c4, 0xe4437ed6010e8828}},
};

static const curve CURVES[] = {
    {
        .name = "secp256r1",
        .other_names = {"P-256", "prime256v1"},
        .f = &FIELD_SECP256R1,
        .b = {{0x3bce3c3e27d2604b, 0x651d06b0cc53b0f6, 0xb3ebbd55769886bc, 0x5ac635d8aa3a93e7}},
        .n = {{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}},
        .generator = {
            {{0xf4a13945d898c296, 0x77037d812deb33a0, 0xf8bce6e563a440f2, 0x6b17d1f2e12c4247}},
            {{0xcbb6406837bf51f5, 0x2bce33576b315ece, 0x8ee7eb4a7c0f9e16, 0x4fe342e2fe1a7f9b}},
            false,
        },
    },
    {
        .name = "secp256k1",
        .other_names = {"secp256k1", "secp256k1"},
        .f = &FIELD_SECP256K1,
        .a_is_zero = true,
        .b = {{7}},
        .n = {{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe, 0xffffffffffffffff}},
        .generator = {
            {{0x59f2815b16f81798, 0x029bfcdb2dce28d9, 0x55a06295ce870b07, 0x79be667ef9dcbbac}},
            {{0x9c47d08ffb10d4b8, 0xfd17b448a6855419, 0x5da4fbfc0e1108a8, 0x483ada7726a3c465}},
            false,
        },
        .phi = &PHI_SECP256K1,
    },
};

const curve *curve_named(const char *name) {
    for (size_t i = 0; i < sizeof CURVES / sizeof *CURVES; i++) {
        const curve *c = &CURVES[i];
        if (!strcasecmp(name, c->name) || !strcasecmp(name, c->other_names[0]) ||
            !strcasecmp(name, c->other_names[1]))
            return c;
    }
    return NULL;
}

bool curve_contains(const curve *c, const point *p) {
    const field *f = c->f;
    number left, right, x3;
    if (p->infinity || !number_less(&p->x, &f->p) || !number_less(&p->y, &f->p)) return false;
    field_sqr(f, &left, &p->y);
    field_sqr(f, &right, &p->x);
    field_mul(f, &right, &right, &p->x);
    if (!c->a_is_zero) {
        field_add(f, &x3, &p->x, &p->x);
        field_add(f, &x3, &x3, &p->x);
        field_sub(f, &right, &right, &x3);
    }
    field_add(f, &right, &right, &c->b);
    return number_equal(&left, &right);
}

bool point_decode(const curve *c, point *p, const uint8_t octets[POINT_OCTETS]) {
    number_from_octets(&p->x, octets + 1);
    number_from_octets(&p->y, octets + 1 + OCTETS);
    p->infinity = false;
    return octets[0] == 4 && curve_contains(c, p);
}

void point_encode(uint8_t octets[POINT_OCTETS], const point *p) {
    octets[0] = 4;
    number_to_octets(octets + 1, &p->x);
    number_to_octets(octets + 1 + OCTETS, &p->y);
}

bool point_equal(const point *p, const point *q) {
    if (p->infinity || q->infinity) return p->infinity == q->infinity;
    return number_equal(&p->x, &q->x) && number_equal(&p->y, &q->y);
}

// r -= c v modulo 2^256, v of `size` limbs, 2 or 3, c of 2.
static void subtract_product(number *r, const mp_limb_t *v, mp_size_t size, const mp_limb_t *c) {
    mp_limb_t t[5] = {0};
    mpn_mul(t, v, size, c, 2);
    mpn_sub_n(r->w, r->w, t, LIMBS);
}

// c = k g / 2^384, rounded: below 2^128.
static void multiple(mp_limb_t c[2], const number *k, const number *g) {
    mp_limb_t t[2 * LIMBS];
    mpn_mul_n(t, k->w, g->w, LIMBS);
    mpn_add_1(c, t + 6, 2, t[5] >> 63);
}

void scalar_split(const curve *c, number half[2], bool minus[2], const number *k) {
    const endomorphism *phi = c->phi;
    half[0] = *k;
    half[1] = (number){{0}};
    minus[0] = minus[1] = false;
    if (!phi) return;
    mp_limb_t c1[2], c2[2];
    multiple(c1, k, &phi->g1);
    multiple(c2, k, &phi->g2);
    // h0 = k - c1 a1 - c2 a2, h1 = -c1 b1 - c2 b2, both modulo 2^256 and small.
    subtract_product(&half[0], phi->a1, 2, c1);
    subtract_product(&half[0], phi->a2, 3, c2);
    subtract_product(&half[1], phi->minus_b1, 2, c1);
    mpn_neg(half[1].w, half[1].w, LIMBS);
    subtract_product(&half[1], phi->b2, 2, c2);
    for (int i = 0; i < 2; i++) {
        minus[i] = number_bit(&half[i], BITS - 1);
        if (minus[i]) mpn_neg(half[i].w, half[i].w, LIMBS);
    }
}

void point_map(const curve *c, point *r, const point *p) {
    *r = *p;
    if (c->phi && !p->infinity) field_mul(c->f, &r->x, &p->x, &c->phi->beta);
}
