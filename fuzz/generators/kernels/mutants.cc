#include "fuzz/generators/kernels/mutants.h"

#include <functional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::fuzz {

using kernel::KernelIr;
using llvm::BinaryOperator;
using llvm::ICmpInst;
using llvm::Instruction;
using llvm::Value;

namespace {

// A change of one instruction. It is made in the module that the instruction is of.
struct Change {
  MutationKind kind;
  std::function<void()> apply;
};

// Collects what can be changed at an instruction.
class Changes {
 public:
  explicit Changes(Instruction& instruction) : instruction_(instruction) {
    Binary();
    Compare();
    Control();
    Memory();
    Calls();
    Vectors();
  }
  std::vector<Change>& list() { return list_; }

 private:
  void Add(MutationKind kind, std::function<void()> apply) {
    list_.push_back({kind, std::move(apply)});
  }

  // The constant operand `i` with another number.
  void AddNumber(MutationKind kind, unsigned i,
                 const std::function<llvm::APInt(const llvm::APInt&)>& change) {
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(instruction_.getOperand(i));
    if (!number) return;
    Instruction* at = &instruction_;
    Add(kind, [=] {
      at->setOperand(i, llvm::ConstantInt::get(number->getType(), change(number->getValue())));
    });
  }

  void AddSwap(MutationKind kind, unsigned i, unsigned j) {
    if (instruction_.getOperand(i) == instruction_.getOperand(j)) return;
    Instruction* at = &instruction_;
    Add(kind, [=] {
      Value* first = at->getOperand(i);
      at->setOperand(i, at->getOperand(j));
      at->setOperand(j, first);
    });
  }

  void AddOpcode(MutationKind kind, BinaryOperator::BinaryOps opcode) {
    auto* at = llvm::cast<BinaryOperator>(&instruction_);
    Add(kind, [=] {
      auto* other = BinaryOperator::Create(opcode, at->getOperand(0), at->getOperand(1), "",
                                           at->getIterator());
      at->replaceAllUsesWith(other);
      at->eraseFromParent();
    });
  }

  void Binary();
  void Compare();
  void Control();
  void Memory();
  void Calls();
  void Vectors();

  Instruction& instruction_;
  std::vector<Change> list_;
};

void Changes::Binary() {
  auto* binary = llvm::dyn_cast<BinaryOperator>(&instruction_);
  if (!binary) return;
  auto more = [](const llvm::APInt& n) { return n + 1; };
  auto less = [](const llvm::APInt& n) { return n - 1; };
  switch (binary->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
      AddNumber(MutationKind::kIndexConstant, 1, more);
      AddNumber(MutationKind::kIndexConstant, 1, less);
      if (binary->getOpcode() == Instruction::Sub) AddSwap(MutationKind::kOperandSwap, 0, 1);
      break;
    case Instruction::Mul:
    case Instruction::Shl:
      AddNumber(MutationKind::kFactor, 1, more);
      AddNumber(MutationKind::kFactor, 1, less);
      break;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem: {
      AddNumber(MutationKind::kFactor, 1, more);
      AddSwap(MutationKind::kOperandSwap, 0, 1);
      bool division =
          binary->getOpcode() == Instruction::UDiv || binary->getOpcode() == Instruction::SDiv;
      bool is_signed =
          binary->getOpcode() == Instruction::SDiv || binary->getOpcode() == Instruction::SRem;
      AddOpcode(MutationKind::kDivRem, division
                                           ? (is_signed ? Instruction::SRem : Instruction::URem)
                                           : (is_signed ? Instruction::SDiv : Instruction::UDiv));
      AddOpcode(MutationKind::kSignedness,
                division ? (is_signed ? Instruction::UDiv : Instruction::SDiv)
                         : (is_signed ? Instruction::URem : Instruction::SRem));
      break;
    }
    case Instruction::LShr:
    case Instruction::AShr:
      AddNumber(MutationKind::kFactor, 1, more);
      AddOpcode(MutationKind::kSignedness,
                binary->getOpcode() == Instruction::LShr ? Instruction::AShr : Instruction::LShr);
      break;
    case Instruction::And:
    case Instruction::Or:
      if (binary->getType()->isIntegerTy(1)) {
        Add(MutationKind::kConjunct, [=] { binary->setOperand(1, binary->getOperand(0)); });
        Add(MutationKind::kConjunct, [=] { binary->setOperand(0, binary->getOperand(1)); });
      } else {
        AddNumber(MutationKind::kMask, 1,
                  [](const llvm::APInt& n) { return n ^ llvm::APInt(n.getBitWidth(), 4); });
      }
      break;
    case Instruction::FAdd:
      AddOpcode(MutationKind::kFloatOperation, Instruction::FSub);
      for (unsigned i : {0u, 1u}) {
        auto* number = llvm::dyn_cast<llvm::ConstantFP>(binary->getOperand(i));
        if (number)
          Add(MutationKind::kInit,
              [=] { binary->setOperand(i, llvm::ConstantFP::get(number->getType(), 3.0)); });
      }
      break;
    case Instruction::FSub:
      AddOpcode(MutationKind::kFloatOperation, Instruction::FAdd);
      AddSwap(MutationKind::kOperandSwap, 0, 1);
      break;
    case Instruction::FMul:
      AddOpcode(MutationKind::kFloatOperation, Instruction::FAdd);
      break;
    case Instruction::FDiv:
      AddSwap(MutationKind::kOperandSwap, 0, 1);
      break;
    default:
      break;
  }
}

void Changes::Compare() {
  auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction_);
  if (!compare) return;
  AddSwap(MutationKind::kOperandSwap, 0, 1);
  auto* integers = llvm::dyn_cast<ICmpInst>(compare);
  if (!integers) {
    Add(MutationKind::kPredicate, [=] { compare->setPredicate(compare->getInversePredicate()); });
    return;
  }
  AddNumber(MutationKind::kBound, 1, [](const llvm::APInt& n) { return n + 1; });
  AddNumber(MutationKind::kBound, 1, [](const llvm::APInt& n) { return n - 1; });
  ICmpInst::Predicate predicate = integers->getPredicate();
  if (integers->isEquality()) {
    Add(MutationKind::kPredicate, [=] { integers->setPredicate(integers->getInversePredicate()); });
    return;
  }
  bool strict = ICmpInst::isLT(predicate) || ICmpInst::isGT(predicate);
  Add(MutationKind::kPredicate, [=] {
    integers->setPredicate(strict ? integers->getNonStrictPredicate()
                                  : integers->getStrictPredicate());
  });
  Add(MutationKind::kSignedness,
      [=] { integers->setPredicate(ICmpInst::getFlippedSignednessPredicate(predicate)); });
}

void Changes::Control() {
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction_);
      branch && branch->isConditional()) {
    if (llvm::isa<llvm::Constant>(branch->getCondition())) return;
    for (bool taken : {true, false}) {
      Add(MutationKind::kGuard,
          [=] { branch->setCondition(llvm::ConstantInt::getBool(branch->getContext(), taken)); });
    }
  }
  if (llvm::isa<llvm::SelectInst>(&instruction_)) AddSwap(MutationKind::kSelectArms, 1, 2);
}

void Changes::Memory() {
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction_)) {
    llvm::Function* function = address->getFunction();
    // Another parameter.
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(address->getPointerOperand())) {
      for (llvm::Argument& other : function->args()) {
        if (other.getType() == argument->getType() && &other != argument) {
          llvm::Argument* to = &other;
          Add(MutationKind::kPointer, [=] { address->setOperand(0, to); });
          break;
        }
      }
    }
    // The integer that was last computed before the index, of its type, in this block.
    unsigned last = address->getNumOperands() - 1;
    Value* index = address->getOperand(last);
    for (Instruction* at = address->getPrevNode(); at; at = at->getPrevNode()) {
      if (at == index || at->getType() != index->getType()) continue;
      Add(MutationKind::kSiblingIndex, [=] { address->setOperand(last, at); });
      break;
    }
    AddNumber(MutationKind::kIndexConstant, last, [](const llvm::APInt& n) { return n + 1; });
  }
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction_)) {
    auto opcode = atomic->getOperation() == llvm::AtomicRMWInst::FAdd  ? Instruction::FAdd
                  : atomic->getOperation() == llvm::AtomicRMWInst::Add ? Instruction::Add
                                                                       : Instruction::BinaryOpsEnd;
    if (opcode != Instruction::BinaryOpsEnd) {
      Add(MutationKind::kAtomic, [=] {
        llvm::IRBuilder<> builder(atomic);
        Value* old =
            builder.CreateLoad(atomic->getValOperand()->getType(), atomic->getPointerOperand());
        builder.CreateStore(builder.CreateBinOp(opcode, old, atomic->getValOperand()),
                            atomic->getPointerOperand());
        atomic->replaceAllUsesWith(old);
        atomic->eraseFromParent();
      });
    }
  }
}

void Changes::Calls() {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction_);
  llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee) return;
  llvm::StringRef name = callee->getName();
  if (name.contains("nvvm.barrier") || name.contains("nvvm.bar.warp")) {
    Add(MutationKind::kBarrier, [=] { call->eraseFromParent(); });
  }
  if (name.contains("nvvm.shfl.sync")) {
    AddNumber(MutationKind::kShuffle, 2,
              [](const llvm::APInt& n) { return n.ugt(1) ? n.lshr(1) : n.shl(1); });
  }
  llvm::Intrinsic::ID other = llvm::Intrinsic::not_intrinsic;
  switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::maximum:
      other = llvm::Intrinsic::minimum;
      break;
    case llvm::Intrinsic::minimum:
      other = llvm::Intrinsic::maximum;
      break;
    case llvm::Intrinsic::smax:
      other = llvm::Intrinsic::umax;
      break;
    case llvm::Intrinsic::smin:
      other = llvm::Intrinsic::umin;
      break;
    default:
      break;
  }
  if (other == llvm::Intrinsic::not_intrinsic) return;
  bool floats = call->getType()->isFPOrFPVectorTy();
  Add(floats ? MutationKind::kFloatOperation : MutationKind::kSignedness, [=] {
    call->setCalledFunction(
        llvm::Intrinsic::getOrInsertDeclaration(call->getModule(), other, {call->getType()}));
  });
  if (!floats) AddNumber(MutationKind::kBound, 1, [](const llvm::APInt& n) { return n - 1; });
}

void Changes::Vectors() {
  if (llvm::isa<llvm::ExtractElementInst>(&instruction_)) {
    AddNumber(MutationKind::kVectorLane, 1,
              [](const llvm::APInt& n) { return n ^ llvm::APInt(n.getBitWidth(), 1); });
  }
  if (llvm::isa<llvm::InsertElementInst>(&instruction_)) {
    AddNumber(MutationKind::kVectorLane, 2,
              [](const llvm::APInt& n) { return n ^ llvm::APInt(n.getBitWidth(), 1); });
  }
}

// All instructions of definitions, in order.
std::vector<Instruction*> InstructionsOf(llvm::Module& module) {
  std::vector<Instruction*> all;
  for (llvm::Function& function : module) {
    for (Instruction& instruction : llvm::instructions(function)) all.push_back(&instruction);
  }
  return all;
}

std::string TextOf(const Instruction& instruction) {
  std::string text;
  llvm::raw_string_ostream os(text);
  instruction.print(os);
  return llvm::StringRef(text).trim().str();
}

}  // namespace

const char* Name(MutationKind kind) {
  static constexpr const char* kNames[] = {
      "index-constant", "factor",  "bound",    "predicate", "signedness",
      "operand-swap",   "div-rem", "conjunct", "guard",     "select",
      "sibling-index",  "pointer", "barrier",  "shuffle",   "float-op",
      "init",           "atomic",  "vector",   "mask"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Mutation> MutationsOf(const KernelIr& ir) {
  std::vector<Mutation> mutations;
  std::vector<Instruction*> all = InstructionsOf(*ir.module);
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<Change> changes = std::move(Changes(*all[i]).list());
    for (size_t v = 0; v < changes.size(); ++v) {
      mutations.push_back(
          {changes[v].kind, i, static_cast<int>(v), ir.LineOf(all[i]), TextOf(*all[i])});
    }
  }
  return mutations;
}

llvm::Expected<KernelIr> Mutate(const KernelIr& ir, const Mutation& mutation) {
  // Through the text, so that the mutant has a context of its own and lines that can be shown.
  std::string text;
  llvm::raw_string_ostream os(text);
  ir.module->print(os, nullptr);
  auto copy = kernel::ReadKernelIr(text, ir.where, ir.kernel->getName());
  if (!copy) return copy.takeError();
  std::vector<Instruction*> all = InstructionsOf(*copy->module);
  std::vector<Change> changes;
  if (mutation.instruction < all.size())
    changes = std::move(Changes(*all[mutation.instruction]).list());
  if (mutation.variant < 0 || static_cast<size_t>(mutation.variant) >= changes.size()) {
    return llvm::createStringError("%s: no such mutation", ir.where.c_str());
  }
  changes[static_cast<size_t>(mutation.variant)].apply();
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(*copy->module, &problems)) {
    return llvm::createStringError("%s: the mutant is no valid IR: %s", ir.where.c_str(),
                                   problem.c_str());
  }
  return copy;
}

}  // namespace affirm::fuzz
