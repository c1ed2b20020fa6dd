// Maps and arrays as the checker of certificates has them (verify/coq/certificate/map_claims.v).
#ifndef AFFIRM_VERIFY_PROVER_VIEW_H_
#define AFFIRM_VERIFY_PROVER_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::prover {

// Counts of variables, facts in the order of the text, results.
struct View {
  size_t runtime = 0, dims = 0;
  std::vector<Interval> ranges;  // the bounds of the range variables
  std::vector<Constraint> facts;
  std::vector<SymbolicExpr> results;
  bool empty = false;  // known to be

  size_t variables() const { return runtime + dims + ranges.size(); }
  // The number of a variable: runtime variables, dims, range variables.
  size_t NumberOf(VarKind kind, int64_t index) const {
    size_t number = static_cast<size_t>(index);
    if (kind != VarKind::kRuntime) number += runtime;
    if (kind == VarKind::kRange) number += dims;
    return number;
  }
};

View ViewOf(const IndexingMap& m);
// The indices of an array as results of range variables; the runtime variables are those of m.
View ArrayOf(const IndexingMap& m, llvm::ArrayRef<int64_t> shape);
// The map with the default names of variables, as the certificate writes it.
std::string PlainText(const IndexingMap& map);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_VIEW_H_
