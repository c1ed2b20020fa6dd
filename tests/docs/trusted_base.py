#!/usr/bin/env python3
"""Counts the trusted base: which code must be right for which claim (docs/trust.md).

For each claim, the tables between the markers of docs/trust.md count the files that the functions which decide the claim
reach (reached_files.py). Nothing but these functions is declared: CLAIMS names them. Without an option: writes the tables.

--check            status 1 where a table says another thing, or a number that is off by more than a twentieth, and where a
                   file of core, verify, emit, driver or tools belongs to no component or to two
--why CLAIM FILE   by which files the claim reaches a file; CLAIM is a part of its name
--objects BUILD    compares the closures with a linker's, by the symbols of the object files of a build with
                   AFFIRM_UNITY=OFF, for the claims whose objects are there

A line counts that has more on it than blanks, comments and braces.
"""

import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

import certified_claims
import reached_files

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENT = SOURCES / "docs" / "trust.md"
LAYERS = ("core", "verify", "emit", "driver", "tools")
ENDINGS = (".cc", ".h", ".def", ".td", ".rules")

# name: (what it is, its files). The longest pattern that fits a file names its component.
COMPONENTS = {
    "expressions": ("integer expressions, intervals, checked arithmetic, their text", ["core/symbolic/*"]),
    "maps": ("maps, their text, evaluation, composition, ranges", ["core/indexing/*"]),
    "reader": ("reading HLO: text, attributes, literals, shapes", ["core/hlo/*"]),
    "StableHLO": ("reading StableHLO as HLO", ["core/stablehlo/*"]),
    "HLO protos": ("reading modules that XLA serialized as HLO", ["core/hlo_proto/*"]),
    "library calls": ("what custom calls of libraries compute, as HLO", ["verify/calls/*"]),
    "deciders": ("Z3, isl, enumeration and interval arithmetic over one language of formulas; verdicts", [
        "verify/decide/*", "verify/verdict.*"]),
    "map queries": ("equal, covers, bijective, empty; as queries for deciders", ["verify/maps/*"]),
    "op semantics": ("which elements each op reads, one formula per op", ["verify/hlo/semantics/*"]),
    "map proofs": ("a map is that formula; what runtime variables stand for", ["verify/hlo/proof/*"]),
    "compositions": ("composition from its definition, the walk through a fusion", [
        "verify/hlo/proof/composition.*", "verify/hlo/proof/fusion.*", "verify/hlo/proof/paths.*",
        "verify/hlo/proof/rebase_runtime_source.*"]),
    "ops of all sizes": ("the ops of `check --symbolic`", ["verify/hlo/symbolic/*"]),
    "rule text": ("what a rule says", [
        "core/simplify/rule.h", "core/simplify/rule_parser.cc", "core/simplify/rule_print.cc", "core/simplify/conditions.cc"]),
    "rule prover": ("a rule as a theorem, and its proof", ["verify/rules/*"]),
    "rule theorems": ("the theorem that a rule states, and as propositions of Coq", [
        "verify/rules/coq.*", "verify/rules/theorem.*", "verify/rules/range_ends.*"]),
    "value rules": ("a rule about values as HLO at its types, and its proof; mutants", ["verify/value_rules/*"]),
    "trace replay": ("a rewrite step is an instance of its rule", [
        "core/simplify/trace.h", "verify/rules/replay.*", "verify/rules/polynomial_normal_forms.*", "verify/rules/domain_analysis.*"]),
    "widths": ("what a kernel computes to evaluate a map, and its ranges", ["verify/width/*"]),
    "scalar functions": ("the value of each elementwise op on single elements", ["verify/scalar/*"]),
    "interpreter": ("the values of each op", ["verify/reference/*"]),
    "enclosures": ("every value that a compiler may make of an element, as intervals", ["verify/enclosure/*"]),
    "comparison": ("how far two values may lie apart, and the arguments", [
        "verify/reference/compare.*", "verify/reference/argument_values.*", "verify/reference/arguments.*", "verify/reference/index_uses.*"]),
    "kernel IR": ("reads LLVM IR of any compiler's kernels, their launch, inline PTX; what LLVM promises", ["verify/kernel/*"]),
    "SIMT emulator": ("runs kernels, watches their accesses", ["verify/kernel/emulator/*"]),
    "kernel runs": ("hands a kernel's IR, launch and arguments to the emulator", [
        "emit/runtime/device_kernel.*", "emit/runtime/emulator_runner.*", "emit/runtime/kernel_arguments.*",
        "emit/runtime/run.*"]),
    "value terms": ("the value of each op as a term", ["verify/terms/*", "verify/hlo/values/*"]),
    "kernel proofs": ("a kernel as terms, and the claims about it", ["verify/kernel/lift/*", "verify/kernel/proof/*"]),
    "inference rules": ("theorems about terms, and the rules that alone make them", ["verify/logic/*"]),
    "term comparison": ("two terms are the same value, by cases, folds and the forms that kernels have", ["verify/compare/*"]),
    "lemmas": ("statements about values, compiled and run at all points", ["verify/lemma/*"]),
    "validation": ("what a kernel is run on, and how far its values may lie off", ["driver/validate/*"]),
    "equivalence": ("two modules as terms, the laws, and what they are run on", [
        "verify/equivalence/*", "driver/equivalence/*"]),
    "dumps": ("which files of a dump belong together, how kernels are launched, which buffers are one", [
        "driver/dump/*"]),
    "verdict": ("what is asked of a module, and what the answers add up to", [
        "driver/check/*"]),
    "analysis": ("op to maps", ["core/analysis/*"]),
    "simplifier": ("the engine and its rules", ["core/simplify/*"]),
    "searches": ("mutants, reduction orders, the writer of certificates", [
        "verify/rules/mutants.*", "verify/rules/reduction_order.*", "verify/rules/render.cc",
        "verify/rules/coq_attempts.*", "verify/prover/*"]),
    "emitters": ("partition, dialect, emitters, passes, lowering, CUDA", ["emit/*", "driver/check/library_ops.*"]),
    "command line": ("the other verbs, Python", ["driver/*", "tools/affirm/*", "tools/opt/*", "tools/python/*"]),
}

# Searches: what they find is proved or compared by others, so that the closure of a claim stops at them.
SEARCHES = {
    "core/analysis/*.cc": "the maps that it finds are proved",
    "core/simplify/*.cc": "the maps that it makes are proved equal",
    "emit/*.cc": "the kernels that it makes are proved, or compared",
}
NO_SEARCHES = [
    # Files that say what a rule is: the printed theorem names the end of a range by its text.
    "core/simplify/rule_parser.cc", "core/simplify/rule_print.cc", "core/simplify/conditions.cc",
    "emit/runtime/*.cc",  # hands a kernel to the emulator
]

# The functions that read the files that a claim is about: (header, function).
MODULE = [("core/hlo/text.h", "ParseModule"), ("verify/calls/expand.h", "ExpandCustomCalls")]
KERNEL = [*MODULE, ("verify/kernel/kernel_ir.h", "ReadKernelIr"), ("verify/kernel/launch.h", "ParseLaunch")]
MAP = [("core/indexing/indexing_map.h", "ParseIndexingMap")]
RULE = [("core/simplify/rule.h", "ParseRules")]

# claim: (what reads its files, what decides it)
CLAIMS = {
    "a map is exact, or covers what is read (`check`)": (MODULE, [
        ("verify/hlo/semantics/access_relation.h", "AccessRelationOf"), ("verify/hlo/proof/prove_map.h", "ProveMaps")]),
    "a composed map is (`check`)": (MODULE, [
        ("verify/hlo/proof/composition.h", "ProveComposition"), ("verify/hlo/proof/fusion.h", "ProveFusion")]),
    "the maps of an op for all sizes (`check --symbolic`)": ([], [("verify/hlo/symbolic/op.h", "ProveSymbolic")]),
    "two maps are equal, one covers the other (`equiv`)": (MAP, [
        ("verify/maps/maps.h", "ProveEqual"), ("verify/maps/maps.h", "ProveSuperset")]),
    "every element is written once (`bijection`, `check`)": (MAP, [("verify/maps/maps.h", "ProveBijection")]),
    "a rule holds for all constants (`audit`)": (RULE, [("verify/rules/prove.h", "ProveRule")]),
    "a rule holds for all constants (`rules --coq`, checked by `coqc`)": (RULE, [("verify/rules/coq.h", "CoqDefinitions")]),
    "a rule about integers holds at every width (`rules --values --coq`, checked by `coqc`)": ([], [
        ("verify/value_rules/value_rule.h", "ParseValueRules"), ("verify/value_rules/coq.h", "CoqDefinitions")]),
    "a rule about values holds at its types (`audit`)": ([], [
        ("verify/value_rules/value_rule.h", "ParseValueRules"), ("verify/value_rules/prove.h", "Prove")]),
    "a simplification, step by step (`check`, `simplify --rules`)": ([*MAP, *RULE], [
        ("verify/rules/replay.h", "Replay"), ("verify/rules/prove.h", "ProveRule"), ("verify/maps/maps.h", "ProveEqual")]),
    "no overflow in iN (`width`)": (MAP, [
        ("verify/width/width.h", "ProveWidth"), ("verify/width/casts.h", "ProveCastRewrite")]),
    "a kernel computes the values, for these arguments (`run`, `check`)": (MODULE, [
        ("verify/reference/interpreter.h", "Interpret"), ("emit/runtime/run.h", "RunOnEmulator"),
        ("verify/enclosure/compare.h", "Compare")]),
    "a kernel is refuted, or executed without a difference (`validate`)": (KERNEL, [
        ("driver/validate/execute.h", "ExecuteWhole")]),
    "a kernel that is too large to run is refuted (`validate`, `check`)": (KERNEL, [
        ("driver/validate/sample.h", "ExecuteSample")]),
    "a kernel is proved (`validate`, `check`)": (KERNEL, [("verify/kernel/proof/prove_kernel.h", "ProveKernel")]),
    "a kernel does what another one does (`validate --against`)": (KERNEL[-2:], [
        ("verify/kernel/proof/same_kernel.h", "ProveSameKernel")]),
    "two modules are equal (`equiv --hlo`)": (MODULE, [("driver/equivalence/prove.h", "ProveModules")]),
    "two modules are equal on all of their few arguments, or differ (`equiv --hlo`)": (MODULE, [
        ("driver/equivalence/execute.h", "ExecuteBoth")]),
    "a pass or a kernel of a dump is right or wrong (`xla`)": (KERNEL, [("driver/dump/dump.h", "CheckDump")]),
    "a module is affirmed (`check`)": (MODULE, [("driver/check/check.h", "Check")]),
}

# Software from elsewhere, by the text with which the reached files include or call it.
OUTSIDE = {
    "Z3": r'#include <z3',
    "isl": r'#include [<"]isl/',
    "LLVM": r'#include "llvm/',
    "MLIR": r'#include "mlir/',
    "Coq": r'"(Z\.divide |is_int )',  # propositions of Coq are printed
    "libm": r"\bstd::(exp|expm1|log|log1p|sin|cos|tan|tanh|pow|erf|cbrt|atan2)\(",
}


def files_of_project():
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *LAYERS], cwd=SOURCES,
                           text=True, capture_output=True, check=False)
    # An unpacked archive is no git repository.
    found = names.stdout.splitlines() if names.returncode == 0 else [
        str(p.relative_to(SOURCES)) for layer in LAYERS for p in (SOURCES / layer).rglob("*")]
    return sorted(n for n in found if n.endswith(ENDINGS) and (SOURCES / n).is_file())


def lines_of_code(text, name):
    """Lines with more than blanks, comments and braces."""
    if name.endswith(".rules"):
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


def is_search(name):
    return (any(fnmatch.fnmatch(name, p) for p in SEARCHES) and
            not any(fnmatch.fnmatch(name, p) for p in NO_SEARCHES))


class Base:
    """The files that each claim reaches, and their lines."""

    def __init__(self, sources, owner):
        self.sources = sources
        self.owner = owner
        self.lines = {name: lines_of_code(sources.text(name), name) for name in owner}
        self.reached = {claim: sources.reach([*reads, *decides], is_search) for claim, (reads, decides) in CLAIMS.items()}

    def count(self, names):
        return sum(self.lines[n] for n in names)

    def beyond_reading(self, claim):
        """The files that the claim reaches and reading what it is about does not."""
        return set(self.reached[claim]) - set(self.sources.reach(CLAIMS[claim][0], is_search))

    def components(self, names):
        """Those with code in a set of files: where only headers of one are reached, they are types."""
        of = {self.owner[n] for n in names if not n.endswith(".h")}
        return [c for c in COMPONENTS if c in of]

    def outside(self, names):
        texts = [self.sources.text(n) for n in names]
        found = [what for what, pattern in OUTSIDE.items() if any(re.search(pattern, text) for text in texts)]
        return found or ["C++ library"]

    def tables(self):
        everything = set().union(*self.reached.values())
        total = dict.fromkeys(COMPONENTS, 0)
        used = dict.fromkeys(COMPONENTS, 0)
        for name, component in self.owner.items():
            total[component] += self.lines[name]
            used[component] += self.lines[name] if name in everything else 0
        trusted = self.components(everything)
        rows = ["| component | lines | reached | what it is |", "|---|---:|---:|---|"]
        for components in (trusted, [c for c in COMPONENTS if c not in trusted]):
            rows += [f"| {c}{'' if c in trusted else ' (not trusted)'} | {total[c]:,} | {used[c]:,} | {COMPONENTS[c][0]} |"
                     for c in components]
        rows += ["", "| claim | lines | beyond reading | files | components | outside |", "|---|---:|---:|---:|---|---|"]
        for claim, names in self.reached.items():
            rows.append(f"| {claim} | {self.count(names):,} | {self.count(self.beyond_reading(claim)):,} | {len(names):,} | "
                        f"{', '.join(self.components(names))} | {', '.join(self.outside(names))} |")
        return "\n".join([*rows, "", *certified_claims.table()])


def differences(said, counted):
    """Lines that say another thing; numbers may be off by a twentieth."""
    number = re.compile(r"(?<=\| )[0-9,]+(?= \|)")

    def values(line):
        return [int(n.replace(",", "")) for n in number.findall(line)]

    def is_near(old, new):
        return number.sub("", old) == number.sub("", new) and all(
            abs(a - b) * 20 <= b for a, b in zip(values(old), values(new)))

    said, counted = said.splitlines(), counted.splitlines()
    if len(said) != len(counted):
        return ["the tables have other rows"]
    return [f"says {old!r}, should say {new!r}" for old, new in zip(said, counted) if not is_near(old, new)]


def symbols(path):
    """The symbols that an object file defines, and those that it needs."""
    defined, needed = set(), set()
    for line in subprocess.run(["nm", "-P", path], text=True, capture_output=True, check=True).stdout.splitlines():
        name, kind = line.split()[:2]
        (needed if kind in "Uwv" else defined).add(name)
    return defined, needed


def linked(units, objects, start):
    """The translation units that a linker takes from `start` on: by the first definition of each symbol that is needed."""
    definer = {}
    for unit in units:
        for symbol in objects[unit][0]:
            definer.setdefault(symbol, unit)
    taken, todo = set(start), list(start)
    have = set().union(*(objects[u][0] for u in start)) if start else set()
    while todo:
        for symbol in objects[todo.pop()][1] - have:
            unit = definer.get(symbol)
            if unit and unit not in taken:
                taken.add(unit)
                todo.append(unit)
                have |= objects[unit][0]
    return taken


def compare_with_objects(base, build):
    """Prints, for each claim, the units that only the estimate or only the linker takes. Status 0: the linker takes none
    that the estimate leaves out, and finds every symbol of the project among the objects that are there."""
    paths = {}
    for path in pathlib.Path(build).rglob("*.cc.o"):
        found = re.fullmatch(r"(.*)/CMakeFiles/[^/]*\.dir/(.*)\.o", str(path.relative_to(build)))
        if found:
            paths[f"{found[1]}/{found[2]}"] = path
    objects = {name: symbols(path) for name, path in paths.items() if name in base.owner}
    defined = set().union(*(of for of, _ in objects.values()))
    missed = 0
    for claim, (reads, decides) in CLAIMS.items():
        units = {n for n in base.reached[claim] if n.endswith(".cc")}
        absent = sorted(units - objects.keys())
        if absent:
            print(f"{claim}: not compared, {len(absent)} of {len(units)} objects are not there, such as {absent[0]}")
            continue
        start = set()
        for header, function in [*reads, *decides]:
            start |= {header} if function is None else base.sources.definers_of(header, function)
        taken = {u for u in linked(sorted(objects), objects, start) if not is_search(u)}
        more, less = sorted(units - taken), sorted(taken - units)
        lost = sorted({s for u in taken for s in objects[u][1] if "6affirm" in s} - defined)
        missed += len(less) + len(lost)
        print(f"{claim}: {len(units)} units, the linker takes {len(taken)}; lines of units {base.count(units):,} and "
              f"{base.count(taken):,}")
        print(f"  only estimated ({base.count(more):,} lines): {' '.join(more)}")
        print(f"  only linked ({base.count(less):,} lines): {' '.join(less)}")
        print(f"  symbols that no object defines: {len(lost)} {' '.join(lost[:5])}")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only see whether the tables are true")
    parser.add_argument("--why", nargs=2, metavar=("CLAIM", "FILE"), help="how a claim reaches a file")
    parser.add_argument("--objects", metavar="BUILD", help="compare with the objects of a build")
    arguments = parser.parse_args()
    files = files_of_project()
    owner, wrong = assign(files)
    base = Base(reached_files.Sources(SOURCES, files), owner)
    if arguments.why:
        claim = next(c for c in CLAIMS if arguments.why[0] in c)
        name, path = arguments.why[1], []
        while name:
            path.append(name)
            name = base.reached[claim].get(name)
        print(f"{claim}:\n  " + "\n  <- ".join(path))
        return 0
    if arguments.objects:
        return compare_with_objects(base, arguments.objects)
    tables = base.tables()
    head, rest = DOCUMENT.read_text().split("<!-- counted -->\n", 1)
    said, tail = rest.split("\n<!-- end -->", 1)
    if arguments.check:
        wrong += [f"docs/trust.md {d}" for d in differences(said, tables)]
        if wrong:
            wrong.append("python3 tests/docs/trusted_base.py writes the tables anew")
    else:
        DOCUMENT.write_text(f"{head}<!-- counted -->\n{tables}\n<!-- end -->{tail}")
    print("\n".join(wrong) if wrong else f"{len(files)} files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
