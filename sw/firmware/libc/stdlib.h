/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries of others include for its types: there is no malloc. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#endif
