#include "emit/codegen/library_workarounds.h"

#include "llvm/IR/IRBuilder.h"

namespace affirm::emit {
namespace {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

// A function of the library, and what is called in its place: the body gets the function's
// arguments and the function.
struct Workaround {
  const char* symbol;
  bool ptx_only;
  Value* (*body)(IRBuilder<>& b, Function& library, llvm::ArrayRef<Value*> arguments);
};

// exp(x) is exp(x / 2)^2, and halving is exact.
Value* Exponential(IRBuilder<>& b, Function& library, llvm::ArrayRef<Value*> arguments) {
  Value* x = arguments[0];
  auto number = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  Value* small = b.CreateFCmpOLT(x, number(-87));
  Value* e = b.CreateCall(&library, {b.CreateSelect(small, b.CreateFMul(x, number(0.5)), x)});
  return b.CreateSelect(small, b.CreateFMul(e, e), e);
}

// The remainder of two f32 numbers is an f32 number, so that computing it in f64 is exact.
Value* Remainder(IRBuilder<>& b, Function& library, llvm::ArrayRef<Value*> arguments) {
  llvm::Type* f64 = b.getDoubleTy();
  llvm::FunctionCallee wide = library.getParent()->getOrInsertFunction("_Z4fmoddd", f64, f64, f64);
  Value* x = b.CreateFPExt(arguments[0], f64);
  Value* y = b.CreateFPExt(arguments[1], f64);
  return b.CreateFPTrunc(b.CreateCall(wide, {x, y}), arguments[0]->getType());
}

// From 2^70 on every power is even and gives 0, 1 or infinity as 2^70 does.
Value* Power(IRBuilder<>& b, Function& library, llvm::ArrayRef<Value*> arguments) {
  Value* y = arguments[1];
  Value* most = llvm::ConstantFP::get(y->getType(), 0x1p70);
  Value* large = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y), most);
  Value* bounded = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, most, y);
  return b.CreateCall(&library, {arguments[0], b.CreateSelect(large, bounded, y)});
}

constexpr Workaround kWorkarounds[] = {
    {"_Z3expf", true, Exponential},
    {"_Z4fmodff", true, Remainder},
    {"_Z3powdd", false, Power},
};

}  // namespace

void WorkAroundLibrary(llvm::Module& module, Target target) {
  for (const Workaround& workaround : kWorkarounds) {
    if (workaround.ptx_only && target != Target::kNvptx) continue;
    Function* library = module.getFunction(workaround.symbol);
    if (!library || library->use_empty()) continue;
    Function* function =
        Function::Create(library->getFunctionType(), llvm::GlobalValue::InternalLinkage,
                         llvm::Twine(kWorkaroundPrefix) + workaround.symbol, module);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    library->replaceAllUsesWith(function);
    IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", function));
    llvm::SmallVector<Value*, 2> arguments;
    for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
    b.CreateRet(workaround.body(b, *library, arguments));
  }
}

}  // namespace affirm::emit
