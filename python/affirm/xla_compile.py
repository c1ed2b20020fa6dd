"""HLO and StableHLO modules through XLA's compiler, for the dumps that it leaves. A program: XLA reads its flags once a process.

  python -m affirm.xla_compile [--target h100|a100|b200|cpu] [--passes] --out DIR FILE ...

A file NAME.hlo is HLO text, NAME.mlir StableHLO (text or bytecode). The dump goes to DIR/NAME, which is there when the compiler
is done with it; what the compiler refuses is in DIR/NAME/refused.txt. With --passes the dump has the HLO around each pass. Flags in
XLA_FLAGS count, but for those of the dump. Exit status: 0, or 77 where a package is missing.
"""

import argparse
import importlib
import os
import pathlib
import shutil
import sys

from affirm import jaxlib_api
from affirm.command import Parser
from affirm.quiet import no_remarks
from affirm.targets import TARGETS, Target, compile_flags, dump_flags, find_target, plugin_of

MISSING_PACKAGE = 77
REFUSED = "refused.txt"
_LARGE = 1 << 20  # bytes of a module whose constants are elided in its dump, which has them up to a hundred times


class Refused(Exception):
    """XLA does not take the module; the argument says at which step, and why."""


def as_program(file: pathlib.Path):
    """The file as StableHLO, bytes or text."""
    if file.suffix == ".mlir":
        return file.read_bytes()
    try:
        step = "reader"
        module = jaxlib_api.read_hlo(file.read_text())
        step = "conversion"
        return jaxlib_api.to_stablehlo(module)
    except Exception as error:
        raise Refused(f"{step}: {error}") from error


def make_compiler(target: Target):
    """A function that compiles the module in a file. ImportError: a package is missing."""
    import jax
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    jax.config.update("jax_enable_x64", True)
    if target.config:
        importlib.import_module(plugin_of(target) or target.plugins[0])
        from jax._src.interpreters import mlir
        from jax.experimental import topologies

        device = topologies.get_topology_desc(target.name, platform=target.lowering, target_config=target.config,
                                              topology="1x1x1").devices[0]
    else:
        device = jax.devices(target.lowering)[0]

    def compile_file(file: pathlib.Path) -> None:
        program = as_program(file)
        try:
            if target.config:  # a client that compiles and does not load
                with mlir.make_ir_context():
                    device.client.compile(ir.Module.parse(program), xla_client.DeviceList((device,)), xla_client.CompileOptions())
            else:
                jaxlib_api.compile_and_load(device, program)
        except Exception as error:
            raise Refused(f"compiler: {error}") from error

    return compile_file


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m affirm.xla_compile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=list(TARGETS), default="h100")
    parser.add_argument("--passes", action="store_true", help="dump the HLO around each pass")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(arguments)
    target = find_target(options.target)
    dump = options.out / f".dump{os.getpid()}"
    shutil.rmtree(dump, ignore_errors=True)
    whole = max((file.stat().st_size for file in options.files), default=0) < _LARGE
    os.environ["XLA_FLAGS"] = compile_flags(target, os.environ.get("XLA_FLAGS", ""), dump_flags(dump, options.passes, whole))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["JAX_PLATFORMS"] = target.jax_platforms
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
    with no_remarks():
        try:
            compile_file = make_compiler(target)
        except ImportError as error:
            print(f"no Python package: {error}", file=sys.stderr)
            return MISSING_PACKAGE
        for file in options.files:
            dump.mkdir(parents=True, exist_ok=True)
            try:
                compile_file(file)
            except Refused as refused:
                (dump / REFUSED).write_text(str(refused))
            folder = options.out / file.stem
            shutil.rmtree(folder, ignore_errors=True)
            dump.rename(folder)
    sys.stdout.flush()
    os._exit(0)  # the clients of devices that are not there do not always end in peace


if __name__ == "__main__":
    sys.exit(main())
