// The table of targets.
#include "verify/calls/meanings.h"

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/families.h"

namespace affirm::calls {

namespace {

struct Target {
  llvm::StringLiteral name;
  Meaning (*meaning)(const hlo::Instruction&);
  // Notes that passes must not drop are marked as having a side effect; they have none.
  bool is_note = false;
};

constexpr Target kTargets[] = {
    {"LayoutConstraint", SameValue, true},
    {"MoveToDevice", SameValue, true},
    {"MoveToHost", SameValue, true},
    {"SPMDFullToShardShape", SameShard, true},
    {"SPMDShardToFullShape", SameShard, true},
    {"Sharding", SameValue, true},
    {"__cublas$gemm", Gemm},
    {"__cublas$lt$matmul", Matmul},
    {"__cublas$lt$matmul$f8", Matmul8},
    {"__cudnn$convBackwardFilter", ConvolutionBackwardFilter},
    {"__cudnn$convBackwardInput", ConvolutionBackwardInput},
    {"__cudnn$convBiasActivationForward", ConvolutionBiasActivation},
    {"__cudnn$convForward", ConvolutionForward},
    {"annotate_device_placement", SameValue, true},
    {"xla.sdy.FuncResultSharding", SameValue, true},
};

const Target* Find(const hlo::Instruction& call) {
  const auto* target = llvm::find_if(kTargets, [&](const Target& of) {
    return of.name == llvm::StringRef(call.attributes.custom_call_target);
  });
  return target == std::end(kTargets) ? nullptr : target;
}

}  // namespace

bool IsKnownTarget(const hlo::Instruction& call) { return Find(call) != nullptr; }

llvm::Expected<std::string> MeaningOf(const hlo::Instruction& call) {
  const Target* target = Find(call);
  if (target == nullptr) return MakeError("its target has no known meaning");
  const std::string* effect = call.attributes.FindExtra("custom_call_has_side_effect");
  if (effect != nullptr && *effect != "false" && !target->is_note)
    return MakeError("it has a side effect, which no HLO stands for");
  return target->meaning(call);
}

}  // namespace affirm::calls
