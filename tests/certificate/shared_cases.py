#!/usr/bin/env python3
"""Certificates that the maps of ../shared/cases equal their simplified forms. Skipped where there are no such cases.

shared_cases.py AFFIRM AFFIRM_CHECK
"""

import json
import pathlib
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parents[3] / "shared/cases"
# How many must be certified and accepted.
LEAST = {"pairs": 1190, "big": 380, "simplify": 28}
SKIPPED = 77


def maps_of(kind):
    for line in (CASES / f"{kind}.jsonl").read_text().splitlines():
        case = json.loads(line)
        for side in ("before",) if kind == "simplify" else ("lhs", "rhs"):
            yield " ".join(case[side].split())


def accepted(affirm, check, maps):
    done = subprocess.run([affirm, "simplify", "-"], input="\n\n".join(maps) + "\n", text=True, capture_output=True, check=True)
    pairs = zip(maps, done.stdout.strip().split("\n\n"), strict=True)
    lines = [json.dumps({"id": str(k), "lhs": a, "rhs": b}) for k, (a, b) in enumerate(pairs)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([affirm, "equiv", "--jsonl", "--certificates", folder], input="\n".join(lines) + "\n", text=True,
                       capture_output=True, check=True)
        files = sorted(pathlib.Path(folder).iterdir())
        done = subprocess.run([check, *files], text=True, capture_output=True, check=False)
    return len(files), done.stdout.count("accepted: ")


def main():
    if not CASES.is_dir():
        print(f"skipped: there is no {CASES}")
        sys.exit(SKIPPED)
    status = 0
    for kind, least in LEAST.items():
        maps = list(maps_of(kind))
        written, good = accepted(*sys.argv[1:3], maps)
        print(f"{kind}: of {len(maps)} maps {written} certificates, {good} accepted")
        if good < least or good < written:
            status = 1
    sys.exit(status)


main()
