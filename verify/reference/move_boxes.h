// Boxes of elements that are moved from the operands of a call to its result: all that transpose,
// slice, pad and the like do.
#ifndef AFFIRM_VERIFY_REFERENCE_MOVE_BOXES_H_
#define AFFIRM_VERIFY_REFERENCE_MOVE_BOXES_H_

#include <vector>

#include "verify/reference/index.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {

// The row-major position of the first element, and how far apart neighbours along each dimension of
// the box are. A stride may be negative, or 0.
struct BoxSide {
  int64_t first = 0;
  Index strides;

  // All of an array of these sizes.
  static BoxSide Whole(llvm::ArrayRef<int64_t> sizes);
};

// The result of a call, an array into which boxes are copied bit for bit; a later one overwrites
// what an earlier one wrote. `Finish` reports of each element which one it is a copy of.
//
//   BoxMover mover(call);
//   mover.Move(0, {4}, {3, {-1}}, {0, {1}});   // the reverse of an operand of four elements
//   return mover.Finish();
class BoxMover {
 public:
  explicit BoxMover(const OpInvocation& call);

  // Moves a box of the sizes from an operand to the result.
  void Move(int64_t operand, llvm::ArrayRef<int64_t> sizes, const BoxSide& from, const BoxSide& to);
  // Every element must have been written. An error where the result is too large or not an array,
  // or a box reaches beyond an array or had elements of another type.
  Result Finish();

 private:
  struct Source {
    int64_t operand, linear;
  };

  const OpInvocation& call_;
  Result result_;
  bool fits_ = true;
  std::vector<Source> sources_;  // of each element of the result, where they are to be reported
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_MOVE_BOXES_H_
