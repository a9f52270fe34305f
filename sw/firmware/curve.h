/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points of y^2 + xy = x^3 + a x^2 + b, affine: sums, doubles, multiples.
 *
 * Every function returns false, and the point at infinity, if an operand is not on the curve; all
 * other operands are right: infinity, points of small order, every scalar of m bits. Results may be
 * where operands are.
 *
 * As the program was compiled these run on a point unit (UNIT_POINT), the multiple on a core
 * (UNIT_CORE), or in C on field.h. The ladder takes the same steps for every scalar.
 */
#ifndef CURVE_H
#define CURVE_H

#include "gf2m.h"

typedef struct {
    gf2m_t x;
    gf2m_t y;
    bool infinity;
} point_t;

bool curve_add(point_t *r, const point_t *p, const point_t *q);
bool curve_double(point_t *r, const point_t *p);
bool curve_multiply(point_t *r, const gf2m_t *k, const point_t *p);

bool curve_contains(const point_t *p);
bool curve_equal(const point_t *p, const point_t *q);

#endif
