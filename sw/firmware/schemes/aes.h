/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-256 in counter mode. The counter is the whole IV, its highest octet first, and wraps. No
 * function fails. Table look-ups depend on the key: not constant time.
 * Source: FIPS 197; SP 800-38A, section 6.5.
 */
#ifndef AES_H
#define AES_H

#include <stddef.h>
#include <stdint.h>

#define AES_KEY_OCTETS 32u
#define AES_BLOCK_OCTETS 16u

/* Encrypt, or decrypt; `to` may be `from`. */
void aes256_ctr(uint8_t *to, const uint8_t key[AES_KEY_OCTETS],
                const uint8_t iv[AES_BLOCK_OCTETS], const uint8_t *from, size_t octets);

#endif
