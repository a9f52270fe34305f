// SPDX-License-Identifier: Apache-2.0
//
// psec_kem: PSEC-KEM in software on secp256r1 and secp256k1, GMP for the numbers, libcrypto for
// SHA-256, random octets and PEM.
//
// NOT IN CONSTANT TIME. Time and memory accesses depend on the keys. It is a reference and a
// baseline for the hardware: use it where nobody who must not know the keys can measure.
//
// Exit code 0, or 1 with one line on standard error. Secrets are cleared before it ends.

#include <getopt.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "files.h"
#include "psec.h"

enum { STACK = 1 << 16 };  // octets that calls below main may have written to, at most

static const char HELP[] =
    "psec_kem keygen --curve CURVE [-o KEY] [--public PUB]\n"
    "psec_kem encap --to PUB [-o CAPSULE] --secret FILE [--random FILE] [--affine]\n"
    "psec_kem decap --key KEY [--secret FILE] [CAPSULE] [--affine]\n"
    "psec_kem bench [OPERATIONS]\n\n"
    "CURVE is secp256r1 or secp256k1. Keys are PEM. A file that is left out, or -, is a standard\n"
    "stream. --random: the 32 random octets come from there, for tests. --affine: the baseline.\n"
    "Not in constant time.\n";

typedef struct {
    const char *curve, *out, *public, *to, *key, *secret, *random, *operand;
    multiply *mul;
} options;

static bool usage(void) { return complain("", "wrong arguments: see psec_kem --help"); }

// Read the words behind a command's name; `taken` are the letters of its options.
static bool parse(int count, char **words, const char *taken, options *o) {
    static const struct option known[] = {
        {"curve", required_argument, NULL, 'c'},  {"public", required_argument, NULL, 'p'},
        {"to", required_argument, NULL, 't'},     {"key", required_argument, NULL, 'k'},
        {"secret", required_argument, NULL, 's'}, {"random", required_argument, NULL, 'r'},
        {"out", required_argument, NULL, 'o'},    {"affine", no_argument, NULL, 'a'},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int found; (found = getopt_long(count, words, "o:", known, NULL)) != -1;) {
        if (!strchr(taken, found)) return usage();
        switch (found) {
            case 'c': o->curve = optarg; break;
            case 'p': o->public = optarg; break;
            case 't': o->to = optarg; break;
            case 'k': o->key = optarg; break;
            case 's': o->secret = optarg; break;
            case 'r': o->random = optarg; break;
            case 'o': o->out = optarg; break;
            default: o->mul = affine_multiply;
        }
    }
    if (optind < count) o->operand = words[optind++];
    return optind == count || usage();
}

// Tell apart what a capsule or a key is refused for.
static bool succeeded(psec_status status, const char *path) {
    static const char *const what[] = {
        [PSEC_BAD_POINT] = "the point is not on the curve",
        [PSEC_BAD_KEY] = "the private key is not in 1 .. n - 1",
        [PSEC_REJECTED] = "rejected: not made for this key, or altered",
        [PSEC_FAULT] = "libcrypto failed, or alpha is 0",
    };
    return status == PSEC_OK || complain(path, what[status]);
}

static bool keygen(const options *o) {
    uint8_t octets[OCTETS];
    number d;
    point w;
    if (!o->curve || o->operand) return usage();
    const curve *c = curve_named(o->curve);
    if (!c) return complain(o->curve, "there is secp256r1 and secp256k1");
    do {
        if (RAND_priv_bytes(octets, OCTETS) != 1) return complain("", "no random octets");
        number_from_octets(&d, octets);
    } while (number_is_zero(&d) || !number_less(&d, &c->n));
    o->mul(c, &w, &d, &c->generator);
    if (!curve_contains(c, &w)) return complain("", "the public key came out wrong");
    return write_private(o->out, c, &d, &w) && (!o->public || write_public(o->public, c, &w));
}

static bool encap(const options *o) {
    uint8_t r[HASH_OCTETS], capsule[CAPSULE_OCTETS], key[KEY_OCTETS];
    size_t length = sizeof r;
    const curve *c;
    point w;
    if (!o->to || !o->secret || o->operand) return usage();
    if (!read_public(o->to, &c, &w)) return false;
    if (o->random) {
        if (!read_file(o->random, r, sizeof r, &length)) return false;
    } else if (RAND_priv_bytes(r, sizeof r) != 1) {
        return complain("", "no random octets");
    }
    if (length != sizeof r) return complain(o->random, "the random string has not 32 octets");
    return succeeded(psec_encapsulate(c, o->mul, &w, r, capsule, key), o->to) &&
           write_file(o->out, capsule, sizeof capsule, false) &&
           write_file(o->secret, key, sizeof key, true);
}

static bool decap(const options *o) {
    uint8_t capsule[CAPSULE_OCTETS], key[KEY_OCTETS];
    size_t length;
    const curve *c;
    number d;
    const char *path = o->operand ? o->operand : "-";
    if (!o->key) return usage();
    if (!read_private(o->key, &c, &d)) return false;
    if (!read_file(path, capsule, sizeof capsule, &length)) return false;
    if (length != sizeof capsule || capsule[0] != 4)
        return complain(path, "no capsule: 97 octets, the first of them 04");
    return succeeded(psec_decapsulate(c, o->mul, &d, capsule, key), path) &&
           write_file(o->secret ? o->secret : "-", key, sizeof key, true);
}

static bool time_it(const options *o) { return bench(o->operand); }

// Run a command; a function of its own, so that its stack is left when it ends.
__attribute__((noinline)) static bool run(int count, char **words) {
    static const struct {
        const char *name;
        bool (*run)(const options *);
        const char *taken;
    } commands[] = {
        {"keygen", keygen, "cop"},
        {"encap", encap, "atosr"},
        {"decap", decap, "aks"},
        {"bench", time_it, ""},
    };
    options o = {.out = "-", .mul = projective_multiply};
    for (size_t i = 0; count > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(words[1], commands[i].name))
            return parse(count - 1, words + 1, commands[i].taken, &o) && commands[i].run(&o);
    if (count == 2 && !strcmp(words[1], "--help")) return fputs(HELP, stdout) >= 0;
    return usage();
}

// Clear what the calls before have left on the stack, GMP's among them.
__attribute__((noinline)) static void clear_stack(void) {
    uint8_t left[STACK];
    explicit_bzero(left, sizeof left);
}

int main(int count, char **words) {
    const bool good = clear_what_is_freed() && run(count, words);
    clear_stack();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
