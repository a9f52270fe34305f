/* SPDX-License-Identifier: Apache-2.0 */
/* Serial port, alarm and exit of the system on chip. */
#include "soc.h"

#include <stdbool.h>
#include <stddef.h>

#define MAY_SEND 1u
#define RECEIVED 2u
#define TIMER_CAUSE 0x80000007u
#define TIMER_ENABLE 0x80u
#define BLOCK_CAUSE 0x8000000bu
#define BLOCK_ENABLE 0x800u
#define INTERRUPTS 0x8u

static void (*alarm_handler)(void);
static volatile bool block_asked;

void soc_putc(char c)
{
    while ((soc_read(SOC_UART_STATUS) & MAY_SEND) == 0) {
    }
    soc_write(SOC_UART_DATA, (uint8_t)c);
}

void soc_puts(const char *text)
{
    while (*text != '\0') soc_putc(*text++);
}

void soc_put_decimal(uint32_t value)
{
    char digits[10];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (n > 0) soc_putc(digits[--n]);
}

void soc_put_hex(uint32_t value)
{
    for (unsigned i = 0; i < 8; i++) soc_putc("0123456789abcdef"[value >> (28 - 4 * i) & 15]);
}

char soc_getc(void)
{
    while ((soc_read(SOC_UART_STATUS) & RECEIVED) == 0) {
    }
    return (char)soc_read(SOC_UART_DATA);
}

_Noreturn void soc_exit(int status)
{
    soc_write(SOC_EXIT, (uint32_t)status);
    for (;;) {
    }
}

void soc_alarm(uint32_t cycles, void (*handler)(void))
{
    __asm__ volatile("csrc mstatus, %0" : : "r"(INTERRUPTS) : "memory");
    soc_write(SOC_COMPARE_HIGH, UINT32_MAX);
    alarm_handler = handler;
    if (handler == NULL) return;
    const uint32_t now = soc_read(SOC_TIME_LOW);
    const uint32_t high = soc_read(SOC_TIME_HIGH);
    soc_write(SOC_COMPARE_LOW, now + cycles);
    soc_write(SOC_COMPARE_HIGH, high + (now + cycles < now ? 1 : 0));
    __asm__ volatile("csrs mie, %0" : : "r"(TIMER_ENABLE) : "memory");
    __asm__ volatile("csrs mstatus, %0" : : "r"(INTERRUPTS) : "memory");
}

/* Bit 0 of CSR 0xbc0 lets the line through (VexRiscv); the handler takes it back. */
void soc_wait_for_block(void)
{
    block_asked = false;
    __asm__ volatile("csrsi 0xbc0, 1" : : : "memory");
    __asm__ volatile("csrs mie, %0" : : "r"(BLOCK_ENABLE) : "memory");
    __asm__ volatile("csrs mstatus, %0" : : "r"(INTERRUPTS) : "memory");
    while (!block_asked) {
    }
}

void soc_trap(uint32_t cause, uint32_t pc)
{
    if (cause == BLOCK_CAUSE) {
        __asm__ volatile("csrci 0xbc0, 1" : : : "memory");
        block_asked = true;
        return;
    }
    if (cause != TIMER_CAUSE || alarm_handler == NULL) {
        soc_puts("trap ");
        soc_put_hex(cause);
        soc_puts(" at ");
        soc_put_hex(pc);
        soc_putc('\n');
        soc_exit(127);
    }
    void (*handler)(void) = alarm_handler;
    alarm_handler = NULL;
    soc_write(SOC_COMPARE_HIGH, UINT32_MAX);
    /* The interrupt is down some cycles later: with the write done, this read is one of them. */
    (void)soc_read(SOC_COMPARE_HIGH);
    handler();
}
