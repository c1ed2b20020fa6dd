#!/usr/bin/env python3
"""HLO modules through XLA's compiler, for the dumps that it leaves. `affirm fuzz xla` drives it.

  xla_compile.py [--platform cpu|gpu] [--passes] --out DIR FILE ...

The dump of FILE, NAME.hlo, goes to DIR/NAME, which is there when the compiler is done with it; what the compiler refuses is in
DIR/NAME/refused.txt. With --passes the dump has the HLO around each pass. XLA:GPU compiles for an H100 that need not be there
(packages jax-cuda12-pjrt and jax-cuda12-plugin). Exit status: 0, or 77 where a package is missing.
"""

import argparse
import os
import pathlib
import shutil
import sys

# The H100 as the compiler sees one.
H100 = """
gpu_device_info { threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152
  shared_memory_per_core: 233472 threads_per_core_limit: 2048 core_count: 132 fpus_per_core: 128
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000 l2_cache_size: 52428800 clock_rate_ghz: 1.98 device_memory_size: 84929347584
  shared_memory_per_block_optin: 232448 cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536 registers_per_block_limit: 65536 }
platform_name: "CUDA" dnn_version_info { major: 9 minor: 7 }
runtime_version { major: 12 minor: 8 patch: 0 } device_description_str: "NVIDIA H100 80GB HBM3"
"""

# Values are compared with an interpreter that rounds after every operation, and reductions are to be kernels, not calls of a
# library that loses NaN.
FLAGS = {
    "cpu": ["--xla_allow_excess_precision=false", "--xla_cpu_enable_fast_math=false", "--xla_cpu_enable_fast_min_max=false",
            "--xla_cpu_experimental_ynn_fusion_type="],
    "gpu": ["--xla_allow_excess_precision=false", "--xla_gpu_autotune_level=0", "--xla_gpu_enable_triton_gemm=false"],
}


class Refused(Exception):
    """XLA does not take the module; the argument says at which step, and why."""


def compiler(platform):
    """A function that compiles HLO text."""
    import jax
    from jaxlib import _jax, xla_client
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    jax.config.update("jax_enable_x64", True)
    if platform == "gpu":
        from jax.experimental import topologies
        device = topologies.get_topology_desc("h100", platform="cuda", target_config=H100, topology="1x1x1").devices[0]
    else:
        device = jax.devices("cpu")[0]
    devices = xla_client.DeviceList((device,))

    def compile_text(text):
        step = "reader"
        try:
            module = xla_client.hlo.hlo_module_from_text(text)
            step = "conversion"
            computation = xla_client.XlaComputation(module.as_serialized_hlo_module_proto())
            program = _jax.mlir.xla_computation_to_mlir_module(computation)
            if platform == "gpu":
                with mlir.make_ir_context():
                    step = "compiler"
                    device.client.compile(ir.Module.parse(program), devices, xla_client.CompileOptions())
            else:
                step = "compiler"
                device.client.compile_and_load(program, devices, xla_client.CompileOptions())
        except Exception as error:
            raise Refused(f"{step}: {error}") from error

    return compile_text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--passes", action="store_true", help="dump the HLO around each pass")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    dump = options.out / f".dump{os.getpid()}"
    shutil.rmtree(dump, ignore_errors=True)
    flags = [f"--xla_dump_to={dump}", "--xla_dump_hlo_as_text", "--xla_dump_large_constants", *FLAGS[options.platform]]
    if options.passes:
        flags.append("--xla_dump_hlo_pass_re=.*")
    os.environ["XLA_FLAGS"] = " ".join(flags)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["JAX_PLATFORMS"] = "cpu" if options.platform == "cpu" else ""
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
    try:
        if options.platform == "gpu":
            import jax_plugins.xla_cuda12  # noqa: F401
        compile_text = compiler(options.platform)
    except ImportError as error:
        print(f"no Python package: {error}", file=sys.stderr)
        return 77
    for file in options.files:
        dump.mkdir(parents=True, exist_ok=True)
        try:
            compile_text(file.read_text())
        except Refused as refused:
            (dump / "refused.txt").write_text(str(refused))
        target = options.out / file.stem
        shutil.rmtree(target, ignore_errors=True)
        dump.rename(target)
    sys.stdout.flush()
    os._exit(0)  # the clients of devices that are not there do not always end in peace


if __name__ == "__main__":
    sys.exit(main())
