#!/usr/bin/env python3
"""Every comparator that JAX makes, affirmed.

  jax_sorts.py --affirm build/tools/affirm [--only NAME ...] [--keep DIR] [--jobs N]

Sorts of every element type, along both axes, upwards and downwards, by one to three keys, stable or not, and what JAX makes
of them (argsort, lexsort, top-k, percentiles, unique), as JAX writes them and as XLA's CPU backend leaves them after its
passes. Each must be affirmed by `check`: its kernels have code, agree with the interpreter, and are proved where that says so.
Exit status: 0 when that is so, 1 when not, 77 (a skip for ctest) without JAX.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
except ImportError as error:
    print(f"skipped: {error}; `./dev test` brings JAX")
    sys.exit(77)

jax.config.update("jax_enable_x64", True)

F32, S32 = jnp.float32, jnp.int32
TYPES = ("bool int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
         "float8_e5m2 float8_e4m3 float8_e4m3fn float8_e4m3b11fnuz float8_e5m2fnuz float8_e4m3fnuz float8_e3m4").split()


def of(*sizes, type=F32):
    return jax.ShapeDtypeStruct(sizes, type)


def by_keys(operands, num_keys, is_stable):
    return lambda *arrays: lax.sort(arrays, num_keys=num_keys, is_stable=is_stable), *operands


def sorts():
    for name in TYPES:
        x = of(3, 21, type=getattr(jnp, name))
        yield "sort_" + name, jnp.sort, x
        yield "descending_" + name, lambda x: jnp.sort(x, axis=0, descending=True), x
        yield "argsort_" + name, jnp.argsort, x
        yield "unstable_" + name, lambda x: lax.sort(x, dimension=0, is_stable=False), x
        yield "pairs_" + name, *by_keys((x, of(3, 21, type=S32)), 1, True)
    keys = of(30), of(30, type=S32), of(30, type=jnp.complex64), of(30, type=jnp.uint8)
    for num_keys in (1, 2, 3):
        for is_stable in (True, False):
            yield f"keys_{num_keys}_{is_stable}", *by_keys(keys, num_keys, is_stable)
    yield "descending_argsort", lambda x: jnp.argsort(x, descending=True, stable=True), of(40)
    yield "unstable_argsort", lambda x: jnp.argsort(x, stable=False), of(40)
    yield "lexsort", lambda x, y: jnp.lexsort((x, y)), of(30), of(30, type=S32)
    yield "sort_complex", jnp.sort_complex, of(20, type=jnp.complex64)
    yield "top_k", lambda x: lax.top_k(x, 3), of(4, 20)
    yield "top_k_integers", lambda x: lax.top_k(x, 5), of(25, type=S32)
    yield "top_k_bfloat16", lambda x: lax.top_k(x, 5), of(2, 25, type=jnp.bfloat16)
    yield "median", jnp.median, of(21)
    yield "percentile", lambda x: jnp.percentile(x, 30), of(21)
    yield "unique", lambda x: jnp.unique(x, size=9), of(21, type=S32)
    yield "rank", lambda x: jnp.argsort(jnp.argsort(x)), of(21)
    yield "searchsorted", lambda x, y: jnp.searchsorted(x, y, method="sort"), of(12), of(5)
    yield "bincount", lambda x: jnp.bincount(x, length=5), of(12, type=S32)
    yield "gradient", jax.grad(lambda x: (jnp.sort(x) * jnp.arange(9.0)).sum()), of(9)


def modules(name, function, arguments):
    """(which, text) of what JAX writes and of what XLA leaves."""
    lowered = jax.jit(function).lower(*arguments)
    yield name + ".hlo", lowered.as_text("hlo")
    yield name + ".optimized.hlo", lowered.compile().as_text()


def judge(affirm, path):
    """(outcome, why)"""
    check = subprocess.run([affirm, "check", "--jobs", "1", "--json", path], text=True, capture_output=True)
    if check.returncode == 0:
        return "affirmed", ""
    if check.returncode not in (1, 2):
        return f"status {check.returncode}", check.stderr[:300]
    findings = [f["text"] for module in json.loads(check.stdout)["modules"] for f in module["findings"]]
    return ("unknown" if check.returncode == 2 else "refuted"), (findings or [""])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--only", nargs="*", help="these functions alone")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the modules")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, function, *arguments in sorts():
            if options.only and name not in options.only:
                continue
            for which, text in modules(name, function, arguments):
                paths.append(folder / which)
                paths[-1].write_text(text)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for path, (outcome, why) in zip(paths, pool.map(lambda path: judge(options.affirm, path), paths)):
                counts[outcome] += 1
                if outcome != "affirmed":
                    print(f"{path.name}: {outcome}: {why}", flush=True)
    print(f"jax {jax.__version__}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    return 0 if set(counts) <= {"affirmed"} else 1


if __name__ == "__main__":
    sys.exit(main())
