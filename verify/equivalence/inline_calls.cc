#include "verify/equivalence/inline_calls.h"

#include <string>
#include <vector>

#include "core/hlo/choices.h"
#include "core/hlo/tiles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/expand.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/same_parts.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr size_t kMostInstructions = 100'000;
constexpr int kMostNestedCalls = 64;

// Whether the computation contains an operation without value terms, so that its fusion has none.
bool HasOpaqueFunction(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    const bool calls = op->opcode == Opcode::kCall || op->opcode == Opcode::kFusion;
    return IsOpaqueFunction(*op) || (calls && llvm::any_of(op->called, [](const auto* called) {
                                       return HasOpaqueFunction(*called);
                                     }));
  });
}

class Inliner {
 public:
  explicit Inliner(bool fusions) : fusions_(fusions) {}

  bool Inlines(const Instruction& op) {
    if (op.called.size() != 1) return false;
    return op.opcode == Opcode::kCall ||
           (op.opcode == Opcode::kFusion &&
            (fusions_ || HasOpaqueFunction(*op.called[0]) || SharesWhatChooses(op)));
  }
  std::unique_ptr<Computation> Run(const Computation& computation) {
    into_->name = computation.name;
    Instruction* root = Copy(computation, {}, 0);
    if (root == nullptr) return nullptr;
    into_->root = root;
    into_->NumberParameters();  // they may stand in any order
    return std::move(into_);
  }

 private:
  // Copies the instructions of a computation with its parameters replaced by `arguments`, if any.
  // Returns the copy of the root; null if there are too many instructions.
  Instruction* Copy(const Computation& computation, llvm::ArrayRef<Instruction*> arguments,
                    int nested) {
    llvm::DenseMap<const Instruction*, Instruction*> copies;
    for (const auto& op : computation.instructions) {
      if (op->opcode == Opcode::kParameter && nested > 0) {
        copies[op.get()] = InLayoutOf(*op, arguments[op->parameter_number], *into_);
        continue;
      }
      std::vector<Instruction*> operands;
      for (const Instruction* operand : op->operands) operands.push_back(copies.lookup(operand));
      if (Inlines(*op)) {
        if (nested >= kMostNestedCalls) return nullptr;
        const std::string caller = caller_;
        if (op->opcode == Opcode::kFusion) caller_ += " fusion " + std::to_string(KindOf(*op));
        copies[op.get()] = Copy(*op->called[0], operands, nested + 1);
        caller_ = caller;
        if (copies[op.get()] == nullptr) return nullptr;
        copies[op.get()] = InLayoutOf(*op, copies[op.get()], *into_);
        continue;
      }
      if (into_->instructions.size() >= kMostInstructions) return nullptr;
      std::unique_ptr<Instruction> copy = hlo::CopyOf(*op);
      copy->operands = std::move(operands);
      // Records the fusion as the origin, since different kernels may sum in different orders. Not
      // for custom calls, whose attributes define their meaning.
      if (!caller_.empty() && op->opcode != Opcode::kCustomCall && hlo::MayChoose(*op))
        calls::NoteOrigin(copy->attributes, caller_);
      copies[op.get()] = into_->Add(std::move(copy));
    }
    return copies.lookup(computation.root);
  }

  // Whether a differently written fusion calls the same computation, which has open choices: after
  // inlining, the two would be indistinguishable.
  bool SharesWhatChooses(const Instruction& op) {
    const hlo::Module* module = op.called[0]->module;
    if (module == nullptr || !hlo::MayChooseInside(op)) return false;
    if (fusions_of_.empty()) {
      for (const auto& computation : module->computations) {
        for (const auto& fusion : computation->instructions) {
          if (fusion->opcode == Opcode::kFusion)
            fusions_of_[fusion->called[0]].push_back(fusion.get());
        }
      }
    }
    return llvm::any_of(fusions_of_.lookup(op.called[0]),
                        [&](const Instruction* other) { return !AreWrittenAlike(*other, op); });
  }

  // Numbers classes of fusions that are written alike.
  size_t KindOf(const Instruction& fusion) {
    const auto known = llvm::find_if(
        kinds_, [&](const Instruction* other) { return AreWrittenAlike(*other, fusion); });
    const auto kind = static_cast<size_t>(known - kinds_.begin());
    if (known == kinds_.end()) kinds_.push_back(&fusion);
    return kind;
  }

  bool fusions_;
  std::string caller_;                     // the enclosing fusions, or ""
  std::vector<const Instruction*> kinds_;  // a fusion of each class
  llvm::DenseMap<const Computation*, std::vector<const Instruction*>> fusions_of_;  // by callee
  std::unique_ptr<Computation> into_ = std::make_unique<Computation>();
};

}  // namespace

Instruction* InLayoutOf(const Instruction& op, Instruction* value, Computation& into) {
  if (!op.shape.IsArray() || hlo::LieAlike(op.shape, value->shape)) return value;
  auto copy = std::make_unique<Instruction>();
  copy->name = op.name + ".layout";
  copy->opcode = Opcode::kCopy;
  copy->opcode_text = "copy";
  copy->shape = op.shape;
  copy->operands = {value};
  return into.Add(std::move(copy));
}

std::unique_ptr<Computation> InlineCalls(const Computation& computation, bool fusions) {
  Inliner inliner(fusions);
  const bool calls =
      llvm::any_of(computation.instructions, [&](const auto& op) { return inliner.Inlines(*op); });
  return calls ? inliner.Run(computation) : nullptr;
}

}  // namespace affirm::equivalence
