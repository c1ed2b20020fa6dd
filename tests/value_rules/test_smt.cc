// Operations in Z3 agree with the interpreter: on special values and random ones of each type, the
// result of each operation on constants.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "core/hlo/float_format.h"
#include "verify/scalar/scalar_program.h"
#include "verify/value_rules/smt.h"

namespace affirm::value_rules {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

constexpr PrimitiveType kInts[] = {PrimitiveType::kS8,  PrimitiveType::kU8,  PrimitiveType::kS32,
                                   PrimitiveType::kU32, PrimitiveType::kS64, PrimitiveType::kU64};
constexpr PrimitiveType kFloats[] = {PrimitiveType::kF8E5M2, PrimitiveType::kF16,
                                     PrimitiveType::kBF16, PrimitiveType::kF32,
                                     PrimitiveType::kF64};

std::string Text(const hlo::Scalar& x, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return x.i != 0 ? "true" : "false";
  if (!hlo::IsFloat(type)) {
    return hlo::IsSignedInt(type) ? std::to_string(x.i)
                                  : std::to_string(static_cast<uint64_t>(x.i));
  }
  if (std::isnan(x.re)) return "nan";
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.17g", x.re);
  return text.data();
}

Expression Number(const hlo::Scalar& x, PrimitiveType type) {
  Expression made{
      .kind = Expression::Kind::kOp, .opcode = Opcode::kConstant, .type = hlo::Name(type).str()};
  made.args.push_back({.kind = Expression::Kind::kNumber, .text = Text(x, type)});
  return made;
}

class Values {
 public:
  explicit Values(PrimitiveType type) : type_(type), random_(7 + static_cast<uint64_t>(type)) {}

  hlo::Scalar Draw() {
    const uint64_t bits = random_();
    const int width = type_ == PrimitiveType::kPred ? 1 : static_cast<int>(hlo::BitWidth(type_));
    if (hlo::IsFloat(type_)) {
      constexpr double kSpecial[] = {0,    -0.0, 1,        -1,        0.5,          2.5,
                                     -3.5, 1e-3, INFINITY, -INFINITY, std::nan(""), 1e300};
      if (bits % 3 != 0)
        return {.re = hlo::RoundTo(type_, kSpecial[bits / 3 % std::size(kSpecial)])};
      return {.re = hlo::DecodeFloat(type_, width < 64 ? bits >> (64 - width) : bits)};
    }
    const uint64_t special[] = {0,
                                1,
                                ~uint64_t{0},
                                uint64_t{1} << (width - 1),
                                (uint64_t{1} << (width - 1)) - 1,
                                static_cast<uint64_t>(width),
                                static_cast<uint64_t>(width) - 1,
                                3};
    const uint64_t chosen = bits % 3 != 0 ? special[bits / 3 % std::size(special)] : bits >> 7;
    return {.i = hlo::IntType::Of(type_).Wrap(chosen)};
  }

 private:
  PrimitiveType type_;
  std::mt19937_64 random_;
};

// The rule "op of constants => what the interpreter computes" at one type; whether Z3 says so.
// nullopt where there is no such operation, or Z3 has no form for it.
std::optional<bool> AgreeOn(Expression op, PrimitiveType result) {
  ValueRule rule{.name = "r",
                 .why = "",
                 .where = "r:1",
                 .types = {},
                 .variables = {},
                 .lhs = op,
                 .rhs = op,
                 .when = std::nullopt};
  auto instance = Instance::Create(rule, {});
  if (!instance) {
    llvm::consumeError(instance.takeError());
    return std::nullopt;
  }
  auto program = hlo::ScalarProgram::Compile(instance->computation());
  if (!program) return std::nullopt;
  std::array<hlo::Scalar, 3> results;
  program->Apply({}, results);
  EXPECT_EQ(instance->type(), result);
  rule.rhs = Number(results[0], result);
  auto said = Instance::Create(rule, {});
  if (!said) {
    ADD_FAILURE() << llvm::toString(said.takeError());
    return false;
  }
  const SmtAnswer answer = AskZ3(*said, 10'000'000, 10'000);
  if (answer.kind == SmtAnswer::Kind::kOpen) return std::nullopt;
  return answer.kind == SmtAnswer::Kind::kEqual;
}

// Every type, to each number of bits of the mantissa; an exponent of fewer bits has no form.
TEST(Smt, PrecisionIsReducedAsInTheInterpreter) {
  for (const PrimitiveType type : kFloats) {
    Values values(type);
    for (const int64_t mantissa : {0, 1, 2, 6, 7, 9, 10, 22, 23, 51, 52}) {
      int64_t said = 0;
      for (int k = 0; k < 24; ++k) {
        Expression op{.kind = Expression::Kind::kOp, .opcode = Opcode::kReducePrecision};
        const hlo::Scalar drawn = values.Draw();
        // An infinity with a sign that Z3's NaN does not have.
        if (mantissa == 0 && std::isnan(drawn.re)) continue;
        op.args.push_back(Number(drawn, type));
        op.exponent_bits = 11;
        op.mantissa_bits = mantissa;
        const auto agree = AgreeOn(op, type);
        if (!agree) continue;
        ++said;
        EXPECT_TRUE(*agree) << ToString(op) << " of " << hlo::Name(type).str();
      }
      EXPECT_GT(said, 15) << hlo::Name(type).str() << " " << mantissa;
    }
  }
}

// Without a mantissa there is no NaN: an infinity of some sign.
TEST(Smt, NansHaveAMantissa) {
  auto answer = [](const std::string& sides) {
    const std::string text =
        "rule r: " + sides + "\n  with x : f32\n  when x != x\n  class exact\n  why for a test\n";
    const ValueRule rule = llvm::cantFail(ParseValueRules(text, "f.rules"))[0];
    return AskZ3(llvm::cantFail(Instance::Create(rule, {})), 10'000'000, 10'000).kind;
  };
  EXPECT_EQ(answer("reduce_precision(x, 8, 1)  =>  x"), SmtAnswer::Kind::kEqual);
  EXPECT_EQ(answer("reduce_precision(x, 8, 0)  =>  x"), SmtAnswer::Kind::kDifferent);
  EXPECT_EQ(answer("reduce_precision(x, 8, 0)  =>  inf"), SmtAnswer::Kind::kDifferent);
  EXPECT_EQ(answer("abs(reduce_precision(x, 8, 0))  =>  inf"), SmtAnswer::Kind::kEqual);
  EXPECT_EQ(answer("reduce_precision(x, 8, 0)  =>  reduce_precision(-x, 8, 0)"),
            SmtAnswer::Kind::kDifferent);
}

TEST(Smt, OperationsAreThoseOfTheInterpreter) {
  int64_t forms = 0;
  auto run = [&](PrimitiveType type, Opcode opcode, int arity, const std::string& direction,
                 const std::string& to) {
    Values values(type);
    bool said = false;
    // Floats, and conversions to them, take Z3 longer.
    const bool is_integer = arity == 2 && !hlo::IsFloat(type) && direction.empty();
    const int draws = is_integer ? 50 : 8;
    for (int k = 0; k < draws; ++k) {
      Expression op{
          .kind = Expression::Kind::kOp, .opcode = opcode, .direction = direction, .type = to};
      for (int a = 0; a < arity; ++a) op.args.push_back(Number(values.Draw(), type));
      const PrimitiveType result = opcode == Opcode::kCompare || opcode == Opcode::kIsFinite
                                       ? PrimitiveType::kPred
                                   : to.empty() ? type
                                                : hlo::PrimitiveTypeFromName(to);
      const auto agree = AgreeOn(op, result);
      if (!agree) continue;
      said = true;
      EXPECT_TRUE(*agree) << ToString(op);
    }
    forms += said ? 1 : 0;
  };
  std::vector<PrimitiveType> all(std::begin(kInts), std::end(kInts));
  all.insert(all.end(), std::begin(kFloats), std::end(kFloats));
  all.push_back(PrimitiveType::kPred);
  for (const PrimitiveType type : all) {
    for (const Opcode opcode :
         {Opcode::kAbs, Opcode::kNegate, Opcode::kNot, Opcode::kSign, Opcode::kPopcnt,
          Opcode::kCountLeadingZeros, Opcode::kSqrt, Opcode::kFloor, Opcode::kCeil,
          Opcode::kRoundNearestAfz, Opcode::kRoundNearestEven, Opcode::kIsFinite, Opcode::kCopy})
      run(type, opcode, 1, "", "");
    for (const Opcode opcode :
         {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide, Opcode::kRemainder,
          Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd, Opcode::kOr, Opcode::kXor,
          Opcode::kShiftLeft, Opcode::kShiftRightLogical, Opcode::kShiftRightArithmetic})
      run(type, opcode, 2, "", "");
    run(type, Opcode::kClamp, 3, "", "");
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"})
      run(type, Opcode::kCompare, 2, direction, "");
    for (const PrimitiveType to : all) run(type, Opcode::kConvert, 1, "", hlo::Name(to).str());
  }
  EXPECT_GT(forms, 300);
}

}  // namespace
}  // namespace affirm::value_rules
