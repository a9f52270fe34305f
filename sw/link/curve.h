/* SPDX-License-Identifier: Apache-2.0
 *
 * What software on the host knows of a device's curve, from libcrypto, and what the device signs of
 * a digest.
 */
#ifndef ECSM_CURVE_H
#define ECSM_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/types.h>

enum {
    ECSM_MOST_OCTETS = 72,    /* of a coordinate or a scalar, at most: 571 bits */
    ECSM_KEY_OCTETS = 32,     /* of a key of X25519 or Ed25519 */
    ECSM_DIGEST_OCTETS = 64,  /* of a digest that a device signs, at most */
    ECSM_ED25519_MESSAGE = 2047 /* octets of a message, which the device keeps inside, at most */
};

typedef struct {
    char name[32]; /* as the server has it */
    int nid;       /* NID_undef if libcrypto has no such curve */
    bool binary;   /* over a field of characteristic 2 */
    size_t field_octets, order_octets, order_bits;
} ecsm_curve_t;

/* Learn what the curve of a name is; `context` is libcrypto's. */
void ecsm_curve_find(ecsm_curve_t *curve, const char *name, OSSL_LIB_CTX *context);

/* Whether its keys are octets, of X25519 or Ed25519, and no point and number. */
bool ecsm_curve_is_octets(const ecsm_curve_t *curve);

/* What a device signs. Its operations are of digests of one length each. Another digest is given
 * to one that is long enough, so that its first bits, which alone count, are the same number. */
typedef struct {
    const char *hash;
    uint8_t octets[ECSM_DIGEST_OCTETS];
    size_t length;
} ecsm_digest_t;

/* Find what a device with these operations signs of a digest. Returns 0 if none is for it. */
int ecsm_digest_fit(ecsm_digest_t *digest, const ecsm_curve_t *curve, const char *operations,
                    const uint8_t *octets, size_t length);

#endif
