// transpose, broadcast and reverse for all sizes: the map and the access relation as formulas of
// the sizes.
#include <algorithm>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/symbolic/builder.h"

namespace affirm::hlo_semantics::all_shapes {

std::string Join(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

std::vector<int64_t> Members(uint64_t bits, int64_t count) {
  std::vector<int64_t> members;
  for (int64_t i = 0; i < count; ++i) {
    if (bits >> i & 1) members.push_back(i);
  }
  return members;
}

// Result dimension i is operand dimension permutation[i].
std::vector<SymbolicOp> Transposes(int64_t rank, Context& context) {
  std::vector<SymbolicOp> all;
  std::vector<int64_t> permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  do {
    Builder b(context);
    SymbolicRead read;
    read.input_sizes = b.Parameters("n", rank, 0);
    for (int64_t p : permutation) b.op.output_sizes.push_back(read.input_sizes[p]);
    read.results.resize(rank);
    for (int64_t i = 0; i < rank; ++i) {
      read.results[permutation[i]] = b.Out(i);
      read.relation.push_back({b.In(permutation[i]), b.Out(i)});
    }
    b.op.operands.push_back(std::move(read));
    b.op.text = "transpose, dimensions={" + Join(permutation) + "}";
    b.op.instruction = [p = permutation](llvm::ArrayRef<int64_t>) {
      return "transpose(p0), dimensions={" + Join(p) + "}";
    };
    all.push_back(std::move(b.op));
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return all;
}

// Operand dimension j is result dimension dims[j].
std::vector<SymbolicOp> Broadcasts(int64_t rank, Context& context) {
  std::vector<SymbolicOp> all;
  for (uint64_t bits = 0; bits < uint64_t{1} << rank; ++bits) {
    Builder b(context);
    std::vector<int64_t> dims = Members(bits, rank);
    b.op.output_sizes = b.Parameters("n", rank, 0);
    SymbolicRead read;
    for (size_t j = 0; j < dims.size(); ++j) {
      read.input_sizes.push_back(b.op.output_sizes[dims[j]]);
      read.results.push_back(b.Out(dims[j]));
      read.relation.push_back({b.In(static_cast<int64_t>(j)), b.Out(dims[j])});
    }
    b.op.operands.push_back(std::move(read));
    b.op.text = "broadcast, dimensions={" + Join(dims) + "}";
    b.op.instruction = [dims](llvm::ArrayRef<int64_t>) {
      return "broadcast(p0), dimensions={" + Join(dims) + "}";
    };
    all.push_back(std::move(b.op));
  }
  return all;
}

// Along a reversed dimension the two indices add up to size - 1.
std::vector<SymbolicOp> Reverses(int64_t rank, Context& context) {
  std::vector<SymbolicOp> all;
  for (uint64_t bits = 0; bits < uint64_t{1} << rank; ++bits) {
    Builder b(context);
    std::vector<int64_t> dims = Members(bits, rank);
    SymbolicRead read;
    read.input_sizes = b.op.output_sizes = b.Parameters("n", rank, 0);
    for (int64_t i = 0; i < rank; ++i) {
      SymbolicExpr last = b.op.output_sizes[i] - 1;
      bool reversed = llvm::is_contained(dims, i);
      read.results.push_back(reversed ? last - b.Out(i) : b.Out(i));
      read.relation.push_back(reversed ? SymbolicFact{b.In(i) + b.Out(i), last}
                                       : SymbolicFact{b.In(i), b.Out(i)});
    }
    b.op.operands.push_back(std::move(read));
    b.op.text = "reverse, dimensions={" + Join(dims) + "}";
    b.op.instruction = [dims](llvm::ArrayRef<int64_t>) {
      return "reverse(p0), dimensions={" + Join(dims) + "}";
    };
    all.push_back(std::move(b.op));
  }
  return all;
}

}  // namespace affirm::hlo_semantics::all_shapes
