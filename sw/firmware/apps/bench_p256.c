/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of schemes on P-256 in software: BearSSL's, in constant time, with its P-256 code for
 * multipliers of 32 bits. Signatures are of digests, with nonces by RFC 6979. */
#include "measure.h"
#include "p256/p256.h"
#include "bearssl_ec.h"

enum { POINT = 1 + 2 * P256_OCTETS, UNCOMPRESSED = 4 };

static const br_ec_impl *const ec = &br_ec_p256_m31;
static uint8_t point[POINT], peer[POINT], signature[2 * P256_OCTETS], digest[P256_OCTETS];
static uint8_t key_octets[P256_OCTETS], own_octets[P256_OCTETS], message[P256_MESSAGE];

static bool public_key(void)
{
    return ec->mulgen(point, key_octets, P256_OCTETS, BR_EC_secp256r1) == POINT;
}

static bool agree(void)
{
    peer[0] = UNCOMPRESSED;
    memcpy(peer + 1, p256_peer_x, P256_OCTETS);
    memcpy(peer + 1 + P256_OCTETS, p256_peer_y, P256_OCTETS);
    return ec->mul(peer, POINT, own_octets, P256_OCTETS, BR_EC_secp256r1) == 1;
}

static bool sign(void)
{
    const br_ec_private_key key = {BR_EC_secp256r1, key_octets, P256_OCTETS};
    return br_ecdsa_i31_sign_raw(ec, &br_sha256_vtable, p256_digest, &key, signature) ==
           sizeof signature;
}

static bool verify(void)
{
    const br_ec_public_key key = {BR_EC_secp256r1, point, POINT};
    return br_ecdsa_i31_vrfy_raw(ec, p256_digest, P256_OCTETS, &key, signature,
                                 sizeof signature) == 1;
}

static bool hash(void)
{
    br_sha256_context context;
    br_sha256_init(&context);
    br_sha256_update(&context, message, sizeof message);
    br_sha256_out(&context, digest);
    return true;
}

int main(void)
{
    bool ok = true;
    memcpy(key_octets, p256_key, P256_OCTETS);
    memcpy(own_octets, p256_own, P256_OCTETS);
    for (unsigned i = 0; i < P256_MESSAGE; i++) message[i] = (uint8_t)(3 * i);
    measure_begin();
    MEASURE("sha256", ok &= hash());
    ok &= p256_equal(digest, p256_message_digest, P256_OCTETS);
    MEASURE("public", ok &= public_key());
    ok &= point[0] == UNCOMPRESSED && p256_equal(point + 1, p256_x, P256_OCTETS) &&
          p256_equal(point + 1 + P256_OCTETS, p256_y, P256_OCTETS);
    MEASURE("ecdh", ok &= agree());
    ok &= p256_equal(peer + 1, p256_secret, P256_OCTETS);
    MEASURE("sign", ok &= sign());
    ok &= p256_equal(signature, p256_r, P256_OCTETS) &&
          p256_equal(signature + P256_OCTETS, p256_s, P256_OCTETS);
    MEASURE("verify", ok &= verify());
    signature[0] ^= 1;
    const bool refused = !verify();
    return ok && refused ? 0 : 1;
}
