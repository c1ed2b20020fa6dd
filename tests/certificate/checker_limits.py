#!/usr/bin/env python3
"""affirm-check and the twin agree at each limit of a certificate, just beyond it, and on files that are no certificates.

checker_limits.py AFFIRM_CHECK TWIN
"""

import sys

import checkers

END = "done 0 1 2 1"
MANY = ", ".join(f"d{i}" for i in range(64))


def certificate(steps=(), result="d0", dims="d0", domain="d0 in [0, 3]", end=END):
    """That a map equals itself; the steps change nothing."""
    text = f"map ({dims}) -> ({result}), domain: {domain}\n"
    evidence = "\n".join(["evidence", *steps, end, ""])
    return f"affirm certificate 2\nclaim equal\n{text}and\n{text}{evidence}{evidence}end\n"


def with_terms(terms):
    """The same of a map that has a range variable, which has the value of these terms."""
    return certificate(end=f"{END} with {terms}").replace("(d0) ->", "(d0)[s0] ->")


def products(first, last):
    """As many different products of two atoms, as a form."""
    every = [f"1*{a}*{b}" for a in range(1, 65) for b in range(a, 65)]
    return " ".join(every[first:last])


def with_splits(*forms, then=()):
    """Cases; in the innermost one stand these steps."""
    steps = [f"split {form}" for form in forms]
    return [*steps, *then, *[END] * len(forms)]


def nested(n, opening, closing=")"):
    return opening * n + "d0" + closing * n


def sums(sizes):
    """The sum of two forms of these sizes, which have no product in common."""
    a, b = sizes
    return certificate(with_splits(products(0, a), products(a, a + b), then=["c 1 1@3 1@4"]), dims=MANY)


def product(sizes):
    """The product of two forms of these sizes; the second's summands are single atoms."""
    a, b = sizes
    atoms = " ".join(f"1*{k}" for k in range(1, b + 1))
    return certificate(with_splits(products(0, a), atoms, then=["p 3 4"]), dims=MANY)


# A text made of a number, the last number that is accepted, and the first that is not.
LIMITS = {
    "digits of a number": (lambda n: certificate(["c 1" + "0" * (n - 1)]), 200, 201),
    "bits of a coefficient": (lambda n: certificate([f"c 1 {2 ** n - 1}@1"]), 601, 602),
    "a power of 2": (lambda n: certificate([f"c 1 {2 ** n}@1"]), 600, 601),
    "factors": (lambda n: certificate(with_splits("1" + "*1" * n)), 12, 13),
    "factors of a product": (lambda n: certificate(with_splits("1" + "*1" * 6, "1" + "*1" * n, then=["p 3 4"])), 6, 7),
    "words of a form": (lambda n: certificate(with_splits(products(0, n)), dims=MANY), 2000, 2001),
    "summands of a sum": (sums, (1000, 1000), (1000, 1001)),
    "summands of a product": (product, (50, 40), (50, 41)),
    "splits": (lambda n: certificate(with_splits(*["1*1"] * n)), 2000, 2001),
    "digits of a position": (lambda n: certificate(end=f"done {'0' * n} 1 2 1"), 6, 7),
    "digits of a fact": (lambda n: certificate(["c 1 1@" + "1".rjust(n, "0")]), 9, 10),
    "digits in a map": (lambda n: certificate(result="d0 + 0 * " + "9" * n), 19, 20),
    "parentheses": (lambda n: certificate(result=nested(n, "(")), 400, 401),
    "signs": (lambda n: certificate(result=nested(n, "-", "")), 400, 401),
    "signs and parentheses": (lambda n: certificate(result=nested(n, "-(")), 200, 201),
    "maxima": (lambda n: certificate([f"atom max 1*{k} ; 1*1" for k in range(1, n + 1)], nested(n, "max(", ", d0)")), 400, 401),
    "an upper bound": (lambda n: certificate(domain=f"d0 in [0, {n}]"), 2 ** 63 - 2, 2 ** 63),
    "a lower bound": (lambda n: certificate(domain=f"d0 in [{n}, 3]"), -(2 ** 63) + 1, -(2 ** 63) - 1),
    "an infinite upper bound": (lambda n: certificate(domain=f"d0 in [0, {n}]", end="done 0 1 1"), 2 ** 63 - 1, 2 ** 63 - 2),
    "an infinite lower bound": (lambda n: certificate(domain=f"d0 in [{n}, 3]", end="done 0 1 1"), -(2 ** 63), -(2 ** 63) + 1),
    "a fact": (lambda n: certificate([f"c 1 0@{n}"]), 2, 3),
    "fact 0": (lambda n: certificate([f"c 1 0@{n}"]), 1, 0),
    "a divisor": (lambda n: certificate([f"c {n}"]), 1, 0),
    # The proof makes an equation or an inequality of d0 = 0, fact 3, and then uses it as an equation.
    "an equation over a divisor": (lambda n: certificate(["= 1 2", f"c {n} 2@3", "e 4 1"], domain="d0 in [0, 0]"), 1, 2),
    "a product of equations": (lambda step: certificate(["= 1 2", step, "e 4 1"], domain="d0 in [0, 0]"), "e 3 1*1", "p 3 3"),
    "a sum with an inequality": (lambda n: certificate(["= 1 2", f"c 1 1@3 0@{n}", "e 4 1"], domain="d0 in [0, 0]"), 3, 1),
    "a negative multiple": (lambda n: certificate([f"c 1 {n}@1"]), 0, -1),
}
# The loop's first array is made of its second one, by an array that is given; the constant before that has no array.
LOOP = """affirm certificate 2
claim reads exact q by o
body step
op s = (f32[3], f32[3]) parameter(0)
op a = f32[3] get-tuple-element(s), index=0
op b = f32[3] get-tuple-element(s), index=1
array e = () constant(())
array x = f32[3] negate(b)
op n = f32[3] add(a, x)
op ROOT r = (f32[3], f32[3]) tuple(n, b)
end body
array p = f32[3] parameter(0)
array q = f32[3] parameter(1)
op t = (f32[3], f32[3]) tuple(p, q)
op w = (f32[3], f32[3]) while(t), condition=more, body=step
op ROOT o = f32[3] get-tuple-element(w), index=0
map KNOWN EMPTY
end
"""


def of_op(op, *arrays):
    """That an instruction does not read an array: its sizes have to fit."""
    given = "".join(f"array {name} = {kind} parameter({k})\n" for k, (name, kind) in enumerate([("q", "f32[3]"), *arrays]))
    return f"affirm certificate 2\nclaim reads exact q by o\n{given}op ROOT o = {op}\nmap KNOWN EMPTY\nend\n"


MOST = 10 ** 18 - 1  # of a size
SCALAR = ("z", "f32[]")


# Sizes that fit modulo 2^63, and the same as far as they fit.
def padded(low, high, interior, size):
    return of_op(f"f32[{size}] pad(p, z), padding={low}_{high}_{interior}", ("p", "f32[9]"), SCALAR)


def windowed(low, high, base, size):
    window = f"{{size=1 pad={low}_{high} lhs_dilate={base}}}"
    return of_op(f"f32[{size}] reduce-window(p, z), window={window}, to_apply=add", ("p", "f32[9]"), SCALAR)


def concatenated(sizes, size):
    arrays = [(f"p{k}", f"f32[{n}]") for k, n in enumerate(sizes)]
    return of_op(f"f32[{size}] concatenate({', '.join(name for name, _ in arrays)}), dimensions={{0}}", *arrays)


WRAPPED = 2 ** 63 - 8 * MOST - 9
FITTING = [padded(1, 2, 3, 36), padded(-(10 ** 16), 5, 1, 0), windowed(1, 2, 3, 28), concatenated([MOST - 5, 5], MOST)]
NO_CERTIFICATES = [
    LOOP, padded(MOST, WRAPPED - MOST + 5, MOST, 5), windowed(MOST, WRAPPED - MOST + 8 + 5, MOST, 5),
    concatenated([MOST] * 9 + [2 ** 63 - 9 * MOST + 7], 7), padded(1, 2, 3, 37), windowed(1, 2, 3, 29), concatenated([MOST, 1], 1),
    "", "\n", "affirm certificate 2", "affirm certificate 2\n", "\0" * 1000, "(" * 100000, "affirm certificate 2\nclaim equal\nmap ",
    certificate(result=nested(1000000, "(")), certificate(result=nested(1000000, "-", "")), certificate(["split 1*1"] * 100000),
    certificate(["c " + "9" * 1000000]), certificate(result="9" * 1000000), certificate(["c 1 " + "9" * 5000 + "@1"]),
    certificate(["c 1 1@" + "9" * 5000]), certificate(with_splits("1" + "*1" * 100000)), certificate(["split " + "1*1 " * 100000]),
    certificate(["atom / 1*1 ; 1*99"]), certificate(["atom / 1*1 ; 1*2"]), certificate(["atom"]), certificate(["p 1"]),
    certificate() + "x\n", certificate() + certificate(end="done 0 2 1 1"), certificate(domain="d0 in [0, 3]" + ", d0 in [0, 3]" * 20000),
    certificate().replace("(d0)", "(d0, d0)"), certificate().replace("(d0)", "(mod)"),
    with_terms("s0 s0"), with_terms("s0,"), with_terms("s0 +"), with_terms("s1"), with_terms(")"), with_terms("s0 floordiv 2"),
]


def main():
    check, twin = sys.argv[1:3]
    # Atoms are multiplied up step by step: numbers of thousands of digits do not come about.
    squares = certificate(with_splits("2*1", then=[f"p {k} {k}" for k in range(3, 40)]))
    within = [make(last) for make, last, _ in LIMITS.values()]
    beyond = [make(first) for make, _, first in LIMITS.values()]
    fine = [*FITTING, certificate(), certificate() * 3, certificate(["c 1 1@1"] * 100000), certificate(["atom / 1*1 ; 0"]), certificate().replace("map", "map  "),
            certificate(["atom / 1*2*1 ; 4"], result="(d0 * d1) floordiv 4", dims="d0, d1"), with_terms("s0"), LOOP.replace("x = f32[3] negate(b)", "x = f32[3] constant({1, 2, 3})"), with_terms("s0, d0, 7"), with_terms("")]
    verdicts, _ = checkers.asked(check, twin, [*fine, *within, *NO_CERTIFICATES, squares, *beyond])
    names = [*["fine"] * len(fine), *LIMITS, *["none"] * (len(NO_CERTIFICATES) + 1), *LIMITS]
    expected = [True] * (len(fine) + len(within)) + [False] * (len(NO_CERTIFICATES) + 1 + len(beyond))
    wrong = [f"{name}: {'accepted' if v else 'rejected'}" for name, v, e in zip(names, verdicts, expected) if v != e]
    assert not wrong, wrong
    print(f"{len(LIMITS)} limits, {len(NO_CERTIFICATES)} files that are no certificates: the checkers agree")


if __name__ == "__main__":
    main()
