"""HLO text through a compiler of XLA and on its devices: the CPU, as the jaxlib package has it, or the first GPU."""

import os

MOST_DEVICES = {"cpu": 12, "gpu": 1}  # that are used; XLA pretends to have those of the CPU
# Values are compared with an interpreter that rounds after every operation.
FLAGS = {
    "cpu": f"--xla_force_host_platform_device_count={MOST_DEVICES['cpu']} --xla_allow_excess_precision=false "
           "--xla_cpu_enable_fast_math=false --xla_cpu_enable_fast_min_max=false",
    "gpu": "--xla_allow_excess_precision=false",
}
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # other processes use the device too

import jax
import numpy
from jaxlib import _jax, xla_client

jax.config.update("jax_enable_x64", True)

VERSION = xla_client.__name__ and __import__("jaxlib.version").version.__version__


class Refused(Exception):
    """XLA does not take the module; the argument says at which step, and why."""


class Xla:
    """The devices of a platform, "cpu" or "gpu". A process has one: XLA reads its flags once."""

    def __init__(self, platform):
        os.environ["XLA_FLAGS"] = f"{FLAGS[platform]} {os.environ.get('XLA_FLAGS', '')}"
        self._devices = jax.devices(platform)[:MOST_DEVICES[platform]]
        self._client = self._devices[0].client

    def _compile(self, text, replicas, partitions):
        if replicas * partitions > len(self._devices):
            raise Refused("devices", f"{replicas * partitions} are needed, there are {len(self._devices)}")
        try:
            module = xla_client.hlo.hlo_module_from_text(text)
        except Exception as error:
            raise Refused("reader", str(error)) from error
        try:
            computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
            mlir = _jax.mlir.xla_computation_to_mlir_module(computation)
        except Exception as error:
            raise Refused("conversion", str(error)) from error
        options = xla_client.CompileOptions()
        options.num_replicas, options.num_partitions = replicas, partitions
        options.executable_build_options.use_spmd_partitioning = partitions > 1
        used = self._devices[:replicas * partitions]
        options.device_assignment = xla_client.DeviceAssignment.create(
            numpy.array([d.id for d in used]).reshape(replicas, partitions))
        try:
            return self._client.compile_and_load(mlir, xla_client.DeviceList(tuple(used)), options)
        except Exception as error:
            raise Refused("compiler", str(error)) from error

    def run(self, text, arguments, replicas=1, partitions=1):
        """The leaf arrays of the result for each device, those of a replica together; `arguments` likewise."""
        executable = self._compile(text, replicas, partitions)
        mesh = jax.sharding.Mesh(self._devices[:len(arguments)], "device")
        everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
        # JAX takes them for one array that all devices have; what they have may differ.
        buffers = [
            jax.make_array_from_single_device_arrays(
                of_all[0].shape, everywhere,
                [jax.device_put(argument, device) for argument, device in zip(of_all, self._devices)])
            for of_all in zip(*arguments)
        ]
        results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
        return [[numpy.asarray(leaf[d]) for leaf in results] for d in range(len(arguments))]
