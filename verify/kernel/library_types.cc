#include "verify/kernel/library_types.h"

#include <cstdint>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Type.h"

namespace affirm::kernel {
namespace {

// The type of a scalar, such as "f32"; null for other words.
llvm::Type* ScalarOf(llvm::StringRef word, llvm::LLVMContext& context) {
  if (word == "f16" || word == "Dh") return llvm::Type::getHalfTy(context);
  if (word == "bf16") return llvm::Type::getBFloatTy(context);
  if (word == "f32" || word == "f") return llvm::Type::getFloatTy(context);
  return word == "f64" || word == "d" ? llvm::Type::getDoubleTy(context) : nullptr;
}

// "v8f32", "f32".
llvm::Type* ValueOf(llvm::StringRef word, llvm::LLVMContext& context) {
  unsigned count = 0;
  const bool is_vector = word.consume_front("v") && !word.consumeInteger(10, count);
  llvm::Type* scalar = ScalarOf(word, context);
  if (!is_vector || scalar == nullptr) return scalar;
  return count > 0 ? llvm::FixedVectorType::get(scalar, count) : nullptr;
}

// The types of the parameters of an OpenCL function: "ff" of _Z3powff.
llvm::StringRef TypesOfMangled(llvm::StringRef name) {
  size_t length = 0;
  if (name.consumeInteger(10, length) || name.size() <= length) return "";
  return name.drop_front(length);
}

// C's and libdevice's name of a function of floats ends with "f". That of the error function of
// doubles does, too.
bool NamesFloat(llvm::StringRef name) { return name.ends_with("f") && name != "erf"; }

llvm::Type* TypeOfName(llvm::StringRef name, llvm::LLVMContext& context) {
  if (name.consume_front("__nv_")) {
    name.consume_front("fast_");
    return ScalarOf(NamesFloat(name) ? "f" : "d", context);
  }
  if (name.consume_front("__ocml_")) return ScalarOf(name.rsplit('_').second, context);
  if (name.consume_front("_Z")) {
    const llvm::StringRef types = TypesOfMangled(name);
    const llvm::StringRef first = types.take_front(types.starts_with("D") ? 2 : 1);
    llvm::StringRef rest = types;
    while (!first.empty() && rest.consume_front(first)) {
    }
    return rest.empty() ? ScalarOf(first, context) : nullptr;
  }
  if (name.consume_front("xla.")) return ValueOf(name.rsplit('.').second, context);
  return ScalarOf(NamesFloat(name) ? "f" : "d", context);
}

}  // namespace

bool HasTypeOfItsName(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  if (name.starts_with("llvm.")) return true;
  const llvm::Type* type = TypeOfName(name, function.getContext());
  return type != nullptr && function.getReturnType() == type &&
         llvm::all_of(function.args(),
                      [&](const llvm::Argument& of) { return of.getType() == type; });
}

}  // namespace affirm::kernel
