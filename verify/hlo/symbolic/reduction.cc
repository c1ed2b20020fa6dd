// reduce for all sizes: for each set of reduced dimensions, the map and the access relation.
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/symbolic/builder.h"

namespace affirm::hlo_semantics::all_shapes {

std::vector<SymbolicOp> Reduces(int64_t rank, Context& context) {
  std::vector<SymbolicOp> all;
  for (uint64_t bits = 0; bits < uint64_t{1} << rank; ++bits) {
    Builder b(context);
    std::vector<int64_t> reduced = Members(bits, rank);
    SymbolicRead read;
    read.input_sizes = b.Parameters("n", rank, 0);
    for (int64_t j = 0; j < rank; ++j) {
      if (!llvm::is_contained(reduced, j)) b.op.output_sizes.push_back(read.input_sizes[j]);
    }
    int64_t next = 0;
    for (int64_t j = 0; j < rank; ++j) {
      if (llvm::is_contained(reduced, j)) {
        read.results.push_back(b.Range(static_cast<int64_t>(read.range_sizes.size())));
        read.range_sizes.push_back(read.input_sizes[j]);
        read.witness.push_back(b.In(j));
      } else {
        read.results.push_back(b.Out(next));
        read.relation.push_back({b.In(j), b.Out(next++)});
      }
    }
    b.op.operands.push_back(std::move(read));
    b.op.text = "reduce, dimensions={" + Join(reduced) + "}";
    b.op.instruction = [reduced](llvm::ArrayRef<int64_t>) {
      return "reduce(p0, z), dimensions={" + Join(reduced) + "}, to_apply=sum";
    };
    all.push_back(std::move(b.op));
  }
  return all;
}

}  // namespace affirm::hlo_semantics::all_shapes
