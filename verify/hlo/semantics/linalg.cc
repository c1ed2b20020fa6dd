// Access relations of fft, cholesky and triangular-solve, which act on the last dimensions and
// treat the others as a batch.
#include <utility>

#include "core/hlo/attribute_values.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {
namespace {

// The dims before the last `last` ones are the same in both index spaces.
std::vector<Formula> SameBatch(const AccessQuery& q, int64_t last) {
  std::vector<Formula> facts;
  for (int64_t i = 0; i + last < q.out_rank(); ++i) {
    facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  }
  return facts;
}

Formula Below(SymbolicExpr a, SymbolicExpr b) { return Formula::Le(a + 1, b); }

}  // namespace

// Each result of a transform is a sum over every element of the transformed dims.
OptionalRelation Fft(const AccessQuery& q) {
  auto lengths = hlo::IntsAttribute(q.op.attributes, "fft_length");
  if (!lengths || q.in_rank() != q.out_rank() || std::ssize(*lengths) > q.in_rank()) {
    return std::nullopt;
  }
  for (int64_t i = 0; i + std::ssize(*lengths) < q.in_rank(); ++i) {
    if (q.input.dims[i] != q.output.dims[i]) return std::nullopt;
  }
  return Where(q, SameBatch(q, std::ssize(*lengths)));
}

// L(i, j) = (A(i, j) - sum over k < j of L(i, k) L(j, k)*) / L(j, j), j <= i: unfolded, it is made
// of the elements of the lower triangle of A in row i and in the rows up to j, in columns up to j.
// For an upper factor rows and columns are exchanged.
OptionalRelation Cholesky(const AccessQuery& q) {
  const bool lower = hlo::BoolAttribute(q.op.attributes, "lower").value_or(false);
  if (q.input.dims != q.output.dims || q.in_rank() < 2) return std::nullopt;
  const int64_t r = q.in_rank() - (lower ? 2 : 1), c = q.in_rank() - (lower ? 1 : 2);
  std::vector<Formula> facts = SameBatch(q, 2);
  SymbolicExpr i = q.Out(r), j = q.Out(c), row = q.In(r), column = q.In(c);
  facts.push_back(Formula::Le(j, i));
  facts.push_back(Formula::Le(column, row));
  facts.push_back(Formula::Le(column, j));
  facts.push_back(Formula::Or({Formula::Eq(row, i), Formula::Le(row, j)}));
  return Where(q, std::move(facts));
}

// By substitution in T x = b, x(i) is computed from b(i), row i of T and the unknowns solved before
// it, and so from all that these were computed from. A unit diagonal is not read. X op(A) = B is
// solved as op(A)' X' = B'.
OptionalRelation TriangularSolve(const AccessQuery& q) {
  const hlo::Attributes& a = q.op.attributes;
  const bool left = hlo::BoolAttribute(a, "left_side").value_or(false),
             lower = hlo::BoolAttribute(a, "lower").value_or(false),
             unit = hlo::BoolAttribute(a, "unit_diagonal").value_or(false);
  if (q.in_rank() != q.out_rank() || q.in_rank() < 2) return std::nullopt;
  const llvm::StringRef transpose = hlo::WordAttribute(a, "transpose_a");
  const bool as_it_is = transpose != "TRANSPOSE" && transpose != "ADJOINT";
  const bool transposed = as_it_is ? !left : left;
  const bool first_to_last = transposed ? !lower : lower;
  auto before = [&](SymbolicExpr one, SymbolicExpr other) {
    return first_to_last ? Below(one, other) : Below(other, one);
  };
  auto not_after = [&](SymbolicExpr one, SymbolicExpr other) {
    return Formula::Or({before(one, other), Formula::Eq(one, other)});
  };
  const int64_t last = q.in_rank() - 1;
  SymbolicExpr unknown = q.Out(left ? last - 1 : last);
  std::vector<Formula> facts = SameBatch(q, 2);
  if (q.operand == 1) {
    const int64_t other = left ? last : last - 1;
    facts.push_back(Formula::Eq(q.In(other), q.Out(other)));
    facts.push_back(not_after(q.In(left ? last - 1 : last), unknown));
    return Where(q, std::move(facts));
  }
  SymbolicExpr row = q.In(transposed ? last : last - 1);
  SymbolicExpr column = q.In(transposed ? last - 1 : last);
  facts.push_back(not_after(row, unknown));
  facts.push_back(unit ? before(column, row) : not_after(column, row));
  return Where(q, std::move(facts));
}

}  // namespace affirm::hlo_semantics
