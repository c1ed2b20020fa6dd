// Puts what library calls mean (meanings.h) in their place, so that maps, proofs, the interpreter
// and kernels need to know nothing of libraries.
//
//   c = (f32[8,16], s8[64]) custom-call(a, b), custom_call_target="__cublas$gemm", ...
//   g = f32[8,16] get-tuple-element(c), index=0
// becomes
//   c = (f32[8,16]) call(a, b), to_apply=cublas_gemm.0,
//     frontend_attributes={custom_call_target="__cublas$gemm"}
//   g = f32[8,16] get-tuple-element(c), index=0
// An element of the result without defined contents (scratch memory) is no element any more. Where
// something reads one, the call stays as it is: a claim about the others would be about a
// program whose result is not defined.
#ifndef AFFIRM_VERIFY_CALLS_EXPAND_H_
#define AFFIRM_VERIFY_CALLS_EXPAND_H_

#include <memory>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::calls {

// Meanings that the user gives, before those of the table.
class GivenMeanings {
 public:
  // The entry of each module is what a call of the target does whose operands and result have its
  // shapes. `where` is the name of their text.
  void Add(llvm::StringRef target, llvm::StringRef where,
           llvm::ArrayRef<std::unique_ptr<hlo::Module>> modules);

  struct Given {
    std::string target, where, text, signature;
  };
  llvm::ArrayRef<Given> given() const { return given_; }

 private:
  std::vector<Given> given_;
};

// Replaces the calls whose meaning is known, and dots with an algorithm (dot_algorithms.h). An
// error, at the call in the text named `where`, is a given meaning that does not fit, or one that
// calls itself.
llvm::Error ExpandCustomCalls(hlo::Module& module, llvm::StringRef where,
                              const GivenMeanings& given = {});

// Notes, as a backend_config, what an instruction was written as: a product by a library and a dot
// are one function, but need not sum in one order.
void NoteOrigin(hlo::Attributes& attributes, llvm::StringRef origin);

// Which elements of the result of a custom call (or the result, where it is no tuple) have contents
// that its meaning defines; empty when all have. Of a library of XLA's own, "__...", bytes in one
// dimension at the end of the result of a call without known meaning are taken for scratch memory.
std::vector<bool> DefinedElementsOf(const hlo::Instruction& call);

// Why a custom call is still there: "its target 'f' has no known meaning, ...".
std::string WhyNoMeaning(const hlo::Instruction& call);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_EXPAND_H_
