// Two terms that depend on a few bits of data, as a straight-line program that runs at points.
//
//   NarrowProgram program(same_element);
//   if (program.Add(kernel) && program.Add(hlo) && program.Run(0x7e00, 0)) ...
//   program.At(kernel).scalar, program.At(hlo).scalar   // where the bits of the element are 0x7e00
#ifndef AFFIRM_VERIFY_COMPARE_NARROW_PROGRAM_H_
#define AFFIRM_VERIFY_COMPARE_NARROW_PROGRAM_H_

#include <bit>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/compare/scalar_operations.h"
#include "verify/terms/term.h"

namespace affirm::compare {

// A term is an integer, a condition (0 or 1), or a scalar.
struct TermNumber {
  terms::Int128 integer = 0;  // modulo 2^128 where it is not exact
  bool exact = true;
  TypedScalar scalar = {};
};

// The nodes of two terms, in topological order: operands before users.
class NarrowProgram {
 public:
  // How many bit patterns stand for a computed NaN: the host's, which is an operand's or the
  // preferred NaN (LangRef, "Behavior of Floating-Point NaN values"); all ones, as NVPTX has it,
  // with either sign; and the host's with the other sign.
  static constexpr size_t kNanPatterns = 4;

  // Comparisons are leaves that `same_comparison` identifies; if it is null, they are evaluated.
  explicit NarrowProgram(
      llvm::function_ref<bool(terms::Term, terms::Term)> same_element,
      llvm::function_ref<bool(terms::Term, terms::Term)> same_comparison = nullptr)
      : same_element_(same_element), same_comparison_(same_comparison) {}

  // Makes these values leaves, which may have more than 16 bits together, and evaluates also
  // operations that HLO has no opcode for (BeyondOpcodes).
  void SetLeaves(llvm::ArrayRef<terms::Term> leaves) {
    given_leaves_ = leaves;
    for (terms::Term leaf : leaves) {
      const int64_t width = terms::IntegerWidth(leaf->type);
      AddLeaf(leaf, width > 0 ? width : hlo::BitWidth(leaf->type));
    }
  }

  // False where the term cannot be evaluated: it has too many leaf bits or nodes, an operation that
  // devices may round differently (unless `rounded`, which allows it), or no scalar function.
  bool Add(terms::Term root, bool rounded = false);

  int64_t bits() const { return bits_; }
  size_t size() const { return order_.size(); }

  // Evaluates every node. `bits` concatenates the leaves' bits; `nan_pattern` chooses the bits of
  // computed NaNs. False where an operation has no result.
  bool Run(uint64_t bits, size_t nan_pattern);
  // The number of values of `nan_pattern` that cover all choices for the NaNs whose bits mattered
  // in a run: the first NaN of a term has pattern k mod 4, the second pattern k / 4. nullopt where
  // a term has more than two.
  std::optional<size_t> patterns() const {
    constexpr size_t kMostNans = 2;
    if (most_nans_ > kMostNans) return std::nullopt;
    size_t product = 1;
    for (size_t k = 0; k < most_nans_; ++k) product *= kNanPatterns;
    return product;
  }
  // Whether these bits are values of the variables.
  bool IsInRange(uint64_t bits) const {
    return llvm::all_of(leaves_, [&](const Leaf& leaf) {
      return leaf.term->kind != terms::Kind::kVariable ||
             leaf.term->range.lo + terms::Int128{leaf.Of(bits)} <= leaf.term->range.hi;
    });
  }
  const TermNumber& At(terms::Term term) const { return numbers_[place_.lookup(term)]; }

 private:
  bool Takes(terms::Term term);
  // An element or a variable: some of the bits that a run is given.
  struct Leaf {
    terms::Term term;
    int64_t from, width;
    uint64_t Of(uint64_t bits) const { return bits >> from & ((uint64_t{1} << width) - 1); }
  };

  bool IsSameLeaf(size_t k, terms::Term term) const {
    const terms::Term leaf = leaves_[k].term;
    if (leaf->kind != term->kind) return false;
    if (term->kind == terms::Kind::kLoad) return same_element_(leaf, term);
    // Identifies a comparison of the second term with one of the first, never two of one term.
    return term->kind == terms::Kind::kApply && k < leaves_before_ && same_comparison_(leaf, term);
  }

  bool IsLeafComparison(terms::Term term) const;
  bool AddLeaf(terms::Term term, int64_t width);
  bool ResolveLast();
  bool Compute(size_t place, TermNumber& number);
  // The operation at this position, applied to its evaluated operands.
  TypedScalar OperationAt(size_t place);
  TypedScalar Bits(size_t place);
  // Bits that a computed NaN may have in this run.
  uint64_t BitsOfNan(size_t place, terms::Term nan, uint64_t bits);
  // The arm that each select takes in this run.
  terms::Term Chosen(terms::Term value) const;
  terms::Int128 Integer(terms::Term term) const { return At(term).integer; }

  uint64_t BitsOfLeaf(terms::Term leaf) const { return leaves_[leaf_of_.lookup(leaf)].Of(given_); }

  llvm::function_ref<bool(terms::Term, terms::Term)> same_element_, same_comparison_;
  llvm::ArrayRef<terms::Term> given_leaves_;
  size_t leaves_before_ = 0;  // of the terms that were added before
  std::vector<terms::Term> order_;
  std::vector<ScalarOperations::Function> functions_;  // of operations, in that order
  std::vector<Leaf> leaves_;
  llvm::DenseMap<terms::Term, size_t> place_, leaf_of_;
  std::vector<TermNumber> numbers_;
  uint64_t given_ = 0;
  size_t nan_pattern_ = 0;
  bool rounded_ = false;
  // The NaNs whose bits mattered in this run: those of the first term, and those that the second
  // adds. `most_nans_` is the largest size of either over all runs.
  llvm::SmallVector<terms::Term, 2> seen_nans_[2];
  size_t most_nans_ = 0;
  size_t size_before_ = 0;  // of the terms that were added before
  int64_t bits_ = 0;
};

// Whether the term is a comparison of values, whose result is a predicate.
bool IsComparison(terms::Term term);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_NARROW_PROGRAM_H_
