"""Small modules with an instruction of each op, fusions and a loop, for reads_forger.py."""

import re

# Operands `name:sizes`, the instruction. `add` is a computation of two scalars.
SINGLE = [
    ("p:3,2 q:3,2", "f32[3,2] add(p, q)"),
    ("p:2 q:2", "f32[2] multiply(f32[2]{0} %p, f32[2]{0} %q), metadata={op_name=\"a, (b\"}"),
    ("b: p:2,3 q:2,3", "f32[2,3] select(b, p, q)"),
    ("l: p:3 h:", "f32[3] clamp(l, p, h)"),
    ("p:3", "f32[2,3,2] broadcast(p), dimensions={1}"),
    ("p:2,3", "f32[2,2,3] broadcast(p), dimensions={0,2}"),
    ("p:", "f32[2,2] broadcast(p), dimensions={}"),
    ("p:2,3,4", "f32[4,2,3] transpose(p), dimensions={2,0,1}"),
    ("p:3,3", "f32[3,3] transpose(p), dimensions={1,0}"),
    ("p:2,3", "f32[2,3] reverse(p), dimensions={1}"),
    ("p:3,3", "f32[3,3] reverse(p), dimensions={0,1}"),
    ("p:2,6", "f32[3,4] reshape(p)"),
    ("p:4,1,3", "f32[2,2,3] reshape(p)"),
    ("p:9,4", "f32[3,4] slice(p), slice={[1:8:3], [0:4]}"),
    ("p:5,5", "f32[2,3] slice(p), slice={[1:3], [2:5]}"),
    ("p:3,2 z:", "f32[6,4] pad(p, z), padding=1_0_1x0_2"),
    ("p:4 z:", "f32[5] pad(p, z), padding=-1_2"),
    ("p:2,3 q:1,3 o:2,3", "f32[5,3] concatenate(p, q, o), dimensions={0}"),
    ("p:2,2 q:2,2", "f32[2,4] concatenate(p, q), dimensions={1}"),
    ("p:2,3,4 z:", "f32[3] reduce(p, z), dimensions={0,2}, to_apply=add"),
    ("p:3,3 z:", "f32[3] reduce(p, z), dimensions={1}, to_apply=add"),
    ("p:6 z:", "f32[3] reduce-window(p, z), window={size=2 stride=2}, to_apply=add"),
    ("p:4,5 z:", "f32[3,3] reduce-window(p, z), window={size=2x3 stride=2x1 pad=1_1x0_2 rhs_dilate=1x2}, to_apply=add"),
    ("p:3 z:", "f32[4] reduce-window(p, z), window={size=2 lhs_dilate=2}, to_apply=add"),
    ("p:2,3 q:3,4", "f32[2,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
    ("p:3,3 q:3,3", "f32[3,3] dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={1}"),
    ("p:2,3,2 q:2,2,3", "f32[2,3,3] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"),
    ("p:1,4,2 q:2,2,3", "f32[1,3,3] convolution(p, q), window={size=2}, dim_labels=b0f_0io->b0f"),
    ("p:1,4,4,2 q:3,3,1,2", "f32[1,4,4,2] convolution(p, q), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=2"),
    ("p:2,3,1 q:2,1,2", "f32[1,4,2] convolution(p, q), window={size=2 pad=0_0 lhs_dilate=2}, dim_labels=b0f_0io->b0f, batch_group_count=2"),
    ("p:2,4,1 q:3,1,2", "f32[2,2,2] convolution(p, q), window={size=3 rhs_reversal=1}, dim_labels=b0f_0io->b0f"),
    ("p:3,2", "f32[3,2] sort(p), dimensions={0}, to_apply=less"),
    ("p:5,3 i: j:", "f32[2,3] dynamic-slice(p, i, j), dynamic_slice_sizes={2,3}"),
    ("p:4,4 i:2", "f32[2,3] dynamic-slice(p, i), dynamic_slice_sizes={2,3}"),
    ("p:5 u:2 i:", "f32[5] dynamic-update-slice(p, u, i)"),
    ("p:3,4 u:2,2 i: j:", "f32[3,4] dynamic-update-slice(p, u, i, j)"),
    ("p:5,3 i:4,1", "f32[4,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}"),
    ("p:4,3 i:2,2", "f32[2,2,2] gather(p, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,2}"),
    ("p:4 i:3", "f32[3] gather(p, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}"),
    ("p:4,3 i:2,1 u:2,3", "f32[4,3] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"),
    ("p:4 i:3 u:3", "f32[4] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"),
]
SINGLE += [
    ("p:2,3 q:2,3 z: w:", "(f32[2], f32[2]) reduce(p, q, z, w), dimensions={1}, to_apply=two"),
    ("p:3 q:3", "(f32[3], f32[3]) sort(p, q), dimensions={0}, to_apply=less_of_two"),
    ("p:3 q:2,2 o:", "(f32[3], f32[2,2], f32[]) tuple(p, q, o)"),
    ("p:2,6", "f32[3,4] bitcast(p)"),
    ("p:2,6", "f32[4,3]{1,0} bitcast(f32[2,6]{1,0} p)"),
    ("p:3", "s32[3] bitcast-convert(p)"),
    ("p:3", "u8[3,4] bitcast-convert(p)"),
    ("p:3,2", "f64[3] bitcast-convert(p)"),
    ("p:2,5", "(f32[2,3], s32[2,3]) topk(p), k=3, largest=true"),
    ("g:3", "(u64[3], u32[2,2]) rng-bit-generator(g), algorithm=rng_philox"),
]
# Bodies of fusions; `z` is a constant.
FUSED = [
    ("p:3,3", ["t = f32[3,3] transpose(p), dimensions={1,0}", "ROOT a = f32[3,3] add(t, p)"]),
    ("p:2,6", ["z = f32[] constant(0)", "r = f32[3,4] reshape(p)", "s = f32[3,2] slice(r), slice={[0:3], [1:4:2]}", "ROOT a = f32[3] reduce(s, z), dimensions={1}, to_apply=add"]),
    ("p:2,3 q:3", ["b = f32[2,3] broadcast(q), dimensions={1}", "z = f32[] constant(0)", "m = f32[2,3] multiply(p, b)", "ROOT o = f32[4,3] pad(m, z), padding=1_1x0_0"]),
    ("p:5,3 i:", ["c = s32[] constant(0)", "d = f32[2,3] dynamic-slice(p, i, c), dynamic_slice_sizes={2,3}", "v = f32[2,3] reverse(d), dimensions={0}", "ROOT n = f32[2,3] negate(v)"]),
    ("p:4,3 i:", ["c = s32[] constant(0)", "d = f32[2,3] dynamic-slice(p, i, c), dynamic_slice_sizes={2,3}", "z = f32[] constant(0)", "s = f32[3] reduce(d, z), dimensions={0}, to_apply=add", "ROOT b = f32[3,2] broadcast(s), dimensions={0}"]),
    ("p:2,2 q:2,2", ["c = f32[4,2] concatenate(p, q), dimensions={0}", "v = f32[4,2] reverse(c), dimensions={0}", "ROOT t = f32[2,4] transpose(v), dimensions={1,0}"]),
]
# A loop: the first array counts, the second is not changed, the third is negated, the fourth depends on others.
LOOP = """
condition {
  s = (s32[], f32[3], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT
}

body {
  s = (s32[], f32[3], f32[3], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  p = f32[3] get-tuple-element(s), index=1
  q = f32[3] get-tuple-element(s), index=2
  o = f32[3] get-tuple-element(s), index=3
  n = f32[3] negate(q)
  v = f32[3] reverse(o), dimensions={0}
  w = f32[3] add(v, p)
  ROOT t = (s32[], f32[3], f32[3], f32[3]) tuple(next, p, n, w)
}

ENTRY e {
  i = s32[] parameter(0)
  p = f32[3] parameter(1)
  q = f32[3] parameter(2)
  o = f32[3] parameter(3)
  s = (s32[], f32[3], f32[3], f32[3]) tuple(i, p, q, o)
  l = (s32[], f32[3], f32[3], f32[3]) while(s), condition=condition, body=body
  ROOT r = f32[3] get-tuple-element(l), index=2
}
"""
FUSED += [
    ("p:2,3 q:3", ["t = (f32[2,3], f32[3]) tuple(p, q)", "g = f32[3] get-tuple-element(t), index=1", "ROOT b = f32[2,3] broadcast(g), dimensions={1}"]),
    ("p:3 q:3", ["t = (f32[3], f32[3]) tuple(p, q)", "u = ((f32[3], f32[3]), f32[3]) tuple(t, p)", "g = (f32[3], f32[3]) get-tuple-element(u), index=0",
                 "h = f32[3] get-tuple-element(g), index=1", "o = f32[3] get-tuple-element(u), index=1", "v = f32[3] reverse(h), dimensions={0}",
                 "ROOT r = (f32[3], f32[3]) tuple(v, o)"]),
]
SINGLE += [
    ("p:4,3 o:2,3 z:", "f32[4,3] select-and-scatter(p, o, z), window={size=2x1 stride=2x1}, select=less, scatter=add"),
    ("p:5 o:3 z:", "f32[5] select-and-scatter(p, o, z), window={size=3 stride=2 pad=1_1}, select=less, scatter=add"),
]
# Calls within calls, both branches of a predicate, and those of an index.
CALLS = """
row {
  x = f32[4,3] parameter(0)
  at = s32[] parameter(1)
  zero = s32[] constant(0)
  r = f32[1,3] dynamic-slice(x, at, zero), dynamic_slice_sizes={1,3}
  ROOT f = f32[3] reshape(r)
}

turned {
  a = f32[3] parameter(0)
  ROOT r = f32[3] reverse(a), dimensions={0}
}

kept {
  a = f32[3] parameter(0)
  ROOT r = f32[3] negate(a)
}

rows {
  x = f32[4,3] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  a = f32[3] call(x, i), to_apply=row
  b = f32[3] fusion(a), kind=kLoop, calls=turned
  ROOT t = (f32[3], f32[3]) tuple(a, b)
}

ENTRY e {
  x = f32[4,3] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  c = pred[] parameter(3)
  y = f32[3] parameter(4)
  one = f32[3] call(x, i), to_apply=row
  t = (f32[3], f32[3]) call(x, i, j), to_apply=rows
  b = f32[3] conditional(c, y, y), true_computation=turned, false_computation=kept
  ROOT d = f32[3] conditional(i, y, one, y), branch_computations={turned, kept, kept}
}
"""
HEAD = """HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}

two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, d)
  f = f32[] add(b, c)
  ROOT t = (f32[], f32[]) tuple(e, f)
}

less_of_two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT e = pred[] compare(a, b), direction=LT
}

"""


def parameters(text):
    for k, item in enumerate(text.split()):
        name, _, sizes = item.partition(":")
        kind = "u64" if name == "g" else "s32" if name in ("i", "j") else "pred" if name == "b" else "f32"
        yield name, f"  {name} = {kind}[{sizes}] parameter({k})"


def modules():
    yield HEAD + LOOP
    yield HEAD + CALLS
    for operands, instruction in SINGLE:
        lines = [line for _, line in parameters(operands)]
        yield "\n".join([HEAD + "ENTRY e {", *lines, f"  ROOT r = {instruction}", "}"]) + "\n"
    for operands, body in FUSED:
        lines = [line for _, line in parameters(operands)]
        names = ", ".join(name for name, _ in parameters(operands))
        result = re.search(r"= (\(.*?\)|\S+) [a-z]", body[-1])[1]
        yield "\n".join([HEAD + "f {", *lines, *("  " + line for line in body), "}\n", "ENTRY e {", *lines,
                         f"  ROOT r = {result} fusion({names}), kind=kLoop, calls=f", "}"]) + "\n"
