"""Indexing maps and HLO modules from Python, and what XLA made of a JAX function: every answer is proved, or says that it is not.

    >>> import affirm
    >>> a = affirm.IndexingMap("(d0) -> (d0 mod 4), domain: d0 in [0, 7]")
    >>> a.prove_equal(affirm.IndexingMap("(d0) -> (d0), domain: d0 in [0, 7]")).counterexample
    {'dims': [4], 'runtime': [], 'lhs': [[0]], 'rhs': [[4]]}

`Module.from_text` and `Module.from_jax` read programs; `check_jax` says of each pass and each kernel of XLA whether it is right.
`affirm.strategies` has random maps and modules for Hypothesis, and the fixture `assert_affirmed` is a plugin of pytest.
`python -m affirm.jax module:function` checks a function from a shell, `python -m affirm.watch DIR` a program that dumps.
"""

import importlib
from typing import TYPE_CHECKING, Any

from affirm.check import check_jax
from affirm.compiler import CompilerError
from affirm.errors import Error
from affirm.result import Kernel, Pass, Result
from affirm.tool import AffirmError, check_dump

if TYPE_CHECKING:
    from affirm._native import (IndexingMap, Instruction, LabeledMap, MapProof, Shape, Simplification, SymbolicExpr, build_facts)
    from affirm.assertions import assert_affirmed
    from affirm.module import Module
    from affirm.reports import CheckReport, Comparison, Report, Validation

# Names that need the libraries of C++ are loaded at the first use, so a program that only runs the tool starts at once, without them.
_LATER = {
    "affirm._native": ["IndexingMap", "Instruction", "LabeledMap", "MapProof", "Shape", "Simplification", "SymbolicExpr", "build_facts"],
    "affirm.module": ["Module"],
    "affirm.reports": ["CheckReport", "Comparison", "Report", "Validation"],
    "affirm.assertions": ["assert_affirmed"],
}
_HOME = {name: module for module, names in _LATER.items() for name in names}

__version__ = "0.1.0"
"""That of the sources (pyproject.toml, CMakeLists.txt)."""

__all__ = ["AffirmError", "CheckReport", "Comparison", "CompilerError", "Error", "IndexingMap", "Instruction", "Kernel", "LabeledMap",
           "MapProof", "Module", "Pass", "Report", "Result", "Shape", "Simplification", "SymbolicExpr", "Validation", "assert_affirmed",
           "build_facts", "check_dump", "check_jax"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'affirm' has no attribute {name!r}")
    try:
        found = getattr(importlib.import_module(_HOME[name]), name)
    except ModuleNotFoundError as missing:
        if missing.name != "affirm._native":
            raise
        raise Error(f"affirm.{name} needs the module over the libraries, which is not here: `pip install .` in the sources, or "
                    "`./dev build` and PYTHONPATH=build/python") from missing
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
