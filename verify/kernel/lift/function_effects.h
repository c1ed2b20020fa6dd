// Effects of functions, read from their text: the memory they access and the uses of pointers.
// All of it is an upper bound: what a function does on some path, whether or not that is taken.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_FUNCTION_EFFECTS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_FUNCTION_EFFECTS_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/ModRef.h"

namespace affirm::kernel {

// Uses of a pointer and of pointers derived from it.
struct PointerUses {
  bool is_read = false, is_written = false;
  bool escapes = false;  // stored, returned, compared, made an integer, or passed to unknown code
  static PointerUses All() { return {true, true, true}; }
  PointerUses& operator|=(const PointerUses& other);
};

struct FunctionEffects {
  // Without the function's own allocas, and constants.
  llvm::MemoryEffects memory = llvm::MemoryEffects::none();
  bool synchronizes = false;  // a barrier, an ordered atomic, a volatile access
  bool is_convergent = false;
  bool calls_defined = false;  // a function of the module
  bool calls_itself = false;
  static FunctionEffects All();
  FunctionEffects& operator|=(const FunctionEffects& other);
};

// Memoizes its results. Functions must not change during its lifetime.
class EffectAnalysis {
 public:
  const FunctionEffects& EffectsOf(const llvm::Function& function);
  // Memory that its arguments point to counts as argument memory, even the caller's allocas.
  FunctionEffects EffectsOf(const llvm::CallBase& call);
  // For a function with a body.
  const PointerUses& UsesOf(const llvm::Argument& argument);
  // The uses of argument k of a call.
  PointerUses UsesOfArgument(const llvm::CallBase& call, unsigned k);

 private:
  FunctionEffects EffectsOfBody(const llvm::Function& function);
  // The effects of the call as effects of its caller.
  FunctionEffects EffectsInCaller(const llvm::CallBase& call);
  PointerUses UsesOfPointer(const llvm::Value& pointer);
  PointerUses UsesOfUse(const llvm::Use& use, llvm::SmallVectorImpl<const llvm::Value*>& derived);

  llvm::DenseMap<const llvm::Function*, FunctionEffects> effects_;
  llvm::DenseMap<const llvm::Argument*, PointerUses> uses_;
};

// Whether the type is a pointer or contains one.
bool HoldsPointers(const llvm::Type& type);

// Whether each return of the function returns the argument.
bool ReturnsArgument(const llvm::Argument& argument);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_FUNCTION_EFFECTS_H_
