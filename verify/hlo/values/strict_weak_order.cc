#include "verify/hlo/values/strict_weak_order.h"

#include <cmath>
#include <vector>

#include "core/hlo/float_format.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/query.h"

namespace affirm::hlo_values {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using terms::Pool;
using terms::Scope;
using terms::Term;

// The most values of a weak order, which is more than any comparator needs.
constexpr int64_t kMostRanks = int64_t{1} << 20;
// A computation that calls others deeper than this is not looked through.
constexpr int kDeepestCall = 16;

class OrderProver {
 public:
  OrderProver(const hlo::Computation& comparator, NansCompared nans)
      : comparator_(comparator), nans_(nans) {}

  std::optional<std::string> Prove() {
    if (comparator_.root->shape.type != PrimitiveType::kPred || comparator_.parameters.size() % 2)
      return "it is no comparator of pairs";
    for (const Instruction* parameter : comparator_.parameters) {
      if (!parameter->shape.IsArray() || parameter->shape.rank() != 0)
        return "it does not compare scalars";
    }
    Term xx = Less(0, 0), xy = Less(0, 1), yz = Less(1, 2), xz = Less(0, 2);
    if (!xx || !xy || !yz || !xz) return "it is not known what it computes: " + reason_;
    RelateRanks();
    if (!Proves(pool_.Not(xx))) return "it is not known that no element comes before itself";
    if (!Proves(pool_.Or({pool_.Not(xy), pool_.Not(yz), xz}))) {
      return "it is not known that what comes before an element comes before all that the element "
             "comes before";
    }
    if (!Proves(pool_.Or({pool_.Not(xz), xy, yz}))) {
      return "it is not known that elements of which none comes before the other are alike to all "
             "others";
    }
    return std::nullopt;
  }

 private:
  // A computation on values of which some are conditions on ranks.
  struct Body {
    const hlo::Computation& computation;
    ComputationValues& values;
    std::vector<Term> conditions;  // of parameters that are predicates; null for others
    int depth = 0;
  };

  // Whether element x comes before element y.
  Term Less(int64_t x, int64_t y) {
    auto element = [&](int64_t parameter) {
      const PrimitiveType type = comparator_.parameters[parameter]->shape.type;
      const int64_t operand = parameter / 2, of = parameter % 2 == 0 ? x : y;
      return pool_.Load(operand, pool_.Number(of), terms::TermType(type));
    };
    ComputationValues values(scope_, comparator_,
                             [&](int64_t parameter, int64_t, auto) { return element(parameter); });
    Body body{comparator_, values, std::vector<Term>(comparator_.parameters.size(), nullptr)};
    return Condition(body, *comparator_.root);
  }

  Term Fail(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
    return nullptr;
  }

  Term ValueOf(Body& body, const Instruction& op) {
    auto value = body.values.At(op, 0, {});
    return value ? *value : Fail(llvm::toString(value.takeError()));
  }

  // A predicate of the computation.
  Term Condition(Body& body, const Instruction& op) {
    std::vector<Term> operands;
    auto of_predicates = [&](llvm::ArrayRef<Instruction*> of) {
      for (const Instruction* operand : of) {
        if (operand->shape.type != PrimitiveType::kPred) return false;
        operands.push_back(Condition(body, *operand));
        if (!operands.back()) return false;
      }
      return true;
    };
    switch (op.opcode) {
      case Opcode::kAnd:
        return of_predicates(op.operands) ? pool_.And(operands) : nullptr;
      case Opcode::kOr:
        return of_predicates(op.operands) ? pool_.Or(operands) : nullptr;
      case Opcode::kNot:
        return of_predicates(op.operands) ? pool_.Not(operands[0]) : nullptr;
      case Opcode::kXor:
        return of_predicates(op.operands) ? pool_.Not(Same(operands[0], operands[1])) : nullptr;
      case Opcode::kSelect:
        if (!of_predicates(op.operands)) return nullptr;
        return pool_.Or({pool_.And({operands[0], operands[1]}),
                         pool_.And({pool_.Not(operands[0]), operands[2]})});
      case Opcode::kCompare:
        if (op.operands[0]->shape.type != PrimitiveType::kPred) return Compared(body, op);
        if (!of_predicates(op.operands)) return nullptr;
        return ComparedPredicates(op.attributes.comparison_direction, operands[0], operands[1]);
      case Opcode::kCall:
      case Opcode::kFusion:
      case Opcode::kMap:
        return Called(body, op);
      case Opcode::kParameter:
        if (Term known = body.conditions[op.parameter_number]) return known;
        break;
      default:
        break;
    }
    Term value = ValueOf(body, op);
    return value ? scope_.Simplify(pool_.Holds(value)) : nullptr;
  }

  Term Same(Term a, Term b) {
    return pool_.Or({pool_.And({a, b}), pool_.And({pool_.Not(a), pool_.Not(b)})});
  }

  // False comes before true.
  Term ComparedPredicates(llvm::StringRef direction, Term a, Term b) {
    if (direction == "EQ") return Same(a, b);
    if (direction == "NE") return pool_.Not(Same(a, b));
    if (direction == "LT") return pool_.And({pool_.Not(a), b});
    if (direction == "GT") return pool_.And({a, pool_.Not(b)});
    if (direction == "LE") return pool_.Or({pool_.Not(a), b});
    if (direction == "GE") return pool_.Or({a, pool_.Not(b)});
    return Fail("a comparison without a direction");
  }

  Term Called(Body& body, const Instruction& op) {
    if (op.called.size() != 1 || body.depth == kDeepestCall || op.shape.IsTuple())
      return Fail("a call of " + op.name);
    const hlo::Computation& callee = *op.called[0];
    std::vector<Term> arguments, conditions;
    for (const Instruction* operand : op.operands) {
      arguments.push_back(ValueOf(body, *operand));
      if (!arguments.back()) return nullptr;
      const bool is_predicate = operand->shape.type == PrimitiveType::kPred;
      conditions.push_back(is_predicate ? Condition(body, *operand) : nullptr);
      if (is_predicate && !conditions.back()) return nullptr;
    }
    ComputationValues values(
        scope_, callee, [&](int64_t parameter, int64_t, auto) { return arguments[parameter]; });
    Body of_callee{callee, values, std::move(conditions), body.depth + 1};
    return Condition(of_callee, *callee.root);
  }

  // A comparison of numbers, by their ranks.
  Term Compared(Body& body, const Instruction& op) {
    Term a = ValueOf(body, *op.operands[0]), b = ValueOf(body, *op.operands[1]);
    if (!a || !b) return nullptr;
    const llvm::StringRef direction = op.attributes.comparison_direction;
    const PrimitiveType type = op.operands[0]->shape.type;
    const bool is_float = hlo::IsFloat(type) || hlo::IsComplex(type);
    const bool total = is_float && op.attributes.comparison_type == "TOTALORDER";
    // The bits of an integer do not tell its signedness.
    Ranks& ranks = total                      ? total_
                   : is_float                 ? floats_
                   : hlo::IsUnsignedInt(type) ? unsigned_
                                              : signed_;
    if (&ranks == &floats_ && (IsNaN(a) || IsNaN(b)))
      return direction == "NE" ? pool_.True() : pool_.False();
    Term rank_a = RankOf(ranks, a), rank_b = RankOf(ranks, b);
    if (&ranks != &floats_) return ComparedRanks(direction, rank_a, rank_b);
    if (direction != "EQ" && direction != "NE")
      for (Term value : {a, b}) ordered_.insert(value);
    Term numbers = pool_.And({pool_.Not(IsNaNHere(a)), pool_.Not(IsNaNHere(b))});
    if (direction == "NE") return pool_.Not(pool_.And({numbers, pool_.Equal(rank_a, rank_b)}));
    Term compared = ComparedRanks(direction, rank_a, rank_b);
    return compared ? pool_.And({numbers, compared}) : nullptr;
  }

  Term ComparedRanks(llvm::StringRef direction, Term rank_a, Term rank_b) {
    if (direction == "EQ") return pool_.Equal(rank_a, rank_b);
    if (direction == "NE") return pool_.Not(pool_.Equal(rank_a, rank_b));
    if (direction == "LT") return Before(rank_a, rank_b);
    if (direction == "GT") return Before(rank_b, rank_a);
    if (direction == "LE") return pool_.Not(Before(rank_b, rank_a));
    if (direction == "GE") return pool_.Not(Before(rank_a, rank_b));
    return Fail("a comparison without a direction");
  }

  // A constant that is compared with is never equal to anything.
  static bool IsNaN(Term value) {
    return value->kind == terms::Kind::kLiteral && hlo::IsFloat(value->type) &&
           std::isnan(hlo::DecodeFloat(value->type, static_cast<uint64_t>(value->number)));
  }

  // Whether the value is a NaN.
  Term IsNaNHere(Term value) {
    auto [it, fresh] = are_nans_.try_emplace(value, nullptr);
    if (fresh) {
      const Term flag = pool_.Variable("nan" + std::to_string(number_++), {0, 1});
      it->second = pool_.Equal(flag, pool_.Number(1));
    }
    return it->second;
  }

  Term Before(Term a, Term b) { return pool_.AtLeast(b, pool_.Add(a, pool_.Number(1))); }

  // A float that is compared in both orders.
  struct Ordered {
    Term rank = nullptr, total = nullptr, is_nan = nullptr;
  };

  // The values that are compared in one order, and their ranks.
  using Ranks = llvm::MapVector<Term, Term>;

  Term RankOf(Ranks& ranks, Term value) {
    auto [it, fresh] = ranks.try_emplace(value, nullptr);
    if (fresh) it->second = pool_.Variable("rank" + std::to_string(number_++), {0, kMostRanks - 1});
    return it->second;
  }

  // A float that is less than another one comes before it in total order, where no NaN is between
  // two numbers.
  void RelateRanks() {
    for (Term value : ordered_) {
      if (nans_ == NansCompared::kByEquality) Presume(pool_.Not(IsNaNHere(value)));
    }
    std::vector<Ordered> both;
    for (const auto& [value, rank] : floats_) {
      const auto total = total_.find(value);
      if (total != total_.end()) both.push_back({rank, total->second, IsNaNHere(value)});
    }
    for (const Ordered& a : both) {
      for (const Ordered& b : both) {
        if (a.rank == b.rank) continue;
        Presume(pool_.Or(
            {a.is_nan, b.is_nan, pool_.Not(Before(a.rank, b.rank)), Before(a.total, b.total)}));
        Presume(
            pool_.Or({a.is_nan, pool_.Not(b.is_nan), pool_.Not(pool_.Equal(a.total, b.total))}));
        for (const Ordered& c : both) {
          Presume(pool_.Or({a.is_nan, b.is_nan, pool_.Not(c.is_nan),
                            pool_.Not(Before(a.total, c.total)), Before(b.total, c.total)}));
        }
      }
    }
  }

  void Presume(Term condition) { possible_ = possible_ && scope_.Assume(condition); }

  bool Proves(Term condition) {
    if (!possible_) return false;  // ranks never contradict each other
    return scope_.Decide(condition) == true || decider_.Proves(scope_, condition);
  }

  const hlo::Computation& comparator_;
  Pool pool_;
  Scope scope_{pool_};
  terms::TermDecider decider_{{}};
  const NansCompared nans_;
  Ranks signed_, unsigned_, floats_, total_;
  llvm::MapVector<Term, Term> are_nans_;  // conditions
  llvm::SetVector<Term> ordered_;         // what is compared by < and the like
  int64_t number_ = 0;
  bool possible_ = true;
  std::string reason_;
};

}  // namespace

std::optional<std::string> WhyNoStrictWeakOrder(const hlo::Computation& comparator,
                                                NansCompared nans) {
  return OrderProver(comparator, nans).Prove();
}

}  // namespace affirm::hlo_values
