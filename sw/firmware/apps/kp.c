/* SPDX-License-Identifier: Apache-2.0 */
/* Check sums, doubles and multiples of points against vectors.h, which the tool writes. */
#include "curve.h"
#include "soc.h"
#include "vectors.h"

static unsigned failures;

static void check(const char *what, unsigned number, bool ok, bool expected, const point_t *found,
                  const point_t *wanted)
{
    if (ok == expected && curve_equal(found, wanted)) return;
    failures++;
    soc_puts(what);
    soc_putc(' ');
    soc_put_decimal(number);
    soc_puts(" is wrong\n");
}

int main(void)
{
    point_t r;
    for (unsigned i = 0; i < sizeof multiples / sizeof multiples[0]; i++) {
        const bool ok = curve_multiply(&r, &multiples[i].k, &multiples[i].p);
        check("multiple", i, ok, multiples[i].on_curve, &r, &multiples[i].r);
    }
    for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        bool ok = curve_add(&r, &sums[i].p, &sums[i].q);
        check("sum", i, ok, sums[i].on_curve, &r, &sums[i].r);
        ok = curve_double(&r, &sums[i].p);
        check("double", i, ok, sums[i].p_on_curve, &r, &sums[i].twice);
    }
    soc_put_decimal((uint32_t)(sizeof multiples / sizeof multiples[0]));
    soc_puts(" multiples, ");
    soc_put_decimal((uint32_t)(sizeof sums / sizeof sums[0]));
    soc_puts(failures == 0 ? " sums and doubles: all right\n" : " sums and doubles: FAILED\n");
    return failures != 0;
}
