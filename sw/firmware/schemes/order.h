/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers modulo the order n of the curve's group, which is in the generated group.h: ORDER_WORDS
 * words of 32 bits, the lowest first, 0 .. n - 1. Results may be where operands are. Steps and
 * addresses do not depend on numbers, but for order_reduce.
 */
#ifndef ORDER_H
#define ORDER_H

#include "gf2m.h"
#include "group.h"

#define ORDER_WORDS ((ORDER_BITS + 31) / 32)
#define ORDER_OCTETS ((ORDER_BITS + 7) / 8)

typedef struct {
    uint32_t w[ORDER_WORDS];
} order_t;

/* A scalar, the highest octet first; false if it is not in 1 .. n - 1. */
bool order_from_octets(order_t *r, const uint8_t octets[ORDER_OCTETS]);
void order_to_octets(uint8_t octets[ORDER_OCTETS], const order_t *a);

/* The number that has an element's bits. */
void order_reduce(order_t *r, const gf2m_t *a);

/* The other way: k of kP. */
void order_scalar(gf2m_t *k, const order_t *a);

void order_add(order_t *r, const order_t *a, const order_t *b);
void order_multiply(order_t *r, const order_t *a, const order_t *b);

/* 1/a, and 0 for a = 0. */
void order_invert(order_t *r, const order_t *a);

bool order_equal(const order_t *a, const order_t *b);
bool order_is_zero(const order_t *a);

#endif
