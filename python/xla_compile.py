#!/usr/bin/env python3
"""affirm.xla_compile for random modules, whose values are compared with an interpreter's: `affirm fuzz xla` drives it.

  xla_compile.py [--platform cpu|gpu] [--passes] --out DIR FILE ...

XLA is to round after every operation, as the interpreter does, and reductions are to be kernels, not calls of a library that loses NaN.
Files, folders and the exit status are those of affirm.xla_compile. Flags in XLA_FLAGS count too.
"""

import argparse
import os
import sys

from affirm import xla_compile

EXACT = {
    "cpu": ["--xla_allow_excess_precision=false", "--xla_cpu_enable_fast_math=false", "--xla_cpu_enable_fast_min_max=false",
            "--xla_cpu_experimental_ynn_fusion_type="],
    "gpu": ["--xla_allow_excess_precision=false"],
}
TARGETS = {"cpu": "cpu", "gpu": "h100"}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", choices=list(TARGETS), default="cpu")
    options, rest = parser.parse_known_args()
    os.environ["XLA_FLAGS"] = " ".join([*EXACT[options.platform], os.environ.get("XLA_FLAGS", "")])
    sys.exit(xla_compile.main(["--target", TARGETS[options.platform], *rest]))
