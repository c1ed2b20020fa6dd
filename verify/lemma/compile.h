// Statements as LLVM IR.
//
//   llvm::LLVMContext context;
//   std::optional<CompiledStatement> compiled = CompileStatement(statement, context);
//   // i32 @count_differences(i32 begin, i32 count, i32 choices): at how many points from `begin`
//   on
//   // void @evaluate(i32 point, i32 choices, ptr): both sides at one point, a SidesAtPoint
//
// Integers of terms have no width: each becomes one of the width that its range needs, by ranges of
// operands alone. Nothing is presumed of the variables.
#ifndef AFFIRM_VERIFY_LEMMA_COMPILE_H_
#define AFFIRM_VERIFY_LEMMA_COMPILE_H_

#include <memory>
#include <optional>

#include "llvm/IR/Module.h"
#include "verify/lemma/statement.h"

namespace affirm::lemma {

struct CompiledStatement {
  std::unique_ptr<llvm::Module> module;
  // Bits of `choices`: what operations may give one or the other of (emit_operations.h).
  int num_choices = 0;
};

// The result of @evaluate.
struct SidesAtPoint {
  uint64_t left = 0, right = 0;  // bits; of NaN the default one
  // Whether nothing is known of them (emit_operations.h): then they differ.
  uint8_t left_is_open = 0, right_is_open = 0;
  uint8_t differ = 0;  // all NaNs are one
};

// nullopt where an integer needs more than 120 bits, or an operation has no IR for its types.
std::optional<CompiledStatement> CompileStatement(const Statement& statement,
                                                  llvm::LLVMContext& context);

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_COMPILE_H_
