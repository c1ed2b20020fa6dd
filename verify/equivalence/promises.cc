#include "verify/equivalence/promises.h"

#include <cstdint>
#include <memory>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/equivalence/constant_indices.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/product_precision.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/same_structure.h"
#include "verify/equivalence/signatures.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// A single index vector is always unique and sorted.
bool HasSeveralVectors(const Instruction& op) {
  const hlo::Shape& shape = IndicesOf(op).shape;
  const int64_t dim = op.attributes.index_vector_dim;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != dim && shape.dims[d] > 1) return true;
  }
  return false;
}

bool IsUnique(const Instruction& op) {
  return op.opcode == Opcode::kScatter && op.attributes.unique_indices && HasSeveralVectors(op);
}
bool IsSorted(const Instruction& op) {
  return (op.opcode == Opcode::kScatter || op.opcode == Opcode::kGather) &&
         op.attributes.indices_are_sorted && HasSeveralVectors(op);
}
bool HasNoTies(const Instruction& op) {
  return op.opcode == Opcode::kSort && !op.attributes.is_stable;
}

// The computation and its callees, transitively.
llvm::SetVector<const hlo::Computation*> Reached(const hlo::Computation& computation) {
  llvm::SetVector<const hlo::Computation*> reached;
  reached.insert(&computation);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& op : reached[i]->instructions)
      reached.insert(op->called.begin(), op->called.end());
  }
  return reached;
}

// The first instruction with the predicate in the computation or its callees, or null.
const Instruction* Find(const hlo::Computation& computation,
                        llvm::function_ref<bool(const Instruction&)> holds) {
  for (const hlo::Computation* of : Reached(computation)) {
    for (const auto& op : of->instructions) {
      if (holds(*op)) return op.get();
    }
  }
  return nullptr;
}

// A flattened computation of A, and the numbers of its instructions and of B's.
struct Side {
  const hlo::Computation& computation;
  llvm::DenseMap<const Instruction*, int64_t> numbers;
};

// A use that may ignore its operand, or parts of it.
struct Arm {
  const Instruction* user = nullptr;
  size_t operand = 0;
};

// The first such uses on the paths from an instruction to the root. If none of them needs its
// operand, a violated precondition of the instruction has no consequence.
struct Arms {
  std::vector<Arm> arms;
  bool is_always_needed = false;  // a path to the root without such a use exists
};

// Whether the result may not depend on the operand, or on some of its elements: these may be
// unselected, sliced off, or without influence (x * 0, clamp(5, x, 5), is-finite(convert(x)), an
// empty array). Conservative: true for all operations but those that pass on each value.
bool MayNotNeed(const Instruction& user, size_t operand) {
  if (user.shape.IsArray() && llvm::is_contained(user.shape.dims, 0)) return true;
  switch (user.opcode) {
    case Opcode::kAddDependency:
      return operand > 0;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOptimizationBarrier:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return false;
    case Opcode::kConditional:
    case Opcode::kSelect:
      return operand > 0;
    default:
      return true;
  }
}

Arms ArmsOf(const hlo::Computation& computation, const Instruction& op) {
  Arms found;
  llvm::SetVector<const Instruction*> reached;
  reached.insert(&op);
  for (size_t i = 0; i < reached.size(); ++i) {
    found.is_always_needed |= reached[i] == computation.root;
    for (const Instruction* user : reached[i]->users) {
      for (size_t k = 0; k < user->operands.size(); ++k) {
        if (user->operands[k] != reached[i]) continue;
        if (MayNotNeed(*user, k))
          found.arms.push_back({user, k});
        else
          reached.insert(user);
      }
    }
  }
  return found;
}

// Whether two uses need the same part of their operand: the users are alike, and equal in the other
// operands by which they may select.
bool NeedTheSame(const Side& a, const Arm& of_a, const Arm& of_b) {
  const Instruction &x = *of_a.user, &y = *of_b.user;
  if (of_a.operand != of_b.operand || !SameAttributes(x, y)) return false;
  const bool chooses = x.opcode == Opcode::kSelect || x.opcode == Opcode::kConditional;
  for (size_t k = 0; k < (chooses ? 1 : x.operands.size()); ++k) {
    if (k != of_a.operand && a.numbers.lookup(x.operands[k]) != a.numbers.lookup(y.operands[k]))
      return false;
  }
  return true;
}

// Whether x of A is needed whenever y of B is: always, or by matching uses. `known` is the memo.
using KnownNeeds = llvm::DenseMap<std::pair<const Instruction*, const Instruction*>, bool>;
bool IsNeededAsOften(const Side& a, const Instruction& x, const hlo::Computation& b,
                     const Instruction& y, KnownNeeds& known, int depth = 0) {
  constexpr int kDeepest = 64;
  auto [answer, is_new] = known.try_emplace({&x, &y}, false);
  if (!is_new) return answer->second;
  const Arms of_x = ArmsOf(a.computation, x);
  if (of_x.is_always_needed) return known[{&x, &y}] = true;
  const Arms of_y = ArmsOf(b, y);
  if (of_y.is_always_needed || depth == kDeepest) return false;
  const bool as_often = llvm::all_of(of_y.arms, [&](const Arm& of_b) {
    return llvm::any_of(of_x.arms, [&](const Arm& of_a) {
      return NeedTheSame(a, of_a, of_b) &&
             IsNeededAsOften(a, *of_a.user, b, *of_b.user, known, depth + 1);
    });
  });
  return known[{&x, &y}] = as_often;
}

// Whether x of A and y of B are proved equal.
bool AreSame(const Side& a, const Instruction& x, const hlo::Computation& b, const Instruction& y,
             const ProveOptions& options) {
  if (a.numbers.lookup(&x) == a.numbers.lookup(&y)) return true;
  if (!x.shape.SameIgnoringLayout(y.shape)) return false;
  const auto of_a = UpTo(a.computation, x), of_b = UpTo(b, y);
  return ProveEquivalent(*of_a, *of_b, options).proved();
}

// A precondition on indices: whether an instruction states it, and whether constant indices satisfy
// it.
struct PromiseKind {
  bool (*is_promised)(const Instruction&);
  bool (*is_kept)(const Instruction&);
  const char* says;
};
constexpr PromiseKind kKinds[] = {{IsUnique, UpdatesAreApart, "unique"},
                                  {IsSorted, IndexVectorsAscend, "sorted"}};

// Finds the preconditions that one computation states and another one, with equal parameters, does
// not.
class Comparison {
 public:
  explicit Comparison(const ProveOptions& options) : options_(options) {}

  // Records the first uncovered instruction of each kind.
  void Compare(const hlo::Computation& a, const hlo::Computation& b, int depth) {
    if (!MakesPromises(b)) return;
    const std::unique_ptr<hlo::Computation> of_a = Flattened(a), of_b = Flattened(b);
    const Side x{*of_a, NumberSameParts(*of_a, *of_b)};
    for (const auto& op : of_b->instructions) {
      for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
        if (IsOpen(kKinds[kind], *op) && !IsCovered(x, *of_b, *op, kKinds[kind])) Add(kind, *op);
      }
      if (!op->called.empty()) CompareCalled(x, *of_b, *op, depth);
    }
  }

  Promises Result() const {
    Promises promises;
    promises.held.unique_indices = !open_[0].empty();
    promises.held.indices_are_sorted = !open_[1].empty();
    promises.unproved = !open_[0].empty() ? open_[0] : open_[1];
    return promises;
  }

 private:
  static bool IsOpen(const PromiseKind& kind, const Instruction& op) {
    return kind.is_promised(op) && !kind.is_kept(op);
  }
  static bool MakesPromises(const hlo::Computation& computation) {
    return Find(computation, [](const Instruction& op) {
      return llvm::any_of(kKinds, [&](const PromiseKind& kind) { return IsOpen(kind, op); });
    });
  }

  void Add(size_t kind, const Instruction& op) {
    if (!open_[kind].empty()) return;
    open_[kind] =
        op.opcode_text + " " + op.name + " of B, that its indices are " + kKinds[kind].says;
  }

  // Whether an instruction of A states the same for equal indices into an array of the same sizes.
  bool IsCovered(const Side& a, const hlo::Computation& b, const Instruction& op,
                 const PromiseKind& kind) {
    return llvm::any_of(a.computation.instructions, [&](const auto& other) {
      if (other->opcode != op.opcode || !kind.is_promised(*other)) return false;
      if (other->operands.size() != op.operands.size()) return false;
      hlo::Attributes of_a = other->attributes, of_b = op.attributes;
      for (hlo::Attributes* of : {&of_a, &of_b}) {
        of->extra.clear();
        of->unique_indices = of->indices_are_sorted = false;
      }
      if (!(of_a == of_b)) return false;
      for (size_t k = 0; k < op.operands.size(); ++k) {
        if (other->operands[k]->shape.dims != op.operands[k]->shape.dims) return false;
      }
      KnownNeeds known;
      return IsNeededAsOften(a, *other, b, op, known) &&
             AreSame(a, IndicesOf(*other), b, IndicesOf(op), options_);
    });
  }

  // Compares the callees of equal loops and branches; preconditions in other callees are not
  // covered.
  void CompareCalled(const Side& a, const hlo::Computation& b, const Instruction& op, int depth) {
    constexpr int kDeepest = 16;
    if (llvm::none_of(op.called, [](const auto* called) { return MakesPromises(*called); })) return;
    for (const auto& other : a.computation.instructions) {
      if (depth == kDeepest || other->opcode != op.opcode) continue;
      const bool is_one = a.numbers.lookup(other.get()) == a.numbers.lookup(&op);
      if (!is_one && !CallsTheSame(a, *other, b, op)) continue;
      KnownNeeds known;
      if (!IsNeededAsOften(a, *other, b, op, known)) continue;
      if (is_one) return;
      for (size_t k = 0; k < op.called.size(); ++k)
        Compare(*other->called[k], *op.called[k], depth + 1);
      return;
    }
    for (const hlo::Computation* called : op.called) {
      for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
        auto is_open = [&](const Instruction& of) { return IsOpen(kKinds[kind], of); };
        if (const Instruction* promising = Find(*called, is_open)) Add(kind, *promising);
      }
    }
  }

  bool CallsTheSame(const Side& a, const Instruction& x, const hlo::Computation& b,
                    const Instruction& y) {
    if (!SameAttributes(x, y)) return false;
    for (size_t k = 0; k < x.operands.size(); ++k) {
      if (!AreSame(a, *x.operands[k], b, *y.operands[k], options_)) return false;
    }
    for (size_t k = 0; k < x.called.size(); ++k) {
      if (llvm::Error error = CheckSignatures(*x.called[k], *y.called[k])) {
        llvm::consumeError(std::move(error));
        return false;
      }
      if (!ProveEquivalent(*x.called[k], *y.called[k], options_).proved()) return false;
    }
    return true;
  }

  const ProveOptions& options_;
  std::string open_[std::size(kKinds)];
};

// A parameter_replication of B that A does not state, or "".
std::string NewReplication(const hlo::Computation& a, const hlo::Computation& b) {
  for (size_t k = 0; k < b.parameters.size() && k < a.parameters.size(); ++k) {
    const std::string *of_a = a.parameters[k]->attributes.FindExtra("parameter_replication"),
                      *of_b = b.parameters[k]->attributes.FindExtra("parameter_replication");
    if (of_b == nullptr || !llvm::StringRef(*of_b).contains("true")) continue;
    if (of_a == nullptr || *of_a != *of_b)
      return "parameter " + b.parameters[k]->name + " of B, that all replicas are given the same";
  }
  return "";
}

}  // namespace

Promises NewPromises(const hlo::Computation& a, const hlo::Computation& b,
                     const EquivalenceProof& proof, const ProveOptions& options) {
  Comparison comparison(options);
  comparison.Compare(a, b, 0);
  Promises promises = comparison.Result();
  // In a module without sorts there are no ties.
  const bool sorts = Find(a, [](const Instruction& op) { return op.opcode == Opcode::kSort; });
  for (const std::string& other : {NewReplication(a, b), LessPrecise(a, b, proof, options)}) {
    if (promises.unproved.empty()) promises.unproved = other;
  }
  promises.held.no_ties = sorts && !Find(a, HasNoTies) && Find(b, HasNoTies);
  return promises;
}

}  // namespace affirm::equivalence
