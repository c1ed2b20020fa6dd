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
    {"TopK", TopK},
    {"__cub$DeviceRadixSort", RadixSort},
    {"__cub$DeviceRadixSortUnassignedScratchSize", RadixSort},
    {"__cublas$gemm", Gemm},
    {"__cublas$lt$matmul", Matmul},
    {"__cublas$lt$matmul$f8", Matmul8},
    {"__cublas$triangularSolve", TriangularSolve},
    {"__cudnn$convBackwardFilter", ConvolutionBackwardFilter},
    {"__cudnn$convBackwardInput", ConvolutionBackwardInput},
    {"__cudnn$convBiasActivationForward", ConvolutionBiasActivation},
    {"__cudnn$convForward", ConvolutionForward},
    {"__gpu$TopK", TopK},
    {"__onednn$layernorm", OneDnnLayerNorm},
    {"__onednn$softmax", OneDnnSoftmax},
    {"annotate_device_placement", SameValue, true},
    {"cu_lu_pivots_to_permutation", PivotsToPermutation},
    {"cu_threefry2x32", ThreeFry},
    {"cu_threefry2x32_ffi", ThreeFry},
    {"cusolver_geqrf_ffi", Geqrf},
    {"cusolver_gesvdj_ffi", Singulars},
    {"cusolver_getrf_ffi", Getrf},
    {"cusolver_orgqr_ffi", Orgqr},
    {"cusolver_potrf_ffi", Potrf},
    {"cusolver_syevd_ffi", Syevd},
    {"lapack_cpotrf_ffi", Potrf},
    {"lapack_ctrsm_ffi", Trsm},
    {"lapack_dgeqrf_ffi", Geqrf},
    {"lapack_dgesdd_ffi", Singulars},
    {"lapack_dgetrf_ffi", Getrf},
    {"lapack_dorgqr_ffi", Orgqr},
    {"lapack_dpotrf_ffi", Potrf},
    {"lapack_dsyevd_ffi", Syevd},
    {"lapack_dtrsm_ffi", Trsm},
    {"lapack_sgeqrf_ffi", Geqrf},
    {"lapack_sgesdd_ffi", Singulars},
    {"lapack_sgetrf_ffi", Getrf},
    {"lapack_sorgqr_ffi", Orgqr},
    {"lapack_spotrf_ffi", Potrf},
    {"lapack_ssyevd_ffi", Syevd},
    {"lapack_strsm_ffi", Trsm},
    {"lapack_zpotrf_ffi", Potrf},
    {"lapack_ztrsm_ffi", Trsm},
    {"te_scaled_softmax_forward_ffi", ScaledSoftmax},
    {"xla.sdy.FuncResultSharding", SameValue, true},
    {"xla_builder.math.Acos", MathFunction},
    {"xla_builder.math.Acosh", MathFunction},
    {"xla_builder.math.Asin", MathFunction},
    {"xla_builder.math.Asinh", MathFunction},
    {"xla_builder.math.Atanh", MathFunction},
    {"xla_builder.math.Cosh", MathFunction},
    {"xla_builder.math.Sinh", MathFunction},
    {"xla_builder.matrix.Einsum", Einsum},
    {"xla_builder.prng.ScramblePhiloxKey", ScramblePhiloxKey},
    {"xla_builder.tridiagonal.TridiagonalSolver", TridiagonalSolver},
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
