/* SPDX-License-Identifier: Apache-2.0 */
/* A quotient of 64 bits, which the compiler calls by itself: bit by bit. Not in constant time. */
#include <stdint.h>

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
    uint64_t quotient = 0, rest = 0;

    for (unsigned i = 0; i < 64; i++) {
        const uint64_t carry = rest >> 63;
        rest = rest << 1 | dividend >> 63;
        dividend <<= 1;
        quotient <<= 1;
        if (carry != 0 || rest >= divisor) {
            rest -= divisor;
            quotient |= 1;
        }
    }
    return quotient;
}
