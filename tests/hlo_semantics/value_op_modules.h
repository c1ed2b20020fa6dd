// Small modules of ops whose reads depend on values, of control flow, and of ops that the
// interpreter does not run.
#ifndef AFFIRM_TESTS_HLO_SEMANTICS_VALUE_OP_MODULES_H_
#define AFFIRM_TESTS_HLO_SEMANTICS_VALUE_OP_MODULES_H_

#include <string>

namespace affirm {

struct ValueOpModule {
  const char* name;
  bool runs;         // in the interpreter
  const char* text;  // computations, the entry last
};

inline constexpr const char* kCalled = R"(
sum { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) }
sums { x = s32[] parameter(0) u = s32[] parameter(1) y = s32[] parameter(2) v = s32[] parameter(3)
  a = s32[] add(x, y) b = s32[] add(u, v) ROOT r = (s32[], s32[]) tuple(a, b) }
ge { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
less { a = s32[] parameter(0) b = s32[] parameter(1) u = s32[] parameter(2) v = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
step { x = s32[3] parameter(0) c = s32[3] parameter(1) n = s32[3] add(c, x)
  ROOT r = (s32[3], s32[3]) tuple(n, n) }
turn { a = f32[2,3] parameter(0) ROOT r = f32[3,2] transpose(a), dimensions={1,0} }
keep { a = f32[3,2] parameter(0) ROOT r = f32[3,2] negate(a) }
body { s = (s32[], s32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = s32[4] get-tuple-element(s), index=1 one = s32[] constant(1) next = s32[] add(i, one)
  ROOT r = (s32[], s32[4]) tuple(next, x) }
cond { s = (s32[], s32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10) ROOT r = pred[] compare(i, n), direction=LT }
)";

inline constexpr ValueOpModule kValueOpModules[] = {
    {"Scatter", true, R"(ENTRY e {
  x = s32[5,3] parameter(0)
  i = s32[2,1] parameter(1)
  u = s32[2,3] parameter(2)
  ROOT r = s32[5,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
})"},
    {"ScatterWindows", true, R"(ENTRY e {
  x = s32[4,3] parameter(0)
  i = s32[2] parameter(1)
  u = s32[2,2,3] parameter(2)
  ROOT r = s32[4,3] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
})"},
    {"ScatterBatched", true, R"(ENTRY e {
  x = s32[2,4] parameter(0)
  i = s32[3,2,1] parameter(1)
  u = s32[3,2,2] parameter(2)
  ROOT r = s32[2,4] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={}, input_batching_dims={0}, scatter_indices_batching_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=sum
})"},
    {"ScatterVariadic", true, R"(ENTRY e {
  p = s32[4] parameter(0)
  q = s32[4] parameter(1)
  i = s32[3] parameter(2)
  u = s32[3] parameter(3)
  v = s32[3] parameter(4)
  ROOT r = (s32[4], s32[4]) scatter(p, q, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sums
})"},
    {"SortVariadic", true, R"(ENTRY e {
  p = s32[2,4] parameter(0)
  q = s32[2,4] parameter(1)
  ROOT r = (s32[2,4], s32[2,4]) sort(p, q), dimensions={1}, to_apply=less
})"},
    {"SelectAndScatter", true, R"(ENTRY e {
  x = s32[5,4] parameter(0)
  s = s32[3,3] parameter(1)
  i = s32[] parameter(2)
  ROOT r = s32[5,4] select-and-scatter(x, s, i), window={size=2x2 stride=2x1 pad=0_1x0_0}, select=ge, scatter=sum
})"},
    {"Scan", true, R"(ENTRY e {
  x = s32[4,3] parameter(0)
  i = s32[3] parameter(1)
  a = (s32[4,3], s32[3]) scan(x, i), dimensions={0}, num_carries=1, to_apply=step
  b = (s32[4,3], s32[3]) scan(x, i), dimensions={0}, num_carries=1, is_reverse=true, to_apply=step
  ROOT r = ((s32[4,3], s32[3]), (s32[4,3], s32[3])) tuple(a, b)
})"},
    {"While", true, R"(ENTRY e {
  s = (s32[], s32[4]) parameter(0)
  w = (s32[], s32[4]) while(s), condition=cond, body=body
  ROOT r = s32[4] get-tuple-element(w), index=1
})"},
    {"Conditional", true, R"(ENTRY e {
  p = pred[] parameter(0)
  a = f32[2,3] parameter(1)
  b = f32[3,2] parameter(2)
  ROOT c = f32[3,2] conditional(p, a, b), true_computation=turn, false_computation=keep
})"},
    {"ConditionalIndex", true, R"(ENTRY e {
  i = s32[] parameter(0)
  a = f32[2,3] parameter(1)
  b = f32[3,2] parameter(2)
  ROOT c = f32[3,2] conditional(i, a, b, b), branch_computations={turn, keep, keep}
})"},
    {"Call", true, R"(ENTRY e {
  a = f32[2,3] parameter(0)
  ROOT c = f32[3,2] call(a), to_apply=turn
})"},
    {"GetDimensionSize", true, R"(ENTRY e {
  a = f32[2,3] parameter(0)
  ROOT c = s32[] get-dimension-size(a), dimensions={1}
})"},
    {"TopK", false, R"(ENTRY e {
  x = f32[3,10] parameter(0)
  ROOT r = (f32[3,4], s32[3,4]) topk(x), k=4, largest=true
})"},
    {"ScaledDot", false, R"(ENTRY e {
  a = f32[4,8] parameter(0)
  b = f32[8,6] parameter(1)
  s = f32[4,2] parameter(2)
  t = f32[2,3] parameter(3)
  ROOT r = f32[4,6] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"BatchNorm", false, R"(ENTRY e {
  x = f32[2,3,4] parameter(0)
  s = f32[3] parameter(1)
  o = f32[3] parameter(2)
  t = (f32[2,3,4], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1
  i = f32[2,3,4] batch-norm-inference(x, s, o, s, o), epsilon=0.001, feature_index=1
  ROOT g = (f32[2,3,4], f32[3], f32[3]) batch-norm-grad(x, s, o, s, i), epsilon=0.001, feature_index=1
})"},
    {"Rng", false, R"(ENTRY e {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  s = u64[2] parameter(2)
  r = f32[2,3] rng(a, b), distribution=rng_uniform
  ROOT g = (u64[2], u32[2,3]) rng-bit-generator(s), algorithm=rng_default
})"},
    {"Copies", false, R"(ENTRY e {
  x = f32[2,3] parameter(0)
  s = (f32[2,3], f32[2,3], u32[]) copy-start(x)
  ROOT d = f32[2,3] copy-done(s)
})"},
    {"Gathers", false, R"(ENTRY e {
  x = f32[2,3] parameter(0)
  s = (f32[2,3], f32[8,3]) all-gather-start(x), replica_groups={{0,1,2,3}}, dimensions={0}
  ROOT d = f32[8,3] all-gather-done(s)
})"},
    {"Permutes", false, R"(ENTRY e {
  x = f32[2,3] parameter(0)
  s = (f32[2,3], f32[2,3]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  ROOT d = f32[2,3] collective-permute-done(s)
})"},
    {"Reductions", false, R"(ENTRY e {
  x = s32[8,3] parameter(0)
  a = s32[8,3] all-reduce-start(x), replica_groups={{0,1,2,3}}, to_apply=sum
  d = s32[8,3] all-reduce-done(a)
  ROOT r = s32[2,3] reduce-scatter(d), replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=sum
})"},
    {"AllToAll", false, R"(ENTRY e {
  x = f32[8,3] parameter(0)
  y = f32[8,3] parameter(1)
  a = f32[8,3] all-to-all(x), replica_groups={{0,1,2,3}}, dimensions={0}
  ROOT t = (f32[8,3], f32[8,3]) all-to-all(x, y), replica_groups={{0,1}}
})"},
    {"Async", false, R"(ENTRY e {
  a = f32[2,3] parameter(0)
  s = ((f32[2,3]), f32[3,2], s32[]) async-start(a), calls=turn
  u = ((f32[2,3]), f32[3,2], s32[]) async-update(s), calls=turn
  ROOT d = f32[3,2] async-done(u), calls=turn
})"},
};

// The module, with the computations that it calls.
inline std::string ModuleText(const ValueOpModule& m) {
  return std::string("HloModule ") + m.name + "\n" + kCalled + m.text + "\n";
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_HLO_SEMANTICS_VALUE_OP_MODULES_H_
