#!/usr/bin/env python3
"""Runs `affirm check` on the JAX programs before and after XLA's passes, for XLA:CPU and XLA:GPU. Counts the affirmed ones, and the causes of others.

  program_checks.py --affirm build/tools/affirm [--keep DIR] [--time-limit S] [--jobs N] [--json FILE] [--all | NAME ...]

Each program is four modules. Prints a table of verdicts by form, and the causes of unknown verdicts, the most frequent first. Without
--all and without names it takes a few programs, which must all be affirmed. Exit status: 0 if nothing is refuted (and nothing of the few
programs is unknown), else 1; 77 (a skip for ctest) if JAX or XLA:GPU's compiler is missing.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import xla_dump
from affirm.quiet import no_remarks
from affirm.targets import TARGETS, missing_package

FEW = "layer_norm rope conv rnn loop sort_by_key dropout_bf16 adam quantize scatter scan_of_scans cond".split()
FORMS = ("before", "after")
VERDICTS = {0: "affirmed", 1: "refuted", 2: "unknown"}


@dataclasses.dataclass
class Row:
    """A module."""

    program: str
    target: str
    form: str
    verdict: str
    causes: list[str]
    seconds: float  # of processor time


def module_of(folder: pathlib.Path, form: str) -> pathlib.Path:
    """The whole program's module: XLA:CPU compiles parts of it as modules of their own."""
    files = sorted(folder.glob(f"*.{form}_optimizations.txt" if form == "before" else f"*{form}_optimizations.txt"))
    return max(files, key=lambda file: file.stat().st_size)


def check(affirm: str, program: str, target: str, form: str, folder: pathlib.Path, limit: float) -> Row:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        command = [affirm, "check", "--json", "--time-limit", str(limit), str(module_of(folder / target / program, form))]
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), errors.seek(0)
        verdict = VERDICTS.get(process.returncode, "refused")
        causes = [errors.read()[:500].strip()] if verdict == "refused" else []
        if verdict in ("refuted", "unknown"):
            causes = [finding["text"] for module in json.loads(out.read())["modules"] for finding in module["findings"]]
        return Row(program, target, form, verdict, causes, usage.ru_utime + usage.ru_stime)


def kind_of_cause(text: str) -> str:
    """A cause without names and numbers, so that those of different modules are one."""
    return re.sub(r"'[^']*'|%\S+|\S*\d\S*", "_", text)[:160]


def report(rows: list[Row]) -> None:
    print("| modules | of them | affirmed | refuted | unknown | refused | seconds of processor time, most |\n" + "|---" * 7 + "|")
    for target in TARGETS:
        for form in FORMS:
            kind = [row for row in rows if (row.target, row.form) == (target, form)]
            counts = [sum(row.verdict == verdict for row in kind) for verdict in (*VERDICTS.values(), "refused")]
            print(f"| {target}, {form} XLA's passes | {len(kind)} | {' | '.join(map(str, counts))} | "
                  f"{max((row.seconds for row in kind), default=0):.0f} |")
    causes = collections.defaultdict(list)
    for row in rows:
        if row.verdict != "affirmed":
            causes[row.verdict, kind_of_cause(row.causes[0] if row.causes else "")].append(row)
    for (verdict, cause), which in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(which)} {verdict}: {cause}")
        print("    " + ", ".join(f"{row.program}/{row.target}/{row.form}" for row in which))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="folder of the dumps; one that is there is not made again")
    parser.add_argument("--time-limit", type=float, default=60, metavar="S", help="of each check")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="modules that are checked at a time")
    parser.add_argument("--json", type=pathlib.Path, help="file for all rows")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for target in TARGETS.values():
        if missing := missing_package(target):
            print(f"skipped: no Python package {missing}; `./dev test` brings JAX and XLA:GPU's compiler")
            return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder, names = options.keep or pathlib.Path(temporary), options.names or FEW
        if options.all:
            with no_remarks():
                names = list(xla_dump.programs())
        refused = {}
        for target in TARGETS.values():
            absent = [name for name in names if not (folder / target.name / name).is_dir()]
            found = xla_dump.dump(absent, folder / target.name, target, passes=False) if absent else {}
            refused |= {(name, target.name): why for name, why in found.items()}
        modules = [(name, target, form) for name in names for target in TARGETS for form in FORMS if (name, target) not in refused]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            rows = list(pool.map(lambda module: check(options.affirm, *module, folder, options.time_limit), modules))
    report(rows)
    if options.json:
        options.json.write_text(json.dumps([dataclasses.asdict(row) for row in rows], indent=1))
    for (name, target), why in refused.items():
        print(f"{name} is not compiled for {target}: {why[:200]}")
    wrong = [row for row in rows if row.verdict in ("refuted", "refused") or (names == FEW and row.verdict != "affirmed")]
    return 1 if wrong or (refused and names == FEW) else 0


if __name__ == "__main__":
    sys.exit(main())
