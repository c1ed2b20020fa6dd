#!/usr/bin/env python3
"""coqc itself accepts certificates: each becomes a theorem, proved by the checker's theorem and by computation.

by_coq.py AFFIRM AFFIRM_CHECK [COUNT [SEED]]

Takes COUNT at random from what `indexing` writes for the modules of corpus/hlo, and from what `equiv`, `simplify` and
`bijection` write for random maps. A certificate with an altered claim must not be accepted.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import forger

ROOT = pathlib.Path(__file__).resolve().parents[2]
THEORY = ROOT / "verify/coq/certificate"
FILES = ["map_claims", "polynomials", "proof_checker", "claim_checker", "hlo_reads", "reads_checker"]
MOST_BYTES = 20000  # of a certificate
MODULES = 40


def run(*command, check=True, **options):
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, check=check, **options)


def digits(rng):
    """A map from mixed radix digits, and the shape that it fills."""
    a, b, c = (rng.randint(1, 9) for _ in range(3))
    return rng.choice([
        (f"(d0) -> (d0 floordiv {b}, d0 mod {b}), domain: d0 in [0, {a * b - 1}]", f"{a},{b}"),
        (f"(d0, d1)[s0] -> (d0 * {b * c} + d1 * {c} + s0), domain: d0 in [0, {a - 1}], d1 in [0, {b - 1}], s0 in [0, {c - 1}]",
         f"{a * b * c}"),
        (f"(d0, d1) -> (-d1 + {b - 1}, d0), domain: d0 in [0, {a - 1}], d1 in [0, {b - 1}]", f"{b},{a}")])


def write_all(rng, affirm, folder):
    """Certificates of each kind; their files by kind."""
    for hlo in rng.sample(sorted((ROOT / "corpus/hlo").glob("*.hlo")), MODULES):
        run(affirm, "indexing", "--all", "--summary", "--exact", "--certificates", folder / "reads" / hlo.stem, hlo)
    maps = [forger.random_map(rng) for _ in range(60)]
    simplified = run(affirm, "simplify", "--certificates", folder / "simplify", "-",
                     input="\n\n".join(maps) + "\n").stdout.strip().split("\n\n")
    pairs = [json.dumps({"id": str(k), "lhs": a, "rhs": b}) for k, (a, b) in enumerate(zip(maps, simplified))]
    for relation in ("equal", "covers"):
        run(affirm, "equiv", "--jsonl", "--relation", relation, "--certificates", folder / relation, input="\n".join(pairs) + "\n")
    for k in range(15):
        map_, shape = digits(rng)
        run(affirm, "bijection", map_, "--shape", shape, "--certificates", folder / f"bijection{k}")
    kinds = {"reads": "reads/*/*.cert", "simplify": "simplify/*.cert", "equal": "equal/*.cert", "covers": "covers/*.cert",
             "bijection": "bijection*/*.cert"}
    return {kind: [f for f in sorted(folder.glob(pattern)) if f.stat().st_size <= MOST_BYTES] for kind, pattern in kinds.items()}


def compile_theory(folder):
    for name in FILES:
        (folder / f"{name}.v").write_text((THEORY / f"{name}.v").read_text())
        run("coqc", "-Q", ".", "Affirm", f"{name}.v", cwd=folder)


def coqc(folder, name, text):
    (folder / f"{name}.v").write_text(text)
    return run("coqc", "-Q", ".", "Affirm", f"{name}.v", cwd=folder, check=False)


def altered(text):
    """The same evidence for a claim that is false: an index that the array does not have, or a point more of one map."""
    if "claim bijection" in text:
        return re.sub(r"shape (\d+)", lambda m: f"shape {int(m[1]) + 1}", text, count=1)
    first = text.index("\nmap ")
    return text[:first] + re.sub(r" in \[(-?\d+), (-?\d+)\]", lambda m: f" in [{m[1]}, {int(m[2]) + 1}]", text[first:], count=1)


def main():
    affirm, check = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        written = write_all(rng, affirm, folder)
        chosen = [rng.choice(files) for files in written.values()]  # one of each kind, then any
        others = [f for files in written.values() for f in files if f not in chosen]
        chosen += rng.sample(others, count - len(chosen))
        theory = folder / "coq"
        theory.mkdir()
        compile_theory(theory)
        done = coqc(theory, "all", run(check, "--coq", *chosen).stdout)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("Closed under the global context") == count, done.stdout
        wrong, refused = folder / "wrong.cert", 0
        # A claim that nothing is read has no map.
        with_maps = [file for file in chosen if "\nmap " in file.read_text()]
        for file in with_maps[:10]:
            wrong.write_text(altered(file.read_text()))
            # An altered claim may be true: then both accept it.
            accepted = run(check, wrong, check=False).returncode == 0
            done = coqc(theory, "wrong", run(check, "--coq", wrong).stdout)
            assert (done.returncode == 0) == accepted, f"{wrong.read_text()}{done.stderr}"
            assert accepted or "Unable to unify" in done.stderr, done.stderr
            refused += not accepted
        assert refused >= 3, refused
        of_reads = sum("/reads/" in str(f) for f in chosen)
        print(f"coqc accepts {count} certificates, {of_reads} of them about reads, and refuses {refused} of 10 with another claim")


if __name__ == "__main__":
    main()
