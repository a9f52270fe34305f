# SPDX-License-Identifier: Apache-2.0
"""Programs of a sequencer, and a test top with sequencers side by side, as tops.py has them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from tests.rtl.common.tops import concatenate

WORD = 8  # bits of a control word in test programs
CYCLES = 12  # bits of the cycle counter
STATE = ("running", "next", "word", "repeat", "loop", "cycles")


@dataclass(frozen=True)
class Program:
    """A sequencer program: words, extra cycles of each, and a loop over first..last."""

    words: tuple[int, ...]
    repeat: tuple[int, ...]
    first: int = 0
    last: int = 0
    count: int = 1

    def executed(self) -> list[int]:
        """Return the word of every cycle, written as the module's header tells it."""
        loop = range(self.first, self.last + 1) if self.count > 1 else range(0)
        order = [
            *range(self.first if loop else len(self.words)),
            *list(loop) * self.count,
            *range(self.last + 1, len(self.words) if loop else 0),
        ]
        return [self.words[i] for i in order for _ in range(self.repeat[i] + 1)]


def programs_to_json(programs: Sequence[Program]) -> str:
    """Return programs as the environment variable's text."""
    return json.dumps([asdict(p) for p in programs])


def programs_from_json(text: str) -> list[Program]:
    """Return what :func:`programs_to_json` wrote."""
    return [
        Program(**{**d, "words": tuple(d["words"]), "repeat": tuple(d["repeat"])})
        for d in json.loads(text)
    ]


def random_programs(count: int, seed: int) -> Iterator[Program]:
    """Yield programs of 2 to 17 words with repeats, with and without a loop."""
    rng = random.Random(seed)
    for _ in range(count):
        depth = rng.randint(2, 17)
        words = tuple(rng.getrandbits(WORD) for _ in range(depth))
        repeat = tuple(rng.choice([0, 0, 0, 1, 2, 5]) for _ in range(depth))
        first = rng.randint(1, depth - 1)
        last = rng.randint(first, depth - 1)
        count = rng.choice([1, 2, 3, 4, 5, 8])
        yield Program(words, repeat, first, last, count)


def sequencer_top(programs: Sequence[Program]) -> str:
    """Return the module ``sequencer_group``: for each program a sequencer, and a twin, inverted.

    ``twin_o``: the twin's outputs are the same, and its registers the complement.
    """
    n = len(programs)
    body = []
    for i, p in enumerate(programs):
        depth = len(p.words)
        bits = max(1, max(p.repeat).bit_length())
        columns = [sum((w >> b & 1) << a for a, w in enumerate(p.words)) for b in range(WORD)]
        repeats = [sum((r >> b & 1) << a for a, r in enumerate(p.repeat)) for b in range(bits)]
        parameters = f"""\
.Depth({depth}), .WordW({WORD}), .RepeatW({bits}), .CycleW({CYCLES}),
    .Columns({concatenate(columns, depth)}), .RepeatColumns({concatenate(repeats, depth)}),
    .LoopFirst({p.first}), .LoopLast({p.last}), .LoopCount({p.count})"""
        inputs = f".clk_i(clk_i), .rst_ni(rst_ni_i), .abort_i(abort_i), .start_i(start_i[{i}])"
        registers = [f"u_{{}}_{i}.{r}_q" for r in STATE]
        held, other = (", ".join(r.format(which) for r in registers) for which in ("own", "twin"))
        body.append(f"""\
  logic [{2 + WORD + CYCLES}:0] own_{i}, twin_{i};
  ecsm_sequencer #({parameters}) u_own_{i} (
    {inputs},
    .idle_o(own_{i}[0]), .active_o(own_{i}[1]), .last_o(own_{i}[2]),
    .word_o(own_{i}[3+:{WORD}]), .cycles_o(own_{i}[{3 + WORD}+:{CYCLES}])
  );
  ecsm_sequencer #({parameters}, .Inverted(1'b1)) u_twin_{i} (
    {inputs},
    .idle_o(twin_{i}[0]), .active_o(twin_{i}[1]), .last_o(twin_{i}[2]),
    .word_o(twin_{i}[3+:{WORD}]), .cycles_o(twin_{i}[{3 + WORD}+:{CYCLES}])
  );
  assign {{last_o[{i}], active_o[{i}], idle_o[{i}]}} = own_{i}[2:0];
  assign word_o[{i * WORD}+:{WORD}] = own_{i}[3+:{WORD}];
  assign cycles_o[{i * CYCLES}+:{CYCLES}] = own_{i}[{3 + WORD}+:{CYCLES}];
  assign twin_o[{i}] = own_{i} == twin_{i}
    && {{{held}}} == ~{{{other}}};
""")
    return f"""\
module sequencer_group (
  input logic clk_i, input logic rst_ni_i, input logic abort_i, input logic [{n - 1}:0] start_i,
  output logic [{n - 1}:0] idle_o, output logic [{n - 1}:0] active_o,
  output logic [{n - 1}:0] last_o, output logic [{n * WORD - 1}:0] word_o,
  output logic [{n * CYCLES - 1}:0] cycles_o, output logic [{n - 1}:0] twin_o
);
{"".join(body)}endmodule
"""
