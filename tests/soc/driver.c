/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the driver of docs/integrate/core.md, kp.c, on the system on chip: a line for each job of the
 * generated jobs.h, with status, x, y and what ERROR has. */
#include "ecsm_block_core.h"
#include "jobs.h"
#include "soc.h"

enum { OCTETS = sizeof(((ecsm_block_core_t *)0)->X) };

uint32_t kp(volatile ecsm_block_core_t *core, const uint8_t *k, const uint8_t *x, const uint8_t *y,
            uint8_t *result_x, uint8_t *result_y);

static const uint8_t jobs[][3][OCTETS] = JOBS;

static void put(const uint8_t *octets)
{
    soc_putc(' ');
    for (unsigned i = 0; i < OCTETS; i++) {
        soc_putc("0123456789abcdef"[octets[i] >> 4]);
        soc_putc("0123456789abcdef"[octets[i] & 15]);
    }
}

int main(void)
{
    volatile ecsm_block_core_t *core = (volatile ecsm_block_core_t *)SOC_AXIL;
    /* From here on the compiler knows nothing about the address, not even when it optimises files as
     * one: of a constant it would see that it is aligned. */
    __asm__ volatile("" : "+r"(core));
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        uint8_t x[OCTETS] = {0}, y[OCTETS] = {0};
        soc_put_decimal(kp(core, jobs[i][0], jobs[i][1], jobs[i][2], x, y));
        put(x);
        put(y);
        soc_putc(' ');
        soc_put_hex(soc_read(SOC_AXIL + offsetof(ecsm_block_core_t, ERROR)));
        soc_putc('\n');
    }
    return 0;
}
