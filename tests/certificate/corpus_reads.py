#!/usr/bin/env python3
"""Certificates of what the instructions of corpus/hlo read: nearly all operands have one, and all are accepted, by the twin too.

corpus_reads.py AFFIRM AFFIRM_CHECK TWIN
"""

import pathlib
import subprocess
import sys
import tempfile

import checkers

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus/hlo"
LEAST = 0.97
MOST_OF_NO_LINE = 0.03


def certify(affirm, hlo, folder):
    """The files of certificates, and the lines that say why there is none."""
    done = subprocess.run([affirm, "indexing", "--all", "--summary", "--exact", "--certificates", folder, hlo],
                          text=True, capture_output=True, check=True)
    missing = [line for line in done.stderr.splitlines() if "no certificate:" in line]
    return sorted(pathlib.Path(folder).glob("*.cert")), missing


def main():
    affirm, check, twin = sys.argv[1:]
    written, missing, of_no_line = 0, [], []
    for hlo in sorted(CORPUS.glob("*.hlo")):
        with tempfile.TemporaryDirectory() as folder:
            files, without = certify(affirm, hlo, folder)
            missing += [f"{hlo.name}: {line}" for line in without]
            written += len(files)
            if not files:
                continue
            done = subprocess.run([check, *files], text=True, capture_output=True, check=False)
            assert done.returncode == 0, f"{hlo.name}: {done.stdout}{done.stderr}"
            assert checkers.ask(twin, files, (0,)) == ["accepted"] * len(files), hlo.name
            # An instruction that shares its line with another one, or with a brace, is printed anew.
            done = subprocess.run([check, "--hlo", hlo, *files], text=True, capture_output=True, check=False)
            rejected = [line for line in done.stdout.splitlines() if line.startswith("rejected")]
            assert all("not lines of one computation" in line for line in rejected), done.stdout
            of_no_line += rejected
    assert len(of_no_line) <= MOST_OF_NO_LINE * written, "\n".join(of_no_line)
    share = written / (written + len(missing))
    print(f"{written} certificates, {len(missing)} operands without one ({share:.1%})")
    assert share >= LEAST, "\n".join(missing)


main()
