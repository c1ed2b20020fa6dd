"""`check_jax` from a shell.

  python -m affirm.jax module:function [--args 'f32[8,128]' 's32[]' ...] [--target h100|a100|b200|cpu]

Compiles the function of that module at arguments of these types for a device that need not be there, and prints what `affirm xla` says
of each pass and each kernel. A function of trees of arrays is given by one that takes none, or the arrays one by one. Exit status: 0
when all is proved, 1 when a pass or kernel is wrong, 2 when something was only executed or stayed unknown, 3 for bad input.

  $ python -m affirm.jax jax.nn:softmax --args 'f32[8,100]'
"""

import argparse
import importlib
import inspect
import json
import os
import re
import sys
import traceback
from typing import Any, Callable

from affirm.check import check_jax
from affirm.command import Parser
from affirm.compiler import require
from affirm.quiet import no_remarks
from affirm.targets import TARGETS, find_target
from affirm.tool import AffirmError
from affirm.verdicts import BAD_INPUT, status

_KINDS = {"s": "int", "u": "uint", "f": "float", "bf": "bfloat", "c": "complex"}


class BadInput(Exception):
    """What was given on the command line cannot be; the text says what was expected."""


def argument_of(text: str) -> Any:
    """'f32[8,128]' as a `jax.ShapeDtypeStruct`, types as in HLO. BadInput: it is none.

    >>> argument_of("bf16[4]")
    ShapeDtypeStruct(shape=(4,), dtype=bfloat16)
    """
    import jax
    import jax.numpy as jnp

    match = re.fullmatch(r"(pred(?=\[)|(?:bf|[sufc])(?=[0-9]))(\w*)\[ *([0-9]+(?: *, *[0-9]+)*|) *\]", text.strip())
    if match is None:
        raise BadInput(f"{text!r} is no type of an array, such as f32[8,128], bf16[4] or s32[]")
    kind, width, sizes = match.groups()
    # f8e4m3fn is float8_e4m3fn.
    name = "bool_" if kind == "pred" else _KINDS[kind] + re.sub(r"^(\d)(e\w+)$", r"\1_\2", width)
    if not hasattr(jnp, name):
        raise BadInput(f"{text!r}: JAX has no type {kind}{width}")
    return jax.ShapeDtypeStruct([int(size) for size in sizes.split(",")] if sizes else [], getattr(jnp, name))


def function_of(text: str) -> Callable:
    """The function that 'module:function' names. BadInput: there is none."""
    module, colon, path = text.partition(":")
    if not colon:
        raise BadInput(f"{text!r}: expected module:function")
    try:
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{text!r}: {error}") from error
    if not callable(found):
        raise BadInput(f"{text!r} is no function")
    return found


def require_arguments(text: str, function: Callable, types: list) -> None:
    """BadInput: the function does not take this many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of what is not written in Python
        return
    try:
        signature.bind(*types)
    except TypeError as error:
        raise BadInput(f"{text!r}: {error} (--args gives the types of the arguments, such as --args 'f32[8,128]')") from error


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m affirm.jax", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("function", help="module:function, what jax.jit takes or gave")
    parser.add_argument("--args", nargs="*", action="extend", default=[], metavar="TYPE", help="of its arguments: f32[8,128], bf16[4], s32[]")
    parser.add_argument("--target", choices=list(TARGETS), default="h100")
    parser.add_argument("--kernels", action="store_true", help="the kernels alone, not the passes")
    parser.add_argument("--assume", action="append", default=[], metavar="GLOB", help="what is not covered and has such a name is taken on trust")
    parser.add_argument("--dump", metavar="DIR", help="where XLA's dump goes, and stays")
    parser.add_argument("--affirm", metavar="PATH", help="the program; default: of the environment variable AFFIRM, or of PATH")
    parser.add_argument("--accept", choices=["proved", "executed"], default="proved",
                        help="the weakest verdict that exits with 0; default proved")
    parser.add_argument("--json", action="store_true", help="print what `affirm xla --json` does")
    options = parser.parse_args(arguments)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # tracing needs no device
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        require(find_target(options.target))
        with no_remarks():
            import jax

        if any(re.match(r"[suf]64|c128", text.strip()) for text in options.args):
            jax.config.update("jax_enable_x64", True)
        function, types = function_of(options.function), [argument_of(text) for text in options.args]
        require_arguments(options.function, function, types)
        result = check_jax(function, *types, target=options.target, passes=not options.kernels, affirm=options.affirm,
                           dump=options.dump, assume=options.assume)
    except (AffirmError, BadInput) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except SystemExit as end:  # its status is not that of a verdict
        print(f"error: {options.function!r} ended the process when it was imported or traced (status {end.code})", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        raise
    except BaseException:  # of the function, while it is traced
        traceback.print_exc()
        return BAD_INPUT
    print(json.dumps(result.json) if options.json else result)
    return status(result.verdict, options.accept)


if __name__ == "__main__":
    sys.exit(main())
