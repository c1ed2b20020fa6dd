"""JAX functions to StableHLO, and that to a dump of XLA, by a process of its own: a crash of the compiler is an error here."""

import io
import os
import pathlib
import shlex
import subprocess
import sys
from typing import Any, Callable

from affirm import jax_functions, quiet, tool
from affirm.targets import Target, missing_package

_SOURCES = pathlib.Path(__file__).resolve().parent.parent
_MOST_SAID = 4000  # characters of what the compiler printed
_MOST_SECONDS = 600  # for a module; a compiler that hangs is an error too


class CompilerError(tool.AffirmError):
    """XLA refused the module, or crashed; the text has what it said."""


def require(target: Target) -> None:
    """AffirmError: a Python package is missing without which nothing is compiled for the target."""
    if missing := missing_package(target):
        raise tool.AffirmError(f"target {target.name} needs the Python package {missing}")


def lower(function: Callable, args: tuple, target: Target) -> bytes:
    """StableHLO of a function (jitted already or not) at these arguments, as bytecode.

    Arrays stand for their shapes and types. What JAX raises while it traces goes through. AffirmError: JAX would compile it in another
    way than this package does, for several devices or with options of its own.
    """
    import numpy

    with quiet.no_remarks():
        import jax

    def shape_of(leaf: Any) -> Any:
        if isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer):
            return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=leaf.weak_type)
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if isinstance(leaf, numpy.ndarray) else leaf

    jitted = function if jax_functions.is_jitted(function) else jax.jit(function)
    with quiet.no_remarks():
        lowered = jitted.trace(*jax.tree.map(shape_of, args)).lower(lowering_platforms=(target.lowering,))
    _require_the_usual(lowered)
    bytecode = io.BytesIO()
    lowered.compiler_ir().operation.write_bytecode(bytecode)
    return bytecode.getvalue()


def _require_the_usual(lowered: Any) -> None:
    """AffirmError: the function is not compiled for one device with the options of every function."""
    from jaxlib.mlir import ir

    options = getattr(lowered._lowering, "_compiler_options_kvs", None)
    if options is None:
        raise tool.AffirmError("this version of JAX does not say with which options a function is compiled")
    if options:
        text = " ".join(f"--{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in options)
        raise tool.AffirmError(f"the function has compiler_options of its own, which are not taken: give them as XLA_FLAGS, '{text}'")
    attributes = lowered.compiler_ir().operation.attributes
    counts = [ir.IntegerAttr(attributes[name]).value for name in ("mhlo.num_partitions", "mhlo.num_replicas") if name in attributes]
    if any(count != 1 for count in counts):
        raise tool.AffirmError("the function is for several devices, of which nothing is compiled here: expected one without shardings over them")


def text_of(module: bytes) -> str:
    """StableHLO as text, of its bytecode."""
    with quiet.no_remarks():
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir

        with mlir.make_ir_context():
            return str(ir.Module.parse(module))


def compile_files(files: list[pathlib.Path], out: pathlib.Path, target: Target, passes: bool) -> str:
    """Compiles modules one after the other, as affirm.xla_compile says. Gives what the compiler printed where it crashed, or an empty text.

    AffirmError: a package is missing, so that nothing was compiled.
    """
    require(target)
    command = [sys.executable, "-m", "affirm.xla_compile", "--target", target.name, "--out", str(out)]
    paths = os.pathsep.join(filter(None, [str(_SOURCES), os.environ.get("PYTHONPATH")]))
    try:
        run = subprocess.run([*command, *["--passes"] * passes, *map(str, files)], env={**os.environ, "PYTHONPATH": paths},
                             capture_output=True, text=True, timeout=_MOST_SECONDS * len(files))
    except subprocess.TimeoutExpired as late:
        return f"the compiler did not end within {late.timeout:.0f} s"
    said = quiet.without_remarks(run.stderr)[-_MOST_SAID:]
    return "" if run.returncode == 0 else f"the compiler ended with status {run.returncode}: {said}"


def run_command(file: pathlib.Path) -> str:
    """The command of the shell by which `affirm xla --run` runs the module in the file."""
    paths = os.pathsep.join(filter(None, [str(_SOURCES), os.environ.get("PYTHONPATH")]))
    return shlex.join(["env", f"PYTHONPATH={paths}", sys.executable, "-m", "affirm.xla_run", str(file)])


def explain(refusal: str) -> str:
    """What the compiler said, and what there is to do about it where the machine lacks a part of CUDA.

    >>> explain("compiler: INTERNAL: libdevice not found at ./libdevice.10.bc")
    'compiler: INTERNAL: libdevice not found at ./libdevice.10.bc (pip install nvidia-cuda-nvcc-cu12 brings it)'
    """
    return f"{refusal} (pip install nvidia-cuda-nvcc-cu12 brings it)" if "libdevice not found" in refusal else refusal


def dump(module: bytes, name: str, out: pathlib.Path, target: Target, passes: bool) -> pathlib.Path:
    """The folder of the dump of one module of StableHLO, `out`/`name`. CompilerError: there is none."""
    file = out / f"{name}.mlir"
    file.write_bytes(module)
    crash = compile_files([file], out, target, passes)
    refused = out / name / "refused.txt"
    if refused.exists():
        raise CompilerError(explain(refused.read_text()))
    if crash:
        raise CompilerError(crash)
    return out / name
