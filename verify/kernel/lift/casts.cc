// Casts.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/small_floats.h"

namespace affirm::kernel {

using llvm::Instruction;

Term Lifter::ConditionOf(Term integer) {
  if (integer->IsNumber()) return integer->number % 2 != 0 ? pool_.True() : pool_.False();
  if (integer->kind == terms::Kind::kPick) {
    return terms::ConditionOfPick(pool_, integer, [&](Term leaf) { return ConditionOf(leaf); });
  }
  bool is_predicate =
      integer->kind == terms::Kind::kInteger && integer->args[0]->type == hlo::PrimitiveType::kPred;
  if (is_predicate) return pool_.Holds(integer->args[0]);
  return pool_.Not(pool_.IsZero(scope_.Residue(integer, 2)));
}

Value Lifter::Cast(const llvm::CastInst& i, const Value& a, llvm::Type* from, llvm::Type* to) {
  if (failed()) return {};
  ObligeNoPoison(a);
  auto width = [](llvm::Type* type) -> int64_t {
    return type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  };
  if (width(from) > 64 || width(to) > 64) return WideCast(i, a, width(from), width(to));
  auto target = TypeOf(to);
  bool to_float = to->isFloatingPointTy(), from_float = from->isFloatingPointTy();
  if ((to_float && target == hlo::PrimitiveType::kInvalid) ||
      (from_float && TypeOf(from) == hlo::PrimitiveType::kInvalid)) {
    return Fail(i, "a float of this type");
  }
  auto unsigned_of = [&] {
    if (const auto* flag = llvm::dyn_cast<llvm::PossiblyNonNegInst>(&i);
        flag && flag->hasNonNeg()) {
      ObligeInside("nneg: not negative", SignedOf(a, from), 0, terms::kInfinity - 1);
    }
    return UnsignedOf(a, from);
  };
  switch (i.getOpcode()) {
    case Instruction::Trunc: {
      const auto& trunc = llvm::cast<llvm::TruncInst>(i);
      Term integer = RequireInteger(a);
      if (trunc.hasNoSignedWrap()) {
        ObligeInside("nsw: nothing is cut off", SignedOf(a, from), -(Int128{1} << (width(to) - 1)),
                     (Int128{1} << (width(to) - 1)) - 1);
      }
      if (trunc.hasNoUnsignedWrap()) {
        ObligeInside("nuw: nothing is cut off", UnsignedOf(a, from), 0,
                     (Int128{1} << width(to)) - 1);
      }
      if (width(to) == 1) return Value::Condition(ConditionOf(integer));
      if (width(from) == 32) {
        if (Term small = terms::ConversionToSmall(scope_, integer, width(to)))
          return Value::Integer(
              pool_.IntegerOf(terms::WithBits(pool_, small, terms::IntegerType(width(to)))));
      }
      return Value::Integer(terms::Congruent(pool_, integer, width(to)));
    }
    case Instruction::ZExt:
      return Value::Integer(unsigned_of());
    case Instruction::SExt:
      return Value::Integer(SignedOf(a, from));
    case Instruction::FPTrunc:
    case Instruction::FPExt:
      return Value::Data(pool_.Apply(terms::Op::kConvert, target, {RequireData(a, from)}));
    case Instruction::UIToFP:
      return Value::Data(terms::FloatOfInteger(scope_, unsigned_of(), target));
    case Instruction::SIToFP:
      return Value::Data(terms::FloatOfInteger(scope_, SignedOf(a, from), target));
    case Instruction::FPToSI:
    case Instruction::FPToUI: {
      // Poison if out of range (LangRef, "fptosi .. to"; poison.cc, saturation.h).
      may_be_unspecified_ = true;
      if (width(to) == 1 || target == hlo::PrimitiveType::kInvalid)
        return Fail(i, "a conversion to an integer of this width");
      const terms::Op op = i.getOpcode() == Instruction::FPToSI
                               ? terms::Op::kConvertInRange
                               : terms::Op::kConvertInRangeUnsigned;
      return Value::Integer(pool_.IntegerOf(pool_.Apply(op, target, {RequireData(a, from)})));
    }
    case Instruction::AddrSpaceCast:
      return a;
    case Instruction::PtrToInt:
      // Supports addresses in the shared address space alone (AddressAsInteger).
      return to->isIntegerTy(32) && from->getPointerAddressSpace() == 3
                 ? AddressAsInteger(a)
                 : Fail(i, "a cast of this kind");
    default:
      return Fail(i, "a cast of this kind");
  }
}

Value Lifter::BitCast(const llvm::Instruction& i, const Value& a, llvm::Type* from,
                      llvm::Type* to) {
  if (from == to || (from->isPointerTy() && to->isPointerTy())) return a;
  ObligeNoPoison(a);
  llvm::SmallVector<Scalar, 4> sources, targets;
  if (!Scalars(from, 0, sources) || !Scalars(to, 0, targets)) return {};
  llvm::SmallVector<Value, 4> values, results;
  Flatten(from, a, values);
  llvm::SmallVector<Cell, 4> cells;
  for (size_t k = 0; k < sources.size(); ++k)
    cells.push_back({sources[k].offset, sources[k].size, sources[k].type, values[k]});
  for (const Scalar& target : targets) {
    llvm::SmallVector<Cell, 4> covering;
    for (const Cell& cell : cells) {
      if (cell.offset < target.offset + target.size && target.offset < cell.offset + cell.size)
        covering.push_back(cell);
    }
    results.push_back(FromCells(covering, target));
  }
  if (failed()) return {};
  if (results.empty()) return Fail(i, "a cast of nothing");
  llvm::ArrayRef<Value> rest = results;
  return Assemble(to, rest);
}

}  // namespace affirm::kernel
