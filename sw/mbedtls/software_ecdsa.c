/* SPDX-License-Identifier: Apache-2.0 */
/* mbedTLS's ecdsa.c under other names, with the functions that it leaves out for those of alt.c. */

#define mbedtls_ecdsa_can_do ecsm_software_ecdsa_can_do
#define mbedtls_ecdsa_sign ecsm_software_ecdsa_sign
#define mbedtls_ecdsa_sign_det ecsm_software_ecdsa_sign_det
#define mbedtls_ecdsa_sign_det_ext ecsm_software_ecdsa_sign_det_ext
#define mbedtls_ecdsa_verify ecsm_software_ecdsa_verify
#define mbedtls_ecdsa_write_signature ecsm_software_ecdsa_write_signature
#define mbedtls_ecdsa_write_signature_restartable ecsm_software_ecdsa_write_signature_restartable
#define mbedtls_ecdsa_write_signature_det ecsm_software_ecdsa_write_signature_det
#define mbedtls_ecdsa_read_signature ecsm_software_ecdsa_read_signature
#define mbedtls_ecdsa_read_signature_restartable ecsm_software_ecdsa_read_signature_restartable
#define mbedtls_ecdsa_genkey ecsm_software_ecdsa_genkey
#define mbedtls_ecdsa_from_keypair ecsm_software_ecdsa_from_keypair
#define mbedtls_ecdsa_init ecsm_software_ecdsa_init
#define mbedtls_ecdsa_free ecsm_software_ecdsa_free

#include "common.h" /* mbedTLS's configuration */

#undef MBEDTLS_ECDSA_SIGN_ALT
#undef MBEDTLS_ECDSA_VERIFY_ALT

#include "ecdsa.c"
