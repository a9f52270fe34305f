/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration of mbedTLS for test_mbedtls_size.py: ECDSA and ECDH on P-256 and nothing else. */

#ifndef MBEDTLS_SIZE_H
#define MBEDTLS_SIZE_H

#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECDH_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_ECP_NO_INTERNAL_RNG
#define MBEDTLS_ECP_WINDOW_SIZE 2
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_PLATFORM_C
#if defined(WITH_BLOCK)
#define MBEDTLS_ECDSA_SIGN_ALT
#define MBEDTLS_ECDSA_VERIFY_ALT
#define MBEDTLS_ECDH_GEN_PUBLIC_ALT
#define MBEDTLS_ECDH_COMPUTE_SHARED_ALT
#endif

#include "mbedtls/check_config.h"

#endif
