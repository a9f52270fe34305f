/* SPDX-License-Identifier: Apache-2.0 */
#include "sha.h"

#include "octets.h"

#define BLOCK 64u
#define LENGTH 8u /* octets of the message's length, at the end of the last block */

typedef void block_function(uint32_t *state, const uint8_t *block);

static inline uint32_t left(uint32_t word, unsigned by)
{
    return word << by | word >> (32 - by);
}

static inline uint32_t right(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

static inline uint32_t choose(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & (y ^ z)) ^ z;
}

static inline uint32_t majority(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | (z & (x | y));
}

static inline uint32_t parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

/* All blocks of a message, the padding included. */
static void blocks(uint32_t *state, block_function *block, const uint8_t *message, size_t octets)
{
    size_t left_over = octets;
    for (; left_over >= BLOCK; left_over -= BLOCK, message += BLOCK) block(state, message);
    uint8_t end[2 * BLOCK];
    const size_t size = left_over + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
    for (size_t i = 0; i < left_over; i++) end[i] = message[i];
    end[left_over] = 0x80;
    for (size_t i = left_over + 1; i < size - 4; i++) end[i] = 0;
    octets_store(end + size - 4, (uint32_t)octets << 3);
    for (size_t i = 0; i < size; i += BLOCK) block(state, end + i);
}

/* A round leaves the new a in e and the new c in b: five of them come back to where they began. */
#define ROUND1(f, k, a, b, c, d, e, word)                                                          \
    do {                                                                                           \
        (e) += left(a, 5) + f(b, c, d) + (k) + (word);                                             \
        (b) = left(b, 30);                                                                         \
    } while (0)
#define ROUNDS1(f, k, from)                                                                        \
    for (unsigned t = from; t < (from) + 20u; t += 5) {                                            \
        ROUND1(f, k, a, b, c, d, e, w[t]);                                                         \
        ROUND1(f, k, e, a, b, c, d, w[t + 1]);                                                     \
        ROUND1(f, k, d, e, a, b, c, w[t + 2]);                                                     \
        ROUND1(f, k, c, d, e, a, b, w[t + 3]);                                                     \
        ROUND1(f, k, b, c, d, e, a, w[t + 4]);                                                     \
    }

static void sha1_block(uint32_t *state, const uint8_t *block)
{
    uint32_t w[80];
    for (unsigned t = 0; t < 16; t++) w[t] = octets_load(block + 4 * t);
    for (unsigned t = 16; t < 80; t++) w[t] = left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    ROUNDS1(choose, 0x5a827999u, 0)
    ROUNDS1(parity, 0x6ed9eba1u, 20)
    ROUNDS1(majority, 0x8f1bbcdcu, 40)
    ROUNDS1(parity, 0xca62c1d6u, 60)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void sha1(uint8_t digest[SHA1_OCTETS], const uint8_t *message, size_t octets)
{
    uint32_t state[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    blocks(state, sha1_block, message, octets);
    for (unsigned i = 0; i < 5; i++) octets_store(digest + 4 * i, state[i]);
}

static const uint32_t k256[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u,
    0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu,
    0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu,
    0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u,
    0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,
    0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u,
    0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u,
    0xc67178f2u};

/* A round leaves the new a in h and the new e in d: eight of them come back to where they began. */
#define ROUND256(a, b, c, d, e, f, g, h, t)                                                        \
    do {                                                                                           \
        (h) += (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + choose(e, f, g) + k256[t] + w[t];     \
        (d) += (h);                                                                                \
        (h) += (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + majority(a, b, c);                    \
    } while (0)

static void sha256_block(uint32_t *state, const uint8_t *block)
{
    uint32_t w[64];
    for (unsigned t = 0; t < 16; t++) w[t] = octets_load(block + 4 * t);
    for (unsigned t = 16; t < 64; t++) {
        const uint32_t x = w[t - 15], y = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (right(x, 7) ^ right(x, 18) ^ x >> 3) +
               (right(y, 17) ^ right(y, 19) ^ y >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (unsigned t = 0; t < 64; t += 8) {
        ROUND256(a, b, c, d, e, f, g, h, t);
        ROUND256(h, a, b, c, d, e, f, g, t + 1);
        ROUND256(g, h, a, b, c, d, e, f, t + 2);
        ROUND256(f, g, h, a, b, c, d, e, t + 3);
        ROUND256(e, f, g, h, a, b, c, d, t + 4);
        ROUND256(d, e, f, g, h, a, b, c, t + 5);
        ROUND256(c, d, e, f, g, h, a, b, t + 6);
        ROUND256(b, c, d, e, f, g, h, a, t + 7);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void sha256(uint8_t digest[SHA256_OCTETS], const uint8_t *message, size_t octets)
{
    uint32_t state[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                         0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    blocks(state, sha256_block, message, octets);
    for (unsigned i = 0; i < 8; i++) octets_store(digest + 4 * i, state[i]);
}
