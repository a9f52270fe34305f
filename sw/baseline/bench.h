// SPDX-License-Identifier: Apache-2.0
#ifndef PSEC_KEM_BENCH_H
#define PSEC_KEM_BENCH_H

#include <stdbool.h>

// Time encapsulation and decapsulation on both curves in both ways, so many of each (NULL: 200;
// at most 100000), and print a line for each: curve, way, encapsulation and decapsulation in
// microseconds of processor time, medians. The last line names compiler and GMP. Returns false, and
// says why, for a count that is none and for a decapsulation that gives another key.
bool bench(const char *operations);

#endif
