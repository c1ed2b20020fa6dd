#!/usr/bin/env python3
"""Certificates that the maps of ../shared/cases equal their simplified forms. Skipped where there are no such cases.

shared_cases.py AFFIRM AFFIRM_CHECK
"""

import json
import pathlib
import random
import re
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


def results_at(text, point):
    """The results of a map at a point; both spellings of a quotient round down, as // does."""
    results = re.search(r"-> (\(.*\))(?:, ?domain|$)", text)[1]
    for spelling in (" floordiv ", " / "):
        results = results.replace(spelling, " // ")
    return eval(results.replace(" mod ", " % "), {"min": min, "max": max}, point)


def is_asked(statement, pair):
    """Whether affirm-check printed the maps of the pair. Sums may have another order: the results are compared at points."""
    random.seed(1)
    for printed, asked in zip(statement, pair, strict=True):
        if "KNOWN EMPTY" in asked:
            if "KNOWN EMPTY" not in printed:
                return False
            continue
        names = re.findall(r"[a-z_]\w*", re.sub(r"[\[\](){}]", " ", asked.split("->")[0]))
        for _ in range(20):
            point = {name: random.randint(-1000, 1000) for name in names}
            if results_at(printed, point) != results_at(asked, point):
                return False
    return True


def accepted(affirm, check, maps):
    done = subprocess.run([affirm, "simplify", "-"], input="\n\n".join(maps) + "\n", text=True, capture_output=True, check=True)
    maps_and_simplified = list(zip(maps, done.stdout.strip().split("\n\n"), strict=True))
    lines = [json.dumps({"id": str(k), "lhs": a, "rhs": b}) for k, (a, b) in enumerate(maps_and_simplified)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([affirm, "equiv", "--jsonl", "--certificates", folder], input="\n".join(lines) + "\n", text=True,
                       capture_output=True, check=True)
        files = sorted(pathlib.Path(folder).iterdir())
        done = subprocess.run([check, *files], text=True, capture_output=True, check=False)
    lines = done.stdout.splitlines()
    printed = [(line, lines[k + 1 : k + 3]) for k, line in enumerate(lines) if line.startswith("accepted: ")]
    asked = {str(k): pair for k, pair in enumerate(maps_and_simplified)}
    return len(files), sum(is_asked(statement, asked[re.search(r"(\d+)\.cert", line)[1]]) for line, statement in printed)


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
