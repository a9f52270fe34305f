/* SPDX-License-Identifier: Apache-2.0 */
/* The test of libecsm (sw/libecsm/test/api.c) on this system: polling, and on the bus by interrupt. */
#include "api.h"
#include "block.h"
#include "soc.h"

static void say(const char *what)
{
    soc_puts("failed: ");
    soc_puts(what);
    soc_putc('\n');
}

#if defined(BLOCK_LC)
static void wait(void *context)
{
    (void)context;
    soc_wait_for_block();
}
#endif

static unsigned run(const char *how, const ecsm_hal_t *hal)
{
    const unsigned failed = api_test(hal, say);
    soc_puts(how);
    soc_puts(": ");
    soc_put_decimal(failed);
    soc_puts(" of ");
    soc_put_decimal(api_checks);
    soc_puts(" checks failed\n");
    return failed;
}

int main(void)
{
#if defined(BLOCK_TC)
    const ecsm_hal_t hal = ecsm_hal_custom();
    return run("custom instruction", &hal) == 0 ? 0 : 1;
#else
    ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);
    unsigned failed = run("polling", &hal);
    hal.wait = wait;
    failed += run("by interrupt", &hal);
    return failed == 0 ? 0 : 1;
#endif
}
