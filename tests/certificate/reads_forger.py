#!/usr/bin/env python3
"""Forges certificates of what instructions read: affirm-check accepts none whose statement is false.

reads_forger.py AFFIRM AFFIRM_CHECK TWIN COUNT [SEED]

Has affirm write certificates for small instructions of every op and for fusions, alters their instructions, attributes, sizes,
maps, runtime variables and evidence, and has COUNT of them checked, by the twin too, and a quarter as many in which only the
spelling differs. What is accepted is held against hlo_meaning.py: at each
element, for several values of all elements, the maps must give what the instructions read.
"""

import itertools
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import checkers
import forger
import hlo_meaning
import reads_modules
from hlo_meaning import Line, Unreadable, arrays_of, need

MOST_ELEMENTS = 2000  # of an array that is enumerated


def certificates(affirm):
    texts = []
    for module in reads_modules.modules():
        for flags in (["--exact"], []):
            with tempfile.TemporaryDirectory() as folder:
                hlo = pathlib.Path(folder) / "m.hlo"
                hlo.write_text(module)
                done = subprocess.run([affirm, "indexing", "--all", *flags, "--certificates", folder, hlo], text=True, capture_output=True,
                                      check=False)
                assert done.returncode == 0, done.stderr + module
                texts += [file.read_text() for file in sorted(pathlib.Path(folder).glob("*.cert"))]
    return list(dict.fromkeys(texts))


# ---- The statement of a certificate, read from its text ----
class Map:
    def __init__(self, text):
        head, _, rest = text.partition(" -> ")
        groups = dict(re.findall(r"([(\[{])([^)\]}]*)[)\]}]", head))
        self.names = {kind: [n.strip() for n in groups.get(kind, "").split(",") if n.strip()] for kind in "([{"}
        everything = [n for names in self.names.values() for n in names]
        need(len(set(everything)) == len(everything), "names")
        depth = end = 0
        for end, c in enumerate(rest):
            depth += (c == "(") - (c == ")")
            if depth == 0:
                break
        self.results = [forger.compiled(t) for t in forger.split_top(rest[1:end])]
        self.facts = []
        for item in forger.split_top(rest[end + 1:].partition("domain: ")[2]):
            term, low, high = re.fullmatch(r"(.*) in \[(-?\d+), (-?\d+)\]", item).groups()
            self.facts.append((forger.compiled(term), int(low), int(high), term))

    def given(self, runtime, dims):
        """The results at a point."""
        values = dict(zip(self.names["{"], runtime)) | dict(zip(self.names["("], dims))
        spans = []
        for name in self.names["["]:
            bounds = [(low, high) for _, low, high, term in self.facts if term == name]
            low, high = max((b[0] for b in bounds), default=-10**9), min((b[1] for b in bounds), default=10**9)
            if high - low > 30:
                raise forger.Unbounded
            spans.append(range(low, high + 1))
        for point in itertools.product(*spans):
            here = values | dict(zip(self.names["["], point))
            if forger.is_inside(self.facts, here):
                yield tuple(forger.value_of(code, here) for code in self.results)


class Frame:
    """A computation that is called: its lines, and the operands in the frame around it."""

    def __init__(self, lines, operands, outer, prefix):
        self.lines, self.operands, self.outer, self.prefix = lines, operands, outer, prefix


class Statement:
    def __init__(self, text):
        lines = text.splitlines()
        found = re.fullmatch(r"claim\s+reads\s+(exact|at-most)\s+(\S+)\s+by\s+(\S+)\s*", lines[1])
        need(found, "a claim")
        self.exact = found[1] == "exact"
        self.source, self.reader = (self.array(found[k].lstrip("%")) for k in (2, 3))
        self.program, self.runtime, self.maps, self.bodies = {}, [], [], {}
        body = None
        for line in lines[2:]:
            kind, _, rest = line.rstrip().partition(" ")
            if kind == "body":
                need(body is None and rest not in self.bodies, "a body for each name")
                body = self.bodies[rest] = {}
            elif body is not None:
                body = self.read_line(body, kind, rest)
            elif kind in ("array", "op"):
                node = Line(rest, given=kind == "array")
                need(node.name not in self.program, "a name for each instruction")
                if kind == "op":
                    need(node.operands, "operands")
                    for name, stated in zip(node.operands, node.stated):
                        need(name in self.program and stated in (None, self.program[name].declared), "operands before")
                self.program[node.name] = node
            elif kind == "runtime":
                found = re.fullmatch(r"%?(\S+) \((.*)\) in \[0, (-?\d+)\]", rest)
                need(found, "a runtime variable")
                self.runtime.append((found[1], [forger.compiled(t) for t in forger.split_top(found[2])], int(found[3])))
            elif kind == "map":
                if rest != "KNOWN EMPTY":
                    self.maps.append(Map(rest))
            else:
                break

    @staticmethod
    def read_line(body, kind, rest):
        """The body, with the line; None behind its end."""
        if kind == "end":
            return None
        node = Line(rest, given=kind == "array")
        need(node.name not in body and kind in ("array", "op"), "a line of a body")
        node.is_root = rest.startswith("ROOT ")
        node.is_constant = kind == "array" and " constant(" in rest
        body[node.name] = node
        return body

    def carried(self, body, array, out):
        """The elements of a loop's arrays of which a trip makes element `out` of an array of its body."""
        node = body[array[0]]
        if node.opcode == "parameter":
            return {(array[1], out)}
        if node.operands is None:
            need(node.is_constant, "a value of a loop")
            return set()
        if node.opcode in ("tuple", "get-tuple-element"):
            return self.carried(body, self.parts_of(node, array[1], body), out)
        shapes = [body[o].declared for o in node.operands]
        return {e for k, operand in enumerate(node.operands)
                for index in hlo_meaning.read_by(node, shapes, k, out, None) for e in self.carried(body, (operand, 0), index)}

    def before(self, node, leaf, out):
        """The elements of a loop's operand of which up to three trips make element `out` of an array."""
        body = self.bodies[node.attributes["body"].lstrip("%")]
        root, = [line.name for line in body.values() if line.is_root]
        found = now = {(leaf, out)}
        for _ in range(3):
            now = {e for array, index in now for e in self.carried(body, (root, array), index)}
            found = found | now
        return found

    @staticmethod
    def array(text):
        """The name of an instruction, and which of its arrays."""
        found = re.fullmatch(r"([^{}]+)(?:\{(\d+)\})?", text)
        need(found, "an array")
        return found[1], int(found[2] or 0)

    def parts_of(self, node, leaf, program):
        """The array that is array `leaf` of a tuple or of its element."""
        if node.opcode == "get-tuple-element":
            elements, k = program[node.operands[0]].declared, int(node.attributes["index"])
            return node.operands[0], sum(len(arrays_of(e)) for e in elements[:k]) + leaf
        for operand in node.operands:
            count = len(arrays_of(program[operand].declared))
            if leaf < count:
                return operand, leaf
            leaf -= count
        raise Unreadable("an element")

    @staticmethod
    def operand_of(name, frame):
        """The operand that is a parameter of a computation, and its frame."""
        while frame.outer and frame.lines[name].opcode == "parameter":
            name, frame = frame.operands[int(frame.lines[name].operands[0])], frame.outer
        return name, frame

    def called(self, node, leaf, frame, out, values):
        """What an array of an instruction reads that calls computations."""
        def enter(key, operands, prefix):
            lines = self.bodies[key.strip().lstrip("%")]
            root, = [line for line in lines.values() if line.is_root]
            need(root.declared == node.declared, "the type of a result")
            for line in lines.values():
                if line.opcode == "parameter":
                    operand = operands[int(line.operands[0])]
                    need(frame.lines[operand].declared == line.declared, "the type of a parameter")
            return self.read((root.name, leaf), out, values, Frame(lines, operands, frame, f"{frame.prefix}{node.name}/{prefix}"))
        if node.opcode != "conditional":
            return enter(node.attributes["to_apply" if node.opcode == "call" else "calls"], node.operands, "")
        selector = node.operands[0]
        need(frame.lines[selector].declared == (), "a scalar")
        name, at = self.operand_of(selector, frame)
        value = values(at.prefix + name, ())
        if "branch_computations" in node.attributes:
            branches = node.attributes["branch_computations"].strip("{}").split(",")
            branch = value if 0 <= value < len(branches) else len(branches) - 1
        else:
            branches = [node.attributes["true_computation"], node.attributes["false_computation"]]
            branch = 0 if value > 0 else 1
        need(len(branches) == len(node.operands) - 1, "an operand for each branch")
        return self.read((selector, 0), (), values, frame) | enter(branches[branch], [node.operands[branch + 1]], f"{branch}/")

    def read(self, array, out, values, frame=None):
        """The elements of the source on which element `out` of an array depends."""
        name, leaf = array
        frame = frame or Frame(self.program, [], None, "")
        node = frame.lines[name]
        shape = arrays_of(node.declared)[leaf]
        if node.opcode == "parameter":
            return self.read((frame.operands[int(node.operands[0])], leaf), out, values, frame.outer)
        if frame.outer is None and array == self.source:
            return {out} if len(out) == len(shape) and all(0 <= o < n for o, n in zip(out, shape)) else set()
        if node.operands is None or not all(0 <= o < n for o, n in zip(out, shape)):
            return set()
        if node.opcode in ("tuple", "get-tuple-element"):
            return self.read(self.parts_of(node, leaf, frame.lines), out, values, frame)
        if node.opcode in ("call", "fusion", "conditional"):
            return self.called(node, leaf, frame, out, values)
        if node.opcode == "while":
            return set().union(*(self.read((node.operands[0], k), index, values, frame) for k, index in self.before(node, leaf, out)))
        shapes = [frame.lines[o].declared for o in node.operands]
        need(all(isinstance(s, tuple) for s in shapes), "operands that are arrays")

        def value(operand, index):
            operand, at = self.operand_of(operand, frame)
            return values(at.prefix + operand, index)
        found = set()
        for k, operand in enumerate(node.operands):
            for index in hlo_meaning.read_by(node.with_result(leaf), shapes, k, out, value):
                found |= self.read((operand, 0), index, values, frame)
        return found

    def said(self, out, values):
        runtime = []
        for k, (name, at, most) in enumerate(self.runtime):
            here = {f"d{i}": o for i, o in enumerate(out)} | {f"rt{i}": v for i, v in enumerate(runtime)}
            raw = values(name, tuple(forger.value_of(code, here) for code in at))
            runtime.append(max(0, min(most, raw)))
            need(k + 1 == len(runtime), "runtime variables in order")
        return {x for m in self.maps for x in m.given(runtime, out)}

    def is_true(self, rng):
        lines = [*self.program.values(), *(line for body in self.bodies.values() for line in body.values())]
        if any(math.prod(s) > MOST_ELEMENTS or len(s) > 6 for line in lines for s in arrays_of(line.declared)):
            raise forger.Unbounded
        if any(int(n) > MOST_ELEMENTS for line in lines for text in line.attributes.values() for n in re.findall(r"\d+", text)):
            raise forger.Unbounded
        shape = arrays_of(self.program[self.reader[0]].declared)[self.reader[1]]
        need(all(len(m.names["("]) == len(shape) and len(m.names["{"]) == len(self.runtime) for m in self.maps), "maps")
        has_values = any(n.opcode and n.opcode.startswith(("dynamic", "gather", "scatter", "call", "fusion", "cond")) for n in self.program.values()) or self.runtime
        for _ in range(4 if has_values else 1):
            known = {}

            def values(name, index, known=known):
                return known.setdefault((name, index), rng.randint(-2, 5))
            # Indices outside of the array, too: nothing is read there.
            for out in itertools.product(*(range(-1, n + 1) for n in shape)):
                said, read = self.said(out, values), self.read(self.reader, out, values)
                if said != read if self.exact else not read <= said:
                    return False
        return True


# ---- Alterations ----
WORDS = ["row", "rows", "turned", "kept", "true_computation", "false_computation", "branch_computations", "to_apply", "calls", "parameter",
         "call", "fusion", "conditional", "select-and-scatter", "tuple", "get-tuple-element", "index", "bitcast", "bitcast-convert", "lhs_batch_dims", "rhs_batch_dims", "lhs_contracting_dims", "rhs_contracting_dims", "dimensions", "exact", "at-most", "stride",
         "size", "pad", "lhs_dilate", "rhs_dilate", "offset_dims", "collapsed_slice_dims", "start_index_map", "update_window_dims",
         "inserted_window_dims", "scatter_dims_to_operand_dims", "transpose", "reverse", "reshape", "broadcast", "slice", "negate", "add",
         "concatenate", "array", "op", "b0f", "0bf", "bf0", "0io", "0oi", "rhs_reversal", "feature_group_count", "batch_group_count"]


def swap(text, a, b):
    return re.sub(rf"(?<![\w-])({re.escape(a)}|{re.escape(b)})(?![\w-])", lambda m: b if m[0] == a else a, text)


def alter_line(rng, line, lines):
    kind = rng.randrange(9)
    numbers = list(re.finditer(r"-?\d+", line))
    if kind <= 3 and numbers:
        m = rng.choice(numbers)
        new = rng.choice([int(m[0]) + 1, int(m[0]) - 1, -int(m[0]), 0, 1, 2, 3, rng.randint(1, 9), rng.choice(forger.EXTREMES)])
        return line[:m.start()] + str(new) + line[m.end():]
    if kind == 4 and len(numbers) > 1:
        a, b = sorted(rng.sample(numbers, 2), key=lambda m: m.start())
        return line[:a.start()] + b[0] + line[a.end():b.start()] + a[0] + line[b.end():]
    if kind == 5:
        there = [w for w in WORDS if re.search(rf"(?<![\w-]){w}(?![\w-])", line)]
        return swap(line, rng.choice(there), rng.choice(WORDS)) if there else line
    if kind == 6:
        names = [m[1] for other in lines for m in [re.match(r"(?:op|array) (?:ROOT )?%?([\w.]+) =", other)] if m]
        return swap(line, *rng.sample(names, 2)) if len(names) > 1 else line
    if kind == 7:
        parts = hlo_meaning.split_top(line) if line.count("(") == line.count(")") else [line]
        if len(parts) > 1:
            k = rng.randrange(1, len(parts))
            return ", ".join([*parts[:k], *parts[k + 1:]] if rng.random() < 0.5 else [*parts, parts[k]])
        return line
    return line + rng.choice([", dimensions={0}", ", metadata={a=\"b\"}", ", is_stable=true", ", window={size=1}", " ", ", sharding={replicated}",
                              ", slice={[0:1]}", ", lhs_batch_dims={0}", ", index_vector_dim=0", ", padding=0_0"])


def alter(rng, text, others):
    lines = text.splitlines()
    statement = next(k for k, line in enumerate(lines) if line == "evidence") if "evidence" in lines else len(lines) - 1
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        how = rng.randrange(12)
        # Mostly the statement: evidence is only there to be found wanting.
        i = rng.randrange(1, statement) if rng.random() < 0.85 else rng.randrange(len(lines))
        i = min(i, len(lines) - 1)
        if how == 0 and len(lines) > 2:
            del lines[i]
        elif how == 1:
            j = rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        elif how == 2:
            lines[i] = rng.choice(rng.choice(others).splitlines())
        elif how == 3:
            lines.insert(i, lines[i])
        elif how == 4:
            # The same number everywhere: sizes that fit together.
            numbers = re.findall(r"\d+", lines[i])
            if numbers:
                old, new = rng.choice(numbers), str(rng.randint(0, 6))
                lines = [re.sub(rf"\b{old}\b", new, line) if k < statement else line for k, line in enumerate(lines)]
        elif how == 5:
            maps = [k for k, line in enumerate(lines) if line.startswith("map ")]
            if maps:
                k = rng.choice(maps)
                lines[k] = swap(lines[k], *rng.choice([("d0", "d1"), ("d0", "s0"), ("s0", "s1"), ("rt0", "rt1"), ("d0", "d2")]))
        else:
            lines[i] = alter_line(rng, lines[i], lines[:statement])
    return "\n".join(lines) + "\n"


def spelled(rng, text):
    """The text with other characters or words in a few lines: their spelling is for the readers to judge, not for hlo_meaning."""
    lines = text.splitlines()
    for _ in range(rng.choice([1, 1, 2])):
        i = rng.randrange(lines.index("evidence") if "evidence" in lines else len(lines))
        kind = rng.randrange(3)
        if kind == 0:
            lines[i] = forger.with_another_character(rng, lines[i])
        elif kind == 1:
            lines[i] = forger.with_other_words(rng, lines[i])
        else:
            numbers = list(re.finditer(r"\d+", lines[i]))
            if numbers:
                m = rng.choice(numbers)
                lines[i] = lines[i][:m.start()] + rng.choice(["0", "00", "-", "-0", " "]) + lines[i][m.start():]
    return "\n".join(lines) + "\n"


def accepted(check, twin, texts):
    verdicts, _ = checkers.asked(check, twin, texts)
    return [k for k, is_accepted in enumerate(verdicts) if is_accepted]


def judge(rng, text):
    """Whether what the certificate states is true. None: it has too many points."""
    try:
        return Statement(text).is_true(rng)
    except forger.Unbounded:
        return None


def check_enumeration(rng):
    """The test can fail: false statements are seen as such."""
    good = ("affirm certificate 2\nclaim reads exact p by r\narray p = f32[3] parameter(0)\nop r = f32[3] reverse(p), dimensions={0}\n"
            "map (d0) -> (-d0 + 2), domain: d0 in [0, 2]\nend\n")
    assert judge(rng, good)
    for old, new in (("-d0 + 2", "d0"), ("[0, 2]", "[0, 1]"), ("dimensions={0}", "dimensions={}"), ("reverse(p), dimensions={0}", "negate(p)")):
        assert not judge(rng, good.replace(old, new)), new


def main():
    affirm, check, twin, count = *sys.argv[1:4], int(sys.argv[4])
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    check_enumeration(rng)
    real = certificates(affirm)
    assert len(real) >= 80, f"{len(real)} certificates"
    missing = set(hlo_meaning.MEANINGS) - {n.opcode for text in real for n in Statement(text).program.values()}
    assert not missing, missing
    assert len(accepted(check, twin, real)) == len(real), "a certificate of affirm is rejected"
    assert all(judge(rng, text) for text in real), "a certificate of affirm is false"
    number = other = unbounded = same_spelled = 0
    for begin in range(0, count, 500):
        forged = [alter(rng, rng.choice(real), real) for _ in range(min(500, count - begin))]
        same_spelled += len(accepted(check, twin, [spelled(rng, rng.choice(real)) for _ in range(len(forged) // 4)]))
        for k in accepted(check, twin, forged):
            number += 1
            try:
                verdict = judge(rng, forged[k])
            except (Unreadable, IndexError, ValueError, KeyError, StopIteration) as why:
                sys.exit(f"accepted, and no statement ({why!r}):\n{forged[k]}")
            if verdict is False:
                sys.exit(f"false and accepted:\n{forged[k]}")
            unbounded += verdict is None
            other += forged[k].partition("evidence")[0] not in {text.partition("evidence")[0] for text in real}
    print(f"{count} forgeries of {len(real)} certificates: {number} accepted, {other} of them with another statement, all true "
          f"({unbounded} have too many points to enumerate); of {count // 4} in other spellings {same_spelled}; the checkers agree")
    assert 0 < other < count


if __name__ == "__main__":
    main()
