# SPDX-License-Identifier: Apache-2.0
"""Test tops of the symmetric units, each source and each sink of words on one flat port.

A source ``x`` is the port ``x_i``, from the highest bit down valid and payload; a stream's payload
is last, bytes, data. A sink ``x`` is ``x_o``, alike. Bit k of ``ready_o`` is the ready of source k,
bit k of ``take_i`` that of sink k. Bit k of ``seen_o``: sink k, or what follows the sinks in the
list of outputs, has a bit that is not zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ecsm.hdl.files import RTL, needed

ALGS = ("sha1", "sha224", "sha256", "sha384", "sha512")
"""Names of hashlib, in the order of sym_pkg::alg_e."""


def sources(text: str) -> list[Path]:
    """Return the hand-written files that ``text`` needs, packages first."""
    packages = [RTL / "common" / "ecsm_pkg.sv", RTL / "symmetric" / "sym_pkg.sv"]
    packages += sorted(set((RTL / "symmetric").glob("*_pkg.sv")) - set(packages))
    modules = sorted((RTL / "symmetric").glob("*.sv"))
    return needed(text, [*packages, *(f for f in modules if f not in packages)])


@dataclass(frozen=True)
class Port:
    """A source or a sink: bits of its payload; ``word``: of a stream's word, 0 if it is none."""

    name: str
    payload: int
    word: int = 0


@dataclass
class Top:
    """A test top in the making: its sources, sinks, other ports, and what is in it."""

    name: str
    sources: list[Port] = field(default_factory=list)
    sinks: list[Port] = field(default_factory=list)
    inputs: list[tuple[str, int]] = field(default_factory=list)
    outputs: list[tuple[str, int]] = field(default_factory=list)
    body: list[str] = field(default_factory=list)

    def source(self, name: str, payload: int, word: int = 0) -> str:
        """Add a source; return its valid, as it is connected, its ready and its payload."""
        self.sources.append(Port(name, payload, word))
        return f"{name}_i[{payload}]"

    def stream_in(self, name: str, port: str, word: int) -> str:
        """Add a source of words; return the connections of a module's ports ``port_*``."""
        b = bytes_width(word)
        valid = self.source(name, word + b + 1, word)
        k = len(self.sources) - 1
        return (
            f".{port}_valid_i({valid}), .{port}_ready_o(ready_o[{k}]),"
            f" .{port}_data_i({name}_i[{word - 1}:0]), .{port}_bytes_i({name}_i[{word}+:{b}]),"
            f" .{port}_last_i({name}_i[{word + b}])"
        )

    def stream_out(self, name: str, port: str, word: int) -> str:
        """Add a sink of words; return the connections of a module's ports ``port_*``."""
        b = bytes_width(word)
        self.sinks.append(Port(name, word + b + 1, word))
        k = len(self.sinks) - 1
        return (
            f".{port}_valid_o({name}_o[{word + b + 1}]), .{port}_ready_i(take_i[{k}]),"
            f" .{port}_data_o({name}_o[{word - 1}:0]), .{port}_bytes_o({name}_o[{word}+:{b}]),"
            f" .{port}_last_o({name}_o[{word + b}])"
        )

    def request(self, name: str, fields: Sequence[tuple[str, int, str]], port: str = "req") -> str:
        """Add a source of requests with ``fields`` (port, bits, type), the last one lowest.

        Return the connections of a module's ports ``port_*`` and of the fields.
        """
        width = sum(bits for _, bits, _ in fields)
        valid = self.source(name, max(width, 1))
        made = [f".{port}_valid_i({valid})", f".{port}_ready_o(ready_o[{len(self.sources) - 1}])"]
        at = width
        for field_port, bits, kind in fields:
            at -= bits
            bit = f"{name}_i[{at}+:{bits}]"
            made.append(f".{field_port}({f'{kind}({bit})' if kind else bit})")
        return ", ".join(made)

    def text(self) -> str:
        """Return the module."""
        ports = ["input logic clk_i", "input logic rst_ni_i", "input logic clear_i"]
        ports += [f"input logic [{p.payload}:0] {p.name}_i" for p in self.sources]
        ports += [f"output logic [{p.payload}:0] {p.name}_o" for p in self.sinks]
        ports += [f"input logic [{bits - 1}:0] {name}_i" for name, bits in self.inputs]
        ports += [f"output logic [{bits - 1}:0] {name}_o" for name, bits in self.outputs]
        ports += [f"output logic [{len(self.sources) - 1}:0] ready_o"]
        ports += [f"input logic [{max(len(self.sinks), 1) - 1}:0] take_i"]
        seen = [
            f"|{name}_o" for name in [p.name for p in self.sinks] + [n for n, _ in self.outputs]
        ]
        ports += [f"output logic [{len(seen) - 1}:0] seen_o"]
        inside = "\n".join([*self.body, f"  assign seen_o = {{{', '.join(reversed(seen))}}};"])
        listed = ",\n  ".join(ports)
        return (
            f"module {self.name}\n  import sym_pkg::*;\n  import ecsm_pkg::*;\n(\n  {listed}\n);\n"
            f"{inside}\nendmodule\n"
        )


def bytes_width(word: int) -> int:
    """Return the bits of a word's number of octets."""
    return (word // 8).bit_length()


COMMON = ".clk_i(clk_i), .rst_ni(rst_ni_i), .clear_i(clear_i)"
ALG, BIT = ("alg_e'", 3), 1


def _hash_port(user: int) -> str:
    """Return the connections of a unit's hash_* ports to user ``user`` of the multiplexer."""
    names = {
        "req_valid_o": "req_valid", "req_ready_i": "req_ready", "req_alg_o": "req_alg",
        "msg_valid_o": "msg_valid", "msg_ready_i": "msg_ready", "msg_data_o": "msg_data",
        "msg_bytes_o": "msg_bytes", "msg_last_o": "msg_last",
        "digest_valid_i": "digest_valid", "digest_ready_o": "digest_ready",
    }  # fmt: skip
    shared = ("digest_data", "digest_bytes", "digest_last")
    made = [f".hash_{port}({wire}[{user}])" for port, wire in names.items()]
    return ", ".join(made + [f".hash_{wire}_i({wire})" for wire in shared])


@dataclass(frozen=True)
class System:
    """All units of one word width over one hash: the hash, HMAC, KDF, HMAC_DRBG, and sym_drbg."""

    word: int
    per_cycle: int
    drbg: str = ""
    """Parameters of sym_drbg; empty: there is none."""
    rounds: int = 0
    """Of the hash in a cycle; 0: ``per_cycle``."""

    @property
    def width(self) -> int:
        """Bits of a stream's word."""
        return self.word * self.per_cycle

    @property
    def algs(self) -> tuple[str, ...]:
        """Return the algorithms it has."""
        return ALGS[:3] if self.word == 32 else ALGS[3:]

    def top(self) -> Top:
        """Return the top ``hash_system``."""
        w, b = self.width, bytes_width(self.width)
        users = 5 if self.drbg else 4
        t = Top("hash_system")
        core = f"#(.WordW({self.word}), .PerCycle({self.per_cycle}))"
        hash_core = f"{core[:-1]}, .Rounds({self.rounds or self.per_cycle}))"
        t.body.append(f"""\
  logic [{users - 1}:0] req_valid, req_ready, msg_valid, msg_ready, msg_last, digest_valid;
  logic [{users - 1}:0] digest_ready;
  alg_e req_alg[{users}];
  logic [{w - 1}:0] msg_data[{users}];
  logic [{b - 1}:0] msg_bytes[{users}];
  logic [{w - 1}:0] digest_data;
  logic [{b - 1}:0] digest_bytes;
  logic digest_last;
  logic h_req_valid, h_req_ready, h_msg_valid, h_msg_ready, h_msg_last;
  logic h_digest_valid, h_digest_ready, h_digest_last;
  alg_e h_req_alg;
  logic [{w - 1}:0] h_msg_data, h_digest_data;
  logic [{b - 1}:0] h_msg_bytes, h_digest_bytes;
  sym_hash {hash_core} u_hash (
    {COMMON},
    .req_valid_i(h_req_valid), .req_ready_o(h_req_ready), .req_alg_i(h_req_alg),
    .msg_valid_i(h_msg_valid), .msg_ready_o(h_msg_ready), .msg_data_i(h_msg_data),
    .msg_bytes_i(h_msg_bytes), .msg_last_i(h_msg_last),
    .digest_valid_o(h_digest_valid), .digest_ready_i(h_digest_ready),
    .digest_data_o(h_digest_data), .digest_bytes_o(h_digest_bytes), .digest_last_o(h_digest_last)
  );
  sym_hash_mux #(.Num({users}), .W({w})) u_mux (
    {COMMON},
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_alg_i(req_alg),
    .msg_valid_i(msg_valid), .msg_ready_o(msg_ready), .msg_data_i(msg_data),
    .msg_bytes_i(msg_bytes), .msg_last_i(msg_last), .digest_valid_o(digest_valid),
    .digest_ready_i(digest_ready), .digest_data_o(digest_data), .digest_bytes_o(digest_bytes),
    .digest_last_o(digest_last),
    .hash_req_valid_o(h_req_valid), .hash_req_ready_i(h_req_ready), .hash_req_alg_o(h_req_alg),
    .hash_msg_valid_o(h_msg_valid), .hash_msg_ready_i(h_msg_ready), .hash_msg_data_o(h_msg_data),
    .hash_msg_bytes_o(h_msg_bytes), .hash_msg_last_o(h_msg_last),
    .hash_digest_valid_i(h_digest_valid), .hash_digest_ready_o(h_digest_ready),
    .hash_digest_data_i(h_digest_data), .hash_digest_bytes_i(h_digest_bytes),
    .hash_digest_last_i(h_digest_last)
  );""")
        self._direct(t)
        hmac = [("req_alg_i", 3, "alg_e'"), ("req_rekey_i", 1, ""), ("req_keep_i", 1, "")]
        t.body.append(f"""\
  sym_hmac {core} u_hmac (
    {COMMON}, {t.request("hmac", hmac)},
    {t.stream_in("key", "key", w)}, {t.stream_in("mac", "msg", w)},
    {t.stream_out("tag", "tag", w)}, {_hash_port(1)}
  );""")
        kdf = [("req_alg_i", 3, "alg_e'"), ("req_one_i", 1, ""), ("req_info_i", 1, ""),
               ("req_octets_i", 16, "")]  # fmt: skip
        t.body.append(f"""\
  sym_kdf #(.W({w})) u_kdf (
    {COMMON}, {t.request("kdf", kdf)},
    {t.stream_in("z", "z", w)}, {t.stream_in("info", "info", w)},
    {t.stream_out("derived", "key", w)}, {_hash_port(2)}
  );""")
        rbg = [("req_op_i", 2, "drbg_op_e'"), ("req_alg_i", 3, "alg_e'"), ("req_extra_i", 1, ""),
               ("req_octets_i", 16, "")]  # fmt: skip
        t.outputs.append(("rbg_status", 7))
        t.body.append(f"""\
  sym_hmac_drbg #(
    .WordW({self.word}), .PerCycle({self.per_cycle}), .ReseedLimit(5)
  ) u_rbg (
    {COMMON}, {t.request("rbg", rbg)},
    .done_o(rbg_status_o[6]), .status_o({{rbg_status_o[3:0]}}),
    .instantiated_o(rbg_status_o[5]), .reseed_due_o(rbg_status_o[4]),
    {t.stream_in("seed", "seed", w)}, {t.stream_out("octets", "out", w)}, {_hash_port(3)}
  );""")
        if self.drbg:
            self._drbg(t)
        return t

    def _direct(self, t: Top) -> None:
        w, b = self.width, bytes_width(self.width)
        t.source("hash", 3)
        t.source("msg", w + b + 1, w)
        t.sinks.append(Port("digest", w + b + 1, w))
        t.body.append(f"""\
  assign req_valid[0] = hash_i[3];
  assign ready_o[0] = req_ready[0];
  assign req_alg[0] = alg_e'(hash_i[2:0]);
  assign msg_valid[0] = msg_i[{w + b + 1}];
  assign ready_o[1] = msg_ready[0];
  assign msg_last[0] = msg_i[{w + b}];
  assign msg_bytes[0] = msg_i[{w}+:{b}];
  assign msg_data[0] = msg_i[{w - 1}:0];
  assign digest_ready[0] = take_i[0];
  assign digest_o = digest_valid[0] ? {{1'b1, digest_last, digest_bytes, digest_data}} : '0;""")

    def _drbg(self, t: Top) -> None:
        w = self.width
        fields = [("req_op_i", 2, "drbg_op_e'"), ("req_test_i", 1, ""), ("req_extra_i", 1, ""),
                  ("req_octets_i", 16, "")]  # fmt: skip
        t.inputs.append(("secret", 1))
        t.outputs.append(("drbg_status", 9))
        request = t.request("drbg", fields)
        samples = []
        for name in ("noise", "test"):
            valid = t.source(name, 8)
            k = len(t.sources) - 1
            samples.append(
                f".{name}_valid_i({valid}), .{name}_ready_o(ready_o[{k}]),"
                f" .{name}_data_i({name}_i[7:0]),"
            )
        t.body.append(f"""\
  sym_drbg #(.PerCycle({self.per_cycle}), {self.drbg}) u_drbg (
    {COMMON}, {request},
    .secret_loaded_i(secret_i),
    .no_entropy_o(drbg_status_o[8]), .test_mode_o(drbg_status_o[7]), .done_o(drbg_status_o[6]),
    .instantiated_o(drbg_status_o[5]), .reseed_due_o(drbg_status_o[4]),
    .status_o({{drbg_status_o[3:0]}}),
    {" ".join(samples)}
    {t.stream_in("extra", "extra", w)}, {t.stream_out("random", "out", w)}, {_hash_port(4)}
  );""")


@dataclass(frozen=True)
class Aes:
    """sym_aes_stream, and an S-box of its own on ``sbox_i`` (inverse, x) and ``substituted_o``."""

    columns: int
    width: int

    def top(self) -> Top:
        """Return the top ``aes_system``."""
        t = Top("aes_system")
        fields = [("req_mode_i", 1, "aes_mode_e'"), ("req_decrypt_i", 1, ""),
                  ("req_rekey_i", 1, ""), ("req_size_i", 2, "aes_key_e'"),
                  ("req_pad_i", 1, "")]  # fmt: skip
        request = t.request("cipher", fields)
        plain = []
        for name in ("key", "iv"):
            valid = t.source(name, self.width)
            k = len(t.sources) - 1
            plain.append(
                f".{name}_valid_i({valid}), .{name}_ready_o(ready_o[{k}]),"
                f" .{name}_data_i({name}_i[{self.width - 1}:0]),"
            )
        t.inputs.append(("sbox", 9))
        t.outputs += [("cipher_status", 7), ("substituted", 8)]
        t.body.append(f"""\
  import sym_aes_pkg::*;
  sym_aes_stream #(.Columns({self.columns}), .W({self.width})) u_aes (
    {COMMON}, {request},
    .done_o(cipher_status_o[6]), .status_o({{cipher_status_o[3:0]}}),
    {" ".join(plain)}
    {t.stream_in("text", "in", self.width)}, {t.stream_out("result", "out", self.width)}
  );
  assign cipher_status_o[5:4] = '0;
  sym_aes_sbox u_box (
    .clk_i(clk_i), .zero_i(1'b0), .write_i(1'b1),
    .inverse_i(sbox_i[8]), .x_i(sbox_i[7:0]), .y_o(substituted_o)
  );""")
        return t
