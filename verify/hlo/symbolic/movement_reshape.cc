// reshape for all sizes, where it collapses or expands dimensions: f32[a,b,c] to f32[a * b,c], or
// the other way round.
#include "verify/hlo/symbolic/builder.h"

namespace affirm::hlo_semantics::all_shapes {
namespace {

// The `rank` dimensions as consecutive groups [begin, end); bit i of `cuts` says that a group ends
// behind dimension i.
std::vector<std::pair<int64_t, int64_t>> Groups(uint64_t cuts, int64_t rank) {
  std::vector<std::pair<int64_t, int64_t>> groups;
  int64_t begin = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (i + 1 < rank && (cuts >> i & 1) == 0) continue;
    groups.push_back({begin, i + 1});
    begin = i + 1;
  }
  return groups;
}

// The product of sizes [begin, end).
SymbolicExpr Product(const Builder& b, llvm::ArrayRef<SymbolicExpr> sizes, int64_t begin,
                     int64_t end) {
  SymbolicExpr product = b.Constant(1);
  for (int64_t i = begin; i < end; ++i) product = product * sizes[i];
  return product;
}

// The reshape between an array of all dimensions (fine) and one that has a dimension for each group
// (coarse). The coarse coordinate is the row-major position within the group. An expanding map is
// that sum; a collapsing one takes the position apart by divisions and remainders.
SymbolicOp Reshape(int64_t rank, uint64_t cuts, bool collapse, Context& context) {
  Builder b(context);
  std::vector<SymbolicExpr> fine = b.Parameters("n", rank, 1), coarse;
  auto groups = Groups(cuts, rank);
  std::string text;
  for (auto [begin, end] : groups) {
    coarse.push_back(Product(b, fine, begin, end));
    text += (text.empty() ? "" : ",") + std::to_string(end - begin);
  }
  b.op.output_sizes = collapse ? coarse : fine;
  SymbolicRead read;
  read.input_sizes = collapse ? fine : coarse;
  for (size_t r = 0; r < groups.size(); ++r) {
    auto [begin, end] = groups[r];
    int64_t at = static_cast<int64_t>(r);
    SymbolicExpr flattened = b.Constant(0), position = b.Constant(0);
    for (int64_t i = begin; i < end; ++i) {
      SymbolicExpr stride = Product(b, fine, i + 1, end);
      flattened = flattened + (collapse ? b.In(i) : b.Out(i)) * stride;
      if (!collapse) {
        position = position + b.Out(i) * stride;
        continue;
      }
      SymbolicExpr digit = i + 1 == end ? b.Out(at) : b.Out(at).FloorDiv(stride);
      read.results.push_back(i == begin ? digit : digit.Mod(fine[i]));
    }
    read.relation.push_back({flattened, collapse ? b.Out(at) : b.In(at)});
    if (!collapse) read.results.push_back(position);
  }
  b.op.operands.push_back(std::move(read));
  b.op.text = std::string("reshape, ") + (collapse ? "collapse" : "expand") + " {" + text + "}";
  b.op.instruction = [](llvm::ArrayRef<int64_t>) { return std::string("reshape(p0)"); };
  return std::move(b.op);
}

}  // namespace

std::vector<SymbolicOp> Reshapes(int64_t rank, Context& context) {
  std::vector<SymbolicOp> all;
  for (uint64_t cuts = 0; cuts < uint64_t{1} << (rank - 1); ++cuts) {
    all.push_back(Reshape(rank, cuts, /*collapse=*/true, context));
    all.push_back(Reshape(rank, cuts, /*collapse=*/false, context));
  }
  return all;
}

}  // namespace affirm::hlo_semantics::all_shapes
