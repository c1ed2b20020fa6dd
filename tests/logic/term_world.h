// An environment of theorems: a number for each variable, a value for each element of each buffer.
// Evaluates terms in it, small floats and folds among them.
#ifndef AFFIRM_TESTS_LOGIC_TERM_WORLD_H_
#define AFFIRM_TESTS_LOGIC_TERM_WORLD_H_

#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "verify/terms/term.h"

namespace affirm::logic {

// Values are their bits. Every operation but a bitcast is some function of its operands: of one
// that commutes, in any order; of NaNs, the one NaN 0x7fc00000.
class TermWorld {
 public:
  // The seed says what elements, and operations, are.
  TermWorld(uint64_t seed, llvm::DenseMap<terms::Term, int64_t> variables)
      : seed_(seed), variables_(std::move(variables)) {}

  int64_t Integer(terms::Term integer) const;
  bool Condition(terms::Term condition) const;
  uint64_t Value(terms::Term value) const;
  // Whether both are the same; with `nans_are_one`, any NaN is any other one.
  bool AreEqual(terms::Term a, terms::Term b, bool nans_are_one) const;

 private:
  uint64_t Fold(terms::Term fold) const;

  uint64_t seed_;
  llvm::DenseMap<terms::Term, int64_t> variables_;
};

}  // namespace affirm::logic

#endif  // AFFIRM_TESTS_LOGIC_TERM_WORLD_H_
