#include "verify/equivalence/trip_claims.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/hlo/devices.h"
#include "core/hlo/leaves.h"
#include "core/hlo/trip_claim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Opcode;
using terms::Int128;
using terms::Term;

namespace {

const hlo::Computation* CalledAs(const Instruction& loop, llvm::StringRef key) {
  for (size_t k = 0; k < loop.called.size(); ++k) {
    if (loop.called_as[k] == key) return loop.called[k];
  }
  return nullptr;
}

// Executes the scalar integers of a loop's state on which its condition depends, trip by trip.
class Trips {
 public:
  explicit Trips(const Instruction& loop) : loop_(loop), shapes_(hlo::LeafShapes(loop.shape)) {}

  // The claim that the condition holds in `count` trips and then fails, and that leaf `counter`, if
  // any, is first + step * trip in each.
  struct Claim {
    int64_t count = 0;
    std::optional<int64_t> counter = {};
    std::optional<int64_t> first = {}, step = {};
  };
  // Whether the condition is proved to fail after some trips.
  bool End() {
    const Term holds = Begin(std::nullopt);
    for (int64_t trip = 0; holds && trip <= kMostTrips; ++trip) {
      const std::optional<Int128> again = ValueOf(holds);
      if (again == Int128{0}) return true;
      if (!again || !Step()) return false;
    }
    return false;
  }
  bool Run(const Claim& claim) {
    if (claim.count < 0 || claim.count > kMostTrips) return false;
    const Term holds = Begin(claim.counter);
    if (!holds) return false;
    for (int64_t trip = 0; trip <= claim.count; ++trip) {
      if (claim.counter && trip < claim.count && !IsAsClaimed(claim, trip)) return false;
      const std::optional<Int128> again = ValueOf(holds);
      if (!again || (*again != 0) != (trip < claim.count)) return false;
      if (trip < claim.count && !Step()) return false;
    }
    return true;
  }

 private:
  static constexpr int64_t kMostTrips = 1 << 16;

  // The condition as a term of the state; also computes the updates of the needed integers and of
  // leaf `counter`. Null if one has no term.
  Term Begin(std::optional<int64_t> counter) {
    const hlo::Computation *condition = CalledAs(loop_, "condition"),
                           *body = CalledAs(loop_, "body");
    if (!condition || !body) return nullptr;
    const Term holds = TermOf(*condition, *condition->root, 0);
    if (!holds || !Need(holds)) return nullptr;
    if (counter && !NeedLeaf(*counter)) return nullptr;
    for (size_t k = 0; k < needed_.size(); ++k) {
      const Term next = TermOf(*body, *body->root, needed_[k]);
      if (!next || !Need(next)) return nullptr;
      next_[needed_[k]] = next;
    }
    return Start() ? holds : nullptr;
  }

  bool IsAsClaimed(const Claim& claim, int64_t trip) const {
    if (!claim.first || !claim.step) return true;
    return state_.at(*claim.counter) == Int128{*claim.first} + Int128{*claim.step} * trip;
  }

  // The term of an instruction's leaf in the condition or body, over one load for each leaf of the
  // state: an integer, or a condition for a predicate. Null if there is none.
  Term TermOf(const hlo::Computation& computation, const Instruction& op, int64_t leaf) {
    hlo_values::ComputationValues values(
        scope_, computation, [&](int64_t, int64_t of, llvm::ArrayRef<Term>) {
          return pool_.Load(of, pool_.Number(0), terms::TermType(shapes_[of]->type));
        });
    const hlo::Shape* shape = hlo::LeafShape(op.shape, leaf);
    if (!shape || !shape->IsArray() || shape->rank() != 0) return nullptr;
    auto value = values.At(op, leaf, {});
    if (!value) {
      llvm::consumeError(value.takeError());
      return nullptr;
    }
    const int64_t width = terms::IntegerWidth(shape->type);
    if (width == 0) return nullptr;
    return scope_.Simplify(width == 1 ? pool_.Holds(*value) : InState(*value, shape->type));
  }

  // Normalizes an integer of the state: signed, as Kind::kInteger is; 0 or 1 for a predicate.
  Term InState(Term value, hlo::PrimitiveType type) {
    const int64_t width = terms::IntegerWidth(type);
    if (width == 1) return terms::IntegerIn(scope_, value, type);
    return terms::Signed(scope_, terms::CongruentInteger(pool_, value), width);
  }

  bool NeedLeaf(int64_t leaf) {
    if (leaf < 0 || leaf >= std::ssize(shapes_)) return false;
    const hlo::Shape& shape = *shapes_[leaf];
    if (!shape.IsArray() || shape.rank() != 0 || terms::IntegerWidth(shape.type) == 0) return false;
    if (!llvm::is_contained(needed_, leaf)) needed_.push_back(leaf);
    return true;
  }
  // Adds the leaves that a term depends on; false if it depends on anything else.
  bool Need(Term term) {
    bool fits = true;
    terms::ForEachPart(term, [&](Term part) {
      if (part->kind == terms::Kind::kLoad) {
        fits = fits && NeedLeaf(static_cast<int64_t>(part->number));
        return terms::Visit::kPast;
      }
      const bool unknown =
          part->kind == terms::Kind::kUnknown || part->kind == terms::Kind::kVariable ||
          (part->sort() == terms::Sort::kValue && part->kind != terms::Kind::kOfInteger &&
           part->kind != terms::Kind::kOfCondition);
      fits = fits && !unknown;
      return fits ? terms::Visit::kInto : terms::Visit::kStop;
    });
    return fits;
  }

  // The only `call` or fusion of the computation; null if there is none, or several.
  static const Instruction* CallerOf(const hlo::Computation& computation) {
    const Instruction* caller = nullptr;
    if (computation.module == nullptr || computation.is_entry) return nullptr;
    for (const auto& of : computation.module->computations) {
      for (const auto& op : of->instructions) {
        if (!llvm::is_contained(op->called, &computation)) continue;
        const bool calls = op->opcode == Opcode::kCall || op->opcode == Opcode::kFusion;
        if (caller != nullptr || !calls) return nullptr;
        caller = op.get();
      }
    }
    return caller;
  }

  // A scalar leaf of an instruction as a term: its value if it is constant, else arbitrary.
  Term ValueIn(const Instruction& op, int64_t leaf, int depth = 0) {
    constexpr int kDeepestCall = 16;
    const hlo::Computation& computation = *op.parent;
    const Instruction* caller = depth < kDeepestCall ? CallerOf(computation) : nullptr;
    hlo_values::ComputationValues values(
        scope_, computation, [&](int64_t parameter, int64_t of, llvm::ArrayRef<Term> index) {
          const hlo::Shape& shape = *hlo::LeafShape(computation.parameters[parameter]->shape, of);
          if (caller == nullptr || !index.empty())
            return pool_.Arbitrary(terms::TermType(shape.type));
          return ValueIn(*caller->operands[parameter], of, depth + 1);
        });
    auto value = values.At(op, leaf, {});
    if (value) return *value;
    llvm::consumeError(value.takeError());
    return pool_.Arbitrary(terms::TermType(hlo::LeafShape(op.shape, leaf)->type));
  }

  // Sets the state before the first trip.
  bool Start() {
    if (!loop_.parent) return false;
    for (const int64_t leaf : needed_) {
      const hlo::PrimitiveType type = shapes_[leaf]->type;
      const Term integer = scope_.Simplify(InState(ValueIn(*loop_.operands[0], leaf), type));
      if (!integer->IsNumber()) return false;
      state_[leaf] = integer->number;
    }
    return true;
  }

  std::optional<Int128> ValueOf(Term term) {
    bool known = true;
    const Int128 value = terms::Evaluate(term, [&](Term leaf) -> Int128 {
      if (leaf->kind == terms::Kind::kLoad) return state_.at(static_cast<int64_t>(leaf->number));
      known = false;
      return 0;
    });
    return known ? std::optional(value) : std::nullopt;
  }

  bool Step() {
    std::map<int64_t, Int128> after;
    for (const auto& [leaf, next] : next_) {
      const std::optional<Int128> value = ValueOf(next);
      if (!value) return false;
      after[leaf] = *value;
    }
    state_ = std::move(after);
    return true;
  }

  const Instruction& loop_;
  std::vector<const hlo::Shape*> shapes_;
  terms::Pool pool_;
  terms::Scope scope_{pool_};
  std::vector<int64_t> needed_;      // needed leaves, in the order of discovery
  std::map<int64_t, Term> next_;     // leaf -> its update
  std::map<int64_t, Int128> state_;  // leaf -> its value before the trip
};

}  // namespace

bool FollowsTripClaim(const Instruction& loop) {
  const std::optional<llvm::json::Object> config = hlo::LoopConfig(loop);
  if (!config) return false;
  const std::optional<int64_t> count = hlo::ClaimedTrips(loop);
  if (!count) return false;
  Trips::Claim claim{.count = *count};
  if (const llvm::json::Object* variable = config->getObject("known_induction_variable")) {
    const int64_t element = hlo::NumberIn(*variable, "tuple_index").value_or(0);
    const int64_t leaf = hlo::FirstLeafOfElement(loop.shape, element);
    if (leaf < 0) return false;
    claim.counter = leaf;
  }
  if (const llvm::json::Object* steps = config->getObject("known_init_step")) {
    claim.first = hlo::NumberIn(*steps, "init").value_or(0);
    claim.step = hlo::NumberIn(*steps, "step").value_or(0);
    if (!claim.counter) return false;
  }
  return Trips(loop).Run(claim);
}

static bool HasCollective(const hlo::Computation* computation) {
  return llvm::any_of(computation->instructions, [](const auto& op) {
    return hlo::IsCollective(op->opcode) || llvm::any_of(op->called, HasCollective);
  });
}

bool IsKnownToEnd(const Instruction& op) {
  for (const hlo::Computation* called : op.called) {
    for (const auto& inner : called->instructions) {
      if (!inner->called.empty() && !IsKnownToEnd(*inner)) return false;
    }
  }
  // A device may take a branch that others do not, and wait there for them.
  if (op.opcode == Opcode::kConditional && llvm::any_of(op.called, HasCollective)) return false;
  return op.opcode != Opcode::kWhile || (hlo::TripClaim(op).empty() && Trips(op).End());
}

static bool ClaimsTrips(const Instruction& op) {
  return op.opcode == Opcode::kWhile && !hlo::TripClaim(op).empty();
}

bool ClaimsTrips(const hlo::Module& module) {
  return llvm::any_of(module.computations, [](const auto& computation) {
    return llvm::any_of(computation->instructions, [](const auto& op) { return ClaimsTrips(*op); });
  });
}

std::unique_ptr<hlo::Module> WithoutRedundantTripClaims(const hlo::Module& module) {
  std::set<std::pair<std::string, std::string>> redundant;  // names of computations and loops
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (ClaimsTrips(*op) && FollowsTripClaim(*op)) redundant.emplace(computation->name, op->name);
    }
  }
  if (redundant.empty()) return nullptr;
  std::unique_ptr<hlo::Module> copy = hlo::ModuleOf(*module.entry);
  for (const auto& computation : copy->computations) {
    for (const auto& op : computation->instructions) {
      if (!redundant.contains({computation->name, op->name})) continue;
      llvm::erase_if(op->attributes.extra,
                     [](const auto& entry) { return entry.first == "backend_config"; });
    }
  }
  return copy;
}

}  // namespace affirm::equivalence
