// The table of errors: the enclosure of each function holds the exact value and the correctly
// rounded one, as MPFR has them, and is no wider than the table says.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/hlo/float_format.h"
#include "tests/enclosure/reals.h"
#include "tests/parse_module.h"
#include "verify/enclosure/elementwise.h"
#include "verify/scalar/scalar.h"

namespace affirm::enclosure {
namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

constexpr Opcode kUnary[] = {
    Opcode::kAcos,  Opcode::kAcosh,      Opcode::kAsin,        Opcode::kAsinh,
    Opcode::kAtanh, Opcode::kCbrt,       Opcode::kCosh,        Opcode::kCosine,
    Opcode::kErf,   Opcode::kTanh,       Opcode::kExponential, Opcode::kExponentialMinusOne,
    Opcode::kLog,   Opcode::kLogPlusOne, Opcode::kLogistic,    Opcode::kRsqrt,
    Opcode::kSine,  Opcode::kSinh,       Opcode::kSqrt,        Opcode::kTan};
constexpr Opcode kBinary[] = {Opcode::kAdd,    Opcode::kSubtract, Opcode::kMultiply, Opcode::kPower,
                              Opcode::kDivide, Opcode::kAtan2,    Opcode::kRemainder};

// The least positive normal number.
double LeastNormal(PrimitiveType type) { return type == PrimitiveType::kF16 ? 0x1p-14 : 0x1p-126; }

// One function of one type.
class Function {
 public:
  Function(Opcode opcode, PrimitiveType type, int operands)
      : opcode_(opcode), type_(type), name_(hlo::Name(opcode).str()) {
    const std::string of = hlo::Name(type).str() + "[]";
    module_ = testing::ParseOrFail("HloModule m\nENTRY e { a = " + of + " parameter(0) " +
                                   (operands == 1 ? "" : "b = " + of + " parameter(1) ") +
                                   "ROOT r = " + of + " " + name_ +
                                   (operands == 1 ? "(a)" : "(a, b)") + " }\n");
    exact_ = std::move(*hlo::ResolveElementwise(*module_->entry->root));
  }

  // Empty where all is as it should be.
  std::string Check(llvm::ArrayRef<double> operands) const {
    llvm::SmallVector<Enclosure, 2> points;
    llvm::SmallVector<Real, 2> reals;
    for (const double operand : operands) {
      points.push_back(Enclosure::Real(Interval::Of(operand)));
      reals.emplace_back(operand);
    }
    const Interval of = Elementwise(*module_->entry->root, points, exact_, {}).real;
    const Real real = *Apply(opcode_, reals);
    const double nearest = hlo::RoundTo(type_, real.ToDouble());
    const double magnitude = std::fabs(nearest);
    // A result that overflows is an infinity, and subnormal numbers may be taken for zero.
    const bool is_normal = std::isfinite(nearest) && magnitude >= 2 * LeastNormal(type_);
    const bool reads_normal = llvm::all_of(operands, [&](double operand) {
      return operand == 0 || std::fabs(operand) >= LeastNormal(type_);
    });
    std::string text = name_ + " of";
    for (const double operand : operands) text += " " + std::to_string(operand);
    text += ", " + std::to_string(nearest) + ", and " + ToString(type_, Enclosure::Real(of));
    if (!of.Has(nearest)) return text + " has not the nearest number";
    if (std::isfinite(nearest) && !real.IsIn(of)) return text + " has not the exact one";
    // Beside a zero of either sign lies either end of the angles.
    const bool is_cut = opcode_ == Opcode::kAtan2 && operands[0] == 0 && operands[1] <= 0;
    if (is_normal && reads_normal && !is_cut && of.hi - of.lo > WidestOf(magnitude))
      return text + " is wide";
    return "";
  }

 private:
  double WidestOf(double magnitude) const {
    const double ulp = UlpOf(opcode_, type_);
    const double of_table = 4 * ulp * UnitRoundoff(PrimitiveType::kF32);
    const double of_type = type_ == PrimitiveType::kF32
                               ? 0
                               : (6 + 2 * RoundoffsInType(opcode_, type_)) * UnitRoundoff(type_);
    // Units in the last place of subnormal numbers.
    const double least = 2 * ulp * 0x1p-149 + hlo::DecodeFloat(type_, 1);
    return 1.001 * (magnitude * (of_type + of_table) + least);
  }

  Opcode opcode_;
  PrimitiveType type_;
  std::string name_;
  std::unique_ptr<hlo::Module> module_;
  hlo::ScalarOp exact_;
};

// The first few complaints.
class Complaints {
 public:
  void Add(const std::string& text) {
    if (text.empty() || ++count_ > 3) return;
    ADD_FAILURE() << text;
  }
  bool IsEnough() const { return count_ > 3; }

 private:
  int count_ = 0;
};

class OfOpcode : public ::testing::TestWithParam<Opcode> {};

using UnaryFunctions = OfOpcode;

TEST_P(UnaryFunctions, OfSixteenBitsHoldExactValues) {
  for (const PrimitiveType type : {PrimitiveType::kF16, PrimitiveType::kBF16}) {
    const Function function(GetParam(), type, 1);
    Complaints complaints;
    for (uint32_t bits = 0; bits < 0x10000 && !complaints.IsEnough(); ++bits)
      complaints.Add(function.Check({hlo::DecodeFloat(type, bits)}));
  }
}

// Numbers of all exponents, and around zeros, steps and ends of functions.
std::vector<double> DirectedNumbers() {
  std::vector<double> numbers = {0, std::numeric_limits<double>::infinity(), std::nan("")};
  for (const double each :
       {0.25, 0.5,  1.0,   1.5,  2.0,    3.0,  M_PI / 4, M_PI / 2, M_PI,     2 * M_PI, 10.0,
        88.7, 89.5, 104.0, 1e10, 3.4e38, 1e-3, 1e-10,    0x1p-126, 0x1p-127, 0x1p-149}) {
    for (const double by : {1 - 0x1p-23, 1.0, 1 + 0x1p-23})
      numbers.push_back(hlo::RoundTo(PrimitiveType::kF32, each * by));
  }
  const size_t count = numbers.size();
  for (size_t k = 0; k < count; ++k) numbers.push_back(-numbers[k]);
  return numbers;
}

// Half of them of all magnitudes, half of those of numbers that programs have.
double AnyNumber(std::mt19937& random) {
  if (random() % 2 == 0) return hlo::DecodeFloat(PrimitiveType::kF32, random());
  const double fraction = static_cast<double>(random()) / 0x1p32;
  return hlo::RoundTo(PrimitiveType::kF32,
                      std::ldexp(fraction * 2 - 1, static_cast<int>(random() % 24) - 12));
}

constexpr int kRandomNumbers = 200'000;

TEST_P(UnaryFunctions, OfF32HoldExactValues) {
  const Function function(GetParam(), PrimitiveType::kF32, 1);
  Complaints complaints;
  for (const double number : DirectedNumbers()) complaints.Add(function.Check({number}));
  std::mt19937 random(1);
  for (int k = 0; k < kRandomNumbers && !complaints.IsEnough(); ++k)
    complaints.Add(function.Check({AnyNumber(random)}));
}

std::string NameOf(const ::testing::TestParamInfo<Opcode>& info) {
  std::string name = hlo::Name(info.param).str();
  llvm::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, UnaryFunctions, ::testing::ValuesIn(kUnary), NameOf);

using BinaryFunctions = OfOpcode;

TEST_P(BinaryFunctions, OfF32HoldExactValues) {
  const Function function(GetParam(), PrimitiveType::kF32, 2);
  Complaints complaints;
  const std::vector<double> directed = DirectedNumbers();
  for (const double a : directed) {
    for (const double b : directed) complaints.Add(function.Check({a, b}));
  }
  std::mt19937 random(1);
  for (int k = 0; k < kRandomNumbers && !complaints.IsEnough(); ++k) {
    const double a = AnyNumber(random);
    complaints.Add(function.Check({a, AnyNumber(random)}));
  }
}
INSTANTIATE_TEST_SUITE_P(All, BinaryFunctions, ::testing::ValuesIn(kBinary), NameOf);

}  // namespace
}  // namespace affirm::enclosure
