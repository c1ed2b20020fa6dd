// Licences: what flags and functions allow a compiler to compute in the place of an exact result.
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
  kNone,   // the result is exact
  kOrder,  // a sum or product, of which other orders are allowed: right where an order is open
  kOrderAndZeros,  // the same, and the sign of a zero is open
  kError,          // within the documented error of a function: right where rounding drops more
  kValue,          // another value: nothing takes it for the exact one
};

// LangRef, "Fast-Math Flags" and "fpmath Metadata". nnan and ninf are no licences: what breaks them
// is poison.
Licence LicenceOf(const llvm::Instruction& instruction);

// Products that a sum or difference may take without rounding them, where both allow it
// (`contract`), on whatever way it gets them: x * y - x * y need not be 0 then, which no order of a
// sum gives.
class FusedProducts {
 public:
  // The licence of a value of an instruction, which may be a product to remember.
  Licence LicenceOf(const llvm::Instruction& instruction, terms::Term value);

 private:
  llvm::DenseSet<terms::Term> products_;
};

// The library that a function is of: "libdevice", "ROCm", "OpenCL", "PTX", "LLVM" or "C". LLVM's
// and XLA:CPU's are one: XLA:CPU makes the same polynomials of both, of vectors and of what is left
// over.
llvm::StringRef LibraryOf(llvm::StringRef function);

// The libraries whose approximated functions (terms::IsApproximated) a kernel calls. One operation
// by two libraries is two values: __nv_expf(x) - llvm.exp(x) need not be 0.
class FunctionLibraries {
 public:
  // The licence of a call: kNone of the first library's, kValue of another one's. Also kValue on
  // f16 and bf16, where HLO's function is that on f32, rounded, and a library has one of its own.
  Licence LicenceOf(llvm::StringRef function, terms::Op operation, hlo::PrimitiveType type);

 private:
  std::map<std::pair<terms::Op, hlo::PrimitiveType>, llvm::StringRef> libraries_;
};

// The term with its licence; itself where there is none. A term of its own: no rule about floats
// sees through it, and no other instruction gives it, but for a function within its error, which is
// one function wherever it is called.
terms::Term WithLicence(terms::Pool& pool, terms::Term value, Licence licence, int32_t instruction);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LICENCES_H_
