/* SPDX-License-Identifier: Apache-2.0 */
/* Begins with a simulated block before main: for programs that know nothing about it, as mbedTLS's own
 * tests. At the end it says how many jobs the block has done. */

#include <stdio.h>
#include <stdlib.h>

#include "ecsm_block_scheme.h"
#include "ecsm_mbedtls.h"
#include "simulated.h"

static ecsm_hal_t hal;
static unsigned jobs;

static void counted(void *context, uint32_t offset, uint32_t value)
{
    if (offset == offsetof(ecsm_block_scheme_t, COMMAND) &&
        (value & ECSM_BLOCK_SCHEME__COMMAND__START_bm) != 0)
        jobs++;
    hal.write(context, offset, value);
}

__attribute__((constructor)) static void begin(void)
{
    static ecsm_t ecsm;

    hal = simulated_hal();
    const ecsm_hal_t counting = {.read = hal.read, .write = counted, .wait = hal.wait};
    ecsm_status_t status = ecsm_open(&ecsm, &counting);
    if (status == ECSM_OK) status = ecsm_seed(&ecsm);
    if (status != ECSM_OK ||
        ecsm_mbedtls_begin(&ecsm, MBEDTLS_ECP_DP_SECP256R1, ECSM_SLOTS - 1) != 0) {
        (void)fprintf(stderr, "no block: status %u\n", (unsigned)status);
        exit(2);
    }
    jobs = 0;
}

__attribute__((destructor)) static void end(void)
{
    ecsm_mbedtls_end();
    (void)fprintf(stderr, "jobs of the block: %u\n", jobs);
}
