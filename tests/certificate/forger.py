#!/usr/bin/env python3
"""Forges certificates of map claims: affirm-check accepts none whose statement is false, and the same ones as the twin.

forger.py AFFIRM AFFIRM_CHECK TWIN COUNT [SEED]

Writes certificates for random small maps, alters numbers, characters, lines, maps and their order, and has COUNT of them checked.
What is accepted is evaluated at every point of the maps by this file, which shares no code with affirm.
"""

import ast
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import checkers

INFINITE = 9223372036854775807
# Numbers at which machine arithmetic goes wrong; their neighbours are tried as well.
EXTREMES = [2 ** k for k in (31, 32, 61, 62, 63, 64, 126, 127, 128, 255)]
# Maps whose divisors are variables, and maps of no points: equal to themselves.
ODD_MAPS = [
    "(d0, d1)[s0] -> (d0 floordiv d1, s0), domain: d0 in [-3, 4], d1 in [1, 3], s0 in [0, 1]",
    "(d0, d1)[s0] -> (d0 mod d1, s0), domain: d0 in [-3, 4], d1 in [1, 3], s0 in [0, 1]",
    "(d0, d1)[s0] -> (d0 floordiv d1, s0), domain: d0 in [-3, 4], d1 in [-3, -1], s0 in [0, 1]",
    "(d0, d1)[s0] -> (d0 floordiv (d0 + d1), s0), domain: d0 in [0, 4], d1 in [0, 3], s0 in [0, 1], d0 + d1 in [1, 4]",
    "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 4], d1 in [1, 3], s0 in [0, 1], d0 mod d1 in [0, 1]",
    "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 4], d1 in [0, 3], s0 in [0, 1], d0 * 2 in [3, 3]",
    "(d0, d1)[s0] -> ((d0 * d1 * s0) floordiv 4, s0), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1]",
    "(d0, d1)[s0]{rt0} -> (d0 mod rt0, s0), domain: d0 in [-3, 4], d1 in [0, 1], s0 in [0, 1], rt0 in [2, 4]",
    "(d0, d1)[s0]{rt0} -> (max(d0, rt0) ceildiv 2, d1), domain: d0 in [-3, 4], d1 in [0, 1], s0 in [0, 1], rt0 in [-1, 2]",
]
# Bijections onto an array; of each, certificates of all four claims about arrays.
BIJECTIONS = [
    ("(d0, d1)[s0] -> (d0 * 4 + s0, d1), domain: d0 in [0, 2], d1 in [0, 4], s0 in [0, 3]", "12,5"),
    ("(d0, d1)[s0] -> (s0, d1, d0), domain: d0 in [0, 2], d1 in [0, 4], s0 in [0, 3]", "4,5,3"),
    ("(d0, d1)[s0] -> (d0 floordiv 4, d0 mod 4, s0), domain: d0 in [0, 11], d1 in [0, 0], s0 in [0, 2]", "3,4,3"),
    ("(d0, d1)[s0] -> (d0 * 6 + d1 * 3 + s0), domain: d0 in [0, 3], d1 in [0, 1], s0 in [0, 2]", "24"),
    ("(d0, d1)[s0] -> (5 - d0, d1, s0), domain: d0 in [0, 5], d1 in [0, 1], s0 in [0, 0]", "6,2,1"),
    ("(d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1], d0 * 2 + s0 in [0, 6]", "7,3"),
    ("(d0, d1)[s0]{rt0} -> (d0, d1 * 2 + s0), domain: d0 in [0, 4], d1 in [0, 1], s0 in [0, 1], rt0 in [0, 2], d0 + rt0 in [0, 6]", "5,4"),
]
CHARACTERS = "0129-+*()[]{},:;@=/ \t\rdsrtmk_evh\u00e9"


class Undefined(Exception):
    """A divisor is 0, or a modulus not positive."""


def quotient(a, b):
    if b == 0:
        raise Undefined
    return a // b


def residue(a, b):
    if b < 1:
        raise Undefined
    return a % b


def rounded_up(a, b):
    return -quotient(-a, b)


class Checked(ast.NodeTransformer):
    """Quotients and residues that notice where they have no value."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = {ast.FloorDiv: "quotient", ast.Mod: "residue", ast.Div: "rounded_up"}.get(type(node.op))
        return node if name is None else ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])


FUNCTIONS = {"quotient": quotient, "residue": residue, "rounded_up": rounded_up}


def random_term(rng, names, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*names, str(rng.randint(-4, 9))])
    a, b = (random_term(rng, names, depth - 1) for _ in range(2))
    return rng.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {rng.randint(-3, 4)})", f"({a} mod {rng.randint(1, 6)})",
                       f"({a} floordiv {rng.choice([-3, -2, 2, 3, 4, 6])})", f"min({a}, {b})", f"max({a}, {b})"])


def random_map(rng):
    names = ["d0", "d1", "s0"]
    results = ", ".join(random_term(rng, names, 3) for _ in range(2))
    lows = [rng.randint(-3, 2) for _ in names]
    domain = [f"{n} in [{low}, {low + rng.randint(0, 5)}]" for n, low in zip(names, lows)]
    if rng.random() < 0.4:
        low = rng.randint(-4, 3)
        domain.append(f"{random_term(rng, names, 2)} in [{low}, {low + rng.randint(0, 6)}]")
    return f"(d0, d1)[s0] -> ({results}), domain: {', '.join(domain)}"


def compiled(term):
    tree = ast.parse(term.replace(" floordiv ", " // ").replace(" ceildiv ", " / ").replace(" mod ", " % "), "map", "eval")
    return compile(ast.fix_missing_locations(Checked().visit(tree)), "map", "eval")


def value_of(code, values):
    return eval(code, FUNCTIONS, values)


def split_top(text):
    """The parts between commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [p for p in [*parts, text[start:].strip()] if p]


# In XLA's text the operators *, mod and floordiv bind alike from the left, as in Python, and so does -x before them.
def read_map(text):
    """Names of runtime variables, dims and ranges, results and facts; None for KNOWN EMPTY."""
    if text == "KNOWN EMPTY":
        return None
    head, _, rest = text.partition(" -> ")
    groups = {bracket: inside.replace(",", " ").split() for bracket, inside in re.findall(r"([(\[{])([^)\]}]*)[)\]}]", head)}
    depth = end = 0
    for end, c in enumerate(rest):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            break
    results = [compiled(t) for t in split_top(rest[1:end])]
    facts = []
    _, _, domain = rest[end + 1:].partition("domain: ")
    for item in split_top(domain):
        term, low, high = re.fullmatch(r"(.*) in \[(-?\d+), (-?\d+)\]", item).groups()
        facts.append((compiled(term), int(low), int(high), term))
    return groups.get("{", []), groups["("], groups.get("[", []), results, facts


class Unbounded(Exception):
    pass


def is_inside(facts, values):
    """A point at which a constraint has no value lies outside."""
    try:
        return all(low <= value_of(code, values) <= high for code, low, high, _ in facts)
    except Undefined:
        return False


def spans_of(names, facts):
    """What the facts about single variables leave to each."""
    bounds = {}
    for _, low, high, term in facts:
        if term in names:
            both = bounds.get(term, range(low, high + 1))
            bounds[term] = range(max(low, both.start), min(high + 1, both.stop))
    spans = [bounds.get(n) for n in names]
    if None in spans or any(s.stop - s.start > 40 for s in spans):
        raise Unbounded
    return spans


def points_of(text, partial=False):
    """Runtime variables, dims, ranges and results. Where a result has no value, raises Undefined; if `partial`, gives no point."""
    read = read_map(text)
    if read is None:
        return
    runtime, dims, ranges, results, facts = read
    names = runtime + dims + ranges
    split = len(runtime), len(runtime + dims)
    for point in itertools.product(*spans_of(names, facts)):
        values = dict(zip(names, point))
        if is_inside(facts, values):
            try:
                result = tuple(value_of(code, values) for code in results)
            except Undefined:
                if partial:
                    continue
                raise
            yield point[:split[0]], point[split[0]:split[1]], point[split[1]:], result


def sets_of(text, partial=False):
    """Runtime variables and dims to sets of results."""
    found = {}
    for runtime, dims, _, result in points_of(text, partial):
        found.setdefault((runtime, dims), set()).add(result)
    return found


def is_true_of_array(relation, shape, text):
    """Whether a map is injective, or its results are all indices of an array, or only such."""
    if any(n > 40 for n in shape):
        raise Unbounded
    points = list(points_of(text, partial=relation == "onto"))
    at = {}
    for runtime, _, _, result in points:
        at.setdefault(runtime, []).append(result)
    runtime, _, _, _, facts = read_map(text)
    # Bounds of runtime variables alone; without a point there is nothing else to be said of them.
    all_runtime = set(itertools.product(*spans_of(runtime, facts)))
    indices = list(itertools.product(*(range(n) for n in shape)))
    injective = all(len(set(results)) == len(results) for results in at.values())
    into = all(set(results) <= set(indices) for results in at.values())
    onto = all(set(indices) <= set(at.get(r, [])) for r in all_runtime)
    return {"injective": injective, "into": into, "onto": onto, "bijection": injective and into and onto}[relation]


def is_true(statement):
    relation, *rest = statement
    try:
        if relation not in ("equal", "covers"):
            return is_true_of_array(relation, *rest)
        a, b = rest
        y = sets_of(b)
        x = sets_of(a, partial=relation == "covers")
    except Undefined:
        return False
    if relation == "equal":
        return x == y
    return all(s <= x.get(point, set()) for point, s in y.items())


def with_another_character(rng, line):
    k = rng.randint(0, len(line))
    return line[:k] + rng.choice(["", rng.choice(CHARACTERS)]) + line[k + rng.randint(0, 1):]


def with_other_words(rng, line):
    """The line with a word more or less, two words in other places, or the factors of one in another order."""
    words = line.split(" ")
    a, b = (rng.randrange(len(words)) for _ in range(2))
    how = rng.randrange(4)
    if how == 0:
        del words[a]
    elif how == 1:
        words.insert(a, words[b])
    elif how == 2:
        words[a], words[b] = words[b], words[a]
    else:
        words = ["*".join([*factors[:1], *factors[:0:-1]]) for factors in (word.split("*") for word in words)]
    return " ".join(words)


def alter(rng, text, others):
    lines = text.splitlines()
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        i = rng.randrange(len(lines))
        numbers = list(re.finditer(r"-?\d+", lines[i]))
        kind = rng.randrange(10)
        if kind <= 3 and numbers:
            m = rng.choice(numbers)
            new = rng.choice([int(m[0]) + 1, int(m[0]) - 1, -int(m[0]), 0, 1, rng.randint(1, 40), INFINITE,
                              rng.choice([-1, 1]) * (rng.choice(EXTREMES) + rng.randint(-2, 2))])
            lines[i] = lines[i][:m.start()] + str(new) + lines[i][m.end():]
        elif kind == 4:
            del lines[i]
            if not lines:
                return ""
        elif kind == 5:
            j = rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
        elif kind == 6:
            maps = [k for k, line in enumerate(lines) if line.startswith("map ")]
            if maps:
                k = rng.choice(maps)
                a, b = rng.sample(["d0", "d1", "s0"], 2)
                lines[k] = rng.choice([lines[k].replace(a, "@").replace(b, a).replace("@", b), "map " + random_map(rng),
                                       "map KNOWN EMPTY", lines[k].replace("floordiv", "mod"), lines[k].replace("mod", "floordiv")])
                # Half of the time both maps change alike: the statement is as near to true as before.
                if rng.random() < 0.5:
                    old, new = rng.choice([("d1 in [1,", "d1 in [0,"), ("d1 in [1,", "d1 in [-1,"), ("floordiv", "mod"), (", -1]", ", 0]")])
                    for k in maps:
                        lines[k] = lines[k].replace(old, new)
        elif kind == 7:
            lines[i] = with_another_character(rng, lines[i])
        elif kind == 8:
            lines[i] = with_other_words(rng, lines[i])
        else:
            other = rng.choice(others).splitlines()
            lines[i] = rng.choice(other)
    return "\n".join(lines) + "\n"


def certificates(rng, affirm, count):
    maps = [random_map(rng) for _ in range(count)]
    done = subprocess.run([affirm, "simplify", "-"], input="\n\n".join(maps) + "\n", text=True, capture_output=True, check=True)
    simplified = [*done.stdout.strip().split("\n\n"), *ODD_MAPS]
    maps += ODD_MAPS
    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps({"id": str(k), "lhs": a, "rhs": b}) for k, (a, b) in enumerate(zip(maps, simplified))]
        for relation, asked in (("equal", lines), ("covers", lines[::3])):
            subprocess.run([affirm, "equiv", "--jsonl", "--relation", relation, "--certificates", f"{folder}/{relation}"],
                           input="\n".join(asked) + "\n", text=True, capture_output=True, check=True)
        return [file.read_text() for file in sorted(pathlib.Path(folder).glob("*/*.cert"))]


def of_arrays(affirm):
    """Certificates that the maps are bijections, and the parts of each: injective, into and onto."""
    for text, shape in BIJECTIONS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([affirm, "bijection", text, "--shape", shape, "--certificates", folder], capture_output=True, check=True)
            whole = (pathlib.Path(folder) / "bijection.cert").read_text()
        yield whole
        head, *evidence = whole.removesuffix("end\n").split("evidence\n")
        for relation, part in zip(("injective", f"into shape {shape}", f"onto shape {shape}"), evidence):
            yield head.replace(f"bijection shape {shape}", relation) + "evidence\n" + part + "end\n"


def accepted_statements(check, twin, texts):
    _, lines = checkers.asked(check, twin, texts)
    for k, line in enumerate(lines):
        if line.startswith("accepted: "):
            relation = line.rpartition(": ")[2].removesuffix(":")
            if " [" in relation or relation == "injective":
                name, _, shape = relation.partition(" ")
                yield name, [int(n) for n in re.findall(r"-?\d+", shape)], lines[k + 1].strip()
            else:
                yield "equal" if relation == "equal" else "covers", lines[k + 1].strip(), lines[k + 2].strip()


def main():
    affirm, check, twin, count = *sys.argv[1:4], int(sys.argv[4])
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    real = [*certificates(rng, affirm, 60), *of_arrays(affirm)]
    assert len(real) >= 80, f"{len(real)} certificates"
    checked = list(accepted_statements(check, twin, real))
    assert len(checked) == len(real), "a certificate of affirm is rejected"
    assert all(map(is_true, checked))
    accepted = unbounded = 0
    for begin in range(0, count, 500):
        forged = [alter(rng, rng.choice(real), real) for _ in range(min(500, count - begin))]
        for statement in accepted_statements(check, twin, forged):
            accepted += 1
            try:
                if not is_true(statement):
                    sys.exit(f"false and accepted: {statement}")
            except Unbounded:
                unbounded += 1
    print(f"{count} forgeries: {accepted} accepted, all true ({unbounded} have too many points to enumerate); the checkers agree")
    # The test can fail: false statements are seen as such.
    nowhere = "(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 3], s0 in [0, 1]"
    assert not is_true(("equal", nowhere, nowhere))
    assert not is_true(("equal", "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 1]", "(d0) -> (d0), domain: d0 in [0, 4]"))
    assert not is_true(("injective", [], "(d0) -> (d0 floordiv 2), domain: d0 in [0, 3]"))
    assert not is_true(("into", [2], "(d0) -> (d0), domain: d0 in [0, 2]"))
    assert not is_true(("onto", [4], "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 1], d0 + rt0 in [0, 3]"))
    assert 0 < accepted < count


if __name__ == "__main__":
    main()
