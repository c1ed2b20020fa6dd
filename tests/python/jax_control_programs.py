"""More JAX programs, as jax_programs.py has them: loops in loops, branches, decoders, decompositions and transforms."""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from jax_programs import BF16, F16, F32, KEY, S32, attention, block_of, conv, grad, layer_norm, of, pool, transformer_block

S8 = jnp.int8


# Transformers.


def flash_attention(q, k, v):
    """The softmax of blocks of keys, one block a trip."""
    def step(state, block):
        top, total, out = state
        keys, values = block
        scores = q @ keys.T
        new_top = jnp.maximum(top, scores.max(-1))
        weights, old = jnp.exp(scores - new_top[:, None]), jnp.exp(top - new_top)
        return (new_top, total * old + weights.sum(-1), out * old[:, None] + weights @ values), None
    start = jnp.full(q.shape[:1], -jnp.inf), jnp.zeros(q.shape[:1]), jnp.zeros_like(q)
    _, total, out = lax.scan(step, start, (k.reshape(4, -1, k.shape[-1]), v.reshape(4, -1, v.shape[-1])))[0]
    return out / total[:, None]


def grouped_query_attention(q, k, v):
    groups = q.reshape(*q.shape[:2], k.shape[2], -1, q.shape[-1])
    scores = jnp.einsum("bqhgd,bkhd->bhgqk", groups, k, preferred_element_type=F32)
    return jnp.einsum("bhgqk,bkhd->bqhgd", jax.nn.softmax(scores).astype(v.dtype), v).reshape(q.shape)


def sliding_window(q, k, v):
    scores, at = q @ k.T, jnp.arange(q.shape[0])
    near = (at[:, None] >= at) & (at[:, None] - at < 4)
    return jax.nn.softmax(jnp.where(near, scores, -1e30)) @ v


def layers(x, *weights):
    """A block for each row of the weights, one a trip."""
    return lax.scan(lambda x, w: (transformer_block(x, *w), None), x, weights)[0]


def stacked(type):
    x, *weights = block_of(type)
    return x, *[of(3, *w.shape, type=type) for w in weights]


def decode(table, w, token):
    """Tokens one after the other into a cache, each chosen by what is in it."""
    def step(i, state):
        cache, tokens = state
        cache = lax.dynamic_update_slice(cache, table[tokens[i]][None], (i, 0))
        seen = jnp.where(jnp.arange(cache.shape[0])[:, None] <= i, cache, 0).sum(0)
        return cache, tokens.at[i + 1].set((seen @ w).argmax().astype(S32))
    tokens = jnp.zeros(9, S32).at[0].set(token)
    return lax.fori_loop(0, 8, step, (jnp.zeros((9, table.shape[1])), tokens))[1]


def until_end(table, token):
    """Tokens until the one that ends, of which there may be none."""
    def step(state):
        i, tokens = state
        return i + 1, tokens.at[i + 1].set(table[tokens[i]].argmax().astype(S32))
    tokens = jnp.zeros(9, S32).at[0].set(token)
    return lax.while_loop(lambda s: (s[0] < 8) & (s[1][s[0]] != 0), step, (0, tokens))


def lora(x, w, a, b):
    return x @ w + (x @ a) @ b * 0.5


def quantized_matmul(x, scale, w):
    return lax.dot(x, w, preferred_element_type=S32).astype(F32) * scale


def float8_matmul(x, w):
    narrow = lambda t: t.astype(jnp.float8_e4m3fn)
    return jnp.dot(narrow(x), narrow(w), preferred_element_type=F32)


# Loops.


def gru(x, w, u, h):
    def step(h, x):
        z, r = jnp.split(jax.nn.sigmoid(jnp.concatenate([x, h]) @ w), 2)
        h = (1 - z) * h + z * jnp.tanh(jnp.concatenate([x, r * h]) @ u)
        return h, h
    return lax.scan(step, h, x)


def scan_of_scans(x):
    return lax.scan(lambda c, row: lax.scan(lambda c, v: (c + v, c * v), c, row), jnp.zeros(()), x)


def scan_with_branch(x):
    def step(c, v):
        i, s = c
        s = lax.cond(i % 2 == 0, lambda s: s + v, lambda s: s * v, s)
        return (i + 1, s), s
    return lax.scan(step, (0, jnp.ones(x.shape[1:])), x)


def bisect(x):
    def step(state):
        low, high = state
        middle = (low + high) / 2
        return jnp.where(middle * middle < x, middle, low), jnp.where(middle * middle < x, high, middle)
    return lax.while_loop(lambda s: (s[1] - s[0] > 0.25).any(), step, (jnp.zeros_like(x), jnp.full_like(x, 8.0)))


def k_means(points, centers):
    def step(_, centers):
        nearest = ((points[:, None] - centers) ** 2).sum(-1).argmin(1)
        counts = jax.ops.segment_sum(jnp.ones(len(points)), nearest, len(centers))
        return jax.ops.segment_sum(points, nearest, len(centers)) / jnp.maximum(counts, 1)[:, None]
    return lax.fori_loop(0, 4, step, centers)


def power_iteration(a, v):
    return lax.fori_loop(0, 6, lambda _, v: a @ v / jnp.linalg.norm(a @ v), v)


def gradient_descent(w, x, y):
    step = jax.grad(lambda w, x, y: ((x @ w - y) ** 2).mean())
    return lax.scan(lambda w, batch: (w - 0.1 * step(w, *batch), None), w, (x, y))[0]


def microbatches(w, x):
    """The gradients of parts of a batch, summed."""
    step = jax.grad(lambda w, x: (jnp.tanh(x @ w) ** 2).mean())
    return lax.scan(lambda total, part: (total + step(w, part), None), jnp.zeros_like(w), x.reshape(4, -1, x.shape[-1]))[0]


def beam(scores, table):
    """The best four ways, a step a trip."""
    def step(state, _):
        scores, tokens = state
        best, which = lax.top_k((scores[:, None] + table[tokens]).reshape(-1), 4)
        return (best, which % table.shape[1]), which // table.shape[1]
    return lax.scan(step, (scores, jnp.arange(4)), None, 5)


def muon(g):
    x = g / (jnp.linalg.norm(g) + 1e-7)
    def step(_, x):
        a = x @ x.T
        return 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    return lax.fori_loop(0, 5, step, x)


def cumulative_reward(rewards, ends):
    return lax.scan(lambda total, now: ((now[0] + 0.9 * total * (1 - now[1])),) * 2, 0.0, (rewards, ends), reverse=True)[1]


def programs():
    """name -> (function, arguments)"""
    integer, labels, image, random = of(type=S32), of(8, type=S32), of(2, 8, 8, 4), jax.random
    heads = of(2, 16, 4, 8, type=BF16), of(2, 16, 2, 8, type=BF16), of(2, 16, 2, 8, type=BF16)
    signal = functools.partial(lax.conv_general_dilated, dimension_numbers=("NWC", "WIO", "NWC"))
    return {
        "flash_attention": (flash_attention, (of(16, 8), of(32, 8), of(32, 8))),
        "flash_attention_grad": (grad(flash_attention, 0, 1, 2), (of(16, 8), of(32, 8), of(32, 8))),
        "grouped_query_attention_bf16": (grouped_query_attention, heads),
        "sliding_window": (sliding_window, (of(16, 8),) * 3),
        "cross_attention_f16": (attention, (of(16, 32, type=F16), of(24, 32, type=F16), of(24, 32, type=F16))),
        "layers": (layers, stacked(F32)),
        "layers_grad": (grad(layers, 1), stacked(F32)),
        "layers_remat_grad": (grad(lambda x, *w: lax.scan(jax.checkpoint(lambda x, w: (transformer_block(x, *w), None)), x, w)[0], 1), stacked(F32)),
        "decode": (decode, (of(12, 8), of(8, 12), integer)),
        "until_end": (until_end, (of(12, 12), integer)),
        "lora_bf16": (lora, (of(16, 32, type=BF16), of(32, 32, type=BF16), of(32, 4, type=BF16), of(4, 32, type=BF16))),
        "quantized_matmul": (quantized_matmul, (of(16, 32, type=S8), of(8), of(32, 8, type=S8))),
        "float8_matmul": (float8_matmul, (of(16, 32), of(32, 16))),
        "matmul_bf16_algorithm": (lambda x, w: lax.dot(x, w, precision=lax.DotAlgorithmPreset.BF16_BF16_F32), (of(16, 32), of(32, 8))),
        "matmul_bf16_x3": (lambda x, w: lax.dot(x, w, precision=lax.DotAlgorithmPreset.BF16_BF16_F32_X3), (of(16, 32), of(32, 8))),
        "matmul_tf32": (lambda x, w: lax.dot(x, w, precision=lax.DotAlgorithmPreset.TF32_TF32_F32), (of(16, 32), of(32, 8))),
        "matmul_highest": (lambda x, w: jnp.dot(x, w, precision="highest"), (of(16, 32), of(32, 8))),
        "gru": (gru, (of(5, 8), of(16, 16), of(16, 8), of(8))),
        "gru_grad": (grad(lambda *a: gru(*a)[1], 0, 1), (of(5, 8), of(16, 16), of(16, 8), of(8))),
        "scan_of_scans": (scan_of_scans, (of(3, 4),)),
        "scan_with_branch": (scan_with_branch, (of(5, 8),)),
        "scan_unrolled": (lambda x: lax.scan(lambda c, v: (c + v, c * v), jnp.zeros(4), x, unroll=2), (of(6, 4),)),
        "scan_reversed": (cumulative_reward, (of(10), of(10))),
        "associative_scan_matrices": (lambda x: lax.associative_scan(jnp.matmul, x), (of(6, 3, 3),)),
        "bisect": (bisect, (of(16),)),
        "k_means": (k_means, (of(20, 2), of(3, 2))),
        "power_iteration": (power_iteration, (of(8, 8), of(8))),
        "gradient_descent": (gradient_descent, (of(6), of(5, 4, 6), of(5, 4))),
        "microbatches": (microbatches, (of(6, 3), of(16, 6))),
        "beam": (beam, (of(4), of(12, 12))),
        "muon": (muon, (of(8, 16),)),
        "cond": (lambda p, x: lax.cond(p, lambda x: x[::-1] * 2, jnp.sin, x), (of(type=jnp.bool_), of(8))),
        "switch": (lambda i, x: lax.switch(i, [jnp.sin, lambda x: x.T, lambda x: x.sum(0, keepdims=True) + x], x), (integer, of(6, 6))),
        "cond_of_slices": (lambda i, x: lax.cond(i > 2, lambda: lax.dynamic_slice(x, (i, 0), (2, 6)), lambda: x[:2]), (integer, of(6, 6))),
        "map": (lambda x: lax.map(lambda r: jnp.sort(r)[::-1], x), (of(4, 6),)),
        "conv_transpose": (lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), (image, of(3, 3, 4, 4))),
        "conv_dilated_bf16": (functools.partial(conv, rhs_dilation=(2, 2)), (of(2, 8, 8, 4, type=BF16), of(3, 3, 4, 4, type=BF16))),
        "conv_causal": (lambda x, w: signal(x, w, (1,), [(2, 0)]), (of(2, 16, 4), of(3, 4, 8))),
        "conv_strided_grad_bf16": (grad(functools.partial(conv, stride=2), 0, 1), (of(2, 8, 8, 4, type=BF16), of(3, 3, 4, 8, type=BF16))),
        "mean_pool_grad": (grad(lambda x: pool(x, 0.0, lax.add) / 4), (image,)),
        "resize_grad": (grad(lambda x: jax.image.resize(x, (2, 12, 12, 4), "bilinear")), (image,)),
        "patches": (lambda x, w: layer_norm(x.reshape(2, 4, 2, 4, 2, 4).transpose(0, 1, 3, 2, 4, 5).reshape(2, 16, -1) @ w), (image, of(16, 8))),
        "bernoulli": (lambda key: random.bernoulli(key, 0.3, (8, 33)), (KEY,)),
        "gumbel": (lambda key: random.gumbel(key, (8, 33)), (KEY,)),
        "truncated_normal": (lambda key: random.truncated_normal(key, -2, 2, (8, 33)), (KEY,)),
        "randint": (lambda key: random.randint(key, (8, 33), 0, 100), (KEY,)),
        "choice": (lambda key, p: random.choice(key, 16, (5,), p=p), (KEY, of(16))),
        "exponential": (lambda key: random.exponential(key, (8, 8)), (KEY,)),
        "gamma": (lambda key: random.gamma(key, 2.0, (3,)), (KEY,)),
        "poisson": (lambda key: random.poisson(key, 3.0, (3,)), (KEY,)),
        "split_keys": (lambda key: jax.vmap(lambda k: random.uniform(k, (4,)))(random.split(key, 3)), (KEY,)),
        "rng_bit_generator": (lambda key: lax.rng_bit_generator(key, (8, 8)), (of(4, type=jnp.uint32),)),
        "lexsort": (lambda a, b: jnp.lexsort((a, b)), (of(40), of(40, type=S32))),
        "sort_grad": (grad(lambda x: jnp.sort(x, 0)), (of(20, 3),)),
        "top_k_grad": (grad(lambda x: lax.top_k(x, 5)[0]), (of(4, 32),)),
        "quantile": (lambda x: jnp.quantile(x, 0.3, 1), (of(4, 20),)),
        "cumprod_grad": (grad(lambda x: jnp.cumprod(x, 1)), (of(4, 10),)),
        "fft": (jnp.fft.rfft, (of(4, 16),)),
        "fft_convolution": (lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(y)), (of(16), of(16))),
        "cholesky_solve": (lambda a, b: jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(a @ a.T + jnp.eye(6)), True), b), (of(6, 6), of(6))),
        "solve": (jnp.linalg.solve, (of(6, 6), of(6))),
        "qr": (jnp.linalg.qr, (of(6, 4),)),
        "svd": (lambda a: jnp.linalg.svd(a, full_matrices=False), (of(6, 4),)),
        "eigh": (lambda a: jnp.linalg.eigh(a + a.T), (of(5, 5),)),
        "determinant": (lambda a: jnp.linalg.slogdet(a), (of(5, 5),)),
        "inverse": (jnp.linalg.inv, (of(5, 5),)),
    }
