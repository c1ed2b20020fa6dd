"""JAX programs by kind, with their arguments, in small shapes. `xla_dump.py` makes dumps of them."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

F32, BF16, F16, S32 = jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32


def of(*sizes, type=F32):
    return jax.ShapeDtypeStruct(sizes, type)


KEY = of(2, type=jnp.uint32)


# Normalizations.


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def rms_norm(x, scale):
    wide = x.astype(F32)
    return (wide * lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def batch_norm(x, scale, shift):
    mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(var + 1e-5) * scale + shift, mean, var


def group_norm(x):
    parts = x.reshape(x.shape[0], -1, 4, x.shape[-1] // 4)
    return ((parts - parts.mean((1, 3), keepdims=True)) * lax.rsqrt(parts.var((1, 3), keepdims=True) + 1e-5)).reshape(x.shape)


# Transformers.


def attention(q, k, v):
    return jax.nn.softmax(jnp.einsum("qd,kd->qk", q, k)) @ v


def causal_attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, jnp.finfo(scores.dtype).min)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores.astype(F32)).astype(v.dtype), v)


def rope(x):
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[0])[:, None, None] / 10000 ** (jnp.arange(half) / half)
    sin, cos = jnp.sin(angles).astype(x.dtype), jnp.cos(angles).astype(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def cache_update(cache, new, position):
    return lax.dynamic_update_slice(cache, new, (0, position, 0))


def swiglu(x, gate, up, down):
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


def transformer_block(x, qkv, out, up, down):
    heads = lambda t: t.reshape(*t.shape[:-1], 4, -1)
    q, k, v = map(heads, jnp.split(layer_norm(x) @ qkv, 3, -1))
    x = x + causal_attention(q, k, v).reshape(x.shape) @ out
    return x + jax.nn.gelu(layer_norm(x) @ up) @ down


def block_of(type):
    return (of(2, 16, 32, type=type), of(32, 96, type=type), of(32, 32, type=type), of(32, 128, type=type), of(128, 32, type=type))


def block_loss(*args):
    return (transformer_block(*args).astype(F32) ** 2).mean()


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits.astype(F32)), labels[:, None], 1).mean()


def experts(x, router, weights):
    gates, which = lax.top_k(jax.nn.softmax(x @ router), 2)
    return jnp.einsum("te,td,edf->tf", (jax.nn.one_hot(which, router.shape[1]) * gates[..., None]).sum(1), x, weights)


def label_smoothing(logits, labels):
    goal = jax.nn.one_hot(labels, logits.shape[1]) * 0.9 + 0.1 / logits.shape[1]
    return -(goal * jax.nn.log_softmax(logits)).sum(-1)


# Convolutions and images.


def conv(x, kernel, stride=1, **keywords):
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), **keywords)


def conv_block(x, kernel, scale, shift):
    return jax.nn.relu(batch_norm(conv(x, kernel), scale, shift)[0])


def pool(x, init, combine):
    return lax.reduce_window(x, init, combine, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def max_pool(x):
    return pool(x, -jnp.inf, lax.max)


# Scans and loops.


def linear_recurrence(a, b):
    return lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (a, b))[1]


def rnn(x, w, h):
    return lax.scan(lambda h, x: (jnp.tanh(x + h @ w),) * 2, h, x)[1]


def lstm(x, w, state):
    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
    return lax.scan(step, state, x)[0]


def newton(x):
    return lax.while_loop(lambda s: (jnp.abs(s * s - x) > 1e-3).any(), lambda s: (s + x / s) / 2, x)


# Sampling.


def nucleus(key, logits):
    order = jnp.sort(jax.nn.softmax(logits))[:, ::-1]
    cut = jnp.take_along_axis(order, (jnp.cumsum(order, -1) < 0.9).sum(-1, keepdims=True), 1)
    return jax.random.categorical(key, jnp.where(jax.nn.softmax(logits) >= cut, logits, -jnp.inf))


def top_k_sample(key, logits):
    values, which = lax.top_k(logits, 8)
    return jnp.take_along_axis(which, jax.random.categorical(key, values)[:, None], 1)


def dropout(key, x):
    return jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0).astype(x.dtype)


def stochastic_round(key, x):
    bits = lax.bitcast_convert_type(x, jnp.uint32) + (jax.random.bits(key, x.shape) & 0xFFFF)
    return lax.bitcast_convert_type((bits >> 16).astype(jnp.uint16), BF16)


# Optimizers.


def adam(params, grads, m, v, step, decay=0.0):
    m, v = 0.9 * m + 0.1 * grads, 0.999 * v + 0.001 * grads * grads
    update = m / (1 - 0.9**step) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return params - 1e-3 * (update + decay * params), m, v


def adamw_mixed(master, grads, m, v, step):
    master, m, v = adam(master, grads.astype(F32), m, v, step, 0.1)
    return master, m, v, master.astype(BF16)


def adafactor(params, grads, rows, columns):
    square = grads * grads + 1e-30
    rows, columns = 0.9 * rows + 0.1 * square.mean(1), 0.9 * columns + 0.1 * square.mean(0)
    return params - 1e-2 * grads * lax.rsqrt(rows / rows.mean())[:, None] * lax.rsqrt(columns), rows, columns


def momentum(params, grads, m):
    return jax.tree.map(lambda p, g, m: (p - 0.1 * (0.9 * m + g), 0.9 * m + g), params, grads, m)


def lion(params, grads, m):
    return params - 1e-4 * jnp.sign(0.9 * m + 0.1 * grads), 0.99 * m + 0.01 * grads


def clip_by_norm(grads):
    norm = jnp.sqrt(sum((g.astype(F32) ** 2).sum() for g in grads))
    return [g * jnp.minimum(1.0, 1 / norm).astype(g.dtype) for g in grads]


# Mixed precision and quantization.


def loss_scaling(params, grads, scale):
    finite = jnp.isfinite(grads).all()
    update = params - 0.1 * grads.astype(F32) / scale
    return jnp.where(finite, update, params), jnp.where(finite, scale * 2, scale / 2)


def quantize(x):
    scale = jnp.abs(x).max(-1, keepdims=True) / 127
    return jnp.clip(jnp.round(x / scale), -127, 127).astype(jnp.int8), scale


def float8(x):
    scale = 448 / jnp.abs(x.astype(F32)).max()
    return (x * scale).astype(jnp.float8_e4m3fn), 1 / scale


def grad(function, *which):
    return jax.grad(lambda *args: (function(*args).astype(F32) ** 2).sum(), which or 0)


def programs():
    """name -> (function, arguments)"""
    integer, labels, image = of(type=S32), of(8, type=S32), of(2, 8, 8, 4)
    random = jax.random
    return {
        # A slice of a slice whose outer start lies outside of its operand, which XLA's algebraic simplifier gets wrong.
        "roll": (lambda x, shift, start: lax.dynamic_slice(jnp.roll(x, shift), [start], [4]), (of(9, type=S32), integer, integer)),
        "softmax": (jax.nn.softmax, (of(8, 100),)),
        "log_softmax_bf16": (jax.nn.log_softmax, (of(8, 96, type=BF16),)),
        "softmax_grad": (grad(jax.nn.softmax), (of(8, 100),)),
        "layer_norm": (layer_norm, (of(8, 64),)),
        "layer_norm_grad": (jax.grad(lambda x: (layer_norm(x) ** 2 * x).sum()), (of(8, 64),)),
        "rms_norm_bf16": (rms_norm, (of(8, 128, type=BF16), of(128, type=BF16))),
        "rms_norm_grad": (grad(rms_norm, 0, 1), (of(8, 128), of(128))),
        "batch_norm": (batch_norm, (image, of(4), of(4))),
        "group_norm_f16": (group_norm, (of(2, 16, 16, type=F16),)),
        "attention": (attention, (of(16, 32), of(24, 32), of(24, 32))),
        "attention_grad": (grad(attention, 0, 1, 2), (of(16, 32), of(24, 32), of(24, 32))),
        "causal_attention_bf16": (causal_attention, (of(2, 16, 4, 8, type=BF16),) * 3),
        "causal_attention_f16": (causal_attention, (of(1, 32, 2, 16, type=F16),) * 3),
        "rope": (rope, (of(16, 4, 8),)),
        "rope_bf16": (rope, (of(16, 4, 8, type=BF16),)),
        "cache_update": (jax.jit(cache_update, donate_argnums=0), (of(2, 64, 16, type=BF16), of(2, 1, 16, type=BF16), integer)),
        "gelu": (jax.nn.gelu, (of(33, 65),)),
        "swiglu_bf16": (swiglu, (of(16, 32, type=BF16), of(32, 64, type=BF16), of(32, 64, type=BF16), of(64, 32, type=BF16))),
        "transformer_block": (transformer_block, block_of(F32)),
        "transformer_block_bf16": (transformer_block, block_of(BF16)),
        "transformer_block_grad": (jax.grad(block_loss, (1, 2, 3, 4)), block_of(F32)),
        "transformer_block_grad_bf16": (jax.grad(block_loss, (1, 2, 3, 4)), block_of(BF16)),
        "embedding": (lambda table, ids: table[ids] * 4, (of(100, 16, type=BF16), labels)),
        "embedding_grad": (grad(lambda table, ids: table[ids]), (of(100, 16), labels)),
        "cross_entropy": (cross_entropy, (of(8, 50, type=BF16), labels)),
        "cross_entropy_grad": (jax.grad(cross_entropy), (of(8, 50), labels)),
        "label_smoothing": (label_smoothing, (of(8, 50), labels)),
        "experts": (experts, (of(16, 8), of(8, 4), of(4, 8, 8))),
        "conv": (conv_block, (image, of(3, 3, 4, 8), of(8), of(8))),
        "conv_grad": (grad(conv, 0, 1), (image, of(3, 3, 4, 8))),
        "depthwise_conv_f16": (functools.partial(conv, feature_group_count=4), (of(2, 8, 8, 4, type=F16), of(3, 3, 1, 4, type=F16))),
        "max_pool": (max_pool, (image,)),
        "max_pool_grad": (grad(max_pool), (image,)),
        "mean_pool": (lambda x: pool(x, 0.0, lax.add) / 4, (image,)),
        "resize": (lambda x: jax.image.resize(x, (2, 12, 12, 4), "bilinear"), (image,)),
        "cumsum": (lambda x: jnp.cumsum(x, 1), (of(8, 40),)),
        "cummax_bf16": (lambda x: lax.cummax(x, 0), (of(40, 8, type=BF16),)),
        "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), (of(4, 16),)),
        "linear_recurrence": (linear_recurrence, (of(16, 8), of(16, 8))),
        "rnn": (rnn, (of(5, 4, 8), of(8, 8), of(4, 8))),
        "lstm": (lstm, (of(5, 4, 8), of(16, 32), (of(4, 8), of(4, 8)))),
        "rnn_grad": (grad(rnn, 0, 1), (of(5, 4, 8), of(8, 8), of(4, 8))),
        "newton": (newton, (of(16),)),
        "loop": (lambda x: lax.fori_loop(0, 5, lambda i, s: s * 2 + i, x), (of(33, type=S32),)),
        "sort": (jnp.sort, (of(4, 50),)),
        "argsort_bf16": (jnp.argsort, (of(4, 50, type=BF16),)),
        "sort_by_key": (lambda k, v: lax.sort((k, v), num_keys=1), (of(64, type=S32), of(64))),
        "top_k": (lambda x: lax.top_k(x, 5), (of(4, 64),)),
        "searchsorted": (jnp.searchsorted, (of(64), of(10))),
        "median": (lambda x: jnp.median(x, 1), (of(4, 31),)),
        "unique": (lambda x: jnp.unique(x, size=16), (of(32, type=S32),)),
        "uniform": (lambda key: random.uniform(key, (8, 33)), (KEY,)),
        "normal_bf16": (lambda key: random.normal(key, (8, 33), BF16), (KEY,)),
        "categorical": (random.categorical, (KEY, of(4, 50))),
        "nucleus": (nucleus, (KEY, of(4, 32))),
        "top_k_sample": (top_k_sample, (KEY, of(4, 32))),
        "dropout_bf16": (dropout, (KEY, of(8, 64, type=BF16))),
        "permutation": (lambda key: random.permutation(key, 40), (KEY,)),
        "momentum": (momentum, ([of(32, 16), of(16)],) * 3),
        "adam": (adam, (of(32, 16), of(32, 16), of(32, 16), of(32, 16), of())),
        "adamw_mixed": (jax.jit(adamw_mixed, donate_argnums=(0, 2, 3)),
                        (of(32, 16), of(32, 16, type=BF16), of(32, 16), of(32, 16), of())),
        "adafactor": (adafactor, (of(32, 16), of(32, 16), of(32), of(16))),
        "lion_f16": (lion, (of(32, 16, type=F16),) * 3),
        "clip_by_norm": (clip_by_norm, ([of(32, 16), of(16), of(8, 8, type=BF16)],)),
        "loss_scaling": (loss_scaling, (of(32, 16), of(32, 16, type=F16), of())),
        "matmul_mixed": (lambda x, w: jnp.dot(x, w, preferred_element_type=F32) + 1, (of(16, 32, type=BF16), of(32, 8, type=BF16))),
        "quantize": (quantize, (of(16, 64, type=BF16),)),
        "float8": (float8, (of(16, 64, type=BF16),)),
        "stochastic_round": (stochastic_round, (KEY, of(8, 64))),
        "transpose": (lambda x: jnp.tanh(x.T), (of(64, 48),)),
        "row_reduce": (lambda x: jnp.exp(x).sum(-1), (of(100, 517),)),
        "column_reduce_bf16": (lambda x: x.sum(0), (of(200, 100, type=BF16),)),
        "concatenate": (lambda x, y: jnp.concatenate([x * 2, y + 1, x], 1), (of(6, 5), of(6, 9))),
        "scatter": (lambda x, i, u: x.at[i].add(u), (of(9, 10), of(5, type=S32), of(5, 10))),
        "segment_sum": (lambda x, s: jax.ops.segment_sum(x, s, 4), (of(20, 8), of(20, type=S32))),
        "argmax": (lambda x: (x.argmax(1), x.max(1)), (of(8, 40),)),
        "bincount": (lambda x: jnp.bincount(x, length=16), (of(50, type=S32),)),
        "nearest": (lambda x, y: ((x[:, None] - y) ** 2).sum(-1).argmin(1), (of(10, 4), of(12, 4))),
    }
