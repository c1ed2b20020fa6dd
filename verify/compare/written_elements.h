// Proves that a kernel writes each element of an array exactly once: its stores, as indexing maps,
// form a bijection.
//
// Thread t of block b stores to element 128 * b + t where that is below 9500:
//   (d0, d1) -> (d0 * 128 + d1), domain: d0 in [0, 74], d1 in [0, 127], d0 * 128 + d1 in [-inf,
//   9499]
// Stores of unrolled threads whose indices differ by a constant alone become one map with range
// variables.
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

// Stores under one list of conditions, which select a part of the blocks or threads.
struct WrittenElements {
  std::vector<terms::Term> conditions;
  // The index of each store: one linear integer, or one for each dimension.
  std::vector<std::vector<terms::Term>> indices;
  // Variables of the loops around the stores. A store executes for each value of them, even if its
  // index does not depend on one.
  std::vector<terms::Term> loops = {};
};

// Whether each index of the array is written by exactly one store of one list, at one value of the
// variables: those of `domain`, of the list's loops, and any others in the terms. Unknown, with the
// reason, where indices or conditions depend on data.
MapProofResult ProveWrittenOnce(terms::Pool& pool, llvm::ArrayRef<WrittenElements> writes,
                                llvm::ArrayRef<terms::Term> domain, llvm::ArrayRef<int64_t> shape,
                                const DecideOptions& options = {});

// Memoizes ProveWrittenOnce: a kernel often writes many results with the same stores.
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

// A set of numbers base + sum of stride_k * i_k, with i_k in [0, count_k - 1]. {0, 1, 8, 9} has the
// base 0 and the (stride, count) pairs (1, 2) and (8, 2).
struct NumberGrid {
  terms::Int128 base = 0;
  std::vector<std::pair<terms::Int128, int64_t>> strides;
};
// Partitions numbers, which must be sorted and distinct, into grids.
std::vector<NumberGrid> GridsOf(llvm::ArrayRef<terms::Int128> numbers);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_WRITTEN_ELEMENTS_H_
