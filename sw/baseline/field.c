// SPDX-License-Identifier: Apache-2.0
//
// Sources: D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography",
// algorithm 2.29 (reduction for secp256r1); 2^256 = 2^32 + 977 modulo p of secp256k1.

#include "field.h"

static void reduce_secp256r1(number *r, const mp_limb_t *t) {
    const mp_limb_t *p = FIELD_SECP256R1.p.w;
    int64_t c[16], s[8], carry = 0;
    for (int i = 0; i < 16; i++) c[i] = (int64_t)(t[i / 2] >> (32 * (i % 2)) & 0xffffffff);
    // The algorithm's nine numbers of eight words, added column by column.
    s[0] = c[0] + c[8] + c[9] - c[11] - c[12] - c[13] - c[14];
    s[1] = c[1] + c[9] + c[10] - c[12] - c[13] - c[14] - c[15];
    s[2] = c[2] + c[10] + c[11] - c[13] - c[14] - c[15];
    s[3] = c[3] + 2 * c[11] + 2 * c[12] + c[13] - c[15] - c[8] - c[9];
    s[4] = c[4] + 2 * c[12] + 2 * c[13] + c[14] - c[9] - c[10];
    s[5] = c[5] + 2 * c[13] + 2 * c[14] + c[15] - c[10] - c[11];
    s[6] = c[6] + c[13] + 3 * c[14] + 2 * c[15] - c[8] - c[9];
    s[7] = c[7] + c[8] + 3 * c[15] - c[10] - c[11] - c[12] - c[13];
    for (int i = 0; i < 8; i++) {
        s[i] += carry;
        carry = s[i] >> 32;  // rounds down: gcc and clang shift signs in
        s[i] &= 0xffffffff;
    }
    for (int i = 0; i < LIMBS; i++) r->w[i] = (mp_limb_t)s[2 * i] | (mp_limb_t)s[2 * i + 1] << 32;
    while (carry < 0) carry += (int64_t)mpn_add_n(r->w, r->w, p, LIMBS);  // -4 <= carry <= 5
    while (carry > 0 || mpn_cmp(r->w, p, LIMBS) >= 0)
        carry -= (int64_t)mpn_sub_n(r->w, r->w, p, LIMBS);
}

static void reduce_secp256k1(number *r, const mp_limb_t *t) {
    const mp_limb_t *p = FIELD_SECP256K1.p.w, rest = 0x1000003d1;  // 2^256 - p
    mp_limb_t more[LIMBS] = {0};
    mpn_copyi(r->w, t, LIMBS);
    const mp_limb_t high = mpn_addmul_1(r->w, t + LIMBS, LIMBS, rest);  // below 2^34
    more[1] = mpn_mul_1(more, &high, 1, rest);
    // What a carry leaves is below 2^67: adding the rest once more gives no other one.
    if (mpn_add_n(r->w, r->w, more, LIMBS)) mpn_add_1(r->w, r->w, LIMBS, rest);
    if (mpn_cmp(r->w, p, LIMBS) >= 0) mpn_sub_n(r->w, r->w, p, LIMBS);
}

const field FIELD_SECP256R1 = {
    {{0xffffffffffffffff, 0x00000000ffffffff, 0x0000000000000000, 0xffffffff00000001}},
    reduce_secp256r1,
};
const field FIELD_SECP256K1 = {
    {{0xfffffffefffffc2f, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}},
    reduce_secp256k1,
};

void number_from_octets(number *r, const uint8_t octets[OCTETS]) {
    for (int i = 0; i < LIMBS; i++) r->w[i] = 0;
    for (int i = 0; i < OCTETS; i++)
        r->w[i / 8] |= (mp_limb_t)octets[OCTETS - 1 - i] << (8 * (i % 8));
}

void number_to_octets(uint8_t octets[OCTETS], const number *a) {
    for (int i = 0; i < OCTETS; i++)
        octets[OCTETS - 1 - i] = (uint8_t)(a->w[i / 8] >> (8 * (i % 8)));
}

bool number_is_zero(const number *a) { return mpn_zero_p(a->w, LIMBS); }

bool number_less(const number *a, const number *b) { return mpn_cmp(a->w, b->w, LIMBS) < 0; }

bool number_equal(const number *a, const number *b) { return mpn_cmp(a->w, b->w, LIMBS) == 0; }

bool number_bit(const number *a, int i) { return a->w[i / 64] >> (i % 64) & 1; }

void field_add(const field *f, number *r, const number *a, const number *b) {
    const mp_limb_t carry = mpn_add_n(r->w, a->w, b->w, LIMBS);
    if (carry || mpn_cmp(r->w, f->p.w, LIMBS) >= 0) mpn_sub_n(r->w, r->w, f->p.w, LIMBS);
}

void field_sub(const field *f, number *r, const number *a, const number *b) {
    if (mpn_sub_n(r->w, a->w, b->w, LIMBS)) mpn_add_n(r->w, r->w, f->p.w, LIMBS);
}

void field_mul(const field *f, number *r, const number *a, const number *b) {
    mp_limb_t t[2 * LIMBS];
    mpn_mul_n(t, a->w, b->w, LIMBS);
    f->reduce(r, t);
}

void field_sqr(const field *f, number *r, const number *a) {
    mp_limb_t t[2 * LIMBS];
    mpn_sqr(t, a->w, LIMBS);
    f->reduce(r, t);
}

void field_inverse(const field *f, number *r, const number *a) {
    // GMP overwrites both operands and wants a limb more behind what it writes.
    mp_limb_t u[LIMBS + 1] = {0}, v[LIMBS + 1] = {0}, g[LIMBS + 1], s[LIMBS + 1];
    mp_size_t size;
    mpn_copyi(u, a->w, LIMBS);
    mpn_copyi(v, f->p.w, LIMBS);
    mpn_gcdext(g, s, &size, u, LIMBS, v, LIMBS);  // 1 = s a modulo p, |s| < p
    const mp_size_t used = size < 0 ? -size : size;
    for (mp_size_t i = 0; i < LIMBS; i++) r->w[i] = i < used ? s[i] : 0;
    if (size < 0) mpn_sub_n(r->w, f->p.w, r->w, LIMBS);
}
