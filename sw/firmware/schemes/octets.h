/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as strings of octets, the highest first. No function fails. */
#ifndef OCTETS_H
#define OCTETS_H

#include <stdint.h>

static inline uint32_t octets_load(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static inline void octets_store(uint8_t *to, uint32_t word)
{
    to[0] = (uint8_t)(word >> 24);
    to[1] = (uint8_t)(word >> 16);
    to[2] = (uint8_t)(word >> 8);
    to[3] = (uint8_t)word;
}

/* The number of a string, as words, the lowest first: as many as the octets need, or more. */
static inline void octets_to_words(uint32_t *to, unsigned words, const uint8_t *from,
                                   unsigned octets)
{
    for (unsigned i = 0; i < words; i++) to[i] = 0;
    for (unsigned i = 0; i < octets; i++) {
        to[i / 4] |= (uint32_t)from[octets - 1 - i] << 8 * (i % 4);
    }
}

/* The other way; what the octets have no room for is dropped. */
static inline void octets_of_words(uint8_t *to, unsigned octets, const uint32_t *from)
{
    for (unsigned i = 0; i < octets; i++) {
        to[octets - 1 - i] = (uint8_t)(from[i / 4] >> 8 * (i % 4));
    }
}

#endif
