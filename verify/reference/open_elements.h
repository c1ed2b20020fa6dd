// Which elements of a computation's result HLO leaves open: it allows several values for them, so
// that a kernel or another module with another value there is not wrong. This is the one place that
// says so; every comparison by execution asks it about elements that differ.
//
// Open is, on given arguments,
//
//   - of a sort that is not stable, an element among those that compare equal, unless all of them
//     are the same bits; of a sort by what is no strict weak order, the whole row;
//   - of a scatter, an element that gets several updates which are not the same, where their order
//     counts, or which the scatter says there are not (unique_indices); all elements of a scatter
//     or gather whose indices are not sorted although it says so;
//   - of a reduce or reduce-window, an element whose value depends on how often the initial values
//     are combined: HLO requires an identity;
//   - of a reduce or reduce-window, an element that is another one where each combination takes its
//     operands the other way around (the index of an argmax of equal elements, say), or, by a
//     combiner that rounds nothing, where neighbors are combined in another order; of
//     select-and-scatter, as of a scatter, one that gets several updates whose order counts;
//   - of cholesky, the triangle that is not asked for, and all of a matrix that has no factor;
//   - the sign and the payload of a NaN that is computed, where an operation sees them;
//   - the bits of rng-bit-generator by the algorithm that each backend chooses;
//   - what is computed from open elements: by what the interpreter reports as read. A condition, a
//     selector or an index that is open opens all that it decides.
//
// An element that is not listed may still be rounded or summed in another way
// (verify/enclosure/enclose.h).
#ifndef AFFIRM_VERIFY_REFERENCE_OPEN_ELEMENTS_H_
#define AFFIRM_VERIFY_REFERENCE_OPEN_ELEMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "verify/reference/interpreter.h"

namespace affirm::hlo {

struct OpenElements {
  enum class Kind : uint8_t {
    kClosed,
    kChoice,    // one of several values that the operations define
    kUndefined  // computed by an operation that requires of its operands what does not hold
  };
  // For each leaf of the result, by row-major position; empty for a leaf that has none.
  std::vector<std::vector<Kind>> leaves;
  // For each leaf, whether the sizes that it has at run time are open: open elements decide them.
  std::vector<bool> open_sizes;
  // The first operation whose promise open elements may break: with another value of theirs the
  // computation says nothing. Empty where there is none.
  std::string promise;
  // The first operation that leaves something open: "sort s is not stable, and ...".
  std::string why;

  Kind KindOf(int64_t leaf, int64_t linear) const {
    const auto& of_leaf = leaves[static_cast<size_t>(leaf)];
    return of_leaf.empty() ? Kind::kClosed : of_leaf[static_cast<size_t>(linear)];
  }
  bool Has(int64_t leaf, int64_t linear) const { return KindOf(leaf, linear) != Kind::kClosed; }
};

// Whether the computation, or one that it calls, has operations that may leave elements open. Where
// it has none, nothing is open on any arguments.
bool MayLeaveOpen(const Computation& computation);

// The open elements of the result on these arguments; about as much work as interpreting it, twice.
// `orders` are those in which the value was computed. An error where the computation has no value.
llvm::Expected<OpenElements> FindOpenElements(const Computation& computation,
                                              llvm::ArrayRef<Literal> arguments,
                                              const EvaluationOrders* orders = nullptr);

// The promise about indices (unique_indices, indices_are_sorted) that an instruction breaks on
// these arguments: "scatter s has windows that overlap, ...". Empty where all holds. A kernel may
// do anything then, races included.
std::string WhyPromiseIsBroken(const Computation& computation, llvm::ArrayRef<Literal> arguments);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_OPEN_ELEMENTS_H_
