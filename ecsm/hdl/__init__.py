# SPDX-License-Identifier: Apache-2.0
"""Emit the one generated module of a preset, list its files, package it."""
