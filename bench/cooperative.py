"""Cooperative programs beside the table of explicit schedulers and symbolic threads (Cimatti, Narasamdya, Roveri:
LMCS 8(2:18), 2012, section 6): `python -m bench.cooperative [NAME…]`.

`ring` is a token ring under FairThreads: a master sends a number, and each relay adds 1 to it. `fifo` is a producer and
consumers. The paper prints no programs: these are ours, with schedulers that are declared. Its figures are seconds on
its machine with both of its reductions; ours are of the processor. `memory` and `transmitter` are in SystemC's style,
of which the paper has no figures. A broken program's claim is off by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from bench.hierarchical import TIMEOUT, asked

#: Seconds of the paper by number of relays, proofs and refutations.
PAPER: Mapping[str, Mapping[int, tuple[float, float | None]]] = {
    "ring": {
        3: (0.20, 0.10),
        4: (0.29, 0.10),
        5: (0.40, 0.10),
        6: (0.49, 0.10),
        7: (0.80, 0.20),
        8: (0.89, 0.29),
        9: (1.70, 0.60),
        10: (2.10, 0.79),
    },
    "fifo": {1: (0.29, None)},
}


def ring(n: int, more: int) -> str:
    """A master and n relays hand on a token in one instant after the other."""
    return f"""const N = {n}; scheduler fairthreads; event go[N + 1]; global token : int;
thread Master {{ local sent : int = 0; while (true) {{
  havoc token; sent := token; notify go[1]; wait go[0]; assert token == sent + N + {more}; yield; }} }}
thread Relay[i : 1..N] {{ while (true) {{
  wait go[i]; token := token + 1; notify go[(i + 1) % (N + 1)]; yield; }} }}
"""


def fifo(n: int, more: int) -> str:
    """A producer and n consumers with one place between them: what is read was written last."""
    return f"""scheduler fairthreads; event written, read; global full : bool = false; global buffer, last : int = 0;
global puts, gets : int = 0;
thread Producer {{ while (true) {{
  while (full) {{ wait read; if (full) {{ yield; }} }}
  havoc buffer; last := buffer; puts := puts + 1; full := true; notify written; yield; }} }}
thread Consumer[i : 1..{n}] {{ while (true) {{
  while (!full) {{ wait written; if (!full) {{ yield; }} }}
  full := false; gets := gets + 1; assert buffer == last && puts == gets + {more}; notify read; yield; }} }}
"""


def memory(n: int, more: int) -> str:
    """A memory of n cells answers the requests of a master, which reads back what it wrote."""
    return f"""const SIZE = {n}; scheduler systemc; event request, response; global cell : int[SIZE] = 0;
global address : 0..SIZE - 1 = 0; global writing : bool = false; global line : int = 0;
thread Memory {{ while (true) {{ wait request;
  if (writing) {{ cell[address] := line; }} else {{ line := cell[address] + {more}; }}
  notify response in 0; }} }}
thread Master {{ local value : int = 0; yield; while (true) {{
  havoc address; havoc value; writing := true; line := value; notify request in 0; wait response;
  writing := false; line := 0; notify request in 0; wait response; assert line == value; }} }}
"""


def transmitter(n: int, more: int) -> str:
    """A source and a chain of n transmitters: none arrives that was not sent."""
    return f"""const N = {n}; scheduler systemc; event go[N + 1]; global sent, passed : int = 0;
thread Source {{ while (true) {{ sent := sent + 1; notify go[1] in 0; wait go[0]; }} }}
thread Transmitter[i : 1..N] {{ while (true) {{ wait go[i];
  if (i == N) {{ passed := passed + 1; assert passed + {more} <= sent; }}
  notify go[(i + 1) % (N + 1)] in 0; }} }}
"""


#: The families, with their sizes.
FAMILIES: Mapping[str, tuple[Callable[[int, int], str], range]] = {
    "ring": (ring, range(3, 11)),
    "fifo": (fifo, range(1, 3)),
    "memory": (memory, range(4, 5)),
    "transmitter": (transmitter, range(1, 6)),
}


def row(name: str, size: int, timeout: int = TIMEOUT) -> str:
    """A line of the table."""
    make, _ = FAMILIES[name]
    ours = [asked(make(size, more), timeout) for more in (0, 1)]
    paper = ["" if t is None else f"{t:.2f} s" for t in PAPER.get(name, {}).get(size, (None, None))]
    return f"| {name} | {size} | {ours[0]} | {paper[0]} | {ours[1]} | {paper[1]} |"


def main() -> None:
    """The table, as Markdown: of all families, or of those that are named."""
    print("| program | size | as it is | paper | broken | paper |")
    print("|---|---|---|---|---|---|")
    for name in sys.argv[1:] or FAMILIES:
        for size in FAMILIES[name][1]:
            print(row(name, size), flush=True)


if __name__ == "__main__":
    main()
