/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system on chip (rtl/soc/ecsm_soc.sv): serial port, timer, cycles, exit.
 *
 * No function fails.
 */
#ifndef SOC_H
#define SOC_H

#include <stdint.h>

#define SOC_UART_DATA 0x80000000u
#define SOC_UART_STATUS 0x80000004u
#define SOC_UART_DIVISOR 0x80000008u
#define SOC_TIME_LOW 0x80000010u
#define SOC_TIME_HIGH 0x80000014u
#define SOC_COMPARE_LOW 0x80000018u
#define SOC_COMPARE_HIGH 0x8000001cu
#define SOC_EXIT 0x80000020u
#define SOC_LC 0x90000000u
#define SOC_AXIL 0xa0000000u

static inline void soc_write(uint32_t address, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)address = value;
}

static inline uint32_t soc_read(uint32_t address)
{
    return *(volatile uint32_t *)(uintptr_t)address;
}

/* Cycles since reset, modulo 2^32. */
static inline uint32_t soc_cycles(void)
{
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
    return cycles;
}

/* Send a character, a text, a number in decimal or hexadecimal (eight digits). */
void soc_putc(char c);
void soc_puts(const char *text);
void soc_put_decimal(uint32_t value);
void soc_put_hex(uint32_t value);

/* The next character that has come; waits for it. */
char soc_getc(void);

/* End the program; 0 means that all went well. Does not return. */
_Noreturn void soc_exit(int status);

/* Call `handler` once, `cycles` from now, as an interrupt; NULL: never. */
void soc_alarm(uint32_t cycles, void (*handler)(void));

/* Return when the interrupt line of the block behind AXI4-Lite is high. Not within a handler. */
void soc_wait_for_block(void);

/* What start.S calls for every trap. One that is neither the timer's nor the block's ends the program. */
void soc_trap(uint32_t cause, uint32_t pc);

#endif
