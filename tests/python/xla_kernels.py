#!/usr/bin/env python3
"""Every kernel that XLA:GPU makes of the programs of jax_programs.py, through `affirm xla`: which claims are proved, and why not.

  xla_kernels.py --affirm build/tools/affirm [--keep DIR] [--times] [--jobs N] [--json FILE] [--all | NAME ...]

Prints a table of claims, and the reasons of what is not proved by how often they are given. Without --all and without names a few
programs are taken, in which nothing may be refuted and no fewer claims be proved than are known to be. Exit status: 0 when that
is so, 1 when not, 77 (a skip for ctest) where XLA:GPU's compiler is missing.
"""

import argparse
import collections
import collections.abc
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import xla_dump
from affirm.quiet import no_remarks
from affirm.result import CLAIMS
from affirm.targets import find_target, missing_package

# For a few programs: how many kernels there are, how many of them are proved but for `values`, and how many with these.
KNOWN = {
    "softmax": (1, 1, 1),
    "rms_norm_bf16": (1, 1, 1),
    "causal_attention_f16": (5, 5, 5),
    "cache_update": (1, 1, 1),
    "embedding": (1, 1, 1),
    "conv": (4, 4, 4),
    "sort_by_key": (1, 1, 1),
    "dropout_bf16": (1, 1, 1),
    "adamw_mixed": (1, 1, 1),
    "transpose": (1, 1, 0),
    "column_reduce_bf16": (1, 1, 1),
    "softmax_grad": (1, 1, 0),
    "quantize": (3, 3, 2),
    "float8": (3, 3, 3),
}
FIRST = [claim for claim in CLAIMS if claim != "values"]


@dataclasses.dataclass
class Row:
    """A kernel."""

    program: str
    name: str
    triton: bool
    verdict: str
    claims: dict[str, str]
    reason: str
    file: str
    seconds: float = 0.0  # of processor time, the start of the process and the reading of the dump included


def affirm_xla(affirm: str, folder: pathlib.Path, *options: str) -> tuple[dict, float]:
    """The answer, and the seconds of processor time."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([affirm, "xla", str(folder), "--kernels", "--json", *options], stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), errors.seek(0)
        if process.returncode not in (0, 1, 2):
            raise RuntimeError(f"affirm xla {folder}: status {process.returncode}: {errors.read()[:500]}")
        return json.loads(out.read()), usage.ru_utime + usage.ru_stime


def triton_fusions(folder: pathlib.Path) -> set[str]:
    """The instructions of the optimized HLO that go through Triton."""
    found = set()
    for file in folder.glob("*_after_optimizations.txt"):
        for line in file.read_text().splitlines():
            match = re.match(r'\s*(?:ROOT )?%?(\S+) = .*"kind":"__triton', line)
            if match:
                found.add(match[1])
    return found


def rows_of(affirm: str, program: str, folder: pathlib.Path, times: bool) -> list[Row]:
    answer, _ = affirm_xla(affirm, folder)
    triton, rows = triton_fusions(folder), []
    for kernel in answer["kernels"]:
        claims = {claim["claim"]: claim["verdict"] for claim in kernel.get("validation", {}).get("claims", [])}
        row = Row(program, kernel["name"], kernel["instruction"] in triton, kernel["verdict"], claims, kernel.get("reason", ""),
                  kernel.get("file", ""))
        if times:
            row.seconds = affirm_xla(affirm, folder, "--kernel", row.name)[1]
        rows.append(row)
    return rows


def is_proved(row: Row, claims: collections.abc.Sequence[str]) -> bool:
    return all(row.claims.get(claim) == "proved" for claim in claims)


def kind_of_reason(text: str) -> str:
    """A reason without names, numbers and long terms, so that those of different kernels are one."""
    text = re.sub(r"^\S*\.ll:\d+:\d+: error: (unknown: )?", "", re.sub(r"^\w+: ", "", text))
    text = re.sub(r"%[\w.]+|\bparameter \d+( \([^)]*\))?|-?\b\d+\b", "_", text)
    parts = [part for part in text.split(": ") if part != "line _"]
    return ": ".join(parts[:1] + [part for part in parts[1:2] if len(part) < 100])


def table(rows: list[Row]) -> list[str]:
    lines = ["| kernels | of them | " + " | ".join(CLAIMS) + " | all but values |", "|---" * (len(CLAIMS) + 3) + "|"]
    for name, triton in (("not Triton", False), ("Triton", True)):
        kind = [row for row in rows if row.triton == triton]
        cells = [str(sum(row.claims.get(claim) == "proved" for row in kind)) for claim in CLAIMS]
        whole = sum(is_proved(row, FIRST) for row in kind)
        lines.append(f"| {name} | {len(kind)} | {' | '.join(cells)} | {whole} ({100 * whole / max(len(kind), 1):.0f} %) |")
    return lines


def report(rows: list[Row]) -> None:
    print("\n".join(table(rows)))
    verdicts = collections.Counter(row.verdict for row in rows)
    print(f"{len(rows)} kernels of {len({row.program for row in rows})} programs: " +
          ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    if any(row.seconds for row in rows):
        seconds = sorted(row.seconds for row in rows)
        print(f"seconds of processor time a kernel: median {statistics.median(seconds):.3f}, nine of ten under "
              f"{seconds[len(seconds) * 9 // 10]:.3f}, most {seconds[-1]:.3f}")
    reasons = collections.defaultdict(list)
    for row in rows:
        if row.verdict not in ("proved", "executed"):
            reasons[row.verdict, row.triton, kind_of_reason(row.reason)].append(row)
    for (verdict, triton, reason), which in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(which)} {verdict}{', Triton' * triton}: {reason}")
        print("    " + ", ".join(f"{row.program}/{row.name}" for row in which[:4]))


def problems(rows: list[Row]) -> list[str]:
    """What is worse than it is known to be."""
    found = [f"{row.program}/{row.name} is refuted: {row.reason}" for row in rows if row.verdict == "refuted"]
    for program, (kernels, first, values) in KNOWN.items():
        own = [row for row in rows if row.program == program]
        counts = len(own), sum(is_proved(row, FIRST) for row in own), sum(is_proved(row, CLAIMS) for row in own)
        if own and (counts[0] != kernels or counts[1] < first or counts[2] < values):
            found.append(f"{program}: {counts} kernels, proved but for values, proved; expected {(kernels, first, values)}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="folder of the dumps; one that is there is not made again")
    parser.add_argument("--times", action="store_true", help="check each kernel once more by itself, for its time")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs that are checked at a time")
    parser.add_argument("--json", type=pathlib.Path, help="file for all rows")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    target = find_target("h100")
    missing = missing_package(target)
    if missing:
        print(f"skipped: no Python package {missing}; `./dev test` brings XLA:GPU's compiler")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder, names = options.keep or pathlib.Path(temporary), options.names or list(KNOWN)
        if options.all:
            with no_remarks():
                import jax_programs

            names = list(jax_programs.programs())
        absent = [name for name in names if not (folder / name).is_dir()]
        refused = xla_dump.dump(absent, folder, target, passes=False) if absent else {}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            compiled = [name for name in names if name not in refused]
            rows = sum(pool.map(lambda name: rows_of(options.affirm, name, folder / name, options.times), compiled), [])
    report(rows)
    if options.json:
        options.json.write_text(json.dumps([dataclasses.asdict(row) for row in rows], indent=1))
    found = [f"{name} is not compiled: {why}" for name, why in refused.items()] + problems(rows)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
