/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-1 and SHA-256 of whole messages, fewer than 2^29 octets. No function fails.
 * Source: FIPS 180-4, sections 6.1 and 6.2.
 */
#ifndef SHA_H
#define SHA_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_OCTETS 20u
#define SHA256_OCTETS 32u

void sha1(uint8_t digest[SHA1_OCTETS], const uint8_t *message, size_t octets);
void sha256(uint8_t digest[SHA256_OCTETS], const uint8_t *message, size_t octets);

#endif
