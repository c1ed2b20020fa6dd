#!/usr/bin/env python3
"""Dumps of XLA's compilers for the programs of jax_programs.py and jax_control_programs.py, as `affirm xla` reads them. A helper of
tests, not of the product.

  xla_dump.py --out DIR [--target h100|a100|b200|cpu] [--kernels] [NAME ...]

Each program is compiled ahead of time, for an H100 that need not be there or for the CPU, with the HLO around every pass, and its dump
goes to DIR/NAME. Exit status 77 where a package is missing.
"""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

from affirm import compiler, quiet
from affirm.targets import TARGETS, Target, find_target, missing_package


def programs() -> dict[str, tuple]:
    """name -> (function, arguments)"""
    import jax_control_programs
    import jax_programs

    return jax_programs.programs() | jax_control_programs.programs()


def dump(names: list[str], out: pathlib.Path, target: Target, passes: bool) -> dict[str, str]:
    """Dumps of these programs (none: of all) under `out`. Gives those that XLA does not take, with what it says."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with quiet.no_remarks():
        known = programs()
    out.mkdir(parents=True, exist_ok=True)
    files, refused = [], {}
    for name in names or known:
        function, arguments = known[name]
        try:
            module = compiler.lower(function, arguments, target)
        except (NotImplementedError, ValueError) as error:  # what JAX has for some targets alone
            refused[name] = str(error)
            continue
        files.append(out / f"{name}.mlir")
        files[-1].write_bytes(module)
    while files:
        crash = compiler.compile_files(files, out, target, passes)
        # A crash ends the process: what comes after the module that it was at is compiled by another one.
        left = [file for file in files if not (out / file.stem).is_dir()]
        if left:
            refused[left[0].stem] = crash
        refused |= {file.stem: (out / file.stem / "refused.txt").read_text() for file in files
                    if (out / file.stem / "refused.txt").exists()}
        files = left[1:]
    return refused


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--target", choices=list(TARGETS), default="h100")
    parser.add_argument("--kernels", action="store_true", help="without the HLO around each pass")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all programs")
    options = parser.parse_args()
    target = find_target(options.target)
    missing = missing_package(target)
    if missing:
        print(f"skipped: no Python package {missing}; `./dev test` brings JAX")
        return 77
    refused = dump(options.names, options.out, target, not options.kernels)
    for name, why in refused.items():
        print(f"{name}: {why}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
