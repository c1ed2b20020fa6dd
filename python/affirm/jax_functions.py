"""JAX functions as HLO text, and the trees of their arguments and results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from affirm import quiet, values
from affirm.errors import Error
from affirm.targets import missing_package, find_target


@dataclasses.dataclass(frozen=True)
class Tree:
    """How arguments and results of a function are those of its module."""

    arguments: Any  # a tree of JAX, of (positional, by keyword); static arguments are not in it
    kept: list[int] | None  # which leaves are parameters; None: all of them
    results: Any
    static: dict[int, Any] = dataclasses.field(default_factory=dict)  # those that the module was made for, by position

    def flat_arguments(self, args: Sequence[Any]) -> list[Any]:
        """The arguments of the module, with the types that JAX gives them. Error: static arguments are other ones than the module's."""
        for position, value in self.static.items():
            if position < len(args) and not _is_same(args[position], value):
                raise Error(f"argument {position} is static, and the module is that of {value!r}, not of {args[position]!r}")
        dynamic = tuple(arg for position, arg in enumerate(args) if position not in self.static)
        try:
            leaves = self.arguments.flatten_up_to((dynamic, {}))
        except (TypeError, ValueError) as error:
            raise Error(f"the arguments are not those of the function: {error}") from error
        return [_argument(leaves[i], f"argument leaf {i}") for i in (range(len(leaves)) if self.kept is None else self.kept)]

    def result(self, value: Any) -> Any:
        """The function's result of the module's."""
        leaves = list(value) if isinstance(value, tuple) else [value]
        return self.results.unflatten(leaves) if len(leaves) == self.results.num_leaves else value

    def flat_result(self, value: Any) -> Any:
        """The other way; a value that is the module's already stays. No leaf is converted: a program gave them as they are."""
        try:
            leaves = [_without_keys(leaf) for leaf in self.results.flatten_up_to(value)]
        except (TypeError, ValueError):
            return value
        return leaves[0] if len(leaves) == 1 else tuple(leaves)


def _is_same(one: Any, other: Any) -> bool:
    """As JAX tells static arguments apart."""
    return type(one) is type(other) and bool(one == other)


def _without_keys(leaf: Any) -> Any:
    """The leaf, or the numbers of a PRNG key."""
    import jax
    import numpy

    dtype = getattr(leaf, "dtype", None)
    if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return numpy.asarray(jax.random.key_data(leaf))
    return leaf


def _argument(leaf: Any, what: str) -> Any:
    """What JAX makes of an argument: without 64-bit types they are cut to 32 bits."""
    import jax

    leaf = _without_keys(leaf)
    if type(leaf) in (bool, int, float, complex):
        return leaf
    array = values.array_of(leaf, what)
    return array.astype(jax.dtypes.canonicalize_dtype(array.dtype), copy=False)


def is_jitted(function: Callable) -> bool:
    """Whether a function is one that `jax.jit` gave, with its options.

    A method that is bound to an object is not: it passes on the attributes of its function, which takes the object as well.
    """
    with quiet.no_remarks():
        import jax

    return isinstance(function, type(jax.jit(lambda: 0)))


def lower(function: Callable, args: Sequence[Any]) -> tuple[str, str, Tree]:
    """The HLO text of a function (jitted already or not), as JAX hands it to XLA; a name of it; the trees.

    What JAX raises while it traces goes through.
    """
    if missing_package(find_target("cpu")):
        raise Error("Module.from_jax needs the Python package jax: `pip install jax`")
    with quiet.no_remarks():
        import jax

    # A function that is jitted already may drop arguments that it does not use.
    jitted = function if is_jitted(function) else jax.jit(function, keep_unused=True)
    with quiet.no_remarks():
        lowered = jitted.trace(*args).lower(lowering_platforms=("cpu",))
    text = lowered.compiler_ir("hlo").as_hlo_text(True)  # with large constants, too
    kept = None
    if jitted is function:
        try:
            kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
        except (AttributeError, KeyError):
            pass  # another version of JAX; the number of parameters is compared when it runs
    name = getattr(function, "__name__", "") or "function"
    numbers = getattr(getattr(jitted, "_jit_info", None), "static_argnums", ())
    static = {number % len(args): args[number] for number in numbers if -len(args) <= number < len(args)}
    return text, f"<{name.strip('<>')} of JAX>", Tree(lowered.in_tree, kept, lowered.out_tree, static)
