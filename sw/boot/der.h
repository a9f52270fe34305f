/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signature of P-256 in DER: SEQUENCE of two INTEGERs, as X.690 has it and in no other way.
 */
#ifndef DER_H
#define DER_H

#include <stdbool.h>
#include <stdint.h>

enum { BOOT_OCTETS = 32, DER_MOST = 8 + 2 * BOOT_OCTETS };

/* Take an INTEGER, 0 to 2^256 - 1, as 32 octets; returns what follows, 0 if it is none. */
static inline const uint8_t *der_number(const uint8_t *at, const uint8_t *end, uint8_t *number)
{
    if (end - at < 3 || at[0] != 0x02) return 0;
    uint32_t count = at[1];
    at += 2;
    if (count == 0 || count > (uint32_t)(end - at)) return 0;
    if ((at[0] & 0x80) != 0) return 0; /* negative */
    if (at[0] == 0 && count > 1) {
        if ((at[1] & 0x80) == 0) return 0; /* a zero that is not needed */
        at++;
        count--;
    }
    if (count > BOOT_OCTETS) return 0;
    for (uint32_t i = 0; i < BOOT_OCTETS; i++)
        number[i] = i < BOOT_OCTETS - count ? 0 : at[i - (BOOT_OCTETS - count)];
    return at + count;
}

/* Take a signature; false if it is not one, or not all of it. */
static inline bool der_signature(const uint8_t *der, uint32_t count, uint8_t *r, uint8_t *s)
{
    const uint8_t *end = der + count;
    if (count < 2 || der[0] != 0x30 || der[1] != count - 2) return false;
    const uint8_t *at = der_number(der + 2, end, r);
    if (at != 0) at = der_number(at, end, s);
    return at == end;
}

#endif
