/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inversion modulo the order by divsteps, as many for every number: see ecsm/curves/gfp/divsteps.py for
 * the mathematics and its sources. Numbers are in limbs of 30 bits; the highest has the sign.
 *
 * A batch of 30 divsteps is a matrix (u v; q r), |u| + |v| and |q| + |r| at most 2^30, that is then
 * applied to (f, g), and modulo n to (d, e), for which d a = f and e a = g holds modulo n.
 */
#include "order.h"

#define LIMB 30
#define LIMBS ((ORDER_BITS + 2 + LIMB - 1) / LIMB)
#define MASK ((1 << LIMB) - 1)
/* Together they are to fit the instruction cache. */
#define OUT_OF_LINE __attribute__((noinline))
#define BATCHES ((ORDER_DIVSTEPS + LIMB - 1) / LIMB)

typedef struct {
    int32_t w[LIMBS];
} limbs_t;

typedef struct {
    int32_t u, v, q, r;
} matrix_t;

static void to_limbs(limbs_t *r, const uint32_t *words)
{
    for (unsigned i = 0; i < LIMBS; i++) {
        const unsigned word = LIMB * i / 32, shift = LIMB * i % 32;
        uint64_t two = word < ORDER_WORDS ? words[word] : 0;
        if (word + 1 < ORDER_WORDS) two |= (uint64_t)words[word + 1] << 32;
        r->w[i] = (int32_t)((uint32_t)(two >> shift) & MASK);
    }
}

/* For limbs of a number that is not negative. */
static void to_words(uint32_t *r, const limbs_t *a)
{
    uint64_t two = 0;
    unsigned have = 0, word = 0;
    for (unsigned i = 0; i < LIMBS && word < ORDER_WORDS; i++) {
        two |= (uint64_t)(uint32_t)a->w[i] << have;
        have += LIMB;
        if (have >= 32) {
            r[word++] = (uint32_t)two;
            two >>= 32;
            have -= 32;
        }
    }
    if (word < ORDER_WORDS) r[word] = (uint32_t)two;
}

/* 30 divsteps on the lowest limbs of f and g; delta2 is 2 delta, its new value is returned. */
static int32_t divsteps(matrix_t *m, int32_t delta2, uint32_t f, uint32_t g)
{
    uint32_t u = 1, v = 0, q = 0, r = 1;
#pragma clang loop unroll(disable)
    for (unsigned i = 0; i < LIMB; i++) {
        const uint32_t odd = 0u - (g & 1);
        const uint32_t swap = odd & ~(uint32_t)((delta2 - 1) >> 31);
        /* g +- f, its sign minus with a swap; then f, with a swap, is the old g. */
        g += ((f ^ swap) - swap) & odd;
        q += ((u ^ swap) - swap) & odd;
        r += ((v ^ swap) - swap) & odd;
        f += g & swap;
        u += q & swap;
        v += r & swap;
        delta2 = (int32_t)(((uint32_t)delta2 ^ swap) - swap) + 2;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    *m = (matrix_t){(int32_t)u, (int32_t)v, (int32_t)q, (int32_t)r};
    return delta2;
}

/* (u a + v b) / 2^30, which is whole. */
OUT_OF_LINE static void exactly(limbs_t *to, int32_t u, int32_t v, const limbs_t *a,
                                const limbs_t *b)
{
    int64_t sum = ((int64_t)u * a->w[0] + (int64_t)v * b->w[0]) >> LIMB;
#pragma clang loop unroll(full)
    for (unsigned i = 1; i < LIMBS; i++) {
        sum += (int64_t)u * a->w[i] + (int64_t)v * b->w[i];
        to->w[i - 1] = (int32_t)sum & MASK;
        sum >>= LIMB;
    }
    to->w[LIMBS - 1] = (int32_t)sum;
}

/* (u a + v b) / 2^30 mod n in -2 n .. n, for a and b in there. */
OUT_OF_LINE static void modulo(limbs_t *to, int32_t u, int32_t v, const limbs_t *a,
                               const limbs_t *b, const limbs_t *n)
{
    /* n is added to what is negative, which keeps the range; then taking away n fewer than 2^30 times
     * makes the lowest limb zero. */
    int32_t m = (u & a->w[LIMBS - 1] >> 31) + (v & b->w[LIMBS - 1] >> 31);
    int64_t sum = (int64_t)u * a->w[0] + (int64_t)v * b->w[0];
    const uint32_t low = (uint32_t)sum + (uint32_t)m * (uint32_t)n->w[0];
    m -= (int32_t)(low * ORDER_LIMB_INVERSE & MASK);
    sum = (sum + (int64_t)m * n->w[0]) >> LIMB;
#pragma clang loop unroll(full)
    for (unsigned i = 1; i < LIMBS; i++) {
        sum += (int64_t)u * a->w[i] + (int64_t)v * b->w[i] + (int64_t)m * n->w[i];
        to->w[i - 1] = (int32_t)sum & MASK;
        sum >>= LIMB;
    }
    to->w[LIMBS - 1] = (int32_t)sum;
}

/* a = a + n where the mask is all ones, then -a where `minus` is. */
static void fix(limbs_t *a, const limbs_t *n, int32_t mask, int32_t minus)
{
    int32_t carry = 0;
    for (unsigned i = 0; i < LIMBS; i++) {
        carry += ((a->w[i] + (n->w[i] & mask)) ^ minus) - minus;
        a->w[i] = i + 1 < LIMBS ? carry & MASK : carry;
        carry >>= LIMB;
    }
}

void order_invert(order_t *r, const order_t *a)
{
    static const uint32_t order[] = ORDER;
    limbs_t n, f[2], g[2], d[2] = {{{0}}}, e[2] = {{{1}}}; /* a batch goes from one to the other */
    to_limbs(&n, order);
    to_limbs(&f[0], order);
    to_limbs(&g[0], a->w);
    int32_t delta2 = 1;
    for (unsigned i = 0; i < BATCHES; i++) {
        const unsigned now = i & 1, next = now ^ 1;
        matrix_t m;
        delta2 = divsteps(&m, delta2, (uint32_t)f[now].w[0], (uint32_t)g[now].w[0]);
        exactly(&f[next], m.u, m.v, &f[now], &g[now]);
        exactly(&g[next], m.q, m.r, &f[now], &g[now]);
        modulo(&d[next], m.u, m.v, &d[now], &e[now], &n);
        modulo(&e[next], m.q, m.r, &d[now], &e[now], &n);
    }
    /* f is 1 or -1, or n for a = 0, and d = f / a. */
    limbs_t *const last = &d[BATCHES & 1];
    fix(last, &n, last->w[LIMBS - 1] >> 31, f[BATCHES & 1].w[LIMBS - 1] >> 31);
    fix(last, &n, last->w[LIMBS - 1] >> 31, 0);
    to_words(r->w, last);
}
