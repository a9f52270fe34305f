/* SPDX-License-Identifier: Apache-2.0 */
/* What a program of sw/firmware/apps says of the system on chip, on this host. */
#ifndef SOC_H
#define SOC_H

#include <stdio.h>

static inline void soc_putc(char c)
{
    putchar(c);
}

static inline void soc_puts(const char *text)
{
    fputs(text, stdout);
}

static inline void soc_put_decimal(unsigned value)
{
    printf("%u", value);
}

#endif
