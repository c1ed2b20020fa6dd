// The row emitter: chosen where rows can be held in registers, bijections, equal to the
// interpreter, and proved from the LLVM IR, with one read of each operand.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/hlo/text.h"
#include "emit/plan/row_fusion.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

constexpr char kReducers[] = R"(HloModule m
  max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
)";

std::string Entry(const std::string& body) { return kReducers + ("ENTRY e {" + body) + "}"; }

// An entry that computes `text` on p: f32[rows, length], where # stands for "rows,length", % for
// "rows" and $ for "length".
std::string OfRows(const std::string& text, int64_t rows, int64_t length) {
  std::string result;
  for (char c : text) {
    if (c == '#')
      result += std::to_string(rows) + "," + std::to_string(length);
    else if (c == '%')
      result += std::to_string(rows);
    else if (c == '$')
      result += std::to_string(length);
    else
      result += c;
  }
  return Entry(result);
}

constexpr char kSoftmax[] = R"(
    p = f32[#] parameter(0)
    low = f32[] constant(-1e38)
    zero = f32[] constant(0)
    m = f32[%] reduce(p, low), dimensions={1}, to_apply=max
    mb = f32[#] broadcast(m), dimensions={0}
    d = f32[#] subtract(p, mb)
    x = f32[#] exponential(d)
    s = f32[%] reduce(x, zero), dimensions={1}, to_apply=sum
    sb = f32[#] broadcast(s), dimensions={0}
    q = f32[#] divide(x, sb)
)";

// With results of a row and of its elements, and an operand that all rows share.
constexpr char kNorm[] = R"(
    p = f32[#] parameter(0)
    g = f32[$] parameter(1)
    zero = f32[] constant(0)
    n = f32[] constant($)
    nb = f32[%] broadcast(n), dimensions={}
    gb = f32[#] broadcast(g), dimensions={1}
    x = f32[#] multiply(p, gb)
    s = f32[%] reduce(x, zero), dimensions={1}, to_apply=sum
    mean = f32[%] divide(s, nb)
    mb = f32[#] broadcast(mean), dimensions={0}
    c = f32[#] subtract(x, mb)
    c2 = f32[#] multiply(c, c)
    v = f32[%] reduce(c2, zero), dimensions={1}, to_apply=sum
    var = f32[%] divide(v, nb)
    vb = f32[#] broadcast(var), dimensions={0}
    y = f32[#] divide(c, vb)
    out = f32[#] add(y, gb)
)";

std::optional<emit::RowFusion> FusionOf(const std::string& text, Context& context) {
  auto module = llvm::cantFail(hlo::ParseModule(text, "test"));
  auto graph = llvm::cantFail(emit::Flatten(*module->entry));
  return emit::FindRowFusion(graph, context);
}

::testing::AssertionResult IsRight(const std::string& text, int64_t arguments = 1) {
  EmittedModule emitted = Emit(text);
  if (!emitted.kernel) return ::testing::AssertionFailure() << emitted.error;
  if (emitted.kernel->emitter() != "row")
    return ::testing::AssertionFailure() << "the emitter is " << emitted.kernel->emitter();
  auto bijections = MapsAreBijections(*emitted.kernel);
  if (!bijections) return bijections;
  return MatchesInterpreter(emitted, hlo::MakeArguments(emitted.entry(), arguments));
}

// Lengths around those at which the number of threads or of registers changes.
RC_GTEST_PROP(RowEmitter, AnyLength, ()) {
  const auto rows = *rc::gen::element<int64_t>(1, 2, 7, 8, 33);
  const auto length = *rc::gen::element<int64_t>(2, 3, 5, 16, 17, 31, 32, 33, 125, 511, 512, 513,
                                                 516, 1024, 1025, 4096, 4100);
  const bool norm = *rc::gen::arbitrary<bool>();
  std::string text = norm ? kNorm + std::string(
                                        "ROOT t = (f32[#], f32[%], f32[%]) tuple(out, "
                                        "mean, var)")
                          : kSoftmax + std::string("ROOT r = f32[#] add(q, d)");
  auto right = IsRight(OfRows(text, rows, length));
  if (!right) RC_FAIL(std::string(right.message()));
}

TEST(RowEmitter, EachValueIsComputedInTheFirstStageThatNeedsIt) {
  Context context;
  auto fusion =
      FusionOf(OfRows(kSoftmax + std::string("ROOT r = f32[#] negate(q)"), 7, 33), context);
  ASSERT_TRUE(fusion);
  ASSERT_EQ(fusion->stages.size(), 3u);
  // p for the second stage; x for the third; nothing is read again.
  EXPECT_EQ(fusion->stages[0].element.kept.size(), 1u);
  EXPECT_EQ(fusion->stages[1].element.kept.size(), 1u);
  EXPECT_EQ(fusion->stages[1].element.given.size(), 2u);
  EXPECT_EQ(fusion->stages[2].element.given.size(), 2u);
}

// Each of these needs an element at two places, or is longer than a block has registers for, or has
// nothing to hold rows for.
TEST(RowEmitter, OtherComputationsAreLeftToOthers) {
  Context context;
  for (const char* rest : {"back = f32[#] reverse(q), dimensions={1} ROOT r = f32[#] add(q, back)",
                           "back = f32[#] reverse(p), dimensions={1} ROOT r = f32[#] add(q, back)",
                           "ROOT c = f32[$] reduce(q, zero), dimensions={0}, to_apply=sum",
                           "ROOT t = f32[$,%] transpose(q), dimensions={1,0}",
                           "ROOT a = f32[] reduce(q, zero), dimensions={0,1}, to_apply=sum",
                           "ROOT p2 = f32[%,50] pad(q, zero), padding=0_0x0_17"}) {
    EXPECT_FALSE(FusionOf(OfRows(kSoftmax + std::string(rest), 7, 33), context)) << rest;
  }
  EXPECT_FALSE(
      FusionOf(OfRows(kSoftmax + std::string("ROOT r = f32[#] negate(q)"), 2, 16385), context));
  EXPECT_FALSE(FusionOf(OfRows(R"(p = f32[#] parameter(0) z = f32[] constant(0)
    s = f32[%] reduce(p, z), dimensions={1}, to_apply=sum ROOT e = f32[%] exponential(s))",
                               7, 33),
                        context));
}

TEST(RowEmitter, WholeArraysSeveralDimensionsAndReshapes) {
  EXPECT_TRUE(IsRight(Entry(R"(
    p = f32[40] parameter(0)
    z = f32[] constant(0)
    s = f32[] reduce(p, z), dimensions={0}, to_apply=sum
    b = f32[40] broadcast(s), dimensions={}
    ROOT r = f32[40] divide(p, b))")));
  EXPECT_TRUE(IsRight(Entry(R"(
    p = f32[3,2,5,1,7] parameter(0)
    z = f32[] constant(1)
    s = f32[3,2,1] reduce(p, z), dimensions={2,4}, to_apply=sum
    k = f32[3,2,1,1,1] reshape(s)
    l = f32[3,2,1,1,1] log(k)
    f = f32[3,2] reshape(l)
    b = f32[3,2,5,1,7] broadcast(f), dimensions={0,1}
    d = f32[3,2,5,1,7] subtract(p, b)
    r = f32[6,35] reshape(d)
    u = f32[6] reshape(s)
    ROOT t = (f32[6,35], f32[6], f32[3,2,1,1,1]) tuple(r, u, l))")));
}

// Each row has one label; the element that it chooses is an element of the row, or is read for it.
TEST(RowEmitter, CrossEntropy) {
  const std::string body = kSoftmax + std::string(R"(
    l = f32[%] log(s)
    lse = f32[%] add(l, m)
    label = s32[%] parameter(1)
    lb = s32[#] broadcast(label), dimensions={0}
    column = s32[#] iota(), iota_dimension=1
    hot = pred[#] compare(lb, column), direction=EQ
    zeros = f32[#] broadcast(zero), dimensions={}
    chosen = f32[#] select(hot, p, zeros)
    one = f32[%] reduce(chosen, zero), dimensions={1}, to_apply=sum
    ROOT loss = f32[%] subtract(lse, one))");
  EXPECT_TRUE(IsRight(OfRows(body, 9, 33)));
  EXPECT_TRUE(IsRight(OfRows(body, 3, 700)));
}

// A sum with cancellation has the bits of the order that the kernel says.
TEST(RowEmitter, SumsAreTakenInTheOrderThatItSays) {
  for (auto [length, order] : {std::pair<int64_t, hlo::EvaluationOrder>{15, {16, 16, 1}},
                               {300, {32, 32, 1}},
                               {1500, {256, 32, 1}}}) {
    EmittedModule emitted =
        Emit(OfRows(kNorm + std::string("ROOT r = f32[#] negate(y)"), 3, length));
    ASSERT_TRUE(emitted.kernel) << emitted.error;
    hlo::EvaluationOrders orders = emitted.kernel->evaluation_orders();
    ASSERT_EQ(orders.size(), 2u);
    for (const auto& [reduction, at] : orders) EXPECT_EQ(at, order);
    std::vector<hlo::Literal> arguments = hlo::MakeArguments(emitted.entry(), 1);
    for (int64_t i = 0; i < arguments[0].NumElements(); ++i)
      arguments[0].SetFloat(i, std::ldexp(1.0 + static_cast<double>(i % 3) / 3, i * 7 % 5));
    hlo::Literal actual = llvm::cantFail(emit::RunOnEmulator(*emitted.kernel, arguments));
    EXPECT_TRUE(
        SameValue(llvm::cantFail(hlo::Interpret(emitted.entry(), arguments, &orders)), actual));
    orders.clear();
    EXPECT_FALSE(
        SameValue(llvm::cantFail(hlo::Interpret(emitted.entry(), arguments, &orders)), actual));
  }
}

}  // namespace
}  // namespace affirm::testing
