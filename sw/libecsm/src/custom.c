/* SPDX-License-Identifier: Apache-2.0 */
/* The HAL of registers behind a custom instruction of RISC-V (rtl/soc/ecsm_soc_custom.sv). */

#include "ecsm_hal.h"

#if defined(__riscv)

static uint32_t get(void *context, uint32_t offset)
{
    uint32_t value;
    (void)context;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, x0" : "=r"(value) : "r"(offset) : "memory");
    return value;
}

static void put(void *context, uint32_t offset, uint32_t value)
{
    uint32_t nothing;
    (void)context;
    __asm__ volatile(".insn r 0x0b, 1, 0, %0, %1, %2"
                     : "=r"(nothing)
                     : "r"(offset), "r"(value)
                     : "memory");
}

ecsm_hal_t ecsm_hal_custom(void)
{
    return (ecsm_hal_t){.read = get, .write = put, .wait = 0, .context = 0};
}

#else

typedef int ecsm_no_custom_instruction; /* a source is not empty */

#endif
