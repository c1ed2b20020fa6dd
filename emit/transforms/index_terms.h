// The walk over one function that turns index values into terms. It is private to this folder.
#ifndef AFFIRM_EMIT_TRANSFORMS_INDEX_TERMS_H_
#define AFFIRM_EMIT_TRANSFORMS_INDEX_TERMS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emit/transforms/index_analysis.h"
#include "emit/transforms/index_assumptions.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace affirm::emit {

// For each function that has been called: a range for each argument that is an integer.
using CallRanges = std::map<std::string, std::vector<Interval>, std::less<>>;

// Numbers that are not negative, and positive ones.
inline constexpr Interval kNonnegative = {0, kInt64Max};
inline constexpr Interval kPositive = {1, kInt64Max};

inline bool IsIndex(mlir::Type type) { return type.isIndex(); }
// index, or an integer of at most 64 bits.
inline bool IsInteger(mlir::Type type) {
  return type.isIndex() || (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

// The same, or a vector of those.
bool IsIntegerOrVector(mlir::Type type);

// The integers of `bits` bits; from 64 bits on all of int64.
inline Interval SignedRange(unsigned bits) {
  if (bits >= 64) return Interval::All();
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

class IndexTerms {
 public:
  // Adds to `calls` and `result`.
  IndexTerms(IndexWidthBounds bounds, bool until_unproved, CallRanges& calls, IndexAnalysis& result)
      : bounds_(bounds), until_unproved_(until_unproved), calls_(calls), result_(result) {}

  void Run(mlir::func::FuncOp function);

 private:
  void Region(mlir::Region& region);
  void Visit(mlir::Operation* op);
  // Each answers whether the op was one of its kind.
  bool VisitArithmetic(mlir::Operation* op);
  bool VisitDivision(mlir::Operation* op);
  bool VisitBits(mlir::Operation* op);
  bool VisitCondition(mlir::Operation* op);
  bool VisitCast(mlir::Operation* op);
  bool VisitControl(mlir::Operation* op);
  bool VisitSource(mlir::Operation* op);

  void Bitwise(mlir::Operation* op);
  void Shift(mlir::Operation* op);
  // A divui, remui or ceildivui of numbers that may be negative.
  void UnsignedDivision(mlir::Operation* op);
  void Select(mlir::arith::SelectOp op);
  void Compare(mlir::arith::CmpIOp op);
  void For(mlir::scf::ForOp op);
  void If(mlir::scf::IfOp op);
  void Call(mlir::func::CallOp op);
  void Cast(mlir::Operation* op, bool is_unsigned);
  void VectorConstant(mlir::arith::ConstantOp op, mlir::DenseIntElementsAttr elements);

  // The integer that a value of an integer type or index is, its bits read by the sign. Of a
  // vector, any one of its elements: what is proved of the term holds for each.
  SymbolicExpr TermOf(mlir::Value value);
  // The condition that an i1 is, when it is known.
  std::optional<Formula> ConditionOf(mlir::Value value);
  // All integers of a type; for index of the greatest width.
  Interval RangeOfType(mlir::Type type) const;
  // The bits that a result of the type must fit in: for index the least width.
  unsigned BitsOf(mlir::Type type) const;

  // Sets the value's term when it fits the type; otherwise the value may be anything. Says whether
  // it fits.
  bool Result(mlir::Operation* op, SymbolicExpr term);
  // Notes what is not proved of an op on index values; others are free to wrap.
  void Unproved(mlir::Operation* op, SymbolicExpr term, const SolverResult& answer,
                llvm::StringRef what);
  // Is the op's operand within the bounds? Asks the deciders for index values only.
  bool Proves(mlir::Operation* op, SymbolicExpr e, Interval bounds);
  // x / y rounded toward zero; null when the sign of y is not known.
  SymbolicExpr Truncated(SymbolicExpr x, SymbolicExpr y);
  static bool TouchesIndex(mlir::Operation* op);

  IndexWidthBounds bounds_;
  bool until_unproved_;
  CallRanges& calls_;
  IndexAnalysis& result_;
  IndexAssumptions assumptions_;
  llvm::DenseMap<mlir::Value, SymbolicExpr> terms_;
  llvm::DenseMap<mlir::Value, Formula> conditions_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_INDEX_TERMS_H_
