// Reductions, sums of products and scatters of enclosures: what an element of the result is folded
// from, and how.
#ifndef AFFIRM_VERIFY_ENCLOSURE_FOLDS_H_
#define AFFIRM_VERIFY_ENCLOSURE_FOLDS_H_

#include <optional>

#include "core/hlo/module.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/enclosure/elementwise.h"
#include "verify/enclosure/scalar_enclosures.h"
#include "verify/reference/elementwise.h"

namespace affirm::enclosure {

// The operation by which a combiner of `arity` arrays takes an element of array `leaf` into what it
// has of that array alone: of both parameters, perhaps converted to a wider type and back. Null for
// other combiners.
const hlo::Instruction* FoldOperationOf(const hlo::Computation& combiner, int64_t arity,
                                        int64_t leaf);
// Whether every value that a combiner gives is one of those that it takes: it compares and selects.
bool Selects(const hlo::Computation& combiner);

// Folds elements of one type by an operation that FoldOperationOf gives, in any order.
class AnyOrderFold {
 public:
  // `exact` is the operation on single values; both outlive this.
  AnyOrderFold(const hlo::Instruction& operation, hlo::PrimitiveType type,
               const hlo::ScalarOp& exact, Freedom freedom);
  void Add(const Enclosure& element);
  // Of an element that may be there or not, after the first one.
  void AddPerhaps(const Enclosure& element);
  Enclosure Result() const;

 private:
  void MultiplyBy(const Interval& factor);

  const hlo::Instruction* operation_;
  hlo::PrimitiveType type_;
  const hlo::ScalarOp* exact_;
  Freedom freedom_;
  bool is_sum_, is_product_;
  AnyOrderSum real_, imaginary_;
  std::optional<Enclosure> folded_;  // of what is no sum
  double grows_ = 0, shrinks_ = 0;   // binary orders of magnitude of a product's factors
  double magnitude_ = 1;             // of a product of complex numbers
  int64_t count_ = 0;
};

// One element of each array of a reduction.
using EnclosureTuple = llvm::SmallVector<Enclosure, 2>;

// Folds tuples by a combiner of several arrays into what it gives of one of them.
//
// A combiner that compares and selects is taken for associative and commutative, as HLO requires:
// its result is an element that no other one surely beats. Of other combiners only the results of
// one and two tuples are known: more may be combined in any tree.
class TupleFold {
 public:
  // `keeps_order`: the first tuple is the first argument, as of a scatter. All outlive this.
  TupleFold(const hlo::Computation& combiner, ScalarEnclosures& function, int64_t arity,
            int64_t leaf, bool keeps_order);
  // nullopt: nothing is known of it.
  std::optional<Enclosure> Result(hlo::PrimitiveType type,
                                  llvm::ArrayRef<EnclosureTuple> tuples) const;

 private:
  enum class Winner : uint8_t { kUnknown, kFirst, kSecond };
  Winner WinnerOf(const EnclosureTuple& first, const EnclosureTuple& second) const;
  Enclosure Combined(const EnclosureTuple& first, const EnclosureTuple& second) const;

  ScalarEnclosures* function_;
  int64_t arity_, leaf_;
  bool keeps_order_, picks_;
};

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_FOLDS_H_
