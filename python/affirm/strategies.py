"""Strategies of Hypothesis for indexing maps and HLO modules, so that code of yours is tested with the generators of affirm's own tests.

    >>> from hypothesis import given
    >>> from affirm import strategies
    >>> @given(strategies.indexing_maps())
    ... def test_simplification_keeps_the_map(map):
    ...     assert map.prove_equal(map.simplify()).verdict == "equal"

What is generated comes from bytes that Hypothesis chooses, so that examples shrink: fewer bytes make smaller maps and modules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from affirm import _native
from affirm._native import IndexingMap
from affirm.module import Module


def indexing_maps(*, max_dims: int = 4, max_symbols: int = 3, max_runtime: int = 2, max_constraints: int = 4, max_results: int = 3,
                  max_depth: int = 4, max_points: int = 3000, extreme: bool = False) -> st.SearchStrategy[IndexingMap]:
    """Legal maps: bounds of either sign, divisors and factors of either sign, min, max, ceildiv, nested mods; perhaps known to be empty.

    max_points: the bounds admit no more points than this, so that a map can be enumerated. extreme: constants, bounds and divisors
    near the limits of int64, too.
    """
    limits: dict[str, Any] = dict(max_dims=max_dims, max_symbols=max_symbols, max_runtime=max_runtime, max_constraints=max_constraints,
                  max_results=max_results, max_depth=max_depth, max_points=max_points, extreme=extreme)
    return st.binary(max_size=400).map(lambda data: _native.generate_map(data, **limits))


@st.composite
def composable_maps(draw: st.DrawFn, **limits: Any) -> tuple[IndexingMap, IndexingMap]:
    """Two maps, `first` and `second`, of which `first.then(second)` is the composition; limits are those of `indexing_maps`."""
    first = draw(indexing_maps(**limits).filter(lambda m: not m.is_known_empty and not m.is_undefined))
    return first, _native.generate_follower(draw(st.binary(max_size=400)), first)


def modules(*, ops: Sequence[str] = (), types: Sequence[str] = (), max_ops: int = 8, max_fusions: int = 2, max_rank: int = 4,
            max_size: int = 257, max_elements: int = 300) -> st.SearchStrategy[Module]:
    """Well-typed modules that run: an entry of plain ops, or of fusions with a few ops between them.

    ops: opcodes of HLO, default all that `check` is expected to affirm. types: element types of HLO, "f32". The rest are limits: of ops of
    a computation, of fusions, and of the rank, the size of a dimension and the elements of every array.
    """
    limits: dict[str, Any] = dict(ops=list(ops), types=list(types), max_ops=max_ops, max_fusions=max_fusions, max_rank=max_rank, max_size=max_size,
                  max_elements=max_elements)
    return st.binary(max_size=1024).map(lambda data: Module(_native.generate_module(data, **limits)))


@st.composite
def modules_and_arguments(draw: st.DrawFn, **limits: Any) -> tuple[Module, list[Any]]:
    """A module and arguments for its parameters, with which `run` has a value; limits are those of `modules`."""
    module = draw(modules(**limits))
    return module, module.make_arguments(draw(st.integers(0, 2**32 - 1)))
