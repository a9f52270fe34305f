/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of each operation, operands in memory before and results in memory after; the faster of two
 * calls: by the second the program is in the cache. */
#include "curve.h"
#include "field.h"
#include "soc.h"
#include "vectors.h"

#if defined(UNIT_POINT) || defined(UNIT_CORE)
#include "narrow.h"
#endif

#define MEASURE(name, call)                                                                        \
    do {                                                                                           \
        uint32_t cycles = UINT32_MAX;                                                              \
        _Pragma("clang loop unroll(disable)")                                                      \
        for (unsigned turn = 0; turn < 2; turn++) {                                                \
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

/* In memory that the compiler knows nothing of when a measurement begins. */
point_t left, right, base, p;
gf2m_t k, r;

static void report(const char *name, uint32_t cycles)
{
    soc_puts(name);
    soc_putc(' ');
    soc_put_decimal(cycles);
    soc_putc('\n');
}

int main(void)
{
    gf2m_t *const a = &left.x;
    gf2m_t *const b = &right.x;
    bool ok = true;
    left = sums[0].p;
    right = sums[0].q;
    k = multiples[0].k;
    base = multiples[0].p;
    for (unsigned turn = 0; turn < 3; turn++) overhead = least(overhead, two_readings());
#if defined(UNIT_FIELD)
    MEASURE("field_add", field_add_on_unit(&r, a, b));
#else
    MEASURE("field_add", field_add(&r, a, b));
#endif
    MEASURE("field_mul", field_mul(&r, a, b));
    MEASURE("field_square", field_square(&r, a));
    MEASURE("field_invert", field_invert(&r, a));
    MEASURE("point_add", ok &= curve_add(&p, &left, &right));
    ok &= curve_equal(&p, &sums[0].r);
    MEASURE("point_double", ok &= curve_double(&p, &left));
    ok &= curve_equal(&p, &sums[0].twice);
    MEASURE("point_multiply", ok &= curve_multiply(&p, &k, &base));
    ok &= curve_equal(&p, &multiples[0].r);
#if defined(UNIT_FIELD) || defined(UNIT_POINT) || defined(UNIT_CORE)
    MEASURE("transfer_in", UNIT_PUT(0, a));
    MEASURE("transfer_out", UNIT_GET(0, &r));
    ok &= gf2m_equal(a, &r);
#endif
    return ok ? 0 : 1;
}
