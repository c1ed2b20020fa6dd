#include "verify/equivalence/open_results.h"

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/given_values.h"
#include "verify/equivalence/nan_bits.h"
#include "verify/equivalence/undefined.h"
#include "verify/hlo/values/values.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;

constexpr llvm::StringLiteral kSeesNaN =
    " sees the sign and the payload of a NaN that may be computed";

// For each leaf of the result, an operation that it depends on and that observes computed NaNs.
std::vector<const Instruction*> SeesComputedNaN(const hlo::Computation& computation) {
  const GivenValues given(computation);
  return OriginsOfResults(computation, [&](const Instruction& op) {
    return MaySeeBitsOfNaN(op) && !llvm::all_of(op.operands, [&](const Instruction* operand) {
             return given.IsGiven(*operand);
           });
  });
}

}  // namespace

// A reduction in the computation or a callee whose initial value may not be an identity, or null.
static const Instruction* FirstOpenReduction(const hlo::Computation& computation) {
  terms::Pool pool;
  terms::Scope scope(pool);
  hlo_values::ComputationValues values(scope, computation);
  for (const auto& op : computation.instructions) {
    for (const hlo::Computation* called : op->called) {
      if (const Instruction* open = FirstOpenReduction(*called)) return open;
    }
    if (values.StartsFromIdentity(*op) != true) return op.get();
  }
  return nullptr;
}

std::string WhyHidden(llvm::StringRef side, const hlo_values::ComputationValues& values) {
  const hlo::Instruction* reduce = values.FirstHidden();
  if (reduce == nullptr) return "";
  return ("; " + llvm::Twine(reduce->opcode_text) + " " + reduce->name + " of " + side +
          " may start from what is no identity of what it combines by, which HLO requires")
      .str();
}

std::string WhyReductionIsOpen(const hlo::Computation& computation) {
  // Inlines, so that the operands of fusions and calls are visible.
  const auto flat = Flattened(computation);
  const Instruction* open = FirstOpenReduction(*flat);
  if (open == nullptr) return "";
  return open->opcode_text + " " + open->name +
         " may start from what is no identity of what it combines by";
}

std::vector<std::string> WhyBitsAreOpen(const hlo::Computation& computation) {
  std::vector<std::string> reasons;
  const auto flat = Flattened(computation);
  for (const Instruction* op : SeesComputedNaN(*flat))
    reasons.push_back(op == nullptr ? "" : op->opcode_text + " " + op->name + kSeesNaN.str());
  return reasons;
}

}  // namespace affirm::equivalence
