// __truncsfbf2, built as LLVM IR.
#include "emit/codegen/bf16_runtime.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace affirm::emit {
namespace {

bool HasBf16(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getType()->isBFloatTy()) return true;
    }
  }
  return false;
}

}  // namespace

void DefineBf16Rounding(llvm::Module& module) {
  if (!HasBf16(module)) return;
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getBFloatTy(context),
                                       {llvm::Type::getFloatTy(context)}, /*isVarArg=*/false);
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "__truncsfbf2", module);
  // LLVM would optimize the selection below to one between bf16 values, which calls this function.
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::OptimizeNone);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", function));
  llvm::Value* x = function->getArg(0);
  llvm::Value* bits = b.CreateBitCast(x, b.getInt32Ty());
  llvm::Value* last = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  llvm::Value* rounded = b.CreateAdd(bits, b.CreateAdd(last, b.getInt32(0x7fff)));
  // A NaN stays one, made quiet; it must not be rounded up to infinity.
  llvm::Value* nan = b.CreateSExt(b.CreateFCmpUNO(x, x), b.getInt32Ty());
  llvm::Value* quiet = b.CreateOr(bits, b.getInt32(0x400000));
  llvm::Value* result = b.CreateOr(b.CreateAnd(quiet, nan), b.CreateAnd(rounded, b.CreateNot(nan)));
  llvm::Value* high = b.CreateTrunc(b.CreateLShr(result, 16), b.getInt16Ty());
  b.CreateRet(b.CreateBitCast(high, b.getBFloatTy()));
}

}  // namespace affirm::emit
