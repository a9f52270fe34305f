/* SPDX-License-Identifier: Apache-2.0 */
/* mbedTLS's ecdh.c under other names, with the functions that it leaves out for those of alt.c. */

#define mbedtls_ecdh_can_do ecsm_software_ecdh_can_do
#define mbedtls_ecdh_gen_public ecsm_software_ecdh_gen_public
#define mbedtls_ecdh_compute_shared ecsm_software_ecdh_compute_shared
#define mbedtls_ecdh_init ecsm_software_ecdh_init
#define mbedtls_ecdh_setup ecsm_software_ecdh_setup
#define mbedtls_ecdh_free ecsm_software_ecdh_free
#define mbedtls_ecdh_make_params ecsm_software_ecdh_make_params
#define mbedtls_ecdh_read_params ecsm_software_ecdh_read_params
#define mbedtls_ecdh_get_params ecsm_software_ecdh_get_params
#define mbedtls_ecdh_make_public ecsm_software_ecdh_make_public
#define mbedtls_ecdh_read_public ecsm_software_ecdh_read_public
#define mbedtls_ecdh_calc_secret ecsm_software_ecdh_calc_secret

#include "common.h" /* mbedTLS's configuration */

#undef MBEDTLS_ECDH_GEN_PUBLIC_ALT
#undef MBEDTLS_ECDH_COMPUTE_SHARED_ALT

#include "ecdh.c"
