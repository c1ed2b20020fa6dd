"""JAX functions: each is read as a module, has maps, and the interpreter's value is JAX's own on the CPU, up to roundings
(`Module.difference` says how far; integers and moves of elements are exact). And `assert_affirmed`."""

import copy
import functools
import importlib.metadata
import os
import pickle
import sys

import numpy
import pytest

jax = pytest.importorskip("jax", reason="no JAX; `./dev test` brings it")
import jax.numpy as jnp
from jax import lax

from affirm import CheckReport, Error, Module, assert_affirmed, jax_functions

RANDOM = numpy.random.default_rng(22)


def floats(*sizes, type="float32"):
    return jnp.asarray(RANDOM.standard_normal(sizes), type)


def integers(low, high, *sizes):
    return jnp.asarray(RANDOM.integers(low, high, sizes), "int32")


def layer_norm(x, scale, shift):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + shift


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def causal_attention(q, k, v):
    scores = jnp.where(jnp.tril(jnp.ones((q.shape[0], k.shape[0]), bool)), q @ k.T, -jnp.inf)
    return jax.nn.softmax(scores) @ v


def conv(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def mlp(params, x):
    for layer in params[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def mlp_loss(params, x, y):
    return ((mlp(params, x) - y) ** 2).mean()


def rnn(w, x):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, jnp.zeros(w.shape[0]), x)


def rope(x):
    angles = jnp.arange(x.shape[0])[:, None] / 10000 ** (jnp.arange(x.shape[1] // 2) / x.shape[1])
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), b * jnp.cos(angles) + a * jnp.sin(angles)], -1)


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


def adam(params, grads, m, v):
    m, v = 0.9 * m + 0.1 * grads, 0.999 * v + 0.001 * grads**2
    return params - 0.001 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v


PARAMS = [{"w": floats(6, 8), "b": floats(8)}, {"w": floats(8, 3), "b": floats(3)}]
FUNCTIONS = {
    "matmul": (jnp.matmul, floats(5, 7), floats(7, 3)),
    "batched_matmul": (jnp.matmul, floats(2, 4, 5), floats(2, 5, 3)),
    "einsum": (lambda a, b: jnp.einsum("ijk,kjl->il", a, b), floats(3, 4, 5), floats(5, 4, 2)),
    "softmax": (jax.nn.softmax, floats(6, 33)),
    "log_softmax": (jax.nn.log_softmax, floats(6, 33)),
    "gelu": (jax.nn.gelu, floats(7, 5)),
    "silu_bf16": (jax.nn.silu, floats(7, 5, type="bfloat16")),
    "layer_norm": (layer_norm, floats(4, 32), floats(32), floats(32)),
    "rms_norm": (lambda x: x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6), floats(4, 32)),
    "attention": (attention, floats(2, 5, 2, 4), floats(2, 6, 2, 4), floats(2, 6, 2, 4)),
    "causal_attention": (causal_attention, floats(7, 4), floats(7, 4), floats(7, 4)),
    "rope": (rope, floats(9, 8)),
    "conv": (conv, floats(2, 9, 9, 3), floats(3, 3, 3, 4)),
    "max_pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), floats(1, 7, 7, 2)),
    "scan": (rnn, floats(4, 4), floats(6, 4)),
    "while": (lambda x: lax.while_loop(lambda s: s[1] < 5, lambda s: (s[0] * 1.5, s[1] + 1), (x, 0)), floats(3)),
    "cond": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), jnp.asarray(True), floats(4)),
    "sort": (jnp.sort, floats(3, 17)),
    "argsort": (jnp.argsort, floats(3, 17)),
    "top_k": (lambda x: lax.top_k(x, 3), floats(4, 9)),
    "gather": (lambda x, i: jnp.take(x, i, axis=1), floats(4, 9), integers(0, 9, 3, 2)),
    "scatter_add": (lambda x, i, u: x.at[i].add(u), integers(-5, 5, 9, 4), integers(0, 9, 6), integers(-5, 5, 6, 4)),
    "cumsum": (jnp.cumsum, floats(40)),
    "associative_scan": (lambda x: lax.associative_scan(jnp.maximum, x), floats(13)),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, i), (2, 3)), floats(5, 6), jnp.asarray(9)),
    "one_hot": (lambda x: jax.nn.one_hot(x, 7), integers(0, 7, 5)),
    "pad_reflect": (lambda x: jnp.pad(x, ((1, 2), (3, 0)), mode="reflect"), floats(4, 5)),
    "variance": (lambda x: jnp.var(x, axis=0), floats(30, 4)),
    "cross_entropy": (cross_entropy, floats(5, 11), integers(0, 11, 5)),
    "grad_of_mlp": (jax.grad(mlp_loss), PARAMS, floats(5, 6), floats(5, 3)),
    "mlp": (jax.jit(mlp), PARAMS, floats(5, 6)),
    "grad_of_attention": (jax.grad(lambda *a: (attention(*a) ** 2).sum()), floats(1, 4, 2, 3), floats(1, 4, 2, 3), floats(1, 4, 2, 3)),
    "adam": (adam, floats(6, 8), floats(6, 8), floats(6, 8), jnp.abs(floats(6, 8))),
    "quantize_int8": (lambda x: jnp.clip(jnp.round(x * 31), -127, 127).astype(jnp.int8), floats(8, 8)),
    "float8": (lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.bfloat16), floats(8, 8)),
    "random_bits": (lambda k: jax.random.bits(k, (6,)), jax.random.key(7)),
    "complex": (lambda x: jnp.abs(x * (1 + 2j)).sum(), floats(5).astype("complex64")),
    "segment_sum": (lambda x, i: jax.ops.segment_sum(x, i, 4), integers(-9, 9, 9), integers(0, 4, 9)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_read_has_maps_and_its_values_are_those_of_jax(name):
    function, *args = FUNCTIONS[name]
    module = Module.from_jax(function, *args)
    assert Module.from_text(module.text) == module
    rows = module.maps()
    assert rows and all(row.exactness != "unknown" for row in rows), [row for row in rows if row.exactness == "unknown"]
    theirs, ours = jax.jit(function)(*args), module.run(*args)
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        if a.dtype.kind in "iub":
            assert (a == numpy.asarray(b)).all()
    assert module.difference(args, theirs) is None
    # A value that is not the function's is seen.
    leaves, tree = jax.tree.flatten(ours)
    wrong = [numpy.array(leaf) for leaf in leaves]
    change = next(leaf for leaf in wrong if leaf.size)
    change.flat[-1] = ~change.flat[-1] if change.dtype.kind in "biu" else change.dtype.type(-change.flat[-1] * 2 + 1000)
    assert module.difference(args, tree.unflatten(wrong)) is not None


def test_there_are_thirty():
    assert len(FUNCTIONS) >= 30


def test_trees_of_arguments():
    module = Module.from_jax(jax.grad(mlp_loss), PARAMS, jax.ShapeDtypeStruct((5, 6), "float32"), jax.ShapeDtypeStruct((5, 3), "float32"))
    with pytest.raises(Error, match="not those of the function"):
        module.run(PARAMS)
    with pytest.raises(Error, match="argument 4: expected the sizes"):
        module.run(PARAMS, numpy.zeros((1, 6)), numpy.zeros((5, 3)))  # of 64 bits, which JAX cuts as well


def test_a_jitted_function_that_drops_an_argument():
    module = Module.from_jax(jax.jit(lambda unused, x: x + 1), floats(3), floats(2))
    assert len(module.parameters) == 1 and module.run(numpy.zeros(3), numpy.zeros(2)).tolist() == [1, 1]


def test_methods_of_jitted_functions_keep_their_object(assert_affirmed):
    class Layer:
        @functools.partial(jax.jit, static_argnums=0)
        def scaled(self, x, scale=1.0):
            return jnp.sin(x) * scale

    class Doubled:
        def __call__(self, x):
            return x * 2

        def trace(self):
            return 7

    layer, x = Layer(), numpy.float32(0.5)
    module = Module.from_jax(layer.scaled, x, numpy.float32(2))
    assert module.run(x, numpy.float32(2)) == pytest.approx(2 * numpy.sin(0.5))
    assert_affirmed(layer.scaled, x, numpy.float32(2))
    assert_affirmed(Doubled(), x)


def test_static_arguments_are_those_of_the_module(assert_affirmed):
    for function in (jax.jit(lambda n, x: x * n, static_argnums=0), jax.jit(lambda n, x: x * n, static_argnums=-2),
                     jax.jit(lambda n, x: x * n, static_argnames="n")):
        module, x = Module.from_jax(function, 3, jnp.ones(2)), numpy.ones(2, "f4")
        assert module.run(3, x).tolist() == [3, 3] and module.difference((3, x), function(3, x)) is None
        with pytest.raises(Error, match="argument 0 is static, and the module is that of 3, not of 4"):
            module.run(4, x)
        with pytest.raises(Error, match="not those of the function"):
            module.run(3)
        assert_affirmed(function, 3, jnp.ones(2))


def test_large_constants_are_there():
    table = RANDOM.standard_normal(3000).astype("float32")
    module = Module.from_jax(lambda x: x + jnp.asarray(table), floats(3000))
    assert (module.run(numpy.zeros(3000)) == table).all()


def test_what_jax_raises_goes_through():
    with pytest.raises(TypeError, match="dot_general|contracting|shapes"):
        Module.from_jax(jnp.matmul, floats(2, 3), floats(2, 3))


def test_assert_affirmed(assert_affirmed):
    report = assert_affirmed(jax.nn.softmax, floats(4, 9))
    assert isinstance(report, CheckReport) and report.verdict == "affirmed"
    assert_affirmed(jax.nn.relu, jax.ShapeDtypeStruct((4,), "float32"))


def test_assert_affirmed_leaves_donated_arguments(assert_affirmed):
    x, key = jnp.ones(4), jax.random.key(7)
    assert_affirmed(jax.jit(lambda tree, k: (tree["x"] + 1, jax.random.key_data(k)), donate_argnums=(0, 1)), {"x": x}, key)
    assert x.tolist() == [1, 1, 1, 1] and not key.is_deleted()


def test_assert_affirmed_fails_where_it_must():
    # A callback to the host has no meaning here.
    def scaled(x):
        return jax.pure_callback(lambda x: x, x, x)

    with pytest.raises(AssertionError, match="scaled is not affirmed"):
        assert_affirmed(scaled, floats(3))


def test_assert_affirmed_refuses_unknown_levels_and_targets(monkeypatch):
    def never(*_):
        raise AssertionError("nothing runs")

    monkeypatch.setattr(Module, "from_jax", never)
    # "refuted" is a verdict, and no level: it would pass everything.
    for level in ("prooved", "refuted", "Proved", "", None):
        with pytest.raises(ValueError, match="no level .*: there are unknown, executed, proved"):
            assert_affirmed(jax.nn.relu, floats(3), level=level)
    with pytest.raises(ValueError, match="no target 'h200': there are h100, a100, b200, cpu"):
        assert_affirmed(jax.nn.relu, floats(3), target="h200")


def test_assert_affirmed_compares_with_the_value_of_jax(monkeypatch):
    function = jax.jit(lambda x: x + 1)
    real = type(function).__call__

    class Wrong:
        __name__ = "wrong"
        trace = function.trace

        def __call__(self, x):
            return real(function, x) * 2

    monkeypatch.setattr(jax_functions, "is_jitted", lambda function: True)
    with pytest.raises(AssertionError, match="wrong: JAX and the interpreter differ in output 0 at"):
        assert_affirmed(Wrong(), floats(3))


def test_the_plugin(pytester, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    pytester.makepyfile("""
        import jax, jax.numpy as jnp

        def test_right(assert_affirmed):
            assert_affirmed(jax.nn.relu, jnp.ones(3))

        def test_open(assert_affirmed):
            f = lambda x: jax.pure_callback(lambda x: x, x, x)
            assert_affirmed(f, jax.ShapeDtypeStruct((3,), "float32"))
    """)
    # In a process of its own, as a user's tests are.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(os.path.abspath(path) for path in sys.path if path))
    installed = any(point.name == "affirm" for point in importlib.metadata.entry_points(group="pytest11"))
    result = pytester.runpytest_subprocess(*[] if installed else ["-p", "affirm.pytest_plugin"])
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*is not affirmed*"])


def test_a_copy_keeps_the_trees():
    module = Module.from_jax(lambda d: {"y": d["w"] * 2, "z": (d["x"],)}, {"w": jnp.ones(3), "x": jnp.arange(3)})
    arguments = {"w": numpy.ones(3, "f4"), "x": numpy.arange(3, dtype="i4")}
    expected = module.run(arguments)
    for other in (copy.copy(module), copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert other == module
        found = other.run(arguments)
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        assert module.difference([arguments], found) is None and other.difference([arguments], expected) is None


def test_results_of_programs_are_not_converted():
    module, x = Module.from_jax(lambda x: x + 1, jnp.arange(3)), numpy.arange(3, dtype="i4")
    for wrong in (numpy.array([2**32 + 1, 2, 3]), numpy.array([1.0, 2.0, 3.0])):
        with pytest.raises(Error, match="expected elements of type int32"):
            module.difference([x], wrong)
    for right in (numpy.array([1, 2, 3], "i4"), jnp.arange(1, 4)):
        assert module.difference([x], right) is None
    assert Module.from_jax(lambda x: x[0], jnp.ones(2)).difference([numpy.ones(2, "f4")], 1.0) is None
    key = jax.random.key(7)
    keys = Module.from_jax(lambda k: k, key)
    assert keys.difference([key], key) is None
    # Arguments are cut as JAX cuts them.
    assert module.difference([numpy.arange(3)], numpy.array([1, 2, 3], "i4")) is None


def test_values_that_are_no_arrays_are_errors():
    with pytest.raises(Error, match="is no array"):
        Module.from_jax(lambda x: x, jnp.ones((2, 2))).run([[1.0], [1.0, 2.0]])
    for limit in (-1, float("nan"), float("inf")):
        with pytest.raises(Error, match="time_limit"):
            Module.from_jax(lambda x: x, jnp.ones(2)).check(time_limit=limit)


@pytest.mark.parametrize("text", ["f32[8 128]", "f32[8,,4]", "f32[,]", "f32[8,]", "predabc[3]", "pred8[3]", "f32[-1]", "f32", "f32[8"])
def test_types_on_the_command_line_are_read_as_written(text):
    from affirm.jax import BadInput, argument_of

    with pytest.raises(BadInput):
        argument_of(text)
    assert [argument_of(right).shape for right in ("f32[8,128]", "f32[8, 128]", "s32[]", "pred[3]")] == [(8, 128), (8, 128), (), (3,)]
