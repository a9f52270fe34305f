/* SPDX-License-Identifier: Apache-2.0 */
/* The names by which clang for Arm calls memcpy and memset: those of the Arm run-time ABI. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

#define COPY(name)                                              \
    void name(void *restrict to, const void *restrict from, size_t size); \
    void name(void *restrict to, const void *restrict from, size_t size)  \
    {                                                           \
        memcpy(to, from, size);                                 \
    }
#define CLEAR(name)                     \
    void name(void *to, size_t size);   \
    void name(void *to, size_t size)    \
    {                                   \
        memset(to, 0, size);            \
    }

COPY(__aeabi_memcpy)
COPY(__aeabi_memcpy4)
COPY(__aeabi_memcpy8)
CLEAR(__aeabi_memclr)
CLEAR(__aeabi_memclr4)
CLEAR(__aeabi_memclr8)
