/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs a message with a key that the block makes and keeps, and verifies the signature: a program
 * to begin with. On a machine of your own the address is that of your block.
 *
 *     ecsm soc run sw/examples/sign.c --unit schemes-word-p256 --coupling lc
 */
#include "ecsm.h"
#include "ecsm_block_scheme.h" /* of this block: ecsm build PRESET --attach axil writes it, too */
#include "soc.h"

enum { SLOT = 1, OCTETS = 32 }; /* of a number of P-256 */

static const char message[] = "ten thousand";

static void print(const char *name, const uint8_t *octets)
{
    soc_puts(name);
    for (unsigned i = 0; i < OCTETS; i += 4)
        soc_put_hex((uint32_t)octets[i] << 24 | (uint32_t)octets[i + 1] << 16 |
                    (uint32_t)octets[i + 2] << 8 | octets[i + 3]);
    soc_puts("\n");
}

int main(void)
{
    static ecsm_t ecsm;
    uint8_t digest[OCTETS], x[OCTETS], y[OCTETS], r[OCTETS], s[OCTETS];
    const ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);

    ecsm_status_t status = ecsm_open(&ecsm, &hal);
    if (status == ECSM_OK && (ecsm.scalar_octets != OCTETS || ecsm.coordinate_octets != OCTETS))
        status = ECSM_NO_DEVICE; /* a block of another curve, with longer numbers or shorter ones */
    if (status == ECSM_OK) status = ecsm_seed(&ecsm); /* from the block's noise source */
    if (status == ECSM_OK) status = ecsm_keygen(&ecsm, SLOT, (ecsm_point_t){x, y});
    if (status == ECSM_OK)
        status = ecsm_sha256(&ecsm, (const uint8_t *)message, sizeof message - 1, digest);
    if (status == ECSM_OK) status = ecsm_sign(&ecsm, SLOT, digest, r, s);
    if (status == ECSM_OK) status = ecsm_verify(&ecsm, (ecsm_const_point_t){x, y}, digest, r, s);
    if (status != ECSM_OK) {
        soc_puts("status ");
        soc_put_decimal((uint32_t)status);
        soc_puts("\n");
        return 1;
    }
    print("x ", x);
    print("y ", y);
    print("r ", r);
    print("s ", s);
    return 0;
}
