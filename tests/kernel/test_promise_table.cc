// The table of promises against LLVM's own lists.
#include <set>

#include "gtest/gtest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/promise_table.h"

namespace affirm::kernel {
namespace {

template <typename Key>
int64_t NumRows(llvm::ArrayRef<PromiseRow<Key>> rows, const Key& key) {
  return llvm::count_if(rows, [&](const PromiseRow<Key>& row) { return row.key == key; });
}

TEST(PromiseTable, EachAttributeHasOneRow) {
  for (int k = llvm::Attribute::None + 1; k < llvm::Attribute::EndAttrKinds; ++k) {
    const auto kind = static_cast<llvm::Attribute::AttrKind>(k);
    const llvm::StringRef name = llvm::Attribute::getNameFromAttrKind(kind);
    if (name.empty()) continue;  // a number between two groups of kinds
    EXPECT_EQ(NumRows(AttributeTable(), kind), 1) << name.str();
  }
}

TEST(PromiseTable, EachKindOfMetadataHasOneRow) {
  llvm::LLVMContext context;
  llvm::SmallVector<llvm::StringRef, 64> names;
  context.getMDKindNames(names);
  EXPECT_EQ(names.size(), MetadataTable().size());
  for (unsigned k = 0; k < names.size(); ++k)
    EXPECT_EQ(NumRows(MetadataTable(), k), 1) << names[k].str();
}

TEST(PromiseTable, EachCallingConventionThatLlvmNamesHasOneRow) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", module);
  for (unsigned k = 0; k <= llvm::CallingConv::MaxID; ++k) {
    function->setCallingConv(k);
    std::string text;
    llvm::raw_string_ostream(text) << *function;
    // LLVM writes the number of a convention that it has no name for.
    const bool has_name = !llvm::StringRef(text).contains(" cc" + std::to_string(k) + " ") &&
                          !llvm::StringRef(text).contains(" cc " + std::to_string(k) + " ");
    if (!has_name) continue;
    EXPECT_EQ(NumRows(CallingConventionTable(), k), 1) << text;
  }
}

TEST(PromiseTable, EachOperandBundleHasOneRow) {
  llvm::LLVMContext context;
  llvm::SmallVector<llvm::StringRef, 16> tags;
  context.getOperandBundleTags(tags);
  for (llvm::StringRef tag : tags) {
    EXPECT_EQ(llvm::count_if(OperandBundleTable(), [&](const auto& row) { return row.key == tag; }),
              1)
        << tag.str();
  }
}

// Instructions that LLVM prints with all the flags that they can have.
TEST(PromiseTable, EachFlagOfAnInstructionHasARow) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto* integer = llvm::Type::getInt32Ty(context);
  auto* number = llvm::Type::getFloatTy(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {integer, number, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", module);
  auto* block = llvm::BasicBlock::Create(context, "", function);
  llvm::Value *x = function->getArg(0), *y = function->getArg(1), *p = function->getArg(2);
  llvm::SmallVector<llvm::Instruction*, 16> all;
  for (unsigned op = llvm::Instruction::BinaryOpsBegin; op < llvm::Instruction::BinaryOpsEnd;
       ++op) {
    const auto opcode = static_cast<llvm::Instruction::BinaryOps>(op);
    const bool of_floats = opcode == llvm::Instruction::FAdd || opcode == llvm::Instruction::FSub ||
                           opcode == llvm::Instruction::FMul || opcode == llvm::Instruction::FDiv ||
                           opcode == llvm::Instruction::FRem;
    llvm::Value* of = of_floats ? y : x;
    all.push_back(llvm::BinaryOperator::Create(opcode, of, of, "", block));
  }
  all.push_back(new llvm::TruncInst(x, llvm::Type::getInt8Ty(context), "", block));
  all.push_back(new llvm::ZExtInst(x, llvm::Type::getInt64Ty(context), "", block));
  all.push_back(new llvm::ICmpInst(block, llvm::CmpInst::ICMP_ULT, x, x));
  all.push_back(llvm::GetElementPtrInst::Create(integer, p, {x}, "", block));
  all.push_back(new llvm::LoadInst(integer, p, "", /*isVolatile=*/true, block));
  std::set<std::string> words;
  for (llvm::Instruction* op : all) {
    auto print = [&] {
      std::string text;
      llvm::raw_string_ostream(text) << *op;
      return text;
    };
    const std::string plain = print();
    if (llvm::isa<llvm::OverflowingBinaryOperator>(op)) {
      op->setHasNoSignedWrap(true);
      op->setHasNoUnsignedWrap(true);
    }
    if (auto* trunc = llvm::dyn_cast<llvm::TruncInst>(op)) {
      trunc->setHasNoSignedWrap(true);
      trunc->setHasNoUnsignedWrap(true);
    }
    if (llvm::isa<llvm::PossiblyExactOperator>(op)) op->setIsExact(true);
    if (auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(op))
      disjoint->setIsDisjoint(true);
    if (llvm::isa<llvm::PossiblyNonNegInst>(op)) op->setNonNeg(true);
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(op)) compare->setSameSign(true);
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(op))
      gep->setNoWrapFlags(llvm::GEPNoWrapFlags::noUnsignedSignedWrap() |
                          llvm::GEPNoWrapFlags::noUnsignedWrap());
    if (llvm::isa<llvm::FPMathOperator>(op)) {
      llvm::FastMathFlags flags;
      flags.setFast();
      flags.setAllowReassoc(true);
      flags.setNoNaNs(false);  // "fast" says all at once
      op->setFastMathFlags(flags);
    }
    llvm::SmallVector<llvm::StringRef, 16> parts;
    const std::string flagged = print();
    llvm::StringRef(flagged).split(parts, ' ');
    for (llvm::StringRef part : parts) {
      if (!llvm::StringRef(plain).contains((" " + part + " ").str())) words.insert(part.str());
    }
  }
  words.insert({"inbounds", "nnan", "volatile"});
  for (const std::string& word : words) {
    const bool is_flag =
        !word.empty() && llvm::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!is_flag || word == "float" || word == "ptr") continue;
    EXPECT_EQ(llvm::count_if(FlagTable(), [&](const auto& row) { return row.key == word; }), 1)
        << word;
  }
  EXPECT_GE(words.size(), 12u);
}

TEST(PromiseTable, NoRowIsGivenTwiceAndEachSaysWhy) {
  std::set<std::string> seen;
  for (const auto& row : StringTable()) {
    EXPECT_TRUE(seen.insert(row.key.str()).second) << row.key.str();
    EXPECT_FALSE(row.reason.empty()) << row.key.str();
  }
  for (const auto& row : AttributeTable()) EXPECT_FALSE(row.reason.empty());
  for (const auto& row : MetadataTable()) EXPECT_FALSE(row.reason.empty());
  for (const auto& row : FlagTable()) {
    EXPECT_TRUE(!row.reason.empty() || row.treatment == Treatment::kUnsupported);
  }
}

TEST(PromiseTable, WhatIsNotInATableIsUnsupported) {
  EXPECT_EQ(TreatmentOfString("amdgpu-no-such-thing"), Treatment::kUnsupported);
  EXPECT_EQ(TreatmentOf(llvm::CallingConv::ID{1000}), Treatment::kUnsupported);
  EXPECT_EQ(TreatmentOfMetadata(1000, "somebody.says"), Treatment::kUnsupported);
}

}  // namespace
}  // namespace affirm::kernel
