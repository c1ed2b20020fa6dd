// Reductions, sums of products and scatters of enclosures: what an element of the result is folded
// from, and how.
#ifndef AFFIRM_VERIFY_ENCLOSURE_FOLDS_H_
#define AFFIRM_VERIFY_ENCLOSURE_FOLDS_H_

#include <optional>

#include "core/hlo/module.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/enclosure/elementwise.h"
#include "verify/enclosure/scalar_enclosures.h"
#include "verify/scalar/elementwise.h"

namespace affirm::enclosure {

// How a combiner takes an element into what it has of one array.
struct FoldStep {
  // The operation on both parameters of that array alone, perhaps with conversions; null for other
  // combiners.
  const hlo::Instruction* operation = nullptr;
  // The type to which its result is rounded: the array's, or a narrower one of a conversion.
  hlo::PrimitiveType type = hlo::PrimitiveType::kInvalid;
  bool rounds_elements = false;  // the type is narrower than the array's
};
// The step of a combiner of `arity` arrays, for array `leaf`.
FoldStep FoldStepOf(const hlo::Computation& combiner, int64_t arity, int64_t leaf);
// Whether every value that a combiner gives is one of those that it takes: it compares and selects.
bool Selects(const hlo::Computation& combiner);

// Folds elements by a step that has an operation, in any order.
class AnyOrderFold {
 public:
  // `exact` is the operation on single values; it and the operation outlive this.
  AnyOrderFold(const FoldStep& step, const hlo::ScalarOp& exact, Freedom freedom);
  void Add(const Enclosure& element);
  // Adds an element that may be absent, after the first one.
  void AddPerhaps(const Enclosure& element);
  Enclosure Result() const;

 private:
  Interval InStepType(const Interval& a) const;

  FoldStep step_;
  const hlo::ScalarOp* exact_;
  Freedom freedom_;
  bool is_sum_, is_product_;
  AnyOrderSum real_, imaginary_;
  AnyOrderProduct product_;
  std::optional<Enclosure> folded_;  // of what is neither
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
  // The result if the tuples are combined in order, from the first one on.
  Enclosure InOrder(llvm::ArrayRef<EnclosureTuple> tuples) const;

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
