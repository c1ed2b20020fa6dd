"""A module through XLA:CPU, compiled and run on the arguments that `affirm xla --run` writes. A program: a crash ends it alone.

  python -m affirm.xla_run FILE FOLDER

FILE is what affirm.xla_compile takes: HLO text, or StableHLO (.mlir). FOLDER/arguments.json has the sets of arguments; array K of set S
is in S.K.bin, and array L of the result on it goes to S.result.L.bin. XLA_FLAGS count. Exit status: 0, 77 where a package is missing,
another one where XLA refuses the module.
"""

import json
import os
import pathlib
import sys

from affirm import jaxlib_api
from affirm.quiet import no_remarks
from affirm.xla_compile import MISSING_PACKAGE, Refused, as_program

_NARROW = {"s1", "s2", "s4", "u1", "u2", "u4"}  # a byte each in files


def _read(folder: pathlib.Path, number: int, arrays: list) -> list:
    """The arguments of one set."""
    import numpy

    from affirm.values import dtypes

    found = []
    for k, array in enumerate(arrays):
        stored = ("int8" if array["type"][0] == "s" else "uint8") if array["type"] in _NARROW else dtypes()[array["type"]]
        values = numpy.frombuffer((folder / f"{number}.{k}.bin").read_bytes(), stored)
        found.append(values.astype(dtypes()[array["type"]]).reshape(array["dims"]))
    return found


def _write(path: pathlib.Path, array) -> None:
    import numpy

    values = numpy.asarray(array)
    if values.dtype.name in ("int1", "int2", "int4", "uint1", "uint2", "uint4"):
        values = values.astype(numpy.int8 if values.dtype.name[0] == "i" else numpy.uint8)
    path.write_bytes(numpy.ascontiguousarray(values).tobytes())


def _find_lapack() -> None:
    """Calls of LAPACK go through pointers that JAX sets when it traces one."""
    try:
        from jaxlib import lapack

        lapack._lapack.initialize()
    except (ImportError, AttributeError):
        pass  # no SciPy, or another version: calls of LAPACK are refused, or need no pointers


def main() -> int:
    file, folder = map(pathlib.Path, sys.argv[1:])
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["JAX_PLATFORMS"] = "cpu"
    with no_remarks():
        try:
            import jax
        except ImportError as error:
            print(f"no Python package: {error}", file=sys.stderr)
            return MISSING_PACKAGE
        jax.config.update("jax_enable_x64", True)
        _find_lapack()
        device = jax.devices("cpu")[0]
        try:
            executable = jaxlib_api.compile_and_load(device, as_program(file))
        except Exception as error:
            raise Refused(f"compiler: {error}") from error
    for number, arrays in enumerate(json.loads((folder / "arguments.json").read_text())["sets"]):
        results = executable.execute_sharded([jax.device_put(a, device) for a in _read(folder, number, arrays)])
        for leaf, (array,) in enumerate(results.disassemble_into_single_device_arrays()):
            _write(folder / f"{number}.result.{leaf}.bin", array)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
