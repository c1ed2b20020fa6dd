#include "emit/codegen/library_workarounds.h"

#include "llvm/IR/IRBuilder.h"

namespace affirm::emit {
namespace {

// A function of the library, and what is called in its place: the body gets the function's
// arguments and the function.
struct Workaround {
  const char* symbol;
  bool ptx_only;
  llvm::Value* (*body)(llvm::IRBuilder<>& b, llvm::Function& library,
                       llvm::ArrayRef<llvm::Value*> arguments);
};

// exp(x) is exp(x / 2)^2, and halving is exact.
llvm::Value* Exponential(llvm::IRBuilder<>& b, llvm::Function& library,
                         llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Value* x = arguments[0];
  auto number = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  llvm::Value* small = b.CreateFCmpOLT(x, number(-87));
  llvm::Value* e = b.CreateCall(&library, {b.CreateSelect(small, b.CreateFMul(x, number(0.5)), x)});
  return b.CreateSelect(small, b.CreateFMul(e, e), e);
}

// The remainder of two f32 numbers is an f32 number, so that computing it in f64 is exact.
llvm::Value* Remainder(llvm::IRBuilder<>& b, llvm::Function& library,
                       llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Type* f64 = b.getDoubleTy();
  llvm::FunctionCallee wide = library.getParent()->getOrInsertFunction("_Z4fmoddd", f64, f64, f64);
  llvm::Value* x = b.CreateFPExt(arguments[0], f64);
  llvm::Value* y = b.CreateFPExt(arguments[1], f64);
  return b.CreateFPTrunc(b.CreateCall(wide, {x, y}), arguments[0]->getType());
}

// From 2^70 on every power is even and gives 0, 1 or infinity as 2^70 does.
llvm::Value* Power(llvm::IRBuilder<>& b, llvm::Function& library,
                   llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Value* y = arguments[1];
  llvm::Value* most = llvm::ConstantFP::get(y->getType(), 0x1p70);
  llvm::Value* large = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y), most);
  llvm::Value* bounded = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, most, y);
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
    llvm::Function* library = module.getFunction(workaround.symbol);
    if (!library || library->use_empty()) continue;
    llvm::Function* function =
        llvm::Function::Create(library->getFunctionType(), llvm::GlobalValue::InternalLinkage,
                               llvm::Twine(kWorkaroundPrefix) + workaround.symbol, module);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    library->replaceAllUsesWith(function);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", function));
    llvm::SmallVector<llvm::Value*, 2> arguments;
    for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
    b.CreateRet(workaround.body(b, *library, arguments));
  }
}

}  // namespace affirm::emit
