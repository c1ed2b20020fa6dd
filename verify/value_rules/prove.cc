#include "verify/value_rules/prove.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "core/hlo/float_format.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/float_limits.h"
#include "verify/scalar/scalar_program.h"
#include "verify/value_rules/definition.h"
#include "verify/value_rules/smt.h"

namespace affirm::value_rules {

namespace {

using hlo::PrimitiveType;
using hlo::Scalar;

int WidthOf(PrimitiveType type) {
  return type == PrimitiveType::kPred ? 1 : static_cast<int>(hlo::BitWidth(type));
}
uint64_t MaskOf(PrimitiveType type) {
  const int width = WidthOf(type);
  return width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0};
}

Scalar OfBits(uint64_t bits, PrimitiveType type) {
  if (hlo::IsFloat(type)) return {.re = hlo::DecodeFloat(type, bits)};
  return {.i = hlo::IntType::Of(type).Wrap(bits)};
}

bool IsSame(const Scalar& a, const Scalar& b, PrimitiveType type) {
  if (!hlo::IsFloat(type)) return a.i == b.i;
  if (std::isnan(a.re) || std::isnan(b.re)) return std::isnan(a.re) && std::isnan(b.re);
  return a.re == b.re && std::signbit(a.re) == std::signbit(b.re);
}

// The shortest decimal number that is this one in the type: "-0.0", "0.1", "1e-40".
std::string Decimal(double x, PrimitiveType type) {
  std::array<char, 40> text;
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, x);
    const double read = std::strtod(text.data(), nullptr);
    if (hlo::EncodeFloat(type, read) == hlo::EncodeFloat(type, x)) break;
  }
  std::string number = text.data();
  if (std::isfinite(x) && number.find_first_of(".e") == std::string::npos) number += ".0";
  return number;
}

// "-0.0 (0x80000000)", "255 (0xff)", "true"
std::string Text(const Scalar& x, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return x.i != 0 ? "true" : "false";
  const bool is_float = hlo::IsFloat(type);
  const uint64_t bits =
      (is_float ? hlo::EncodeFloat(type, x.re) : static_cast<uint64_t>(x.i)) & MaskOf(type);
  const std::string number = is_float                 ? Decimal(x.re, type)
                             : hlo::IsSignedInt(type) ? std::to_string(x.i)
                                                      : std::to_string(bits);
  std::array<char, 24> hex;
  std::snprintf(hex.data(), hex.size(), "0x%0*llx", (WidthOf(type) + 3) / 4,
                static_cast<unsigned long long>(bits));
  return number + " (" + hex.data() + ")";
}

// Values at which faults are often found.
std::vector<uint64_t> SpecialBits(PrimitiveType type) {
  std::vector<uint64_t> bits;
  auto add = [&](uint64_t b) {
    b &= MaskOf(type);
    if (!llvm::is_contained(bits, b)) bits.push_back(b);
  };
  const int width = WidthOf(type);
  if (!hlo::IsFloat(type)) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    for (const uint64_t of : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, sign, sign - 1, sign + 1,
                              uint64_t{2}, uint64_t{3}, static_cast<uint64_t>(width),
                              static_cast<uint64_t>(width - 1), static_cast<uint64_t>(width + 1)})
      add(of);
    return bits;
  }
  const double infinity = HUGE_VAL, largest = hlo::LargestFinite(type);
  for (const double of : {0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 0.1, 1.0 / 3, 100.0, largest,
                          largest / 2, infinity, std::nan("")}) {
    for (const double signed_of : {of, -of}) add(hlo::EncodeFloat(type, signed_of));
  }
  add(1);  // the least number above 0
  add(uint64_t{1} << (width - 1) | 1);
  for (int bit = 0; bit < width; ++bit) add(uint64_t{1} << bit);
  return bits;
}

// Both sides at values of the variables, by the scalar functions of the interpreter.
class Sides {
 public:
  Sides(hlo::ScalarProgram program, const Instance& instance)
      : program_(std::move(program)), types_(instance.VariableTypes()), type_(instance.type()) {}

  // Whether the condition holds there, and the sides differ.
  bool DifferAt(llvm::ArrayRef<uint64_t> bits) {
    arguments_.clear();
    for (auto [of, type] : llvm::zip(bits, types_)) arguments_.push_back(OfBits(of, type));
    program_.Apply(arguments_, results_);
    if (results_[2].i == 0) return false;
    ++satisfied_;
    return !IsSame(results_[0], results_[1], type_);
  }
  int64_t satisfied() const { return satisfied_; }

  // The values at which the sides were computed last.
  Counterexample Last(const ValueRule& rule) const {
    Counterexample made;
    for (auto [variable, value, type] : llvm::zip(rule.variables, arguments_, types_))
      made.values.emplace_back(variable.name, Text(value, type));
    made.left = Text(results_[0], type_);
    made.right = Text(results_[1], type_);
    return made;
  }

 private:
  hlo::ScalarProgram program_;
  std::vector<PrimitiveType> types_;
  PrimitiveType type_;
  std::vector<Scalar> arguments_;
  std::array<Scalar, 3> results_;
  int64_t satisfied_ = 0;
};

class Prover {
 public:
  Prover(const ValueRule& rule, const Instance& instance, const Types& types, Sides sides,
         const ProofOptions& options)
      : rule_(rule), instance_(instance), sides_(std::move(sides)), options_(options) {
    proof_.types = types;
  }

  InstanceProof Run() {
    if (instance_.NumBits() <= options_.enumerated_bits) {
      Enumerate();
      return std::move(proof_);
    }
    if (Sample() || rule_.of_class != RuleClass::kExact) return std::move(proof_);
    if (IsByDefinition(instance_)) {
      proof_.verdict = Verdict::kProved;
      proof_.by = "definition of operations on narrow floats";
      proof_.vacuous = sides_.satisfied() == 0 && IsVacuous();
    } else {
      Ask();
    }
    return std::move(proof_);
  }

 private:
  // True where they differ there.
  bool Try(llvm::ArrayRef<uint64_t> bits) {
    if (!sides_.DifferAt(bits)) return false;
    proof_.counterexample = sides_.Last(rule_);
    proof_.verdict = Verdict::kRefuted;
    return true;
  }

  void Enumerate() {
    const std::vector<PrimitiveType> types = instance_.VariableTypes();
    const uint64_t count = uint64_t{1} << instance_.NumBits();
    std::vector<uint64_t> bits(types.size());
    for (uint64_t number = 0; number < count; ++number) {
      uint64_t rest = number;
      for (size_t k = types.size(); k > 0; --k) {
        bits[k - 1] = rest & MaskOf(types[k - 1]);
        rest >>= WidthOf(types[k - 1]);
      }
      if (Try(bits)) return;
    }
    proof_.vacuous = sides_.satisfied() == 0;
    const hlo::Opcode approximated = ApproximatedOp(instance_);
    if (approximated != hlo::Opcode::kUnknown && !IsByDefinition(instance_)) {
      proof_.reason = hlo::Name(approximated).str() +
                      " is rounded as devices like: it holds of the functions of this host";
      return;
    }
    proof_.verdict = Verdict::kProved;
    proof_.by = "enumeration of " + std::to_string(count) + " values";
  }

  // Combinations of special values, then others; true where they differ at one.
  bool Sample() {
    constexpr uint64_t kMostSpecial = 200'000;
    constexpr int kRandom = 20'000;
    const std::vector<PrimitiveType> types = instance_.VariableTypes();
    std::vector<std::vector<uint64_t>> special;
    special.reserve(types.size());
    for (const PrimitiveType type : types) special.push_back(SpecialBits(type));
    std::vector<uint64_t> bits(types.size());
    uint64_t count = 1;
    for (const auto& of : special) count = std::min(kMostSpecial, count * of.size());
    for (uint64_t number = 0; number < count; ++number) {
      uint64_t rest = number;
      for (size_t k = 0; k < types.size(); ++k) {
        bits[k] = special[k][rest % special[k].size()];
        rest /= special[k].size();
      }
      if (Try(bits)) return true;
    }
    std::mt19937_64 random(options_.seed);
    for (int k = 0; k < kRandom; ++k) {
      for (size_t v = 0; v < types.size(); ++v) {
        // Some are special, and some are a bit beside another one.
        const uint64_t drawn = random(), kind = random() % 4;
        bits[v] = drawn & MaskOf(types[v]);
        if (kind == 0) bits[v] = special[v][drawn % special[v].size()];
        if (kind == 1 && v > 0 && types[v] == types[v - 1])
          bits[v] = (bits[v - 1] + drawn % 3 - 1) & MaskOf(types[v]);
      }
      if (Try(bits)) return true;
    }
    return false;
  }

  void Ask() {
    const SmtAnswer answer = AskZ3(instance_, options_.z3_rlimit, options_.wall_ms);
    switch (answer.kind) {
      case SmtAnswer::Kind::kEqual:
        proof_.verdict = Verdict::kProved;
        proof_.by = "z3";
        proof_.vacuous = sides_.satisfied() == 0 && IsVacuous();
        break;
      case SmtAnswer::Kind::kDifferent:
        if (!Try(answer.bits))
          proof_.reason = "z3 gives values at which the interpreter sees no difference";
        break;
      case SmtAnswer::Kind::kOpen:
        proof_.reason = answer.reason;
        break;
    }
  }

  // Whether no values satisfy the condition: then its negation is always true.
  bool IsVacuous() const {
    if (!rule_.when) return false;
    ValueRule never = rule_;
    never.lhs = *rule_.when;
    never.rhs = {.kind = Expression::Kind::kNumber, .text = "false"};
    never.when.reset();
    auto instance = Instance::Create(never, proof_.types);
    if (!instance) {
      llvm::consumeError(instance.takeError());
      return false;
    }
    return AskZ3(*instance, options_.z3_rlimit, options_.wall_ms).kind == SmtAnswer::Kind::kEqual;
  }

  InstanceProof proof_;
  const ValueRule& rule_;
  const Instance& instance_;
  Sides sides_;
  const ProofOptions& options_;
};

}  // namespace

std::string Counterexample::ToString() const {
  std::string text;
  for (const auto& [name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text + (text.empty() ? "" : ": ") + "left is " + left + ", right is " + right;
}

llvm::Expected<InstanceProof> Prove(const ValueRule& rule, const Types& types,
                                    const ProofOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  auto instance = Instance::Create(rule, types);
  if (!instance) return instance.takeError();
  auto program = hlo::ScalarProgram::Compile(instance->computation());
  if (!program)
    return MakeError(rule.where + ": error: rule '" + rule.name + "' is no function of scalars");
  InstanceProof proof =
      Prover(rule, *instance, types, Sides(std::move(*program), *instance), options).Run();
  if (rule.of_class != RuleClass::kExact) {
    proof.verdict = Verdict::kUnknown;
    proof.by.clear();
    proof.reason = "a rule that is " + Name(rule.of_class).str() + " claims no equality";
  }
  proof.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return proof;
}

Verdict RuleProof::verdict() const {
  return MeetOfAll(instances, [](const InstanceProof& proof) {
    return proof.vacuous ? Verdict::kRefuted : proof.verdict;
  });
}

llvm::Expected<RuleProof> Prove(const ValueRule& rule, const ProofOptions& options) {
  RuleProof made{.rule = rule, .instances = {}};
  for (const Types& types : TypesOf(rule)) {
    auto proof = Prove(rule, types, options);
    if (!proof) return proof.takeError();
    made.instances.push_back(std::move(*proof));
  }
  return made;
}

}  // namespace affirm::value_rules
