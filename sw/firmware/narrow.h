/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The narrow port (rtl/attach/ecsm_narrow_pkg.sv), as custom instructions (NARROW_TC, tightly
 * coupled) or behind registers of the bus (NARROW_LC, loosely coupled). A program is compiled for
 * one of them; the rest of it is the same.
 *
 * A call waits while the unit is busy, but for NARROW_STATUS, NARROW_INFO and NARROW_CLEAR. No
 * function fails: errors are bits of the status, and stay until they are cleared.
 */
#ifndef NARROW_H
#define NARROW_H

#include <stdint.h>

#include "soc.h"

#define NARROW_WRITE 0
#define NARROW_EVEN 1
#define NARROW_ODD 2
#define NARROW_RUN 3
#define NARROW_STATUS 4
#define NARROW_WAIT 5
#define NARROW_INFO 6
#define NARROW_CLEAR 7

#define NARROW_BUSY (1u << 0)
#define NARROW_UNKNOWN (1u << 1)
#define NARROW_ORDER (1u << 2)
#define NARROW_RANGE (1u << 3)
#define NARROW_CURVE (1u << 4)
#define NARROW_INFINITY (1u << 5)
#define NARROW_ERRORS (NARROW_UNKNOWN | NARROW_ORDER | NARROW_RANGE | NARROW_CURVE)

#define NARROW_ID 0x4543534du

/* The index of a function of words. */
#define NARROW_WORDS(reg, pair) ((reg) * 8 + (pair))

/*
 * narrow_call(kind, index, a, b): request a function, return its result.
 * narrow_send(kind, index, a, b): the same, its result not wanted.
 * kind and index are constants.
 */
#if defined(NARROW_TC)

#define narrow_call(kind, index, a, b)                                                             \
    __extension__({                                                                                \
        uint32_t narrow_result;                                                                    \
        __asm__ volatile(".insn r 0x0b, %1, %2, %0, %3, %4"                                        \
                         : "=r"(narrow_result)                                                     \
                         : "i"(kind), "i"(index), "r"((uint32_t)(a)), "r"((uint32_t)(b)));         \
        narrow_result;                                                                             \
    })
#define narrow_send(kind, index, a, b) ((void)narrow_call(kind, index, a, b))
#define narrow_read(kind, index) narrow_call(kind, index, 0, 0)

#elif defined(NARROW_LC)

#define NARROW_ARGUMENT (SOC_LC + 0x1000u)
#define NARROW_FUNCTION(kind, index) (SOC_LC + 4u * (uint32_t)((index) * 8 + (kind)))

static inline void narrow_send_at(uint32_t address, uint32_t a, uint32_t b)
{
    soc_write(NARROW_ARGUMENT, a);
    soc_write(address, b);
}

static inline uint32_t narrow_call_at(uint32_t address, uint32_t a)
{
    soc_write(NARROW_ARGUMENT, a);
    return soc_read(address);
}

/* On the bus a read has no second operand: NARROW_STATUS sets bits by a write. */
#define narrow_call(kind, index, a, b) ((void)(b), narrow_call_at(NARROW_FUNCTION(kind, index), a))
#define narrow_send(kind, index, a, b) narrow_send_at(NARROW_FUNCTION(kind, index), a, b)
#define narrow_read(kind, index) soc_read(NARROW_FUNCTION(kind, index))

#else
#error "a program for the narrow port is compiled with NARROW_TC or NARROW_LC"
#endif

/* Begin a program: its number in the generated header. */
#if defined(NARROW_TC)
#define narrow_run(number) ((void)narrow_call(NARROW_RUN, number, 0, 0))
#else
#define narrow_run(number) soc_write(NARROW_FUNCTION(NARROW_RUN, number), 0)
#endif

/* The status, once the unit is idle. */
#define narrow_wait() narrow_read(NARROW_WAIT, 0)

/* The status now; then the bits of `clear` are cleared and those of `set` are set. */
static inline uint32_t narrow_status(uint32_t clear, uint32_t set)
{
#if defined(NARROW_TC)
    return narrow_call(NARROW_STATUS, 0, clear, set);
#else
    soc_write(NARROW_ARGUMENT, 0);
    const uint32_t status = soc_read(NARROW_FUNCTION(NARROW_STATUS, 0));
    narrow_send(NARROW_STATUS, 0, clear, set);
    return status;
#endif
}

#endif
