/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field operations as the program was compiled: on a field unit (UNIT_FIELD in unit.h), operands and
 * result transferred each time, or in software. No function fails.
 */
#ifndef FIELD_H
#define FIELD_H

#include "gf2m.h"

#if defined(UNIT_FIELD)
#include "narrow.h"

static inline void field_mul(gf2m_t *r, const gf2m_t *a, const gf2m_t *b)
{
    UNIT_PUT(UNIT_A, a);
    UNIT_PUT(UNIT_B, b);
    narrow_run(UNIT_RUN_MUL);
    UNIT_GET(UNIT_C, r);
}

static inline void field_square(gf2m_t *r, const gf2m_t *a)
{
    UNIT_PUT(UNIT_A, a);
    narrow_run(UNIT_RUN_SQUARE);
    UNIT_GET(UNIT_C, r);
}

static inline void field_invert(gf2m_t *r, const gf2m_t *a)
{
    UNIT_PUT(UNIT_A, a);
    narrow_run(UNIT_RUN_INVERT);
    UNIT_GET(UNIT_C, r);
}

/* A sum on the unit, for its own sake: the CPU adds faster than it transfers. */
static inline void field_add_on_unit(gf2m_t *r, const gf2m_t *a, const gf2m_t *b)
{
    UNIT_PUT(UNIT_A, a);
    UNIT_PUT(UNIT_B, b);
    narrow_run(UNIT_RUN_ADD);
    UNIT_GET(UNIT_C, r);
}

#else

#define field_mul gf2m_mul
#define field_square gf2m_square
#define field_invert gf2m_invert

#endif

#define field_add gf2m_add

#endif
