// Which elements a kernel writes: its stores as indexing maps, and the proof that each element is
// written once.
//
// Thread t of block b stores to element 128 * b + t where that is below 9500:
//   (d0, d1) -> (d0 * 128 + d1), domain: d0 in [0, 74], d1 in [0, 127], d0 * 128 + d1 in [-inf,
//   9499]
// Where threads are numbers, those whose elements differ by a number alone become one map with
// range variables.
#ifndef AFFIRM_VERIFY_COMPARE_WRITTEN_ELEMENTS_H_
#define AFFIRM_VERIFY_COMPARE_WRITTEN_ELEMENTS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/symbolic/context.h"
#include "verify/maps/maps.h"
#include "verify/terms/scope.h"

namespace affirm::compare {

// Stores under one list of conditions, which hold for a part of the blocks or threads; of no two
// parts the same.
struct WrittenElements {
  std::vector<terms::Term> conditions;
  // Of each store the index that is written: one integer, or one for each dimension.
  std::vector<std::vector<terms::Term>> indices;
  // Of the loops around them: each store happens at all values, whether its index has them or not.
  std::vector<terms::Term> loops = {};
};

// Is each index of the array written by exactly one store of exactly one of the lists, at one value
// of the variables? The variables are all that occur, those of `domain` and of a list's loops,
// whether they occur or not. Unknown, with the reason, where indices or conditions depend on data.
MapProofResult ProveWrittenOnce(terms::Pool& pool, llvm::ArrayRef<WrittenElements> writes,
                                llvm::ArrayRef<terms::Term> domain, llvm::ArrayRef<int64_t> shape,
                                const DecideOptions& options = {});

// Answers it for the results of a kernel, of which many are written alike: each question once.
class WrittenOnceProver {
 public:
  WrittenOnceProver(terms::Pool& pool, std::vector<terms::Term> domain,
                    const DecideOptions& options)
      : pool_(pool), domain_(std::move(domain)), options_(options) {}

  const MapProofResult& Prove(llvm::ArrayRef<WrittenElements> writes,
                              llvm::ArrayRef<int64_t> shape);

 private:
  terms::Pool& pool_;
  std::vector<terms::Term> domain_;
  DecideOptions options_;
  std::map<std::vector<int64_t>, MapProofResult> known_;
};

// The numbers as sums base + stride * i with i in [0, count - 1], for each list of (stride, count)
// one: {0, 1, 8, 9} is 0 with strides 1 and 8. Numbers must be sorted and different.
struct NumberGrid {
  terms::Int128 base = 0;
  std::vector<std::pair<terms::Int128, int64_t>> strides;
};
std::vector<NumberGrid> GridsOf(llvm::ArrayRef<terms::Int128> numbers);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_WRITTEN_ELEMENTS_H_
