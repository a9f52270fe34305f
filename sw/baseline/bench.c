// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include <errno.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"
#include "psec.h"

enum { OPERATIONS = 200, MOST = 100000 };

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t count) {
    qsort(times, count, sizeof *times, compare);
    return times[count / 2];
}

// One way on one curve, with a new private key and a new random string for each operation.
static bool measure(const curve *c, const char *way, multiply *mul, double *times, size_t count) {
    double *const opening = times + count;
    for (size_t i = 0; i < count; i++) {
        uint8_t random[OCTETS + HASH_OCTETS], capsule[CAPSULE_OCTETS];
        uint8_t key[KEY_OCTETS], opened[KEY_OCTETS];
        number s;
        point w;
        if (RAND_priv_bytes(random, sizeof random) != 1) return complain("", "no random octets");
        random[0] &= 0x7f;  // below n
        number_from_octets(&s, random);
        mul(c, &w, &s, &c->generator);
        const double start = microseconds();
        const psec_status made = psec_encapsulate(c, mul, &w, random + OCTETS, capsule, key);
        const double middle = microseconds();
        const psec_status taken = psec_decapsulate(c, mul, &s, capsule, opened);
        opening[i] = microseconds() - middle;
        times[i] = middle - start;
        if (made != PSEC_OK || taken != PSEC_OK || memcmp(key, opened, sizeof key))
            return complain(way, "a capsule was not opened");
    }
    printf("%s %s %.1f %.1f\n", c->name, way, median(times, count), median(opening, count));
    return fflush(stdout) == 0 || complain("", strerror(errno));
}

bool bench(const char *operations) {
    char *end = "";
    const long count = operations ? strtol(operations, &end, 10) : OPERATIONS;
    if (*end || count < 1 || count > MOST)
        return complain("bench", "the number of operations is not one of 1 .. 100000");
    double *times = calloc((size_t)count, 2 * sizeof *times);
    if (!times) return complain("bench", "no memory");
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        const curve *c = curve_named(i < 2 ? "secp256r1" : "secp256k1");
        good = measure(c, i % 2 ? "projective" : "affine",
                       i % 2 ? projective_multiply : affine_multiply, times, (size_t)count);
    }
    free(times);
    if (good) printf("compiler " COMPILER "; GMP %s\n", gmp_version);
    return good;
}
