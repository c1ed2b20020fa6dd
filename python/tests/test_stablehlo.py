"""StableHLO as `jax.jit(f).lower(..).as_text()` prints it: each module is read, checked, is what jaxlib's own conversion makes of it, and its
value is XLA's on the CPU."""

import numpy
import pytest

jax = pytest.importorskip("jax", reason="no JAX; `./dev test` brings it")
import jax.numpy as jnp
from jax import lax

from affirm import Error, Module, jaxlib_api

RANDOM = numpy.random.default_rng(48)


def floats(*sizes, type="float32"):
    return jnp.asarray(RANDOM.standard_normal(sizes), type)


def integers(low, high, *sizes, type="int32"):
    return jnp.asarray(RANDOM.integers(low, high, sizes), type)


def complexes(*sizes):
    return floats(*sizes) + 1j * floats(*sizes)


def conv(*strides, **keywords):
    return lambda x, w: lax.conv_general_dilated(x, w, strides, keywords.pop("padding", "SAME"),
                                                 dimension_numbers=("NHWC", "HWIO", "NHWC"), **keywords)


def window(init, combine, *sizes, **keywords):
    return lambda x: lax.reduce_window(x, init, combine, sizes, keywords.get("strides", (1,) * len(sizes)), keywords.get("padding", "VALID"),
                                       keywords.get("base"), keywords.get("dilation"))


def variadic(x, y):
    return lax.reduce((x, y), (0.0, jnp.int32(0)), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (1,))


def solve_newton(x):
    return lax.while_loop(lambda s: s[1] < 4, lambda s: ((s[0] + x / s[0]) / 2, s[1] + 1), (x, 0))[0]


def loop_of_captured(x, w):
    return lax.fori_loop(0, 3, lambda i, s: jnp.tanh(s @ w + x), x)


def branches(i, x, y):
    return lax.switch(i, [lambda: x + y, lambda: x * 2, lambda: (y - x) @ jnp.ones((4, 4)), lambda: jnp.zeros_like(x)])


X, Y, P, N = floats(3, 4), floats(3, 4), abs(floats(3, 4)) + 0.1, integers(-9, 9, 3, 4)
# name -> (function, arguments)
FUNCTIONS = {
    # Element by element.
    "arithmetic": (lambda x, y: (x + y, x - y, x * y, x / y, -x, jnp.maximum(x, y), jnp.minimum(x, y)), X, Y),
    "powers": (lambda x: (jnp.sqrt(x), lax.rsqrt(x), jnp.cbrt(x), x**2.5, lax.square(x), lax.integer_pow(x, 3)), P),
    "exponentials": (lambda x: (jnp.exp(x), jnp.expm1(x), jnp.log(x), jnp.log1p(x), lax.logistic(x)), P),
    "trigonometry": (lambda x: (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.tanh(x), lax.atan2(x, x + 1)), X),
    "roundings": (lambda x: (jnp.floor(x), jnp.ceil(x), jnp.round(x), lax.round(x), jnp.sign(x), jnp.abs(x)), X),
    "erf": (lax.erf, X),
    "hyperbolic": (lambda x: (lax.sinh(x), lax.cosh(x)), X),
    "finite": (jnp.isfinite, jnp.asarray([1, jnp.inf, -jnp.inf, jnp.nan])),
    "logic": (lambda x, y: ((x > 0) & (y > 0), (x > 0) | (y > 0), (x > 0) ^ (y > 0), ~(x > 0)), X, Y),
    "comparisons": (lambda x, y: (x < y, x <= y, x == y, x != y, x >= y, x > y), N, N[::-1]),
    "bits": (lambda x: (x & 6, x | 1, x ^ 5, ~x, lax.population_count(x), lax.clz(x)), N),
    "shifts": (lambda x: (x << 3, x >> 2, lax.shift_right_logical(x, 2)), N),
    "unsigned": (lambda x: (x // 3, x % 3, x + 7), integers(0, 99, 5, type="uint8")),
    "integer_division": (lambda x, y: (lax.div(x, y), lax.rem(x, y), x // y, x % y), N, abs(N) + 1),
    "remainder": (lambda x, y: lax.rem(x, y), X, P),
    "select": (lambda x, y: jnp.where(x > y, x, y * 2), X, Y),
    "clamp": (lambda x: jnp.clip(x, -0.5, 0.5), X),
    "clamp_scalars": (lambda x, a: lax.clamp(a, x, a + 1), X, jnp.float32(0.1)),
    "converts": (lambda x: (x.astype("int32"), x.astype("bool"), x.astype("bfloat16"), x.astype("float16")), X),
    "narrow_floats": (lambda x: x.astype("float8_e4m3fn").astype("float32"), X),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 3), X),
    "bitcast": (lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(x, jnp.uint8)), X),
    "complex": (lambda x: (jnp.real(x), jnp.imag(x), jnp.conj(x), x * x, jnp.abs(x)), complexes(4)),
    "half_types": (lambda x: jax.nn.silu(x), floats(3, 4, type="bfloat16")),
    # Constants.
    "constants": (lambda x: x + jnp.asarray([[1.5, -jnp.inf, jnp.inf, 1e-40]]), X),
    "nan": (lambda x: jnp.where(x > 0, x, jnp.nan), X),
    "large_constant": (lambda x: x + jnp.asarray(numpy.arange(300, dtype="float32").reshape(75, 4) / 7)[3:6], X),
    "constants_of_types": (lambda: (jnp.asarray([True, False]), jnp.asarray([1 + 2j]), jnp.asarray([3, 200], jnp.uint8), jnp.arange(3)),),
    # Moves.
    "broadcast": (lambda x: (jnp.broadcast_to(x, (2, 3, 4)), x[:, None] + x[None], x[:1] + x), X),
    "reshape": (lambda x: (x.reshape(2, 6), x[None], x.reshape(-1)), X),
    "transpose": (lambda x: (x.T, x[None].transpose(2, 0, 1)), X),
    "iota": (lambda: (jnp.arange(7), lax.broadcasted_iota("float32", (3, 4), 1)),),
    "reverse": (lambda x: (x[::-1], x[:, ::-1]), X),
    "slice": (lambda x: (x[1:, :3], x[::2, 1::2]), X),
    "concatenate": (lambda x, y: (jnp.concatenate([x, y, x], 1), jnp.stack([x, y])), X, Y),
    "pad": (lambda x: (jnp.pad(x, 1), lax.pad(x, 2.0, ((1, -1, 2), (0, 3, 0)))), X),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, i), (2, 2)), X, jnp.asarray(2)),
    "dynamic_update_slice": (lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)), X, floats(2, 2), jnp.asarray(3)),
    "gather": (lambda x, i: (x[i], jnp.take(x, i, axis=1), jnp.take_along_axis(x, i[:, None], 1)), X, integers(0, 3, 3)),
    "scatter": (lambda x, i, u: (x.at[i].add(u), x.at[i].set(u, unique_indices=True), x.at[i].max(u)), X, jnp.asarray([2, 0]), floats(2, 4)),
    "scatter_apply": (lambda x, i: x.at[i].multiply(3.0), X, jnp.asarray([1])),
    # Products.
    "matmul": (jnp.matmul, X, floats(4, 5)),
    "batched_matmul": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), floats(2, 3, 4), floats(2, 4, 5)),
    "outer": (lambda a, b: lax.dot_general(a, b, (((), ()), ((), ()))), floats(3), floats(4)),
    "precisions": (lambda a, b: jnp.dot(a, b, precision="highest"), X, floats(4, 5)),
    "mixed_product": (lambda a, b: jnp.dot(a, b, preferred_element_type="float32"), floats(3, 4, type="bfloat16"), floats(4, 2, type="bfloat16")),
    "integer_product": (lambda a, b: a @ b, N, N.T),
    "conv": (conv(2, 1), floats(1, 6, 5, 2), floats(3, 3, 2, 4)),
    "conv_grouped": (conv(1, 1, feature_group_count=2), floats(1, 4, 4, 4), floats(2, 2, 2, 4)),
    "conv_dilated": (conv(1, 1, padding=((1, 2), (0, 1)), lhs_dilation=(2, 1), rhs_dilation=(1, 2)), floats(1, 4, 5, 1), floats(2, 2, 1, 3)),
    "conv_grad": (jax.grad(lambda w, x: (conv(1, 1)(x, w) ** 2).sum()), floats(2, 2, 1, 2), floats(1, 4, 4, 1)),
    # Folds.
    "reductions": (lambda x: (x.sum(1), x.max(0), x.min(), x.prod(0), (x > 0).any(1), (x > 0).all()), X),
    "argmax": (lambda x: (x.argmax(1), x.argmin(0)), X),
    "variadic_reduce": (variadic, X, N),
    "reduce_window": (window(-jnp.inf, lax.max, 2, 2, strides=(1, 2), padding="SAME"), X),
    "window_dilated": (window(0.0, lax.add, 2, 1, base=(2, 1), dilation=(2, 1)), X),
    "max_pool_grad": (jax.grad(lambda x: (window(-jnp.inf, lax.max, 2, 2, strides=(2, 2))(x) ** 2).sum()), floats(4, 6)),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)), X),
    "associative_scan": (lambda x: lax.associative_scan(jnp.maximum, x), floats(7)),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x, axis=0)), X),
    "sort_pairs": (lambda k, v: lax.sort((k, v), num_keys=1), integers(0, 5, 9), floats(9)),
    "top_k": (lambda x: lax.top_k(x, 2), X),
    # Control.
    "while": (solve_newton, P),
    "loop_of_captured": (loop_of_captured, X, floats(4, 4)),
    "scan": (lambda w, x: lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, jnp.zeros(4), x), floats(4, 4), floats(5, 4)),
    "scan_reversed": (lambda x: lax.scan(lambda c, x: (c + x, c * x), 0.0, x, reverse=True), floats(6)),
    "nested_loops": (lambda x: lax.map(lambda r: lax.fori_loop(0, 3, lambda i, s: s * 0.5 + r.sum() + i, 0.0), x), X),
    "cond": (lambda p, x: lax.cond(p, jnp.sin, lambda x: x * 2, x), jnp.asarray(True), X),
    "switch": (branches, jnp.asarray(2), X[:, :4], Y),
    "call": (lambda x: jax.jit(jnp.tanh)(x) + jax.jit(jnp.tanh)(x * 2), X),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))(x).sum()), X),
    "custom_jvp": (jax.grad(lambda x: jax.nn.relu(x).sum()), X),
    # Libraries and random numbers.
    "fft": (lambda x: (jnp.fft.rfft(x), jnp.fft.fft(x)), floats(8)),
    "cholesky": (lambda x: jnp.linalg.cholesky(x @ x.T + 4 * jnp.eye(3)), X),
    "random_bits": (lambda k: jax.random.bits(k, (5,)), jax.random.key(3)),
    "uniform": (lambda k: jax.random.uniform(k, (5,)), jax.random.key(4)),
    # Whole programs.
    "softmax": (jax.nn.softmax, X),
    "layer_norm_grad": (jax.grad(lambda x: (((x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)) ** 2 * x).sum()), X),
    "attention": (lambda q, k, v: jax.nn.softmax(q @ k.T) @ v, X, Y, Y),
    "donated": (jax.jit(lambda x, y: (y * 2, x + 1), donate_argnums=1), X, Y),
}


def stablehlo_of(function, args):
    jitted = function if hasattr(function, "trace") else jax.jit(function, keep_unused=True)
    return jitted.trace(*args).lower(lowering_platforms=("cpu",)).as_text()


def test_there_are_sixty():
    assert len(FUNCTIONS) >= 60


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_module_is_read_checked_and_run_as_xla_does(name):
    function, *args = FUNCTIONS[name]
    text = stablehlo_of(function, args)
    module, converted = Module.from_text(text, name="m.mlir"), Module.from_jax(function, *args)
    assert all(row.exactness != "unknown" for row in module.maps())
    assert module.check(time_limit=2).verdict in ("affirmed", "unknown")
    assert module.prove_equal(converted).verdict in ("equal", "unknown")
    leaves = [numpy.asarray(jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)
              for leaf in jax.tree.leaves(args)]
    theirs = tuple(map(numpy.asarray, jax.tree.leaves(jax.jit(function)(*args))))
    theirs = theirs[0] if len(theirs) == 1 else theirs
    assert module.difference(leaves, theirs) is None


def test_places_are_those_of_the_text():
    text = stablehlo_of(lambda x: jnp.exp(x) * 2, [X])
    module = Module.from_text(text)
    assert module.name == "jit__lambda" or module.name.startswith("jit_")
    with pytest.raises(Error, match=r"m.mlir:3:\d+: error: unknown operation 'stablehlo.exponent'"):
        Module.from_text(text.replace("stablehlo.exponential", "stablehlo.exponent"), name="m.mlir")
    with pytest.raises(Error, match=r"m.mlir:3:\d+: error: stablehlo.exponential states tensor<3x5xf32> for %arg0"):
        Module.from_text(text.replace("exponential %arg0 : tensor<3x4xf32>", "exponential %arg0 : tensor<3x5xf32>"), name="m.mlir")


def test_what_hlo_lacks_is_named():
    with pytest.raises(Error, match="chlo.erf_inv has no HLO of its own"):
        Module.from_text(stablehlo_of(lax.erf_inv, [X]))


# JAX itself takes the real part before it converts.
@pytest.mark.parametrize("source, target", [("complex<f32>", "f32"), ("complex<f32>", "i32"), ("complex<f32>", "i1"), ("complex<f64>", "f32"),
                                            ("complex<f32>", "complex<f64>"), ("f32", "complex<f32>")])
def test_conversions_of_complex_numbers_are_those_of_jaxlib(source, target):
    text = f"""module @m {{
      func.func public @main(%a: tensor<4x{source}>) -> tensor<4x{target}> {{
        %0 = stablehlo.convert %a : (tensor<4x{source}>) -> tensor<4x{target}>
        return %0 : tensor<4x{target}>
      }}
    }}"""
    module, hlo = Module.from_text(text), Module.from_text(jaxlib_api.to_hlo(text))
    assert [i.opcode for i in module.instructions] == [i.opcode for i in hlo.instructions]
    assert module.prove_equal(hlo).verdict == "equal"
