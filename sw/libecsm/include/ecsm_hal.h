/* SPDX-License-Identifier: Apache-2.0 */
/* How libecsm reaches the registers of a block: by three functions that the platform gives. */

#ifndef ECSM_HAL_H
#define ECSM_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* Read, or write, the 32-bit register at that offset of the block. */
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    /* Return when the block's interrupt line is high, or at any time before; NULL: the driver polls
     * and enables no interrupt. */
    void (*wait)(void *context);
    void *context;
} ecsm_hal_t;

/* A HAL for registers at an address, without interrupts: `base` as uintptr_t. Never fails. */
ecsm_hal_t ecsm_hal_memory(uintptr_t base);

#if defined(__riscv)
/* A HAL for registers behind the custom instruction custom-0, without interrupts. Never fails. */
ecsm_hal_t ecsm_hal_custom(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
