/* SPDX-License-Identifier: Apache-2.0 */
/* Points in C, on the field operations of field.h. Sources: Hankerson, Menezes, Vanstone, Guide to
 * Elliptic Curve Cryptography, section 3.1.2; J. Lopez, R. Dahab, CHES 1999, algorithm 2P. */
#include "curve.h"

#include "field.h"

static const gf2m_t curve_a = {CURVE_A};
static const gf2m_t curve_b = {CURVE_B};

bool curve_equal(const point_t *p, const point_t *q)
{
    if (p->infinity || q->infinity) return p->infinity == q->infinity;
    return gf2m_equal(&p->x, &q->x) && gf2m_equal(&p->y, &q->y);
}

bool curve_contains(const point_t *p)
{
    if (p->infinity) return true;
    gf2m_t t, u, v;
    field_square(&t, &p->x);
    field_mul(&u, &t, &curve_a);
    field_add(&t, &t, &p->y);
    field_mul(&t, &t, &p->x);
    field_square(&v, &p->y);
    field_add(&t, &t, &u);
    field_add(&t, &t, &v);
    return gf2m_equal(&t, &curve_b);
}

#if defined(UNIT_POINT) || defined(UNIT_CORE)
#include "narrow.h"

/* (0, 0) stands for infinity at the unit. */
#define PUT_POINT(x_register, y_register, p)                                                       \
    do {                                                                                           \
        const point_t *const put = (p)->infinity ? &at_infinity : (p);                             \
        UNIT_PUT(x_register, &put->x);                                                             \
        UNIT_PUT(y_register, &put->y);                                                             \
    } while (0)

static const point_t at_infinity = {{{0}}, {{0}}, true};

static bool get_point(point_t *r)
{
    const uint32_t status = narrow_wait();
    UNIT_GET(UNIT_X3, &r->x);
    UNIT_GET(UNIT_Y3, &r->y);
    const bool wrong = (status & NARROW_ERRORS) != 0;
    r->infinity = wrong || (status & NARROW_INFINITY) != 0;
    if (wrong) (void)narrow_status(NARROW_ERRORS, 0);
    return !wrong;
}

bool curve_multiply(point_t *r, const gf2m_t *k, const point_t *p)
{
    PUT_POINT(UNIT_X1, UNIT_Y1, p);
    UNIT_PUT(UNIT_K, k);
    narrow_run(UNIT_RUN_MULTIPLY);
    return get_point(r);
}
#endif

#if defined(UNIT_POINT)
bool curve_add(point_t *r, const point_t *p, const point_t *q)
{
    PUT_POINT(UNIT_X1, UNIT_Y1, p);
    PUT_POINT(UNIT_X2, UNIT_Y2, q);
    narrow_run(UNIT_RUN_ADD);
    return get_point(r);
}

bool curve_double(point_t *r, const point_t *p)
{
    PUT_POINT(UNIT_X1, UNIT_Y1, p);
    narrow_run(UNIT_RUN_DOUBLE);
    return get_point(r);
}

#else

static const gf2m_t zero = {{0}};

static bool answer_infinity(point_t *r)
{
    r->x = zero;
    r->y = zero;
    r->infinity = true;
    return true;
}

/* The point with slope l through p, whose other point has x = x2. */
static void chord(point_t *r, const gf2m_t *l, const point_t *p, const gf2m_t *x2)
{
    gf2m_t x3, t;
    field_square(&x3, l);
    field_add(&x3, &x3, l);
    field_add(&x3, &x3, &p->x);
    field_add(&x3, &x3, x2);
    field_add(&x3, &x3, &curve_a);
    field_add(&t, &p->x, &x3);
    field_mul(&t, &t, l);
    field_add(&t, &t, &x3);
    field_add(&r->y, &t, &p->y);
    r->x = x3;
    r->infinity = false;
}

/* 2P of a point of the curve. */
static void tangent(point_t *r, const point_t *p)
{
    if (p->infinity || gf2m_is_zero(&p->x)) {
        (void)answer_infinity(r);
        return;
    }
    gf2m_t l;
    field_invert(&l, &p->x);
    field_mul(&l, &l, &p->y);
    field_add(&l, &l, &p->x);
    chord(r, &l, p, &p->x);
}

bool curve_double(point_t *r, const point_t *p)
{
    if (!curve_contains(p)) return !answer_infinity(r);
    tangent(r, p);
    return true;
}

bool curve_add(point_t *r, const point_t *p, const point_t *q)
{
    if (!curve_contains(p) || !curve_contains(q)) return !answer_infinity(r);
    if (p->infinity || q->infinity) {
        *r = p->infinity ? *q : *p;
        return true;
    }
    gf2m_t dx, dy;
    field_add(&dx, &p->x, &q->x);
    field_add(&dy, &p->y, &q->y);
    if (gf2m_is_zero(&dx)) {
        if (!gf2m_is_zero(&dy)) return answer_infinity(r);
        tangent(r, p);
        return true;
    }
    field_invert(&dx, &dx);
    field_mul(&dx, &dx, &dy);
    chord(r, &dx, p, &q->x);
    return true;
}
#endif

#if !defined(UNIT_POINT) && !defined(UNIT_CORE)

/* Exchange two elements where the mask is all ones. */
static void exchange(gf2m_t *a, gf2m_t *b, uint32_t mask)
{
    for (unsigned i = 0; i < FIELD_WORDS; i++) {
        const uint32_t t = (a->w[i] ^ b->w[i]) & mask;
        a->w[i] ^= t;
        b->w[i] ^= t;
    }
}

/* (x1 : z1) = 2 (x1 : z1), (x2 : z2) += (x1 : z1), their difference having the coordinate x. */
static void ladder_step(gf2m_t *x1, gf2m_t *z1, gf2m_t *x2, gf2m_t *z2, const gf2m_t *x)
{
    gf2m_t t, u;
    field_mul(&t, x1, z2);
    field_mul(&u, x2, z1);
    field_add(z2, &t, &u);
    field_square(z2, z2);
    field_mul(&t, &t, &u);
    field_mul(&u, x, z2);
    field_add(x2, &t, &u);
    field_mul(&t, x1, z1);
    field_square(x1, x1);
    field_square(x1, x1);
    field_square(z1, z1);
    field_square(z1, z1);
    field_mul(&u, z1, &curve_b);
    field_add(x1, x1, &u);
    field_square(z1, &t);
}

/* r = (x1 : z1), given (x2 : z2) = (x1 : z1) + p. See docs/theory/binary.md.
 * Out of line, so that the loop before it is together in the instruction cache. */
__attribute__((noinline)) static void recover(point_t *r, const point_t *p, const gf2m_t *x1, const gf2m_t *z1,
                    const gf2m_t *x2, const gf2m_t *z2)
{
    if (gf2m_is_zero(z1)) {
        (void)answer_infinity(r);
        return;
    }
    if (gf2m_is_zero(z2)) {
        const point_t minus = *p;
        r->x = minus.x;
        field_add(&r->y, &minus.x, &minus.y);
        r->infinity = false;
        return;
    }
    gf2m_t xz1, xz2, v, w, n, f;
    field_mul(&xz1, &p->x, z1);
    field_mul(&xz2, &p->x, z2);
    field_mul(&w, z1, z2);
    field_mul(&v, &p->x, &w);
    field_invert(&v, &v);
    field_square(&n, &p->x);
    field_add(&n, &n, &p->y);
    field_mul(&n, &n, &w);
    field_add(&f, x1, &xz1);
    field_add(&w, x2, &xz2);
    field_mul(&w, &w, &f);
    field_add(&n, &n, &w);
    field_mul(&f, &f, &xz2);
    field_mul(&n, &n, &f);
    field_square(&w, &v);
    field_mul(&n, &n, &w);
    field_mul(&f, x1, &xz2);
    field_add(&r->y, &p->y, &n);
    field_mul(&r->x, &f, &v);
    r->infinity = false;
}

bool curve_multiply(point_t *r, const gf2m_t *k, const point_t *p)
{
    if (!curve_contains(p)) return !answer_infinity(r);
    if (p->infinity) return answer_infinity(r);
    gf2m_t x1 = zero, z1 = zero, x2 = p->x, z2 = zero;
    x1.w[0] = 1;
    z2.w[0] = 1;
    uint32_t before = 0; /* the two points are exchanged where a bit differs from the one before */
    for (unsigned i = FIELD_BITS; i-- > 0;) {
        const uint32_t bit = k->w[i / 32] >> i % 32 & 1;
        exchange(&x1, &x2, 0u - (bit ^ before));
        exchange(&z1, &z2, 0u - (bit ^ before));
        ladder_step(&x1, &z1, &x2, &z2, &p->x);
        before = bit;
    }
    exchange(&x1, &x2, 0u - before);
    exchange(&z1, &z2, 0u - before);
    recover(r, p, &x1, &z1, &x2, &z2);
    return true;
}
#endif
