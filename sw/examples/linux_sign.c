/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs a message under Linux, from user space, with a key that the block makes and keeps, and
 * verifies the signature. docs/guide/uio.md has how to compile it and what the kernel needs.
 *
 *     linux_sign /dev/uio0
 */
#include <stdio.h>
#include <string.h>

#include "ecsm.h"
#include "ecsm_block_scheme.h" /* of this block: ecsm build PRESET --attach axil writes it */
#include "ecsm_uio.h"

enum { SLOT = 1, OCTETS = 32 }; /* of a number of P-256 */

static const char message[] = "ten thousand";

static void print(const char *name, const uint8_t *octets)
{
    printf("%s ", name);
    for (unsigned i = 0; i < OCTETS; i++) printf("%02x", octets[i]);
    printf("\n");
}

int main(int count, char **arguments)
{
    static ecsm_t ecsm;
    ecsm_uio_t uio;
    ecsm_hal_t hal;
    uint8_t digest[OCTETS], x[OCTETS], y[OCTETS], r[OCTETS], s[OCTETS];

    if (count != 2) {
        fprintf(stderr, "usage: linux_sign /dev/uioN\n");
        return 2;
    }
    const int error = ecsm_uio_open(&uio, arguments[1], sizeof(ecsm_block_scheme_t), &hal);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", arguments[1], strerror(error));
        return 1;
    }
    ecsm_status_t status = ecsm_open(&ecsm, &hal);
    if (status == ECSM_OK && (ecsm.scalar_octets != OCTETS || ecsm.coordinate_octets != OCTETS))
        status = ECSM_NO_DEVICE; /* a block of another curve, with longer numbers or shorter ones */
    if (status == ECSM_OK) status = ecsm_seed(&ecsm); /* from the block's noise source */
    if (status == ECSM_OK) status = ecsm_keygen(&ecsm, SLOT, (ecsm_point_t){x, y});
    if (status == ECSM_OK)
        status = ecsm_sha256(&ecsm, (const uint8_t *)message, sizeof message - 1, digest);
    if (status == ECSM_OK) status = ecsm_sign(&ecsm, SLOT, digest, r, s);
    if (status == ECSM_OK) status = ecsm_verify(&ecsm, (ecsm_const_point_t){x, y}, digest, r, s);
    (void)ecsm_zeroize(&ecsm); /* or the next process finds the key */
    ecsm_uio_close(&uio);
    if (status != ECSM_OK) {
        fprintf(stderr, "status %d\n", (int)status);
        return 1;
    }
    print("x", x);
    print("y", y);
    print("r", r);
    print("s", s);
    return 0;
}
