// Exact laws keep the values of terms: random terms of floats of several types, rewritten, have the
// values that they had at special and random elements.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/hlo/float_format.h"
#include "core/hlo/text.h"
#include "tests/hlo_values/value_evaluator.h"
#include "verify/equivalence/laws.h"
#include "verify/terms/operations.h"

namespace affirm::equivalence {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kTypes[] = {PrimitiveType::kF8E4M3FN, PrimitiveType::kF8E5M2,
                                    PrimitiveType::kF16,      PrimitiveType::kBF16,
                                    PrimitiveType::kF32,      PrimitiveType::kF64};
constexpr int kElements = 4;  // of each of two arrays of a type
constexpr double kNumbers[] = {0, -0.0, 1, -1, 2, -0.25, 4, 0.1, INFINITY, -INFINITY, NAN};

template <typename T, size_t N>
T Pick(const T (&values)[N]) {
  return values[*rc::gen::inRange<size_t>(0, N)];
}

// Terms of few values, so that many have the form of a rule.
class Terms {
 public:
  explicit Terms(Scope& scope) : scope_(scope), pool_(scope.pool()) {}

  Term Any(PrimitiveType type, int depth) {
    constexpr Op kUnary[] = {Op::kNegate, Op::kNegate, Op::kAbs,  Op::kSign,
                             Op::kFloor,  Op::kCeil,   Op::kSqrt, Op::kRoundNearestEven};
    constexpr Op kBinary[] = {Op::kAdd,    Op::kAdd,     Op::kSubtract, Op::kMultiply,
                              Op::kDivide, Op::kMaximum, Op::kMinimum};
    switch (*rc::gen::inRange(0, depth == 0 ? 2 : 9)) {
      case 0:
        return pool_.Load(Buffer(type), pool_.Number(0), type);
      case 1:
        return pool_.Literal(type, hlo::EncodeFloat(type, Pick(kNumbers)));
      case 2:
      case 3:
        return pool_.Apply(Pick(kUnary), type, {Any(type, depth - 1)});
      case 4: {
        const PrimitiveType from = Pick(kTypes);
        return terms::Convert(scope_, Any(from, depth - 1), from, type);
      }
      case 5:
        return scope_.Select(Comparison(depth - 1), Any(type, depth - 1), Any(type, depth - 1));
      default:
        return pool_.Apply(Pick(kBinary), type, {Any(type, depth - 1), Any(type, depth - 1)});
    }
  }

  // Two of each type.
  static int64_t Buffer(PrimitiveType type) {
    const auto* at = std::find(std::begin(kTypes), std::end(kTypes), type);
    return 2 * (at - std::begin(kTypes)) + *rc::gen::inRange(0, 2);
  }

 private:
  Term Comparison(int depth) {
    const PrimitiveType type = Pick(kTypes);
    constexpr const char* kDirections[] = {"EQ", "NE", "LT", "LE"};
    Term a = Any(type, depth), b = Any(type, depth);
    if (*rc::gen::inRange(0, 4) == 0)
      return pool_.Holds(pool_.Apply(Op::kIsFinite, PrimitiveType::kPred, {a}));
    return pool_.Holds(terms::CompareFloats(pool_, Pick(kDirections), false, a, b));
  }

  Scope& scope_;
  Pool& pool_;
};

std::unique_ptr<hlo::Module> Parameters() {
  std::string text = "HloModule m\nENTRY e {\n";
  for (size_t k = 0; k < 2 * std::size(kTypes); ++k) {
    text += "  p" + std::to_string(k) + " = " + hlo::Name(kTypes[k / 2]).str() + "[" +
            std::to_string(kElements) + "] parameter(" + std::to_string(k) + ")\n";
  }
  return llvm::cantFail(hlo::ParseModule(text + "  ROOT r = f32[4] copy(p8)\n}\n", "test"));
}

std::vector<hlo::Literal> Elements() {
  std::vector<hlo::Literal> arguments;
  for (size_t k = 0; k < 2 * std::size(kTypes); ++k) {
    const PrimitiveType type = kTypes[k / 2];
    arguments.emplace_back(hlo::Shape::Array(type, {kElements}));
    for (int i = 0; i < kElements; ++i) {
      const uint64_t bits = *rc::gen::arbitrary<uint64_t>();
      const bool special = *rc::gen::inRange(0, 2) == 0;
      const int width = hlo::BitWidth(type);
      const double number =
          special ? Pick(kNumbers)
                  : hlo::DecodeFloat(type, width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits);
      arguments.back().SetFloat(i, hlo::DecodeFloat(type, hlo::EncodeFloat(type, number)));
    }
  }
  return arguments;
}

bool IsSame(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

RC_GTEST_PROP(LawValues, ExactLawsKeepThem, ()) {
  static const std::unique_ptr<hlo::Module> kModule = Parameters();
  Pool pool;
  Scope scope(pool);
  const auto laws = llvm::cantFail(ChooseLaws({}));
  const PrimitiveType type = Pick(kTypes);
  Term before = Terms(scope).Any(type, 4);
  Rewriter rewriter(scope, laws);
  Term after = rewriter.Rewrite(before).right();
  // Nothing is left to be rewritten: no law undoes another one.
  Rewriter again(scope, laws);
  RC_ASSERT(again.Rewrite(after).right() == after);
  for (int k = 0; k < 8; ++k) {
    const std::vector<hlo::Literal> arguments = Elements();
    ValueWorld world(*kModule, arguments);
    ValueEvaluator evaluator(world, llvm::DenseMap<Term, terms::Int128>());
    const double x = evaluator.Value(before).value.re, y = evaluator.Value(after).value.re;
    RC_ASSERT(world.problem == "");
    if (!IsSame(x, y)) {
      RC_FAIL(ToString(before) + " is " + std::to_string(x) + ", and " + ToString(after) + " is " +
              std::to_string(y));
    }
  }
}

}  // namespace
}  // namespace affirm::equivalence
