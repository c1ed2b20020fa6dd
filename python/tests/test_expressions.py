"""SymbolicExpr: operators, text, values, and that nothing that can be written aborts."""

import pickle

import pytest
from hypothesis import given, strategies as st

from affirm import Error, SymbolicExpr

D0, D1, S0 = SymbolicExpr.dim(0), SymbolicExpr.dim(1), SymbolicExpr.symbol(0)

VALUES = st.integers(-50, 50)
LEAVES = st.one_of(st.sampled_from([("d0", D0), ("d1", D1), ("s0", S0)]), st.integers(-9, 9).map(lambda c: (str(c), c)))


def ceildiv(a, b):
    return -(-a // b)


@st.composite
def expressions(draw, depth=3):
    """(a function of d0, d1 and s0 in Python's integers, the expression)"""
    if depth == 0 or draw(st.booleans()):
        name, leaf = draw(LEAVES)
        value = {"d0": lambda d0, d1, s0: d0, "d1": lambda d0, d1, s0: d1, "s0": lambda d0, d1, s0: s0}.get(name)
        return (value, leaf) if value else (lambda d0, d1, s0, c=leaf: c, leaf + D0 * 0)
    f, a = draw(expressions(depth - 1))
    g, b = draw(expressions(depth - 1))
    c = draw(st.integers(1, 9))
    return draw(st.sampled_from([
        (lambda *v: f(*v) + g(*v), a + b), (lambda *v: f(*v) - g(*v), a - b), (lambda *v: f(*v) * g(*v), a * b),
        (lambda *v: f(*v) // c, a // c), (lambda *v: f(*v) % c, a % c), (lambda *v: ceildiv(f(*v), c), a.ceildiv(c)),
        (lambda *v: min(f(*v), g(*v)), a.min(b)), (lambda *v: max(f(*v), g(*v)), a.max(b)), (lambda *v: -f(*v), -a),
        (lambda *v: c - f(*v), c - a)]))


@given(expressions(), VALUES, VALUES, VALUES)
def test_operators_are_those_of_integers(pair, d0, d1, s0):
    function, expression = pair
    assert expression.evaluate([d0, d1], [s0]) == function(d0, d1, s0)
    assert expression.canonicalize().evaluate([d0, d1], [s0]) == function(d0, d1, s0)


@given(expressions())
def test_text_reads_back(pair):
    expression = pair[1]
    again = SymbolicExpr.parse(str(expression))
    assert again == expression and hash(again) == hash(expression)
    assert pickle.loads(pickle.dumps(expression)) == expression
    assert eval(repr(expression)) == expression


def test_parts():
    e = 3 * D0 + 5
    assert (e.kind, e.value, e.operands) == ("add", 5, [D0 * 3])
    assert (S0 % 4).kind == "mod" and (D0 * D1).kind == "mul" and D0.ceildiv(2).kind == "ceildiv"
    assert (S0 + D1 * D0).variables == [D0, D1, S0]
    assert SymbolicExpr("100d0") == 100 * D0
    assert D0 != S0 and D0 != 0 and D0 != "d0"


def test_substitutes_all_at_once():
    assert (D0 * 2 + D1).substitute([(D0, D1), (D1, D0)]) == D1 * 2 + D0
    with pytest.raises(Error, match="is no variable"):
        D0.substitute([(D0 + 1, 3)])


@pytest.mark.parametrize("make, said", [
    (lambda: D0 // 0, "division by zero"), (lambda: D0.ceildiv(0), "division by zero"), (lambda: D0 % 0, "not positive"),
    (lambda: D0 % -3, "not positive"), (lambda: (7 // D0).evaluate([0]), "division by zero"), (lambda: (D0 % D1).evaluate([1, 0]), "no value"),
    (lambda: D0.evaluate([]), "no value"), (lambda: (D0 * D0).evaluate([2**62]), "no value"), (lambda: SymbolicExpr.dim(-1), "no variable -1"),
    (lambda: SymbolicExpr.dim(10**9), "no variable"), (lambda: SymbolicExpr.parse("d0 +"), "<expression>:1:5"),
    (lambda: SymbolicExpr.parse("x"), "1:1"), (lambda: SymbolicExpr.parse("d0 d1"), "unexpected text"), (lambda: SymbolicExpr.parse(""), "1:1"),
])
def test_errors_are_exceptions(make, said):
    with pytest.raises(Error, match=said):
        make()


def test_an_error_names_its_place():
    with pytest.raises(Error) as caught:
        SymbolicExpr.parse("d0 +\n  * 3")
    assert (caught.value.file, caught.value.line) == ("<expression>", 2)
    assert str(caught.value).endswith("^")


def test_wrong_types_are_type_errors():
    for make in (lambda: D0 + "d1", lambda: D0 + 1.5, lambda: SymbolicExpr.constant("1"), lambda: D0.evaluate(["x"])):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(TypeError):
        D0 + 2**70


def test_towers_are_refused_before_they_overflow():
    with pytest.raises(Error, match="1000 levels"):
        e = D0
        for i in range(10_000):
            e = (e + 1) // 3 if i % 2 else e.max(S0 * i)
    with pytest.raises(Error, match="nodes"):
        e = D0
        for i in range(100):
            e = (e * e).max(e % 7 + e // 5)
