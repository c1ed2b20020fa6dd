// One instruction of a computation whose values are being enclosed: what its rules (rules.h) have
// before them. Internal to verify/enclosure.
#ifndef AFFIRM_VERIFY_ENCLOSURE_EVALUATION_H_
#define AFFIRM_VERIFY_ENCLOSURE_EVALUATION_H_

#include <optional>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "verify/enclosure/enclose.h"

namespace affirm::enclosure {

using LeafEnclosures = std::vector<Enclosure>;
using EnclosedOperands = llvm::ArrayRef<const EnclosedValue*>;

std::vector<const hlo::Literal*> LeavesOf(const hlo::Literal& value);
// 0 of what is no array.
int64_t CountOf(const hlo::Literal& leaf);
// Whether each element has the interpreter's value.
bool IsExact(const EnclosedValue& value);
bool AreExact(EnclosedOperands operands);
// Every value of both; the interpreter's is that of `a`. Both have one shape.
EnclosedValue Hull(EnclosedValue a, const EnclosedValue& b);

// The row-major positions of the slice of an array at one position of a dimension, and the slice.
std::vector<int64_t> SlicePositions(const hlo::Shape& array, int64_t dimension, int64_t position);
EnclosedValue SliceOf(const EnclosedValue& array, int64_t dimension, int64_t position);

// A read that the interpreter reports.
struct Read {
  int64_t leaf, linear, operand, from_leaf, from;
};

struct Evaluation {
  const hlo::Instruction& op;
  EnclosedOperands operands;
  llvm::ArrayRef<Read> reads;
  Freedom freedom;
  // Has the interpreter's value; rules fill in the enclosures of its leaves.
  EnclosedValue& result;
  bool is_known = true;
  bool is_order_open = false;  // not known since it depends on the order of a fold

  Enclosure At(int64_t operand, int64_t linear) const { return operands[operand]->At(0, linear); }
  hlo::PrimitiveType TypeOf(int64_t operand) const { return operands[operand]->value.shape().type; }
  // Makes the result, or one leaf of it, unknown.
  void MakeWhole(std::optional<size_t> leaf = std::nullopt);
};

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_EVALUATION_H_
