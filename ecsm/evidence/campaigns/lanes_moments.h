// SPDX-License-Identifier: Apache-2.0
//
// Moments of traces by class; the caller is lanes.py.

#pragma once

#include <cstdint>

extern "C" {
// Add the moments of counts to sums[class][power][cycle]: powers 1 to 4 of the distance to each cycle's centre.
// `order`: the numbers of traces, class by class; `ends`: behind which place of it each class ends.
void lanes_moments(const uint16_t *counts, int64_t cycles, int64_t stride, const int32_t *order, const int32_t *ends,
                   int32_t classes, const double *centre, double *sums) {
    for (int64_t cycle = 0; cycle < cycles; ++cycle) {
        const uint16_t *row = counts + cycle * stride;
        for (int32_t c = 0, i = 0; c < classes; ++c) {
            double s1 = 0, s2 = 0, s3 = 0, s4 = 0;
            for (; i < ends[c]; ++i) {
                const double x = row[order[i]] - centre[cycle], square = x * x;
                s1 += x, s2 += square, s3 += square * x, s4 += square * square;
            }
            double *sum = sums + int64_t(c) * 4 * cycles + cycle;
            sum[0] += s1, sum[cycles] += s2, sum[2 * cycles] += s3, sum[3 * cycles] += s4;
        }
    }
}
}
