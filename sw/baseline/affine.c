// SPDX-License-Identifier: Apache-2.0
//
// The baseline: what section 4.1 and 5.1 of the PSEC-KEM report (2012) describe. Affine
// coordinates, window 1; both halves of the scalar at once where there is an endomorphism.
// Source: "Guide to Elliptic Curve Cryptography", section 3.1.2 and algorithm 3.48 (w = 1).

#include "curve.h"

// r = p + q, by the slope of the line through them; p and q may be equal, opposite, infinity.
static void add(const curve *c, point *r, const point *p, const point *q) {
    const field *f = c->f;
    if (p->infinity || q->infinity) {
        *r = p->infinity ? *q : *p;
        return;
    }
    number slope, under, x, y;
    field_sub(f, &under, &q->x, &p->x);
    field_sub(f, &slope, &q->y, &p->y);
    if (number_is_zero(&under)) {
        if (!number_is_zero(&slope)) {
            r->infinity = true;
            return;
        }
        // The tangent: (3 x^2 + a) / 2 y; y is not 0, for the order is odd.
        field_sqr(f, &x, &p->x);
        if (!c->a_is_zero) field_sub(f, &x, &x, &(number){{1}});
        field_add(f, &slope, &x, &x);
        field_add(f, &slope, &slope, &x);
        field_add(f, &under, &p->y, &p->y);
    }
    field_inverse(f, &under, &under);
    field_mul(f, &slope, &slope, &under);
    field_sqr(f, &x, &slope);
    field_sub(f, &x, &x, &p->x);
    field_sub(f, &x, &x, &q->x);
    field_sub(f, &y, &p->x, &x);
    field_mul(f, &y, &y, &slope);
    field_sub(f, &r->y, &y, &p->y);
    r->x = x;
    r->infinity = false;
}

void affine_multiply(const curve *c, point *r, const number *k, const point *p) {
    number half[2];
    bool minus[2];
    point table[4] = {{.infinity = true}}, sum = {.infinity = true};
    scalar_split(c, half, minus, k);
    table[1] = *p;
    point_map(c, &table[2], p);
    for (int i = 0; i < 2; i++)
        if (minus[i]) field_sub(c->f, &table[i + 1].y, &(number){{0}}, &table[i + 1].y);
    add(c, &table[3], &table[1], &table[2]);
    for (int i = BITS - 1; i >= 0; i--) {
        add(c, &sum, &sum, &sum);
        add(c, &sum, &sum, &table[number_bit(&half[0], i) + 2 * number_bit(&half[1], i)]);
    }
    *r = sum;
}
