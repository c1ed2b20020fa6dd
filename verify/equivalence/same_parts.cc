#include "verify/equivalence/same_parts.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/hlo/choices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/same_structure.h"
#include "verify/terms/op.h"

namespace affirm::equivalence {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// The most nested loops and calls.
constexpr int kMostCallsInCalls = 16;

using Numbers = llvm::DenseMap<const Instruction*, int64_t>;

class Numbering {
 public:
  explicit Numbering(int nested, Operands operands = Operands::kInOrder)
      : nested_(nested), operands_(operands) {}

  Numbers Of(const hlo::Computation& a, const hlo::Computation& b,
             const PartProofs* proofs = nullptr,
             llvm::function_ref<void(const Numbers&)> numbered = nullptr) {
    // Two instructions of A may share a number. Where B has two of that form that are written
    // differently, those of A are numbered apart as well, so that each of B may have one.
    if (operands_ == Operands::kMayChangePlaces) in_order_ = Numbering(nested_).Of(a, b);
    Numbers numbers = Number(a, b, nullptr, nullptr);
    is_apart_ = has_two_of_b_;
    if (proofs == nullptr && !is_apart_) return numbers;
    return Number(a, b, proofs, numbered);
  }

 private:
  Numbers Number(const hlo::Computation& a, const hlo::Computation& b, const PartProofs* proofs,
                 llvm::function_ref<void(const Numbers&)> numbered) {
    constexpr size_t kMostAlike = 64;  // most candidates for one instruction
    Numbers numbers;
    std::unordered_map<std::string, std::vector<const Instruction*>> alike;
    first_of_b_.clear();
    int64_t next = 0, of_a = 0;
    for (const hlo::Computation* computation : {&a, &b}) {
      const bool is_b = computation == &b && proofs != nullptr;
      if (is_b) {
        of_a = next;
        numbered(numbers);
      }
      for (const auto& op : computation->instructions) {
        std::vector<const Instruction*>& candidates = alike[KeyOf(*op, numbers)];
        const Instruction* same = Same(*op, candidates, numbers, computation == &b);
        if (!same && is_b) same = ProvedSame(a, *op, *proofs);
        numbers[op.get()] = same ? numbers.lookup(same) : next++;
        if (computation == &b && hlo::MayChooseInside(*op))
          first_of_b_.try_emplace(numbers.lookup(op.get()), op.get());
        if (is_b && numbers.lookup(op.get()) < of_a) proofs->matched(*op, numbers.lookup(op.get()));
        if (!same && candidates.size() < kMostAlike) candidates.push_back(op.get());
      }
    }
    return numbers;
  }

  // Instructions of equal form have equal keys.
  std::string KeyOf(const Instruction& op, const Numbers& numbers) const {
    llvm::SmallVector<int64_t, 4> operands;
    for (const Instruction* operand : op.operands) operands.push_back(numbers.lookup(operand));
    // Sorts commutative operands, as terms do (verify/terms/pool.cc).
    if (operands_ == Operands::kMayChangePlaces &&
        terms::IsCommutative(terms::OpOf(op.opcode, op.shape.type)))
      llvm::sort(operands);
    std::string key = std::to_string(HashOfAttributes(op));
    for (int64_t operand : operands) key += " " + std::to_string(operand);
    return key;
  }

  // Whether a compiler resolves the open choices of two instructions of b alike.
  bool AreOneOfB(const Instruction& x, const Instruction& y) const {
    return AreWrittenAlike(x, y) && in_order_.lookup(&x) == in_order_.lookup(&y);
  }

  // A candidate with the instruction's value by form, preferably one that is written alike.
  const Instruction* Same(const Instruction& op, llvm::ArrayRef<const Instruction*> candidates,
                          const Numbers& numbers, bool is_b) {
    if (!IsFunctionOfOperands(op)) return nullptr;
    const bool chooses = hlo::MayChooseInside(op);
    const Instruction* same = nullptr;
    for (const Instruction* other : candidates) {
      if (same && !chooses) break;
      if (!SameAttributes(*other, op) || !CallsAlike(*other, op)) continue;
      const bool is_alike = !chooses || AreWrittenAlike(*other, op);
      const Instruction* known = is_b ? first_of_b_.lookup(numbers.lookup(other)) : nullptr;
      const bool is_two = known != nullptr && !AreOneOfB(*known, op);
      has_two_of_b_ |= is_two;
      if (is_two || (!is_b && is_apart_ && !is_alike)) continue;
      if (is_alike) return other;
      if (!same) same = other;
    }
    return same;
  }

  static const Instruction* ProvedSame(const hlo::Computation& a, const Instruction& of_b,
                                       const PartProofs& proofs) {
    const Instruction* named = IsFunctionOfOperands(of_b) ? a.Find(of_b.name) : nullptr;
    const bool fits = named && named->opcode != Opcode::kParameter &&
                      IsFunctionOfOperands(*named) && named->shape.SameIgnoringLayout(of_b.shape);
    return fits && proofs.are_same(*named, of_b) ? named : nullptr;
  }

  bool CallsAlike(const Instruction& x, const Instruction& y) {
    for (size_t k = 0; k < x.called.size(); ++k) {
      if (!AreAlike(*x.called[k], *y.called[k])) return false;
    }
    return true;
  }

  // Whether two computations are isomorphic, or equal by form with their calls inlined.
  bool AreAlike(const hlo::Computation& x, const hlo::Computation& y) {
    auto [known, is_new] = alike_.try_emplace({&x, &y}, false);
    if (!is_new) return known->second;
    const bool same = SameStructure(x, y) || SameResults(x, y);
    return alike_[{&x, &y}] = same;
  }

  bool SameResults(const hlo::Computation& x, const hlo::Computation& y) {
    if (nested_ >= kMostCallsInCalls || x.parameters.size() != y.parameters.size()) return false;
    const std::unique_ptr<hlo::Computation> a = Flattened(x), b = Flattened(y);
    const Numbers numbers = Numbering(nested_ + 1).Of(*a, *b);
    return numbers.lookup(a->root) == numbers.lookup(b->root);
  }

  const int nested_;
  const Operands operands_;
  Numbers in_order_;           // for kMayChangePlaces: the numbers with operands in order
  bool is_apart_ = false;      // whether instructions of A with open choices share a number only if
                               // they are written alike
  bool has_two_of_b_ = false;  // whether B has two of one form that are not written alike
  llvm::DenseMap<int64_t, const Instruction*> first_of_b_;  // number -> B's first with open choices
  std::map<std::pair<const hlo::Computation*, const hlo::Computation*>, bool> alike_;
};

// Layout and sharding determine the order in which elements are read.
bool AreLaidOutAlike(const Instruction& a, const Instruction& b) {
  const std::string *of_a = a.attributes.FindExtra("sharding"),
                    *of_b = b.attributes.FindExtra("sharding");
  return a.shape.ToString(/*with_layout=*/true) == b.shape.ToString(/*with_layout=*/true) &&
         (of_a == nullptr) == (of_b == nullptr) && (of_a == nullptr || *of_a == *of_b);
}

bool CallsWhatChooses(const Instruction& op) {
  return llvm::any_of(op.called, [](const hlo::Computation* called) {
    return llvm::any_of(called->instructions,
                        [](const auto& inner) { return hlo::MayChooseInside(*inner); });
  });
}

}  // namespace

// Callees must be written alike only if they have open choices.
bool AreWrittenAlike(const Instruction& a, const Instruction& b) {
  // Attributes by which a compiler selects code or partitions arrays.
  for (llvm::StringRef key : {"backend_config", "frontend_attributes", "sharding"}) {
    const std::string *of_a = a.attributes.FindExtra(key), *of_b = b.attributes.FindExtra(key);
    if ((of_a == nullptr) != (of_b == nullptr) || (of_a && *of_a != *of_b)) return false;
  }
  if (!AreLaidOutAlike(a, b) || a.operands.size() != b.operands.size() ||
      a.called.size() != b.called.size() || a.attributes.fusion_kind != b.attributes.fusion_kind)
    return false;
  for (const auto& [of_one, of_other] : llvm::zip_equal(a.operands, b.operands)) {
    if (!AreLaidOutAlike(*of_one, *of_other)) return false;
  }
  if (!CallsWhatChooses(a) && !CallsWhatChooses(b)) return true;
  for (const auto& [of_one, of_other] : llvm::zip_equal(a.called, b.called)) {
    if (of_one == of_other) continue;
    if (!SameInOrder(*of_one, *of_other)) return false;
    for (const auto& [x, y] : llvm::zip_equal(of_one->instructions, of_other->instructions)) {
      if (!AreWrittenAlike(*x, *y)) return false;
    }
  }
  return true;
}

bool IsWorthACut(Opcode opcode) {
  return opcode != Opcode::kParameter && opcode != Opcode::kConstant && opcode != Opcode::kIota &&
         opcode != Opcode::kTuple && opcode != Opcode::kGetTupleElement;
}

llvm::DenseMap<const Instruction*, int64_t> NumberSameParts(const hlo::Computation& a,
                                                            const hlo::Computation& b,
                                                            Operands operands) {
  return Numbering(0, operands).Of(a, b);
}

llvm::DenseMap<const Instruction*, int64_t> NumberSameParts(
    const hlo::Computation& a, const hlo::Computation& b, const PartProofs& proofs,
    llvm::function_ref<void(const Numbers&)> numbered) {
  return Numbering(0).Of(a, b, &proofs, numbered);
}

}  // namespace affirm::equivalence
