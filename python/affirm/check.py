"""`check_jax`: a JAX function, compiled ahead of time, each pass and each kernel of it checked."""

import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Sequence
from typing import Any, Callable

from affirm import compiler, tool
from affirm.result import Result
from affirm.targets import find_target


def check_jax(function: Callable, *args: Any, target: str = "h100", passes: bool = True,
              affirm: str | os.PathLike | None = None, dump: str | os.PathLike | None = None, assume: Sequence[str] = (),
              run: bool = True) -> Result:
    """Compiles `function` at `args` for `target` and checks what XLA did: the import of StableHLO, each pass, the buffers, each kernel.

    function: anything that `jax.jit` takes, or what it gave (with donated and static arguments).
    args: arrays, of which shapes and types count alone, `jax.ShapeDtypeStruct`, numbers, and trees of these.
    target: "h100", "a100" or "b200", which need not be there, or "cpu".
    passes: False checks the kernels alone, against the HLO that they are made from.
    affirm: the program; else that of the environment variable AFFIRM, else of PATH.
    assume: patterns (fnmatch) of names of what is taken on trust where no check covers it: "__cublas$gemm", "fft"; the result names
        them (`assumed`).
    run: of target "cpu", also runs the compiled program, in a process of its own, beside the interpreter. A crash is refuted.
    dump: a folder for XLA's dump, which is made. Else it is temporary, and stays where something is refuted, since the lines that
        replay a counterexample name its files.

    The compiler runs in a process of its own; flags in XLA_FLAGS count there. Raises what JAX raises while it traces,
    CompilerError where XLA refuses the module, AffirmError where nothing could be checked, ValueError for an unknown target.

        >>> result = check_jax(jax.grad(loss), weights, batch)
        >>> result.verdict, result.first_wrong
        ('proved', None)
    """
    chosen, program = find_target(target), tool.find_affirm(affirm)
    compiler.require(chosen)
    module = compiler.lower(function, args, chosen)
    name = re.sub(r"\W", "_", getattr(function, "__name__", "") or "function")
    folder = pathlib.Path(dump or tempfile.mkdtemp(prefix="affirm-"))
    folder.mkdir(parents=True, exist_ok=True)
    needed = dump is not None
    try:
        compiled = compiler.dump(module, name, folder, chosen, passes)
        command = compiler.run_command(folder / f"{name}.mlir") if run and target == "cpu" else ""
        source = folder / f"{name}.stablehlo"
        source.write_text(compiler.text_of(module))
        result = tool.check_dump(compiled, program, passes, target=target, assume=assume, run=command, source=str(source) if passes else "")
        needed |= result.verdict == "refuted"
        return result
    finally:
        if not needed:
            shutil.rmtree(folder)
