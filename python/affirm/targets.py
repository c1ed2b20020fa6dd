"""What XLA compiles for, here without a device, and the flags that this and a dump need. Imports no JAX."""

import dataclasses
import importlib.metadata
import importlib.util
import pathlib
import re

def _device(capability: str, name: str, **numbers: int | float) -> str:
    """A GPU as the compiler sees one: a GpuTargetConfigProto of XLA as text. What is not named is that of each NVIDIA GPU from the A100 on."""
    shared = {"threads_per_block_limit": 1024, "threads_per_warp": 32, "shared_memory_per_block": 49152, "threads_per_core_limit": 2048,
              "block_dim_limit_x": 2147483647, "block_dim_limit_y": 65535, "block_dim_limit_z": 65535,
              "registers_per_core_limit": 65536, "registers_per_block_limit": 65536}
    fields = " ".join(f"{key}: {value}" for key, value in (shared | numbers).items())
    return (f"gpu_device_info {{ {fields} cuda_compute_capability {{ {capability} }} }}\n"
            'platform_name: "CUDA" dnn_version_info { major: 9 minor: 7 }\n'
            f'runtime_version {{ major: 12 minor: 8 patch: 0 }} device_description_str: "{name}"\n')


_A100 = _device("major: 8", "NVIDIA A100-SXM4-80GB", shared_memory_per_core=167936, core_count=108, fpus_per_core=64,
                memory_bandwidth=2039000000000, l2_cache_size=41943040, clock_rate_ghz=1.41, device_memory_size=85049999360,
                shared_memory_per_block_optin=166912)
_H100 = _device("major: 9", "NVIDIA H100 80GB HBM3", shared_memory_per_core=233472, core_count=132, fpus_per_core=128,
                memory_bandwidth=3352320000000, l2_cache_size=52428800, clock_rate_ghz=1.98, device_memory_size=84929347584,
                shared_memory_per_block_optin=232448)
_B200 = _device("major: 10", "NVIDIA B200", shared_memory_per_core=233472, core_count=148, fpus_per_core=128,
                memory_bandwidth=7672320000000, l2_cache_size=132644864, clock_rate_ghz=1.965, device_memory_size=191512576000,
                shared_memory_per_block_optin=232448)


@dataclasses.dataclass(frozen=True)
class Target:
    """One of TARGETS."""

    name: str
    lowering: str  # JAX's name of the platform
    flags: tuple[str, ...]  # without which it does not compile, or dumps no kernels
    packages: tuple[str, ...]
    plugins: tuple[str, ...] = ()  # of JAX, of which one has to be there, whichever
    config: str = ""  # for a device that is not there

    @property
    def jax_platforms(self) -> str:
        """JAX_PLATFORMS of a process that compiles for it."""
        return "" if self.config else self.lowering


TARGETS = {
    target.name: target
    for target in (
        # Kernels are not timed, since nothing runs them.
        *(Target(name, "cuda", ("--xla_gpu_autotune_level=0", "--xla_gpu_enable_triton_gemm=false"),
                 ("jax", "jaxlib"), ("jax_plugins.xla_cuda12", "jax_plugins.xla_cuda13"), config)
          for name, config in (("h100", _H100), ("a100", _A100), ("b200", _B200))),
        Target("cpu", "cpu", (), ("jax", "jaxlib")),
    )
}


def find_target(name: str) -> Target:
    """The target of this name. ValueError: there is none."""
    if name not in TARGETS:
        raise ValueError(f"no target {name!r}: there are {', '.join(TARGETS)}")
    return TARGETS[name]


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ImportError:  # not even what it is in
        return False


def plugin_of(target: Target) -> str:
    """The first plugin of JAX for the target that is there, or an empty text."""
    return next(filter(_is_there, target.plugins), "")


def missing_package(target: Target) -> str:
    """The first Python package that the target lacks here, or an empty text; of plugins that will do, " or " between them."""
    for package in target.packages:
        if not _is_there(package):
            return package
    return "" if plugin_of(target) or not target.plugins else " or ".join(target.plugins)


def knows_emitters() -> bool:
    """Whether the jaxlib that is installed takes --xla_dump_emitter_re; so where there is none, for the newest."""
    try:
        version = importlib.metadata.version("jaxlib")
    except importlib.metadata.PackageNotFoundError:
        return True
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3]) >= (0, 8, 2)


def dump_flags(folder: pathlib.Path | str, passes: bool = True, large_constants: bool = False) -> str:
    """XLA_FLAGS with which the jaxlib that is installed dumps what `affirm xla` reads: `passes`, the HLO around each pass too.

    The XLA of jaxlib 0.11 dumps kernels' LLVM IR only where an emitter called llvm is asked for. Older ones always do, and
    up to jaxlib 0.8.1 they end where they find this flag.

    >>> dump_flags("dump", passes=False)
    '--xla_dump_to=dump --xla_dump_hlo_as_text --xla_dump_emitter_re=llvm'
    """
    flags = [f"--xla_dump_to={folder}", "--xla_dump_hlo_as_text"]
    if knows_emitters():
        flags.append("--xla_dump_emitter_re=llvm")
    if large_constants:
        flags.append("--xla_dump_large_constants")
    if passes:
        flags.append("--xla_dump_hlo_pass_re=.*")
    return " ".join(flags)


def compile_flags(target: Target, given: str, dump: str) -> str:
    """XLA_FLAGS of a compilation: the target's, then those `given` by the user, which win, then those of the dump."""
    return " ".join(filter(None, [*target.flags, given, dump]))
