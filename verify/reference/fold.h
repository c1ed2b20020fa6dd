// The fold that reduce and reduce-window share: over n arrays, from n initial values, by a
// computation that maps n running values and one element of each array to n new running values.
//
//   fold.Begin(0); fold.Take(0, 3); fold.Take(0, 5); fold.End(0);
//
// gives result element 0 the value f(f(init, x[3]), x[5]).
#ifndef AFFIRM_VERIFY_REFERENCE_FOLD_H_
#define AFFIRM_VERIFY_REFERENCE_FOLD_H_

#include <vector>

#include "verify/reference/ops.h"
#include "verify/reference/scalar_function.h"

namespace affirm::hlo {

// The element types of some operands of a call, in order.
inline std::vector<PrimitiveType> ElementTypes(llvm::ArrayRef<const Literal*> operands) {
  std::vector<PrimitiveType> types;
  for (const Literal* operand : operands) types.push_back(operand->shape().type);
  return types;
}

class Fold {
 public:
  // The first half of the operands are the arrays, all of one size; the second half the initial
  // values.
  static llvm::Expected<Fold> Create(const OpInvocation& call);

  size_t arity() const { return arity_; }
  const Shape& shape() const { return call_->operand(0).shape(); }  // the sizes of the arrays

  // Starts the result element with the initial values.
  void Begin(int64_t result_linear);
  // Folds in the elements of the arrays at one row-major position.
  llvm::Error Take(int64_t result_linear, int64_t linear);
  // Folds in those at all `positions`, and the initial values, in the given order.
  llvm::Error TakeAll(int64_t result_linear, llvm::ArrayRef<int64_t> positions,
                      EvaluationOrder order);
  llvm::Error End(int64_t result_linear);
  Literal Finish();

  // Whether TakeSpans() gives the results, and there are enough to be worth it: not where reads or
  // open elements are asked for.
  bool TakesSpans() const;
  // Left folds of all result elements: element i folds in those at starts[i] plus each of the
  // offsets, in order.
  void TakeSpans(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> offsets);
  // Where TakesSpans() holds, too: starts all result elements with the initial values; and folds an
  // element at a position into each of at most ScalarProgram::kSpan results, which ascend.
  void BeginAll();
  void TakeBeside(llvm::ArrayRef<int64_t> results, llvm::ArrayRef<int64_t> positions);

 private:
  using Slot = std::vector<Scalar>;  // running values; empty when nothing was folded in yet

  // Notes the result element as open where the initial values count: the elements alone give
  // another value, or the initial values once more, or these with themselves. XLA requires that
  // these are an identity ("XLA operation semantics, Reduce"); combined any number of times, they
  // are to change nothing.
  llvm::Error NoteInitialValues(int64_t result_linear);
  // Notes the values as open that are others where each combination takes its operands the other
  // way around, or two elements in another order ("XLA operation semantics, Reduce": the order is
  // arbitrary).
  void NoteOrder(int64_t result_linear);
  llvm::Error TryOrders(llvm::ArrayRef<Scalar> elements);
  // Notes whether r * e * f is r * (e * f) and r * f * e, for the last two elements e and f, and
  // all before them, r.
  llvm::Error TryExchange(llvm::ArrayRef<Scalar> elements);
  bool IsSame(const Slot& a, const Slot& b, size_t k) const;
  void LoadElements(int64_t result_linear, int64_t linear);
  llvm::Error Combine(Slot& slot, llvm::ArrayRef<Scalar> with);
  // TakeSpans() for one result.
  void TakeRow(int64_t result, int64_t start, llvm::ArrayRef<int64_t> offsets);
  // Combines the slots at 0, step, 2 * step, ... as a binary tree, into the first one.
  llvm::Error Halve(llvm::MutableArrayRef<Slot> slots, size_t step);

  Fold(const OpInvocation& call, ScalarFunction function, std::vector<Literal> results)
      : call_(&call),
        function_(std::move(function)),
        results_(std::move(results)),
        arity_(results_.size()),
        running_(2 * arity_) {}

  const OpInvocation* call_;
  ScalarFunction function_;
  std::vector<Literal> results_;
  size_t arity_;
  std::vector<Scalar> running_;             // running values, then the elements
  std::vector<Literal> elements_, values_;  // for each array, a span of it and of its results
  // Used if open elements are asked for; empty before the first element.
  Slot without_initial_, swapped_;
  bool order_counts_ = false;  // and is asked for
  // The combiner rounds nothing, so that orders differ by more than roundings.
  bool is_exact_ = false;
  // All elements in order, those before the last one, and the last one.
  Slot in_order_, before_last_, last_;
  std::vector<bool> exchange_counts_;  // of each value of the result element
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_FOLD_H_
