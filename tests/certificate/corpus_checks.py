#!/usr/bin/env python3
"""Of the claims about maps that `check` proves for corpus/hlo, nearly all have certificates, and all are accepted, by the twin too.

corpus_checks.py AFFIRM AFFIRM_CHECK TWIN
"""

import collections
import concurrent.futures
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import checkers

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus/hlo"
LEAST = 0.97
MOST_MS = 1  # median time of reading and checking one certificate
PROCESSES = 2


def certify(affirm, check, twin, hlo, medians):
    """How many claims there are, how many have an accepted certificate, and why the others have none."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([affirm, "check", "--json", "--certificates", folder, hlo], text=True, capture_output=True, check=False)
        found = [module["certificates"] for module in json.loads(done.stdout)["modules"]]
        files = sorted(pathlib.Path(folder).rglob("*.cert"))
        written = sum(module["written"] for module in found)
        assert len(files) == written, f"{hlo.name}: {len(files)} files for {written} claims"
        if files:
            done = subprocess.run([check, "--times", *files], text=True, capture_output=True, check=False)
            assert done.returncode == 0, f"{hlo.name}: " + "\n".join(x for x in done.stdout.splitlines() if x.startswith("rejected"))
            assert checkers.ask(twin, files, (0,)) == ["accepted"] * len(files), hlo.name
            medians.append(float(re.search(r" certificates: median ([\d.]+) ms", done.stdout)[1]))
        without = collections.Counter()
        for module in found:
            without.update({entry["why"]: entry["claims"] for entry in module["without"]})
        return sum(module["claims"] for module in found), written, without


def main():
    affirm, check, twin = sys.argv[1:]
    claims, written, without, medians = 0, 0, collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        for more, of_them, why in pool.map(lambda hlo: certify(affirm, check, twin, hlo, medians), sorted(CORPUS.glob("*.hlo"))):
            claims, written, without = claims + more, written + of_them, without + why
    print(f"{written} of {claims} claims have a certificate ({written / claims:.1%})")
    for why, count in without.most_common():
        print(f"  {count} without: {why}")
    print(f"median of the median times of the modules: {statistics.median(medians):.3f} ms")
    assert written >= LEAST * claims
    assert statistics.median(medians) <= MOST_MS


main()
