// Licences: deviations from the exact result that fast-math flags and functions allow.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LICENCES_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LICENCES_H_

#include <map>
#include <utility>

#include "core/hlo/shape.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instruction.h"
#include "verify/terms/term.h"

namespace affirm::kernel {

enum class Licence : uint8_t {
  kNone,           // the result is exact
  kOrder,          // a sum or product in some order; proves a reduction whose order is open
  kOrderAndZeros,  // the same, up to the sign of a zero
  kError,          // within a function's documented error; proves a result that rounds coarser
  kValue,          // any value; never equal to the exact one
};

// LangRef, "Fast-Math Flags" and "fpmath Metadata". nnan and ninf are no licences: violating them
// is poison.
Licence LicenceOf(const llvm::Instruction& instruction);

// Contraction: a sum or difference may use a product unrounded if both have `contract`, also
// through selects and unary operations. Then x * y - x * y need not be 0, which no order of the
// sum explains.
class FusedProducts {
 public:
  // The licence of an instruction's value. Records the value if it is a product.
  Licence LicenceOf(const llvm::Instruction& instruction, terms::Term value);

 private:
  llvm::DenseSet<terms::Term> products_;
};

// The library of a function: "libdevice", "ROCm", "OpenCL", "PTX", "LLVM" or "C". XLA:CPU's
// functions belong to "LLVM": XLA:CPU lowers both to the same polynomials, in vector loops and
// their scalar remainders.
llvm::StringRef LibraryOf(llvm::StringRef function);

// The libraries whose approximated functions (terms::IsApproximated) a kernel calls. Two libraries
// may give different values for one operation: __nv_expf(x) - llvm.exp(x) need not be 0.
class FunctionLibraries {
 public:
  // The licence of a call: kNone for the first library of an operation, kValue for another one.
  // On f16 and bf16 always kValue: HLO rounds the f32 function, while a library has its own.
  Licence LicenceOf(llvm::StringRef function, terms::Op operation, hlo::PrimitiveType type);

 private:
  std::map<std::pair<terms::Op, hlo::PrimitiveType>, llvm::StringRef> libraries_;
};

// Marks a term with its licence; unchanged for kNone. The mark is opaque to rules about floats. It
// carries the instruction, except for kError: a function within its error is the same at each call.
terms::Term WithLicence(terms::Pool& pool, terms::Term value, Licence licence, int32_t instruction);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LICENCES_H_
