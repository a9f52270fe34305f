/* SPDX-License-Identifier: Apache-2.0 */
/* What a wrong program does at the port: every error is in the status, stays, and can be cleared. */
#include "field.h"
#include "narrow.h"
#include "soc.h"
#include "vectors.h"

static int step;

static bool status_is(uint32_t errors)
{
    step++;
    /* Twice: reading does not clear. */
    return (narrow_status(0, 0) & NARROW_ERRORS) == errors &&
           (narrow_status(NARROW_ERRORS, 0) & NARROW_ERRORS) == errors &&
           (narrow_status(0, 0) & NARROW_ERRORS) == 0;
}

int main(void)
{
    const gf2m_t a = sums[0].p.x;
    gf2m_t r;
    bool ok = narrow_read(NARROW_INFO, 0) == NARROW_ID && narrow_read(NARROW_INFO, 2) == FIELD_BITS;
    narrow_run(UNIT_RUN_MUL); /* without operands */
    ok = ok && status_is(NARROW_ORDER);
    UNIT_PUT(UNIT_A, &a);
    narrow_send(NARROW_WRITE, NARROW_WORDS(UNIT_B, 0), 1, 0); /* half an operand */
    narrow_run(UNIT_RUN_MUL);
    ok = ok && status_is(NARROW_ORDER);
    UNIT_GET(UNIT_C, &r); /* a result that is not there */
    ok = ok && gf2m_is_zero(&r) && status_is(NARROW_ORDER);
    narrow_run(100); /* a program that is not there */
    ok = ok && status_is(NARROW_UNKNOWN);
    narrow_send(NARROW_WRITE, NARROW_WORDS(UNIT_REGISTERS, 0), 1, 1);
    ok = ok && status_is(NARROW_UNKNOWN);
    narrow_send(NARROW_WRITE, NARROW_WORDS(UNIT_A, (FIELD_WORDS - 1) / 2), UINT32_MAX, UINT32_MAX);
    ok = ok && status_is(NARROW_RANGE);
    /* And all is well afterwards. */
    field_mul(&r, &a, &a);
    gf2m_t s;
    gf2m_square(&s, &a);
    ok = ok && gf2m_equal(&r, &s) && status_is(0);
    narrow_send(NARROW_CLEAR, 0, 0, 0);
    ok = ok && narrow_wait() == 0;
    soc_puts(ok ? "all errors seen\n" : "wrong at step ");
    if (!ok) soc_put_decimal((uint32_t)step);
    return ok ? 0 : 1;
}
