/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler calls by itself where there is no C library. Words where both are aligned. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *d = to;
    const uint8_t *s = from;
    if ((((uintptr_t)d | (uintptr_t)s) & 3) == 0) {
        for (; size >= 4; size -= 4, d += 4, s += 4) {
            *(uint32_t *)(void *)d = *(const uint32_t *)(const void *)s;
        }
    }
    while (size-- > 0) *d++ = *s++;
    return to;
}

void *memset(void *to, int value, size_t size)
{
    uint8_t *d = to;
    while (size-- > 0) *d++ = (uint8_t)value;
    return to;
}
