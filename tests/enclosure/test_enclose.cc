// Enclosures hold whatever a module may compute to, and what it may not lies outside.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <regex>
#include <string>

#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "tests/parse_module.h"
#include "verify/enclosure/enclose.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::enclosure {
namespace {

using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;

std::vector<const Literal*> LeavesOf(const Literal& value) {
  if (!value.shape().IsTuple()) return {&value};
  std::vector<const Literal*> leaves;
  for (const Literal& element : value.tuple()) {
    for (const Literal* leaf : LeavesOf(element)) leaves.push_back(leaf);
  }
  return leaves;
}

bool IsFinite(const Interval& a) {
  return a.HasNumbers() && !a.nan && std::isfinite(a.lo) && std::isfinite(a.hi);
}

// The first element of a value that is not among the enclosures; empty where all are. `finite`:
// enclosures with infinities or NaN are passed over.
std::string Outside(const Enclosures& enclosures, const Literal& value, bool finite = false) {
  for (auto [k, leaf] : llvm::enumerate(LeavesOf(value))) {
    if (!leaf->shape().IsArray()) continue;
    const PrimitiveType type = LeavesOf(enclosures.result.value)[k]->shape().type;
    for (int64_t i = 0; i < leaf->NumElements(); ++i) {
      const Enclosure of = enclosures.result.At(k, i);
      if (Contains(type, of, hlo::Load(*leaf, i))) continue;
      const bool is_integer = hlo::ScalarKindOf(type) == hlo::ScalarKind::kInt;
      if (finite && !is_integer &&
          !(IsFinite(of.real) && (hlo::IsFloat(type) || IsFinite(of.imaginary))))
        continue;
      return "element " + std::to_string(i) + " of leaf " + std::to_string(k) + ", " +
             leaf->ElementToString(i) + ", is not in " + ToString(type, of);
    }
  }
  return "";
}

std::unique_ptr<hlo::Module> AnyModule(uint64_t seed, const fuzz::HloLimits& limits) {
  const std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 600);
  fuzz::Choices choices(bytes);
  return fuzz::GenerateModule(choices, limits);
}

// All operations, on arguments of all kinds.
RC_GTEST_PROP(Enclosures, HoldTheInterpretersValue, ()) {
  auto module = AnyModule(*rc::gen::arbitrary<uint64_t>(), {});
  const auto kind = *rc::gen::elementOf(std::vector<hlo::ArgumentKind>(
      std::begin(hlo::kArgumentKinds), std::end(hlo::kArgumentKinds)));
  const std::vector<Literal> arguments = hlo::MakeArguments(*module->entry, 1, kind);
  auto value = hlo::Interpret(*module->entry, arguments);
  auto enclosures = Enclose(*module->entry, arguments);
  if (!value || !enclosures) {
    llvm::consumeError(value.takeError());
    llvm::consumeError(enclosures.takeError());
    return;
  }
  const std::string outside = Outside(*enclosures, *value);
  if (!outside.empty()) RC_LOG() << hlo::ToString(*module);
  RC_ASSERT(outside == "");
}

// The module in double precision, which rounds less by orders of magnitude.
std::string InDouble(const hlo::Module& module) {
  static const std::regex floats(R"(\b(f32|bf16|f16)\[)"), complexes("c64\\[");
  const std::string text = std::regex_replace(hlo::ToString(module), floats, "f64[");
  return std::regex_replace(text, complexes, "c128[");
}
Literal InDouble(const Literal& value) {
  if (value.shape().IsTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : value.tuple()) elements.push_back(InDouble(element));
    return Literal::MakeTuple(std::move(elements));
  }
  hlo::Shape shape = value.shape();
  if (!hlo::IsFloat(shape.type) && !hlo::IsComplex(shape.type)) return value;
  shape.type = hlo::IsComplex(shape.type) ? PrimitiveType::kC128 : PrimitiveType::kF64;
  Literal result(shape);
  for (int64_t i = 0; i < value.NumElements(); ++i) hlo::Store(result, i, hlo::Load(value, i));
  return result;
}

// A module of these types and operations, against itself in double precision.
void HoldInDouble(const fuzz::HloLimits& limits) {
  auto module = AnyModule(*rc::gen::arbitrary<uint64_t>(), limits);
  auto exact = hlo::ParseModule(InDouble(*module), "exact");
  if (!exact) {  // a bitcast, whose widths differ
    llvm::consumeError(exact.takeError());
    return;
  }
  const std::vector<Literal> arguments =
      hlo::MakeArguments(*module->entry, *rc::gen::inRange(0, 1000), hlo::ArgumentKind::kSmall);
  std::vector<Literal> in_double;
  for (const Literal& argument : arguments) in_double.push_back(InDouble(argument));
  auto value = hlo::Interpret(*(*exact)->entry, in_double);
  auto enclosures = Enclose(*module->entry, arguments);
  if (!value || !enclosures) {
    llvm::consumeError(value.takeError());
    llvm::consumeError(enclosures.takeError());
    return;
  }
  const std::string outside = Outside(*enclosures, *value, /*finite=*/true);
  if (!outside.empty()) RC_LOG() << hlo::ToString(*module);
  RC_ASSERT(outside == "");
}

RC_GTEST_PROP(Enclosures, HoldTheExactValue, ()) {
  fuzz::HloLimits limits;
  limits.types = {PrimitiveType::kF32, PrimitiveType::kBF16, PrimitiveType::kF16};
  limits.ops = {Opcode::kAdd,       Opcode::kSubtract,  Opcode::kMultiply,   Opcode::kDivide,
                Opcode::kMaximum,   Opcode::kMinimum,   Opcode::kNegate,     Opcode::kAbs,
                Opcode::kTanh,      Opcode::kLogistic,  Opcode::kSine,       Opcode::kCosine,
                Opcode::kSqrt,      Opcode::kErf,       Opcode::kFloor,      Opcode::kSelect,
                Opcode::kCompare,   Opcode::kConvert,   Opcode::kReduce,     Opcode::kDot,
                Opcode::kTranspose, Opcode::kBroadcast, Opcode::kSlice,      Opcode::kPad,
                Opcode::kReshape,   Opcode::kClamp,     Opcode::kConcatenate};
  HoldInDouble(limits);
}

// Operations of many elements each, among a few that round.
RC_GTEST_PROP(Enclosures, HoldTheExactValueOfWholeArrays, ()) {
  fuzz::HloLimits limits;
  limits.types = {PrimitiveType::kF32, PrimitiveType::kBF16, PrimitiveType::kF16,
                  PrimitiveType::kS32, PrimitiveType::kPred};
  limits.ops = {Opcode::kMultiply,
                Opcode::kTanh,
                Opcode::kDivide,
                Opcode::kBatchNormGrad,
                Opcode::kBatchNormTraining,
                Opcode::kBatchNormInference,
                Opcode::kMap,
                Opcode::kReduce,
                Opcode::kReduceWindow,
                Opcode::kSelectAndScatter,
                Opcode::kSort,
                Opcode::kTopk,
                Opcode::kConditional,
                Opcode::kScatter,
                Opcode::kRaggedDot};
  HoldInDouble(limits);
}

RC_GTEST_PROP(Enclosures, HoldTheExactValueOfTransforms, ()) {
  fuzz::HloLimits limits;
  limits.types = {PrimitiveType::kC64, PrimitiveType::kF32};
  limits.ops = {Opcode::kAdd,  Opcode::kMultiply, Opcode::kTanh,     Opcode::kFft,
                Opcode::kReal, Opcode::kImag,     Opcode::kCholesky, Opcode::kTriangularSolve};
  HoldInDouble(limits);
}

// Without functions whose results overflow in f32 and not in double.
RC_GTEST_PROP(Enclosures, HoldTheExactValueOfComplexNumbers, ()) {
  fuzz::HloLimits limits;
  limits.types = {PrimitiveType::kC64, PrimitiveType::kF32};
  limits.ops = {Opcode::kAdd,  Opcode::kMultiply, Opcode::kDivide,     Opcode::kAbs,
                Opcode::kSign, Opcode::kLog,      Opcode::kSqrt,       Opcode::kRsqrt,
                Opcode::kTanh, Opcode::kComplex,  Opcode::kLogPlusOne, Opcode::kReal,
                Opcode::kImag, Opcode::kDot,      Opcode::kReduce};
  HoldInDouble(limits);
}

// The enclosure of the one result of a module on numbers whose sums round.
Enclosures Of(const std::string& body, hlo::ArgumentKind kind = hlo::ArgumentKind::kRounding) {
  auto module = testing::ParseOrFail(
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) "
      "}\ndifference { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) "
      "}\nless { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), "
      "direction=LT }\nENTRY e { x = f32[64] parameter(0) y = f32[64] parameter(1) z = f32[] "
      "constant(0) " +
      body + " }\n");
  if (!module) return {};
  auto enclosures = Enclose(*module->entry, hlo::MakeArguments(*module->entry, 3, kind));
  if (enclosures) return std::move(*enclosures);
  ADD_FAILURE() << llvm::toString(enclosures.takeError());
  return {};
}

// Whether some element of two modules cannot be the same.
bool AreApart(const std::string& a, const std::string& b) {
  const Enclosures x = Of(a), y = Of(b);
  const PrimitiveType type = x.result.value.shape().type;
  for (int64_t i = 0; i < x.result.value.NumElements(); ++i) {
    if (!Meet(type, x.result.At(0, i), y.result.At(0, i))) return true;
  }
  return false;
}

std::string Scaled(const std::string& type, const std::string& by) {
  return "n = " + type + "[64] convert(x) c = " + type + "[] constant(" + by + ") b = " + type +
         "[64] broadcast(c), dimensions={} ROOT r = " + type + "[64] multiply(n, b)";
}

TEST(Enclosures, AreNarrow) {
  EXPECT_TRUE(AreApart(Scaled("f32", "0.7"), Scaled("f32", "0.7007")));
  EXPECT_TRUE(AreApart(Scaled("bf16", "0.7"), Scaled("bf16", "0.71")));
  EXPECT_TRUE(AreApart(Scaled("f16", "0.7"), Scaled("f16", "0.702")));
  EXPECT_FALSE(AreApart(Scaled("f32", "0.7"), Scaled("f32", "0.7")));
  auto mean = [](const std::string& count) {
    return "q = f32[64] multiply(x, x) s = f32[] reduce(q, z), dimensions={0}, to_apply=sum "
           "n = f32[] constant(" +
           count + ") ROOT r = f32[] divide(s, n)";
  };
  EXPECT_TRUE(AreApart(mean("64"), mean("63")));
  EXPECT_FALSE(AreApart(mean("64"), mean("64")));
  const std::string tanh = "t = f32[64] tanh(x) ";
  EXPECT_TRUE(AreApart(tanh + "ROOT r = f32[64] add(t, t)",
                       tanh + "h = f32[] constant(1.1) b = f32[64] broadcast(h), dimensions={} u = "
                              "f32[64] multiply(t, b) ROOT r = f32[64] add(t, u)"));
  EXPECT_TRUE(AreApart("ROOT r = f32[64] copy(x)", "ROOT r = f32[64] negate(x)"));
}

TEST(Enclosures, HoldWhatACompilerMayMake) {
  const std::string three = "c = f32[] constant(3) b = f32[64] broadcast(c), dimensions={} ";
  EXPECT_FALSE(AreApart(three + "ROOT r = f32[64] divide(x, b)",
                        "c = f32[] constant(0.333333343) b = f32[64] broadcast(c), dimensions={} "
                        "ROOT r = f32[64] multiply(x, b)"));
  // A rounding to bf16 may be left out, and a sum taken in halves.
  EXPECT_FALSE(
      AreApart("n = bf16[64] convert(x) ROOT r = f32[64] convert(n)", "ROOT r = f32[64] copy(x)"));
  EXPECT_FALSE(AreApart("ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum",
                        "v = f32[2,32] reshape(x) h = f32[32] reduce(v, z), dimensions={0}, "
                        "to_apply=sum ROOT r = f32[] reduce(h, z), dimensions={0}, to_apply=sum"));
  // Which way a choice goes may depend on a rounding: both are enclosed, and their width is told.
  const std::string choice = three +
                             "q = f32[64] divide(x, b) t = f32[64] multiply(q, b) "
                             "p = pred[64] compare(t, x), direction=EQ ";
  EXPECT_FALSE(AreApart(choice + "ROOT r = f32[64] select(p, x, y)", "ROOT r = f32[64] copy(y)"));
  EXPECT_EQ(Of(choice + "ROOT r = f32[64] select(p, x, y)").widened_by, "compare p");
}

TEST(Enclosures, FollowSortsScattersAndLoops) {
  EXPECT_FALSE(
      AreApart("t = f32[64] tanh(x) ROOT r = f32[64] sort(t), dimensions={0}, "
               "to_apply=less",
               "s = f32[64] sort(x), dimensions={0}, to_apply=less ROOT r = f32[64] "
               "tanh(s)"));
  EXPECT_TRUE(
      AreApart("t = f32[64] tanh(x) ROOT r = f32[64] sort(t), dimensions={0}, "
               "to_apply=less",
               "ROOT r = f32[64] tanh(x)"));
  const std::string scatter =
      "i = s32[64,1] iota(), iota_dimension=0 t = f32[64] multiply(x, y) ROOT r = f32[64] "
      "scatter(y, i, t), to_apply=sum, update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1";
  EXPECT_FALSE(AreApart(scatter, "t = f32[64] multiply(x, y) ROOT r = f32[64] add(t, y)"));
  EXPECT_TRUE(AreApart(scatter, "t = f32[64] multiply(x, y) ROOT r = f32[64] subtract(t, y)"));
}

TEST(Enclosures, SayNothingOfWhatIsNotKnown) {
  const Enclosures reduced =
      Of("t = f32[64] tanh(x) ROOT r = f32[] reduce(t, z), dimensions={0}, to_apply=difference");
  EXPECT_EQ(reduced.result.At(0, 0).real, Interval::Whole());
  EXPECT_EQ(reduced.not_known, "reduce r");
  EXPECT_EQ(reduced.widened_by, "reduce r");
  EXPECT_TRUE(Of("ROOT r = f32[64] copy(x)").widened_by.empty());
}

}  // namespace
}  // namespace affirm::enclosure
