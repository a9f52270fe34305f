/* SPDX-License-Identifier: Apache-2.0 */
/* See api.h. api_vectors.h is generated: a key, its public key and signature, a secret, a digest. So is
 * ecsm_tables.h, for a block that takes its tables from the host. */

#include "api.h"

#include "api_vectors.h"
#include "ecsm_block_scheme.h"
#if __has_include("ecsm_tables.h")
#include "ecsm_tables.h"
#define API_TABLES
#endif

enum { ABSENT = 62 };
enum { ROOM = 80, DIGEST = 32, LENGTH = 50, QUEUE = 8, READS = 10000000 };

#if defined(ECSM_OPERATION_SELF_TEST)
static const ecsm_status_t self_tested = ECSM_OK;
#else
static const ecsm_status_t self_tested = ECSM_STATUS_UNSUPPORTED;
#endif

unsigned api_checks;

static void (*told)(const char *);
static unsigned failed;

static void check(bool ok, const char *what)
{
    api_checks++;
    if (ok) return;
    failed++;
    told(what);
}

static bool same(const uint8_t *a, const uint8_t *b, size_t length)
{
    uint8_t differ = 0;
    for (size_t i = 0; i < length; i++) differ |= a[i] ^ b[i];
    return differ == 0;
}

#if defined(ECSM_OPERATION_SIGN_SHA256)

static bool all_zero(const uint8_t *a, size_t length)
{
    uint8_t any = 0;
    for (size_t i = 0; i < length; i++) any |= a[i];
    return any == 0;
}

static void clear(uint8_t *a, size_t length)
{
    for (size_t i = 0; i < length; i++) a[i] = 0;
}

static uint8_t x[ROOM], y[ROOM], r[ROOM], s[ROOM], secret[ROOM], digest[DIGEST], tag[DIGEST];
static uint8_t message[LENGTH], sealed[LENGTH], opened[LENGTH], key[DIGEST], again[DIGEST];
static const ecsm_point_t out = {x, y};
static const ecsm_const_point_t made = {x, y};
static const ecsm_const_point_t own = {api_x, api_y};
static const ecsm_const_point_t peer = {api_peer_x, api_peer_y};

static void known_answers(ecsm_t *ecsm)
{
    const size_t coordinate = ecsm->coordinate_octets, scalar = ecsm->scalar_octets;
    check(ecsm_public(ecsm, 2, out) == ECSM_STATUS_NO_KEY, "a slot without a key");
    check(ecsm_load(ecsm, 2, api_key) == ECSM_OK, "load");
    check(ecsm_public(ecsm, 2, out) == ECSM_OK, "public");
    check(same(x, api_x, coordinate) && same(y, api_y, coordinate), "the public key");
    check(ecsm_sha256(ecsm, api_message, sizeof api_message, digest) == ECSM_OK, "sha256");
    check(same(digest, api_digest, DIGEST), "the digest");
    check(ecsm_sign(ecsm, 2, api_digest, r, s) == ECSM_OK, "sign");
    check(same(r, api_r, scalar) && same(s, api_s, scalar), "the signature");
    check(ecsm_agree(ecsm, 2, peer, secret) == ECSM_OK, "agree");
    check(same(secret, api_secret, coordinate), "the secret");
    check(ecsm_verify(ecsm, own, api_digest, api_r, api_s) == ECSM_OK, "verify");
    check(ecsm_verify(ecsm, own, api_digest, api_s, api_r) == ECSM_STATUS_SIGNATURE_INVALID,
          "r and s exchanged");
    clear(r, scalar);
    check(ecsm_verify(ecsm, own, api_digest, r, api_s) == ECSM_STATUS_SIGNATURE_INVALID, "r = 0");
    digest[5] ^= 1;
    check(ecsm_verify(ecsm, own, digest, api_r, api_s) == ECSM_STATUS_SIGNATURE_INVALID,
          "another digest");
    check(ecsm_load(ecsm, 1, r) == ECSM_STATUS_SCALAR_OUT_OF_RANGE, "a key of zero");
    y[coordinate - 1] ^= 1;
    check(ecsm_agree(ecsm, 2, made, secret) == ECSM_STATUS_POINT_NOT_ON_CURVE, "off the curve");
    check(ecsm_forget(ecsm, 2) == ECSM_OK, "forget");
    check(ecsm_public(ecsm, 2, out) == ECSM_STATUS_NO_KEY, "a key that was forgotten");
}

static uint8_t ephemeral_x[ROOM], ephemeral_y[ROOM];
static const ecsm_point_t e = {ephemeral_x, ephemeral_y};

#if defined(ECSM_OPERATION_ECIES_ENCRYPT)

static const ecsm_const_point_t ephemeral = {ephemeral_x, ephemeral_y};

static void sealed_messages(ecsm_t *ecsm)
{
    for (size_t i = 0; i < LENGTH; i++) message[i] = (uint8_t)(i * 7);
    check(ecsm_encrypt(ecsm, made, message, LENGTH, e, sealed, tag) == ECSM_OK, "encrypt");
    check(!same(sealed, message, LENGTH), "the message is sealed");
    check(ecsm_decrypt(ecsm, 0, ephemeral, sealed, LENGTH, tag, opened) == ECSM_OK, "decrypt");
    check(same(opened, message, LENGTH), "the message is opened");
    tag[3] ^= 1;
    clear(opened, LENGTH);
    check(ecsm_decrypt(ecsm, 0, ephemeral, sealed, LENGTH, tag, opened) ==
              ECSM_STATUS_AUTHENTICATION_FAILED,
          "a wrong tag");
    check(all_zero(opened, LENGTH), "nothing is opened with a wrong tag");
    check(ecsm_encapsulate(ecsm, made, e, tag, key) == ECSM_OK, "encapsulate");
    check(ecsm_decapsulate(ecsm, 0, ephemeral, tag, again) == ECSM_OK, "decapsulate");
    check(same(key, again, DIGEST) && !all_zero(key, DIGEST), "the key of the capsule");
}

#else

/* A block that has no such operations, as the word engine. */
static void sealed_messages(ecsm_t *ecsm)
{
    check(ecsm_encrypt(ecsm, made, message, LENGTH, e, sealed, tag) == ECSM_STATUS_UNSUPPORTED,
          "encrypt where there is none");
    check(ecsm_decrypt(ecsm, 0, own, sealed, LENGTH, tag, opened) == ECSM_STATUS_UNSUPPORTED,
          "decrypt where there is none");
    check(ecsm_encapsulate(ecsm, made, e, tag, key) == ECSM_STATUS_UNSUPPORTED,
          "encapsulate where there is none");
    check(ecsm_decapsulate(ecsm, 0, own, tag, again) == ECSM_STATUS_UNSUPPORTED,
          "decapsulate where there is none");
    check(all_zero(ephemeral_x, ROOM) && all_zero(key, DIGEST), "nothing comes of it");
    check(ecsm_public(ecsm, 0, out) == ECSM_OK, "the key is there still");
}

#endif

static void wrapped_keys(ecsm_t *ecsm)
{
    static uint8_t wrapped[ROOM + 8];
    const size_t length = ecsm_wrapped_octets(ecsm);
    check(length % 8 == 0 && length >= ecsm->scalar_octets + 8 && length <= sizeof wrapped,
          "the length of a wrapped key");
#if defined(ECSM_OPERATION_WRAP)
    check(ecsm_device_key(ecsm, api_digest) == ECSM_STATUS_UNSUPPORTED,
          "a device key behind a key");
    ecsm_zeroize(ecsm);
    check(ecsm_device_key(ecsm, api_digest) == ECSM_OK, "a device key");
    check(ecsm_device_key(ecsm, api_digest) == ECSM_STATUS_UNSUPPORTED, "a device key twice");
    check(ecsm_wrap(ecsm, 3, wrapped) == ECSM_STATUS_NO_KEY, "wrap of a slot without a key");
    check(ecsm_load(ecsm, 3, api_key) == ECSM_OK, "load of what is wrapped");
    check(ecsm_wrap(ecsm, 3, wrapped) == ECSM_OK, "wrap");
    check(ecsm_unwrap(ecsm, 1, wrapped) == ECSM_OK, "unwrap");
    check(ecsm_public(ecsm, 1, out) == ECSM_OK, "public of what was wrapped");
    check(same(x, api_x, ecsm->coordinate_octets), "the same key");
    wrapped[9] ^= 4;
    check(ecsm_unwrap(ecsm, 1, wrapped) == ECSM_STATUS_AUTHENTICATION_FAILED, "an altered key");
    check(ecsm_sign(ecsm, 1, api_digest, r, s) == ECSM_OK, "the key stays");
    ecsm_zeroize(ecsm);
    check(ecsm_load(ecsm, 3, api_key) == ECSM_OK, "load behind a zeroize");
    check(ecsm_wrap(ecsm, 3, wrapped) == ECSM_STATUS_NO_KEY, "the device key has gone");
#else
    check(ecsm_device_key(ecsm, api_digest) == ECSM_STATUS_UNSUPPORTED &&
              ecsm_wrap(ecsm, 0, wrapped) == ECSM_STATUS_UNSUPPORTED &&
              ecsm_unwrap(ecsm, 0, wrapped) == ECSM_STATUS_UNSUPPORTED &&
              all_zero(wrapped, sizeof wrapped),
          "wrapped keys where there are none");
#endif
}

static void own_secrets(ecsm_t *ecsm)
{
    check(ecsm_keygen(ecsm, 0, out) == ECSM_STATUS_NO_ENTROPY, "a key without a seed");
    check(ecsm_seed(ecsm) == ECSM_OK, "seed");
    check(ecsm_keygen(ecsm, 0, out) == ECSM_OK, "keygen");
    sealed_messages(ecsm);
    wrapped_keys(ecsm);
    ecsm_zeroize(ecsm);
    check(ecsm_public(ecsm, 0, out) == ECSM_STATUS_NO_KEY, "a key after a zeroize");
    check(ecsm_keygen(ecsm, 0, out) == ECSM_STATUS_NO_ENTROPY, "a seed after a zeroize");
}

static void misuse(ecsm_t *ecsm)
{
    const ecsm_in_t in[] = {{api_message, sizeof api_message}};
    ecsm_out_t place[] = {{.octets = digest, .room = DIGEST}};
    ecsm_out_t small[] = {{.octets = digest, .room = DIGEST - 1}};
    check(ecsm_step(ecsm) == ECSM_BUSY, "a step without a job");
    check(ecsm_run(ecsm, ABSENT, 0, 0, NULL, 0, NULL, 0) == ECSM_STATUS_UNSUPPORTED,
          "an operation that there is not");
    check(ecsm_run(ecsm, ECSM_OPERATION_SHA256, 0, 0, in, 1, small, 1) == ECSM_NO_ROOM,
          "an output without room");
    check(ecsm_run(ecsm, ECSM_OPERATION_LOAD, 0, 0, in, 1, NULL, 0) == ECSM_STATUS_UNSUPPORTED,
          "a string of another length");
    check(ecsm_start(ecsm, ECSM_OPERATION_SHA256, 0, 0, in, 1, place, 1) == ECSM_OK, "start");
    check(ecsm_start(ecsm, ECSM_OPERATION_SHA256, 0, 0, in, 1, place, 1) == ECSM_BUSY,
          "a second job");
    ecsm_status_t status;
    while ((status = ecsm_step(ecsm)) == ECSM_PENDING) {
    }
    check(status == ECSM_OK && same(digest, api_digest, DIGEST), "a job step by step");
}

/* A zeroize while the answer waits, in the block and behind its queue: the next job begins with nothing
 * of it. */
static void dropped(ecsm_t *ecsm)
{
    ecsm_out_t places[] = {{.octets = x, .room = ROOM}, {.octets = y, .room = ROOM}};
    const uint32_t out_register = (uint32_t)offsetof(ecsm_block_scheme_t, OUT);
    uint32_t reads = 0;
    check(ecsm_load(ecsm, 2, api_key) == ECSM_OK, "load");
    check(ecsm_start(ecsm, ECSM_OPERATION_PUBLIC, 2, 0, NULL, 0, places, 2) == ECSM_OK, "start");
    while (((ecsm->hal.read(ecsm->hal.context, out_register) & ECSM_BLOCK_SCHEME__OUT__WORDS_bm) >>
            ECSM_BLOCK_SCHEME__OUT__WORDS_bp) < QUEUE) {
        if (++reads == READS) break;
    }
    check(reads < READS, "the queue is full");
    ecsm_zeroize(ecsm);
    check((ecsm->hal.read(ecsm->hal.context, out_register) & ECSM_BLOCK_SCHEME__OUT__WORDS_bm) == 0,
          "no word is left of what was dropped");
    check(ecsm_load(ecsm, 2, api_key) == ECSM_OK, "the next job");
    check(ecsm_forget(ecsm, 2) == ECSM_OK, "forget");
}

static size_t coordinate(void)
{
    return sizeof api_x;
}

static void all(ecsm_t *ecsm)
{
    known_answers(ecsm);
    own_secrets(ecsm);
    misuse(ecsm);
    dropped(ecsm);
}

#else

/* A block of X25519 or Ed25519: keys are octets. */
static uint8_t public_key[DIGEST], another[DIGEST], given[2 * DIGEST];
static const ecsm_point_t out = {public_key, NULL}, out_other = {another, NULL};

static void keys(ecsm_t *ecsm)
{
    check(ecsm_public(ecsm, 2, out) == ECSM_STATUS_NO_KEY, "a slot without a key");
    check(ecsm_load(ecsm, 2, api_key) == ECSM_OK, "load");
    check(ecsm_public(ecsm, 2, out) == ECSM_OK, "public");
    check(same(public_key, api_public, sizeof api_public), "the public key");
    check(ecsm_keygen(ecsm, 0, out_other) == ECSM_STATUS_NO_ENTROPY, "a key without a seed");
    check(ecsm_seed(ecsm) == ECSM_OK, "seed");
    check(ecsm_keygen(ecsm, 0, out_other) == ECSM_OK, "keygen");
    check(!same(public_key, another, sizeof another), "another key");
}

#if defined(ECSM_OPERATION_X25519)

static void operations(ecsm_t *ecsm)
{
    static const uint8_t zero[DIGEST];
    uint8_t theirs[DIGEST];
    check(ecsm_x25519(ecsm, 2, api_peer, given) == ECSM_OK, "x25519");
    check(same(given, api_secret, sizeof api_secret), "the secret");
    check(ecsm_x25519(ecsm, 2, another, given) == ECSM_OK, "x25519 with a key of the block");
    check(ecsm_x25519(ecsm, 0, public_key, theirs) == ECSM_OK, "x25519 the other way round");
    check(same(given, theirs, sizeof theirs), "one secret");
    check(ecsm_x25519(ecsm, 2, zero, given) == ECSM_STATUS_LOW_ORDER_POINT, "a secret of zero");
    check(ecsm_ed25519_sign(ecsm, 2, 0, zero, sizeof zero, given) == ECSM_STATUS_UNSUPPORTED,
          "a signature where there is none");
}

#else

static void operations(ecsm_t *ecsm)
{
    const size_t length = sizeof api_message, digest = sizeof api_digest;
    check(ecsm_ed25519_sign(ecsm, 2, 0, api_message, length, given) == ECSM_OK, "sign");
    check(same(given, api_signature, sizeof given), "the signature");
    check(ecsm_ed25519_verify(ecsm, api_public, given, 0, api_message, length) == ECSM_OK, "verify");
    check(ecsm_ed25519_verify(ecsm, api_public, given, 0, api_message, length - 1) ==
              ECSM_STATUS_SIGNATURE_INVALID,
          "another message");
    check(ecsm_ed25519_verify(ecsm, another, given, 0, api_message, length) ==
              ECSM_STATUS_SIGNATURE_INVALID,
          "another key");
    check(ecsm_ed25519_sign(ecsm, 2, ECSM_ED25519PH, api_digest, digest, given) == ECSM_OK,
          "sign a digest");
    check(same(given, api_prehashed, sizeof given), "the signature of a digest");
    check(ecsm_ed25519_verify(ecsm, api_public, given, ECSM_ED25519PH, api_digest, digest) == ECSM_OK,
          "verify a digest's");
    check(ecsm_x25519(ecsm, 2, api_public, given) == ECSM_STATUS_UNSUPPORTED,
          "x25519 where there is none");
}

#endif

static size_t coordinate(void)
{
    return sizeof api_public;
}

static void all(ecsm_t *ecsm)
{
    uint8_t r[DIGEST], s[DIGEST];
    keys(ecsm);
    operations(ecsm);
    check(ecsm_sign(ecsm, 2, api_key, r, s) == ECSM_STATUS_UNSUPPORTED, "ECDSA where there is none");
    check(ecsm_run(ecsm, ABSENT, 0, 0, NULL, 0, NULL, 0) == ECSM_STATUS_UNSUPPORTED,
          "an operation that there is not");
    check(ecsm_public(ecsm, 2, out) == ECSM_OK, "the key is there still");
    ecsm_zeroize(ecsm);
    check(ecsm_public(ecsm, 2, out) == ECSM_STATUS_NO_KEY, "a key after a zeroize");
}

#endif

unsigned api_test(const ecsm_hal_t *hal, void (*say)(const char *))
{
    ecsm_t ecsm;
    told = say;
    failed = api_checks = 0;
    check(ecsm_open(&ecsm, hal) == ECSM_OK, "open");
    if (failed != 0) return failed;
#if defined(API_TABLES)
    check(ecsm_load_tables(&ecsm, &ecsm_tables) == ECSM_OK, "tables");
#endif
    check(ecsm.coordinate_octets == coordinate() && ecsm.scalar_octets == sizeof api_key, "sizes");
    if (failed != 0) return failed;
    check(ecsm_self_test(&ecsm) == self_tested, "self-test");
    all(&ecsm);
    return failed;
}
