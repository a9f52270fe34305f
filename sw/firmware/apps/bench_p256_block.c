/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of the schemes of bench_p256 on a block behind the bus, by libecsm, strings in memory before
 * and after: the key of a signature is in a slot, and its nonce is by RFC 6979, too. */
#include "measure.h"
#include "p256/p256.h"
#include "ecsm.h"
#include "ecsm_block_scheme.h"

enum { KEY, OWN };

static ecsm_t ecsm;
static uint8_t x[P256_OCTETS], y[P256_OCTETS], r[P256_OCTETS], s[P256_OCTETS];
static uint8_t digest[P256_OCTETS], secret[P256_OCTETS], message[P256_MESSAGE];

static bool run(uint32_t operation, uint32_t slot, const ecsm_in_t *in, size_t ins,
                ecsm_out_t *out, size_t outs)
{
    return ecsm_run(&ecsm, operation, slot, 0, in, ins, out, outs) == ECSM_OK;
}

static bool public_key(void)
{
    return ecsm_public(&ecsm, KEY, (ecsm_point_t){x, y}) == ECSM_OK;
}

static bool agree(void)
{
    const ecsm_in_t in[] = {{p256_peer_x, P256_OCTETS}, {p256_peer_y, P256_OCTETS}};
    ecsm_out_t out[] = {{.octets = secret, .room = P256_OCTETS}};
    return run(ECSM_OPERATION_ECDH, OWN, in, 2, out, 1);
}

static bool sign(void)
{
    const ecsm_in_t in[] = {{p256_digest, P256_OCTETS}};
    ecsm_out_t out[] = {{.octets = r, .room = P256_OCTETS}, {.octets = s, .room = P256_OCTETS}};
    return run(ECSM_OPERATION_SIGN_SHA256, KEY, in, 1, out, 2);
}

static bool verify(void)
{
    const ecsm_in_t in[] = {{x, P256_OCTETS},
                            {y, P256_OCTETS},
                            {p256_digest, P256_OCTETS},
                            {r, P256_OCTETS},
                            {s, P256_OCTETS}};
    return run(ECSM_OPERATION_VERIFY_SHA256, KEY, in, 5, NULL, 0);
}

static bool hash(void)
{
    const ecsm_in_t in[] = {{message, P256_MESSAGE}};
    ecsm_out_t out[] = {{.octets = digest, .room = P256_OCTETS}};
    return run(ECSM_OPERATION_SHA256, KEY, in, 1, out, 1);
}

int main(void)
{
    const ecsm_hal_t hal = ecsm_hal_memory(SOC_AXIL);
    if (ecsm_open(&ecsm, &hal) != ECSM_OK) return 1;
    bool ok = ecsm_seed(&ecsm) == ECSM_OK && ecsm_load(&ecsm, KEY, p256_key) == ECSM_OK &&
              ecsm_load(&ecsm, OWN, p256_own) == ECSM_OK;
    for (unsigned i = 0; i < P256_MESSAGE; i++) message[i] = (uint8_t)(3 * i);
    measure_begin();
    MEASURE("sha256", ok &= hash());
    ok &= p256_equal(digest, p256_message_digest, P256_OCTETS);
    MEASURE("public", ok &= public_key());
    ok &= p256_equal(x, p256_x, P256_OCTETS) && p256_equal(y, p256_y, P256_OCTETS);
    MEASURE("ecdh", ok &= agree());
    ok &= p256_equal(secret, p256_secret, P256_OCTETS);
    MEASURE("sign", ok &= sign());
    ok &= p256_equal(r, p256_r, P256_OCTETS) && p256_equal(s, p256_s, P256_OCTETS);
    MEASURE("verify", ok &= verify());
    r[0] ^= 1;
    const bool refused = !verify();
    return ok && refused ? 0 : 1;
}
