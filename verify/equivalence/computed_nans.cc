#include "verify/equivalence/computed_nans.h"

#include <memory>

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/given_values.h"
#include "verify/equivalence/nan_bits.h"
#include "verify/equivalence/open_results.h"
#include "verify/equivalence/same_parts.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::equivalence {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using Instructions = llvm::SetVector<const Instruction*>;

// The instructions of a flat computation that may compute a NaN whose bits are observed.
class Sources {
 public:
  explicit Sources(const Computation& computation) : given_(computation) {
    for (const auto& op : computation.instructions) {
      if (!Reads(*op)) continue;
      for (const Instruction* operand : op->operands) Trace(*operand);
    }
    // An observation inside of a called computation is attributed to its caller.
    const GivenValues rest(computation, {found_.begin(), found_.end()});
    for (const auto& op : computation.instructions) {
      if (!llvm::any_of(op->called, [&](const Computation* one) { return ReadsOpen(*one, rest); }))
        continue;
      found_.insert(op.get());
      readers_.insert(op.get());
    }
  }

  const Instructions& found() const { return found_; }
  // Whether the instruction itself observes such a NaN.
  bool IsReader(const Instruction& op) const { return readers_.contains(&op); }

 private:
  static bool Reads(const Instruction& op) {
    return MaySeeBitsOfNaN(op) || llvm::any_of(op.called, [](const Computation* called) {
             return MaySeeBitsOfNaN(*called);
           });
  }

  static bool ReadsOpen(const Computation& called, const GivenValues& given) {
    return llvm::any_of(called.instructions, [&](const auto& op) {
      const bool here =
          MaySeeBitsOfNaN(*op) && !llvm::all_of(op->operands, [&](const Instruction* operand) {
            return given.IsGiven(*operand);
          });
      return here || llvm::any_of(op->called, [&](const Computation* inner) {
               return ReadsOpen(*inner, given);
             });
    });
  }

  // Adds the instructions that compute the value, looking through those that only move elements.
  void Trace(const Instruction& value) {
    if (!traced_.insert(&value).second || !hlo::HasFloats(value.shape) || given_.IsGiven(value))
      return;
    const bool moves = MovesFloats(value) || value.opcode == Opcode::kTuple ||
                       value.opcode == Opcode::kGetTupleElement;
    if (!moves) found_.insert(&value);
    for (const Instruction* operand : value.operands) {
      if (moves) Trace(*operand);
    }
  }

  const GivenValues given_;
  Instructions found_;
  llvm::DenseSet<const Instruction*> traced_, readers_;
};

// A copy in which some instructions are replaced by additional parameters.
std::unique_ptr<Computation> WithParameters(const Computation& computation,
                                            llvm::ArrayRef<const Instruction*> values) {
  auto made = std::make_unique<Computation>();
  made->name = computation.name;
  llvm::DenseMap<const Instruction*, Instruction*> copies;
  for (const auto& op : computation.instructions) {
    auto copy = hlo::CopyOf(*op);
    if (const auto* value = llvm::find(values, op.get()); value != values.end()) {
      copy->opcode = Opcode::kParameter;
      copy->opcode_text = hlo::Name(Opcode::kParameter).str();
      copy->attributes = {};
      copy->called.clear();
      copy->called_as.clear();
      copy->parameter_number = std::ssize(computation.parameters) + (value - values.begin());
    } else {
      for (const Instruction* operand : op->operands)
        copy->operands.push_back(copies.lookup(operand));
    }
    copies[op.get()] = made->Add(std::move(copy));
  }
  made->root = copies.lookup(computation.root);
  made->NumberParameters();
  return made;
}

// Pairs the instructions that compute NaNs in A with those of B, by form or by a proof.
class Pairs {
 public:
  Pairs(const Computation& a, const Computation& b, const ProveOptions& options)
      : a_(a), b_(b), options_(options), numbers_(NumberSameParts(a, b)) {}

  // Matches the sources of A and B; returns why that fails, or "".
  std::string Find(const Sources& of_a, const Sources& of_b) {
    Instructions open = of_a.found();
    for (const Instruction* of : of_b.found()) {
      const Instruction* same = nullptr;
      for (const Instruction* other : open) {
        if (numbers_.lookup(other) == numbers_.lookup(of)) same = other;
      }
      for (const Instruction* other : open) {
        if (same != nullptr || of_a.IsReader(*other) || of_b.IsReader(*of)) break;
        if (IsProved(*other, *of)) same = other;
      }
      if (same == nullptr) return Why(*of, "B");
      open.remove(same);
      in_a_.push_back(same);
      in_b_.push_back(of);
    }
    return open.empty() ? "" : Why(*open.front(), "A");
  }

  // Proves the computations equal with paired sources replaced by common, arbitrary parameters.
  EquivalenceProof Prove() const {
    return ProveEquivalent(*WithParameters(a_, in_a_), *WithParameters(b_, in_b_), options_);
  }

 private:
  static std::string Why(const Instruction& op, llvm::StringRef side) {
    return ("it reads the sign and the payload of a NaN that " + op.opcode_text + " " + op.name +
            " of " + side + " may compute, and no instruction of the other module")
        .str();
  }

  bool IsProved(const Instruction& x, const Instruction& y) {
    constexpr int kMostProofs = 16;
    if (!x.shape.IsArray() || !x.shape.SameIgnoringLayout(y.shape) || ++proofs_ > kMostProofs)
      return false;
    return ProveEquivalent(*UpTo(a_, x), *UpTo(b_, y), options_).proved();
  }

  const Computation &a_, &b_;
  const ProveOptions& options_;
  const llvm::DenseMap<const Instruction*, int64_t> numbers_;
  std::vector<const Instruction*> in_a_, in_b_;
  int proofs_ = 0;
};

}  // namespace

std::vector<std::string> WhyNaNsAreOpen(const Computation& a, const Computation& b,
                                        const ProveOptions& options) {
  std::vector<std::string> reasons(hlo::NumLeaves(a.root->shape));
  const auto flat_a = Flattened(a), flat_b = Flattened(b);
  const Sources of_a(*flat_a), of_b(*flat_b);
  if (of_a.found().empty() && of_b.found().empty()) return reasons;
  const auto open_in_a = WhyBitsAreOpen(a), open_in_b = WhyBitsAreOpen(b);
  Pairs pairs(*flat_a, *flat_b, options);
  const std::string why_not = pairs.Find(of_a, of_b);
  EquivalenceProof proof;
  if (why_not.empty()) proof = pairs.Prove();
  for (const hlo::LeafRef& leaf : hlo::Leaves(a.root->shape)) {
    const auto k = static_cast<size_t>(leaf.index);
    const bool is_open = !open_in_a[k].empty() || !open_in_b[k].empty();
    if (is_open && leaf.shape->IsArray() && leaf.shape->NumElements() > 0) reasons[k] = why_not;
  }
  for (const ResultProof& result : proof.results) {
    const auto k = static_cast<size_t>(result.leaf);
    const bool is_open = !open_in_a[k].empty() || !open_in_b[k].empty();
    if (is_open && !result.proved) reasons[k] = "of the bits of its NaNs: " + result.reason;
  }
  return reasons;
}

}  // namespace affirm::equivalence
