/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of each operation, operands in memory before and results in memory after. */
#include "curve.h"
#include "field.h"
#include "measure.h"
#include "vectors.h"

#if defined(UNIT_POINT) || defined(UNIT_CORE)
#include "narrow.h"
#endif

/* In memory that the compiler knows nothing of when a measurement begins. */
point_t left, right, base, p;
gf2m_t k, r;

int main(void)
{
    gf2m_t *const a = &left.x;
    gf2m_t *const b = &right.x;
    bool ok = true;
    left = sums[0].p;
    right = sums[0].q;
    k = multiples[0].k;
    base = multiples[0].p;
    measure_begin();
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
