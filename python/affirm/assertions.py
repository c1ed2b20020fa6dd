"""`assert_affirmed`: a JAX function, its module and what XLA makes of it, as an assertion for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from affirm import jax_functions
from affirm.check import check_jax
from affirm.module import Module
from affirm.reports import CheckReport
from affirm.targets import find_target
from affirm.verdicts import Level, reaches, require_level


def assert_affirmed(function: Callable, *args: Any, target: str | None = None, level: Level = "proved", time_limit: float = 60) -> CheckReport:
    """Fails unless the module that JAX makes of the function is affirmed, and JAX's own value is the module's.

    function, args: those of `Module.from_jax`. Where all arguments are values and not types alone, the function runs too, and its
        result has to lie in the enclosures of the module's (`Module.compare_result`); where these are wider than a tenth of a value,
        JAX's says nothing, and does not fail.
    target: "cpu", "h100", "a100" or "b200": each pass and each kernel of XLA's compilation for it has to be right as well (`check_jax`).
    level: the weakest verdict that passes: "proved", "executed" (kernels and passes of XLA that were only executed without a
        difference), or "unknown". What is refuted never passes.
    time_limit: seconds of processor time for the check of the module.

    ValueError: there is no such target or level. Nothing runs then.

    >>> import jax, jax.numpy as jnp, affirm
    >>> affirm.assert_affirmed(jax.nn.relu, jnp.ones(4))
    <CheckReport affirmed>
    """
    __tracebackhide__ = True  # pytest shows the test, not this
    require_level(level)
    if target is not None:
        find_target(target)
    module = Module.from_jax(function, *args)
    report = module.check(time_limit=time_limit)
    if report.verdict != "affirmed" and not (level == "unknown" and report.verdict == "unknown"):
        raise AssertionError(f"{_name(function)} is not affirmed\n{report}")
    if _are_values(args):
        import jax

        # Arrays that the function donates are gone when it has run, and belong to the caller.
        copies = [jax.tree.map(lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, arg) for arg in args]
        result = function(*copies) if jax_functions.is_jitted(function) else jax.jit(function)(*args)
        difference = module.difference(args, result)
        if difference is not None:
            raise AssertionError(f"{_name(function)}: JAX and the interpreter differ in {difference}")
    if target is not None:
        compiled = check_jax(function, *args, target=target)
        if not reaches(compiled.verdict, level):
            raise AssertionError(f"{_name(function)}: XLA's compilation is {compiled.verdict}\n{compiled}")
    return report


def _name(function: Callable) -> str:
    return getattr(function, "__name__", "") or repr(function)


def _are_values(args: tuple) -> bool:
    import jax

    return not any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in jax.tree.leaves(args))
