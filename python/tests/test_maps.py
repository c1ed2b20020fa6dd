"""IndexingMap against enumeration in Python, proofs against both, and what is no map."""

import pickle
import re

import pytest
from hypothesis import assume, given, strategies as st

from affirm import Error, IndexingMap, SymbolicExpr
from affirm.strategies import composable_maps, indexing_maps

SMALL = dict(max_points=300, max_runtime=0)
NEAR = st.integers(-3, 3)


def points(map):
    """All points of the dims."""
    def walk(bounds):
        if not bounds:
            yield []
            return
        for value in range(bounds[0][0], bounds[0][1] + 1):
            for rest in walk(bounds[1:]):
                yield [value, *rest]
    return walk([bounds for _, bounds in map.dims])


def images(map):
    """The map as a dict of sets, by enumeration, without the empty ones."""
    if map.is_known_empty:
        return {}
    sets = {tuple(point): set(map.image(point)) for point in points(map)}
    return {point: image for point, image in sets.items() if image}


@given(indexing_maps(extreme=True))
def test_text_reads_back(map):
    assert IndexingMap(str(map)) == map and hash(IndexingMap(str(map))) == hash(map)
    assert IndexingMap(map.to_string(multi_line=True)) == map
    assert eval(repr(map)) == map
    assert pickle.loads(pickle.dumps(map)) == map


@given(indexing_maps(max_runtime=0))
def test_parts_make_the_map_again(map):
    assume(not map.is_known_empty)
    bounds = lambda variables: [b for _, b in variables]
    again = IndexingMap.from_parts(map.results, dims=bounds(map.dims), symbols=bounds(map.symbols), constraints=map.constraints)
    assert again == map


@given(indexing_maps(**SMALL))
def test_the_image_is_that_of_each_point(map):
    assume(not map.is_known_empty)
    for point in list(points(map))[:20]:
        image = set()
        for symbols in points(IndexingMap.from_parts([], dims=[b for _, b in map.symbols])):
            if map.in_domain(point, symbols):
                image.add(map.evaluate(point, symbols))
        assert set(map.image(point)) == image


@given(indexing_maps(**SMALL))
def test_simplification_means_the_same(map):
    simplified = map.simplify()
    assert images(simplified) == images(map)
    assert map.prove_equal(simplified).verdict == "equal"
    traced = map.simplify_with_trace()
    assert traced.after == simplified and traced.before == map and len(traced) == len(traced.steps) == len(traced.rules)
    if simplified != map:
        assert traced.rules


@given(composable_maps(**SMALL))
def test_composition_is_that_of_the_sets(pair):
    first, second = pair
    both = first.then(second)
    assert both == second @ first
    if second.runtime or first.runtime:
        return
    after = images(second)
    expected = {}
    for point, middle in images(first).items():
        reached = set().union(*(after.get(m, set()) for m in middle))
        if reached:
            expected[point] = reached
    assert images(both) == expected


@given(indexing_maps(**SMALL), indexing_maps(**SMALL))
def test_verdicts_agree_with_enumeration(a, b):
    assume(not a.is_known_empty and not b.is_known_empty and len(a.dims) == len(b.dims) and len(a.results) == len(b.results))
    there, here = images(a), images(b)
    equal, covers = a.prove_equal(b), a.prove_covers(b)
    assert equal.verdict == ("equal" if there == here else "different")
    assert covers.verdict == ("covers" if all(image <= there.get(point, set()) for point, image in here.items()) else "different")
    if equal.verdict == "different":
        at = tuple(equal.counterexample["dims"])
        assert there.get(at, set()) != here.get(at, set())
        assert {tuple(result) for result in equal.counterexample["lhs"]} <= there.get(at, set())
        assert {tuple(result) for result in equal.counterexample["rhs"]} <= here.get(at, set())


def test_claims_about_one_map():
    rows = IndexingMap("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 1], d1 in [0, 3]")
    assert rows.prove_bijection([8]).verdict == rows.prove_injective().verdict == rows.prove_surjective([8]).verdict == "proved"
    refuted = rows.prove_bijection([9])
    assert refuted.verdict == "refuted" and refuted.counterexample is not None
    assert IndexingMap("(d0) -> (d0), domain: d0 in [0, 3], d0 mod 2 in [5, 6]").prove_empty().verdict == "proved"
    assert rows.prove_empty().verdict == "refuted"
    assert IndexingMap("(d0) -> (d0 mod 4), domain: d0 in [0, 7]").prove_injective(cross_check=True).verdict == "refuted"


def test_a_proof_has_no_truth_value():
    proof = IndexingMap.identity([3]).prove_equal(IndexingMap.identity([3]))
    with pytest.raises(TypeError, match="compare `proof.verdict`"):
        bool(proof)
    assert proof.counterexample is None and proof.ms >= 0 and proof.engine


def test_maps_of_other_points_are_no_question():
    one, two = IndexingMap.identity([3]), IndexingMap.identity([3, 4])
    at_run_time = IndexingMap("(d0){rt0} -> (d0), domain: d0 in [0, 2], rt0 in [0, 1]")
    for a, b, says in (one, two, "has 1 dimensions and the second 2"), (at_run_time, one, "has 1 runtime variables and the second 0"):
        for ask in a.prove_equal, a.prove_covers:
            with pytest.raises(Error, match=says):
                ask(b)
    assert one.prove_equal(IndexingMap("KNOWN EMPTY")).verdict == "different"


def test_maps_of_different_contexts_meet():
    a, b = IndexingMap.identity([4]), IndexingMap("(d0) -> (d0), domain: d0 in [0, 3]")
    assert a == b and a.then(b) == a and a.range_of(SymbolicExpr.dim(0) * 2) == (0, 6)


def test_runtime_variables():
    map = IndexingMap("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 2]")
    assert map.runtime == [("rt0", (0, 2))] and map.image([1], [2]) == [(3,)] and map.image([1], [3]) == []


EMPTY, UNDEFINED = IndexingMap.known_empty(), IndexingMap("undefined")


@pytest.mark.parametrize("make, said", [
    (lambda: IndexingMap(""), "1:1"), (lambda: IndexingMap("(d0) -> (d1), domain: d0 in [0, 3]"), "d1"),
    (lambda: IndexingMap("(d0) -> (d0 floordiv 0), domain: d0 in [0, 3]"), "1:"), (lambda: IndexingMap("(d0) -> (d0), domain: d0 in [0, 3"), "1:"),
    (lambda: IndexingMap.from_parts(["d1"], dims=[3]), "no variable d1"), (lambda: IndexingMap.from_parts(["s0"], dims=[3]), "no variable s0"),
    (lambda: IndexingMap.from_parts(["d0"], dims=[-1]), "size of -1"), (lambda: IndexingMap.from_parts(["d0 +"], dims=[1]), "<expression>"),
    (lambda: IndexingMap.from_parts(["d0"], dims=[2], constraints=[("rt0", (0, 1))]), "no variable rt0"),
    (lambda: IndexingMap.identity([3]).evaluate([1, 2]), "has 1 dims, not 2"), (lambda: IndexingMap.identity([3]).image([]), "has 1 dims"),
    (lambda: IndexingMap.identity([3]).then(IndexingMap.identity([3, 3])), "1 results, the second one 2 dims"),
    (lambda: IndexingMap.identity([3]).range_of(SymbolicExpr.dim(1)), "no variable d1"),
    (lambda: UNDEFINED.image([]), "undefined"), (lambda: UNDEFINED.evaluate([]), "undefined"), (lambda: UNDEFINED.prove_bijection([3]), "undefined"),
    (lambda: pickle.dumps(UNDEFINED), "does not say all"), (lambda: IndexingMap.identity([3]).prove_surjective([-1]), "below 0"),
    (lambda: EMPTY.range_of(SymbolicExpr.dim(0)), "empty"), (lambda: IndexingMap.identity([-2]), "size of -2"),
    (lambda: IndexingMap("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 99999999]").image([0]), "more than 65536 points"),
])
def test_errors_are_exceptions(make, said):
    with pytest.raises(Error, match=re.escape(said)):
        make()


def test_maps_without_points():
    assert EMPTY.image([]) == [] and not EMPTY.in_domain([]) and EMPTY.then(EMPTY) == EMPTY and EMPTY.simplify() == EMPTY
    assert EMPTY.prove_empty().verdict == "proved"
    assert UNDEFINED.is_undefined and UNDEFINED.simplify().is_undefined and UNDEFINED.then(EMPTY).is_undefined
    assert UNDEFINED.prove_equal(UNDEFINED).verdict == "unknown" and UNDEFINED.results == [] == UNDEFINED.dims


NUMBERS = st.lists(st.integers(-2**63, 2**63 - 1) | NEAR, max_size=4)


@given(st.sampled_from([EMPTY, UNDEFINED]) | indexing_maps(extreme=True), indexing_maps(extreme=True), NUMBERS, NUMBERS, NUMBERS)
def test_nothing_aborts_whatever_is_asked(a, b, dims, symbols, shape):
    asked = [lambda: a.then(b), lambda: b @ a, lambda: a.evaluate(dims, symbols), lambda: a.in_domain(dims, symbols, shape),
             lambda: a.image(dims, shape, limit=500), lambda: a.range_of(b.results[0]), lambda: a.prove_equal(b), lambda: a.prove_covers(b),
             lambda: a.prove_bijection(shape), lambda: a.prove_surjective(shape), a.prove_injective, a.prove_empty, a.simplify,
             a.simplify_with_trace, a.remove_unused_variables, a._repr_html_, lambda: a.num_points, lambda: a.constraints,
             lambda: IndexingMap.from_parts(a.results, dims=shape, symbols=dims), lambda: IndexingMap.identity(shape),
             lambda: a.results[0].substitute([(SymbolicExpr.dim(0), b.results[0])]), lambda: a.then(b).prove_equal(a)]
    for ask in asked:
        try:
            repr(ask())
        except (Error, IndexError):
            pass
