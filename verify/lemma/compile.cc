#include "verify/lemma/compile.h"

#include <cstddef>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include "verify/lemma/emit_operations.h"
#include "verify/lemma/ranges.h"

namespace affirm::lemma {

namespace {

using hlo::PrimitiveType;
using llvm::Value;
using terms::Range;

// Both sides at one point.
class PointEmitter {
 public:
  PointEmitter(const Statement& statement, const std::vector<Range>& ranges,
               llvm::IRBuilder<>& builder, Value* point, Value* choices)
      : statement_(statement),
        ranges_(ranges),
        b_(builder),
        operations_(builder, choices),
        point_(point) {}

  // False where an operation has no IR.
  bool Emit() {
    for (const Node& node : statement_.nodes) {
      Emitted emitted = EmitNode(node);
      if (!emitted.value) return false;
      emitted_.push_back(emitted);
    }
    return true;
  }

  const Emitted& left() const { return emitted_[statement_.left]; }
  const Emitted& right() const { return emitted_[statement_.right]; }
  int num_choices() const { return operations_.num_choices(); }

  // The bits of a side, in 64.
  Value* BitsOf(const Emitted& side) {
    const PrimitiveType type = TypeOfSides();
    Value* bits = hlo::IsFloat(type) ? operations_.floats().Encode(type, side.value) : side.value;
    return b_.CreateZExt(bits, b_.getInt64Ty());
  }
  Value* OpenOf(const Emitted& side) { return side.open ? side.open : b_.getFalse(); }
  // Whether the sides differ: an i1.
  Value* Differ() {
    Value *a = left().value, *b = right().value;
    Value* open = b_.CreateOr(OpenOf(left()), OpenOf(right()));
    if (!hlo::IsFloat(TypeOfSides())) return b_.CreateOr(open, b_.CreateICmpNE(a, b));
    FloatEmitter& floats = operations_.floats();
    llvm::Type* bits = b_.getIntNTy(a->getType()->getScalarSizeInBits());
    Value* other = b_.CreateICmpNE(b_.CreateBitCast(a, bits), b_.CreateBitCast(b, bits));
    Value* nans = b_.CreateAnd(floats.IsNan(a), floats.IsNan(b));
    return b_.CreateOr(open, b_.CreateAnd(other, b_.CreateNot(nans)));
  }

 private:
  PrimitiveType TypeOfSides() const { return statement_.nodes[statement_.left].type; }
  Value* ValueOf(uint32_t node) const { return emitted_[node].value; }
  llvm::IntegerType* IntegerFor(const Range& range) const {
    return b_.getIntNTy(static_cast<unsigned>(WidthFor(range)));
  }
  llvm::ConstantInt* Constant(llvm::Type* type, Int128 number) const {
    const unsigned width = type->getIntegerBitWidth();
    const auto bits = static_cast<unsigned __int128>(number);
    const uint64_t words[] = {static_cast<uint64_t>(bits), static_cast<uint64_t>(bits >> 64)};
    return b_.getInt(llvm::APInt(128, words).trunc(width));
  }
  // The integer of a node, in another width that holds it, or modulo that width.
  Value* Resized(uint32_t node, llvm::Type* type) {
    return b_.CreateSExtOrTrunc(ValueOf(node), type);
  }

  Emitted EmitNode(const Node& node) {
    if (node.op >= Op::kAbs) return EmitOperation(node);
    Emitted emitted;
    switch (node.op) {
      case Op::kLeaf:
        return EmitLeaf(node);
      case Op::kLiteral:
        return EmitLiteral(node);
      case Op::kPick:
      case Op::kSelect:
        return EmitChoice(node);
      case Op::kConstant:
        return {b_.getInt1(node.number != 0)};
      case Op::kNotCondition:
        emitted.value = b_.CreateNot(ValueOf(node.args[0]));
        break;
      case Op::kAll:
        emitted.value = b_.getTrue();
        for (uint32_t arg : node.args) emitted.value = b_.CreateAnd(emitted.value, ValueOf(arg));
        break;
      case Op::kHolds:
      case Op::kOfCondition:
        if (ValueOf(node.args[0])->getType()->isIntegerTy(1)) emitted.value = ValueOf(node.args[0]);
        break;
      default:
        emitted.value = EmitInteger(node);
        break;
    }
    for (uint32_t arg : node.args) Open(emitted, emitted_[arg].open);
    return emitted;
  }

  void Open(Emitted& emitted, Value* open) {
    if (!open) return;
    emitted.open = emitted.open ? b_.CreateOr(emitted.open, open) : open;
  }

  Emitted EmitLeaf(const Node& node) {
    const Leaf& leaf = statement_.leaves[static_cast<size_t>(node.number)];
    Value* raw = RawBits(leaf);
    if (!hlo::IsFloat(leaf.type)) return {raw};
    return {FloatEmitter::Has(leaf.type) ? operations_.floats().Decode(leaf.type, raw) : nullptr};
  }

  Value* RawBits(const Leaf& leaf) {
    return b_.CreateTrunc(b_.CreateLShr(point_, leaf.first),
                          b_.getIntNTy(static_cast<unsigned>(leaf.width)));
  }

  Emitted EmitLiteral(const Node& node) {
    const int64_t width = terms::IntegerWidth(node.type);
    if (width > 0) return {Constant(b_.getIntNTy(static_cast<unsigned>(width)), node.number)};
    if (!hlo::IsFloat(node.type) || !FloatEmitter::Has(node.type)) return {};
    llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(hlo::BitWidth(node.type)));
    return {operations_.floats().Decode(node.type, Constant(bits, node.number))};
  }

  // An arm counts where it is taken.
  Emitted EmitChoice(const Node& node) {
    const Emitted condition = emitted_[node.args[0]];
    const Emitted a = emitted_[node.args[1]], b = emitted_[node.args[2]];
    Emitted emitted;
    if (node.op == Op::kPick) {
      llvm::Type* type = IntegerFor(RangeOf(node));
      emitted.value = b_.CreateSelect(condition.value, Resized(node.args[1], type),
                                      Resized(node.args[2], type));
    } else {
      emitted.value = b_.CreateSelect(condition.value, a.value, b.value);
    }
    if (a.open || b.open) Open(emitted, b_.CreateSelect(condition.value, OpenOf(a), OpenOf(b)));
    Open(emitted, condition.open);
    return emitted;
  }

  const Range& RangeOf(const Node& node) const { return ranges_[&node - statement_.nodes.data()]; }

  // Sums and products need the width of the result alone: modulo it, operands may be cut off.
  Value* EmitInteger(const Node& node) {
    const auto& args = node.args;
    switch (node.op) {
      case Op::kSum: {
        llvm::Type* type = IntegerFor(RangeOf(node));
        Value* sum = Constant(type, node.number);
        for (size_t k = 0; k < args.size(); ++k) {
          Value* factor = Constant(type, node.coefficients[k]);
          sum = b_.CreateAdd(sum, b_.CreateMul(Resized(args[k], type), factor));
        }
        return sum;
      }
      case Op::kProduct: {
        llvm::Type* type = IntegerFor(RangeOf(node));
        Value* product = Constant(type, 1);
        for (uint32_t arg : args) product = b_.CreateMul(product, Resized(arg, type));
        return product;
      }
      case Op::kQuotient:
        return EmitQuotient(node);
      case Op::kMax: {
        const Range &a = ranges_[args[0]], &b = ranges_[args[1]];
        llvm::Type* type = IntegerFor({std::min(a.lo, b.lo), std::max(a.hi, b.hi)});
        Value* max = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, Resized(args[0], type),
                                              Resized(args[1], type));
        return b_.CreateSExtOrTrunc(max, IntegerFor(RangeOf(node)));
      }
      case Op::kInteger: {
        llvm::Type* type = IntegerFor(RangeOf(node));
        const bool pred = statement_.nodes[args[0]].type == PrimitiveType::kPred;
        return pred ? b_.CreateZExt(ValueOf(args[0]), type) : Resized(args[0], type);
      }
      case Op::kAtLeastZero:
      case Op::kIsZero: {
        Value* zero = llvm::ConstantInt::get(ValueOf(args[0])->getType(), 0);
        return node.op == Op::kIsZero ? b_.CreateICmpEQ(ValueOf(args[0]), zero)
                                      : b_.CreateICmpSGE(ValueOf(args[0]), zero);
      }
      case Op::kOfInteger:
        return Resized(args[0],
                       b_.getIntNTy(static_cast<unsigned>(terms::IntegerWidth(node.type))));
      default:
        return nullptr;
    }
  }

  // floor(a / n), where n may need a larger width than a.
  Value* EmitQuotient(const Node& node) {
    const Range& of = ranges_[node.args[0]];
    const Range both = {std::min(of.lo, node.number), std::max(of.hi, node.number)};
    llvm::Type* type = IntegerFor(both);
    Value* a = Resized(node.args[0], type);
    llvm::Type* result = IntegerFor(RangeOf(node));
    const auto divisor = static_cast<unsigned __int128>(node.number);
    if ((divisor & (divisor - 1)) == 0) {
      int shift = 0;
      while (divisor >> shift != 1) ++shift;
      return b_.CreateSExtOrTrunc(b_.CreateAShr(a, Constant(type, shift)), result);
    }
    Value* by = Constant(type, node.number);
    Value* quotient = b_.CreateSDiv(a, by);
    Value* rest = b_.CreateSRem(a, by);
    Value* below = b_.CreateICmpSLT(rest, Constant(type, 0));
    quotient = b_.CreateSub(quotient, b_.CreateZExt(below, type));
    return b_.CreateSExtOrTrunc(quotient, result);
  }

  Emitted EmitOperation(const Node& node) {
    std::vector<Operand> operands;
    operands.reserve(node.args.size());
    for (uint32_t arg : node.args)
      operands.push_back({statement_.nodes[arg].type, ValueOf(arg), ranges_[arg]});
    Emitted emitted;
    const Node& first = statement_.nodes[node.args[0]];
    if (node.op == Op::kBitcast && first.op == Op::kLeaf) {
      // The bits of a variable are known, those of NaNs too.
      const Leaf& leaf = statement_.leaves[static_cast<size_t>(first.number)];
      const PrimitiveType type = terms::IntegerWidth(leaf.type) > 0 ? leaf.type : BitsType(leaf);
      if (type == PrimitiveType::kInvalid) return {};
      operands[0] = {type, RawBits(leaf), terms::kAnything};
    }
    emitted = operations_.Emit(node, operands);
    if (!emitted.value) return {};
    for (uint32_t arg : node.args) Open(emitted, emitted_[arg].open);
    return emitted;
  }

  static PrimitiveType BitsType(const Leaf& leaf) {
    switch (leaf.width) {
      case 4:
        return PrimitiveType::kS4;
      case 8:
        return PrimitiveType::kS8;
      case 16:
        return PrimitiveType::kS16;
      case 32:
        return PrimitiveType::kS32;
      default:
        return PrimitiveType::kInvalid;
    }
  }

  const Statement& statement_;
  const std::vector<Range>& ranges_;
  llvm::IRBuilder<>& b_;
  OperationEmitter operations_;
  Value* point_;
  std::vector<Emitted> emitted_;
};

llvm::Function* MakeFunction(llvm::Module& module, llvm::Type* result,
                             llvm::ArrayRef<llvm::Type*> parameters, llvm::StringRef name) {
  auto* type = llvm::FunctionType::get(result, parameters, false);
  return llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
}

bool EmitEvaluate(const Statement& statement, const std::vector<Range>& ranges,
                  llvm::Module& module) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Function* function = MakeFunction(
      module, b.getVoidTy(), {b.getInt32Ty(), b.getInt32Ty(), b.getPtrTy()}, "evaluate");
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  PointEmitter point(statement, ranges, b, function->getArg(0), function->getArg(1));
  if (!point.Emit()) return false;
  auto store = [&](size_t offset, Value* value) {
    b.CreateStore(value, b.CreateConstGEP1_64(b.getInt8Ty(), function->getArg(2), offset));
  };
  auto byte = [&](Value* bit) { return b.CreateZExt(bit, b.getInt8Ty()); };
  store(offsetof(SidesAtPoint, left), point.BitsOf(point.left()));
  store(offsetof(SidesAtPoint, right), point.BitsOf(point.right()));
  store(offsetof(SidesAtPoint, left_is_open), byte(point.OpenOf(point.left())));
  store(offsetof(SidesAtPoint, right_is_open), byte(point.OpenOf(point.right())));
  store(offsetof(SidesAtPoint, differ), byte(point.Differ()));
  b.CreateRetVoid();
  return true;
}

// A loop without a branch in it, which LLVM makes one over vectors of points.
int EmitCountDifferences(const Statement& statement, const std::vector<Range>& ranges,
                         llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type* i32 = b.getInt32Ty();
  llvm::Function* function = MakeFunction(module, i32, {i32, i32, i32}, "count_differences");
  Value *begin = function->getArg(0), *count = function->getArg(1);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* exit = llvm::BasicBlock::Create(context, "exit", function);
  b.SetInsertPoint(entry);
  b.CreateCondBr(b.CreateICmpEQ(count, b.getInt32(0)), exit, loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(i32, 2);
  llvm::PHINode* found = b.CreatePHI(i32, 2);
  PointEmitter point(statement, ranges, b, b.CreateAdd(begin, i), function->getArg(2));
  point.Emit();
  Value* more = b.CreateAdd(found, b.CreateZExt(point.Differ(), i32));
  Value* next = b.CreateAdd(i, b.getInt32(1), "", /*HasNUW=*/true);
  b.CreateCondBr(b.CreateICmpEQ(next, count), exit, loop);
  i->addIncoming(b.getInt32(0), entry);
  i->addIncoming(next, loop);
  found->addIncoming(b.getInt32(0), entry);
  found->addIncoming(more, loop);
  b.SetInsertPoint(exit);
  llvm::PHINode* result = b.CreatePHI(i32, 2);
  result->addIncoming(b.getInt32(0), entry);
  result->addIncoming(more, loop);
  b.CreateRet(result);
  return point.num_choices();
}

}  // namespace

std::optional<CompiledStatement> CompileStatement(const Statement& statement,
                                                  llvm::LLVMContext& context) {
  const std::optional<std::vector<Range>> ranges = RangesOf(statement);
  if (!ranges) return std::nullopt;
  CompiledStatement compiled;
  compiled.module = std::make_unique<llvm::Module>("lemma", context);
  if (!EmitEvaluate(statement, *ranges, *compiled.module)) return std::nullopt;
  compiled.num_choices = EmitCountDifferences(statement, *ranges, *compiled.module);
  if (llvm::verifyModule(*compiled.module)) return std::nullopt;
  return compiled;
}

}  // namespace affirm::lemma
