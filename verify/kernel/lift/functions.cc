#include "verify/kernel/lift/functions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "verify/kernel/library_types.h"
#include "verify/kernel/wave.h"

namespace affirm::kernel {

using terms::Op;

namespace {

// The C library's name of a function, from which libdevice (__nv_expf), ROCm (__ocml_exp_f32),
// OpenCL (_Z3expf), LLVM (llvm.exp.f32) and XLA:CPU (xla.exp.v8f32) derive theirs, and the
// operation that it computes. Operations without an HLO opcode have their own names. The last
// column has remarks.
struct Correspondence {
  llvm::StringLiteral function;
  Op operation;
  llvm::StringLiteral remark = "";
};
constexpr Correspondence kFunctions[] = {
    {"acos", Op::kAcos},
    {"acosh", Op::kAcosh},
    {"asin", Op::kAsin},
    {"asinh", Op::kAsinh},
    {"atan", Op::kAtan},
    {"atan2", Op::kAtan2},
    {"atanh", Op::kAtanh},
    {"cbrt", Op::kCbrt},
    {"ceil", Op::kCeil},
    {"copysign", Op::kCopysign, "no opcode"},
    {"cos", Op::kCosine},
    {"cosh", Op::kCosh},
    {"div.full", Op::kDivideFull, "no opcode: within 2 ulp"},
    {"div.full.ftz", Op::kDivideFlushing, "no opcode: denormals become zero"},
    {"erf", Op::kErf},
    {"exp", Op::kExponential},
    {"exp2", Op::kExp2, "no opcode"},
    {"expm1", Op::kExponentialMinusOne},
    {"fabs", Op::kAbs},
    {"floor", Op::kFloor},
    {"fma", Op::kFma, "no opcode: one rounding"},
    {"fmax", Op::kMaximumNumber, "no opcode: NaN loses"},
    {"fmin", Op::kMinimumNumber, "no opcode: NaN loses"},
    {"fmod", Op::kRemainder},
    {"fmuladd", Op::kFmuladd, "no opcode: one rounding or two"},
    {"log", Op::kLog},
    {"log10", Op::kLog10, "no opcode"},
    {"log1p", Op::kLogPlusOne},
    {"log2", Op::kLog2, "no opcode"},
    {"maximum", Op::kMaximum, "NaN wins, -0 is below +0"},
    {"maxnum", Op::kMaximumNumber, "no opcode: NaN loses"},
    {"minimum", Op::kMinimum, "NaN wins, -0 is below +0"},
    {"minnum", Op::kMinimumNumber, "no opcode: NaN loses"},
    {"pow", Op::kPower},
    {"rint", Op::kRoundNearestEven, "in the rounding mode of devices"},
    {"round", Op::kRoundNearestAfz},
    {"roundeven", Op::kRoundNearestEven},
    {"rsqrt", Op::kRsqrt},
    {"sin", Op::kSine},
    {"sinh", Op::kSinh},
    {"sqrt", Op::kSqrt},
    {"tan", Op::kTan},
    {"tanh", Op::kTanh},
    {"trunc", Op::kTruncate, "no opcode"},
};

Op Find(llvm::StringRef function) {
  for (const Correspondence& row : kFunctions) {
    if (row.function == function) return row.operation;
  }
  return Op::kNone;
}

// The operation of a device's function on floats that are not f64. Square roots are rounded
// correctly there only where options of the compiler say so (CUDA C++ Programming Guide,
// "Mathematical Functions", sqrtf: 1 ulp without -prec-sqrt; OpenCL C 3.0, 7.4: 3 ulp).
Op OfDevice(Op operation) { return operation == Op::kSqrt ? Op::kSqrtOfDevice : operation; }

// -1 for others: special registers have a fourth one, "w", too.
int DimensionOf(llvm::StringRef name) {
  return llvm::StringSwitch<int>(name).Case("x", 0).Case("y", 1).Case("z", 2).Default(-1);
}

}  // namespace

Op OperationOfFunction(llvm::StringRef name) {
  if (name.consume_front("__nv_")) {
    name.consume_front("fast_");                                        // licences.h
    if (const Op found = Find(name); found != Op::kNone) return found;  // of doubles
    return name.consume_back("f") ? OfDevice(Find(name)) : Op::kNone;
  }
  if (name.consume_front("__ocml_")) {
    // "native_" functions have larger errors, and other names.
    auto [function, type] = name.rsplit('_');
    if (type == "f64") return Find(function);
    return type == "f32" || type == "f16" ? OfDevice(Find(function)) : Op::kNone;
  }
  if (name.consume_front("_Z")) {
    size_t length = 0;
    if (name.consumeInteger(10, length) || name.size() <= length) return Op::kNone;
    // The mangled parameter types follow the name: f, d or Dh.
    llvm::StringRef types = name.drop_front(length);
    bool floats = types.find_first_not_of("fdDh") == llvm::StringRef::npos;
    if (!floats) return Op::kNone;
    const Op found = Find(name.take_front(length));
    return types == "d" ? found : OfDevice(found);
  }
  if (name.starts_with("llvm.nvvm.div.full")) return Find(name.substr(strlen("llvm.nvvm.")));
  if (name.consume_front("llvm.") || name.consume_front("xla.")) {
    auto [function, type] = name.rsplit('.');
    // A vector type: v2bf16.
    int64_t count = 0;
    if (type.consume_front("v") && type.consumeInteger(10, count)) return Op::kNone;
    bool of_floats = type == "f16" || type == "bf16" || type == "f32" || type == "f64";
    return of_floats ? Find(function) : Op::kNone;
  }
  // The C library: a name for double, or with the suffix f for float.
  if (const Op found = Find(name); found != Op::kNone && !name.contains('.')) return found;
  return name.consume_back("f") && !name.contains('.') ? Find(name) : Op::kNone;
}

Callee ClassifyCallee(const llvm::Function& function) {
  using K = Callee::Kind;
  llvm::StringRef name = function.getName();
  if (!function.isDeclaration()) return {K::kDefined};
  if (const Op operation = OperationOfFunction(name); operation != Op::kNone)
    return HasTypeOfItsName(function) ? Callee{K::kMath, 0, operation} : Callee{};
  // Special registers.
  llvm::StringRef rest = name;
  if (rest.consume_front("llvm.nvvm.read.ptx.sreg.")) {
    if (rest == "laneid") return {K::kLane};
    auto [what, dimension] = rest.rsplit('.');
    const int d = DimensionOf(dimension);
    if (d < 0) return {};
    return {llvm::StringSwitch<K>(what)
                .Case("tid", K::kThread)
                .Case("ctaid", K::kBlock)
                .Case("ntid", K::kThreads)
                .Case("nctaid", K::kBlocks)
                .Default(K::kUnknown),
            d};
  }
  if (FormOfIdentifier(name) != IdentifierForm::kNone) return {K::kIdentifier};
  if (name == "llvm.amdgcn.wavefrontsize") return {K::kWaveSize};
  if (name.starts_with("llvm.amdgcn.mbcnt.")) return {K::kLanesBelow};
  if (name.starts_with("llvm.nvvm.barrier") || name.starts_with("llvm.nvvm.shfl.sync") ||
      name.starts_with("llvm.nvvm.redux.sync.") || name.starts_with("llvm.nvvm.bar.") ||
      name.starts_with("llvm.nvvm.ldmatrix") || name.starts_with("llvm.nvvm.stmatrix") ||
      name == "llvm.amdgcn.s.barrier" || IsExchange(function)) {
    return {K::kWait};
  }
  if (name.starts_with("llvm.lifetime")) return {K::kLifetime};
  if (name == "llvm.nvvm.wgmma.fence.sync.aligned") return {K::kFenceRegisters};
  if (name == "llvm.nvvm.fence.proxy.async" ||
      name.starts_with("llvm.nvvm.fence.proxy.async.shared_"))
    return {K::kFenceProxies};
  // Fences of other state spaces, and of proxies by which no modeled access goes.
  if (name.starts_with("llvm.nvvm.fence.proxy.async")) return {K::kNothing};
  if (name.starts_with("llvm.nvvm.griddepcontrol") || name.starts_with("llvm.dbg") ||
      name == "llvm.experimental.noalias.scope.decl" || name == "llvm.donothing") {
    return {K::kNothing};
  }
  if (OrdersInstructionsAlone(name)) return {K::kNothing};
  return {function.isIntrinsic() ? K::kIntrinsic : K::kUnknown};
}

}  // namespace affirm::kernel
