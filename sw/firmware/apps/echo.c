/* SPDX-License-Identifier: Apache-2.0 */
/* Say again the two octets that come, and exit with the number that they are, the lower one first. */
#include "soc.h"

int main(void)
{
    const uint8_t low = (uint8_t)soc_getc();
    soc_putc((char)low);
    const uint8_t high = (uint8_t)soc_getc();
    soc_putc((char)high);
    return high << 8 | low;
}
