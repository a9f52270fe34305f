# SPDX-License-Identifier: Apache-2.0
"""What a name of a campaign is of: a core, its scheme machine, a word engine."""

from __future__ import annotations

from ecsm.evidence.campaigns.signing import PREFIX, Signature
from ecsm.evidence.campaigns.subject import CoreJobs
from ecsm.evidence.campaigns.word_multiple import WordMultiple
from ecsm.evidence.campaigns.word_signing import WordSignature
from ecsm.evidence.campaigns.word_traces import Multiples, Signatures
from ecsm.presets.word import is_word_engine


def subject_class(name: str) -> type[CoreJobs] | type[Signature]:
    """Return what faults are tried on: a preset's core, or with PREFIX what runs its schemes.

    A word engine has no core: without PREFIX its faults are in a kP.
    """
    if not name.startswith(PREFIX):
        return WordMultiple if is_word_engine(name) else CoreJobs
    return WordSignature if is_word_engine(name.removeprefix(PREFIX)) else Signature


def traced_class(
    name: str,
) -> type[CoreJobs] | type[Signature] | type[Multiples] | type[Signatures]:
    """Return what traces are of: as :func:`subject_class`, or a word engine's kP or signature."""
    if is_word_engine(name.removeprefix(PREFIX)):
        return Signatures if name.startswith(PREFIX) else Multiples
    return subject_class(name)
