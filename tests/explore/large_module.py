"""A module of 1,000 instructions, such as a model has: blocks of a normalization, a product, its activation and a residual, and
transposes between them."""

REDUCERS = """
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

maximum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}
"""


def block(n, x):
    """The lines of block `n` on the value `x`, and the value that it gives."""
    lines = f"""
    mean_{n} = f32[16] reduce({x}, zero), dimensions={{1}}, to_apply=sum
    mean_all_{n} = f32[16,24] broadcast(mean_{n}), dimensions={{0}}
    centered_{n} = f32[16,24] subtract({x}, mean_all_{n})
    square_{n} = f32[16,24] multiply(centered_{n}, centered_{n})
    variance_{n} = f32[16] reduce(square_{n}, zero), dimensions={{1}}, to_apply=sum
    deviation_{n} = f32[16] rsqrt(variance_{n})
    deviation_all_{n} = f32[16,24] broadcast(deviation_{n}), dimensions={{0}}
    normal_{n} = f32[16,24] multiply(centered_{n}, deviation_all_{n})
    turned_{n} = f32[24,16] transpose(normal_{n}), dimensions={{1,0}}
    score_{n} = f32[24,24] dot(turned_{n}, {x}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
    largest_{n} = f32[24] reduce(score_{n}, lowest), dimensions={{1}}, to_apply=maximum
    largest_all_{n} = f32[24,24] broadcast(largest_{n}), dimensions={{0}}
    shifted_{n} = f32[24,24] subtract(score_{n}, largest_all_{n})
    exp_{n} = f32[24,24] exponential(shifted_{n})
    total_{n} = f32[24] reduce(exp_{n}, zero), dimensions={{1}}, to_apply=sum
    total_all_{n} = f32[24,24] broadcast(total_{n}), dimensions={{0}}
    weights_{n} = f32[24,24] divide(exp_{n}, total_all_{n})
    mixed_{n} = f32[16,24] dot(normal_{n}, weights_{n}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
    flat_{n} = f32[384] reshape(mixed_{n})
    folded_{n} = f32[16,24] reshape(flat_{n})
    tanh_{n} = f32[16,24] tanh(folded_{n})
    head_{n} = f32[16,12] slice(tanh_{n}), slice={{[0:16], [0:12]}}
    tail_{n} = f32[16,12] slice(tanh_{n}), slice={{[0:16], [12:24]}}
    swapped_{n} = f32[16,24] concatenate(tail_{n}, head_{n}), dimensions={{1}}
    out_{n} = f32[16,24] add({x}, swapped_{n})""".splitlines()
    return [line.strip() for line in lines if line.strip()], f"out_{n}"


def scoped(lines, n):
    """The lines with op_names of a scope of the block."""
    return [f'{line}, metadata={{op_name="model/block_{n}/{line.split(" = ")[0]}"}}' for line in lines]


def text(instructions=1000, scopes=False):
    lines, x, n = ["x = f32[16,24] parameter(0)", "zero = f32[] constant(0)", "lowest = f32[] constant(-inf)"], "x", 0
    while len(lines) + 25 < instructions:
        more, x = block(n, x)
        lines += scoped(more, n) if scopes else more
        n += 1
    while len(lines) < instructions:
        lines.append(f"last_{len(lines)} = f32[16,24] negate({x})")
        x = f"last_{len(lines) - 1}"
    lines[-1] = "ROOT " + lines[-1]
    return "HloModule large\n" + REDUCERS + "\nENTRY main {\n  " + "\n  ".join(lines) + "\n}\n"
