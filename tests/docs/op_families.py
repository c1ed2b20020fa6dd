#!/usr/bin/env python3
"""Where each op stands in each layer: writes docs/ops.md, or with --check says what is wrong with it.

A layer that has a part for each op keeps it in a file that is named after the op's family: FAMILY.cc or FAMILY_PART.cc
(core/hlo: verify_FAMILY.cc). An op that two layers keep in different families is an error.

The dispatchers are read, not run: a table of `{Opcode::kName, Function, ...}`, or a switch of `case Opcode::kName:` up
to the function that it returns or calls. The file of a function is the one that defines it.
"""
import argparse
import collections
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCES / "docs" / "ops.md"
FAMILIES = ("elementwise", "nullary", "random", "movement", "slicing", "reduction", "sorting", "window", "contraction",
            "normalization", "gather_scatter", "linalg", "control", "collectives")


def read(path):
    return (SOURCES / path).read_text()


def family_of(stem):
    return next((f for f in FAMILIES if stem == f or stem.startswith(f + "_")), None)


# Functions that ops of several families share: the use of one does not tell the family of an op.
SHARED = {
    "EvaluateForward": "the value of the operand, handed on",
    "EvaluateAsyncDone": "the result that the start of a pair has made",
    "EvaluateCopy": "the elements in their order, as copy and reshape leave them",
    "HandOn": "an array of an operand, handed on",
    "CopyDoneOutputToInput": "the result that the start of a pair has made",
    "EmitReduce": "a loop over a row or a window",
    "NullaryOutputToInput": "no operand, nothing is read",
}


class Layer:
    """`folder` holds the ops' files, those that match `pattern`; `dispatchers` say which function an op has."""

    def __init__(self, title, folder, pattern, dispatchers=(), prefix=""):
        self.title, self.folder, self.prefix = title, folder, prefix
        self.files = {p: p.read_text() for p in sorted((SOURCES / folder).glob(pattern))}
        self.ops = {}  # enumerator -> file
        for path in dispatchers:
            self.read_switch(read(path))
            self.read_table(read(path), None)
        for path, text in self.files.items():
            self.read_table(text, path)

    def definition(self, function):
        """The file of the folder that defines the function."""
        found = [p for p, text in self.files.items()
                 if re.search(rf"^[\w:<>*& ]*\b{function}\([^;]*?\)[^;]*?\{{", text, re.M)]
        return found[0] if found else None

    def note(self, op, path, function=None):
        if function in SHARED:
            return
        if path is not None and family_of(path.stem.removeprefix(self.prefix)):
            self.ops.setdefault(op, path)

    def read_table(self, text, path):
        for op, function in re.findall(r"\{Opcode::(k\w+), (\w+)[,}]", text):
            self.note(op, path or self.definition(function), function)

    def read_switch(self, text):
        for cases, body in re.findall(r"((?:case (?:hlo::)?Opcode::k\w+:\s*)+)(.*?;)", text, re.S):
            for function in re.findall(r"\b([A-Z]\w+)\b", body):
                path = self.definition(function)
                if path is None:
                    continue
                for op in re.findall(r"Opcode::(k\w+):", cases):
                    self.note(op, path, function)
                break
        whole_family = re.search(r"IsElementwise\([\w.]+\)\) return \{?(\w+)", text)
        if whole_family:
            for op in elementwise_ops():
                self.note(op, self.definition(whole_family.group(1)))


def opcodes():
    """Enumerator and HLO's name of each op."""
    return re.findall(r'AFFIRM_OPCODE\((k\w+), "([\w-]+)"', read("core/hlo/opcodes.def"))


def elementwise_ops():
    body = re.search(r"bool IsElementwise\(Opcode.*?\n\}", read("core/hlo/opcode.cc"), re.S).group(0)
    names = [e for e, _ in opcodes()]
    last = re.search(r"<= Opcode::(k\w+)", body).group(1)
    return names[:names.index(last) + 1]


def layers():
    return [
        Layer("shape rule", "core/hlo", "verify_*.cc", prefix="verify_"),
        Layer("maps", "core/analysis/ops", "*.cc", ["core/analysis/indexing.cc"]),
        Layer("semantics", "verify/hlo/semantics", "*.cc", ["verify/hlo/semantics/access_relation.cc"]),
        Layer("value term", "verify/hlo/values", "*.cc", ["verify/hlo/values/values.cc"]),
        Layer("value", "verify/reference", "*.cc", ["verify/reference/interpreter.cc"]),
        Layer("emission", "emit/elements", "*.cc", ["emit/elements/function_emitter.cc"]),
        Layer("generator", "fuzz/generators/ops", "*.cc"),
    ]


def page():
    """The text of the page, and what is wrong."""
    wrong = []
    columns = layers()
    for layer in columns:
        if not layer.ops:
            wrong.append(f"{layer.folder}: no op was found; has its dispatcher another form?")
    by_family = collections.defaultdict(list)
    for op, name in opcodes():
        files = [layer.ops.get(op) for layer in columns]
        families = {family_of(f.stem.removeprefix(layer.prefix)) for layer, f in zip(columns, files) if f}
        if len(families) > 1:
            wrong.append(f"{name} stands in several families: " +
                         ", ".join(str(f.relative_to(SOURCES)) for f in files if f))
        if families:
            by_family[sorted(families)[0]].append((name, files))
    lines = ["# Where each op stands", "",
             "Made by `tests/docs/op_families.py`; a test keeps it. A file that is named after a family has that family's part of the",
             "layer. An empty cell: the layer needs no part of its own for the op (most of a family share one function), or has none",
             "yet; `docs/semantics.md` says what is covered."]
    for family in FAMILIES:
        if not by_family[family]:
            wrong.append(f"no op is in the family {family}")
            continue
        lines += ["", f"## {family}", "", "| op | " + " | ".join(f"{l.title} (`{l.folder}`)" for l in columns) + " |",
                  "|---" * (len(columns) + 1) + "|"]
        rows = collections.defaultdict(list)
        for name, files in by_family[family]:
            rows[tuple(f.name if f else "" for f in files)].append(name)
        for files, names in rows.items():
            lines.append("| " + ", ".join(names) + " | " + " | ".join(files) + " |")
    lines += ["", "## Functions that several families share", ""]
    lines += [f"- `{name}`: {what}." for name, what in SHARED.items()]
    return "\n".join(lines) + "\n", wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text, wrong = page()
    for line in wrong:
        print("op_families:", line, file=sys.stderr)
    if not arguments.check:
        PAGE.write_text(text)
    elif not PAGE.is_file() or PAGE.read_text() != text:
        print("op_families: docs/ops.md is not what the sources say; run tests/docs/op_families.py", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
