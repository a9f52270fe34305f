/* SPDX-License-Identifier: Apache-2.0 */
/* Say hello, and how long that took. */
#include "soc.h"

int main(void)
{
    const uint32_t start = soc_cycles();
    soc_puts("hello from RISC-V\n");
    soc_put_decimal(soc_cycles() - start);
    soc_puts(" cycles\n");
    return 0;
}
