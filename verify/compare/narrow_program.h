// Two terms over a few bits of data as a program, which is run at points.
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

// Two terms over few elements, in an order in which operands come first.
class NarrowProgram {
 public:
  // The bits that a computed NaN is tried with: those that the host gives, which are an operand's
  // or the preferred NaN of LLVM IR; all ones, as of NVPTX, with both signs; and with another sign.
  static constexpr size_t kNanPatterns = 4;

  // Without `same_comparison` comparisons are computed.
  explicit NarrowProgram(
      llvm::function_ref<bool(terms::Term, terms::Term)> same_element,
      llvm::function_ref<bool(terms::Term, terms::Term)> same_comparison = nullptr)
      : same_element_(same_element), same_comparison_(same_comparison) {}

  // These values are leaves, of as many bits as a point has, and operations that are no opcodes are
  // computed too (BeyondOpcodes).
  void SetLeaves(llvm::ArrayRef<terms::Term> leaves) {
    given_leaves_ = leaves;
    for (terms::Term leaf : leaves) {
      const int64_t width = terms::IntegerWidth(leaf->type);
      AddLeaf(leaf, width > 0 ? width : hlo::BitWidth(leaf->type));
    }
  }

  // False where the terms are none that can be tried: with other functions than those that have one
  // right result, if these are of constants and may be `rounded`.
  bool Add(terms::Term root, bool rounded = false);

  int64_t bits() const { return bits_; }
  size_t size() const { return order_.size(); }

  // Computes every term where the elements and variables have these bits, one after the other, and
  // computed NaNs those of patterns. False where an operation has no result.
  bool Run(uint64_t bits, size_t nan_pattern);
  // How often Run is to be called with a point, to try all patterns: of the NaNs of a term whose
  // bits mattered in a run, the first has pattern k mod 4, others pattern k / 4. None, where there
  // are more of them.
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
    // One of the first term with one of the second: on one side no form stands for another.
    return term->kind == terms::Kind::kApply && k < leaves_before_ && same_comparison_(leaf, term);
  }

  bool IsLeafComparison(terms::Term term) const;
  bool AddLeaf(terms::Term term, int64_t width);
  bool ResolveLast();
  bool Compute(size_t place, TermNumber& number);
  // The value of the operation that stands there, whose operands are computed.
  TypedScalar OperationAt(size_t place);
  TypedScalar Bits(size_t place);
  // Bits that a computed NaN may have in this run.
  uint64_t BitsOfNan(size_t place, terms::Term nan, uint64_t bits);
  // What is chosen, where the value is a choice.
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
  // The NaNs whose bits mattered in this run, in the first term and in what the second adds to it;
  // and the most of either in any run.
  llvm::SmallVector<terms::Term, 2> seen_nans_[2];
  size_t most_nans_ = 0;
  size_t size_before_ = 0;  // of the terms that were added before
  int64_t bits_ = 0;
};

// Whether the term is a comparison of values, whose result is a predicate.
bool IsComparison(terms::Term term);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_NARROW_PROGRAM_H_
