/* SPDX-License-Identifier: Apache-2.0 */
/* Columns are words, their first row highest. One table is substitution and mixing of a row. */
#include "aes.h"

#include "aes_table.h"
#include "octets.h"

#define ROUNDS 14
#define KEY_WORDS (4 * (ROUNDS + 1))

static inline uint32_t right8(uint32_t word)
{
    return word >> 8 | word << 24;
}

static inline uint32_t substituted(uint32_t octet)
{
    return aes_table[octet & 255] >> 8 & 255;
}

/* Each octet of a word substituted, its rows from four columns. */
static inline uint32_t rows(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return substituted(a >> 24) << 24 | substituted(b >> 16) << 16 | substituted(c >> 8) << 8 |
           substituted(d);
}

/* The same, and mixed. */
static inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t t = aes_table[d & 255];
    t = right8(t) ^ aes_table[c >> 8 & 255];
    t = right8(t) ^ aes_table[b >> 16 & 255];
    return right8(t) ^ aes_table[a >> 24];
}

static void expand(uint32_t w[KEY_WORDS], const uint8_t key[AES_KEY_OCTETS])
{
    uint32_t constant = 1u << 24;
    for (unsigned i = 0; i < 8; i++) w[i] = octets_load(key + 4 * i);
    for (unsigned i = 8; i < KEY_WORDS; i++) {
        uint32_t t = w[i - 1];
        if (i % 8 == 0) {
            t = rows(t << 8, t << 8, t << 8, t >> 24) ^ constant;
            constant <<= 1;
        } else if (i % 8 == 4) {
            t = rows(t, t, t, t);
        }
        w[i] = w[i - 8] ^ t;
    }
}

static void encrypt(uint32_t out[4], const uint32_t w[KEY_WORDS], const uint32_t in[4])
{
    uint32_t a = in[0] ^ w[0], b = in[1] ^ w[1], c = in[2] ^ w[2], d = in[3] ^ w[3];
    for (unsigned i = 1; i < ROUNDS; i++) {
        w += 4;
        const uint32_t e = mixed(a, b, c, d) ^ w[0];
        const uint32_t f = mixed(b, c, d, a) ^ w[1];
        const uint32_t g = mixed(c, d, a, b) ^ w[2];
        d = mixed(d, a, b, c) ^ w[3];
        a = e;
        b = f;
        c = g;
    }
    w += 4;
    out[0] = rows(a, b, c, d) ^ w[0];
    out[1] = rows(b, c, d, a) ^ w[1];
    out[2] = rows(c, d, a, b) ^ w[2];
    out[3] = rows(d, a, b, c) ^ w[3];
}

void aes256_ctr(uint8_t *to, const uint8_t key[AES_KEY_OCTETS],
                const uint8_t iv[AES_BLOCK_OCTETS], const uint8_t *from, size_t octets)
{
    uint32_t w[KEY_WORDS], counter[4], stream[4];
    expand(w, key);
    for (unsigned i = 0; i < 4; i++) counter[i] = octets_load(iv + 4 * i);
    while (octets > 0) {
        encrypt(stream, w, counter);
        for (unsigned i = 4; i-- > 0;) {
            if (++counter[i] != 0) break;
        }
        const unsigned now = octets < AES_BLOCK_OCTETS ? (unsigned)octets : AES_BLOCK_OCTETS;
        for (unsigned i = 0; i < now; i++) {
            to[i] = (uint8_t)(from[i] ^ stream[i / 4] >> (24 - 8 * (i % 4)));
        }
        to += now;
        from += now;
        octets -= now;
    }
}
