// The forms of value terms: what scopes decide, what is shared, and what is refused.
#include <gtest/gtest.h>

#include "llvm/Support/FormatVariadic.h"
#include "tests/hlo_values/check_values.h"

namespace affirm {
namespace {

class Terms {
 public:
  explicit Terms(const std::string& text) {
    auto parsed = hlo::ParseModule(text, "test");
    EXPECT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
    module = std::move(*parsed);
    values.emplace(scope, *module->entry);
  }
  const hlo::Instruction& root() const { return *module->entry->root; }
  Term Number(int64_t n) { return pool.Number(n); }
  Term Variable(const std::string& name, int64_t size) {
    return pool.Variable(name, {0, size - 1});
  }
  std::string At(const std::vector<Term>& index, int64_t leaf = 0) {
    auto term = values->At(root(), leaf, index);
    return term ? terms::ToString(*term) : "error: " + llvm::toString(term.takeError());
  }

  std::unique_ptr<hlo::Module> module;
  Pool pool;
  Scope scope{pool};
  std::optional<ComputationValues> values;
};

TEST(ValueTerms, AreLoadsAtTheLayout) {
  Terms t(R"(HloModule m
ENTRY e {
  x = f32[32]{0} parameter(0)
  t = (s32[2], f32[4,8]{0,1}) parameter(1)
  y = f32[8] slice(x), slice={[2:10]}
  z = f32[8] exponential(y)
  u = f32[4,8]{0,1} get-tuple-element(t), index=1
  ROOT r = (f32[8], f32[4,8]{0,1}) tuple(z, u)
}
)");
  Term i = t.Variable("i", 8), j = t.Variable("j", 4);
  EXPECT_EQ(t.At({i}), "exponential(load0[i + 2])");
  EXPECT_EQ(t.At({j, i}, 1), "load2[4*i + j]");
}

// 4096 x 50257 elements in a row of the reduction: the term does not grow with the sizes.
TEST(ValueTerms, OfASoftmaxAreSmall) {
  Terms t(R"(HloModule m
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[64,4096,50257] parameter(0)
  low = f32[] constant(-inf)
  m = f32[64,4096] reduce(x, low), dimensions={2}, to_apply=max
  mb = f32[64,4096,50257] broadcast(m), dimensions={0,1}
  d = f32[64,4096,50257] subtract(x, mb)
  p = f32[64,4096,50257] exponential(d)
  zero = f32[] constant(0)
  s = f32[64,4096] reduce(p, zero), dimensions={2}, to_apply=sum
  sb = f32[64,4096,50257] broadcast(s), dimensions={0,1}
  ROOT r = f32[64,4096,50257] divide(p, sb)
}
)");
  Term i = t.Variable("i", 64), j = t.Variable("j", 4096), k = t.Variable("k", 50257);
  const std::string at = "205852672*i + 50257*j";
  // The reduction's initial value, -inf, changes no maximum.
  const std::string max =
      "fold-maximum(load0[" + at + " + r1_0_50257] where true, over r1_0_50257)";
  EXPECT_EQ(t.At({i, j, k}), "divide(exponential(subtract(load0[" + at + " + k], " + max +
                                 ")), add(f32#0, fold-add(exponential(subtract(load0[" + at +
                                 " + r2_0_50257], " + max + ")) where true, over r2_0_50257)))");
  EXPECT_LT(t.pool.size(), 100u);
}

// One computation, called on its own result: the folds have variables of their own.
TEST(ValueTerms, OfNestedCallsDoNotCaptureVariables) {
  const std::string text = R"(HloModule m
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
f {
  x = s32[4] parameter(0)
  zero = s32[] constant(0)
  s = s32[] reduce(x, zero), dimensions={0}, to_apply=sum
  b = s32[4] broadcast(s), dimensions={}
  n = s32[4] iota(), iota_dimension=0
  ROOT y = s32[4] multiply(b, n)
}
ENTRY e {
  x = s32[4] parameter(0)
  y = s32[4] call(x), to_apply=f
  ROOT z = s32[4] call(y), to_apply=f
}
)";
  auto module = hlo::ParseModule(text, "test");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  Counts counts;
  Subject(**module).Check(counts);
  EXPECT_EQ(counts.elements, 4);
}

TEST(ValueTerms, AreChoicesUnlessTheScopeDecides) {
  Terms t(R"(HloModule m
ENTRY e {
  x = f32[10] parameter(0)
  c = f32[] constant(7)
  ROOT p = f32[31] pad(x, c), padding=1_2_2
}
)");
  Term i = t.Variable("i", 31), k = t.Variable("k", 10);
  EXPECT_EQ(t.At({t.Number(0)}), "f32#1088421888");
  EXPECT_EQ(t.At({t.Number(4)}), "load0[1]");
  EXPECT_EQ(t.At({t.pool.Add(t.pool.Scale(k, 3), t.Number(1))}), "load0[k]");
  const std::string open = t.At({i});
  EXPECT_NE(open.find('?'), std::string::npos) << open;
  // Remembered values are forgotten with the facts.
  size_t saved = t.scope.Save();
  ASSERT_TRUE(t.scope.Assume(t.pool.AtLeast(i, t.Number(29))));
  EXPECT_EQ(t.At({i}), "f32#1088421888");
  t.scope.Restore(saved);
  EXPECT_EQ(t.At({i}), open);
}

// The padded array is asked for twice at one index: where it is known that it is padding there, and
// where it is not.
TEST(ValueTerms, BuiltUnderAConditionAreNotUsedOutside) {
  const std::string text = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  u = f32[4] parameter(1)
  c = f32[] constant(7)
  w = f32[8] pad(x, c), padding=0_4
  zero = s32[] constant(0)
  d = f32[8] dynamic-update-slice(w, u, zero)
  ROOT r = f32[8] add(d, w)
}
)";
  auto module = hlo::ParseModule(text, "test");
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  Counts counts;
  Subject(**module).Check(counts);
  EXPECT_EQ(counts.elements, 8);
}

TEST(ValueTerms, OfConstantsAreNamedByTheirBytes) {
  Terms t(R"(HloModule m
ENTRY e {
  a = s32[2,2]{0,1} constant({{1, 2}, {3, 4}})
  b = u32[4] constant({1, 3, 2, 4})
  c = s32[2,2]{1,0} constant({{1, 2}, {3, 4}})
  ROOT r = (s32[2,2]{0,1}, u32[4], s32[2,2]{1,0}) tuple(a, b, c)
}
)");
  Term i = t.Variable("i", 2), j = t.Variable("j", 2), p = t.Variable("p", 4);
  const std::string first = t.At({i, j}, 0), second = t.At({p}, 1), third = t.At({i, j}, 2);
  EXPECT_EQ(t.At({t.Number(1), t.Number(0)}), "s32(3)");
  EXPECT_EQ(first.substr(0, first.find('(')), second.substr(0, second.find('(')));
  EXPECT_NE(first.substr(0, first.find('(')), third.substr(0, third.find('(')));
  EXPECT_NE(first.find("i + 2*j"), std::string::npos) << first;
}

TEST(ValueTerms, OfBitsAreThoseOfTheInterpreter) {
  Counts counts;
  auto check = [&](const std::string& from, const std::string& to) {
    Subject(*Terms("HloModule m\nENTRY e {\n  a = " + from + " parameter(0)\n  ROOT r = " + to +
                   " bitcast-convert(a)\n}\n")
                 .module)
        .Check(counts);
  };
  for (const char* word :
       {"u64[5]", "s64[5]", "f64[5]", "f32[5,2]", "u32[5,2]", "bf16[5,4]", "s8[5,8]"}) {
    check("c64[5]", word);
    check(word, "c64[5]");
  }
  EXPECT_TRUE(counts.errors.empty());
  EXPECT_EQ(counts.arrays, 14);
}

TEST(ValueTerms, AreRefusedByName) {
  Terms t(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[10] parameter(0)
  s = f32[10] sort(x), dimensions={0}, to_apply=less
  ROOT n = f32[10] negate(s)
}
)");
  const std::string text = t.At({t.Number(0)});
  EXPECT_NE(text.find("no value term for sort s"), std::string::npos) << text;
  EXPECT_NE(t.At({}).find("no such element"), std::string::npos);
}

// Every instruction uses the one before twice.
TEST(ValueTerms, OfDeepGraphsAreShared) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[16] parameter(0)\n";
  constexpr int kDepth = 3000;
  for (int k = 1; k <= kDepth; ++k) {
    text += llvm::formatv("  {0}x{1} = f32[16] add(x{2}, x{2})\n", k == kDepth ? "ROOT " : "", k,
                          k - 1);
  }
  Terms t(text + "}\n");
  auto term = t.values->At(t.root(), 0, {t.Variable("i", 16)});
  ASSERT_TRUE(static_cast<bool>(term)) << llvm::toString(term.takeError());
  EXPECT_LT(t.pool.size(), 2u * kDepth);
}

// Both sides of each choice are different elements of the array before.
TEST(ValueTerms, ThatGrowWithoutBoundAreRefused) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[1] parameter(0)\n";
  constexpr int kDepth = 28;
  int64_t size = 1;
  for (int k = 1; k <= kDepth; ++k) {
    size *= 2;
    text += llvm::formatv("  {0}x{1} = f32[{3}] concatenate(x{2}, x{2}), dimensions={{0}\n",
                          k == kDepth ? "ROOT " : "", k, k - 1, size);
  }
  Terms t(text + "}\n");
  const std::string at = t.At({t.Variable("i", size)});
  EXPECT_NE(at.find("too large"), std::string::npos) << at.substr(0, 1000);
  EXPECT_EQ(t.At({t.Number(12345)}), "load0[0]");
}

TEST(ValueTerms, HavePartsForReductions) {
  Terms t(R"(HloModule m
argmax {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  ge = pred[] compare(a, b), direction=GE
  m = f32[] select(ge, a, b)
  k = s32[] select(ge, i, j)
  ROOT r = (f32[], s32[]) tuple(m, k)
}
ENTRY e {
  x = f32[8,1,5] parameter(0)
  n = s32[8,1,5] iota(), iota_dimension=2
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[8], s32[8]) reduce(x, n, low, zero), dimensions={2,1}, to_apply=argmax
}
)");
  Term i = t.Variable("i", 8);
  auto parts = t.values->Reduce(t.root(), {i});
  ASSERT_TRUE(static_cast<bool>(parts)) << llvm::toString(parts.takeError());
  ASSERT_EQ(parts->variables.size(), 1u);
  EXPECT_EQ(parts->condition, t.pool.True());
  EXPECT_EQ(terms::ToString(parts->values[0]), "load0[5*i + r1_1_5]");
  EXPECT_EQ(terms::ToString(parts->values[1]), "s32(r1_1_5)");
  EXPECT_EQ(parts->combiner->name, "argmax");
  EXPECT_NE(t.At({i}, 1).find("computation argmax leaf 1("), std::string::npos) << t.At({i}, 1);
}

TEST(ValueTerms, HavePartsForScatters) {
  Terms t(R"(HloModule m
last { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }
ENTRY e {
  x = f32[10,20] parameter(0)
  i = u8[3,1] parameter(1)
  u = f32[3,2,20] parameter(2)
  ROOT r = f32[10,20] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last
}
)");
  Term n = t.Variable("n", 3), a = t.Variable("a", 2), b = t.Variable("b", 20);
  auto parts = t.values->Scatter(t.root(), {n, a, b});
  ASSERT_TRUE(static_cast<bool>(parts)) << llvm::toString(parts.takeError());
  EXPECT_EQ(terms::ToString(parts->target[1]), "b");
  EXPECT_EQ(terms::ToString(parts->updates[0]), "load2[40*n + 20*a + b]");
  // The windows start at the unsigned bytes 0 to 8.
  for (int64_t byte : {0, 8, 9, -1, -128}) {
    auto inside = terms::Evaluate(parts->inside, [&](Term) { return Int128{byte}; });
    EXPECT_EQ(inside, byte >= 0 && byte <= 8 ? 1 : 0) << byte;
  }
  EXPECT_NE(t.At({t.Number(0), b}).find("updates that may meet"), std::string::npos);
}

}  // namespace
}  // namespace affirm
