// reshape, bitcast, bitcast-convert: the same position in a linear order of the elements.
#include "verify/hlo/meanings.h"

namespace affirm::meaning {
namespace {

// The position of an index when dimensions are laid out in the order given, fastest first; null
// past int64.
SymbolicExpr Position(Context& context, const hlo::Shape& shape, int64_t first_variable,
                      llvm::ArrayRef<int64_t> minor_to_major) {
  SymbolicExpr sum = context.Constant(0);
  std::optional<int64_t> weight = 1;
  for (int64_t dim : minor_to_major) {
    if (!weight || dim < 0 || dim >= shape.rank()) return {};
    sum = sum + context.Dim(first_variable + dim) * *weight;
    weight = CheckedMul(*weight, shape.dims[dim]);
  }
  return sum;
}

std::vector<int64_t> RowMajor(int64_t rank) {
  std::vector<int64_t> order;
  for (int64_t i = rank; i-- > 0;) order.push_back(i);
  return order;
}

Answer SamePosition(const Query& q, llvm::ArrayRef<int64_t> out_order,
                    llvm::ArrayRef<int64_t> in_order) {
  if (q.output.NumElements() != q.input.NumElements()) return std::nullopt;
  if (static_cast<int64_t>(out_order.size()) != q.out_rank()) return std::nullopt;
  if (static_cast<int64_t>(in_order.size()) != q.in_rank()) return std::nullopt;
  SymbolicExpr out = Position(q.context, q.output, 0, out_order);
  SymbolicExpr in = Position(q.context, q.input, q.out_rank(), in_order);
  if (!out || !in) return std::nullopt;
  return All(q, {Formula::Eq(out, in)});
}

}  // namespace

// Reshape keeps the row-major order of the logical elements.
Answer Reshape(const Query& q) {
  return SamePosition(q, RowMajor(q.out_rank()), RowMajor(q.in_rank()));
}

// Bitcast keeps the elements where they are in memory.
Answer Bitcast(const Query& q) {
  if (hlo::BitWidth(q.output.type) != hlo::BitWidth(q.input.type)) return std::nullopt;
  return SamePosition(q, q.output.MinorToMajor(), q.input.MinorToMajor());
}

// Elements of equal width keep their index; otherwise the wider side's element is a row of the last
// dimension of the narrower side.
Answer BitcastConvert(const Query& q) {
  if (q.in_rank() == q.out_rank()) return SameIndex(q);
  int64_t shared = std::min(q.in_rank(), q.out_rank());
  if (std::max(q.in_rank(), q.out_rank()) != shared + 1) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i < shared; ++i) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  return All(q, facts);
}

}  // namespace affirm::meaning
