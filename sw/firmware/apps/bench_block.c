/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of schemes on the block behind the bus, by libecsm, strings in memory before and after. A
 * signature is of a message: its digest is one job, the signature another. */
#include "measure.h"
#include "ecsm.h"
#include "ecsm_block_scheme.h"

enum { OCTETS = 64, DIGEST = 20, IV = 16, ROOM = 80, KEY_OCTET = 5 };

static ecsm_t ecsm;
static uint8_t key[ROOM], x[ROOM], y[ROOM], r[ROOM], s[ROOM], digest[DIGEST];
static uint8_t rx[ROOM], ry[ROOM], iv[IV], stream[OCTETS], message[OCTETS], opened[OCTETS];

static bool run(uint32_t operation, const ecsm_in_t *in, size_t ins, ecsm_out_t *out, size_t outs)
{
    return ecsm_run(&ecsm, operation, 0, 0, in, ins, out, outs) == ECSM_OK;
}

static bool hash(void)
{
    const ecsm_in_t in[] = {{message, OCTETS}};
    ecsm_out_t out[] = {{.octets = digest, .room = DIGEST}};
    return run(ECSM_OPERATION_SHA1, in, 1, out, 1);
}

static bool sign(void)
{
    const ecsm_in_t in[] = {{digest, DIGEST}};
    ecsm_out_t out[] = {{.octets = r, .room = ROOM}, {.octets = s, .room = ROOM}};
    return hash() && run(ECSM_OPERATION_SIGN_SHA1, in, 1, out, 2);
}

static bool verify(void)
{
    const size_t c = ecsm.coordinate_octets, n = ecsm.scalar_octets;
    const ecsm_in_t in[] = {{x, c}, {y, c}, {digest, DIGEST}, {r, n}, {s, n}};
    return hash() && run(ECSM_OPERATION_VERIFY_SHA1, in, 5, NULL, 0);
}

static bool encrypt(void)
{
    const size_t c = ecsm.coordinate_octets;
    const ecsm_in_t in[] = {{x, c}, {y, c}, {message, OCTETS}};
    ecsm_out_t out[] = {{.octets = rx, .room = ROOM}, {.octets = ry, .room = ROOM},
                        {.octets = iv, .room = IV}, {.octets = stream, .room = OCTETS}};
    return run(ECSM_OPERATION_EC_AES_ENCRYPT, in, 3, out, 4);
}

static bool decrypt(void)
{
    const size_t c = ecsm.coordinate_octets;
    const ecsm_in_t in[] = {{rx, c}, {ry, c}, {iv, IV}, {stream, OCTETS}};
    ecsm_out_t out[] = {{.octets = opened, .room = OCTETS}};
    return run(ECSM_OPERATION_EC_AES_DECRYPT, in, 4, out, 1);
}

int main(void)
{
    const ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);
    if (ecsm_open(&ecsm, &hal) != ECSM_OK) return 1;
    key[ecsm.scalar_octets - 1] = KEY_OCTET;
    bool ok = ecsm_seed(&ecsm) == ECSM_OK && ecsm_load(&ecsm, 0, key) == ECSM_OK;
    ok &= ecsm_public(&ecsm, 0, (ecsm_point_t){x, y}) == ECSM_OK;
    for (unsigned i = 0; i < OCTETS; i++) message[i] = (uint8_t)(3 * i);
    measure_begin();
    MEASURE("sha1", ok &= hash());
    MEASURE("ecdsa_sign", ok &= sign());
    MEASURE("ecdsa_verify", ok &= verify());
    MEASURE("ec_aes_encrypt", ok &= encrypt());
    MEASURE("ec_aes_decrypt", ok &= decrypt());
    for (unsigned i = 0; i < OCTETS; i++) ok &= opened[i] == message[i];
    ok &= stream[0] != message[0] || stream[1] != message[1] || stream[2] != message[2];
    r[0] ^= 1;
    const bool refused = !verify();
    return ok && refused ? 0 : 1;
}
