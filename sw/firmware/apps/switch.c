/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context switch in the middle of an operation: an interrupt comes after every number of cycles
 * that the operation with its transfers has, and its handler uses the unit for a work of its own.
 * It saves the unit's registers and status first and restores them last; nothing may be lost.
 */
#include <stddef.h>

#include "curve.h"
#include "field.h"
#include "narrow.h"
#include "soc.h"
#include "vectors.h"

static gf2m_t left, right, product;
static volatile unsigned interrupts;
static unsigned failures;

#if defined(UNIT_FIELD)
static bool work(void)
{
    gf2m_t r;
    field_mul(&r, &left, &right);
    return gf2m_equal(&r, &product);
}
static bool other_work(void)
{
    gf2m_t r;
    field_invert(&r, &right);
    field_mul(&r, &r, &right);
    return r.w[0] == 1;
}
#else
static bool work(void)
{
    point_t r;
    return curve_add(&r, &sums[0].p, &sums[0].q) && curve_equal(&r, &sums[0].r);
}
static bool other_work(void)
{
    point_t r;
    return curve_double(&r, &sums[1].p) && curve_equal(&r, &sums[1].twice);
}
#endif

static void handler(void)
{
    gf2m_t saved[UNIT_REGISTERS];
#if defined(NARROW_LC) && !defined(SWITCH_FORGETS)
    const uint32_t argument = soc_read(NARROW_ARGUMENT);
#endif
    (void)narrow_wait();
    const uint32_t status = narrow_status(0, 0);
    UNIT_SAVE(saved);
    (void)narrow_status(NARROW_ERRORS, 0);
    if (!other_work()) failures++;
#if defined(SWITCH_FORGETS) /* so that a test can see this one fail */
    (void)status;
#else
    UNIT_RESTORE(saved);
    (void)narrow_status(UINT32_MAX, status);
#if defined(NARROW_LC)
    soc_write(NARROW_ARGUMENT, argument);
#endif
#endif
    interrupts++;
}

int main(void)
{
    left = sums[0].p.x;
    right = sums[0].q.x;
    gf2m_mul(&product, &left, &right);
    if (!work() || !other_work()) failures++;
    unsigned wrong = 0;
    unsigned before;
    uint32_t delay = 0;
    /* Until an operation is over before its interrupt would come: then every cycle of it was tried. */
    do {
        before = interrupts;
        soc_alarm(delay++, handler);
        if (!work()) wrong++;
        if (narrow_wait() & NARROW_ERRORS) wrong++;
    } while (interrupts != before);
    soc_alarm(0, NULL);
    soc_put_decimal(interrupts);
    soc_puts(" interrupts, ");
    soc_put_decimal(wrong);
    soc_puts(" operations wrong, ");
    soc_put_decimal(failures);
    soc_puts(" handlers wrong\n");
    /* Half an element is sent within some tens of cycles. */
    return interrupts < 40 || wrong != 0 || failures != 0;
}
