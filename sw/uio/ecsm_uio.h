/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of a block under Linux, from user space: a HAL of libecsm over a UIO device. */

#ifndef ECSM_UIO_H
#define ECSM_UIO_H

#include <stddef.h>

#include "ecsm_hal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int fd;
    volatile uint32_t *registers;
    size_t size;
} ecsm_uio_t;

/* Open a UIO device, as "/dev/uio0", whose first map is the block, of `size` octets at least:
 * SIZE of ecsm_block_scheme.h. The device is then this process's alone: a block serves one.
 * `*hal` is valid until ecsm_uio_close; `*uio` must stay where it is. The HAL waits for interrupts.
 *
 * Returns 0, or an errno: EBUSY if another process has it, ENODEV if the kernel's map is smaller,
 * and those of open(2) and mmap(2). Nothing is open then. */
int ecsm_uio_open(ecsm_uio_t *uio, const char *path, size_t size, ecsm_hal_t *hal);

/* Give it back. Keys stay in the block: ecsm_zeroize clears them before. */
void ecsm_uio_close(ecsm_uio_t *uio);

#ifdef __cplusplus
}
#endif

#endif
