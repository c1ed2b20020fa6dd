// reshape by collapse or expand, with symbolic sizes: runs of dimensions become one, or the other
// way round.
#include "verify/hlo/symbolic_builder.h"

namespace affirm::symbolic {
namespace {

// [begin, end) of each run of `rank` dimensions; bit i of `cuts` says that a run ends behind
// dimension i.
std::vector<std::pair<int64_t, int64_t>> Runs(uint64_t cuts, int64_t rank) {
  std::vector<std::pair<int64_t, int64_t>> runs;
  int64_t begin = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (i + 1 < rank && (cuts >> i & 1) == 0) continue;
    runs.push_back({begin, i + 1});
    begin = i + 1;
  }
  return runs;
}

// The product of sizes [begin, end).
SymbolicExpr Product(const Builder& b, llvm::ArrayRef<SymbolicExpr> sizes, int64_t begin,
                     int64_t end) {
  SymbolicExpr product = b.Constant(1);
  for (int64_t i = begin; i < end; ++i) product = product * sizes[i];
  return product;
}

// Between an index over all dimensions (fine) and one over the runs (coarse): within a run the
// coarse coordinate is the row-major position. As digits it is what it says, the other way round
// the position is cut into digits.
SymbolicOp Reshape(int64_t rank, uint64_t cuts, bool collapse, Context& context) {
  Builder b(context);
  std::vector<SymbolicExpr> fine = b.Parameters("n", rank, 1), coarse;
  auto runs = Runs(cuts, rank);
  std::string text;
  for (auto [begin, end] : runs) {
    coarse.push_back(Product(b, fine, begin, end));
    text += (text.empty() ? "" : ",") + std::to_string(end - begin);
  }
  b.op.output_sizes = collapse ? coarse : fine;
  SymbolicRead read;
  read.input_sizes = collapse ? fine : coarse;
  for (size_t r = 0; r < runs.size(); ++r) {
    auto [begin, end] = runs[r];
    int64_t at = static_cast<int64_t>(r);
    SymbolicExpr meant = b.Constant(0), position = b.Constant(0);
    for (int64_t i = begin; i < end; ++i) {
      SymbolicExpr stride = Product(b, fine, i + 1, end);
      meant = meant + (collapse ? b.In(i) : b.Out(i)) * stride;
      if (!collapse) {
        position = position + b.Out(i) * stride;
        continue;
      }
      SymbolicExpr digit = i + 1 == end ? b.Out(at) : b.Out(at).FloorDiv(stride);
      read.results.push_back(i == begin ? digit : digit.Mod(fine[i]));
    }
    read.meaning.push_back({meant, collapse ? b.Out(at) : b.In(at)});
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

}  // namespace affirm::symbolic
