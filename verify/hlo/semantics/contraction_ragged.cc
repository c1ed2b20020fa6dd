// Access relations of ragged-dot.
#include <utility>

#include "core/hlo/attribute_values.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

using Dims = llvm::ArrayRef<int64_t>;

// One side of the dot. Dims that are neither batch, contracted nor group dims are free.
struct Side {
  Dims batch, contracted, group;
  int64_t rank;
  bool IsFree(int64_t d) const {
    return !llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d) &&
           !llvm::is_contained(group, d);
  }
  int64_t FreeBefore(int64_t dim) const {
    int64_t count = 0;
    for (int64_t d = 0; d < dim; ++d) count += IsFree(d);
    return count;
  }
};

// The dimension of the result that a dimension of a side becomes; nullopt for contracted and group
// dimensions.
std::optional<int64_t> ResultDim(const Side& side, int64_t dim, int64_t first_batch,
                                 int64_t first_free) {
  auto at = llvm::find(side.batch, dim);
  if (at != side.batch.end()) return first_batch + (at - side.batch.begin());
  if (!side.IsFree(dim)) return std::nullopt;
  return first_free + side.FreeBefore(dim);
}

// The left dims that index the group sizes: the batch dims, then the dims of the ragged dim's kind
// (contracted or free) before it. If the ragged dim is a batch dim, only the batch dims before it.
std::vector<int64_t> Prefix(const Side& left, int64_t ragged) {
  std::vector<int64_t> prefix;
  auto add_until_ragged = [&](Dims dims) {
    for (int64_t d : dims) {
      if (d == ragged) return true;
      prefix.push_back(d);
    }
    return false;
  };
  if (add_until_ragged(left.batch)) return prefix;
  if (llvm::is_contained(left.contracted, ragged)) {
    add_until_ragged(left.contracted);
    return prefix;
  }
  for (int64_t d = 0; d < ragged; ++d) {
    if (left.IsFree(d)) prefix.push_back(d);
  }
  return prefix;
}

}  // namespace

// A dot whose left side is divided along one dimension, the ragged one, into groups with sizes that
// are runtime values. If the ragged dimension is contracted, dimension 0 of the result is the
// group, and each group has its own sum. If not, the group selects an index of the right side's
// group dimension.
OptionalRelation RaggedDot(const AccessQuery& q) {
  const hlo::Attributes& a = q.op.attributes;
  const auto cut = hlo::IntsAttribute(a, "lhs_ragged_dims");
  if (!cut || cut->size() != 1 || q.op.operands.size() != 3) return std::nullopt;
  const int64_t ragged = cut->front();
  const hlo::Ints group = hlo::IntsAttribute(a, "rhs_group_dims").value_or(hlo::Ints());
  const Side left{a.lhs_batch, a.lhs_contracting, {}, q.op.operands[0]->shape.rank()};
  const Side right{a.rhs_batch, a.rhs_contracting, group, q.op.operands[1]->shape.rank()};
  const int64_t batch = llvm::is_contained(a.lhs_contracting, ragged) ? 1 : 0;
  const int64_t free = batch + std::ssize(a.lhs_batch);
  std::vector<Formula> facts;
  auto same = [&](int64_t in, std::optional<int64_t> out) {
    if (!out) return true;
    if (in >= q.in_rank() || *out >= q.out_rank()) return false;
    facts.push_back(Formula::Eq(q.In(in), q.Out(*out)));
    return true;
  };
  bool fits = true;
  if (q.operand == 2) {
    const std::vector<int64_t> prefix = Prefix(left, ragged);
    const bool shared = q.in_rank() == 1;  // one list serves all
    for (size_t k = 0; k < prefix.size() && !shared; ++k) {
      fits = fits && same(k, ResultDim(left, prefix[k], batch, free));
    }
    fits = fits && (shared || q.in_rank() == std::ssize(prefix) + 1);
  } else {
    const bool is_left = q.operand == 0;
    for (int64_t j = 0; j < q.in_rank(); ++j) {
      const int64_t first_free = is_left ? free : free + left.FreeBefore(left.rank);
      fits = fits && same(j, ResultDim(is_left ? left : right, j, batch, first_free));
    }
  }
  return fits ? UpperBound(Where(q, std::move(facts))) : std::nullopt;
}

}  // namespace affirm::hlo_semantics
