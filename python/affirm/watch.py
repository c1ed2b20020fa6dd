"""Checks each module of a dump as soon as its compilation is done: for a program that runs elsewhere, with its own build of XLA.

  python -m affirm.watch DIR [--once] [--settle SECONDS] [--kernels] [--affirm PATH]

The program is started with XLA_FLAGS as `--flags` prints them, and nothing else of it changes:

  $ XLA_FLAGS="$(python -m affirm.watch --flags dump)" python train.py &
  $ python -m affirm.watch dump

A module is complete when its optimized HLO is there (of XLA:GPU also the thunk sequence, which is written last) and none of its files
has changed for some seconds; one that changes later is checked again. `--once` checks what is complete, and ends with the status
of the worst: 0 all is proved, 1 a pass or kernel is wrong, 2 something was only executed, stayed unknown, or nothing is complete, 3
bad input.
"""

import argparse
import os
import pathlib
import re
import sys
import time

from affirm.command import Parser
from affirm.targets import dump_flags
from affirm.tool import AffirmError, check_dump, find_affirm
from affirm.verdicts import BAD_INPUT, meet, status


def complete_modules(folder: pathlib.Path, settle: float, now: float | None = None) -> dict[str, float]:
    """The modules whose dump is whole, with the time of the last change. `settle`: seconds without one; `now`: as of time.time().

    An empty folder, or one that is not there yet, has none.
    """
    files: dict[str, list[tuple[str, float]]] = {}
    for entry in os.scandir(folder) if folder.is_dir() else ():
        # XLA calls a module module_NNNN.NAME, and NAME may have points: what follows it begins with one of these.
        match = re.match(r"(module_\d+\..*?)\.(?:\d{4}\.|before_optimizations|sm_|gfx|cpu_after|gpu_after|thunk_|\d+\.ir-)", entry.name)
        if match:
            files.setdefault(match[1], []).append((entry.name, entry.stat().st_mtime))
    done = {}
    for module, entries in files.items():
        names, changed = [name for name, _ in entries], max(time for _, time in entries)
        gpu = any(name.endswith("gpu_after_optimizations.txt") for name in names)
        cpu = any(name.endswith("cpu_after_optimizations.txt") for name in names)
        whole = any(name.endswith(".thunk_sequence.txt") for name in names) if gpu else cpu
        if whole and (time.time() if now is None else now) - changed >= settle:
            done[module] = changed
    return done


def check_new(folder: pathlib.Path, checked: dict[str, float], settle: float, passes: bool, program: str) -> list[str]:
    """Checks and prints what is complete and not in `checked` as it is now, and adds it there. Gives the verdicts.

    A module that affirm cannot read is unknown, and the error is printed.
    """
    verdicts = []
    for module, changed in sorted(complete_modules(folder, settle).items()):
        if checked.get(module) == changed:
            continue
        checked[module] = changed
        try:
            result = check_dump(folder, program, passes, module)
            verdicts.append(result.verdict)
            print(result, end="\n\n", flush=True)
        except AffirmError as error:
            verdicts.append("unknown")
            print(f"error: {module}: {error}", file=sys.stderr)
    return verdicts


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m affirm.watch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="what --xla_dump_to names; it need not be there yet")
    parser.add_argument("--flags", action="store_true", help="print XLA_FLAGS for a dump to DIR, with the flags that are set, and end")
    parser.add_argument("--once", action="store_true", help="check what is complete, and end")
    parser.add_argument("--settle", type=float, default=3.0, metavar="SECONDS", help="without a change; default 3")
    parser.add_argument("--kernels", action="store_true", help="the kernels alone, not the passes")
    parser.add_argument("--accept", choices=["proved", "executed"], default="proved",
                        help="the weakest verdict that ends with status 0; default proved")
    parser.add_argument("--affirm", metavar="PATH", help="the program; default: of the environment variable AFFIRM, or of PATH")
    options = parser.parse_args(arguments)
    if options.flags:
        print(" ".join(filter(None, [os.environ.get("XLA_FLAGS", ""), dump_flags(options.folder.resolve(), not options.kernels)])))
        return 0
    checked: dict[str, float] = {}
    try:
        program = find_affirm(options.affirm)
        while True:
            verdicts = check_new(options.folder, checked, options.settle, not options.kernels, program)
            if options.once:
                return status(meet(verdicts), options.accept)
            time.sleep(1)
    except AffirmError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
