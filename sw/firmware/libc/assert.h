/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries of others include: an assertion is checked by the compiler, or not at all. */
#ifndef ASSERT_H
#define ASSERT_H

#define assert(condition) ((void)0)
#define static_assert _Static_assert

#endif
