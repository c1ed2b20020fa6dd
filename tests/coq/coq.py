"""Runs affirm, coqc and coqchk for the tests of this folder."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
AFFIRM = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else SOURCES / "build/tools/affirm"
# Lines of the summary of coqchk for a theory without extensions, in the words of Coq 8.16 and 8.20.
HARMLESS = ("<none>", "Set is predicative", "Rewrite rules are not allowed")
CLOSED = "Closed under the global context"


def affirm(*arguments, rules=None):
    """The output of a verb; `rules` is its standard input. Findings (status 1 and 2) are no error."""
    done = subprocess.run([AFFIRM, *arguments], input=rules, text=True, capture_output=True, check=False)
    if done.returncode > 2:
        raise ValueError(done.stderr)
    return done.stdout


def run(program, folder, *arguments):
    """Status and output of coqc or coqchk in a folder, whose files are Affirm.NAME."""
    if not shutil.which(program):
        sys.exit(f"{program} is missing: ./dev setup installs the package coq")
    done = subprocess.run([program, "-Q", ".", "Affirm", *arguments], cwd=folder, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def definitions(text):
    """The names of the propositions that a text defines, in their order."""
    return re.findall(r"^Definition ((?:rule|defined)_\w+) : Prop :=$", text, re.M)


def theorem_of(proposition):
    return re.sub("^rule_", "sound_", re.sub("^defined_", "safe_", proposition))


def definitions_of(rules):
    """The definitions that are printed for a file of rules."""
    text = affirm("audit", "--coq", "-", rules=rules)
    return "".join(re.findall(r"^Definition (?:rule|defined)_\w+ : Prop :=\n(?:  .*\n)+", text, re.M))


def builtin_rules():
    return json.loads(affirm("rules", "--json"))


def assumptions(names, statements, proofs):
    """A file that states each theorem anew, by its name among the statements, and asks what the proofs of all assume:
    for one after the other Coq would need a minute. Neither module is imported, so that nothing in the proofs can give
    one of these names another meaning."""
    lines = [f"Require Affirm.{statements} Affirm.{proofs}."]
    lines += [f"Definition checked_{name} : Affirm.{statements}.{name} := Affirm.{proofs}.{theorem_of(name)}."
              for name in names]
    lines.append(f"Definition all := ({', '.join(f'checked_{name}' for name in names)}).")
    return "\n".join([*lines, "Print Assumptions all."]) + "\n"


def problems(folder, texts, statements="rules", proofs="proofs"):
    """Why the proofs do not prove all statements; empty where they do. `texts`: each module, behind those it requires."""
    folder = pathlib.Path(folder)
    names = definitions(texts[statements])
    texts = {**texts, "assumptions": assumptions(names, statements, proofs)}
    for name, text in texts.items():
        (folder / f"{name}.v").write_text(text)
        status, output = run("coqc", folder, f"{name}.v")
        if status:
            return [f"{name}.v: {output}"]
    wrong = []
    if output != f"{CLOSED}\n":
        wrong.append(f"a proof assumes something: {output}")
    modules = [f"-norec=Affirm.{name}".split("=") for name in texts]
    status, output = run("coqchk", folder, "-silent", "-o", *(word for module in modules for word in module))
    if status:
        wrong.append(f"coqchk: {output}")
    return wrong + coqchk_findings(output)


def coqchk_findings(output):
    """The entries in the summary of coqchk, without the opaque modules of Coq's own library, which are not checked anew."""
    found = []
    sections = re.split(r"^\* ", output.split("CONTEXT SUMMARY")[-1], flags=re.M)[1:]
    if len(sections) < 5:
        return [f"coqchk printed another summary: {output}"]
    for section in sections:
        what, _, listed = section.partition(":")
        listed = [" ".join(listed.split())] if what == "Theory" else listed.split()
        found += [f"{what}: {name}" for name in listed if name not in HARMLESS and not (
            what == "Axioms" and name.startswith("Coq."))]
    return found
