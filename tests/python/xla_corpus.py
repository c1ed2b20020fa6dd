#!/usr/bin/env python3
"""The findings of corpus/xla, seen again: the replay line of each file, with the compiler of XLA that is installed.

  xla_corpus.py --affirm build/tools/affirm [NAME ...]

The first line of a file says what is wrong: a kernel or a pass, which `affirm xla` must refute by that name; a pass that HLO leaves open,
which must stay unknown; or how the compiler ends. A
compiler that is mended, or an affirm that no longer sees it, fails. Exit status: 0 when all are seen again, 1 when not,
77 (a skip for ctest) without JAX.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import xla_dump  # noqa: F401  (finds python/affirm)
from affirm.targets import TARGETS, missing_package

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus" / "xla"
MISSING_PACKAGE = 77


def what_is_missed(affirm, file, folder):
    """Why the finding of a file is not seen again; empty where it is, None where a compiler is not installed."""
    lines = file.read_text().splitlines()
    replay = next(line for line in lines if line.startswith("// replay: ")).removeprefix("// replay: ")
    compile_line, _, affirm_line = replay.partition(" && ")
    words = shlex.split(compile_line)
    flags = dict(word.split("=", 1) for word in words[:words.index("python3")])
    command = [sys.executable, *words[len(flags) + 1:]]
    command[command.index("dump")] = str(folder)
    compiled = subprocess.run(command, env={**os.environ, **flags}, capture_output=True, text=True)
    if compiled.returncode == MISSING_PACKAGE:
        return None
    if "compiler" in lines[0]:
        return "" if compiled.returncode < 0 else f"the compiler ends with status {compiled.returncode}"
    if compiled.returncode != 0:
        return f"the compiler ends with status {compiled.returncode}: {compiled.stderr[-300:]}"
    *options, dump = shlex.split(affirm_line.removeprefix("affirm xla "))
    command = [affirm, "xla", *options, str(folder / dump.removeprefix("dump/")), "--json"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=CORPUS.parents[1])
    if open_pass := re.match(r"// open pass (\S+):", lines[0]):
        unknown = [row["name"] for row in json.loads(run.stdout)["passes"] if row["verdict"] == "unknown"]
        return "" if run.returncode == 2 and open_pass.group(1) in unknown else f"unknown are {unknown}, status {run.returncode}"
    if run.returncode != 1:
        return f"affirm xla ends with status {run.returncode}: {run.stdout[-300:]}{run.stderr[-300:]}"
    kernel = re.match(r"// (?:kernel|pass|copy) (\S+):", lines[0]).group(1)
    wrong = json.loads(run.stdout)["first_wrong"]["name"].split("{")[0]  # of several results, one
    return "" if wrong == kernel else f"wrong is {wrong}, expected {kernel}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True, type=os.path.abspath)
    parser.add_argument("names", nargs="*", metavar="NAME", help="files of corpus/xla, without .hlo")
    options = parser.parse_args()
    if missing := missing_package(TARGETS["cpu"]):
        print(f"skipped: there is no package {missing}")
        return MISSING_PACKAGE
    files = [file for file in sorted(CORPUS.glob("*.hlo")) if not options.names or file.stem in options.names]
    failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda file: what_is_missed(options.affirm, file, pathlib.Path(folder) / file.stem), files)
        for file, missed in zip(files, answers):
            failed += bool(missed)
            skipped += missed is None
            print(f"{file.stem}: {'skipped: a compiler is missing' if missed is None else missed or 'seen again'}")
    print(f"{len(files)} findings, {len(files) - failed - skipped} seen again, {failed} not, {skipped} skipped")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
