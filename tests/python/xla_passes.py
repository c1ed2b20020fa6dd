#!/usr/bin/env python3
"""Dumps of XLA's own compilers, made here, through `affirm xla`.

  xla_passes.py --affirm build/tools/affirm [--target h100|a100|b200|cpu] [--keep DIR] [NAME ...]

A program whose slice of a slice XLA's algebraic simplifier gets wrong must be refuted, with the pass by name and a replay
line that gives the witness again; nothing may be refuted in the others. XLA:GPU compiles ahead of time where its packages
are installed, else XLA:CPU. Exit status: 0 when that is so, 1 when not, 77 (a skip
for ctest) without JAX.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

import xla_dump
from affirm.targets import TARGETS, find_target, missing_package

WRONG = {"roll": "algsimp"}
RIGHT = ["softmax", "transpose", "loop"]


def check(affirm, name, folder):
    """What is wrong with the answer for one dump, or an empty text, and a line about it."""
    run = subprocess.run([affirm, "xla", str(folder), "--json"], text=True, capture_output=True)
    if run.returncode not in (0, 1, 2):
        return f"status {run.returncode}: {run.stderr[:300]}", ""
    answer = json.loads(run.stdout)
    changed = [row for row in answer["passes"] if row["changed"]]
    verdicts = [row["verdict"] for row in changed + answer["kernels"]]
    line = f"{answer['verdict']}: {len(changed)} steps, {len(answer['kernels'])} kernels, " + ", ".join(
        f"{verdicts.count(v)} {v}" for v in ("proved", "executed", "unknown", "refuted") if v in verdicts)
    if not answer["passes"]:
        return "no step was compared", line
    wrong = answer.get("first_wrong", {})
    if wrong.get("name") != WRONG.get(name):
        return f"wrong is {wrong}, expected {WRONG.get(name)}", line
    if wrong:
        if run.returncode != 1 or wrong["stage"] != "hlo-pass":
            return f"status {run.returncode}, stage {wrong['stage']}", line
        if wrong["counterexample"]["kind"] != "solver" or not wrong["counterexample"].get("terms"):
            return "terms gave no arguments", line
        replay = shlex.split(wrong["counterexample"]["replay"])
        again = subprocess.run([affirm, *replay[1:], "--json"], text=True, capture_output=True)
        if again.returncode != 1 or json.loads(again.stdout)["counterexample"]["index"] != wrong["counterexample"]["index"]:
            return "the replay line gives another answer", line
    return "", line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--target", choices=list(TARGETS), help="default: h100 where XLA:GPU's compiler is")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the dumps")
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs of jax_programs.py")
    options = parser.parse_args()
    target = find_target(options.target or ("cpu" if missing_package(find_target("h100")) else "h100"))
    missing = missing_package(target)
    if missing:
        print(f"skipped: no Python package {missing}; `./dev test` brings JAX")
        return 77
    names = options.names or [*WRONG, *RIGHT]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        refused = xla_dump.dump(names, folder, target, passes=True)
        for name, why in refused.items():
            print(f"{name}: not compiled: {why}")
        failed = bool(refused)
        for name in [name for name in names if name not in refused]:
            problem, line = check(options.affirm, name, folder / name)
            print(f"{target.name} {name}: {problem + '; ' if problem else ''}{line}", flush=True)
            failed |= bool(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
