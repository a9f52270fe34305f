// SPDX-License-Identifier: Apache-2.0
//
// k P in Jacobian coordinates: (X, Y, Z) is (X / Z^2, Y / Z^3), and infinity where Z = 0. Signed
// windows of 5 bits (width-5 NAF), those of both halves interleaved where there is an endomorphism;
// the table of odd multiples is affine, so that every addition is a mixed one.
// Source: "Guide to Elliptic Curve Cryptography", algorithms 3.21, 3.22, 3.35, 3.51.

#include "curve.h"

enum { WINDOW = 5, TABLE = 1 << (WINDOW - 2), DIGITS = BITS + 1 };

typedef struct {
    number x, y, z;
} jacobian;

static void twice(const field *f, number *r, const number *a) { field_add(f, r, a, a); }

static void dbl(const curve *c, jacobian *p) {
    const field *f = c->f;
    number m, s, t;
    if (c->a_is_zero) {
        field_sqr(f, &t, &p->x);
    } else {  // 3 x^2 - 3 z^4 = 3 (x - z^2) (x + z^2)
        field_sqr(f, &s, &p->z);
        field_sub(f, &m, &p->x, &s);
        field_add(f, &t, &p->x, &s);
        field_mul(f, &t, &t, &m);
    }
    twice(f, &m, &t);
    field_add(f, &m, &m, &t);
    field_mul(f, &p->z, &p->y, &p->z);
    twice(f, &p->z, &p->z);
    twice(f, &t, &p->y);
    field_sqr(f, &t, &t);  // 4 y^2
    field_mul(f, &s, &t, &p->x);
    field_sqr(f, &p->x, &m);
    field_sub(f, &p->x, &p->x, &s);
    field_sub(f, &p->x, &p->x, &s);
    field_mul(f, &t, &t, &p->y);
    field_mul(f, &t, &t, &p->y);
    twice(f, &t, &t);  // 8 y^4
    field_sub(f, &s, &s, &p->x);
    field_mul(f, &s, &s, &m);
    field_sub(f, &p->y, &s, &t);
}

// p += q, or p -= q; q is not infinity.
static void add(const curve *c, jacobian *p, const point *q, bool subtract) {
    const field *f = c->f;
    number h, r, t, y = q->y;
    if (subtract) field_sub(f, &y, &(number){{0}}, &y);
    if (number_is_zero(&p->z)) {
        *p = (jacobian){q->x, y, {{1}}};
        return;
    }
    field_sqr(f, &t, &p->z);
    field_mul(f, &h, &q->x, &t);
    field_sub(f, &h, &h, &p->x);
    field_mul(f, &t, &t, &p->z);
    field_mul(f, &r, &y, &t);
    field_sub(f, &r, &r, &p->y);
    if (number_is_zero(&h) && number_is_zero(&r)) {
        dbl(c, p);
        return;
    }
    field_mul(f, &p->z, &p->z, &h);  // 0 if q = -p
    field_sqr(f, &t, &h);
    field_mul(f, &h, &h, &t);
    field_mul(f, &t, &t, &p->x);
    field_sqr(f, &p->x, &r);
    field_sub(f, &p->x, &p->x, &h);
    field_sub(f, &p->x, &p->x, &t);
    field_sub(f, &p->x, &p->x, &t);
    field_sub(f, &t, &t, &p->x);
    field_mul(f, &t, &t, &r);
    field_mul(f, &h, &h, &p->y);
    field_sub(f, &p->y, &t, &h);
}

// p[i] to affine coordinates, with one inversion for all; none is infinity. At most TABLE.
static void to_affine(const curve *c, point *r, const jacobian *p, int count) {
    const field *f = c->f;
    number before[TABLE], inverse, t;
    before[0] = p[0].z;
    for (int i = 1; i < count; i++) field_mul(f, &before[i], &before[i - 1], &p[i].z);
    field_inverse(f, &inverse, &before[count - 1]);
    for (int i = count - 1; i >= 0; i--) {
        t = inverse;  // of the product of the first i + 1
        if (i) field_mul(f, &t, &t, &before[i - 1]);
        field_mul(f, &inverse, &inverse, &p[i].z);
        field_mul(f, &r[i].y, &p[i].y, &t);
        field_sqr(f, &t, &t);
        field_mul(f, &r[i].x, &p[i].x, &t);
        field_mul(f, &r[i].y, &r[i].y, &t);
        r[i].infinity = false;
    }
}

// table[i] = (2 i + 1) p; p is of order n, so none of them is infinity.
static void odd_multiples(const curve *c, point table[TABLE], const point *p) {
    jacobian multiple[TABLE] = {{p->x, p->y, {{1}}}}, two = multiple[0];
    point twice_p;
    dbl(c, &two);
    to_affine(c, &twice_p, &two, 1);
    for (int i = 1; i < TABLE; i++) {
        multiple[i] = multiple[i - 1];
        add(c, &multiple[i], &twice_p, false);
    }
    to_affine(c, table, multiple, TABLE);
}

// The digits of k, the lowest first: 0 or odd, below 2^(WINDOW - 1) in absolute value.
static void recode(int8_t digits[DIGITS], const number *k) {
    mp_limb_t v[LIMBS + 1] = {0};
    mpn_copyi(v, k->w, LIMBS);
    for (int i = 0; i < DIGITS; i++) {
        int d = 0;
        if (v[0] & 1) {
            d = (int)(v[0] % (1 << WINDOW));
            if (d >> (WINDOW - 1)) d -= 1 << WINDOW;
            if (d > 0) mpn_sub_1(v, v, LIMBS + 1, (mp_limb_t)d);
            else mpn_add_1(v, v, LIMBS + 1, (mp_limb_t)-d);
        }
        digits[i] = (int8_t)d;
        mpn_rshift(v, v, LIMBS + 1, 1);
    }
}

void projective_multiply(const curve *c, point *r, const number *k, const point *p) {
    number half[2];
    bool minus[2];
    int8_t digits[2][DIGITS];
    point table[2][TABLE];
    jacobian sum = {{{1}}, {{1}}, {{0}}};
    if (p->infinity) {
        *r = *p;
        return;
    }
    scalar_split(c, half, minus, k);
    odd_multiples(c, table[0], p);
    for (int i = 0; i < TABLE; i++) point_map(c, &table[1][i], &table[0][i]);
    for (int h = 0; h < 2; h++) recode(digits[h], &half[h]);
    for (int i = DIGITS - 1; i >= 0; i--) {
        if (!number_is_zero(&sum.z)) dbl(c, &sum);
        for (int h = 0; h < 2; h++) {
            const int d = digits[h][i];
            if (d) add(c, &sum, &table[h][(d < 0 ? -d : d) / 2], (d < 0) != minus[h]);
        }
    }
    r->infinity = number_is_zero(&sum.z);
    if (!r->infinity) to_affine(c, r, &sum, 1);
}
