/* SPDX-License-Identifier: Apache-2.0 */
/* What mbedTLS's configuration needs beside its own: MBEDTLS_USER_CONFIG_FILE names this file. */

#ifndef ECSM_CONFIG_H
#define ECSM_CONFIG_H

/* alt.c has these functions. MBEDTLS_ECP_RESTARTABLE goes with none of them. */
#define MBEDTLS_ECDSA_SIGN_ALT
#define MBEDTLS_ECDSA_VERIFY_ALT
#define MBEDTLS_ECDH_GEN_PUBLIC_ALT
#define MBEDTLS_ECDH_COMPUTE_SHARED_ALT

/* Keys in the device: psa.c is a driver of a secure element, TLS and X.509 take its keys. */
#define MBEDTLS_PSA_CRYPTO_SE_C
#define MBEDTLS_USE_PSA_CRYPTO

#endif
