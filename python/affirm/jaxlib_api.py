"""What the versions of jaxlib name in different ways, from 0.4.38 on."""

import types


def extension() -> types.ModuleType:
    """The module of jaxlib that is compiled from C++: `_jax`, up to jaxlib 0.5 `xla_extension`."""
    try:
        from jaxlib import _jax

        return _jax
    except ImportError:
        from jaxlib import xla_extension

        return xla_extension


def read_hlo(text: str):
    """HLO text as jaxlib's HloModule."""
    from jaxlib import xla_client

    return getattr(xla_client, "hlo", extension()).hlo_module_from_text(text)


def to_stablehlo(module) -> str | bytes:
    """An HloModule as StableHLO."""
    from jaxlib import xla_client

    computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
    return extension().mlir.xla_computation_to_mlir_module(computation)


def to_hlo(stablehlo: str | bytes) -> str:
    """HLO text of StableHLO."""
    return extension().mlir.mlir_module_to_xla_computation(stablehlo, use_tuple_args=False, return_tuple=False).as_hlo_text()


def compile_and_load(device, program: str | bytes):
    """The executable of StableHLO on a device that is there."""
    from jaxlib import xla_client

    options = xla_client.CompileOptions()
    if not hasattr(device.client, "compile_and_load"):  # up to jaxlib 0.5 `compile` does both
        return device.client.compile(program, options)
    return device.client.compile_and_load(program, xla_client.DeviceList((device,)), options)
