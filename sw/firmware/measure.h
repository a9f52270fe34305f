/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a call, printed as `name cycles`: of the faster of two, as by the second one the
 * program is in the cache; of one if it is so long that this hardly counts. measure_begin() comes
 * first. No function fails. */
#ifndef MEASURE_H
#define MEASURE_H

#include "soc.h"

#define MEASURE_LONG 1000000u

#define MEASURE(name, call)                                                                        \
    do {                                                                                           \
        uint32_t cycles = UINT32_MAX;                                                              \
        _Pragma("clang loop unroll(disable)")                                                      \
        for (unsigned turn = 0; turn < 2 && (turn == 0 || cycles < MEASURE_LONG); turn++) {        \
            const uint32_t start = soc_cycles();                                                   \
            call;                                                                                  \
            cycles = least(cycles, soc_cycles() - start - overhead);                               \
        }                                                                                          \
        report(name, cycles);                                                                      \
    } while (0)

static uint32_t overhead = UINT32_MAX; /* what the counter's two readings take by themselves */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

__attribute__((noinline)) static uint32_t two_readings(void)
{
    uint32_t start, end;
    __asm__ volatile("csrr %0, mcycle\n\tcsrr %1, mcycle" : "=&r"(start), "=r"(end));
    return end - start;
}

static void measure_begin(void)
{
    for (unsigned turn = 0; turn < 3; turn++) overhead = least(overhead, two_readings());
}

static void report(const char *name, uint32_t cycles)
{
    soc_puts(name);
    soc_putc(' ');
    soc_put_decimal(cycles);
    soc_putc('\n');
}

#endif
