// Row-major linearization and its inverse.
#include "core/symbolic/linearize.h"

namespace affirm {

SymbolicExpr Linearize(Context& context, llvm::ArrayRef<SymbolicExpr> index,
                       llvm::ArrayRef<int64_t> sizes) {
  SymbolicExpr sum = context.Constant(0);
  int64_t stride = 1;
  for (size_t i = index.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;  // the coordinate is 0
    sum = sum + index[i] * stride;
    stride *= sizes[i];
  }
  return sum;
}

std::vector<SymbolicExpr> Delinearize(SymbolicExpr linear, llvm::ArrayRef<int64_t> sizes) {
  std::vector<SymbolicExpr> index(sizes.size(), linear.context()->Constant(0));
  int64_t stride = 1, count = 1;
  for (int64_t s : sizes) count *= s;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    index[i] = stride == 1 ? linear : linear.FloorDiv(stride);
    stride *= sizes[i];
    if (stride != count) index[i] = index[i].Mod(sizes[i]);
  }
  return index;
}

}  // namespace affirm
