# SPDX-License-Identifier: Apache-2.0
"""The e-cheque: a payer, a bank and an insecure network between them, in a web browser.

The payer's device signs a cheque (ECDSA) and encrypts it to the bank (EC-AES); the bank's device
decrypts and verifies. The network may read, alter, replay or drop messages. ``ecsm demo
echeque`` serves it on the loopback interface.
"""
