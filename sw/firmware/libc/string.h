/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries of others take from the C library: no program here has one. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

static inline void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    if (d <= s) return memcpy(to, from, size);
    while (size-- > 0) d[size] = s[size];
    return to;
}

static inline int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *p = a, *q = b;
    for (; size > 0 && *p == *q; size--, p++, q++) {}
    return size > 0 ? *p - *q : 0;
}

static inline int strcmp(const char *a, const char *b)
{
    for (; *a != 0 && *a == *b; a++, b++) {}
    return (unsigned char)*a - (unsigned char)*b;
}

static inline size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != 0) size++;
    return size;
}

#endif
