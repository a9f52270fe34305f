/* SPDX-License-Identifier: Apache-2.0 */
/* Products are Montgomery's, word by word; inverses are in invert.c. Source: Koc, Acar, Kaliski,
 * Analyzing and comparing Montgomery multiplication algorithms (IEEE Micro 1996), CIOS. */
#include "order.h"

#include "octets.h"

_Static_assert(ORDER_WORDS == FIELD_WORDS, "scalars are as long as elements");
_Static_assert(ORDER_BITS <= FIELD_BITS, "kP takes every scalar");

static const order_t n = {ORDER};
static const order_t square = {ORDER_SQUARE}; /* R^2 mod n, R = 2^(32 ORDER_WORDS) */

/* r = a - n, and what is borrowed: 0 or 1. */
static uint32_t minus_order(order_t *r, const order_t *a)
{
    uint32_t borrow = 0;
    for (unsigned i = 0; i < ORDER_WORDS; i++) {
        const uint64_t t = (uint64_t)a->w[i] - n.w[i] - borrow;
        r->w[i] = (uint32_t)t;
        borrow = (uint32_t)(t >> 63);
    }
    return borrow;
}

/* r = a mod n for a + 2^(32 ORDER_WORDS) high below 2 n. */
static void reduce_once(order_t *r, const order_t *a, uint32_t high)
{
    order_t less;
    const uint32_t keep = 0u - (uint32_t)(minus_order(&less, a) > high);
    for (unsigned i = 0; i < ORDER_WORDS; i++) {
        r->w[i] = (a->w[i] & keep) | (less.w[i] & ~keep);
    }
}

/* r = a b / R mod n. */
static void montgomery(order_t *r, const order_t *a, const order_t *b)
{
    uint32_t t[ORDER_WORDS] = {0};
    uint32_t high = 0;
#pragma clang loop unroll(disable)
    for (unsigned i = 0; i < ORDER_WORDS; i++) {
        uint64_t sum = (uint64_t)a->w[i] * b->w[0] + t[0];
        const uint32_t m = (uint32_t)sum * ORDER_MINUS_INVERSE;
        uint64_t zero = (uint64_t)m * n.w[0] + (uint32_t)sum;
#pragma clang loop unroll(full)
        for (unsigned j = 1; j < ORDER_WORDS; j++) {
            sum = (uint64_t)a->w[i] * b->w[j] + t[j] + (sum >> 32);
            zero = (uint64_t)m * n.w[j] + (uint32_t)sum + (zero >> 32);
            t[j - 1] = (uint32_t)zero;
        }
        zero = (zero >> 32) + (sum >> 32) + high;
        t[ORDER_WORDS - 1] = (uint32_t)zero;
        high = (uint32_t)(zero >> 32);
    }
    order_t all;
    for (unsigned i = 0; i < ORDER_WORDS; i++) all.w[i] = t[i];
    reduce_once(r, &all, high);
}

bool order_from_octets(order_t *r, const uint8_t octets[ORDER_OCTETS])
{
    order_t less;
    octets_to_words(r->w, ORDER_WORDS, octets, ORDER_OCTETS);
    return minus_order(&less, r) != 0 && !order_is_zero(r);
}

void order_to_octets(uint8_t octets[ORDER_OCTETS], const order_t *a)
{
    octets_of_words(octets, ORDER_OCTETS, a->w);
}

/* n is above 2^(m - 1) / h - 2^(m / 2 + 1), so this is a few times. */
void order_reduce(order_t *r, const gf2m_t *a)
{
    order_t less;
    for (unsigned i = 0; i < ORDER_WORDS; i++) r->w[i] = a->w[i];
    while (minus_order(&less, r) == 0) *r = less;
}

void order_scalar(gf2m_t *k, const order_t *a)
{
    for (unsigned i = 0; i < ORDER_WORDS; i++) k->w[i] = a->w[i];
}

void order_add(order_t *r, const order_t *a, const order_t *b)
{
    uint64_t t = 0;
    for (unsigned i = 0; i < ORDER_WORDS; i++) {
        t += (uint64_t)a->w[i] + b->w[i];
        r->w[i] = (uint32_t)t;
        t >>= 32;
    }
    reduce_once(r, r, (uint32_t)t);
}

void order_multiply(order_t *r, const order_t *a, const order_t *b)
{
    order_t t;
    montgomery(&t, a, b);
    montgomery(r, &t, &square);
}

bool order_equal(const order_t *a, const order_t *b)
{
    uint32_t differ = 0;
    for (unsigned i = 0; i < ORDER_WORDS; i++) differ |= a->w[i] ^ b->w[i];
    return differ == 0;
}

bool order_is_zero(const order_t *a)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < ORDER_WORDS; i++) any |= a->w[i];
    return any == 0;
}
