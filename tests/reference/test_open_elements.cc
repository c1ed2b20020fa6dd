// Elements that HLO leaves open: those that differ between two executions that it allows, and none
// that it defines.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "core/hlo/leaves.h"
#include "tests/reference/run.h"
#include "verify/reference/arguments.h"
#include "verify/reference/compare.h"
#include "verify/reference/open_elements.h"

namespace affirm::hlo {
namespace {

Literal Ints(const std::vector<int64_t>& values, PrimitiveType type = PrimitiveType::kS32) {
  Literal literal(Shape::Array(type, {std::ssize(values)}));
  for (size_t i = 0; i < values.size(); ++i) literal.SetInt(static_cast<int64_t>(i), values[i]);
  return literal;
}
Literal Floats(const std::vector<double>& values) {
  Literal literal(Shape::Array(PrimitiveType::kF32, {std::ssize(values)}));
  for (size_t i = 0; i < values.size(); ++i) literal.SetFloat(static_cast<int64_t>(i), values[i]);
  return literal;
}

// The positions that are open of each leaf, as "0 2 | " of two leaves.
std::string OpenOf(const std::string& text, const std::vector<Literal>& arguments) {
  const std::unique_ptr<Module> module = Parse(text);
  if (module == nullptr) return "?";
  auto open = FindOpenElements(*module->entry, arguments);
  if (!open) return llvm::toString(open.takeError());
  std::string out;
  for (size_t leaf = 0; leaf < open->leaves.size(); ++leaf) {
    if (leaf > 0) out += "| ";
    for (size_t i = 0; i < open->leaves[leaf].size(); ++i) {
      if (open->Has(static_cast<int64_t>(leaf), static_cast<int64_t>(i)))
        out += std::to_string(i) + " ";
    }
  }
  return out;
}

const char kLess[] = R"(
less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
)";
std::string SortOf(const std::string& rest, const std::string& stable = "false") {
  return std::string(kLess) +
         "ENTRY e { k = s32[5] parameter(0)\n v = s32[5] parameter(1)\n s = (s32[5], s32[5]) "
         "sort(k, v), dimensions={0}, is_stable=" +
         stable + ", to_apply=less\n x = s32[5] get-tuple-element(s), index=0\n" +
         " y = s32[5] get-tuple-element(s), index=1\n" + rest + " }";
}

TEST(OpenElements, AreTiesOfUnstableSorts) {
  const std::vector<Literal> arguments = {Ints({3, 1, 3, 0, 1}), Ints({0, 1, 2, 3, 1})};
  const std::string both = "ROOT t = (s32[5], s32[5]) tuple(x, y)";
  // 0, 1 1, 3 3: the two that are 1 have one payload.
  EXPECT_EQ(OpenOf(SortOf(both), arguments), "| 3 4 ");
  EXPECT_EQ(OpenOf(SortOf(both, "true"), arguments), "| ");
  EXPECT_EQ(OpenOf(SortOf("ROOT n = s32[5] negate(y)"), arguments), "3 4 ");
  EXPECT_EQ(OpenOf(SortOf("ROOT r = s32[5] reverse(y), dimensions={0}"), arguments), "0 1 ");
  EXPECT_EQ(OpenOf(SortOf("ROOT p = s32[3] slice(y), slice={[0:3]}"), arguments), "");
  // An index that is open opens all that is written.
  EXPECT_EQ(OpenOf(SortOf("i = s32[1] slice(y), slice={[3:4]}\n j = s32[] reshape(i)\n"
                          "u = s32[1] slice(k), slice={[0:1]}\n"
                          "ROOT d = s32[5] dynamic-update-slice(x, u, j)"),
                   arguments),
            "0 1 2 3 4 ");
}

TEST(OpenElements, OfWhichNoneIsChosenAreClosed) {
  const std::vector<Literal> arguments = {Ints({3, 1, 3, 0, 1}), Ints({0, 1, 2, 3, 1})};
  EXPECT_EQ(OpenOf(SortOf("three = s32[] constant(3)\n m = s32[5] broadcast(three), dimensions={}\n"
                          "p = pred[5] compare(x, m), direction=EQ\n"
                          "ROOT r = s32[5] select(p, x, y)"),
                   arguments),
            "");
  EXPECT_EQ(OpenOf(SortOf("three = s32[] constant(3)\n m = s32[5] broadcast(three), dimensions={}\n"
                          "p = pred[5] compare(y, m), direction=EQ\n"
                          "ROOT r = s32[5] select(p, x, x)"),
                   arguments),
            "3 4 ");
}

TEST(OpenElements, GoThroughCallsLoopsAndBranches) {
  const std::vector<Literal> arguments = {Ints({3, 1, 3, 0, 1}), Ints({0, 1, 2, 3, 1})};
  const std::string computations = R"(
twice { a = s32[5] parameter(0) ROOT r = s32[5] add(a, a) }
body { t = (s32[], s32[5]) parameter(0) i = s32[] get-tuple-element(t), index=0
  a = s32[5] get-tuple-element(t), index=1 one = s32[] constant(1) n = s32[] add(i, one)
  r = s32[5] reverse(a), dimensions={0} ROOT o = (s32[], s32[5]) tuple(n, r) }
below { t = (s32[], s32[5]) parameter(0) i = s32[] get-tuple-element(t), index=0
  three = s32[] constant(3) ROOT r = pred[] compare(i, three), direction=LT }
)";
  auto of = [&](const std::string& rest) { return OpenOf(computations + SortOf(rest), arguments); };
  EXPECT_EQ(of("ROOT c = s32[5] call(y), to_apply=twice"), "3 4 ");
  const std::string loop =
      "t = (s32[], s32[5]) tuple(first, y)\n w = (s32[], s32[5]) while(t), condition=below, "
      "body=body\n ROOT g = s32[5] get-tuple-element(w), index=1";
  EXPECT_EQ(of("first = s32[] constant(0)\n" + loop), "0 1 ");
  EXPECT_EQ(of("i = s32[1] slice(y), slice={[4:5]}\n first = s32[] reshape(i)\n" + loop),
            "0 1 2 3 4 ");
  EXPECT_EQ(of("i = s32[1] slice(y), slice={[4:5]}\n f = s32[] reshape(i)\n"
               "ROOT c = s32[5] conditional(f, x, x), branch_computations={twice, twice}"),
            "0 1 2 3 4 ");
}

std::string ScatterOf(const std::string& combiner, const std::string& attributes) {
  return "f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] " + combiner +
         " }\nENTRY e { x = s32[5] parameter(0)\n i = s32[3] parameter(1)\n u = s32[3] "
         "parameter(2)\n ROOT s = s32[5] scatter(x, i, u), to_apply=f, update_window_dims={}, "
         "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1" +
         attributes + " }";
}

TEST(OpenElements, AreThoseThatSeveralUpdatesReach) {
  const Literal x = Ints({0, 0, 0, 0, 0});
  const std::vector<Literal> twice = {x, Ints({2, 4, 2}), Ints({7, 8, 9})};
  EXPECT_EQ(OpenOf(ScatterOf("copy(b)", ""), twice), "2 ");
  EXPECT_EQ(OpenOf(ScatterOf("subtract(a, b)", ""), twice), "2 ");  // the order is not known
  EXPECT_EQ(OpenOf(ScatterOf("add(a, b)", ""), twice), "");
  EXPECT_EQ(OpenOf(ScatterOf("maximum(a, b)", ""), twice), "");
  EXPECT_EQ(OpenOf(ScatterOf("add(a, b)", ", unique_indices=true"), twice), "2 ");
  EXPECT_EQ(OpenOf(ScatterOf("copy(b)", ""), {x, Ints({2, 4, 2}), Ints({7, 8, 7})}), "");
  EXPECT_EQ(OpenOf(ScatterOf("copy(b)", ""), {x, Ints({2, 4, 1}), Ints({7, 8, 9})}), "");
  // An update outside is skipped, as often as it comes.
  EXPECT_EQ(OpenOf(ScatterOf("copy(b)", ", unique_indices=true"),
                   {x, Ints({-1, 4, -1}), Ints({7, 8, 9})}),
            "");
  EXPECT_EQ(OpenOf(ScatterOf("add(a, b)", ", indices_are_sorted=true"), twice), "0 1 2 3 4 ");
  EXPECT_EQ(OpenOf(ScatterOf("add(a, b)", ", indices_are_sorted=true"),
                   {x, Ints({2, 2, 4}), Ints({7, 8, 9})}),
            "");
}

std::string ReduceOf(const std::string& combiner, const std::string& initial) {
  return "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] " + combiner +
         "(a, b) }\nENTRY e { x = f32[4] parameter(0)\n c = f32[] constant(" + initial +
         ")\n ROOT r = f32[] reduce(x, c), dimensions={0}, to_apply=f }";
}

// XLA's operation semantics, "Cholesky": the other triangle may hold anything, and so may all of a
// matrix that is not positive definite.
TEST(OpenElements, AreWhatCholeskyIsNotAskedFor) {
  const auto factor = [](const std::string& lower) {
    return "ENTRY e { p = f32[8] parameter(0) a = f32[2,2,2] reshape(p)\n"
           "  c = f32[2,2,2] cholesky(a), lower=" +
           lower + " ROOT r = f32[8] reshape(c) }";
  };
  const std::vector<Literal> arguments = {Floats({4, 1, 1, 4, 1, 2, 2, 1})};
  EXPECT_EQ(OpenOf(factor("true"), arguments), "1 4 5 6 7 ");
  EXPECT_EQ(OpenOf(factor("false"), arguments), "2 4 5 6 7 ");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(OpenOf(factor("true"), {Floats({4, 1, 1, 4, 1, 0, nan, 1})}), "1 4 5 6 7 ");
  EXPECT_EQ(OpenOf(factor("true"), {Floats({4, 1, 1, 4, 0, 0, 0, 0})}), "1 4 5 6 7 ");
}

TEST(OpenElements, AreReductionsFromWhatIsNoIdentity) {
  const std::vector<Literal> x = {Floats({1, -2, 3, 5})};
  EXPECT_EQ(OpenOf(ReduceOf("add", "1"), x), "0 ");
  EXPECT_EQ(OpenOf(ReduceOf("add", "0"), x), "");
  EXPECT_EQ(OpenOf(ReduceOf("add", "-0"), x), "");
  EXPECT_EQ(OpenOf(ReduceOf("add", "1"), {Floats({1e20, -2e19, 3, 5})}), "0 ");
  EXPECT_EQ(OpenOf(ReduceOf("multiply", "0.5"), x), "0 ");
  EXPECT_EQ(OpenOf(ReduceOf("multiply", "1"), x), "");
  EXPECT_EQ(OpenOf(ReduceOf("maximum", "7"), x), "0 ");
  EXPECT_EQ(OpenOf(ReduceOf("maximum", "-inf"), x), "");
  EXPECT_EQ(OpenOf(ReduceOf("maximum", "4"), x), "");  // 5 whether or not 4 is among them
}

// XLA's operation semantics, "Reduce": the order is arbitrary. So it shows where equal elements
// tell.
TEST(OpenElements, AreReductionsThatShowTheirOrder) {
  const auto argmax = [](const std::string& tie) {
    return "m { v = s32[] parameter(0) i = s32[] parameter(1) w = s32[] parameter(2) "
           "j = s32[] parameter(3) gt = pred[] compare(v, w), direction=GT "
           "eq = pred[] compare(v, w), direction=EQ lt = pred[] compare(i, j), direction=LT "
           "yes = pred[] constant(true) " +
           tie +
           " x = s32[] select(c, v, w) y = s32[] select(c, i, j) "
           "ROOT t = (s32[], s32[]) tuple(x, y) }\n"
           "ENTRY e { p = s32[2,3] parameter(0) n = s32[2,3] iota(), iota_dimension=1 "
           "l = s32[] constant(-2147483648) k = s32[] constant(2147483647) "
           "ROOT r = (s32[2], s32[2]) reduce(p, n, l, k), dimensions={1}, to_apply=m }";
  };
  const std::vector<Literal> arguments = {
      RunHlo("ENTRY e { p = s32[6] parameter(0) ROOT r = s32[2,3] reshape(p) }",
             {Ints({7, 1, 7, 1, 2, 3})})};
  EXPECT_EQ(OpenOf(argmax("b = pred[] or(gt, eq) c = pred[] and(b, yes)"), arguments), "| 0 ");
  EXPECT_EQ(OpenOf(argmax("b = pred[] and(eq, lt) c = pred[] or(gt, b)"), arguments), "| ");
  const auto fold = [](const std::string& combiner) {
    return "f { a = f32[] parameter(0) b = f32[] parameter(1) " + combiner +
           " }\nENTRY e { p = f32[3] parameter(0) z = f32[] constant(0) "
           "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=f }";
  };
  // An order that shows in roundings alone is no choice of elements.
  EXPECT_EQ(
      OpenOf(fold("n = f32[] negate(a) ROOT s = f32[] subtract(b, n)"), {Floats({1, 1e8, -1e8})}),
      "");
}

// A sum that saturates commutes, and does not associate.
TEST(OpenElements, AreReductionsWhoseCombinerDoesNotAssociate) {
  const auto sum = [](const std::string& count) {
    return "f { a = s8[] parameter(0) b = s8[] parameter(1) x = s16[] convert(a) "
           "y = s16[] convert(b) s = s16[] add(x, y) l = s16[] constant(-128) "
           "h = s16[] constant(127) c = s16[] clamp(l, s, h) ROOT r = s8[] convert(c) }\n"
           "ENTRY e { p = s8[" +
           count +
           "] parameter(0) z = s8[] constant(0) "
           "ROOT r = s8[] reduce(p, z), dimensions={0}, to_apply=f }";
  };
  const auto bytes = [](std::vector<int64_t> values) {
    Literal literal(Shape::Array(PrimitiveType::kS8, {std::ssize(values)}));
    for (size_t i = 0; i < values.size(); ++i) literal.SetInt(static_cast<int64_t>(i), values[i]);
    return literal;
  };
  EXPECT_EQ(OpenOf(sum("3"), {bytes({100, 100, -100})}), "0 ");
  // The pairs of the second and third, and of the first and second, do not saturate.
  EXPECT_EQ(OpenOf(sum("3"), {bytes({100, -100, 100})}), "0 ");
  EXPECT_EQ(OpenOf(sum("4"), {bytes({1, -7, 100, -100})}), "");
  EXPECT_EQ(OpenOf(sum("2"), {bytes({100, 100})}), "");
  EXPECT_EQ(OpenOf(sum("0"), {bytes({})}), "");
}

// "SelectAndScatter": the order is arbitrary.
TEST(OpenElements, AreThoseThatSeveralWindowsSelect) {
  const auto last = [](const std::string& combiner, const std::string& stride) {
    return "ge { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = pred[] compare(a, b), "
           "direction=GE }\n"
           "f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] " +
           combiner + " }\nENTRY e { p = s32[4] parameter(0) s = s32[" +
           (stride == "2" ? "2" : "3") +
           "] parameter(1) z = s32[] constant(0) ROOT r = s32[4] select-and-scatter(p, s, z), "
           "window={size=2 stride=" +
           stride + "}, scatter=f, select=ge }";
  };
  EXPECT_EQ(OpenOf(last("copy(b)", "1"), {Ints({1, 5, 2, 0}), Ints({1, 2, 3})}), "1 ");
  EXPECT_EQ(OpenOf(last("copy(b)", "2"), {Ints({1, 5, 2, 0}), Ints({1, 2})}), "");
  EXPECT_EQ(OpenOf(last("add(a, b)", "1"), {Ints({1, 5, 2, 0}), Ints({1, 2, 3})}), "");
}

// Under GE a NaN neither stays selected nor keeps another element out: the order in a window
// decides.
TEST(OpenElements, AreThoseOfAWindowWhoseSelectionIsNotTransitive) {
  const std::string text = R"(
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GE }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { p = f32[6] parameter(0) s = f32[2] parameter(1) z = f32[] constant(0)
  ROOT r = f32[6] select-and-scatter(p, s, z), window={size=3 stride=3}, select=ge, scatter=sum })";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto open = [&](const std::vector<double>& x) {
    return OpenOf(text, {Floats(x), Floats({1, 1})});
  };
  EXPECT_EQ(open({1, nan, 0, 1, 2, 3}), "0 1 2 ");
  EXPECT_EQ(open({1, 2, 0, 4, nan, 3}), "3 4 5 ");
  EXPECT_EQ(open({1, 2, 2, 3, 3, 3}), "");
  EXPECT_EQ(open({nan, nan, nan, 0, 0, 1}), "");
}

TEST(OpenElements, AreNoneOfAnArgmaxFromItsLeastElement) {
  const std::string text = R"(
f { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GT e = pred[] compare(a, b), direction=EQ
  l = pred[] compare(i, j), direction=LT el = pred[] and(e, l) p = pred[] or(g, el)
  v = f32[] select(p, a, b) w = s32[] select(p, i, j) ROOT t = (f32[], s32[]) tuple(v, w) }
ENTRY e { x = f32[4] parameter(0) i = s32[4] iota(), iota_dimension=0
  c = f32[] constant(-inf) z = s32[] constant(0)
  ROOT r = (f32[], s32[]) reduce(x, i, c, z), dimensions={0}, to_apply=f })";
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const auto& x : {std::vector<double>{1, 3, 3, 2}, {-kInf, -kInf, -kInf, -kInf}})
    EXPECT_EQ(OpenOf(text, {Floats(x)}), "| ");
}

TEST(OpenElements, AreTheBitsOfComputedNaNs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  auto of = [&](const std::string& rest) {
    return OpenOf("ENTRY e { x = f32[3] parameter(0)\n" + rest + " }", {Floats({1, inf, nan})});
  };
  EXPECT_EQ(of("d = f32[3] subtract(x, x)\n ROOT b = s32[3] bitcast-convert(d)"), "1 2 ");
  EXPECT_EQ(of("ROOT b = s32[3] bitcast-convert(x)"), "");
  EXPECT_EQ(of("d = f32[3] subtract(x, x)\n ROOT f = pred[3] is-finite(d)"), "");
  EXPECT_EQ(of("d = f32[3] subtract(x, x)\n r = f32[3] reverse(d), dimensions={0}\n"
               "ROOT b = s32[3] bitcast-convert(r)"),
            "0 1 ");
  EXPECT_EQ(of("d = f32[3] subtract(x, x)\n ROOT c = pred[3] compare(d, x), direction=LT, "
               "type=TOTALORDER"),
            "1 2 ");
  // A NaN that is none any more.
  EXPECT_EQ(of("d = f32[3] subtract(x, x)\n c = s32[3] convert(d)\n g = f32[3] convert(c)\n"
               "ROOT b = s32[3] bitcast-convert(g)"),
            "");
}

// Rows of a sort are permuted before, and updates are taken in another order: what becomes another
// value is open. Two executions that HLO allows differ nowhere else.
RC_GTEST_PROP(OpenElements, AreAllThatAnotherPermittedExecutionChanges, (uint64_t seed)) {
  const std::string body = R"(
  y = s32[5] get-tuple-element(s), index=1
  x = s32[5] get-tuple-element(s), index=0
  z = s32[] constant(0)
  c = s32[5] add(x, y)
  w = s32[] reduce(y, z), dimensions={0}, to_apply=add
  h = s32[2] slice(c), slice={[1:3]}
  ROOT t = (s32[5], s32[5], s32[], s32[2]) tuple(c, x, w, h) })";
  auto text = [&](const std::string& before, const std::string& sorted) {
    return std::string(kLess) + "ENTRY e { k = s32[5] parameter(0)\n v = s32[5] parameter(1)\n" +
           before + "  s = (s32[5], s32[5]) sort(" + sorted +
           "), dimensions={0}, is_stable=false, to_apply=less" + body;
  };
  const auto one = Parse(text("", "k, v"));
  const auto other =
      Parse(text("a = s32[5] reverse(k), dimensions={0}\n"
                 "b = s32[5] reverse(v), dimensions={0}\n",
                 "a, b"));
  std::vector<Literal> arguments = MakeArguments(*one->entry, seed);
  for (Literal& argument : arguments) {
    for (int64_t i = 0; i < 5; ++i) argument.SetInt(i, argument.GetInt(i) & 3);
  }
  const Literal value = llvm::cantFail(Interpret(*one->entry, arguments));
  const Literal permitted = llvm::cantFail(Interpret(*other->entry, arguments));
  const LiteralComparison comparison =
      CompareResults(*one->entry, arguments, nullptr, value, permitted, 0);
  RC_ASSERT(comparison.mismatches == 0);
  // The keys are no more open than the order says.
  const OpenElements open = llvm::cantFail(FindOpenElements(*one->entry, arguments));
  RC_ASSERT(open.leaves[1].empty());
}

RC_GTEST_PROP(OpenElements, AreAllThatAnotherOrderOfUpdatesChanges, (uint64_t seed)) {
  const auto module = Parse(ScatterOf("copy(b)", ""));
  std::vector<Literal> arguments = MakeArguments(*module->entry, seed);
  for (int64_t k = 0; k < 3; ++k) arguments[1].SetInt(k, (arguments[1].GetInt(k) & 7) - 1);
  EvaluationOrders orders;
  orders[module->entry->root] = {.slots = 4, .group = 2, .consecutive = 1};
  const Literal value = llvm::cantFail(Interpret(*module->entry, arguments));
  const Literal permitted = llvm::cantFail(Interpret(*module->entry, arguments, &orders));
  RC_ASSERT(CompareResults(*module->entry, arguments, nullptr, value, permitted, 0).mismatches ==
            0);
  // A closed element is held to its value.
  Literal wrong = value;
  const OpenElements open = llvm::cantFail(FindOpenElements(*module->entry, arguments));
  int64_t closed = 0;
  for (int64_t i = 0; i < 5; ++i) {
    if (open.Has(0, i)) continue;
    wrong.SetInt(i, value.GetInt(i) + 1);
    ++closed;
  }
  RC_ASSERT(CompareResults(*module->entry, arguments, nullptr, value, wrong, 0).mismatches ==
            closed);
}

TEST(OpenElements, PromisesThatAreBrokenAreSaid) {
  auto why = [](const std::string& attributes, const std::vector<int64_t>& indices) {
    const auto module = Parse(ScatterOf("add(a, b)", attributes));
    return WhyPromiseIsBroken(*module->entry,
                              {Ints({0, 0, 0, 0, 0}), Ints(indices), Ints({1, 2, 3})});
  };
  EXPECT_NE(why(", unique_indices=true", {1, 2, 1}), "");
  EXPECT_EQ(why(", unique_indices=true", {1, 2, 3}), "");
  EXPECT_EQ(why(", unique_indices=true", {9, 2, 9}), "");
  EXPECT_NE(why(", indices_are_sorted=true", {2, 1, 3}), "");
  EXPECT_EQ(why("", {1, 2, 1}), "");
}

}  // namespace
}  // namespace affirm::hlo
