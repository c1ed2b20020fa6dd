#include "verify/equivalence/combiner_laws.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/compare/same_value.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/signatures.h"
#include "verify/hlo/values/values.h"
#include "verify/scalar/nan_bits.h"
#include "verify/scalar/scalar_program.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;
using terms::Term;

namespace {

size_t ArityOf(const hlo::Computation& combiner) { return combiner.parameters.size() / 2; }

// Whether both halves of the parameters and the results are scalars of the same types.
bool CombinesScalars(const hlo::Computation& combiner) {
  const size_t arity = ArityOf(combiner);
  const auto results = hlo::LeafShapes(combiner.root->shape);
  if (arity == 0 || combiner.parameters.size() != 2 * arity || results.size() != arity)
    return false;
  for (size_t k = 0; k < arity; ++k) {
    const hlo::Shape &a = combiner.parameters[k]->shape, &b = combiner.parameters[arity + k]->shape,
                     &r = *results[k];
    if (!a.IsScalar() || !b.IsScalar() || !r.IsScalar() || a.type != b.type || a.type != r.type)
      return false;
  }
  return true;
}

// Proves the laws by terms over three symbolic elements.
class TermLaws {
 public:
  explicit TermLaws(const hlo::Computation& combiner) : combiner_(combiner) {
    const size_t arity = ArityOf(combiner);
    for (size_t k = 0; k < 3 * arity; ++k) {
      elements_[k / arity].push_back(
          pool_.Load(static_cast<int64_t>(k), pool_.Number(0),
                     terms::TermType(combiner.parameters[k % arity]->shape.type)));
    }
  }

  bool Prove() {
    const auto& [a, b, c] = elements_;
    return Same(Combine(a, b), Combine(b, a)) &&
           Same(Combine(Combine(a, b), c), Combine(a, Combine(b, c)));
  }

 private:
  using Element = std::vector<Term>;

  // Empty if the combiner has no terms.
  Element Combine(const Element& running, const Element& element) {
    const size_t arity = ArityOf(combiner_);
    if (running.size() != arity || element.size() != arity) return {};
    hlo_values::ComputationValues values(scope_, combiner_, [&](int64_t parameter, int64_t, auto) {
      const auto p = static_cast<size_t>(parameter);
      return p < arity ? running[p] : element[p - arity];
    });
    Element combined;
    for (size_t leaf = 0; leaf < arity; ++leaf) {
      auto value = values.At(*combiner_.root, static_cast<int64_t>(leaf), {});
      if (!value) {
        llvm::consumeError(value.takeError());
        return {};
      }
      combined.push_back(scope_.Simplify(*value));
    }
    return combined;
  }

  bool Same(const Element& x, const Element& y) {
    if (x.empty() || y.empty()) return false;
    compare::SameValue same(scope_,
                            {.correspondences = false, .zeros = compare::ZeroSigns::kExact});
    const bool sees_bits = hlo::SeesBitsOfNaN(combiner_);
    for (size_t k = 0; k < x.size(); ++k) {
      const Term a = sees_bits ? terms::BitsOf(pool_, x[k]) : x[k];
      const Term b = sees_bits ? terms::BitsOf(pool_, y[k]) : y[k];
      if (!compare::Settles(same.Prove(a, b), scope_, a, b) &&
          !compare::Settles(same.Prove(b, a), scope_, b, a)) {
        return false;
      }
    }
    return true;
  }

  const hlo::Computation& combiner_;
  terms::Pool pool_;
  terms::Scope scope_{pool_};
  Element elements_[3];
};

// Whether an instruction only selects or compares its operands, combines predicates, or is a
// constant.
bool ChoosesOrCompares(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kCompare:
      return op.attributes.comparison_type != "TOTALORDER";
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kSelect:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kParameter:
      return true;
    case Opcode::kAnd:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kXor:
      return op.shape.type == PrimitiveType::kPred;
    default:
      return false;
  }
}

Literal Scalar(PrimitiveType type) { return Literal(hlo::Shape::Array(type, {})); }

// Every value of a type.
std::vector<Literal> AllValues(PrimitiveType type) {
  std::vector<Literal> values;
  const int64_t count = type == PrimitiveType::kPred ? 2 : int64_t{1} << hlo::BitWidth(type);
  for (int64_t bits = 0; bits < count; ++bits) {
    values.push_back(Scalar(type));
    if (hlo::IsFloat(type))
      values.back().data()[0] = static_cast<uint8_t>(bits);
    else
      values.back().SetInt(0, bits);
  }
  return values;
}

// Values of a type that realize every order of `count` values relative to each other and to the
// constants: `count` of them on either side of each constant, and of zero, which floats have twice.
std::vector<Literal> OrderedValues(PrimitiveType type, int64_t count,
                                   llvm::ArrayRef<Literal> constants) {
  if (type == PrimitiveType::kPred) return AllValues(type);
  std::vector<Literal> values;
  auto add = [&](const Literal& value) {
    if (!llvm::is_contained(values, value)) values.push_back(value);
  };
  if (hlo::IsFloat(type)) {
    auto add_float = [&](double number) {
      Literal value = Scalar(type);
      value.SetFloat(0, number);
      add(value);
    };
    for (int64_t k = 0; k < count; ++k) {
      add_float(static_cast<double>(k));
      add_float(-static_cast<double>(k));
    }
    add_float(std::nan(""));
    return values;
  }
  auto add_around = [&](int64_t base, int64_t below) {
    for (int64_t k = -below; k < count; ++k) {
      Literal value = Scalar(type);
      // Wraps at the ends of the type, where there are no further values.
      value.SetInt(0, static_cast<int64_t>(static_cast<uint64_t>(base) + static_cast<uint64_t>(k)));
      add(value);
    }
  };
  add_around(0, 0);
  for (const Literal& constant : constants) add_around(constant.GetInt(0), count + 1);
  return values;
}

// Union-find of the values of a combiner that may be compared with, or selected for, each other.
class Comparable {
 public:
  explicit Comparable(const hlo::Computation& combiner) {
    const size_t arity = ArityOf(combiner);
    for (size_t k = 0; k < arity; ++k) {
      const Instruction* result =
          combiner.root->opcode == Opcode::kTuple ? combiner.root->operands[k] : combiner.root;
      Join(result, combiner.parameters[k]);
      Join(result, combiner.parameters[arity + k]);
    }
    for (const auto& op : combiner.instructions) {
      if (op->opcode == Opcode::kTuple) continue;
      const bool chooses = op->opcode == Opcode::kSelect;
      const bool compares = op->opcode == Opcode::kCompare;
      for (size_t k = chooses ? 1 : 0; k < op->operands.size(); ++k)
        Join(op->operands[k], compares ? op->operands[0] : op.get());
    }
  }

  bool AreJoined(const Instruction* x, const Instruction* y) { return Find(x) == Find(y); }

 private:
  const Instruction* Find(const Instruction* op) {
    while (joined_.lookup(op) != nullptr) op = joined_.lookup(op);
    return op;
  }
  void Join(const Instruction* x, const Instruction* y) {
    x = Find(x);
    y = Find(y);
    if (x != y) joined_[x] = y;
  }

  llvm::DenseMap<const Instruction*, const Instruction*> joined_;
};

// Proves the laws by execution.
class ExecutedLaws {
 public:
  explicit ExecutedLaws(const hlo::Computation& combiner)
      : combiner_(combiner), program_(hlo::ScalarProgram::Compile(combiner)) {}

  // Whether they hold; nullopt if execution does not decide it.
  std::optional<bool> Prove() {
    if (!program_) return std::nullopt;
    auto values = Elements();
    if (!values) return std::nullopt;
    for (const Element& a : *values) {
      for (const Element& b : *values) {
        const Element ab = Combine(a, b);
        if (!AreSame(ab, Combine(b, a))) return false;
        for (const Element& c : *values) {
          if (!AreSame(Combine(ab, c), Combine(a, Combine(b, c)))) return false;
        }
      }
    }
    return true;
  }

 private:
  using Element = std::vector<Literal>;

  // The elements to try; nullopt if they would be too many, or would not suffice for a proof.
  std::optional<std::vector<Element>> Elements() const {
    constexpr size_t kMostElements = 32;  // all triples of them are tried
    int64_t bits = 0;
    for (size_t k = 0; k < ArityOf(combiner_); ++k)
      bits += std::max<int64_t>(1, hlo::BitWidth(combiner_.parameters[k]->shape.type));
    const bool all = bits <= 5;
    for (const auto& op : combiner_.instructions) {
      const bool is_result = op.get() == combiner_.root && op->opcode == Opcode::kTuple;
      if (!IsFunctionOfOperands(*op)) return std::nullopt;
      if (!all && !is_result && !ChoosesOrCompares(*op)) return std::nullopt;
    }
    std::vector<Element> elements = {{}};
    for (size_t k = 0; k < ArityOf(combiner_); ++k) {
      const auto values = ValuesOf(*combiner_.parameters[k], all);
      if (!values) return std::nullopt;
      std::vector<Element> longer;
      for (const Element& element : elements) {
        for (const Literal& value : *values) {
          longer.push_back(element);
          longer.back().push_back(value);
        }
      }
      elements = std::move(longer);
      if (elements.size() > kMostElements) return std::nullopt;
    }
    return elements;
  }

  std::optional<std::vector<Literal>> ValuesOf(const Instruction& parameter, bool all) const {
    const PrimitiveType type = parameter.shape.type;
    if (all) return AllValues(type);
    const bool is_float = hlo::IsFloat(type) && hlo::BitWidth(type) >= 16;
    if (type != PrimitiveType::kPred && !hlo::IsInt(type) && !is_float) return std::nullopt;
    Comparable comparable(combiner_);
    int64_t alike = 0;
    std::vector<Literal> constants;
    for (const auto& op : combiner_.instructions) {
      if (!comparable.AreJoined(&parameter, op.get())) continue;
      if (op->opcode == Opcode::kParameter) ++alike;
      if (op->opcode != Opcode::kConstant) continue;
      // Constants of floats would need neighbors of their own.
      if (!op->literal || is_float) return std::nullopt;
      constants.push_back(*op->literal);
    }
    return OrderedValues(type, 3 * alike / 2, constants);
  }

  Element Combine(const Element& running, const Element& element) {
    const size_t arity = ArityOf(combiner_);
    std::vector<hlo::Scalar> arguments, results(arity);
    for (const Element* part : {&running, &element}) {
      for (const Literal& value : *part) arguments.push_back(hlo::Load(value, 0));
    }
    program_->Apply(arguments, results);
    Element combined;
    for (size_t k = 0; k < arity; ++k) {
      combined.push_back(Scalar(combiner_.parameters[k]->shape.type));
      hlo::Store(combined.back(), 0, results[k]);
    }
    return combined;
  }

  static bool AreSame(const Element& x, const Element& y) {
    return llvm::equal(x, y, [](const Literal& a, const Literal& b) {
      if (a == b) return true;
      return hlo::IsFloat(a.shape().type) && std::isnan(a.GetFloat(0)) && std::isnan(b.GetFloat(0));
    });
  }

  const hlo::Computation& combiner_;
  std::optional<hlo::ScalarProgram> program_;
};

}  // namespace

bool TakesAnyOrder(const hlo::Computation& combiner) {
  if (!CombinesScalars(combiner)) return false;
  if (const std::optional<bool> executed = ExecutedLaws(combiner).Prove()) return *executed;
  return TermLaws(combiner).Prove();
}

// Whether two combiners are proved equal. False if one observes NaN bits, which the proof ignores.
static bool ComputeTheSame(const hlo::Computation& a, const hlo::Computation& b) {
  if (hlo::SeesBitsOfNaN(a) || hlo::SeesBitsOfNaN(b)) return false;
  if (llvm::Error error = CheckSignatures(a, b)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  return ProveEquivalent(a, b, {}).proved();
}

hlo_values::ComputationValues::NamedCombiner KnownCombiners::Named(
    const hlo::Computation& combiner) {
  constexpr size_t kMostAsked = 16;  // comparisons with other combiners
  const std::string name = hlo_values::NameOfCombiner(combiner);
  if (name.empty()) return {};
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  if (CombinesScalars(combiner) && first_.size() <= kMostAsked) {
    for (const hlo::Computation* other : first_) {
      if (ComputeTheSame(*other, combiner))
        return known_[name] = known_.at(hlo_values::NameOfCombiner(*other));
    }
  }
  if (CombinesScalars(combiner)) first_.push_back(&combiner);
  return known_[name] = {name, equivalence::TakesAnyOrder(combiner)};
}

}  // namespace affirm::equivalence
