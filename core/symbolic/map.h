// SymbolicMap: a list of expressions over numbered variables, without bounds.
#ifndef AFFIRM_CORE_SYMBOLIC_MAP_H_
#define AFFIRM_CORE_SYMBOLIC_MAP_H_

#include <cstdint>
#include <string>

#include "core/symbolic/context.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace affirm {

// (d0, ..)[s0, ..]{rt0, ..} -> (results). As in XLA, the "symbols" are the range variables followed
// by the runtime variables; the functions below that take symbols count them in that order.
class SymbolicMap {
 public:
  SymbolicMap() = default;
  SymbolicMap(int64_t num_dims, int64_t num_ranges, int64_t num_runtime,
              llvm::ArrayRef<SymbolicExpr> results)
      : num_dims_(num_dims),
        num_ranges_(num_ranges),
        num_runtime_(num_runtime),
        results_(results.begin(), results.end()) {}

  static SymbolicMap Identity(Context& context, int64_t rank);
  // The map by XLA's name, checked. Variables of the results are variable ids: Dim(k) with k below
  // `num_dims` is that dim, and Dim(num_dims + k) is symbol k, as Range(k) is too. With
  //   v0 = CreateSymbolicVariable(0, context), .., v3 = CreateSymbolicVariable(3, context)
  // Get(context, 2, 2, {v0 + v2, v1 * v3}) is (d0, d1)[s0, s1] -> (d0 + s0, d1 * s1). An error
  // names the first result that is null, of another context, has a runtime variable, or has a
  // variable that the map lacks: Get(context, 2, 1, {v0 + v2, v1 * v3}) has no symbol 1.
  static llvm::Expected<SymbolicMap> Get(Context& context, int64_t num_dims, int64_t num_symbols,
                                         llvm::ArrayRef<SymbolicExpr> results);

  // By the names that XLA gives them.
  int64_t GetNumDims() const { return num_dims(); }
  int64_t GetNumSymbols() const { return num_symbols(); }
  int64_t GetNumResults() const { return num_results(); }
  llvm::ArrayRef<SymbolicExpr> GetResults() const { return results(); }

  int64_t num_dims() const { return num_dims_; }
  int64_t num_ranges() const { return num_ranges_; }
  int64_t num_runtime() const { return num_runtime_; }
  int64_t num_symbols() const { return num_ranges_ + num_runtime_; }
  int64_t num_results() const { return static_cast<int64_t>(results_.size()); }
  llvm::ArrayRef<SymbolicExpr> results() const { return results_; }
  void set_result(unsigned i, SymbolicExpr e) { results_[i] = e; }
  SymbolicExpr result(unsigned i) const { return results_[i]; }

  // Replaces dim i by new_dims[i] and symbol i by new_symbols[i]; null entries keep the variable.
  // The new map has the given numbers of variables.
  SymbolicMap ReplaceDimsAndSymbols(llvm::ArrayRef<SymbolicExpr> new_dims,
                                    llvm::ArrayRef<SymbolicExpr> new_symbols, int64_t num_dims,
                                    int64_t num_ranges, int64_t num_runtime = 0) const;
  // this after `inner`: inner's results become this map's dims. Symbols of this map come first,
  // then inner's. Returns a map without results if inner.num_results() != num_dims().
  SymbolicMap Compose(const SymbolicMap& inner) const;
  // Drops dims / range variables that no result uses and renumbers the rest.
  SymbolicMap CompressDims() const;
  SymbolicMap CompressSymbols() const;

  llvm::BitVector UsedDims() const;
  llvm::BitVector UsedSymbols() const;

  bool IsIdentity() const;
  std::string ToString() const;

  friend bool operator==(const SymbolicMap&, const SymbolicMap&) = default;

 private:
  int64_t num_dims_ = 0;
  int64_t num_ranges_ = 0;
  int64_t num_runtime_ = 0;
  llvm::SmallVector<SymbolicExpr, 4> results_;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_MAP_H_
