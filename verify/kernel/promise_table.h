// Every promise that LLVM IR can make, and what becomes of it.
//
// A compiler takes attributes, metadata and flags at their word: a broken one makes behaviour
// undefined, or a value poison. The lifting (lift/lift.h) gives instructions the meaning that they
// have without them, so each must be known to hold, or to matter to nothing. test_promise_table
// walks the lists of LLVM itself: a kind without a row fails it.
#ifndef AFFIRM_VERIFY_KERNEL_PROMISE_TABLE_H_
#define AFFIRM_VERIFY_KERNEL_PROMISE_TABLE_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/CallingConv.h"

namespace affirm::kernel {

enum class Treatment : uint8_t {
  kIrrelevant,   // no value and no order of accesses depends on it
  kModel,        // whatever can be lifted keeps it
  kText,         // decided from the text of the functions (lift/open_promises.h)
  kObligation,   // an obligation on the values, wherever they are lifted (lift/promises.cc)
  kUnsupported,  // never known to hold: the kernel is not proved
};
llvm::StringRef Name(Treatment treatment);

template <typename Key>
struct PromiseRow {
  Key key;
  Treatment treatment;
  llvm::StringLiteral reason;
};

// Attributes of functions, parameters, results and calls.
llvm::ArrayRef<PromiseRow<llvm::Attribute::AttrKind>> AttributeTable();
// Metadata of instructions, functions and global variables, by the numbers of
// llvm::LLVMContext::getMDKindNames().
llvm::ArrayRef<PromiseRow<unsigned>> MetadataTable();
// Conventions of device functions and of kernels.
llvm::ArrayRef<PromiseRow<llvm::CallingConv::ID>> CallingConventionTable();
// Operand bundles, by the names of llvm::LLVMContext::getOperandBundleTags().
llvm::ArrayRef<PromiseRow<llvm::StringLiteral>> OperandBundleTable();
// Flags of instructions, as LLVM's assembler writes them; "tail" and its kin are among them.
llvm::ArrayRef<PromiseRow<llvm::StringLiteral>> FlagTable();
// Attributes, metadata of instructions and functions, named metadata, module flags and properties
// of loops that are strings. Others are unsupported.
llvm::ArrayRef<PromiseRow<llvm::StringLiteral>> StringTable();

// The treatment of a promise; kUnsupported where it has no row.
Treatment TreatmentOf(llvm::Attribute attribute);
Treatment TreatmentOfMetadata(unsigned kind, llvm::StringRef name);
Treatment TreatmentOf(llvm::CallingConv::ID convention);
Treatment TreatmentOfString(llvm::StringRef name);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROMISE_TABLE_H_
