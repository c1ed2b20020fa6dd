#!/usr/bin/env python3
"""Counts the trusted base: which code must be right for which claim (docs/trust.md).

The tables between the markers of docs/trust.md come from the components and claims below and from the sources. Without
an option: writes them. --check: status 1 where a table says another thing, or a number that is off by more than a
twentieth, where a file of core, verify, emit, driver or tools belongs to no component or to two, and where a component names a
file that is not there. A line counts that has more on it than blanks, comments and braces.
"""

import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENT = SOURCES / "docs" / "trust.md"
LAYERS = ("core", "verify", "emit", "driver", "tools")
ENDINGS = (".cc", ".h", ".def", ".td", ".rules")

# name: (what it is, its files). A later component takes files out of an earlier one by naming them.
COMPONENTS = {
    "expressions": ("integer expressions, intervals, checked arithmetic, their text", ["core/symbolic/*"]),
    "maps": ("maps, their text, evaluation, composition, ranges", ["core/indexing/*"]),
    "reader": ("reading HLO: text, attributes, literals, shapes", ["core/hlo/*"]),
    "library calls": ("what custom calls of libraries compute, as HLO", ["verify/calls/*"]),
    "deciders": ("Z3, isl, enumeration and interval arithmetic over one language of formulas; verdicts", [
        "verify/decide/*", "verify/verdict.*"]),
    "map queries": ("equal, covers, bijective, empty; as queries for deciders", ["verify/maps/*"]),
    "op semantics": ("which elements each op reads, one formula per op", ["verify/hlo/semantics/*"]),
    "map proofs": ("a map is that formula; what runtime variables stand for", ["verify/hlo/proof/*"]),
    "compositions": ("composition from its definition, the walk through a fusion", [
        "verify/hlo/proof/composition.*", "verify/hlo/proof/fusion.*", "verify/hlo/proof/rebase_runtime_source.*"]),
    "ops of all sizes": ("the ops of `check --symbolic`", ["verify/hlo/symbolic/*"]),
    "rule text": ("what a rule says", [
        "core/simplify/rule.h", "core/simplify/rule_parser.cc", "core/simplify/conditions.cc"]),
    "rule prover": ("a rule as a theorem, and its proof", ["verify/rules/*"]),
    "value rules": ("a rule about values as HLO at its types, and its proof; mutants", ["verify/value_rules/*"]),
    "trace replay": ("a rewrite step is an instance of its rule", [
        "core/simplify/trace.h", "verify/rules/replay.*", "verify/rules/polynomial_normal_forms.*", "verify/rules/domain_analysis.*"]),
    "certificate checker": ("on its own: the standard library only", [
        "verify/certificate/*", "tools/check_certificate/*"]),
    "widths": ("what a kernel computes to evaluate a map, and its ranges", ["verify/width/*"]),
    "scalar functions": ("the value of each elementwise op on single elements", ["verify/scalar/*"]),
    "interpreter": ("the values of each op", ["verify/reference/*"]),
    "enclosures": ("every value that a compiler may make of an element, as intervals", ["verify/enclosure/*"]),
    "comparison": ("how far two values may lie apart, and the arguments", [
        "verify/reference/compare.*", "verify/reference/argument_values.*", "verify/reference/arguments.*", "verify/reference/index_uses.*"]),
    "SIMT emulator": ("reads LLVM IR of any compiler's kernels, runs it, watches its accesses", ["verify/kernel/*"]),
    "kernel runs": ("hands a kernel's IR, launch and arguments to the emulator", [
        "emit/runtime/device_kernel.*", "emit/runtime/emulator_runner.*", "emit/runtime/kernel_arguments.*",
        "emit/runtime/run.*"]),
    "value terms": ("the value of each op as a term", ["verify/terms/*", "verify/hlo/values/*"]),
    "kernel proofs": ("a kernel as terms, and the claims about it", ["verify/kernel/lift/*", "verify/kernel/proof/*"]),
    "validation": ("what a kernel is run on, and how far its values may lie off", ["driver/validate/*"]),
    "equivalence": ("two modules as terms, the laws, and what they are run on", [
        "verify/equivalence/*", "driver/equivalence/*"]),
    "dumps": ("which files of a dump belong together, how kernels are launched, which buffers are one", [
        "driver/dump/*"]),
    "verdict": ("what is asked of a module, and what the answers add up to", [
        "driver/check/*"]),
    # What nothing rests on: its answers are proved or compared.
    "analysis": ("op to maps", ["core/analysis/*"]),
    "simplifier": ("the engine and its rules", ["core/simplify/*"]),
    "searches": ("mutants, reduction orders, the writer of certificates", [
        "verify/rules/mutants.*", "verify/rules/reduction_order.*", "verify/rules/certify.*", "verify/rules/render.cc"]),
    "emitters": ("partition, dialect, emitters, passes, lowering, CUDA", ["emit/*", "driver/check/library_ops.*"]),
    "command line": ("the other verbs, Python", ["driver/*", "tools/affirm/*", "tools/opt/*", "tools/python/*"]),
}

QUERIES = ["expressions", "maps", "deciders", "map queries"]
OF_OPS = [*QUERIES, "reader", "library calls", "op semantics", "map proofs"]
EXECUTION = ["reader", "library calls", "scalar functions", "interpreter", "comparison", "SIMT emulator"]
RUN = [*EXECUTION, "kernel runs"]
RULES = ["expressions", "rule text", "rule prover"]

# claim: (components, what of the outside must be right)
CLAIMS = {
    "a map is exact, or covers what is read (`check`)": (OF_OPS, "Z3, isl, LLVM"),
    "a composed map is (`check`)": ([*OF_OPS, "compositions"], "Z3, isl, LLVM"),
    "the maps of an op for all sizes (`check --symbolic`)": (
        ["expressions", "rule prover", "ops of all sizes"], "Z3, LLVM"),
    "two maps are equal, one covers the other (`equiv`)": (QUERIES, "Z3, isl, LLVM"),
    "every element is written once (`bijection`, `check`)": (QUERIES, "Z3, isl, LLVM"),
    "a rule holds for all constants (`audit`)": (RULES, "Z3, LLVM"),
    "a rule about values holds at its types (`audit`)": (
        ["reader", "library calls", "interpreter", "value rules"], "Z3, LLVM, libm"),
    "a simplification, step by step (`check`, `simplify --rules`)": (
        [*QUERIES, *RULES, "trace replay"], "Z3, isl, LLVM"),
    "a simplification, by certificate (`affirm-check-certificate`)": (["certificate checker"], "C++ library"),
    "no overflow in iN (`width`)": ([*QUERIES, "widths"], "Z3, isl, LLVM"),
    "a kernel computes the values, for these arguments (`check`)": ([*RUN, "verdict"], "LLVM, libm"),
    "a kernel is refuted (`validate`)": ([*EXECUTION, "validation"], "LLVM, libm"),
    "a kernel that is too large to run is refuted (`validate`, `check`)": (
        [*EXECUTION, "value terms", "kernel proofs", "validation"], "LLVM, libm"),
    "a kernel is proved (`validate`, `check`)": (
        [*QUERIES, *EXECUTION, "value terms", "kernel proofs", "validation"], "Z3, isl, LLVM, libm"),
    "two modules are equal (`equiv --hlo`)": (
        [*EXECUTION, "value terms", "kernel proofs", "enclosures", "equivalence"], "LLVM, libm"),
    "a pass or a kernel of a dump is right or wrong (`xla`)": (
        [*QUERIES, *EXECUTION, "value terms", "kernel proofs", "validation", "enclosures",
         "equivalence", "dumps"], "Z3, isl, LLVM, libm"),
    "a module is affirmed (`check`)": (
        [*OF_OPS, *RULES, "compositions", "trace replay", *RUN, "verdict"], "Z3, isl, LLVM, libm"),
    "a module that is too large to run is affirmed (`check`)": (
        [*OF_OPS, *RULES, "compositions", "trace replay", *RUN, "value terms", "kernel proofs", "validation",
         "equivalence", "verdict"], "Z3, isl, LLVM, libm"),
}


def files_of_project():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *LAYERS], cwd=SOURCES,
                           text=True, capture_output=True, check=False)
    # An unpacked archive is no git repository.
    found = names.stdout.splitlines() if names.returncode == 0 else [
        str(p.relative_to(SOURCES)) for layer in LAYERS for p in (SOURCES / layer).rglob("*")]
    return sorted(n for n in found if n.endswith(ENDINGS) and (SOURCES / n).is_file())


def lines_of_code(path):
    """Lines with more than blanks, comments and braces."""
    text = path.read_text()
    if path.suffix == ".rules":
        return sum(1 for line in text.splitlines() if line.split("#")[0].split("//")[0].strip())
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return sum(1 for line in text.splitlines() if line.split("//")[0].strip(" \t{}();,"))


def precision(pattern):
    """A name beats a pattern, and a longer pattern a shorter one."""
    return (not re.search(r"[*?]", pattern), len(pattern))


def assign(files):
    """The component of each file, and what is wrong with the components."""
    owner, wrong, used = {}, [], set()
    for name in files:
        matches = sorted(((precision(p), component, p) for component, (_, patterns) in COMPONENTS.items()
                          for p in patterns if fnmatch.fnmatch(name, p)), reverse=True)
        if not matches:
            wrong.append(f"{name} belongs to no component")
            continue
        if len(matches) > 1 and matches[0][0] == matches[1][0]:
            wrong.append(f"{name} belongs to {matches[0][1]} and to {matches[1][1]}")
        owner[name] = matches[0][1]
        used.add(matches[0][1:])
    for component, (_, patterns) in COMPONENTS.items():
        wrong += [f"{component}: there is no {p}" for p in patterns if (component, p) not in used]
    return owner, wrong


def tables(count):
    trusted = {c for components, _ in CLAIMS.values() for c in components}
    rows = ["| component | lines | what it is |", "|---|---:|---|"]
    for components in ([c for c in COMPONENTS if c in trusted], [c for c in COMPONENTS if c not in trusted]):
        rows += [f"| {c}{'' if c in trusted else ' (not trusted)'} | {count[c]:,} | {COMPONENTS[c][0]} |" for c in components]
    rows += ["", "| claim | lines | components | outside |", "|---|---:|---|---|"]
    for claim, (components, outside) in CLAIMS.items():
        names = [c for c in COMPONENTS if c in components]
        rows.append(f"| {claim} | {sum(count[c] for c in names):,} | {', '.join(names)} | {outside} |")
    return "\n".join(rows)


def differences(said, counted):
    """Lines that say another thing; numbers may be off by a twentieth."""
    number = re.compile(r"(?<=\| )[0-9,]+(?= \|)")
    def value(line):
        found = number.search(line)
        return int(found[0].replace(",", "")) if found else 0
    said, counted = said.splitlines(), counted.splitlines()
    if len(said) != len(counted):
        return ["the tables have other rows"]
    return [f"says {old!r}, should say {new!r}" for old, new in zip(said, counted)
            if number.sub("", old) != number.sub("", new) or abs(value(old) - value(new)) * 20 > value(new)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only see whether the tables are true")
    arguments = parser.parse_args()
    files = files_of_project()
    owner, wrong = assign(files)
    count = dict.fromkeys(COMPONENTS, 0)
    for name, component in owner.items():
        count[component] += lines_of_code(SOURCES / name)
    head, rest = DOCUMENT.read_text().split("<!-- counted -->\n", 1)
    said, tail = rest.split("\n<!-- end -->", 1)
    if arguments.check:
        wrong += [f"docs/trust.md {d}" for d in differences(said, tables(count))]
        if wrong:
            wrong.append("python3 tests/docs/trusted_base.py writes the tables anew")
    else:
        DOCUMENT.write_text(f"{head}<!-- counted -->\n{tables(count)}\n<!-- end -->{tail}")
    print("\n".join(wrong) if wrong else f"{len(files)} files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
