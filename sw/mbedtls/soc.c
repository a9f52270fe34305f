/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbedTLS with a block on the system on chip: it signs a digest, verifies the signature, and prints the
 * public key, the signature and cycles. If it is sent a character it goes on with the self test, and
 * verifies in software, which takes minutes of simulation. Status 0: all is well.
 *
 *     ecsm soc run sw/mbedtls/soc.c --unit schemes-word-p256 --coupling lc
 *     echo | ecsm soc run sw/mbedtls/soc.c --unit schemes-word-p256 --coupling lc --input
 */
#include <stdarg.h>
#include <string.h>

#include "ecsm.h"
#include "ecsm_block_scheme.h"
#include "ecsm_mbedtls.h"
#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/memory_buffer_alloc.h"
#include "mbedtls/platform.h"
#include "mbedtls/platform_util.h"
#include "mbedtls/sha256.h"
#include "measure.h"
#include "soc.h"

enum { OCTETS = 32, HEAP = 8192, SPARE = 0, SLOT = 3, RECEIVED = 2 };

static const char message[] = "ten thousand";

extern const char __bss_end[]; /* where the linker has put everything but the stack */

static ecsm_t ecsm;
static mbedtls_ecp_group group;
static mbedtls_ecp_point q;
static mbedtls_mpi d, r, s;
static unsigned char heap[HEAP], digest[OCTETS], octets[OCTETS];

/* What mbedTLS prints by: %s alone. */
static int print(const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    for (; *format != '\0'; format++) {
        if (format[0] == '%' && format[1] == 's') {
            soc_puts(va_arg(texts, const char *));
            format++;
        } else
            soc_putc(*format);
    }
    va_end(texts);
    return 0;
}

/* Random octets of the block's generator, which gives keys alone: of each that it makes, and that
 * nobody sees, the hash of its public part. */
static int random_of(void *state, unsigned char *to, size_t length)
{
    uint8_t point[2 * OCTETS], hash[OCTETS];
    ecsm_status_t status = ECSM_OK;

    (void)state;
    while (length > 0 && status == ECSM_OK) {
        const size_t some = length < OCTETS ? length : OCTETS;
        status = ecsm_keygen(&ecsm, SPARE, (ecsm_point_t){point, point + OCTETS});
        if (status == ECSM_OK) status = ecsm_sha256(&ecsm, point, sizeof point, hash);
        if (status == ECSM_OK) status = ecsm_forget(&ecsm, SPARE);
        if (status == ECSM_OK) memcpy(to, hash, some);
        to += some;
        length -= some;
    }
    mbedtls_platform_zeroize(point, sizeof point);
    mbedtls_platform_zeroize(hash, sizeof hash);
    return ecsm_mbedtls_error(status);
}

static int sign(void)
{
    return mbedtls_ecdsa_sign(&group, &r, &s, &d, digest, OCTETS, random_of, NULL);
}

static int verify(void)
{
    return mbedtls_ecdsa_verify(&group, digest, OCTETS, &q, &r, &s);
}

/* The same by libecsm alone, with the key in its slot. */
static int sign_directly(void)
{
    uint8_t direct[2 * OCTETS];

    return ecsm_mbedtls_error(ecsm_sign(&ecsm, SLOT, digest, direct, direct + OCTETS));
}

static int load(void)
{
    int error = mbedtls_mpi_write_binary(&d, octets, OCTETS);

    if (error == 0) error = ecsm_mbedtls_error(ecsm_load(&ecsm, SLOT, octets));
    mbedtls_platform_zeroize(octets, sizeof octets);
    return error;
}

static int show(const char *name, const mbedtls_mpi *number)
{
    const int error = mbedtls_mpi_write_binary(number, octets, OCTETS);

    if (error != 0) return error;
    soc_puts(name);
    for (unsigned i = 0; i < OCTETS; i += 4)
        soc_put_hex((uint32_t)octets[i] << 24 | (uint32_t)octets[i + 1] << 16 |
                    (uint32_t)octets[i + 2] << 8 | octets[i + 3]);
    soc_puts("\n");
    return 0;
}

/* Return what failed, NULL if nothing did: the block against software. */
static const char *compared(void)
{
    int error = 0;

    MEASURE("self-test", error |= ecsm_mbedtls_self_test(1));
    if (error != 0) return "self-test";
    ecsm_mbedtls_end(); /* from now on all is in software */
    MEASURE("software-verify", error |= verify());
    return error == 0 ? NULL : "software-verify";
}

/* The same: a key, a signature. */
static const char *tried(void)
{
    const ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);
    int error = 0;

    if (ecsm_open(&ecsm, &hal) != ECSM_OK || ecsm_seed(&ecsm) != ECSM_OK) return "block";
    if (ecsm_mbedtls_begin(&ecsm, MBEDTLS_ECP_DP_SECP256R1, SLOT) != 0) return "begin";
    if (mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) != 0 ||
        mbedtls_ecdh_gen_public(&group, &d, &q, random_of, NULL) != 0)
        return "key";
    if (mbedtls_sha256_ret((const unsigned char *)message, sizeof message - 1, digest, 0) != 0)
        return "digest";
    measure_begin();
    MEASURE("sign", error |= sign());
    if (error != 0) return "sign";
    MEASURE("verify", error |= verify());
    if (error != 0) return "verify";
    if (show("x ", &q.X) != 0 || show("y ", &q.Y) != 0 || show("r ", &r) != 0 || show("s ", &s) != 0)
        return "numbers";
    if (load() != 0) return "load";
    MEASURE("libecsm-sign", error |= sign_directly());
    if (error != 0 || ecsm_forget(&ecsm, SLOT) != ECSM_OK) return "libecsm";
    report("memory", (uint32_t)(uintptr_t)__bss_end);
    return (soc_read(SOC_UART_STATUS) & RECEIVED) != 0 ? compared() : NULL;
}

int main(void)
{
    mbedtls_memory_buffer_alloc_init(heap, sizeof heap);
    (void)mbedtls_platform_set_printf(print);
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&q);
    mbedtls_mpi_init(&d);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    const char *failed = tried();
    mbedtls_mpi_free(&d);
    if (failed != NULL) print("%s: failed\n", failed);
    return failed != NULL;
}
