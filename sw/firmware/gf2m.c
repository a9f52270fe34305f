/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GF(2^m) in software: the baseline that the units are measured against.
 *
 * Products by windows of four bits, squares by a table, reduction word by word, inversion by
 * Itoh-Tsujii's chain. Source: Hankerson, Menezes, Vanstone, Guide to Elliptic Curve Cryptography,
 * algorithms 2.36, 2.39 and section 2.3.6. Table look-ups depend on the operands.
 */
#include "gf2m.h"

#define TOP_BITS (FIELD_BITS % 32)
#define WIDE_WORDS (2 * FIELD_WORDS)

static const uint16_t exponents[] = FIELD_EXPONENTS;
#define EXPONENTS (sizeof exponents / sizeof exponents[0])

/* r = c mod f: from the top, a word is added where z^m times it belongs. */
static void reduce(gf2m_t *r, uint32_t c[WIDE_WORDS])
{
    for (unsigned i = WIDE_WORDS - 1; i >= FIELD_WORDS; i--) {
        const uint32_t t = c[i];
        c[i] = 0;
#pragma clang loop unroll(full)
        for (unsigned e = 0; e < EXPONENTS; e++) {
            const unsigned down = FIELD_BITS - exponents[e];
            const unsigned word = i - down / 32;
            const unsigned shift = down % 32;
            c[word] ^= t >> shift;
            if (shift != 0) c[word - 1] ^= t << (32 - shift);
        }
    }
    const uint32_t t = c[FIELD_WORDS - 1] >> TOP_BITS;
    c[FIELD_WORDS - 1] &= (1u << TOP_BITS) - 1;
#pragma clang loop unroll(full)
    for (unsigned e = 0; e < EXPONENTS; e++) {
        const unsigned word = exponents[e] / 32;
        const unsigned shift = exponents[e] % 32;
        c[word] ^= t << shift;
        if (shift != 0) c[word + 1] ^= t >> (32 - shift);
    }
    for (unsigned i = 0; i < FIELD_WORDS; i++) r->w[i] = c[i];
}

void gf2m_mul(gf2m_t *r, const gf2m_t *a, const gf2m_t *b)
{
    /* multiple[u] = u(z) b(z), a word longer than b. */
    uint32_t multiple[16][FIELD_WORDS + 1];
    uint32_t c[WIDE_WORDS] = {0};
    for (unsigned i = 0; i <= FIELD_WORDS; i++) {
        multiple[0][i] = 0;
        multiple[1][i] = i < FIELD_WORDS ? b->w[i] : 0;
    }
    for (unsigned u = 2; u < 16; u += 2) {
        uint32_t carry = 0;
        for (unsigned i = 0; i <= FIELD_WORDS; i++) {
            const uint32_t half = multiple[u / 2][i];
            multiple[u][i] = half << 1 | carry;
            carry = half >> 31;
            multiple[u + 1][i] = multiple[u][i] ^ multiple[1][i];
        }
    }
    for (int k = 28; k >= 0; k -= 4) {
        for (unsigned j = 0; j < FIELD_WORDS; j++) {
            const uint32_t *row = multiple[a->w[j] >> k & 15];
            /* The highest word of the last row would be above the product, and is zero. */
            const unsigned words = j + FIELD_WORDS < WIDE_WORDS ? FIELD_WORDS + 1 : FIELD_WORDS;
            for (unsigned i = 0; i < words; i++) c[i + j] ^= row[i];
        }
        if (k == 0) break;
        for (unsigned i = WIDE_WORDS - 1; i > 0; i--) c[i] = c[i] << 4 | c[i - 1] >> 28;
        c[0] <<= 4;
    }
    reduce(r, c);
}

void gf2m_square(gf2m_t *r, const gf2m_t *a)
{
    static const uint8_t spread[16] = {0x00, 0x01, 0x04, 0x05, 0x10, 0x11, 0x14, 0x15,
                                       0x40, 0x41, 0x44, 0x45, 0x50, 0x51, 0x54, 0x55};
    uint32_t c[WIDE_WORDS];
    for (unsigned i = 0; i < FIELD_WORDS; i++) {
        for (unsigned half = 0; half < 2; half++) {
            uint32_t word = 0;
            for (unsigned n = 0; n < 4; n++) {
                word |= (uint32_t)spread[a->w[i] >> (16 * half + 4 * n) & 15] << (8 * n);
            }
            c[2 * i + half] = word;
        }
    }
    reduce(r, c);
}

/* beta_i = a^(2^i - 1): beta_2i = beta_i^(2^i) beta_i, beta_(i+1) = beta_i^2 a; 1/a = beta_(m-1)^2. */
void gf2m_invert(gf2m_t *r, const gf2m_t *a)
{
    gf2m_t beta = *a;
    unsigned i = 1;
    unsigned bit = 31;
    while (((FIELD_BITS - 1u) >> bit & 1) == 0) bit--;
    while (bit-- > 0) {
        gf2m_t power = beta;
        for (unsigned k = 0; k < i; k++) gf2m_square(&power, &power);
        gf2m_mul(&beta, &power, &beta);
        i *= 2;
        if ((FIELD_BITS - 1u) >> bit & 1) {
            gf2m_square(&beta, &beta);
            gf2m_mul(&beta, &beta, a);
            i++;
        }
    }
    gf2m_square(r, &beta);
}

bool gf2m_equal(const gf2m_t *a, const gf2m_t *b)
{
    uint32_t differ = 0;
    for (unsigned i = 0; i < FIELD_WORDS; i++) differ |= a->w[i] ^ b->w[i];
    return differ == 0;
}

bool gf2m_is_zero(const gf2m_t *a)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < FIELD_WORDS; i++) any |= a->w[i];
    return any == 0;
}
