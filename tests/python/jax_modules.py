#!/usr/bin/env python3
"""What JAX hands to XLA, and what XLA makes of it, through affirm.

  jax_modules.py --affirm build/tools/affirm [--only NAME ...] [--keep DIR]

Each function below is lowered to HLO text as JAX writes it and as XLA's CPU backend leaves it after its passes. affirm
must read both, give maps for every instruction, and find nothing wrong: `check` may answer "affirmed" or "unknown". Exit
status: 0 when that is so, 1 when not, 77 (a skip for ctest) without JAX.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.scipy import linalg, special
    from jax.sharding import AxisType, NamedSharding, PartitionSpec
except ImportError as error:
    print(f"skipped: {error}; `./dev test` brings JAX")
    sys.exit(77)

jax.config.update("jax_enable_x64", True)

F32, S32, PRED = jnp.float32, jnp.int32, jnp.bool_


def of(*sizes, type=F32):
    return jax.ShapeDtypeStruct(sizes, type)


KEY = of(2, type=jnp.uint32)

UNARY = ("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp expm1 exp2 log log1p log2 log10 sqrt "
         "cbrt square reciprocal sign floor ceil rint abs isnan isinf isfinite signbit sinc i0 nan_to_num cumsum cumprod sort "
         "argsort median flip rot90 ptp fft.fft fft.rfft2 fft.fftn fft.fftshift linalg.norm tril diag vander").split()
BINARY = ("add subtract multiply divide floor_divide power remainder fmod maximum minimum arctan2 hypot logaddexp copysign "
          "nextafter heaviside").split()
INTEGER = "floor_divide remainder power gcd lcm left_shift right_shift bitwise_and".split()
ALONG = "sum prod max min mean std var argmax argmin any all nansum nanmax count_nonzero".split()
SPECIAL = {"gammaln": 1, "digamma": 1, "erf": 1, "erfc": 1, "erfinv": 1, "ndtr": 1, "ndtri": 1, "logit": 1, "expit": 1,
           "xlogy": 2, "zeta": 2, "betainc": 3, "gammainc": 2}
TYPES = ("bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float16 bfloat16 float64 complex64 "
         "complex128 float8_e5m2 float8_e4m3 float8_e4m3fn float8_e4m3b11fnuz float8_e5m2fnuz float8_e4m3fnuz float8_e3m4 "
         "float8_e8m0fnu float4_e2m1fn").split()


def named(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def families():
    """Functions with the same arguments."""
    for name in UNARY:
        yield name, named(jnp, name), of(6) if name == "vander" else of(4, 6)
    for name in BINARY:
        yield name, named(jnp, name), of(3, 5), of(5)
    for name in INTEGER:
        yield name + "_int", named(jnp, name), of(3, 5, type=S32), of(5, type=S32)
    for name in ALONG:
        yield name, lambda x, f=named(jnp, name): f(x, axis=-1), of(4, 7)
    for name, arguments in SPECIAL.items():
        yield name, named(special, name), *[of(5)] * arguments
    for name in "softmax log_softmax gelu silu relu".split():
        yield name, named(jax.nn, name), of(8, 32)
    for name in TYPES:
        type = named(jnp, name + "_" if name == "bool" else name)
        yield "convert_" + name, lambda x, type=type: x.astype(type).astype(F32), of(4, 5)
        yield "move_" + name, lambda x: jnp.broadcast_to(x.T.reshape(-1)[::2], (3, 10)), of(4, 5, type=type)
    for name in "cholesky qr svd eigh det inv pinv".split():
        yield name, named(jnp.linalg, name), of(4, 4)


def contractions():
    yield "matmul", jnp.matmul, of(4, 5, 6), of(4, 6, 7)
    yield "attention", lambda q, k: jnp.einsum("bhqd,bkhd->bhqk", q, k), of(2, 3, 4, 5), of(2, 6, 3, 5)
    yield "kron", jnp.kron, of(2, 3), of(3, 2)
    yield "cross", jnp.cross, of(4, 3), of(4, 3)
    yield "ragged_dot", lax.ragged_dot, of(6, 4), of(3, 4, 5), of(3, type=S32)
    image, filters = of(2, 9, 9, 4), of(3, 3, 4, 8)
    yield "conv", lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), image, filters
    yield "conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), of(2, 5, 5, 3), of(3, 3, 3, 4)
    yield "conv_grad", jax.grad(lambda w, x: lax.conv_general_dilated(x, w, (1, 1), "VALID", feature_group_count=2).sum()), of(4, 2, 3, 3), of(2, 4, 8, 8)
    yield "solve", jnp.linalg.solve, of(4, 4), of(4)
    yield "solve_triangular", lambda a, b: linalg.solve_triangular(a, b, lower=True), of(4, 4), of(4, 2)
    yield "expm", linalg.expm, of(3, 3)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")


def movement():
    rows, places = of(9, 10), of(5, type=S32)
    yield "take", lambda x, i: jnp.take(x, i, axis=1), of(4, 9), of(3, 2, type=S32)
    yield "take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), of(4, 9), of(4, 3, type=S32)
    yield "index", lambda x, i: x[i, ::2], rows, places
    yield "at_set", lambda x, i, u: x.at[i].set(u), rows, places, of(5, 10)
    yield "at_add", lambda x, i, u: x.at[i, i].add(u), rows, places, of(5)
    yield "at_min", lambda x, i, u: x.at[i].min(u), of(9), places, of(5)
    yield "segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), of(9), of(9, type=S32)
    yield "bincount", lambda x: jnp.bincount(x, length=7), of(9, type=S32)
    yield "dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, i), (2, 3)), of(5, 6), of(type=S32)
    yield "dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), of(5, 6), of(2, 6), of(type=S32)
    yield "roll", lambda x: jnp.roll(x, 3, 1), of(4, 9)
    yield "tile", lambda x: jnp.tile(x, (2, 3)), of(2, 3)
    yield "repeat", lambda x: jnp.repeat(x, 3, 1), of(2, 3)
    yield "reflect", lambda x: jnp.pad(x, ((1, 2), (3, 0)), mode="reflect"), of(4, 5)
    yield "pad", lambda x: lax.pad(x, jnp.zeros((), F32), ((1, -1, 2), (-2, 3, 0))), of(4, 5)
    yield "concatenate", lambda x, y: jnp.concatenate([x, y, x], 1), of(2, 3), of(2, 4)
    yield "where", jnp.where, of(4, type=PRED), of(4), of(4)
    yield "meshgrid", jnp.meshgrid, of(3), of(4)
    yield "bitcast_narrow", lambda x: lax.bitcast_convert_type(x, jnp.int8), of(4)
    yield "bitcast_wide", lambda x: lax.bitcast_convert_type(x, F32), of(4, 4, type=jnp.int8)
    yield "one_hot", lambda x: jax.nn.one_hot(x, 7), of(5, type=S32)
    yield "large_constant", lambda x: jnp.arange(3000, dtype=F32) ** 2 + x, of(3000)


def reductions():
    yield "layer_norm", lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), of(8, 64)
    yield "max_pool", pool, of(1, 7, 7, 2)
    yield "max_pool_grad", jax.grad(lambda x: pool(x).sum()), of(1, 7, 7, 2)
    yield "two_sums", lambda x: lax.reduce((x, x), (jnp.zeros((), F32), jnp.ones((), F32)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1,)), of(3, 4)
    yield "cumulative_logsumexp", lax.cumlogsumexp, of(7)
    yield "associative_scan", lambda x: lax.associative_scan(jnp.add, x), of(13)
    yield "top_k", lambda x: lax.top_k(x, 3), of(4, 9)
    yield "approx_max_k", lambda x: lax.approx_max_k(x, 3), of(4, 64)
    yield "sort_pairs", lambda x, y: lax.sort((x, y), num_keys=2), of(5), of(5)
    yield "searchsorted", jnp.searchsorted, of(9), of(4)
    yield "histogram", lambda x: jnp.histogram(x, 5), of(20)
    yield "unique", lambda x: jnp.unique(x, size=4), of(9)
    yield "nonzero", lambda x: jnp.nonzero(x, size=4), of(9)
    yield "interp", jnp.interp, of(5), of(9), of(9)
    yield "convolve", jnp.convolve, of(9), of(4)
    yield "quantile", lambda x: jnp.quantile(x, 0.3), of(20)


def control():
    yield "scan", lambda x: lax.scan(lambda c, v: (c + v, c * v), jnp.zeros((), F32), x), of(6)
    yield "while", lambda x: lax.while_loop(lambda s: s[1] < 5, lambda s: (s[0] * 2, s[1] + 1), (x, 0)), of(3)
    yield "cond", lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), of(type=PRED), of(3)
    yield "switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), of(type=S32), of(3)
    yield "map", lambda x: lax.map(jnp.sum, x), of(3, 4)
    yield "barrier", lambda x: lax.optimization_barrier((x, x + 1)), of(3)
    yield "print", lambda x: (jax.debug.print("{}", x), x)[1], of(3)
    yield "hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x**2)), of(4)
    yield "grad_log_softmax", jax.grad(lambda x: jax.nn.log_softmax(x)[0, 1]), of(3, 5)
    yield "grad_gather", jax.grad(lambda x, i: x[i].sum()), of(9), of(4, type=S32)
    yield "grad_sort", jax.grad(lambda x: jnp.sort(x)[2]), of(7)
    yield "grad_scan", jax.grad(lambda x: lax.scan(lambda c, v: (c * v, c), jnp.ones((), F32), x)[0]), of(6)
    yield "random_uniform", lambda k: jax.random.uniform(k, (5,)), KEY
    yield "random_normal", lambda k: jax.random.normal(k, (5,)), KEY
    yield "random_permutation", lambda k: jax.random.permutation(k, 9), KEY
    yield "random_gamma", lambda k: jax.random.gamma(k, 2.0, (3,)), KEY
    yield "rng_bit_generator", lambda k: lax.rng_bit_generator(k, (4,)), of(4, type=jnp.uint32)


def devices():
    mesh, P = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2), PartitionSpec

    def on_each(function, inside, outside, type=F32):
        return jax.shard_map(function, mesh=mesh, in_specs=inside, out_specs=outside), of(16, 8, type=type)

    yield "psum", *on_each(lambda x: lax.psum(x, "x"), P("x", "y"), P(None, "y"))
    yield "pmax", *on_each(lambda x: lax.pmax(x, ("x", "y")), P("x", "y"), P())
    yield "ppermute", *on_each(lambda x: lax.ppermute(x, "x", [(0, 1), (1, 2), (2, 3), (3, 0)]), P("x", "y"), P("x", "y"))
    yield "all_to_all", *on_each(lambda x: lax.all_to_all(x, "x", 1, 0, tiled=True), P("x"), P("x"))
    yield "psum_scatter", *on_each(lambda x: lax.psum_scatter(x, "x", tiled=True), P("x"), P("x"))
    yield "axis_index", *on_each(lambda x: x + lax.axis_index("x"), P("x", "y"), P("x", "y"), S32)
    split = NamedSharding(mesh, P("x", "y"))
    yield "partitioned", lambda x, y: lax.with_sharding_constraint(x @ y, split), of(8, 8), of(8, 8)


def functions():
    for family in (families, contractions, movement, reductions, control, devices):
        yield from family()


def modules(name, function, arguments):
    """(which, text) of what JAX writes and of what XLA leaves."""
    lowered = jax.jit(function).lower(*arguments)
    yield name + ".hlo", lowered.as_text("hlo")
    if name != "print":  # calls back into this process
        yield name + ".optimized.hlo", lowered.compile().as_text()


def judge(affirm, path):
    """(outcome, why); an outcome that is not fine starts with "wrong"."""
    maps = subprocess.run([affirm, "indexing", "--all", "--summary", "--json", path], text=True, capture_output=True)
    if maps.returncode != 0:
        return "wrong: not analyzed", maps.stderr[:300]
    check = subprocess.run([affirm, "check", "--json", path], text=True, capture_output=True)
    if check.returncode == 0:
        return "affirmed", ""
    why = check.stderr[:300]
    if check.returncode in (1, 2):
        why = next(f["text"] for module in json.loads(check.stdout)["modules"] for f in module["findings"])
    return ("unknown" if check.returncode == 2 else f"wrong: status {check.returncode}"), why


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--only", nargs="*", help="these functions alone")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the modules")
    options = parser.parse_args()
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, function, *arguments in functions():
            if options.only and name not in options.only:
                continue
            for which, text in modules(name, function, arguments):
                path = folder / which
                path.write_text(text)
                outcome, why = judge(options.affirm, path)
                counts[outcome] += 1
                if outcome == "unknown":
                    reasons[re.sub(r"'[^']*'|%\S+|\S*:?\d+\S*| in \S+", "#", why)] += 1
                elif outcome != "affirmed":
                    print(f"{which}: {outcome}: {why}", flush=True)
    for why, count in reasons.most_common():
        print(f"  {count} unknown: {why}")
    print(f"jax {jax.__version__}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    return 1 if any(outcome.startswith("wrong") for outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
