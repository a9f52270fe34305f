/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boot program of the system on chip: takes an image from the serial port and starts it if its
 * signature is right. It is in memory that cannot be written, and so is the public key.
 *
 *   image:  "ECSB" | version (4) | octets of the program (4) | zero (4) | program
 *           | octets of the signature (1) | signature: ECDSA-P256 with SHA-256, DER,
 *                                            of all before its length
 *
 * Numbers have the highest octet first. A version below BOOT_MINIMUM is refused: an older program
 * stays signed for ever. Everything that is refused is told in one line and ends in a status; no
 * octet of it is executed.
 */
#include "boot_key.h" /* generated: BOOT_X, BOOT_Y, BOOT_MINIMUM, BOOT_PATIENCE */
#include "der.h"
#include "soc.h"

#ifdef BOOT_SOFTWARE
#include "software.h"
#else
#include "block.h"
#include "hardware.h"
#endif

enum {
    HEADER = 16,
    MAGIC = 0x45435342, /* ECSB */
    RECEIVED = 2        /* of SOC_UART_STATUS */
};

/* Of the layout: where the header goes, with the program behind it, and where the room ends. */
extern uint8_t __load_at[], __load_end[];

static uint8_t signature[DER_MOST];

static uint32_t number(const uint8_t *octets)
{
    return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 |
           octets[3];
}

/* Take octets of an image; false if the next one does not come in BOOT_PATIENCE cycles. */
static bool take(uint8_t *to, uint32_t count)
{
    while (count-- > 0) {
        const uint32_t since = soc_cycles();
        while ((soc_read(SOC_UART_STATUS) & RECEIVED) == 0)
            if (soc_cycles() - since > BOOT_PATIENCE) return false;
        *to++ = (uint8_t)soc_getc();
    }
    return true;
}

/* Begin the program: what was written as data is fetched as instructions from here on. */
static _Noreturn void start(uintptr_t at)
{
    __asm__ volatile("fence.i\n\tjr %0" : : "r"(at) : "memory");
    __builtin_unreachable();
}

static const char *load(uint8_t *image)
{
    static const uint8_t x[BOOT_OCTETS] = BOOT_X, y[BOOT_OCTETS] = BOOT_Y;
    uint8_t r[BOOT_OCTETS], s[BOOT_OCTETS], digest[BOOT_OCTETS];
    uint8_t count;

    image[0] = (uint8_t)soc_getc(); /* that one may take its time */
    if (!take(image + 1, HEADER - 1)) return "cut off";
    const uint32_t version = number(image + 4), length = number(image + 8);
    if (number(image) != MAGIC || number(image + 12) != 0) return "no image";
    if (length == 0 || length > (uint32_t)(__load_end - __load_at) - HEADER) return "too large";
    if (!take(image + HEADER, length) || !take(&count, 1)) return "cut off";
    if (count > DER_MOST) return "no signature";
    if (!take(signature, count)) return "cut off";
    if (version < BOOT_MINIMUM) return "an old version";
    if (!der_signature(signature, count, r, s)) return "no signature";
    /* Two variables: one flip of a bit does not make a wrong signature right. */
    volatile boot_verdict_t first = BOOT_WRONG, second = BOOT_WRONG;
    if (!boot_digest(image, HEADER + length, digest)) return "the block fails";
    first = boot_verify(x, y, digest, r, s);
    second = first;
    if (first != BOOT_RIGHT || second != BOOT_RIGHT) return "a wrong signature";
    return 0;
}

int main(void)
{
    const char *why = "the block fails";

    if (boot_open()) {
        soc_puts("boot: ready\n");
        why = load(__load_at);
    }
    if (why != 0) {
        soc_puts("boot: refused: ");
        soc_puts(why);
        soc_puts("\n");
        return 1;
    }
    soc_puts("boot: started\n");
    start((uintptr_t)__load_at + HEADER);
}
