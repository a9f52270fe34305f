/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of GF(2^m) in software: FIELD_WORDS words of 32 bits, the lowest first; bits at and above
 * m are zero. m and the polynomial are in the generated unit.h. No function fails. Results may be
 * where operands are.
 */
#ifndef GF2M_H
#define GF2M_H

#include <stdbool.h>
#include <stdint.h>

#include "unit.h"

#define FIELD_WORDS ((FIELD_BITS + 31) / 32)

typedef struct {
    uint32_t w[FIELD_WORDS];
} gf2m_t;

static inline void gf2m_add(gf2m_t *r, const gf2m_t *a, const gf2m_t *b)
{
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < FIELD_WORDS; i++) r->w[i] = a->w[i] ^ b->w[i];
}

void gf2m_mul(gf2m_t *r, const gf2m_t *a, const gf2m_t *b);
void gf2m_square(gf2m_t *r, const gf2m_t *a);

/* 1/a, and 0 for a = 0. */
void gf2m_invert(gf2m_t *r, const gf2m_t *a);

bool gf2m_equal(const gf2m_t *a, const gf2m_t *b);
bool gf2m_is_zero(const gf2m_t *a);

#endif
