// The call sites of the computations of a loop. Internal to core/analysis.
//
// In a body that has `s = f32[1,4] call(x, i), to_apply=row`, the computation `row` has one call
// site, s, and parameter 1 of `row` is i. A computation may have several call sites; the value of a
// parameter is known only where all of them pass the same one.
#ifndef AFFIRM_CORE_ANALYSIS_LOOPS_CALL_SITES_H_
#define AFFIRM_CORE_ANALYSIS_LOOPS_CALL_SITES_H_

#include <cstdint>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::analysis {

struct Session;

// An array leaf of an instruction's result.
struct InstructionLeaf {
  const hlo::Instruction* op = nullptr;
  int64_t leaf = 0;
  explicit operator bool() const { return op != nullptr; }
};

// The array leaf of an operand that leaf `leaf` of a tuple, a get-tuple-element or an op that hands
// its operands through is; null for every other op.
InstructionLeaf HandedThrough(const hlo::Instruction& op, int64_t leaf);

// The operand of a conditional that branch `number` of its list gets. The operands are in the order
// true, false, whatever the order of the attributes is.
size_t BranchOperand(const hlo::Instruction& op, size_t number);

// The body and the condition of a `while`, where both have the signature that it needs. Null where
// the module is not well-formed.
struct LoopParts {
  const hlo::Computation* body = nullptr;
  const hlo::Computation* condition = nullptr;
  explicit operator bool() const { return body != nullptr; }
};
LoopParts PartsOf(const hlo::Instruction& loop);

// Whether the body passes leaf `leaf` of the carried tuple through unchanged: whether it is loop-
// invariant, the same before, in and after every trip.
bool IsPassedThrough(const hlo::Computation& body, int64_t leaf);

// Whether a computation is called in more than one place of its module.
bool IsCalledTwice(const hlo::Computation& callee, Session& session);

// The call sites of all computations that `top` calls, directly or not.
class CallSites {
 public:
  explicit CallSites(const hlo::Computation& top);

  const hlo::Computation& top() const { return top_; }
  // The instruction of that id in these computations; null for those of others.
  const hlo::Instruction* Find(int64_t id) const { return by_id_.lookup(id); }
  // The argument for leaf `leaf` of a parameter at each call site. Empty for a parameter of `top`,
  // and where the leaf changes during a call, as one that an inner loop carries does.
  std::vector<InstructionLeaf> Arguments(const hlo::Instruction& parameter, int64_t leaf) const;

 private:
  struct Site {
    const hlo::Instruction* call = nullptr;
    size_t number = 0;  // which of the computations that it calls
  };
  const hlo::Computation& top_;
  llvm::DenseMap<int64_t, const hlo::Instruction*> by_id_;
  llvm::DenseMap<const hlo::Computation*, std::vector<Site>> sites_;
};

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_LOOPS_CALL_SITES_H_
