"""What must be believed of affirm-check: the third table of docs/trust.md.

The checker is extracted from a Coq development with a theorem, so the table counts the statement of the theorem (Gallina) and
the modules of OCaml that are linked into affirm-check and make a claim of text, or text of a claim. It leaves out
`checker`, which Coq prints, `evidence_text`, since the theorem holds for any evidence, and `coq_text`, which prints certificates for coqc.
The modules come from `ocamldep`.
"""

import pathlib
import re
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = SOURCES / "tools/check"
STATEMENTS = SOURCES / "verify/coq/certificate"
PROVED = ["checker", "evidence_text"]
NOT_OF_CLAIMS = ["coq_text"]  # `affirm-check --coq` prints for coqc, and accepts nothing
START = ["main", "certificate"]  # they choose among the kinds of claims, and are not followed

# claim: (the module that reads it, the file of its meaning)
CLAIMS = {
    "two maps are equal, one covers the other; a bijection; a simplification": ("map_statement", "map_claims"),
    "a map is exact, or covers what is read; a composed map is": ("reads_statement", "hlo_reads"),
}


def lines_of_code(path):
    """Lines with more than blanks, comments and brackets."""
    text, depth, kept = path.read_text(), 0, []
    for part in re.split(r"(\(\*|\*\))", text):
        if part in ("(*", "*)"):
            depth += 1 if part == "(*" else -1
        else:
            # Within a comment only the ends of lines stay.
            kept.append(part if depth == 0 else "\n" * part.count("\n"))
    return sum(1 for line in "".join(kept).splitlines() if line.strip(" \t{}();,."))


def linked():
    """The modules of affirm-check, from the list of its CMakeLists.txt."""
    names = re.search(r"set\(sources ([^)]*)\)", (PROGRAM / "CMakeLists.txt").read_text())[1].split()
    return [n.removesuffix(".ml") for n in names if n.endswith(".ml")]


def modules_of(name):
    """The modules of affirm-check that a module mentions."""
    done = subprocess.run(["ocamlfind", "ocamldep", "-modules", f"{name}.ml"], cwd=PROGRAM, text=True, capture_output=True,
                          check=True)
    found = {m[0].lower() + m[1:] for m in done.stdout.split(":", 1)[1].split()}
    return found & set(linked())


def reach(name):
    """The modules that a module reaches, without those that are proved."""
    found, todo = set(), [name]
    while todo:
        name = todo.pop()
        if name not in found and name not in PROVED + NOT_OF_CLAIMS:
            found.add(name)
            todo += modules_of(name)
    return found


def statements(name):
    """The files of Gallina that a file needs."""
    found, todo = set(), [name]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            for line in re.findall(r"From Affirm Require Import ([^.]*)\.", (STATEMENTS / f"{name}.v").read_text()):
                todo += line.split()
    return found


def table():
    rows = ["| claim, by certificate (`affirm-check`) | statement | reading and printing | modules | outside |",
            "|---|---:|---:|---|---|"]
    for claim, (module, statement) in CLAIMS.items():
        modules = [m for m in linked() if m in reach(module) | set(START)]
        said = sum(lines_of_code(STATEMENTS / f"{s}.v") for s in statements(statement))
        read = sum(lines_of_code(PROGRAM / f"{m}.ml") for m in modules)
        rows.append(f"| {claim} | {said:,} | {read:,} | {', '.join(modules)} | Coq, OCaml |")
    return rows
