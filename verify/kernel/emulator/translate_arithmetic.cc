// Arithmetic, comparisons, casts, and instructions that only move scalars.
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Operator.h"
#include "verify/kernel/emulator/translate_impl.h"

namespace affirm::kernel {
namespace {

std::optional<Op> IntegerOp(unsigned opcode) {
  switch (opcode) {
    case llvm::Instruction::Add:
      return Op::kAdd;
    case llvm::Instruction::Sub:
      return Op::kSub;
    case llvm::Instruction::Mul:
      return Op::kMul;
    case llvm::Instruction::And:
      return Op::kAnd;
    case llvm::Instruction::Or:
      return Op::kOr;
    case llvm::Instruction::Xor:
      return Op::kXor;
    case llvm::Instruction::Shl:
      return Op::kShl;
    case llvm::Instruction::LShr:
      return Op::kLShr;
    case llvm::Instruction::AShr:
      return Op::kAShr;
    case llvm::Instruction::UDiv:
      return Op::kUDiv;
    case llvm::Instruction::SDiv:
      return Op::kSDiv;
    case llvm::Instruction::URem:
      return Op::kURem;
    case llvm::Instruction::SRem:
      return Op::kSRem;
    default:
      return std::nullopt;
  }
}

std::optional<FloatFunction> FloatOp(unsigned opcode) {
  switch (opcode) {
    case llvm::Instruction::FAdd:
      return FloatFunction::kAdd;
    case llvm::Instruction::FSub:
      return FloatFunction::kSub;
    case llvm::Instruction::FMul:
      return FloatFunction::kMul;
    case llvm::Instruction::FDiv:
      return FloatFunction::kDiv;
    case llvm::Instruction::FRem:
      return FloatFunction::kRem;
    default:
      return std::nullopt;
  }
}

uint8_t FlagsOf(const llvm::Instruction& op) {
  uint8_t flags = 0;
  if (auto* wraps = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&op)) {
    if (wraps->hasNoUnsignedWrap()) flags |= kNoUnsignedWrap;
    if (wraps->hasNoSignedWrap()) flags |= kNoSignedWrap;
  }
  if (auto* exact = llvm::dyn_cast<llvm::PossiblyExactOperator>(&op)) {
    if (exact->isExact()) flags |= kExact;
  }
  if (auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&op)) {
    if (disjoint->isDisjoint()) flags |= kExact;
  }
  return flags;
}

unsigned ScalarBits(llvm::Type* type) {
  type = type->getScalarType();
  return type->isPointerTy() ? 64 : type->getPrimitiveSizeInBits().getFixedValue();
}

}  // namespace

llvm::Error Translator::TranslateBinary(const llvm::BinaryOperator& op) {
  auto a = Get(op.getOperand(0)), b = Get(op.getOperand(1));
  if (!a) return llvm::joinErrors(a.takeError(), b.takeError());
  if (!b) return b.takeError();
  const uint32_t first = NewRegisters(a->size());
  Code code{.op = Op::kFloatBinary};
  if (std::optional<FloatKind> kind = KindOf(op.getType())) {
    std::optional<FloatFunction> function = FloatOp(op.getOpcode());
    if (!function) return Unsupported(op);
    code.width = *kind;
    code.aux = static_cast<uint8_t>(*function);
    constexpr Op kOfFloat[] = {Op::kFAdd32, Op::kFSub32, Op::kFMul32, Op::kFDiv32};
    if (*kind == kFloat && *function <= FloatFunction::kDiv) code.op = kOfFloat[code.aux];
  } else {
    std::optional<Op> integer = IntegerOp(op.getOpcode());
    if (!integer) return Unsupported(op);
    const unsigned bits = ScalarBits(op.getType());
    code.op = *integer;
    code.width = static_cast<uint8_t>(bits);
    code.flags = FlagsOf(op);
    if (bits > 64) {
      code.aux = static_cast<uint8_t>(*integer);
      code.op = Op::kWideBinary;
    }
  }
  const uint32_t step = code.op == Op::kWideBinary ? 2 : 1;
  for (uint32_t k = 0; k < a->size(); k += step) {
    code.dst = first + k;
    code.a = (*a)[k];
    code.b = (*b)[k];
    if (step == 2) {
      // The halves of an operand need not stand together: the upper ones come in a list.
      code.imm = static_cast<int64_t>(program_.lists.size());
      program_.lists.push_back((*a)[k + 1]);
      program_.lists.push_back((*b)[k + 1]);
    }
    Emit(code);
  }
  Define(&op, first, a->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateUnary(const llvm::UnaryOperator& op) {
  std::optional<FloatKind> kind = KindOf(op.getType());
  if (op.getOpcode() != llvm::Instruction::FNeg || !kind) return Unsupported(op);
  auto a = Get(op.getOperand(0));
  if (!a) return a.takeError();
  const uint32_t first = NewRegisters(a->size());
  for (uint32_t k = 0; k < a->size(); ++k) {
    Emit({.op = Op::kFNeg, .width = *kind, .dst = first + k, .a = (*a)[k]});
  }
  Define(&op, first, a->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateCompare(const llvm::CmpInst& op) {
  auto a = Get(op.getOperand(0)), b = Get(op.getOperand(1));
  if (!a) return llvm::joinErrors(a.takeError(), b.takeError());
  if (!b) return b.takeError();
  llvm::Type* type = op.getOperand(0)->getType();
  Code code{.op = Op::kICmp, .aux = static_cast<uint8_t>(op.getPredicate())};
  if (auto kind = KindOf(type)) {
    code.op = Op::kFCmp;
    code.width = *kind;
  } else {
    const unsigned bits = ScalarBits(type);
    code.width = static_cast<uint8_t>(bits);
    if (bits > 64) code.op = Op::kWideCompare;
    const bool same_sign = llvm::cast<llvm::ICmpInst>(op).hasSameSign();
    if (same_sign && bits > 64) return Unsupported(op);
    code.flags = same_sign ? kExact : 0;
  }
  const size_t step = code.op == Op::kWideCompare ? 2 : 1;
  const auto count = static_cast<uint32_t>(a->size() / step);
  const uint32_t first = NewRegisters(count);
  for (uint32_t k = 0; k < count; ++k) {
    code.dst = first + k;
    code.a = (*a)[k * step];
    code.b = (*b)[k * step];
    if (step == 2) {
      code.imm = static_cast<int64_t>(program_.lists.size());
      program_.lists.push_back((*a)[k * 2 + 1]);
      program_.lists.push_back((*b)[k * 2 + 1]);
    }
    Emit(code);
  }
  Define(&op, first, count);
  return llvm::Error::success();
}

llvm::Error Translator::TranslateIntegerCast(const llvm::CastInst& op, unsigned from, unsigned to) {
  auto a = Get(op.getOperand(0));
  if (!a) return a.takeError();
  const bool wide_from = from > 64, wide_to = to > 64;
  const uint32_t count = static_cast<uint32_t>(a->size()) / (wide_from ? 2 : 1);
  const uint32_t first = NewRegisters(size_t{count} * (wide_to ? 2 : 1));
  Code code{.op = Op::kTrunc, .width = static_cast<uint8_t>(to), .aux = static_cast<uint8_t>(from)};
  const bool trunc = op.getOpcode() == llvm::Instruction::Trunc;
  const bool is_signed = op.getOpcode() == llvm::Instruction::SExt;
  if (trunc) {
    const auto& instruction = llvm::cast<llvm::TruncInst>(op);
    if (instruction.hasNoUnsignedWrap()) code.flags |= kNoUnsignedWrap;
    if (instruction.hasNoSignedWrap()) code.flags |= kNoSignedWrap;
    code.op = wide_from ? Op::kWideTrunc : Op::kTrunc;
  } else {
    if (is_signed) code.flags |= kSigned;
    if (auto* zext = llvm::dyn_cast<llvm::PossiblyNonNegInst>(&op); zext && zext->hasNonNeg()) {
      code.flags |= kExact;
    }
    code.op = wide_to ? Op::kWideExt : is_signed ? Op::kSExt : Op::kZExt;
  }
  for (uint32_t k = 0; k < count; ++k) {
    code.dst = first + k * (wide_to ? 2 : 1);
    code.a = (*a)[size_t{k} * (wide_from ? 2 : 1)];
    if (wide_from) code.b = (*a)[k * 2 + 1];
    Emit(code);
  }
  Define(&op, first, size_t{count} * (wide_to ? 2 : 1));
  return llvm::Error::success();
}

llvm::Error Translator::TranslateCast(const llvm::CastInst& op) {
  llvm::Type *from = op.getSrcTy()->getScalarType(), *to = op.getDestTy()->getScalarType();
  const auto from_kind = KindOf(from), to_kind = KindOf(to);
  Code code{.op = Op::kMove};
  switch (op.getOpcode()) {
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return TranslateIntegerCast(op, ScalarBits(from), ScalarBits(to));
    case llvm::Instruction::BitCast:
      return TranslateBitCast(op);
    case llvm::Instruction::AddrSpaceCast: {
      auto a = Get(op.getOperand(0));
      if (!a) return a.takeError();
      Define(&op, std::move(*a));
      return llvm::Error::success();
    }
    case llvm::Instruction::PtrToInt:
      code = {.op = Op::kTrunc, .width = static_cast<uint8_t>(ScalarBits(to)), .aux = 64};
      break;
    case llvm::Instruction::IntToPtr:
      code = {.op = Op::kZExt, .width = 64, .aux = static_cast<uint8_t>(ScalarBits(from))};
      break;
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::FPExt:
      code = {.op = Op::kFpConvert, .width = *to_kind, .aux = *from_kind};
      break;
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      code = {.op = Op::kFpToInt, .width = static_cast<uint8_t>(ScalarBits(to)), .aux = *from_kind};
      if (op.getOpcode() == llvm::Instruction::FPToSI) code.flags = kSigned;
      break;
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      code = {.op = Op::kIntToFp, .width = *to_kind, .aux = static_cast<uint8_t>(ScalarBits(from))};
      if (op.getOpcode() == llvm::Instruction::SIToFP) code.flags = kSigned;
      break;
    default:
      return Unsupported(op);
  }
  if ((from->isIntegerTy() && ScalarBits(from) > 64) ||
      (to->isIntegerTy() && ScalarBits(to) > 64)) {
    return Unsupported(op);
  }
  auto a = Get(op.getOperand(0));
  if (!a) return a.takeError();
  const uint32_t first = NewRegisters(a->size());
  for (uint32_t k = 0; k < a->size(); ++k) {
    code.dst = first + k;
    code.a = (*a)[k];
    Emit(code);
  }
  Define(&op, first, a->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateBitCast(const llvm::Instruction& op) {
  auto a = Get(op.getOperand(0));
  if (!a) return a.takeError();
  auto from = PiecesOf(op.getOperand(0)->getType()), to = PiecesOf(op.getType());
  if (!from) return llvm::joinErrors(from.takeError(), to.takeError());
  if (!to) return to.takeError();
  llvm::SmallVector<uint8_t> from_bits, to_bits;
  for (const Piece& piece : *from) from_bits.push_back(static_cast<uint8_t>(piece.bits));
  for (const Piece& piece : *to) to_bits.push_back(static_cast<uint8_t>(piece.bits));
  Define(&op, RepackTo(std::move(*a), from_bits, to_bits));
  return llvm::Error::success();
}

Operands Translator::RepackTo(Operands from, llvm::ArrayRef<uint8_t> from_widths,
                              llvm::ArrayRef<uint8_t> to_widths) {
  if (from_widths == to_widths) return from;
  Repack repack;
  repack.operands.assign(from.begin(), from.end());
  repack.from.assign(from_widths.begin(), from_widths.end());
  repack.to.assign(to_widths.begin(), to_widths.end());
  const uint32_t first = NewRegisters(to_widths.size());
  Code& code = Emit(Op::kRepack);
  code.dst = first;
  code.imm = static_cast<int64_t>(program_.repacks.size());
  program_.repacks.push_back(std::move(repack));
  Operands result;
  for (uint32_t k = 0; k < to_widths.size(); ++k) result.push_back(Register(first + k));
  return result;
}

llvm::Error Translator::TranslateSelect(const llvm::SelectInst& op) {
  auto condition = Get(op.getCondition()), yes = Get(op.getTrueValue());
  auto no = Get(op.getFalseValue());
  for (auto* part : {&condition, &yes, &no}) {
    if (!*part) {
      std::string message = llvm::toString(part->takeError());
      for (auto* other : {&condition, &yes, &no}) {
        if (other != part && !*other) llvm::consumeError(other->takeError());
      }
      return MakeError(message);
    }
  }
  const size_t per_lane = yes->size() / condition->size();
  const uint32_t first = NewRegisters(yes->size());
  for (uint32_t k = 0; k < yes->size(); ++k) {
    Emit({.op = Op::kSelect,
          .dst = first + k,
          .a = (*condition)[condition->size() == 1 ? 0 : k / per_lane],
          .b = (*yes)[k],
          .c = (*no)[k]});
  }
  Define(&op, first, yes->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateFreeze(const llvm::FreezeInst& op) {
  auto a = Get(op.getOperand(0));
  if (!a) return a.takeError();
  const uint32_t first = NewRegisters(a->size());
  for (uint32_t k = 0; k < a->size(); ++k) {
    Emit({.op = Op::kFreeze, .dst = first + k, .a = (*a)[k]});
  }
  Define(&op, first, a->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateExtractElement(const llvm::ExtractElementInst& op) {
  auto vector = Get(op.getVectorOperand());
  if (!vector) return vector.takeError();
  auto* type = llvm::cast<llvm::FixedVectorType>(op.getVectorOperandType());
  const size_t per_lane = vector->size() / type->getNumElements();
  if (auto* index = llvm::dyn_cast<llvm::ConstantInt>(op.getIndexOperand())) {
    if (index->getValue().uge(type->getNumElements())) return Unsupported(op, "is out of range");
    auto begin = vector->begin() + index->getZExtValue() * per_lane;
    Define(&op, Operands(begin, begin + per_lane));
    return llvm::Error::success();
  }
  auto index = GetScalar(op.getIndexOperand());
  if (!index) return index.takeError();
  if (per_lane != 1) return Unsupported(op);
  const uint32_t dst = NewRegister();
  Code& code = Emit(Op::kExtractAt);
  code.dst = dst;
  code.b = *index;
  code.c = static_cast<uint32_t>(vector->size());
  code.imm = static_cast<int64_t>(program_.lists.size());
  program_.lists.insert(program_.lists.end(), vector->begin(), vector->end());
  Define(&op, dst, 1);
  return llvm::Error::success();
}

llvm::Error Translator::TranslateInsertElement(const llvm::InsertElementInst& op) {
  auto vector = Get(op.getOperand(0)), element = Get(op.getOperand(1));
  if (!vector) return llvm::joinErrors(vector.takeError(), element.takeError());
  if (!element) return element.takeError();
  auto* type = llvm::cast<llvm::FixedVectorType>(op.getType());
  const size_t per_lane = element->size();
  if (auto* index = llvm::dyn_cast<llvm::ConstantInt>(op.getOperand(2))) {
    if (index->getValue().uge(type->getNumElements())) return Unsupported(op, "is out of range");
    llvm::copy(*element, vector->begin() + index->getZExtValue() * per_lane);
    Define(&op, std::move(*vector));
    return llvm::Error::success();
  }
  auto index = GetScalar(op.getOperand(2));
  if (!index) return index.takeError();
  if (per_lane != 1) return Unsupported(op);
  const uint32_t first = NewRegisters(vector->size());
  for (uint32_t k = 0; k < vector->size(); ++k) {
    Emit({.op = Op::kMove, .dst = first + k, .a = (*vector)[k]});
  }
  Emit({.op = Op::kInsertAt,
        .dst = first,
        .a = element->front(),
        .b = *index,
        .c = static_cast<uint32_t>(vector->size())});
  Define(&op, first, vector->size());
  return llvm::Error::success();
}

llvm::Error Translator::TranslateShuffleVector(const llvm::ShuffleVectorInst& op) {
  auto a = Get(op.getOperand(0)), b = Get(op.getOperand(1));
  if (!a) return llvm::joinErrors(a.takeError(), b.takeError());
  if (!b) return b.takeError();
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(op.getOperand(0)->getType());
  if (type == nullptr) return Unsupported(op);
  const size_t per_lane = a->size() / type->getNumElements();
  Operands both = *a, result;
  both.append(b->begin(), b->end());
  for (int lane : op.getShuffleMask()) {
    for (size_t k = 0; k < per_lane; ++k) {
      if (lane < 0) {
        result.push_back(AddConstant(Slot{0, MakeMark(kUnspecified, source_)}));
      } else {
        result.push_back(both[static_cast<size_t>(lane) * per_lane + k]);
      }
    }
  }
  Define(&op, std::move(result));
  return llvm::Error::success();
}

llvm::Error Translator::TranslateExtractValue(const llvm::ExtractValueInst& op) {
  auto whole = Get(op.getAggregateOperand());
  if (!whole) return whole.takeError();
  llvm::Type* inner = nullptr;
  auto before = ScalarsBefore(op.getAggregateOperand()->getType(), op.getIndices(), &inner);
  if (!before) return before.takeError();
  auto pieces = PiecesOf(inner);
  if (!pieces) return pieces.takeError();
  auto begin = whole->begin() + *before;
  Define(&op, Operands(begin, begin + pieces->size()));
  return llvm::Error::success();
}

llvm::Error Translator::TranslateInsertValue(const llvm::InsertValueInst& op) {
  auto whole = Get(op.getAggregateOperand()), part = Get(op.getInsertedValueOperand());
  if (!whole) return llvm::joinErrors(whole.takeError(), part.takeError());
  if (!part) return part.takeError();
  llvm::Type* inner = nullptr;
  auto before = ScalarsBefore(op.getType(), op.getIndices(), &inner);
  if (!before) return before.takeError();
  llvm::copy(*part, whole->begin() + *before);
  Define(&op, std::move(*whole));
  return llvm::Error::success();
}

}  // namespace affirm::kernel
