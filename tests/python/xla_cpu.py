"""HLO text through XLA's CPU backend, as the jaxlib package has it."""

import os

# Values are compared with an interpreter that rounds after every operation.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_allow_excess_precision=false --xla_cpu_enable_fast_math=false "
    "--xla_cpu_enable_fast_min_max=false",
)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import numpy
from jaxlib import _jax, xla_client

jax.config.update("jax_enable_x64", True)

VERSION = xla_client.__name__ and __import__("jaxlib.version").version.__version__


class Refused(Exception):
    """XLA does not take the module; the argument says at which step, and why."""


class Cpu:
    def __init__(self):
        self._device = jax.devices("cpu")[0]
        self._client = self._device.client
        self._devices = xla_client.DeviceList((self._device,))

    def _compile(self, text):
        try:
            module = xla_client.hlo.hlo_module_from_text(text)
        except Exception as error:
            raise Refused("reader", str(error)) from error
        try:
            computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
            mlir = _jax.mlir.xla_computation_to_mlir_module(computation)
        except Exception as error:
            raise Refused("conversion", str(error)) from error
        try:
            return self._client.compile_and_load(mlir, self._devices, xla_client.CompileOptions())
        except Exception as error:
            raise Refused("compiler", str(error)) from error

    def run(self, text, arguments):
        """The leaf arrays of the result, in order."""
        executable = self._compile(text)
        buffers = [jax.device_put(argument, self._device) for argument in arguments]
        results = executable.execute_sharded(buffers)
        return [numpy.asarray(r[0]) for r in results.disassemble_into_single_device_arrays()]
