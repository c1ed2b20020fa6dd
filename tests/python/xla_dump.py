#!/usr/bin/env python3
"""Dumps of XLA's compilers for small JAX programs, as `affirm xla` reads them. A helper of tests, not of the product.

  xla_dump.py --out DIR [--platform gpu|cpu] [NAME ...]

Each program is compiled ahead of time, for an H100 that need not be there (packages jax-cuda12-pjrt and jax-cuda12-plugin) or
for the CPU, with the HLO around every pass, and its dump goes to DIR/NAME. Exit status 77 where the packages are missing.
"""

import argparse
import os
import pathlib
import subprocess
import sys

PROGRAMS = "roll softmax layer_norm layer_norm_grad transpose row_reduce concatenate scatter attention loop".split()

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


def programs():
    """name -> (function, arguments)"""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def of(*sizes, type=jnp.float32):
        return jax.ShapeDtypeStruct(sizes, type)

    def layer_norm(x):
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def attention(q, k, v):
        return jax.nn.softmax(jnp.einsum("qd,kd->qk", q, k)) @ v

    integer = of(type=jnp.int32)
    return {
        # A slice of a slice whose outer start lies outside of its operand.
        "roll": (lambda x, shift, start: lax.dynamic_slice(jnp.roll(x, shift), [start], [4]),
                 (of(9, type=jnp.int32), integer, integer)),
        "softmax": (jax.nn.softmax, (of(8, 100),)),
        "layer_norm": (layer_norm, (of(8, 64),)),
        "layer_norm_grad": (jax.grad(lambda x: (layer_norm(x) ** 2 * x).sum()), (of(8, 64),)),
        "transpose": (lambda x: jnp.tanh(x.T), (of(64, 48),)),
        "row_reduce": (lambda x: jnp.exp(x).sum(-1), (of(100, 517),)),
        "concatenate": (lambda x, y: jnp.concatenate([x * 2, y + 1, x], 1), (of(6, 5), of(6, 9))),
        "scatter": (lambda x, i, u: x.at[i].add(u), (of(9, 10), of(5, type=jnp.int32), of(5, 10))),
        "attention": (attention, (of(16, 32), of(24, 32), of(24, 32))),
        "loop": (lambda x: lax.fori_loop(0, 5, lambda i, s: s * 2 + i, x), (of(33, type=jnp.int32),)),
    }


def compile_one(name, platform):
    """In a process of its own: XLA reads its flags once."""
    import jax
    from jax.sharding import SingleDeviceSharding
    function, arguments = programs()[name]
    if platform == "gpu":
        from jax.experimental import topologies
        device = topologies.get_topology_desc("h100", platform="cuda", target_config=H100, topology="1x1x1").devices[0]
        sharding = SingleDeviceSharding(device)
        arguments = [jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=sharding) for a in arguments]
    jax.jit(function).lower(*arguments).compile()
    os._exit(0)  # the clients of devices that are not there do not always end in peace


def is_missing(platform):
    """What is missing, in words, or an empty text."""
    import importlib.util
    packages = ["jax", "jaxlib"] + (["jax_plugins.xla_cuda12"] if platform == "gpu" else [])
    for package in packages:
        try:
            if importlib.util.find_spec(package) is None:
                return package
        except ImportError:
            return package
    return ""


def dump(name, folder, platform, passes=".*"):
    """The dump of one program. Raises CalledProcessError with what the compiler said."""
    flags = [f"--xla_dump_to={folder}", "--xla_dump_hlo_as_text", f"--xla_dump_hlo_pass_re={passes}"]
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu")
    if platform == "gpu":
        # XLA:CPU, whose kernels are compiled at one time, crashes with it now and then.
        flags += ["--xla_dump_emitter_re=.*", "--xla_gpu_autotune_level=0", "--xla_gpu_enable_triton_gemm=false"]
        environment.update(JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1", JAX_PLATFORMS="")
    environment["XLA_FLAGS"] = " ".join(flags)
    subprocess.run([sys.executable, __file__, "--compile", name, "--platform", platform], check=True, env=environment,
                   capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--platform", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--passes", default=".*", help="which passes to dump the HLO around; none for a quick look")
    parser.add_argument("--compile", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs; default: all of " + " ".join(PROGRAMS))
    options = parser.parse_args()
    missing = is_missing(options.platform)
    if missing:
        print(f"skipped: no Python package {missing}")
        return 77
    if options.compile:
        compile_one(options.compile, options.platform)
        return 0
    for name in options.names or PROGRAMS:
        try:
            dump(name, options.out / name, options.platform, options.passes)
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error.stderr[-2000:]}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
