# SPDX-License-Identifier: Apache-2.0
"""Point formulas and whole programs, written once.

A formula is plain Python over the values of a :class:`~ecsm.formulas.gf2m.algebra.Algebra`. Run on
:class:`~ecsm.formulas.gf2m.numbers.Numbers` it is the reference model; run on
:class:`~ecsm.formulas.gf2m.trace.Tracer` it leaves the dataflow graph that the scheduler solves.
"""
