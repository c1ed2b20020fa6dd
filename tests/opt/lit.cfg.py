"""The configuration of lit for tests/opt: affirm-opt and FileCheck on MLIR text.

By hand: lit -v tests/opt --param tools=build/tools --param llvm_tools=/usr/lib/llvm-22/bin --param output=/tmp/opt
"""
# pylint: disable=undefined-variable
import os

import lit.formats

config.name = "affirm-opt"
config.suffixes = [".mlir"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["output"]
folders = [os.path.abspath(lit_config.params[name]) for name in ("tools", "llvm_tools")]
config.environment["PATH"] = os.pathsep.join([*folders, config.environment["PATH"]])
