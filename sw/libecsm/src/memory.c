/* SPDX-License-Identifier: Apache-2.0 */
/* The HAL of memory-mapped registers. */

#include "ecsm_hal.h"

static uint32_t get(void *context, uint32_t offset)
{
    return *(volatile uint32_t *)((uintptr_t)context + offset);
}

static void put(void *context, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)((uintptr_t)context + offset) = value;
}

ecsm_hal_t ecsm_hal_memory(uintptr_t base)
{
    return (ecsm_hal_t){.read = get, .write = put, .wait = 0, .context = (void *)base};
}
