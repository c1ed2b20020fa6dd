// Memoized summary of the operations in a term. The values of a kernel share most of their parts.
#ifndef AFFIRM_VERIFY_COMPARE_TERM_PARTS_H_
#define AFFIRM_VERIFY_COMPARE_TERM_PARTS_H_

#include <bitset>

#include "llvm/ADT/DenseMap.h"
#include "verify/compare/correspondences.h"
#include "verify/terms/term.h"

namespace affirm::compare {

using OperationSet = std::bitset<256>;  // by terms::Op

struct TermParts {
  OperationSet operations;
  FunctionsOfDevice functions;
  bool open_zero_sign = false;     // Op::kOpenZeroSign
  bool rounded_reduction = false;  // a reduction whose order counts

  void Add(const TermParts& more);
};

class TermPartsMemo {
 public:
  const TermParts& Of(terms::Term root);

 private:
  llvm::DenseMap<terms::Term, TermParts> known_;
};

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_TERM_PARTS_H_
