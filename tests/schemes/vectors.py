# SPDX-License-Identifier: Apache-2.0
"""Published capsules of ECIES, and an agreement of ECMQV."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Capsule:
    """A message sealed by ECIES with XOR: k G is R, ``tag`` the first octets of HMAC's."""

    d: int
    k: int
    info: bytes
    message: bytes
    sealed: bytes
    tag: bytes


_K = 0x1384C31D6982D52BCA3BED8A7E60F52FECDAB44E5C0EA166815A8159E09FFB42

IEEE_1609_2 = (
    Capsule(
        0x060E41440A4E35154CA0EFCB52412145836AD032833E6BC781E533BF14851085, _K,
        bytes.fromhex("A6B7B52554B4203F7E3ACFDB3A3ED8674EE086CE5906A7CAC2F8A398306D3BE9"),
        bytes.fromhex("9169155B08B07674CBADF75FB46A7B0D"),
        bytes.fromhex("A6342013D623AD6C5F6882469673AE33"),
        bytes.fromhex("80e1d85d30f1bae4ecf1a534a89a0786"),
    ),
    Capsule(
        0xDA5E1D853FCC5D0C162A245B9F29D38EB6059F0DB172FB7FDA6663B925E8C744, _K,
        bytes.fromhex("05BED5F867B89F30FE5552DF414B65B9DD4073FC385D14921C641A145AA12051"),
        bytes.fromhex("687E9757DEBFD87B0C267330C183C7B6"),
        bytes.fromhex("1F6346EDAEAF57561FC9604FEBEFF44E"),
        bytes.fromhex("373c0fa7c52a0798ec36eadfe387c3ef"),
    ),
)  # fmt: skip
"""ECIES on P-256 of IEEE 1609.2a-2017, D.6.2, with SharedInfo1; the information of the first one as
the vectors' source has it, where the standard prints the message again."""


@dataclass(frozen=True)
class Agreement:
    """A secret of two parties with two private keys each, the static one first."""

    one: tuple[int, int]
    other: tuple[int, int]
    shared: int


GEC_2_ECMQV = Agreement(
    (0x03A41434AA99C2EF40C8495B2ED9739CB2155A1E0D, 0x032FC4C61A8211E6A7C4B8B0C03CF35F7CF20DBD52),
    (0x0057E8A78E842BF4ACD5C315AA0569DB1703541D96, 0x02BD198B83A667A8D908EA1E6F90FD5C6D695DE94F),
    0x038359FFD30C0D5FC1E6154F483B73D43E5CF2B503,
)
"""ECMQV on sect163k1 of GEC 2, version 0.3."""
