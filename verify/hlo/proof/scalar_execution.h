// Runs the integers of computations, one element each, as a machine does, and knows nothing of
// everything else: of arrays, floats and whatever depends on them.
//
//   i = s32[] parameter(0), one = s32[] constant(1), ROOT next = s32[] add(i, one)
//
// gives -2147483648 for 2147483647, and nothing for an i that is not known. What it says holds
// whatever the unknown values are. A loop inside is not followed: what its body hands through keeps
// its value, and what else it carries is unknown.
#ifndef AFFIRM_VERIFY_HLO_PROOF_SCALAR_EXECUTION_H_
#define AFFIRM_VERIFY_HLO_PROOF_SCALAR_EXECUTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "core/symbolic/checked.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm {

// One for each array leaf of a value.
using ScalarLeaves = std::vector<std::optional<int128>>;

// The body and the condition of a `while` that takes and gives one value; null where it is not
// well-formed.
struct LoopComputations {
  const hlo::Computation* body = nullptr;
  const hlo::Computation* condition = nullptr;
};
LoopComputations ComputationsOf(const hlo::Instruction& loop);

// Whether what a computation of one parameter gives as leaf `leaf` is that leaf of its parameter,
// handed through tuples alone.
bool HandsThrough(const hlo::Computation& body, int64_t leaf);

class ScalarExecution {
 public:
  // `seen` is told the leaves of each instruction that is run.
  using Observer =
      std::function<void(const hlo::Instruction&, llvm::ArrayRef<std::optional<int128>>)>;
  explicit ScalarExecution(Observer seen = {}) : seen_(std::move(seen)) {}

  // The leaves of the root; nothing is known of any after too many steps.
  ScalarLeaves Run(const hlo::Computation& computation, llvm::ArrayRef<ScalarLeaves> arguments);
  bool is_exhausted() const { return steps_ > kMaxSteps; }
  // Whether instructions may run that were not run here: of a computation that some op calls in
  // another way than these are known to, or that is nested too deeply.
  bool has_skipped() const { return has_skipped_ || is_exhausted(); }

 private:
  static constexpr int64_t kMaxSteps = int64_t{1} << 23;
  static constexpr int kMaxDepth = 64;

  // The instructions of a computation that can have known integers, and where their leaves stand.
  struct Plan {
    std::vector<const hlo::Instruction*> steps;
    llvm::DenseMap<const hlo::Instruction*, size_t> first;
    size_t leaves = 0;
  };
  const Plan& PlanOf(const hlo::Computation& computation);
  ScalarLeaves Execute(const hlo::Instruction& op, llvm::ArrayRef<ScalarLeaves> operands);
  ScalarLeaves RunConditional(const hlo::Instruction& op, llvm::ArrayRef<ScalarLeaves> operands);
  ScalarLeaves RunLoopOnce(const hlo::Instruction& op, const ScalarLeaves& start);

  Observer seen_;
  llvm::DenseMap<const hlo::Computation*, std::unique_ptr<Plan>> plans_;
  int64_t steps_ = 0;
  bool has_skipped_ = false;
  int depth_ = 0;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_SCALAR_EXECUTION_H_
